// SPDX-License-Identifier: Apache-2.0
//! What is not known is not claimed, and the text says what it hangs upon.

mod common;

use common::build::{holds, interrupt, semaphore, system, task};
use takt_analysis::{Doubt, Verdict, analyse, assign};
use takt_model::*;

/// The verdict on each task as a text: why it has no bound, or `meets` or `breaks`.
fn verdicts(system: &System) -> Vec<String> {
    let analysis = analyse(system, &assign(system).unwrap());
    let known = analysis.rows.iter().all(|row| row.deadline.is_none() || row.meets());
    assert_eq!(analysis.holds(), known);
    let text = |verdict: &Verdict| match verdict {
        Verdict::Meets { .. } => "meets".into(),
        Verdict::Breaks { .. } => "breaks".into(),
        Verdict::Unknown { why } => why.to_string(),
    };
    analysis.rows.iter().map(|row| text(&row.verdict)).collect()
}

fn three() -> System {
    let tasks = vec![task("high", 1, 2, 100), task("middle", 2, 3, 100), task("low", 3, 4, 100)];
    let mut system = system(tasks);
    system.semaphores = vec![semaphore("lock", Order::Fifo), semaphore("other", Order::Priority)];
    system
}

#[track_caller]
fn expect(system: &System, beginnings: [&str; 3]) {
    let found = verdicts(system);
    for (found, beginning) in found.iter().zip(beginnings) {
        assert!(found.starts_with(beginning), "'{found}' is not '{beginning} ...'");
    }
}

#[test]
fn aperiodic_tasks_and_all_below_them() {
    let mut system = three();
    system.tasks[1].activation = Activation::Aperiodic;
    let below = "nothing limits how long 'middle' runs before it";
    expect(&system, ["meets", "it is aperiodic", below]);
    system.tasks[0].priority = Some(2);
    expect(&system, [below, "it is aperiodic", below]);
    system.tasks[1].priority = Some(9);
    expect(&system, ["meets", "it is aperiodic", "meets"]);
}

#[test]
fn tasks_that_may_come_and_all_below_them() {
    let mut system = three();
    system.cores = 2;
    system.tasks[1].activation = Activation::Aperiodic;
    system.tasks[1].core = Some(1);
    expect(&system, ["meets", "it is aperiodic", "meets"]);
    system.tasks[1].cores = vec![0, 1];
    let below = "nothing limits how long 'middle' runs before it";
    expect(&system, ["meets", "it is aperiodic", below]);
}

#[test]
fn tasks_without_a_wcet_and_all_below_them() {
    let mut system = three();
    system.tasks[1].wcet = None;
    let below = "nothing limits how long 'middle' runs before it";
    expect(&system, ["meets", "its longest execution is not declared", below]);
}

#[test]
fn interrupts_of_the_same_core_without_a_limit() {
    let mut system = three();
    system.board.overheads.device_interrupt = Some(Nanos(1));
    system.interrupts = vec![interrupt("line", Some(50), Some(2))];
    expect(&system, ["meets"; 3]);
    let unlimited = "nothing limits how long interrupt 'line' takes from its core";
    system.interrupts[0].wcet = None;
    expect(&system, [unlimited; 3]);
    system.interrupts[0] = interrupt("line", None, Some(2));
    expect(&system, [unlimited; 3]);
    system.interrupts[0].core = 1;
    expect(&system, ["meets"; 3]);
    system.interrupts = vec![interrupt("line", Some(50), Some(2))];
    system.board.overheads.device_interrupt = None;
    expect(&system, ["the board does not say what the kernel needs for interrupt 'line'"; 3]);
}

#[test]
fn waits_without_a_limit() {
    let mut system = three();
    system.tasks[1].uses = vec![Use { semaphore: 1, hold: None, times: 1 }];
    let waits = "it waits for semaphore 'other' for a time that nothing limits";
    expect(&system, ["meets", waits, "it depends on 'middle'"]);
    system.tasks[1].suspends = Some(Nanos(10));
    expect(&system, ["meets", "meets", "meets"]);
}

#[test]
fn a_signal_is_no_mutual_exclusion() {
    let mut system = three();
    system.tasks[0].uses = vec![holds(0, 1)];
    system.tasks[2].uses = vec![holds(0, 1)];
    expect(&system, ["meets", "meets", "meets"]);
    system.semaphores[0].initial = 0;
    let signal = "it holds semaphore 'lock', which is no mutual exclusion";
    expect(&system, [signal, "it depends on 'high'", signal]);
    system.semaphores[0].initial = 1;
    system.tasks[2].uses = vec![Use { semaphore: 0, hold: None, times: 1 }];
    system.tasks[2].suspends = Some(Nanos(1));
    expect(&system, [signal, "it depends on 'high'", "it depends on 'high'"]);
}

