// SPDX-License-Identifier: Apache-2.0
//! How rings are read while the machine writes them.

mod common;

use common::*;
use takt_record::{Record, Rings, Taken};

/// A record of one core whose ring of 64 holds the last of `written` events: number n at tick n.
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
    taken.events.iter().map(|(_, event)| event.time).collect()
}

#[test]
fn a_look_takes_what_was_there_at_the_look_before() {
    let mut rings = Rings::default();
    assert_eq!(rings.look(&ring(5)).unwrap(), Taken::default());
    assert_eq!(times(&rings.look(&ring(9)).unwrap()), [0, 1, 2, 3, 4]);
    assert_eq!(times(&rings.look(&ring(50)).unwrap()), [5, 6, 7, 8]);
    let last = Record::decode(&ring(60)).unwrap();
    assert_eq!(times(&rings.rest(&last)), (9..60).collect::<Vec<_>>());
}

#[test]
fn what_was_overwritten_is_counted_as_lost() {
    let mut rings = Rings::default();
    rings.look(&ring(40)).unwrap();
    // 20 is the oldest that is surely no longer written: 84 + 16 - 64 = 36.
    let taken = rings.look(&ring(84)).unwrap();
    assert_eq!((times(&taken), taken.lost), (vec![36, 37, 38, 39], vec![(0, 36)]));
    let taken = rings.rest(&Record::decode(&ring(200)).unwrap());
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
    let mut rings = Rings::default();
    rings.look(&wait(0)).unwrap();
    assert_eq!(times(&rings.look(&wait(0)).unwrap()), [0, 1]);
    let taken = rings.look(&wait(7)).unwrap();
    assert_eq!((taken.events[0].1.kind, taken.events[0].1.value), ("lock_wait", 7));
}
