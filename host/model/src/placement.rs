// SPDX-License-Identifier: Apache-2.0
//! Where the kernel keeps tasks, queues and time: docs/design/placements.md.

use crate::Word;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// Tasks are with their cores, and objects in memory that all cores share, under locks.
    #[default]
    Distributed,
    /// Ready queues are with their cores, objects and time with core 0.
    Semi,
    /// Everything is with core 0, which serves the requests of all cores.
    Central,
    /// Everything is in a device, the board's RTU.
    Rtu,
}

impl Placement {
    /// The placements for which there is a kernel.
    pub const BUILT: &[Placement] = &[Placement::Distributed];

    pub fn is_built(self) -> bool {
        Self::BUILT.contains(&self)
    }

    /// The greatest number of tasks, and that of the objects of a class.
    pub fn limits(self) -> (usize, usize) {
        match self {
            // An ID has 16 bits.
            Placement::Distributed => (65535, 65535),
            // A command of a core has 8 bits for a task, and 10 for an object.
            Placement::Semi | Placement::Central | Placement::Rtu => (255, 1023),
        }
    }
}

/// A service that the application calls, and that the kernel of its placement does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingService {
    pub service: String,
    /// The names of the sources that call it.
    pub sources: Vec<String>,
}

impl Word for Placement {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("distributed", Self::Distributed),
        ("semi", Self::Semi),
        ("central", Self::Central),
        ("rtu", Self::Rtu),
    ];
}
