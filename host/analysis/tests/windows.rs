// SPDX-License-Identifier: Apache-2.0
//! Partitions in windows: the bounds against simulated responses, equal where nothing else is unknown.

mod common;

use common::build::{system, task};
use common::parts_add_up;
use common::patterns::Random;
use takt_analysis::{Analysis, Term, analyse, assign};
use takt_model::*;

/// A system whose core 0 has this frame, in which each task is of the partition at the same place.
fn divided(length: u64, windows: &[(usize, u64, u64)], tasks: Vec<(Task, usize)>) -> System {
    let window = |&(partition, offset, duration): &(usize, u64, u64)| TimeWindow {
        partition,
        offset: Nanos(offset),
        duration: Nanos(duration),
    };
    let tasks =
        tasks.into_iter().map(|(task, partition)| Task { partition: Some(partition), ..task });
    let mut system = system(tasks.collect());
    let windows = windows.iter().map(window).collect();
    system.frames = vec![Frame { core: 0, length: Nanos(length), windows }];
    system
}

fn analysed(system: &System) -> Analysis {
    let analysis = analyse(system, &assign(system).expect("one core is there"));
    parts_add_up(&analysis);
    analysis
}

fn bounds(system: &System) -> Vec<Option<u64>> {
    analysed(system).rows.iter().map(|row| row.bound().map(|bound| bound.0)).collect()
}

/// The longest response of each task that is released at its phase and whole periods later, instant by instant: the first
/// ready task by priority whose window is open runs.
fn simulate(system: &System, phases: &[u64], horizon: u64) -> Vec<u64> {
    let frame = &system.frames[0];
    let mut jobs: Vec<Vec<(u64, u64)>> = vec![Vec::new(); phases.len()]; // released at, work left
    let mut longest = vec![0; phases.len()];
    for now in 0..horizon {
        for (index, (task, phase)) in system.tasks.iter().zip(phases).enumerate() {
            let Activation::Periodic { period, .. } = task.activation else { unreachable!() };
            if now >= *phase && (now - phase) % period.0 == 0 {
                jobs[index].push((now, task.wcet.unwrap().0));
            }
        }
        let at = now % frame.length.0;
        let open = frame.windows.iter().find(|it| (it.offset.0..it.end().0).contains(&at));
        let Some(open) = open else { continue };
        let ready = (0..phases.len()).filter(|index| !jobs[*index].is_empty());
        let ready = ready.filter(|index| system.tasks[*index].partition == Some(open.partition));
        let Some(runs) = ready.min_by_key(|index| system.tasks[*index].priority) else { continue };
        let job = &mut jobs[runs][0];
        job.1 -= 1;
        if job.1 == 0 {
            longest[runs] = longest[runs].max(now + 1 - job.0);
            jobs[runs].remove(0);
        }
    }
    longest
}

/// Work of 3 in windows of 4 each 10, released when one has just ended: 6 + 3. Work of 6: 6 + 4 + 6 + 2.
#[test]
fn a_task_waits_for_the_windows_of_its_partition() {
    let one = |wcet| divided(10, &[(0, 3, 4)], vec![(task("one", 1, wcet, 1000), 0)]);
    assert_eq!(bounds(&one(3)), [Some(9)]);
    assert_eq!(bounds(&one(6)), [Some(18)]);
    let analysis = analysed(&one(6));
    let parts = &analysis.rows[0].breakdown.as_ref().unwrap().parts;
    assert_eq!(parts[0].term, Term::ClosedWindows);
    assert_eq!(parts[0].time, Nanos(12));
}

/// A higher task of another partition changes nothing, not even one that never ends.
#[test]
fn partitions_do_not_delay_each_other() {
    let windows = [(0, 0, 5), (1, 5, 5)];
    let mut endless = task("endless", 1, 1, 1000);
    (endless.wcet, endless.deadline, endless.activation) = (None, None, Activation::Aperiodic);
    let alone = divided(10, &windows, vec![(task("mine", 2, 7, 1000), 0)]);
    let both = divided(10, &windows, vec![(task("mine", 2, 7, 1000), 0), (endless, 1)]);
    assert_eq!(bounds(&alone), [Some(17)]);
    assert_eq!(bounds(&both)[0], Some(17));
    let same = divided(10, &windows, vec![(both.tasks[0].clone(), 0), (both.tasks[1].clone(), 0)]);
    assert_eq!(bounds(&same)[0], None);
}

