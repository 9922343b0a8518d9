// SPDX-License-Identifier: Apache-2.0
//! The events of the next ticks: a list for each tick, and for each class the ticks that have some.

use super::event::CLASSES;
use crate::devices::Tick;

const TICKS: usize = 4096;
const NONE: u32 = u32::MAX;

#[derive(Clone)]
pub struct Calendar {
    /// By tick, modulo their number: its latest entry.
    latest: Vec<u32>,
    /// By the event's place: its order, and the tick's entry before it.
    entries: Vec<(u64, u32)>,
    marks: [Marks; CLASSES],
}

impl Calendar {
    pub const TICKS: Tick = TICKS as Tick;

    pub fn new() -> Calendar {
        let marks = std::array::from_fn(|_| Marks { bits: [0; TICKS / 64], words: 0 });
        Calendar { latest: vec![NONE; TICKS], entries: Vec::new(), marks }
    }

    /// `tick`: less than `TICKS` from where the calendar begins now.
    #[inline]
    pub fn add(&mut self, tick: Tick, class: usize, order: u64, place: u32) {
        let latest = &mut self.latest[tick as usize % TICKS];
        let before = std::mem::replace(latest, place);
        if self.entries.len() <= place as usize {
            self.entries.resize(place as usize + 1, (0, NONE));
        }
        self.entries[place as usize] = (order, before);
        self.marks[class].set(tick as usize % TICKS);
    }

    /// Takes all entries of a tick out, in any order.
    #[inline]
    pub fn take(&mut self, tick: Tick, out: &mut Vec<(u64, u32)>) {
        let slot = tick as usize % TICKS;
        let mut place = std::mem::replace(&mut self.latest[slot], NONE);
        while place != NONE {
            let (order, before) = self.entries[place as usize];
            self.marks[(order >> 56) as usize].clear(slot);
            out.push((order, place));
            place = before;
        }
    }

    /// The first tick with an entry of the class, `Tick::MAX` if there is none; the calendar begins at
    /// `at`.
    #[inline]
    pub fn next(&self, at: Tick, class: usize) -> Tick {
        self.marks[class].next(at as usize % TICKS).map_or(Tick::MAX, |ahead| at + ahead as Tick)
    }

    /// Tick, order and place of all entries of a calendar that begins at `at`.
    pub fn all(&self, at: Tick) -> impl Iterator<Item = (Tick, u64, u32)> + '_ {
        (at..at + Calendar::TICKS).flat_map(move |tick| {
            let mut place = self.latest[tick as usize % TICKS];
            std::iter::from_fn(move || {
                let (order, before) = *self.entries.get(place as usize)?;
                Some((tick, order, std::mem::replace(&mut place, before)))
            })
        })
    }
}

/// Some of the ticks.
#[derive(Clone)]
struct Marks {
    bits: [u64; TICKS / 64],
    /// Which of these words are not zero.
    words: u64,
}

impl Marks {
    #[inline]
    fn set(&mut self, slot: usize) {
        self.bits[slot / 64] |= 1 << (slot % 64);
        self.words |= 1 << (slot / 64);
    }

    #[inline]
    fn clear(&mut self, slot: usize) {
        let word = &mut self.bits[slot / 64];
        *word &= !(1 << (slot % 64));
        if *word == 0 {
            self.words &= !(1 << (slot / 64));
        }
    }

    /// How far it is to the first mark at or behind a slot, round the end.
    #[inline]
    fn next(&self, slot: usize) -> Option<usize> {
        let (word, bit) = (slot / 64, slot % 64);
        let here = self.bits[word] >> bit;
        if here != 0 {
            return Some(here.trailing_zeros() as usize);
        }
        // The words behind, the present one last: of it only slots before this one are marked.
        let behind = self.words.rotate_right(word as u32 + 1);
        if behind == 0 {
            return None;
        }
        let ahead = 1 + behind.trailing_zeros() as usize;
        let bits = self.bits[(word + ahead) % (TICKS / 64)];
        Some(ahead * 64 + bits.trailing_zeros() as usize - bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_mark_is_found_round_the_end() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut marks = Marks { bits: [0; TICKS / 64], words: 0 };
        let mut set = std::collections::BTreeSet::new();
        for _ in 0..20_000 {
            let slot = random.usize(0..TICKS);
            if random.u32(0..10) < 6 && set.len() > 3 {
                let first = *set.range(slot..).next().or(set.first()).expect("some");
                set.remove(&first);
                marks.clear(first);
            } else {
                set.insert(slot);
                marks.set(slot);
            }
            let from = random.usize(0..TICKS);
            let first = set.range(from..).next().or(set.first());
            let ahead = first.map(|slot| (slot + TICKS - from) % TICKS);
            assert_eq!(marks.next(from), ahead);
        }
    }
}
