// SPDX-License-Identifier: Apache-2.0
//! What is charged on cores whose own caches keep all that these touch.

mod common;

use std::path::Path;

use common::build::{holds, no_overheads, semaphore, system, task};
use takt_analysis::{Analysis, Residency, Term, analyse_resident, assign};
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
    let residency = Residency { writes_to_console: false, requests, within_caches: false };
    analyse_resident(system, &assign(system).unwrap(), residency).expect("a resident table")
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
