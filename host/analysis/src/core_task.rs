// SPDX-License-Identifier: Apache-2.0
//! A task as its core sees it: what its jobs demand, what they wait for, and what they do to tasks above.

use std::rc::Rc;

use takt_model::{Activation, Assignment, Protocol, System, Task};

use crate::arrival::Periodic;
use crate::costs::KernelCosts;
use crate::demand::Demand;
use crate::lines::Lines;
use crate::memory::JobsOfTask;
use crate::quantity::{Time, Work};
use crate::request::{Counted, Jobs};
use crate::semaphores::{SemaphoreRequest, SemaphoreUsers, can_block};
use crate::stages::{Begin, Part};
use crate::term::Term;
use crate::verdict::NoBound;
use crate::{budgets, commands, handlers, nonpreemptive};

/// A task on its core.
pub struct CoreTask {
    /// The index of the task in the system.
    pub index: usize,
    /// What the task stands for. None: for itself.
    pub part: Option<Part>,
    pub priority: u8,
    /// The partition whose windows the task runs in, if its core is divided into windows.
    pub partition: Option<usize>,
    /// The releases. None: the task is aperiodic.
    pub releases: Option<Periodic>,
    pub jitter: Time,
    /// The relative deadline; at most the period.
    pub deadline: Time,
    /// The response time that other tasks assume of this one; it starts at the WCET, and is raised until the iteration is
    /// stable.
    pub response: Time,
    /// The longest execution of a job. None: nothing limits it.
    pub wcet: Option<Work>,
    /// The lines that a job moves. None: nothing limits them.
    pub memory: Option<Lines>,
    /// The demand of one job: its execution, its spins, and what the kernel does for the job but for its release.
    pub job: Rc<Demand>,
    /// How long a job sleeps and waits for signals, in all.
    pub suspension: Time,
    /// True if a job may wait for something else than a semaphore or mutex that other tasks hold.
    pub sleeps: bool,
    /// The requests of semaphores; or why a wait for one has no bound.
    pub requests: Result<Vec<SemaphoreRequest>, NoBound>,
    /// How often a job may suspend itself, so that lower tasks run.
    pub self_suspensions: u64,
    /// How often of these any lower task may run. While a job waits for a semaphore only tasks down to its lowest user do.
    pub sleeps_and_signals: u64,
    /// True if a job may wait for a mutex. No lower task runs then but the holder.
    pub waits_for_mutexes: bool,
    /// How long a job spins for `msrp` mutexes; or why that has no bound. It is in `job`.
    pub spin: Result<Work, NoBound>,
    /// The critical sections of lower tasks that block it each time that it begins or goes on; or why they have no bound.
    pub blocking: Result<Rc<Demand>, NoBound>,
    /// The section of a lower task with interrupts or dispatch disabled that blocks it each time that it begins or goes on, by
    /// the index of the lower task.
    pub nonpreemptive: Option<(usize, Work)>,
    /// The interrupts and releases that this task may cause in a window in which it does not run.
    pub interrupts_unscheduled: Work,
}

impl CoreTask {
    pub fn new(
        system: &System,
        assignments: &[Assignment],
        costs: &KernelCosts,
        index: usize,
        users: &SemaphoreUsers,
        part: Option<Part>,
    ) -> Self {
        let task = &system.tasks[index];
        let priority = assignments[index].priority;
        let requests = users.requests(index);
        let waits = requests.as_ref().map_or(0, |all| can_block(all, priority).count() as u64);
        let sleeps = task.may_suspend();
        let signals = if sleeps { u64::from(task.suspensions()) } else { 0 };
        let wcet = budgets::longest_execution(system, task, costs.section);
        let execution = wcet.unwrap_or(Work::ZERO);
        // Even a job that executes nothing is dispatched, and takes a nanosecond.
        let described = part.map_or(index, |part| part.thread);
        let job = Demand::default()
            .with(Term::Task { task: described }, execution)
            .with(Term::ForkJoin, part.map_or(Work::ZERO, |part| part.fork_and_join(costs)))
            .with(
                Term::Spin { task: described },
                nonpreemptive::job_spin(system, assignments, index),
            )
            .with(Term::Switches, Work::new(1) - execution)
            .with(Term::Switches, costs.switch())
            .with(Term::Commands, costs.command_wait * commands::of_job(system, index))
            .with(Term::Switches, costs.timed_resume() * waits)
            .with(Term::Switches, (costs.resume() + costs.wake_up) * signals);
        let releases = Periodic::releases(task);
        let partition = task.partition.filter(|_| system.frame(assignments[index].core).is_some());
        let period = releases.map_or(Time::UNBOUNDED, |curve| curve.period);
        CoreTask {
            index,
            part,
            priority,
            partition,
            releases,
            jitter: task.jitter.into(),
            deadline: task.deadline.map_or(Time::UNBOUNDED, Time::from).min(period),
            response: execution.as_time(),
            wcet,
            memory: task.memory.map(Lines::from),
            job: Rc::new(job),
            suspension: task.suspends.map_or(Time::ZERO, Time::from),
            sleeps,
            requests,
            self_suspensions: waits + signals,
            sleeps_and_signals: signals,
            waits_for_mutexes: false,
            spin: Ok(Work::ZERO),
            blocking: Ok(Rc::default()),
            nonpreemptive: None,
            interrupts_unscheduled: match partition {
                None => interrupts_unscheduled(system, task, sleeps, costs),
                Some(_) => interrupts_outside_windows(system, assignments, index, costs),
            },
        }
    }

