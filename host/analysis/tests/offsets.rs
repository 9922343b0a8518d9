// SPDX-License-Identifier: Apache-2.0
//! Tasks whose releases lie in a known pattern: the bounds against simulated responses, equal where nothing else is unknown.

mod common;

use std::cell::RefCell;

use common::build::{system, task};
use common::parts_add_up;
use common::patterns::{Random, adversarial_by_offsets, by_offsets};
use common::sets::{self, Features, HYPERPERIOD};
use common::simulator::simulate;
use proptest::prelude::*;
use takt_analysis::{Analysis, analyse, assign};
use takt_model::*;

/// Nanoseconds in a tick of the clock. The simulated machine counts ticks, the analysis nanoseconds.
const TICK: u64 = 100;

/// Gives periodic tasks offsets; a third of them stay at the beginning, so that some are released together.
fn draw_offsets(system: &mut System, random: &mut Random) {
    for task in &mut system.tasks {
        if let Activation::Periodic { period, offset } = &mut task.activation {
            let far = !random.chance(3);
            *offset = Nanos(if far { random.upto(period.0 - 1) } else { 0 });
        }
    }
}

/// Returns the system with each of its times multiplied: a tick long for each nanosecond.
fn in_ticks(system: &System) -> System {
    let mut system = system.clone();
    let scale = |time: &mut Nanos| time.0 *= TICK;
    for task in &mut system.tasks {
        match &mut task.activation {
            Activation::Periodic { period, offset } => {
                scale(period);
                scale(offset);
            }
            Activation::Sporadic { separation } => scale(separation),
            Activation::Aperiodic => {}
        }
        scale(&mut task.jitter);
        task.wcet.iter_mut().for_each(scale);
        task.deadline.iter_mut().for_each(scale);
        task.suspends.iter_mut().for_each(scale);
        task.uses.iter_mut().flat_map(|one| &mut one.hold).for_each(scale);
    }
    let board = &mut system.board.overheads;
    let interrupts = [&mut board.timer_interrupt, &mut board.ipi, &mut board.release];
    let switches = [&mut board.dispatch, &mut board.preemption, &mut board.kernel_section];
    interrupts.into_iter().chain(switches).for_each(scale);
    system
}

fn analysed(system: &System) -> Analysis {
    let analysis = analyse(system, &assign(system).expect("one core is there"));
    parts_add_up(&analysis);
    analysis
}

fn bounds(system: &System) -> Vec<Option<u64>> {
    let rows = analysed(&in_ticks(system)).rows;
    rows.iter().map(|row| row.bound().map(|bound| bound.0.div_ceil(TICK))).collect()
}

fn periodic(name: &str, priority: u8, wcet: u64, period: u64, offset: u64) -> Task {
    let period = Nanos(period);
    let activation = Activation::Periodic { period, offset: Nanos(offset) };
    Task { activation, ..task(name, priority, wcet, period.0) }
}

/// Runs `check` on sets whose periodic tasks have offsets, with what drew these.
fn for_sets(
    cases: u32,
    features: Features,
    check: impl Fn(&System, &mut Random) -> Result<(), TestCaseError>,
) {
    sets::for_sets(cases, features, |system, seed| {
        let (mut system, mut random) = (system.clone(), Random(seed));
        draw_offsets(&mut system, &mut random);
        check(&system, &mut random)
    });
}

/// Both need 3 of 10. At one time the lower one takes 6; 5 apart neither meets the other; 2 apart it waits for one tick.
#[test]
fn tasks_that_never_meet_do_not_delay_each_other() {
    let at = |offset| {
        bounds(&system(vec![periodic("high", 1, 3, 10, 0), periodic("low", 2, 3, 10, offset)]))
    };
    assert_eq!(at(0), [Some(3), Some(6)]);
    assert_eq!(at(5), [Some(3), Some(3)]);
    assert_eq!(at(2), [Some(3), Some(4)]);
    assert_eq!(at(7 + 10), [Some(3), Some(3)]);
    assert_eq!(at(8), [Some(3), Some(6)]);
}

/// A sporadic task of either priority comes when it hurts most.
#[test]
fn nobody_knows_when_a_sporadic_task_comes() {
    let mut three = system(vec![
        periodic("high", 1, 3, 10, 0),
        periodic("middle", 2, 2, 20, 5),
        periodic("low", 3, 1, 20, 15),
    ]);
    assert_eq!(bounds(&three), [Some(3), Some(2), Some(1)]);
    three.tasks[0].activation = Activation::Sporadic { separation: Nanos(10) };
    assert_eq!(bounds(&three), [Some(3), Some(5), Some(4)]);
}

