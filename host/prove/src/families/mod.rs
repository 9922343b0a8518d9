// SPDX-License-Identifier: Apache-2.0
//! The families of systems. Each shape of a family attacks one assumption of the bounds.

use std::fmt;

use fastrand::Rng;

use crate::sketch::Sketch;
use crate::{Expect, Machine};

mod budgets;
mod calibrations;
mod declared;
mod ends;
mod kernel_parts;
mod limits;
mod local;
mod memory;
mod random;
mod remote;
mod resident;
mod sections;
mod undeclared;

pub struct Family {
    pub name: &'static str,
    /// A line that describes the family to people.
    pub about: &'static str,
    pub shapes: &'static [Shape],
}

pub struct Shape {
    pub name: &'static str,
    pub(crate) make: fn(&mut Rng, &Machine) -> Made,
}

pub(crate) struct Made {
    pub sketch: Sketch,
    /// The text of a board file, if the case has its own.
    pub board: Option<String>,
    pub expect: Expect,
}

impl Made {
    fn new(sketch: Sketch, expect: Expect) -> Made {
        Made { sketch, board: None, expect }
    }

    fn honest(sketch: Sketch) -> Made {
        Made::new(sketch, Expect::Honest)
    }
}

impl fmt::Debug for Family {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(self.name)
    }
}

/// The families in the order in which the seeds of a mix choose them; every second system is
/// random.
pub const NAMES: [&str; 14] = [
    "random",
    "sections",
    "random",
    "undeclared",
    "random",
    "declared",
    "random",
    "budgets",
    "random",
    "calibrations",
    "random",
    "ends",
    "random",
    "memory",
];

static FAMILIES: [Family; 11] = [
    Family {
        name: "random",
        about: "random systems that do what they declare",
        shapes: random::SHAPES,
    },
    Family {
        name: "sections",
        about: "kernel sections that grow: long messages, many waiting tasks, contended locks",
        shapes: sections::SHAPES,
    },
    Family {
        name: "undeclared",
        about: "applications that do what they do not declare",
        shapes: undeclared::SHAPES,
    },
    Family {
        name: "declared",
        about: "applications that do the same, and declare it",
        shapes: declared::SHAPES,
    },
    Family {
        name: "budgets",
        about: "jobs near their budget below frequent interrupts",
        shapes: budgets::SHAPES,
    },
    Family {
        name: "calibrations",
        about: "overheads that are foreign, stale, zero, or measured under less than the system does",
        shapes: calibrations::SHAPES,
    },
    Family {
        name: "ends",
        about: "activations at their separation, and runs that end while they wait",
        shapes: ends::SHAPES,
    },
    Family {
        name: "memory",
        about: "neighbours that stream through memory",
        shapes: memory::SHAPES,
    },
    Family {
        name: "resident",
        about: "cores whose caches keep all that they touch, beside any neighbours; not part of the mix",
        shapes: resident::SHAPES,
    },
    Family {
        name: "local",
        about: "the same, with tasks that ask others of their own core; not part of the mix",
        shapes: local::SHAPES,
    },
    Family {
        name: "remote",
        about: "resident cores whose tasks activate tasks of other cores; not part of the mix",
        shapes: remote::SHAPES,
    },
];

/// All families, each once.
pub fn families() -> &'static [Family] {
    &FAMILIES
}

/// A random duration in whole microseconds, with equal probability for each octave from `low` to
/// `high`.
fn spread(random: &mut Rng, low: u64, high: u64) -> u64 {
    let octaves = (high / low.max(1)).max(1).ilog2();
    let low = low << random.u32(0..=octaves);
    let time = random.u64(low..=(2 * low).min(high).max(low));
    (time / 1_000).max(1) * 1_000
}

/// True in this percentage of cases.
fn chance(random: &mut Rng, percent: u32) -> bool {
    random.u32(0..100) < percent
}
