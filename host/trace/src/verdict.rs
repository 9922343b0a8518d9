// SPDX-License-Identifier: Apache-2.0
//! The verdict on one task: whether the measured figures agree with the computed ones.

use schemars::JsonSchema;
use serde::Serialize;

use crate::report::TaskRow;
use crate::unfinished::{JobState, Unfinished};

/// The number of completed jobs below which a task is not judged.
pub const ENOUGH_JOBS: u64 = 2;

/// Whether the machine models time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// The board models time: a response can break a bound.
    Timed,
    /// The clock counts instructions or the host's time (QEMU): no verdict follows from it.
    NotTimed,
}

/// Why an unfinished job would, as far as can be known, not finish in a longer run either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// The job waits for an object whose holder waits, directly or through others, for this job.
    Deadlock,
    /// The job waits without a limit, has executed longer than its WCET, or has no WCET.
    Unfinished,
    /// The task has no job, because no task or handler has activated it.
    NeverActivated,
}

impl Stuck {
    pub fn of(it: &Unfinished, row: &TaskRow) -> Option<Stuck> {
        let within_wcet = it.executed_ns <= row.wcet && row.wcet.is_some() && row.misses == 0;
        match it.state {
            _ if !it.deadlock.is_empty() => Some(Stuck::Deadlock),
            JobState::NeverActivated => Some(Stuck::NeverActivated),
            JobState::HeldBack | JobState::Ending => None,
            JobState::Waiting | JobState::Spinning => {
                it.until_ns.is_none().then_some(Stuck::Unfinished)
            }
            JobState::Ready | JobState::Running | JobState::Suspended => {
                (!within_wcet).then_some(Stuck::Unfinished)
            }
        }
    }
}

/// Whether a task's measured responses agree with its bound: the first of these that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Verdict {
    /// The run was on a machine that does not model time.
    #[serde(rename = "not timed")]
    NotTimed,
    /// A job ended after its deadline, or stood past it at the end.
    #[serde(rename = "missed its deadline")]
    Missed,
    /// The task did what the description does not say: the bounds were computed for another one.
    #[serde(rename = "assumption broken")]
    AssumptionBroken,
    /// A job was ended, as it had executed longer than its budget, on which its bound rests.
    #[serde(rename = "jobs were stopped")]
    Stopped,
    /// The task waits for what another holds that waits, perhaps through others, for it.
    #[serde(rename = "deadlock")]
    Deadlock,
    /// No task or handler has activated the task.
    #[serde(rename = "never activated")]
    NeverActivated,
    /// Too few jobs were completed to say anything, and the last one is not finished: it waits without a limit, or
    /// runs for longer than its `wcet`.
    #[serde(rename = "not finished")]
    NotFinished,
    /// The analysis could not bound this task.
    #[serde(rename = "no bound")]
    NoBound,
    /// A response was above the bound.
    #[serde(rename = "bound broken")]
    BoundBroken,
    /// Too few jobs were completed to say anything.
    #[serde(rename = "not enough jobs")]
    NotEnoughJobs,
    /// No response was above the bound.
    #[serde(rename = "held")]
    Held,
}

impl Verdict {
    pub fn of(row: &TaskRow, timed: bool) -> Verdict {
        let longest = row.response.as_ref().map(|response| response.max);
        match (timed, row.bound, longest) {
            _ if row.is_deadlocked() => Verdict::Deadlock,
            (false, ..) => Verdict::NotTimed,
            _ if row.misses > 0 => Verdict::Missed,
            _ if row.broke_assumption => Verdict::AssumptionBroken,
            _ if row.stopped > 0 => Verdict::Stopped,
            _ if row.jobs == 0 && row.stuck == Some(Stuck::NeverActivated) => {
                Verdict::NeverActivated
            }
            _ if row.jobs < ENOUGH_JOBS && row.stuck.is_some() => Verdict::NotFinished,
            (_, None, _) => Verdict::NoBound,
            (_, Some(bound), Some(longest)) if longest > bound => Verdict::BoundBroken,
            _ if row.jobs < ENOUGH_JOBS => Verdict::NotEnoughJobs,
            _ => Verdict::Held,
        }
    }

    pub fn words(self) -> &'static str {
        match self {
            Verdict::NotTimed => "not timed",
            Verdict::Missed => "missed its deadline",
            Verdict::Stopped => "jobs were stopped",
            Verdict::AssumptionBroken => "assumption broken",
            Verdict::Deadlock => "deadlock",
            Verdict::NeverActivated => "never activated",
            Verdict::NotFinished => "not finished",
            Verdict::NoBound => "no bound",
            Verdict::BoundBroken => "bound broken",
            Verdict::NotEnoughJobs => "not enough jobs",
            Verdict::Held => "held",
        }
    }
}
