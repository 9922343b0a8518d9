// SPDX-License-Identifier: Apache-2.0
//! All devices of a machine at their addresses, with the wires between them and to the harts.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::extras::Extras;
use super::map::{self, AddressRange};
use super::route::{Attributes, Target, Window};
use super::subnet::{Part, Subnet};
use super::{
    BadState, Block, BlockDma, Clock, Device, Dma, Edge, EmptySlot, ExtraDevice, Finish, Finisher,
    Input, Kind, Mswi, Mtimer, Plic, Refused, Request, Run, Sswi, Tick, Transfer, Uart, Words,
};

/// What a platform is made from.
#[derive(Clone, Debug, Default)]
pub struct PlatformSetup {
    /// `mhartid` of each hart, by index; the lowest is number 0 of the ACLINT's M-mode registers.
    pub hart_ids: Vec<u64>,
    /// The harts' clock and the rate of `mtime`, in hertz.
    pub frequency: u64,
    pub timebase: u64,
    /// What arrives at the UART.
    pub input: Vec<Input>,
    /// Words that all harts reach, and where.
    pub words: Vec<(AddressRange, Words)>,
    /// Cores behind the harts of `hart_ids`, which reach none of these devices.
    pub others: u32,
    /// What also the other cores reach.
    pub subnets: Vec<Subnet>,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SetupError {
    #[error("a machine has 1 to {max} harts, not {0}", max = map::HARTS_MAX)]
    Harts(usize),
    #[error("two harts have the number {0}")]
    SameHart(u64),
    #[error(
        "the hart numbers {0} and {1} are further apart than the ACLINT's {max} registers",
        max = map::HART_NUMBERS_MAX
    )]
    HartsApart(u64, u64),
    #[error("the hart number {0} does not fit the device tree's 32 bits")]
    HartNumber(u64),
    #[error("the timebase must be 1 Hz to the harts' frequency of {frequency} Hz, not {timebase}")]
    Timebase { frequency: u64, timebase: u64 },
}

/// A device beside the platform's own.
#[derive(Debug)]
pub struct Extra {
    pub range: AddressRange,
    /// The node of the interconnect that the device is at.
    pub node: u32,
    /// The end of each of the device's wires, by the wire's number.
    pub wires: Vec<WireEnd>,
    pub device: Box<dyn ExtraDevice>,
}

/// An interrupt input that a wire of a device is connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireEnd {
    /// This source of the PLIC.
    Source(u32),
    /// The SSWI's wire of this hart, by index: each rise sets its SSIP, as the SSWI does.
    Ssip(u32),
}

/// A change at one of a hart's interrupt lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HartWire {
    /// The hart's index.
    pub hart: u32,
    /// The bit of `mip`. SSIP (1) is only ever set.
    pub bit: u32,
    pub level: bool,
}

const SSIP: u32 = 1;
const MSIP: u32 = 3;
const MTIP: u32 = 7;
const SEIP: u32 = 9;
const MEIP: u32 = 11;

/// Devices have numbers: those below, the virtio slots, the words, the subnets, then the extra ones as they were added.
const FINISHER: u32 = 0;
const MSWI: u32 = 1;
const MTIMER: u32 = 2;
const SSWI: u32 = 3;
const PLIC: u32 = 4;
const UART: u32 = 5;
const DMA: u32 = 6;
const VIRTIO: u32 = 7;
const WORDS: u32 = VIRTIO + map::VIRTIO_SLOTS;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Platform {
    /// The harts that firmware and kernel know.
    harts: u32,
    /// The cores behind them.
    others: u32,
    /// The hart at each place of the MSWI and the MTIMER: its number less the lowest.
    hart_at_place: Vec<Option<u32>>,
    /// By device number.
    ranges: Vec<(u64, u64)>,
    finisher: Finisher,
    mswi: Mswi,
    mtimer: Mtimer,
    sswi: Sswi,
    plic: Plic,
    uart: Uart,
    dma: Dma,
    virtio: EmptySlot,
    words: Vec<Words>,
    subnets: Vec<Subnet>,
    extras: Extras,
}

