// SPDX-License-Identifier: Apache-2.0
//! Releases and programs that a described task may legally show.

use takt_model::{Activation, System, Task};

use super::sets::HYPERPERIOD;
use super::simulator::{Costs, Job, Machine, Plan, Step};

/// A small generator (SplitMix64): the same numbers everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `most`.
    pub fn upto(&mut self, most: u64) -> u64 {
        self.next() % (most + 1)
    }

    /// Whether a chance of one in `times` comes true.
    pub fn chance(&mut self, times: u64) -> bool {
        self.upto(times - 1) == 0
    }
}

/// All tasks are released together and execute as long as they may; nothing is drawn.
pub fn synchronous(system: &System, horizon: u64, victim: usize) -> Machine {
    machine(system, victim, |task| {
        let steps = vec![Step::Run(task.wcet.unwrap().0)];
        let job = |at| Job { nominal: at, ready: at, interrupt: 0, steps: steps.clone() };
        (0..horizon).step_by(period(task) as usize).map(job).collect()
    })
}

/// A pattern that tries to hurt `victim`: each first job is late by its whole jitter, all of them are
/// ready at about one time, and the rest is drawn.
pub fn adversarial(system: &System, horizon: u64, victim: usize, random: &mut Random) -> Machine {
    let latest = system.tasks.iter().map(|task| task.jitter.0).max().unwrap_or(0);
    let meeting = latest + random.upto(60);
    let style = random.upto(3);
    let level = system.tasks[victim].priority;
    // Sometimes the victim comes into a window that others have begun.
    let behind = if random.chance(3) { random.upto(40) } else { 0 };
    let name = &system.tasks[victim].name;
    let mut machine = machine(system, victim, |task| {
        let behind = if task.name == *name { behind } else { 0 };
        // Lower tasks come a little earlier, to hold what the victim needs.
        let early = if task.priority > level { random.upto(40) } else { 0 };
        let mut nominal = match style {
            0 => random.upto(period(task)),
            _ => (meeting + behind - task.jitter.0).saturating_sub(early),
        };
        let mut jobs: Vec<Job> = Vec::new();
        while nominal < horizon {
            let late = match (style, jobs.is_empty()) {
                (0, _) | (3, false) => random.upto(task.jitter.0),
                (_, true) => task.jitter.0,
                (1, false) => 0,
                (_, false) => task.jitter.0 * random.upto(1),
            };
            let ready = (nominal + late).max(jobs.last().map_or(0, |job| job.ready));
            let interrupt = interrupt(system, task, random);
            jobs.push(Job { nominal, ready, interrupt, steps: program(task, random) });
            nominal += period(task);
            if matches!(task.activation, Activation::Sporadic { .. }) && random.chance(4) {
                nominal += random.upto(9);
            }
        }
        jobs
    });
    machine.interrupts = foreign(system, random);
    machine
}

/// Periodic tasks are released by their offsets, as seen from a time after all of them have begun; nothing is late, and all
/// jobs execute as long as they may.
pub fn by_offsets(system: &System, horizon: u64, victim: usize) -> Machine {
    machine(system, victim, |task| {
        let steps = vec![Step::Run(task.wcet.unwrap().0)];
        let job = |at| Job { nominal: at, ready: at, interrupt: 0, steps: steps.clone() };
        (offset(task)..horizon).step_by(period(task) as usize).map(job).collect()
    })
}

/// A pattern that tries to hurt `victim`, with periodic tasks at their offsets from a drawn time on. Sporadic ones are all
/// ready about when some periodic job is, and are late before by their whole jitter.
pub fn adversarial_by_offsets(
    system: &System,
    horizon: u64,
    victim: usize,
    random: &mut Random,
) -> Machine {
    let begin = random.upto(HYPERPERIOD);
    let first = |task: &Task| (offset(task) + 2 * HYPERPERIOD - begin) % period(task);
    let meeting = match system.tasks.get(random.upto(system.tasks.len() as u64 - 1) as usize) {
        Some(task) => first(task) + task.jitter.0 + period(task) * random.upto(1),
        None => 0,
    };
    let early = random.upto(3);
    let mut machine = machine(system, victim, |task| {
        let periodic = matches!(task.activation, Activation::Periodic { .. });
        let mut nominal = match periodic {
            true => first(task),
            false => (meeting + 60).saturating_sub(task.jitter.0 + early) % horizon,
        };
        if !periodic && nominal >= 60 {
            nominal -= 60;
        }
        let mut jobs: Vec<Job> = Vec::new();
        while nominal < horizon {
            let late = match (periodic, jobs.is_empty()) {
                (true, _) => task.jitter.0 * random.upto(1),
                (false, true) => task.jitter.0,
                (false, false) => 0,
            };
            let ready = (nominal + late).max(jobs.last().map_or(0, |job| job.ready));
            let interrupt = interrupt(system, task, random);
            jobs.push(Job { nominal, ready, interrupt, steps: program(task, random) });
            nominal += period(task);
        }
        jobs
    });
    share_interrupts(system, &mut machine);
    machine.interrupts = foreign(system, random);
    machine
}

