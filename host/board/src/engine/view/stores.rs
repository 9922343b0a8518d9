// SPDX-License-Identifier: Apache-2.0
//! Loads and stores of cached RAM by a core that may have to wait for the line, and its store buffer.

use super::{CoreView, FUNCTIONAL, Result, SPECULATIVE, TIMED, WARMING};
use crate::{
    devices::Tick,
    isa::Pace,
    memory::core::{Forward, Store, StorePath, WaitFor},
};

impl<const MODE: u8> CoreView<'_, MODE> {
    /// A load that finds its line first in its set, and no store that waits.
    #[inline(always)]
    pub(super) fn load_at_once<const N: usize>(&self, pace: &mut Pace, offset: u64) -> Option<u64> {
        let line = self.world.fabric.line(offset);
        match MODE {
            FUNCTIONAL => {}
            WARMING => return None,
            _ => {
                if !(self.core.stores.is_empty() && self.core.l1d.reads_at_once(line)) {
                    return None;
                }
                pace.clock += self.core.figures.l1d;
            }
        }
        Some(self.world.fabric.ram.read::<N>(offset))
    }

    /// A store to a changed line that is first in its set, where none waits. False: nothing was done.
    #[inline(always)]
    pub(super) fn store_at_once<const N: usize>(&mut self, offset: u64, value: u64) -> bool {
        let line = self.world.fabric.line(offset);
        let performs = match MODE {
            FUNCTIONAL => true,
            WARMING => false,
            _ => self.core.stores.is_empty() && self.core.l1d.writes_at_once(line),
        };
        if performs {
            if MODE == SPECULATIVE {
                let before = self.world.fabric.ram.read::<N>(offset);
                self.core.undo.stored(offset, before, N);
            }
            self.world.fabric.ram.write::<N>(offset, value);
        }
        performs
    }

    pub(super) fn load_ram<const N: usize>(&mut self, offset: u64) -> Result<u64> {
        if MODE == TIMED && !self.core.stores.is_empty() {
            match self.core.stores.forward(offset, N as u64) {
                Forward::Value(value) => {
                    self.clock += self.core.figures.l1d;
                    return Ok(value);
                }
                Forward::Part => return self.wait(WaitFor::Drained),
                Forward::Nothing => {}
            }
        }
        self.line_ready(self.world.fabric.line(offset), false)?;
        Ok(self.world.fabric.ram.read::<N>(offset))
    }

    pub(super) fn store_ram(&mut self, offset: u64, bytes: usize, value: u64) -> Result<()> {
        let line = self.world.fabric.line(offset);
        match MODE {
            FUNCTIONAL => {}
            WARMING => self.warm(line, true),
            _ => {
                if !(self.core.stores.is_empty() && self.core.l1d.writes_at_once(line)) {
                    return self.store_slowly(offset, bytes, value, line);
                }
            }
        }
        self.world.fabric.ram.write_some(offset, value, bytes);
        Ok(())
    }

    /// A store performs at once where the core owns the line and nothing older must be first; else it
    /// goes to the store buffer, and a request for its line goes out.
    #[inline(never)]
    pub(super) fn store_slowly(
        &mut self,
        offset: u64,
        bytes: usize,
        value: u64,
        line: u64,
    ) -> Result<()> {
        if self.core.stores.fenced {
            return self.wait(WaitFor::Drained);
        }
        let depth = self.core.figures.store_buffer;
        let behind = if self.core.figures.drains_in_order {
            !self.core.stores.is_empty()
        } else {
            self.core.stores.touches(line)
        };
        if !behind && self.hit(line, true).is_some() {
            self.perform(offset, value, bytes);
            return Ok(());
        }
        if depth == 0 {
            self.line_ready(line, true)?;
            self.perform(offset, value, bytes);
            return Ok(());
        }
        if self.core.stores.entries.len() >= depth {
            return self.wait(WaitFor::Room);
        }
        self.core.stores.entries.push(Store {
            offset,
            bytes: bytes as u8,
            line,
            value,
            way: StorePath::Cached,
        });
        if !self.core.state(line).owned() {
            self.ask(line, true);
        }
        Ok(())
    }

    /// Performs a store.
    pub(super) fn perform(&mut self, offset: u64, value: u64, bytes: usize) {
        self.world.store(self.clock, offset, value, bytes);
        self.stop_at_finish();
    }

    /// A store may have ended the run: this hart goes no further than all others will.
    pub(super) fn stop_at_finish(&mut self) {
        if let Some((_, tick)) = self.world.io.finish {
            self.limit = self.limit.min(tick + self.world.fabric.schedule.hart_lookahead);
        }
    }

    /// All earlier stores are performed, those to devices have arrived.
    pub(super) fn drained(&mut self) -> Result<()> {
        if MODE == TIMED && (!self.core.stores.is_empty() || self.core.posted > 0) {
            return self.wait(WaitFor::Drained);
        }
        Ok(())
    }

    /// Later stores come behind those that are under way: the bridge sees to its own, others wait.
    pub(super) fn fence_posts(&mut self) -> Result<()> {
        self.fails_in_trial()?;
        if !self.core.stores.entries.is_empty() {
            return self.wait(WaitFor::Drained);
        }
        self.core.stores.fenced = true;
        Ok(())
    }

    /// An access that leaves for a node: across the bridge it goes behind the stores that are under way; else they have
    /// arrived before.
    pub(super) fn in_turn(&mut self, crosses: bool) -> Result<()> {
        if self.core.figures.posts == 1 || !crosses {
            return self.drained();
        }
        if MODE == TIMED && !self.core.may_post() {
            return self.wait(WaitFor::Post);
        }
        Ok(())
    }

    /// When an access leaves that would leave at this tick: behind the latest one.
    pub(super) fn departs(&mut self, tick: Tick) -> Tick {
        let tick = tick.max(self.began + 1).max(self.core.departed);
        self.core.departed = tick;
        tick
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
            if first && self.hit(store.line, true).is_some() {
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
