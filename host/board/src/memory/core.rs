// SPDX-License-Identifier: Apache-2.0
//! What belongs to one core: its caches, TLBs and store buffer, and what it waits for.

use super::{
    code::Code,
    tags::{State, Tags},
    tlb::{FastPages, Tlb},
    undo::Undo,
};
use crate::devices::{Refused, Tick};
use crate::isa::{Access, CounterEvent, EVENTS, Walk};
use serde::{Deserialize, Serialize};
use takt_model::{
    Timing,
    timing::{Atomics, Drain},
};

#[derive(Clone, Serialize, Deserialize)]
pub struct Core {
    pub index: u32,
    #[serde(skip)]
    pub figures: Figures,
    pub code: Code,
    pub itlb: Tlb,
    pub dtlb: Tlb,
    #[serde(skip)]
    pub pages: FastPages,
    pub l1d: Tags,
    pub l2: Option<Tags>,
    pub stores: Stores,
    /// A page walk that waits for a line: the page's address and the access.
    pub walk: Option<(u64, Access, Walk)>,
    /// What was read of the first of two lines by a load that waits for the second.
    pub split: Option<Split>,
    /// What a device or a home answered the instruction that waits for it.
    pub answer: Option<Result<u64, Refused>>,
    pub waits: Option<WaitFor>,
    pub reservation: Option<Reservation>,
    pub misses: Vec<Miss>,
    /// Stores to devices and others' scratchpads that are on their way.
    pub posted: u32,
    /// When the latest access to one of them left, so that none overtakes it.
    pub departed: Tick,
    /// The line after the latest miss: a miss there is a stream.
    pub stream: u64,
    #[serde(skip)]
    pub last_reported: LastReported,
    /// The log by which its hart is rolled back.
    #[serde(skip)]
    pub undo: Undo,
    counts: [u64; EVENTS],
    /// For each event the count at which one of the hart's counters wraps around; `u64::MAX`: none does.
    pub overflows: [u64; EVENTS],
    /// When the hart sees that a counter wrapped around; `Tick::MAX`: none has.
    pub overflow: Tick,
    pub sequence: u32,
    /// Requests so far, for the seed's jitter.
    pub requests: u64,
    /// The longest time from a request's departure until its line was there.
    pub longest_miss: Tick,
}

/// What the board says of this core alone, laid out for the loop over instructions. `takt_model::timing` has their
/// meaning.
#[derive(Clone, Copy, Default)]
pub struct Figures {
    /// Cycles beyond the first, by `isa::Class`.
    pub costs: [Tick; 9],
    pub load_use: Tick,
    pub taken_branch: Tick,
    pub trap: Tick,
    pub wake: Tick,
    pub overflow_skid: Tick,
    /// The ticks that a hit in each cache adds. `l2` is 0 where there is none.
    pub l1i: Tick,
    pub l1d: Tick,
    pub l2: Tick,
    /// The ticks that each level of a page walk adds.
    pub level: Tick,
    pub reservation: Tick,
    pub store_buffer: usize,
    pub prefetch: u64,
    /// Lines that the prefetcher may have asked for at once.
    pub prefetched: usize,
    pub drains_in_order: bool,
    pub atomics_at_home: bool,
    /// Stores to devices and others' scratchpads that may be under way at once.
    pub posts: u32,
}

/// What a core's observer was told last of its fetches, so that a pause of the machine, which begins
/// with a fetch, tells nothing.
#[derive(Clone, Copy, Default)]
pub struct LastReported {
    pub line: Option<u64>,
    /// An instruction that crosses two lines, and the instructions before it.
    pub crossing: Option<(u64, u64)>,
}

/// What a hart that cannot go on waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WaitFor {
    Line(u64),
    /// An empty store buffer, and no store to a device on its way.
    Drained,
    /// An empty store buffer, and room for one more store across the bridge.
    Post,
    /// A free entry of the store buffer.
    Room,
    /// The answer of a device or of a home.
    Answer,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Split {
    pub address: u64,
    pub value: u64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Reservation {
    pub line: u64,
    /// The line is kept from others so long.
    pub until: Tick,
}

/// A request for a line that is under way.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Miss {
    pub line: u64,
    pub write: bool,
    /// Asked for by the prefetcher.
    pub ahead: bool,
    /// When the request left the core.
    pub since: Tick,
}

impl WaitFor {
    /// For people, behind "waits for".
    pub fn words(self) -> String {
        match self {
            WaitFor::Line(line) => format!("memory at {:#x}", line * super::LINE),
            WaitFor::Drained => "its stores".to_string(),
            WaitFor::Post => "room at its bridge".to_string(),
            WaitFor::Room => "room in its store buffer".to_string(),
            WaitFor::Answer => "an answer".to_string(),
        }
    }
}

