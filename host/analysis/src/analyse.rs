// SPDX-License-Identifier: Apache-2.0
//! The analysis of a system: core by core, from the highest priority to the lowest.

use std::collections::{BTreeMap, BTreeSet};

use takt_model::{Assignment, Nanos, System};

use crate::breakdown::Breakdown;
use crate::busy_window::IterationBudget;
use crate::core::Core;
use crate::core_task::CoreTask;
use crate::forking::{Found, Progress, Round};
use crate::interference::Interference;
use crate::mutexes::Mutexes;
use crate::quantity::Time;
use crate::remote::RemoteActivations;
use crate::response::Response;
use crate::result::{Analysis, Row};
use crate::semaphores::SemaphoreUsers;
use crate::stages::Expansion;
use crate::transfers::Residency;
use crate::verdict::{Named, NoBound, Verdict};
use crate::{commands, non_suspending, proof, self_suspending, transfers, waits};

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
    residency: &Residency,
) -> Option<Analysis> {
    if transfers::unsuited(system).is_some() {
        return None;
    }
    let mut system = system.clone();
    let between = residency.asks_others();
    system.board.overheads = system.board.resident_with(residency.requests, between)?.clone();
    let remote = RemoteActivations { system: &system, assignments, residency };
    let delays: Vec<_> = (0..system.tasks.len()).map(|task| remote.delay(task)).collect();
    for (task, delay) in system.tasks.iter_mut().zip(delays) {
        // The job begins by an interrupt that comes so much later.
        task.jitter.0 = task.jitter.0.saturating_add(delay.0);
    }
    Some(analyse_with(&system, assignments, Some(residency)))
}

fn analyse_with(
    system: &System,
    assignments: &[Assignment],
    residency: Option<&Residency>,
) -> Analysis {
    assert_eq!(system.tasks.len(), assignments.len(), "one assignment for each task");
    let mut expansion = Expansion::new(system, assignments);
    let mut progress = Progress::new(&expansion);
    let count = expansion.system.tasks.len() as u64;
    let mut terms = TERMS.saturating_add(TERMS_PER_TASK.saturating_mul(count));
    let round = loop {
        let round = judge_all(&expansion, residency, &progress, &mut terms);
        if !progress.raise(&mut expansion, &round) {
            break round;
        }
    };
    let row = |(index, task)| {
        let found = progress.found(&expansion, &round, index);
        row(task, assignments[index], found.unwrap_or_else(|| round.found[index].clone()))
    };
    let mut rows: Vec<_> = system.tasks.iter().enumerate().map(row).collect();
    for (master, stages) in progress.stages(&expansion, &round) {
        rows[master].stages = stages;
    }
    Analysis {
        overheads: system.board.overheads.source,
        doubts: proof::doubts(system, assignments, residency),
        resident: residency.is_some(),
        late_windows: round.late_windows,
        rows,
    }
}

/// Judges all tasks of the expanded system, with the jitters that are assumed of the parts of tasks that fork.
fn judge_all(
    expansion: &Expansion,
    residency: Option<&Residency>,
    progress: &Progress,
    terms: &mut u64,
) -> Round {
    let Expansion { system, assignments, parts, .. } = expansion;
    let mut verdicts = Verdicts::new(system, terms);
    let users = SemaphoreUsers::new(system, assignments);
    let commands = waits::commands(system, assignments, &users);
    let cores: BTreeSet<_> = assignments.iter().map(|assignment| assignment.core).collect();
    let cores = cores.into_iter().map(|number| {
        let mut core = Core::new(system, assignments, &users, residency, parts, number, &commands);
        if let Some(why) = progress.unbounded(expansion, number) {
            core.unbounded = Some(why);
            core.is_forked_late = true;
        }
        (number, core)
    });
    let (mut late_windows, mut passing) = (BTreeMap::new(), BTreeMap::new());
    for core in charge_mutexes(cores.collect(), &Mutexes::new(expansion)) {
        if system.frame(core.number).is_some() {
            late_windows.insert(core.number, core.late_windows().map(Time::nanos));
        }
        passing.extend(core.passing().map(|(team, time)| ((team, core.number), time)));
        verdicts.judge_core(core);
    }
    let Verdicts { mut found, bounds, .. } = verdicts;
    rest_on_deadlines(system, &mut found);
    Round { found, bounds, passing, late_windows }
}

/// Where commands of all delay each other, bounds rest on the deadlines of all: a task that misses its own gives commands later. Those
/// that remain depend on each other, which is sound as in [`Verdicts::withdraw`].
fn rest_on_deadlines(system: &System, found: &mut [Found]) {
    let meets = |index: usize| matches!(found[index].0, Verdict::Meets { .. });
    let Some(late) = commands::not_in_time(system, meets) else { return };
    for (verdict, _) in found.iter_mut() {
        match verdict {
            Verdict::Meets { .. } => {
                let why = NoBound::DependsOn { task: Named::task(system, late) };
                *verdict = Verdict::Unknown { why };
            }
            Verdict::Breaks { bound, .. } => *bound = None,
            Verdict::Unknown { .. } => {}
        }
    }
}

/// Adds what mutexes cost. On one core that depends on what interrupts the others.
fn charge_mutexes(mut cores: BTreeMap<u32, Core>, mutexes: &Mutexes) -> Vec<Core> {
    let numbers: Vec<_> = cores.keys().copied().collect();
    for number in numbers {
        let Some(mut core) = cores.remove(&number) else { continue };
        core.charge(mutexes, &|other, hold| {
            let known = cores.get(&other).filter(|core: &&Core| !core.is_forked_late);
            known.map_or(Time::UNBOUNDED, |core| core.hold_time(hold))
        });
        cores.insert(number, core);
    }
    cores.into_values().collect()
}

struct Verdicts<'a> {
    system: &'a System,
    found: Vec<Found>,
    /// The bounds of the tasks that meet their deadlines.
    bounds: Vec<Option<Time>>,
    /// For each task, the tasks whose verdicts depend on it.
    dependents: Vec<Vec<usize>>,
    /// How many terms may still be computed for the system.
    terms: &'a mut u64,
}

impl<'a> Verdicts<'a> {
    fn new(system: &'a System, terms: &'a mut u64) -> Self {
        let count = system.tasks.len();
        Verdicts {
            system,
            found: vec![(Verdict::Unknown { why: NoBound::TooManySteps }, None); count],
            bounds: vec![None; count],
            dependents: vec![Vec::new(); count],
            terms,
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
        let share = TERMS_OF_TASK.min(*self.terms);
        let mut budget = IterationBudget(share);
        let found = match self.response(core, task, &mut budget) {
            Ok(response) => {
                let (verdict, mut breakdown) = judge(task, response);
                if let Some(breakdown) = &mut breakdown {
                    breakdown.beside = core.wcet_beside(task);
                }
                (verdict, breakdown)
            }
            Err(why) => (Verdict::Unknown { why }, None),
        };
        *self.terms -= share - budget.0;
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
    // A part's jitter consists of the parts before.
    let jitter = if task.part.is_some() { Time::ZERO } else { task.jitter };
    let breakdown = Breakdown::new(task.described(), jitter, witness);
    let verdict = if is_bounded && time <= task.deadline {
        Verdict::Meets { bound: time.nanos() }
    } else {
        let culprit = breakdown.culprit().unwrap_or(task.described());
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
        stages: Vec::new(),
    }
}
