// SPDX-License-Identifier: Apache-2.0
//! Results of integer instructions where they are not what one operator says.

use crate::flat::{FlatPort, RAM};
use takt_board::isa::Hart;

const MIN: u64 = 1 << 63;
const MIN_W: u64 = 0xffff_ffff_8000_0000;
const NEGATIVE: u64 = u64::MAX;

/// Executes an instruction with a in x2 and b in x3; the result in x1.
fn execute(word: u32, a: u64, b: u64) -> u64 {
    let mut port = FlatPort::new(4096);
    let mut hart = Hart::new(0);
    (hart.x[2], hart.x[3], hart.pc) = (a, b, RAM);
    port.place_word(RAM, word | 2 << 15 | 1 << 7);
    port.run(&mut hart, 1);
    assert_eq!((hart.pc, hart.x[0]), (RAM + 4, 0));
    hart.x[1]
}

fn r(funct7: u32, funct3: u32, a: u64, b: u64) -> u64 {
    execute(funct7 << 25 | 3 << 20 | funct3 << 12 | 0x33, a, b)
}

fn r_word(funct7: u32, funct3: u32, a: u64, b: u64) -> u64 {
    execute(funct7 << 25 | 3 << 20 | funct3 << 12 | 0x3b, a, b)
}

#[test]
fn divisions_that_have_no_result() {
    // div, divu, rem, remu by zero, and the least number by -1
    assert_eq!([4, 5, 6, 7].map(|op| r(1, op, 7, 0)), [NEGATIVE, NEGATIVE, 7, 7]);
    assert_eq!([4, 5, 6, 7].map(|op| r(1, op, MIN, NEGATIVE)), [MIN, 0, 0, MIN]);
    let high = 5 << 32;
    assert_eq!(
        [4, 5, 6, 7].map(|op| r_word(1, op, high | 0x8000_0007, high)),
        [NEGATIVE, NEGATIVE, MIN_W | 7, MIN_W | 7]
    );
    assert_eq!([4, 5, 6, 7].map(|op| r_word(1, op, MIN_W, NEGATIVE)), [MIN_W, 0, 0, MIN_W]);
    assert_eq!([4, 6].map(|op| r(1, op, -7i64 as u64, 2)), [-3i64 as u64, NEGATIVE]);
}

#[test]
fn upper_halves_of_products() {
    // mulh, mulhsu, mulhu
    assert_eq!([1, 2, 3].map(|op| r(1, op, NEGATIVE, NEGATIVE)), [0, NEGATIVE, NEGATIVE - 1]);
    assert_eq!([1, 2, 3].map(|op| r(1, op, MIN, 4)), [-2i64 as u64, -2i64 as u64, 2]);
    assert_eq!(r_word(1, 0, 0x1_0001, 0x1_8000), 0xffff_ffff_8001_8000);
}

#[test]
fn words_are_sign_extended_and_shifts_masked() {
    assert_eq!(r_word(0, 0, 0x7fff_ffff, 1), MIN_W);
    assert_eq!(r_word(0x20, 0, MIN_W, 1), 0x7fff_ffff);
    assert_eq!([1, 5].map(|op| r_word(0, op, 0x1_8000_0001, 33)), [2, 0x4000_0000]);
    assert_eq!(r_word(0x20, 5, 0x8000_0000, 36), 0xffff_ffff_f800_0000);
    assert_eq!([1, 5].map(|op| r(0, op, 3, 65)), [6, 1]);
    assert_eq!(r(0x20, 5, MIN, 127), NEGATIVE);
}

#[test]
fn address_generation_of_words() {
    let wide = 0xffff_ffff_0000_0003;
    assert_eq!([2, 4, 6].map(|op| r(0x10, op, 3, 100)), [106, 112, 124]);
    assert_eq!([2, 4, 6].map(|op| r_word(0x10, op, wide, 100)), [106, 112, 124]);
    assert_eq!(r_word(4, 0, wide, 100), 103);
    assert_eq!(execute(0x0830_101b, wide, 0), 3 << 3); // slli.uw by 3
    assert_eq!(execute(0x0bf0_101b, 3, 0), 1 << 63); // slli.uw by 63
}

#[test]
fn bits_are_counted_and_turned() {
    let unary = |funct12: u32, a| execute(funct12 << 20 | 1 << 12 | 0x13, a, 0);
    let unary_word = |funct12: u32, a| execute(funct12 << 20 | 1 << 12 | 0x1b, a, 0);
    assert_eq!([0x600, 0x601, 0x602].map(|op| unary(op, 0)), [64, 64, 0]);
    assert_eq!([0x600, 0x601, 0x602].map(|op| unary(op, 0x50)), [57, 4, 2]);
    assert_eq!([0x600, 0x601, 0x602].map(|op| unary_word(op, 0xff << 32)), [32, 32, 0]);
    assert_eq!([0x604, 0x605].map(|op| unary(op, 0x8080)), [-128i64 as u64, 0xffff_ffff_ffff_8080]);
    assert_eq!(execute(0x0800_403b, NEGATIVE, 0), 0xffff); // zext.h
    assert_eq!(execute(0x2870_5013, 0x0100_8000_00ff_0001, 0), 0xff00_ff00_00ff_00ff); // orc.b
    assert_eq!(execute(0x6b80_5013, 0x0102_0304_0506_0708, 0), 0x0807_0605_0403_0201); // rev8
    assert_eq!([1, 5].map(|op| r(0x30, op, 1, 65)), [2, MIN]);
    assert_eq!(
        [1, 5].map(|op| r_word(0x30, op, 0x4000_0001, 33)),
        [MIN_W | 2, 0xffff_ffff_a000_0000]
    );
    assert_eq!([4, 5, 6, 7].map(|op| r(5, op, NEGATIVE, 1)), [NEGATIVE, 1, 1, NEGATIVE]);
    assert_eq!([4, 6, 7].map(|op| r(0x20, op, 12, 10)), [!6, 12 | !10, 4]);
    assert_eq!([r(0x24, 1, 5, 66), r(0x34, 1, 5, 66), r(0x14, 1, 1, 66)], [1, 1, 5]);
    assert_eq!([r(0x24, 5, 4, 66), r(0x24, 5, 4, 67)], [1, 0]);
}
