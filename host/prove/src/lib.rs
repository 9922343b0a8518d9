// SPDX-License-Identifier: Apache-2.0
//! Systems that try to break the bounds of the analysis. Each is a description and the C source of
//! its tasks, generated from a family's name and a seed.
//!
//! The generator knows the format of descriptions but neither the kernel nor the analysis, so that
//! it cannot share a mistake with them. `takt prove` builds the systems, runs them and judges the
//! runs.

mod body;
mod families;
mod machine;
mod sketch;

pub use families::{Family, NAMES, families};
pub use machine::Machine;

/// A generated system, with what is expected of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The names of the family and of the shape in it.
    pub family: &'static str,
    pub shape: &'static str,
    pub seed: u64,
    /// The text of the description; it names the source `main.c` and includes `work.h`.
    pub description: String,
    pub source: String,
    /// The text of the board file `board.toml` that the description names, if the case has its own.
    pub board: Option<String>,
    pub expect: Expect,
}

/// What a run of a system must show, besides that no response exceeds its bound unless the run
/// reports a broken assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// The application does what it declares: nothing is reported or refused, no job is stopped, no
    /// deadline missed.
    Honest,
    /// The task `culprit` does something it does not declare: the description or the build is
    /// refused, or the run reports the culprit and never the task `victim`.
    Reported,
    /// The verdict of the check must not be `proved`. The system is not run.
    NotProved,
    /// The application is honest, but the overheads cannot be measured under such conditions: a
    /// bound may be broken if the check does not say `proved`.
    HonestIfProved,
}

/// The exit code of a run of [`Expect::Reported`] in which the kernel has refused an undeclared
/// call.
pub const REFUSED: u32 = 77;

/// The header that the sources include.
pub const WORK_HEADER: &str = include_str!("work.h");

impl Case {
    /// The system of a family with this seed, which is the same on every host. If `only` is `None`,
    /// the seed chooses among the family's shapes.
    pub fn new(family: &'static Family, only: Option<usize>, seed: u64, machine: &Machine) -> Case {
        let count = family.shapes.len() as u64;
        // All shapes are generated in turn, both in a mix, where each family has one of this many
        // seeds, and in a family by itself.
        let mix = NAMES.len() as u64;
        let turn = ((seed / mix).wrapping_add(seed % mix) % count) as usize;
        let shape = &family.shapes[only.unwrap_or(turn)];
        let mut random = fastrand::Rng::with_seed(mixed(family.name, seed));
        let made = (shape.make)(&mut random, machine);
        Case {
            family: family.name,
            shape: shape.name,
            seed,
            description: made.sketch.description(),
            source: made.sketch.source(machine),
            board: made.board,
            expect: made.expect,
        }
    }
}

/// The seed of the random generator, which differs between families with the same seed (FNV-1a over
/// the name).
fn mixed(name: &str, seed: u64) -> u64 {
    let byte = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    name.bytes().chain(seed.to_le_bytes()).fold(0xcbf2_9ce4_8422_2325, byte)
}
