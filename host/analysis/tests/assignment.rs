// SPDX-License-Identifier: Apache-2.0
//! Cores and priorities that the description leaves out.

mod common;

use common::build::{system, task};
use takt_analysis::{AssignError, Assignment, assign};
use takt_model::*;

/// A task that leaves core and priority out.
fn free(wcet: u64, period: u64) -> Task {
    let mut task = task("free", 1, wcet, period);
    (task.core, task.priority) = (None, None);
    task
}

fn given(priority: u8, deadline: u64) -> Task {
    task("given", priority, 1, deadline)
}

fn on_core_0(mut task: Task) -> Task {
    task.core = Some(0);
    task
}

fn priorities(tasks: Vec<Task>) -> Vec<u8> {
    assign(&system(tasks)).unwrap().iter().map(|one| one.priority).collect()
}

#[test]
fn the_greatest_goes_first_onto_the_least_loaded_core() {
    let mut many = system(vec![free(1, 10), free(6, 10), free(5, 10), free(2, 10), free(4, 10)]);
    many.cores = 2;
    let cores: Vec<_> = assign(&many).unwrap().iter().map(|one| one.core).collect();
    assert_eq!(cores, [0, 0, 1, 0, 1]); // 6 | 5, 6 | 9, 8 | 9, then a tie
    many.tasks[4].core = Some(0);
    let cores: Vec<_> = assign(&many).unwrap().iter().map(|one| one.core).collect();
    assert_eq!(cores, [1, 1, 0, 1, 0]); // 4 | 0 given, 4 | 6, 9 | 6, 9 | 8
    assert_eq!(assign(&many), assign(&many.clone()));
}

#[test]
fn cores_that_are_not_there() {
    let mut one = system(vec![task("far", 1, 1, 10)]);
    one.tasks[0].core = Some(4);
    let error = AssignError::NoSuchCore { task: "far".into(), core: 4, last: 3 };
    assert_eq!(assign(&one), Err(error.clone()));
    assert_eq!(error.to_string(), "task 'far' asks for core 4, but the system's cores are 0 to 3");
    one.cores = 0;
    assert_eq!(assign(&one), Err(AssignError::NoCores));
}

#[test]
fn shorter_deadlines_are_higher() {
    let mut tasks = vec![free(1, 30), free(1, 10), free(1, 20), free(1, 10)];
    tasks[0].deadline = Some(Nanos(5));
    assert_eq!(priorities(tasks.into_iter().map(on_core_0).collect()), [1, 2, 4, 3]);
}

#[test]
fn every_core_counts_from_one() {
    let mut many = system(vec![free(5, 10), free(5, 20), free(5, 30)]);
    many.cores = 2;
    let place = |core, priority| Assignment { core, priority };
    assert_eq!(assign(&many).unwrap(), [place(0, 1), place(1, 1), place(1, 2)]);
}

#[test]
fn given_priorities_stay_and_the_others_fit_around_them() {
    let tasks = vec![given(10, 20), on_core_0(free(1, 10)), on_core_0(free(1, 30)), given(20, 40)];
    assert_eq!(priorities(tasks), [10, 1, 11, 20]);
    // There is no level above 1 and none between 7 and 8, so the tasks share the level below.
    let tasks = vec![given(1, 20), on_core_0(free(1, 10))];
    assert_eq!(priorities(tasks), [1, 1]);
    let tasks = vec![given(7, 20), given(8, 40), on_core_0(free(1, 30))];
    assert_eq!(priorities(tasks), [7, 8, 8]);
    let tasks = vec![given(64, 20), on_core_0(free(1, 30))];
    assert_eq!(priorities(tasks), [64, 64]);
}

#[test]
fn many_tasks_share_levels_in_their_order() {
    let found = priorities((0..130).map(|one| on_core_0(free(1, 1000 + one))).collect());
    assert!(found.is_sorted());
    assert_eq!((found[0], found[129]), (1, 64));
    let most = (1..=64).map(|level| found.iter().filter(|one| **one == level).count()).max();
    assert_eq!(most, Some(3)); // 130 / 64, rounded up
}

#[test]
fn without_a_deadline_comes_last_and_alone() {
    let mut tasks: Vec<_> = (0..70).map(|one| on_core_0(free(1, 1000 + one))).collect();
    tasks[0].activation = Activation::Aperiodic;
    tasks[0].deadline = None;
    let found = priorities(tasks);
    assert_eq!(found[0], 64);
    assert_eq!(found[1..].iter().max(), Some(&63));
}
