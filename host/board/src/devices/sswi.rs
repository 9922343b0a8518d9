// SPDX-License-Identifier: Apache-2.0
//! ACLINT SSWI: a register `setssip` for each hart. Writing 1 sets the hart's SSIP once; only
//! software clears it, in `sip`. It reads as zero. (RISC-V ACLINT 1.0, chapter 4.)

use serde::{Deserialize, Serialize};

use super::{Device, Edge, Kind, Refused, Request, Tick};

/// An edge is a set SSIP: `level` is always true, and one may follow another.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sswi {
    harts: u32,
    set: Vec<Edge>,
}

impl Sswi {
    pub fn new(harts: u32) -> Sswi {
        Sswi { harts, set: Vec::new() }
    }

    /// Sets the SSIP of the hart of this index.
    pub fn set(&mut self, hart: u32) {
        if hart < self.harts {
            self.set.push(Edge { wire: hart, level: true });
        }
    }
}

impl Device for Sswi {
    fn access(&mut self, _now: Tick, request: Request) -> Result<u64, Refused> {
        if request.bytes != 4 {
            return Err(Refused);
        }
        if let Kind::Write(value) = request.kind {
            if value & 1 != 0 {
                self.set((request.offset / 4) as u32);
            }
        }
        Ok(0)
    }

    fn edges(&mut self, out: &mut Vec<Edge>) {
        out.append(&mut self.set);
    }
}
