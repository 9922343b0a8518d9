// SPDX-License-Identifier: Apache-2.0
//! Memory that no cache keeps: its accesses go to its controller, which performs them in the order of their
//! arrival. No home and no cache hears of them.

use super::{
    event::{AccessOp, Class, Event, Message, UncachedAccess, UncachedOp},
    queue,
    world::World,
};
use crate::{
    devices::{Tick, Transfer},
    memory::{
        core::Store,
        dram::Move,
        network::{SHORT, WITH_LINE},
    },
};

impl World {
    /// The access leaves its initiator.
    pub(super) fn depart_for_memory(&mut self, now: Tick, direct: UncachedAccess) {
        // An atomic operation leaves a write behind, for which nobody waits.
        let atomic = matches!(direct.work, UncachedOp::Access { op: AccessOp::Atomic(..), .. });
        if !(atomic && self.stalls_direct(now, direct)) {
            self.go_to_memory(now, direct);
        }
    }

    pub(super) fn go_to_memory(&mut self, now: Tick, direct: UncachedAccess) {
        let UncachedAccess { initiator, offset, work } = direct;
        let data = work == UncachedOp::Transfer && self.is_transfer_to_memory(initiator);
        let controller = self.dram.node(self.ram.address(offset));
        let bytes = if data { WITH_LINE } else { SHORT };
        let arrival = self.network.send(self.node(initiator), controller, now, bytes);
        self.queue.push_next(arrival, Class::Controller, initiator, Event::DirectArrives(direct));
    }

    /// It is performed now, and done when the bank has moved it. The memory moves whole lines, as for caches.
    pub(super) fn at_memory(
        &mut self,
        now: Tick,
        UncachedAccess { initiator, offset, work }: UncachedAccess,
    ) {
        let (address, line) = (self.ram.address(offset), self.line(offset));
        let UncachedOp::Access { bytes, op, buffered } = work else {
            let write = self.is_transfer_to_memory(initiator);
            let ready = self.dram.access(Move { initiator, address, write }, now);
            let event = Event::Transferred { initiator };
            return self.queue.push_next(ready, Class::Perform, initiator, event);
        };
        let old = self.perform_at_memory(now, offset, bytes, op);
        let write = matches!(op, AccessOp::Write(_));
        let ready = self.dram.access(Move { initiator, address, write }, now);
        if let AccessOp::Atomic(..) = op {
            // What was read is written back.
            let event = Event::Write { initiator, line };
            self.line_departs(initiator);
            self.queue.push_next(ready, Class::WriteBack, initiator, event);
        }
        let message = if buffered {
            Message::Stored { line }
        } else {
            Message::Answer { value: Ok(old), from_memory: false }
        };
        let event = Event::DirectAnswer { hart: initiator, line, message };
        self.queue.push_next(ready, Class::Data, initiator, event);
    }

    /// The answer leaves the controller.
    pub(super) fn memory_answers(&mut self, now: Tick, hart: u32, line: u64, message: Message) {
        let (from, to) = (self.dram.node(self.address_of(line)), self.node(hart));
        let arrival = self.network.send(from, to, now, SHORT);
        self.deliver(hart, arrival, message);
    }

    /// What the bytes were before. A store may be one that ends the run.
    pub(super) fn perform_at_memory(
        &mut self,
        now: Tick,
        offset: u64,
        bytes: u8,
        op: AccessOp,
    ) -> u64 {
        let old = self.perform_act(offset, bytes, op);
        if !matches!(op, AccessOp::Read) {
            self.watch(now, offset, bytes.into());
        }
        old
    }

    /// The memory's rows follow an access that takes no time.
    pub(super) fn warm_row(&mut self, offset: u64) {
        self.dram.open(self.ram.address(offset));
    }

    /// Whether the memory has still to perform this store, which the hart's buffer has sent. For a debugger.
    pub(crate) fn is_on_its_way(&self, hart: u32, store: &Store) -> bool {
        let events = queue::Saved::of(&self.queue);
        events.events().any(|(_, event)| is_of_store(event, hart, store))
    }

    /// A debugger has changed the bytes that this store, which the hart's buffer has sent, is going to write.
    pub(crate) fn change_on_its_way(&mut self, hart: u32, store: &Store) {
        for event in self.queue.each_mut().filter(|event| is_of_store(event, hart, store)) {
            if let Event::UncachedAccess(direct) | Event::DirectArrives(direct) = event {
                let op = AccessOp::Write(store.value);
                direct.work = UncachedOp::Access { bytes: store.bytes, op, buffered: true };
            }
        }
    }

    fn is_transfer_to_memory(&self, initiator: u32) -> bool {
        matches!(self.transfers.get(&initiator), Some(Transfer::Write { .. }))
    }
}

/// The offset tells it: of a buffer's stores to one line only one is sent.
fn is_of_store(event: &Event, hart: u32, store: &Store) -> bool {
    let (Event::UncachedAccess(direct) | Event::DirectArrives(direct)) = event else {
        return false;
    };
    let sent = matches!(direct.work, UncachedOp::Access { buffered: true, .. });
    sent && direct.initiator == hart && direct.offset == store.offset
}
