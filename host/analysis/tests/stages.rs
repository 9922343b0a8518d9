// SPDX-License-Identifier: Apache-2.0
//! Tasks that fork, by examples worked by hand.

mod common;

use common::build::*;
use takt_analysis::{Analysis, Doubt, NoBound, Verdict, analyse, assign};
use takt_model::*;

fn check(system: &System) -> Analysis {
    let analysis = analyse(system, &assign(system).unwrap());
    for row in &analysis.rows {
        if let (Some(breakdown), Some(bound)) = (&row.breakdown, row.bound()) {
            assert_eq!((breakdown.response(), breakdown.unfinished.0), (bound, 0), "{row:?}");
        }
    }
    analysis
}

fn bounds(system: &System) -> Vec<Option<u64>> {
    check(system).rows.iter().map(|row| row.bound().map(|bound| bound.0)).collect()
}

/// A core that is critical in the analysis of one stage need not be so in the schedule. Both higher tasks delay the fork, the
/// region or the end: `high` arrives at the end of the region that `other` has delayed, and the response is 21. Here each step
/// has all that may delay it: 1 + 10 until it forks, the longer one of 1 + 10 and 1 + 9 in the region, 1 + 10 at the end.
#[test]
fn interference_is_not_counted_once_for_all_stages() {
    let high = task("high", 1, 10, 1000);
    let other = on_core(1, task("other", 1, 9, 1000));
    let mut system = system(vec![high, other, task("forks", 2, 3, 1000)]);
    fork(&mut system, 2, &[1], &[(Some(1), Some(1)), (Some(1), None)]);
    assert_eq!(bounds(&system), [Some(10), Some(9), Some(33), Some(21)]);
}

/// Two stages: 10 and 5, 30 and 5, and the nanosecond of the join at the end. On core 1 the strands come with jitters of 10 and
/// 45, so a window of 65 has one of the first and two of the second stage.
#[test]
fn a_stage_comes_with_the_jitter_of_those_before() {
    let mut system = system(vec![task("forks", 1, 50, 100), on_core(1, task("low", 2, 50, 200))]);
    fork(&mut system, 0, &[1], &[(Some(10), Some(5)), (Some(30), Some(5))]);
    let analysis = check(&system);
    assert_eq!(bounds(&system), [Some(51), Some(65), Some(35)]);
    let rows = &analysis.rows[0].stages;
    let ends: Vec<_> = rows.iter().map(|it| (it.stage, it.is_serial, it.ends.0)).collect();
    let expected = [(1, true, 10), (1, false, 15), (2, true, 45), (2, false, 50), (3, true, 51)];
    assert_eq!(ends, expected);
    assert!(analysis.holds() && analysis.doubts.contains(&Doubt::Forks { tasks: "forks".into() }));
}

/// A barrier is no fork: the strands of one region are one job of the worker, which takes 10 + 5 + 7.
#[test]
fn a_stage_may_begin_at_a_barrier() {
    let mut system = system(vec![task("forks", 1, 23, 100)]);
    fork(&mut system, 0, &[1], &[(Some(10), Some(5)), (None, Some(7)), (Some(1), None)]);
    assert_eq!(bounds(&system), [Some(23), Some(22)]);
}

fn with_overheads(mut system: System) -> System {
    let it = &mut system.board.overheads;
    (it.timer_interrupt, it.ipi, it.release) = (Nanos(4), Nanos(5), Nanos(3));
    (it.dispatch, it.preemption, it.kernel_section) = (Nanos(2), Nanos(1), Nanos(10));
    system
}

/// Sections are 10, a switch is 3, a wake-up or an activation 8, a release by the timer 7.
/// - Until the fork: 100, a section and a post (13), a switch, a section of whatever ran before, the release, and a wake-up of
///   the former job that may come late (8): 141.
/// - In the region the worker takes 200, 4 sections (it reads the fork, its former job ends, it arrives, it wakes the
///   master), a switch, a section, its activation, and the lower task's release: 268. The master's strand takes 258.
/// - At the end: 50, a section (it reads that all have arrived), a switch, a section, the timer's release, two wake-ups: 96.
/// - The lower task beside the worker: 100 and a switch, a strand of 243, a section, an activation, its own release.
#[test]
fn forks_and_joins_cost_the_kernels_times() {
    let low = on_core(1, task("low", 9, 100, 10_000));
    let mut system = with_overheads(system(vec![task("forks", 1, 350, 100_000), low]));
    fork(&mut system, 0, &[1], &[(Some(100), Some(200)), (Some(50), None)]);
    assert_eq!(bounds(&system), [Some(141 + 268 + 96), Some(371), Some(141 + 268)]);
}

