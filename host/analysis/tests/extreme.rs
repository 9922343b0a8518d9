// SPDX-License-Identifier: Apache-2.0
//! Any description comes to an end, soon and without a panic.

mod common;

use std::time::Instant;

use common::build::{holds, semaphore, system, task};
use proptest::prelude::*;
use takt_analysis::{NoBound, Verdict, analyse, assign};
use takt_model::*;

fn check(system: &System) -> takt_analysis::Analysis {
    let begin = Instant::now();
    let analysis = analyse(system, &assign(system).unwrap());
    println!("{} tasks: {:?}", system.tasks.len(), begin.elapsed());
    analysis
}

#[test]
fn an_overloaded_core_breaks() {
    let analysis = check(&system(vec![task("a", 1, 1, 1), task("b", 2, 1, Nanos::MAX.0)]));
    assert!(analysis.rows[0].meets());
    assert!(matches!(analysis.rows[1].verdict, Verdict::Breaks { bound: None, culprit: 0, .. }));
    let two = system(vec![task("a", 1, 3, 5), task("b", 1, 3, 5)]);
    assert!(check(&two).rows.iter().all(|row| !row.meets() && row.bound().is_none()));
}

#[test]
fn a_core_that_only_takes_interrupts_breaks() {
    let mut two = system(vec![task("a", 1, 1, 1), task("b", 1, 1, 1)]);
    two.board.overheads.timer_interrupt = Nanos::MAX;
    assert!(check(&two).rows.iter().all(|row| matches!(row.verdict, Verdict::Breaks { .. })));
}

/// Each step brings a nanosecond, for years.
#[test]
fn a_tiny_period_below_full_load() {
    let long = Nanos::MAX.0 / 4;
    let analysis = check(&system(vec![task("a", 1, 1, 2), task("b", 2, long, Nanos::MAX.0)]));
    assert_eq!(analysis.rows[1].bound(), Some(Nanos(2 * long)));
}

/// The first one meets its deadline when all come together; the second one never does, and joins
/// the first one's windows in hundreds of millions of ways.
#[test]
fn a_search_that_would_take_years_is_given_up() {
    let tasks = vec![task("a", 1, 1_000_000_000, 2_000_000_011), task("b", 1, 1, 3)];
    let analysis = check(&system(tasks));
    assert_eq!(analysis.rows[0].verdict, Verdict::Unknown { why: NoBound::TooManySteps });
    assert!(matches!(analysis.rows[1].verdict, Verdict::Breaks { culprit: 0, .. }));
}

#[test]
fn thousands_of_tasks_on_one_core() {
    let many = (0..3000).map(|one| {
        let mut task = task(&format!("t{one}"), 1, 100, 1_000_000 + one);
        task.priority = None;
        task
    });
    let begin = Instant::now();
    let analysis = check(&system(many.collect()));
    for row in &analysis.rows {
        let given_up = matches!(row.verdict, Verdict::Unknown { why: NoBound::TooManySteps });
        assert!(row.meets() || given_up, "{row:?}");
    }
    println!(
        "{} meet, {:?}",
        analysis.rows.iter().filter(|row| row.meets()).count(),
        begin.elapsed()
    );
}

fn any_time() -> impl Strategy<Value = u64> {
    prop_oneof![
        0..4_u64,
        0..2000_u64,
        any::<u64>().prop_map(|time| time % (Nanos::MAX.0 + 1)),
        Just(Nanos::MAX.0)
    ]
}

fn any_task() -> impl Strategy<Value = Task> {
    let times = proptest::collection::vec(any_time(), 6);
    (times, any::<[bool; 6]>(), 0..3_u32, 1..=64_u8, 1..=255_u32, 0..3_usize).prop_map(
        |(times, is, core, priority, queue, semaphore)| {
            let mut task = task("t", priority, times[0], times[1]);
            task.jitter = Nanos(times[2]);
            task.deadline = is[0].then_some(Nanos(times[3]));
            task.core = is[1].then_some(core);
            task.priority = is[2].then_some(priority);
            task.queue = queue;
            task.wcet = (priority > 5).then_some(Nanos(times[0]));
            task.suspends = is[3].then_some(Nanos(times[4]));
            task.uses = match (semaphore, is[4]) {
                (2, _) => Vec::new(),
                (_, true) => vec![holds(semaphore, times[5])],
                (_, false) => vec![Use { semaphore, hold: None, times: 1 }],
            };
            if !is[5] {
                task.deadline = Some(Nanos(times[3]));
            } else {
                task.activation = match priority % 3 {
                    0 => Activation::Aperiodic,
                    _ if task.deadline.is_none() => Activation::Aperiodic,
                    _ => Activation::Sporadic { separation: Nanos(times[1]) },
                };
            }
            task
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3000,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_value_makes_it_panic(
        tasks in proptest::collection::vec(any_task(), 0..12),
        costs in proptest::collection::vec(any_time(), 6),
        costly in any::<bool>(),
    ) {
        let mut system = system(tasks);
        system.kernel.console_core = 0;
        system.semaphores = vec![semaphore("a", Order::Fifo), semaphore("b", Order::Priority)];
        if costly {
            system.board.overheads = Overheads {
                source: OverheadSource::Assumed,
                stamp: None,
                measured: None,
                timer_interrupt: Nanos(costs[0]),
                ipi: Nanos(costs[1]),
                release: Nanos(costs[2]),
                dispatch: Nanos(costs[3]),
                preemption: Nanos(costs[4]),
                kernel_section: Nanos(costs[5]),
                device_interrupt: None,
            };
        }
        let analysis = analyse(&system, &assign(&system).unwrap());
        for row in &analysis.rows {
            if let Verdict::Meets { bound } = row.verdict {
                prop_assert!(Some(bound) <= row.deadline);
            }
        }
    }
}
