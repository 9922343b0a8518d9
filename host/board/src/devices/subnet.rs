// SPDX-License-Identifier: Apache-2.0
//! The subnets of a board without shared memory, as devices: who reaches which of them, how far they are, and what
//! a core may do there.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{BlockDma, Device, Request, Scoreboard, Tick, Words, WorkerControl, map::AddressRange};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Subnet {
    #[serde(skip)]
    pub range: AddressRange,
    /// The cores that reach it.
    pub cores: Range<u32>,
    /// Cycles from a core, and back.
    pub way: Tick,
    pub part: Part,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Part {
    Scoreboard(Scoreboard),
    Words(Words),
    Workers(WorkerControl),
    Engine(BlockDma),
}

impl Subnet {
    pub(super) fn device(&mut self) -> &mut dyn Device {
        match &mut self.part {
            Part::Scoreboard(scoreboard) => scoreboard,
            Part::Words(words) => words,
            Part::Workers(workers) => workers,
            Part::Engine(engine) => engine,
        }
    }

    /// Whether a core may do this. It depends on nothing that an access changes, so that it is known before the access
    /// leaves the core.
    pub(super) fn permits(&self, request: &Request) -> bool {
        match &self.part {
            Part::Scoreboard(scoreboard) => scoreboard.permits(request),
            Part::Words(words) => words.permits(request),
            Part::Workers(workers) => workers.permits(request),
            Part::Engine(engine) => engine.permits(request),
        }
    }
}
