// SPDX-License-Identifier: Apache-2.0
//! What a response consists of, for explanations: named terms that add up to it.

use takt_model::{Nanos, System};

use crate::core::{Core, Member};
use crate::respond::Shown;

/// Parts that are listed by name, so that a table of thousands of tasks stays small.
pub const LISTED: usize = 32;

/// The window that gave the bound, part by part.
///
/// The response is the sum of all parts less `lead` and `unfinished`. For a task that breaks without a
/// bound, it is the window at which the analysis stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Breakdown {
    /// The largest first, none of them 0, at most [`LISTED`] and one for the rest.
    pub parts: Vec<Part>,
    /// The part of the window that lies before the job is ready.
    pub lead: Nanos,
    /// Work that comes up to the window's end, but is not done by then: 0 where there is a bound.
    pub unfinished: Nanos,
    /// Of the parts: interrupts, handlers of the application, releases, dispatches and preemptions.
    pub kernel: Nanos,
}

/// One part of a response. A new term of the analysis adds a [`Term`] and pushes its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub term: Term,
    pub time: Nanos,
}

/// What a part is. Indexes are those of the system.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Term {
    /// The task's own execution, of several jobs if they queue up.
    Execution,
    /// The task's own sleeps and waits for signals.
    Suspension,
    /// From the nominal release until the job is ready.
    Jitter,
    /// The execution of another task.
    Task { task: usize },
    /// A lower task holds a semaphore for which the task waits.
    SemaphoreHeld { semaphore: usize, task: usize },
    /// A lower task holds a mutex, by which it keeps the task from running.
    MutexHeld { mutex: usize, task: usize },
    /// A lower task has interrupts or dispatch disabled when the task is to run.
    KeptWaiting { task: usize },
    /// A task spins for mutexes or spin locks that other cores hold; the task itself, or another that runs before it.
    Spin { task: usize },
    /// The kernel is in a section with interrupts disabled when the task is to run.
    KernelSection,
    /// The kernel starts, preempts and resumes jobs: those of the task, and of others that run before it.
    Switches,
    /// The timer's interrupts and the releases of jobs.
    Releases,
    /// Activations that were asked for before the window and are taken in it.
    QueuedActivations,
    /// Activations and wake-ups of lower tasks.
    LowerTasks,
    /// A handler of the application, with the interrupt that calls it.
    Handler { name: String },
    /// The service routine of a device's interrupt, and the kernel around it.
    Interrupt { name: String },
    /// Tasks that change what is on the core.
    Controls,
    /// The timer of the console's core.
    Console,
    /// Idle neighbours that ask for tasks.
    IdlePull,
    /// Parts that the list has no place for.
    Others,
}

impl Breakdown {
    pub(crate) fn new(core: &Core, task: &Member, shown: &Shown) -> Breakdown {
        let mut parts = Parts::default();
        parts.add(Term::Jitter, task.jitter);
        parts.add(Term::Suspension, task.suspends);
        core.constant_parts(task, &mut |term, time| parts.add(term, time));
        for source in &shown.sources {
            let jobs = source.jobs(shown.length, shown.ready);
            let times = |time: u64| jobs.saturating_mul(time);
            parts.add(source.term(task.index), times(source.execution));
            parts.add(Term::Spin { task: source.task }, times(source.spin));
            let rest = source.cost.saturating_sub(source.execution).saturating_sub(source.spin);
            parts.add(Term::Switches, times(rest));
        }
        for (term, stream) in &core.named {
            parts.add(term.clone(), stream.work(shown.length));
        }
        let unfinished = parts.sum().saturating_sub(shown.length.saturating_add(task.jitter));
        let kernel = parts.0.iter().filter(|(term, _)| term.is_kernel()).map(|(_, time)| *time);
        Breakdown {
            kernel: Nanos(kernel.fold(0, u64::saturating_add)),
            parts: parts.sorted(),
            lead: Nanos(shown.ready),
            unfinished: Nanos(unfinished),
        }
    }

    /// Who takes most of the time: another task that executes or holds what the task needs.
    pub(crate) fn culprit(&self) -> Option<usize> {
        self.parts.iter().find_map(|part| match part.term {
            Term::Task { task }
            | Term::SemaphoreHeld { task, .. }
            | Term::MutexHeld { task, .. }
            | Term::KeptWaiting { task } => Some(task),
            _ => None,
        })
    }

    /// The response that the parts add up to.
    pub fn response(&self) -> Nanos {
        let sum = self.parts.iter().fold(0, |sum: u64, part| sum.saturating_add(part.time.0));
        Nanos(sum.saturating_sub(self.lead.0).saturating_sub(self.unfinished.0))
    }
}

/// Parts on the way to a list: one for each term.
#[derive(Default)]
struct Parts(std::collections::BTreeMap<Term, u64>);

