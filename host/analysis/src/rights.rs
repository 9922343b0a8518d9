// SPDX-License-Identifier: Apache-2.0
//! What tasks do to others beside executing: sections without interrupts or dispatch, and changes of other tasks.
//! The argument stands in docs/design/analysis.md, "Rights".

use takt_model::{Action, Activation, Interrupt, Overheads, System, Target, Task};

use crate::window::Stream;
use crate::{Named, Placement, Why, handlers, sections};

/// Whether a task may run on a core: it is its own, or the task may come.
pub fn may_run(system: &System, placements: &[Placement], task: usize, core: u32) -> bool {
    placements[task].core == core || system.tasks[task].cores.contains(&core)
}

/// The longest section of one task on a core with interrupts or dispatch disabled: a locked CPU, disabled dispatch, and a
/// spin lock with the wait for it. They may stand one in the other. `spins`: how long a job spins for mutexes, which
/// is no execution and so not in what is declared; it may do all of that with dispatch disabled.
fn section(
    system: &System,
    placements: &[Placement],
    task: usize,
    core: u32,
    spins: impl Fn(usize) -> u64,
) -> u64 {
    let dispatch = system.tasks[task].rights.dispatch_disable;
    let dispatch = dispatch.map_or(0, |time| time.0.saturating_add(spins(task)));
    dispatch.saturating_add(masked(system, placements, task, core))
}

/// The longest section of one task on a core with interrupts disabled.
fn masked(system: &System, placements: &[Placement], task: usize, core: u32) -> u64 {
    let rights = &system.tasks[task].rights;
    let locks = rights.spin_locks.iter();
    let lock = locks
        .map(|one| spin(system, placements, one.spin_lock, task, core).saturating_add(one.hold.0));
    rights.cpu_lock.map_or(0, |time| time.0).max(lock.max().unwrap_or(0))
}

/// How long one job spins for spin locks in all.
pub fn spins(system: &System, placements: &[Placement], task: usize) -> u64 {
    let core = placements[task].core;
    system.tasks[task].rights.spin_locks.iter().fold(0, |sum, one| {
        let spin = spin(system, placements, one.spin_lock, task, core);
        spin.saturating_mul(u64::from(one.times)).saturating_add(sum)
    })
}

/// How long a task spins for a lock on a core. FIFO, and each core holds or waits for one lock at a time: one hold of each
/// other core, the longest there, and a kernel section for the lock's hand-over. A task that migrates may be on any of
/// its cores.
fn spin(system: &System, placements: &[Placement], lock: usize, task: usize, core: u32) -> u64 {
    let mut holds = std::collections::BTreeMap::new();
    for (other, place) in placements.iter().enumerate().filter(|(other, _)| *other != task) {
        let it = &system.tasks[other];
        for one in it.rights.spin_locks.iter().filter(|one| one.spin_lock == lock) {
            for core in it.cores.iter().chain([&place.core]) {
                let longest = holds.entry(*core).or_insert(0);
                *longest = one.hold.0.max(*longest);
            }
        }
    }
    let hand_over = system.board.overheads.kernel_section.0;
    let others = holds.iter().filter(|(other, _)| **other != core);
    others.fold(0, |sum: u64, (_, hold)| sum.saturating_add(hold.saturating_add(hand_over)))
}

/// Which lower task, and how long, one section of a task below `priority` can keep a task of the core from running. One
/// is under way when the task becomes ready, and none begins after that.
pub fn blocking(
    system: &System,
    placements: &[Placement],
    core: u32,
    priority: u8,
    spins: impl Fn(usize) -> u64,
) -> Option<(usize, u64)> {
    let lower = (0..system.tasks.len()).filter(|task| placements[*task].priority > priority);
    let lower = lower.filter(|task| may_run(system, placements, *task, core));
    let sections = lower.map(|task| (task, section(system, placements, task, core, &spins)));
    sections.max_by_key(|(_, time)| *time)
}

/// How long interrupts of the core can wait for a section of its tasks.
pub fn longest_masked(system: &System, placements: &[Placement], core: u32) -> u64 {
    let here = (0..system.tasks.len()).filter(|task| may_run(system, placements, *task, core));
    here.map(|task| masked(system, placements, task, core)).max().unwrap_or(0)
}

/// By so much may a job exceed a budget that stops it: its interrupts or dispatch are disabled.
pub fn beyond_budget(system: &System, task: &Task) -> u64 {
    let holds = task.mutexes.iter().map(|one| one.hold.map_or(0, |hold| hold.0));
    let holds = holds.fold(0, u64::saturating_add);
    let rights = &task.rights;
    let locks = rights.spin_locks.iter().map(|one| one.hold.0).max().unwrap_or(0);
    let msrp = task
        .mutexes
        .iter()
        .any(|one| system.mutexes[one.mutex].protocol == takt_model::Protocol::Msrp);
    let own = [rights.cpu_lock, rights.dispatch_disable];
    let own = own.iter().flatten().fold(locks, |sum, time| sum.saturating_add(time.0));
    if msrp { own.saturating_add(holds) } else { own }
}

