// SPDX-License-Identifier: Apache-2.0
//! What all harts share: RAM, the protocol between the caches, the devices.

use super::{
    event::{Class, Event, Message, Register, hart_lookahead, lookaheads, stalled_lookahead},
    observe::Observed,
    outgoing::Outgoing,
    queue::Queue,
    watch::Watch,
};
use crate::memory::request::Request;
use crate::{
    devices::{
        self, Finish, Htif, Platform, Tick, Transfer,
        route::{Routes, Target},
    },
    isa::Access,
    memory::{
        LINE, Ram, Scratchpad, address,
        cluster::Cluster,
        directory::Directory,
        dram::Dram,
        network::{Network, SHORT},
        tags::{State, Tags},
    },
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use takt_model::Timing;

#[derive(Clone, Serialize, Deserialize)]
pub struct World {
    pub timing: Timing,
    /// Snapshots have it apart.
    #[serde(skip)]
    pub ram: Ram,
    /// As the RAM.
    #[serde(skip)]
    pub queue: Queue,
    pub platform: Platform,
    #[serde(skip)]
    pub(super) routes: Routes,
    #[serde(skip)]
    pub(super) pads: Vec<Scratchpad>,
    pub htif: Option<Htif>,
    /// What a debugger wants to see accesses to.
    #[serde(skip)]
    pub(super) watches: Vec<Watch>,
    /// Who wants to see all accesses.
    #[serde(skip)]
    pub(super) observer: Observed,
    /// What harts do is only looked at: an instruction that would be felt outside of its core waits instead.
    #[serde(skip)]
    pub(super) trial: bool,
    /// In a trial some instruction would have been felt.
    #[serde(skip)]
    pub(super) trial_failed: bool,
    /// The software has said that it is at its end.
    pub finish: Option<(Finish, Tick)>,
    /// The latest moment of the devices: theirs goes on only.
    pub(super) device_now: Tick,
    /// The reset vector, at [`ROM`].
    pub rom: Vec<u8>,
    #[serde(skip)]
    pub hart_lookahead: Tick,
    /// Cores that have an L2 of their own.
    #[serde(skip)]
    pub(super) with_l2: u128,
    pub seed: u64,
    /// Cycles by which the seed may delay a request.
    pub jitter: u64,
    /// For each hart: when something will reach it. The queue says it, too.
    #[serde(skip)]
    pub due: Vec<Vec<Tick>>,
    /// For each hart: recalls that wait for the end of its reservation.
    pub(super) held: Vec<Vec<Message>>,
    pub(super) network: Network,
    /// As the RAM.
    #[serde(skip)]
    pub(super) directory: Directory,
    pub(super) dram: Dram,
    pub(super) homes: Vec<Home>,
    pub(super) transactions: Transactions,
    /// Requests for lines under way, in order of arrival.
    pub(super) waiting: BTreeMap<u64, VecDeque<Request>>,
    /// By device number: what its DMA port waits for.
    pub(super) transfers: BTreeMap<u32, Transfer>,
    /// Caches that cores share; none where each has its own only.
    pub(super) clusters: Vec<Cluster>,
    /// By core, or a cluster's first: its lines on their way home, with their arrival.
    pub(super) write_backs: Vec<Vec<(u64, Tick)>>,
    /// By initiator, as far as there were any.
    pub(super) outgoing: Vec<Outgoing>,
    /// Requests that wait for their initiator's write-backs.
    pub(super) stalled: u32,
    /// While warming: cores that must give up or share a line, until one of them goes on.
    #[serde(skip)]
    pub warm_recalls: Vec<(u32, u64, State)>,
    /// Transactions between caches and memory so far.
    pub transactions_done: u64,
}

pub const ROM: u64 = 0x1000;
/// The node that the devices are at.
pub(super) const DEVICES: u32 = 0;

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Home {
    pub free: Tick,
    pub cache: Option<Tags>,
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Transaction {
    pub request: Request,
    /// What must arrive yet.
    pub pending: u32,
    /// The latest arrival of those so far.
    pub arrived: Tick,
    pub grant: State,
    /// The line's home serves nobody else until the requester has it.
    pub exclusive: bool,
    pub from_memory: bool,
}

#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Transactions {
    slots: Vec<Option<Transaction>>,
    free: Vec<u32>,
}

impl Transactions {
    pub fn add(&mut self, transaction: Transaction) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() as u32 - 1
        });
        self.slots[number as usize] = Some(transaction);
        number
    }

    pub fn get(&mut self, number: u32) -> &mut Transaction {
        self.slots[number as usize].as_mut().expect("a transaction under way")
    }

    pub fn end(&mut self, number: u32) -> Transaction {
        self.free.push(number);
        self.slots[number as usize].take().expect("a transaction under way")
    }
}

