// SPDX-License-Identifier: Apache-2.0
//! Taking the events from the rings, also while the machine runs.

use crate::schema::{EVENT, ring_offset};

use crate::decode::{self, DecodeError};
use crate::record::{Event, Record};

/// Events that a core may have written without the count of them being seen, as their stores wait in
/// its buffer: each is several stores, and no buffer holds so many.
const IN_FLIGHT: u64 = 16;

/// How far the rings of a machine were read.
#[derive(Clone, Debug, Default)]
pub struct Rings {
    cores: Vec<Ring>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Ring {
    /// Events before this one were taken, or are lost.
    next: u64,
    /// How many there were at the last look.
    seen: u64,
}

/// What a look found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// By time, over all cores; each with its core.
    pub events: Vec<(usize, Event)>,
    /// Core and number of the events that were overwritten before they were taken: they lie
    /// before those of the core in `events`.
    pub lost: Vec<(usize, u64)>,
}

impl Rings {
    /// What had been written at the look before this one. What is newer may still stand in a core's store
    /// buffer, behind the count of the events: it is taken at the next look, long after.
    pub fn look(&mut self, record: &[u8]) -> Result<Taken, DecodeError> {
        let rings = decode::rings(record)?;
        self.cores.resize(rings.len(), Ring::default());
        let mut taken = Taken::default();
        for (core, (state, ring)) in self.cores.iter_mut().zip(&rings).enumerate() {
            let safe = (ring.written + IN_FLIGHT).saturating_sub(ring.capacity);
            if safe < state.seen {
                state.skip_to(safe, core, &mut taken);
            }
            while (safe..state.seen).contains(&state.next) {
                let event = ring.event(state.next)?;
                if still_waits(&event) {
                    break;
                }
                taken.events.push((core, event));
                state.next += 1;
            }
            state.seen = ring.written;
        }
        taken.sort();
        Ok(taken)
    }

    /// All that is left when the machine has stopped.
    pub fn rest(&mut self, record: &Record) -> Taken {
        self.cores.resize(record.cores.len(), Ring::default());
        let mut taken = Taken::default();
        for (core, (state, figures)) in self.cores.iter_mut().zip(&record.cores).enumerate() {
            let oldest = figures.events_dropped;
            state.skip_to(oldest, core, &mut taken);
            let known = (state.next - oldest) as usize;
            let left = figures.events.iter().skip(known);
            taken.events.extend(left.map(|event| (core, event.clone())));
            state.next = oldest + figures.events.len() as u64;
        }
        taken.sort();
        taken
    }
}

impl Ring {
    fn skip_to(&mut self, oldest: u64, core: usize, taken: &mut Taken) {
        if self.next < oldest {
            taken.lost.push((core, oldest - self.next));
            self.next = oldest;
        }
    }
}

impl Taken {
    /// Of one time a post comes first, since what it asks for may have the same.
    fn sort(&mut self) {
        self.events.sort_by_key(|(_, event)| (event.time, event.kind != "post"));
    }
}

/// The kernel fills in the time when the wait is over; the core writes nothing before.
fn still_waits(event: &Event) -> bool {
    event.kind == "lock_wait" && event.value == 0
}

/// One core's ring in memory.
pub struct RingBytes<'a> {
    pub written: u64,
    pub capacity: u64,
    bytes: &'a [u8],
}

impl<'a> RingBytes<'a> {
    /// `bytes`: the core's block, from its figures on; the decoder has checked its length.
    pub fn new(bytes: &'a [u8], written: u64, capacity: u64) -> Self {
        RingBytes { written, capacity, bytes: &bytes[ring_offset()..] }
    }

    fn event(&self, index: u64) -> Result<Event, DecodeError> {
        decode::event(&self.bytes[(index % self.capacity) as usize * EVENT.size()..])
    }
}
