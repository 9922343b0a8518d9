// SPDX-License-Identifier: Apache-2.0
//! Requests of the coherence protocol: what a core asks of a line's home.

use crate::isa::Amo;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    Data,
    /// For L1 I.
    Code,
    /// Asked for ahead of its use.
    Ahead,
}

/// A core's (or device's) request to a line's home.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Request {
    pub core: u32,
    pub line: u64,
    /// The node that is the line's home.
    pub home: u32,
    pub kind: RequestKind,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum RequestKind {
    Share(Purpose),
    /// To write. `holds`: the core has a copy and needs no data unless it loses that first.
    Own {
        holds: bool,
    },
    /// All copies are given up and the home does it.
    Operation(Operation),
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Operation {
    Atomic {
        amo: Amo,
        offset: u64,
        bytes: u8,
        operand: u64,
    },
    /// Zicbom: the line goes to memory.
    Flush,
    /// The transfer that the device waits for.
    Dma,
}
