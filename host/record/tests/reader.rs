// SPDX-License-Identifier: Apache-2.0
//! Tests how events are read while the machine writes them, and what the reader derives from them
//! at the end.

mod common;

use common::*;
use takt_record::{Event, Reader, Taken};

/// A record of one core whose ring of 64 events holds the last of `written` events: event number n
/// has the time n.
fn ring(written: u64) -> Vec<u8> {
    let stride = CORE + 64 * EVENT;
    let mut bytes = record(0, 1);
    bytes.resize(TASKS + stride, 0);
    put32(&mut bytes, 60, 64);
    put32(&mut bytes, 72, stride as u32);
    let total = bytes.len() as u64;
    put64(&mut bytes, 80, total);
    put64(&mut bytes, TASKS + 8, written);
    put64(&mut bytes, TASKS + 16, written.saturating_sub(64));
    for number in written.saturating_sub(64)..written {
        let at = TASKS + CORE + (number % 64) as usize * EVENT;
        put64(&mut bytes, at, number);
        put32(&mut bytes, at + 8, 10);
    }
    bytes
}

fn times(taken: &Taken) -> Vec<u64> {
    taken.events.iter().map(|(_, entry)| entry.time).collect()
}

#[test]
fn a_look_takes_what_was_there_at_the_look_before() {
    let mut reader = Reader::default();
    assert_eq!(reader.look(&ring(5)).unwrap(), Taken::default());
    assert_eq!(times(&reader.look(&ring(9)).unwrap()), [0, 1, 2, 3, 4]);
    assert_eq!(times(&reader.look(&ring(50)).unwrap()), [5, 6, 7, 8]);
    let record = reader.finish(&ring(60)).unwrap();
    assert_eq!(times(&record.events), (9..60).collect::<Vec<_>>());
}

#[test]
fn what_was_overwritten_is_counted_as_lost() {
    let mut reader = Reader::default();
    reader.look(&ring(40)).unwrap();
    // Event 20 is the oldest that is surely no longer being overwritten: 84 + 16 - 64 = 36.
    let taken = reader.look(&ring(84)).unwrap();
    assert_eq!((times(&taken), taken.lost), (vec![36, 37, 38, 39], vec![(0, 36)]));
    let taken = reader.finish(&ring(200)).unwrap().events;
    assert_eq!((times(&taken), &taken.lost), ((136..200).collect(), &vec![(0, 96)]));
}

#[test]
fn a_wait_for_a_lock_is_taken_when_it_is_over() {
    let wait = |value| {
        let mut bytes = ring(3);
        put32(&mut bytes, TASKS + CORE + 2 * EVENT + 8, 14);
        put32(&mut bytes, TASKS + CORE + 2 * EVENT + 12, value);
        bytes
    };
    let mut reader = Reader::default();
    reader.look(&wait(0)).unwrap();
    assert_eq!(times(&reader.look(&wait(0)).unwrap()), [0, 1]);
    let taken = reader.look(&wait(7)).unwrap();
    assert_eq!(taken.events[0].1.event, Event::LockWait { ticks: 7 });
}

/// A record of one task whose job is in this state and was released 10 us after the epoch. Its ring
/// holds two events (time in us, kind).
fn standing(state: u32, events: [(u64, u32); 2], written: u64) -> Vec<u8> {
    let mut bytes = record(1, 1);
    put32(&mut bytes, TASKS + 152, state);
    put64(&mut bytes, TASKS + 128, 10_000);
    let core = TASKS + TASK;
    put64(&mut bytes, core + 8, written);
    for (slot, (time, kind)) in events.into_iter().enumerate() {
        let at = core + CORE + slot * EVENT;
        put64(&mut bytes, at, 5_000 + time * 10);
        put32(&mut bytes, at + 8, 1 << 16 | kind);
    }
    bytes
}

#[test]
fn since_when_a_job_waits_or_is_ready_is_its_latest_event_of_that() {
    const READY: u32 = 3;
    const WAITING: u32 = 5;
    let (wait, wake, dispatch) = (4, 5, 2);
    let since = |bytes: &[u8]| Reader::default().finish(bytes).unwrap().tasks[0].end.since;
    let both = [(20, wait), (30, wake)];
    assert_eq!(since(&standing(WAITING, both, 2)), Some(20_000));
    assert_eq!(since(&standing(READY, both, 2)), Some(30_000));
    // The events belong to the job before.
    assert_eq!(since(&standing(WAITING, [(5, wait), (6, dispatch)], 2)), None);
    // The job is ready since its release, unless events are lost.
    assert_eq!(since(&standing(READY, [(5, wake), (6, dispatch)], 2)), Some(10_000));
    assert_eq!(since(&standing(READY, [(5, wake), (6, dispatch)], 3)), None);
}

/// An event that a look has taken is known at the end, even if the ring has been overwritten.
#[test]
fn what_was_read_before_it_was_overwritten_is_known() {
    let mut before = standing(5, [(20, 4), (30, 1)], 16);
    let core = TASKS + TASK;
    let stride = CORE + 32 * EVENT;
    before.resize(core + stride, 0);
    put32(&mut before, 60, 32);
    put32(&mut before, 72, stride as u32);
    put64(&mut before, 80, (core + stride) as u64);
    let mut after = before.clone();
    put64(&mut after, core + 8, 34);
    after[core + CORE..].fill(0);
    let mut reader = Reader::default();
    reader.look(&before).unwrap();
    assert_eq!(reader.look(&before).unwrap().events.len(), 16);
    let record = reader.finish(&after).unwrap();
    assert_eq!((record.events.events.len(), record.tasks[0].end.since), (18, Some(20_000)));
    assert_eq!(Reader::default().finish(&after).unwrap().tasks[0].end.since, None);
}

/// No event of a ring that is smaller than the number of events in flight can be taken safely
/// before the machine has stopped.
#[test]
fn a_small_ring_is_read_at_the_end() {
    let bytes = standing(5, [(20, 4), (30, 1)], 2);
    let mut reader = Reader::default();
    for _ in 0..3 {
        assert_eq!(reader.look(&bytes).unwrap(), Taken::default());
    }
    let taken = reader.finish(&bytes).unwrap().events;
    assert_eq!((taken.events.len(), taken.lost), (2, vec![]));
}
