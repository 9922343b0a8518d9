// SPDX-License-Identifier: Apache-2.0
//! Loads, stores and atomics of RAM that no cache keeps: the memory performs them, at their arrival there.

use super::{CoreView, Result, TIMED, WARMING};
use crate::{
    engine::event::{AccessOp, Class as EventClass, Event, UncachedAccess, UncachedOp},
    isa::CounterEvent,
    memory::core::{Forward, Store, StorePath, WaitFor},
};

impl<const MODE: u8> CoreView<'_, MODE> {
    /// Bytes that lie aligned at an offset of the array. Answers what they were; nobody asks a store.
    #[inline(never)]
    pub(super) fn direct(&mut self, offset: u64, bytes: u8, op: AccessOp) -> Result<u64> {
        if MODE != TIMED {
            if MODE == WARMING {
                self.world.fabric.warm_row(offset);
            }
            return Ok(self.world.perform(self.clock, offset, bytes, op));
        }
        if let Some(answer) = self.core.answer.take() {
            return Ok(answer.unwrap_or_default());
        }
        match op {
            AccessOp::Write(value) if self.core.figures.store_buffer > 0 => {
                return self.buffer_direct(offset, bytes, value).map(|()| 0);
            }
            AccessOp::Write(_) if self.core.stores.fenced => self.drained()?,
            AccessOp::Write(_) => {}
            AccessOp::Atomic(..) => self.drained()?,
            AccessOp::Read => match self.core.stores.forward(offset, bytes.into()) {
                Forward::Value(value) => {
                    self.clock += self.core.figures.l1d;
                    return Ok(value);
                }
                Forward::Part => return self.wait(WaitFor::Drained),
                Forward::Nothing => {}
            },
        }
        self.send_to_memory(offset, UncachedOp::Access { bytes, op, buffered: false });
        self.wait(WaitFor::Answer)
    }

    /// Into the store buffer, as a store to a line that the core does not own.
    fn buffer_direct(&mut self, offset: u64, bytes: u8, value: u64) -> Result<()> {
        let (line, stores) = (self.world.fabric.line(offset), &mut self.core.stores);
        if stores.fenced {
            return self.wait(WaitFor::Drained);
        }
        if stores.entries.len() >= self.core.figures.store_buffer {
            return self.wait(WaitFor::Room);
        }
        let in_order = self.core.figures.drains_in_order;
        let behind = if in_order { !stores.is_empty() } else { stores.touches(line) };
        stores.entries.push(Store { offset, bytes, line, value, way: StorePath::Memory });
        if !behind {
            self.send_store(self.core.stores.entries.len() - 1);
        }
        Ok(())
    }

    /// It is the turn of a store in the buffer that the memory performs. It stays there until that is done.
    pub(super) fn send_store(&mut self, at: usize) {
        let store = &mut self.core.stores.entries[at];
        store.way = StorePath::Sent;
        let Store { offset, bytes, value, .. } = *store;
        let op = AccessOp::Write(value);
        self.send_to_memory(offset, UncachedOp::Access { bytes, op, buffered: true });
    }

    /// The access leaves the core without a look into its caches.
    fn send_to_memory(&mut self, offset: u64, work: UncachedOp) {
        if let UncachedOp::Access { op, .. } = work {
            if !matches!(op, AccessOp::Write(_)) {
                self.count(CounterEvent::MemoryRead);
            }
            if !matches!(op, AccessOp::Read) {
                self.count(CounterEvent::MemoryWrite);
            }
        }
        let initiator = self.core.index;
        self.core.requests += 1;
        let jitter = self.world.fabric.jitter.delay(initiator, self.core.requests);
        let tick = (self.clock + jitter).max(self.began + 1);
        self.push(
            tick,
            EventClass::Request,
            Event::UncachedAccess(UncachedAccess { initiator, offset, work }),
        );
    }
}
