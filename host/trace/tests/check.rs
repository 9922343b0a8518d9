// SPDX-License-Identifier: Apache-2.0
//! Tests the checker of the kernel's rules with records written by hand: correct records pass, and
//! each rule can be broken. tests/planted breaks the rules in the kernel itself.

mod common;

use common::system::{system, task};
use takt_model::{Mutex, MutexUse, Order, Protocol, ReaderWriterLock, Semaphore, System};
use takt_record::{Entry, Record, Taken};
use takt_trace::{Checked, Checker, Expected};

/// The system: tasks 1 and 2 with priority 3 and task 3 with priority 2 on core 0, task 4 on core
/// 1; a free semaphore with a maximum of 1; a ceiling mutex of tasks 1 and 3, and an MSRP mutex of
/// all tasks.
fn described() -> System {
    let mut system = system(["a", "b", "high", "far"].map(task).to_vec());
    system.cores = 2;
    let name = "guard".to_string();
    system.semaphores = vec![Semaphore {
        partition: None,
        name,
        initial: 1,
        maximum: 1,
        order: Order::Fifo,
        core: None,
    }];
    let mutex = |name: &str, protocol| Mutex {
        name: name.into(),
        protocol,
        order: Order::Fifo,
        ceiling: None,
    };
    system.mutexes = vec![mutex("near", Protocol::Ceiling), mutex("shared", Protocol::Msrp)];
    for (task, mutex) in [(0, 0), (2, 0), (0, 1), (1, 1), (2, 1), (3, 1)] {
        system.tasks[task].mutexes.push(MutexUse { mutex, hold: None, times: 1, inside: vec![] });
    }
    let lock = |name: &str, order| ReaderWriterLock { name: name.to_string(), order, core: None };
    system.reader_writer_locks = vec![lock("table", Order::Fifo), lock("sorted", Order::Priority)];
    system.spin_locks = vec!["short".to_string()];
    system
}

