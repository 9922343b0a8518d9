// SPDX-License-Identifier: Apache-2.0
//! Random programs. Each instruction's effect on time is random; where control goes and what addresses
//! are does not depend on time, so a functional run gives the same instructions.

use super::{
    encode::*,
    layout::{HALF, Layout, MARKS, TOHOST},
};
use fastrand::Rng;

// Registers: x8, x9 and x16 to x23 are addresses, x5 to x7 and x10 to x15 data, and:
const ROUNDS: u32 = 24;
const TIMES: u32 = 25;
const OUT: u32 = 29;
const MARK: u32 = 30;
const SCRATCH: u32 = 31;
const CYCLE: u32 = 0xc00;
const ADDRESSES: [u32; 10] = [8, 9, 16, 17, 18, 19, 20, 21, 22, 23];
const VALUES: [u32; 9] = [5, 6, 7, 10, 11, 12, 13, 14, 15];

/// An instruction of the length that its low bits say.
pub type Code = Vec<u32>;

pub fn length(word: u32) -> u64 {
    if word & 3 == 3 { 4 } else { 2 }
}

fn bytes(code: &[u32]) -> u64 {
    code.iter().map(|word| length(*word)).sum()
}

/// Code at its virtual addresses.
pub struct Program {
    pub entry: u64,
    pub words: Vec<(u64, u32)>,
    pub registers: [u64; 32],
}

/// What a trap from S-mode or M-mode meets: goes on behind the `ecall`.
pub fn handler() -> Code {
    let mepc = 0x341;
    vec![
        csrr(SCRATCH, mepc),
        addi(SCRATCH, SCRATCH, 4),
        mepc << 20 | SCRATCH << 15 | 0x1073,
        0x3020_0073,
    ]
}

pub fn program(rng: &mut Rng, layout: &Layout) -> Program {
    let mut registers = [0; 32];
    let span = *rng.choice(&[256, 4096, 65536, 1 << 20]).unwrap();
    for address in ADDRESSES {
        let half = if rng.bool() { 0 } else { HALF };
        let at = if half == 0 { 4 << 20 } else { 3 << 20 };
        registers[address as usize] = layout.data() + half + at + (rng.u64(0..span) & !7);
    }
    VALUES.iter().for_each(|value| registers[*value as usize] = rng.u64(..));
    registers[ROUNDS as usize] = rng.u64(1..=3);
    registers[MARK as usize] = layout.data() + MARKS;
    registers[OUT as usize] = layout.data() + TOHOST;

    let maker =
        Maker { memory: rng.u32(1..=8), rare: rng.u32(0..=2), stride: span.min(2048) as i32 };
    let bodies: Vec<Code> = (0..rng.usize(2..=8)).map(|_| maker.block(rng)).collect();
    let far = rng.bool();
    let mut starts = vec![0; bodies.len()];
    let mut at = layout.code() + rng.u64(0..32) * 2;
    let mut order: Vec<usize> = (0..bodies.len()).collect();
    rng.shuffle(&mut order);
    for block in order {
        starts[block] = at;
        at += bytes(&bodies[block]) + 4 + 2 * rng.u64(0..if far { 4096 } else { 16 });
    }
    let end = at + 64 - at % 64;
    let mut words = Vec::new();
    for (block, body) in bodies.iter().enumerate() {
        let mut pc = starts[block];
        for word in body {
            words.push((pc, *word));
            pc += length(*word);
        }
        let next = starts.get(block + 1).copied().unwrap_or(end);
        words.push((pc, jal(0, next as i64 - pc as i64)));
    }
    // Another round, or the end.
    words.push((end, addi(ROUNDS, ROUNDS, -1)));
    words.push((end + 4, b(0, ROUNDS, 0, 8)));
    words.push((end + 8, jal(0, starts[0] as i64 - (end + 8) as i64)));
    let mut pc = end + 12;
    let mut last = vec![fence(3, 3)];
    last.extend(mark());
    last.extend([
        fence(3, 3),
        addi(SCRATCH, 0, 1),
        s(0x23, 3, OUT, SCRATCH, 0),
        fence(3, 3),
        jal(0, 0),
    ]);
    for word in last {
        words.push((pc, word));
        pc += length(word);
    }
    Program { entry: starts[0], words, registers }
}

