// SPDX-License-Identifier: Apache-2.0
//! The rules: what each event permits, and what it changes.

use takt_model::Placement;
use takt_record::{Class, Ended, Event};

use super::core::Chooses;
use super::object::Change;
use super::task::State;
use super::{Checker, EventOrigin};

/// Whether only the owner of a task records the event, and about that task.
fn is_of_owner(event: Event) -> bool {
    match event {
        Event::Release { .. }
        | Event::Preempt
        | Event::Wait { .. }
        | Event::Wake { .. }
        | Event::Complete { .. }
        | Event::HoldBack { .. }
        | Event::Suspend
        | Event::Unsuspend
        | Event::Priority { .. }
        | Event::Terminate { .. }
        | Event::Migrate { .. } => true,
        // These events record requests and changes by any core, the actions of the core itself, or
        // those of its running task.
        Event::Unwritten
        | Event::Dispatch
        | Event::Miss
        | Event::Loss
        | Event::Timer
        | Event::Ipi
        | Event::Resume { .. }
        | Event::Post { .. }
        | Event::LockWait { .. }
        | Event::Handler { .. }
        | Event::HandlerEnd { .. }
        | Event::Overrun { .. }
        | Event::Deadline
        | Event::MutexLock { .. }
        | Event::MutexUnlock { .. }
        | Event::DispatchDisable
        | Event::DispatchEnable
        | Event::Take { .. }
        | Event::Give { .. }
        | Event::Queue
        | Event::Unqueue { .. }
        | Event::Interrupt { .. }
        | Event::InterruptEnd { .. }
        | Event::Arrive
        | Event::Throttle { .. }
        | Event::Replenish
        | Event::Window { .. }
        | Event::Health { .. }
        | Event::Restart { .. } => false,
    }
}

impl Checker {
    pub(super) fn event(&mut self, origin: EventOrigin, event: Event) {
        let at = self.placed(origin, event);
        if self.placement == Placement::Central && matches!(event, Event::Timer | Event::Ipi) {
            self.cores[at.core].check_not_missed(at, &mut self.findings);
        }
        self.rule(at, event);
        if at.core == origin.core {
            self.cores[at.core].latest = at.ticks;
        }
        if self.placement == Placement::Central {
            self.note_decision(at, event);
        }
    }

    fn rule(&mut self, at: EventOrigin, event: Event) {
        match event {
            // Any core may request something of a task of another core, even a core of which events
            // are lost.
            Event::Post { request } => self.requests.post(at, request),
            Event::Queue => self.requests.queue(at, 1),
            Event::Unqueue { count } => self.requests.queue(at, -i64::from(count)),
            Event::Take { class, turn, id } => {
                self.counted(at, (class, id), turn, Change::Take(self.priority_of(at.task)));
            }
            Event::Give { class, turn, id } => self.counted(at, (class, id), turn, Change::Give),
            Event::Priority { priority, first, .. } if self.placement == Placement::Rtu => {
                self.priority_of_unit(at, priority, !first);
            }
            _ if self.cores[at.core].lost => {}
            event if is_of_owner(event) && (at.task == 0 || !self.is_owner(at)) => {}
            Event::Timer | Event::Ipi | Event::Interrupt { .. } => self.interrupt(at),
            Event::Resume { routine: 0 } => self.resume(at),
            Event::Resume { .. } => {} // a service routine goes on
            Event::Dispatch => self.dispatch(at),
            Event::DispatchDisable => self.cores[at.core].dispatch_disabled = true,
            Event::DispatchEnable => self.cores[at.core].dispatch_disabled = false,
            Event::MutexLock { id } => self.mutexes.lock(at, id, &mut self.findings),
            Event::MutexUnlock { id } => {
                self.cores[at.core].changing = true;
                self.mutexes.unlock(at, id, &mut self.findings);
            }
            Event::Throttle { .. } => {
                self.interrupt(at);
                self.cores[at.core].throttled = true;
            }
            Event::Replenish => self.cores[at.core].throttled = false,
            Event::Window { partition } => self.cores[at.core].open_window(partition),
            Event::Arrive => self.arrive(at),
            Event::Migrate { to } => self.migrate(at, to),
            Event::Release { .. } => self.release(at),
            Event::HoldBack { .. } => self.hold_back(at),
            Event::Preempt => self.must_run(at, "preempted"),
            Event::Wait { class, turn, id } => self.wait(at, (class, id), turn),
            Event::Wake { turn, result } => self.wake(at, turn, result),
            Event::Complete { .. } => self.complete(at),
            Event::Terminate { turn, ended } => self.terminate(at, turn, ended),
            Event::Suspend => self.suspend(at),
            Event::Unsuspend => self.unsuspend(at),
            Event::Priority { turn, first, moved, priority } => {
                // Under `central` the end of the job may be on its way to the server.
                let has_job = self.state(at) != State::Dormant;
                self.must(at, has_job || self.placement == Placement::Central, "gets a priority");
                if moved {
                    self.requeue(at, turn, priority);
                }
                self.priority(at, priority, first);
            }
            // The report judges responses and their limits; waits for the kernel's locks are
            // checked at the end.
            Event::Miss | Event::Loss | Event::Overrun { .. } | Event::Deadline => {}
            Event::LockWait { .. } => {}
            // What the monitor does has events of its own.
            Event::Health { .. } | Event::Restart { .. } => {}
            // These events lie between the begin of an interrupt and its end, which `resume` and
            // `dispatch` record.
            Event::Handler { .. } | Event::HandlerEnd { .. } | Event::InterruptEnd { .. } => {}
            Event::Unwritten => {}
        }
    }

