// SPDX-License-Identifier: Apache-2.0
//! `mtime`, as it follows from the harts' clock.

use serde::{Deserialize, Serialize};

use super::Tick;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clock {
    /// Hertz: of the ticks, and of `mtime`.
    pub frequency: u64,
    pub timebase: u64,
}

impl Clock {
    pub fn time(&self, now: Tick) -> u64 {
        let time = u128::from(now) * u128::from(self.timebase) / u128::from(self.frequency);
        time as u64
    }

    /// The first tick at which `mtime` is `time` or more; none if the clock ends before.
    pub fn tick_of(&self, time: u64) -> Option<Tick> {
        let tick = u128::from(time) * u128::from(self.frequency);
        Tick::try_from(tick.div_ceil(u128::from(self.timebase))).ok()
    }
}
