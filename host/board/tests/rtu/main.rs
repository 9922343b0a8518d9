// SPDX-License-Identifier: Apache-2.0
//! The RTU's model, driven by accesses to its pages.

mod clocks;
mod machine;
mod plain;
#[path = "../common/program.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod program;
mod random;

use takt_board::devices::{Clock, Device, Kind, Refused, Request, Rtu};
use takt_model::Rtu as Figures;

pub const COMMAND: u64 = 0x00;
pub const ARGUMENT: u64 = 0x08;
pub const UNTIL: u64 = 0x10;
pub const ANSWER: u64 = 0x18;
pub const LOOK: u64 = 0x20;
pub const VALUE: u64 = 0x28;

/// The unit with its time and its wires, as the machine drives it.
#[derive(Clone)]
pub struct Bench {
    pub unit: Rtu,
    pub now: u64,
    pub wires: Vec<bool>,
    /// How often each wire has risen.
    pub rises: Vec<u32>,
}

impl Bench {
    pub fn new(figures: &Figures, harts: usize, clock: Clock) -> Bench {
        let unit = Rtu::new(figures, harts as u32, clock);
        Bench { unit, now: 0, wires: vec![false; harts], rises: vec![0; harts] }
    }

    /// Lets the time come, each moment of the unit for itself.
    pub fn advance(&mut self, now: u64) {
        while let Some(next) = self.unit.next_event().filter(|next| *next <= now) {
            assert!(next >= self.now, "a moment of the unit is over: {next}");
            self.now = next;
            self.unit.advance(next);
            self.take_edges();
        }
        self.now = now;
    }

    fn take_edges(&mut self) {
        let mut edges = Vec::new();
        self.unit.edges(&mut edges);
        for edge in edges {
            let wire = edge.wire as usize;
            assert_ne!(self.wires[wire], edge.level);
            self.wires[wire] = edge.level;
            self.rises[wire] += u32::from(edge.level);
        }
    }

    pub fn access(&mut self, offset: u64, bytes: u8, kind: Kind) -> Result<u64, Refused> {
        let now = self.now;
        let value = self.unit.access(now, Request { initiator: 0, offset, bytes, kind });
        self.take_edges();
        value
    }

    pub fn all(&mut self, offset: u64) -> u64 {
        self.access(offset, 8, Kind::Read).expect("a register")
    }

    pub fn control(&mut self, bits: u64) {
        self.access(0x18, 8, Kind::Write(bits)).expect("a register");
    }

    pub fn read(&mut self, page: usize, offset: u64) -> u64 {
        self.access(0x1000 * (1 + page as u64) + offset, 8, Kind::Read).expect("a register")
    }

    pub fn write(&mut self, page: usize, offset: u64, value: u64) {
        let offset = 0x1000 * (1 + page as u64) + offset;
        self.access(offset, 8, Kind::Write(value)).expect("a register");
    }
}
