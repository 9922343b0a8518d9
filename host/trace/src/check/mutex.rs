// SPDX-License-Identifier: Apache-2.0
//! The mutexes: which task holds each, and that it has the priority that the mutex gives it.

use takt_model::{Protocol, System};
use takt_record::Class;

use super::task::{State, Task};
use super::{EventOrigin, Findings};
use crate::report::Expected;

#[derive(Debug)]
struct Mutex {
    name: String,
    protocol: Protocol,
    /// The described ceiling, or else the highest priority of the users.
    ceiling: u8,
    holder: Option<u16>,
    /// A lock that was read before the holder's unlock.
    early: Option<EventOrigin>,
}

#[derive(Debug)]
pub struct Mutexes {
    /// The mutexes by ID - 1.
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

    /// Checks a lock. Within a tick, a lock by another core may be read before the holder's unlock.
    pub fn lock(&mut self, at: EventOrigin, id: u32, findings: &mut Findings) {
        let Some(mutex) = self.get(id) else { return };
        mutex.still_held(findings);
        match mutex.holder {
            Some(_) if mutex.protocol == Protocol::Msrp => mutex.early = Some(at),
            Some(holder) => mutex.held(at, holder, findings),
            None => mutex.holder = Some(at.task),
        }
    }

    pub fn unlock(&mut self, at: EventOrigin, id: u32, findings: &mut Findings) {
        let Some(mutex) = self.get(id) else { return };
        if mutex.holder != Some(at.task) {
            let what = format!("it unlocks mutex {}, but does not hold it", mutex.name);
            findings.add(at, "object", what);
        }
        let next = mutex.early.take_if(|early| early.ticks >= at.ticks);
        mutex.still_held(findings);
        mutex.holder = next.map(|next| next.task);
    }

    /// Checks that a task whose job ends holds no mutex.
    pub fn job_ends(&mut self, at: EventOrigin, findings: &mut Findings) {
        for mutex in self.all.iter_mut().filter(|it| it.holder == Some(at.task)) {
            if !self.lost {
                let what = format!("its job ends, but it holds mutex {}", mutex.name);
                findings.add(at, "object", what);
            }
            mutex.holder = None;
        }
    }

    pub fn at_the_end(&mut self, findings: &mut Findings) {
        for mutex in self.all.iter_mut().filter(|_| !self.lost) {
            mutex.still_held(findings);
        }
    }

    /// Checks the priorities of the holders on a core, at an instant at which every inherited
    /// priority of that core is in effect.
    pub fn compare(&self, at: EventOrigin, tasks: &[Task], findings: &mut Findings) {
        if self.lost {
            return;
        }
        for (id, mutex) in (1_u16..).zip(&self.all) {
            let holder = mutex.holder.map(|id| (id, &tasks[usize::from(id) - 1]));
            let Some((id, holder, raised)) = holder
                .filter(|(_, task)| task.core == at.core)
                .and_then(|(task, it)| Some((task, it, mutex.raised(id, tasks)?)))
            else {
                continue;
            };
            if holder.priority > raised {
                let what = format!(
                    "it holds mutex {}, which raises it to priority {raised}, but it has {}",
                    mutex.name, holder.priority
                );
                findings.add(EventOrigin { task: id, ..at }, "protocol", what);
            }
        }
    }
}

impl Mutex {
    fn raised(&self, id: u16, tasks: &[Task]) -> Option<u8> {
        let waits = |task: &&Task| task.state == State::Waiting(Class::Mutex, id);
        match self.protocol {
            Protocol::Ceiling => Some(self.ceiling),
            Protocol::Inherit => tasks.iter().filter(waits).map(|task| task.priority).min(),
            Protocol::Msrp | Protocol::Plain => None,
        }
    }

    fn held(&self, at: EventOrigin, holder: u16, findings: &mut Findings) {
        let what = format!("it locks mutex {}, which {} holds", self.name, findings.name(holder));
        findings.add(at, "exclusion", what);
    }

    /// Reports an early lock: no unlock of the holder came in the same tick.
    fn still_held(&mut self, findings: &mut Findings) {
        if let (Some(at), Some(holder)) = (self.early.take(), self.holder) {
            self.held(at, holder, findings);
        }
    }
}
