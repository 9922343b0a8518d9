// SPDX-License-Identifier: Apache-2.0
//! Examples worked by hand or found in the literature.

mod common;

use common::build::{holds, interrupt, proof_of, semaphore, system, task};
use takt_analysis::{Analysis, CheckDocument, Term, Verdict, analyse, assign};
use takt_model::*;

fn check(system: &System) -> Analysis {
    let analysis = analyse(system, &assign(system).unwrap());
    common::parts_add_up(&analysis);
    analysis
}

fn bounds(system: &System) -> Vec<Option<u64>> {
    check(system).rows.iter().map(|row| row.bound().map(|bound| bound.0)).collect()
}

/// The example of Burns and Wellings, Real-Time Systems and Programming Languages, has (T, C) = (7, 3), (12, 3),
/// (20, 5).
#[test]
fn three_periodic_tasks() {
    let three = system(vec![task("a", 1, 3, 7), task("b", 2, 3, 12), task("c", 3, 5, 20)]);
    assert_eq!(bounds(&three), [Some(3), Some(6), Some(20)]);
    let analysis = proof_of(&three);
    assert!(analysis.holds() && analysis.proved());
    assert_eq!(analysis.rows[1].slack(), Some(Nanos(6)));
    let parts = analysis.rows[2].breakdown.as_ref().unwrap();
    let parts: Vec<_> = parts.parts.iter().map(|one| (&one.term, one.time.0)).collect();
    let task = |task| Term::Task { task };
    assert_eq!(parts, [(&task(0), 9), (&task(1), 6), (&Term::Execution, 5)]);
}

/// The routine takes 2 of every 10 and the kernel 1, before all tasks. Task a takes 3 + 3. Task b takes 3 + 3 + 3, and is
/// completed before the second interrupt. Task c takes 5 + 3 + 3 + 3 = 14, which includes the second interrupt: 17.
#[test]
fn a_routine_takes_time_from_all_tasks_of_its_core() {
    let tasks = vec![task("a", 1, 3, 20), task("b", 2, 3, 25), task("c", 3, 5, 100)];
    let mut three = system(tasks);
    three.board.overheads.device_interrupt = Some(Nanos(1));
    three.interrupts = vec![interrupt("line", Some(10), Some(2))];
    assert_eq!(bounds(&three), [Some(6), Some(9), Some(17)]);
    three.interrupts[0].core = 1;
    assert_eq!(bounds(&three), [Some(3), Some(6), Some(11)]);
}

/// In the example of Lehoczky 1990 the fifth job of the second task has the longest response, 118.
#[test]
fn the_worst_job_need_not_be_the_first() {
    let analysis = check(&system(vec![task("a", 1, 26, 70), task("b", 2, 62, 100)]));
    let verdict = &analysis.rows[1].verdict;
    let expected = Verdict::Breaks { bound: Some(Nanos(118)), by: Nanos(18), culprit: 0 };
    assert_eq!(*verdict, expected);
    assert!(!analysis.holds());
    assert_eq!(analysis.rows[1].slack(), None);
}

/// Two releases of the late task fall into one window: 3 + 2 x 2.
#[test]
fn jitter_of_a_higher_task_brings_its_releases_together() {
    let mut two = system(vec![task("late", 1, 2, 10), task("low", 2, 3, 20)]);
    two.tasks[0].jitter = Nanos(8);
    assert_eq!(bounds(&two), [Some(10), Some(7)]);
    two.tasks[1].jitter = Nanos(4);
    assert_eq!(bounds(&two), [Some(10), Some(11)]);
}

/// At the 10th tick `often` is released again, but it comes behind `long`, which has been waiting.
#[test]
fn a_later_equal_does_not_interfere() {
    let equal = system(vec![task("long", 1, 12, 40), task("often", 1, 2, 15)]);
    assert_eq!(bounds(&equal), [Some(14), Some(14)]);
    let over = system(vec![task("long", 1, 12, 40), task("often", 1, 2, 13)]);
    assert_eq!(bounds(&over)[0], Some(14));
    assert!(matches!(check(&over).rows[1].verdict, Verdict::Breaks { by: Nanos(1), .. }));
}

