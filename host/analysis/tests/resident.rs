// SPDX-License-Identifier: Apache-2.0
//! What is charged on cores whose own caches keep all that these touch.

mod common;

use std::path::Path;

use common::build::{holds, no_overheads, semaphore, system, task};
use takt_analysis::{Analysis, RemoteActivation, Residency, Row, Term, analyse_resident, assign};
use takt_model::*;

/// A task above another one and above one without end, which may have accesses under way.
fn three() -> System {
    let endless = Task { activation: Activation::Aperiodic, start: true, ..task("c", 9, 0, 0) };
    let endless = Task { wcet: None, deadline: None, ..endless };
    let mut system =
        system(vec![task("a", 1, 1_000, 50_000_000), task("b", 2, 2_000, 50_000_000), endless]);
    let small = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/calibrate/small.toml");
    let small = Board::read(&small).unwrap_or_else(|_| panic!("small.toml is readable"));
    system.board.timing = small.timing;
    system.board.resident = Some(no_overheads());
    system
}

fn analysed(system: &System, requests: bool) -> Analysis {
    let residency = Residency { requests, ..Residency::default() };
    analyse_resident(system, &assign(system).unwrap(), &residency).expect("a resident table")
}

#[test]
fn images_with_requests_have_a_table_of_their_own() {
    let mut system = three();
    let release = |of: u64| Some(Overheads { release: Nanos(of), ..no_overheads() });
    let bound = |system: &System, requests| analysed(system, requests).rows[0].bound().unwrap().0;
    (system.board.resident, system.board.resident_requests) = (release(100), release(700));
    let (without, with) = (bound(&system, false), bound(&system, true));
    assert!(without < with, "{without} {with}");
    // Without that table the other is for all.
    (system.board.resident, system.board.resident_requests) = (release(700), None);
    assert_eq!([false, true].map(|requests| bound(&system, requests)), [with; 2]);
}

/// While a job waits for a semaphore nobody runs but tasks that count with their `wcet` and `hold`. While it sleeps, anybody may.
#[test]
fn lower_accesses_are_charged_once_and_for_each_sleep() {
    let transfers = |system: &System| {
        let analysis = analysed(system, true);
        let breakdown = analysis.rows[0].breakdown.as_ref().expect("a bound");
        let parts = breakdown.parts.iter().filter(|part| part.term == Term::Transfers);
        parts.map(|part| part.time.0).sum::<u64>()
    };
    let once = transfers(&three());
    assert!(once > 0);
    let mut sleeping = three();
    sleeping.tasks[0].suspends = Some(Nanos(10_000));
    sleeping.tasks[0].rights.suspensions = Some(3);
    assert_eq!(transfers(&sleeping), 4 * once);
    let mut waiting = three();
    waiting.semaphores = vec![semaphore("s", Order::Fifo)];
    for index in [0, 1] {
        waiting.tasks[index].uses = vec![holds(0, 500)];
    }
    assert_eq!(transfers(&waiting), once);
}

const PERIOD: u64 = 50_000_000;
const SECTION: u64 = 1_000;

/// A task of core 1 that activates one of core 0, where another one is below that; and a task above the caller.
fn between() -> System {
    let activation = Activation::Sporadic { separation: Nanos(PERIOD) };
    let at = |core, it: Task| Task { core: Some(core), ..it };
    let mut system = system(vec![
        Task { activation, ..at(0, task("asked", 1, 2_000, PERIOD)) },
        at(0, task("beside", 2, 3_000, PERIOD)),
        at(1, task("above", 1, 4_000, PERIOD)),
        at(1, task("caller", 2, 5_000, PERIOD)),
    ]);
    system.cores = 2;
    system.kernel.console_core = 0;
    system.board.cores = 2;
    let of_small = three().board.timing;
    system.board.timing = of_small;
    system.board.resident = Some(no_overheads());
    let section = Overheads { kernel_section: Nanos(SECTION), ..no_overheads() };
    system.board.resident_between = Some(section);
    system
}

fn with_calls(system: &System, times: u64) -> Analysis {
    let activations = vec![RemoteActivation { caller: 3, task: 0, times }];
    let residency = Residency { within_caches: true, activations, ..Residency::default() };
    analyse_resident(system, &assign(system).unwrap(), &residency).expect("a resident table")
}

fn part(row: &Row, term: &Term) -> u64 {
    let parts = &row.breakdown.as_ref().expect("a bound").parts;
    parts.iter().filter(|part| part.term == *term).map(|part| part.time.0).sum()
}

/// The time of a line from cache to cache between two cores, at 1 GHz.
fn transfer(system: &System) -> u64 {
    let worst = system.board.worst_within_caches(2, true).expect("caches of homes");
    worst.own_line + worst.requester
}

/// In a window the job before may still call, as it has until its deadline, and the next one. Each call takes 25 misses and those
/// by prefetches, and a hold with 13 and two attempts; five lines, the prefetched ones and the queue's are elsewhere at the beginning.
#[test]
fn each_call_costs_the_activated_tasks_core_its_misses_and_a_hold() {
    let mut system = between();
    let line = transfer(&system);
    assert!(line > 100);
    for (times, prefetched, queue, queue_lines) in [(1, 2, 1, 1), (3, 2, 9, 2), (1, 4, 10, 3)] {
        system.tasks[0].queue = queue;
        system.board.timing.as_mut().expect("a timing").core.prefetch = prefetched;
        let analysis = with_calls(&system, times);
        let prefetched = u64::from(prefetched);
        let calls = 2 * times * ((25 + prefetched + 13 + 2) * line + SECTION);
        let once = (5 + prefetched + queue_lines) * line;
        for row in &analysis.rows[..2] {
            assert_eq!(part(row, &Term::RemoteActivations), once + calls, "{}", row.name);
        }
        // Nobody calls here.
        assert_eq!(part(&analysis.rows[2], &Term::RemoteActivations), 0);
    }
}

/// The call is a section of the caller's core, in which it waits for a hold of the other one, and it delays the job that begins.
#[test]
fn a_call_is_a_longer_section_and_a_later_release() {
    let system = between();
    let line = transfer(&system);
    let call = (20 + 2) * line + (SECTION + (13 + 2) * line);
    let analysis = with_calls(&system, 1);
    assert_eq!(part(&analysis.rows[2], &Term::KernelSection), SECTION + call);
    assert_eq!(part(&analysis.rows[0], &Term::KernelSection), SECTION);
    assert_eq!(part(&analysis.rows[0], &Term::Jitter), call);
    assert_eq!(part(&analysis.rows[1], &Term::Jitter), 0);
}

/// Without a table of such systems nothing is known of them.
#[test]
fn activations_between_cores_need_a_table_of_their_own() {
    let mut system = between();
    system.board.resident_requests = system.board.resident_between.take();
    let activations = vec![RemoteActivation { caller: 3, task: 0, times: 1 }];
    let residency = Residency { within_caches: true, activations, ..Residency::default() };
    assert_eq!(analyse_resident(&system, &assign(&system).unwrap(), &residency), None);
}
