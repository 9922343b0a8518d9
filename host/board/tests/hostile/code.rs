// SPDX-License-Identifier: Apache-2.0
//! Random bytes as programs: on several harts, in each mode, from random states, over random page tables, the machine
//! runs on; both orders of the timed machine agree, and a snapshot goes on.

use super::boards::{random_board, random_clusters, random_kinds};
use super::program::{compile, fingerprint, functional, tell_difference};
use super::seeds;
use fastrand::Rng;
use takt_board::engine::{End, Machine, Mode, Order, Unit};
use takt_board::isa::Privilege;

const CODE: u64 = 0x8010_0000;
const CODE_BYTES: u64 = 8 << 10;
/// Page tables, and data that programs find.
const TABLES: u64 = 0x8012_0000;
const TABLE_BYTES: u64 = 16 << 10;
const CYCLES: u64 = 15_000;

/// Addresses at which something is, and some at which nothing is.
fn address(random: &mut Rng) -> u64 {
    let places = [
        (CODE, CODE_BYTES),
        (TABLES, TABLE_BYTES),
        (0x8000_0000, 0x4000_0000),
        (0xbfff_ff00, 0x200),
        (0x1000, 0x100),
        (0x10_0000, 0x10),
        (0x200_0000, 0xc000),
        (0x2f0_0000, 0x4000),
        (0xc00_0000, 0x60_0000),
        (0x1000_0000, 0x10),
        (0x1020_0000, 0x30),
        (0, u64::MAX),
        (0xffff_ffff_ffff_f000, 0x1000),
    ];
    let weights: [u32; 13] = [6, 6, 3, 1, 1, 0, 3, 1, 2, 2, 3, 1, 1];
    let mut at = random.u32(..weights.iter().sum::<u32>());
    let chosen = weights.iter().position(|weight| {
        let here = at < *weight;
        at = at.wrapping_sub(*weight);
        here
    });
    let (start, size) = places[chosen.expect("the weights have a sum")];
    let address = start.wrapping_add(random.u64(..size));
    if random.u8(..4) == 0 { address } else { address & !7 }
}

const CSRS: [u32; 46] = [
    0x001, 0x002, 0x003, 0x100, 0x104, 0x105, 0x106, 0x10a, 0x140, 0x141, 0x142, 0x143, 0x144,
    0x14d, 0x180, 0xda0, 0x300, 0x301, 0x302, 0x303, 0x304, 0x305, 0x306, 0x30a, 0x320, 0x323,
    0x324, 0x340, 0x341, 0x342, 0x343, 0x344, 0x3a0, 0x3a2, 0x3b0, 0x3b1, 0x3b7, 0x723, 0xb00,
    0xb02, 0xb03, 0xc00, 0xc01, 0xc02, 0xc03, 0xf14,
];

fn instruction(random: &mut Rng) -> u32 {
    let word = random.u32(..);
    let with_opcode = |opcode: u32| (word & !0x7f) | opcode;
    match random.u8(..16) {
        0 | 1 => with_opcode(0x03),
        2 | 3 => with_opcode(0x23),
        4 => with_opcode(0x33),
        5 => with_opcode(0x13),
        // Jumps and branches that stay near.
        6 => (with_opcode(0x63) & 0x01ff_ffff) | ((word & 0x8000_0000) * (word >> 24 & 1)),
        // Atomics, of words and doublewords, with each of their operations.
        7 | 8 => {
            let operation = *random.choice([0, 1, 2, 3, 4, 8, 12, 16, 28].iter()).expect("one");
            operation << 27 | word & 0x07ff_8f80 | u32::from(random.bool()) << 12 | 0x2000 | 0x2f
        }
        9 => {
            let csr = *random.choice(CSRS.iter()).expect("a CSR");
            csr << 20 | word & 0xf_ff80 | 0x73
        }
        10 => with_opcode(*random.choice([0x07, 0x27, 0x43, 0x53].iter()).expect("one")),
        11 => *random
            .choice(
                [
                    0x1020_0073,
                    0x3020_0073,
                    0x1050_0073,
                    0x1200_0073,
                    0x0000_100f,
                    0x0ff0_000f,
                    0x0110_000f,
                    0x0000_0073,
                    0x0010_0073,
                    0x0100_000f,
                    0x0005_200f,
                    0x0015_200f,
                ]
                .iter(),
            )
            .expect("one"),
        _ => word,
    }
}

/// A word of a page table, which often leads on.
fn entry(random: &mut Rng) -> u64 {
    let to = *random.choice([TABLES, CODE, 0x8000_0000, 0x1000_0000].iter()).expect("one");
    let flags = if random.bool() { 0xcf } else { random.u64(..0x400) };
    match random.u8(..8) {
        0 => random.u64(..),
        // A leaf of each size is aligned.
        1..4 => (to >> 2) & !0x7ff_ffff | flags,
        4 => ((TABLES + random.u64(..4) * 4096) >> 2) | 1,
        _ => ((to + random.u64(..4) * 4096) >> 2) | flags,
    }
}

