// SPDX-License-Identifier: Apache-2.0
//! What all harts share, by parts: where addresses lead, what carries messages, who holds which line, the devices, and
//! who looks at all of it. `docs/design/board.md`, "The state", says what belongs where.

use super::{
    address_map::AddressMap,
    blocks::{Blocks, Parts},
    coherence::Coherence,
    event::{AccessOp, BlockStep, Event, UncachedAccess, UncachedOp},
    fabric::{Fabric, Stalled},
    io::Io,
    probes::Probes,
};
use crate::{
    devices::{Platform, Tick, route::Routes},
    isa::Access,
    memory::{Ram, Scratchpad},
};
use serde::{Deserialize, Serialize};
use takt_model::Timing;

#[derive(Clone, Serialize, Deserialize)]
pub struct World {
    /// The board's figures.
    pub timing: Timing,
    pub map: AddressMap,
    pub fabric: Fabric,
    pub coherence: Coherence,
    pub io: Io,
    pub(super) blocks: Blocks,
    #[serde(skip)]
    pub(super) probes: Probes,
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
        let fabric = Fabric::new(timing, ram, &pads, harts, &platform);
        World {
            timing: timing.clone(),
            map: AddressMap::new(routes, pads, rom),
            coherence: Coherence::new(timing, &fabric),
            fabric,
            io: Io::new(timing, platform),
            blocks: Blocks::default(),
            probes: Probes::default(),
        }
    }

    pub fn handle_event(&mut self, now: Tick, event: Event) {
        let World { map, fabric, coherence, io, .. } = self;
        match event {
            Event::Request(request) => coherence.send_request(fabric, now, request),
            Event::Home(request) => coherence.homes.receive_request(fabric, now, request),
            Event::Serve(request) => coherence.homes.serve_or_enqueue(fabric, now, request),
            Event::Controller { transaction } => {
                coherence.homes.read_memory(fabric, now, transaction)
            }
            Event::Read { transaction } => {
                coherence.homes.data_from_memory(fabric, now, transaction)
            }
            Event::Write { initiator, line } => {
                coherence.homes.write_memory(fabric, now, initiator, line);
            }
            Event::Data { transaction } => coherence.homes.data_at_home(fabric, now, transaction),
            Event::Perform { transaction } => {
                if let Some(device) = coherence.homes.perform(fabric, now, transaction) {
                    self.transfer(now, device);
                }
            }
            Event::Free { line } => coherence.homes.unblock_line(fabric, now, line),
            Event::WriteBack { core, line, dirty } => {
                coherence.homes.write_back(fabric, now, core, line, dirty);
            }
            Event::Cluster(cluster, event) => coherence.at_cluster(fabric, now, cluster, event),
            Event::Release { initiator } => self.release(now, initiator),
            Event::ScratchpadAccess(access) => fabric.send_to_scratchpad(now, access),
            Event::UncachedAccess(access) => fabric.send_uncached(now, access),
            Event::UncachedArrives(access) => self.access_uncached(now, access),
            Event::UncachedAnswer { hart, line, message } => {
                fabric.answer_uncached(now, hart, line, message);
            }
            Event::RegisterAccess(register) => {
                let device = map.device_number(register.core, register.address);
                fabric.send_to_device(now, device, register, io.is_posted(map, register));
            }
            Event::Device(register) => io.access_timed(fabric, now, map, register),
            Event::Transferred { initiator } => self.transfer(now, initiator),
            Event::DeviceTime => io.platform.advance(now),
            Event::BlockAnswer { engine, core } => {
                self.blocks.answered(&mut io.platform, engine, core);
            }
            Event::Deliver { .. } => unreachable!("the machine delivers to its harts"),
        }
    }

    /// Requests that waited for their initiator's write-backs leave.
    fn release(&mut self, now: Tick, initiator: u32) {
        let World { fabric, coherence, .. } = self;
        for request in fabric.release(now, initiator) {
            match request {
                Stalled::Request(leaves, request) => {
                    coherence.homes.go_home(fabric, now, leaves.max(now), request);
                }
                Stalled::UncachedAccess(access) => fabric.send_uncached_now(now, access),
            }
        }
    }

    /// An access to uncached memory has arrived at its controller.
    fn access_uncached(&mut self, now: Tick, access: UncachedAccess) {
        let old = match access.work {
            UncachedOp::Access { bytes, op, .. } => self.perform(now, access.offset, bytes, op),
            UncachedOp::Transfer { .. } => 0,
        };
        self.fabric.access_uncached(now, access, old);
    }

    /// Performs an access to bytes that no cache keeps; answers what they were before. A store may end the run.
    pub(super) fn perform(&mut self, now: Tick, offset: u64, bytes: u8, op: AccessOp) -> u64 {
        let old = self.fabric.perform(offset, bytes, op);
        if !matches!(op, AccessOp::Read) {
            self.stored(now, offset, bytes.into());
        }
        old
    }

    /// Performs a store to cached RAM, perhaps one to the host-target interface.
    pub fn store(&mut self, now: Tick, offset: u64, value: u64, bytes: usize) {
        self.fabric.ram.write_some(offset, value, bytes);
        self.stored(now, offset, bytes as u64);
    }

    /// Answers a store that was performed, if it was to the host-target interface.
    pub(super) fn stored(&mut self, now: Tick, offset: u64, bytes: u64) {
        self.io.stored(&mut self.fabric.ram, now, offset, bytes);
    }

    fn transfer(&mut self, now: Tick, initiator: u32) {
        let World { map, fabric, io, probes, .. } = self;
        io.transfer(fabric, now, initiator, map, probes);
    }

    /// Makes all transfers that devices want, at once: for modes without time.
    pub(super) fn make_transfers(&mut self, now: Tick) {
        let World { map, fabric, io, probes, .. } = self;
        io.make_transfers(fabric, now, map, probes);
        Parts { map, fabric, platform: &mut io.platform, probes }.make_all(now);
    }

    /// Begins the transfers between scratchpads that were commanded.
    pub(super) fn start_blocks(&mut self, now: Tick) {
        let World { map, fabric, io, probes, blocks, .. } = self;
        blocks.start(Parts { map, fabric, platform: &mut io.platform, probes }, now);
    }

    /// Makes a step of such a transfer, which has reached a core.
    pub(super) fn block_step(&mut self, now: Tick, core: u32, step: BlockStep) {
        let World { map, fabric, io, probes, blocks, .. } = self;
        blocks.step(Parts { map, fabric, platform: &mut io.platform, probes }, now, core, step);
    }

    /// Whether the fast tables may hold a page of RAM for this kind of access. The host-target interface looks at stores only.
    pub fn permits_fast(&self, page: u64, access: Access) -> bool {
        let htif = self.io.htif.as_ref().filter(|_| access == Access::Store);
        !htif.is_some_and(|htif| htif.watches(self.fabric.ram.address(page), 4096))
            && self.probes.permits_fast(page, 4096)
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
}
