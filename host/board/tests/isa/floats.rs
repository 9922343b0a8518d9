// SPDX-License-Identifier: Apache-2.0
//! Results and flags of float instructions, against SoftFloat: every operation, every rounding mode,
//! with and without flags set before. The interpreter takes the host's arithmetic where it may.

use crate::flat::{FlatPort, RAM};
use softfloat_wrapper::{ExceptionFlags, F32, F64, Float, RoundingMode};
use takt_board::isa::{Hart, decode};

const MODES: [RoundingMode; 5] = [
    RoundingMode::TiesToEven,
    RoundingMode::TowardZero,
    RoundingMode::TowardNegative,
    RoundingMode::TowardPositive,
    RoundingMode::TiesToAway,
];
const BOX: u64 = 0xffff_ffff_0000_0000;
const NAN_D: u64 = 0x7ff8_0000_0000_0000;
const NAN_S: u64 = 0x7fc0_0000;

/// Executes one instruction: f1 = f(f2, f3, f4), x1 of x2.
struct Machine {
    hart: Hart,
    port: FlatPort,
}

impl Machine {
    fn new() -> Self {
        let mut hart = Hart::new(0);
        hart.mstatus = 1 << 13;
        Self { hart, port: FlatPort::new(4096) }
    }

    fn execute(&mut self, word: u32, operands: [u64; 3], frm: u8, flags: u8) {
        self.hart.f[2..5].copy_from_slice(&operands);
        self.hart.x[2] = operands[0];
        (self.hart.frm, self.hart.fflags, self.hart.pc) = (frm, flags, RAM);
        self.port.place_word(RAM, word);
        self.port.run(&mut self.hart, 1);
        assert_eq!(self.hart.pc, RAM + 4, "{:?} trapped", decode(word));
    }
}

/// Numbers where something happens: limits, neighbours of powers of two, NaNs, integers.
fn double(random: &mut fastrand::Rng) -> u64 {
    let sign = random.u64(..) & 1 << 63;
    let fraction = match random.u8(..6) {
        0 => 0,
        1 => (1 << 52) - 1,
        2 => random.u64(..8),
        3 => random.u64(..) << random.u32(..52),
        _ => random.u64(..),
    } & ((1 << 52) - 1);
    let exponent: u64 = match random.u8(..10) {
        0 => 0,
        1 => 0x7ff,
        2 => random.u64(1..4),
        3 => random.u64(0x7fb..0x7ff),
        4 => random.u64(..0x800),
        5 => 1023 + random.u64(28..66),
        6 => random.u64(50..140),
        _ => 1023 + random.u64(..8) - 4,
    };
    sign | exponent << 52 | fraction
}

fn single(random: &mut fastrand::Rng) -> u64 {
    let wide = f64::from_bits(double(random));
    let bits = match random.u8(..4) {
        0 => random.u32(..),
        1 => random.u32(..) & 0x807f_ffff | random.u32(..6) << 23,
        2 => random.u32(..) & 0x807f_ffff | random.u32(250..256) << 23,
        _ => (wide as f32).to_bits(),
    };
    match random.u8(..64) {
        0 => u64::from(bits),
        _ => BOX | u64::from(bits),
    }
}

fn unboxed(register: u64) -> u32 {
    if register & BOX == BOX { register as u32 } else { NAN_S as u32 }
}

/// What SoftFloat computes, and the flags it raises.
fn soft<T>(compute: impl FnOnce() -> T) -> (T, u8) {
    let mut flags = ExceptionFlags::default();
    flags.set();
    let result = compute();
    flags.get();
    (result, flags.to_bits())
}

/// The five-bit operation field, whether the instruction has the second format, and the formats.
const FUSED: [u32; 4] = [0x43, 0x47, 0x4b, 0x4f];

fn arithmetic<F: Float + Copy>(operation: u32, [a, b, c]: [F; 3], mode: RoundingMode) -> F {
    match operation {
        0 => a.add(b, mode),
        1 => a.sub(b, mode),
        2 => a.mul(b, mode),
        3 => a.div(b, mode),
        11 => a.sqrt(mode),
        4 => a.fused_mul_add(b, c, mode),
        _ => unreachable!(),
    }
}