/// What the tasks of other partitions cause while they do not run is charged, whether or not they declare that they wait.
#[test]
fn an_undeclared_wait_of_another_partition_is_charged() {
    let windows = [(0, 0, 5000), (1, 5000, 5000)];
    let bound = |overheads, other: Task| {
        let mut system =
            divided(10_000, &windows, vec![(task("mine", 1, 700, 50_000), 0), (other, 1)]);
        system.board.overheads.ipi = Nanos(overheads);
        system.board.overheads.timer_interrupt = Nanos(overheads);
        bounds(&system)[0].unwrap()
    };
    let silent = task("other", 2, 1, 20_000);
    let declares = Task { suspends: Some(Nanos(1)), ..silent.clone() };
    assert_eq!(bound(100, silent.clone()), bound(100, declares));
    assert!(bound(100, silent.clone()) > bound(0, silent) + 100);
}

/// A partition with tasks on two cores is stopped on each by an interrupt, which is charged once for each partition and core.
#[test]
fn a_stop_from_another_core_is_charged() {
    let windows = [(0, 0, 5000), (1, 5000, 5000)];
    let bound = |partition| {
        let others = [("one", 1), ("two", 1), ("three", partition)];
        let others = others.map(|(name, partition)| (task(name, 2, 1, 20_000), partition));
        let tasks = [(task("mine", 1, 700, 50_000), 0)].into_iter().chain(others).collect();
        let mut system = divided(10_000, &windows, tasks);
        system.cores = 2;
        system.board.overheads.ipi = Nanos(100);
        system.board.overheads.release = Nanos(10);
        for (index, task) in system.tasks.iter_mut().enumerate() {
            task.core = Some(u32::from(index == 3));
        }
        bounds(&system)[0].unwrap()
    };
    assert_eq!(bound(1) - bound(2), 100 + 2 * 10); // one job ends, one task becomes ready
}

/// A partition without a window that lasts longer than its opening never runs.
#[test]
fn a_partition_that_never_runs_has_no_bound() {
    let mut system = divided(100, &[(0, 0, 30)], vec![(task("one", 1, 3, 1000), 0)]);
    system.board.overheads.kernel_section = Nanos(30);
    assert!(!analysed(&system).holds());
}

/// A task that is alone in its partition responds, at the worst phase, exactly as bounded.
#[test]
fn a_lone_task_responds_exactly_as_bounded() {
    let mut random = Random(1);
    for _ in 0..200 {
        let system = drawn(&mut random, 1);
        let length = system.frames[0].length.0;
        let phases = (0..length).map(|phase| simulate(&system, &[phase], 2 * PERIOD)[0]);
        let seen = phases.max().unwrap();
        if let [Some(bound)] = bounds(&system)[..] {
            assert_eq!(seen, bound, "{system:?}");
        }
    }
}

#[test]
fn no_task_takes_longer_than_its_bound() {
    let (mut random, mut bounded) = (Random(2), 0);
    for _ in 0..300 {
        let system = drawn(&mut random, 4);
        let bounds = bounds(&system);
        for _ in 0..20 {
            let phases: Vec<_> = system.tasks.iter().map(|_| random.upto(PERIOD)).collect();
            let seen = simulate(&system, &phases, 6 * PERIOD);
            for ((seen, bound), task) in seen.iter().zip(&bounds).zip(&system.tasks) {
                if let Some(bound) = bound {
                    assert!(seen <= bound, "{} took {seen}, bound {bound}: {system:?}", task.name);
                    bounded += 1;
                }
            }
        }
    }
    assert!(bounded > 10_000, "{bounded} only");
}

/// The longest period that is drawn.
const PERIOD: u64 = 400;

/// Some tasks of two partitions, and a frame with windows of both.
fn drawn(random: &mut Random, tasks: usize) -> System {
    let length = 20 + random.upto(40);
    let (mut windows, mut at) = (Vec::new(), 0);
    while at + 4 < length {
        let offset = at + random.upto(3);
        let duration = (2 + random.upto(10)).min(length - offset);
        if duration > 0 {
            windows.push((random.upto(1) as usize, offset, duration));
        }
        at = offset + duration;
    }
    windows[0].0 = 0;
    windows[1].0 = 1;
    let names = ["a", "b", "c", "d"];
    let task = |index: usize| {
        let period = if tasks == 1 { PERIOD } else { [100, 200, PERIOD][random.upto(2) as usize] };
        (task(names[index], index as u8 + 1, 1 + random.upto(8), period), random.upto(1) as usize)
    };
    let tasks = (0..tasks).map(task).collect();
    divided(length, &windows, tasks)
}
