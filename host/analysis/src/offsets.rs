// SPDX-License-Identifier: Apache-2.0
//! Offsets: how the releases of a core's periodic tasks lie against each other.
//!
//! One clock releases all periodic tasks of a core, each at the start of all offsets, its own offset and whole periods later. So not
//! all of them meet, and the pattern repeats each hyperperiod. docs/design/analysis.md, "Offsets".

use takt_model::{Activation, System, Task};

use crate::budgets::tick;
use crate::core_task::CoreTask;
use crate::quantity::Time;

/// Releases in one hyperperiod, at most. A task with which there would be more counts as one whose offset nobody knows.
const MOST_RELEASES: u64 = 4096;

pub struct Offsets {
    hyperperiod: Time,
    starts: Vec<Time>,
}

impl Offsets {
    /// Finds the tasks whose offsets can be used, the higher ones first, and notes when they are released.
    pub fn new(system: &System, tasks: &mut [CoreTask]) -> Self {
        let mut hyperperiod = 1_u64;
        let mut known: Vec<u64> = Vec::new();
        for task in tasks.iter_mut() {
            let Some((offset, period)) = on_the_clock(system, &system.tasks[task.index]) else {
                continue;
            };
            let Some(longer) = common_multiple(hyperperiod, period) else { continue };
            let releases = known.iter().chain([&period]).map(|period| longer / period).sum::<u64>();
            if releases > MOST_RELEASES {
                continue;
            }
            hyperperiod = longer;
            known.push(period);
            let latest = (offset % period + task.jitter.nanos().0 % period) % period;
            if let Some(releases) = &mut task.releases {
                releases.latest = Some(Time::new(latest));
            }
        }
        let hyperperiod = Time::new(hyperperiod);
        let releases = tasks.iter().filter_map(|task| task.releases);
        let mut starts: Vec<_> = releases.flat_map(|it| it.times(hyperperiod)).collect();
        starts.sort_unstable();
        starts.dedup();
        Offsets { hyperperiod, starts }
    }

    pub fn hyperperiod(&self) -> Time {
        self.hyperperiod
    }

    /// The latest times of all releases in one hyperperiod, in order, each once: where a window begins.
    pub fn starts(&self) -> &[Time] {
        &self.starts
    }
}

/// The offset and period of a task, if all its releases are at ticks of the clock.
fn on_the_clock(system: &System, task: &Task) -> Option<(u64, u64)> {
    let Activation::Periodic { period, offset } = task.activation else { return None };
    let tick = tick(system).0;
    let is_whole = |time: u64| time % tick == 0;
    let all_are = 1_000_000_000 % tick == 0 && is_whole(period.0) && is_whole(offset.0);
    (all_are && period.0 > 0).then_some((offset.0, period.0))
}

fn common_multiple(a: u64, b: u64) -> Option<u64> {
    let (mut divisor, mut rest) = (a, b);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (a / divisor).checked_mul(b)
}