#[test]
fn arithmetic_of_doubles() {
    let mut random = fastrand::Rng::with_seed(11);
    let mut machine = Machine::new();
    for round in 0..400_000 {
        let operands = [double(&mut random), double(&mut random), double(&mut random)];
        let mode = if round % 2 == 0 { 0 } else { random.u8(..5) };
        for operation in [0, 1, 2, 3, 11] {
            let flags = if random.bool() { 0 } else { random.u8(..32) };
            let rs2 = if operation == 11 { 0 } else { 3 };
            let word = operation << 27 | 1 << 25 | rs2 << 20 | 2 << 15 | 7 << 12 | 1 << 7 | 0x53;
            machine.execute(word, operands, mode, flags);
            let (expected, raised) = soft(|| {
                arithmetic(operation, operands.map(F64::from_bits), MODES[usize::from(mode)])
            });
            let what = format!("operation {operation} mode {mode} of {operands:x?}");
            assert_eq!(machine.hart.f[1], expected.to_bits(), "{what}");
            assert_eq!(machine.hart.fflags, flags | raised, "{what}");
        }
    }
}

#[test]
fn arithmetic_of_singles() {
    let mut random = fastrand::Rng::with_seed(12);
    let mut machine = Machine::new();
    for round in 0..400_000 {
        let operands = [single(&mut random), single(&mut random), single(&mut random)];
        let mode = if round % 2 == 0 { 0 } else { random.u8(..5) };
        for operation in [0, 1, 2, 3, 11] {
            let flags = if random.bool() { 0 } else { random.u8(..32) };
            let rs2 = if operation == 11 { 0 } else { 3 };
            // The mode stands in the instruction here, and frm is no mode at all.
            let rm = u32::from(mode) << 12;
            let word = operation << 27 | rs2 << 20 | 2 << 15 | rm | 1 << 7 | 0x53;
            machine.execute(word, operands, 6, flags);
            let soft_operands = operands.map(|register| F32::from_bits(unboxed(register)));
            let (expected, raised) =
                soft(|| arithmetic(operation, soft_operands, MODES[usize::from(mode)]));
            let what = format!("operation {operation} mode {mode} of {operands:x?}");
            assert_eq!(machine.hart.f[1], BOX | u64::from(expected.to_bits()), "{what}");
            assert_eq!(machine.hart.fflags, flags | raised, "{what}");
        }
    }
}

#[test]
fn fused_multiply_add() {
    let mut random = fastrand::Rng::with_seed(13);
    let mut machine = Machine::new();
    for _ in 0..400_000 {
        let mode = random.u8(..5);
        let flags = if random.bool() { 0 } else { random.u8(..32) };
        let variant = random.usize(..4);
        let rm = u32::from(mode) << 12;
        let word = 4 << 27 | 3 << 20 | 2 << 15 | rm | 1 << 7 | FUSED[variant];
        let [product, addend] = [variant >> 1, variant & 1];
        let mut operands = [double(&mut random), double(&mut random), double(&mut random)];
        if random.bool() {
            // Let the product cancel the addend, nearly.
            let [a, b, _] = operands.map(f64::from_bits);
            operands[2] = (-(a * b)).to_bits() ^ random.u64(..3);
        }
        machine.execute(word | 1 << 25, operands, 0, flags);
        let sign = |negate: usize| (negate as u64) << 63;
        let [a, b, c] = operands;
        let soft_operands = [a ^ sign(product), b, c ^ sign(addend)].map(F64::from_bits);
        let (expected, raised) =
            soft(|| arithmetic(4, soft_operands, MODES[usize::from(mode)]).to_bits());
        let what = format!("fused {variant} mode {mode} of {operands:x?}");
        assert_eq!((machine.hart.f[1], machine.hart.fflags), (expected, flags | raised), "{what}");

        let operands = [single(&mut random), single(&mut random), single(&mut random)];
        machine.execute(word, operands, 0, flags);
        let [a, b, c] = operands.map(unboxed);
        let soft_operands =
            [a ^ (product as u32) << 31, b, c ^ (addend as u32) << 31].map(F32::from_bits);
        let (expected, raised) =
            soft(|| arithmetic(4, soft_operands, MODES[usize::from(mode)]).to_bits());
        let what = format!("fused {variant} mode {mode} of {operands:x?}");
        let expected = BOX | u64::from(expected);
        assert_eq!((machine.hart.f[1], machine.hart.fflags), (expected, flags | raised), "{what}");
    }
}

