// SPDX-License-Identifier: Apache-2.0
//! What may stand in a state that was read from a file.
//!
//! A checksum tells damage and no forgery, so nothing of a file is believed: each part has a `check` beside
//! its type, which compares it with the same part of the machine that restores (`own`), whose tables are of
//! the right sizes, and holds its numbers to these limits. What passes can be run: it indexes nothing that
//! is not there and moves no clock out of its range. It need not be a state that a program can reach.

use crate::devices::Tick;
use crate::memory::{LINE, Ram, Scratchpad};
use std::fmt::Display;

/// Of the machine that restores.
pub struct Limits<'a> {
    pub ram: &'a Ram,
    pub pads: &'a [Scratchpad],
    pub harts: u32,
    /// Of cores that share a cache.
    pub clusters: u32,
    /// Devices that may ask for transfers have their numbers below this.
    pub devices: u32,
}

/// What is wrong and where, for people: "hart 3: the L1 D holds a line that is not in RAM".
pub type Check = Result<(), String>;

/// Moments lie before this. The order of harts has 48 bits for them; what is left is for going on.
const LAST: Tick = (1 << 48) - (1 << 40);

pub fn must(holds: bool, wrong: &str) -> Check {
    if holds { Ok(()) } else { Err(wrong.to_string()) }
}

/// Puts the name of a part before what is wrong with it.
pub fn of(part: impl Display, check: Check) -> Check {
    check.map_err(|wrong| format!("{part}: {wrong}"))
}

impl Limits<'_> {
    pub fn hart(&self, hart: u32) -> Check {
        must(hart < self.harts, "a hart that is not there")
    }

    /// A hart, or a device beyond them.
    pub fn initiator(&self, initiator: u32) -> Check {
        must(initiator < self.harts + self.devices, "an initiator that is not there")
    }

    pub fn harts(&self, count: usize) -> Check {
        must(count == self.harts as usize, "not one for each hart")
    }

    pub fn moment(&self, tick: Tick) -> Check {
        must(tick < LAST, "a moment later than a machine can come to")
    }

    /// The number of a line of RAM or of a scratchpad.
    pub fn line(&self, line: u64) -> Check {
        must(self.ram.has_line(line), "a line that is not in RAM")
    }

    /// Up to 8 bytes of a line of the machine's array.
    pub fn bytes(&self, line: u64, offset: u64, bytes: u8) -> Check {
        self.line(line)?;
        let inside = offset.wrapping_add(self.ram.base).wrapping_sub(line * LINE);
        let fits = inside < LINE && (1..=8).contains(&bytes) && inside + u64::from(bytes) <= LINE;
        must(fits, "bytes outside of their line")
    }
}
