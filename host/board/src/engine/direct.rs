// SPDX-License-Identifier: Apache-2.0
//! Memory that no cache keeps: its accesses go to its controller, which performs them in the order of their
//! arrival. No home and no cache hears of them.

use super::{
    event::{Act, Class, Direct, Message, What, Work},
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
    pub(super) fn depart_for_memory(&mut self, now: Tick, direct: Direct) {
        // An atomic operation leaves a write behind, for which nobody waits.
        let atomic = matches!(direct.work, Work::Access { act: Act::Atomic(..), .. });
        if !(atomic && self.stalls_direct(now, direct)) {
            self.go_to_memory(now, direct);
        }
    }

    pub(super) fn go_to_memory(&mut self, now: Tick, direct: Direct) {
        let Direct { initiator, offset, work } = direct;
        let data = work == Work::Transfer && self.is_transfer_to_memory(initiator);
        let controller = self.dram.node(self.ram.address(offset));
        let bytes = if data { WITH_LINE } else { SHORT };
        let arrival = self.network.send(self.node(initiator), controller, now, bytes);
        self.queue.push_next(arrival, Class::Controller, initiator, What::DirectArrives(direct));
    }

    /// It is performed now, and done when the bank has moved it. The memory moves whole lines, as for caches.
    pub(super) fn at_memory(&mut self, now: Tick, Direct { initiator, offset, work }: Direct) {
        let (address, line) = (self.ram.address(offset), self.line(offset));
        let Work::Access { bytes, act, buffered } = work else {
            let write = self.is_transfer_to_memory(initiator);
            let ready = self.dram.access(Move { initiator, address, write }, now);
            let what = What::Transferred { initiator };
            return self.queue.push_next(ready, Class::Perform, initiator, what);
        };
        let old = self.perform_at_memory(now, offset, bytes, act);
        let write = matches!(act, Act::Write(_));
        let ready = self.dram.access(Move { initiator, address, write }, now);
        if let Act::Atomic(..) = act {
            // What was read is written back.
            let what = What::Write { initiator, line };
            self.line_departs(initiator);
            self.queue.push_next(ready, Class::WriteBack, initiator, what);
        }
        let message = if buffered {
            Message::Stored { line }
        } else {
            Message::Answer { value: Ok(old), from_memory: false }
        };
        let what = What::DirectAnswer { hart: initiator, line, message };
        self.queue.push_next(ready, Class::Data, initiator, what);
    }

    /// The answer leaves the controller.
    pub(super) fn memory_answers(&mut self, now: Tick, hart: u32, line: u64, message: Message) {
        let (from, to) = (self.dram.node(self.address_of(line)), self.node(hart));
        let arrival = self.network.send(from, to, now, SHORT);
        self.deliver(hart, arrival, message);
    }

    /// What the bytes were before. A store may be one that ends the run.
    pub(super) fn perform_at_memory(&mut self, now: Tick, offset: u64, bytes: u8, act: Act) -> u64 {
        let old = self.perform_act(offset, bytes, act);
        if !matches!(act, Act::Read) {
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
        events.events().any(|(_, what)| is_of_store(what, hart, store))
    }

    /// A debugger has changed the bytes that this store, which the hart's buffer has sent, is going to write.
    pub(crate) fn change_on_its_way(&mut self, hart: u32, store: &Store) {
        for what in self.queue.each_mut().filter(|what| is_of_store(what, hart, store)) {
            if let What::Direct(direct) | What::DirectArrives(direct) = what {
                let act = Act::Write(store.value);
                direct.work = Work::Access { bytes: store.bytes, act, buffered: true };
            }
        }
    }

    fn is_transfer_to_memory(&self, initiator: u32) -> bool {
        matches!(self.transfers.get(&initiator), Some(Transfer::Write { .. }))
    }
}

/// The offset tells it: of a buffer's stores to one line only one is sent.
fn is_of_store(what: &What, hart: u32, store: &Store) -> bool {
    let (What::Direct(direct) | What::DirectArrives(direct)) = what else { return false };
    let sent = matches!(direct.work, Work::Access { buffered: true, .. });
    sent && direct.initiator == hart && direct.offset == store.offset
}
