// SPDX-License-Identifier: Apache-2.0
//! The queues of objects, and the counts of semaphores, replayed in the order of the turns.

use std::collections::BTreeMap;

use takt_model::{Order, Placement, System};
use takt_record::Class;

use super::reader_writer::Holders;
use super::{EventOrigin, Findings, PATIENCE};
use crate::names;

#[derive(Clone, Copy, Debug)]
pub enum Change {
    /// A task begins to wait, with this priority.
    Join(u8),
    /// A task has got what it waited for.
    Served,
    Withdrawn,
    /// The priority of a waiting task has changed, which takes two turns.
    Requeue(u8),
    /// A task takes the object without waiting; it has this priority.
    Take(u8),
    Give,
}

#[derive(Debug)]
struct Step {
    turn: u8,
    at: EventOrigin,
    change: Change,
    /// Whether a reader-writer lock is locked for writing.
    writes: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Queue {
    Fifo,
    Priority,
    /// Senders are queued by priority and receivers in FIFO order; the record does not tell which
    /// of them wait.
    Either,
    /// The order depends on what each task waits for.
    Any,
}

/// How an object serves its tasks: the fields of the same names in [`Object`].
struct Service {
    queue: Queue,
    count: Option<(u32, u32)>,
    held: Option<Holders>,
}

/// How each object of a class serves its tasks, in the order of the IDs.
fn services(system: &System, class: Class) -> Vec<Service> {
    let plain = |queue| Service { queue, count: None, held: None };
    let one = |order| if order == Order::Priority { Queue::Priority } else { Queue::Fifo };
    let both = |order| if order == Order::Priority { Queue::Either } else { Queue::Fifo };
    match class {
        Class::None => Vec::new(),
        Class::Write => Vec::new(), // the objects are those of `Class::Read`
        Class::Semaphore => (system.semaphores.iter())
            .map(|it| Service { count: Some((it.initial, it.maximum)), ..plain(one(it.order)) })
            .collect(),
        Class::Flag => system.flags.iter().map(|_| plain(Queue::Any)).collect(),
        Class::DataQueue => system.data_queues.iter().map(|it| plain(both(it.order))).collect(),
        Class::PriorityDataQueue => {
            system.priority_data_queues.iter().map(|it| plain(both(it.order))).collect()
        }
        Class::MessageBuffer => {
            system.message_buffers.iter().map(|it| plain(both(it.order))).collect()
        }
        Class::Mutex => system.mutexes.iter().map(|it| plain(one(it.order))).collect(),
        Class::MemoryPool => system.memory_pools.iter().map(|it| plain(one(it.order))).collect(),
        Class::Barrier => system.barriers.iter().map(|_| plain(Queue::Fifo)).collect(),
        Class::Read => (system.reader_writer_locks.iter())
            .map(|it| Service { held: Some(Holders::default()), ..plain(one(it.order)) })
            .collect(),
        Class::SpinLock => (system.spin_locks.iter())
            .map(|_| Service { count: Some((1, 1)), ..plain(Queue::Fifo) })
            .collect(),
    }
}

#[derive(Debug)]
struct Object {
    name: String,
    queue: Queue,
    /// The count of a semaphore, and its maximum.
    count: Option<(u32, u32)>,
    /// The holders of a reader-writer lock.
    held: Option<Holders>,
    /// Since when the first task that waits for a reader-writer lock could be granted it, in ticks.
    grantable_since: Option<u64>,
    /// The time of the latest change, in ticks.
    latest: u64,
    /// The turn of the next change.
    next: u8,
    /// The changes that were read before their turn.
    early: Vec<Step>,
    /// The priority and ID of the waiting tasks, in the order in which they came.
    waiting: Vec<(u8, u16)>,
}

#[derive(Debug)]
pub struct Objects {
    /// The objects by class and ID.
    all: BTreeMap<(Class, u16), Object>,
    lost: bool,
}

impl Objects {
    pub fn new(system: &System) -> Objects {
        let mut objects = Objects { all: BTreeMap::new(), lost: false };
        // The unit counts no turns.
        let classes = Class::ALL.iter().filter(|_| system.kernel.placement != Placement::Rtu);
        for class in classes {
            for (place, service) in services(system, *class).into_iter().enumerate() {
                objects.add(*class, place, system, service);
            }
        }
        objects
    }

