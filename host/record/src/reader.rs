// SPDX-License-Identifier: Apache-2.0
//! Reading a run: its events, also while the machine runs, each once, and the figures at its end.

use crate::decode::{self, DecodeError};
use crate::enumeration::State;
use crate::event::{Entry, Event};
use crate::record::{Record, Standing};
use crate::schema::{EVENT, ring_offset};

/// Events that a core may have written without the count of them being seen, as their stores wait in
/// its buffer: each is several stores, and no buffer holds so many.
const IN_FLIGHT: u64 = 16;

/// How far the events of a machine were read.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    cores: Vec<Ring>,
    /// By ID - 1.
    tasks: Vec<Latest>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Ring {
    /// Events before this one were taken, or are lost.
    next: u64,
    /// How many there were at the last look.
    seen: u64,
    lost: bool,
}

/// When a task began to wait last, and when a wait of it ended, in ticks.
#[derive(Clone, Copy, Debug, Default)]
struct Latest {
    wait: Option<u64>,
    wake: Option<u64>,
}

/// Events that were not taken before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// By time, over all cores; each with its core.
    pub events: Vec<(usize, Entry)>,
    /// Core and number of the events that were overwritten before they were taken: they lie
    /// before those of the core in `events`.
    pub lost: Vec<(usize, u64)>,
}

impl Reader {
    /// What had been written at the look before this one. What is newer may still stand in a core's store
    /// buffer, behind the count of the events: it is taken at the next look, long after.
    pub fn look(&mut self, record: &[u8]) -> Result<Taken, DecodeError> {
        self.take(record, true)
    }

    /// The record of a machine that has stopped, with all the events that are left.
    pub fn finish(mut self, record: &[u8]) -> Result<Record, DecodeError> {
        let mut decoded = Record::figures(record)?;
        decoded.events = self.take(record, false)?;
        let is_whole = self.cores.iter().all(|ring| !ring.lost && ring.next > 0);
        self.tasks.resize(decoded.tasks.len(), Latest::default());
        for (task, latest) in decoded.tasks.iter_mut().zip(&self.tasks) {
            let nanos = |ticks: Option<u64>| ticks.map(|ticks| decoded.head.since_epoch(ticks));
            task.end.since = since(&task.end, nanos(latest.wait), nanos(latest.wake), is_whole);
        }
        Ok(decoded)
    }

    fn take(&mut self, record: &[u8], runs: bool) -> Result<Taken, DecodeError> {
        let rings = decode::rings(record)?;
        self.cores.resize(rings.len(), Ring::default());
        let mut taken = Taken::default();
        for (core, (state, ring)) in self.cores.iter_mut().zip(&rings).enumerate() {
            let newest = if runs { state.seen } else { ring.written };
            let in_flight = if runs { IN_FLIGHT } else { 0 };
            let oldest = ring.written.saturating_add(in_flight).saturating_sub(ring.capacity);
            if oldest < newest {
                state.skip_to(oldest, core, &mut taken);
            } // else the end may still find some of them
            while (oldest..newest).contains(&state.next) {
                let entry = ring.entry(state.next)?;
                if runs && still_waits(&entry) {
                    break;
                }
                taken.events.push((core, entry));
                state.next += 1;
            }
            state.seen = ring.written;
        }
        taken.sort();
        taken.events.iter().for_each(|(_, entry)| self.note(entry));
        Ok(taken)
    }

    fn note(&mut self, entry: &Entry) {
        let Some(index) = usize::from(entry.task).checked_sub(1) else { return };
        let is_wait = match entry.event {
            Event::Wait { .. } => true,
            Event::Wake { .. } => false,
            _ => return,
        };
        if self.tasks.len() <= index {
            self.tasks.resize(index + 1, Latest::default());
        }
        let latest = &mut self.tasks[index];
        let place = if is_wait { &mut latest.wait } else { &mut latest.wake };
        *place = (*place).max(Some(entry.time));
    }
}

/// When the job began to wait, or was ready last. Events that were lost may have been later ones of that, but of those
/// that were read the latest is right.
fn since(end: &Standing, wait: Option<u64>, wake: Option<u64>, is_whole: bool) -> Option<u64> {
    let waits = matches!(end.state, State::Waiting | State::Spinning);
    let latest = if waits { wait } else { wake };
    let begin = end.release.filter(|_| is_whole && !waits);
    latest.filter(|time| Some(*time) >= end.release).or(begin)
}

impl Ring {
    fn skip_to(&mut self, oldest: u64, core: usize, taken: &mut Taken) {
        if self.next < oldest {
            taken.lost.push((core, oldest - self.next));
            (self.next, self.lost) = (oldest, true);
        }
    }
}

impl Taken {
    /// Of one time a post comes first, since what it asks for may have the same.
    fn sort(&mut self) {
        let is_post = |event| matches!(event, Event::Post { .. });
        self.events.sort_by_key(|(_, entry)| (entry.time, !is_post(entry.event)));
    }
}

/// The kernel fills in the time when the wait is over; the core writes nothing before.
fn still_waits(entry: &Entry) -> bool {
    entry.event == Event::LockWait { ticks: 0 }
}

/// One core's ring in memory.
pub struct RingBytes<'a> {
    written: u64,
    capacity: u64,
    bytes: &'a [u8],
}

impl<'a> RingBytes<'a> {
    /// `bytes`: the core's block, from its figures on; the decoder has checked its length.
    pub fn new(bytes: &'a [u8], written: u64, capacity: u64) -> Self {
        RingBytes { written, capacity, bytes: &bytes[ring_offset()..] }
    }

    fn entry(&self, index: u64) -> Result<Entry, DecodeError> {
        decode::entry(&self.bytes[(index % self.capacity) as usize * EVENT.size()..])
    }
}