impl World {
    pub fn new(
        timing: &Timing,
        ram: Ram,
        rom: Vec<u8>,
        platform: Platform,
        routes: Routes,
        pads: Vec<Scratchpad>,
        harts: u32,
    ) -> World {
        let network = Network::new(&timing.interconnect);
        let home = Home { free: 0, cache: timing.coherence.cache.as_ref().map(Tags::new) };
        let windows = pads.iter().any(|pad| pad.shared);
        let ahead = lookaheads(timing, harts, windows, ram.has_uncached());
        World {
            queue: Queue::new(ahead, stalled_lookahead(timing, ahead[Class::Request as usize])),
            rom,
            hart_lookahead: hart_lookahead(timing, harts, windows),
            with_l2: with_l2(timing, harts),
            seed: 0,
            jitter: 0,
            due: vec![Vec::new(); harts as usize],
            held: vec![Vec::new(); harts as usize],
            directory: Directory::new(ram.base, ram.size()),
            dram: Dram::new(&timing.dram),
            homes: vec![home; network.nodes() as usize],
            transactions: Transactions::default(),
            waiting: BTreeMap::new(),
            transfers: BTreeMap::new(),
            clusters: clusters(timing, harts),
            write_backs: vec![Vec::new(); harts as usize],
            outgoing: Vec::new(),
            stalled: 0,
            warm_recalls: Vec::new(),
            transactions_done: 0,
            network,
            platform,
            routes,
            pads,
            htif: None,
            watches: Vec::new(),
            observer: Observed::default(),
            trial: false,
            trial_failed: false,
            finish: None,
            device_now: 0,
            ram,
            timing: timing.clone(),
        }
    }

    // ---- what a hart asks while it runs ---------------------------------------------------------

    /// The number of the line at an offset in RAM.
    #[inline(always)]
    pub fn line(&self, offset: u64) -> u64 {
        (self.ram.base + offset) / LINE
    }

    /// Whether nobody watches the page's bytes, or all. The host-target interface watches stores only.
    pub fn fast(&self, page: u64, access: Access) -> bool {
        let htif = self.htif.as_ref().filter(|_| access == Access::Store);
        !htif.is_some_and(|htif| htif.watches(self.ram.address(page), 4096))
            && !self.observed()
            && !self.trial
            && !self.watches.iter().any(|watch| watch.overlaps(page, 4096))
    }

    /// Performs a store, perhaps to a byte that someone watches.
    pub fn store(&mut self, now: Tick, offset: u64, value: u64, bytes: usize) {
        self.ram.write_some(offset, value, bytes);
        self.watch(now, offset, bytes as u64);
    }

    /// The seed's delay of a core's request.
    pub fn jitter(&self, core: u32, request: u64) -> Tick {
        if self.jitter == 0 {
            return 0;
        }
        let mixed = address::scatter(self.seed ^ (u64::from(core) << 48) ^ request);
        mixed % (self.jitter + 1)
    }

    pub fn rom_line(&self, address: u64) -> Option<[u8; LINE as usize]> {
        let at = address.checked_sub(ROM)? as usize;
        let rest = self.rom.get(at..).filter(|rest| !rest.is_empty())?;
        let mut line = [0; LINE as usize];
        let count = rest.len().min(line.len());
        line[..count].copy_from_slice(&rest[..count]);
        Some(line)
    }

    pub fn rom_read(&self, address: u64, bytes: u8) -> Option<u64> {
        let at = address.checked_sub(ROM)? as usize;
        let from = self.rom.get(at..at + usize::from(bytes))?;
        let mut value = [0; 8];
        value[..from.len()].copy_from_slice(from);
        Some(u64::from_le_bytes(value))
    }

    /// The offset of bytes of RAM, which caches may keep, at an address of this initiator's map.
    #[inline(always)]
    pub fn memory(&self, initiator: u32, address: u64, bytes: u64) -> Option<u64> {
        self.routes.memory(initiator, address, bytes)
    }

