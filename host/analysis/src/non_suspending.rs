// SPDX-License-Identifier: Apache-2.0
//! The longest response of a task that never suspends itself: every job of its busy window.
//!
//! The window begins when the last higher or equal job of before is completed. A higher task counts
//! until the job is completed. An equal one counts if it is released no later than the job, so each such
//! release is tried as the job's own (Lehoczky 1990, with FIFO among equals).

use crate::arrival::{ArrivalCurve, Start};
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
    let own_is_known = own.arrivals.latest.is_some();
    let level = Level::anywhere(own.clone(), interference);
    let response = Search::new(core, task, interference, &level).respond(budget);
    if !own_is_known {
        return response;
    }
    let level = Level::by_offsets(own, interference);
    let search = Search::new(core, task, interference, &level);
    match search.respond_by_offsets(core.offsets.starts(), budget) {
        Some(by_offsets) => response.or_shorter(by_offsets),
        None => response,
    }
}

/// The jobs of a task and of its equals.
struct Level {
    /// The task's own jobs and those that are served first in, first out: they count if they come no later than the job.
    served_in_order: Vec<Jobs>,
    /// All of them, as long as the window lasts: a busy window has all work of the level, whoever is before whom.
    until_completion: Vec<Jobs>,
    /// Jobs of other equals, which count until the job is completed.
    others: Vec<Jobs>,
}

impl Level {
    fn anywhere(own: Jobs, interference: &Interference) -> Self {
        Level::new(own, interference.equals.clone(), Vec::new())
    }

    /// Equals whose releases have no place in the pattern count as long as the job is not completed.
    fn by_offsets(own: Jobs, interference: &Interference) -> Self {
        let equals = interference.equals.iter().cloned();
        let (known, others) = equals.partition(|jobs| jobs.arrivals.latest.is_some());
        Level::new(own, known, others)
    }

    fn new(own: Jobs, mut equals: Vec<Jobs>, mut others: Vec<Jobs>) -> Self {
        let count_all = |jobs: &mut Jobs| jobs.counted = Counted::UntilCompletion;
        others.iter_mut().for_each(count_all);
        let mut until_completion = equals.clone();
        until_completion.iter_mut().for_each(count_all);
        until_completion.push(own.clone());
        // The first job of the window comes at its nominal release: what it is late for is added to its response.
        equals.push(own.until_arrival().with_jitter(Time::ZERO));
        Level { served_in_order: equals, until_completion, others }
    }
}

struct Search<'a> {
    window: BusyWindow<'a>,
    /// No busy window of the level is longer.
    busy: BusyWindow<'a>,
    /// The equals, and at last the task itself.
    served_in_order: &'a [Jobs],
    jitter: Time,
    deadline: Time,
    period: Time,
}

impl<'a> Search<'a> {
    fn new(
        core: &'a Core,
        task: &CoreTask,
        interference: &'a Interference,
        level: &'a Level,
    ) -> Self {
        let window = |jobs: &'a [Jobs]| {
            let all = interference.preempting.iter().chain(jobs).chain(&level.others);
            let requests = all.map(|jobs| jobs as &dyn RequestBound);
            core.window(task, core.blocking(task), requests.collect())
        };
        Search {
            window: window(&level.served_in_order),
            busy: window(&level.until_completion),
            served_in_order: &level.served_in_order,
            jitter: task.jitter,
            deadline: task.deadline,
            period: task.releases.map_or(Time::UNBOUNDED, |releases| releases.period),
        }
    }

    /// The response, wherever the windows begin.
    fn respond(&self, budget: &mut IterationBudget) -> Response {
        let limit = self.deadline - self.jitter;
        let first = self.window.length(Window::default(), limit, budget);
        let (length, is_late) = match first {
            Length::Found(length) => (length, false),
            Length::Beyond(length) => (length, true),
            Length::GivenUp => return Response::GivenUp,
        };
        let from = Window { length, ..Window::default() };
        match self.busy.length(from, NO_LIMIT, budget) {
            Length::Found(end) => self.worst(from, Some(end + self.jitter), budget),
            _ if is_late => Response::AtLeast(length + self.jitter, self.witness(from)),
            Length::Beyond(_) => self.worst(from, None, budget),
            Length::GivenUp => Response::GivenUp,
        }
    }

    /// The response in windows that begin at one of these times. None: it takes too long to find, or has no end.
    fn respond_by_offsets(
        &self,
        starts: &[Time],
        budget: &mut IterationBudget,
    ) -> Option<Response> {
        let own = self.served_in_order.last()?;
        let (mut worst, mut at) = (Time::ZERO, Window::default());
        for start in starts.iter().copied().map(Start::At) {
            let mut window = Window { start, ..Window::default() };
            let Length::Found(end) = self.busy.length(window, NO_LIMIT, budget) else {
                return None;
            };
            window.arrival = own.arrivals.first(start);
            while window.arrival < end + self.jitter {
                let Length::Found(length) = self.window.length(window, NO_LIMIT, budget) else {
                    return None;
                };
                window.length = length;
                let response = length + self.jitter - window.arrival;
                if response > worst {
                    (worst, at) = (response, window);
                }
                window.arrival += self.period;
            }
        }
        Some(self.finished(worst, at))
    }

    /// The worst response of all releases before `end`; `window` is that of the first one. Without an end the
    /// backlog grows, and the first response past the deadline is the answer.
    fn worst(
        &self,
        mut window: Window,
        end: Option<Time>,
        budget: &mut IterationBudget,
    ) -> Response {
        let (mut worst, mut at) = (Time::ZERO, window);
        for _ in 0..MOST_RELEASES {
            window.length = match self.window.length(window, NO_LIMIT, budget) {
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
        let queues = worst > self.period && self.served_in_order.len() > 1;
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
        let curves = self.served_in_order.iter().map(|jobs| jobs.arrivals);
        let next = curves.map(|curve| curve.exceeds_at(curve.up_to(Start::Anywhere, after)));
        next.min().unwrap_or(Time::UNBOUNDED)
    }

    fn witness(&self, window: Window) -> Witness {
        Witness { demand: self.window.demand(window), window }
    }
}
