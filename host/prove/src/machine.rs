// SPDX-License-Identifier: Apache-2.0
//! What the generator knows of the board that a system runs on.

use takt_model::{Board, Nanos};

#[derive(Clone, Debug)]
pub struct Machine {
    /// What a description writes as its board: a name or an absolute path.
    pub reference: String,
    /// Text of the board's file.
    pub text: String,
    pub board: Board,
}

impl Machine {
    /// Instructions of the work loop for an execution of this time, rounded down, at least one round.
    pub fn rounds(&self, time: u64) -> u64 {
        let (frequency, taken) = match &self.board.timing {
            Some(timing) => (timing.frequency, timing.core.taken_branch),
            None => (1_000_000_000, 2),
        };
        let cycles = u128::from(time) * u128::from(frequency) / 1_000_000_000;
        u64::try_from(cycles / u128::from(2 + taken)).unwrap_or(u64::MAX).max(1)
    }

    /// The kernel's time for one job that waits nowhere, by the board's table: systems whose periods
    /// are much longer than this can meet their deadlines.
    pub fn job_overhead(&self) -> u64 {
        let table = &self.board.overheads;
        let parts = [table.timer_interrupt, table.release, table.dispatch, table.preemption];
        parts.iter().map(|&Nanos(nanos)| nanos).sum()
    }

    /// Cores that a system of at most this many can use.
    pub fn cores(&self, most: u32) -> u32 {
        self.board.cores.min(most)
    }
}