impl Figures {
    /// `timing`: that of the one core.
    fn new(timing: &Timing) -> Figures {
        let core = &timing.core;
        // In the order of `isa::Class`.
        let costs = [
            core.multiply,
            core.divide,
            core.float_add,
            core.float_multiply,
            core.float_fused,
            core.float_divide,
            core.float_root,
            core.float_move,
            core.system,
        ];
        Figures {
            costs: costs.map(|cycles| cycles - 1),
            load_use: core.load_use,
            taken_branch: core.taken_branch,
            trap: core.trap,
            wake: core.wake,
            overflow_skid: core.overflow_skid,
            l1i: timing.l1i.hit,
            l1d: timing.l1d.hit,
            l2: timing.l2.as_ref().map_or(0, |l2| l2.hit),
            level: timing.tlb.level,
            reservation: core.reservation,
            store_buffer: core.store_buffer as usize,
            prefetch: core.prefetch.into(),
            prefetched: core.mshrs.saturating_sub(core.store_buffer + 1) as usize,
            drains_in_order: core.drain == Drain::Fifo,
            atomics_at_home: core.atomics == Atomics::Home,
            posts: timing.interconnect.posts,
        }
    }

    /// From a miss in L1 D to the request's departure.
    pub fn lookup(&self) -> Tick {
        self.l1d + self.l2
    }
}

impl Core {
    /// Takes the figures of the board's core of this number, whatever its kind.
    pub fn new(index: u32, timing: &Timing) -> Core {
        let timing = &timing.of_core(index);
        Core {
            index,
            figures: Figures::new(timing),
            code: Code::new(&timing.l1i),
            itlb: Tlb::new(timing.tlb.entries),
            dtlb: Tlb::new(timing.tlb.entries),
            pages: FastPages::default(),
            l1d: Tags::new(&timing.l1d),
            l2: timing.l2.as_ref().map(Tags::new),
            stores: Stores::default(),
            walk: None,
            split: None,
            answer: None,
            waits: None,
            reservation: None,
            misses: Vec::new(),
            posted: 0,
            departed: 0,
            stream: u64::MAX,
            last_reported: LastReported::default(),
            undo: Undo::default(),
            counts: [0; EVENTS],
            overflows: [u64::MAX; EVENTS],
            overflow: Tick::MAX,
            sequence: 0,
            requests: 0,
            longest_miss: 0,
        }
    }

    /// Counts an event that happens now. Who runs the hart pauses it at `overflow`.
    pub fn count(&mut self, now: Tick, event: CounterEvent) {
        let index = event as usize;
        self.counts[index] += 1;
        if self.counts[index] >= self.overflows[index] {
            self.overflow = self.overflow.min(now + self.figures.overflow_skid);
        }
    }

    /// No cache had a line that it asked for.
    pub fn count_memory_read(&mut self, now: Tick) {
        self.count(now, CounterEvent::LlcMiss);
        self.count(now, CounterEvent::MemoryRead);
    }

    pub fn all_counts(&self) -> [u64; EVENTS] {
        self.counts
    }

    pub fn counted(&self, event: CounterEvent) -> u64 {
        self.counts[event as usize]
    }

    /// The line's state towards the other cores.
    pub fn state(&self, line: u64) -> State {
        let outer = self.l2.as_ref().map_or(State::Invalid, |l2| l2.peek(line));
        outer.max(self.l1d.peek(line))
    }

    /// Whether the prefetcher may ask for one more line.
    pub fn may_prefetch(&self) -> bool {
        self.misses.iter().filter(|miss| miss.ahead).count() < self.figures.prefetched
    }

    /// Whether an access may leave across the bridge, behind all stores that are under way.
    pub fn may_post(&self) -> bool {
        self.stores.entries.is_empty() && self.posted < self.figures.posts
    }

    /// A store to a device or another's scratchpad has arrived.
    pub fn post_arrived(&mut self) {
        self.posted -= 1;
        self.stores.fenced &= self.posted > 0;
    }

    pub fn missing(&self, line: u64) -> bool {
        self.misses.iter().any(|miss| miss.line == line)
    }

    /// A line that was asked for is there.
    pub fn arrived(&mut self, now: Tick, line: u64) {
        if let Some(at) = self.misses.iter().position(|miss| miss.line == line) {
            let miss = self.misses.remove(at);
            self.longest_miss = self.longest_miss.max(now.saturating_sub(miss.since));
        }
    }

    /// Looks a line up in L1 D and L2, to read or to write. A hit makes it the latest of its set, brings it into L1 D,
    /// marks it as modified if it is written, and costs so many cycles.
    pub fn hit(&mut self, now: Tick, line: u64, write: bool) -> Option<Tick> {
        let serves = |state: State| if write { state.owned() } else { state != State::Invalid };
        let after = |state: State| if write { State::Modified } else { state };
        let state = self.l1d.touch(line);
        if serves(state) {
            self.l1d.change(line, after(state));
            return Some(self.figures.l1d);
        }
        let l2 = self.l2.as_mut()?;
        let state = l2.touch(line);
        if !serves(state) {
            return None;
        }
        self.count(now, CounterEvent::L1dMiss);
        self.raise(line, after(state));
        Some(self.figures.lookup())
    }

