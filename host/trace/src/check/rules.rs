// SPDX-License-Identifier: Apache-2.0
//! What each event permits, and what it changes.

use takt_record::schema::ENDED;

use super::object::{Change, name_of};
use super::task::State;
use super::{At, Checker};
use takt_record::Event;

/// The turn in an event's value.
fn turn(value: u32) -> u8 {
    (value >> 16) as u8
}

/// The object of a wait, a take or a give.
fn object(value: u32) -> (u32, u16) {
    (value >> 24, value as u16)
}

/// Kinds that only the owner of a task writes, of that task.
fn of_owner(kind: &str) -> bool {
    matches!(kind, "release" | "hold_back" | "complete" | "terminate" | "preempt" | "migrate")
        || matches!(kind, "wait" | "wake" | "suspend" | "unsuspend" | "priority")
}

impl Checker {
    pub(super) fn event(&mut self, at: At, event: &Event) {
        // What a task of another core is asked may be told by any.
        match event.kind {
            "post" => return self.requests.post(at, event.value),
            "queue" => return self.requests.queue(at, 1),
            "unqueue" => return self.requests.queue(at, -i64::from(event.value)),
            "take" => return self.taken(at, event.value),
            "give" => return self.counted(at, event.value, Change::Give),
            _ => {}
        }
        if self.cores[at.core].lost {
            return;
        }
        match event.kind {
            "timer" | "ipi" | "interrupt" => self.interrupt(at),
            "resume" if event.value != 0 => {} // a service routine goes on
            "resume" => self.resume(at),
            "dispatch" => self.dispatch(at),
            "dispatch_disable" => self.cores[at.core].dispatch_disabled = true,
            "mutex_lock" => self.mutexes.lock(at, event.value, &mut self.found),
            "mutex_unlock" => {
                self.cores[at.core].changing = true;
                self.mutexes.unlock(at, event.value, &mut self.found);
            }
            "dispatch_enable" => self.cores[at.core].dispatch_disabled = false,
            "arrive" => self.arrive(at),
            _ if at.task != 0 && of_owner(event.kind) && self.is_owner(at) => {
                self.of_task(at, event)
            }
            _ => {}
        }
    }

    fn taken(&mut self, at: At, value: u32) {
        let task = usize::from(at.task).checked_sub(1).and_then(|index| self.tasks.get(index));
        let priority = task.map_or(0, |task| task.priority);
        self.counted(at, value, Change::Take(priority));
    }

    fn counted(&mut self, at: At, value: u32, change: Change) {
        if matches!(name_of(object(value).0), "read" | "write") {
            self.cores[at.core].changing = true; // perhaps the end of a job, which then dispatches
        }
        self.objects.change(object(value), turn(value), at, change, &mut self.found);
    }

    fn is_owner(&mut self, at: At) -> bool {
        let owner = self.tasks.get(usize::from(at.task) - 1).map(|task| task.core);
        if owner != Some(at.core) {
            self.found.add(at, "core", "it is governed by a core that it does not belong to");
        }
        owner == Some(at.core)
    }

    /// Interrupts were enabled until now, so no section was under way.
    fn interrupt(&mut self, at: At) {
        let core = &mut self.cores[at.core];
        if !core.interrupted {
            core.compare(at, "when an interrupt comes", &mut self.found);
            self.mutexes.compare(at, &self.tasks, &mut self.found);
        }
        (core.interrupted, core.changing) = (true, false);
    }

    fn resume(&mut self, at: At) {
        let core = &mut self.cores[at.core];
        if !core.dispatch_disabled {
            core.must_be_first(at.task, at, "on after an interrupt", &mut self.found);
        }
        if core.running.is_some_and(|running| running != at.task) {
            self.found.add(at, "state", "it goes on after an interrupt, but did not run before");
        }
        core.running = Some(at.task);
        self.mutexes.compare(at, &self.tasks, &mut self.found);
        self.end_of_interrupt(at);
    }

    fn dispatch(&mut self, at: At) {
        let core = &mut self.cores[at.core];
        if core.dispatch_disabled && core.running.is_some() {
            self.found.add(at, "dispatch", "it is dispatched while dispatch is disabled");
        }
        core.must_be_first(at.task, at, "from here", &mut self.found);
        let task = usize::from(at.task).checked_sub(1).and_then(|index| self.tasks.get(index));
        if let Some(task) = task.filter(|task| !task.is_queued()) {
            self.found.add(at, "state", format!("it is dispatched, but {}", task.words()));
        }
        core.running = Some(at.task);
        self.mutexes.compare(at, &self.tasks, &mut self.found);
        self.end_of_interrupt(at);
    }

    /// The inbox has been emptied, if this was an interrupt of it.
    fn end_of_interrupt(&mut self, at: At) {
        self.cores[at.core].changing = false;
        if !std::mem::take(&mut self.cores[at.core].interrupted) {
            return;
        }
        for (id, task) in (1_u16..).zip(&self.tasks) {
            if task.core == at.core {
                self.requests.overdue(id, at, &mut self.found);
            }
        }
    }

    fn of_task(&mut self, at: At, event: &Event) {
        match event.kind {
            "release" => self.release(at),
            "migrate" => self.migrate(at, event.value),
            "hold_back" => self.hold_back(at),
            "preempt" => self.must_run(at, "preempted"),
            "wait" => self.wait(at, event.value),
            "wake" => self.wake(at, event.value),
            "complete" => self.complete(at),
            "terminate" => self.terminate(at, event.value),
            "suspend" => self.suspend(at),
            "unsuspend" => self.unsuspend(at),
            "priority" => self.priority(at, event.value),
            _ => {}
        }
    }

