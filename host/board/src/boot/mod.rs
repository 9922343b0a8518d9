// SPDX-License-Identifier: Apache-2.0
//! What stands in memory when the first instruction runs: a program ([`load`]), its device tree
//! ([`fdt`]), the firmware below it and the ROM that jumps there ([`firmware`]).

pub mod fdt;
pub mod firmware;
pub mod load;

pub use fdt::Tree;
pub use firmware::{Boot, BootError, Firmware, Loaded, boot};
pub use load::{LoadError, Program, Symbol};

/// Bytes that go into RAM.
#[derive(Clone, PartialEq, Eq)]
pub struct Piece {
    pub address: u64,
    pub bytes: Vec<u8>,
}

impl std::fmt::Debug for Piece {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes at {:#x}", self.bytes.len(), self.address)
    }
}