    fn add(&mut self, class: Class, place: usize, system: &System, service: Service) {
        let name = format!("{} {}", names::word(class), names::of_objects(system, class)[place]);
        let Service { queue, count, held } = service;
        let (early, waiting) = (Vec::new(), Vec::new());
        self.all.insert(
            (class, place as u16 + 1),
            Object {
                name,
                queue,
                count,
                held,
                grantable_since: None,
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

    /// Checks that no task is left waiting for a reader-writer lock that it could be granted for a
    /// long time.
    pub fn at_the_end(&self, at: EventOrigin, findings: &mut Findings) {
        for object in self.all.values().filter(|_| !self.lost) {
            if object.latest + PATIENCE < at.ticks {
                object.check_not_grantable(at, findings);
            }
        }
    }

    /// Checks a change of an object, which is given by class and ID. Objects of other classes are
    /// ignored.
    pub fn change(
        &mut self,
        object: (Class, u16),
        turn: u8,
        at: EventOrigin,
        change: Change,
        findings: &mut Findings,
    ) {
        let (class, writes) = match object.0 {
            Class::Write => (Class::Read, true), // readers and writers wait for the same object
            class => (class, false),
        };
        let Some(object) = self.all.get_mut(&(class, object.1)).filter(|_| !self.lost) else {
            return;
        };
        object.take(Step { turn, at, change, writes }, findings);
    }
}

impl Object {
    /// Applies a change in its turn. The record of one core may be read later than that of another,
    /// so an early change waits for its turn.
    fn take(&mut self, step: Step, findings: &mut Findings) {
        let again = (step.turn.wrapping_sub(self.next) as i8) < 0;
        if again || self.early.iter().any(|other| other.turn == step.turn) {
            let what = format!("two changes of {} at a time: its lock excludes nobody", self.name);
            findings.add(step.at, "exclusion", what);
            return;
        }
        self.check_missing_turn(&step, findings);
        self.early.push(step);
        while let Some(at) = self.early.iter().position(|step| step.turn == self.next) {
            let step = self.early.remove(at);
            self.next = self.next.wrapping_add(1);
            self.apply(&step, findings);
        }
    }

    /// Reports a turn that is missing for a long time: a wait has ended without an event. The
    /// replay goes on with the turns that are there.
    fn check_missing_turn(&mut self, now: &Step, findings: &mut Findings) {
        let late = |step: &Step| step.at.ticks + PATIENCE < now.at.ticks;
        if self.early.iter().any(late) {
            let what = format!("a task has left {}, and never learnt of it", self.name);
            findings.add(EventOrigin { task: 0, ..now.at }, "wake-up", what);
            let next = self.early.iter().map(|step| step.turn.wrapping_sub(self.next)).min();
            self.next = self.next.wrapping_add(next.unwrap_or(0));
        }
    }

    fn apply(&mut self, step: &Step, findings: &mut Findings) {
        self.replay(step, findings);
        let grantable = self.first_grantable().is_some();
        self.grantable_since = grantable.then(|| self.grantable_since.unwrap_or(step.at.ticks));
    }

    fn replay(&mut self, step: &Step, findings: &mut Findings) {
        let (task, name) = (step.at.task, self.name.clone());
        let waits = self.waiting.iter().any(|(_, other)| *other == task);
        // A lock that is granted to several tasks wakes one task in each section, and other changes
        // may come between the sections.
        if self.grantable_since.is_some_and(|since| since + PATIENCE < step.at.ticks)
            && !matches!(step.change, Change::Served)
        {
            self.check_not_grantable(step.at, findings);
        }
        self.latest = step.at.ticks;
        let mut wrong = |what: String| findings.add(step.at, "object", what);
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
            Change::Take(_) | Change::Give if self.held.is_some() => self.hold(step, findings),
            Change::Take(_) | Change::Give => self.count(step, findings),
            _ if !waits => wrong(format!("it ends a wait for {name}, but does not wait there")),
            Change::Served => self.serve(step, findings),
            Change::Withdrawn => {
                self.waiting.retain(|(_, other)| *other != task);
                if let Some(held) = &mut self.held {
                    held.withdraw(task);
                }
            }
            Change::Requeue(priority) => {
                self.next = self.next.wrapping_add(1);
                self.waiting.retain(|(_, other)| *other != task);
                self.waiting.push((priority, task));
            }
        }
    }

    /// The waiting task with the highest priority; of several, the one that came first.
    fn highest(&self) -> Option<(u8, u16)> {
        self.waiting.iter().min_by_key(|(priority, _)| *priority).copied()
    }

    /// The waiting task that must be served next.
    fn first(&self) -> Option<(u8, u16)> {
        if self.queue == Queue::Fifo { self.waiting.first().copied() } else { self.highest() }
    }

    /// The first task that waits for a reader-writer lock, if it could be granted the lock.
    fn first_grantable(&self) -> Option<u16> {
        let held = self.held.as_ref()?;
        self.first().map(|(_, task)| task).filter(|task| held.grantable(*task))
    }

    /// Checks that the first task that waits for a reader-writer lock cannot be granted it, because
    /// at this instant no section is granting it.
    fn check_not_grantable(&self, at: EventOrigin, findings: &mut Findings) {
        if let Some(task) = self.first_grantable() {
            let what =
                format!("{} waits for {}, but could hold it", findings.name(task), self.name);
            findings.add(at, "wake-up", what);
        }
    }

    fn hold(&mut self, step: &Step, findings: &mut Findings) {
        let (first, fifo) = (self.first(), self.queue == Queue::Fifo);
        let (Some(held), task, name) = (&mut self.held, step.at.task, &self.name) else { return };
        let Change::Take(priority) = step.change else {
            if !held.give(task, step.writes) {
                findings.add(
                    step.at,
                    "object",
                    format!("it gives {name} back, but does not hold it"),
                );
            }
            return;
        };
        if !held.take(task, step.writes) {
            findings.add(step.at, "exclusion", format!("it takes {name} beside others"));
        }
        if let Some((_, first)) = first.filter(|(other, _)| fifo || *other <= priority) {
            findings.add(
                step.at,
                "order",
                format!("it takes {name} before {}", findings.name(first)),
            );
        }
    }

    fn serve(&mut self, step: &Step, findings: &mut Findings) {
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
            let what = format!("{} serves it before {}", self.name, findings.name(before));
            findings.add(step.at, "order", what);
        }
        self.waiting.retain(|(_, other)| *other != task);
        if self.held.as_mut().is_some_and(|held| !held.serve(task)) {
            let what = format!("it is handed {} beside others", self.name);
            findings.add(step.at, "exclusion", what);
        }
    }

    fn count(&mut self, step: &Step, findings: &mut Findings) {
        let Some((count, maximum)) = &mut self.count else { return };
        let name = &self.name;
        match step.change {
            Change::Take(_) if *count == 0 => {
                findings.add(step.at, "exclusion", format!("it takes {name}, whose count is 0"));
            }
            Change::Take(_) => *count -= 1,
            _ => {
                if let Some((_, task)) = self.waiting.first() {
                    let what = format!(
                        "it signals {name} into the count, but {} waits",
                        findings.name(*task)
                    );
                    findings.add(step.at, "wake-up", what);
                }
                if *count == *maximum {
                    findings.add(step.at, "object", format!("it signals {name} above its maximum"));
                }
                *count += 1;
            }
        }
    }
}
