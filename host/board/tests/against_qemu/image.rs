// SPDX-License-Identifier: Apache-2.0
//! What lies where in RAM, and an image of it made from a seed.

use std::path::Path;
use std::process::Command;

use fastrand::Rng;

use super::code::Code;
use super::generator::{Flavour, Generator, Mode};
use super::system::{MSTATUS_TSR, MSTATUS_TVM, MSTATUS_TW, USER_ALIAS};
use super::tables::{self, A, D, R, U, V, W, X};
use super::values;

pub const RAM: u64 = 0x8000_0000;
pub const RAM_BYTES: u64 = 64 << 20;

// Each in 2 MiB of its own. The first is the runtime's.
pub const DATA: u64 = RAM + (2 << 20);
pub const JUMPS: u64 = RAM + (4 << 20);
const TABLES: u64 = RAM + (6 << 20);
const OPERANDS: u64 = RAM + (8 << 20);
const BLOCKS: u64 = RAM + (9 << 20);
pub const CODE: u64 = RAM + (10 << 20);
pub const CODE_BYTES: u64 = 6 << 20;
pub const LOG: u64 = RAM + (16 << 20);
/// QEMU's device tree lies behind.
pub const LOG_END: u64 = RAM + (48 << 20);

pub const ROOT: u64 = TABLES;
const LEVEL1_FIXED: u64 = TABLES + 0x1000;
const LEVEL1_USER: u64 = TABLES + 0x2000;
pub const LEVEL1: u64 = TABLES + 0x3000;
pub const LEVEL0_A: u64 = TABLES + 0x4000;
pub const LEVEL0_B: u64 = TABLES + 0x5000;
const SETS: u64 = TABLES + 0x10000;
const SET_COUNT: usize = 64;

pub const FINISHER: u64 = 0x10_0000;
const MTIMECMP: u64 = 0x200_4000;
/// What may be written at s0 - 1024; special values follow.
pub const DATA_BYTES: u64 = 1536;
const SPECIALS: usize = 192;
const OPERAND_BYTES: u64 = 1 << 17;
const BLOCK_BYTES: usize = 256;

pub struct Size {
    pub blocks: usize,
    pub rounds: u64,
    /// The instructions of a block, as written; branches skip some, loops repeat some.
    pub instructions: usize,
}

/// A block as it was made; addresses are those of M-mode.
pub struct Block {
    description: [u64; 17],
    pub start: u64,
    pub end: u64,
    /// Where it could end as well: between items that stand in no branch, loop or call.
    pub cuts: Vec<u64>,
}

pub struct Image {
    pub ram: Vec<u8>,
    pub code: Code,
    pub blocks: Vec<Block>,
}

/// Assembles the runtime; its bytes go to the start of RAM.
pub fn runtime(size: &Size, folder: &Path) -> Vec<u8> {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/against_qemu/runtime.S");
    let (elf, flat) = (folder.join("runtime.elf"), folder.join("runtime.bin"));
    let constants = [
        ("RAM", RAM),
        ("DATA", DATA),
        ("DATA_WORDS", DATA_BYTES / 8),
        ("LOG", LOG),
        ("BLOCKS", BLOCKS),
        ("OPERANDS", OPERANDS),
        ("OPERANDS_MASK", OPERAND_BYTES - 8),
        ("ROOT_ENTRIES", ROOT + 8 * tables::FIRST_ROOT as u64),
        ("LEVEL1", LEVEL1),
        ("LEVEL0_A", LEVEL0_A),
        ("LEVEL0_B", LEVEL0_B),
        ("TABLE_ENTRIES", tables::TABLE_ENTRIES as u64),
        ("FINISHER", FINISHER),
        ("MTIMECMP", MTIMECMP),
        ("ROUNDS", size.rounds),
        ("TRAP_BUDGET", 64),
    ];
    let mut gcc = Command::new("riscv64-unknown-elf-gcc");
    gcc.args(["-march=rv64gc", "-mabi=lp64d", "-nostdlib", "-static", "-Wl,-Ttext=0x80000000"]);
    gcc.args(constants.map(|(name, value)| format!("-D{name}={value:#x}")));
    run(gcc.arg(source).arg("-o").arg(&elf));
    run(Command::new("riscv64-unknown-elf-objcopy").args(["-O", "binary"]).arg(&elf).arg(&flat));
    std::fs::read(&flat).expect("the runtime's bytes")
}

