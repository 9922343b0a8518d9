// SPDX-License-Identifier: Apache-2.0
//! Tests the checker's rules under the placements of the kernel in which another than the task's core decides, with records
//! written by hand. tests/planted breaks them in the kernel.

mod common;

use common::system::{system, task};
use takt_model::{Order, Placement, Semaphore};
use takt_record::{Entry, Record, Taken};
use takt_trace::{Checked, Checker, Expected};

type Line = (usize, u64, &'static str, u16, u32);

/// Checks events, which are given by core, tick, kind, task and value. Task 1 is of core 0, tasks 2
/// and 3 are of core 1, task 3 with the highest priority; a semaphore with a count of 1.
fn check(placement: Placement, lines: &[Line]) -> Checked {
    let mut system = system(["main", "low", "high"].map(task).to_vec());
    system.cores = 2;
    system.kernel.placement = placement;
    let (name, order) = ("guard".to_string(), Order::Priority);
    system.semaphores =
        vec![Semaphore { partition: None, name, initial: 1, maximum: 2, order, core: None }];
    let expected = |(core, priority)| Expected { core, priority, bound: None };
    let expected: Vec<_> = [(0, 3), (1, 3), (1, 2)].map(expected).to_vec();
    let entry = |&(core, time, kind, task, value): &Line| {
        (core, Entry { time: 5_000 + time, task, event: common::event(kind, value).unwrap() })
    };
    let events = Taken { events: lines.iter().map(entry).collect(), lost: vec![] };
    let record = Record { events, ..Record::decode(&common::record(3, 2)).unwrap() };
    Checker::new(&system, &expected).finish(&record)
}

#[track_caller]
fn holds(placement: Placement, lines: &[Line]) {
    let checked = check(placement, lines);
    assert_eq!(checked.violation_count, 0, "{}", checked.lines());
}

#[track_caller]
fn breaks(placement: Placement, lines: &[Line], rule: &str, what: &str) {
    let checked = check(placement, lines);
    let found = checked.violations.first().expect("a violation");
    assert_eq!((found.rule, &found.what[..]), (rule, what), "{}", checked.lines());
}

const SEMAPHORE: u32 = 1 << 24 | 1;
/// The priority may be another one from here on.
const MAYBE: u32 = 1 << 9;

fn turn(turn: u32) -> u32 {
    turn << 16
}

/// Core 1 idles, and the server decides for `low`, and then for `high`.
const DECIDED: [Line; 3] =
    [(1, 1, "resume", 0, 0), (0, 2, "release", 2, 0), (0, 3, "release", 3, 0)];

fn after_decisions(lines: &[Line]) -> Vec<Line> {
    [&DECIDED, lines].concat()
}

#[test]
fn a_node_of_central_may_run_what_was_decided_before() {
    let late = [(1, 4, "dispatch", 2, 0), (1, 5, "ipi", 0, 0), (1, 6, "dispatch", 3, 0)];
    holds(Placement::Central, &after_decisions(&late));
    let stays = [(1, 4, "dispatch", 2, 0), (1, 5, "ipi", 0, 0), (1, 6, "resume", 2, 0)];
    holds(Placement::Central, &after_decisions(&stays)); // the second decision is on its way
}

#[test]
fn a_node_of_central_reads_decisions_in_their_order() {
    let back = [(1, 4, "dispatch", 3, 0), (1, 5, "ipi", 0, 0), (1, 6, "dispatch", 2, 0)];
    let what = "low runs from here, but high is ready with priority 2, it has 3";
    breaks(Placement::Central, &after_decisions(&back), "priority", what);
    // The same events of a core that decides itself.
    let own = [(1, 2, "release", 2, 0), (1, 3, "release", 3, 0), (1, 4, "dispatch", 2, 0)];
    breaks(Placement::Semi, &own, "priority", what);
}

#[test]
fn behind_a_call_that_waits_a_node_of_central_runs_the_answer() {
    let waits = [
        (1, 4, "dispatch", 3, 0),
        (0, 5, "take", 1, SEMAPHORE | turn(1)),
        (0, 6, "wait", 3, SEMAPHORE | turn(2)),
    ];
    let answered = [&waits[..], &[(1, 7, "dispatch", 2, 0)]].concat();
    holds(Placement::Central, &after_decisions(&answered));
    let again = [&waits[..], &[(1, 7, "ipi", 0, 0), (1, 8, "resume", 3, 0)]].concat();
    let what = "high runs on after an interrupt, but low is ready with priority 3";
    breaks(Placement::Central, &after_decisions(&again), "priority", what);
}

#[test]
fn a_node_of_central_must_not_miss_a_decision() {
    let late = [(1, 20_000, "ipi", 0, 0)];
    let what = "idle runs, a millisecond after high was to run";
    breaks(Placement::Central, &after_decisions(&late), "decision", what);
    // Nothing comes behind them but the end.
    let end = [(0, 20_000, "resume", 0, 0)];
    breaks(Placement::Central, &after_decisions(&end), "decision", what);
}

#[test]
fn the_server_waits_for_what_a_node_did_in_the_same_tick() {
    let tick = [
        (0, 5, "take", 1, SEMAPHORE | turn(1)),
        (0, 6, "wait", 3, SEMAPHORE | turn(2)),
        (1, 6, "dispatch", 3, 0),
        (1, 8, "dispatch", 2, 0),
    ];
    holds(Placement::Central, &after_decisions(&tick));
    let mut never = tick;
    never[2].1 = 7;
    let what = "it is said to wait, but idle runs";
    breaks(Placement::Central, &after_decisions(&never), "state", what);
}

#[test]
fn the_server_of_semi_moves_a_task_in_the_queue() {
    let queued = [
        (0, 1, "take", 1, SEMAPHORE | turn(1)),
        (1, 2, "release", 2, 0),
        (1, 2, "dispatch", 2, 0),
        (1, 3, "wait", 2, SEMAPHORE | turn(2)),
        (1, 4, "release", 3, 0),
        (1, 4, "dispatch", 3, 0),
        (1, 5, "wait", 3, SEMAPHORE | turn(3)),
        (1, 5, "dispatch", 0, 0),
        (0, 6, "priority", 2, turn(5) | 1 << 8 | 1),
        (0, 7, "post", 2, 2),
    ];
    let first = [&queued[..], &[(1, 8, "wake", 2, turn(6)), (1, 8, "dispatch", 2, 0)]].concat();
    holds(Placement::Semi, &first);
    let second = [&queued[..], &[(1, 8, "wake", 3, turn(6)), (1, 8, "dispatch", 3, 0)]].concat();
    breaks(Placement::Semi, &second, "order", "semaphore guard serves it before low");
}

#[test]
fn a_node_of_rtu_runs_no_task_below_one_that_it_knows() {
    let preempted = [
        (1, 1, "release", 3, 0),
        (1, 1, "dispatch", 3, 0),
        (1, 2, "ipi", 0, 0),
        (1, 3, "release", 2, 0),
        (1, 3, "preempt", 3, 0),
        (1, 3, "dispatch", 2, 0),
    ];
    let what = "it runs, but high is ready with priority 2";
    breaks(Placement::Rtu, &preempted, "priority", what);
    let changes = [(0, 2, "priority", 3, MAYBE | 4)];
    let may_be_lower = [&preempted[..2], &changes, &preempted[2..]].concat();
    holds(Placement::Rtu, &may_be_lower);
    let is_not = [(0, 2, "priority", 3, MAYBE | 2), (0, 2, "priority", 3, 2)];
    let is_higher = [&preempted[..2], &is_not, &preempted[2..]].concat();
    breaks(Placement::Rtu, &is_higher, "priority", what);
}

#[test]
fn no_more_is_taken_from_a_semaphore_of_rtu_than_was_given() {
    let begin = [(1, 1, "release", 3, 0), (1, 1, "dispatch", 3, 0), (1, 2, "take", 3, SEMAPHORE)];
    let given = [(0, 3, "give", 1, SEMAPHORE), (1, 4, "take", 3, SEMAPHORE)];
    holds(Placement::Rtu, &[&begin[..], &given].concat());
    let what = "it takes semaphore guard, which nobody has given";
    breaks(Placement::Rtu, &[&begin[..], &given[1..]].concat(), "exclusion", what);
    let served = [
        (1, 4, "wait", 3, SEMAPHORE),
        (1, 4, "dispatch", 0, 0),
        (1, 5, "wake", 3, 0),
        (1, 5, "dispatch", 3, 0),
    ];
    holds(Placement::Rtu, &[&begin[..], &given[..1], &served].concat());
    breaks(Placement::Rtu, &[&begin[..], &served].concat(), "exclusion", what);
}

#[test]
fn an_activation_of_rtu_that_never_runs_is_lost() {
    let idle = [(1, 1, "resume", 0, 0), (0, 2, "queue", 2, 0), (1, 20_000, "resume", 0, 0)];
    let what = "1 activations wait, but it has no job";
    breaks(Placement::Rtu, &idle, "activation", what);
    let begun = [(1, 3, "unqueue", 2, 1), (1, 3, "release", 2, 0), (1, 3, "dispatch", 2, 0)];
    let done = [(1, 4, "complete", 2, 0), (1, 4, "dispatch", 0, 0)];
    holds(Placement::Rtu, &[&idle[..2], &begun, &done, &idle[2..]].concat());
}