impl Platform {
    pub fn new(setup: &PlatformSetup) -> Result<Platform, SetupError> {
        let hart_at_place = hart_places(&setup.hart_ids)?;
        let (frequency, timebase) = (setup.frequency, setup.timebase);
        if timebase == 0 || timebase > frequency {
            return Err(SetupError::Timebase { frequency, timebase });
        }
        let harts = setup.hart_ids.len();
        let virtio = (0..map::VIRTIO_SLOTS).map(map::virtio);
        let words = setup.words.iter().map(|(range, _)| *range);
        let ranges =
            [map::FINISHER, map::MSWI, map::MTIMER, map::SSWI, map::PLIC, map::UART, map::DMA];
        Ok(Platform {
            harts: harts as u32,
            others: setup.others,
            ranges: ranges
                .into_iter()
                .chain(virtio)
                .chain(words)
                .chain(setup.subnets.iter().map(|subnet| subnet.range))
                .map(|p| (p.base, p.size))
                .collect(),
            finisher: Finisher::default(),
            mswi: Mswi::new(hart_at_place.len()),
            mtimer: Mtimer::new(hart_at_place.len(), Clock { frequency, timebase }),
            sswi: Sswi::new(harts as u32),
            plic: Plic::new(harts),
            uart: Uart::new(setup.input.clone()),
            dma: Dma::default(),
            virtio: EmptySlot,
            words: setup.words.iter().map(|(_, words)| words.clone()).collect(),
            subnets: setup.subnets.clone(),
            extras: Extras::default(),
            hart_at_place,
        })
    }

    /// Adds a device. After a platform was read from a snapshot, the same devices must be added
    /// again in the same order; each then goes on from its saved state.
    pub fn add(&mut self, extra: Extra) -> Result<(), BadState> {
        let range = (extra.range.base, extra.range.size);
        let number = self.first_extra() as usize + self.extras.devices.len();
        self.extras.add(extra)?;
        if number == self.ranges.len() {
            self.ranges.push(range);
        }
        Ok(())
    }

    /// Gives a platform that was read from a snapshot the devices that this other one has, in the
    /// states that were saved.
    pub fn add_again(&mut self, from: &Platform) -> Result<(), BadState> {
        if self.extras.saved_count() != from.extras.devices.len() {
            return Err(BadState);
        }
        from.extras.devices.iter().cloned().try_for_each(|extra| self.add(extra))
    }

    /// Where the devices are, by number.
    pub fn ranges(&self) -> &[(u64, u64)] {
        &self.ranges
    }

    /// The node that each device is at, by number.
    pub fn nodes(&self) -> Vec<u32> {
        let mut nodes = vec![0; self.first_extra() as usize];
        nodes.extend(self.extras.devices.iter().map(|extra| extra.node));
        nodes
    }

    /// The map beside memory: ROM and devices, the same for each initiator but the other cores, which reach subnets only.
    pub fn windows(&self) -> Vec<Window> {
        let AddressRange { base, size } = map::ROM;
        let mut windows = vec![Window::for_all(base, size, Target::Rom, 0, Attributes::UNCACHED)];
        for (number, &(base, size)) in self.ranges.iter().enumerate() {
            let target = Target::Device(number as u32);
            let words = number.checked_sub(WORDS as usize).and_then(|at| self.words.get(at));
            let posted = words.is_none_or(Words::posted);
            let attributes = Attributes { posted, ..Attributes::UNCACHED };
            let window = Window::for_all(base, size, target, 0, attributes);
            windows.push(match self.subnet(number as u32) {
                Some(subnet) => Window { initiators: subnet.cores.clone(), ..window },
                None => window,
            });
        }
        let (first, behind) = (self.harts, self.harts + self.others);
        windows.into_iter().flat_map(|window| window.without(first..behind)).collect()
    }

    /// An access to whatever device is at the address.
    pub fn access(
        &mut self,
        now: Tick,
        initiator: u32,
        address: u64,
        bytes: u8,
        kind: Kind,
    ) -> Result<u64, Refused> {
        let inside = |&(base, size): &(u64, u64)| address >= base && address - base < size;
        let number = self.ranges.iter().position(inside).ok_or(Refused)?;
        let offset = address - self.ranges[number].0;
        self.access_device(now, number as u32, Request { initiator, offset, bytes, kind })
    }

    /// An access to the device of this number, as [`Target::Device`] gives it.
    pub fn access_device(
        &mut self,
        now: Tick,
        number: u32,
        request: Request,
    ) -> Result<u64, Refused> {
        let Request { offset, bytes, kind, .. } = request;
        let &(_, size) = self.ranges.get(number as usize).ok_or(Refused)?;
        let end = offset.checked_add(bytes.into()).ok_or(Refused)?;
        if !matches!(bytes, 1 | 2 | 4 | 8) || offset % u64::from(bytes) != 0 || end > size {
            return Err(Refused);
        }
        let mask = u64::MAX >> (64 - 8 * u32::from(bytes));
        let kind = match kind {
            Kind::Read => Kind::Read,
            Kind::Write(value) => Kind::Write(value & mask),
        };
        if self.next_event().is_some_and(|next| next <= now) {
            self.advance(now);
        }
        let value = self.device(number).ok_or(Refused)?.access(now, Request { kind, ..request });
        self.join_wires();
        value.map(|value| value & mask)
    }

