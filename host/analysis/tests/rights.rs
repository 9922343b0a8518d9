// SPDX-License-Identifier: Apache-2.0
//! What tasks do to others beside executing, by examples worked by hand.

mod common;

use common::build::*;
use takt_analysis::{Analysis, NoBound, Part, Term, Verdict, analyse};
use takt_model::*;

fn places(system: &System, cores: &[u32]) -> Vec<Assignment> {
    let tasks = system.tasks.iter().zip(cores);
    tasks.map(|(task, core)| Assignment { core: *core, priority: task.priority.unwrap() }).collect()
}

fn bounds(analysis: &Analysis) -> Vec<Option<u64>> {
    analysis.rows.iter().map(|row| row.bound().map(|bound| bound.0)).collect()
}

fn two() -> System {
    system(vec![task("high", 1, 10, 1000), task("low", 2, 100, 1000)])
}

fn bound_of_high(change: impl Fn(&mut Rights)) -> Option<u64> {
    let mut system = two();
    change(&mut system.tasks[1].rights);
    bounds(&analyse(&system, &places(&system, &[0, 0])))[0]
}

#[test]
fn a_section_of_a_lower_task_delays_once() {
    assert_eq!(bound_of_high(|_| {}), Some(10));
    assert_eq!(bound_of_high(|it| it.cpu_lock = Some(Nanos(7))), Some(17));
    assert_eq!(bound_of_high(|it| it.dispatch_disable = Some(Nanos(9))), Some(19));
    let both = |it: &mut Rights| {
        it.cpu_lock = Some(Nanos(7));
        it.dispatch_disable = Some(Nanos(9));
    };
    assert_eq!(bound_of_high(both), Some(26), "one may stand in the other");
}

#[test]
fn a_section_of_a_higher_task_is_its_execution() {
    let mut system = two();
    system.tasks[0].rights.cpu_lock = Some(Nanos(7));
    assert_eq!(bounds(&analyse(&system, &places(&system, &[0, 0]))), [Some(10), Some(110)]);
}

#[test]
fn a_spin_lock_costs_one_hold_of_each_other_core() {
    let mut system = system(vec![
        task("high", 1, 10, 1000),
        task("user", 2, 100, 1000),
        task("far", 1, 10, 1000),
        task("farther", 1, 10, 1000),
    ]);
    system.spin_locks = vec!["fence".into()];
    for (task, hold, times) in [(1, 3, 2), (2, 5, 1), (3, 8, 1)] {
        let one = SpinLockUse { spin_lock: 0, hold: Nanos(hold), times };
        system.tasks[task].rights.spin_locks = vec![one];
    }
    let analysis = analyse(&system, &places(&system, &[0, 0, 1, 2]));
    let bounds = bounds(&analysis);
    // `high` is blocked for a spin (5 + 8) and the hold (3); `user` spins twice.
    assert_eq!(bounds, [Some(26), Some(136), Some(21), Some(18)]);
    let part = Part { term: Term::Spin { task: 1 }, time: Nanos(2 * (5 + 8)) };
    assert!(analysis.rows[1].breakdown.as_ref().unwrap().parts.contains(&part));
}

fn control(target: Target, separation: Option<u64>) -> Control {
    Control { target, separation: separation.map(Nanos) }
}

#[test]
fn who_ends_jobs_of_another_core_interrupts_it() {
    let mut system = two();
    system.board.overheads.ipi = Nanos(2);
    let target = Target::Task(0, Action::Terminate);
    system.tasks[1].rights.controls = vec![control(target, Some(50))];
    assert_eq!(bounds(&analyse(&system, &places(&system, &[0, 1])))[0], Some(12));
    system.tasks[1].rights.controls = vec![control(target, None)];
    let rows = analyse(&system, &places(&system, &[0, 1])).rows;
    let why = Verdict::Unknown { why: NoBound::UnlimitedControl { by: named(1, "low") } };
    assert_eq!(rows[0].verdict, why);
}

