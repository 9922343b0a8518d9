// SPDX-License-Identifier: Apache-2.0
//! From a board's description to the bytes that its machine has, and to the map of each initiator.

use crate::{
    devices::{
        BlockDma, Clock, Extra, Rtu, Scoreboard, WireEnd, Words, WorkerControl,
        map::AddressRange,
        route::{Attributes, Target, Window},
        subnet::{Part, Subnet},
    },
    memory::{Ram, Scratchpad},
};
use std::ops::Range;
use takt_model::{
    Board, RegisterKind, Subnets,
    board::{BLOCK_DMA_BYTES, REGISTER_BYTES, SCOREBOARD_BYTES, WORKER_CONTROL_BYTES},
};

/// The machine's cores: those that the system uses, and on a board with workers all others, which are held.
pub fn cores(board: &Board, harts: u32) -> u32 {
    if board.subnets.workers.is_some() { board.cores } else { harts }
}

/// All bytes, and whose scratchpad is where in them: those of the cores that are there.
pub fn memory(board: &Board, harts: u32) -> (Ram, Vec<Scratchpad>) {
    let regions: Vec<Range<u64>> =
        board.memory.iter().map(|ram| ram.base..ram.base + ram.size.0).collect();
    let there = |(_, core): &(&takt_model::Scratchpad, u32)| *core < harts;
    let each = || each_of(board).filter(there);
    let mut ram = Ram::of(&regions, each().map(|(pad, _)| pad.size.0).sum());
    for region in board.memory.iter().filter(|region| !region.cached) {
        ram.keep_from_caches(region.base);
    }
    let mut offset = ram.behind();
    let pads = each().map(|(pad, core)| {
        let (size, latency, shared) = (pad.size.0, pad.latency, pad.window.is_some());
        let made = Scratchpad { core, offset, size, latency, shared };
        offset += size;
        made
    });
    let pads = pads.collect();
    (ram, pads)
}

/// About how many bytes [`memory`] makes.
pub fn size(board: &Board, harts: u32) -> u64 {
    let regions = board.memory.iter().map(|region| region.size.0);
    let pads = each_of(board).filter(|(_, core)| *core < harts).map(|(pad, _)| pad.size.0);
    regions.chain(pads).fold(0, u64::saturating_add)
}

fn each_of(board: &Board) -> impl Iterator<Item = (&takt_model::Scratchpad, u32)> {
    board.scratchpads.iter().flat_map(|pad| pad.cores.iter().map(move |core| (pad, *core)))
}

/// The windows to that memory. `pads`: in the order in which [`memory`] made them.
pub fn windows(board: &Board, ram: &Ram, pads: &[Scratchpad]) -> Vec<Window> {
    let regions = ram.regions().iter();
    let mut windows: Vec<Window> = regions
        .zip(&board.memory)
        .flat_map(|(region, memory)| {
            let attributes = if region.cached { Attributes::CACHED } else { Attributes::UNCACHED };
            let (base, size, offset) = (region.base, region.size, region.offset);
            let window = Window::for_all(base, size, Target::Ram, offset, attributes);
            // Whoever the board keeps it from is behind those who have it.
            let first = memory.cores.as_ref().map_or(board.cores, |cores| cores.len() as u32);
            window.without(first..board.cores)
        })
        .collect();
    let described = each_of(board).filter(|(_, core)| pads.iter().any(|pad| pad.core == *core));
    for ((pad, core), number) in described.zip(0..) {
        let (target, size) = (Target::Scratchpad(number), pad.size.0);
        let own = Window::for_all(pad.base, size, target, 0, Attributes::UNCACHED);
        windows.push(Window { initiators: core..core + 1, ..own });
        if let Some(window) = pad.window {
            let base = window.base + window.stride.0 * u64::from(core);
            let attributes = Attributes { posted: true, ..Attributes::UNCACHED };
            windows.push(Window::for_all(base, size, target, 0, attributes));
        }
    }
    windows
}

pub fn words(board: &Board) -> Vec<(AddressRange, Words)> {
    let each = board.registers.iter().map(|register| {
        let size = u64::from(register.count) * REGISTER_BYTES;
        let takes = register.kind == RegisterKind::TestAndSet;
        (
            AddressRange { base: register.base, size },
            Words::new(register.count, takes, register.posted),
        )
    });
    each.collect()
}

/// The RTU of a machine with this many harts, and what leads to each hart.
pub fn rtu(board: &Board, harts: u32) -> Option<Extra> {
    let (figures, timing) = (board.rtu.as_ref()?, board.timing.as_ref()?);
    let clock = Clock { frequency: timing.frequency, timebase: timing.timebase };
    let range = AddressRange { base: figures.base, size: takt_model::Rtu::size(harts) };
    let wires = (0..harts).map(WireEnd::Ssip).collect();
    let device = Box::new(Rtu::new(figures, harts, clock));
    Some(Extra { range, node: figures.node, wires, device })
}

/// The subnets of a machine of which this many harts run a kernel.
pub fn subnets(board: &Board, harts: u32) -> Vec<Subnet> {
    let Subnets { workers, scoreboard, word_registers, block_dma } = &board.subnets;
    let cores = self::cores(board, harts);
    let mut subnets = Vec::new();
    let mut add = |base, size, way, cores, part| {
        subnets.push(Subnet { range: AddressRange { base, size }, cores, way, part });
    };
    if let Some(it) = scoreboard {
        add(it.base, SCOREBOARD_BYTES, it.way, 0..cores, Part::Scoreboard(Scoreboard::new(cores)));
    }
    if let Some(it) = word_registers {
        let size = u64::from(cores) * u64::from(it.count) * REGISTER_BYTES;
        add(it.base, size, it.way, 0..cores, Part::Words(Words::owned(cores, it.count)));
    }
    if let Some(it) = workers {
        let size = u64::from(cores) * WORKER_CONTROL_BYTES;
        let control = WorkerControl::new(it.first..cores);
        add(it.control, size, it.way, 0..harts, Part::Workers(control));
    }
    if let Some(it) = block_dma {
        let pads: Vec<u64> = (0..cores).map(|core| scratchpad_size(board, core)).collect();
        for core in 0..cores {
            let engine = BlockDma::new(core, pads.clone(), it.setup, it.packet.0);
            add(it.base, BLOCK_DMA_BYTES, it.way, core..core + 1, Part::Engine(engine));
        }
    }
    subnets
}

/// The bytes of a core's first scratchpad, which a block's offsets count in; 0 if it has none.
fn scratchpad_size(board: &Board, core: u32) -> u64 {
    each_of(board).find(|(_, owner)| *owner == core).map_or(0, |(pad, _)| pad.size.0)
}
