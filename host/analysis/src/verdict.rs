// SPDX-License-Identifier: Apache-2.0
//! What the analysis says of one task.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use takt_model::{Nanos, System};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No response is longer than `bound`, which is within the deadline.
    Meets { bound: Nanos },
    /// No bound within the deadline exists.
    Breaks {
        /// None: the response grows without limit, or its limit was not found.
        bound: Option<Nanos>,
        /// How far past the deadline: `bound` less the deadline, at least this without a bound.
        by: Nanos,
        /// Index of the task that takes most of the time; the task itself if no other does.
        culprit: usize,
    },
    /// Nothing is claimed.
    Unknown { why: NoBound },
}

/// Why a task has no bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema, thiserror::Error)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum NoBound {
    /// Nothing limits how often the task is activated.
    #[error("it is aperiodic: nothing limits how often it is activated")]
    Aperiodic,
    /// The longest execution of the task is not declared.
    #[error("its longest execution is not declared: give it a `wcet`")]
    NoWcet,
    /// Nothing limits how long the task waits for a semaphore.
    #[error(
        "it waits for semaphore '{semaphore}' for a time that nothing limits: \
         declare the `hold`, or the task's `suspends`"
    )]
    UnlimitedWait { semaphore: Named },
    /// The task holds a semaphore that is no mutual exclusion.
    #[error(
        "it holds semaphore '{semaphore}', which is no mutual exclusion: it starts at 0, \
         or a task waits for it without a `hold`"
    )]
    NoMutualExclusion { semaphore: Named },
    /// A task of another core shares the semaphore.
    #[error(
        "it shares semaphore '{semaphore}' with '{task}' on another core: \
         put both on one core"
    )]
    SharedAcrossCores { semaphore: Named, task: Named },
    /// Another task may sleep while it holds the semaphore.
    #[error("'{task}' may sleep while it holds semaphore '{semaphore}': let another task sleep")]
    HolderSuspends { semaphore: Named, task: Named },
    /// A job may be ended while it holds a count of the semaphore, which then is lost.
    #[error(
        "a job of '{task}' may be ended while it holds semaphore '{semaphore}', and nobody gives its count back: \
         use a mutex, which the kernel gives back, or let nothing end the job"
    )]
    HolderEnds { semaphore: Named, task: Named },
    /// Nothing limits how long another task holds the mutex.
    #[error("nothing limits how long '{task}' holds mutex '{mutex}': declare its `hold`")]
    UndeclaredHold { mutex: Named, task: Named },
    /// Another task may sleep while it holds the mutex.
    #[error("'{task}' may sleep while it holds mutex '{mutex}': let another task sleep")]
    MutexHolderSleeps { mutex: Named, task: Named },
    /// Whoever holds the mutex keeps its own priority.
    #[error(
        "nothing limits how long it waits for mutex '{mutex}', whose `protocol` is \"none\": write \
         \"ceiling\" or \"inherit\""
    )]
    PlainMutex { mutex: Named },
    /// Nothing limits how long another task runs before this one.
    #[error(
        "nothing limits how long '{task}' runs before it: that task is aperiodic or \
         without a `wcet`; give this task a higher priority or another core"
    )]
    UnlimitedInterference { task: Named },
    /// Nothing limits how often and how long an alarm interrupts the core.
    #[error(
        "nothing limits how often and how long alarm '{alarm}' interrupts its core: \
         give the alarm a `separation` and a `wcet`"
    )]
    UnlimitedHandler { alarm: Named },
    /// Nothing limits how long an interrupt takes from the core.
    #[error(
        "nothing limits how long interrupt '{interrupt}' takes from its core: give it a \
         `separation` and a `wcet`"
    )]
    UnlimitedInterrupt { interrupt: Named },
    /// The board does not say what the kernel needs for an interrupt.
    #[error(
        "the board does not say what the kernel needs for interrupt '{interrupt}': add \
         `device_interrupt` to the board's [overheads]"
    )]
    NoInterruptOverhead { interrupt: Named },
    /// Cores wait for a lock of the kernel that is given to any of them.
    #[error(
        "nothing limits how long a core waits for a lock of the kernel: `spinlock` is no FIFO lock, \
         and several cores call the kernel; choose \"ticket\" or \"mcs\""
    )]
    UnfairLock,
    /// The core has a budget of memory traffic, and nothing bounds what the memory's use adds.
    #[error("its core has a budget in [regulation], and {why}")]
    Regulated { why: String },
    /// A task of the system is unrestricted.
    #[error("'{task}' is unrestricted: the kernel refuses it nothing and measures nothing of it")]
    Unrestricted { task: Named },
    /// A task forks, and nothing bounds its stages.
    #[error("'{task}' forks, and has no bound itself: {why}")]
    Forks { task: Named, why: String },
    /// The task is a worker of one that forks, and spins.
    #[error(
        "it is a worker that spins: its one job never ends, and its strands are in the bound of the task that forks"
    )]
    Spins,
    /// A task of the core may be suspended or get another priority.
    #[error(
        "'{by}' may suspend '{task}' or change its priority, so nothing limits when that task runs"
    )]
    Controlled { by: Named, task: Named },
    /// A task changes others of the core, and nothing limits how often.
    #[error(
        "nothing limits how often '{by}' interrupts its core with what it `controls`: \
         give that a `separation`"
    )]
    UnlimitedControl { by: Named },
    /// The task depends on the deadline of another one, which is not known to be met.
    #[error("it depends on '{task}' to meet its deadline, which is not known to do so")]
    DependsOn { task: Named },
    /// Nobody has measured what the kernel's placement costs on the board.
    #[error(
        "the board has no figures of placement \"{placement}\": measure them by takt calibrate --placement {placement}"
    )]
    NoPlacedOverheads { placement: &'static str },
    /// Nothing limits how often a task calls.
    #[error(
        "nothing limits how often '{task}' gives commands, which delay those of others: give it `calls`, and a `period` if it has any"
    )]
    UnlimitedCalls { task: Named },
    /// The computation was given up.
    #[error("the computation was given up: too many jobs would have to be looked at")]
    TooManySteps,
}

/// The name of a task, semaphore, mutex, alarm or interrupt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Named {
    /// Its index in the system.
    #[serde(skip)]
    pub index: usize,
    pub name: String,
}

impl Named {
    pub(crate) fn task(system: &System, index: usize) -> Named {
        Named { index, name: system.tasks[index].name.clone() }
    }

    pub(crate) fn mutex(system: &System, index: usize) -> Named {
        Named { index, name: system.mutexes[index].name.clone() }
    }

    pub(crate) fn semaphore(system: &System, index: usize) -> Named {
        Named { index, name: system.semaphores[index].name.clone() }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(&self.name)
    }
}
