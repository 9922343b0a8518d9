// SPDX-License-Identifier: Apache-2.0
//! Where a random program's code and data are: addresses, pages, page tables.

use fastrand::Rng;
use takt_board::memory::Ram;

pub const HANDLER: u64 = 0x8000_0100;
const TABLES: u64 = 0x8010_0000;
const CODE_PAGES: u64 = 0x8020_0000;
/// In physical memory, of 16 MiB: the first half in pages of 4 KiB, the second of 2 MiB.
const DATA_PAGES: u64 = 0x8100_0000;
const CODE: u64 = 0x4000_0000;
const DATA: u64 = 0x5000_0000;
pub const HALF: u64 = 8 << 20;
/// Offsets of the data.
pub const MARKS: u64 = 15 << 20;
pub const TOHOST: u64 = MARKS + 0x80000;
const MOST_CODE: u64 = 1 << 20;

pub struct Layout {
    /// With Sv39, or bare in M-mode.
    pub translated: bool,
    code: Vec<u64>,
    data: Vec<u64>,
}

impl Layout {
    pub fn new(rng: &mut Rng) -> Layout {
        let mut pages = |count: u64| {
            let mut pages: Vec<u64> = (0..count).collect();
            rng.shuffle(&mut pages);
            pages
        };
        let (code, data) = (pages(MOST_CODE / 4096), pages(HALF / 4096));
        Layout { translated: rng.bool(), code, data }
    }

    pub fn code(&self) -> u64 {
        if self.translated { CODE } else { CODE_PAGES }
    }

    pub fn data(&self) -> u64 {
        if self.translated { DATA } else { DATA_PAGES }
    }

    /// The physical address.
    pub fn physical(&self, address: u64) -> u64 {
        if !self.translated {
            return address;
        }
        let inside = address % 4096;
        if address >= DATA + HALF {
            DATA_PAGES + (address - DATA)
        } else if address >= DATA {
            DATA_PAGES + self.data[((address - DATA) / 4096) as usize] * 4096 + inside
        } else {
            CODE_PAGES + self.code[((address - CODE) / 4096) as usize] * 4096 + inside
        }
    }

    /// Writes the page tables; answers their words by address.
    pub fn tables(&self, rng: &mut Rng, ram: &mut Ram) -> Vec<(u64, u64)> {
        let mut words = Vec::new();
        if !self.translated {
            return words;
        }
        let table = |number: u64| TABLES + number * 4096;
        let pointer = |number: u64| table(number) >> 12 << 10 | 1;
        words.push((table(0) + 8, pointer(1)));
        // Code is in one table of 512 pages, data in four and four large pages.
        let second = |address: u64| table(1) + 8 * (address >> 21 & 511);
        words.push((second(CODE), pointer(2)));
        for page in 0..MOST_CODE / 4096 {
            let to = CODE_PAGES + self.code[page as usize] * 4096;
            words.push((table(2) + 8 * page, to >> 12 << 10 | 0x0b | accessed(rng, 0x40)));
        }
        for page in 0..HALF / 4096 {
            if page % 512 == 0 {
                words.push((second(DATA + page * 4096), pointer(3 + page / 512)));
            }
            let to = DATA_PAGES + self.data[page as usize] * 4096;
            let entry = to >> 12 << 10 | 0x07 | accessed(rng, 0xc0);
            words.push((table(3 + page / 512) + 8 * (page % 512), entry));
        }
        for large in 0..HALF >> 21 {
            let at = HALF + (large << 21);
            let entry = (DATA_PAGES + at) >> 12 << 10 | 0x07 | accessed(rng, 0xc0);
            words.push((second(DATA + at), entry));
        }
        for (address, word) in &words {
            let offset = ram.offset(*address, 8).expect("a table in RAM");
            ram.slice_mut(offset, 8).copy_from_slice(&word.to_le_bytes());
        }
        words
    }

    pub fn root(&self) -> u64 {
        TABLES
    }
}

/// A and D are set before, or by the walk.
fn accessed(rng: &mut Rng, bits: u64) -> u64 {
    match rng.u32(0..4) {
        0 => 0,
        1 => 0x40,
        _ => bits,
    }
}
