// SPDX-License-Identifier: Apache-2.0
//! ACLINT MTIMER: `mtime`, and an `mtimecmp` for each hart, whose machine timer interrupt is high
//! while mtime >= mtimecmp. (RISC-V ACLINT 1.0, chapter 2.)
//!
//! `mtime` follows from the harts' clock and cannot be written: a store to it is refused, as it
//! would part `mtime` from the harts' `time`. At reset no comparison is due.

use serde::{Deserialize, Serialize};

use super::map::MTIME_OFFSET;
use super::wires::Wires;
use super::{Clock, Device, Edge, Kind, Refused, Request, Tick};

/// Wire and register have the hart's place in common.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Mtimer {
    clock: Clock,
    compare: Vec<u64>,
    wires: Wires,
    /// When the next wire rises, if nobody writes.
    next: Option<Tick>,
}

impl Mtimer {
    pub fn new(places: usize, clock: Clock) -> Mtimer {
        let (compare, wires) = (vec![u64::MAX; places], Wires::new(places));
        Mtimer { clock, compare, wires, next: None }
    }

    pub fn time(&self, now: Tick) -> u64 {
        self.clock.time(now)
    }

    fn settle(&mut self, now: Tick) {
        let time = self.time(now);
        let mut earliest: Option<u64> = None;
        for (place, &compare) in self.compare.iter().enumerate() {
            self.wires.set(place, time >= compare);
            if time < compare && earliest.is_none_or(|earliest| compare < earliest) {
                earliest = Some(compare);
            }
        }
        self.next = earliest.and_then(|time| self.clock.tick_of(time));
    }

    fn read(&self, now: Tick, offset: u64) -> u64 {
        let place = (offset / 8) as usize;
        let value = if offset & !7 == MTIME_OFFSET {
            self.time(now)
        } else {
            self.compare.get(place).copied().unwrap_or(0)
        };
        value >> (8 * (offset & 4))
    }

    fn write(&mut self, now: Tick, request: Request, value: u64) -> Result<(), Refused> {
        if request.offset & !7 == MTIME_OFFSET {
            return Err(Refused);
        }
        if let Some(compare) = self.compare.get_mut((request.offset / 8) as usize) {
            *compare = match (request.bytes, request.offset & 4) {
                (8, _) => value,
                (_, 0) => *compare & !0xffff_ffff | value,
                _ => *compare & 0xffff_ffff | value << 32,
            };
            self.settle(now);
        }
        Ok(())
    }
}

impl Device for Mtimer {
    fn access(&mut self, now: Tick, request: Request) -> Result<u64, Refused> {
        match (request.bytes, request.kind) {
            (8, Kind::Read) => Ok(self.read(now, request.offset)),
            (4, Kind::Read) => Ok(self.read(now, request.offset) & 0xffff_ffff),
            (4 | 8, Kind::Write(value)) => self.write(now, request, value).map(|()| 0),
            _ => Err(Refused),
        }
    }

    fn advance(&mut self, now: Tick) {
        if self.next.is_some_and(|next| next <= now) {
            self.settle(now);
        }
    }

    fn next_event(&self) -> Option<Tick> {
        self.next
    }

    fn edges(&mut self, out: &mut Vec<Edge>) {
        self.wires.take(out);
    }
}
