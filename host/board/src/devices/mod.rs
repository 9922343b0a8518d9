// SPDX-License-Identifier: Apache-2.0
//! What answers at the addresses that are no memory.
//!
//! Each device is a file and a [`Device`]; [`Platform`] owns them, knows their addresses ([`map`])
//! and joins their wires. All state is plain data: a snapshot is a clone, and serde can write it.

use serde::{Deserialize, Serialize};

mod block_dma;
mod clock;
mod dma;
mod extras;
mod finisher;
pub mod htif;
pub mod map;
mod mswi;
mod mtimer;
mod platform;
mod plic;
pub mod route;
pub mod rtu;
mod scoreboard;
mod sswi;
pub mod subnet;
mod uart;
mod virtio;
mod wires;
mod words;
mod worker_control;

pub use block_dma::{Block, BlockDma, Direction};
pub use clock::Clock;
pub use dma::Dma;
pub use finisher::{Finish, Finisher};
pub use htif::{Htif, HtifCall};
pub use mswi::Mswi;
pub use mtimer::Mtimer;
pub use platform::{Extra, HartWire, Platform, PlatformSetup, SetupError, WireEnd};
pub use plic::Plic;
pub use rtu::Rtu;
pub use scoreboard::Scoreboard;
pub use sswi::Sswi;
pub use uart::{Input, Uart};
pub use virtio::EmptySlot;
pub use words::Words;
pub use worker_control::{Run, WorkerControl};

/// Cycles of the harts' clock since the machine started.
pub type Tick = u64;

/// One access to a device's register; it happens in the machine's global order. The platform has
/// refused what is misaligned before, and a written value has no bits above its width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The initiator: a hart's index (0..), or a device's number beyond the harts.
    pub initiator: u32,
    /// From the start of the device's window.
    pub offset: u64,
    /// 1, 2, 4 or 8.
    pub bytes: u8,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    Read,
    Write(u64),
}

/// The device has no such register, or not of this width: an access fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused;

/// A change of one of a device's interrupt wires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Edge {
    pub wire: u32,
    pub level: bool,
}

/// A transfer that a device asks the machine to make in memory.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Transfer {
    Read { address: u64, bytes: u32 },
    Write { address: u64, data: Vec<u8> },
}

/// A part of the machine behind addresses. Times never go backwards from call to call.
pub trait Device {
    fn access(&mut self, now: Tick, request: Request) -> Result<u64, Refused>;
    /// Lets everything happen that is due at `now`.
    fn advance(&mut self, _now: Tick) {}
    /// When `advance` must be called next, if nothing else happens.
    fn next_event(&self) -> Option<Tick> {
        None
    }
    /// The wires that changed since the last call, in order.
    fn edges(&mut self, _out: &mut Vec<Edge>) {}
    /// The next transfer in memory that the device wants; one at a time.
    fn transfer(&mut self) -> Option<Transfer> {
        None
    }
    /// The transfer is done (`data`: what was read), or the address was refused (`None`).
    fn transferred(&mut self, _now: Tick, _data: Option<&[u8]>) {}
}

/// A device beside the platform's own, such as a Verilated unit: it can be copied and saved.
pub trait ExtraDevice: Device + Send + Sync {
    fn boxed_clone(&self) -> Box<dyn ExtraDevice>;
    fn save(&self) -> Vec<u8>;
    /// Takes a state that `save` gave.
    fn restore(&mut self, state: &[u8]) -> Result<(), BadState>;
}

/// The state is not one that the device saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the saved state is not of this device")]
pub struct BadState;
