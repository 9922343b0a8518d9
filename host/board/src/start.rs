// SPDX-License-Identifier: Apache-2.0
//! From a board's description and a program to a machine whose harts stand at the reset vector.

use crate::{
    addresses,
    boot::{self, Boot, BootError, Firmware, Symbol, Tree},
    devices::{
        Extra, Htif, Input, Platform, PlatformSetup, SetupError, WireEnd, map,
        route::{RouteError, Routes},
    },
    engine::Machine,
    memory::Ram,
};
use std::{ops::Range, path::Path};
use takt_model::{Board, Bytes};

/// Bit i: `mhpmcounter` i can count.
const COUNTERS: u32 = 0xffff_fff8;

pub struct Setup<'a> {
    pub board: &'a Board,
    /// How many of the board's harts there are.
    pub harts: u32,
    pub program: &'a Path,
    pub firmware: Firmware<'a>,
    pub initrd: Option<&'a Path>,
    /// The boot arguments.
    pub arguments: &'a str,
    /// What arrives at the console's UART; the host-target interface has all of it from the start.
    pub input: Vec<Input>,
    /// Devices beside the platform's own.
    pub devices: Vec<Extra>,
}

/// A machine before its first instruction, and what its program says of itself.
pub struct Started {
    pub machine: Machine,
    pub symbols: Vec<Symbol>,
    pub entry: u64,
    pub signature: Option<Range<u64>>,
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("the board `{0}` has no timing: it is no modelled machine")]
    NoTiming(String),
    #[error("the board `{board}` has {has} harts, not {wanted}")]
    Harts { board: String, has: u32, wanted: u32 },
    #[error("the board `{board}` has {size} of memory, more than this host can give")]
    TooMuchMemory { board: String, size: Bytes },
    #[error(transparent)]
    Boot(#[from] BootError),
    #[error(transparent)]
    Platform(#[from] SetupError),
    #[error("there is no interrupt source {0} for a device: those are 1 to {max}", max = map::PLIC_SOURCES)]
    NoSource(u32),
    #[error("two devices would have the interrupt source {0}")]
    TakenSource(u32),
    #[error(transparent)]
    Route(#[from] RouteError),
}

pub fn start(setup: Setup) -> Result<Started, StartError> {
    let board = setup.board;
    let no_timing = || StartError::NoTiming(board.name.clone());
    let timing = board.timing.as_ref().ok_or_else(no_timing)?;
    if setup.harts == 0 || setup.harts > board.kernel_cores() {
        let (board, has) = (board.name.clone(), board.kernel_cores());
        return Err(StartError::Harts { board, has, wanted: setup.harts });
    }
    let cores = addresses::cores(board, setup.harts);
    let size = addresses::size(board, cores);
    if !Ram::fits(size) {
        return Err(StartError::TooMuchMemory { board: board.name.clone(), size: Bytes(size) });
    }
    let ids: Vec<u64> = board.hart_ids.iter().copied().take(setup.harts as usize).collect();
    // Programs are loaded into cached RAM only, and are told of no other.
    let cached = board.memory.iter().filter(|ram| ram.cached);
    let memory: Vec<Range<u64>> = cached.map(|ram| ram.base..ram.base + ram.size.0).collect();
    let tree = Tree {
        compatible: board.compatible.clone(),
        model: format!("polytakt,{}", board.name),
        hart_ids: ids.clone(),
        timebase: timing.timebase,
        memory: memory.clone(),
        arguments: setup.arguments.to_string(),
        initrd: None,
        counters: COUNTERS,
        rtu: addresses::rtu(board, setup.harts).map(|rtu| rtu.range),
    };
    let Setup { program, firmware, initrd, .. } = setup;
    let loaded = boot::boot(&Boot { program, firmware, initrd, tree })?;

    let typed: Vec<u8> = setup.input.iter().flat_map(|input| input.bytes.clone()).collect();
    let mut platform = Platform::new(&PlatformSetup {
        hart_ids: ids.clone(),
        frequency: timing.frequency,
        timebase: timing.timebase,
        input: setup.input,
        words: addresses::words(board),
        others: cores - setup.harts,
        subnets: addresses::subnets(board, setup.harts),
    })?;
    check_sources(&setup.devices)?;
    // A device at the RTU's address takes the place of the model.
    let replaced = |rtu: &Extra| setup.devices.iter().any(|it| it.range.base == rtu.range.base);
    let rtu = addresses::rtu(board, setup.harts).filter(|rtu| !replaced(rtu));
    for device in rtu.into_iter().chain(setup.devices) {
        platform.add(device).expect("a new machine's devices are not restored");
    }
    let (mut ram, pads) = addresses::memory(board, cores);
    let mut windows = platform.windows();
    windows.extend(addresses::windows(board, &ram, &pads));
    let routes = Routes::new(windows)?;
    for piece in &loaded.pieces {
        let count = piece.bytes.len() as u64;
        if let Some(offset) = ram.offset(piece.address, count) {
            ram.slice_mut(offset, count).copy_from_slice(&piece.bytes);
        }
    }
    let all: Vec<u64> = board.hart_ids.iter().copied().take(cores as usize).collect();
    let mut machine = Machine::new(timing, ram, loaded.rom, platform, routes, pads, &all);
    machine.world.io.htif =
        loaded.tohost.map(|tohost| Htif { tohost, fromhost: loaded.fromhost, input: typed.into() });
    Ok(Started {
        machine,
        symbols: loaded.symbols,
        entry: loaded.entry,
        signature: loaded.signature,
    })
}

/// Each wire to the PLIC has a source of its own, which no device of the platform has.
fn check_sources(devices: &[Extra]) -> Result<(), StartError> {
    let mut taken = vec![map::UART_SOURCE, map::DMA_SOURCE];
    taken.extend(1..=map::VIRTIO_SLOTS);
    let wires = devices.iter().flat_map(|device| &device.wires);
    let sources = wires.filter_map(|end| match end {
        WireEnd::Source(source) => Some(source),
        WireEnd::Ssip(_) => None,
    });
    for source in sources {
        if !(1..=map::PLIC_SOURCES).contains(source) {
            return Err(StartError::NoSource(*source));
        }
        if taken.contains(source) {
            return Err(StartError::TakenSource(*source));
        }
        taken.push(*source);
    }
    Ok(())
}
