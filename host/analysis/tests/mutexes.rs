// SPDX-License-Identifier: Apache-2.0
//! What mutexes cost, worked by hand.

mod common;

use common::build::{holds, semaphore, system, task};
use takt_analysis::{AssignError, Term, Verdict, analyse, assign, explain};
use takt_model::*;

fn mutex(name: &str, protocol: Protocol) -> Mutex {
    Mutex { name: name.into(), protocol, order: Order::Priority, ceiling: None }
}

fn locks(mutex: usize, hold: u64) -> MutexUse {
    MutexUse { mutex, hold: Some(Nanos(hold)), times: 1, inside: vec![] }
}

fn bounds(system: &System) -> Vec<Option<u64>> {
    let analysis = analyse(system, &assign(system).unwrap());
    common::parts_add_up(&analysis);
    analysis.rows.iter().map(|row| row.bound().map(|bound| bound.0)).collect()
}

/// Four tasks with these (C, T): high (2, 100), middle (10, 100), low (5, 100), lowest (7, 100).
fn four(protocol: Protocol) -> System {
    let mut four = system(vec![
        task("high", 1, 2, 100),
        task("middle", 2, 10, 100),
        task("low", 3, 5, 100),
        task("lowest", 4, 7, 100),
    ]);
    four.mutexes = vec![mutex("m", protocol), mutex("n", protocol)];
    four.tasks[0].mutexes = vec![locks(0, 1), locks(1, 1)];
    four.tasks[2].mutexes = vec![locks(0, 3)];
    four.tasks[3].mutexes = vec![locks(1, 4)];
    four
}

/// The longest hold of a lower task blocks once: that of `lowest` is 4, also for a task that uses neither mutex.
#[test]
fn a_ceiling_costs_one_hold() {
    let four = four(Protocol::Ceiling);
    assert_eq!(bounds(&four), [Some(2 + 4), Some(12 + 4), Some(17 + 4), Some(24)]);
}

/// A hold of each lower task blocks: `low` stopped with m when `high` came, and `lowest` with n before.
#[test]
fn inheritance_costs_a_hold_of_each_lower_user() {
    let four = four(Protocol::Inherit);
    assert_eq!(bounds(&four), [Some(2 + 3 + 4), Some(12 + 3 + 4), Some(17 + 4), Some(24)]);
}

/// Two lower users of one mutex: the second may be handed it by the first, or by a higher user.
#[test]
fn each_lower_user_of_one_mutex_counts() {
    let mut four = four(Protocol::Inherit);
    four.tasks[3].mutexes = vec![locks(0, 4)];
    assert_eq!(bounds(&four)[..2], [Some(2 + 3 + 4), Some(12 + 3 + 4)]);
    // Each task is in one section at a time, and the longest of its holds counts.
    four.tasks[3].mutexes = vec![locks(0, 4), locks(1, 2)];
    assert_eq!(bounds(&four)[..2], [Some(2 + 3 + 4), Some(12 + 3 + 4)]);
}

/// Tasks above the ceiling are not delayed, and nobody inherits so high a priority.
#[test]
fn who_is_above_all_users_is_not_delayed() {
    for protocol in [Protocol::Ceiling, Protocol::Inherit] {
        let mut four = four(protocol);
        four.tasks[0].mutexes.clear();
        four.tasks[1].mutexes = vec![locks(1, 1)];
        assert_eq!(bounds(&four)[..3], [Some(2), Some(12 + 4), Some(17 + 4)]);
    }
}

/// A declared ceiling above the users delays the tasks between, too.
#[test]
fn a_written_ceiling_reaches_as_high_as_it_says() {
    let mut four = four(Protocol::Ceiling);
    four.tasks[0].mutexes.clear();
    four.tasks[1].mutexes = vec![locks(1, 1)];
    four.mutexes[1].ceiling = Some(1);
    assert_eq!(bounds(&four)[..3], [Some(2 + 4), Some(12 + 4), Some(17 + 4)]);
}