/// Nobody inherits a priority: the middle task delays the highest while the lowest holds.
#[test]
fn the_middle_delays_who_waits_for_the_lowest() {
    let tasks = vec![task("high", 1, 2, 100), task("middle", 2, 10, 100), task("low", 3, 5, 100)];
    let mut three = system(tasks);
    three.semaphores = vec![semaphore("s", Order::Fifo)];
    three.tasks[0].uses = vec![holds(0, 1)];
    three.tasks[2].uses = vec![holds(0, 3)];
    assert_eq!(bounds(&three), [Some(2 + 3 + 10), Some(12), Some(17)]);
    three.semaphores[0].initial = 2;
    assert_eq!(bounds(&three), [Some(2), Some(12), Some(17)]);
}

/// `middle` keeps both waiting, so two jobs of `high` can run in its window: 10 + 2 x 2. And a job
/// of `often` from before the wait can be there beside the two of it: 2 + 3 + 2 x 10.
#[test]
fn who_waits_comes_late_to_those_below() {
    let lowest = || {
        let mut task = task("low", 3, 5, 100);
        task.uses = vec![holds(0, 3)];
        task
    };
    let mut high = task("high", 1, 2, 20);
    high.uses = vec![holds(0, 1)];
    let mut three = system(vec![high, task("middle", 2, 10, 100), lowest()]);
    three.semaphores = vec![semaphore("s", Order::Priority)];
    assert_eq!(bounds(&three), [Some(15), Some(14), Some(17)]);
    three.tasks[0].activation = Activation::Sporadic { separation: Nanos(100) };
    three.tasks[0].deadline = Some(Nanos(100));
    three.tasks[1] = task("often", 2, 10, 14);
    assert_eq!(bounds(&three), [Some(25), Some(12), Some(27)]);
}

/// Either of the lowest two may run, holding or not, while the other one holds.
#[test]
fn two_lowest_holders_count_wholly() {
    let mut three =
        system(vec![task("a", 1, 2, 100), task("b", 2, 10, 100), task("c", 2, 10, 100)]);
    three.semaphores = vec![semaphore("s", Order::Fifo)];
    three.tasks.iter_mut().for_each(|task| task.uses = vec![holds(0, 1)]);
    assert_eq!(bounds(&three)[0], Some(2 + 10 + 10));
    // A holder of one semaphore that runs in the wait for the other is one entry: 3 + 10.
    three.tasks[2] = task("c", 3, 10, 100);
    three.tasks[1].uses = vec![holds(0, 3)];
    three.tasks[2].uses = vec![holds(1, 4)];
    three.tasks[0].uses = vec![holds(0, 1), holds(1, 1)];
    three.semaphores.push(semaphore("t", Order::Fifo));
    let analysis = check(&three);
    let parts = analysis.rows[0].breakdown.as_ref().unwrap();
    let parts: Vec<_> = parts.parts.iter().map(|one| (one.term.clone(), one.time.0)).collect();
    let held = |semaphore, task| Term::SemaphoreHeld { semaphore, task };
    let all = [(Term::Task { task: 1 }, 10), (held(1, 2), 4), (held(0, 1), 3)];
    assert_eq!(parts, [&all[..], &[(Term::Execution, 2)]].concat());
}

/// Two jobs of an equal task may be ahead of one that comes between: by the jitter of the equal,
/// or as the kernel handles the two releases in the other order.
#[test]
fn equals_come_together_by_jitter_and_by_handling() {
    let mut two = system(vec![task("often", 1, 6, 10), task("once", 1, 1, 100)]);
    assert_eq!(bounds(&two)[1], Some(7));
    two.tasks[0].jitter = Nanos(6);
    assert_eq!(bounds(&two)[1], Some(6 + 6 + 1 - 4));
    two.tasks[0].jitter = Nanos(0);
    two.board.overheads.kernel_section = Nanos(5);
    assert_eq!(bounds(&two)[1], Some(5 + 6 + 6 + 1 - 5));
}

