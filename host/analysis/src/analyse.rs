// SPDX-License-Identifier: Apache-2.0
//! The analysis of a system: core by core, from the highest priority to the lowest.

use std::collections::{BTreeMap, BTreeSet};

use takt_model::{Assignment, Nanos, Placement, System, Word};

use crate::breakdown::Breakdown;
use crate::busy_window::IterationBudget;
use crate::core::Core;
use crate::core_task::CoreTask;
use crate::interference::Interference;
use crate::mutexes::Mutexes;
use crate::quantity::Time;
use crate::response::Response;
use crate::result::{Analysis, Row};
use crate::semaphores::SemaphoreUsers;
use crate::transfers::Residency;
use crate::verdict::{Named, NoBound, Verdict};
use crate::{non_suspending, proof, self_suspending, transfers};

/// How many terms are computed for one task, and for the whole system: this takes a few milliseconds, and a
/// second or so. An ordinary task needs a few hundred.
const TERMS_OF_TASK: u64 = 1_000_000;
const TERMS: u64 = 100_000_000;
const TERMS_PER_TASK: u64 = 10_000;

/// How often the responses that tasks assume of each other are raised before they are taken to
/// be as long as the deadlines allow.
const ROUNDS: u32 = 32;

/// Bounds the responses of all tasks, each where `assignments` puts it. Nothing is proved before
/// [`Analysis::compare_stamp`] has been called.
///
/// # Panics
/// When there is not one assignment for each task.
pub fn analyse(system: &System, assignments: &[Assignment]) -> Analysis {
    analyse_with(system, assignments, None)
}

/// Bounds the responses where the caches of the cores keep all that these touch; None if nothing is known of such cores on
/// this board, or of such a system on them.
///
/// # Panics
/// When there is not one assignment for each task.
pub fn analyse_resident(
    system: &System,
    assignments: &[Assignment],
    residency: Residency,
) -> Option<Analysis> {
    if transfers::unsuited(system).is_some() {
        return None;
    }
    let mut system = system.clone();
    system.board.overheads = system.board.resident.clone()?;
    Some(analyse_with(&system, assignments, Some(residency)))
}

fn analyse_with(
    system: &System,
    assignments: &[Assignment],
    residency: Option<Residency>,
) -> Analysis {
    assert_eq!(system.tasks.len(), assignments.len(), "one assignment for each task");
    let mut verdicts = Verdicts::new(system);
    let users = SemaphoreUsers::new(system, assignments);
    let cores: BTreeSet<_> = assignments.iter().map(|assignment| assignment.core).collect();
    let cores = cores
        .into_iter()
        .map(|core| (core, Core::new(system, assignments, &users, residency, core)));
    let mut late_windows = BTreeMap::new();
    for core in charge_mutexes(cores.collect(), &Mutexes::new(system, assignments)) {
        if system.frame(core.number).is_some() {
            late_windows.insert(core.number, core.late_windows().map(Time::nanos));
        }
        verdicts.judge_core(core);
    }
    let rows = system.tasks.iter().zip(assignments).zip(verdicts.found);
    Analysis {
        overheads: system.board.overheads.source,
        doubts: proof::doubts(system, assignments, residency.is_some()),
        resident: residency.is_some(),
        late_windows,
        rows: rows.map(|((task, assignment), found)| row(task, *assignment, found)).collect(),
    }
}

/// Adds what mutexes cost. On one core that depends on what interrupts the others.
fn charge_mutexes(mut cores: BTreeMap<u32, Core>, mutexes: &Mutexes) -> Vec<Core> {
    let numbers: Vec<_> = cores.keys().copied().collect();
    for number in numbers {
        let Some(mut core) = cores.remove(&number) else { continue };
        core.charge(mutexes, &|other, hold| {
            cores.get(&other).map_or(Time::UNBOUNDED, |core: &Core| core.hold_time(hold))
        });
        cores.insert(number, core);
    }
    cores.into_values().collect()
}

type Found = (Verdict, Option<Breakdown>);

struct Verdicts<'a> {
    system: &'a System,
    found: Vec<Found>,
    /// The bounds of the tasks that meet their deadlines.
    bounds: Vec<Option<Time>>,
    /// For each task, the tasks whose verdicts depend on it.
    dependents: Vec<Vec<usize>>,
    /// How many terms may still be computed for the system.
    terms: u64,
}

impl<'a> Verdicts<'a> {
    fn new(system: &'a System) -> Self {
        let count = system.tasks.len();
        Verdicts {
            system,
            found: vec![(Verdict::Unknown { why: NoBound::TooManySteps }, None); count],
            bounds: vec![None; count],
            dependents: vec![Vec::new(); count],
            terms: TERMS.saturating_add(TERMS_PER_TASK.saturating_mul(count as u64)),
        }
    }