type Line = (usize, u64, &'static str, u16, u32);

/// Checks events, which are given by core, tick, kind, task and value.
fn check(lines: &[Line]) -> Checked {
    check_of(&described(), lines)
}

fn check_of(system: &System, lines: &[Line]) -> Checked {
    let expected = |(core, priority)| Expected { core, priority, bound: None };
    let expected: Vec<_> = [(0, 3), (0, 3), (0, 2), (1, 3)].map(expected).to_vec();
    let entry = |&(core, time, kind, task, value): &Line| {
        (core, Entry { time: 5_000 + time, task, event: common::event(kind, value).unwrap() })
    };
    let events = Taken { events: lines.iter().map(entry).collect(), lost: vec![] };
    let record = Record { events, ..Record::decode(&common::record(4, 2)).unwrap() };
    Checker::new(system, &expected).finish(&record)
}

#[track_caller]
fn breaks(lines: &[Line], rule: &str, what: &str) {
    let checked = check(lines);
    let found = &checked.violations.first().expect("a violation");
    assert_eq!((found.rule, &found.what[..]), (rule, what), "{}", checked.lines());
}

/// The events with which task 1 begins.
const BEGIN: [Line; 2] = [(0, 1, "release", 1, 0), (0, 2, "dispatch", 1, 0)];

fn after_begin(lines: &[Line]) -> Vec<Line> {
    [&BEGIN, lines].concat()
}

const SEMAPHORE: u32 = 1 << 24 | 1;
fn turn(turn: u32) -> u32 {
    turn << 16
}

#[test]
fn what_the_kernel_may_do_passes() {
    let checked = check(&after_begin(&[
        (0, 3, "take", 1, SEMAPHORE | turn(1)),
        (0, 4, "ipi", 0, 0),
        (0, 4, "release", 2, 0),
        (0, 5, "release", 3, 0),
        (0, 6, "preempt", 1, 0),
        (0, 6, "dispatch", 3, 0),
        (0, 7, "wait", 3, SEMAPHORE | turn(2)),
        (0, 8, "dispatch", 1, 0), // task 1 before task 2, which came later
        (0, 9, "dispatch_disable", 1, 0),
        (0, 10, "wake", 3, turn(3)),
        (0, 11, "timer", 0, 0),
        (0, 12, "resume", 1, 0),
        (0, 13, "dispatch_enable", 1, 0),
        (0, 14, "preempt", 1, 0),
        (0, 14, "dispatch", 3, 0),
        (0, 15, "post", 4, 1),
        (1, 16, "ipi", 0, 0),
        (1, 17, "release", 4, 0),
        (1, 18, "dispatch", 4, 0),
        (0, 19, "complete", 3, 0),
        (0, 20, "dispatch", 1, 0),
        (0, 21, "suspend", 1, 0),
        (0, 22, "dispatch", 2, 0),
        (0, 23, "terminate", 1, 0),
        (0, 24, "complete", 2, 0),
        (0, 25, "dispatch", 0, 0),
    ]));
    assert_eq!(checked.violations, [], "{}", checked.lines());
    assert_eq!(checked.events, 28);
    assert_eq!(checked.lines(), "check: all 28 events are as the kernel's rules allow\n");
}

#[test]
fn a_higher_task_that_is_not_dispatched_is_found_at_the_next_interrupt() {
    let lines = after_begin(&[(0, 3, "release", 3, 0), (0, 9, "timer", 0, 0)]);
    let what = "a runs when an interrupt comes, but high is ready with priority 2, it has 3";
    breaks(&lines, "priority", what);
}

#[test]
fn a_task_that_overtakes_an_equal_is_found() {
    let lines = [(0, 1, "release", 1, 0), (0, 2, "release", 2, 0), (0, 3, "dispatch", 2, 0)];
    let what = "b runs from here, but a, of the same priority, became ready before";
    breaks(&lines, "fifo", what);
}

#[test]
fn a_ready_task_on_an_idle_core_is_found_at_the_end() {
    let what = "idle runs at the end, but a is ready with priority 3";
    let idles = [(0, 1, "ipi", 0, 0), (0, 2, "resume", 0, 0)];
    breaks(&[&idles[..], &[(0, 3, "release", 1, 0)]].concat(), "priority", what);
}

#[test]
fn who_is_suspended_or_has_no_job_does_not_run() {
    let lines = after_begin(&[(0, 3, "suspend", 1, 0), (0, 4, "dispatch", 1, 0)]);
    breaks(&lines, "state", "a runs from here, but nothing is ready");
    let lines = after_begin(&[(0, 3, "terminate", 1, 0), (0, 4, "wait", 1, 0)]);
    breaks(&lines, "state", "it is said to wait, but nobody runs");
}

#[test]
fn a_task_of_another_core_is_found() {
    let what = "it is governed by a core that it does not belong to";
    breaks(&[(0, 1, "release", 4, 0)], "core", what);
}

#[test]
fn a_task_that_changes_cores_is_governed_where_it_has_arrived() {
    let leaves = (0, 4, "migrate", 1, 1);
    let there = [(1, 4, "arrive", 1, 0), (1, 4, "dispatch", 1, 0), (1, 4, "complete", 1, 9)];
    let idle = [(0, 4, "dispatch", 0, 0), (1, 4, "dispatch", 0, 0)];
    let lines = after_begin(&[&[leaves], &there[..], &idle[..]].concat());
    assert_eq!(check(&lines).violation_count, 0, "{}", check(&lines).lines());
    // The events of the same tick are read in the other order.
    let lines = after_begin(&[&there[..], &idle[1..], &[leaves], &idle[..1]].concat());
    assert_eq!(check(&lines).violation_count, 0, "{}", check(&lines).lines());

    let what = "it is governed by a core that it does not belong to";
    breaks(&after_begin(&[leaves, (0, 5, "complete", 1, 9)]), "core", what);
    breaks(&after_begin(&[leaves, (1, 5, "complete", 1, 9)]), "core", what);
    let lines = after_begin(&[leaves, (1, 5, "arrive", 1, 0), (0, 5, "wake", 1, 0)]);
    breaks(&lines, "core", what);
    breaks(&after_begin(&[(0, 4, "migrate", 1, 7)]), "core", "it leaves for no other core");
    let what = "idle runs from here, but a is ready with priority 3";
    let lines = after_begin(&[leaves, (1, 5, "arrive", 1, 0), (1, 6, "dispatch", 0, 0)]);
    breaks(&lines, "priority", what);
}

#[test]
fn a_task_that_is_lost_between_cores_is_found() {
    let later = (0, 20_000, "dispatch", 0, 0);
    let lines = after_begin(&[(0, 4, "migrate", 1, 1), later]);
    breaks(&lines, "request", "it is sent to this core, and never arrives");
    let lines = after_begin(&[(1, 4, "arrive", 1, 0)]);
    breaks(&lines, "core", "it arrives, but no core has let it go");
    let lines = after_begin(&[(1, 4, "arrive", 1, 0), (1, 20_000, "timer", 0, 0)]);
    breaks(&lines, "core", "it arrives, but no core has let it go");
}

#[test]
fn who_has_disabled_dispatch_neither_waits_nor_gives_way() {
    let disabled = (0, 3, "dispatch_disable", 1, 0);
    let lines = after_begin(&[disabled, (0, 4, "wait", 1, 0)]);
    breaks(&lines, "dispatch", "it waits while dispatch is disabled");
    let lines = after_begin(&[disabled, (0, 4, "release", 3, 0), (0, 5, "dispatch", 3, 0)]);
    breaks(&lines, "dispatch", "it is dispatched while dispatch is disabled");
}

#[test]
fn a_request_without_an_answer_is_found() {
    let what = "its start was asked for, and is lost";
    breaks(&[(0, 1, "post", 4, 1), (1, 20_000, "timer", 0, 0)], "request", what);
}

#[test]
fn a_timeout_beside_a_wake_up_is_found() {
    let what = "its wait ends with a timeout or release, but its wake-up was on the way";
    let begin = [(1, 1, "release", 4, 0), (1, 2, "dispatch", 4, 0)];
    let wait = [(1, 3, "wait", 4, 0), (1, 4, "dispatch", 0, 0)];
    let end = [(0, 5, "post", 4, 2), (1, 6, "timer", 0, 0), (1, 7, "wake", 4, 50)];
    breaks(&[&begin[..], &wait, &end].concat(), "wake-up", what);
}

#[test]
fn an_activation_that_waits_for_no_job_is_found() {
    let lines =
        after_begin(&[(0, 3, "queue", 1, 0), (0, 4, "complete", 1, 0), (0, 5, "dispatch", 0, 0)]);
    let what = "1 activations wait, but it has no job";
    breaks(&lines, "activation", what);

    // A task that may migrate may be about to begin its job on another core, but not for long.
    let mut system = described();
    system.tasks[0].cores = vec![0, 1];
    assert_eq!(check_of(&system, &lines).violation_count, 0);
    let later = [&lines[..], &[(0, 20_000, "timer", 0, 0), (0, 20_001, "resume", 0, 0)]].concat();
    assert_eq!(check_of(&system, &later).violations[0].what, what);
}

#[test]
fn a_semaphore_excludes_and_serves_in_its_order() {
    let take = |task, number| (0, 3, "take", task, SEMAPHORE | turn(number));
    let lines = after_begin(&[take(1, 1), take(1, 2)]);
    breaks(&lines, "exclusion", "it takes semaphore guard, whose count is 0");
    let lines = after_begin(&[take(1, 1), take(1, 1)]);
    let what = "two changes of semaphore guard at a time: its lock excludes nobody";
    breaks(&lines, "exclusion", what);
    let lines = after_begin(&[(0, 3, "wait", 1, SEMAPHORE | turn(1))]);
    breaks(&lines, "object", "it waits for semaphore guard, whose count is not 0");
    let both_wait = [
        take(1, 1),
        (0, 3, "wait", 1, SEMAPHORE | turn(2)),
        (0, 4, "dispatch", 0, 0),
        (1, 5, "release", 4, 0),
        (1, 6, "dispatch", 4, 0),
        (1, 7, "wait", 4, SEMAPHORE | turn(3)),
        (1, 8, "dispatch", 0, 0),
    ];
    let lines = after_begin(&[&both_wait[..], &[(1, 9, "wake", 4, turn(4))]].concat());
    breaks(&lines, "order", "semaphore guard serves it before a");
    let lines = after_begin(&[&both_wait[..], &[(1, 9, "give", 0, SEMAPHORE | turn(4))]].concat());
    breaks(&lines, "wake-up", "it signals semaphore guard into the count, but a waits");
}

#[test]
fn what_is_told_late_is_put_in_its_turn() {
    let checked = check(&after_begin(&[
        (0, 3, "give", 1, SEMAPHORE | turn(2)), // read after the take of the other core
        (1, 3, "take", 0, SEMAPHORE | turn(1)),
        (0, 4, "complete", 1, 0),
        (0, 4, "dispatch", 0, 0),
    ]));
    assert_eq!(checked.violations, [], "{}", checked.lines());
}

#[test]
fn a_mutex_has_one_holder() {
    let first = [(0, 3, "mutex_lock", 1, 2), (1, 3, "release", 4, 0), (1, 4, "dispatch", 4, 0)];
    let and = |lines: &[Line]| after_begin(&[&first, lines].concat());
    // Within a tick the lock may be read first.
    let at_once = and(&[
        (1, 5, "mutex_lock", 4, 2),
        (0, 5, "mutex_unlock", 1, 2),
        (1, 6, "mutex_unlock", 4, 2),
    ]);
    assert_eq!(check(&at_once).violation_count, 0, "{}", check(&at_once).lines());
    let what = "it locks mutex shared, which a holds";
    breaks(&and(&[(1, 5, "mutex_lock", 4, 2), (0, 6, "mutex_unlock", 1, 2)]), "exclusion", what);
    breaks(&and(&[(1, 5, "mutex_lock", 4, 2)]), "exclusion", what);
    let twice = [(0, 3, "mutex_lock", 1, 1), (0, 4, "mutex_lock", 2, 1)];
    breaks(&after_begin(&twice), "exclusion", "it locks mutex near, which a holds");
    let what = "it unlocks mutex shared, but does not hold it";
    breaks(&and(&[(1, 5, "mutex_unlock", 4, 2)]), "object", what);
    breaks(&and(&[(0, 5, "complete", 1, 0)]), "object", "its job ends, but it holds mutex shared");
}

#[test]
fn a_holder_has_the_priority_of_its_mutex() {
    let raised =
        [(0, 3, "mutex_lock", 1, 1), (0, 3, "priority", 1, 2 | 1 << 9), (0, 4, "timer", 0, 0)];
    assert_eq!(check(&after_begin(&raised)).violation_count, 0);
    let what = "it holds mutex near, which raises it to priority 2, but it has 3";
    breaks(&after_begin(&[raised[0], raised[2]]), "protocol", what);
}

#[test]
fn a_wait_for_a_lock_that_never_ends_is_found() {
    let lines = after_begin(&[(0, 3, "lock_wait", 1, 0)]);
    breaks(&lines, "lock", "it waits for a lock of the kernel, and never gets it");
}

/// Classes and ID for reading and for writing the first lock, and the second one.
const READ: u32 = 9 << 24 | 1;
const WRITE: u32 = 10 << 24 | 1;
const SORTED: u32 = 1;

#[test]
fn a_reader_writer_lock_is_held_by_readers_or_one_writer() {
    let readers = after_begin(&[
        (0, 3, "take", 1, READ | turn(1)),
        (1, 3, "release", 4, 0),
        (1, 3, "dispatch", 4, 0),
        (1, 4, "take", 4, READ | turn(2)),
        (1, 5, "give", 4, READ | turn(3)),
        (0, 6, "give", 1, READ | turn(4)),
        (1, 7, "take", 4, WRITE | turn(5)),
    ]);
    assert!(check(&readers).violations.is_empty());
    let both = [&readers[..], &[(0, 8, "take", 1, READ | turn(6))]].concat();
    breaks(&both, "exclusion", "it takes reader_writer_lock table beside others");
    let other = [&readers[..], &[(0, 8, "give", 1, READ | turn(6))]].concat();
    breaks(&other, "object", "it gives reader_writer_lock table back, but does not hold it");
}

#[test]
fn nobody_passes_who_waits_for_a_reader_writer_lock() {
    for (sorted, passes) in [(0, true), (SORTED, false)] {
        let lines = after_begin(&[
            (1, 3, "release", 4, 0),
            (1, 3, "dispatch", 4, 0),
            (1, 4, "take", 4, (READ | turn(1)) + sorted),
            (0, 5, "wait", 1, (WRITE | turn(2)) + sorted),
            (0, 5, "dispatch", 0, 0),
            (0, 6, "ipi", 0, 0),
            (0, 6, "release", 3, 0),
            (0, 6, "dispatch", 3, 0),
            (0, 7, "take", 3, (READ | turn(3)) + sorted), // the writer has the higher priority
        ]);
        match passes {
            true => breaks(&lines, "order", "it takes reader_writer_lock table before a"),
            false => assert!(check(&lines).violations.is_empty(), "{}", check(&lines).lines()),
        }
    }
}

#[test]
fn who_could_hold_a_reader_writer_lock_does_not_wait() {
    let lines = after_begin(&[
        (1, 3, "release", 4, 0),
        (1, 3, "dispatch", 4, 0),
        (1, 4, "take", 4, WRITE | turn(1)),
        (0, 5, "wait", 1, READ | turn(2)),
        (0, 5, "dispatch", 0, 0),
        (1, 6, "give", 4, WRITE | turn(3)),
    ]);
    assert!(check(&lines).violations.is_empty(), "{}", check(&lines).lines());
    // A section may be about to grant the lock, but not for this long.
    let later = |ticks| {
        let more = [
            (0, ticks, "ipi", 0, 0),
            (0, ticks, "release", 3, 0),
            (0, ticks, "dispatch", 3, 0),
            (0, ticks, "wait", 3, WRITE | turn(4)),
            (0, ticks, "dispatch", 0, 0),
        ];
        [&lines[..], &more].concat()
    };
    assert!(check(&later(7)).violations.is_empty(), "{}", check(&later(7)).lines());
    let again = later(20_000);
    breaks(&again, "wake-up", "a waits for reader_writer_lock table, but could hold it");
    let end = [&lines[..], &[(1, 20_000, "timer", 0, 0), (1, 20_000, "resume", 4, 0)]].concat();
    breaks(&end, "wake-up", "a waits for reader_writer_lock table, but could hold it");
}

#[test]
fn a_spin_lock_excludes() {
    const SHORT: u32 = 11 << 24 | 1;
    let lines = [(0, 1, "take", 0, SHORT | turn(1)), (1, 2, "take", 0, SHORT | turn(2))];
    breaks(&lines, "exclusion", "it takes spin_lock short, whose count is 0");
}
