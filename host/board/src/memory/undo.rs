// SPDX-License-Identifier: Apache-2.0
//! The log by which a hart that speculates is rolled back: `docs/design/board.md`, "Speculation".

use super::{Ram, code::Used, core::Core};
use crate::devices::Tick;

/// In the order in which it was done. Bound: an instruction has one store and three fetches at most, and takes a cycle.
#[derive(Clone, Default)]
pub struct Undo {
    stores: Vec<Stored>,
    fetches: Vec<Fetch>,
}

/// The bytes that a store overwrote.
#[derive(Clone, Copy)]
struct Stored {
    offset: u64,
    before: u64,
    bytes: u8,
}

#[derive(Clone, Copy)]
struct Fetch {
    /// When its instruction began.
    began: Tick,
    before: Used,
}

impl Undo {
    #[inline(always)]
    pub fn stored(&mut self, offset: u64, before: u64, bytes: usize) {
        self.stores.push(Stored { offset, before, bytes: bytes as u8 });
    }

    /// Nothing of it will be taken back.
    pub fn clear(&mut self) {
        self.stores.clear();
        self.fetches.clear();
    }
}

impl Core {
    /// The hart, whose instruction began then, fetches what is at `pc`.
    #[inline(always)]
    pub fn note_fetch(&mut self, began: Tick, pc: u64) {
        if let Some(before) = self.code.used(pc) {
            self.undo.fetches.push(Fetch { began, before });
        }
    }

    /// The instruction that would have begun then was not executed.
    pub fn roll_back_fetches(&mut self, began: Tick) {
        while let Some(fetch) = self.undo.fetches.last().filter(|fetch| fetch.began == began) {
            self.code.roll_back(fetch.before);
            self.undo.fetches.pop();
        }
    }

    /// Nothing has happened that was noted.
    pub fn roll_back(&mut self, ram: &mut Ram) {
        while let Some(Stored { offset, before, bytes }) = self.undo.stores.pop() {
            ram.write_some(offset, before, bytes.into());
        }
        while let Some(fetch) = self.undo.fetches.pop() {
            self.code.roll_back(fetch.before);
        }
    }
}
