// SPDX-License-Identifier: Apache-2.0
//! Transfers of the data subnet: packets from scratchpad to scratchpad. A packet leaves its source and arrives at a
//! destination as something that reaches the core there, and so in the one order with that core's own accesses.
//! `docs/design/devices.md`, "Subnets", says what each takes.

use super::{
    address_map::AddressMap,
    event::{BlockStep, Class, Event, Message},
    fabric::Fabric,
    probes::{
        Probes,
        observe::{Access, Kind as AccessKind, Location},
    },
};
use crate::{
    devices::{Block, Direction, Platform, Tick},
    memory::network::SHORT,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a packet has beside its data.
const HEADER: u64 = 8;

/// The transfers and packets under way.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Blocks {
    /// By the core whose engine makes it.
    transfers: BTreeMap<u32, Transfer>,
    packets: BTreeMap<u32, Packet>,
    /// The number of packets so far, and of transfers.
    numbers: (u32, u64),
}

#[derive(Clone, Serialize, Deserialize)]
struct Transfer {
    block: Block,
    /// Cores that have not sent their part of a gather, or not answered that they have all of a block.
    left: u64,
    /// The offset of the present part at its destination.
    destination: u64,
    /// Bytes of the present part that have left.
    sent: u64,
    /// By core: its bytes of the present part that have arrived.
    arrived: BTreeMap<u32, u64>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Packet {
    engine: u32,
    /// Where it goes at its destinations.
    offset: u64,
    data: Vec<u8>,
    /// Destinations that it has not reached.
    left: u32,
}

/// What transfers use of the machine.
pub struct Parts<'a> {
    pub map: &'a AddressMap,
    pub fabric: &'a mut Fabric,
    pub platform: &'a mut Platform,
    pub probes: &'a mut Probes,
}

/// The cores of a mask, ascending.
fn cores(mask: u64) -> impl Iterator<Item = u32> {
    (0..64).filter(move |core| mask >> core & 1 != 0)
}

impl Blocks {
    /// Begins the transfers that engines were commanded.
    pub fn start(&mut self, parts: Parts, now: Tick) {
        while let Some(block) = parts.platform.next_block() {
            let Block { core, direction, destination, cores, .. } = block;
            let (sent, arrived) = (0, BTreeMap::new());
            let transfer = Transfer { block, left: cores, destination, sent, arrived };
            self.transfers.insert(core, transfer);
            self.numbers.1 += 1;
            let jitter = parts.fabric.jitter.delay(core, self.numbers.1);
            let step = match direction {
                Direction::Send => BlockStep::Leave { engine: core },
                Direction::Gather => BlockStep::Ask { engine: core },
            };
            parts.fabric.schedule.deliver(core, now + block.setup + jitter, Message::Block(step));
        }
    }

    /// A step of a transfer at a core.
    pub fn step(&mut self, mut parts: Parts, now: Tick, core: u32, step: BlockStep) {
        match step {
            BlockStep::Ask { engine } => self.ask(&mut parts, now, engine),
            BlockStep::Leave { engine } => self.packet_leaves(&mut parts, now, core, engine),
            BlockStep::Arrive { packet } => self.packet_arrives(&mut parts, now, core, packet),
        }
    }

    fn ask(&self, parts: &mut Parts, now: Tick, engine: u32) {
        let Some(transfer) = self.transfers.get(&engine) else { return };
        let source = transfer.left.trailing_zeros();
        let (from, to) = (parts.fabric.node(engine), parts.fabric.node(source));
        let arrival = parts.fabric.network.send(from, to, now, SHORT);
        let leave = Message::Block(BlockStep::Leave { engine });
        parts.fabric.schedule.deliver(source, arrival, leave);
    }

    fn packet_leaves(&mut self, parts: &mut Parts, now: Tick, core: u32, engine: u32) {
        let Some(transfer) = self.transfers.get_mut(&engine) else { return };
        let Block { direction, source, length, packet, .. } = transfer.block;
        let (sent, bytes) = (transfer.sent, packet.min(length - transfer.sent));
        let offset = transfer.destination + sent;
        transfer.sent += bytes;
        let more = transfer.sent < length;
        let to: Vec<u32> = match direction {
            Direction::Send => cores(transfer.block.cores).collect(),
            Direction::Gather => vec![engine],
        };
        let data = parts.pad(core, source + sent, bytes).to_vec();
        parts.report(now, engine, AccessKind::DmaRead, core, source + sent, &data);
        let nodes: Vec<u32> = to.iter().map(|core| parts.fabric.node(*core)).collect();
        let from = parts.fabric.node(core);
        let (left, arrivals) = parts.fabric.network.send_to_all(from, &nodes, now, bytes + HEADER);
        self.numbers.0 = self.numbers.0.wrapping_add(1);
        let packet = self.numbers.0;
        let made = Packet { engine, offset, data, left: to.len() as u32 };
        self.packets.insert(packet, made);
        for (core, arrival) in to.iter().zip(arrivals) {
            let arrive = Message::Block(BlockStep::Arrive { packet });
            parts.fabric.schedule.deliver(*core, arrival, arrive);
        }
        if more {
            let leave = Message::Block(BlockStep::Leave { engine });
            parts.fabric.schedule.deliver(core, left, leave);
        }
    }