/// Periodic jobs without jitter that are released at one time need one interrupt of the timer.
fn share_interrupts(system: &System, machine: &mut Machine) {
    let mut served = std::collections::BTreeSet::new();
    for (task, plan) in system.tasks.iter().zip(&mut machine.plans) {
        let is_timed = matches!(task.activation, Activation::Periodic { .. });
        for job in plan.jobs.iter_mut().filter(|_| is_timed && task.jitter.0 == 0) {
            if !served.insert(job.ready) {
                job.interrupt -= system.board.overheads.timer_interrupt.0;
            }
        }
    }
}

fn offset(task: &Task) -> u64 {
    match task.activation {
        Activation::Periodic { offset, .. } => offset.0,
        _ => 0,
    }
}

fn machine(system: &System, victim: usize, mut jobs: impl FnMut(&Task) -> Vec<Job>) -> Machine {
    let overheads = &system.board.overheads;
    Machine {
        plans: (system.tasks.iter())
            .map(|task| Plan { priority: task.priority.unwrap(), jobs: jobs(task) })
            .collect(),
        semaphores: system.semaphores.iter().map(|one| (one.initial, one.order)).collect(),
        costs: Costs {
            wake_interrupt: overheads.timer_interrupt.0.max(overheads.ipi.0),
            release: overheads.release.0,
            dispatch: overheads.dispatch.0,
            preemption: overheads.preemption.0,
            section: overheads.kernel_section.0,
        },
        interrupts: Vec::new(),
        victim,
    }
}

pub fn period(task: &Task) -> u64 {
    match task.activation {
        Activation::Periodic { period, .. } => period.0,
        Activation::Sporadic { separation } => separation.0,
        Activation::Aperiodic => panic!("not simulated"),
    }
}

/// A sporadic job may have been held back: then its request came by another interrupt.
fn interrupt(system: &System, task: &Task, random: &mut Random) -> u64 {
    let overheads = &system.board.overheads;
    let timer = overheads.timer_interrupt.0 + overheads.release.0;
    match task.activation {
        Activation::Sporadic { .. } if random.chance(2) => overheads.ipi.0 + overheads.release.0,
        Activation::Sporadic { .. } => timer + overheads.ipi.0,
        _ => timer,
    }
}

/// The console's timer interrupts once, as its period is longer than any of these runs.
fn foreign(system: &System, random: &mut Random) -> Vec<(u64, u64)> {
    match system.kernel.console_core {
        0 => vec![(random.upto(200), system.board.overheads.timer_interrupt.0)],
        _ => Vec::new(),
    }
}

/// The steps of one job: its execution with a hold of each semaphore, and its sleep, in any order. They are often the
/// longest, sometimes shorter.
fn program(task: &Task, random: &mut Random) -> Vec<Step> {
    let wcet = task.wcet.unwrap().0;
    let mut rest = if random.chance(4) { random.upto(wcet).max(1) } else { wcet };
    let mut parts: Vec<Vec<Step>> = Vec::new();
    for one in &task.uses {
        let hold = one.hold.unwrap().0.min(rest);
        rest -= hold;
        parts.push(vec![Step::Take(one.semaphore), Step::Run(hold), Step::Give(one.semaphore)]);
    }
    if let Some(sleep) = task.suspends {
        let sleep = if random.chance(3) { random.upto(sleep.0) } else { sleep.0 };
        parts.push(vec![Step::Sleep(sleep)]);
    }
    for place in (1..parts.len()).rev() {
        parts.swap(place, random.upto(place as u64) as usize);
    }
    let mut steps = Vec::new();
    for part in parts {
        let before = if random.chance(2) { 0 } else { random.upto(rest) };
        rest -= before;
        steps.push(Step::Run(before));
        steps.extend(part);
    }
    steps.push(Step::Run(rest));
    steps
}
