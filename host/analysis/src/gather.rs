// SPDX-License-Identifier: Apache-2.0
//! Who takes time from a task, and what that rests upon.

use takt_model::System;

use crate::core::{Core, Member};
use crate::waiting::Wait;
use crate::waits::can_block;
use crate::window::{Counting, Source};
use crate::{Named, Why};

/// All that delays one task.
pub struct Delays {
    /// Higher and equal tasks.
    pub others: Vec<Source>,
    pub waits: Vec<Wait>,
    /// Indices of the tasks whose deadlines or bounds were used.
    pub rests_on: Vec<usize>,
}

/// `bounds` has the responses of the higher tasks that meet their deadlines, by index.
pub fn delays(
    system: &System,
    core: &Core,
    task: &Member,
    bounds: &[Option<u64>],
) -> Result<Delays, Why> {
    let requests = task.requests.as_ref().map_err(Why::clone)?;
    let mut rests_on = Vec::new();
    let mut others = Vec::new();
    let lag = core.lag();
    for other in core.members.iter().take_while(|other| other.priority <= task.priority) {
        if other.index == task.index {
            continue;
        }
        let limited = limited(system, other)?;
        let equal = other.priority == task.priority;
        let source = if !equal && !stalls(other, task) {
            limited.source(Counting::UntilDone, other.jitter)
        } else if !equal {
            rests_on.push(other.index);
            let task = || Named::task(system, other.index);
            let bound = bounds[other.index].ok_or_else(|| Why::DependsOn { task: task() })?;
            carried_in(other, bound)
        } else if task.waits() || task.locks || other.locks || stalls(other, task) {
            rests_on.push(other.index);
            carried_in(other, other.response)
        } else {
            limited.source(Counting::UntilReady, other.jitter.saturating_add(lag))
        };
        others.push(source);
    }
    let waits: Vec<_> = can_block(requests, task.priority)
        .map(|request| {
            Wait::new(core, task, request, |other| {
                limited(system, other).map(|other| carried_in(other, other.response))
            })
        })
        .collect::<Result<_, Why>>()?;
    let between = waits.iter().flat_map(|wait| &wait.between);
    rests_on.extend(between.map(|source| source.task));
    Ok(Delays { others, waits, rests_on })
}

/// The task, if it is known how often and how long it runs.
fn limited<'a>(system: &System, other: &'a Member) -> Result<&'a Member, Why> {
    other.spin.as_ref().map_err(Why::clone)?;
    match (other.period, other.wcet) {
        (Some(_), Some(_)) => Ok(other),
        _ => Err(Why::UnlimitedInterference { task: Named::task(system, other.index) }),
    }
}

/// Whether `other` may stop while it has work to do and nobody at or above the level of `task`
/// runs instead. Of a task that waits, its own earlier job does not count as such work.
fn stalls(other: &Member, task: &Member) -> bool {
    let level = task.priority.saturating_add(u8::from(!task.waits()));
    match &other.requests {
        Ok(requests) => other.sleeps || requests.iter().any(|request| request.lowest >= level),
        Err(_) => true,
    }
}

/// A task whose job of before may still be there when the window begins, but is done `response`
/// after its release: as if released with the jitter `response` less its execution.
fn carried_in(other: &Member, response: u64) -> Source {
    other.source(Counting::UntilDone, response.saturating_sub(other.wcet.unwrap_or(0)))
}
