// SPDX-License-Identifier: Apache-2.0
//! The longest response of a task that never waits: every job of its busy window.
//!
//! The window begins when the last higher or equal job of before is done. Whoever is higher counts
//! until the job is done. An equal counts if it is released no later than the job, so each such
//! release is tried as the job's own (Lehoczky 1990, with FIFO among equals).

use crate::core::{Core, Member};
use crate::window::{Counting, Effort, Length, Source, Window};

/// How long the jobs of one task take from their nominal release.
#[derive(Debug)]
pub enum Response {
    /// None takes longer than this.
    Bounded(u64, Shown),
    /// Some can take this long, and no limit was found.
    AtLeast(u64, Shown),
    GivenUp,
}

/// The window of a response, for the explanation.
#[derive(Debug)]
pub struct Shown {
    pub sources: Vec<Source>,
    pub length: u64,
    /// When the job is ready.
    pub ready: u64,
}

/// Releases that are tried in one window.
const MOST_RELEASES: u32 = 10_000;
const NO_LIMIT: u64 = u64::MAX - 1;

/// The response to `others`: higher tasks, and equal ones that count until the job is ready.
pub fn respond(core: &Core, task: &Member, others: Vec<Source>, effort: &mut Effort) -> Response {
    let mut sources = others;
    sources.push(task.source(Counting::UntilReady, 0));
    let window = Window { constant: core.constant(task), sources, interrupts: &core.interrupts };
    let limit = task.deadline.saturating_sub(task.jitter);
    let first = window.length(0, 0, limit, effort);
    let from = match first {
        Length::Found(length) | Length::Beyond(length) => length,
        Length::GivenUp => return Response::GivenUp,
    };
    let late = matches!(first, Length::Beyond(_));
    let period = task.period.unwrap_or(u64::MAX);
    let search = Search { window, jitter: task.jitter, deadline: task.deadline, period };
    match search.busy(task).length(0, from, NO_LIMIT, effort) {
        Length::Found(busy) => search.worst(from, Some(busy.saturating_add(task.jitter)), effort),
        _ if late => Response::AtLeast(from.saturating_add(task.jitter), search.shown(from, 0)),
        Length::Beyond(_) => search.worst(from, None, effort),
        Length::GivenUp => Response::GivenUp,
    }
}

struct Search<'a> {
    window: Window<'a>,
    jitter: u64,
    deadline: u64,
    period: u64,
}

impl<'a> Search<'a> {
    /// All work of this level, whoever is before whom: no busy window is longer.
    fn busy(&self, task: &Member) -> Window<'a> {
        let mut busy = self.window.clone();
        for source in &mut busy.sources {
            if source.task == task.index {
                source.jitter = task.jitter;
            }
            source.counting = Counting::UntilDone;
        }
        busy
    }

    /// The worst of all releases before `end`. Without an end the backlog grows, and the first
    /// response past the deadline is the answer.
    fn worst(self, from: u64, end: Option<u64>, effort: &mut Effort) -> Response {
        let (mut worst, mut at, mut length, mut ready) = (0, (from, 0), from, 0);
        for _ in 0..MOST_RELEASES {
            length = match self.window.length(ready, length, NO_LIMIT, effort) {
                Length::Found(length) => length,
                Length::Beyond(_) | Length::GivenUp => return self.unfinished(worst, at),
            };
            let response = length.saturating_sub(ready).saturating_add(self.jitter);
            if response > worst {
                (worst, at) = (response, (length, ready));
            }
            ready = self.next_release(ready);
            match end {
                Some(end) if ready >= end => return self.finished(worst, at),
                None if worst > self.deadline => break,
                _ => {}
            }
        }
        self.unfinished(worst, at)
    }

    /// A job that waits for the one of before joins its equals only then, behind some that were
    /// released after it. So there is no bound past the period where there are equals.
    fn finished(self, worst: u64, at: (u64, u64)) -> Response {
        let queues = worst > self.period && self.equals().count() > 1;
        match queues {
            true => Response::AtLeast(worst, self.shown(at.0, at.1)),
            false => Response::Bounded(worst, self.shown(at.0, at.1)),
        }
    }

    fn unfinished(self, worst: u64, at: (u64, u64)) -> Response {
        if worst > self.deadline {
            Response::AtLeast(worst, self.shown(at.0, at.1))
        } else {
            Response::GivenUp
        }
    }

    /// The next time at which the task or an equal one may be released.
    fn next_release(&self, after: u64) -> u64 {
        let equals = self.window.sources.iter().filter(|one| one.counting == Counting::UntilReady);
        let next = equals
            .map(|one| (one.jobs(0, after).saturating_mul(one.period)).saturating_sub(one.jitter));
        next.min().unwrap_or(u64::MAX)
    }

    /// The task itself, and those of its priority.
    fn equals(&self) -> impl Iterator<Item = &Source> {
        self.window.sources.iter().filter(|one| one.counting == Counting::UntilReady)
    }

    fn shown(self, length: u64, ready: u64) -> Shown {
        Shown { sources: self.window.sources, length, ready }
    }
}