    /// Lets everything happen that is due at `now`.
    pub fn advance(&mut self, now: Tick) {
        self.mtimer.advance(now);
        self.uart.advance(now);
        for extra in &mut self.extras.devices {
            extra.device.advance(now);
        }
        self.join_wires();
    }

    /// When `advance` must be called next, if nothing else happens.
    pub fn next_event(&self) -> Option<Tick> {
        let extras = self.extras.devices.iter().filter_map(|extra| extra.device.next_event());
        extras.chain(self.mtimer.next_event()).chain(self.uart.next_event()).min()
    }

    /// The changes of the harts' lines since the last call: MSWI, MTIMER, SSWI, PLIC, each in the
    /// order in which they happened.
    pub fn wires(&mut self, out: &mut Vec<HartWire>) {
        let mut edges = Vec::new();
        self.mswi.edges(&mut edges);
        self.drain_to_places(&mut edges, MSIP, out);
        self.mtimer.edges(&mut edges);
        self.drain_to_places(&mut edges, MTIP, out);
        self.sswi.edges(&mut edges);
        out.extend(edges.drain(..).map(|edge| HartWire {
            hart: edge.wire,
            bit: SSIP,
            level: true,
        }));
        self.plic.edges(&mut edges);
        out.extend(edges.drain(..).map(|Edge { wire, level }| {
            let bit = if wire % 2 == 0 { MEIP } else { SEIP };
            HartWire { hart: wire / 2, bit, level }
        }));
    }

    /// The next transfer that a device wants, with the device's number; one at a time for each.
    pub fn next_transfer(&mut self) -> Option<(u32, Transfer)> {
        if let Some(transfer) = self.dma.transfer() {
            return Some((DMA, transfer));
        }
        let mut numbers = self.first_extra()..;
        self.extras.devices.iter_mut().find_map(|extra| {
            let number = numbers.next()?;
            extra.device.transfer().map(|transfer| (number, transfer))
        })
    }

    /// What an engine of the data subnet was commanded since the last call; one at a time for each.
    pub fn next_block(&mut self) -> Option<Block> {
        self.subnets.iter_mut().find_map(|subnet| match &mut subnet.part {
            Part::Engine(engine) => engine.take_command(),
            _ => None,
        })
    }

    /// The transfer of this core's engine is done.
    pub fn block_done(&mut self, core: u32) {
        if let Some((_, engine)) = self.engine(core) {
            engine.done();
        }
    }

    /// The number of a core's engine of the data subnet, and the engine.
    fn engine(&mut self, core: u32) -> Option<(u32, &mut BlockDma)> {
        let first = self.first_subnet();
        let mut numbered = (first..).zip(&mut self.subnets);
        numbered.find_map(|(number, subnet)| match &mut subnet.part {
            Part::Engine(engine) if subnet.cores.start == core => Some((number, engine)),
            _ => None,
        })
    }

    /// The initiator of a core's engine of the data subnet.
    pub fn engine_initiator(&mut self, core: u32) -> Option<u32> {
        let number = self.engine(core)?.0;
        Some(self.initiator(number))
    }

    /// The workers that have left reset or returned to it since the last call, in order, and how long that takes.
    pub fn runs(&mut self) -> Vec<(Run, Tick)> {
        let each = self.subnets.iter_mut().filter_map(|subnet| match &mut subnet.part {
            Part::Workers(workers) => {
                Some(workers.changes().into_iter().map(|run| (run, subnet.way)))
            }
            _ => None,
        });
        each.flatten().collect()
    }

    /// The cycles from a core to a device that is a subnet.
    pub fn way(&self, number: u32) -> Option<Tick> {
        self.subnet(number).map(|subnet| subnet.way)
    }

    /// The harts that firmware and kernel know; the cores behind them are held at the start.
    pub fn harts(&self) -> u32 {
        self.harts
    }

    /// The subnets.
    pub fn subnets(&self) -> &[Subnet] {
        &self.subnets
    }

    /// Whether this is nothing that a subnet refuses, whenever it arrives.
    pub fn permits(&self, number: u32, request: &Request) -> bool {
        self.subnet(number).is_none_or(|subnet| subnet.permits(request))
    }

