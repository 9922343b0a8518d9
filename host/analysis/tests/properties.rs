// SPDX-License-Identifier: Apache-2.0
//! The bounds against simulated responses, in 10,000 random sets: equal where they claim to be
//! exact, never exceeded anywhere.

mod common;

use std::cell::RefCell;

use common::parts_add_up;
use common::patterns::{Random, adversarial, synchronous};
use common::sets::{Features, HYPERPERIOD, for_sets};
use common::simulator::simulate;
use proptest::prelude::*;
use takt_analysis::{Analysis, Verdict, analyse, assign};
use takt_model::System;

fn analysed(system: &System) -> Analysis {
    let analysis = analyse(system, &assign(system).expect("one core is there"));
    parts_add_up(&analysis);
    analysis
}

/// How tight bounds are: simulated responses by bounds, of tasks that meet their deadlines.
#[derive(Default)]
struct Tightness {
    tasks: u64,
    meets: u64,
    breaks: u64,
    unknown: u64,
    bounded: u64,
    ratios: f64,
}

impl Tightness {
    fn note(&mut self, verdict: &Verdict, bound: Option<u64>, seen: u64) {
        self.tasks += 1;
        match verdict {
            Verdict::Meets { .. } => self.meets += 1,
            Verdict::Breaks { .. } => self.breaks += 1,
            Verdict::Unknown { .. } => self.unknown += 1,
        }
        if let Some(bound) = bound {
            self.bounded += 1;
            self.ratios += seen as f64 / bound as f64;
        }
    }

    fn print(&self, name: &str) {
        println!(
            "{name}: {} tasks: {} meet, {} break, {} unknown; simulated / bound = {:.3} on average",
            self.tasks,
            self.meets,
            self.breaks,
            self.unknown,
            self.ratios / self.bounded as f64
        );
    }
}

#[test]
fn synchronous_sets_respond_exactly_as_bounded() {
    let tightness = RefCell::new(Tightness::default());
    let exact = RefCell::new(0_u64);
    let features = Features { longest_period: HYPERPERIOD, ..PLAIN };
    for_sets(4000, features, |system, _| {
        let analysis = analysed(system);
        for (victim, row) in analysis.rows.iter().enumerate() {
            let machine = synchronous(system, HYPERPERIOD, victim);
            let seen = simulate(&machine, HYPERPERIOD, &mut Random(0))[victim];
            let bound = row.bound().map(|bound| bound.0);
            tightness.borrow_mut().note(&row.verdict, bound, seen);
            let mut peers = analysis.rows.iter().filter(|other| other.priority == row.priority);
            let alone = peers.clone().count() == 1;
            if let Some(bound) = bound {
                prop_assert!(seen <= bound, "{} took {seen}, bound {bound}", row.name);
                if alone || peers.all(|peer| peer.meets()) {
                    prop_assert_eq!(seen, bound, "{} is not exact", row.name);
                    *exact.borrow_mut() += 1;
                }
            }
            if let (Verdict::Breaks { bound: None, .. }, true) = (&row.verdict, alone) {
                prop_assert!(false, "{} has no bound, but took {seen}", row.name);
            }
        }
        Ok(())
    });
    tightness.borrow().print("synchronous");
    println!("exact: {}", exact.borrow());
}

/// Sees no response above a bound in `cases` sets, each attacked some times for each task.
fn never_exceeded(name: &str, cases: u32, features: Features) {
    let tightness = RefCell::new(Tightness::default());
    for_sets(cases, features, |system, seed| {
        let analysis = analysed(system);
        let mut random = Random(seed);
        for (victim, row) in analysis.rows.iter().enumerate() {
            let bound = row.bound().map(|bound| bound.0);
            let mut worst = 0;
            for _ in 0..ATTACKS * u32::from(bound.is_some()) {
                let machine = adversarial(system, ATTACK, victim, &mut random);
                let seen = simulate(&machine, ATTACK, &mut random)[victim];
                worst = worst.max(seen);
                let bound = bound.unwrap_or(u64::MAX);
                prop_assert!(seen <= bound, "{} took {seen}, bound {bound}", row.name);
            }
            tightness.borrow_mut().note(&row.verdict, bound, worst);
        }
        Ok(())
    });
    tightness.borrow().print(name);
}

/// The ticks of one attack, and the number of attacks on each task.
const ATTACK: u64 = 900;
const ATTACKS: u32 = 6;

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
fn jitter_never_exceeds_the_bound() {
    never_exceeded("jitter", 2000, Features { jitter: true, ..PLAIN });
}

#[test]
fn blocking_never_exceeds_the_bound() {
    let features = Features { jitter: true, semaphores: true, sections: true, ..PLAIN };
    never_exceeded("blocking", 2000, features);
}

const CALM: Features = Features { shortest_period: 20, most_load: 24, ..PLAIN };

#[test]
fn sleeping_never_exceeds_the_bound() {
    let features =
        Features { jitter: true, semaphores: true, sleeps: true, sections: true, ..CALM };
    never_exceeded("sleeping", 1000, features);
}

#[test]
fn overheads_never_exceed_the_bound() {
    let features = Features { jitter: true, sections: true, overheads: true, ..CALM };
    never_exceeded("overheads", 500, features);
    never_exceeded("everything", 500, Features { semaphores: true, sleeps: true, ..features });
}
