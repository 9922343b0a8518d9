// SPDX-License-Identifier: Apache-2.0
//! From a board's description to the bytes that its machine has, and to the map of each initiator.

use crate::{
    devices::{
        Words,
        map::Place,
        route::{Attributes, Target, Window},
    },
    memory::{Ram, Scratchpad},
};
use std::ops::Range;
use takt_model::{Board, RegisterKind, board::REGISTER_BYTES};

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
        .map(|region| {
            let attributes = if region.cached { Attributes::CACHED } else { Attributes::UNCACHED };
            Window::for_all(region.base, region.size, Target::Ram, region.offset, attributes)
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

pub fn words(board: &Board) -> Vec<(Place, Words)> {
    let each = board.registers.iter().map(|register| {
        let size = u64::from(register.count) * REGISTER_BYTES;
        let takes = register.kind == RegisterKind::TestAndSet;
        (Place { base: register.base, size }, Words::new(register.count, takes, register.posted))
    });
    each.collect()
}