    /// The device's transfer is done (`data`: what was read; empty after a write), or refused.
    pub fn transferred(&mut self, now: Tick, number: u32, data: Option<&[u8]>) {
        if let Some(device) = self.device(number) {
            device.transferred(now, data);
            self.join_wires();
        }
    }

    /// The initiator that a device's own transfers carry.
    pub fn initiator(&self, number: u32) -> u32 {
        self.harts + self.others + number
    }

    pub fn finish(&self) -> Option<Finish> {
        self.finisher.finish()
    }

    /// What was sent to the console and not drained yet.
    pub fn console(&mut self) -> &mut Vec<u8> {
        self.uart.output()
    }

    /// Types bytes at the console from `now` on, after all input that has not arrived yet.
    pub fn add_input(&mut self, now: Tick, bytes: Vec<u8>) {
        self.uart.add_input(Input { at: now, bytes });
    }

    /// `mtime`, and so each hart's `time`, at this tick.
    pub fn time(&self, now: Tick) -> u64 {
        self.mtimer.time(now)
    }

    fn first_subnet(&self) -> u32 {
        WORDS + self.words.len() as u32
    }

    fn first_extra(&self) -> u32 {
        self.first_subnet() + self.subnets.len() as u32
    }

    fn subnet(&self, number: u32) -> Option<&Subnet> {
        self.subnets.get(number.checked_sub(self.first_subnet())? as usize)
    }

    fn device(&mut self, number: u32) -> Option<&mut dyn Device> {
        Some(match number {
            FINISHER => &mut self.finisher,
            MSWI => &mut self.mswi,
            MTIMER => &mut self.mtimer,
            SSWI => &mut self.sswi,
            PLIC => &mut self.plic,
            UART => &mut self.uart,
            DMA => &mut self.dma,
            VIRTIO..WORDS => &mut self.virtio,
            _ => {
                let number = (number - WORDS) as usize;
                let Some(subnet) = number.checked_sub(self.words.len()) else {
                    return Some(&mut self.words[number]);
                };
                match subnet.checked_sub(self.subnets.len()) {
                    None => self.subnets[subnet].device(),
                    Some(extra) => self.extras.devices.get_mut(extra)?.device.as_mut(),
                }
            }
        })
    }

    /// From the devices' wires to the PLIC's sources and to harts.
    fn join_wires(&mut self) {
        let mut join = |device: &mut dyn Device, ends: &[WireEnd]| {
            let mut edges = Vec::new();
            device.edges(&mut edges);
            for Edge { wire, level } in edges {
                match ends.get(wire as usize) {
                    Some(&WireEnd::Source(source)) => self.plic.set_source(source, level),
                    Some(&WireEnd::Ssip(hart)) if level => self.sswi.set(hart),
                    // A fall changes no SSIP; further wires lead nowhere.
                    _ => {}
                }
            }
        };
        join(&mut self.uart, &[WireEnd::Source(map::UART_SOURCE)]);
        join(&mut self.dma, &[WireEnd::Source(map::DMA_SOURCE)]);
        for extra in &mut self.extras.devices {
            join(extra.device.as_mut(), &extra.wires);
        }
    }

    fn drain_to_places(&self, edges: &mut Vec<Edge>, bit: u32, out: &mut Vec<HartWire>) {
        for Edge { wire, level } in edges.drain(..) {
            if let Some(hart) = self.hart_at_place[wire as usize] {
                out.push(HartWire { hart, bit, level });
            }
        }
    }
}

/// The hart at each place from the lowest number to the highest. OpenSBI finds the registers of the
/// MSWI and the MTIMER so.
fn hart_places(ids: &[u64]) -> Result<Vec<Option<u32>>, SetupError> {
    if ids.len() > map::HARTS_MAX {
        return Err(SetupError::Harts(ids.len()));
    }
    let lowest = ids.iter().copied().min().ok_or(SetupError::Harts(0))?;
    let highest = ids.iter().copied().max().unwrap_or(lowest);
    if highest - lowest >= map::HART_NUMBERS_MAX {
        return Err(SetupError::HartsApart(lowest, highest));
    }
    if highest > u32::MAX.into() {
        return Err(SetupError::HartNumber(highest));
    }
    let mut places = vec![None; (highest - lowest) as usize + 1];
    for (hart, &id) in ids.iter().enumerate() {
        let place = &mut places[(id - lowest) as usize];
        if place.replace(hart as u32).is_some() {
            return Err(SetupError::SameHart(id));
        }
    }
    Ok(places)
}