/// The master activates four of the other threads, and the first of these two more, on the way to which the activation waits
/// for one interrupt of 5: that of the other region is over. The master's own windows have the wake-up that may come late,
/// and all but the first one that which comes at the join.
#[test]
fn other_cores_pass_a_fork_on() {
    let mut system = system(vec![task("forks", 1, 60, 1000)]);
    (system.cores, system.board.cores) = (8, 8);
    system.board.overheads.ipi = Nanos(5);
    let stages = [(Some(10), Some(20)), (Some(10), Some(20))];
    fork(&mut system, 0, &[1, 2, 3, 4, 5, 6], &stages);
    let (alone, near, far) = (10 + 5 + 5, 20 + 5, 5 + 20 + 5);
    let [master, workers @ ..] = &bounds(&system)[..] else { panic!() };
    let count = |response: u64| workers.iter().filter(|it| **it == Some(response)).count();
    assert_eq!((count(alone + near), count(alone + far)), (4, 2), "{workers:?}");
    assert_eq!(*master, Some((alone - 5) + far + alone + far + (1 + 5 + 5)));
}

/// A task that misses its deadline leaves all cores where it has a thread without bounds, and no other one.
#[test]
fn a_task_that_breaks_takes_the_bounds_of_its_cores_along() {
    let beside = |core| on_core(core, task("beside", 2, 1, 100));
    let mut system = system(vec![task("forks", 1, 99, 100), beside(0), beside(1), beside(2)]);
    fork(&mut system, 0, &[1], &[(Some(50), Some(40)), (Some(20), None)]);
    let analysis = check(&system);
    let rows = &analysis.rows;
    assert!(matches!(rows[0].verdict, Verdict::Breaks { bound: None, by: Nanos(10), .. }));
    let depends = |row: usize| matches!(&rows[row].verdict, Verdict::Unknown { why: NoBound::DependsOn { task } } if task.name == "forks");
    assert!(depends(1) && depends(2) && depends(4) && rows[3].meets(), "{rows:?}");
}

