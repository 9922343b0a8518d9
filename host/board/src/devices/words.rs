// SPDX-License-Identifier: Apache-2.0
//! Words that all harts reach: plain ones, as mailboxes and flags are made of, such as a read
//! takes, as the lock registers of a board on a bus, and such as one core alone writes. 8 bytes each, 0 at the start.

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
    /// Words of each core, which alone writes them; 0: everyone writes all.
    owned: u64,
}

impl Words {
    pub fn new(count: u32, takes: bool, posted: bool) -> Words {
        Words { words: vec![0; count as usize], takes, posted, owned: 0 }
    }

    /// Makes words of which each core has `count`, which it alone writes.
    pub fn owned(cores: u32, count: u32) -> Words {
        Words { owned: count.into(), ..Words::new(cores * count, false, true) }
    }

    pub(super) fn permits(&self, request: &Request) -> bool {
        let Request { initiator, offset, bytes, kind } = *request;
        let number = offset / BYTES;
        let reads = self.owned == 0 || kind == Kind::Read;
        let may = reads || number / self.owned == u64::from(initiator);
        may && matches!(bytes, 4 | 8) && offset % BYTES == 0 && number < self.words.len() as u64
    }

    pub(super) fn posted(&self) -> bool {
        self.posted
    }
}

impl Device for Words {
    /// A word is read and written whole, or by its lower half, with the upper half 0.
    fn access(&mut self, _now: Tick, request: Request) -> Result<u64, Refused> {
        if !self.permits(&request) {
            return Err(Refused);
        }
        let word = &mut self.words[(request.offset / BYTES) as usize];
        match request.kind {
            Kind::Read if self.takes => Ok(std::mem::replace(word, 1)),
            Kind::Read => Ok(*word),
            Kind::Write(value) => {
                *word = value;
                Ok(0)
            }
        }
    }
}
