// SPDX-License-Identifier: Apache-2.0
//! Reads a run: its events, each once and also while the machine runs, and the figures at its end.

use crate::decode::{self, DecodeError};
use crate::enumeration::State;
use crate::event::{Entry, Event};
use crate::record::{Record, Standing, Taken};

/// The number of events that a core may have written although the count that the reader sees does
/// not include them: their stores may still wait in the core's store buffer. Each event consists of
/// several stores, and no store buffer holds those of more events.
const IN_FLIGHT: u64 = 16;

/// How far the events of a machine have been read.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    cores: Vec<Ring>,
    /// The latest waits of the tasks, by ID - 1.
    tasks: Vec<Latest>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Ring {
    /// The number of the next event to take; earlier ones were taken, or are lost.
    next: u64,
    /// The number of events that had been written at the last look.
    seen: u64,
    lost: bool,
}

/// When a task last began to wait, and when a wait of it last ended, in ticks.
#[derive(Clone, Copy, Debug, Default)]
struct Latest {
    wait: Option<u64>,
    wake: Option<u64>,
}

impl Record {
    /// Decodes the whole record at the start of `bytes`; every field is checked.
    pub fn decode(bytes: &[u8]) -> Result<Record, DecodeError> {
        Reader::default().finish(bytes)
    }
}

impl Reader {
    /// Takes the events that had been written at the look before this one. The stores of newer
    /// events may still stand in a core's store buffer, although the count includes them; the next
    /// look, which comes much later, takes those events.
    pub fn look(&mut self, record: &[u8]) -> Result<Taken, DecodeError> {
        self.take(record, true)
    }

    /// Returns the record of a machine that has stopped, with all remaining events.
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
            } // some of the lost ones may still be found at the end
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

/// When the waiting job began to wait, or the other job last became ready: the time of the latest
/// such event, if that event belongs to this job. A job that does not wait and has no such event is
/// ready since its release, unless events are lost.
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

/// Whether a wait for a lock goes on. The kernel fills in the time of the wait when it is over, and
/// the core writes no event before that.
fn still_waits(entry: &Entry) -> bool {
    entry.event == Event::LockWait { ticks: 0 }
}
