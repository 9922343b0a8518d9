// SPDX-License-Identifier: Apache-2.0
//! Where each initiator's addresses lead.

use crate::{
    devices::{
        Transfer, map,
        route::{Routes, Target},
    },
    memory::{LINE, Scratchpad},
};
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize)]
pub struct AddressMap {
    #[serde(skip)]
    routes: Routes,
    #[serde(skip)]
    pads: Vec<Scratchpad>,
    /// The bytes that the harts start from, at [`map::ROM`].
    rom: Vec<u8>,
}

impl AddressMap {
    pub fn new(routes: Routes, pads: Vec<Scratchpad>, rom: Vec<u8>) -> AddressMap {
        AddressMap { routes, pads, rom }
    }

    /// Takes from a machine of the same board what is not in a snapshot.
    pub(super) fn take_board(&mut self, own: &AddressMap) {
        self.routes = own.routes.clone();
        self.pads = own.pads.clone();
    }

    pub(super) fn pads(&self) -> &[Scratchpad] {
        &self.pads
    }

    /// The offset of bytes of RAM, which caches may keep, at an address of this initiator's map.
    #[inline(always)]
    pub fn memory(&self, initiator: u32, address: u64, bytes: u64) -> Option<u64> {
        self.routes.memory(initiator, address, bytes)
    }

    /// The offset of bytes of RAM that no cache keeps, at an address of this initiator's map.
    pub fn uncached(&self, initiator: u32, address: u64, bytes: u64) -> Option<u64> {
        self.routes.uncached(initiator, address, bytes)
    }

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

    /// The device's number and the offset in its window.
    pub fn device(&self, initiator: u32, address: u64) -> Option<(u32, u64)> {
        let route = self.routes.route(initiator, address)?;
        match route.target {
            Target::Device(number) => Some((number, route.offset)),
            Target::Ram | Target::Scratchpad(_) | Target::Rom => None,
        }
    }

    /// The number of the device at an address where there is one.
    pub fn device_number(&self, initiator: u32, address: u64) -> u32 {
        self.device(initiator, address).expect("it was looked at before").0
    }

    /// Whether an initiator does not wait for the answer to a store there.
    pub fn is_posted(&self, initiator: u32, address: u64) -> bool {
        self.routes.route(initiator, address).is_some_and(|route| route.attributes.posted)
    }

    /// The offset of a device's transfer in RAM; `None` where it is not in RAM or not in one line.
    pub(super) fn transfer(&self, initiator: u32, transfer: &Transfer) -> Option<u64> {
        let (address, bytes) = match transfer {
            Transfer::Read { address, bytes } => (*address, u64::from(*bytes)),
            Transfer::Write { address, data } => (*address, data.len() as u64),
        };
        let in_line = (1..=LINE - address % LINE).contains(&bytes);
        let uncached = || self.uncached(initiator, address, bytes);
        self.memory(initiator, address, bytes).or_else(uncached).filter(|_| in_line)
    }

    fn sees_rom(&self, initiator: u32, address: u64) -> bool {
        self.routes.route(initiator, address).is_some_and(|route| route.target == Target::Rom)
    }

    pub fn rom_line(&self, initiator: u32, address: u64) -> Option<[u8; LINE as usize]> {
        let at = address.checked_sub(map::ROM.base)? as usize;
        let rest = self.rom.get(at..).filter(|rest| !rest.is_empty())?;
        if !self.sees_rom(initiator, address) {
            return None;
        }
        let mut line = [0; LINE as usize];
        let count = rest.len().min(line.len());
        line[..count].copy_from_slice(&rest[..count]);
        Some(line)
    }

    pub fn rom_read(&self, initiator: u32, address: u64, bytes: u8) -> Option<u64> {
        let at = address.checked_sub(map::ROM.base)? as usize;
        let from = self.rom.get(at..at + usize::from(bytes))?;
        if !self.sees_rom(initiator, address) {
            return None;
        }
        let mut value = [0; 8];
        value[..from.len()].copy_from_slice(from);
        Some(u64::from_le_bytes(value))
    }
}