/// How much longer the bound of a task of core 0 becomes by a right of a task of core 1. An interrupt of
/// another core takes 2, a part of it 5, a dispatch 11 and the timer's interrupt 23.
fn grows(core: u32, change: impl Fn(&mut System), target: Target) -> u64 {
    let mut system = two();
    system.board.overheads.ipi = Nanos(2);
    system.board.overheads.release = Nanos(5);
    system.board.overheads.dispatch = Nanos(11);
    system.board.overheads.timer_interrupt = Nanos(23);
    system.tasks.push(task("other", 3, 10, 1000));
    change(&mut system);
    let bound = |system: &System| bounds(&analyse(system, &places(system, &[0, core, 0])))[0];
    let before = bound(&system).unwrap();
    system.tasks[1].rights.controls = vec![control(target, Some(900))];
    bound(&system).unwrap() - before
}

#[test]
fn each_answer_to_a_request_is_a_part_of_an_interrupt() {
    let of = |action| Target::Task(2, action);
    assert_eq!(grows(1, |_| {}, of(Action::Observe)), 2 + 5);
    assert_eq!(grows(0, |_| {}, of(Action::Observe)), 0);
    assert_eq!(grows(1, |_| {}, of(Action::Terminate)), 2 + 5 + 11);
    assert_eq!(grows(0, |_| {}, of(Action::Terminate)), 2 + 5 + 11);
    // A task leaves and arrives: this takes the request, the departure, the arrival and a dispatch.
    assert_eq!(grows(1, |_| {}, of(Action::Migrate)), 7 + 5 + 7 + 11);
    let aperiodic = |system: &mut System| system.tasks[2].activation = Activation::Aperiodic;
    // An aperiodic task whose job is ended may be activated once more.
    assert_eq!(grows(1, aperiodic, of(Action::Terminate)), 2 + 5 + 11 + 2 + 5);
}

#[test]
fn each_change_of_a_handler_or_an_interrupt_is_a_part_of_an_interrupt() {
    let cyclic = |system: &mut System| {
        let (name, function) = ("c".to_string(), "c".to_string());
        let (period, offset, wcet) = (Nanos(900), Nanos(0), Nanos(3));
        let it = Cyclic { name, function, argument: 0, core: 0, period, offset, wcet, start: true };
        system.cyclics = vec![it];
    };
    // Beside the answer, the timer expires for a call that is not wanted any more.
    assert_eq!(grows(1, cyclic, Target::Cyclic(0)), 2 + 5 + 23 + 5);
    assert_eq!(grows(0, cyclic, Target::Cyclic(0)), 0);
    let device = |system: &mut System| {
        system.board.overheads.device_interrupt = Some(Nanos(1));
        system.interrupts = vec![interrupt("i", Some(900), Some(3))];
    };
    // The request is answered, the interrupt moves when its routine has ended, and a request that waited comes beside the next one.
    assert_eq!(grows(1, device, Target::Interrupt(0)), 2 + 5 + 5 + 3 + 1);
}

fn named(index: usize, name: &str) -> takt_analysis::Named {
    takt_analysis::Named { index, name: name.into() }
}

#[test]
fn no_rate_bounds_a_suspension_or_another_priority() {
    for action in [Action::Suspend, Action::SetPriority] {
        let mut system = two();
        let target = Target::Task(1, action);
        system.tasks[0].rights.controls = vec![control(target, Some(500))];
        let rows = analyse(&system, &places(&system, &[0, 1])).rows;
        let (by, task) = (named(0, "high"), named(1, "low"));
        assert!(rows[0].meets(), "another core's tasks are not touched");
        assert_eq!(rows[1].verdict, Verdict::Unknown { why: NoBound::Controlled { by, task } });
    }
}

#[test]
fn beside_an_unrestricted_task_nobody_has_a_bound() {
    let mut system = two();
    system.tasks[1].rights.unrestricted = true;
    let rows = analyse(&system, &places(&system, &[0, 1])).rows;
    let why = || NoBound::Unrestricted { task: named(1, "low") };
    assert!(rows.iter().all(|row| row.verdict == Verdict::Unknown { why: why() }));
}

