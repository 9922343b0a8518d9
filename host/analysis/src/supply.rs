// SPDX-License-Identifier: Apache-2.0
//! Supply: what a core does for its tasks in a window of time, at least.

use takt_model::Frame;

use crate::quantity::{Time, Work};

/// The pseudo-inverse of a supply bound function.
pub trait SupplyBound {
    /// The least length that a window needs, so that all of the work is done in it, wherever the window begins. It grows
    /// with the work, and is nowhere shorter than [`Work::as_time`].
    fn time_for(&self, work: Work) -> Time;
}

/// A core that is there for its tasks all the time. What the kernel and interrupts take is demand.
#[derive(Clone, Copy, Debug)]
pub struct WholeCore;

impl SupplyBound for WholeCore {
    fn time_for(&self, work: Work) -> Time {
        work.as_time()
    }
}

/// A core that is there for the tasks of one partition in its windows.
pub struct Windows {
    frame: Time,
    /// When each window begins to serve the tasks and when it ends, from the frame's begin; in the order of time.
    open: Vec<(Time, Time)>,
    /// The work that is done in each frame.
    of_frame: Work,
}

impl Windows {
    /// The windows of a partition, each of which loses `opening` before it serves the tasks. What the end of another window
    /// delays is in that.
    pub fn new(frame: &Frame, partition: usize, opening: Time) -> Self {
        let own = frame.windows.iter().filter(|window| window.partition == partition);
        let open = own.map(|it| (Time::from(it.offset) + opening, Time::from(it.end())));
        let open: Vec<_> = open.filter(|(begin, end)| begin < end).collect();
        let of_frame = open.iter().map(|(begin, end)| (*end - *begin).as_work()).sum();
        Windows { frame: frame.length.into(), open, of_frame }
    }

    /// How long it takes from the end of one window until this work is done, which is no more than that of a frame.
    fn time_after_end_of(&self, window: usize, work: Work) -> Time {
        let (mut now, mut elapsed, mut left) = (self.open[window].1, Time::ZERO, work.as_time());
        let following = self.open.iter().cycle().skip(window + 1).take(self.open.len());
        for (begin, end) in following {
            elapsed += now.until_next(*begin, self.frame);
            let served = (*end - *begin).min(left);
            elapsed += served;
            left = left - served;
            if left == Time::ZERO {
                return elapsed;
            }
            now = *end;
        }
        Time::UNBOUNDED
    }
}

impl SupplyBound for Windows {
    /// The core does least in a time that begins when a window has just ended.
    fn time_for(&self, work: Work) -> Time {
        if work == Work::ZERO {
            return Time::ZERO;
        }
        if self.of_frame == Work::ZERO {
            return Time::UNBOUNDED;
        }
        let frames = (work - Work::new(1)).as_time().whole_periods(self.of_frame.as_time());
        let rest = work - self.of_frame * frames;
        let longest = (0..self.open.len()).map(|window| self.time_after_end_of(window, rest)).max();
        self.frame * frames + longest.unwrap_or(Time::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use takt_model::{Nanos, TimeWindow};

    use super::*;

    fn windows(frame: u64, own: &[(u64, u64)], opening: u64) -> Windows {
        let window = |&(offset, duration): &(u64, u64)| TimeWindow {
            partition: 0,
            offset: Nanos(offset),
            duration: Nanos(duration),
        };
        let frame =
            Frame { core: 0, length: Nanos(frame), windows: own.iter().map(window).collect() };
        Windows::new(&frame, 0, Time::new(opening))
    }

    /// Counts the time that the work takes, nanosecond by nanosecond, from each instant of a frame; returns the longest.
    fn counted(frame: u64, own: &[(u64, u64)], opening: u64, work: u64) -> u64 {
        let serves = |time: u64| {
            let at = time % frame;
            own.iter().any(|(offset, duration)| (offset + opening..offset + duration).contains(&at))
        };
        let from = |start: u64| {
            let mut left = work;
            (start..)
                .take_while(|time| {
                    let goes_on = left > 0;
                    left -= u64::from(left > 0 && serves(*time));
                    goes_on
                })
                .count() as u64
        };
        (0..frame).map(from).max().unwrap_or(0)
    }

    #[test]
    fn windows_supply_what_a_count_finds() {
        type Own = &'static [(u64, u64)];
        let frames: [(u64, Own, u64); 5] = [
            (10, &[(0, 4)], 0),
            (10, &[(3, 4)], 1),
            (20, &[(0, 4), (4, 3), (11, 2)], 1),
            (20, &[(0, 20)], 0),
            (17, &[(2, 3), (9, 2), (12, 5)], 2),
        ];
        for (frame, own, opening) in frames {
            let supply = windows(frame, own, opening);
            for work in 0..60 {
                let found = supply.time_for(Work::new(work));
                assert_eq!(found, Time::new(counted(frame, own, opening, work)), "{own:?} {work}");
            }
        }
    }

    #[test]
    fn windows_that_their_opening_uses_up_supply_nothing() {
        assert_eq!(windows(10, &[(0, 2)], 2).time_for(Work::new(1)), Time::UNBOUNDED);
    }
}
