// SPDX-License-Identifier: Apache-2.0
//! Words that all harts reach: plain ones, as mailboxes and flags are made of, and such as a read
//! takes, as the lock registers of a board on a bus. 8 bytes each, 0 at the start.

use serde::{Deserialize, Serialize};

use super::{Device, Kind, Refused, Request, Tick};

const BYTES: u64 = 8;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Words {
    words: Vec<u64>,
    /// A read leaves 1.
    takes: bool,
    /// Nobody waits for the answer to a store.
    posted: bool,
}

impl Words {
    pub fn new(count: u32, takes: bool, posted: bool) -> Words {
        Words { words: vec![0; count as usize], takes, posted }
    }

    pub(super) fn posted(&self) -> bool {
        self.posted
    }
}

impl Device for Words {
    /// A word is read and written whole, or by its lower half, with the upper half 0.
    fn access(&mut self, _now: Tick, request: Request) -> Result<u64, Refused> {
        let Request { offset, bytes, kind, .. } = request;
        if !matches!(bytes, 4 | 8) || offset % BYTES != 0 {
            return Err(Refused);
        }
        let word = self.words.get_mut((offset / BYTES) as usize).ok_or(Refused)?;
        match kind {
            Kind::Read if self.takes => Ok(std::mem::replace(word, 1)),
            Kind::Read => Ok(*word),
            Kind::Write(value) => {
                *word = value;
                Ok(0)
            }
        }
    }
}
