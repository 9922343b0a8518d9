// SPDX-License-Identifier: Apache-2.0
//! What is going to happen, in the machine's one order.

use super::{
    calendar::Calendar,
    event::{CLASSES, Class, Event},
};
use crate::{devices::Tick, memory::address::scatter};
use serde::{Deserialize, Serialize};
use std::{cmp::Reverse, collections::BinaryHeap};

/// The order of all that happens: by tick, then by class, then by the sources' lots of that tick,
/// then by the source's own order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    tick: Tick,
    /// The rest in one number, so that comparing is cheap.
    order: u64,
}

impl Key {
    pub fn new(tick: Tick, class: Class, source: u32, sequence: u32) -> Key {
        let order = (class as u64) << 56
            | u64::from(lot(tick, source)) << 40
            | u64::from(source & 0xff) << 32
            | u64::from(sequence);
        Key { tick, order }
    }
}

/// The class in a key's `order`.
fn class_of(order: u64) -> usize {
    (order >> 56) as usize
}

/// Drawn anew at each tick, so that ties favour nobody: the least is first.
fn lot(tick: Tick, source: u32) -> u16 {
    scatter(tick ^ u64::from(source) << 32) as u16
}

/// Events by tick: a calendar for those soon, a heap for those later.
///
/// Nothing is pushed for before the latest event that was popped.
#[derive(Clone)]
pub struct Queue {
    /// The tick of the latest event that was popped: here the calendar begins.
    at: Tick,
    /// The events of the tick `at`, the next one last, since the first of them was popped.
    present: Vec<(u64, u32)>,
    soon: Calendar,
    /// The events for which the calendar is too short.
    later: BinaryHeap<Reverse<(Key, u32)>>,
    events: Vec<Event>,
    free: Vec<u32>,
    /// By class: the tick of its first event, but for those later.
    heads: [Tick; CLASSES],
    /// The first of these.
    first: Tick,
    /// By class: the least number of ticks from an event to its effect on a hart.
    lookahead: [Tick; CLASSES],
    least_lookahead: Tick,
    /// The least number of ticks from an event of the class `WriteBack` to its effect while requests are stalled;
    /// at all other times such events have none.
    stalled_lookahead: Tick,
    stalled: bool,
    sequence: u32,
}

/// A queue in a snapshot.
#[derive(Serialize, Deserialize)]
pub struct Saved {
    at: Tick,
    /// In their order.
    events: Vec<(Key, Event)>,
    sequence: u32,
}

impl Saved {
    pub fn of(queue: &Queue) -> Saved {
        let present = queue.present.iter().map(|(order, place)| {
            let key = Key { tick: queue.at, order: *order };
            (key, *place)
        });
        let soon =
            queue.soon.all(queue.at).map(|(tick, order, place)| (Key { tick, order }, place));
        let later = queue.later.iter().map(|Reverse(entry)| *entry);
        let mut places: Vec<(Key, u32)> = present.chain(soon).chain(later).collect();
        places.sort_unstable();
        let event = |(key, place): (Key, u32)| (key, queue.events[place as usize]);
        let events = places.into_iter().map(event).collect();
        Saved { at: queue.at, events, sequence: queue.sequence }
    }

    /// The events and when they happen.
    pub fn events(&self) -> impl Iterator<Item = (Tick, &Event)> {
        self.events.iter().map(|(key, event)| (key.tick, event))
    }

    /// `like`: a queue of the same machine.
    pub fn restore(self, like: &Queue) -> Queue {
        let mut queue = Queue::new(like.lookahead, like.stalled_lookahead);
        (queue.at, queue.sequence) = (self.at, self.sequence);
        self.events.into_iter().for_each(|(key, event)| queue.push(key, event));
        queue
    }
}

impl Default for Queue {
    fn default() -> Queue {
        Queue::new([0; CLASSES], 0)
    }
}

impl Queue {
    pub fn new(lookahead: [Tick; CLASSES], stalled_lookahead: Tick) -> Queue {
        Queue {
            at: 0,
            present: Vec::new(),
            soon: Calendar::new(),
            later: BinaryHeap::new(),
            events: Vec::new(),
            free: Vec::new(),
            heads: [Tick::MAX; CLASSES],
            first: Tick::MAX,
            lookahead,
            least_lookahead: lookahead.iter().copied().min().unwrap_or(0),
            stalled_lookahead,
            stalled: false,
            sequence: 0,
        }
    }

    pub fn push(&mut self, key: Key, event: Event) {
        let place = match self.free.pop() {
            Some(place) => {
                self.events[place as usize] = event;
                place
            }
            None => {
                self.events.push(event);
                self.events.len() as u32 - 1
            }
        };
        self.insert(key, place);
    }

    #[inline]
    fn insert(&mut self, key: Key, place: u32) {
        let Key { tick, order } = key;
        debug_assert!(tick >= self.at, "an event for {tick} is pushed after one at {}", self.at);
        if tick - self.at >= Calendar::TICKS {
            return self.later.push(Reverse((key, place)));
        }
        let head = &mut self.heads[class_of(order)];
        *head = tick.min(*head);
        self.first = tick.min(self.first);
        if tick == self.at && !self.present.is_empty() {
            let behind = self.present.partition_point(|present| present.0 > order);
            return self.present.insert(behind, (order, place));
        }
        self.soon.add(tick, class_of(order), order, place);
    }

