// SPDX-License-Identifier: Apache-2.0
//! Who holds a reader-writer lock, and who could.

use std::collections::BTreeMap;

/// By task: whether it writes.
#[derive(Debug, Default)]
pub struct Held {
    holders: BTreeMap<u16, bool>,
    wanted: BTreeMap<u16, bool>,
}

impl Held {
    fn fits(&self, writes: bool) -> bool {
        if writes { self.holders.is_empty() } else { !self.holders.values().any(|other| *other) }
    }

    pub fn wait(&mut self, task: u16, writes: bool) {
        self.wanted.insert(task, writes);
    }

    pub fn withdraw(&mut self, task: u16) {
        self.wanted.remove(&task);
    }

    /// Whether one that waits could hold the lock now.
    pub fn could(&self, task: u16) -> bool {
        self.wanted.get(&task).is_some_and(|writes| self.fits(*writes))
    }

    /// False: beside others that it excludes, or again.
    pub fn take(&mut self, task: u16, writes: bool) -> bool {
        let right = self.fits(writes);
        self.holders.insert(task, writes).is_none() && right
    }

    pub fn serve(&mut self, task: u16) -> bool {
        let writes = self.wanted.remove(&task).unwrap_or(false);
        self.take(task, writes)
    }

    /// False: it did not hold it so.
    pub fn give(&mut self, task: u16, writes: bool) -> bool {
        self.holders.remove(&task) == Some(writes)
    }
}