/// Without a protocol the users have no bound, and tasks above them are not delayed.
#[test]
fn a_mutex_that_lends_nothing_bounds_none_of_its_users() {
    let mut four = four(Protocol::Plain);
    four.tasks[0].mutexes.clear();
    four.tasks[1].mutexes = vec![locks(1, 1)];
    let analysis = analyse(&four, &assign(&four).unwrap());
    assert_eq!(analysis.rows[0].bound().map(|it| it.0), Some(2));
    for user in [1, 3] {
        let Verdict::Unknown { why } = &analysis.rows[user].verdict else { panic!("{user}") };
        let expected = "nothing limits how long it waits for mutex 'n', whose `protocol` is \"none\": \
                        write \"ceiling\" or \"inherit\"";
        assert_eq!(why.to_string(), expected);
    }
    // The only user of a mutex has a bound.
    four.tasks[3].mutexes.clear();
    assert_eq!(bounds(&four)[..2], [Some(2), Some(12)]);
}

/// The middle task does not run while `high` waits for `low`; with a semaphore it does.
#[test]
fn inheritance_keeps_the_middle_out() {
    let tasks = vec![task("high", 1, 2, 100), task("middle", 2, 10, 100), task("low", 3, 5, 100)];
    let mut three = system(tasks);
    three.semaphores = vec![semaphore("s", Order::Priority)];
    three.mutexes = vec![mutex("m", Protocol::Inherit)];
    for index in [0, 2] {
        three.tasks[index].uses = vec![holds(0, 3)];
        three.tasks[index].uses[0].hold = Some(Nanos(if index == 0 { 1 } else { 3 }));
    }
    assert_eq!(bounds(&three)[0], Some(2 + 3 + 10));
    for index in [0, 2] {
        three.tasks[index].uses.clear();
        three.tasks[index].mutexes = vec![locks(0, if index == 0 { 1 } else { 3 })];
    }
    assert_eq!(bounds(&three)[0], Some(2 + 3));
}

/// Three cores share m. A job on core 0 spins for one hold of each other core: 5 + 7. That is work
/// for those below it, and a lower user's spin and hold are one section for those above.
#[test]
fn msrp_spins_for_one_hold_of_each_other_core() {
    let mut system = system(vec![
        task("top", 1, 1, 100),
        task("user", 2, 10, 100),
        task("below", 3, 2, 100),
        task("one", 1, 20, 100),
        task("two", 1, 30, 100),
        task("two_too", 2, 1, 100),
    ]);
    system.mutexes = vec![mutex("m", Protocol::Msrp)];
    for (index, core) in [(3, 1), (4, 2), (5, 2)] {
        system.tasks[index].core = Some(core);
    }
    for (index, hold) in [(1, 3), (3, 5), (4, 7), (5, 1)] {
        system.tasks[index].mutexes = vec![locks(0, hold)];
    }
    let found = bounds(&system);
    assert_eq!(found[..3], [Some(1 + 12 + 3), Some(10 + 12 + 1), Some(2 + 10 + 12 + 1)]);
    assert_eq!(found[3], Some(20 + 3 + 7));
    // The task spins for 3 + 5 itself, and the section of `two_too` is 3 + 5 + 1.
    assert_eq!(found[4], Some(30 + 8 + 9));
    assert_eq!(found[5], Some(1 + 8 + 30 + 8));
}

/// A hold on a core that takes interrupts lasts longer for those that spin.
#[test]
fn interrupts_of_the_holder_lengthen_the_spin() {
    let mut two = system(vec![task("a", 1, 10, 1000), task("b", 1, 10, 1000)]);
    two.mutexes = vec![mutex("m", Protocol::Msrp)];
    two.tasks[1].core = Some(1);
    two.tasks[0].mutexes = vec![locks(0, 2)];
    two.tasks[1].mutexes = vec![locks(0, 3)];
    let without = bounds(&two)[0];
    assert_eq!(without, Some(13));
    two.board.overheads.timer_interrupt = Nanos(6);
    // One release of b is under way when the mutex is handed over, and one comes: 2 x 6. One more 6 is for the release of a.
    assert_eq!(bounds(&two)[0], Some(13 + 2 * 6 + 6));
}

