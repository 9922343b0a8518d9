// SPDX-License-Identifier: Apache-2.0
//! The assumptions of a description that the kernel measures: docs/design/analysis.md, "Assumptions".
//!
//! The configurator numbers them for the kernel in the order of [`System::limits`], the kernel
//! writes the worst value of each into the record, and the host compares it with what is declared.

use crate::{Activation, Assignment, Nanos, Placement, System};

/// One measured assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    pub what: Assumption,
    /// The declared value, in nanoseconds or as a count.
    pub declared: u64,
}

/// The quantity that is measured. Tasks, objects, handlers and controls are given by their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// How long the task holds the object, as [`Self::unit`] says.
    Hold {
        task: usize,
        object: Held,
    },
    /// How often one job of the task acquires the object.
    Requests {
        task: usize,
        object: Held,
    },
    /// Whether a job acquires an object while it holds another one, without declaring that. The
    /// value names both objects, see [`System::nested`].
    Nesting {
        task: usize,
    },
    CpuLock {
        task: usize,
    },
    DispatchDisable {
        task: usize,
    },
    /// How long one job of the task suspends itself in all, and how often.
    Suspends {
        task: usize,
    },
    Suspensions {
        task: usize,
    },
    /// How many commands one job of the task gives, under another placement than "distributed".
    Calls {
        task: usize,
    },
    /// How long one call of the handler executes.
    Cyclic(usize),
    Alarm(usize),
    OverrunHandler {
        task: usize,
    },
    DeadlineHandler {
        task: usize,
    },
    /// The time between two calls with which the task changes others.
    Separation {
        task: usize,
        control: usize,
    },
}

/// An object that a task holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    Mutex(usize),
    Semaphore(usize),
    SpinLock(usize),
}

/// The unit in which the kernel records a measured value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Ticks of the machine's clock, rounded such that the time was surely not shorter.
    Ticks,
    Count,
}

impl Assumption {
    pub fn unit(self) -> Unit {
        match self {
            Self::Requests { .. }
            | Self::Suspensions { .. }
            | Self::Calls { .. }
            | Self::Nesting { .. } => Unit::Count,
            _ => Unit::Ticks,
        }
    }

    /// The core that measures it: that of the task or handler. A task that may migrate counts where it begins.
    pub fn core(self, system: &System, assignments: &[Assignment]) -> u32 {
        match self {
            Self::Cyclic(index) => system.cyclics[index].core,
            Self::Alarm(index) => system.alarms[index].core,
            Self::Hold { task, .. }
            | Self::Requests { task, .. }
            | Self::Nesting { task }
            | Self::CpuLock { task }
            | Self::DispatchDisable { task }
            | Self::Suspends { task }
            | Self::Suspensions { task }
            | Self::Calls { task }
            | Self::OverrunHandler { task }
            | Self::DeadlineHandler { task }
            | Self::Separation { task, .. } => assignments[task].core,
        }
    }

    /// Whether the declared value is a minimum; otherwise it is a maximum.
    pub fn is_least(self) -> bool {
        matches!(self, Self::Separation { .. })
    }
}

impl System {
    /// All measured assumptions; none if no bound is claimed.
    pub fn limits(&self) -> Vec<Limit> {
        let mut limits = Limits(Vec::new());
        if self.kernel.placement != Placement::Distributed {
            // Nothing else is measured by the kernels of the other placements.
            for (task, it) in self.tasks.iter().enumerate() {
                let calls = it.rights.calls.filter(|_| self.has_deadlines());
                calls.into_iter().for_each(|calls| limits.count(Assumption::Calls { task }, calls));
            }
        } else if self.has_deadlines() {
            (0..self.tasks.len()).for_each(|task| limits.of_task(self, task));
            for (index, it) in self.cyclics.iter().enumerate() {
                limits.time(Assumption::Cyclic(index), Some(it.wcet));
            }
            for (index, it) in self.alarms.iter().enumerate() {
                limits.time(Assumption::Alarm(index), it.wcet);
            }
        }
        limits.0
    }

