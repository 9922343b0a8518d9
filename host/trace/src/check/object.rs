// SPDX-License-Identifier: Apache-2.0
//! The queues of objects, and semaphores' counts, replayed in the order of their turns.

use std::collections::BTreeMap;

use takt_model::{Order, System};
use takt_record::Class;

use super::reader_writer::Held;
use super::{At, Found, PATIENCE};

#[derive(Clone, Copy, Debug)]
pub enum Change {
    /// A task waits from here, with its priority.
    Join(u8),
    /// It waits no longer: it got what it waited for, or not.
    Served,
    Withdrawn,
    /// Its priority has changed: two turns.
    Move(u8),
    /// Without a wait, with its priority.
    Take(u8),
    Give,
}

#[derive(Debug)]
struct Step {
    turn: u8,
    at: At,
    change: Change,
    /// Of a reader-writer lock.
    writes: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Queue {
    Fifo,
    Priority,
    /// Those who give by priority, those who take in FIFO order: the record does not say which.
    Either,
    /// What each waits for decides.
    Any,
}

#[derive(Debug)]
struct Object {
    name: String,
    queue: Queue,
    /// Of a semaphore, and its maximum.
    count: Option<(u32, u32)>,
    /// Of a reader-writer lock.
    held: Option<Held>,
    /// Since when the first that waits for a reader-writer lock could hold it.
    could_since: Option<u64>,
    /// When the latest change was.
    latest: u64,
    /// The turn that comes next.
    next: u8,
    /// What was told before its turn.
    early: Vec<Step>,
    /// Priority and task, in the order in which they came.
    waiting: Vec<(u8, u16)>,
}

#[derive(Debug)]
pub struct Objects {
    /// By class and ID.
    all: BTreeMap<(Class, u16), Object>,
    lost: bool,
}

impl Objects {
    pub fn new(system: &System) -> Objects {
        let mut objects = Objects { all: BTreeMap::new(), lost: false };
        let order = |order| if order == Order::Priority { Queue::Priority } else { Queue::Fifo };
        let both = |order| if order == Order::Priority { Queue::Either } else { Queue::Fifo };
        for it in &system.semaphores {
            objects.add(
                Class::Semaphore,
                &it.name,
                order(it.order),
                Some((it.initial, it.maximum)),
            );
        }
        for it in &system.flags {
            objects.add(Class::Flag, &it.name, Queue::Any, None);
        }
        for it in &system.data_queues {
            objects.add(Class::DataQueue, &it.name, both(it.order), None);
        }
        for it in &system.priority_data_queues {
            objects.add(Class::PriorityDataQueue, &it.name, both(it.order), None);
        }
        for it in &system.message_buffers {
            objects.add(Class::MessageBuffer, &it.name, both(it.order), None);
        }
        for it in &system.mutexes {
            objects.add(Class::Mutex, &it.name, order(it.order), None);
        }
        for it in &system.memory_pools {
            objects.add(Class::MemoryPool, &it.name, order(it.order), None);
        }
        for it in &system.barriers {
            objects.add(Class::Barrier, &it.name, Queue::Fifo, None);
        }
        for it in &system.reader_writer_locks {
            objects.add(Class::Read, &it.name, order(it.order), None);
        }
        for name in &system.spin_locks {
            objects.add(Class::SpinLock, name, Queue::Fifo, Some((1, 1)));
        }
        objects
    }

    fn add(&mut self, class: Class, name: &str, queue: Queue, count: Option<(u32, u32)>) {
        let held = (class == Class::Read).then(Held::default);
        let word = if held.is_some() { "reader_writer_lock" } else { class.name() };
        let id = self.all.keys().filter(|key| key.0 == class).count() as u16 + 1;
        let (early, waiting) = (Vec::new(), Vec::new());
        let name = format!("{word} {name}");
        self.all.insert(
            (class, id),
            Object {
                name,
                queue,
                count,
                held,
                could_since: None,
                latest: 0,
                next: 1,
                early,
                waiting,
            },
        );
    }

    pub fn lose(&mut self) {
        self.lost = true;
    }

    /// Who could hold a reader-writer lock has been told of it long ago.
    pub fn at_the_end(&self, at: At, found: &mut Found) {
        for object in self.all.values().filter(|_| !self.lost) {
            if object.latest + PATIENCE < at.ticks {
                object.nobody_could(at, found);
            }
        }
    }

    /// `object`: class and ID. Objects of classes that are not known here are left alone.
    pub fn change(
        &mut self,
        object: (Class, u16),
        turn: u8,
        at: At,
        change: Change,
        found: &mut Found,
    ) {
        let (class, writes) = match object.0 {
            Class::Write => (Class::Read, true), // they are one object
            class => (class, false),
        };
        let Some(object) = self.all.get_mut(&(class, object.1)).filter(|_| !self.lost) else {
            return;
        };
        object.take(Step { turn, at, change, writes }, found);
    }
}

impl Object {
    /// The record of one core may be behind that of another: what is early waits for its turn.
    fn take(&mut self, step: Step, found: &mut Found) {
        let again = (step.turn.wrapping_sub(self.next) as i8) < 0;
        if again || self.early.iter().any(|other| other.turn == step.turn) {
            let what = format!("two changes of {} at a time: its lock excludes nobody", self.name);
            found.add(step.at, "exclusion", what);
            return;
        }
        self.missing(&step, found);
        self.early.push(step);
        while let Some(at) = self.early.iter().position(|step| step.turn == self.next) {
            let step = self.early.remove(at);
            self.next = self.next.wrapping_add(1);
            self.apply(&step, found);
        }
    }

