// SPDX-License-Identifier: Apache-2.0
//! Sv39: from virtual to physical addresses, one page-table entry at a time.

use super::hart::Privilege;
use serde::{Deserialize, Serialize};

/// What an access does, as far as permissions and exceptions go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Access {
    Fetch,
    /// Also LR.
    Load,
    /// Also SC and AMO.
    Store,
    /// A cache-block instruction: needs the right to load or to store, and faults as a store.
    CacheBlock,
}

impl Access {
    /// The exception's cause.
    pub fn page_fault(self) -> u64 {
        match self {
            Self::Fetch => 12,
            Self::Load => 13,
            Self::Store | Self::CacheBlock => 15,
        }
    }

    pub fn access_fault(self) -> u64 {
        match self {
            Self::Fetch => 1,
            Self::Load => 5,
            Self::Store | Self::CacheBlock => 7,
        }
    }

    pub fn misaligned(self) -> u64 {
        match self {
            Self::Fetch => 0,
            Self::Load => 4,
            Self::Store | Self::CacheBlock => 6,
        }
    }
}

/// How virtual addresses are translated, and for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Translation {
    /// False: addresses are physical.
    pub sv39: bool,
    /// The root page table's physical address.
    pub root: u64,
    pub asid: u16,
    /// The effective privilege of the access.
    pub privilege: Privilege,
    pub sum: bool,
    pub mxr: bool,
}

/// Whether bits 63 to 39 equal bit 38, as Sv39 wants.
pub fn is_canonical(address: u64) -> bool {
    ((address << 25) as i64 >> 25) as u64 == address
}

const VALID: u64 = 1;
const READ: u64 = 1 << 1;
const WRITE: u64 = 1 << 2;
const EXECUTE: u64 = 1 << 3;
const USER: u64 = 1 << 4;
const GLOBAL: u64 = 1 << 5;
const ACCESSED: u64 = 1 << 6;
const DIRTY: u64 = 1 << 7;
const PPN_MASK: u64 = (1 << 44) - 1;

/// A translated page, as a TLB keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mapping {
    /// The number of the mapping's first virtual page (27 bits).
    pub vpn: u64,
    /// The number of its first physical page.
    pub ppn: u64,
    /// 0: 4 KiB, 1: 2 MiB, 2: 1 GiB.
    pub level: u8,
    /// The entry's low eight bits.
    pub flags: u8,
}

impl Mapping {
    /// Whether an access may use the mapping as it is. False sends it to a walk, which either finds
    /// the fault, or a newer entry, or sets A or D.
    pub fn permits(&self, translation: Translation, access: Access) -> bool {
        let marks = marks(access);
        u64::from(self.flags) & marks == marks && self.allows(translation, access)
    }

    /// Whether the access is allowed; A and D aside.
    fn allows(&self, translation: Translation, access: Access) -> bool {
        let flags = u64::from(self.flags);
        let user = flags & USER != 0;
        let visible = match translation.privilege {
            Privilege::User => user,
            _ => !user || (access != Access::Fetch && translation.sum),
        };
        let readable = flags & READ != 0 || (translation.mxr && flags & EXECUTE != 0);
        visible
            && match access {
                Access::Fetch => flags & EXECUTE != 0,
                Access::Load => readable,
                Access::Store => flags & WRITE != 0,
                Access::CacheBlock => readable || flags & WRITE != 0,
            }
    }

    pub fn is_global(&self) -> bool {
        u64::from(self.flags) & GLOBAL != 0
    }

    /// The size in bytes.
    pub fn bytes(&self) -> u64 {
        4096 << (9 * self.level)
    }

    pub fn contains(&self, address: u64) -> bool {
        let shift = 9 * self.level;
        (address >> 12 & ((1 << 27) - 1)) >> shift == self.vpn >> shift
    }

    /// The physical address of a virtual address inside.
    pub fn physical(&self, address: u64) -> u64 {
        self.ppn << 12 | (address & (self.bytes() - 1))
    }
}

/// The bits that must be set in an entry that an access uses.
fn marks(access: Access) -> u64 {
    match access {
        Access::Store => ACCESSED | DIRTY,
        _ => ACCESSED,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkStep {
    /// Read the entry at the walk's new address and step again.
    Next,
    Leaf(Mapping),
    /// Exchange the entry at `address` from `old` to `new` atomically, then say with
    /// [`Walk::updated`] whether it still was `old`.
    Update {
        address: u64,
        old: u64,
        new: u64,
    },
    /// The access's page fault.
    Fault,
}

/// A page walk between two of its memory accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Walk {
    translation: Translation,
    address: u64,
    access: Access,
    level: u8,
    /// The table that the next entry is in.
    table: u64,
    /// The leaf whose A and D bits are being set.
    updating: Option<Mapping>,
}

impl Walk {
    pub fn begin(translation: Translation, address: u64, access: Access) -> Self {
        Self { translation, address, access, level: 2, table: translation.root, updating: None }
    }

    /// The virtual address whose translation is looked for.
    pub fn target(&self) -> u64 {
        self.address
    }

    /// The physical address of the entry that [`Walk::step`] wants. PMP is asked for a load (and for
    /// an update, a store) of S-mode there; a refusal is an access fault of the original access.
    pub fn address(&self) -> u64 {
        self.table + 8 * (self.address >> (12 + 9 * self.level) & 0x1ff)
    }

    pub fn step(&mut self, entry: u64) -> WalkStep {
        let writable_only = entry & (READ | WRITE) == WRITE;
        // Bits 63 to 54 belong to extensions that this machine has not.
        if entry & VALID == 0 || writable_only || entry >> 54 != 0 || !is_canonical(self.address) {
            return WalkStep::Fault;
        }
        let ppn = entry >> 10 & PPN_MASK;
        if entry & (READ | WRITE | EXECUTE) != 0 {
            return self.leaf(entry, ppn);
        }
        if self.level == 0 || entry & (USER | ACCESSED | DIRTY) != 0 {
            return WalkStep::Fault;
        }
        self.level -= 1;
        self.table = ppn << 12;
        WalkStep::Next
    }

    fn leaf(&mut self, entry: u64, ppn: u64) -> WalkStep {
        let inside = (1 << (9 * self.level)) - 1;
        let vpn = (self.address >> 12 & ((1 << 27) - 1)) & !inside;
        let found = Mapping { vpn, ppn, level: self.level, flags: entry as u8 };
        if ppn & inside != 0 || !found.allows(self.translation, self.access) {
            return WalkStep::Fault;
        }
        let new = entry | marks(self.access);
        if new == entry {
            return WalkStep::Leaf(found);
        }
        self.updating = Some(Mapping { flags: new as u8, ..found });
        WalkStep::Update { address: self.address(), old: entry, new }
    }

    /// After [`WalkStep::Update`]: the entry was exchanged, or had changed and must be read again.
    pub fn updated(&mut self, exchanged: bool) -> WalkStep {
        match self.updating.take() {
            Some(mapping) if exchanged => WalkStep::Leaf(mapping),
            _ => WalkStep::Next,
        }
    }
}
