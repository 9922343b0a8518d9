// SPDX-License-Identifier: Apache-2.0
//! Core by core, from the highest priority to the lowest.

use std::collections::{BTreeMap, BTreeSet};

use takt_model::{Nanos, System};

use crate::breakdown::Breakdown;
use crate::core::{Core, Member};
use crate::mutexes::Mutexes;
use crate::respond::Response;
use crate::waits::Users;
use crate::window::Effort;
use crate::{Analysis, Named, Placement, Row, Verdict, Why, gather, proof, respond, waiting};

/// Terms that are computed for one task, and for the whole system: a few milliseconds, and a
/// second or so. An ordinary task takes a few hundred.
const TERMS_OF_TASK: u64 = 1_000_000;
const TERMS: u64 = 100_000_000;
const TERMS_PER_TASK: u64 = 10_000;

/// How often the responses that tasks assume of each other are raised before they are taken to
/// be as long as the deadlines allow.
const ROUNDS: u32 = 32;

/// Bounds the responses of all tasks, each where `placements` puts it. Nothing is proved before
/// [`Analysis::compare_stamp`] has been called.
///
/// # Panics
/// When there is not one placement for each task.
pub fn analyse(system: &System, placements: &[Placement]) -> Analysis {
    assert_eq!(system.tasks.len(), placements.len(), "one placement for each task");
    let mut verdicts = Verdicts::new(system);
    let users = Users::new(system, placements);
    let cores: BTreeSet<_> = placements.iter().map(|placement| placement.core).collect();
    let cores = cores.into_iter().map(|core| (core, Core::new(system, placements, &users, core)));
    for core in charged(cores.collect(), &Mutexes::new(system, placements)) {
        verdicts.judge_core(core);
    }
    let rows = system.tasks.iter().zip(placements).zip(verdicts.found);
    Analysis {
        overheads: system.board.overheads.source,
        doubts: proof::doubts(system, placements),
        rows: rows.map(|((task, placement), found)| row(task, *placement, found)).collect(),
    }
}

/// What a mutex costs on one core depends on what interrupts the others.
fn charged(mut cores: BTreeMap<u32, Core>, mutexes: &Mutexes) -> Vec<Core> {
    let numbers: Vec<_> = cores.keys().copied().collect();
    for number in numbers {
        let Some(mut core) = cores.remove(&number) else { continue };
        core.charge(mutexes, &|other, hold| {
            cores.get(&other).map_or(u64::MAX, |core: &Core| core.stretch(hold))
        });
        cores.insert(number, core);
    }
    cores.into_values().collect()
}

type Found = (Verdict, Option<Breakdown>);

struct Verdicts<'a> {
    system: &'a System,
    found: Vec<Found>,
    /// Bounds of the tasks that meet their deadlines.
    bounds: Vec<Option<u64>>,
    /// For each task, those whose verdicts rest on it.
    carries: Vec<Vec<usize>>,
    terms: u64,
}

impl<'a> Verdicts<'a> {
    fn new(system: &'a System) -> Self {
        let count = system.tasks.len();
        Verdicts {
            system,
            found: vec![(Verdict::Unknown { why: Why::TooManySteps }, None); count],
            bounds: vec![None; count],
            carries: vec![Vec::new(); count],
            terms: TERMS.saturating_add(TERMS_PER_TASK.saturating_mul(count as u64)),
        }
    }

    /// Tasks may rest on each other's responses. These begin short and are raised until no bound
    /// is longer than what was assumed of it.
    fn judge_core(&mut self, mut core: Core) {
        for _ in 0..ROUNDS {
            if !self.raise(&mut core) {
                return self.withdraw(&core);
            }
        }
        core.members.iter_mut().for_each(|task| task.response = task.deadline);
        self.raise(&mut core);
        self.withdraw(&core);
    }

