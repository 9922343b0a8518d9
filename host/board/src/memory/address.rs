// SPDX-License-Identifier: Apache-2.0
//! Which part of the machine an address belongs to.

use super::LINE;
use takt_model::timing::{Dram, Homes};

/// The number whose bits are the parities of the address under each mask.
#[inline(never)]
pub fn parities(masks: &[u64], address: u64) -> u64 {
    masks.iter().enumerate().fold(0, |number, (bit, mask)| number | parity(address & mask) << bit)
}

/// Not by counting ones, which not every host has an instruction for.
fn parity(number: u64) -> u64 {
    let mut folded = number;
    for half in [32, 16, 8, 4, 2, 1] {
        folded ^= folded >> half;
    }
    folded & 1
}

/// The node that is the home of the address's line.
pub fn home(homes: &Homes, nodes: u32, address: u64) -> u32 {
    let nodes = u64::from(nodes);
    let hashed = || remainder(scatter(address / LINE), nodes) as u32;
    match homes {
        Homes::Hash => hashed(),
        Homes::Page => remainder(address / 4096, nodes) as u32,
        Homes::Split { pages_from, .. } if address < *pages_from => hashed(),
        Homes::Split { interleave, .. } => remainder(quotient(address, *interleave), nodes) as u32,
        Homes::Nodes { interleave, nodes } => {
            nodes[remainder(quotient(address, *interleave), nodes.len() as u64) as usize]
        }
    }
}

/// Which of the controllers, and which of its banks and rows.
pub struct DramPlace {
    pub controller: usize,
    pub bank: usize,
    pub row: u64,
}

pub fn place(dram: &Dram, address: u64) -> DramPlace {
    DramPlace {
        controller: controller(dram, address),
        bank: parities(&dram.banks, address) as usize,
        row: quotient(address, dram.row),
    }
}

/// Which of the controllers the address belongs to.
pub fn controller(dram: &Dram, address: u64) -> usize {
    remainder(quotient(address, dram.interleave), dram.nodes.len() as u64) as usize
}

/// Division, which is slow on most hosts, by what is mostly a power of two.
fn quotient(number: u64, by: u64) -> u64 {
    if by.is_power_of_two() { number >> by.trailing_zeros() } else { number / by }
}

fn remainder(number: u64, by: u64) -> u64 {
    if by.is_power_of_two() { number & (by - 1) } else { number % by }
}

/// Spreads neighbouring numbers evenly (the finaliser of splitmix64).
pub fn scatter(number: u64) -> u64 {
    let mut x = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
