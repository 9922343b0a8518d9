// SPDX-License-Identifier: Apache-2.0
//! The board: a deterministic, timed machine of many RISC-V harts that runs the real image.
//!
//! - [`isa`]: what an instruction does; it knows no time and no machine.
//! - [`memory`]: where bytes are and what it takes to reach them: caches, directory, interconnect, DRAM.
//! - [`engine`]: time and order: who goes next, how far a hart may run ahead, what wakes it.
//! - [`devices`]: what answers at the addresses that are no memory.
//! - [`debug`]: gdb, which looks at all of that while time stands.
//! - [`boot`]: what stands in memory when the first instruction runs: image, firmware, device tree.
//!
//! `docs/design/board.md` has the argument why runs are exact and equal on every host.

mod addresses;
mod array;
pub mod boot;
pub mod debug;
pub mod devices;
pub mod engine;
pub mod isa;
pub mod memory;
pub mod session;
mod start;

pub use addresses::rtu;
pub use start::{Setup, StartError, Started, start};