#[test]
fn conversions() {
    let mut random = fastrand::Rng::with_seed(14);
    let mut machine = Machine::new();
    for _ in 0..300_000 {
        let m = random.usize(..5);
        let mode = MODES[m];
        let rm = (m as u32) << 12;
        let flags = if random.bool() { 0 } else { random.u8(..32) };
        let (d, s) = (double(&mut random), single(&mut random));
        let x = random.u64(..) as i64 >> random.u32(..64);
        let x = if random.bool() { x as u64 } else { d };
        let (soft_d, soft_s) = (F64::from_bits(d), F32::from_bits(unboxed(s)));
        for kind in 0..4u32 {
            let word = 0xc000_0053 | kind << 20 | 2 << 15 | rm | 1 << 7;
            let integers: [(u32, u64, (u64, u8)); 2] = [
                (word, s, soft(|| to_integer(soft_s, kind, mode))),
                (word | 1 << 25, d, soft(|| to_integer(soft_d, kind, mode))),
            ];
            for (word, register, (expected, raised)) in integers {
                machine.execute(word, [register, 0, 0], 0, flags);
                let what = format!("{:?} {m} of {register:x}", decode(word).op);
                assert_eq!(machine.hart.x[1], expected, "{what}");
                assert_eq!(machine.hart.fflags, flags | raised, "{what}");
            }
            let word = word | 0x1000_0000;
            let floats: [(u32, (u64, u8)); 2] = [
                (word, soft(|| BOX | u64::from(from_integer::<F32>(x, kind, mode).to_bits()))),
                (word | 1 << 25, soft(|| from_integer::<F64>(x, kind, mode).to_bits())),
            ];
            for (word, (expected, raised)) in floats {
                machine.execute(word, [x, 0, 0], 0, flags);
                let what = format!("{:?} {m} of {x:x}", decode(word).op);
                assert_eq!(machine.hart.f[1], expected, "{what}");
                assert_eq!(machine.hart.fflags, flags | raised, "{what}");
            }
        }
        machine.execute(0x4011_0053 | rm | 1 << 7, [d, 0, 0], 0, flags);
        let (expected, raised) = soft(|| BOX | u64::from(soft_d.to_f32(mode).to_bits()));
        assert_eq!((machine.hart.f[1], machine.hart.fflags), (expected, flags | raised), "{d:x}");
        machine.execute(0x4201_0053 | rm | 1 << 7, [s, 0, 0], 0, flags);
        let (expected, raised) = soft(|| soft_s.to_f64(mode).to_bits());
        assert_eq!((machine.hart.f[1], machine.hart.fflags), (expected, flags | raised), "{s:x}");
    }
}

fn to_integer<F: Float>(a: F, kind: u32, mode: RoundingMode) -> u64 {
    match kind {
        0 => a.to_i32(mode, true) as u64,
        1 => a.to_u32(mode, true) as i32 as u64,
        2 => a.to_i64(mode, true) as u64,
        _ => a.to_u64(mode, true),
    }
}

fn from_integer<F: Float>(x: u64, kind: u32, mode: RoundingMode) -> F {
    match kind {
        0 => F::from_i32(x as i32, mode),
        1 => F::from_u32(x as u32, mode),
        2 => F::from_i64(x as i64, mode),
        _ => F::from_u64(x, mode),
    }
}

#[test]
fn comparisons() {
    let mut random = fastrand::Rng::with_seed(15);
    let mut machine = Machine::new();
    for _ in 0..300_000 {
        let (a, mut b) = (double(&mut random), double(&mut random));
        if random.u8(..4) == 0 {
            b = a ^ (random.u64(..2) << 63);
        }
        let (soft_a, soft_b) = (F64::from_bits(a), F64::from_bits(b));
        let expected = [
            soft(|| u64::from(soft_a.le(soft_b))),
            soft(|| u64::from(soft_a.lt(soft_b))),
            soft(|| u64::from(soft_a.eq(soft_b))),
        ];
        for (funct3, (expected, raised)) in (0..).zip(expected) {
            machine.execute(0xa231_0053 | funct3 << 12 | 1 << 7, [a, b, 0], 0, 0);
            assert_eq!((machine.hart.x[1], machine.hart.fflags), (expected, raised), "{a:x} {b:x}");
        }
        let (a, b) = (single(&mut random), single(&mut random));
        let (soft_a, soft_b) = (F32::from_bits(unboxed(a)), F32::from_bits(unboxed(b)));
        let (expected, raised) = soft(|| u64::from(soft_a.lt(soft_b)));
        machine.execute(0xa031_10d3, [a, b, 0], 0, 0);
        assert_eq!((machine.hart.x[1], machine.hart.fflags), (expected, raised), "{a:x} {b:x}");
    }
}

