// SPDX-License-Identifier: Apache-2.0
//! The decoded record.

use crate::enumeration::{Class, Outcome, State};
use crate::event::{Entry, Event};

pub type BuildId = [u8; 20];

/// The header: everything that may be read while the machine still runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    pub build_id: BuildId,
    pub outcome: Outcome,
    pub code: u32,
    /// The size of the whole record in bytes.
    pub total_size: u64,
    /// Ticks in a second; 0 only if there is no epoch.
    pub clock_hz: u64,
    /// The time of the epoch in ticks; 0 until every core is ready.
    pub epoch: u64,
    pub now: u64,
    pub end: u64,
    /// The message of a panic; bytes that are not UTF-8 are replaced.
    pub message: String,
}

/// The figures of one task; times in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskFigures {
    pub jobs: u64,
    pub misses: u64,
    pub losses: u64,
    pub refused: u64,
    pub held_back: u64,
    /// The longest time for which one of these activations waited for the separation.
    pub held_back_max: u64,
    pub undeclared_waits: u64,
    pub response_min: u64,
    pub response_max: u64,
    pub response_sum: u64,
    pub execution_max: u64,
    /// The longest execution without what may belong to the kernel; 0 if no task has a deadline.
    pub execution_surely: u64,
    pub execution_sum: u64,
    pub overruns: u64,
    pub stopped: u64,
    pub stack_used: u64,
    /// The state of the task's job at the end of the run.
    pub end: Standing,
}

/// The state of a task's job at the end of the run; times in nanoseconds since the epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    pub state: State,
    /// The nominal release of the last job; None if there was no job.
    pub release: Option<u64>,
    /// The latest time at which the wait ends; None: without a limit.
    pub until: Option<u64>,
    /// The execution time of the unfinished job.
    pub execution: u64,
    /// The class and the ID of the object that the job waits for.
    pub wait: (Class, u16),
    /// When the wait began, or for a job that does not wait, when it last became ready; None if no
    /// event that was read tells it.
    pub since: Option<u64>,
    /// The ID of a task that holds the object; 0: none, or unknown.
    pub holder: u32,
    /// Addresses in the code as offsets, the innermost first: see [`crate::schema::PLACES`].
    pub places: Vec<u32>,
}

/// The figures of one device interrupt; times in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterruptFigures {
    pub count: u64,
    /// The shortest time from the begin of one service routine to the begin of the next; 0 if there
    /// were no two.
    pub distance_min: u64,
    pub execution_max: u64,
    /// The longest execution without what may belong to the kernel.
    pub execution_surely: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreFigures {
    pub hart: u64,
    pub events_dropped: u64,
    pub console_dropped: u64,
    /// The time without a task to run, in ticks.
    pub idle: u64,
    pub interrupts: u64,
    /// The number of refused calls for which `refusals` had no free entry.
    pub refusals_dropped: u64,
    pub refusals: Vec<Refusal>,
}

/// The calls of one service that were refused with the same error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub count: u64,
    /// The ID of the calling task; 0: a handler or hook.
    pub task: u32,
    /// The number of the error without its sign.
    pub error: u32,
    /// The C function that was called.
    pub service: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub head: Head,
    /// The tasks in the order of their IDs, from 1.
    pub tasks: Vec<TaskFigures>,
    /// The interrupts in the order of their IDs, from 1.
    pub interrupts: Vec<InterruptFigures>,
    /// The worst measured value of each of `takt_model::System::limits`, in its unit.
    pub limits: Vec<u64>,
    pub cores: Vec<CoreFigures>,
    /// The events that no look at the running machine has taken.
    pub events: Taken,
}

impl Head {
    /// The time in nanoseconds since the epoch; 0 for a time before it.
    pub fn since_epoch(&self, ticks: u64) -> u64 {
        if self.epoch == 0 { 0 } else { self.nanos(ticks.saturating_sub(self.epoch)) }
    }

    /// Converts ticks to nanoseconds.
    pub fn nanos(&self, ticks: u64) -> u64 {
        let nanos = u128::from(ticks) * 1_000_000_000 / u128::from(self.clock_hz.max(1));
        u64::try_from(nanos).unwrap_or(u64::MAX)
    }
}

/// The events that one look has taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// The events in the order of their times over all cores, each with its core.
    pub events: Vec<(usize, Entry)>,
    /// For each core with lost events: the core, and the number of events that were overwritten
    /// before they were taken. They lie before the core's events in `events`.
    pub lost: Vec<(usize, u64)>,
}

impl Taken {
    /// Sorts the events by time. At equal times a `post` comes first, because the event that it
    /// causes may have the same time.
    pub(crate) fn sort(&mut self) {
        let is_post = |event| matches!(event, Event::Post { .. });
        self.events.sort_by_key(|(_, entry)| (entry.time, !is_post(entry.event)));
    }
}
