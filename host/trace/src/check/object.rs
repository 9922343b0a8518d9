// SPDX-License-Identifier: Apache-2.0
//! The queues of objects, and semaphores' counts, replayed in the order of their turns.

use std::collections::BTreeMap;

use takt_model::{Order, System, record::OBJECTS};

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
    Take,
    Give,
}

#[derive(Debug)]
struct Step {
    turn: u8,
    at: At,
    change: Change,
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
    all: BTreeMap<(u32, u16), Object>,
    lost: bool,
}

impl Objects {
    pub fn new(system: &System) -> Objects {
        let mut objects = Objects { all: BTreeMap::new(), lost: false };
        let order = |order| if order == Order::Priority { Queue::Priority } else { Queue::Fifo };
        let both = |order| if order == Order::Priority { Queue::Either } else { Queue::Fifo };
        for it in &system.semaphores {
            objects.add("semaphore", &it.name, order(it.order), Some((it.initial, it.maximum)));
        }
        for it in &system.flags {
            objects.add("flag", &it.name, Queue::Any, None);
        }
        for it in &system.data_queues {
            objects.add("data_queue", &it.name, both(it.order), None);
        }
        for it in &system.priority_data_queues {
            objects.add("priority_data_queue", &it.name, both(it.order), None);
        }
        for it in &system.message_buffers {
            objects.add("message_buffer", &it.name, both(it.order), None);
        }
        for it in &system.mutexes {
            objects.add("mutex", &it.name, order(it.order), None);
        }
        for it in &system.memory_pools {
            objects.add("memory_pool", &it.name, order(it.order), None);
        }
        for it in &system.barriers {
            objects.add("barrier", &it.name, Queue::Fifo, None);
        }
        objects
    }

    fn add(&mut self, class: &str, name: &str, queue: Queue, count: Option<(u32, u32)>) {
        let Some(number) = OBJECTS.iter().position(|(name, _)| *name == class) else { return };
        let number = number as u32;
        let id = self.all.keys().filter(|key| key.0 == number).count() as u16 + 1;
        let (early, waiting) = (Vec::new(), Vec::new());
        let name = format!("{class} {name}");
        self.all.insert((number, id), Object { name, queue, count, next: 1, early, waiting });
    }

    pub fn lose(&mut self) {
        self.lost = true;
    }

    /// `object`: class and ID. Objects of classes that are not known here are left alone.
    pub fn change(
        &mut self,
        object: (u32, u16),
        turn: u8,
        at: At,
        change: Change,
        found: &mut Found,
    ) {
        let Some(object) = self.all.get_mut(&object).filter(|_| !self.lost) else { return };
        object.take(Step { turn, at, change }, found);
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
        let (task, name) = (step.at.task, self.name.clone());
        let waits = self.waiting.iter().any(|(_, other)| *other == task);
        let mut wrong = |what: String| found.add(step.at, "object", what);
        match step.change {
            Change::Join(_) if waits => wrong(format!("it waits for {name} twice")),
            Change::Join(priority) => {
                if self.count.is_some_and(|(count, _)| count > 0) {
                    wrong(format!("it waits for {name}, whose count is not 0"));
                }
                self.waiting.push((priority, task));
            }
            Change::Take | Change::Give => self.count(step, found),
            _ if !waits => wrong(format!("it ends a wait for {name}, but does not wait there")),
            Change::Served => self.serve(step, found),
            Change::Withdrawn => self.waiting.retain(|(_, other)| *other != task),
            Change::Move(priority) => {
                self.next = self.next.wrapping_add(1);
                self.waiting.retain(|(_, other)| *other != task);
                self.waiting.push((priority, task));
            }
        }
    }

    fn serve(&mut self, step: &Step, found: &mut Found) {
        let (task, first) = (step.at.task, self.waiting[0].1);
        // The first of the highest priority: of equal ones the one that came first.
        let highest = self.waiting.iter().min_by_key(|(priority, _)| *priority).map(|it| it.1);
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
    }

    fn count(&mut self, step: &Step, found: &mut Found) {
        let Some((count, maximum)) = &mut self.count else { return };
        let name = &self.name;
        match step.change {
            Change::Take if *count == 0 => {
                found.add(step.at, "exclusion", format!("it takes {name}, whose count is 0"));
            }
            Change::Take => *count -= 1,
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
