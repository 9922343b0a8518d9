// SPDX-License-Identifier: Apache-2.0
//! What is going to happen, in the machine's one order.

use super::event::{CLASSES, Class, What};
use crate::{devices::Tick, memory::address::scatter};
use std::{cmp::Reverse, collections::BinaryHeap};

/// The order of all that happens: by tick, then by class, then by a rotation among the sources that
/// favours none of them, then by the source's own order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub tick: Tick,
    pub class: Class,
    turn: u8,
    source: u8,
    sequence: u32,
}

impl Key {
    pub fn new(tick: Tick, class: Class, source: u32, sequence: u32) -> Key {
        Key { tick, class, turn: turn(tick, source), source: source as u8, sequence }
    }
}

/// Whose turn it is among those of one tick.
pub fn turn(tick: Tick, source: u32) -> u8 {
    (u64::from(source) + scatter(tick)) as u8
}

#[derive(Clone)]
struct Entry {
    key: Key,
    what: What,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.key == other.key
    }
}
impl Eq for Entry {}
impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

/// Events by class, since each class has its own least delay until a hart can feel it.
#[derive(Clone)]
pub struct Queue {
    classes: [BinaryHeap<Reverse<Entry>>; CLASSES],
    /// By class: the least number of ticks from an event to its effect on a hart.
    lookahead: [Tick; CLASSES],
    sequence: u32,
}

impl Queue {
    pub fn new(lookahead: [Tick; CLASSES]) -> Queue {
        Queue { classes: Default::default(), lookahead, sequence: 0 }
    }

    pub fn push(&mut self, key: Key, what: What) {
        self.classes[key.class as usize].push(Reverse(Entry { key, what }));
    }

    /// For those who push while the machine handles an event, and so in the global order.
    pub fn push_next(&mut self, tick: Tick, class: Class, source: u32, what: What) {
        self.sequence = self.sequence.wrapping_add(1);
        // Apart from the harts' own numbers.
        self.push(Key::new(tick, class, source, self.sequence | 1 << 31), what);
    }

    pub fn lookahead(&self, class: Class) -> Tick {
        self.lookahead[class as usize]
    }

    pub fn first(&self) -> Option<Key> {
        self.classes.iter().filter_map(|heap| heap.peek()).map(|entry| entry.0.key).min()
    }

    pub fn pop(&mut self, class: Class) -> Option<(Key, What)> {
        self.classes[class as usize].pop().map(|Reverse(entry)| (entry.key, entry.what))
    }

    /// No event of the queue has an effect on a hart before.
    pub fn horizon(&self) -> Tick {
        let heads = self.classes.iter().zip(self.lookahead);
        let ends = heads.filter_map(|(heap, ahead)| {
            heap.peek().map(|entry| entry.0.key.tick.saturating_add(ahead))
        });
        ends.min().unwrap_or(Tick::MAX)
    }

    pub fn is_empty(&self) -> bool {
        self.classes.iter().all(BinaryHeap::is_empty)
    }
}
