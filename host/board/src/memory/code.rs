// SPDX-License-Identifier: Apache-2.0
//! L1 I: lines of predecoded instructions.
//!
//! A line keeps the bytes that it was filled with, whatever is stored to memory later: they stay
//! until `fence.i` or until the line is replaced, as in a core whose L1 I is not coherent.

use super::{LINE, address::parities};
use crate::isa::{Instruction, Op, decode};
use serde::{Deserialize, Serialize};
use takt_model::timing::Cache;

const SLOTS: usize = LINE as usize / 2;
/// The slot behind a line's own: for its last instruction, while that ends in the next line.
pub const STRADDLING: usize = SLOTS;
const FAST: usize = 64;

#[derive(Clone, Serialize, Deserialize)]
pub struct Code {
    ways: usize,
    mask: u64,
    masks: Vec<u64>,
    lines: Vec<Line>,
    clock: u64,
    /// The virtual line of the latest fetch.
    latest: u64,
    /// Virtual line number and index of lines that were translated and found permitted.
    #[serde(skip, default = "no_lines")]
    fast: [(u64, u32); FAST],
    /// Lines filled so far.
    #[serde(skip)]
    fills: u64,
}

#[derive(Clone, Serialize, Deserialize)]
struct Line {
    /// Physical line number.
    number: u64,
    used: u64,
    #[serde(with = "crate::array")]
    bytes: [u8; LINE as usize],
    /// By half-word; [`Instruction::default`] where not decoded yet.
    #[serde(skip, default = "no_instructions")]
    slots: [Instruction; SLOTS + 1],
    /// The second half that the last slot was decoded with.
    #[serde(skip)]
    high: Option<u16>,
}

const NONE: u64 = u64::MAX;

fn no_lines() -> [(u64, u32); FAST] {
    [(NONE, 0); FAST]
}

fn no_instructions() -> [Instruction; SLOTS + 1] {
    [Instruction::default(); SLOTS + 1]
}

impl Code {
    pub fn new(cache: &Cache) -> Code {
        let sets = cache.size / LINE / u64::from(cache.ways);
        let empty = Line {
            number: NONE,
            used: 0,
            bytes: [0; LINE as usize],
            slots: no_instructions(),
            high: None,
        };
        Code {
            ways: cache.ways as usize,
            mask: sets - 1,
            masks: cache.index.clone(),
            lines: vec![empty; (sets * u64::from(cache.ways)) as usize],
            clock: 0,
            latest: NONE,
            fast: no_lines(),
            fills: 0,
        }
    }

    /// Lines filled so far, and the virtual line of the latest fetch: what a fetch that hits changes, but
    /// for the order of use.
    pub fn trace(&self) -> (u64, u64) {
        (self.fills, self.latest)
    }

    /// The instruction that was executed at `pc` just now, if its line is in the fast table.
    pub fn latest_at(&self, pc: u64) -> Option<Instruction> {
        let (number, index) = self.fast[(pc / LINE) as usize % FAST];
        let slot = if self.straddles(index, pc) { STRADDLING } else { Code::slot_of(pc) };
        (number == pc / LINE).then(|| self.slot(index, slot))
    }

    /// The line at a virtual address, if it was found before and nothing has changed since.
    #[inline(always)]
    pub fn at_once(&mut self, pc: u64) -> Option<u32> {
        let index = self.index_of(pc)?;
        self.touch(index);
        Some(index)
    }

    /// The line is the latest that was used.
    #[inline(always)]
    pub fn touch(&mut self, index: u32) {
        self.clock += 1;
        self.lines[index as usize].used = self.clock;
    }

    /// Whether a fetch at `pc` goes on in the line of the one before. Such a fetch costs nothing, so
    /// that pauses of the machine, which begin with a fetch, cost nothing.
    #[inline(always)]
    pub fn goes_on(&mut self, pc: u64) -> bool {
        let before = std::mem::replace(&mut self.latest, pc / LINE);
        before == pc / LINE
    }

    pub fn remember(&mut self, pc: u64, index: u32) {
        self.fast[(pc / LINE) as usize % FAST] = (pc / LINE, index);
    }

    /// What was found under virtual addresses holds no longer.
    pub fn forget(&mut self) {
        self.fast = no_lines();
    }

