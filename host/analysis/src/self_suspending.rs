// SPDX-License-Identifier: Apache-2.0
//! The longest response of a task that suspends itself: it sleeps, or it waits for semaphores that
//! lower tasks of its core hold.
//!
//! A semaphore lends the holder no priority: while a task waits, each task above the lowest of
//! the other users may run. The jobs of those are bounded by their response times, so this response
//! holds only if they meet their deadlines.

use std::collections::BTreeMap;

use crate::busy_window::{BusyWindow, IterationBudget, Length};
use crate::core::Core;
use crate::core_task::CoreTask;
use crate::demand::Demand;
use crate::interference::Interference;
use crate::quantity::Time;
use crate::request::{RequestBound, Window};
use crate::response::{Response, Witness};
use crate::term::Term;

/// The tasks between one that waits and the lowest users, by their indices.
type Between<'a> = BTreeMap<usize, &'a dyn RequestBound>;

/// The response of a task to its interference.
pub fn respond(
    core: &Core,
    task: &CoreTask,
    interference: &Interference,
    budget: &mut IterationBudget,
) -> Response {
    let limit = task.deadline - task.jitter;
    let waits = interference.waits.iter();
    let whole: Between = waits
        .flat_map(|wait| &wait.between)
        .map(|(index, request)| (*index, request as &dyn RequestBound))
        .collect();
    let counted = between_in_waits(core, task, interference, limit, budget);
    let counted = counted.as_ref().map_or(whole.clone(), |counted| {
        counted.iter().map(|(index, demand)| (*index, demand as &dyn RequestBound)).collect()
    });
    // Both bound the same work between the task and the lowest users: the shorter is right, too.
    let windows = [whole, counted].map(|between| window(core, task, interference, &between));
    let [whole, counted] =
        windows.map(|window| (window.length(Window::default(), limit, budget), window));
    let (length, window) = if rank(counted.0) < rank(whole.0) { counted } else { whole };
    let witness = |length| {
        let at = Window { length, ..Window::default() };
        Witness { demand: window.demand(at), window: at }
    };
    match length {
        Length::Found(length) => Response::Bounded(length + task.jitter, witness(length)),
        Length::Beyond(length) => Response::AtLeast(length + task.jitter, witness(length)),
        Length::GivenUp => Response::GivenUp,
    }
}

fn rank(length: Length) -> (u8, Time) {
    match length {
        Length::Found(length) => (0, length),
        Length::Beyond(length) => (1, length),
        Length::GivenUp => (2, Time::ZERO),
    }
}

/// One window for the whole job.
fn window<'a>(
    core: &'a Core,
    task: &'a CoreTask,
    interference: &'a Interference,
    between: &Between<'a>,
) -> BusyWindow<'a> {
    let fixed = core.blocking(task).with(Term::Suspension, task.suspension.as_work());
    let own: &dyn RequestBound = &*task.job;
    let holds = interference.waits.iter().filter_map(|wait| wait.hold.as_ref());
    let holds = holds.map(|hold| hold as &dyn RequestBound);
    let preempting = interference.preempting.iter().map(|jobs| jobs as &dyn RequestBound);
    let requests = preempting.chain([own]).chain(holds).chain(between.values().copied());
    core.window(task, fixed, requests.collect())
}

/// The work of each task between that can run during all waits together. None: a wait is longer
/// than the deadline.
fn between_in_waits(
    core: &Core,
    task: &CoreTask,
    interference: &Interference,
    limit: Time,
    budget: &mut IterationBudget,
) -> Option<BTreeMap<usize, Demand>> {
    let mut counted: BTreeMap<usize, Demand> = BTreeMap::new();
    for wait in &interference.waits {
        let preempting = interference.preempting.iter().map(|jobs| jobs as &dyn RequestBound);
        let hold = wait.hold.iter().map(|hold| hold as &dyn RequestBound);
        let between = wait.between.iter().map(|(_, jobs)| jobs as &dyn RequestBound);
        let fixed = core.blocking(task).with(Term::Switches, core.resume());
        let window = core.window(task, fixed, preempting.chain(hold).chain(between).collect());
        let length = window.length(Window::default(), limit, budget);
        let Length::Found(length) = length else { return None };
        for (index, request) in &wait.between {
            let window = Window { length, ..Window::default() };
            request.add_terms(window, counted.entry(*index).or_default());
        }
    }
    Some(counted)
}