/// Each wait costs a switch to the holder and one back, and a task that stops may be delayed again.
#[test]
fn waits_and_stops_cost() {
    let mut four = four(Protocol::Inherit);
    let board = &mut four.board.overheads;
    (board.release, board.dispatch, board.preemption) = (Nanos(0), Nanos(1), Nanos(1));
    // The task has its own dispatch, its two waits, and the hand-over to each lower task.
    assert_eq!(bounds(&four)[0], Some(2 + 3 + 4 + 2 + 2 * 2 + 2 * 2));
    let mut four = self::four(Protocol::Ceiling);
    four.tasks[1].suspends = Some(Nanos(10));
    // The section counts once at the beginning and once when the task goes on; `high` in between counts twice at most.
    assert_eq!(bounds(&four)[1], Some(10 + 10 + 2 + 2 * 4));
}

#[test]
fn nothing_is_claimed_without_a_hold() {
    for protocol in [Protocol::Ceiling, Protocol::Inherit] {
        let mut four = four(protocol);
        four.tasks[3].mutexes[0].hold = None;
        let expected = "nothing limits how long 'lowest' holds mutex 'n': declare its `hold`";
        let analysis = analyse(&four, &assign(&four).unwrap());
        for row in &analysis.rows[..3] {
            let Verdict::Unknown { why } = &row.verdict else { panic!("{row:?}") };
            assert_eq!(why.to_string(), expected);
        }
        assert!(analysis.rows[3].meets());
    }
    let mut two = system(vec![task("a", 1, 10, 1000), task("b", 1, 10, 1000)]);
    two.mutexes = vec![mutex("m", Protocol::Msrp)];
    two.tasks[1].core = Some(1);
    two.tasks[0].mutexes = vec![locks(0, 2)];
    two.tasks[1].mutexes = vec![MutexUse { mutex: 0, hold: None, times: 1, inside: vec![] }];
    assert_eq!(bounds(&two), [None, Some(12)]);
}

#[test]
fn who_sleeps_may_do_so_while_holding() {
    for protocol in [Protocol::Ceiling, Protocol::Inherit] {
        let mut four = four(protocol);
        four.tasks[3].suspends = Some(Nanos(5));
        let analysis = analyse(&four, &assign(&four).unwrap());
        for row in &analysis.rows[..3] {
            let Verdict::Unknown { why } = &row.verdict else { panic!("{row:?}") };
            let expected = "'lowest' may sleep while it holds mutex 'n': let another task sleep";
            assert_eq!(why.to_string(), expected);
        }
    }
    let mut four = four(Protocol::Msrp); // nobody sleeps with dispatch disabled
    four.tasks[3].suspends = Some(Nanos(5));
    assert_eq!(bounds(&four)[0], Some(2 + 4));
}

/// Users of a mutex for one core go where one of them is; where two of them have different cores, nothing fits.
#[test]
fn users_are_kept_together() {
    let mut four = four(Protocol::Ceiling);
    four.tasks.iter_mut().for_each(|task| task.core = None);
    let cores = |system: &System| -> Vec<_> {
        assign(system).unwrap().iter().map(|place| place.core).collect()
    };
    let found = cores(&four);
    assert_eq!((found[0], found[2]), (found[3], found[3]));
    assert_ne!(found[1], found[0]);
    four.tasks[3].core = Some(2);
    assert_eq!(cores(&four)[0], 2);
    four.tasks[2].core = Some(1);
    let error = assign(&four).unwrap_err();
    assert!(matches!(error, AssignError::SplitMutex { .. }));
    let text = "mutex 'm' needs its users on one core, but 'high' is on core 1 and 'low' is not";
    let other = "mutex 'm' needs its users on one core, but 'high' is on core 2 and 'low' is not";
    assert!([text, other].contains(&error.to_string().as_str()), "{error}");
}

/// A mutex, its holder and a spin are named, not the tasks that happen to execute.
#[test]
fn the_mutex_and_its_holder_are_named() {
    let mut two = system(vec![task("high", 1, 2, 100), task("low", 2, 50, 100)]);
    two.mutexes = vec![mutex("m", Protocol::Ceiling)];
    two.tasks[0].mutexes = vec![locks(0, 1)];
    two.tasks[1].mutexes = vec![locks(0, 45)];
    let analysis = analyse(&two, &assign(&two).unwrap());
    common::parts_add_up(&analysis);
    let part = &analysis.rows[0].breakdown.as_ref().unwrap().parts[0];
    assert_eq!((&part.term, part.time), (&Term::MutexHeld { mutex: 0, task: 1 }, Nanos(45)));
    assert_eq!(part.term.words(&two), "task low holds mutex m");
    two.tasks[0].deadline = Some(Nanos(20));
    let analysis = analyse(&two, &assign(&two).unwrap());
    let expected = "task high can miss its deadline by 27ns: of its response of 47ns, 45ns: task \
                    low holds mutex m; 2ns: its own execution";
    assert_eq!(explain(&two, &analysis.rows[0]).unwrap(), expected);
}