    pub fn find(&mut self, number: u64) -> Option<u32> {
        let set = self.set(number);
        let way = set.into_iter().find(|at| self.lines[*at].number == number)?;
        self.clock += 1;
        self.lines[way].used = self.clock;
        Some(way as u32)
    }

    /// Replaces the least recently used line of the set.
    pub fn fill(&mut self, number: u64, bytes: [u8; LINE as usize]) -> u32 {
        let set = self.set(number);
        let lines = &self.lines;
        let at = set.clone().find(|at| lines[*at].number == number);
        let at = at.or_else(|| set.min_by_key(|at| lines[*at].used)).expect("a set has ways");
        self.fast.iter_mut().filter(|fast| fast.1 == at as u32).for_each(|fast| fast.0 = NONE);
        self.clock += 1;
        self.fills += 1;
        let slots = no_instructions();
        self.lines[at] = Line { number, used: self.clock, bytes, slots, high: None };
        at as u32
    }

    pub fn clear(&mut self) {
        self.forget();
        for line in &mut self.lines {
            line.number = NONE;
            line.used = 0;
        }
    }

    /// The instruction in a slot, perhaps undecoded.
    #[inline(always)]
    pub fn slot(&self, line: u32, slot: usize) -> Instruction {
        self.lines[line as usize].slots[slot]
    }

    /// The decoded instruction at a virtual address, if [`Code::at_once`] would find its line, and the
    /// next one if it ends there. It is only looked at: no line becomes the latest.
    pub fn known(&self, pc: u64) -> Option<Instruction> {
        let index = self.index_of(pc)?;
        let line = &self.lines[index as usize];
        let slot = if self.straddles(index, pc) {
            let high = self.half(self.index_of(pc.wrapping_add(2))?, pc.wrapping_add(2));
            (line.high == Some(high)).then_some(STRADDLING)?
        } else {
            Code::slot_of(pc)
        };
        Some(line.slots[slot]).filter(|instruction| instruction.op != Op::Undecoded)
    }

    #[inline(always)]
    fn index_of(&self, pc: u64) -> Option<u32> {
        let (number, index) = self.fast[(pc / LINE) as usize % FAST];
        (number == pc / LINE).then_some(index)
    }

    #[inline(always)]
    pub fn slot_of(pc: u64) -> usize {
        (pc / 2) as usize % SLOTS
    }

    /// Decodes the instruction whose second half, in the next line, is `high`.
    pub fn decode_straddling(&mut self, line: u32, pc: u64, high: u16) {
        let low = self.half(line, pc);
        let line = &mut self.lines[line as usize];
        if line.high != Some(high) {
            line.high = Some(high);
            line.slots[STRADDLING] = decode(u32::from(low) | u32::from(high) << 16);
        }
    }

    /// Whether the instruction at `pc` ends in the next line.
    pub fn straddles(&self, line: u32, pc: u64) -> bool {
        pc % LINE == LINE - 2 && self.half(line, pc) & 3 == 3
    }

    pub fn half(&self, line: u32, pc: u64) -> u16 {
        let at = (pc % LINE) as usize & !1;
        let bytes = &self.lines[line as usize].bytes;
        u16::from_le_bytes([bytes[at], bytes[at + 1]])
    }

    /// Decodes an instruction that ends in its line, and notes whether the next one uses what it loads.
    pub fn decode(&mut self, line: u32, pc: u64) {
        let mut instruction = self.decode_alone(line, pc);
        let next = pc + instruction.length();
        if instruction.is_load()
            && next / LINE == pc / LINE
            && !self.straddles(line, next)
            && self.decode_alone(line, next).reads_result_of(&instruction)
        {
            instruction = instruction.with_use_follows();
        }
        self.lines[line as usize].slots[Code::slot_of(pc)] = instruction;
    }

    fn decode_alone(&self, line: u32, pc: u64) -> Instruction {
        let low = u32::from(self.half(line, pc));
        if low & 3 != 3 {
            return decode(low);
        }
        decode(low | u32::from(self.half(line, pc + 2)) << 16)
    }

    fn set(&self, number: u64) -> std::ops::Range<usize> {
        let set = if self.masks.is_empty() {
            number & self.mask
        } else {
            parities(&self.masks, number * LINE)
        };
        let first = set as usize * self.ways;
        first..first + self.ways
    }
}