    /// Brings a line that L2 holds into L1 D.
    pub fn raise(&mut self, line: u64, state: State) {
        let displaced = self.l1d.insert(line, state);
        if let (Some((victim, State::Modified)), Some(l2)) = (displaced, &mut self.l2) {
            l2.change(victim, State::Modified);
        }
    }

    /// Puts in a granted line; answers the line that left the core for it.
    pub fn fill(&mut self, line: u64, state: State, into_l1: bool) -> Option<(u64, State)> {
        let Some(l2) = &mut self.l2 else {
            return self.l1d.insert(line, state).inspect(|victim| self.lost(victim.0));
        };
        let displaced = l2.insert(line, state);
        let displaced = displaced.map(|(victim, state)| {
            let state = state.max(self.l1d.peek(victim));
            self.l1d.change(victim, State::Invalid);
            self.lost(victim);
            (victim, state)
        });
        if into_l1 {
            self.raise(line, state);
        } else if self.l1d.peek(line) != State::Invalid {
            self.l1d.change(line, state);
        }
        displaced
    }

    /// Another core takes the line, or shares it (`to`).
    pub fn give_up(&mut self, line: u64, to: State) {
        self.l1d.change(line, to);
        if let Some(l2) = &mut self.l2 {
            l2.change(line, to);
        }
        if to == State::Invalid {
            self.lost(line);
        }
    }

    fn lost(&mut self, line: u64) {
        if self.reservation.is_some_and(|reservation| reservation.line == line) {
            self.reservation = None;
        }
    }
}

/// Stores that were executed and are not performed yet, the oldest first.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Stores {
    pub entries: Vec<Store>,
    /// A fence has put later stores behind those that are under way across the bridge, which keeps the order of its own
    /// alone: no other store is performed before these have arrived.
    pub fenced: bool,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Store {
    /// Offset in RAM; the bytes lie in one line.
    pub offset: u64,
    pub bytes: u8,
    pub line: u64,
    pub value: u64,
    pub way: StorePath,
}

/// How a store in the buffer is performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StorePath {
    /// In the core's cache, when it owns the line.
    Cached,
    /// At the memory, by a message that has not been sent.
    Memory,
    /// The message is under way: the memory has it, or will.
    Sent,
}

/// What a load finds in the store buffer.
#[derive(Debug, PartialEq, Eq)]
pub enum Forward {
    Nothing,
    Value(u64),
    /// Some of its bytes only: it waits.
    Part,
}

impl Stores {
    /// Whether a store may be performed at once.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && !self.fenced
    }

    /// The latest store that wrote any of the bytes decides. One that was sent may have been performed, and
    /// overwritten by another core: its value is not the load's any more.
    pub fn forward(&self, offset: u64, bytes: u64) -> Forward {
        let overlaps =
            |s: &&Store| s.offset < offset + bytes && offset < s.offset + u64::from(s.bytes);
        let Some(store) = self.entries.iter().rev().find(overlaps) else {
            return Forward::Nothing;
        };
        let within =
            offset >= store.offset && offset + bytes <= store.offset + u64::from(store.bytes);
        if !within || store.way == StorePath::Sent {
            return Forward::Part;
        }
        let value = store.value >> (8 * (offset - store.offset));
        Forward::Value(if bytes == 8 { value } else { value & ((1 << (8 * bytes)) - 1) })
    }

    /// The store to the line that was sent is performed.
    pub fn arrived(&mut self, line: u64) {
        let sent = |store: &Store| store.line == line && store.way == StorePath::Sent;
        if let Some(at) = self.entries.iter().position(sent) {
            self.entries.remove(at);
        }
    }

    pub fn touches(&self, line: u64) -> bool {
        self.entries.iter().any(|store| store.line == line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(entries: Vec<Store>) -> Stores {
        Stores { entries, fenced: false }
    }

    #[test]
    fn the_latest_store_is_forwarded() {
        let store =
            |offset, bytes, value| Store { offset, bytes, line: 0, value, way: StorePath::Cached };
        let stores = buffer(vec![store(8, 8, 0x1122_3344_5566_7788), store(8, 1, 0xff)]);
        assert_eq!(stores.forward(8, 1), Forward::Value(0xff));
        assert_eq!(stores.forward(12, 4), Forward::Value(0x1122_3344));
        assert_eq!(stores.forward(8, 8), Forward::Part);
        assert_eq!(stores.forward(16, 8), Forward::Nothing);
    }

    #[test]
    fn what_was_sent_is_not_forwarded() {
        let mut sent = Store { offset: 8, bytes: 8, line: 0, value: 1, way: StorePath::Memory };
        assert_eq!(buffer(vec![sent]).forward(8, 8), Forward::Value(1));
        sent.way = StorePath::Sent;
        assert_eq!(buffer(vec![sent]).forward(8, 8), Forward::Part);
    }
}