    /// Adds to the demand of each job.
    pub fn charge(&mut self, term: Term, work: Work) {
        Rc::make_mut(&mut self.job).add(term, work);
    }

    /// The jobs of the task, as they preempt others. None: nothing limits how often or how long it runs.
    pub fn jobs(&self) -> Option<Jobs> {
        self.wcet?;
        let (arrivals, counted) = (self.releases?, Counted::UntilCompletion);
        let lines = self.memory.unwrap_or_default();
        Some(Jobs { arrivals, counted, job: self.job.clone(), lines })
    }

    /// What the jobs of each task may move.
    pub fn jobs_of_tasks(tasks: &[CoreTask]) -> Vec<JobsOfTask> {
        let of_task = |task: &CoreTask| JobsOfTask {
            releases: task.releases,
            deadline: task.deadline,
            lines: task.memory,
        };
        tasks.iter().map(of_task).collect()
    }

    /// The index of the task in the description.
    pub fn described(&self) -> usize {
        self.part.map_or(self.index, |part| part.thread)
    }

    /// The team of which the task is a part.
    pub fn team(&self) -> Option<usize> {
        self.part.map(|part| part.team)
    }

    /// Returns whether the task is released as the description says, and is no later part of a job.
    pub fn is_released(&self) -> bool {
        self.part.is_none_or(|part| part.begin == Begin::Released)
    }

    /// Returns whether lower tasks may run before a job of this task is completed.
    pub fn suspends_itself(&self) -> bool {
        self.self_suspensions > 0
    }
}

/// A lower task that is kept from running completes no job, so an aperiodic one accepts no more
/// activations than its queue and its dormant state have places; it can wake up only once, also by the timeout of a wait
/// for a semaphore or mutex, and only one job can pass its deadline, or be found over its budget when the window begins.
fn interrupts_unscheduled(system: &System, task: &Task, sleeps: bool, costs: &KernelCosts) -> Work {
    let spins = |mutex: usize| system.mutexes[mutex].protocol == Protocol::Msrp;
    let waits = !task.uses.is_empty() || task.mutexes.iter().any(|one| !spins(one.mutex));
    let wake = match (sleeps, waits) {
        (true, _) => costs.wake_up + costs.release,
        (false, true) => costs.timed_release(),
        _ => Work::ZERO,
    };
    // The timer activates a task at the start of the system.
    let timer = if task.start { costs.timer_interrupt } else { Work::ZERO };
    let activation = costs.ipi.max(timer) + costs.release;
    let activations = match task.activation {
        Activation::Aperiodic => {
            activation * (u64::from(task.queue) + 1) + handlers::of_job(task, costs)
        }
        _ => Work::ZERO,
    };
    wake + activations
}

/// The same, of a task that runs in windows: the others' windows hold whatever its partition does, so what it does not declare
/// counts, too. It waits somewhere, and a task of its partition activates it from another core.
fn interrupts_outside_windows(
    system: &System,
    assignments: &[Assignment],
    index: usize,
    costs: &KernelCosts,
) -> Work {
    let task = &system.tasks[index];
    let undeclared = match task.activation {
        Activation::Aperiodic => Work::ZERO,
        _ => costs.remote_release(),
    };
    let stop = match is_handed_the_stop(system, assignments, index) {
        true => costs.remote_release() + costs.release, // its job is ended, and it is made ready
        false => Work::ZERO,
    };
    interrupts_unscheduled(system, task, true, costs) + undeclared + stop
}

/// Whether the task is the one that another core asks to go on with the stop or restart of their partition: the first of its
/// core. It is not asked again before it has run.
fn is_handed_the_stop(system: &System, assignments: &[Assignment], index: usize) -> bool {
    let is_of_it = |other: &usize| system.tasks[*other].partition == system.tasks[index].partition;
    let is_here = |other: &usize| assignments[*other].core == assignments[index].core;
    let mut all = (0..system.tasks.len()).filter(is_of_it);
    all.clone().find(is_here) == Some(index) && !all.all(|other| is_here(&other))
}