#[test]
fn sleep_delays_the_sleeper_wholly_and_lower_tasks_as_jitter() {
    let mut two = system(vec![task("sleeper", 1, 2, 20), task("low", 2, 3, 30)]);
    two.tasks[0].suspends = Some(Nanos(10));
    assert_eq!(bounds(&two), [Some(12), Some(5)]);
    two.tasks[1].wcet = Some(Nanos(9));
    assert_eq!(bounds(&two), [Some(12), Some(13)]); // 9 + 2 > 20 - 10
}

/// The bound is a nanosecond past the deadline, and the task that takes most of it is named.
#[test]
fn names_the_culprit() {
    let mut three = system(vec![task("a", 1, 3, 7), task("b", 2, 3, 12), task("c", 3, 6, 20)]);
    let row = &check(&three).rows[2];
    assert!(matches!(row.verdict, Verdict::Breaks { culprit: 0, .. }), "{row:?}");
    three.tasks[2] = task("c", 3, 21, 20);
    three.tasks[2].core = Some(1);
    let row = &check(&three).rows[2];
    let expected = Verdict::Breaks { bound: None, by: Nanos(1), culprit: 2 };
    assert_eq!(row.verdict, expected);
}

/// Each cost of the kernel counts, one at a time.
#[test]
fn the_kernel_costs_what_the_board_says() {
    let mut two = system(vec![task("a", 1, 100, 10_000), task("b", 2, 1000, 20_000)]);
    let board = &mut two.board.overheads;
    (board.timer_interrupt, board.ipi, board.release) = (Nanos(10), Nanos(1000), Nanos(3));
    (board.dispatch, board.preemption, board.kernel_section) = (Nanos(5), Nanos(7), Nanos(20));
    let releases = 10 + 2 * 3; // of both, in one interrupt of the timer, whoever runs
    assert_eq!(bounds(&two), [Some(100 + 12 + releases + 20), Some(1100 + 24 + releases + 20)]);
    two.kernel.console_core = 0;
    assert_eq!(bounds(&two)[0], Some(100 + 12 + releases + 20 + 10));
    two.tasks[1].activation = Activation::Sporadic { separation: Nanos(20_000) };
    // Its release has two interrupts in the window, each with a part; the next activation in the queue has one.
    assert_eq!(bounds(&two)[0], Some(100 + 12 + 2 * 13 + 20 + 10 + 1003 + 1000));
    two.tasks[1].activation = Activation::Aperiodic;
    two.tasks[1].queue = 3;
    assert_eq!(bounds(&two)[0], Some(100 + 12 + 13 + 20 + 10 + 4 * 1003));
    assert!(check(&two).rows[1].breakdown.is_none());
    two.tasks[1].suspends = Some(Nanos(1)); // one wake-up while it is kept from running
    assert_eq!(bounds(&two)[0], Some(100 + 12 + 13 + 20 + 10 + 4 * 1003 + 1003));
}

/// A wait for a semaphore or a mutex may end by a timeout: it costs the timer's interrupt and the rest of a hand-over. The
/// timeout of a lower task comes once, while that task is kept from running.
#[test]
fn a_timeout_is_an_interrupt_of_the_one_that_waits() {
    let mut two = system(vec![task("a", 1, 100, 10_000), task("b", 2, 1000, 20_000)]);
    let protocol = Protocol::Inherit;
    let m = Mutex { name: "m".into(), protocol, order: Order::Fifo, ceiling: None };
    two.mutexes = vec![m];
    two.semaphores = vec![semaphore("s", Order::Fifo)];
    let board = &mut two.board.overheads;
    (board.timer_interrupt, board.release) = (Nanos(10), Nanos(3));
    (board.dispatch, board.preemption) = (Nanos(5), Nanos(7));
    let plain = 100 + 12 + 10 + 2 * 3;
    assert_eq!(bounds(&two)[0], Some(plain));
    let mut mutexes = two.clone();
    let uses = || vec![MutexUse { mutex: 0, hold: Some(Nanos(4)), times: 1, inside: vec![] }];
    mutexes.tasks[1].mutexes = uses();
    assert_eq!(bounds(&mutexes)[0], Some(plain + 13), "the lower one's timeout");
    mutexes.tasks[0].mutexes = uses();
    // The task has its wait with the timeout, and the hold of the lower task with its hand-over.
    assert_eq!(bounds(&mutexes)[0], Some(plain + 13 + 10 + 15 + 4 + 15));
    two.tasks[1].uses = vec![holds(0, 4)];
    assert_eq!(bounds(&two)[0], Some(plain + 13), "the lower one's timeout");
    two.tasks[0].uses = vec![holds(0, 4)];
    // Lower tasks may be woken at the beginning of the job and where it goes on. Of a job that suspends itself it is not used
    // that both tasks are released in one interrupt.
    assert_eq!(bounds(&two)[0], Some(plain + 10 + 2 * 13 + 10 + 15 + 4));
}