    /// The mutexes and semaphores that a task holds, in the order of their bits in the kernel.
    pub fn held_by(&self, task: usize) -> Vec<Held> {
        let it = &self.tasks[task];
        let mutexes = it.mutexes.iter().map(|one| Held::Mutex(one.mutex));
        let counts = it.uses.iter().filter(|one| one.hold.is_some());
        mutexes.chain(counts.map(|one| Held::Semaphore(one.semaphore))).collect()
    }

    /// Whether a job of the task may hold one object and request another.
    fn may_nest(&self, task: usize) -> bool {
        let held = self.held_by(task);
        held.len() > 1 || held.iter().any(|one| matches!(one, Held::Semaphore(_)))
    }

    /// Decodes a value of [`Assumption::Nesting`] into the acquired object and the one that was
    /// held. The value is the acquired object's number times 256 plus the held object's number,
    /// both from 1.
    pub fn nested(&self, task: usize, value: u64) -> Option<(Held, Held)> {
        let held = self.held_by(task);
        let of = |number: u64| held.get(usize::try_from(number).ok()?.checked_sub(1)?).copied();
        Some((of(value >> 8)?, of(value & 0xff)?))
    }

    /// The number of an assumption, from 1; 0 if it is not measured.
    pub fn limit(&self, limits: &[Limit], what: Assumption) -> usize {
        limits.iter().position(|limit| limit.what == what).map_or(0, |index| index + 1)
    }
}

struct Limits(Vec<Limit>);

impl Limits {
    fn time(&mut self, what: Assumption, declared: Option<Nanos>) {
        self.0.extend(declared.map(|Nanos(declared)| Limit { what, declared }));
    }

    fn count(&mut self, what: Assumption, declared: u32) {
        self.0.push(Limit { what, declared: u64::from(declared) });
    }

    /// Adds a hold. The requests of an aperiodic task are not limited, because its job may never
    /// end; no bound rests on their number.
    fn hold(&mut self, task: usize, object: Held, hold: Nanos, times: u32, aperiodic: bool) {
        self.time(Assumption::Hold { task, object }, Some(hold));
        let most = if aperiodic { u32::MAX } else { times };
        self.count(Assumption::Requests { task, object }, most);
    }

    fn of_task(&mut self, system: &System, task: usize) {
        let it = &system.tasks[task];
        let aperiodic = it.activation == Activation::Aperiodic;
        let handler = it.budget.as_ref().and_then(|budget| budget.handler.as_ref());
        self.time(Assumption::OverrunHandler { task }, handler.map(|handler| handler.wcet));
        let handler = it.deadline_handler.as_ref();
        self.time(Assumption::DeadlineHandler { task }, handler.map(|handler| handler.wcet));
        // A thread of a team is unrestricted, and has bounds that contain its critical sections.
        let openmp = system.openmp.as_ref();
        let is_measured = |mutex: usize| {
            openmp.is_some_and(|it| it.is_critical(mutex)) || !it.rights.unrestricted
        };
        let endless = aperiodic && !openmp.is_some_and(|it| it.blocks(task));
        let measured = it.mutexes.iter().filter(|one| is_measured(one.mutex));
        for one in measured.filter(|one| one.hold.is_some()) {
            let object = Held::Mutex(one.mutex);
            self.hold(task, object, one.hold.unwrap_or_default(), one.times, endless);
        }
        if it.rights.unrestricted {
            return;
        }
        for one in it.uses.iter().filter(|one| one.hold.is_some()) {
            let object = Held::Semaphore(one.semaphore);
            self.hold(task, object, one.hold.unwrap_or_default(), one.times, aperiodic);
        }
        for one in &it.rights.spin_locks {
            self.hold(task, Held::SpinLock(one.spin_lock), one.hold, one.times, aperiodic);
        }
        if system.may_nest(task) {
            self.count(Assumption::Nesting { task }, 0);
        }
        self.time(Assumption::CpuLock { task }, it.rights.cpu_lock);
        self.time(Assumption::DispatchDisable { task }, it.rights.dispatch_disable);
        if it.suspends.is_some() && !aperiodic {
            self.time(Assumption::Suspends { task }, it.suspends);
            self.count(Assumption::Suspensions { task }, it.suspensions());
        }
        for (control, one) in it.rights.controls.iter().enumerate() {
            self.time(Assumption::Separation { task, control }, one.separation);
        }
    }
}
