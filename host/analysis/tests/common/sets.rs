// SPDX-License-Identifier: Apache-2.0
//! Random systems of one core: periods that divide 2,520, utilisation up to 1.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use takt_model::*;

use super::build;

/// The hyperperiod of all sets.
pub const HYPERPERIOD: u64 = 2520;

/// A system whose `{:?}` is short enough to read.
#[derive(Clone)]
pub struct Set(pub System);

impl std::fmt::Debug for Set {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        for task in &self.0.tasks {
            let wcet = task.wcet.unwrap().0;
            let deadline = task.deadline.unwrap().0;
            let (jitter, suspends) = (task.jitter.0, task.suspends.map(|time| time.0));
            let uses: Vec<_> = (task.uses.iter())
                .map(|one| (one.semaphore, one.hold.map(|hold| hold.0)))
                .collect();
            writeln!(
                out,
                "{} priority {:?} C {wcet} D {deadline} J {jitter} sleeps {suspends:?} \
                 uses {uses:?} {:?}",
                task.name, task.priority, task.activation
            )?;
        }
        let orders: Vec<_> = self.0.semaphores.iter().map(|one| one.order).collect();
        writeln!(out, "{orders:?} {:?}", self.0.board.overheads)
    }
}

/// Runs `check` on `cases` sets and a number for each, always the same ones; a failure is shrunk.
pub fn for_sets(
    cases: u32,
    features: Features,
    check: impl Fn(&System, u64) -> Result<(), TestCaseError>,
) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let sets = (set(features), any::<u64>());
    TestRunner::new_with_rng(config, random)
        .run(&sets, |(set, seed)| check(&set.0, seed))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

/// What a set may have.
#[derive(Clone, Copy, Debug, Default)]
pub struct Features {
    pub longest_period: u64,
    pub shortest_period: u64,
    /// The highest utilisation, in 1/32 of the core.
    pub most_load: u64,
    pub jitter: bool,
    pub semaphores: bool,
    pub sleeps: bool,
    pub sections: bool,
    pub overheads: bool,
}

#[derive(Clone, Debug)]
struct Draft {
    period: u64,
    weight: u64,
    priority: u8,
    /// The deadline, in 1/16 of the period.
    deadline: u64,
    jitter: u64,
    sporadic: bool,
    /// For each hold, the semaphore and the length.
    holds: Vec<(usize, u64)>,
    sleep: Option<u64>,
}

fn draft(features: Features) -> impl Strategy<Value = Draft> {
    let divisors =
        (features.shortest_period..=features.longest_period).filter(|one| HYPERPERIOD % one == 0);
    let holds = proptest::collection::vec((0..2_usize, 1..12_u64), 0..=2);
    (
        select(divisors.collect::<Vec<_>>()),
        1..16_u64,
        1..=5_u8,
        prop_oneof![3 => Just(16), 2 => 4..=16_u64],
        prop_oneof![2 => Just(0), 1 => 1..=12_u64],
        any::<bool>(),
        holds,
        prop_oneof![4 => Just(None), 1 => (1..20_u64).prop_map(Some)],
    )
        .prop_map(|(period, weight, priority, deadline, jitter, sporadic, holds, sleep)| {
            Draft { period, weight, priority, deadline, jitter, sporadic, holds, sleep }
        })
}

fn set(features: Features) -> impl Strategy<Value = Set> {
    let drafts = proptest::collection::vec(draft(features), 1..=6);
    let overheads = proptest::collection::vec(0..=2_u64, 5);
    let orders =
        proptest::collection::vec((any::<bool>(), prop_oneof![3 => Just(1), 1 => Just(2)]), 2);
    (drafts, 4..=features.most_load, overheads, 0..=4_u64, orders).prop_map(
        move |(drafts, load, overheads, section, orders)| {
            let mut system = build::system(tasks(&drafts, load, features));
            let order = |fifo| if fifo { Order::Fifo } else { Order::Priority };
            system.semaphores = (orders.into_iter())
                .map(|(fifo, initial)| Semaphore {
                    initial,
                    maximum: initial,
                    ..build::semaphore("s", order(fifo))
                })
                .collect();
            if features.overheads {
                system.kernel.console_core = 0;
                let board = &mut system.board.overheads;
                board.timer_interrupt = Nanos(overheads[0]);
                board.ipi = Nanos(overheads[1]);
                board.release = Nanos(overheads[2]);
                board.dispatch = Nanos(overheads[3]);
                board.preemption = Nanos(overheads[4]);
            }
            if features.sections {
                system.board.overheads.kernel_section = Nanos(section);
            }
            Set(system)
        },
    )
}

/// Shares `load` / 32 of the core among the tasks; leaves out tasks that do not fit.
fn tasks(drafts: &[Draft], load: u64, features: Features) -> Vec<Task> {
    let weights: u64 = drafts.iter().map(|draft| draft.weight).sum();
    let mut left = HYPERPERIOD;
    let mut tasks = Vec::new();
    for draft in drafts {
        let wcet = (draft.period * load * draft.weight / (32 * weights)).max(1);
        let demand = wcet * (HYPERPERIOD / draft.period);
        if demand <= left {
            left -= demand;
            tasks.push(task(&format!("t{}", tasks.len()), draft, wcet, features));
        }
    }
    tasks
}

fn task(name: &str, draft: &Draft, wcet: u64, features: Features) -> Task {
    let period = Nanos(draft.period);
    let mut task = build::task(name, draft.priority, wcet, draft.period);
    task.deadline = Some(Nanos((draft.period * draft.deadline / 16).max(1)));
    if draft.sporadic {
        task.activation = Activation::Sporadic { separation: period };
    }
    if features.jitter {
        task.jitter = Nanos(draft.period * draft.jitter / 16);
    }
    if features.semaphores {
        for (semaphore, hold) in &draft.holds {
            if task.uses.iter().all(|one| one.semaphore != *semaphore) {
                task.uses.push(build::holds(*semaphore, (*hold).min(wcet)));
            }
        }
    }
    if features.sleeps && task.uses.is_empty() {
        task.suspends = draft.sleep.map(|sleep| Nanos(sleep.min(draft.period / 3)));
    }
    task
}
