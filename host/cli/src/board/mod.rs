// SPDX-License-Identifier: Apache-2.0
//! Runs programs on the modelled board (`host/board`): an image of Polytakt until its record holds
//! an outcome ([`image_run`]), the same image with many seeds ([`seeds`]), and any other program
//! ([`program`]).

pub mod dataflow;
pub mod device;
pub mod harts;
pub mod image_run;
pub mod program;
pub mod rtu;
pub mod runner;
pub mod seeds;

use takt_board::StartError;
use takt_board::engine::Machine;
use takt_board::session;

use crate::failure::Failure;

/// The bounded differences of a run from the plain run. With seed 0 requests to memory are not
/// delayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variation {
    pub seed: u64,
    /// The greatest number of cycles by which the seed delays a request to memory.
    pub jitter: u64,
    pub skew_seed: u64,
    /// The greatest number of cycles by which a hart begins later than the first.
    pub skew: u64,
}

impl Variation {
    pub const JITTER: u64 = 3;
    pub const SKEW: u64 = 100;
    /// The run without any option that varies it.
    pub const PLAIN: Variation =
        Variation { seed: 0, jitter: Self::JITTER, skew_seed: 0, skew: Self::SKEW };

    /// Begins the timed, varied part of the machine's run.
    pub fn begin(&self, machine: &mut Machine) {
        machine.set_seed(self.seed, if self.seed == 0 { 0 } else { self.jitter });
        machine.begin_timing(|hart| session::skew(self.skew_seed, hart, self.skew));
    }

    /// The variation as a report shows it: a seed of 0 varies nothing, so its limit is shown as 0
    /// cycles.
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

/// Converts cycles to nanoseconds of machine time.
fn nanos(machine: &Machine, cycles: u64) -> u64 {
    let frequency = u128::from(machine.world.timing.frequency);
    u64::try_from(u128::from(cycles) * 1_000_000_000 / frequency).unwrap_or(u64::MAX)
}

/// Turns a refused start into a failure of the input: the request asks for something that the board
/// does not have.
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
