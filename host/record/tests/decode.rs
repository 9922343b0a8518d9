// SPDX-License-Identifier: Apache-2.0
//! Tests the decoder: good records give back what was put in, damaged ones give an error, and none
//! causes a panic.

mod common;

use common::*;
use takt_record::{DecodeError, Event, Head, Outcome, Record};

const CORES: usize = TASKS + TASK;

fn one_core() -> Vec<u8> {
    let mut bytes = record(1, 1);
    put_task(&mut bytes, 0, [3, 1, 2, 4, 5, 6, 10, 30, 60, 8, 20, 14, 13, 512, 21, 7]);
    for (field, value) in [7, 3, 1, 9, 1_000, 11].into_iter().enumerate() {
        put64(&mut bytes, CORES + field * 8, value);
    }
    // The third event has overwritten the first.
    for (slot, (time, kind, value)) in [(300, 6, 60), (200, 2, 0)].into_iter().enumerate() {
        let at = CORES + CORE + slot * EVENT;
        put64(&mut bytes, at, time);
        put32(&mut bytes, at + 8, 1 << 16 | kind);
        put32(&mut bytes, at + 12, value);
    }
    bytes
}

#[test]
fn every_figure_is_found_where_c_puts_it() {
    let record = Record::decode(&one_core()).unwrap();
    assert_eq!(record.head.build_id, [0xab; 20]);
    assert_eq!(record.head.outcome, Outcome::Shutdown);
    assert_eq!(record.head.since_epoch(record.head.end), 2_000_000_000);
    let task = &record.tasks[0];
    let activations = [task.jobs, task.misses, task.losses, task.refused, task.held_back];
    assert_eq!(activations, [3, 1, 2, 4, 5]);
    assert_eq!([task.undeclared_waits, task.stack_used], [6, 512]);
    assert_eq!([task.response_min, task.response_max, task.response_sum], [10, 30, 60]);
    assert_eq!([task.execution_max, task.execution_surely, task.execution_sum], [8, 7, 20]);
    assert_eq!([task.overruns, task.stopped], [14, 13]);
    let core = &record.cores[0];
    assert_eq!([core.hart, core.events_dropped, core.console_dropped], [7, 1, 9]);
    assert_eq!([core.idle, core.interrupts], [1_000, 11]);
}

#[test]
fn an_interrupts_figures_lie_where_the_header_says() {
    let mut bytes = one_core();
    let place = bytes.len();
    bytes.extend([0; INTERRUPT]);
    let total = bytes.len();
    put32(&mut bytes, 76, 1);
    put32(&mut bytes, 284, place as u32);
    put64(&mut bytes, 80, total as u64);
    for (field, value) in [5, 7_000, 900, 800].into_iter().enumerate() {
        put64(&mut bytes, place + field * 8, value);
    }
    let it = &Record::decode(&bytes).unwrap().interrupts[0];
    assert_eq!(
        [it.count, it.distance_min, it.execution_max, it.execution_surely],
        [5, 7_000, 900, 800]
    );
}

#[test]
fn limits_and_refusals_lie_where_the_header_says() {
    let mut bytes = one_core();
    let place = bytes.len();
    bytes.extend([0; 2 * LIMIT]);
    let total = bytes.len();
    put32(&mut bytes, 288, 2);
    put32(&mut bytes, 296, place as u32);
    put64(&mut bytes, 80, total as u64);
    put64(&mut bytes, place + LIMIT, 77);
    let refusal = CORES + 56 + REFUSAL;
    put64(&mut bytes, refusal, 312);
    put32(&mut bytes, refusal + 8, 1);
    put32(&mut bytes, refusal + 12, 28);
    bytes[refusal + 24..][..15].copy_from_slice(b"takt_mutex_lock");
    put64(&mut bytes, CORES + 48, 5);
    let record = Record::decode(&bytes).unwrap();
    assert_eq!(record.limits, [0, 77]);
    let core = &record.cores[0];
    let [only] = core.refusals.as_slice() else { panic!("{:?}", core.refusals) };
    let found = (only.count, only.task, only.error, only.service.as_str());
    assert_eq!(found, (312, 1, 28, "takt_mutex_lock"));
    assert_eq!(core.refusals_dropped, 5);
}

