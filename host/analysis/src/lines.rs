// SPDX-License-Identifier: Apache-2.0
//! Lines of memory that jobs move.

use std::ops::{Add, Mul};

use takt_model::MemoryLines;

/// Lines that jobs move. Sums and products saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Lines that none of the core's own caches has.
    pub reads: u64,
    /// Changed lines that leave the core's own caches.
    pub writes: u64,
}

impl Lines {
    /// The transfers at the memory's controllers: a line that is read may displace a changed one from the shared cache.
    pub fn transfers(self) -> u64 {
        self.reads.saturating_mul(2).saturating_add(self.writes)
    }
}

impl From<MemoryLines> for Lines {
    fn from(lines: MemoryLines) -> Self {
        Lines { reads: lines.reads.into(), writes: lines.writes.into() }
    }
}

impl Add for Lines {
    type Output = Lines;
    fn add(self, other: Lines) -> Lines {
        Lines {
            reads: self.reads.saturating_add(other.reads),
            writes: self.writes.saturating_add(other.writes),
        }
    }
}

impl Mul<u64> for Lines {
    type Output = Lines;
    fn mul(self, times: u64) -> Lines {
        Lines { reads: self.reads.saturating_mul(times), writes: self.writes.saturating_mul(times) }
    }
}
