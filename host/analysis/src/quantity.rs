// SPDX-License-Identifier: Apache-2.0
//! The quantities of the analysis: time that passes, and work that a core has to do.
//!
//! Sums and products saturate: the largest time is [`Time::UNBOUNDED`], which is past every deadline, and a core needs so
//! long for the largest work. Differences saturate at zero. One quantity becomes the other by name only: a
//! [`SupplyBound`](crate::supply::SupplyBound) says how long a core needs for work.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub};

use takt_model::Nanos;

macro_rules! saturating_quantity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name(u64);

        impl $name {
            pub const ZERO: Self = Self(0);

            /// The quantity in nanoseconds.
            pub const fn new(nanoseconds: u64) -> Self {
                Self(nanoseconds)
            }

            pub fn nanos(self) -> Nanos {
                Nanos(self.0)
            }
        }

        impl From<Nanos> for $name {
            fn from(nanos: Nanos) -> Self {
                Self(nanos.0)
            }
        }

        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0.saturating_add(other.0))
            }
        }

        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }

        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0.saturating_sub(other.0))
            }
        }

        impl Mul<u64> for $name {
            type Output = Self;
            fn mul(self, times: u64) -> Self {
                Self(self.0.saturating_mul(times))
            }
        }

        impl Sum for $name {
            fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
                terms.fold(Self::ZERO, Add::add)
            }
        }
    };
}

saturating_quantity! {
    /// A duration in nanoseconds. An instant is the duration since the busy window began.
    Time
}

saturating_quantity! {
    /// Work in nanoseconds of a core that does nothing else: execution of tasks and of the kernel.
    Work
}

/// Work that comes in each unit of time in the long run, in 2^-64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Utilisation(u128);

impl Time {
    /// What no window is long enough for.
    pub const UNBOUNDED: Time = Time(u64::MAX);

    /// How long it takes from this instant to the next one, or from now, that lies at `phase` in a period. The phase is less than
    /// the period, and the period not zero.
    pub fn until_next(self, phase: Time, period: Time) -> Time {
        let here = self.0 % period.0;
        Time(if phase.0 >= here { phase.0 - here } else { phase.0 + (period.0 - here) })
    }

    /// How many whole periods this duration has. The period is not zero.
    pub fn whole_periods(self, period: Time) -> u64 {
        self.0 / period.0
    }

    /// How many periods cover this duration: the quotient, rounded up. The period is not zero.
    pub fn covering_periods(self, period: Time) -> u64 {
        self.0.div_ceil(period.0)
    }

    /// The most work that a core does in this duration, and so what a duration takes from the tasks in which the core does
    /// nothing for them.
    pub fn as_work(self) -> Work {
        Work(self.0)
    }
}

impl Work {
    /// The least duration in which a core does this work.
    pub fn as_time(self) -> Time {
        Time(self.0)
    }
}

impl Utilisation {
    const ONE: u128 = 1 << 64;

    /// The utilisation of work that comes once in each period, rounded down. The period is not zero.
    pub fn new(work: Work, period: Time) -> Self {
        Utilisation((u128::from(work.0) << 64) / u128::from(period.0))
    }

    /// A time before which a core does not finish `fixed` work, while more comes at this utilisation: fixed / (1 - U).
    pub fn earliest_completion(self, fixed: Work) -> Time {
        match Self::ONE.checked_sub(self.0) {
            None | Some(0) if fixed > Work::ZERO => Time::UNBOUNDED,
            None | Some(0) => Time::ZERO,
            Some(rest) => Time(((u128::from(fixed.0) << 64) / rest).try_into().unwrap_or(u64::MAX)),
        }
    }
}

impl Add for Utilisation {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Utilisation(self.0.saturating_add(other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_saturate_at_unbounded_and_at_zero() {
        assert_eq!((Work::new(u64::MAX) + Work::new(1)).as_time(), Time::UNBOUNDED);
        assert_eq!((Work::new(u64::MAX / 2) * 3).as_time(), Time::UNBOUNDED);
        assert_eq!([Time::UNBOUNDED, Time::new(7)].into_iter().sum::<Time>(), Time::UNBOUNDED);
        assert_eq!(Time::new(3) - Time::new(5), Time::ZERO);
    }

    #[test]
    fn no_work_is_finished_beside_a_full_utilisation() {
        let half = Utilisation::new(Work::new(5), Time::new(10));
        assert_eq!(half.earliest_completion(Work::new(8)), Time::new(16));
        assert_eq!((half + half).earliest_completion(Work::new(1)), Time::UNBOUNDED);
        assert_eq!((half + half).earliest_completion(Work::ZERO), Time::ZERO);
    }
}
