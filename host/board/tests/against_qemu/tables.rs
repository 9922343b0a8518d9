// SPDX-License-Identifier: Apache-2.0
//! Random Sv39 tables over memory where no harm can be done.

use fastrand::Rng;

use super::image::{DATA, JUMPS, LEVEL0_A, LEVEL0_B, LEVEL1, RAM, ROOT};

pub const V: u64 = 1;
pub const R: u64 = 2;
pub const W: u64 = 4;
pub const X: u64 = 8;
pub const U: u64 = 16;
pub const G: u64 = 32;
pub const A: u64 = 64;
pub const D: u64 = 128;

/// Entries of the root, and of each other table, that differ from block to block.
pub const ROOT_ENTRIES: usize = 4;
pub const TABLE_ENTRIES: usize = 32;
pub const SET_ENTRIES: usize = ROOT_ENTRIES + 3 * TABLE_ENTRIES;
/// The first of the root's entries: a GiB of RAM, twice the tables, and one that never translates.
pub const FIRST_ROOT: usize = 66;
/// The entry at whose start s1 points.
pub const MIDDLE_ROOT: u64 = 68;

/// Pages of data and of jumps to tp.
pub const PAGES: u64 = 8;

pub fn satp(asid: u64) -> u64 {
    8 << 60 | asid << 44 | ROOT >> 12
}

pub fn entry(physical: u64, flags: u64) -> u64 {
    physical >> 12 << 10 | flags
}

fn usual(rng: &mut Rng) -> u64 {
    // Two of three are accessible but for one or two bits.
    let any = rng.u64(0..256) | rng.u64(0..4) << 8;
    if rng.u8(0..3) == 0 { any } else { any | R | W | A | D | (U * rng.u64(0..2)) | V }
}

/// Flags for data: never executable, and never a pointer to a table.
fn data_flags(rng: &mut Rng) -> u64 {
    let flags = usual(rng) & !X & !G;
    if flags & (R | W) == 0 { flags | R } else { flags }
}

/// Flags for the jumps: never writable.
fn jump_flags(rng: &mut Rng) -> u64 {
    let flags = usual(rng) & !W & !G;
    if flags & (R | X) == 0 || rng.bool() { flags | X } else { flags }
}

/// What must not translate.
fn wrong(rng: &mut Rng, size: u64) -> u64 {
    let leaf = R | W | A | D | U | V;
    match rng.u8(0..8) {
        0 => 0,
        // A superpage that does not begin at a multiple of its size.
        1 | 2 if size > 4096 => entry(RAM + size + 4096 * rng.u64(1..size >> 12), leaf),
        // Reserved bits, and those of extensions that are not there.
        3 => entry(DATA & !(size - 1), leaf) | 1 << rng.u32(54..64),
        // Pointers with bits that only leaves have.
        4 => entry(LEVEL0_A, V | rng.choice([A, D, U]).unwrap_or(A)),
        5 => entry(LEVEL0_A, V) | 1 << rng.u32(54..64),
        // Beyond all memory; not for a page beside which another faults otherwise: which of the two an
        // access across both reports is free.
        6 if size > 4096 => entry(1 << 40, usual(rng) | R | V),
        7 => entry(LEVEL0_A, W | V),
        _ => entry(DATA & !(size - 1), leaf & !V),
    }
}

fn leaf(rng: &mut Rng, superpage: bool) -> u64 {
    let page = if superpage { 0 } else { rng.u64(0..PAGES) * 4096 };
    if rng.u8(0..3) != 0 {
        entry(DATA + page, data_flags(rng))
    } else {
        entry(JUMPS + page, jump_flags(rng))
    }
}

/// The root's entries, the second level's, and those of the two tables of pages.
pub fn set(rng: &mut Rng) -> Vec<u64> {
    let gigapage =
        if rng.u8(0..4) == 0 { wrong(rng, 1 << 30) } else { entry(RAM, jump_flags(rng)) };
    let mut set = vec![gigapage, entry(LEVEL1, V), entry(LEVEL1, V), wrong(rng, 1 << 30)];
    for _ in 0..TABLE_ENTRIES {
        set.push(match rng.u8(0..16) {
            0..6 => entry(LEVEL0_A, V),
            6..9 => entry(LEVEL0_B, V),
            9..14 => leaf(rng, true),
            _ => wrong(rng, 2 << 20),
        });
    }
    for _ in 0..2 * TABLE_ENTRIES {
        set.push(if rng.u8(0..8) == 0 { wrong(rng, 4096) } else { leaf(rng, false) });
    }
    set
}

/// The distance from s1 to a page that some entry of a set is about.
pub fn random_page(rng: &mut Rng, jump: bool) -> u64 {
    let root = match rng.u8(0..16) {
        0 | 1 => 0,
        2 => 3,
        n => u64::from(1 + n % 2),
    };
    let index = match (root, jump) {
        // The table of the GiB of RAM maps the jumps (or the data) only.
        (0, true) => (JUMPS - RAM) >> 21,
        (0, false) => rng.choice([(DATA - RAM) >> 21, (JUMPS - RAM) >> 21]).unwrap_or(1),
        _ => rng.u64(0..TABLE_ENTRIES as u64),
    };
    let page = rng.u64(0..PAGES) + if rng.u8(0..4) == 0 && root != 0 { PAGES } else { 0 };
    (FIRST_ROOT as u64 + root).wrapping_sub(MIDDLE_ROOT) << 30 | index << 21 | page << 12
}
