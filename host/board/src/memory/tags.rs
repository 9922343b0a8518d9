// SPDX-License-Identifier: Apache-2.0
//! The tags of a set-associative cache with true LRU replacement.
//!
//! A set's ways stand in order of use, the latest first, so a hit on the first way changes nothing.

use super::{LINE, address::parities};
use serde::{Deserialize, Serialize};
use takt_model::timing::Cache;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum State {
    #[default]
    Invalid = 0,
    Shared = 1,
    Exclusive = 2,
    Modified = 3,
}

impl State {
    fn of(word: u64) -> State {
        match word & 3 {
            0 => State::Invalid,
            1 => State::Shared,
            2 => State::Exclusive,
            _ => State::Modified,
        }
    }

    /// The core may write.
    pub fn owned(self) -> bool {
        self >= State::Exclusive
    }
}

#[derive(Clone, Serialize, Deserialize)]
pub struct Tags {
    ways: usize,
    /// Sets - 1, where the address's bits above the line's are the set's number.
    mask: u64,
    masks: Vec<u64>,
    /// line << 2 | state
    words: Vec<u64>,
}

impl Tags {
    pub fn new(cache: &Cache) -> Tags {
        let sets = cache.size / LINE / u64::from(cache.ways);
        Tags {
            ways: cache.ways as usize,
            mask: sets - 1,
            masks: cache.index.clone(),
            words: vec![0; (sets * u64::from(cache.ways)) as usize],
        }
    }

    #[inline(always)]
    fn first(&self, line: u64) -> usize {
        let set = if self.masks.is_empty() {
            line & self.mask
        } else {
            parities(&self.masks, line * LINE)
        };
        set as usize * self.ways
    }

    /// The latest way of the line's set, where the bits above the line's number it. Elsewhere it is mostly another set's, which
    /// does not hold the line, or the line's after all.
    #[inline(always)]
    fn at_once(&self, line: u64) -> u64 {
        self.words[(line & self.mask) as usize * self.ways]
    }

    /// Whether the set's latest way holds the line to read: the common case, which changes nothing. Where masks number the
    /// sets it is rarely said of lines that are there.
    #[inline(always)]
    pub fn reads_at_once(&self, line: u64) -> bool {
        // A word between line << 2 | 1 and line << 2 | 3.
        self.at_once(line).wrapping_sub((line << 2) + 1) < 3
    }

    /// Whether the set's latest way holds the line modified.
    #[inline(always)]
    pub fn writes_at_once(&self, line: u64) -> bool {
        self.at_once(line) == (line << 2) + 3
    }

    fn set(&mut self, line: u64) -> &mut [u64] {
        let first = self.first(line);
        &mut self.words[first..first + self.ways]
    }

    fn position(set: &[u64], line: u64) -> Option<usize> {
        set.iter().position(|word| word >> 2 == line && word & 3 != 0)
    }

    /// The line's state; a hit becomes the set's latest.
    pub fn touch(&mut self, line: u64) -> State {
        let set = self.set(line);
        let Some(way) = Tags::position(set, line) else { return State::Invalid };
        set[..=way].rotate_right(1);
        State::of(set[0])
    }

    pub fn peek(&self, line: u64) -> State {
        let first = self.first(line);
        let set = &self.words[first..first + self.ways];
        Tags::position(set, line).map_or(State::Invalid, |way| State::of(set[way]))
    }

    /// Changes the state of a line that may be here; to `Invalid` removes it.
    pub fn change(&mut self, line: u64, state: State) {
        let set = self.set(line);
        if let Some(way) = Tags::position(set, line) {
            set[way] = line << 2 | state as u64;
            if state == State::Invalid {
                // Free ways stand last.
                set[way] = 0;
                set[way..].rotate_left(1);
            }
        }
    }

    /// Puts the line in as the set's latest; answers whom it displaced.
    pub fn insert(&mut self, line: u64, state: State) -> Option<(u64, State)> {
        let set = self.set(line);
        let way = Tags::position(set, line).unwrap_or(set.len() - 1);
        let old = set[way];
        set[..=way].rotate_right(1);
        set[0] = line << 2 | state as u64;
        (old & 3 != 0 && old >> 2 != line).then(|| (old >> 2, State::of(old)))
    }

    /// All lines that are here, set by set.
    pub fn lines(&self) -> impl Iterator<Item = (u64, State)> + '_ {
        self.words.iter().filter(|word| *word & 3 != 0).map(|word| (word >> 2, State::of(*word)))
    }

    pub fn clear(&mut self) {
        self.words.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_ways() -> Tags {
        Tags::new(&Cache { size: 256, ways: 2, hit: 0, index: vec![] })
    }

    #[test]
    fn the_least_recently_used_goes() {
        let mut tags = two_ways();
        assert_eq!(tags.insert(2, State::Shared), None);
        assert_eq!(tags.insert(4, State::Modified), None);
        assert_eq!(tags.touch(2), State::Shared);
        assert_eq!(tags.insert(6, State::Exclusive), Some((4, State::Modified)));
        assert_eq!((tags.peek(2), tags.peek(4)), (State::Shared, State::Invalid));
    }

    #[test]
    fn line_zero_is_a_line() {
        let mut tags = two_ways();
        assert!(!tags.reads_at_once(0));
        tags.insert(0, State::Modified);
        assert!(tags.reads_at_once(0) && tags.writes_at_once(0));
    }

    #[test]
    fn a_removed_line_frees_its_way() {
        let mut tags = two_ways();
        tags.insert(2, State::Shared);
        tags.insert(4, State::Shared);
        tags.change(4, State::Invalid);
        assert_eq!(tags.insert(6, State::Shared), None);
        assert_eq!(tags.peek(2), State::Shared);
    }
}
