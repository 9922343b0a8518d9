// SPDX-License-Identifier: Apache-2.0
//! Cyclic handlers and alarms, budgets and the handlers of deadlines, by examples worked by hand.

mod common;

use common::build::{system, task};
use takt_analysis::{NoBound, Verdict, analyse, assign};
use takt_model::*;

fn bounds(system: &System) -> Vec<Option<u64>> {
    let analysis = analyse(system, &assign(system).unwrap());
    common::parts_add_up(&analysis);
    analysis.rows.iter().map(|row| row.bound().map(|bound| bound.0)).collect()
}

fn cyclic(core: u32, period: u64, wcet: u64) -> Cyclic {
    Cyclic {
        name: "c".into(),
        function: "c".into(),
        argument: 0,
        core,
        period: Nanos(period),
        offset: Nanos(0),
        wcet: Nanos(wcet),
        start: true,
    }
}

fn alarm(separation: Option<u64>, wcet: Option<u64>) -> Alarm {
    Alarm {
        name: "a".into(),
        function: "a".into(),
        argument: 0,
        core: 0,
        separation: separation.map(Nanos),
        wcet: wcet.map(Nanos),
    }
}

fn budget(time: u64, stops: bool, handler: Option<u64>) -> Option<Budget> {
    Some(Budget { time: Nanos(time), stops, handler: handler.and_then(self::handler) })
}

fn handler(wcet: u64) -> Option<Handler> {
    Some(Handler { function: "h".into(), wcet: Nanos(wcet) })
}

/// Two calls fall into the window: 10 + 2 x 3; with interrupts of 1 also the task's own release:
/// 10 + 1 + 2 x 4.
#[test]
fn a_cyclic_handler_is_before_all_tasks_of_its_core() {
    let mut one = system(vec![task("t", 1, 10, 100)]);
    one.cyclics = vec![cyclic(0, 12, 3)];
    assert_eq!(bounds(&one), [Some(16)]);
    one.board.overheads.timer_interrupt = Nanos(1);
    assert_eq!(bounds(&one), [Some(19)]);
    one.cyclics = vec![cyclic(1, 12, 3)];
    assert_eq!(bounds(&one), [Some(11)]);
}

/// The call is a part of the interrupt, as a release is: 10 + 1 + 5, and 2 x (3 + 1 + 5).
#[test]
fn the_kernel_takes_a_release_to_call_a_cyclic_handler() {
    let mut one = system(vec![task("t", 1, 10, 100)]);
    one.cyclics = vec![cyclic(0, 20, 3)];
    one.board.overheads.timer_interrupt = Nanos(1);
    one.board.overheads.release = Nanos(5);
    assert_eq!(bounds(&one), [Some(10 + 1 + 5 + 2 * (3 + 1 + 5))]);
}

/// Another core's request to start the alarm is a part of an interrupt, too: 10 + 5, and 4 + 5 + 2 + 5.
#[test]
fn the_kernel_takes_a_release_to_call_an_alarm_and_one_to_start_it() {
    let mut one = system(vec![task("t", 1, 10, 100)]);
    one.alarms = vec![alarm(Some(50), Some(4))];
    one.board.overheads.ipi = Nanos(2);
    one.board.overheads.release = Nanos(5);
    assert_eq!(bounds(&one), [Some(10 + 5 + 4 + 5 + 2 + 5)]);
}

/// The releases of both, and the deadline's handler, 7 + 5; then also an overrun, 5, and its handler, 40 + 5.
#[test]
fn the_kernel_takes_a_release_for_an_overrun_and_for_each_handler_of_a_job() {
    let mut two = system(vec![task("high", 1, 5, 500), task("low", 2, 10, 500)]);
    two.board.overheads.release = Nanos(5);
    two.tasks[1].deadline_handler = handler(7);
    assert_eq!(bounds(&two), [Some(5 + 2 * 5 + 12), Some(15 + 2 * 5 + 12)]);
    two.tasks[1].budget = budget(9, false, Some(40));
    assert_eq!(bounds(&two)[0], Some(5 + 2 * 5 + 12 + 5 + 45));
    two.tasks[1].budget = budget(9, false, None);
    assert_eq!(bounds(&two)[0], Some(5 + 2 * 5 + 12 + 5));
}

/// A call costs the handler, the timer's interrupt and that of the core which started it:
/// 10 + 4 + 2, twice in a window of more than 20.
#[test]
fn idle_cores_interrupt_their_neighbours() {
    let mut one = system(vec![task("a", 1, 10, 100)]);
    one.board.overheads.timer_interrupt = Nanos(2);
    one.board.overheads.ipi = Nanos(1);
    let without = bounds(&one)[0].unwrap();
    // The core has its own timer, one task arrives, and two neighbours ask.
    one.kernel.idle_pull = Some(Nanos(1_000));
    assert_eq!(bounds(&one), [Some(without + 2 + 3)]);
}