    /// Tasks may depend on each other's response times. These begin short and are raised until no bound
    /// is longer than what was assumed of it.
    fn judge_core(&mut self, mut core: Core) {
        for _ in 0..ROUNDS {
            if !self.raise(&mut core) {
                return self.withdraw(&core);
            }
        }
        core.tasks.iter_mut().for_each(|task| task.response = task.deadline);
        self.raise(&mut core);
        self.withdraw(&core);
    }

    /// Judges all tasks. Returns whether a response was assumed too short.
    fn raise(&mut self, core: &mut Core) -> bool {
        for task in &core.tasks {
            self.dependents[task.index].clear();
        }
        for task in &core.tasks {
            self.judge(core, task);
        }
        let mut raised = false;
        for task in &mut core.tasks {
            let bound = self.bounds[task.index].unwrap_or(Time::ZERO);
            raised |= bound > task.response && !self.dependents[task.index].is_empty();
            task.response = task.response.max(bound);
        }
        raised
    }

    fn judge(&mut self, core: &Core, task: &CoreTask) {
        let share = self.terms.min(TERMS_OF_TASK);
        let mut budget = IterationBudget(share);
        let found = match self.response(core, task, &mut budget) {
            Ok(response) => judge(task, response),
            Err(why) => (Verdict::Unknown { why }, None),
        };
        self.terms -= share - budget.0;
        self.bounds[task.index] = match found.0 {
            Verdict::Meets { bound } => Some(bound.into()),
            _ => None,
        };
        self.found[task.index] = found;
    }

    fn response(
        &mut self,
        core: &Core,
        task: &CoreTask,
        budget: &mut IterationBudget,
    ) -> Result<Response, NoBound> {
        let placement = self.system.kernel.placement;
        if placement != Placement::Distributed {
            return Err(NoBound::OtherPlacement { placement: placement.word() });
        }
        task.releases.ok_or(NoBound::Aperiodic)?;
        let own = task.jobs().ok_or(NoBound::NoWcet)?;
        core.unbounded.clone().map_or(Ok(()), Err)?;
        task.spin.as_ref().map_err(NoBound::clone)?;
        task.blocking.as_ref().map_err(NoBound::clone)?;
        if !budget.spend(core.tasks.len()) {
            return Err(NoBound::TooManySteps);
        }
        let interference = Interference::new(self.system, core, task, &self.bounds)?;
        for other in &interference.depends_on {
            self.dependents[*other].push(task.index);
        }
        Ok(match task.suspends_itself() {
            true => self_suspending::respond(core, task, &interference, budget),
            false => non_suspending::respond(core, task, own, &interference, budget),
        })
    }

    /// Takes back every claim that depends on a deadline which is not known to be met. Those that
    /// remain depend on each other, which is sound: the first bound ever to be exceeded would have
    /// had to be exceeded after another one.
    fn withdraw(&mut self, core: &Core) {
        let tasks = core.tasks.iter().map(|task| task.index);
        let mut failed: Vec<_> = tasks.filter(|index| self.bounds[*index].is_none()).collect();
        while let Some(index) = failed.pop() {
            for other in std::mem::take(&mut self.dependents[index]) {
                match &mut self.found[other].0 {
                    Verdict::Meets { .. } => {
                        let why = NoBound::DependsOn { task: Named::task(self.system, index) };
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

fn judge(task: &CoreTask, response: Response) -> Found {
    let (time, witness, is_bounded) = match response {
        Response::Bounded(time, witness) => (time, witness, true),
        Response::AtLeast(time, witness) => (time, witness, false),
        Response::GivenUp => return (Verdict::Unknown { why: NoBound::TooManySteps }, None),
    };
    let breakdown = Breakdown::new(task.index, task.jitter, witness);
    let verdict = if is_bounded && time <= task.deadline {
        Verdict::Meets { bound: time.nanos() }
    } else {
        let culprit = breakdown.culprit().unwrap_or(task.index);
        let by = (time - task.deadline).max(Time::new(1)).nanos();
        let bound = (is_bounded && time <= Nanos::MAX.into()).then_some(time.nanos());
        Verdict::Breaks { bound, by, culprit }
    };
    (verdict, Some(breakdown))
}

fn row(task: &takt_model::Task, assignment: Assignment, (verdict, breakdown): Found) -> Row {
    let period = match task.activation {
        takt_model::Activation::Periodic { period, .. } => Some(period),
        takt_model::Activation::Sporadic { separation } => Some(separation),
        takt_model::Activation::Aperiodic => None,
    };
    Row {
        name: task.name.clone(),
        core: assignment.core,
        priority: assignment.priority,
        wcet: task.wcet,
        period,
        deadline: task.deadline,
        verdict,
        breakdown,
    }
}
