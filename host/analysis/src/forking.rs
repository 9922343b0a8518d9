// SPDX-License-Identifier: Apache-2.0
//! The responses of tasks that fork: the parts of their stages one after the other.
//!
//! A part is released when the stage before ends, so no later than the bounds of the parts before say, and with that as its
//! jitter it delays others. These jitters begin at 0 and are raised, round by round, until the bounds justify them.

use std::collections::BTreeMap;

use takt_model::Nanos;

use crate::arrival::Periodic;
use crate::breakdown::Breakdown;
use crate::quantity::Time;
use crate::result::StageRow;
use crate::stages::{Begin, Expansion, ForkingTask, Member, Step};
use crate::verdict::{Named, NoBound, Verdict};

/// How often all jitters are raised before the computation is given up.
const ROUNDS: u32 = 200;

pub type Found = (Verdict, Option<Breakdown>);

/// What follows from the jitters that are assumed.
pub struct Round {
    /// For each task of the expanded system.
    pub found: Vec<Found>,
    /// The bounds of the tasks that meet their deadlines, each with the task's jitter.
    pub bounds: Vec<Option<Time>>,
    /// For each team and core, how long the core needs at most to pass a fork on.
    pub passing: BTreeMap<(usize, u32), Time>,
    /// How late windows open and close, by core.
    pub late_windows: BTreeMap<u32, Option<Nanos>>,
}

/// How far the search for the jitters has come.
pub struct Progress {
    rounds: u32,
    /// For each task that forks, why it has no bound, once that is known.
    failed: Vec<Option<Found>>,
}

/// A step of a task that forks, with the times of the thread that may end last.
#[derive(Clone, Copy)]
struct Timed<'a> {
    step: &'a Step,
    last: &'a Member,
    begins: Time,
    passed_on: Time,
    response: Time,
}

impl Timed<'_> {
    fn ends(&self) -> Time {
        self.begins + self.passed_on + self.response
    }
}

impl Progress {
    pub fn new(expansion: &Expansion) -> Self {
        Progress { rounds: 0, failed: vec![None; expansion.forking.len()] }
    }

    /// Raises the jitters of all parts to what the bounds of the round say. Returns whether anything has changed, so that
    /// another round is necessary.
    pub fn raise(&mut self, expansion: &mut Expansion, round: &Round) -> bool {
        self.rounds += 1;
        let forking = expansion.forking.clone();
        let mut has_changed = false;
        for (index, task) in forking.iter().enumerate() {
            if self.failed[index].is_some() {
                continue;
            }
            match task.is_raised(expansion, round) {
                Ok(false) => {}
                Ok(true) if self.rounds < ROUNDS => has_changed = true,
                Ok(true) => {
                    let why = NoBound::TooManySteps;
                    self.failed[index] = Some((Verdict::Unknown { why }, None));
                    has_changed = true;
                }
                Err(found) => {
                    self.failed[index] = Some(*found);
                    has_changed = true;
                }
            }
        }
        has_changed
    }

    /// Why nothing has a bound on a core: of a task that forks nothing is known, and it has a thread there.
    pub fn unbounded(&self, expansion: &Expansion, core: u32) -> Option<NoBound> {
        if let Some(why) = &expansion.refused {
            return Some(why.clone());
        }
        let failed = expansion.forking.iter().zip(&self.failed).filter(|(_, it)| it.is_some());
        let is_here = |task: &&ForkingTask| {
            task.threads.iter().any(|thread| expansion.assignments[*thread].core == core)
        };
        let task = failed.map(|(task, _)| task).find(is_here)?;
        Some(NoBound::DependsOn { task: Named::task(&expansion.system, task.threads[0]) })
    }

