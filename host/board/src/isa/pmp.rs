// SPDX-License-Identifier: Apache-2.0
//! Physical memory protection: sixteen entries of four-byte granularity.

use super::hart::{Hart, Privilege};
use super::walk::Access;
use serde::{Deserialize, Serialize};

const ENTRIES: usize = 16;
const READ: u8 = 1;
const WRITE: u8 = 2;
const EXECUTE: u8 = 4;
const LOCK: u8 = 0x80;
const ADDRESS_MASK: u64 = (1 << 54) - 1;

/// `pmpcfg.A`.
fn matching(config: u8) -> u8 {
    config >> 3 & 3
}
const OFF: u8 = 0;
const TOR: u8 = 1;
const NA4: u8 = 2;

/// One entry's addresses, made ready for comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Region {
    first: u64,
    last: u64,
    config: u8,
}

#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Pmp {
    config: [u8; ENTRIES],
    address: [u64; ENTRIES],
    /// The entries that match anything, in order: what `config` and `address` say.
    regions: [Region; ENTRIES],
    used: usize,
    locked: bool,
}

/// What a snapshot has of it.
#[derive(Serialize, Deserialize)]
struct Written {
    config: [u8; ENTRIES],
    address: [u64; ENTRIES],
}

impl From<Pmp> for Written {
    fn from(Pmp { config, address, .. }: Pmp) -> Written {
        Written { config, address }
    }
}

impl From<Written> for Pmp {
    fn from(Written { config, address }: Written) -> Pmp {
        let address = address.map(|address| address & ADDRESS_MASK);
        let mut pmp = Pmp { config, address, ..Pmp::default() };
        pmp.prepare();
        pmp
    }
}

/// Whether PMP lets an access of `bytes` bytes through. `privilege` is the effective one.
#[inline]
pub fn pmp_permits(
    hart: &Hart,
    address: u64,
    bytes: u64,
    access: Access,
    privilege: Privilege,
) -> bool {
    let pmp = &hart.pmp;
    if privilege == Privilege::Machine && !pmp.locked {
        return true;
    }
    pmp.permits(address, bytes, access, privilege)
}

impl Pmp {
    /// The lowest-numbered entry that touches any byte decides, and must hold them all.
    fn permits(&self, address: u64, bytes: u64, access: Access, privilege: Privilege) -> bool {
        let machine = privilege == Privilege::Machine;
        let Some(last) = address.checked_add(bytes - 1) else { return machine };
        let touched =
            self.regions[..self.used].iter().find(|r| address <= r.last && last >= r.first);
        let Some(region) = touched else { return machine };
        if address < region.first || last > region.last {
            return false;
        }
        let needed = match access {
            Access::Fetch => EXECUTE,
            Access::Load => READ,
            Access::Store => WRITE,
            Access::CacheBlock => READ | WRITE,
        };
        (machine && region.config & LOCK == 0) || region.config & needed != 0
    }

    /// `pmpcfg0` (`group` 0) or `pmpcfg2` (1).
    pub(super) fn read_config(&self, group: usize) -> u64 {
        let bytes = &self.config[8 * group..8 * group + 8];
        bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
    }

    pub(super) fn write_config(&mut self, group: usize, value: u64) {
        for (entry, byte) in (8 * group..).zip(value.to_le_bytes()) {
            if self.config[entry] & LOCK == 0 {
                // W without R is reserved: such an entry keeps its permissions' harmless part.
                let reserved = byte & (READ | WRITE) == WRITE;
                self.config[entry] = byte & 0x9f & if reserved { !WRITE } else { 0xff };
            }
        }
        self.prepare();
    }

    pub(super) fn read_address(&self, entry: usize) -> u64 {
        self.address[entry]
    }

    pub(super) fn write_address(&mut self, entry: usize, value: u64) {
        let ends_locked = self.config.get(entry + 1).is_some_and(|next| {
            // The base of a locked top-of-range entry is locked with it.
            next & LOCK != 0 && matching(*next) == TOR
        });
        if self.config[entry] & LOCK == 0 && !ends_locked {
            self.address[entry] = value & ADDRESS_MASK;
        }
        self.prepare();
    }

    fn prepare(&mut self) {
        self.used = 0;
        self.locked = false;
        for entry in 0..ENTRIES {
            if let Some((first, last)) = self.range(entry) {
                let config = self.config[entry];
                self.regions[self.used] = Region { first, last, config };
                self.used += 1;
                self.locked |= config & LOCK != 0;
            }
        }
    }

    /// First and last byte of what an entry matches.
    fn range(&self, entry: usize) -> Option<(u64, u64)> {
        let address = self.address[entry];
        match matching(self.config[entry]) {
            OFF => None,
            TOR => {
                let first = if entry == 0 { 0 } else { self.address[entry - 1] << 2 };
                let end = address << 2;
                (first < end).then(|| (first, end - 1))
            }
            NA4 => Some((address << 2, (address << 2) + 3)),
            _ => {
                // Trailing ones give the size: none is 8 bytes. All ones is everything.
                let inside = (1u64 << (address.trailing_ones() + 1)) - 1;
                let first = (address & !inside) << 2;
                Some((first, first + (inside << 2 | 3)))
            }
        }
    }
}
