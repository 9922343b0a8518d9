// SPDX-License-Identifier: Apache-2.0
//! The devices as the machine reaches them: harts' accesses to their registers, the devices' own transfers in memory,
//! their moments and wires, and the host-target interface.

mod htif;

use super::{
    address_map::AddressMap,
    event::{Class, Event, Message, Register, UncachedAccess, UncachedOp},
    fabric::Fabric,
    probes::{
        Probes,
        observe::{Access, Kind as AccessKind, Location},
    },
};
use crate::{
    devices::{self, Finish, HartWire, Htif, Kind, Platform, Refused, Tick, Transfer},
    memory::request::{Operation, Request, RequestKind},
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use takt_model::Timing;

#[derive(Clone, Serialize, Deserialize)]
pub struct Io {
    pub platform: Platform,
    pub htif: Option<Htif>,
    /// The end that the software has asked for, and when.
    pub(super) finish: Option<(Finish, Tick)>,
    /// The latest moment of the devices: theirs goes on only.
    now: Tick,
    /// When an event stands in the queue for the devices' own time.
    scheduled: Option<Tick>,
    /// By initiator: what its DMA port waits for.
    transfers: BTreeMap<u32, Transfer>,
    /// From an access's arrival at the devices to its answer's departure.
    latency: Tick,
    /// From a device to a hart.
    interrupt: Tick,
    /// Whether accesses use the interconnect's links.
    links: bool,
}

impl Io {
    pub fn new(timing: &Timing, platform: Platform) -> Io {
        Io {
            platform,
            htif: None,
            finish: None,
            now: 0,
            scheduled: None,
            transfers: BTreeMap::new(),
            latency: timing.device,
            interrupt: timing.interrupt,
            links: timing.device_links,
        }
    }

    // ---- registers ------------------------------------------------------------------------------

    /// Performs an access to a register. `None`: there is none, or it was refused.
    pub fn access(&mut self, now: Tick, map: &AddressMap, register: Register) -> Option<u64> {
        let Register { core, address, bytes, kind } = register;
        // In functional mode the harts' clocks differ by up to a turn.
        self.now = self.now.max(now);
        let (number, offset) = map.device(core, address)?;
        let request = devices::Request { initiator: core, offset, bytes, kind };
        let answer = self.platform.access_device(self.now, number, request).ok();
        if let Some(finish) = self.platform.finish() {
            self.finish_now(finish, now);
        }
        answer
    }

    /// An access to a register arrives; its answer leaves.
    pub fn access_timed(
        &mut self,
        fabric: &mut Fabric,
        now: Tick,
        map: &AddressMap,
        register: Register,
    ) {
        self.platform.advance(now);
        let answer = self.access(now, map, register);
        let device = map.device_number(register.core, register.address);
        let leaves = now + self.latency;
        let is_posted = self.is_posted(map, register);
        if is_posted && fabric.bridged() && self.uses_links(map, register.core, register.address) {
            return; // its hart has been told already
        }
        let there = match self.way(map, register.core, register.address) {
            Some(way) => now + way,
            None if self.links => fabric.answer_from_device(device, register.core, leaves),
            None => leaves + fabric.device_distance(register.core, device),
        };
        let message = if is_posted {
            // Nobody waits for it: one that is refused changes nothing, and its hart goes on.
            Message::Posted
        } else {
            Message::Answer { value: answer.ok_or(Refused), from_memory: false }
        };
        fabric.schedule.deliver(register.core, there, message);
    }

    /// Whether it is a store that nobody waits for.
    pub fn is_posted(&self, map: &AddressMap, register: Register) -> bool {
        matches!(register.kind, Kind::Write(_)) && map.is_posted(register.core, register.address)
    }

    /// Whether an access to this register takes links on its way.
    pub fn uses_links(&self, map: &AddressMap, core: u32, address: u64) -> bool {
        self.links && self.way(map, core, address).is_none()
    }

    /// The cycles to a register of a subnet.
    pub fn way(&self, map: &AddressMap, core: u32, address: u64) -> Option<Tick> {
        map.device(core, address).and_then(|(number, _)| self.platform.way(number))
    }

    /// Whether there is a device, and no subnet that refuses the access wherever it arrives.
    pub fn permits(&self, map: &AddressMap, register: Register) -> bool {
        let Register { core, address, bytes, kind } = register;
        map.device(core, address).is_some_and(|(number, offset)| {
            let request = devices::Request { initiator: core, offset, bytes, kind };
            self.platform.permits(number, &request)
        })
    }

    /// The software ends the run. Its first word counts.
    fn finish_now(&mut self, finish: Finish, now: Tick) {
        self.finish.get_or_insert((finish, now));
    }

    // ---- moments and wires ----------------------------------------------------------------------

    /// Schedules an event for the moment at which a device has something to do.
    pub fn schedule(&mut self, fabric: &mut Fabric, now: Tick) {
        let next = self.platform.next_event();
        if next != self.scheduled {
            self.scheduled = next;
            if let Some(tick) = next {
                let tick = tick.max(now);
                fabric.schedule.push_next(tick, Class::Device, 0, Event::DeviceTime);
            }
        }
    }

    /// The changes of harts' interrupt wires since the last call.
    pub fn wires(&mut self) -> Vec<HartWire> {
        let mut wires = Vec::new();
        self.platform.wires(&mut wires);
        wires
    }

    /// What an event at the devices has set off leaves: transfers, changes of wires, the next moment.
    pub fn after_event(&mut self, fabric: &mut Fabric, now: Tick, map: &AddressMap) {
        self.start_transfers(fabric, now, map);
        let tick = now + self.interrupt;
        for wire in self.wires() {
            let message = Message::Wire { bit: wire.bit, level: wire.level };
            fabric.schedule.deliver(wire.hart, tick, message);
        }
        for (run, way) in self.platform.runs() {
            let message = Message::Run { entry: run.entry };
            fabric.schedule.deliver(run.core, now + way, message);
        }
        self.schedule(fabric, now);
    }

    // ---- transfers ------------------------------------------------------------------------------

    /// The devices' transfers go to the homes of their lines, as the requests of cores do.
    fn start_transfers(&mut self, fabric: &mut Fabric, now: Tick, map: &AddressMap) {
        while let Some((initiator, transfer, offset)) = self.next_transfer(now, map) {
            let write = matches!(transfer, Transfer::Write { .. });
            self.transfers.insert(initiator, transfer);
            let event = if fabric.ram.is_cached(offset) {
                let kind = RequestKind::Operation(Operation::Dma);
                let line = fabric.line(offset);
                Event::Request(Request { core: initiator, line, home: fabric.home_of(line), kind })
            } else {
                let work = UncachedOp::Transfer { write };
                Event::UncachedAccess(UncachedAccess { initiator, offset, work })
            };
            fabric.schedule.push_next(now, Class::Request, initiator, event);
        }
    }

    /// The next transfer that a device wants: its initiator, and where in RAM it is. What is nowhere is refused.
    fn next_transfer(&mut self, now: Tick, map: &AddressMap) -> Option<(u32, Transfer, u64)> {
        loop {
            let (number, transfer) = self.platform.next_transfer()?;
            let initiator = self.platform.initiator(number);
            if let Some(offset) = map.transfer(initiator, &transfer) {
                return Some((initiator, transfer, offset));
            }
            self.platform.transferred(now, number, None);
        }
    }

    /// Makes the transfer that the initiator's device waits for.
    pub fn transfer(
        &mut self,
        fabric: &mut Fabric,
        now: Tick,
        initiator: u32,
        map: &AddressMap,
        probes: &mut Probes,
    ) {
        let Some(transfer) = self.transfers.remove(&initiator) else { return };
        let offset = map.transfer(initiator, &transfer).expect("it was looked at before");
        self.make_transfer(fabric, now, (initiator, transfer, offset), probes);
    }

    /// Makes all transfers that devices want, at once: for modes without time.
    pub fn make_transfers(
        &mut self,
        fabric: &mut Fabric,
        now: Tick,
        map: &AddressMap,
        probes: &mut Probes,
    ) {
        while let Some(transfer) = self.next_transfer(now, map) {
            self.make_transfer(fabric, now, transfer, probes);
        }
    }

    fn make_transfer(
        &mut self,
        fabric: &mut Fabric,
        now: Tick,
        (initiator, transfer, offset): (u32, Transfer, u64),
        probes: &mut Probes,
    ) {
        let number = initiator - self.platform.initiator(0);
        let (kind, data, read) = match transfer {
            Transfer::Read { bytes, .. } => {
                (AccessKind::DmaRead, fabric.ram.slice(offset, bytes.into()).to_vec(), true)
            }
            Transfer::Write { data, .. } => {
                fabric.ram.slice_mut(offset, data.len() as u64).copy_from_slice(&data);
                (AccessKind::DmaWrite, data, false)
            }
        };
        if probes.observed() {
            probes.report_access(transfer_access(
                now,
                initiator,
                kind,
                fabric.ram.address(offset),
                &data,
            ));
        }
        self.platform.transferred(now, number, Some(if read { &data } else { &[] }));
    }
}

/// A transfer as an observer gets it.
fn transfer_access(
    time: Tick,
    initiator: u32,
    kind: AccessKind,
    address: u64,
    data: &[u8],
) -> Access {
    let mut value = [0; 8];
    let some = data.len().min(8);
    value[..some].copy_from_slice(&data[..some]);
    Access {
        time,
        initiator,
        pc: 0,
        address,
        bytes: data.len() as u32,
        kind,
        location: Location::Memory(address),
        acquire: false,
        release: false,
        value: u64::from_le_bytes(value),
    }
}
