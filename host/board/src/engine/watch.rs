// SPDX-License-Identifier: Apache-2.0
//! Stops for a debugger: before instructions, at accesses to watched bytes, after one instruction.
//!
//! None of them changes a run. The hart that is stopped pauses between two instructions, as it does
//! anyway wherever the machine looks at something else, and its clock stands. What is watched or
//! holds a stop is left out of the host's fast tables, and those cost no modelled time.

use super::machine::{End, Machine};
use crate::isa::{Access, Pause};

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
    pub(super) fn overlaps(&self, offset: u64, bytes: u64) -> bool {
        offset < self.offset + self.bytes && self.offset < offset + bytes
    }

    pub(super) fn sees(&self, offset: u64, bytes: u64, access: Access) -> bool {
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

impl Machine {
    /// Before which instructions the machine stops.
    pub fn stops(&self) -> &[u64] {
        &self.stops
    }

    /// The machine stops before the instructions at these addresses, as the harts' pc has them.
    pub fn set_stops(&mut self, stops: Vec<u64>) {
        self.stops = stops;
        self.units.iter_mut().for_each(|unit| unit.core.code.forget());
    }

    pub fn set_watches(&mut self, watches: Vec<Watch>) {
        self.world.watches = watches;
        self.units.iter_mut().for_each(|unit| unit.core.pages.clear());
    }

    /// The machine stops when the hart has completed an instruction or taken a trap.
    pub fn set_step(&mut self, hart: Option<u32>) {
        self.step = hart;
    }

    /// Whether the hart that has just paused ends the run for now.
    pub(super) fn stopped(&mut self, index: usize, pause: Pause) -> Option<End> {
        let hart = index as u32;
        let unit = &mut self.units[index];
        let here = Some((unit.hart.pc, unit.hart.instret));
        // An instruction at a stop may wait several times.
        let told = std::mem::replace(&mut unit.told, here) == here;
        if let Some(hit) = self.hit.take() {
            return Some(End::Watch { hart, hit });
        }
        if self.step == Some(hart) && pause != Pause::Waiting {
            return Some(End::Step { hart });
        }
        let stop = !told && self.stops.contains(&self.units[index].hart.pc);
        stop.then_some(End::Stop { hart })
    }
}
