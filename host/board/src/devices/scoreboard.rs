// SPDX-License-Identifier: Apache-2.0
//! The object scoreboard: an entry of 32 bits for each core, which that core alone writes and all read. For each other
//! core it has a setting part and response bits, 2 bits each (Gu et al. 2011, section 3.3.2). Two views show a core what
//! the others' entries say to it.

use serde::{Deserialize, Serialize};

use super::{Device, Kind, Refused, Request, Tick};

const ENTRY: u64 = 4;
const ARRIVALS: u64 = 0x40;
const ANSWERS: u64 = 0x48;
/// From the response part's bits to the setting parts.
const SETTING: u32 = 16;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scoreboard {
    entries: Vec<u32>,
}

/// The first bit of the part that an entry has for another core. Entries leave out their own core.
fn field(other: usize, own: usize) -> usize {
    2 * (other - usize::from(other > own))
}

impl Scoreboard {
    /// `cores`: at most 9, whose fields fit the entries.
    pub fn new(cores: u32) -> Scoreboard {
        Scoreboard { entries: vec![0; cores as usize] }
    }

    pub(super) fn permits(&self, request: &Request) -> bool {
        let Request { initiator, offset, bytes, kind } = *request;
        let entry = (offset / ENTRY) as usize;
        let aligned = u64::from(bytes) == ENTRY && offset % ENTRY == 0;
        let there = match kind {
            Kind::Read => entry < self.entries.len() || matches!(offset, ARRIVALS | ANSWERS),
            Kind::Write(_) => entry == initiator as usize,
        };
        aligned && there && (initiator as usize) < self.entries.len()
    }

    /// The part that each other core's entry has for the reader, `shift` bits up, in the reader's order of fields.
    fn view(&self, reader: usize, shift: u32) -> u32 {
        let others = self.entries.iter().enumerate().filter(|(core, _)| *core != reader);
        others.fold(0, |view, (core, entry)| {
            let part = entry >> shift >> field(reader, core) & 3;
            view | part << field(core, reader)
        })
    }
}

impl Device for Scoreboard {
    fn access(&mut self, _now: Tick, request: Request) -> Result<u64, Refused> {
        if !self.permits(&request) {
            return Err(Refused);
        }
        let entry = (request.offset / ENTRY) as usize;
        let reader = request.initiator as usize;
        match (request.kind, request.offset) {
            (Kind::Read, ARRIVALS) => Ok(self.view(reader, SETTING).into()),
            (Kind::Read, ANSWERS) => Ok(self.view(reader, 0).into()),
            (Kind::Read, _) => Ok(self.entries[entry].into()),
            (Kind::Write(value), _) => {
                self.entries[entry] = value as u32;
                Ok(0)
            }
        }
    }
}