fn hostile_hart(random: &mut Rng, unit: &mut Unit) {
    let hart = &mut unit.hart;
    for register in 1..32 {
        hart.x[register] = if random.u8(..4) == 0 { random.u64(..) } else { address(random) };
        hart.f[register] = random.u64(..);
    }
    let code = |random: &mut Rng| (CODE + random.u64(..CODE_BYTES)) & !3;
    (hart.pc, hart.mtvec, hart.stvec) =
        (code(random), code(random), code(random) | random.u64(..2));
    (hart.mepc, hart.sepc) = (code(random), code(random));
    hart.satp = if random.bool() { 8 << 60 | TABLES >> 12 } else { 0 };
    (hart.medeleg, hart.mideleg) = (random.u64(..) & 0xb3ff, random.u64(..) & 0x2222);
    hart.mie = random.u64(..) & 0x2aaa;
    hart.mstatus = random.u64(..) & 0x7e_79aa;
    if hart.mstatus >> 11 & 3 == 2 {
        hart.mstatus ^= 2 << 11;
    }
    (hart.mcounteren, hart.scounteren) = (random.u32(..), random.u32(..));
    hart.menvcfg = random.u64(..) & (1 << 63 | 0xf1);
    hart.privilege = *random
        .choice([Privilege::User, Privilege::Supervisor, Privilege::Machine].iter())
        .expect("one");
}

fn hostile_machine(random: &mut Rng, start: &Machine) -> Machine {
    let mut machine = start.clone();
    let ram = &mut machine.world.fabric.ram;
    let mut fill = |at: u64, bytes: &[u8]| {
        let offset = ram.offset(at, bytes.len() as u64).expect("RAM is there");
        ram.slice_mut(offset, bytes.len() as u64).copy_from_slice(bytes);
    };
    let code: Vec<u8> =
        (0..CODE_BYTES / 4).flat_map(|_| instruction(random).to_le_bytes()).collect();
    fill(CODE, &code);
    let tables: Vec<u8> = (0..TABLE_BYTES / 8).flat_map(|_| entry(random).to_le_bytes()).collect();
    fill(TABLES, &tables);
    for unit in &mut machine.units {
        hostile_hart(random, unit);
    }
    machine
}

fn look(machine: &Machine) -> (u64, Vec<(u64, Vec<u8>)>) {
    let pages = machine.world.fabric.ram.pages().map(|(at, page)| (at, page.to_vec()));
    (fingerprint(machine), pages.collect())
}

/// Runs it in pieces, once through a file; answers what is there at the end.
fn run(mut machine: Machine, order: Order, at: u64) -> (End, Machine) {
    machine.order = order;
    let end = machine.now + CYCLES;
    let first = machine.run(machine.now + at);
    if first != End::Until {
        return (first, machine);
    }
    let mut machine = machine.restore(&machine.save()).expect("the snapshot is good");
    (machine.run(end), machine)
}

#[test]
fn any_bytes_can_be_executed() {
    let program = compile("locks.c", &["-DROUNDS=1"]);
    let mut done = 0;
    let seeds = seeds(0..400);
    let count = seeds.end - seeds.start;
    for seed in seeds {
        println!("seed {seed}");
        let mut random = Rng::with_seed(seed);
        let harts = random.u32(1..4);
        let make = [random_board, random_board, random_kinds, random_clusters][seed as usize % 4];
        let board = make(&mut random, harts);
        let (start, _) = functional(&board, harts, &program);
        let mut machine = hostile_machine(&mut random, &start);
        machine.set_seed(seed, random.u64(0..3));
        let at = random.u64(1..CYCLES);
        match random.u8(..6) {
            0 => machine.mode = Mode::Functional,
            1 => machine.mode = Mode::Warming,
            _ => machine.begin_timing(|hart| u64::from(hart) * 7),
        }
        let (end, ahead) = run(machine.clone(), Order::Ahead, at);
        if machine.mode == Mode::Timed {
            let (same, strict) = run(machine.clone(), Order::Strict, at);
            if fingerprint(&ahead) != fingerprint(&strict) {
                tell_difference(&machine, CYCLES);
            }
            assert_eq!(end, same, "seed {seed}");
            assert_eq!(look(&ahead), look(&strict), "seed {seed}");
        }
        done += ahead.instructions();
    }
    println!("{} instructions each", done / count);
    assert!(done / count > 1_000, "{done} instructions in {count} runs are few");
}