    /// For those who push while the machine handles an event, and so in the global order.
    pub fn push_next(&mut self, tick: Tick, class: Class, source: u32, event: Event) {
        self.sequence = self.sequence.wrapping_add(1);
        // Apart from the harts' own numbers.
        self.push(Key::new(tick, class, source, self.sequence | 1 << 31), event);
    }

    /// For a debugger, which may change what is to come; what is over may be among it.
    pub fn each_mut(&mut self) -> impl Iterator<Item = &mut Event> {
        self.events.iter_mut()
    }

    /// Whether requests wait for write-backs, so that the arrival of one has an effect.
    pub fn set_stalled(&mut self, stalled: bool) {
        self.stalled = stalled;
    }

    pub fn lookahead(&self, class: Class) -> Tick {
        self.lookahead[class as usize]
    }

    /// The tick of the next event.
    #[inline]
    pub fn first(&self) -> Option<Tick> {
        if self.first != Tick::MAX {
            return Some(self.first);
        }
        self.later.peek().map(|Reverse((key, _))| key.tick)
    }

    /// The next event, and when it happens.
    pub fn pop(&mut self) -> Option<(Tick, Event)> {
        if self.present.is_empty() {
            self.go_on_to(self.first()?);
        }
        let (order, place) = self.present.pop()?;
        let class = class_of(order);
        let more = self.present.last().is_some_and(|next| class_of(next.0) == class);
        if !more {
            self.heads[class] = self.soon.next(self.at, class);
        }
        if self.present.is_empty() {
            self.first = self.heads.iter().copied().fold(Tick::MAX, Tick::min);
        }
        self.free.push(place);
        Some((self.at, self.events[place as usize]))
    }

    /// Takes the events of the tick that is next out of the calendar.
    fn go_on_to(&mut self, tick: Tick) {
        self.at = tick;
        while let Some(Reverse((key, place))) = self.later.peek().copied() {
            if key.tick - tick >= Calendar::TICKS {
                break;
            }
            self.later.pop();
            self.insert(key, place);
        }
        self.soon.take(tick, &mut self.present);
        if self.present.len() > 1 {
            self.present.sort_unstable_by(|one, other| other.cmp(one));
        }
    }

    /// No event of the queue has an effect on a hart before.
    #[inline]
    pub fn horizon(&self) -> Tick {
        let heads = self.heads.iter().zip(self.lookahead);
        let soon =
            heads.fold(Tick::MAX, |least, (tick, ahead)| least.min(tick.saturating_add(ahead)));
        let soon = if self.stalled {
            let write_back = self.heads[Class::WriteBack as usize];
            soon.min(write_back.saturating_add(self.stalled_lookahead))
        } else {
            soon
        };
        match self.later.peek() {
            Some(Reverse((key, _))) => soon.min(key.tick.saturating_add(self.least_lookahead)),
            None => soon,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const CLASSES_HERE: [Class; 3] = [Class::Deliver, Class::Home, Class::Request];

    /// How often each of so many sources is first in a tick, against an equal share.
    fn shares(sources: u32) -> impl Iterator<Item = f64> {
        let ticks = 5000 * sources;
        let mut wins = vec![0; sources as usize];
        for tick in 0..u64::from(ticks) {
            let key = |source: &u32| Key::new(tick, Class::Home, *source, 0);
            wins[(0..sources).min_by_key(key).expect("a source") as usize] += 1;
        }
        wins.into_iter().map(|wins| f64::from(wins) / 5000.0)
    }

    /// Five standard deviations of 5,000 wins are 7 %.
    #[test]
    fn ties_favour_no_source() {
        for sources in [2, 4, 72, 128] {
            let shares: Vec<f64> = shares(sources).collect();
            assert!(shares.iter().all(|share| (share - 1.0).abs() < 0.07), "{sources}: {shares:?}");
        }
    }

    /// Pushes and pops at random, near and far, beside a map in the order of the keys.
    #[test]
    fn events_happen_in_the_order_of_their_keys() {
        let mut random = fastrand::Rng::with_seed(1);
        let lookahead = std::array::from_fn(|class| class as Tick * 3);
        let mut queue = Queue::new(lookahead, 0);
        let mut model = BTreeMap::new();
        for line in 0..100_000 {
            if random.u32(0..100) < 51 {
                let far = *random.choice(&[1, 10, 100, 5000, 100_000]).expect("a distance");
                let class = *random.choice(&CLASSES_HERE).expect("a class");
                let key = Key::new(queue.at + random.u64(0..far), class, random.u32(0..9), line);
                queue.push(key, Event::Free { line: line.into() });
                model.insert(key, line);
            } else {
                let popped = queue.pop().map(|(tick, event)| match event {
                    Event::Free { line } => (tick, line as u32),
                    _ => unreachable!("only such were pushed"),
                });
                assert_eq!(popped, model.pop_first().map(|(key, line)| (key.tick, line)));
            }
            assert_eq!(queue.first(), model.keys().next().map(|key| key.tick));
            let effect = |key: &Key| key.tick + lookahead[class_of(key.order)];
            let horizon = model.keys().map(effect).min().unwrap_or(Tick::MAX);
            let least_later = queue.at + Calendar::TICKS;
            assert!(
                queue.horizon() == horizon || (least_later..=horizon).contains(&queue.horizon())
            );
            if random.u32(0..1000) == 0 {
                let file = postcard::to_stdvec(&Saved::of(&queue)).expect("plain data");
                let saved: Saved = postcard::from_bytes(&file).expect("the same");
                queue = saved.restore(&queue);
            }
        }
    }
}
