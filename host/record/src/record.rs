// SPDX-License-Identifier: Apache-2.0
//! What a record says, as values.

use crate::enumeration::{Class, Outcome, State};
use crate::reader::Taken;

pub type BuildId = [u8; 20];

/// The header: all that may be read of a machine that still runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    pub build_id: BuildId,
    pub outcome: Outcome,
    pub code: u32,
    /// Bytes of the whole record.
    pub total_size: u64,
    /// Ticks a second; 0 only where there is no epoch.
    pub clock_hz: u64,
    /// In ticks; 0 until every core is ready.
    pub epoch: u64,
    pub now: u64,
    pub end: u64,
    /// Of a panic; bytes that are no UTF-8 are replaced.
    pub message: String,
}

/// Figures of one task; times in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskFigures {
    pub jobs: u64,
    pub misses: u64,
    pub losses: u64,
    pub refused: u64,
    pub held_back: u64,
    /// The longest time that one of them waited for its separation.
    pub held_back_max: u64,
    pub undeclared_waits: u64,
    pub response_min: u64,
    pub response_max: u64,
    pub response_sum: u64,
    pub execution_max: u64,
    /// The longest without what may be the kernel's; 0 where no task has a deadline.
    pub execution_surely: u64,
    pub execution_sum: u64,
    pub overruns: u64,
    pub stopped: u64,
    pub stack_used: u64,
    /// What its job does at the end of the run.
    pub end: Standing,
}

/// Where a task's job stands at the end of the run; times in nanoseconds from the epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    pub state: State,
    /// Nominal release of the last job; None: there was none.
    pub release: Option<u64>,
    /// When its wait ends at the latest; None: never.
    pub until: Option<u64>,
    /// Of the job that is not finished.
    pub execution: u64,
    /// Class and ID of the object that the job waits for.
    pub wait: (Class, u16),
    /// When the wait began, or for a job that does not wait when it was ready last; None: it is not among the
    /// events that were read.
    pub since: Option<u64>,
    /// ID of a task that holds it, 0: nobody, or it is not known.
    pub holder: u32,
    /// Offsets in the code, from the inside: see [`crate::schema::PLACES`].
    pub places: Vec<u32>,
}

/// Figures of one interrupt of a device; times in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterruptFigures {
    pub count: u64,
    /// From the begin of one routine to that of the next; 0: no two.
    pub distance_min: u64,
    pub execution_max: u64,
    /// The longest without what may be the kernel's.
    pub execution_surely: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreFigures {
    pub hart: u64,
    pub events_dropped: u64,
    pub console_dropped: u64,
    /// In ticks.
    pub idle: u64,
    pub interrupts: u64,
    /// Refused calls that found no free entry in `refusals`.
    pub refusals_dropped: u64,
    pub refusals: Vec<Refusal>,
}

/// Calls of one service that were answered with one error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub count: u64,
    /// ID of the task, 0: a handler or hook.
    pub task: u32,
    /// The error without its sign.
    pub error: u32,
    /// The C function that was called.
    pub service: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub head: Head,
    /// In the order of their IDs, from 1.
    pub tasks: Vec<TaskFigures>,
    /// In the order of their IDs, from 1.
    pub interrupts: Vec<InterruptFigures>,
    /// The worst value of each of `takt_model::System::limits`, in its unit.
    pub limits: Vec<u64>,
    pub cores: Vec<CoreFigures>,
    /// Those that no look at the running machine has taken.
    pub events: Taken,
}

impl Head {
    /// Nanoseconds since the epoch at a time in ticks; 0 before it.
    pub fn since_epoch(&self, ticks: u64) -> u64 {
        if self.epoch == 0 { 0 } else { self.nanos(ticks.saturating_sub(self.epoch)) }
    }

    /// Ticks as nanoseconds.
    pub fn nanos(&self, ticks: u64) -> u64 {
        let nanos = u128::from(ticks) * 1_000_000_000 / u128::from(self.clock_hz.max(1));
        u64::try_from(nanos).unwrap_or(u64::MAX)
    }
}