#[test]
fn a_budget_is_exceeded_by_what_cannot_be_interrupted() {
    let mut system = system(vec![task("high", 1, 10, 1_000_000), task("low", 2, 100, 1_000_000)]);
    system.tasks[0].wcet = None;
    let time = Nanos(10_000);
    system.tasks[0].budget = Some(Budget { time, stops: true, handler: None });
    let plain = bounds(&analyse(&system, &places(&system, &[0, 1])))[0].unwrap();
    system.tasks[0].rights.dispatch_disable = Some(Nanos(30));
    let longer = bounds(&analyse(&system, &places(&system, &[0, 1])))[0];
    assert_eq!(longer, Some(plain + 30));
}

fn msrp(name: &str) -> Mutex {
    Mutex { name: name.into(), protocol: Protocol::Msrp, order: Order::Fifo, ceiling: None }
}

fn locks(mutex: usize, hold: u64, times: u32) -> MutexUse {
    MutexUse { mutex, hold: Some(Nanos(hold)), times, inside: vec![] }
}

#[test]
fn spins_with_dispatch_disabled_keep_the_core_beside_what_is_declared() {
    let mut system = system(vec![
        task("high", 1, 10, 1000),
        task("low", 2, 100, 1000),
        task("far", 1, 10, 1000),
    ]);
    system.mutexes = vec![msrp("m"), msrp("n")];
    system.tasks[1].mutexes = vec![locks(0, 3, 2), locks(1, 4, 1)];
    system.tasks[2].mutexes = vec![locks(0, 5, 1), locks(1, 6, 1)];
    let high = |system: &System| bounds(&analyse(system, &places(system, &[0, 0, 1])))[0];
    // The longest spin and hold take 6 + 4.
    assert_eq!(high(&system), Some(20));
    // The section with dispatch disabled has all spins of a job in it.
    system.tasks[1].rights.dispatch_disable = Some(Nanos(9));
    assert_eq!(high(&system), Some(20 + 9 + 2 * 5 + 6));
    // With the CPU locked nobody locks a mutex.
    system.tasks[1].rights.dispatch_disable = None;
    system.tasks[1].rights.cpu_lock = Some(Nanos(9));
    assert_eq!(high(&system), Some(20 + 9));
}

#[test]
fn sections_of_a_task_that_migrates_count_on_each_core_where_it_may_run() {
    let mut system = system(vec![
        task("high", 1, 10, 1000),
        task("equal", 1, 20, 1000),
        task("guest", 2, 100, 1000),
        task("far", 1, 10, 1000),
    ]);
    system.tasks[2].activation = Activation::Aperiodic;
    system.tasks[2].cores = vec![2, 0];
    let all = |system: &System| bounds(&analyse(system, &places(system, &[0, 0, 2, 1])));
    assert_eq!(all(&system), [Some(30), Some(30), None, Some(10)]);
    system.tasks[2].rights.dispatch_disable = Some(Nanos(9));
    system.tasks[2].rights.cpu_lock = Some(Nanos(7));
    assert_eq!(all(&system), [Some(46), Some(46), None, Some(10)]);
    // A task that spins may wait for a hold on each core of the guest.
    system.tasks[2].rights = Rights::default();
    system.spin_locks = vec!["fence".into()];
    let uses = |hold| vec![SpinLockUse { spin_lock: 0, hold: Nanos(hold), times: 1 }];
    system.tasks[2].rights.spin_locks = uses(4);
    system.tasks[3].rights.spin_locks = uses(3);
    assert_eq!(all(&system), [Some(30 + 3 + 4), Some(30 + 3 + 4), None, Some(10 + 4 + 4)]);
}

#[test]
fn each_request_of_a_mutex_may_spin() {
    let mut system = system(vec![task("one", 1, 10, 1000), task("other", 1, 10, 1000)]);
    system.mutexes = vec![msrp("m")];
    system.tasks[0].mutexes = vec![locks(0, 4, 3)];
    system.tasks[1].mutexes = vec![locks(0, 4, 1)];
    let bounds = bounds(&analyse(&system, &places(&system, &[0, 1])));
    assert_eq!(bounds, [Some(22), Some(14)]);
}
