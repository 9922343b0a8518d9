// SPDX-License-Identifier: Apache-2.0
//! What is going to happen, in the machine's one order.

use super::event::{CLASSES, Class, What};
use crate::{devices::Tick, memory::address::scatter};
use std::{cmp::Reverse, collections::BinaryHeap};

/// The order of all that happens: by tick, then by class, then by a rotation among the sources that
/// favours none of them, then by the source's own order. One number, so that comparing is cheap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

/// Events by class, since each class has its own least delay until a hart can feel it.
#[derive(Clone)]
pub struct Queue {
    /// Keys and the events' places in `events`: what a heap moves about should be small.
    classes: [BinaryHeap<Reverse<(Key, u32)>>; CLASSES],
    events: Vec<What>,
    free: Vec<u32>,
    /// The least key of each class.
    heads: [Key; CLASSES],
    /// By class: the least number of ticks from an event to its effect on a hart.
    lookahead: [Tick; CLASSES],
    sequence: u32,
}

impl Queue {
    pub fn new(lookahead: [Tick; CLASSES]) -> Queue {
        let heads = [Key::NEVER; CLASSES];
        Queue {
            classes: Default::default(),
            events: Vec::new(),
            free: Vec::new(),
            heads,
            lookahead,
            sequence: 0,
        }
    }

    pub fn push(&mut self, key: Key, class: Class, what: What) {
        let class = class as usize;
        self.heads[class] = self.heads[class].min(key);
        let place = match self.free.pop() {
            Some(place) => {
                self.events[place as usize] = what;
                place
            }
            None => {
                self.events.push(what);
                self.events.len() as u32 - 1
            }
        };
        self.classes[class].push(Reverse((key, place)));
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
        let Reverse((key, place)) = heap.pop()?;
        self.heads[class] = heap.peek().map_or(Key::NEVER, |entry| entry.0.0);
        self.free.push(place);
        Some((key.tick(), self.events[place as usize].clone()))
    }

    /// No event of the queue has an effect on a hart before.
    pub fn horizon(&self) -> Tick {
        let heads = self.heads.iter().zip(self.lookahead);
        heads.map(|(key, ahead)| key.tick().saturating_add(ahead)).min().unwrap_or(Tick::MAX)
    }
}
