// SPDX-License-Identifier: Apache-2.0
//! The table for programs: every time is an integer whose key ends in `_ns`.

use serde::{Serialize, Serializer};
use takt_model::{Nanos, Word};

use crate::{Analysis, Breakdown, Doubt, Row, Verdict, Why};

#[derive(Serialize)]
struct Table<'a> {
    holds: bool,
    proved: bool,
    /// "proved" or "computed"; null where a deadline may be missed.
    word: Option<&'static str>,
    overheads: &'static str,
    /// Why the bounds are no proof.
    doubts: Vec<Reason<'a>>,
    tasks: &'a [Row],
}

#[derive(Serialize)]
struct Reason<'a> {
    #[serde(flatten)]
    doubt: &'a Doubt,
    /// For people.
    text: String,
}

#[derive(Serialize)]
struct Line<'a> {
    task: &'a str,
    core: u32,
    priority: u8,
    wcet_ns: Option<u64>,
    period_ns: Option<u64>,
    deadline_ns: Option<u64>,
    verdict: &'static str,
    bound_ns: Option<u64>,
    slack_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    late_by_ns: Option<u64>,
    /// Index of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    culprit: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a Why>,
    #[serde(skip_serializing_if = "Option::is_none")]
    breakdown: Option<Parts>,
}

#[derive(Serialize)]
struct Parts {
    jitter_ns: u64,
    execution_ns: u64,
    suspension_ns: u64,
    blocking_ns: u64,
    interference: Vec<Part>,
    others_ns: u64,
    kernel_ns: u64,
    lead_ns: u64,
}

#[derive(Serialize)]
struct Part {
    /// Index of the task.
    task: usize,
    time_ns: u64,
}

impl Serialize for Analysis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let reason = |doubt| Reason { doubt, text: doubt.to_string() };
        Table {
            holds: self.holds(),
            proved: self.proved(),
            word: self.word(),
            overheads: self.overheads.word(),
            doubts: self.doubts.iter().map(reason).collect(),
            tasks: &self.rows,
        }
        .serialize(serializer)
    }
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = |time: Option<Nanos>| time.map(|time| time.0);
        let (verdict, late_by, culprit, why) = match &self.verdict {
            Verdict::Meets { .. } => ("meets", None, None, None),
            Verdict::Breaks { by, culprit, .. } => ("breaks", Some(*by), Some(*culprit), None),
            Verdict::Unknown { why } => ("unknown", None, None, Some(why)),
        };
        Line {
            task: &self.name,
            core: self.core,
            priority: self.priority,
            wcet_ns: number(self.wcet),
            period_ns: number(self.period),
            deadline_ns: number(self.deadline),
            verdict,
            bound_ns: number(self.bound()),
            slack_ns: number(self.slack()),
            late_by_ns: number(late_by),
            culprit,
            why,
            breakdown: self.breakdown.as_ref().map(parts),
        }
        .serialize(serializer)
    }
}

fn parts(breakdown: &Breakdown) -> Parts {
    Parts {
        jitter_ns: breakdown.jitter.0,
        execution_ns: breakdown.execution.0,
        suspension_ns: breakdown.suspension.0,
        blocking_ns: breakdown.blocking.0,
        interference: (breakdown.interference.iter())
            .map(|one| Part { task: one.task, time_ns: one.time.0 })
            .collect(),
        others_ns: breakdown.others.0,
        kernel_ns: breakdown.kernel.0,
        lead_ns: breakdown.lead.0,
    }
}
