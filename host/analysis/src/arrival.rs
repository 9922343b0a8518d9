// SPDX-License-Identifier: Apache-2.0
//! Arrival curves: how often a task is released, or an interrupt requested, at most.

use takt_model::{Activation, Nanos, Task};

use crate::quantity::{Time, Utilisation, Work};

/// The upper arrival curve of events, and its pseudo-inverse.
pub trait ArrivalCurve {
    /// The most events in a half-open window `[t, t + length)`.
    fn before(&self, length: Time) -> u64;

    /// The most events in a closed window `[t, t + length]`.
    fn up_to(&self, length: Time) -> u64;

    /// The least length at which a closed window may have more events than `count`.
    fn exceeds_at(&self, count: u64) -> Time;

    /// The utilisation of work that comes with each event. It is rounded down: `before(w)` times the work is at least the
    /// utilisation times w, for every w.
    fn utilisation(&self, work: Work) -> Utilisation;
}

/// Events whose nominal times are a period apart, or further. Each comes up to `jitter` later than its nominal time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Periodic {
    /// The period or separation; not zero.
    pub period: Time,
    pub jitter: Time,
}

impl Periodic {
    /// Events that are `separation` apart, and at least a nanosecond.
    pub fn apart(separation: Nanos, jitter: Time) -> Self {
        Periodic { period: Time::from(separation).max(Time::new(1)), jitter }
    }

    /// The releases of a task. None: nothing limits them.
    pub fn releases(task: &Task) -> Option<Self> {
        let separation = match task.activation {
            Activation::Periodic { period, .. } => period,
            Activation::Sporadic { separation } => separation,
            Activation::Aperiodic => return None,
        };
        Some(Periodic::apart(separation, task.jitter.into()))
    }
}

impl ArrivalCurve for Periodic {
    fn before(&self, length: Time) -> u64 {
        (length + self.jitter).covering_periods(self.period)
    }

    fn up_to(&self, length: Time) -> u64 {
        (length + self.jitter).whole_periods(self.period).saturating_add(1)
    }

    fn exceeds_at(&self, count: u64) -> Time {
        self.period * count - self.jitter
    }

    fn utilisation(&self, work: Work) -> Utilisation {
        Utilisation::new(work, self.period)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_brings_events_together() {
        let curve = Periodic { period: Time::new(10), jitter: Time::new(4) };
        let before = |length| curve.before(Time::new(length));
        assert_eq!([before(0), before(6), before(7), before(16), before(17)], [1, 1, 2, 2, 3]);
        let up_to = |length| curve.up_to(Time::new(length));
        assert_eq!([up_to(0), up_to(5), up_to(6), up_to(16)], [1, 1, 2, 3]);
    }

    #[test]
    fn the_inverse_is_where_the_curve_steps() {
        for jitter in 0..25 {
            let curve = Periodic { period: Time::new(10), jitter: Time::new(jitter) };
            for length in 0..100 {
                let count = curve.up_to(Time::new(length));
                let next = curve.exceeds_at(count);
                assert!(next > Time::new(length) && curve.up_to(next) > count);
                assert_eq!(curve.up_to(next - Time::new(1)), count);
            }
        }
    }
}
