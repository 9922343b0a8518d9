// SPDX-License-Identifier: Apache-2.0
//! Where the kernel keeps tasks, queues and time: docs/design/placements.md.

use crate::{Bytes, Rtu, Word};

/// The part of each exchange that is the kernel's, whatever its placement; what lies behind it is for
/// libraries.
pub const KERNEL_EXCHANGE: Bytes = Bytes(16 << 10);

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
    /// How many objects the kernel can number.
    pub fn limits(self) -> Limits {
        let (tasks, objects) = match self {
            // An ID has 16 bits.
            Placement::Distributed => (65535, 65535),
            // A command of a core has 8 bits for a task, and 10 for an object.
            Placement::Semi | Placement::Central | Placement::Rtu => (255, 1023),
        };
        Limits { tasks, semaphores: objects, queues: objects, messages: 65536 }
    }
}

/// The greatest numbers of objects, and of the words that wait in a priority data queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub tasks: usize,
    pub semaphores: usize,
    pub queues: usize,
    pub messages: usize,
}

impl Limits {
    /// The limits of a kernel whose objects are in a unit.
    pub(crate) fn of_unit(self, rtu: &Rtu) -> Limits {
        Limits {
            tasks: self.tasks.min(rtu.tasks as usize),
            semaphores: self.semaphores.min(rtu.semaphores as usize),
            queues: self.queues.min(rtu.queues as usize),
            messages: self.messages.min(rtu.messages as usize),
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
