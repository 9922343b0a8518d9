// SPDX-License-Identifier: Apache-2.0
//! Puts everything in its place: firmware at the start of RAM, the program where it says, the
//! initial RAM disk and the device tree where QEMU has them, and a ROM that jumps to the first.

use std::ops::Range;
use std::path::Path;

use thiserror::Error;

use super::load::{self, LoadError, Program, Symbol, in_ram, is_elf, read_file};
use super::{Piece, Tree};
use crate::devices::map;

/// Where Debian's package `opensbi` has it.
pub const OPENSBI: &str = "/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin";

/// From the start of RAM, of a raw binary behind a firmware.
const RAW_OFFSET: u64 = 2 << 20;
/// What OpenSBI 1.1 needs behind its file, as its banner's `Firmware Size` tells: 288 KiB with one
/// hart, 1,304 KiB with 128.
const FIRMWARE_DATA: u64 = 168 << 10;
const FIRMWARE_STACK: u64 = 8 << 10;
const TREE_ALIGNMENT: u64 = 2 << 20;
/// A tree is put below this, so that programs of 32 bits reach it.
const TREE_CEILING: u64 = 3 << 30;
const INITRD_DISTANCE_MAX: u64 = 128 << 20;
const PAGE: u64 = 4096;

/// `struct fw_dynamic_info` of OpenSBI.
const INFO_MAGIC: u64 = 0x4942_534f;
const INFO_VERSION: u64 = 2;
const INFO_MODE_SUPERVISOR: u64 = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Firmware<'a> {
    /// OpenSBI's `fw_dynamic`, or one that is started like it; the program runs in S-mode.
    Dynamic(&'a Path),
    /// The program starts in M-mode, on all harts at once.
    None,
}

/// What is to be booted.
#[derive(Clone, Debug)]
pub struct Boot<'a> {
    pub program: &'a Path,
    pub firmware: Firmware<'a>,
    pub initrd: Option<&'a Path>,
    /// Its `initrd` is set here. Everything goes into the first of its memories, but what a program
    /// places itself.
    pub tree: Tree,
}

/// What stands in memory when the harts start at the ROM.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// They do not overlap; RAM is zero elsewhere.
    pub pieces: Vec<Piece>,
    pub rom: Vec<u8>,
    /// The program's symbols, by (virtual) address.
    pub symbols: Vec<Symbol>,
    /// Physical addresses.
    pub entry: u64,
    pub tree: u64,
    pub tohost: Option<u64>,
    pub fromhost: Option<u64>,
    pub signature: Option<Range<u64>>,
}

#[derive(Debug, Error)]
pub enum BootError {
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error("the board has no memory to boot from")]
    NoMemory,
    #[error("the board has no harts")]
    NoHarts,
    #[error("{file} is an ELF file; a firmware is a raw binary, as OpenSBI's fw_dynamic.bin")]
    FirmwareElf { file: String },
    #[error("cannot write the device tree: {0}; look at the board's names and boot arguments")]
    Tree(vm_fdt::Error),
    #[error(
        "no room for {what}: its {size} bytes would begin at {address:#x}, and RAM is {:#x} to {:#x}; \
         give the board more memory",
        .ram.start, .ram.end
    )]
    NoRoom { what: String, size: u64, address: u64, ram: Range<u64> },
    #[error(
        "{first} ({:#x} to {:#x}) runs into {second} ({:#x} to {:#x}); \
         link the program elsewhere or give the board more memory",
        .first_range.start, .first_range.end, .second_range.start, .second_range.end
    )]
    Overlap { first: String, first_range: Range<u64>, second: String, second_range: Range<u64> },
}

/// Lays everything out.
pub fn boot(setup: &Boot) -> Result<Loaded, BootError> {
    let memory = &setup.tree.memory;
    let ram = memory.first().filter(|ram| !ram.is_empty()).cloned().ok_or(BootError::NoMemory)?;
    let mut layout = Layout { memory, ram: ram.clone(), pieces: Vec::new(), taken: Vec::new() };
    let raw = match setup.firmware {
        Firmware::Dynamic(_) => ram.start.saturating_add(RAW_OFFSET),
        Firmware::None => ram.start,
    };
    let program = load::read(setup.program, memory, raw)?;
    if let Firmware::Dynamic(path) = setup.firmware {
        layout.firmware(path, setup.tree.hart_ids.len() as u64)?;
    }
    layout.program(setup.program, &program)?;
    let mut tree = setup.tree.clone();
    if let Some(path) = setup.initrd {
        tree.initrd = Some(layout.initrd(path, &program)?);
    }
    let tree_at = layout.tree(tree.write().map_err(BootError::Tree)?)?;

    let Program { entry, symbols, tohost, fromhost, signature, .. } = program;
    let rom = match setup.firmware {
        Firmware::Dynamic(_) => {
            let boot_hart = *setup.tree.hart_ids.first().ok_or(BootError::NoHarts)?;
            reset_vector(ram.start, tree_at, Some(Next { entry, boot_hart }))
        }
        Firmware::None => reset_vector(entry, tree_at, None),
    };
    let pieces = layout.pieces;
    Ok(Loaded { pieces, rom, symbols, entry, tree: tree_at, tohost, fromhost, signature })
}