    fn priority_of(&self, task: u16) -> u8 {
        let task = usize::from(task).checked_sub(1).and_then(|index| self.tasks.get(index));
        task.map_or(0, |task| task.priority)
    }

    fn counted(&mut self, at: EventOrigin, object: (Class, u16), turn: u8, change: Change) {
        if matches!(object.0, Class::Read | Class::Write) {
            self.cores[at.core].changing = true; // the job may be ending, which dispatches another task afterwards
        }
        let by = if matches!(change, Change::Give) { 1 } else { -1 };
        self.unit_semaphores.change(object, by, at, &mut self.findings);
        self.objects.change(object, turn, at, change, &mut self.findings);
    }

    fn is_owner(&mut self, at: EventOrigin) -> bool {
        let owner = self.tasks.get(usize::from(at.task) - 1).map(|task| task.core);
        if owner != Some(at.core) {
            self.findings.add(at, "core", "it is governed by a core that it does not belong to");
        }
        owner == Some(at.core)
    }

    /// Interrupts were enabled until now, so the kernel was in no section.
    fn interrupt(&mut self, at: EventOrigin) {
        let core = &mut self.cores[at.core];
        if !core.interrupted {
            core.compare(at, "when an interrupt comes", &mut self.findings);
            self.mutexes.compare(at, &self.tasks, &mut self.findings);
        }
        (core.interrupted, core.changing) = (true, false);
    }

    fn resume(&mut self, at: EventOrigin) {
        let core = &mut self.cores[at.core];
        if !core.dispatch_disabled && core.chooses != Chooses::Unit {
            core.check_choice(at.task, at, "on after an interrupt", &mut self.findings);
        }
        if core.running.is_some_and(|running| running != at.task) {
            self.findings.add(at, "state", "it goes on after an interrupt, but did not run before");
        }
        core.running = Some(at.task);
        if core.chooses == Chooses::Unit {
            self.check_choice_of_unit(at);
        }
        self.mutexes.compare(at, &self.tasks, &mut self.findings);
        self.end_of_interrupt(at);
    }

    fn dispatch(&mut self, at: EventOrigin) {
        let core = &mut self.cores[at.core];
        if core.dispatch_disabled && core.running.is_some() {
            self.findings.add(at, "dispatch", "it is dispatched while dispatch is disabled");
        }
        let chooses = core.chooses;
        match chooses {
            Chooses::Unit => self.check_choice_of_unit(at),
            _ => core.check_choice(at.task, at, "from here", &mut self.findings),
        }
        let core = &mut self.cores[at.core];
        let task = usize::from(at.task).checked_sub(1).and_then(|index| self.tasks.get(index));
        // What a server has decided may be overtaken.
        let counts = |task: &&super::Task| !task.is_queued() && chooses != Chooses::Server;
        if let Some(task) = task.filter(counts) {
            self.findings.add(at, "state", format!("it is dispatched, but {}", task.words()));
        }
        core.running = Some(at.task);
        self.mutexes.compare(at, &self.tasks, &mut self.findings);
        self.end_of_interrupt(at);
    }

    /// Ends an interrupt. If it was an IPI, the inbox has been emptied.
    fn end_of_interrupt(&mut self, at: EventOrigin) {
        self.cores[at.core].changing = false;
        if !std::mem::take(&mut self.cores[at.core].interrupted) {
            return;
        }
        for (id, task) in (1_u16..).zip(&self.tasks) {
            if task.core == at.core {
                self.requests.overdue(id, at, &mut self.findings);
            }
        }
    }

    fn must(&mut self, at: EventOrigin, right: bool, does: &str) {
        if !right {
            let task = &self.tasks[usize::from(at.task) - 1];
            self.findings.add(at, "state", format!("it {does}, but {}", task.words()));
        }
    }

    fn must_run(&mut self, at: EventOrigin, does: &str) {
        let running = self.cores[at.core].running;
        if running != Some(at.task) {
            let who = running.map_or("nobody".to_string(), |task| self.findings.name(task));
            self.findings.add(at, "state", format!("it is {does}, but {who} runs"));
        }
    }

    /// Puts the task into the ready queue or removes it, according to its state.
    pub(super) fn settle(&mut self, at: EventOrigin) {
        let task = &self.tasks[usize::from(at.task) - 1];
        let core = &mut self.cores[at.core];
        core.remove(at.task);
        if task.is_queued() {
            core.insert(at.task, task.priority);
        }
    }