fn mark() -> Code {
    vec![csrr(SCRATCH, CYCLE), s(0x23, 3, MARK, SCRATCH, 0), addi(MARK, MARK, 8)]
}

struct Maker {
    /// How many of ten instructions are loads and stores, about.
    memory: u32,
    /// How frequent what is rare is.
    rare: u32,
    stride: i32,
}

fn one<const N: usize>(rng: &mut Rng, of: [u32; N]) -> u32 {
    of[rng.usize(0..N)]
}

impl Maker {
    fn block(&self, rng: &mut Rng) -> Code {
        let mut code = Vec::new();
        for _ in 0..rng.u32(1..=4) {
            match rng.u32(0..4) {
                0 => code.extend(self.looped(rng)),
                1 => code.extend(self.stream(rng)),
                _ => code.extend(self.straight(rng, 12)),
            }
            code.extend(mark());
        }
        code
    }

    fn straight(&self, rng: &mut Rng, most: u32) -> Code {
        (0..rng.u32(1..=most)).flat_map(|_| self.some(rng)).collect()
    }

    fn looped(&self, rng: &mut Rng) -> Code {
        let mut code = vec![addi(TIMES, 0, rng.i32(1..=6))];
        let mut body = self.straight(rng, 10);
        body.push(addi(TIMES, TIMES, -1));
        let back = bytes(&body) as i64;
        code.extend(body);
        code.push(b(1, TIMES, 0, -back));
        code
    }

    /// Lines one after the other.
    fn stream(&self, rng: &mut Rng) -> Code {
        let base = one(rng, ADDRESSES);
        let mut code = vec![addi(TIMES, 0, rng.i32(2..=24))];
        let access = match rng.u32(0..4) {
            0 => s(0x23, 3, base, one(rng, VALUES), 0),
            _ => i(0x03, 3, one(rng, VALUES), base, 0),
        };
        let mut body = vec![access, addi(base, base, *rng.choice(&[64, 64, 64, 8, -64]).unwrap())];
        if rng.u32(0..3) == 0 {
            body.extend(self.some(rng));
        }
        body.push(addi(TIMES, TIMES, -1));
        let back = bytes(&body) as i64;
        code.extend(body);
        code.push(b(1, TIMES, 0, -back));
        code
    }

    fn some(&self, rng: &mut Rng) -> Code {
        if rng.u32(0..40) < self.rare {
            return self.rarity(rng);
        }
        if rng.u32(0..10) < self.memory {
            return self.access(rng);
        }
        match rng.u32(0..8) {
            0 => vec![float(rng)],
            1 => vec![r(
                0x33,
                rng.u32(0..8),
                1,
                one(rng, VALUES),
                one(rng, VALUES),
                one(rng, VALUES),
            )],
            2 => vec![c_addi(one(rng, VALUES), rng.i32(1..=31))],
            3 => vec![c_mv(one(rng, VALUES), one(rng, VALUES))],
            4 => vec![c_add(one(rng, VALUES), one(rng, VALUES))],
            5 => self.branch(rng),
            6 => vec![addi(one(rng, VALUES), one(rng, VALUES), rng.i32(-99..=99))],
            _ => vec![r(0x33, 4, 0, one(rng, VALUES), one(rng, VALUES), one(rng, VALUES))],
        }
    }

    /// Over some instructions, or not.
    fn branch(&self, rng: &mut Rng) -> Code {
        let over: Code = (0..rng.u32(1..=3)).map(|_| c_addi(one(rng, VALUES), 1)).collect();
        let distance = 4 + bytes(&over) as i64;
        let f3 = one(rng, [0, 1, 4, 5, 6, 7]);
        let mut code = vec![b(f3, one(rng, VALUES), one(rng, VALUES), distance)];
        code.extend(over);
        code
    }