#[test]
fn a_ring_is_read_oldest_first() {
    let record = Record::decode(&one_core()).unwrap();
    let events: Vec<_> =
        record.events.events.iter().map(|(core, it)| (*core, it.time, it.task, it.event)).collect();
    let complete = Event::Complete { response: 60 };
    assert_eq!(events, [(0, 200, 1, Event::Dispatch), (0, 300, 1, complete)]);
    assert_eq!(record.events.lost, [(0, 1)]);
}

#[test]
fn a_panic_carries_its_message() {
    let mut bytes = record(0, 1);
    put32(&mut bytes, 36, 2);
    bytes[120..][..6].copy_from_slice(b"no\xff!\0x");
    let head = Head::decode(&bytes).unwrap();
    assert_eq!((head.outcome, head.message.as_str()), (Outcome::Panic, "no\u{fffd}!"));
}

#[test]
fn each_check_of_the_header_can_fail() {
    let changes: [(usize, u32, &str); 23] = [
        (0, 0, "magic"),
        (8, 7, "version 7"),
        (12, 303, "header_size is 303, it must be 304"),
        (36, 3, "outcome is 3, it must be 0 to 2"),
        (44, 0, "core_count"),
        (44, 129, "core_count is 129, it must be 1 to 128"),
        (48, 1_000, "cut short"),
        (52, 95, "task_size"),
        (56, 8, "event_size"),
        (60, 3, "power of two"),
        (64, 8, "tasks_offset"),
        (68, 1 << 20, "cut short"),
        (72, 79, "core_stride"),
        (76, 1_000, "cut short"),
        (280, 16, "interrupt_size"),
        (284, 8, "interrupts_offset"),
        (284, 1 << 20, "cut short"),
        (288, 1_000, "cut short"),
        (292, 16, "limit_size"),
        (296, 8, "limits_offset"),
        (300, 16, "refusal_size"),
        (TASKS + 152, 9, "state is 9, it must be a known state"),
        (TASKS + 156, 12 << 24, "wait is 201326592, it must be of a known class"),
    ];
    for (offset, value, expected) in changes {
        let mut bytes = one_core();
        put32(&mut bytes, offset, value);
        let error = Record::decode(&bytes).unwrap_err().to_string();
        assert!(error.contains(expected), "offset {offset}: {error}");
    }
    for (offset, expected) in [(80, "total_size"), (88, "clock_hz")] {
        let mut bytes = one_core();
        put64(&mut bytes, offset, 0);
        let error = Record::decode(&bytes).unwrap_err().to_string();
        assert!(error.contains(expected), "offset {offset}: {error}");
    }
}

#[test]
fn an_unknown_event_is_an_error() {
    let mut bytes = one_core();
    put32(&mut bytes, CORES + CORE + 8, 999);
    let error = Record::decode(&bytes).unwrap_err().to_string();
    assert!(error.contains("known kind of event"), "{error}");
    put32(&mut bytes, CORES + CORE + 8, 13);
    put32(&mut bytes, CORES + CORE + 12, 3);
    let error = Record::decode(&bytes).unwrap_err().to_string();
    assert!(error.contains("value is 3, it must be one that post has"), "{error}");
}

#[test]
fn every_shorter_piece_is_an_error() {
    let bytes = one_core();
    for length in 0..bytes.len() {
        let error = Record::decode(&bytes[..length]).unwrap_err();
        assert!(matches!(error, DecodeError::Magic | DecodeError::Short { .. }), "{error}");
    }
}

/// The random numbers of xorshift64*: the mutations are the same on every machine.
fn next(state: &mut u64) -> u64 {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    state.wrapping_mul(0x2545_f491_4f6c_dd1d)
}

#[test]
fn no_damage_makes_the_decoder_panic() {
    let (mut state, mut refused) = (0x7461_6b74_u64, 0);
    for _ in 0..200_000 {
        let mut bytes = record(2, 3);
        for _ in 0..1 + next(&mut state) % 4 {
            let random = next(&mut state);
            // Half of the mutations hit the first words of the header, where sizes and offsets
            // stand.
            let range = if random & 1 == 0 { 96 } else { bytes.len() };
            let at = (random >> 1) as usize % range;
            bytes[at] = if random & 1 << 40 == 0 { (random >> 48) as u8 } else { 0xff };
        }
        let length = if next(&mut state) % 8 == 0 { next(&mut state) as usize } else { usize::MAX };
        refused += usize::from(Record::decode(&bytes[..length.min(bytes.len())]).is_err());
    }
    assert!((50_000..200_000).contains(&refused), "the mutations are too weak or too strong");
}
