// SPDX-License-Identifier: Apache-2.0
//! L1 I: which lines of instructions a core has.
//!
//! A line keeps the bytes that it was filled with, whatever is stored to memory later: they stay
//! until `fence.i` or until the line is replaced, as in a core whose L1 I is not coherent. The bytes, decoded, are in
//! [`Lines`], where all cores find them.

use super::{LINE, address::parities};
use crate::isa::{Instruction, LineId, Lines, Op};
use serde::{Deserialize, Serialize};
use takt_model::timing::Cache;

const FAST: usize = 64;

#[derive(Clone, Serialize, Deserialize)]
pub struct Code {
    ways: usize,
    mask: u64,
    masks: Vec<u64>,
    lines: Vec<Way>,
    clock: u64,
    /// The virtual line of the latest fetch.
    latest: u64,
    /// Lines that were translated and found permitted.
    #[serde(skip, default = "no_lines")]
    fast: [Fast; FAST],
    /// Lines filled so far.
    #[serde(skip)]
    fills: u64,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Way {
    /// Physical line number.
    number: u64,
    used: u64,
    bytes: LineId,
    /// The same with the half word behind it, where its last instruction was executed and ends there.
    #[serde(skip)]
    whole: Option<(u16, LineId)>,
}

/// Which of the lines were used when, in so far as one fetch changes it.
#[derive(Clone, Copy)]
pub struct Used {
    index: u32,
    used: u64,
    clock: u64,
    latest: u64,
}

const NONE: u64 = u64::MAX;
const EMPTY: Way = Way { number: NONE, used: 0, bytes: 0, whole: None };

#[derive(Clone, Copy)]
struct Fast {
    /// Virtual line number.
    number: u64,
    index: u32,
    bytes: LineId,
}

fn no_lines() -> [Fast; FAST] {
    [Fast { number: NONE, index: 0, bytes: 0 }; FAST]
}

impl Code {
    pub fn new(cache: &Cache) -> Code {
        let sets = cache.size / LINE / u64::from(cache.ways);
        Code {
            ways: cache.ways as usize,
            mask: sets - 1,
            masks: cache.index.clone(),
            lines: vec![EMPTY; (sets * u64::from(cache.ways)) as usize],
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
    pub fn latest_at(&self, lines: &Lines, pc: u64) -> Option<Instruction> {
        let way = self.lines[self.fast_at(pc)?.index as usize];
        let instruction = lines.line(way.bytes).at(pc);
        if instruction.op != Op::Undecoded {
            return Some(*instruction);
        }
        way.whole.map(|(_, whole)| *lines.line(whole).at(pc))
    }

    /// The line at a virtual address and what it holds, if it was found before and nothing has changed since.
    #[inline(always)]
    pub fn at_once(&mut self, pc: u64) -> Option<(u32, LineId)> {
        let fast = self.fast_at(pc)?;
        self.touch(fast.index);
        Some((fast.index, fast.bytes))
    }

    /// Returns the state that [`Code::at_once`] changes, and `None` if it would find nothing.
    #[inline(always)]
    pub fn used(&self, pc: u64) -> Option<Used> {
        let index = self.fast_at(pc)?.index;
        let used = self.lines[index as usize].used;
        Some(Used { index, used, clock: self.clock, latest: self.latest })
    }

    /// The fetch has not happened, nor any later one.
    pub fn roll_back(&mut self, before: Used) {
        self.lines[before.index as usize].used = before.used;
        (self.clock, self.latest) = (before.clock, before.latest);
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
        let number = pc / LINE;
        self.fast[number as usize % FAST] = Fast { number, index, bytes: self.bytes(index) };
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
    pub fn fill(&mut self, number: u64, bytes: LineId) -> u32 {
        let set = self.set(number);
        let lines = &self.lines;
        let at = set.clone().find(|at| lines[*at].number == number);
        let at = at.or_else(|| set.min_by_key(|at| lines[*at].used)).expect("a set has ways");
        self.fast
            .iter_mut()
            .filter(|fast| fast.index == at as u32)
            .for_each(|fast| fast.number = NONE);
        self.clock += 1;
        self.fills += 1;
        self.lines[at] = Way { number, used: self.clock, bytes, whole: None };
        at as u32
    }

    pub fn clear(&mut self) {
        self.forget();
        for line in &mut self.lines {
            line.number = NONE;
            line.used = 0;
        }
    }

    /// What the line holds.
    #[inline(always)]
    pub fn bytes(&self, index: u32) -> LineId {
        self.lines[index as usize].bytes
    }

    /// The decoded instruction at a virtual address, if [`Code::at_once`] would find its line, and the
    /// next one if it ends there. It is only looked at: no line becomes the latest.
    pub fn known(&self, lines: &Lines, pc: u64) -> Option<Instruction> {
        let way = self.lines[self.fast_at(pc)?.index as usize];
        let instruction = lines.line(way.bytes).at(pc);
        if instruction.op != Op::Undecoded {
            return Some(*instruction);
        }
        let second = pc.wrapping_add(2);
        let high = lines.line(self.fast_at(second)?.bytes).half(second);
        way.whole.filter(|whole| whole.0 == high).map(|(_, whole)| *lines.line(whole).at(pc))
    }

    #[inline(always)]
    fn fast_at(&self, pc: u64) -> Option<Fast> {
        let fast = self.fast[(pc / LINE) as usize % FAST];
        (fast.number == pc / LINE).then_some(fast)
    }

    /// What the line holds, with the half word that follows it now, in which its last instruction ends.
    pub fn whole(&mut self, lines: &Lines, index: u32, high: u16) -> LineId {
        let way = &mut self.lines[index as usize];
        match way.whole {
            Some((same, whole)) if same == high => whole,
            _ => {
                let whole = lines.find_or_decode(lines.line(way.bytes).bytes(), Some(high));
                way.whole = Some((high, whole));
                whole
            }
        }
    }

    /// What [`Code::whole`] answered last for the line, and what the line at `second` holds, if that is found at once.
    #[inline(always)]
    pub fn whole_at_once(&self, index: u32, second: u64) -> Option<((u16, LineId), LineId)> {
        Some((self.lines[index as usize].whole?, self.fast_at(second)?.bytes))
    }

    /// All lines are found in another collection from now on, which learns them.
    pub fn move_lines(&mut self, from: &Lines, to: &Lines) {
        self.forget();
        for way in &mut self.lines {
            way.whole = None;
            way.bytes = match way.number {
                NONE => 0,
                _ => to.find_or_decode(from.line(way.bytes).bytes(), None),
            };
        }
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
