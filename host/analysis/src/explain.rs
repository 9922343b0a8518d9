// SPDX-License-Identifier: Apache-2.0
//! The sentence that says why a task misses its deadline or has no bound.

use takt_model::System;

use crate::breakdown::Breakdown;
use crate::quantity::Time;
use crate::result::Row;
use crate::verdict::Verdict;

/// How many parts the sentence names.
const NAMED: usize = 3;

/// The sentence for a task that is not known to meet its deadline.
pub fn explain(system: &System, row: &Row) -> Option<String> {
    let name = &row.name;
    match &row.verdict {
        Verdict::Meets { .. } => None,
        Verdict::Unknown { why } => Some(format!("task {name} has no bound: {why}")),
        Verdict::Breaks { bound, by, .. } => {
            let least = if bound.is_none() { "at least " } else { "" };
            let text = format!("task {name} can miss its deadline by {least}{by}");
            Some(match &row.breakdown {
                Some(breakdown) => format!("{text}: {}", largest(system, breakdown)),
                None => text,
            })
        }
    }
}

/// The largest parts, and how much the others are.
fn largest(system: &System, breakdown: &Breakdown) -> String {
    let (named, rest) = breakdown.parts.split_at(breakdown.parts.len().min(NAMED));
    let mut parts: Vec<_> =
        named.iter().map(|part| format!("{}: {}", part.time, part.term.words(system))).collect();
    let others: Time = rest.iter().map(|part| Time::from(part.time)).sum();
    if others > Time::ZERO {
        parts.push(format!("{}: {} smaller parts", others.nanos(), rest.len()));
    }
    format!("of its response of {}, {}", breakdown.response(), parts.join("; "))
}
