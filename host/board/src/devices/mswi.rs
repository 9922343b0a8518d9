// SPDX-License-Identifier: Apache-2.0
//! ACLINT MSWI: a register `msip` for each hart, whose bit 0 is the hart's machine software
//! interrupt. (RISC-V ACLINT 1.0, chapter 3.)

use serde::{Deserialize, Serialize};

use super::wires::Wires;
use super::{Device, Edge, Kind, Refused, Request, Tick};

/// Wire and register have the hart's place in common.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Mswi {
    wires: Wires,
}

impl Mswi {
    pub fn new(places: usize) -> Mswi {
        Mswi { wires: Wires::new(places) }
    }
}

impl Device for Mswi {
    fn access(&mut self, _now: Tick, request: Request) -> Result<u64, Refused> {
        if request.bytes != 4 {
            return Err(Refused);
        }
        let place = (request.offset / 4) as usize;
        if place >= self.wires.count() {
            return Ok(0); // a register of a hart that is not there
        }
        match request.kind {
            Kind::Read => Ok(u64::from(self.wires.level(place))),
            Kind::Write(value) => {
                self.wires.set(place, value & 1 != 0);
                Ok(0)
            }
        }
    }

    fn edges(&mut self, out: &mut Vec<Edge>) {
        self.wires.take(out);
    }
}