impl Parts {
    fn add(&mut self, term: Term, time: u64) {
        if time > 0 {
            let sum = self.0.entry(term).or_default();
            *sum = sum.saturating_add(time);
        }
    }

    fn sum(&self) -> u64 {
        self.0.values().fold(0, |sum, time| sum.saturating_add(*time))
    }

    fn sorted(self) -> Vec<Part> {
        let mut parts: Vec<_> =
            self.0.into_iter().map(|(term, time)| Part { term, time: Nanos(time) }).collect();
        parts.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.term.cmp(&b.term)));
        let rest = parts.split_off(parts.len().min(LISTED));
        let rest = rest.iter().fold(0, |sum: u64, part| sum.saturating_add(part.time.0));
        if rest > 0 {
            parts.push(Part { term: Term::Others, time: Nanos(rest) });
        }
        parts
    }
}

impl Term {
    /// Whether the kernel, or what interrupts the tasks, takes the time.
    fn is_kernel(&self) -> bool {
        match self {
            Term::Switches
            | Term::Releases
            | Term::QueuedActivations
            | Term::LowerTasks
            | Term::Handler { .. }
            | Term::Interrupt { .. }
            | Term::Controls
            | Term::Console
            | Term::IdlePull => true,
            Term::Execution
            | Term::Suspension
            | Term::Jitter
            | Term::Task { .. }
            | Term::SemaphoreHeld { .. }
            | Term::MutexHeld { .. }
            | Term::KeptWaiting { .. }
            | Term::Spin { .. }
            | Term::KernelSection
            | Term::Others => false,
        }
    }

    /// A word for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Term::Execution => "execution",
            Term::Suspension => "suspension",
            Term::Jitter => "jitter",
            Term::Task { .. } => "task",
            Term::SemaphoreHeld { .. } => "semaphore_held",
            Term::MutexHeld { .. } => "mutex_held",
            Term::KeptWaiting { .. } => "kept_waiting",
            Term::Spin { .. } => "spin",
            Term::KernelSection => "kernel_section",
            Term::Switches => "switches",
            Term::Releases => "releases",
            Term::QueuedActivations => "queued_activations",
            Term::LowerTasks => "lower_tasks",
            Term::Handler { .. } => "handler",
            Term::Interrupt { .. } => "interrupt",
            Term::Controls => "controls",
            Term::Console => "console",
            Term::IdlePull => "idle_pull",
            Term::Others => "others",
        }
    }

    /// The task that the part names.
    pub fn task<'a>(&self, system: &'a System) -> Option<&'a str> {
        match self {
            Term::Task { task }
            | Term::SemaphoreHeld { task, .. }
            | Term::MutexHeld { task, .. }
            | Term::KeptWaiting { task }
            | Term::Spin { task } => Some(&system.tasks[*task].name),
            _ => None,
        }
    }

    /// The object, handler or interrupt that the part names.
    pub fn object<'a>(&'a self, system: &'a System) -> Option<&'a str> {
        match self {
            Term::SemaphoreHeld { semaphore, .. } => Some(&system.semaphores[*semaphore].name),
            Term::MutexHeld { mutex, .. } => Some(&system.mutexes[*mutex].name),
            Term::Handler { name } | Term::Interrupt { name } => Some(name),
            _ => None,
        }
    }

    /// The part for people, to follow its time.
    pub fn words(&self, system: &System) -> String {
        let task = self.task(system).unwrap_or_default();
        let object = self.object(system).unwrap_or_default();
        match self {
            Term::Execution => "its own execution".to_string(),
            Term::Suspension => "its own sleeps and waits for signals".to_string(),
            Term::Jitter => "its release jitter".to_string(),
            Term::Task { .. } => format!("execution of task {task}"),
            Term::SemaphoreHeld { .. } => format!("task {task} holds semaphore {object}"),
            Term::MutexHeld { .. } => format!("task {task} holds mutex {object}"),
            Term::KeptWaiting { .. } => {
                format!("task {task} has interrupts or dispatch disabled")
            }
            Term::Spin { .. } => format!("task {task} spins for mutexes of other cores"),
            Term::KernelSection => "sections of the kernel with interrupts disabled".to_string(),
            Term::Switches => "the kernel starts, preempts and resumes jobs".to_string(),
            Term::Releases => "timer interrupts and releases of jobs".to_string(),
            Term::QueuedActivations => "activations that were queued before".to_string(),
            Term::LowerTasks => "activations and wake-ups of lower tasks".to_string(),
            Term::Handler { .. } => format!("handler {object}"),
            Term::Interrupt { .. } => format!("interrupt {object}"),
            Term::Controls => "tasks that change others".to_string(),
            Term::Console => "the console's timer".to_string(),
            Term::IdlePull => "idle neighbours ask for tasks".to_string(),
            Term::Others => "smaller parts".to_string(),
        }
    }
}
