// SPDX-License-Identifier: Apache-2.0
//! The host-target interface of test programs: a doubleword `tohost` in memory that they write to
//! end the run or to print. Whoever watches it writes 0 there after each call, for programs wait
//! for that before the next.

use serde::{Deserialize, Serialize};

/// What a value written at `tohost` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HtifCall {
    /// End the run with this exit code; 0 is good.
    Exit(u64),
    /// Print this byte on the console.
    Print(u8),
    /// Nothing that is understood; system calls by proxy are not.
    Nothing,
}

/// Where a program's `tohost` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Htif {
    pub tohost: u64,
    /// Answers go here; none of the calls above has one.
    pub fromhost: Option<u64>,
}

impl Htif {
    /// Whether a write of so many bytes at `address` changes `tohost`.
    pub fn watches(&self, address: u64, bytes: u64) -> bool {
        address < self.tohost.saturating_add(8) && self.tohost < address.saturating_add(bytes)
    }

    /// `value`: the whole doubleword after the write. Bits 63:56 are a device, 55:48 its command.
    pub fn written(&self, value: u64) -> HtifCall {
        match (value >> 56, value >> 48 & 0xff) {
            (0, 0) if value & 1 != 0 => HtifCall::Exit(value >> 1),
            (1, 1) => HtifCall::Print(value as u8),
            _ => HtifCall::Nothing,
        }
    }
}
