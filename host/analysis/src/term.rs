// SPDX-License-Identifier: Apache-2.0
//! The terms of a bound: names for all that takes time from a job.

use takt_model::System;

/// What takes time from a job. Indices are those of the system.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Term {
    /// The task's own execution, of several jobs if they queue up.
    Execution,
    /// The task's own sleeps and waits for signals.
    Suspension,
    /// The time from the nominal release until the job is ready.
    Jitter,
    /// The execution of another task.
    Task { task: usize },
    /// A lower task holds a semaphore for which the task waits.
    SemaphoreHeld { semaphore: usize, task: usize },
    /// A lower task holds a mutex, by which it keeps the task from running.
    MutexHeld { mutex: usize, task: usize },
    /// A lower task has interrupts or dispatch disabled when the task is to run.
    NonPreemptive { task: usize },
    /// A task spins for mutexes or spin locks that other cores hold; the task itself, or another that runs before it.
    Spin { task: usize },
    /// The kernel is in a section with interrupts disabled when the task is to run.
    KernelSection,
    /// Lower tasks or the idle loop have accesses under way to lines that other cores use.
    Transfers,
    /// The kernel starts, preempts and resumes jobs: those of the task, and of others that run before it.
    Switches,
    /// The windows of the task's partition are closed, or being opened.
    ClosedWindows,
    /// The interrupts at which windows open and close.
    WindowChanges,
    /// The timer's interrupts and the releases of jobs.
    Releases,
    /// Interrupts of activations that were queued before the window and are taken in it.
    QueuedActivations,
    /// Activations and wake-ups of lower tasks.
    LowerTasks,
    /// Lines that move between caches, and waits for locks, as tasks of other cores activate tasks of this one.
    RemoteActivations,
    /// A handler of the application, with the interrupt that calls it.
    Handler { name: String },
    /// The service routine of a device's interrupt, and the kernel around it.
    Interrupt { name: String },
    /// Interrupts by which tasks change what is on the core.
    Controls,
    /// Commands of other cores that this one serves, and waits for the answers to its own.
    Commands,
    /// The timer of the console's core.
    Console,
    /// Interrupts of idle neighbours that ask for tasks.
    IdlePull,
    /// Forks that other cores pass on, and what the library and the kernel do at forks, joins and barriers.
    ForkJoin,
    /// The interrupts at which periods of [regulation] begin, and those of its counters.
    Regulator,
    /// Lines of the task, and of all that runs before it, wait for those of other cores.
    Memory,
    /// The core idles, as its budget of memory traffic is used up.
    Throttled,
    /// Parts that the list has no place for.
    Others,
}

impl Term {
    /// The terms that name no task, object, handler or interrupt.
    pub(crate) const UNNAMED: [Term; 21] = [
        Term::Execution,
        Term::Suspension,
        Term::Jitter,
        Term::KernelSection,
        Term::Transfers,
        Term::Switches,
        Term::ClosedWindows,
        Term::WindowChanges,
        Term::Releases,
        Term::QueuedActivations,
        Term::LowerTasks,
        Term::RemoteActivations,
        Term::Controls,
        Term::Commands,
        Term::Console,
        Term::IdlePull,
        Term::ForkJoin,
        Term::Regulator,
        Term::Memory,
        Term::Throttled,
        Term::Others,
    ];

    /// Returns the term's place in [`Term::UNNAMED`]. None: it names something.
    pub(crate) fn unnamed(&self) -> Option<usize> {
        Term::UNNAMED.iter().position(|it| it == self)
    }

    /// Whether the kernel, or what interrupts the tasks, takes the time.
    pub(crate) fn is_kernel(&self) -> bool {
        match self {
            Term::Switches
            | Term::Releases
            | Term::QueuedActivations
            | Term::LowerTasks
            | Term::RemoteActivations
            | Term::Handler { .. }
            | Term::Interrupt { .. }
            | Term::WindowChanges
            | Term::Controls
            | Term::Commands
            | Term::Console
            | Term::IdlePull
            | Term::ForkJoin
            | Term::Regulator => true,
            Term::Execution
            | Term::Suspension
            | Term::Jitter
            | Term::Task { .. }
            | Term::SemaphoreHeld { .. }
            | Term::MutexHeld { .. }
            | Term::NonPreemptive { .. }
            | Term::Spin { .. }
            | Term::KernelSection
            | Term::ClosedWindows
            | Term::Transfers
            | Term::Memory
            | Term::Throttled
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
            Term::NonPreemptive { .. } => "kept_waiting",
            Term::Spin { .. } => "spin",
            Term::KernelSection => "kernel_section",
            Term::Transfers => "transfers",
            Term::Switches => "switches",
            Term::ClosedWindows => "closed_windows",
            Term::WindowChanges => "window_changes",
            Term::Releases => "releases",
            Term::QueuedActivations => "queued_activations",
            Term::LowerTasks => "lower_tasks",
            Term::RemoteActivations => "remote_activations",
            Term::Handler { .. } => "handler",
            Term::Interrupt { .. } => "interrupt",
            Term::Controls => "controls",
            Term::Commands => "commands",
            Term::Console => "console",
            Term::IdlePull => "idle_pull",
            Term::ForkJoin => "fork_join",
            Term::Regulator => "regulator",
            Term::Memory => "memory",
            Term::Throttled => "throttled",
            Term::Others => "others",
        }
    }

    /// The task that the part names.
    pub fn task<'a>(&self, system: &'a System) -> Option<&'a str> {
        match self {
            Term::Task { task }
            | Term::SemaphoreHeld { task, .. }
            | Term::MutexHeld { task, .. }
            | Term::NonPreemptive { task }
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

    /// The text for people, which follows the time of the part.
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
            Term::NonPreemptive { .. } => {
                format!("task {task} has interrupts or dispatch disabled")
            }
            Term::Spin { .. } => {
                format!("task {task} spins for mutexes and spin locks of other cores")
            }
            Term::KernelSection => "sections of the kernel with interrupts disabled".to_string(),
            Term::Transfers => {
                "what runs below has accesses under way, which wait behind those of other cores"
                    .to_string()
            }
            Term::Switches => "the kernel starts, preempts and resumes jobs".to_string(),
            Term::ClosedWindows => "no window of its partition is open".to_string(),
            Term::WindowChanges => "windows open and close".to_string(),
            Term::Releases => "timer interrupts and releases of jobs".to_string(),
            Term::QueuedActivations => "activations that were queued before".to_string(),
            Term::LowerTasks => "activations and wake-ups of lower tasks".to_string(),
            Term::RemoteActivations => {
                "other cores activate tasks of this one: lines move, and locks are waited for"
                    .to_string()
            }
            Term::Handler { .. } => format!("handler {object}"),
            Term::Interrupt { .. } => format!("interrupt {object}"),
            Term::Controls => "tasks that change others".to_string(),
            Term::Commands => "commands to who keeps tasks and objects".to_string(),
            Term::Console => "the console's timer".to_string(),
            Term::IdlePull => "idle neighbours ask for tasks".to_string(),
            Term::ForkJoin => "forks, joins and barriers".to_string(),
            Term::Regulator => "periods of [regulation] begin, and counters interrupt".to_string(),
            Term::Memory => "lines wait for those of other cores".to_string(),
            Term::Throttled => "its core's budget of memory traffic is used up".to_string(),
            Term::Others => "smaller parts".to_string(),
        }
    }
}
