// SPDX-License-Identifier: Apache-2.0
//! Lines of decoded instructions, found by their bytes: all harts that execute the same bytes share one.

use super::{Instruction, decode};
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    sync::{Mutex, OnceLock, PoisonError},
};

/// Bytes of a line.
const BYTES: usize = 64;
const SLOTS: usize = BYTES / 2;
/// Lines of a part.
const PART: usize = 256;
const PARTS: usize = 1 << 12;
/// The part whose first line tells that there are many, if not more of them are in use.
const MANY: usize = 32;

/// The number of a line in [`Lines`].
pub type LineId = u32;

/// All lines that were decoded. None goes while the collection is there, so that who executes one may hold on to it while
/// others come.
#[derive(Serialize, Deserialize)]
#[serde(from = "Saved", into = "Saved")]
pub struct Lines {
    parts: Box<[OnceLock<Part>]>,
    /// By a hash of the key; where that is taken, by the next number that is free.
    numbers: Mutex<HashMap<u64, LineId>>,
    /// The part whose first line tells that there are many.
    many: usize,
}

type Part = Box<[OnceLock<Line>]>;

/// A line's bytes, and its instructions by half word.
#[derive(Clone)]
pub struct Line {
    slots: [Instruction; SLOTS],
    bytes: [u8; BYTES],
    next: Option<u16>,
}

/// Lines in a snapshot: bytes, and the half word behind them.
#[derive(Clone, Serialize, Deserialize)]
struct Saved(Vec<(Vec<u8>, Option<u16>)>);

impl Default for Lines {
    fn default() -> Lines {
        let parts = std::iter::repeat_with(OnceLock::new).take(PARTS).collect();
        Lines { parts, numbers: Mutex::default(), many: MANY }
    }
}

impl Clone for Lines {
    fn clone(&self) -> Lines {
        let numbers = Mutex::new(self.numbers().clone());
        Lines { parts: self.parts.clone(), numbers, many: self.many }
    }
}

impl From<Lines> for Saved {
    fn from(lines: Lines) -> Saved {
        let all = (0..lines.numbers().len() as LineId).map(|id| lines.line(id));
        Saved(all.map(|line| (line.bytes.to_vec(), line.next)).collect())
    }
}

impl From<Saved> for Lines {
    fn from(Saved(saved): Saved) -> Lines {
        let lines = Lines::default();
        for (bytes, next) in saved {
            let mut line = [0; BYTES];
            let count = bytes.len().min(BYTES);
            line[..count].copy_from_slice(&bytes[..count]);
            lines.find_or_decode(line, next);
        }
        lines
    }
}

impl Lines {
    /// Whether it is worth while to take those that are in use into a new collection.
    #[inline(always)]
    pub fn are_many(&self) -> bool {
        self.parts[self.many].get().is_some()
    }

    /// All of these are in use: twice as many would be many.
    pub fn are_in_use(&mut self) {
        let parts = self.numbers().len() / PART;
        self.many = MANY.max(2 * parts).min(PARTS - 1);
    }

    /// The line of these bytes. `next`: the half word behind them, for a line whose last instruction ends there.
    pub fn find_or_decode(&self, bytes: [u8; BYTES], next: Option<u16>) -> LineId {
        let mut numbers = self.numbers();
        let mut key = hash(&bytes, next);
        while let Some(id) = numbers.get(&key) {
            let line = self.line(*id);
            if line.bytes == bytes && line.next == next {
                return *id;
            }
            key = key.wrapping_add(1);
        }
        let id = numbers.len() as LineId;
        numbers.insert(key, id);
        let part = self.parts[id as usize / PART]
            .get_or_init(|| std::iter::repeat_with(OnceLock::new).take(PART).collect());
        part[id as usize % PART].get_or_init(|| Line::new(bytes, next));
        id
    }

    #[inline(always)]
    pub fn line(&self, id: LineId) -> &Line {
        let part = self.parts[id as usize / PART].get();
        part.and_then(|part| part[id as usize % PART].get()).expect("a line that was decoded")
    }

    fn numbers(&self) -> std::sync::MutexGuard<'_, HashMap<u64, LineId>> {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns what a line is found by.
fn hash(bytes: &[u8; BYTES], next: Option<u16>) -> u64 {
    let words =
        bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default()));
    let mix =
        |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    words.chain([next.map_or(1 << 16, u64::from)]).fold(0, mix)
}

impl Line {
    fn new(bytes: [u8; BYTES], next: Option<u16>) -> Line {
        let mut line = Line { slots: [Instruction::default(); SLOTS], bytes, next };
        let alone: [Instruction; SLOTS] = std::array::from_fn(|slot| line.decode(slot));
        line.slots = std::array::from_fn(|slot| {
            let load = alone[slot];
            // One that ends in the next line is not looked at.
            let behind = slot + load.length() as usize / 2;
            let behind = alone.get(behind).filter(|_| !line.ends_behind(behind));
            let used = load.is_load() && behind.is_some_and(|next| next.reads_result_of(&load));
            if used { load.with_use_follows() } else { load }
        });
        line
    }