/// Three releases at one time are one interrupt of 7 and three releases of 1, and the highest task waits for them all.
#[test]
fn one_interrupt_releases_all_tasks_of_one_time() {
    let at = |offset| {
        let mut three = system(vec![
            periodic("a", 1, 10, 1000, 0),
            periodic("b", 2, 10, 1000, offset),
            periodic("c", 3, 10, 500, offset),
        ]);
        let board = &mut three.board.overheads;
        (board.timer_interrupt, board.release) = (Nanos(7), Nanos(1));
        bounds(&three)
    };
    assert_eq!(at(0), [Some(20), Some(30), Some(40)]);
    assert_eq!(at(100), [Some(18), Some(19), Some(29)]);
}

#[test]
fn periodic_tasks_respond_exactly_as_bounded() {
    let exact = RefCell::new(0_u64);
    let features = Features { longest_period: HYPERPERIOD, ..PLAIN };
    for_sets(800, features, |system, _| {
        let mut system = system.clone();
        for task in &mut system.tasks {
            if let Activation::Sporadic { separation } = task.activation {
                task.activation = Activation::Periodic { period: separation, offset: Nanos(3) };
            }
        }
        let analysis = analysed(&in_ticks(&system));
        for (victim, row) in analysis.rows.iter().enumerate() {
            let horizon = 3 * HYPERPERIOD;
            let machine = by_offsets(&system, horizon, victim);
            let seen = simulate(&machine, horizon, &mut Random(0))[victim];
            let mut peers = analysis.rows.iter().filter(|other| other.priority == row.priority);
            let alone = peers.clone().count() == 1;
            if let Some(bound) = row.bound().map(|bound| bound.0 / TICK) {
                prop_assert!(seen <= bound, "{} took {seen}, bound {bound}", row.name);
                if alone || peers.all(|peer| peer.meets()) {
                    prop_assert_eq!(seen, bound, "{} is not exact", row.name);
                    *exact.borrow_mut() += 1;
                }
            }
        }
        Ok(())
    });
    println!("exact: {}", exact.borrow());
    assert!(*exact.borrow() > 1500);
}

/// Sees no response above a bound in `cases` sets, each attacked some times for each task.
fn never_exceeded(name: &str, cases: u32, features: Features) {
    let sums = RefCell::new((0_u64, 0.0));
    for_sets(cases, features, |system, random| {
        let analysis = analysed(&in_ticks(system));
        for (victim, row) in analysis.rows.iter().enumerate() {
            let Some(bound) = row.bound().map(|bound| bound.0) else { continue };
            let mut worst = 0;
            for _ in 0..ATTACKS {
                let machine = adversarial_by_offsets(system, ATTACK, victim, random);
                let seen = simulate(&machine, ATTACK, random)[victim] * TICK;
                worst = worst.max(seen);
                prop_assert!(seen <= bound, "{} took {seen}, bound {bound}", row.name);
            }
            let mut sums = sums.borrow_mut();
            *sums = (sums.0 + 1, sums.1 + worst as f64 / bound as f64);
        }
        Ok(())
    });
    let (tasks, ratios) = *sums.borrow();
    println!("{name}: {tasks} tasks bounded; simulated / bound = {:.3}", ratios / tasks as f64);
}

/// The ticks of one attack, and the number of attacks on each task.
const ATTACK: u64 = 900;
const ATTACKS: u32 = 8;

const PLAIN: Features = Features {
    longest_period: 420,
    shortest_period: 4,
    most_load: 32,
    jitter: false,
    semaphores: false,
    sleeps: false,
    sections: false,
    overheads: false,
};

#[test]
fn sporadic_tasks_and_jitter_never_exceed_the_bound() {
    never_exceeded("sporadic", 300, PLAIN);
    never_exceeded("jitter", 500, Features { jitter: true, ..PLAIN });
}

#[test]
fn waiting_and_overheads_never_exceed_the_bound() {
    let calm = Features { shortest_period: 20, most_load: 24, jitter: true, ..PLAIN };
    let overheads = Features { sections: true, overheads: true, ..calm };
    never_exceeded("overheads", 250, overheads);
    never_exceeded("punctual", 250, Features { jitter: false, ..overheads });
    never_exceeded("everything", 250, Features { semaphores: true, sleeps: true, ..overheads });
}