    fn packet_arrives(&mut self, parts: &mut Parts, now: Tick, core: u32, number: u32) {
        let Some(packet) = self.packets.get_mut(&number) else { return };
        packet.left -= 1;
        let (engine, offset) = (packet.engine, packet.offset);
        let data = if packet.left > 0 {
            packet.data.clone()
        } else {
            self.packets.remove(&number).expect("it is there").data
        };
        let bytes = data.len() as u64;
        parts.pad_mut(core, offset, bytes).copy_from_slice(&data);
        parts.report(now, engine, AccessKind::DmaWrite, core, offset, &data);
        let Some(transfer) = self.transfers.get_mut(&engine) else { return };
        let arrived = transfer.arrived.entry(core).or_default();
        *arrived += bytes;
        if *arrived < transfer.block.length {
            return;
        }
        let answer = Event::BlockAnswer { engine, core };
        match transfer.block.direction {
            // The destination tells that it has all.
            Direction::Send => {
                let (from, to) = (parts.fabric.node(core), parts.fabric.node(engine));
                let there = parts.fabric.network.send(from, to, now, SHORT);
                parts.fabric.schedule.push_next(there, Class::Device, engine, answer);
            }
            Direction::Gather => {
                transfer.left &= transfer.left - 1;
                transfer.destination += transfer.block.length;
                (transfer.sent, transfer.arrived) = (0, BTreeMap::new());
                if transfer.left != 0 {
                    return self.ask(parts, now, engine);
                }
                parts.fabric.schedule.push_next(now, Class::Device, engine, answer);
            }
        }
    }

    /// A core's answer that it has all of a block reaches the engine, or the last part of a gather is there.
    pub fn answered(&mut self, platform: &mut Platform, engine: u32, core: u32) {
        let Some(transfer) = self.transfers.get_mut(&engine) else { return };
        transfer.left &= !(1 << core);
        if transfer.left == 0 {
            self.transfers.remove(&engine);
            platform.block_done(engine);
        }
    }
}

impl Parts<'_> {
    /// Makes all transfers that engines were commanded, at once: for modes without time.
    pub fn make_all(&mut self, now: Tick) {
        while let Some(block) = self.platform.next_block() {
            let Block { core: engine, direction, source, destination, length, cores: mask, .. } =
                block;
            for (part, core) in (0..).zip(cores(mask)) {
                let (from, to, offset) = match direction {
                    Direction::Send => (engine, core, destination),
                    Direction::Gather => (core, engine, destination + part * length),
                };
                let data = self.pad(from, source, length).to_vec();
                self.report(now, engine, AccessKind::DmaRead, from, source, &data);
                self.pad_mut(to, offset, length).copy_from_slice(&data);
                self.report(now, engine, AccessKind::DmaWrite, to, offset, &data);
            }
            self.platform.block_done(engine);
        }
    }

    /// Bytes of a core's first scratchpad; the engine has checked that they are there.
    fn pad(&self, core: u32, offset: u64, bytes: u64) -> &[u8] {
        self.fabric.ram.slice(self.pad_start(core) + offset, bytes)
    }

    fn pad_mut(&mut self, core: u32, offset: u64, bytes: u64) -> &mut [u8] {
        let start = self.pad_start(core);
        self.fabric.ram.slice_mut(start + offset, bytes)
    }

    fn pad_start(&self, core: u32) -> u64 {
        let mut pads = self.map.pads().iter();
        pads.find(|pad| pad.core == core).expect("the engine knows who has a scratchpad").offset
    }

    fn report(
        &mut self,
        time: Tick,
        engine: u32,
        kind: AccessKind,
        core: u32,
        offset: u64,
        data: &[u8],
    ) {
        if !self.probes.observed() {
            return;
        }
        let initiator = self.platform.engine_initiator(engine).expect("it is there");
        let mut value = [0; 8];
        let some = data.len().min(8);
        value[..some].copy_from_slice(&data[..some]);
        self.probes.report_access(Access {
            time,
            initiator,
            pc: 0,
            address: offset,
            bytes: data.len() as u32,
            kind,
            location: Location::Scratchpad { core, offset },
            acquire: false,
            release: false,
            value: u64::from_le_bytes(value),
        });
    }
}