    /// The end of a wait that nobody has told: from there on the order is not known.
    fn missing(&mut self, now: &Step, found: &mut Found) {
        let late = |step: &Step| step.at.ticks + PATIENCE < now.at.ticks;
        if self.early.iter().any(late) {
            let what = format!("a task has left {}, and never learnt of it", self.name);
            found.add(At { task: 0, ..now.at }, "wake-up", what);
            let next = self.early.iter().map(|step| step.turn.wrapping_sub(self.next)).min();
            self.next = self.next.wrapping_add(next.unwrap_or(0));
        }
    }

    fn apply(&mut self, step: &Step, found: &mut Found) {
        self.replay(step, found);
        let could = self.first_could().is_some();
        self.could_since = could.then(|| self.could_since.unwrap_or(step.at.ticks));
    }

    fn replay(&mut self, step: &Step, found: &mut Found) {
        let (task, name) = (step.at.task, self.name.clone());
        let waits = self.waiting.iter().any(|(_, other)| *other == task);
        // Who hands a lock over to many wakes one in each section: others may come between.
        if self.could_since.is_some_and(|since| since + PATIENCE < step.at.ticks)
            && !matches!(step.change, Change::Served)
        {
            self.nobody_could(step.at, found);
        }
        self.latest = step.at.ticks;
        let mut wrong = |what: String| found.add(step.at, "object", what);
        match step.change {
            Change::Join(_) if waits => wrong(format!("it waits for {name} twice")),
            Change::Join(priority) => {
                if self.count.is_some_and(|(count, _)| count > 0) {
                    wrong(format!("it waits for {name}, whose count is not 0"));
                }
                self.waiting.push((priority, task));
                if let Some(held) = &mut self.held {
                    held.wait(task, step.writes);
                }
            }
            Change::Take(_) | Change::Give if self.held.is_some() => self.hold(step, found),
            Change::Take(_) | Change::Give => self.count(step, found),
            _ if !waits => wrong(format!("it ends a wait for {name}, but does not wait there")),
            Change::Served => self.serve(step, found),
            Change::Withdrawn => {
                self.waiting.retain(|(_, other)| *other != task);
                if let Some(held) = &mut self.held {
                    held.withdraw(task);
                }
            }
            Change::Move(priority) => {
                self.next = self.next.wrapping_add(1);
                self.waiting.retain(|(_, other)| *other != task);
                self.waiting.push((priority, task));
            }
        }
    }

    /// The first of the highest priority: of equal ones the one that came first.
    fn highest(&self) -> Option<(u8, u16)> {
        self.waiting.iter().min_by_key(|(priority, _)| *priority).copied()
    }

    /// Whose turn it is.
    fn first(&self) -> Option<(u8, u16)> {
        if self.queue == Queue::Fifo { self.waiting.first().copied() } else { self.highest() }
    }

    /// The first that waits for a reader-writer lock, if it could hold it.
    fn first_could(&self) -> Option<u16> {
        let held = self.held.as_ref()?;
        self.first().map(|(_, task)| task).filter(|task| held.could(*task))
    }

    /// While nobody hands it over the first that waits for a reader-writer lock cannot hold it.
    fn nobody_could(&self, at: At, found: &mut Found) {
        if let Some(task) = self.first_could() {
            let what = format!("{} waits for {}, but could hold it", found.name(task), self.name);
            found.add(at, "wake-up", what);
        }
    }

    fn hold(&mut self, step: &Step, found: &mut Found) {
        let (first, fifo) = (self.first(), self.queue == Queue::Fifo);
        let (Some(held), task, name) = (&mut self.held, step.at.task, &self.name) else { return };
        let Change::Take(priority) = step.change else {
            if !held.give(task, step.writes) {
                found.add(step.at, "object", format!("it gives {name} back, but does not hold it"));
            }
            return;
        };
        if !held.take(task, step.writes) {
            found.add(step.at, "exclusion", format!("it takes {name} beside others"));
        }
        if let Some((_, first)) = first.filter(|(other, _)| fifo || *other <= priority) {
            found.add(step.at, "order", format!("it takes {name} before {}", found.name(first)));
        }
    }

    fn serve(&mut self, step: &Step, found: &mut Found) {
        let (task, first) = (step.at.task, self.waiting[0].1);
        let highest = self.highest().map(|it| it.1);
        let (fifo, priority) = (first == task, highest == Some(task));
        let right = match self.queue {
            Queue::Fifo => fifo,
            Queue::Priority => priority,
            Queue::Either => fifo || priority,
            Queue::Any => true,
        };
        if !right {
            let before = if self.queue == Queue::Priority { highest.unwrap_or(0) } else { first };
            let what = format!("{} serves it before {}", self.name, found.name(before));
            found.add(step.at, "order", what);
        }
        self.waiting.retain(|(_, other)| *other != task);
        if self.held.as_mut().is_some_and(|held| !held.serve(task)) {
            let what = format!("it is handed {} beside others", self.name);
            found.add(step.at, "exclusion", what);
        }
    }

    fn count(&mut self, step: &Step, found: &mut Found) {
        let Some((count, maximum)) = &mut self.count else { return };
        let name = &self.name;
        match step.change {
            Change::Take(_) if *count == 0 => {
                found.add(step.at, "exclusion", format!("it takes {name}, whose count is 0"));
            }
            Change::Take(_) => *count -= 1,
            _ => {
                if let Some((_, task)) = self.waiting.first() {
                    let what = format!(
                        "it signals {name} into the count, but {} waits",
                        found.name(*task)
                    );
                    found.add(step.at, "wake-up", what);
                }
                if *count == *maximum {
                    found.add(step.at, "object", format!("it signals {name} above its maximum"));
                }
                *count += 1;
            }
        }
    }
}
