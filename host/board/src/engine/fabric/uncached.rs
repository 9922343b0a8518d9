// SPDX-License-Identifier: Apache-2.0
//! Memory that no cache keeps: its accesses go to its controller, which performs them in the order of their
//! arrival. No home and no cache hears of them.

use super::{Fabric, Stalled};
use crate::{
    devices::Tick,
    engine::{
        event::{AccessOp, Class, Event, Message, UncachedAccess, UncachedOp},
        queue,
    },
    memory::{
        core::Store,
        dram::Move,
        network::{SHORT, WITH_LINE},
    },
};

impl Fabric {
    /// The access leaves its initiator, as soon as that one's write-backs let it.
    pub fn send_uncached(&mut self, now: Tick, access: UncachedAccess) {
        // An atomic operation leaves a write behind, for which nobody waits.
        let atomic = matches!(access.work, UncachedOp::Access { op: AccessOp::Atomic(..), .. });
        if atomic && !self.may_leave(now, access.initiator) {
            return self.stall(now, access.initiator, Stalled::UncachedAccess(access));
        }
        self.send_uncached_now(now, access);
    }

    /// The access leaves its initiator.
    pub fn send_uncached_now(&mut self, now: Tick, access: UncachedAccess) {
        let UncachedAccess { initiator, offset, work } = access;
        let data = work == UncachedOp::Transfer { write: true };
        let controller = self.dram.node(self.ram.address(offset));
        let bytes = if data { WITH_LINE } else { SHORT };
        let arrival = self.network.send(self.node(initiator), controller, now, bytes);
        let event = Event::UncachedArrives(access);
        self.schedule.push_next(arrival, Class::Controller, initiator, event);
    }

    /// The access has arrived at its controller, which performed it, and is done when the bank has moved it. The memory
    /// moves whole lines, as for caches. `old`: what the bytes were before.
    pub fn access_uncached(
        &mut self,
        now: Tick,
        UncachedAccess { initiator, offset, work }: UncachedAccess,
        old: u64,
    ) {
        let (address, line) = (self.ram.address(offset), self.line(offset));
        let write = match work {
            UncachedOp::Access { op, .. } => matches!(op, AccessOp::Write(_)),
            UncachedOp::Transfer { write } => write,
        };
        let ready = self.dram.access(Move { initiator, address, write }, now);
        let (class, event) = match work {
            UncachedOp::Access { op, buffered, .. } => {
                if let AccessOp::Atomic(..) = op {
                    // What was read is written back.
                    let event = Event::Write { initiator, line };
                    self.line_departs(initiator);
                    self.schedule.push_next(ready, Class::WriteBack, initiator, event);
                }
                let message = if buffered {
                    Message::Stored { line }
                } else {
                    Message::Answer { value: Ok(old), from_memory: false }
                };
                (Class::Data, Event::UncachedAnswer { hart: initiator, line, message })
            }
            UncachedOp::Transfer { .. } => (Class::Perform, Event::Transferred { initiator }),
        };
        self.schedule.push_next(ready, class, initiator, event);
    }

    /// The answer leaves the controller.
    pub fn answer_uncached(&mut self, now: Tick, hart: u32, line: u64, message: Message) {
        let (from, to) = (self.controller_of(line), self.node(hart));
        let arrival = self.network.send(from, to, now, SHORT);
        self.schedule.deliver(hart, arrival, message);
    }

    /// The memory's rows follow an access that takes no time.
    pub fn warm_row(&mut self, offset: u64) {
        self.dram.open(self.ram.address(offset));
    }

    /// Whether the memory has still to perform this store, which the hart's buffer has sent. For a debugger.
    pub(crate) fn is_on_its_way(&self, hart: u32, store: &Store) -> bool {
        let events = queue::Saved::of(&self.schedule.queue);
        events.events().any(|(_, event)| is_of_store(event, hart, store))
    }

    /// A debugger has changed the bytes that this store, which the hart's buffer has sent, is going to write.
    pub(crate) fn change_on_its_way(&mut self, hart: u32, store: &Store) {
        let events = self.schedule.queue.each_mut();
        for event in events.filter(|event| is_of_store(event, hart, store)) {
            if let Event::UncachedAccess(access) | Event::UncachedArrives(access) = event {
                let op = AccessOp::Write(store.value);
                access.work = UncachedOp::Access { bytes: store.bytes, op, buffered: true };
            }
        }
    }
}

/// Whether the event is the store's access. Its offset tells: of a buffer's stores to one line only one is sent.
fn is_of_store(event: &Event, hart: u32, store: &Store) -> bool {
    let (Event::UncachedAccess(access) | Event::UncachedArrives(access)) = event else {
        return false;
    };
    let sent = matches!(access.work, UncachedOp::Access { buffered: true, .. });
    sent && access.initiator == hart && access.offset == store.offset
}