    fn state(&self, at: EventOrigin) -> State {
        self.tasks[usize::from(at.task) - 1].state
    }

    fn release(&mut self, at: EventOrigin) {
        self.must(at, self.state(at) == State::Dormant, "begins a job");
        self.requests.started(at.task);
        self.tasks[usize::from(at.task) - 1].begin_job();
        self.settle(at);
    }

    fn hold_back(&mut self, at: EventOrigin) {
        self.must(at, self.state(at) == State::Dormant, "is held back");
        self.requests.started(at.task);
        self.tasks[usize::from(at.task) - 1].held_back = true;
    }

    fn wait(&mut self, at: EventOrigin, object: (Class, u16), turn: u8) {
        self.must_run(at, "said to wait");
        self.must(at, self.state(at) == State::Ready, "begins to wait");
        if self.cores[at.core].dispatch_disabled {
            self.findings.add(at, "dispatch", "it waits while dispatch is disabled");
        }
        self.cores[at.core].compare_before(at, "until it waits", &mut self.findings);
        let task = &mut self.tasks[usize::from(at.task) - 1];
        task.state = State::Waiting(object.0, object.1);
        let join = Change::Join(task.priority);
        self.objects.change(object, turn, at, join, &mut self.findings);
        self.settle(at);
    }

    fn wake(&mut self, at: EventOrigin, turn: u8, result: u8) {
        /// The result of a wait whose object was reset: another task has ended the wait without
        /// success.
        const RESET: u8 = 51;
        let (well, asked) = (result == 0, matches!(result, 0 | RESET));
        let State::Waiting(class, id) = self.state(at) else {
            return self.must(at, false, "is woken");
        };
        let change = if well { Change::Served } else { Change::Withdrawn };
        if well {
            self.unit_semaphores.change((class, id), -1, at, &mut self.findings);
        }
        self.objects.change((class, id), turn, at, change, &mut self.findings);
        match asked {
            true => self.requests.woken(at.task),
            false => self.requests.withdrawn(at, &mut self.findings),
        }
        self.tasks[usize::from(at.task) - 1].state = State::Ready;
        self.settle(at);
    }

    fn complete(&mut self, at: EventOrigin) {
        self.must_run(at, "said to be done");
        self.must(at, self.state(at) == State::Ready, "completes its job");
        self.cores[at.core].compare_before(at, "until its job is done", &mut self.findings);
        self.cores[at.core].dispatch_disabled = false;
        self.tasks[usize::from(at.task) - 1].end_priorities();
        self.end_job(at);
    }

    fn end_job(&mut self, at: EventOrigin) {
        self.tasks[usize::from(at.task) - 1].state = State::Dormant;
        self.mutexes.job_ends(at, &mut self.findings);
        self.settle(at);
        let core = &mut self.cores[at.core];
        core.running = core.running.filter(|task| *task != at.task);
    }

    fn terminate(&mut self, at: EventOrigin, turn: u8, ended: Ended) {
        match (self.state(at), ended) {
            (State::Ready, Ended::Awake) => {}
            (State::Waiting(class, id), Ended::Waiting | Ended::Woken) => {
                let served = ended == Ended::Woken;
                let change = if served { Change::Served } else { Change::Withdrawn };
                self.objects.change((class, id), turn, at, change, &mut self.findings);
                if served {
                    self.requests.woken(at.task);
                }
            }
            _ => self.must(at, false, "is ended"),
        }
        self.end_job(at);
    }

    fn suspend(&mut self, at: EventOrigin) {
        let right = self.state(at) != State::Dormant;
        let task = &mut self.tasks[usize::from(at.task) - 1];
        let twice = std::mem::replace(&mut task.suspended, true);
        self.must(at, right && !twice, "is suspended");
        self.settle(at);
    }

    fn unsuspend(&mut self, at: EventOrigin) {
        let was = std::mem::take(&mut self.tasks[usize::from(at.task) - 1].suspended);
        self.must(at, was, "is resumed");
        self.settle(at);
    }

    /// Records that a waiting task has left its object's queue and joined it again, in the turn
    /// before `turn` and in `turn`.
    fn requeue(&mut self, at: EventOrigin, turn: u8, priority: u8) {
        if let State::Waiting(class, id) = self.state(at) {
            let (turn, change) = (turn.wrapping_sub(1), Change::Requeue(priority));
            self.objects.change((class, id), turn, at, change, &mut self.findings);
        }
    }

    fn priority(&mut self, at: EventOrigin, priority: u8, first: bool) {
        self.cores[at.core].changing = true;
        let task = &mut self.tasks[usize::from(at.task) - 1];
        task.priority = priority;
        if first && task.is_queued() {
            let core = &mut self.cores[at.core];
            core.remove(at.task);
            core.insert_first(at.task, priority);
        } else {
            self.settle(at);
        }
    }
}