    fn access(&self, rng: &mut Rng) -> Code {
        let base = one(rng, ADDRESSES);
        let size = rng.u32(0..4);
        let mut offset = rng.i32(-self.stride..self.stride).clamp(-2048, 2047);
        if rng.u32(0..6) > 0 {
            offset &= -1 << size;
        }
        let mut code = match rng.u32(0..9) {
            0..=2 => vec![i(
                0x03,
                size + 4 * rng.u32(0..=u32::from(size < 3)),
                one(rng, VALUES),
                base,
                offset,
            )],
            3..=4 => vec![s(0x23, size, base, one(rng, VALUES), offset)],
            5 => vec![i(0x07, one(rng, [2, 3]), rng.u32(0..4), base, offset)],
            6 => vec![s(0x27, one(rng, [2, 3]), base, rng.u32(0..4), offset)],
            7 => vec![c_memory(
                one(rng, [1, 2, 3, 5, 6, 7]),
                one(rng, [8, 9]),
                rng.u32(10..16),
                rng.u32(..),
            )],
            _ => vec![addi(base, base, rng.i32(-64..=64) * 8)],
        };
        if rng.bool() {
            // Often what was loaded is read at once.
            let value = code[0] >> 7 & 31;
            let value = if VALUES.contains(&value) { value } else { 10 };
            code.push(if rng.bool() { c_add(7, value) } else { addi(6, value, 3) });
        }
        code
    }

    fn rarity(&self, rng: &mut Rng) -> Code {
        let base = one(rng, ADDRESSES);
        let (value, other) = (one(rng, VALUES), one(rng, VALUES));
        let width = one(rng, [2, 3]);
        let aligned = i(0x13, 7, SCRATCH, base, -8);
        let atomic = |f5: u32, rd: u32, rs2: u32| r(0x2f, width, f5 << 2, rd, SCRATCH, rs2);
        match rng.u32(0..12) {
            0..=2 => {
                vec![aligned, atomic(one(rng, [0, 1, 4, 8, 12, 16, 20, 24, 28]), value, other)]
            }
            // What SC stores is there already: the functional run lets each SC fail.
            3 => vec![aligned, atomic(2, value, 0), atomic(3, SCRATCH, value)],
            4 => vec![aligned, atomic(2, value, 0)],
            5 => {
                vec![aligned, i(0x03, width, value, SCRATCH, 0), atomic(3, SCRATCH, value)]
            }
            6 | 7 => vec![fence(rng.u32(1..4), rng.u32(1..4))],
            8 => vec![0x0000_100f],
            9 => vec![if rng.bool() { 0x1200_0073 } else { 0x1200_0073 | base << 15 }],
            10 => vec![0x0000_0073],
            _ => vec![0x0020_200f | base << 15],
        }
    }
}

fn float(rng: &mut Rng) -> u32 {
    let (rd, a, c) = (rng.u32(0..4), rng.u32(0..4), rng.u32(0..4));
    match rng.u32(0..8) {
        0 => one(rng, [0x43, 0x47, 0x4b, 0x4f]) | r(0, 7, 1 | rng.u32(0..4) << 2, rd, a, c),
        1 => {
            r(0x53, 7, one(rng, [0x0d, 0x2d]), rd, a, if rng.bool() { c } else { 0 })
                & !(0x1f << 20)
        }
        2 => r(0x53, one(rng, [0, 1, 2]), 0x11, rd, a, c),
        3 => r(0x53, one(rng, [0, 1]), 0x15, rd, a, c),
        4 => r(0x53, 0, 0x79, rd, one(rng, VALUES), 0),
        5 => r(0x53, 0, 0x71, one(rng, VALUES), a, 0),
        6 => r(0x53, 7, 0x69, rd, one(rng, VALUES), 2),
        _ => r(0x53, 7, one(rng, [0x01, 0x05, 0x09]), rd, a, c),
    }
}
