// SPDX-License-Identifier: Apache-2.0
//! Where bytes are, and the state that decides what it takes to reach them.

pub mod address;
mod by_line;
pub mod cluster;
pub mod code;
pub mod core;
pub mod directory;
pub mod dram;
pub mod network;
pub mod ram;
pub mod request;
pub mod scratchpad;
pub mod tags;
pub mod tlb;
pub mod undo;

pub use ram::Ram;
pub use scratchpad::Scratchpad;

/// Bytes of a line, in every cache.
pub const LINE: u64 = 64;