/// The timeout comes while the wake-up of another core is on its way: 10 and 1000 + 3, instead of the longer of both.
#[test]
fn a_wait_may_end_twice_where_other_cores_wake() {
    let mut two = system(vec![task("a", 1, 100, 10_000), task("b", 2, 1000, 20_000)]);
    let board = &mut two.board.overheads;
    (board.timer_interrupt, board.ipi, board.release) = (Nanos(10), Nanos(1000), Nanos(3));
    two.tasks[0].suspends = Some(Nanos(50));
    let alone = bounds(&two)[0];
    assert_eq!(alone, Some(100 + 50 + 2 * 13 + 1000 + 3));
    two.tasks[1].core = Some(1);
    assert_eq!(bounds(&two)[0], Some(100 + 50 + 13 + 10 + 1003 + 3));
}

/// Nobody between the caller and those that it wakes waits for it: interrupts wake the rest.
#[test]
fn who_wakes_many_delays_nobody_for_the_others() {
    let mut four = system(vec![
        task("a", 1, 100, 10_000),
        task("b", 2, 100, 10_000),
        task("c", 3, 100, 10_000),
        task("d", 4, 100, 10_000),
    ]);
    four.board.overheads.release = Nanos(3);
    four.barriers = vec![Barrier { name: "b".into(), participants: 3, core: None }];
    let before = bounds(&four);
    for index in [1, 2] {
        four.tasks[index].suspends = Some(Nanos(50));
    }
    let now = bounds(&four);
    // Each of the two tasks that may wait costs an interrupt in vain and its wake-up, 3 each.
    assert_eq!(now[0], before[0].map(|it| it + 2 * 6), "above all that are woken");
    // The task has its sleep, its own wake-up (6), and twice the wake-up of the task below.
    assert_eq!(now[1], before[1].map(|it| it + 50 + 6 + 2 * 6));
}

#[test]
fn the_parts_add_up_to_the_bound() {
    let mut three =
        system(vec![task("a", 1, 20, 700), task("b", 2, 62, 1000), task("c", 2, 9, 999)]);
    three.board.overheads.kernel_section = Nanos(2);
    three.board.overheads.dispatch = Nanos(3);
    three.tasks[1].jitter = Nanos(30);
    for row in &check(&three).rows {
        let parts = row.breakdown.as_ref().unwrap();
        assert_eq!(Some(parts.response()), row.bound(), "{row:?}");
    }
}

#[test]
fn json_is_for_programs() {
    let mut two = system(vec![task("a", 1, 2, 10), task("b", 2, 3, 20)]);
    two.tasks[1].wcet = None;
    let json = serde_json::to_value(CheckDocument::new(&two, &check(&two))).unwrap();
    assert_eq!((&json["format"], &json["document"]), (&1.into(), &"check".into()));
    assert_eq!(json["board"]["overheads"], "measured");
    assert_eq!(json["exit_status"], 1);
    assert_eq!(json["holds"], false);
    assert_eq!(json["tasks"][0]["verdict"], "meets");
    assert_eq!(json["tasks"][0]["bound_ns"], 2);
    assert_eq!(json["tasks"][0]["slack_ns"], 8);
    let part = serde_json::json!({"kind": "execution", "time_ns": 2});
    assert_eq!(json["tasks"][0]["breakdown"]["parts"], serde_json::json!([part]));
    assert_eq!(json["tasks"][1]["why"]["reason"], "no_wcet");
}
