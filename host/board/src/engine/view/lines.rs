// SPDX-License-Identifier: Apache-2.0
//! The right to read or write a line: hits in the core's own caches, and requests for all others.

use super::{FUNCTIONAL, Result, View, WARMING};
use crate::memory::request::{Purpose, Request, RequestKind};
use crate::{
    devices::Tick,
    engine::{
        event::{Class as EventClass, Event},
        queue::Key,
    },
    isa::CounterEvent,
    memory::{
        LINE,
        core::{Miss, StorePath, WaitFor},
        tags::State,
    },
};

impl<const MODE: u8> View<'_, MODE> {
    /// The core may read (or write) the line now, or waits for it.
    #[inline(always)]
    pub(super) fn line_ready(&mut self, line: u64, write: bool) -> Result<()> {
        match MODE {
            FUNCTIONAL => Ok(()),
            WARMING => {
                self.warm(line, write);
                Ok(())
            }
            _ => {
                let at_once = if write {
                    self.core.l1d.writes_at_once(line)
                } else {
                    self.core.l1d.reads_at_once(line)
                };
                if at_once {
                    self.clock += self.core.figures.l1d;
                    return Ok(());
                }
                self.line_ready_slowly(line, write)
            }
        }
    }

    #[inline(never)]
    pub(super) fn warm(&mut self, line: u64, write: bool) {
        if self.own_hit(line, write).is_none() && self.world.warm(self.core, line, write) {
            // The machine recalls the others' copies before anyone goes on.
            self.limit = 0;
        }
    }

    #[inline(never)]
    pub(super) fn line_ready_slowly(&mut self, line: u64, write: bool) -> Result<()> {
        if let Some(cost) = self.own_hit(line, write) {
            self.clock += cost;
            return Ok(());
        }
        self.ask(line, write);
        self.wait(WaitFor::Line(line))
    }

    /// What a hit in the core's own caches costs, and brings the line into L1.
    pub(super) fn own_hit(&mut self, line: u64, write: bool) -> Option<Tick> {
        let figures = self.core.figures;
        let serves = |state: State| if write { state.owned() } else { state != State::Invalid };
        let after = |state: State| if write { State::Modified } else { state };
        let state = self.core.l1d.touch(line);
        if serves(state) {
            self.core.l1d.change(line, after(state));
            return Some(figures.l1d);
        }
        let l2 = self.core.l2.as_mut()?;
        let state = l2.touch(line);
        if !serves(state) {
            return None;
        }
        self.core.count(CounterEvent::L1dMiss);
        self.core.raise(line, after(state));
        Some(figures.lookup())
    }

    /// Sends for the line, unless it is on its way.
    pub(super) fn ask(&mut self, line: u64, write: bool) {
        if self.core.missing(line) {
            return;
        }
        self.core.count(CounterEvent::L1dMiss);
        self.count_l2_miss();
        let holds = self.core.state(line) == State::Shared;
        let kind =
            if write { RequestKind::Own { holds } } else { RequestKind::Share(Purpose::Data) };
        let lookup = self.core.figures.lookup();
        let since = self.request(lookup, line, kind);
        self.core.misses.push(Miss { line, write, ahead: false, since });
        if !write {
            self.prefetch(line, lookup);
        }
    }

    /// Where a cluster's cache is the L2, it says whether it had the line.
    pub(super) fn count_l2_miss(&mut self) {
        if self.core.l2.is_some() || !self.world.clustered() {
            self.core.count(CounterEvent::L2Miss);
        }
    }

    /// A miss on the line behind the latest one is a stream: the lines ahead are asked for too.
    pub(super) fn prefetch(&mut self, line: u64, lookup: Tick) {
        let streams = self.core.stream == line;
        self.core.stream = line + 1;
        if !streams {
            return;
        }
        for ahead in line + 1..=line + self.core.figures.prefetch {
            let same_page = ahead * LINE / 4096 == line * LINE / 4096;
            if same_page
                && !self.core.missing(ahead)
                && self.core.state(ahead) == State::Invalid
                && self.core.may_prefetch()
            {
                let since = self.request(lookup, ahead, RequestKind::Share(Purpose::Ahead));
                self.core.misses.push(Miss { line: ahead, write: false, ahead: true, since });
                self.core.stream = ahead + 1;
            }
        }
    }

    /// Sends a request; answers when it leaves the core.
    pub(super) fn request(&mut self, lookup: Tick, line: u64, kind: RequestKind) -> Tick {
        let core = self.core.index;
        self.core.requests += 1;
        let jitter = self.world.jitter(core, self.core.requests);
        // What a hart does at a tick comes after that tick's events, so they are never of its making.
        let tick = (self.clock + lookup + jitter).max(self.began + 1);
        self.push(tick, EventClass::Request, Event::Request(Request { core, line, kind }));
        tick
    }

    /// An event of this hart's making; what it may lead to ends the hart's run ahead.
    pub(super) fn push(&mut self, tick: Tick, class: EventClass, event: Event) {
        if self.world.trial {
            self.world.trial_failed = true;
            return;
        }
        self.core.sequence = self.core.sequence.wrapping_add(1) & !(1 << 31);
        let key = Key::new(tick, class, self.core.index, self.core.sequence);
        self.world.queue.push(key, event);
        self.limit = self.limit.min(tick + self.world.queue.lookahead(class));
    }

    /// Performs the stores whose turn it is and whose lines the core owns, asks for the lines of
    /// the others, and sends those that the memory performs. Bound: the entries of the store buffer.
    pub fn drain(&mut self) {
        let in_order = self.core.figures.drains_in_order;
        let mut at = 0;
        while let Some(store) = self.core.stores.entries.get(at).copied() {
            let older = &self.core.stores.entries[..at];
            let first = !older.iter().any(|other| other.line == store.line);
            if store.way != StorePath::Cached {
                if first && store.way == StorePath::Memory {
                    self.send_store(at);
                }
                if in_order {
                    break;
                }
                at += 1;
                continue;
            }
            if first && self.own_hit(store.line, true).is_some() {
                self.perform(store.offset, store.value, store.bytes.into());
                self.core.stores.entries.remove(at);
                continue;
            }
            if !self.core.state(store.line).owned() {
                self.ask(store.line, true);
            }
            if in_order {
                break;
            }
            at += 1;
        }
    }
}