    /// Judges all tasks. Whether something was assumed too short.
    fn raise(&mut self, core: &mut Core) -> bool {
        for task in &core.members {
            self.carries[task.index].clear();
        }
        for task in &core.members {
            self.judge(core, task);
        }
        let mut raised = false;
        for task in &mut core.members {
            let bound = self.bounds[task.index].unwrap_or(0);
            raised |= bound > task.response && !self.carries[task.index].is_empty();
            task.response = task.response.max(bound);
        }
        raised
    }

    fn judge(&mut self, core: &Core, task: &Member) {
        let share = self.terms.min(TERMS_OF_TASK);
        let mut effort = Effort(share);
        let found = match self.response(core, task, &mut effort) {
            Ok(response) => judge(core, task, response),
            Err(why) => (Verdict::Unknown { why }, None),
        };
        self.terms -= share - effort.0;
        self.bounds[task.index] = match found.0 {
            Verdict::Meets { bound } => Some(bound.0),
            _ => None,
        };
        self.found[task.index] = found;
    }

    fn response(
        &mut self,
        core: &Core,
        task: &Member,
        effort: &mut Effort,
    ) -> Result<Response, Why> {
        task.period.ok_or(Why::Aperiodic)?;
        task.wcet.ok_or(Why::NoWcet)?;
        core.unlimited.clone().map_or(Ok(()), Err)?;
        task.spin.as_ref().map_err(Why::clone)?;
        task.blocked.as_ref().map_err(Why::clone)?;
        if !effort.spend(core.members.len()) {
            return Err(Why::TooManySteps);
        }
        let delays = gather::delays(self.system, core, task, &self.bounds)?;
        for other in delays.rests_on {
            self.carries[other].push(task.index);
        }
        Ok(match task.waits() {
            true => waiting::respond(core, task, delays.others, &delays.waits, effort),
            false => respond::respond(core, task, delays.others, effort),
        })
    }

    /// Takes back every claim that rests on a deadline which is not known to be met. Those that
    /// remain rest on each other, which is sound: the first bound ever to be exceeded would have
    /// had to be exceeded after another one.
    fn withdraw(&mut self, core: &Core) {
        let tasks = core.members.iter().map(|task| task.index);
        let mut failed: Vec<_> = tasks.filter(|index| self.bounds[*index].is_none()).collect();
        while let Some(index) = failed.pop() {
            for other in std::mem::take(&mut self.carries[index]) {
                match &mut self.found[other].0 {
                    Verdict::Meets { .. } => {
                        let why = Why::DependsOn { task: Named::task(self.system, index) };
                        self.found[other] = (Verdict::Unknown { why }, None);
                        self.bounds[other] = None;
                        failed.push(other);
                    }
                    Verdict::Breaks { bound, .. } => *bound = None,
                    Verdict::Unknown { .. } => {}
                }
            }
        }
    }
}

fn judge(core: &Core, task: &Member, response: Response) -> Found {
    let (time, shown, bounded) = match response {
        Response::Bounded(time, shown) => (time, shown, true),
        Response::AtLeast(time, shown) => (time, shown, false),
        Response::GivenUp => return (Verdict::Unknown { why: Why::TooManySteps }, None),
    };
    let breakdown = Breakdown::new(core, task, &shown);
    let verdict = if bounded && time <= task.deadline {
        Verdict::Meets { bound: Nanos(time) }
    } else {
        let culprit = breakdown.culprit().unwrap_or(task.index);
        let by = Nanos(time.saturating_sub(task.deadline).max(1));
        let bound = (bounded && time <= Nanos::MAX.0).then_some(Nanos(time));
        Verdict::Breaks { bound, by, culprit }
    };
    (verdict, Some(breakdown))
}

fn row(task: &takt_model::Task, placement: Placement, (verdict, breakdown): Found) -> Row {
    let period = match task.activation {
        takt_model::Activation::Periodic { period, .. } => Some(period),
        takt_model::Activation::Sporadic { separation } => Some(separation),
        takt_model::Activation::Aperiodic => None,
    };
    Row {
        name: task.name.clone(),
        core: placement.core,
        priority: placement.priority,
        wcet: task.wcet,
        period,
        deadline: task.deadline,
        verdict,
        breakdown,
    }
}
