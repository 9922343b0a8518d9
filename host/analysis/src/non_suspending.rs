// SPDX-License-Identifier: Apache-2.0
//! The longest response of a task that never suspends itself: every job of its busy window.
//!
//! The window begins when the last higher or equal job of before is completed. A higher task counts
//! until the job is completed. An equal one counts if it is released no later than the job, so each such
//! release is tried as the job's own (Lehoczky 1990, with FIFO among equals).

use crate::arrival::ArrivalCurve;
use crate::busy_window::{BusyWindow, IterationBudget, Length, NO_LIMIT};
use crate::core::Core;
use crate::core_task::CoreTask;
use crate::interference::Interference;
use crate::quantity::Time;
use crate::request::{Counted, Jobs, RequestBound, Window};
use crate::response::{Response, Witness};

/// Releases that are tried in one window.
const MOST_RELEASES: u32 = 10_000;

/// The response of a task, whose jobs are `own`. The task waits for nothing.
pub fn respond(
    core: &Core,
    task: &CoreTask,
    own: Jobs,
    interference: &Interference,
    budget: &mut IterationBudget,
) -> Response {
    let period = own.arrivals.period;
    // A busy window of the level has all its work, whoever is before whom.
    let until_completion = |jobs: &Jobs| Jobs { counted: Counted::UntilCompletion, ..jobs.clone() };
    let mut all: Vec<_> = interference.equals.iter().map(until_completion).collect();
    all.push(own.clone());
    let busy = window(core, task, interference, &all);
    // The first job of the window comes at its nominal release: what it is late for is added to its response.
    let mut equals = interference.equals.clone();
    equals.push(own.until_arrival().with_jitter(Time::ZERO));
    let window = window(core, task, interference, &equals);
    let search =
        Search { window, equals: &equals, jitter: task.jitter, deadline: task.deadline, period };
    search.respond(busy, budget)
}

fn window<'a>(
    core: &'a Core,
    task: &CoreTask,
    interference: &'a Interference,
    equals: &'a [Jobs],
) -> BusyWindow<'a> {
    let preempting = interference.preempting.iter().map(|request| &**request);
    let equals = equals.iter().map(|jobs| jobs as &dyn RequestBound);
    core.window(core.blocking(task), preempting.chain(equals).collect())
}

struct Search<'a> {
    window: BusyWindow<'a>,
    /// The task itself, and those of its priority that are served first in, first out.
    equals: &'a [Jobs],
    jitter: Time,
    deadline: Time,
    period: Time,
}

impl Search<'_> {
    /// `busy` has all work of the level: no busy window is longer.
    fn respond(&self, busy: BusyWindow, budget: &mut IterationBudget) -> Response {
        let limit = self.deadline - self.jitter;
        let first = self.window.length(Time::ZERO, Time::ZERO, limit, budget);
        let (from, is_late) = match first {
            Length::Found(length) => (length, false),
            Length::Beyond(length) => (length, true),
            Length::GivenUp => return Response::GivenUp,
        };
        match busy.length(Time::ZERO, from, NO_LIMIT, budget) {
            Length::Found(end) => self.worst(from, Some(end + self.jitter), budget),
            _ if is_late => {
                let window = Window { length: from, arrival: Time::ZERO };
                Response::AtLeast(from + self.jitter, self.witness(window))
            }
            Length::Beyond(_) => self.worst(from, None, budget),
            Length::GivenUp => Response::GivenUp,
        }
    }

    /// The worst response of all releases before `end`; the window of the first one has the length `from`. Without an end the
    /// backlog grows, and the first response past the deadline is the answer.
    fn worst(&self, from: Time, end: Option<Time>, budget: &mut IterationBudget) -> Response {
        let mut window = Window { length: from, arrival: Time::ZERO };
        let (mut worst, mut at) = (Time::ZERO, window);
        for _ in 0..MOST_RELEASES {
            let length = self.window.length(window.arrival, window.length, NO_LIMIT, budget);
            window.length = match length {
                Length::Found(length) => length,
                Length::Beyond(_) | Length::GivenUp => return self.unfinished(worst, at),
            };
            let response = window.length - window.arrival + self.jitter;
            if response > worst {
                (worst, at) = (response, window);
            }
            window.arrival = self.next_release(window.arrival);
            match end {
                Some(end) if window.arrival >= end => return self.finished(worst, at),
                None if worst > self.deadline => break,
                _ => {}
            }
        }
        self.unfinished(worst, at)
    }

    /// A job that waits for the one of before joins its equals only then, behind some that were
    /// released after it. So there is no bound past the period where there are equals.
    fn finished(&self, worst: Time, at: Window) -> Response {
        let queues = worst > self.period && self.equals.len() > 1;
        match queues {
            true => Response::AtLeast(worst, self.witness(at)),
            false => Response::Bounded(worst, self.witness(at)),
        }
    }

    fn unfinished(&self, worst: Time, at: Window) -> Response {
        match worst > self.deadline {
            true => Response::AtLeast(worst, self.witness(at)),
            false => Response::GivenUp,
        }
    }

    /// The next time at which the task or an equal one may be released.
    fn next_release(&self, after: Time) -> Time {
        let curves = self.equals.iter().map(|jobs| jobs.arrivals);
        let next = curves.map(|curve| curve.exceeds_at(curve.up_to(after)));
        next.min().unwrap_or(Time::UNBOUNDED)
    }

    fn witness(&self, window: Window) -> Witness {
        Witness { demand: self.window.demand(window), window }
    }
}
