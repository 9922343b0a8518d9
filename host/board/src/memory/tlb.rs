// SPDX-License-Identifier: Apache-2.0
//! TLBs: the modelled ones, and the table that makes their hits fast on the host.

use crate::isa::Mapping;
use serde::{Deserialize, Serialize};

/// Fully associative, replaced in order (FIFO), so that a hit changes nothing. Entries stay until
/// they are replaced or fenced, whatever happens to the page table.
#[derive(Clone, Serialize, Deserialize)]
pub struct Tlb {
    entries: Vec<Option<Entry>>,
    next: usize,
}

#[derive(Clone, Serialize, Deserialize)]
struct Entry {
    asid: u16,
    mapping: Mapping,
}

impl Tlb {
    pub fn new(entries: u32) -> Tlb {
        Tlb { entries: vec![None; entries as usize], next: 0 }
    }

    pub fn find(&self, address: u64, asid: u16) -> Option<&Mapping> {
        let hit = |entry: &&Entry| entry.serves(address, asid);
        self.entries.iter().flatten().find(hit).map(|entry| &entry.mapping)
    }

    /// Replaces the entry for the same page, or else the oldest.
    pub fn insert(&mut self, asid: u16, address: u64, mapping: Mapping) {
        let same = |entry: &Option<Entry>| entry.as_ref().is_some_and(|e| e.serves(address, asid));
        let at = self.entries.iter().position(same).unwrap_or_else(|| {
            let oldest = self.next;
            self.next = (self.next + 1) % self.entries.len();
            oldest
        });
        self.entries[at] = Some(Entry { asid, mapping });
    }

    pub fn fence(&mut self, address: Option<u64>, asid: Option<u16>) {
        for slot in &mut self.entries {
            let Some(entry) = slot else { continue };
            let page = address.is_none_or(|address| entry.mapping.contains(address));
            let space = asid.is_none_or(|asid| !entry.mapping.is_global() && entry.asid == asid);
            if page && space {
                *slot = None;
            }
        }
    }
}

impl Entry {
    fn serves(&self, address: u64, asid: u16) -> bool {
        self.mapping.contains(address) && (self.mapping.is_global() || self.asid == asid)
    }
}

const FAST: usize = 64;

/// Pages of RAM that may be read or written without another look at TLB, permissions and PMP. It
/// holds nothing that the modelled TLB does not; whoever changes one of those empties it.
#[derive(Clone)]
pub struct FastPages {
    pages: [FastPage; FAST],
}

#[derive(Clone, Copy)]
struct FastPage {
    /// Virtual page numbers; `NONE` where the access needs a look.
    read: u64,
    write: u64,
    /// Offset in RAM.
    offset: u64,
}

const NONE: u64 = u64::MAX;
const EMPTY: FastPage = FastPage { read: NONE, write: NONE, offset: 0 };

impl Default for FastPages {
    fn default() -> FastPages {
        FastPages { pages: [EMPTY; FAST] }
    }
}

impl FastPages {
    #[inline(always)]
    pub fn read(&self, address: u64) -> Option<u64> {
        let page = &self.pages[(address >> 12) as usize % FAST];
        (page.read == address >> 12).then(|| page.offset + (address & 4095))
    }

    #[inline(always)]
    pub fn write(&self, address: u64) -> Option<u64> {
        let page = &self.pages[(address >> 12) as usize % FAST];
        (page.write == address >> 12).then(|| page.offset + (address & 4095))
    }

    /// `offset`: that of the address's page in RAM.
    pub fn insert(&mut self, address: u64, offset: u64, writes: bool) {
        let vpn = address >> 12;
        let page = &mut self.pages[vpn as usize % FAST];
        if page.offset != offset || (page.read != vpn && page.write != vpn) {
            *page = FastPage { offset, ..EMPTY };
        }
        *(if writes { &mut page.write } else { &mut page.read }) = vpn;
    }

    pub fn clear(&mut self) {
        self.pages = [EMPTY; FAST];
    }
}