#[track_caller]
fn refused(system: &System, reason: &str) {
    for row in &check(system).rows {
        match &row.verdict {
            Verdict::Unknown { why: NoBound::Forks { task, why } } => {
                assert!(task.name == "forks" && why.contains(reason), "{why}");
            }
            Verdict::Unknown { why: NoBound::Aperiodic } => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn what_nothing_bounds_says_why() {
    let two = || system(vec![task("forks", 5, 20, 100), on_core(1, task("beside", 6, 5, 100))]);
    let stages = [(Some(10), Some(5))];
    let forking = |change: &dyn Fn(&mut System)| {
        let mut system = two();
        fork(&mut system, 0, &[1], &stages);
        change(&mut system);
        system
    };
    refused(&forking(&|it| it.openmp.as_mut().unwrap().stages[0].clear()), "no `stages`");
    refused(&forking(&|it| it.tasks[0].suspends = Some(Nanos(1))), "`suspends`");
    refused(&forking(&|it| it.tasks[1].priority = Some(5)), "'beside' has its priority");
    refused(&forking(&|it| fork(it, 0, &[2], &stages)), "a team is inside another");
    let elsewhere = forking(&|it| (it.tasks[1].core, it.tasks[1].priority) = (Some(2), Some(5)));
    assert_eq!(bounds(&elsewhere), [Some(16), Some(5), Some(15)]);
}

/// A strand of 20 enters a section twice, and each time waits for one hold of the other core: 28. The higher task beside the
/// worker waits once, for a spin and a hold, and delays the worker's strand. The ends of the region have neither.
#[test]
fn a_critical_section_waits_for_one_hold_of_each_other_core() {
    let high = || on_core(1, task("high", 1, 5, 1000));
    let mut one = system(vec![high(), task("forks", 2, 31, 1000)]);
    fork(&mut one, 1, &[1], &[(Some(10), Some(20)), (Some(1), None)]);
    critical(&mut one, 0, 0, 4, 2);
    assert_eq!(bounds(&one), [Some(5 + 4 + 4), Some(10 + (28 + 5) + 1), Some(10 + 28 + 5)]);

    // Another team has longer sections of this name: a request waits for those of two more cores.
    let other = on_core(2, task("other", 3, 50, 1000));
    let mut two = system(vec![high(), task("forks", 2, 31, 1000), other]);
    (two.cores, two.board.cores) = (4, 4);
    fork(&mut two, 1, &[1], &[(Some(10), Some(20)), (Some(1), None)]);
    fork(&mut two, 2, &[3], &[(Some(10), Some(40))]);
    critical(&mut two, 0, 0, 4, 2);
    critical(&mut two, 1, 0, 7, 1);
    let spin = 4 + 7 + 7;
    let strand = 20 + 2 * spin + 5;
    let other = 10 + 40 + (7 + 4 + 4);
    let bounds = bounds(&two);
    assert_eq!(bounds[..3], [Some(5 + spin + 4), Some(10 + strand + 1), Some(other + 1)]);
}

/// Nothing bounds the interrupts where a team misses its deadline, and so nothing bounds its sections.
#[test]
fn the_sections_of_a_team_that_breaks_have_no_bound() {
    let other = on_core(2, task("other", 3, 99, 100));
    let mut two = system(vec![task("forks", 2, 31, 1000), other]);
    (two.cores, two.board.cores) = (4, 4);
    fork(&mut two, 0, &[1], &[(Some(10), Some(20))]);
    fork(&mut two, 1, &[3], &[(Some(50), Some(60))]);
    assert_eq!(bounds(&two)[0], Some(31));
    critical(&mut two, 0, 0, 4, 1);
    critical(&mut two, 1, 0, 4, 1);
    let verdict = &check(&two).rows[0].verdict;
    let depends = |name: &str| name.starts_with("other");
    assert!(
        matches!(verdict, Verdict::Unknown { why: NoBound::DependsOn { task } } if depends(&task.name)),
        "{verdict:?}"
    );
}

/// What delays a task is named after the thread, and not after the part of it that stands for a later stage.
#[test]
fn a_section_is_that_of_a_thread_of_the_description() {
    let high = on_core(1, task("high", 1, 5, 1000));
    let mut system = system(vec![high, task("forks", 2, 61, 1000)]);
    fork(&mut system, 1, &[1], &[(Some(10), Some(20)), (Some(10), Some(20)), (Some(1), None)]);
    critical(&mut system, 0, 1, 4, 1);
    let analysis = check(&system);
    let worker = &system.tasks[2].name;
    let words = |row: usize| {
        let parts = &analysis.rows[row].breakdown.as_ref().unwrap().parts;
        parts.iter().map(|part| part.term.words(&system)).collect::<Vec<_>>()
    };
    let held = format!("task {worker} holds mutex critical");
    assert!(words(0).contains(&held), "{:?}", words(0));
    let spins = format!("task {worker} spins for mutexes and spin locks of other cores");
    assert!(words(2).contains(&spins), "{:?}", words(2));
}

/// A hold on another core takes as long as the interrupts there make it: with sections of 10 and interrupts of 5, the 4 of the
/// worker's hold have 10, and at most the activation and the late wake-up that come meanwhile.
#[test]
fn interrupts_lengthen_the_hold_that_a_strand_waits_for() {
    let stages = [(Some(10), Some(20)), (Some(1), None)];
    let bound = |is_critical: bool| {
        let mut system = with_overheads(system(vec![task("forks", 1, 31, 10_000)]));
        fork(&mut system, 0, &[1], &stages);
        if is_critical {
            critical(&mut system, 0, 0, 4, 1);
        }
        bounds(&system)[0].unwrap()
    };
    let spin = bound(true) - bound(false);
    assert!((4 + 10 + 8..=2 * (4 + 10 + 8 + 8)).contains(&spin), "{spin}");
}

/// No interrupt comes for threads that spin, and they do not wait in the kernel: 100 and a section until the fork, with a
/// switch, a section and the timer's release 130; 200 and two sections in the worker's region, with a switch and a section
/// 233; 50, a section, a switch, a section and the timer's release 80.
#[test]
fn threads_may_spin() {
    let mut system = with_overheads(system(vec![task("forks", 1, 350, 100_000)]));
    fork(&mut system, 0, &[1], &[(Some(100), Some(200)), (Some(50), None)]);
    system.openmp.as_mut().unwrap().teams[0].iter_mut().for_each(|thread| thread.spins = true);
    system.tasks[1].start = true;
    assert_eq!(bounds(&system), [Some(130 + 233 + 80), None]);
    let worker = &check(&system).rows[1].verdict;
    assert_eq!(*worker, Verdict::Unknown { why: NoBound::Spins });
}