/// The interrupts of a core by which tasks change what is there.
pub fn streams(
    system: &System,
    placements: &[Placement],
    overheads: &Overheads,
    core: u32,
) -> Vec<Stream> {
    let mut streams = Vec::new();
    for (task, one) in controls(system) {
        let Some(separation) = one.separation else { continue };
        let from_here = placements[task].core == core && system.tasks[task].cores.is_empty();
        let cost = cost(system, overheads, one.target, from_here);
        if cost > 0 && reaches(system, placements, one.target, core) {
            streams.push(Stream { period: separation.0.max(1), jitter: 0, cost });
        }
    }
    streams
}

/// What one request costs the core of its target. Each request is a part of an interrupt, as long as one that releases a
/// job, and so is each step that follows it there.
fn cost(system: &System, overheads: &Overheads, target: Target, from_here: bool) -> u64 {
    let part = overheads.release.0;
    let answer = overheads.ipi.0.saturating_add(part);
    let sum = |parts: &[u64]| parts.iter().fold(answer, |sum, one| sum.saturating_add(*one));
    match target {
        Target::Task(_, Action::Observe) if !from_here => answer,
        Target::Task(task, Action::Terminate) => {
            let end = sections::carry_on(system, overheads);
            sum(&[overheads.dispatch.0, end, next_job(system, task, overheads)])
        }
        // The task leaves the core at the end of an interrupt, and arrives at another by one.
        Target::Task(_, Action::Migrate) => sum(&[part, answer, overheads.dispatch.0]),
        // The timer may expire for a call that is not wanted any more.
        Target::Cyclic(_) | Target::Alarm(_) if !from_here => {
            sum(&[overheads.timer_interrupt.0, part])
        }
        // A routine that is under way delays the move to its end.
        Target::Interrupt(_) => sum(&[part]),
        _ => 0,
    }
}

/// An aperiodic task whose job is ended may be activated once more. Of others each release is counted anyway.
fn next_job(system: &System, task: usize, overheads: &Overheads) -> u64 {
    let task = &system.tasks[task];
    match task.activation {
        Activation::Aperiodic => [overheads.ipi.0, overheads.release.0]
            .iter()
            .fold(handlers::of_job(system, task, overheads), |sum, one| sum.saturating_add(*one)),
        _ => 0,
    }
}

/// The interrupts of devices that a task may deliver to any core, or keep away for a while.
pub fn wandering(system: &System) -> impl Iterator<Item = usize> {
    controls(system).filter_map(|(_, one)| match one.target {
        Target::Interrupt(interrupt) => Some(interrupt),
        _ => None,
    })
}

/// Whether an interrupt may be delivered to a core.
pub fn delivers(system: &System, index: usize, interrupt: &Interrupt, core: u32) -> bool {
    interrupt.core == core || wandering(system).any(|other| other == index)
}

/// Why tasks of a core have no bound, whatever they do themselves.
pub fn unlimited(system: &System, placements: &[Placement], core: u32) -> Option<Why> {
    let by = |index| Named::task(system, index);
    if let Some(index) = system.tasks.iter().position(|task| task.rights.unrestricted) {
        return Some(Why::Unrestricted { task: by(index) });
    }
    let mut all = controls(system).filter(|(_, one)| reaches(system, placements, one.target, core));
    all.find_map(|(task, one)| match one.target {
        Target::Task(other, Action::Suspend | Action::SetPriority) => {
            Some(Why::Controlled { by: by(task), task: Named::task(system, other) })
        }
        _ if one.separation.is_none() => Some(Why::UnlimitedControl { by: by(task) }),
        _ => None,
    })
}

/// Whether a job may be ended before it returns: by another task, or by its budget although it keeps its `wcet`.
pub fn may_be_ended(system: &System, task: usize) -> bool {
    let it = &system.tasks[task];
    let stops = it.budget.as_ref().filter(|budget| budget.stops);
    let stops = stops.is_some_and(|budget| it.wcet.is_none_or(|wcet| wcet > budget.time));
    let ends = |target| matches!(target, Target::Task(other, Action::Terminate) if other == task);
    stops || controls(system).any(|(_, one)| ends(one.target))
}

fn controls(system: &System) -> impl Iterator<Item = (usize, &takt_model::Control)> {
    let tasks = system.tasks.iter().enumerate();
    tasks.flat_map(|(index, task)| task.rights.controls.iter().map(move |one| (index, one)))
}

/// Whether the change interrupts the core, or matters there.
fn reaches(system: &System, placements: &[Placement], target: Target, core: u32) -> bool {
    match target {
        Target::Task(task, _) => may_run(system, placements, task, core),
        Target::Cyclic(cyclic) => system.cyclics[cyclic].core == core,
        Target::Alarm(alarm) => system.alarms[alarm].core == core,
        Target::Interrupt(_) => true,
    }
}