    /// The verdict on a thread of a task that forks. None: the task of this index is no such thread.
    pub fn found(&self, expansion: &Expansion, round: &Round, index: usize) -> Option<Found> {
        let all = expansion.forking.iter().zip(&self.failed);
        let (task, failed) = all.into_iter().find(|(task, _)| task.threads.contains(&index))?;
        let is_master = task.threads[0] == index;
        Some(match failed {
            Some(found) if is_master => found.clone(),
            Some(_) => {
                let task = Named::task(&expansion.system, task.threads[0]);
                (Verdict::Unknown { why: NoBound::DependsOn { task } }, None)
            }
            None if is_master => task.response(expansion, round),
            None => task.response_of_worker(expansion, round, index),
        })
    }

    /// The stages of the tasks that fork and have a bound, with the tasks' indices.
    pub fn stages(&self, expansion: &Expansion, round: &Round) -> Vec<(usize, Vec<StageRow>)> {
        let bounded = expansion.forking.iter().zip(&self.failed).filter(|(_, it)| it.is_none());
        let rows = |task: &ForkingTask| {
            let steps = task.timed(expansion, round).into_iter();
            steps.map(|it| row(expansion, &it)).collect()
        };
        bounded.map(|(task, _)| (task.threads[0], rows(task))).collect()
    }
}

fn row(expansion: &Expansion, it: &Timed) -> StageRow {
    StageRow {
        stage: it.step.stage,
        is_serial: it.step.is_serial,
        core: expansion.assignments[it.last.index].core,
        begins: it.begins.nanos(),
        passed_on: it.passed_on.nanos(),
        response: it.response.nanos(),
        ends: it.ends().nanos(),
    }
}

impl ForkingTask {
    /// Raises the jitters of the task's parts. Returns whether one has changed; or why the task has no bound.
    fn is_raised(&self, expansion: &mut Expansion, round: &Round) -> Result<bool, Box<Found>> {
        let timed = self.timed(expansion, round);
        let ends = timed.last().map_or(Time::ZERO, Timed::ends);
        let deadline = self.deadline(expansion);
        if let Some(step) = self.steps.get(timed.len()) {
            return Err(self.unbounded(expansion, round, &timed, step).into());
        }
        if ends > deadline {
            let breakdown = self.breakdown(expansion, round, &timed);
            let culprit = breakdown.culprit().unwrap_or(self.threads[0]);
            let by = (ends - deadline).nanos();
            let verdict = Verdict::Breaks { bound: None, by, culprit };
            return Err(Box::new((verdict, Some(breakdown))));
        }
        let mut has_changed = false;
        for Timed { step, begins, .. } in timed {
            for member in &step.members {
                let jitter = &mut expansion.system.tasks[member.index].jitter;
                let released = (begins + passed_on(member, round)).nanos();
                has_changed |= released > *jitter;
                *jitter = released.max(*jitter);
            }
        }
        Ok(has_changed)
    }

    /// The verdict if a part of this step has no bound, after the steps of before.
    fn unbounded(
        &self,
        expansion: &Expansion,
        round: &Round,
        before: &[Timed],
        step: &Step,
    ) -> Found {
        let part = step.members.iter().find(|member| round.bounds[member.index].is_none());
        let Some(part) = part.map(|member| &round.found[member.index]) else {
            return (Verdict::Unknown { why: NoBound::TooManySteps }, None);
        };
        let passed_on = before.iter().map(|it| it.passed_on).sum();
        match part {
            (Verdict::Breaks { by, culprit, .. }, Some(last)) => {
                let before = before.iter().filter_map(|it| breakdown_of(round, it));
                let jitter = self.jitter(expansion);
                let all = Breakdown::joined(before.chain([last]), jitter, passed_on);
                let by = (Time::from(all.response()) - self.deadline(expansion)).nanos().max(*by);
                (Verdict::Breaks { bound: None, by, culprit: *culprit }, Some(all))
            }
            (verdict, _) => (verdict.clone(), None),
        }
    }

