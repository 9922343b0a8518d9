// SPDX-License-Identifier: Apache-2.0
//! What is going to happen, in the machine's one order.

use super::event::{CLASSES, Class, What};
use crate::{devices::Tick, memory::address::scatter};
use serde::{Deserialize, Serialize};
use std::{cmp::Reverse, collections::BinaryHeap};

/// The order of all that happens: by tick, then by class, then by a rotation among the sources that
/// favours none of them, then by the source's own order. One number, so that comparing is cheap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key(u128);

impl Key {
    const NEVER: Key = Key(u128::MAX);

    pub fn new(tick: Tick, class: Class, source: u32, sequence: u32) -> Key {
        let low = (class as u64) << 56
            | u64::from(turn(tick, source)) << 48
            | u64::from(source & 0xff) << 40
            | u64::from(sequence);
        Key(u128::from(tick) << 64 | u128::from(low))
    }

    pub fn tick(self) -> Tick {
        (self.0 >> 64) as u64
    }
}

/// Whose turn it is among those of one tick.
pub fn turn(tick: Tick, source: u32) -> u8 {
    (u64::from(source) + scatter(tick)) as u8
}

#[derive(Clone, Serialize, Deserialize)]
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
#[derive(Clone, Serialize, Deserialize)]
pub struct Queue {
    classes: [BinaryHeap<Reverse<Entry>>; CLASSES],
    /// The least key of each class.
    heads: [Key; CLASSES],
    /// By class: the least number of ticks from an event to its effect on a hart.
    lookahead: [Tick; CLASSES],
    sequence: u32,
}

impl Queue {
    pub fn new(lookahead: [Tick; CLASSES]) -> Queue {
        let heads = [Key::NEVER; CLASSES];
        Queue { classes: Default::default(), heads, lookahead, sequence: 0 }
    }

    pub fn push(&mut self, key: Key, class: Class, what: What) {
        let class = class as usize;
        self.heads[class] = self.heads[class].min(key);
        self.classes[class].push(Reverse(Entry { key, what }));
    }

    /// For those who push while the machine handles an event, and so in the global order.
    pub fn push_next(&mut self, tick: Tick, class: Class, source: u32, what: What) {
        self.sequence = self.sequence.wrapping_add(1);
        // Apart from the harts' own numbers.
        self.push(Key::new(tick, class, source, self.sequence | 1 << 31), class, what);
    }

    pub fn lookahead(&self, class: Class) -> Tick {
        self.lookahead[class as usize]
    }

    /// The tick of the next event.
    pub fn first(&self) -> Option<Tick> {
        let first = self.heads.iter().min().copied().unwrap_or(Key::NEVER);
        (first != Key::NEVER).then(|| first.tick())
    }

    /// The next event, and when it happens.
    pub fn pop(&mut self) -> Option<(Tick, What)> {
        let class = (0..CLASSES).min_by_key(|class| self.heads[*class])?;
        let heap = &mut self.classes[class];
        let Reverse(Entry { key, what }) = heap.pop()?;
        self.heads[class] = heap.peek().map_or(Key::NEVER, |entry| entry.0.key);
        Some((key.tick(), what))
    }

    /// No event of the queue has an effect on a hart before.
    pub fn horizon(&self) -> Tick {
        let heads = self.heads.iter().zip(self.lookahead);
        heads.map(|(key, ahead)| key.tick().saturating_add(ahead)).min().unwrap_or(Tick::MAX)
    }
}