fn inside(mutex: usize, hold: u64, outer: &[usize]) -> MutexUse {
    MutexUse { inside: outer.to_vec(), ..locks(mutex, hold) }
}

/// `high` needs m alone. `low` locks n inside m, and `lowest` holds n: its hold reaches `high` through m.
#[test]
fn a_hold_inside_another_reaches_who_waits_for_the_outer_one() {
    let mut four = four(Protocol::Inherit);
    four.tasks[0].mutexes = vec![locks(0, 1)];
    assert_eq!(bounds(&four)[..2], [Some(2 + 3), Some(12 + 3)]);
    four.tasks[2].mutexes = vec![locks(0, 3), inside(1, 2, &[0])];
    assert_eq!(bounds(&four)[..2], [Some(2 + (3 + 2) + 4), Some(12 + (3 + 2) + 4)]);
    // Each wait inside costs a hand-over, as does the one for the first mutex; a hold outside of n reaches through both.
    four.board.overheads.release = Nanos(1);
    let one = bounds(&four)[0].unwrap();
    four.tasks[2].mutexes = vec![locks(0, 3), locks(1, 2)];
    assert_eq!(one - bounds(&four)[0].unwrap(), (2 + 4) + 3);
}

/// A hold reaches through two mutexes, and no further than the order of locks leads.
#[test]
fn reaching_is_transitive() {
    let mut four = four(Protocol::Inherit);
    four.mutexes.push(mutex("o", Protocol::Inherit));
    four.tasks[0].mutexes = vec![locks(0, 1)];
    four.tasks[1].mutexes = vec![locks(0, 1), inside(1, 1, &[0])];
    four.tasks[2].mutexes = vec![locks(1, 1), inside(2, 1, &[1])];
    four.tasks[3].mutexes = vec![locks(2, 4)];
    assert_eq!(bounds(&four)[0], Some(2 + (1 + 1) + (1 + 1) + 4));
    // `low` locks o first, so a task that waits for m never waits for `lowest`.
    four.tasks[2].mutexes = vec![inside(1, 1, &[2]), locks(2, 1)];
    assert_eq!(bounds(&four)[0], Some(2 + (1 + 1) + 1));
}

/// With ceilings no task waits inside a hold, so one lower task counts, with all of its holds.
#[test]
fn nested_ceilings_count_once() {
    let mut four = four(Protocol::Ceiling);
    four.tasks[2].mutexes = vec![locks(0, 3), inside(1, 2, &[0])];
    assert_eq!(bounds(&four)[..2], [Some(2 + 5), Some(12 + 5)]);
}

/// A spin inside a hold is not measured with it, so it is charged.
#[test]
fn a_spin_inside_a_hold_counts() {
    let mut five = four(Protocol::Inherit);
    five.tasks[3].mutexes.clear();
    five.tasks.push(task("far", 1, 9, 100));
    five.tasks[4].core = Some(1);
    five.cores = 2;
    five.mutexes[1] = mutex("n", Protocol::Msrp);
    five.tasks[0].mutexes = vec![locks(0, 1)];
    five.tasks[4].mutexes = vec![locks(1, 8)];
    five.tasks[2].mutexes = vec![locks(0, 3), inside(1, 2, &[0])];
    let nested = 3 + (2 + 8);
    let alone = 8 + 2; // one that another lower task might have; the analysis takes both
    assert_eq!(bounds(&five)[0], Some(2 + nested + alone));
}

/// A task that sleeps with the inner mutex delays all tasks that wait for the outer one, without bound.
#[test]
fn who_sleeps_inside_leaves_no_bound() {
    let mut four = four(Protocol::Inherit);
    four.tasks[0].mutexes = vec![locks(0, 1)];
    four.tasks[2].mutexes = vec![locks(0, 3), inside(1, 2, &[0])];
    four.tasks[3].suspends = Some(Nanos(5));
    assert_eq!(bounds(&four)[0], None);
}
