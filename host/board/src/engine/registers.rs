// SPDX-License-Identifier: Apache-2.0
//! The devices: harts' accesses to their registers, and their own transfers in memory.

use super::{
    event::{Class, Event, Message, Register, UncachedAccess, UncachedOp},
    observe::{Access, Kind as AccessKind, Place},
    world::{DEVICES, World},
};
use crate::memory::request::{Operation, Request, RequestKind};
use crate::{
    devices::{Kind, Refused, Tick, Transfer},
    memory::{LINE, network::SHORT},
};

impl World {
    pub(super) fn device(&mut self, now: Tick, register: Register) {
        self.platform.advance(now);
        let answer = self.register(now, register);
        let back = self.network.distance(DEVICES, self.node(register.core), SHORT);
        let message = match register.kind {
            // Nobody waits for it: one that is refused changes nothing, and its hart goes on.
            Kind::Write(_) if self.is_posted(register.core, register.address) => Message::Posted,
            _ => Message::Answer { value: answer.ok_or(Refused), from_memory: false },
        };
        self.deliver(register.core, now + self.timing.device + back, message);
    }

    /// The devices' transfers go to the homes of their lines, as the requests of cores do.
    pub fn start_transfers(&mut self, now: Tick) {
        while let Some((number, transfer)) = self.platform.next_transfer() {
            let initiator = self.platform.initiator(number);
            let Some(offset) = self.transfer_offset(initiator, &transfer) else {
                self.platform.transferred(now, number, None);
                continue;
            };
            self.transfers.insert(initiator, transfer);
            if !self.ram.is_cached(offset) {
                let event = Event::UncachedAccess(UncachedAccess {
                    initiator,
                    offset,
                    work: UncachedOp::Transfer,
                });
                self.queue.push_next(now, Class::Request, initiator, event);
                continue;
            }
            let line = self.line(offset);
            let kind = RequestKind::Operation(Operation::Dma);
            let request = Request { core: initiator, line, kind };
            self.queue.push_next(now, Class::Request, initiator, Event::Request(request));
        }
    }

    /// Where in RAM, and in one line: devices have maps as harts have.
    pub(super) fn transfer_offset(&self, initiator: u32, transfer: &Transfer) -> Option<u64> {
        let (address, bytes) = match transfer {
            Transfer::Read { address, bytes } => (*address, u64::from(*bytes)),
            Transfer::Write { address, data } => (*address, data.len() as u64),
        };
        let in_line = (1..=LINE - address % LINE).contains(&bytes);
        let uncached = || self.uncached(initiator, address, bytes);
        self.memory(initiator, address, bytes).or_else(uncached).filter(|_| in_line)
    }

    /// Makes the transfer that a device waits for.
    pub(super) fn transfer(&mut self, now: Tick, initiator: u32) {
        let Some(transfer) = self.transfers.remove(&initiator) else { return };
        let offset = self.transfer_offset(initiator, &transfer).expect("it was looked at before");
        let number = initiator - self.platform.initiator(0);
        match transfer {
            Transfer::Read { bytes, .. } => {
                let data = self.ram.slice(offset, bytes.into()).to_vec();
                self.tell_transfer(now, initiator, AccessKind::DmaRead, offset, &data);
                self.platform.transferred(now, number, Some(&data));
            }
            Transfer::Write { data, .. } => {
                self.ram.slice_mut(offset, data.len() as u64).copy_from_slice(&data);
                self.tell_transfer(now, initiator, AccessKind::DmaWrite, offset, &data);
                self.platform.transferred(now, number, Some(&[]));
            }
        }
    }

    fn tell_transfer(
        &mut self,
        time: Tick,
        initiator: u32,
        kind: AccessKind,
        offset: u64,
        data: &[u8],
    ) {
        if !self.observed() {
            return;
        }
        let mut value = [0; 8];
        let some = data.len().min(8);
        value[..some].copy_from_slice(&data[..some]);
        let address = self.ram.address(offset);
        self.report_access(Access {
            time,
            initiator,
            pc: 0,
            address,
            bytes: data.len() as u32,
            kind,
            place: Place::Memory(address),
            acquire: false,
            release: false,
            value: u64::from_le_bytes(value),
        });
    }

    /// All transfers that devices want, at once: for modes without time.
    pub fn make_transfers(&mut self, now: Tick) {
        while let Some((number, transfer)) = self.platform.next_transfer() {
            let initiator = self.platform.initiator(number);
            if self.transfer_offset(initiator, &transfer).is_none() {
                self.platform.transferred(now, number, None);
                continue;
            }
            self.transfers.insert(initiator, transfer);
            self.transfer(now, initiator);
        }
    }
}