const ONE: u64 = 0x3ff0_0000_0000_0000;
const SIGN: u64 = 1 << 63;
const SIGNALING: u64 = 0x7ff0_0000_0000_0001;
const PAYLOAD: u64 = 0xfff8_0000_0000_1234;

#[test]
fn minimum_and_maximum() {
    let mut machine = Machine::new();
    let cases = [
        // a, b, fmin, fmax, flags
        (ONE, SIGN | ONE, SIGN | ONE, ONE, 0),
        (0, SIGN, SIGN, 0, 0),
        (SIGN, 0, SIGN, 0, 0),
        (PAYLOAD, ONE, ONE, ONE, 0),
        (ONE, PAYLOAD, ONE, ONE, 0),
        (SIGNALING, ONE, ONE, ONE, 16),
        (ONE, SIGNALING, ONE, ONE, 16),
        (PAYLOAD, PAYLOAD, NAN_D, NAN_D, 0),
        (SIGNALING, PAYLOAD, NAN_D, NAN_D, 16),
    ];
    for (a, b, least, greatest, flags) in cases {
        machine.execute(0x2a31_00d3, [a, b, 0], 0, 0);
        assert_eq!((machine.hart.f[1], machine.hart.fflags), (least, flags), "fmin {a:x} {b:x}");
        machine.execute(0x2a31_10d3, [a, b, 0], 0, 0);
        assert_eq!((machine.hart.f[1], machine.hart.fflags), (greatest, flags), "fmax {a:x} {b:x}");
    }
    // Not a boxed single: the canonical NaN, which gives way.
    machine.execute(0x2831_00d3, [ONE, BOX | 0x3f80_0000, 0], 0, 0);
    assert_eq!((machine.hart.f[1], machine.hart.fflags), (BOX | 0x3f80_0000, 0));
}

#[test]
fn classes() {
    let mut machine = Machine::new();
    let doubles = [
        (0xfff0_0000_0000_0000, 0),
        (SIGN | ONE, 1),
        (SIGN | 1, 2),
        (SIGN, 3),
        (0, 4),
        (1, 5),
        (ONE, 6),
        (0x7ff0_0000_0000_0000, 7),
        (SIGNALING, 8),
        (SIGN | SIGNALING, 8),
        (PAYLOAD, 9),
    ];
    for (a, class) in doubles {
        machine.execute(0xe201_10d3, [a, 0, 0], 0, 0);
        assert_eq!(machine.hart.x[1], 1 << class, "{a:x}");
    }
    for (a, class) in
        [(BOX | 0x8000_0001, 2), (BOX | 0x7f80_0000, 7), (ONE, 9), (BOX | 0x7f80_0001, 8)]
    {
        machine.execute(0xe001_10d3, [a, 0, 0], 0, 0);
        assert_eq!(machine.hart.x[1], 1 << class, "{a:x}");
    }
}

#[test]
fn signs_and_moves() {
    let mut machine = Machine::new();
    let d = [(0, SIGN | 5, 9, 5), (1, 5, 9, SIGN | 5), (2, SIGN | 5, SIGN | 9, 5)];
    for (funct3, a, b, expected) in d {
        machine.execute(0x2231_00d3 | funct3 << 12, [a, b, 0], 0, 0);
        assert_eq!(machine.hart.f[1], expected);
    }
    // Operands of singles that are not boxed count as the canonical NaN, also for its sign.
    machine.execute(0x2031_00d3, [BOX | 5, 0x8000_0000, 0], 0, 0);
    assert_eq!(machine.hart.f[1], BOX | 5);
    machine.execute(0x2031_10d3, [7, BOX | 5, 0], 0, 0);
    assert_eq!(machine.hart.f[1], BOX | NAN_S | 0x8000_0000);
    // fmv.x.w takes the low half of whatever is there; fmv.w.x boxes.
    machine.execute(0xe001_00d3, [0x1234_5678_8000_0001, 0, 0], 0, 0);
    assert_eq!(machine.hart.x[1], 0xffff_ffff_8000_0001);
    machine.execute(0xf001_00d3, [0x1234_5678_8000_0001, 0, 0], 0, 0);
    assert_eq!(machine.hart.f[1], BOX | 0x8000_0001);
}
