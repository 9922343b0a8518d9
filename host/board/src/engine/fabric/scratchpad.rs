// SPDX-License-Identifier: Apache-2.0
//! Scratchpads as others reach them: by messages to the core that has it, in their order of arrival.

use super::Fabric;
use crate::{
    devices::Tick,
    engine::event::{AccessOp, Message, ScratchpadAccess},
    memory::network::SHORT,
};

impl Fabric {
    /// The access leaves its core.
    pub fn send_to_scratchpad(&mut self, now: Tick, access: ScratchpadAccess) {
        let (from, to) = (self.node(access.from), self.node(access.core));
        let arrival = self.network.send(from, to, now, SHORT);
        self.schedule.deliver(access.core, arrival, Message::ScratchpadAccess(access));
        if self.bridged() && matches!(access.op, AccessOp::Write(_)) {
            self.schedule.deliver(access.from, arrival + 1, Message::Posted);
        }
    }

    /// The access has arrived at the scratchpad's core: it is performed, and the answer leaves when the scratchpad has it.
    pub fn access_scratchpad(&mut self, now: Tick, access: ScratchpadAccess) {
        let ScratchpadAccess { from, core, offset, bytes, op, latency } = access;
        let old = self.perform(offset, bytes, op);
        if self.bridged() && matches!(op, AccessOp::Write(_)) {
            return; // its hart has been told already
        }
        let (here, there) = (self.node(core), self.node(from));
        let arrival = self.network.send(here, there, now + latency, SHORT);
        let message = match op {
            AccessOp::Write(_) => Message::Posted,
            AccessOp::Read | AccessOp::Atomic(..) => {
                Message::Answer { value: Ok(old), from_memory: false }
            }
        };
        self.schedule.deliver(from, arrival, message);
    }

    /// Performs an access to the bytes where they are. Answers what they were before; for a store nobody asks.
    pub fn perform(&mut self, offset: u64, bytes: u8, op: AccessOp) -> u64 {
        let mut old = [0; 8];
        old[..bytes.into()].copy_from_slice(self.ram.slice(offset, bytes.into()));
        let old = u64::from_le_bytes(old);
        let new = match op {
            AccessOp::Read => return old,
            AccessOp::Write(value) => value,
            AccessOp::Atomic(amo, operand) => amo.apply(bytes, old, operand),
        };
        self.ram.touch(offset);
        self.ram.write_some(offset, new, bytes.into());
        old
    }
}
