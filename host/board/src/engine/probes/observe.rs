// SPDX-License-Identifier: Apache-2.0
//! An observer sees each access of a run as it is executed: for the search of races, for traces, for
//! comparing with another machine.
//!
//! It changes no timed run, and a run without one pays nothing for it: as with what a debugger
//! watches, the host's fast tables stay empty while somebody observes, and every access takes the
//! ways that look anyway. Without time that means that each access walks the page table.

use crate::{
    devices::Tick,
    isa::{Amo, Ordering},
};

/// Gets all accesses of all initiators.
///
/// Those of one initiator come in their order. A hart that runs ahead reports its accesses before
/// others report earlier ones; sorted by time and initiator, with a sort that keeps the order of
/// equals, they are the same sequence however the machine steps.
pub trait Observer: Send + Sync {
    fn access(&mut self, access: &Access);
}

impl<F: FnMut(&Access) + Send + Sync> Observer for F {
    fn access(&mut self, access: &Access) {
        self(access)
    }
}

/// What one initiator did at one place. An access that faults is none; of one that crosses a line each
/// part is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The cycle in which its instruction began, or began anew after it had waited. A store is reported
    /// when it is executed, and others may see it later.
    pub time: Tick,
    /// A hart's index, or a device's number beyond the harts.
    pub initiator: u32,
    /// The instruction's address; 0 for a device.
    pub pc: u64,
    /// The address as the instruction has it; the physical address for a walk and a device.
    pub address: u64,
    pub bytes: u32,
    pub kind: Kind,
    pub location: Location,
    /// Whether an atomic instruction has the bit `aq`; `release`: `rl`.
    pub acquire: bool,
    pub release: bool,
    /// What was read (also by an atomic operation) or written; of more than 8 bytes the first 8.
    /// 0 of fetches, fences and cache blocks.
    pub value: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A line is fetched when control comes to it from another, or as the second of an instruction that
    /// crosses two.
    Fetch,
    /// An entry of a page table that translation reads.
    Walk,
    /// One whose A or D bit translation sets.
    WalkUpdate,
    Load,
    Store,
    LoadReserved,
    StoreConditional {
        done: bool,
    },
    Atomic {
        amo: Amo,
        operand: u64,
    },
    /// Sets of I 8, O 4, R 2, W 1.
    Fence {
        predecessor: u8,
        successor: u8,
    },
    /// `fence.i`.
    FenceInstructions,
    /// `sfence.vma`.
    FenceTranslation,
    CacheBlock,
    DmaRead,
    DmaWrite,
}

/// Where an access led to: what two accesses to one thing have in common, whatever their addresses are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Location {
    /// At this physical address.
    Memory(u64),
    Scratchpad {
        core: u32,
        /// From its start.
        offset: u64,
    },
    /// A device or the ROM, at this physical address.
    Device(u64),
    Nowhere,
}

/// The observer of a machine. A copy of the machine has none.
#[derive(Default)]
pub(super) struct Observed(Option<Box<dyn Observer>>);

impl Clone for Observed {
    fn clone(&self) -> Observed {
        Observed(None)
    }
}

impl Observed {
    pub fn new(observer: Option<Box<dyn Observer>>) -> Observed {
        Observed(observer)
    }

    #[inline(always)]
    pub fn is_some(&self) -> bool {
        self.0.is_some()
    }

    pub fn report(&mut self, access: &Access) {
        if let Some(observer) = &mut self.0 {
            observer.access(access);
        }
    }
}

/// The order of an access that has none of its own.
pub const PLAIN: Ordering = Ordering { acquire: false, release: false };
