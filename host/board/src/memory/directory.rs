// SPDX-License-Identifier: Apache-2.0
//! The directory: who holds which line, as its home knows it.

use super::{LINE, Ram};
use crate::devices::Tick;
use serde::{Deserialize, Serialize, Serializer};

const NOBODY: u8 = u8::MAX;
const LINES: u64 = 4096 / LINE;

/// What a home knows of one line. Sharers may have dropped it silently; an owner says so.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Entry {
    pub sharers: u128,
    owner: u8,
    /// A transaction is under way; others wait for its end in the order of their arrival.
    pub busy: bool,
    /// The arrival of the latest copy that was given out without waiting for its use.
    pub settled: Tick,
}

impl Entry {
    const NEW: Entry = Entry { sharers: 0, owner: NOBODY, busy: false, settled: 0 };

    pub fn owner(&self) -> Option<u32> {
        (self.owner != NOBODY).then_some(u32::from(self.owner))
    }

    pub fn set_owner(&mut self, core: Option<u32>) {
        self.owner = core.map_or(NOBODY, |core| core as u8);
    }

    /// The cores that share the line, in order.
    pub fn each_sharer(&self) -> impl Iterator<Item = u32> + use<> {
        bits(self.sharers)
    }
}

/// The cores whose bits are set, in order.
pub fn bits(mut cores: u128) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let core = cores.trailing_zeros();
        cores &= cores.wrapping_sub(1);
        (core < 128).then_some(core)
    })
}

/// Entries exist from a page's first use on.
#[derive(Clone, Default)]
pub struct Directory {
    pages: Vec<Option<Page>>,
    first: u64,
}

type Page = Box<[Entry; LINES as usize]>;

/// A directory in a snapshot: the pages that exist, by number.
#[derive(Deserialize)]
pub struct Saved(Vec<(u64, Vec<Entry>)>);

impl Serialize for Directory {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let numbered = (0_u64..).zip(&self.pages);
        let existing =
            numbered.filter_map(|(number, page)| Some((number, page.as_ref()?.as_slice())));
        serializer.serialize_newtype_struct("Saved", &existing.collect::<Vec<_>>())
    }
}

impl Saved {
    /// For this RAM.
    pub fn restore(self, ram: &Ram) -> Directory {
        let mut directory = Directory::new(ram.base, ram.size());
        for (number, entries) in self.0 {
            directory.pages[number as usize] = entries.into_boxed_slice().try_into().ok();
        }
        directory
    }
}

impl Directory {
    /// For the lines of RAM.
    pub fn new(base: u64, size: u64) -> Directory {
        Directory { pages: vec![None; size.div_ceil(4096) as usize], first: base / LINE }
    }

    pub fn entry(&mut self, line: u64) -> &mut Entry {
        let index = line - self.first;
        let page = self.pages[(index / LINES) as usize]
            .get_or_insert_with(|| Box::new([Entry::NEW; LINES as usize]));
        &mut page[(index % LINES) as usize]
    }
}