    /// The release jitter of the task itself.
    fn jitter(&self, expansion: &Expansion) -> Time {
        expansion.system.tasks[self.threads[0]].jitter.into()
    }

    fn deadline(&self, expansion: &Expansion) -> Time {
        let master = &expansion.system.tasks[self.threads[0]];
        let releases = Periodic::releases(master).map_or(Time::UNBOUNDED, |it| it.period);
        master.deadline.map_or(Time::UNBOUNDED, Time::from).min(releases)
    }

    /// The steps up to the first one of which a part has no bound.
    fn timed<'a>(&'a self, expansion: &Expansion, round: &Round) -> Vec<Timed<'a>> {
        let mut begins = self.jitter(expansion);
        let timed = |step: &'a Step| {
            let all = step.members.iter().map(|last| {
                let jitter = Time::from(expansion.system.tasks[last.index].jitter);
                let response = round.bounds[last.index]? - jitter;
                let passed_on = passed_on(last, round);
                Some(Timed { step, last, begins, passed_on, response })
            });
            let all: Vec<_> = all.collect::<Option<_>>()?;
            let last = all.into_iter().max_by_key(Timed::ends)?;
            begins = last.ends();
            Some(last)
        };
        self.steps.iter().map_while(timed).collect()
    }

    fn breakdown(&self, expansion: &Expansion, round: &Round, steps: &[Timed]) -> Breakdown {
        let windows = steps.iter().filter_map(|it| breakdown_of(round, it));
        let passed_on = steps.iter().map(|it| it.passed_on).sum();
        Breakdown::joined(windows, self.jitter(expansion), passed_on)
    }

    fn response(&self, expansion: &Expansion, round: &Round) -> Found {
        let timed = self.timed(expansion, round);
        let bound = timed.last().map_or(Time::ZERO, Timed::ends).nanos();
        (Verdict::Meets { bound }, Some(self.breakdown(expansion, round, &timed)))
    }

    /// The longest response of a worker, to the end of its strands in one region. Its job is released while the master forks, so
    /// not before the step that ends with the fork.
    fn response_of_worker(&self, expansion: &Expansion, round: &Round, worker: usize) -> Found {
        let mut longest = (Time::ZERO, Breakdown::default());
        let timed = self.timed(expansion, round);
        let regions = timed.chunk_by(|_, next| !next.step.is_serial);
        for region in regions.filter(|region| region.len() > 1) {
            let (last, before) = region.split_last().unwrap_or((&timed[0], &[]));
            let is_own = |member: &&Member| {
                expansion.parts[member.index].is_some_and(|part| part.thread == worker)
            };
            let Some(own) = last.step.members.iter().find(is_own) else { continue };
            // Workers that block are activated or woken.
            if expansion.parts[own.index].is_some_and(|part| part.begin == Begin::Running) {
                return (Verdict::Unknown { why: NoBound::Spins }, None);
            }
            let jitter = Time::from(expansion.system.tasks[own.index].jitter);
            let response = round.bounds[own.index].unwrap_or(jitter) - jitter;
            let last = Timed { last: own, passed_on: passed_on(own, round), response, ..*last };
            let response = last.ends() - region[0].begins;
            if response > longest.0 {
                let steps = || before.iter().chain([&last]);
                let windows = steps().filter_map(|it| breakdown_of(round, it));
                let passed_on = steps().map(|it| it.passed_on).sum();
                longest = (response, Breakdown::joined(windows, Time::ZERO, passed_on));
            }
        }
        (Verdict::Meets { bound: longest.0.nanos() }, Some(longest.1))
    }
}

/// How long other cores pass the fork on to this one.
fn passed_on(member: &Member, round: &Round) -> Time {
    member.path.iter().map(|core| round.passing[&(member.team, *core)]).sum()
}

fn breakdown_of<'a>(round: &'a Round, it: &Timed) -> Option<&'a Breakdown> {
    round.found[it.last.index].1.as_ref()
}