/// What lies where; nothing may lie where something else does.
struct Layout<'a> {
    memory: &'a [Range<u64>],
    /// The first of them.
    ram: Range<u64>,
    pieces: Vec<Piece>,
    taken: Vec<(String, Range<u64>)>,
}

impl Layout<'_> {
    /// At the start of RAM. What lies in its data behind it would be overwritten, and what lies in
    /// the range that it closes to S-mode, a power of two, could not be read.
    fn firmware(&mut self, path: &Path, harts: u64) -> Result<(), BootError> {
        let (what, bytes) = (path.display().to_string(), read_file(path)?);
        if is_elf(&bytes) {
            return Err(BootError::FirmwareElf { file: what });
        }
        let needs = bytes.len() as u64 + FIRMWARE_DATA + FIRMWARE_STACK * harts;
        let (start, size) = (self.ram.start, needs.next_power_of_two());
        let range = in_ram(&what, "the firmware with its data", start, size, self.memory)?;
        self.take(&what, range)?;
        self.pieces.push(Piece { address: start, bytes });
        Ok(())
    }

    fn program(&mut self, path: &Path, program: &Program) -> Result<(), BootError> {
        self.pieces.extend(program.pieces.iter().cloned());
        let what = path.display().to_string();
        program.occupied.iter().try_for_each(|range| self.take(&what, range.clone()))
    }

    /// Behind the program, as far as QEMU has it.
    fn initrd(&mut self, path: &Path, program: &Program) -> Result<Range<u64>, BootError> {
        let first = program.occupied.iter().map(|range| range.start).min();
        let end = program.occupied.iter().map(|range| range.end).max();
        let distance = INITRD_DISTANCE_MAX.min((self.ram.end - self.ram.start) / 2);
        let start = first.unwrap_or(self.ram.start).saturating_add(distance);
        let start = start.max(end.unwrap_or(start));
        let start = start.checked_next_multiple_of(PAGE).unwrap_or(u64::MAX);
        self.add(&path.display().to_string(), start, read_file(path)?)
    }

    /// At the end of RAM.
    fn tree(&mut self, blob: Vec<u8>) -> Result<u64, BootError> {
        let Range { start, end } = self.ram;
        let ceiling = if start < TREE_CEILING { end.min(TREE_CEILING) } else { end };
        let below = ceiling.saturating_sub(blob.len() as u64);
        let address = below - below % TREE_ALIGNMENT;
        self.add("the device tree", address, blob)?;
        Ok(address)
    }

    fn add(&mut self, what: &str, address: u64, bytes: Vec<u8>) -> Result<Range<u64>, BootError> {
        let size = bytes.len() as u64;
        let Ok(range) = in_ram(what, "", address, size, self.memory) else {
            let (what, ram) = (what.to_string(), self.ram.clone());
            return Err(BootError::NoRoom { what, size, address, ram });
        };
        self.take(what, range.clone())?;
        self.pieces.push(Piece { address, bytes });
        Ok(range)
    }

    fn take(&mut self, what: &str, range: Range<u64>) -> Result<(), BootError> {
        let overlaps =
            |(_, other): &&(String, Range<u64>)| range.start < other.end && other.start < range.end;
        if let Some((first, first_range)) = self.taken.iter().find(overlaps).cloned() {
            let second = what.to_string();
            return Err(BootError::Overlap { first, first_range, second, second_range: range });
        }
        self.taken.push((what.to_string(), range));
        Ok(())
    }
}

/// What the firmware is told to start, and on which hart.
struct Next {
    entry: u64,
    boot_hart: u64,
}

/// The ROM: a0 is the hart's number, a1 the device tree, a2 what the firmware reads of the next
/// stage (0 without a firmware); then to `start`.
fn reset_vector(start: u64, tree: u64, next: Option<Next>) -> Vec<u8> {
    const CODE: u64 = 24;
    const DATA: [u64; 3] = [CODE, CODE + 8, CODE + 16];
    let code: [u32; 6] = [
        0x0000_0297,                          // auipc t0, 0
        0xf140_2573,                          // csrr  a0, mhartid
        0x0002_b583 | (DATA[1] as u32) << 20, // ld    a1, tree(t0)
        0x0002_b603 | (DATA[2] as u32) << 20, // ld    a2, info address(t0)
        0x0002_b283 | (DATA[0] as u32) << 20, // ld    t0, start(t0)
        0x0002_8067,                          // jr    t0
    ];
    let info_at = map::ROM.base + CODE + 24;
    let mut words = vec![start, tree, if next.is_some() { info_at } else { 0 }];
    if let Some(Next { entry, boot_hart }) = next {
        let options = 0;
        let mode = INFO_MODE_SUPERVISOR;
        words.extend([INFO_MAGIC, INFO_VERSION, entry, mode, options, boot_hart]);
    }
    let code = code.iter().flat_map(|word| word.to_le_bytes());
    code.chain(words.iter().flat_map(|word| word.to_le_bytes())).collect()
}
