// SPDX-License-Identifier: Apache-2.0
//! The longest response of a task that waits: for its own time to sleep, or for semaphores that
//! lower tasks of its core hold.
//!
//! A semaphore lends the holder no priority: while a task waits, whoever is above the lowest of
//! the other users may run. The jobs of those are bounded by their deadlines, so this response
//! holds only if they meet them.

use std::collections::BTreeMap;

use crate::core::{Core, Member};
use crate::respond::{Response, Shown};
use crate::waits::Request;
use crate::window::{Counting, Effort, Length, Source, Window};

/// The wait for one semaphore.
pub struct Wait {
    /// The one hold of the lowest user.
    pub hold: Option<Source>,
    /// Tasks between the waiting one and the lowest user.
    pub between: Vec<Source>,
}

impl Wait {
    /// Whose jobs lie between `task` and the lowest user. `source` makes one of a lower task.
    pub fn new<E>(
        core: &Core,
        task: &Member,
        request: &Request,
        source: impl Fn(&Member) -> Result<Source, E>,
    ) -> Result<Self, E> {
        let between = |other: &&Member| {
            other.priority > task.priority
                && other.priority <= request.lowest
                && request.holder.is_none_or(|(holder, _)| holder != other.index)
        };
        let hold = request.holder.filter(|_| request.lowest > task.priority);
        Ok(Wait {
            hold: hold.map(|(task, hold)| Source {
                task,
                period: 1,
                jitter: 0,
                execution: hold,
                spin: 0,
                cost: hold,
                semaphore: Some(request.semaphore),
                counting: Counting::Jobs(1),
            }),
            between: core.members.iter().filter(between).map(source).collect::<Result<_, E>>()?,
        })
    }
}

/// The response to `others`, the higher and equal tasks, and to what runs during `waits`.
pub fn respond(
    core: &Core,
    task: &Member,
    others: Vec<Source>,
    waits: &[Wait],
    effort: &mut Effort,
) -> Response {
    let limit = task.deadline.saturating_sub(task.jitter);
    let whole = whole(core, task, &others, waits);
    let counted = match jobs_between(core, task, &others, waits, limit, effort) {
        Some(jobs) => fix(whole.clone(), &jobs),
        None => whole.clone(),
    };
    // Both bound the same work between the task and the lowest users: the shorter is right, too.
    let lengths = [whole, counted].map(|window| (window.length(0, 0, limit, effort), window));
    let [one, other] = lengths;
    let (length, window) = if rank(other.0) < rank(one.0) { other } else { one };
    let shown = |length| Shown { sources: window.sources, length, ready: 0 };
    match length {
        Length::Found(length) => {
            Response::Bounded(length.saturating_add(task.jitter), shown(length))
        }
        Length::Beyond(length) => {
            Response::AtLeast(length.saturating_add(task.jitter), shown(length))
        }
        Length::GivenUp => Response::GivenUp,
    }
}

fn rank(length: Length) -> (u8, u64) {
    match length {
        Length::Found(length) => (0, length),
        Length::Beyond(length) => (1, length),
        Length::GivenUp => (2, 0),
    }
}

/// One window for the whole job.
fn whole<'a>(core: &'a Core, task: &Member, others: &[Source], waits: &[Wait]) -> Window<'a> {
    let mut sources = others.to_vec();
    sources.push(task.source(Counting::Jobs(1), 0));
    sources.extend(waits.iter().filter_map(|wait| wait.hold));
    let between = waits.iter().flat_map(|wait| &wait.between);
    let between: BTreeMap<_, _> = between.map(|source| (source.task, *source)).collect();
    sources.extend(between.into_values());
    let constant = core.constant(task).saturating_add(task.suspends);
    Window { constant, sources, interrupts: &core.interrupts }
}

/// How many jobs of each task between can run during all waits together. None: a wait is longer
/// than the deadline.
fn jobs_between(
    core: &Core,
    task: &Member,
    others: &[Source],
    waits: &[Wait],
    limit: u64,
    effort: &mut Effort,
) -> Option<BTreeMap<usize, u64>> {
    let mut jobs = BTreeMap::new();
    for wait in waits {
        let sources = others.iter().chain(&wait.hold).chain(&wait.between).copied().collect();
        let constant = core.constant(task).saturating_add(core.resume());
        let window = Window { constant, sources, interrupts: &core.interrupts };
        let Length::Found(length) = window.length(0, 0, limit, effort) else { return None };
        for source in &wait.between {
            let sum: &mut u64 = jobs.entry(source.task).or_default();
            *sum = sum.saturating_add(source.jobs(length, 0));
        }
    }
    Some(jobs)
}

fn fix<'a>(mut window: Window<'a>, jobs: &BTreeMap<usize, u64>) -> Window<'a> {
    for source in &mut window.sources {
        if let (Counting::UntilDone, Some(jobs)) = (source.counting, jobs.get(&source.task)) {
            source.counting = Counting::Jobs(*jobs);
        }
    }
    window
}
