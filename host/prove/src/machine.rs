// SPDX-License-Identifier: Apache-2.0
//! What the generator knows about the board of a system.

use takt_model::{Board, Nanos};

#[derive(Clone, Debug)]
pub struct Machine {
    /// The board as a description names it: by a name or an absolute path.
    pub reference: String,
    /// The text of the board's file.
    pub text: String,
    pub board: Board,
}

impl Machine {
    /// The rounds of the work loop for an execution of this time, rounded down, at least 1.
    pub fn rounds(&self, time: u64) -> u64 {
        let (frequency, taken) = match &self.board.timing {
            Some(timing) => (timing.frequency, timing.core.taken_branch),
            None => (1_000_000_000, 2),
        };
        let cycles = u128::from(time) * u128::from(frequency) / 1_000_000_000;
        u64::try_from(cycles / u128::from(2 + taken)).unwrap_or(u64::MAX).max(1)
    }

    /// The kernel's time for one job that does not wait, according to the board's table. Systems
    /// with much longer periods can meet their deadlines.
    pub fn job_overhead(&self) -> u64 {
        let table = &self.board.overheads;
        let parts = [table.timer_interrupt, table.release, table.dispatch, table.preemption];
        parts.iter().map(|&Nanos(nanos)| nanos).sum()
    }

    /// The number of cores for a system that uses at most `most`.
    pub fn cores(&self, most: u32) -> u32 {
        self.board.cores.min(most)
    }
}
