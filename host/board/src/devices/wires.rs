// SPDX-License-Identifier: Apache-2.0
//! Outgoing wires of a device: their levels, and what changed since somebody asked.

use serde::{Deserialize, Serialize};

use super::Edge;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Wires {
    levels: Vec<bool>,
    changed: Vec<Edge>,
}

impl Wires {
    pub(super) fn new(count: usize) -> Wires {
        Wires { levels: vec![false; count], changed: Vec::new() }
    }

    pub(super) fn count(&self) -> usize {
        self.levels.len()
    }

    pub(super) fn level(&self, wire: usize) -> bool {
        self.levels[wire]
    }

    pub(super) fn set(&mut self, wire: usize, level: bool) {
        if self.levels[wire] != level {
            self.levels[wire] = level;
            self.changed.push(Edge { wire: wire as u32, level });
        }
    }

    pub(super) fn take(&mut self, out: &mut Vec<Edge>) {
        out.append(&mut self.changed);
    }
}