pub fn run(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

impl Image {
    pub fn new(seed: u64, size: &Size, runtime: &[u8]) -> Self {
        let mut rng = Rng::with_seed(seed);
        let mut image =
            Self { ram: vec![0; RAM_BYTES as usize], code: Code::new(), blocks: vec![] };
        image.write(RAM, runtime);
        image.data(&mut rng);
        image.tables(&mut rng);
        for block in 0..size.blocks {
            let made = image.block(&mut rng, size.instructions);
            image.words(BLOCKS + (block * BLOCK_BYTES) as u64, &made.description);
            image.blocks.push(made);
        }
        let code = std::mem::take(&mut image.code.bytes);
        assert!(code.len() < CODE_BYTES as usize, "the blocks do not fit into their place");
        image.write(CODE, &code);
        image
    }

    /// RAM for one block alone, that ends at `cut`. What blocks before it left behind is missing.
    pub fn alone(&self, block: &Block, cut: u64) -> Vec<u8> {
        let mut alone = Self { ram: self.ram.clone(), code: Code::new(), blocks: vec![] };
        let mut description = block.description;
        description[1] = description[1] - block.end + cut;
        alone.words(BLOCKS, &description);
        alone.words(BLOCKS + BLOCK_BYTES as u64, &[0]);
        alone.write(cut, &0x73_u32.to_le_bytes());
        alone.ram
    }

    fn write(&mut self, at: u64, bytes: &[u8]) {
        let at = (at - RAM) as usize;
        self.ram[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn words(&mut self, at: u64, words: &[u64]) {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.write(at, &bytes);
    }

    fn data(&mut self, rng: &mut Rng) {
        let specials: Vec<u64> =
            (0..DATA_BYTES as usize / 8 + SPECIALS).map(|_| values::operand(rng)).collect();
        self.words(DATA, &specials);
        // One set of registers more than can begin there.
        let operands: Vec<u64> =
            (0..OPERAND_BYTES / 8 + 64).map(|_| values::operand(rng)).collect();
        self.words(OPERANDS, &operands);
        // c.jr tp; a page ends with the first half of an addi to x0, whose other half is the next
        // page's.
        let jumps: Vec<u8> = (0..20 * 2048)
            .flat_map(|half| if half % 2048 == 2047 { [0x13, 0] } else { [0x02, 0x82] })
            .collect();
        self.write(JUMPS, &jumps);
    }

    fn tables(&mut self, rng: &mut Rng) {
        for index in 0..RAM_BYTES >> 21 {
            let page = RAM + (index << 21);
            let leaf = tables::entry(page, V | R | W | X | A | D);
            self.words(LEVEL1_FIXED + 8 * index, &[leaf]);
            if page == DATA || (CODE..CODE + CODE_BYTES).contains(&page) {
                self.words(LEVEL1_USER + 8 * index, &[leaf | U]);
            }
        }
        self.words(ROOT + 8 * (RAM >> 30), &[tables::entry(LEVEL1_FIXED, V)]);
        self.words(ROOT + 8 * ((RAM + USER_ALIAS) >> 30), &[tables::entry(LEVEL1_USER, V)]);
        for set in 0..SET_COUNT {
            let entries = tables::set(rng);
            self.words(SETS + (set * tables::SET_ENTRIES * 8) as u64, &entries);
        }
    }

    /// Writes a block's code; its description is as the runtime reads it.
    fn block(&mut self, rng: &mut Rng, instructions: usize) -> Block {
        let mode = rng.choice([Mode::Machine, Mode::Supervisor, Mode::User]).unwrap_or(Mode::User);
        let flavour = if rng.bool() { Flavour::Csrs } else { Flavour::Modes };
        let delegates = rng.u8(0..3) != 0;
        // A supervisor's sret must work where its handler is asked.
        let tsr = !delegates && rng.u8(0..3) == 0;
        let mut rarely = |bit: u64| if rng.u8(0..8) == 0 { bit } else { 0 };
        let traps = if tsr { MSTATUS_TSR } else { 0 } | rarely(MSTATUS_TW) | rarely(MSTATUS_TVM);
        let start = CODE + self.code.here() as u64;
        let [config, address0, address1] = protection(rng);
        let mut generator = Generator::new(rng, &mut self.code, mode, flavour, traps);
        generator.aligned = config != ALL_OPEN;
        let cuts = generator.block(instructions).iter().map(|&cut| CODE + cut as u64).collect();
        let end = CODE + self.code.here() as u64;
        self.code.emit("ecall", 0x73);
        let alias = if mode == Mode::User { USER_ALIAS } else { 0 };
        let set = rng.u64(0..SET_COUNT as u64);
        let translated = mode == Mode::User || rng.u8(0..8) != 0;
        let description = [
            start + alias,
            end + alias,
            mstatus(rng, mode) | traps,
            if delegates { medeleg(rng) } else { 0 },
            if delegates { rng.u64(..) & 0x222 } else { 0 },
            if translated { tables::satp(rng.u64(0..1 << 16)) } else { 0 },
            rng.u64(..) & 0xaaa,
            SETS + set * tables::SET_ENTRIES as u64 * 8,
            rng.u64(0..OPERAND_BYTES / 8) * 8,
            DATA + 1024 + alias,
            DATA + 960 + alias,
            tables::MIDDLE_ROOT << 30,
            rng.u64(0..8) | rng.u64(0..8) << 8,
            rng.u64(0..5),
            config,
            address0,
            address1,
        ];
        Block { description, start, end, cuts }
    }
}

/// All but S-mode's environment call, by which blocks end. Both access faults go the same way,
/// since QEMU mistakes one for the other.
fn medeleg(rng: &mut Rng) -> u64 {
    let any = rng.u64(..) & 0xb1ff;
    any & !(1 << 7) | (any >> 5 & 1) << 7
}

/// `pmpcfg0` whose entry 2 opens all that entries 0 and 1 leave.
const ALL_OPEN: u64 = 0x1f << 16;

/// `pmpcfg0` and the first two addresses: a region of what the random tables lead to, or none, is
/// taken away in whole or in part.
fn protection(rng: &mut Rng) -> [u64; 3] {
    const TOP_OF_RANGE: u64 = 1 << 3;
    const NATURAL: u64 = 3 << 3;
    // The first page of data is what every block works on.
    let page = 0x1000 * rng.u64(1..tables::PAGES);
    let permissions = [0, 1, 3, 4, 5, 7][rng.usize(0..6)];
    let natural = |at: u64, size: u64| (at & !(size - 1) | (size / 2 - 1)) >> 2;
    let (mode, from, to) = match rng.u8(0..6) {
        0 => (NATURAL << 8, 0, natural(DATA + page, 0x1000)),
        1 => (NATURAL << 8, 0, natural(DATA + page, 8 << rng.u32(0..10))),
        2 => (NATURAL << 8, 0, natural(JUMPS + page, 0x2000)),
        3 => {
            let from = DATA + 0x1000 + 4 * rng.u64(0..0x800);
            (TOP_OF_RANGE << 8, from >> 2, (from >> 2) + rng.u64(0..0x800))
        }
        // A table of pages cannot be read: an access fault of what needed it.
        4 => return [ALL_OPEN | NATURAL << 8, 0, natural(LEVEL0_B, 0x1000)],
        _ => (0, 0, 0),
    };
    let permissions = if mode == 0 { 0 } else { permissions };
    [ALL_OPEN | mode | permissions << 8, from, to]
}

fn mstatus(rng: &mut Rng, mode: Mode) -> u64 {
    let fs = if rng.u8(0..24) == 0 { 0 } else { rng.u64(1..4) };
    // SIE, SPIE, MPIE, SPP, SUM, MXR
    let any = rng.u64(..) & 0x000c_01a2;
    let mut rarely = |bit: u64| if rng.u8(0..8) == 0 { bit } else { 0 };
    let mprv = if mode == Mode::Machine { rarely(1 << 17) } else { 0 };
    any | mprv | fs << 13 | (mode as u64) << 11
}
