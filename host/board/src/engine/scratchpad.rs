// SPDX-License-Identifier: Apache-2.0
//! Scratchpads as others reach them: by messages to the core that has it, in their order of arrival.

use super::{
    event::{AccessOp, Class, Event, Message, ScratchpadAccess},
    view::combine,
    world::World,
};
use crate::{
    devices::Tick,
    memory::{network::SHORT, scratchpad::Scratchpad},
};

impl World {
    /// The scratchpad and the offset in the array behind an address, if all the bytes are in it.
    pub fn scratchpad(
        &self,
        initiator: u32,
        address: u64,
        bytes: u64,
    ) -> Option<(Scratchpad, u64)> {
        let (number, inside) = self.routes.scratchpad(initiator, address, bytes)?;
        let pad = *self.pads.get(number as usize)?;
        Some((pad, pad.offset + inside))
    }

    /// The access leaves its core.
    pub(super) fn send_to_scratchpad(&mut self, now: Tick, remote: ScratchpadAccess) {
        let (from, to) = (self.node(remote.from), self.node(remote.core));
        let arrival = self.network.send(from, to, now, SHORT);
        self.deliver(remote.core, arrival, Message::ScratchpadAccess(remote));
    }

    /// It has arrived: it is done, and the answer leaves when the scratchpad has it.
    pub(super) fn at_scratchpad(&mut self, now: Tick, remote: ScratchpadAccess) {
        let ScratchpadAccess { from, core, offset, bytes, op, latency } = remote;
        let old = self.perform_act(offset, bytes, op);
        let (here, there) = (self.node(core), self.node(from));
        let arrival = self.network.send(here, there, now + latency, SHORT);
        let message = match op {
            AccessOp::Write(_) => Message::Posted,
            AccessOp::Read | AccessOp::Atomic(..) => {
                Message::Answer { value: Ok(old), from_memory: false }
            }
        };
        self.deliver(from, arrival, message);
    }

    /// What the bytes were before; for a store nobody asks.
    pub fn perform_act(&mut self, offset: u64, bytes: u8, op: AccessOp) -> u64 {
        let mut old = [0; 8];
        old[..bytes.into()].copy_from_slice(self.ram.slice(offset, bytes.into()));
        let old = u64::from_le_bytes(old);
        let new = match op {
            AccessOp::Read => return old,
            AccessOp::Write(value) => value,
            AccessOp::Atomic(amo, operand) => combine(amo, bytes, old, operand),
        };
        self.ram.touch(offset);
        self.ram.write_some(offset, new, bytes.into());
        old
    }
}

impl ScratchpadAccess {
    pub(super) fn event(self) -> (Class, Event) {
        (Class::Request, Event::ScratchpadAccess(self))
    }
}
