// SPDX-License-Identifier: Apache-2.0
//! The holders of a reader-writer lock, and the tasks that wait for it.

use std::collections::BTreeMap;

/// For each task whether it writes.
#[derive(Debug, Default)]
pub struct Holders {
    holders: BTreeMap<u16, bool>,
    wanted: BTreeMap<u16, bool>,
}

impl Holders {
    fn compatible(&self, writes: bool) -> bool {
        if writes { self.holders.is_empty() } else { !self.holders.values().any(|other| *other) }
    }

    pub fn wait(&mut self, task: u16, writes: bool) {
        self.wanted.insert(task, writes);
    }

    pub fn withdraw(&mut self, task: u16) {
        self.wanted.remove(&task);
    }

    /// Whether a waiting task could be granted the lock now.
    pub fn grantable(&self, task: u16) -> bool {
        self.wanted.get(&task).is_some_and(|writes| self.compatible(*writes))
    }

    /// Adds a holder; returns false if it holds the lock already or if another holder excludes it.
    pub fn take(&mut self, task: u16, writes: bool) -> bool {
        let right = self.compatible(writes);
        self.holders.insert(task, writes).is_none() && right
    }

    pub fn serve(&mut self, task: u16) -> bool {
        let writes = self.wanted.remove(&task).unwrap_or(false);
        self.take(task, writes)
    }

    /// Removes a holder; returns false if the task did not hold the lock in this way.
    pub fn give(&mut self, task: u16, writes: bool) -> bool {
        self.holders.remove(&task) == Some(writes)
    }
}
