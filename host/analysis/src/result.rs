// SPDX-License-Identifier: Apache-2.0
//! The result of the analysis: a row for each task.

use std::collections::BTreeMap;

use takt_model::{Assignment, Nanos, OverheadSource, Overheads, Stamp};

use crate::breakdown::Breakdown;
use crate::proof::{self, Doubt};
use crate::verdict::Verdict;

/// The verdict on a whole system, a row a task in the order of the description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// Where the kernel's overheads come from.
    pub overheads: OverheadSource,
    /// Why the bounds are no proof, the reasons that measuring again ends first.
    pub doubts: Vec<Doubt>,
    /// Whether the bounds are those of cores whose caches keep all that the cores touch.
    pub resident: bool,
    pub rows: Vec<Row>,
    /// How late windows open and close at most, by core; None: nothing bounds it. Empty where no core has a frame.
    pub late_windows: BTreeMap<u32, Option<Nanos>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub name: String,
    pub core: u32,
    pub priority: u8,
    pub wcet: Option<Nanos>,
    /// The period or separation. None: the task is aperiodic.
    pub period: Option<Nanos>,
    pub deadline: Option<Nanos>,
    pub verdict: Verdict,
    /// What the response consists of. None: the verdict is unknown.
    pub breakdown: Option<Breakdown>,
    /// The stages of a task that forks, if it has a bound: what its threads execute until they meet, one after the other.
    pub stages: Vec<StageRow>,
}

/// What the threads of a task that forks execute at the same time: the task alone, or all of them in a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageRow {
    /// The number of the stage in the description, from 1; one more: the task joins the last region.
    pub stage: u32,
    pub is_serial: bool,
    /// The core of the thread that may end last.
    pub core: u32,
    /// The latest beginning, after the release of the job.
    pub begins: Nanos,
    /// How long other cores pass the fork on, until it comes to this core.
    pub passed_on: Nanos,
    /// The response of this thread after that.
    pub response: Nanos,
    /// The latest end, after the release of the job.
    pub ends: Nanos,
}

impl Analysis {
    /// Where each task is.
    pub fn assignments(&self) -> Vec<Assignment> {
        let of_row = |row: &Row| Assignment { core: row.core, priority: row.priority };
        self.rows.iter().map(of_row).collect()
    }

    /// Whether every task that has a deadline meets it.
    pub fn holds(&self) -> bool {
        self.rows.iter().all(|row| row.deadline.is_none() || row.meets())
    }

    /// Whether the analysis holds, with overheads that were measured on this very board and kernel, under conditions and a load
    /// that this system cannot exceed.
    pub fn proved(&self) -> bool {
        self.holds() && self.doubts.is_empty()
    }

    /// Compares the stamp of measured overheads with `now`, which the board and the kernel have as they are;
    /// None where the board has no timing, and so no stamp can fit.
    pub fn compare_stamp(&mut self, overheads: &Overheads, now: Option<&Stamp>) {
        let Some(at) = self.doubts.iter().position(|doubt| *doubt == Doubt::StampNotCompared)
        else {
            return;
        };
        self.doubts.splice(at..=at, proof::of_stamp(overheads, now));
    }

    /// Whether other cores are what stands between the bounds and a proof.
    pub fn has_neighbours(&self) -> bool {
        self.doubts.iter().any(|doubt| matches!(doubt, Doubt::Neighbours { .. }))
    }

    /// Says why the neighbours are a doubt although caches could keep them off.
    pub fn because(&mut self, reason: String) {
        for doubt in &mut self.doubts {
            if let Doubt::Neighbours { why, .. } = doubt {
                why.clone_from(&reason);
            }
        }
    }

    /// Adds a doubt: the image is built with an option of takt that makes another kernel than the one that was measured.
    pub fn built_with(&mut self, option: &'static str) {
        self.doubts.push(Doubt::OtherBuild { option });
    }

    /// "proved" or "computed"; None where a deadline may be missed, or nothing is bounded.
    pub fn word(&self) -> Option<&'static str> {
        self.holds().then_some(if self.proved() { "proved" } else { "computed" })
    }
}

impl Row {
    pub fn meets(&self) -> bool {
        matches!(self.verdict, Verdict::Meets { .. })
    }

    /// The longest response that is possible, where there is such a limit.
    pub fn bound(&self) -> Option<Nanos> {
        match self.verdict {
            Verdict::Meets { bound } => Some(bound),
            Verdict::Breaks { bound, .. } => bound,
            Verdict::Unknown { .. } => None,
        }
    }

    /// What is left between the bound and the deadline of a task that meets it.
    pub fn slack(&self) -> Option<Nanos> {
        match self.verdict {
            Verdict::Meets { bound } => Some(Nanos(self.deadline?.0 - bound.0)),
            _ => None,
        }
    }
}
