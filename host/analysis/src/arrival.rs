// SPDX-License-Identifier: Apache-2.0
//! Arrival curves: how often a task is released, or an interrupt requested, at most.

use takt_model::{Activation, Nanos, Task};

use crate::quantity::{Time, Utilisation, Work};

/// When a window begins, on the clock by which its core releases periodic tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// The window begins at the worst time for each kind of events.
    #[default]
    Anywhere,
    /// The window begins this long after the start of all offsets, or whole hyperperiods later.
    At(Time),
}

/// The upper arrival curve of events, and its pseudo-inverse.
pub trait ArrivalCurve {
    /// The most events in a half-open window `[start, start + length)`.
    fn before(&self, start: Start, length: Time) -> u64;

    /// The most events in a closed window `[start, start + length]`.
    fn up_to(&self, start: Start, length: Time) -> u64;

    /// The least length at which a closed window that begins anywhere may have more events than `count`.
    fn exceeds_at(&self, count: u64) -> Time;

    /// A utilisation of work that comes with each event: `before(start, w)` times the work is at least this times w, for
    /// every w. It is zero where the first event may come later than the window begins.
    fn utilisation(&self, start: Start, work: Work) -> Utilisation;
}

/// Events whose nominal times are a period apart, or further. Each comes up to `jitter` later than its nominal time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Periodic {
    /// The period or separation; not zero.
    pub period: Time,
    pub jitter: Time,
    /// The latest time at which one of them may come, after the start of all offsets; less than the period. None: the times are unknown.
    pub latest: Option<Time>,
}

impl Periodic {
    /// Events that are `separation` apart, and at least a nanosecond.
    pub fn apart(separation: Nanos, jitter: Time) -> Self {
        Periodic { period: Time::from(separation).max(Time::new(1)), jitter, latest: None }
    }

    /// Returns these events without the known times at which they come.
    pub fn at_any_time(self) -> Self {
        Periodic { latest: None, ..self }
    }

    /// How long after the start of a window the first event comes that may not have come before it, at the latest.
    pub fn first(&self, start: Start) -> Time {
        match (start, self.latest) {
            (Start::At(start), Some(latest)) => start.until_next(latest, self.period),
            _ => Time::ZERO,
        }
    }

    /// The latest times of all events in this multiple of the period, from the start of all offsets on, in order; none where
    /// they are unknown.
    pub fn times(self, hyperperiod: Time) -> impl Iterator<Item = Time> {
        let latest = self.latest.into_iter();
        latest.flat_map(move |latest| {
            let count = hyperperiod.whole_periods(self.period);
            (0..count).map(move |number| latest + self.period * number)
        })
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
    fn before(&self, start: Start, length: Time) -> u64 {
        (length + self.jitter - self.first(start)).covering_periods(self.period)
    }

    fn up_to(&self, start: Start, length: Time) -> u64 {
        let (length, first) = (length + self.jitter, self.first(start));
        match length < first {
            true => 0,
            false => (length - first).whole_periods(self.period).saturating_add(1),
        }
    }

    fn exceeds_at(&self, count: u64) -> Time {
        self.period * count - self.jitter
    }

    fn utilisation(&self, start: Start, work: Work) -> Utilisation {
        match self.first(start) {
            Time::ZERO => Utilisation::new(work, self.period),
            _ => Utilisation::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_brings_events_together() {
        let curve = Periodic { period: Time::new(10), jitter: Time::new(4), latest: None };
        let before = |length| curve.before(Start::Anywhere, Time::new(length));
        assert_eq!([before(0), before(6), before(7), before(16), before(17)], [1, 1, 2, 2, 3]);
        let up_to = |length| curve.up_to(Start::Anywhere, Time::new(length));
        assert_eq!([up_to(0), up_to(5), up_to(6), up_to(16)], [1, 1, 2, 3]);
    }

    #[test]
    fn the_inverse_is_where_the_curve_steps() {
        for jitter in 0..25 {
            let jitter = Time::new(jitter);
            let curve = Periodic { period: Time::new(10), jitter, latest: None };
            let up_to = |length| curve.up_to(Start::Anywhere, length);
            for length in 0..100 {
                let count = up_to(Time::new(length));
                let next = curve.exceeds_at(count);
                assert!(next > Time::new(length) && up_to(next) > count);
                assert_eq!(up_to(next - Time::new(1)), count);
            }
        }
    }

    /// Events at 3, 13, 23, each up to 4 later. A window from 8 on has the one that may come at 17, and those behind it; one
    /// from 7 on also the one of 3, if it comes as late as at 7.
    #[test]
    fn a_known_phase_counts_what_may_come_in_the_window() {
        let curve =
            Periodic { period: Time::new(10), jitter: Time::new(4), latest: Some(Time::new(7)) };
        for start in [8, 7, 107, 12, 13] {
            for length in 0..40 {
                let nominal = (0..60_u64).map(|event| 3 + 10 * event);
                let late = nominal.filter(|nominal| nominal + 4 >= start);
                let before = late.clone().filter(|nominal| *nominal < start + length).count();
                let up_to = late.filter(|nominal| *nominal <= start + length).count();
                let (at, length) = (Start::At(Time::new(start)), Time::new(length));
                assert_eq!(curve.before(at, length), before as u64, "{start} {length:?}");
                assert_eq!(curve.up_to(at, length), up_to as u64, "{start} {length:?}");
            }
        }
    }
}