    /// As [`World::memory`], of RAM that no cache keeps.
    pub fn uncached(&self, initiator: u32, address: u64, bytes: u64) -> Option<u64> {
        self.routes.uncached(initiator, address, bytes)
    }

    /// Whether caches may keep the line. For assertions.
    pub(super) fn keeps(&self, line: u64) -> bool {
        self.ram.is_cached(line * LINE - self.ram.base)
    }

    /// The physical address of a line, by which its home and bank are.
    pub(super) fn address_of(&self, line: u64) -> u64 {
        self.ram.address(line * LINE - self.ram.base)
    }

    pub fn is_device(&self, core: u32, address: u64) -> bool {
        let route = self.routes.route(core, address);
        route.is_some_and(|route| matches!(route.target, Target::Device(_)))
    }

    /// Whether a core does not wait for the answer to a store there.
    pub fn is_posted(&self, core: u32, address: u64) -> bool {
        self.routes.route(core, address).is_some_and(|route| route.attributes.posted)
    }

    pub fn register(&mut self, now: Tick, register: Register) -> Option<u64> {
        let Register { core, address, bytes, kind } = register;
        // In functional mode the harts' clocks differ by up to a turn.
        self.device_now = self.device_now.max(now);
        let route = self.routes.route(core, address)?;
        let Target::Device(number) = route.target else { return None };
        let request = devices::Request { initiator: core, offset: route.offset, bytes, kind };
        let answer = self.platform.access_device(self.device_now, number, request).ok();
        if let Some(finish) = self.platform.finish() {
            self.finish_now(finish, now);
        }
        answer
    }

    /// The first word counts.
    pub(super) fn finish_now(&mut self, finish: Finish, now: Tick) {
        self.finish.get_or_insert((finish, now));
    }

    pub fn device_distance(&self, core: u32) -> Tick {
        self.network.distance(self.network.node_of(core), DEVICES, SHORT)
    }

    /// The `time` CSR.
    pub fn time(&self, clock: Tick) -> u64 {
        let (clock, rate) = (u128::from(clock), u128::from(self.timing.timebase));
        (clock * rate / u128::from(self.timing.frequency)) as u64
    }

    /// The first tick at which the `time` CSR is at least this.
    pub fn tick_of(&self, time: u64) -> Tick {
        let (time, frequency) = (u128::from(time), u128::from(self.timing.frequency));
        (time * frequency).div_ceil(u128::from(self.timing.timebase)).min(u128::from(Tick::MAX))
            as u64
    }

    pub fn take_held(&mut self, hart: u32) -> Vec<Message> {
        std::mem::take(&mut self.held[hart as usize])
    }

    // ---- messages -------------------------------------------------------------------------------

    pub fn deliver(&mut self, hart: u32, tick: Tick, message: Message) {
        self.due[hart as usize].push(tick);
        self.queue.push_next(tick, Class::Deliver, hart, Event::Deliver { hart, message });
    }

    pub fn hold(&mut self, hart: u32, until: Tick, message: Message) {
        self.held[hart as usize].push(message);
        self.deliver(hart, until, Message::HoldEnds);
    }

    /// Where an initiator is: a core, or beyond them a device.
    pub(super) fn node(&self, initiator: u32) -> u32 {
        if (initiator as usize) < self.due.len() {
            self.network.node_of(initiator)
        } else {
            DEVICES
        }
    }

    /// Whether a core's code comes into a cache of its own that the directory knows of.
    pub(super) fn keeps_code(&self, core: u32) -> bool {
        self.with_l2 & bit(core) != 0
    }

    pub(super) fn home_of(&self, line: u64) -> u32 {
        let address = self.address_of(line);
        address::home(&self.timing.coherence, self.network.nodes(), address)
    }
}

fn with_l2(timing: &Timing, harts: u32) -> u128 {
    let with = (0..harts).filter(|core| timing.of_core(*core).l2.is_some());
    with.fold(0, |all, core| all | bit(core))
}

fn clusters(timing: &Timing, harts: u32) -> Vec<Cluster> {
    let Some(figures) = &timing.cluster else { return Vec::new() };
    vec![Cluster::new(figures); harts.div_ceil(figures.cores) as usize]
}

/// Devices have none: they keep no lines.
pub(super) fn bit(initiator: u32) -> u128 {
    1u128.checked_shl(initiator).unwrap_or(0)
}
