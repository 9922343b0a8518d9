// SPDX-License-Identifier: Apache-2.0
//! The interference that a task suffers from others, and on whose response times that rests.

use takt_model::System;

use crate::core::Core;
use crate::core_task::CoreTask;
use crate::demand::Demand;
use crate::quantity::{Time, Work};
use crate::request::Jobs;
use crate::semaphores::{SemaphoreRequest, can_block};
use crate::term::Term;
use crate::verdict::{Named, NoBound};

/// All that delays one task beside blocking and interrupts.
#[derive(Default)]
pub struct Interference {
    /// Higher tasks, and equal ones that count until the job is completed.
    pub preempting: Vec<Jobs>,
    /// Equal tasks that are served first in, first out.
    pub equals: Vec<Jobs>,
    pub waits: Vec<SemaphoreWait>,
    /// The indices of the tasks whose deadlines or response times were used.
    pub depends_on: Vec<usize>,
}

/// The wait for one semaphore.
pub struct SemaphoreWait {
    /// The one hold of the lowest user.
    pub hold: Option<Demand>,
    /// Tasks between the one that waits and the lowest user, by their indices.
    pub between: Vec<(usize, Jobs)>,
}

impl Interference {
    /// `bounds` has the response times of the higher tasks that meet their deadlines, by index.
    pub fn new(
        system: &System,
        core: &Core,
        task: &CoreTask,
        bounds: &[Option<Time>],
    ) -> Result<Self, NoBound> {
        let requests = task.requests.as_ref().map_err(NoBound::clone)?;
        let preempting = Vec::with_capacity(core.tasks.len());
        let mut all = Interference { preempting, ..Interference::default() };
        let here = core.tasks.iter().take_while(|other| other.priority <= task.priority);
        let here = here.filter(|other| other.partition == task.partition);
        // The parts of one team are never there at the same time on one core.
        let is_other = |other: &&CoreTask| {
            other.index != task.index && (task.part.is_none() || other.team() != task.team())
        };
        for other in here.filter(is_other) {
            all.add(system, core, task, other, bounds)?;
        }
        if core.rests_on_deadlines() {
            all.depends_on.extend(core.tasks.iter().map(|other| other.index));
        }
        for request in can_block(requests, task.priority) {
            let wait = SemaphoreWait::new(system, core, task, request)?;
            all.depends_on.extend(wait.between.iter().map(|(index, _)| *index));
            all.waits.push(wait);
        }
        Ok(all)
    }

    /// Adds the jobs of another task, which is higher or equal.
    fn add(
        &mut self,
        system: &System,
        core: &Core,
        task: &CoreTask,
        other: &CoreTask,
        bounds: &[Option<Time>],
    ) -> Result<(), NoBound> {
        let jobs = jobs(system, other)?;
        let is_equal = other.priority == task.priority;
        let stalls = stalls(other, task);
        let waits = task.suspends_itself() || task.waits_for_mutexes || other.waits_for_mutexes;
        if is_equal && !waits && !stalls {
            let jitter = other.jitter + core.release_delay();
            self.equals.push(jobs.until_arrival().with_jitter(jitter));
        } else if !is_equal && !stalls {
            self.preempting.push(jobs);
        } else {
            self.depends_on.push(other.index);
            let unknown = || NoBound::DependsOn { task: Named::task(system, other.index) };
            let bound = if is_equal { Some(other.response) } else { bounds[other.index] };
            let response = bound.ok_or_else(unknown)?;
            self.preempting.push(carried_in(other, jobs, response));
        }
        Ok(())
    }
}

impl SemaphoreWait {
    /// The jobs of tasks between `task` and the lowest user count from the time of `task`, as the semaphore lends its holder no
    /// priority.
    fn new(
        system: &System,
        core: &Core,
        task: &CoreTask,
        request: &SemaphoreRequest,
    ) -> Result<Self, NoBound> {
        let between = |other: &&CoreTask| {
            other.partition == task.partition
                && other.priority > task.priority
                && other.priority <= request.lowest
                && request.holder.is_none_or(|(holder, _)| holder != other.index)
        };
        let request_of = |other: &CoreTask| -> Result<(usize, Jobs), NoBound> {
            Ok((other.index, carried_in(other, jobs(system, other)?, other.response)))
        };
        let hold = request.holder.filter(|_| request.lowest > task.priority);
        let semaphore = request.semaphore;
        let hold = hold.map(|(task, hold)| {
            Demand::default().with(Term::SemaphoreHeld { semaphore, task }, hold)
        });
        let between = core.tasks.iter().filter(between).map(request_of);
        Ok(SemaphoreWait { hold, between: between.collect::<Result<_, NoBound>>()? })
    }
}

/// The jobs of a task, if it is known how often and how long it runs.
fn jobs(system: &System, other: &CoreTask) -> Result<Jobs, NoBound> {
    other.spin.as_ref().map_err(NoBound::clone)?;
    let unlimited = || NoBound::UnlimitedInterference { task: Named::task(system, other.index) };
    other.jobs().ok_or_else(unlimited)
}

/// The jobs of a task whose job of before may still be there when the window begins, but is completed `response`
/// after its release: as if released with the jitter `response` less its execution.
fn carried_in(other: &CoreTask, jobs: Jobs, response: Time) -> Jobs {
    jobs.with_jitter(response - other.wcet.unwrap_or(Work::ZERO).as_time()).at_any_time()
}

/// Whether `other` may stop while it has work to do and nobody at or above the level of `task`
/// runs instead. Of a task that suspends itself, its own earlier job does not count as such work.
fn stalls(other: &CoreTask, task: &CoreTask) -> bool {
    let level = task.priority.saturating_add(u8::from(!task.suspends_itself()));
    match &other.requests {
        Ok(requests) => other.sleeps || requests.iter().any(|request| request.lowest >= level),
        Err(_) => true,
    }
}
