// SPDX-License-Identifier: Apache-2.0
//! Operands at which arithmetic goes wrong.

use fastrand::Rng;

const INTEGERS: [u64; 16] = [
    0,
    1,
    2,
    u64::MAX,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x8000_0000_0000_0001,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0xffff_ffff_8000_0000,
    0xffff_ffff_7fff_ffff,
    0x80,
    0xffff,
    63,
];

/// Exponents (biased) and significands of singles and doubles whose sums, products and conversions
/// lie at a limit: subnormal, smallest, around one, around the integers' limits, largest, infinite
/// or NaN.
const EXPONENTS_64: [u64; 22] = [
    0, 1, 2, 12, 30, 53, 512, 530, 560, 900, 1022, 1023, 1024, 1054, 1055, 1075, 1086, 1087, 1535,
    2045, 2046, 2047,
];
const EXPONENTS_32: [u64; 15] = [0, 1, 2, 24, 64, 126, 127, 128, 157, 158, 190, 191, 253, 254, 255];

fn significand(rng: &mut Rng, bits: u32) -> u64 {
    let all = (1u64 << bits) - 1;
    match rng.u8(0..8) {
        0 => 0,
        1 => all,
        2 => 1 << rng.u32(0..bits),
        3 => all ^ (1 << rng.u32(0..bits)),
        4 => rng.choice([1, 2, all - 1, 1 << (bits - 1)]).unwrap_or(1),
        5 => (all << rng.u32(0..bits)) & all,
        _ => rng.u64(0..=all),
    }
}

fn double(rng: &mut Rng) -> u64 {
    let exponent =
        if rng.bool() { rng.choice(EXPONENTS_64).unwrap_or(0) } else { 1023 - 8 + rng.u64(0..16) };
    u64::from(rng.bool()) << 63 | exponent << 52 | significand(rng, 52)
}

fn single(rng: &mut Rng) -> u64 {
    let exponent =
        if rng.bool() { rng.choice(EXPONENTS_32).unwrap_or(0) } else { 127 - 8 + rng.u64(0..16) };
    u64::from(rng.bool()) << 31 | exponent << 23 | significand(rng, 23)
}

fn integer(rng: &mut Rng) -> u64 {
    match rng.u8(0..4) {
        0 => rng.choice(INTEGERS).unwrap_or(0),
        1 => rng.choice(INTEGERS).unwrap_or(0).wrapping_add(rng.u64(0..9)).wrapping_sub(4),
        2 => rng.u64(..) >> rng.u32(0..64),
        _ => rng.u64(..),
    }
}

/// Any of them; one single in sixteen is not NaN-boxed.
pub fn operand(rng: &mut Rng) -> u64 {
    match rng.u8(0..8) {
        0..=2 => double(rng),
        3..=5 => {
            let boxed = if rng.u8(0..16) == 0 { rng.u64(..) << 32 } else { 0xffff_ffff << 32 };
            boxed | single(rng)
        }
        _ => integer(rng),
    }
}