    fn decode(&self, slot: usize) -> Instruction {
        let low = self.half(2 * slot as u64);
        if low & 3 != 3 {
            return decode(low.into());
        }
        let high = if slot + 1 < SLOTS { Some(self.half(2 * slot as u64 + 2)) } else { self.next };
        match high {
            Some(high) => decode(u32::from(low) | u32::from(high) << 16),
            None => Instruction::default(),
        }
    }

    /// Whether the instruction of a slot ends in the next line.
    fn ends_behind(&self, slot: usize) -> bool {
        slot == SLOTS - 1 && self.half(2 * slot as u64) & 3 == 3
    }

    /// The instruction at an address. [`super::Op::Undecoded`]: it ends in the next line, of which this one knows nothing.
    #[inline(always)]
    pub fn at(&self, pc: u64) -> &Instruction {
        &self.slots[(pc / 2) as usize % SLOTS]
    }

    pub fn bytes(&self) -> [u8; BYTES] {
        self.bytes
    }

    /// The half word at an address.
    pub fn half(&self, pc: u64) -> u16 {
        let at = (pc as usize % BYTES) & !1;
        u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Op;

    /// `c.nop` everywhere, but for these words.
    fn bytes(words: &[(usize, u32)]) -> [u8; BYTES] {
        let mut bytes: [u8; BYTES] = std::array::from_fn(|at| (at as u8 + 1) & 1);
        for (at, word) in words {
            let end = (at + 4).min(BYTES);
            bytes[*at..end].copy_from_slice(&word.to_le_bytes()[..end - at]);
        }
        bytes
    }

    const LD_A0: u32 = 0x0005_3503; // ld a0, 0(a0)
    const ADDI_A0: u32 = 0x0015_0513; // addi a0, a0, 1

    #[test]
    fn equal_bytes_are_one_line() {
        let lines = Lines::default();
        let one = lines.find_or_decode(bytes(&[(4, LD_A0)]), None);
        assert_eq!(lines.find_or_decode(bytes(&[(4, LD_A0)]), None), one);
        let others = [(bytes(&[(8, LD_A0)]), None), (bytes(&[(4, LD_A0)]), Some(1))];
        assert!(others.iter().all(|(bytes, next)| lines.find_or_decode(*bytes, *next) != one));
        assert_eq!(lines.line(one).at(0x1004).op, Op::Ld);
    }

    #[test]
    fn an_instruction_over_two_lines_is_decoded_with_what_follows() {
        let lines = Lines::default();
        let line = bytes(&[(62, ADDI_A0)]);
        let alone = lines.find_or_decode(line, None);
        assert_eq!(lines.line(alone).at(62).op, Op::Undecoded);
        let whole = lines.find_or_decode(line, Some((ADDI_A0 >> 16) as u16));
        assert_eq!(*lines.line(whole).at(62), decode(ADDI_A0));
    }

    /// A load does not look into the next line, so it costs the same whatever is there.
    #[test]
    fn a_load_knows_what_follows_in_its_line() {
        let lines = Lines::default();
        let used = |line, next, pc| {
            let id = lines.find_or_decode(line, next);
            *lines.line(id).at(pc) == decode(LD_A0).with_use_follows()
        };
        assert!(used(bytes(&[(0, LD_A0), (4, ADDI_A0)]), None, 0));
        assert!(!used(bytes(&[(0, LD_A0)]), None, 0));
        let next = Some((ADDI_A0 >> 16) as u16);
        assert!(!used(bytes(&[(58, LD_A0), (62, ADDI_A0)]), next, 58));
    }

    #[test]
    fn a_saved_collection_has_the_same_lines() {
        let lines = Lines::default();
        let of = |number: u32| (bytes(&[(0, number << 7 | 0x13)]), (number % 3 == 0).then_some(7));
        for number in 0..1000 {
            let (bytes, next) = of(number);
            assert_eq!(lines.find_or_decode(bytes, next), number);
        }
        let file = postcard::to_stdvec(&lines).expect("plain data");
        let read: Lines = postcard::from_bytes(&file).expect("the same");
        for number in 0..1000 {
            let (bytes, next) = of(number);
            assert_eq!(read.find_or_decode(bytes, next), number);
        }
    }

    #[test]
    fn twice_those_in_use_are_many() {
        let mut lines = Lines::default();
        let mut number = 0;
        let mut add_until_many = |lines: &Lines| {
            while !lines.are_many() {
                lines.find_or_decode(bytes(&[(0, number << 7 | 0x13)]), None);
                number += 1;
            }
            number
        };
        let first = add_until_many(&lines);
        lines.are_in_use();
        assert!(!lines.are_many());
        assert!(add_until_many(&lines) >= 2 * first - PART as u32);
    }
}
