// SPDX-License-Identifier: Apache-2.0
//! Mutexes: who holds one, and that it runs at what the mutex lends it.

use takt_model::{Protocol, System};
use takt_record::Class;

use super::task::{State, Task};
use super::{At, Found};
use crate::report::Expected;

#[derive(Debug)]
struct Mutex {
    name: String,
    protocol: Protocol,
    /// As described, or the highest priority of the users.
    ceiling: u8,
    holder: Option<u16>,
    /// Locked, before the record has told that the holder has unlocked it.
    early: Option<At>,
}

#[derive(Debug)]
pub struct Mutexes {
    /// By ID - 1.
    all: Vec<Mutex>,
    lost: bool,
}

impl Mutexes {
    pub fn new(system: &System, expected: &[Expected]) -> Mutexes {
        let ceiling = |index| {
            let uses = |task: &takt_model::Task| task.mutexes.iter().any(|it| it.mutex == index);
            let users = system.tasks.iter().zip(expected).filter(|(task, _)| uses(task));
            users.map(|(_, expected)| expected.priority).min()
        };
        let all = system.mutexes.iter().enumerate().map(|(index, it)| Mutex {
            name: it.name.clone(),
            protocol: it.protocol,
            ceiling: it.ceiling.or_else(|| ceiling(index)).unwrap_or(u8::MAX),
            holder: None,
            early: None,
        });
        Mutexes { all: all.collect(), lost: false }
    }

    pub fn lose(&mut self) {
        self.lost = true;
    }

    fn get(&mut self, id: u32) -> Option<&mut Mutex> {
        let lost = self.lost;
        self.all.get_mut((id as usize).wrapping_sub(1)).filter(|_| !lost)
    }

    /// Of an equal tick the record may tell another core's lock before the holder's unlock.
    pub fn lock(&mut self, at: At, id: u32, found: &mut Found) {
        let Some(mutex) = self.get(id) else { return };
        mutex.still_held(found);
        match mutex.holder {
            Some(_) if mutex.protocol == Protocol::Msrp => mutex.early = Some(at),
            Some(holder) => mutex.held(at, holder, found),
            None => mutex.holder = Some(at.task),
        }
    }

    pub fn unlock(&mut self, at: At, id: u32, found: &mut Found) {
        let Some(mutex) = self.get(id) else { return };
        if mutex.holder != Some(at.task) {
            let what = format!("it unlocks mutex {}, but does not hold it", mutex.name);
            found.add(at, "object", what);
        }
        let next = mutex.early.take_if(|early| early.ticks >= at.ticks);
        mutex.still_held(found);
        mutex.holder = next.map(|next| next.task);
    }

    /// A job is over.
    pub fn job_ends(&mut self, at: At, found: &mut Found) {
        for mutex in self.all.iter_mut().filter(|it| it.holder == Some(at.task)) {
            if !self.lost {
                let what = format!("its job ends, but it holds mutex {}", mutex.name);
                found.add(at, "object", what);
            }
            mutex.holder = None;
        }
    }

    pub fn at_the_end(&mut self, found: &mut Found) {
        for mutex in self.all.iter_mut().filter(|_| !self.lost) {
            mutex.still_held(found);
        }
    }

    /// At an instant at which all that is to be lent on the core has been lent.
    pub fn compare(&self, at: At, tasks: &[Task], found: &mut Found) {
        if self.lost {
            return;
        }
        for (id, mutex) in (1_u16..).zip(&self.all) {
            let holder = mutex.holder.map(|id| (id, &tasks[usize::from(id) - 1]));
            let Some((id, holder, lent)) = holder
                .filter(|(_, task)| task.core == at.core)
                .and_then(|(task, it)| Some((task, it, mutex.lent(id, tasks)?)))
            else {
                continue;
            };
            if holder.priority > lent {
                let what = format!(
                    "it holds mutex {}, which lends it priority {lent}, but it has {}",
                    mutex.name, holder.priority
                );
                found.add(At { task: id, ..at }, "lent", what);
            }
        }
    }
}

impl Mutex {
    fn lent(&self, id: u16, tasks: &[Task]) -> Option<u8> {
        let waits = |task: &&Task| task.state == State::Waiting(Class::Mutex, id);
        match self.protocol {
            Protocol::Ceiling => Some(self.ceiling),
            Protocol::Inherit => tasks.iter().filter(waits).map(|task| task.priority).min(),
            Protocol::Msrp | Protocol::Plain => None,
        }
    }

    fn held(&self, at: At, holder: u16, found: &mut Found) {
        let what = format!("it locks mutex {}, which {} holds", self.name, found.name(holder));
        found.add(at, "exclusion", what);
    }

    /// What was told early was not early.
    fn still_held(&mut self, found: &mut Found) {
        if let (Some(at), Some(holder)) = (self.early.take(), self.holder) {
            self.held(at, holder, found);
        }
    }
}
