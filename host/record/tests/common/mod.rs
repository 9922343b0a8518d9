// SPDX-License-Identifier: Apache-2.0
//! Builds a record by hand, byte for byte as the kernel lays it out: nothing here asks the code
//! under test where a field lies.
#![allow(dead_code)] // each test file uses some of it

use takt_record::event::{Event, KINDS};

pub const HEADER: usize = 304;
pub const TASK: usize = 192;
pub const INTERRUPT: usize = 64;
pub const LIMIT: usize = 64;
pub const REFUSAL: usize = 64;
/// The size of a core's figures with room for eight refusals.
pub const CORE: usize = 56 + 8 * REFUSAL;
pub const EVENT: usize = 16;

pub const TASKS: usize = HEADER;
/// The size of one core's block with a ring of two events.
pub const STRIDE: usize = CORE + 2 * EVENT;

pub fn put32(bytes: &mut [u8], offset: usize, value: u32) {
    bytes[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
}

pub fn put64(bytes: &mut [u8], offset: usize, value: u64) {
    bytes[offset..offset + 8].copy_from_slice(&value.to_le_bytes());
}

/// A record of a run that lasted 2 s at 10 MHz and was shut down, with zeros for its figures.
pub fn record(tasks: usize, cores: usize) -> Vec<u8> {
    let cores_offset = TASKS + tasks * TASK;
    let total = cores_offset + cores * STRIDE;
    let mut bytes = vec![0; total];
    bytes[..8].copy_from_slice(b"TAKTREC\0");
    let words = [(8, 13), (12, HEADER), (36, 1), (40, 0), (44, cores), (48, tasks), (52, TASK)];
    let more = [(56, EVENT), (60, 2), (64, TASKS), (68, cores_offset), (72, STRIDE)];
    let interrupts = [(280, INTERRUPT), (284, cores_offset)];
    let limits = [(288, 0), (292, LIMIT), (296, cores_offset), (300, REFUSAL)];
    for (offset, value) in words.into_iter().chain(more).chain(interrupts).chain(limits) {
        put32(&mut bytes, offset, value as u32);
    }
    bytes[16..36].copy_from_slice(&[0xab; 20]);
    let ticks = [(80, total as u64), (88, 10_000_000), (96, 5_000), (104, 0), (112, 20_005_000)];
    for (offset, value) in ticks {
        put64(&mut bytes, offset, value);
    }
    bytes
}

/// The first figures of one task, in the order of the schema.
pub fn put_task<const COUNT: usize>(bytes: &mut [u8], index: usize, figures: [u64; COUNT]) {
    for (field, value) in figures.into_iter().enumerate() {
        put64(bytes, TASKS + index * TASK + field * 8, value);
    }
}

/// The event of a kind, given by its name, with a value; None if the kind has no such value.
pub fn event(kind: &str, value: u32) -> Option<Event> {
    let kind = KINDS.iter().find(|it| it.name == kind).expect("a kind of event");
    Event::decode(kind.number, value)
}
