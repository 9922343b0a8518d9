// SPDX-License-Identifier: Apache-2.0
//! The test finisher (sifive,test1): a word at 0 that ends the run.

use serde::{Deserialize, Serialize};

use super::{Device, Kind, Refused, Request, Tick};

const FAIL: u64 = 0x3333;
const PASS: u64 = 0x5555;
const RESET: u64 = 0x7777;

/// How the program asked the machine to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Finish {
    Pass,
    Fail(u32),
    Reset,
}

/// The low half of the word says what, the high half is the code of a failure.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Finisher {
    finish: Option<Finish>,
}

impl Finisher {
    pub fn finish(&self) -> Option<Finish> {
        self.finish
    }
}

impl Device for Finisher {
    fn access(&mut self, _now: Tick, request: Request) -> Result<u64, Refused> {
        if !matches!(request.bytes, 2 | 4) {
            return Err(Refused);
        }
        if let (0, Kind::Write(value), None) = (request.offset, request.kind, self.finish) {
            self.finish = match value & 0xffff {
                FAIL => Some(Finish::Fail((value >> 16) as u32)),
                PASS => Some(Finish::Pass),
                RESET => Some(Finish::Reset),
                _ => None,
            };
        }
        Ok(0)
    }
}