    fn must(&mut self, at: At, right: bool, does: &str) {
        if !right {
            let task = &self.tasks[usize::from(at.task) - 1];
            self.found.add(at, "state", format!("it {does}, but {}", task.words()));
        }
    }

    fn must_run(&mut self, at: At, does: &str) {
        let running = self.cores[at.core].running;
        if running != Some(at.task) {
            let who = running.map_or("nobody".to_string(), |task| self.found.name(task));
            self.found.add(at, "state", format!("it is {does}, but {who} runs"));
        }
    }

    /// Puts the task where its state says.
    pub(super) fn settle(&mut self, at: At) {
        let task = &self.tasks[usize::from(at.task) - 1];
        let core = &mut self.cores[at.core];
        core.remove(at.task);
        if task.is_queued() {
            core.insert(at.task, task.priority);
        }
    }

    fn state(&self, at: At) -> State {
        self.tasks[usize::from(at.task) - 1].state
    }

    fn release(&mut self, at: At) {
        self.must(at, self.state(at) == State::Dormant, "begins a job");
        self.requests.started(at.task);
        self.tasks[usize::from(at.task) - 1].begin_job();
        self.settle(at);
    }

    fn hold_back(&mut self, at: At) {
        self.must(at, self.state(at) == State::Dormant, "is held back");
        self.requests.started(at.task);
        self.tasks[usize::from(at.task) - 1].held_back = true;
    }

    fn wait(&mut self, at: At, value: u32) {
        self.must_run(at, "said to wait");
        self.must(at, self.state(at) == State::Ready, "begins to wait");
        if self.cores[at.core].dispatch_disabled {
            self.found.add(at, "dispatch", "it waits while dispatch is disabled");
        }
        self.cores[at.core].compare_before(at, "until it waits", &mut self.found);
        let (class, id) = object(value);
        let task = &mut self.tasks[usize::from(at.task) - 1];
        task.state = State::Waiting(class, id);
        let join = Change::Join(task.priority);
        self.objects.change((class, id), turn(value), at, join, &mut self.found);
        self.settle(at);
    }

    fn wake(&mut self, at: At, value: u32) {
        /// The object was reset: somebody else has ended the wait, and not well.
        const RESET: u8 = 51;
        let (well, asked) = (value as u8 == 0, matches!(value as u8, 0 | RESET));
        let State::Waiting(class, id) = self.state(at) else {
            return self.must(at, false, "is woken");
        };
        let change = if well { Change::Served } else { Change::Withdrawn };
        self.objects.change((class, id), turn(value), at, change, &mut self.found);
        match asked {
            true => self.requests.woken(at.task),
            false => self.requests.given_up(at, &mut self.found),
        }
        self.tasks[usize::from(at.task) - 1].state = State::Ready;
        self.settle(at);
    }

    fn complete(&mut self, at: At) {
        self.must_run(at, "said to be done");
        self.must(at, self.state(at) == State::Ready, "completes its job");
        self.cores[at.core].compare_before(at, "until its job is done", &mut self.found);
        self.cores[at.core].dispatch_disabled = false;
        self.end_job(at);
    }

    fn end_job(&mut self, at: At) {
        self.tasks[usize::from(at.task) - 1].state = State::Dormant;
        self.mutexes.job_ends(at, &mut self.found);
        self.settle(at);
        let core = &mut self.cores[at.core];
        core.running = core.running.filter(|task| *task != at.task);
    }

    fn terminate(&mut self, at: At, value: u32) {
        let ended = ENDED.get(usize::from(value as u8)).map_or("", |it| it.0);
        match (self.state(at), ended) {
            (State::Ready, "awake") => {}
            (State::Waiting(class, id), "waiting" | "woken") => {
                let served = ended == "woken";
                let change = if served { Change::Served } else { Change::Withdrawn };
                self.objects.change((class, id), turn(value), at, change, &mut self.found);
                if served {
                    self.requests.woken(at.task);
                }
            }
            _ => self.must(at, false, "is ended"),
        }
        self.end_job(at);
    }

    fn suspend(&mut self, at: At) {
        let right = self.state(at) != State::Dormant;
        let task = &mut self.tasks[usize::from(at.task) - 1];
        let twice = std::mem::replace(&mut task.suspended, true);
        self.must(at, right && !twice, "is suspended");
        self.settle(at);
    }

    fn unsuspend(&mut self, at: At) {
        let was = std::mem::take(&mut self.tasks[usize::from(at.task) - 1].suspended);
        self.must(at, was, "is resumed");
        self.settle(at);
    }

    fn priority(&mut self, at: At, value: u32) {
        self.must(at, self.state(at) != State::Dormant, "gets a priority");
        self.cores[at.core].changing = true;
        let (priority, moved, first) = (value as u8, value & 1 << 8 != 0, value & 1 << 9 != 0);
        if let (State::Waiting(class, id), true) = (self.state(at), moved) {
            // The value has the second of two turns.
            let turn = turn(value).wrapping_sub(1);
            let change = Change::Move(priority);
            self.objects.change((class, id), turn, at, change, &mut self.found);
        }
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