#[test]
fn an_alarm_needs_a_separation() {
    let mut one = system(vec![task("t", 1, 10, 100)]);
    one.board.overheads.ipi = Nanos(2);
    one.alarms = vec![alarm(Some(50), Some(4))];
    assert_eq!(bounds(&one), [Some(16)]);
    one.alarms = vec![alarm(Some(15), Some(4))];
    assert_eq!(bounds(&one), [Some(22)]);
    for unlimited in [alarm(None, Some(4)), alarm(Some(50), None)] {
        let mut two = system(vec![task("t", 1, 10, 100), task("u", 1, 10, 100)]);
        two.tasks[1].core = Some(1);
        two.alarms = vec![unlimited];
        let rows = analyse(&two, &assign(&two).unwrap()).rows;
        let why = NoBound::UnlimitedHandler {
            alarm: takt_analysis::Named { index: 0, name: "a".into() },
        };
        assert_eq!(rows[0].verdict, Verdict::Unknown { why });
        assert_eq!(rows[1].verdict, Verdict::Meets { bound: Nanos(10) });
    }
}

/// The tick is 100, and each interrupt and each dispatch is charged two ticks more, one of its margin and
/// one that it may hide. A job of the first task needs 1000 + 2 ticks and its dispatch; its release with that of the second
/// task, its overrun and its end (a dispatch): 1400 + 600. A job of the second needs 500, its dispatch, and all of that.
#[test]
fn a_budget_that_stops_stands_for_the_wcet() {
    let mut two = system(vec![task("a", 1, 0, 10_000), task("b", 2, 500, 20_000)]);
    (two.tasks[0].wcet, two.tasks[0].budget) = (None, budget(1_000, true, None));
    assert_eq!(bounds(&two), [Some(2_000), Some(2_700)]);
    // A wcet above the budget has the bound of no wcet.
    two.tasks[0].wcet = Some(Nanos(5_000));
    assert_eq!(bounds(&two), [Some(2_000), Some(2_700)]);
    // The clock's interrupt waits for one section of the kernel, and another one lies before the window.
    two.board.overheads.kernel_section = Nanos(30);
    assert_eq!(bounds(&two), [Some(2_060), Some(2_760)]);
    two.board.overheads.kernel_section = Nanos(0);
    // A handler is called before the job is ended.
    two.tasks[0].budget = budget(1_000, true, Some(40));
    assert_eq!(bounds(&two), [Some(2_040), Some(2_740)]);
    // The margin of an interruption, 20, comes with each of the two interrupts, as its cost of 20 does.
    two.tasks[0].budget = budget(1_000, true, None);
    two.board.overheads.timer_interrupt = Nanos(20);
    assert_eq!(bounds(&two), [Some(2_000 + 2 * 120 + 2 * 100), Some(2_700 + 2 * 120 + 3 * 100)]);
    two.board.overheads.timer_interrupt = Nanos(0);
    // A wcet within the budget is believed, and nothing is measured.
    two.tasks[0].wcet = Some(Nanos(800));
    assert_eq!(bounds(&two), [Some(800), Some(1_300)]);
}

/// Both tasks have budgets, 1000 and 500, and 2 ticks of 100 each. The dispatch of a job costs 200, and so does its preemption,
/// as the job before goes on; the overrun and end of each task cost 400, and the interrupt that releases both 200.
#[test]
fn a_preemption_lengthens_the_budgets_of_both() {
    let mut two = system(vec![task("a", 1, 0, 10_000), task("b", 2, 0, 20_000)]);
    for (task, time) in [(0, 1_000), (1, 500)] {
        (two.tasks[task].wcet, two.tasks[task].budget) = (None, budget(time, true, None));
    }
    let a = 1_200 + 2 * 200 + 2 * 400 + 200;
    assert_eq!(bounds(&two), [Some(a), Some(a + 700 + 2 * 200)]);
}

#[test]
fn a_budget_that_reports_limits_nothing() {
    let mut two = system(vec![task("a", 1, 5_000, 10_000), task("b", 2, 500, 20_000)]);
    two.tasks[0].budget = budget(1_000, false, Some(50));
    assert_eq!(bounds(&two), [Some(5_050), Some(5_550)]);
    two.tasks[0].wcet = None;
    assert_eq!(bounds(&two), [None, None]);
}

/// 5 + 7, and 10 + 5 + 7: the handler of the lower task's deadline is before the higher task, too.
/// The handler of an aperiodic task is called once, as its job does not end meanwhile.
#[test]
fn the_handler_of_a_deadline_is_before_all_tasks() {
    let mut two = system(vec![task("high", 1, 5, 50), task("low", 2, 10, 100)]);
    two.tasks[1].deadline_handler = handler(7);
    assert_eq!(bounds(&two), [Some(12), Some(22)]);
    two.tasks[1].activation = Activation::Aperiodic;
    assert_eq!(bounds(&two), [Some(12), None]);
}
