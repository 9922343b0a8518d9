// SPDX-License-Identifier: Apache-2.0
//! Stops for a debugger: before instructions, at accesses to watched bytes, after one instruction.
//!
//! None of them changes a run. The hart that is stopped pauses between two instructions, as it does
//! anyway wherever the machine looks at something else, and its clock stands. What is watched or
//! holds a stop is left out of the host's fast tables, and those cost no modelled time.

use crate::isa::Access;

/// Bytes of RAM that are watched, whatever the address space and the hart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Watch {
    /// In RAM.
    pub offset: u64,
    pub bytes: u64,
    pub reads: bool,
    pub writes: bool,
}

impl Watch {
    pub fn overlaps(&self, offset: u64, bytes: u64) -> bool {
        offset < self.offset + self.bytes && self.offset < offset + bytes
    }

    pub fn sees(&self, offset: u64, bytes: u64, access: Access) -> bool {
        let kind = match access {
            Access::Load => self.reads,
            Access::Store => self.writes,
            Access::Fetch | Access::CacheBlock => false,
        };
        kind && self.overlaps(offset, bytes)
    }
}

/// An access to watched bytes by an instruction that is complete. A store may be in the store buffer
/// yet: the hart sees it, others do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The first watched byte, as the hart has its address.
    pub address: u64,
    pub access: Access,
    pub watch: Watch,
}