#[test]
fn sharing_across_cores() {
    let mut system = three();
    system.tasks[0].uses = vec![holds(0, 1)];
    system.tasks[2].uses = vec![holds(0, 1)];
    system.tasks[2].core = Some(1);
    let with_low = "it shares semaphore 'lock' with 'low' on another core";
    let with_high = "it shares semaphore 'lock' with 'high' on another core";
    expect(&system, [with_low, "it depends on 'high'", with_high]);
    system.semaphores[0].initial = 2; // enough for both
    expect(&system, ["meets", "meets", "meets"]);
}

#[test]
fn who_sleeps_may_do_so_while_holding() {
    let mut system = three();
    system.tasks[0].uses = vec![holds(0, 1)];
    system.tasks[2].uses = vec![holds(0, 1)];
    system.tasks[2].suspends = Some(Nanos(5));
    let sleeps = "'low' may sleep while it holds semaphore 'lock'";
    expect(&system, [sleeps, "it depends on 'high'", "it depends on 'high'"]);
}

#[test]
fn who_is_ended_while_it_holds_gives_no_count_back() {
    let mut system = three();
    system.tasks[0].uses = vec![holds(0, 1)];
    system.tasks[2].uses = vec![holds(0, 1)];
    let stops = |time| Some(Budget { time: Nanos(time), stops: true, handler: None });
    let ended = "a job of 'low' may be ended while it holds semaphore 'lock'";
    system.tasks[2].budget = stops(4);
    expect(&system, ["meets", "meets", "meets"]); // no job is stopped that keeps its wcet
    system.tasks[2].budget = stops(3);
    expect(&system, [ended, "it depends on 'high'", ended]);
    system.semaphores[0].initial = 2; // each job that is ended takes one away
    expect(&system, [ended, "it depends on 'high'", ended]);
    system.tasks[2].budget = None;
    expect(&system, ["meets", "meets", "meets"]);
    let target = Target::Task(2, Action::Terminate);
    system.tasks[1].rights.controls = vec![Control { target, separation: Some(Nanos(50)) }];
    expect(&system, [ended, "it depends on 'high'", ended]);
}

/// `high` waits while `low` holds, `middle` then runs: so the bound of `high` needs the deadline
/// of `middle`.
#[test]
fn a_bound_that_rests_on_a_missed_deadline_is_withdrawn() {
    let mut system = three();
    system.tasks[0].uses = vec![holds(0, 1)];
    system.tasks[2].uses = vec![holds(0, 1)];
    expect(&system, ["meets", "meets", "meets"]);
    system.tasks[1].deadline = Some(Nanos(2));
    expect(&system, ["it depends on 'middle'", "breaks", "meets"]);
    system.tasks[1].priority = Some(4); // below all who hold
    expect(&system, ["meets", "breaks", "meets"]);
}

#[test]
fn a_low_aperiodic_task_may_hold_what_a_timed_one_needs() {
    let mut system = three();
    system.tasks[0].uses = vec![holds(0, 1)];
    system.tasks[2].uses = vec![holds(0, 1)];
    (system.tasks[2].activation, system.tasks[2].deadline) = (Activation::Aperiodic, None);
    system.tasks[2].wcet = None;
    expect(&system, ["meets", "meets", "it is aperiodic"]);
    let analysis = analyse(&system, &assign(&system).unwrap());
    assert!(analysis.holds(), "an aperiodic task without a deadline asks for nothing");
}

#[test]
fn a_core_with_a_budget_of_memory_traffic() {
    let mut system = three();
    system.tasks[0].core = Some(0);
    system.tasks[1].core = Some(1);
    system.tasks[2].core = Some(1);
    let budget = Some(MemoryBudget { reads: 20, writes: 5 });
    let budgets = vec![None, budget, None, None];
    system.regulation = Some(Regulation { period: Nanos(100_000), budgets, kernel: None });
    let idles = "its core has a budget in [regulation]";
    expect(&system, ["meets", idles, idles]);
}

#[test]
fn another_placement_of_the_kernel() {
    let mut system = three();
    system.kernel.placement = Placement::Central;
    let other = "the board has no figures of placement \"central\"";
    expect(&system, [other; 3]);
    let analysis = analyse(&system, &assign(&system).unwrap());
    assert_eq!(analysis.word(), None);
    let unchecked = Doubt::Unchecked { placement: "central" };
    assert_eq!(analysis.doubts, [Doubt::NoConditions, unchecked]);
}
