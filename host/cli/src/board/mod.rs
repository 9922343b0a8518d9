// SPDX-License-Identifier: Apache-2.0
//! Runs programs on the modelled board (`host/board`): an image of Polytakt to the outcome in its
//! record ([`flight`]), the same with many seeds ([`seeds`]), any other program ([`program`]).

pub mod device;
pub mod flight;
pub mod harts;
pub mod program;
pub mod runner;
pub mod seeds;

use takt_board::StartError;
use takt_board::engine::Machine;
use takt_board::session;

use crate::failure::Failure;

/// By what a run may differ from the plain one, within bounds. Seed 0 is the plain run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variation {
    pub seed: u64,
    /// Cycles by which the seed may delay each request to memory.
    pub jitter: u64,
    pub skew_seed: u64,
    /// Cycles by which a hart may begin later than the first.
    pub skew: u64,
}

impl Variation {
    pub const JITTER: u64 = 3;
    pub const SKEW: u64 = 100;
    /// Of a run of which nothing was asked.
    pub const PLAIN: Variation =
        Variation { seed: 0, jitter: Self::JITTER, skew_seed: 0, skew: Self::SKEW };

    /// From here on the machine is timed, and varied.
    pub fn begin(&self, machine: &mut Machine) {
        machine.world.seed = self.seed;
        machine.world.jitter = if self.seed == 0 { 0 } else { self.jitter };
        machine.begin_timing(|hart| session::skew(self.skew_seed, hart, self.skew));
    }

    /// What a report says of it: seed 0 varies nothing, by no cycles.
    pub fn shown(&self) -> takt_trace::Variation {
        let cycles = |seed, cycles| if seed == 0 { 0 } else { cycles };
        takt_trace::Variation {
            seed: self.seed,
            jitter_cycles: cycles(self.seed, self.jitter),
            skew_seed: self.skew_seed,
            skew_cycles: cycles(self.skew_seed, self.skew),
        }
    }
}

/// Machine time of so many cycles.
fn nanos(machine: &Machine, cycles: u64) -> u64 {
    let frequency = u128::from(machine.world.timing.frequency);
    u64::try_from(u128::from(cycles) * 1_000_000_000 / frequency).unwrap_or(u64::MAX)
}

/// What keeps a machine from being made is in what was asked for.
fn refused(error: StartError) -> Failure {
    let help = match &error {
        StartError::NoTiming(_) => "run it with --qemu, or give the board's file its timing",
        StartError::Harts { .. } => "ask for fewer with --harts, or for another board with --board",
        StartError::TooMuchMemory { .. } => "give the board's file a smaller [[memory]]",
        StartError::NoSource(_) | StartError::TakenSource(_) => {
            "the console has 10, the DMA engine 16, the empty slots 1 to 8: choose another one"
        }
        _ => "takt board show NAME tells what a board has",
    };
    Failure::input(error, help)
}
