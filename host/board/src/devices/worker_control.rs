// SPDX-License-Identifier: Apache-2.0
//! What holds workers in reset: for each core 16 bytes, *entry* (the pc after reset) and *run* (bit 0: 1 leaves reset, 0
//! returns to it). 64 bits each, accessed whole; cores that are no workers have none.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Device, Kind, Refused, Request, Tick};

const BYTES: u64 = 16;
const RUN: u64 = 8;

/// A worker leaves reset or returns to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    pub core: u32,
    /// Where it begins. None: it is held.
    pub entry: Option<u64>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorkerControl {
    workers: Range<u32>,
    /// By worker: the entry, and whether it runs.
    registers: Vec<(u64, bool)>,
    changed: Vec<Run>,
}

impl WorkerControl {
    pub fn new(workers: Range<u32>) -> WorkerControl {
        let registers = vec![(0, false); workers.len()];
        WorkerControl { workers, registers, changed: Vec::new() }
    }

    pub(super) fn permits(&self, request: &Request) -> bool {
        let core = request.offset / BYTES;
        let there = u32::try_from(core).is_ok_and(|core| self.workers.contains(&core));
        there && request.bytes == 8 && request.offset % 8 == 0
    }

    /// What has changed since the last call, in order.
    pub(super) fn changes(&mut self) -> Vec<Run> {
        std::mem::take(&mut self.changed)
    }
}

impl Device for WorkerControl {
    fn access(&mut self, _now: Tick, request: Request) -> Result<u64, Refused> {
        if !self.permits(&request) {
            return Err(Refused);
        }
        let core = (request.offset / BYTES) as u32;
        let (entry, runs) = &mut self.registers[(core - self.workers.start) as usize];
        match (request.kind, request.offset % BYTES) {
            (Kind::Read, RUN) => return Ok((*runs).into()),
            (Kind::Read, _) => return Ok(*entry),
            (Kind::Write(value), RUN) => {
                let run = value & 1 != 0;
                if run != *runs {
                    *runs = run;
                    self.changed.push(Run { core, entry: run.then_some(*entry) });
                }
            }
            (Kind::Write(value), _) => *entry = value,
        }
        Ok(0)
    }
}
