// SPDX-License-Identifier: Apache-2.0
//! What the record says of one core: who runs, and who should.

use super::{At, Found};

#[derive(Debug, Default)]
pub struct Core {
    /// Who runs, 0: nobody. None: its job has ended, and what follows it has not been told; so also
    /// at first, when the start hook may have made tasks ready.
    pub running: Option<u16>,
    pub dispatch_disabled: bool,
    /// In a handler.
    pub interrupted: bool,
    /// A section may be under way that changes who should run before the running task waits or ends:
    /// it gives mutexes back, or lends its priority.
    pub changing: bool,
    /// Events are missing: nothing is known.
    pub lost: bool,
    /// Priority and task, in the order in which they should run.
    ready: Vec<(u8, u16)>,
}

impl Core {
    /// Behind all others of its priority.
    pub fn insert(&mut self, task: u16, priority: u8) {
        let place = self.ready.partition_point(|(other, _)| *other <= priority);
        self.ready.insert(place, (priority, task));
    }

    /// Before all others of its priority.
    pub fn insert_first(&mut self, task: u16, priority: u8) {
        let place = self.ready.partition_point(|(other, _)| *other < priority);
        self.ready.insert(place, (priority, task));
    }

    pub fn remove(&mut self, task: u16) {
        self.ready.retain(|(_, other)| *other != task);
    }

    /// Who should run, 0: nobody.
    pub fn first(&self) -> u16 {
        self.ready.first().map_or(0, |(_, task)| *task)
    }

    /// An instant at which the kernel is in no section: who runs must be who should.
    pub fn compare(&self, at: At, when: &str, found: &mut Found) {
        let Some(running) = self.running.filter(|_| !self.dispatch_disabled) else { return };
        self.must_be_first(running, at, when, found);
    }

    /// The same for the section in which the running task waits or ends, as it began.
    pub fn compare_before(&self, at: At, when: &str, found: &mut Found) {
        if !self.changing {
            self.compare(at, when, found);
        }
    }

    /// `task` runs, or is about to.
    pub fn must_be_first(&self, task: u16, at: At, when: &str, found: &mut Found) {
        let first = self.first();
        if first == task {
            return;
        }
        let (runs, should) = (found.name(task), found.name(first));
        let priority = |id| self.ready.iter().find(|(_, other)| *other == id).map(|it| it.0);
        let (rule, why) = match (priority(task), priority(first)) {
            (_, None) => ("state", "nothing is ready".to_string()),
            (None, Some(level)) => ("priority", format!("{should} is ready with priority {level}")),
            (Some(mine), Some(level)) if mine == level => {
                ("fifo", format!("{should}, of the same priority, became ready before"))
            }
            (Some(mine), Some(level)) => {
                ("priority", format!("{should} is ready with priority {level}, it has {mine}"))
            }
        };
        found.add(At { task, ..at }, rule, format!("{runs} runs {when}, but {why}"));
    }
}
