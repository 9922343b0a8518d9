// SPDX-License-Identifier: Apache-2.0
//! Sections of tasks with interrupts or dispatch disabled, and spin locks, which disable interrupts while they are held. The
//! argument stands in docs/design/analysis.md, "Rights".

use std::collections::BTreeMap;

use takt_model::{Assignment, System};

use crate::quantity::Work;
use crate::reach::may_run;

/// The longest section of one task on a core with interrupts or dispatch disabled: a locked CPU, disabled dispatch, and a
/// spin lock with the wait for it. They may stand one in the other. `mutex_spin` says how long a job of a task spins for
/// mutexes, which is no execution and so not in what is declared; the job may do all of that with dispatch disabled.
fn section(
    system: &System,
    assignments: &[Assignment],
    task: usize,
    core: u32,
    mutex_spin: impl Fn(usize) -> Work,
) -> Work {
    let dispatch = system.tasks[task].rights.dispatch_disable;
    let dispatch = dispatch.map_or(Work::ZERO, |time| Work::from(time) + mutex_spin(task));
    dispatch + masked(system, assignments, task, core)
}

/// The longest section of one task on a core with interrupts disabled.
fn masked(system: &System, assignments: &[Assignment], task: usize, core: u32) -> Work {
    let rights = &system.tasks[task].rights;
    let locks = rights.spin_locks.iter();
    let locks =
        locks.map(|one| spin(system, assignments, one.spin_lock, task, core) + one.hold.into());
    locks.chain(rights.cpu_lock.map(Work::from)).max().unwrap_or(Work::ZERO)
}

/// How long one job spins for spin locks in all.
pub fn job_spin(system: &System, assignments: &[Assignment], task: usize) -> Work {
    let core = assignments[task].core;
    let locks = system.tasks[task].rights.spin_locks.iter();
    let spins =
        locks.map(|one| spin(system, assignments, one.spin_lock, task, core) * one.times.into());
    spins.sum()
}

/// How long a task spins for a lock on a core. The lock is FIFO, and each core holds or waits for one lock at a time: so one
/// hold of each other core counts, the longest there, and a kernel section for the lock's hand-over. A task that migrates may
/// be on any of its cores.
fn spin(system: &System, assignments: &[Assignment], lock: usize, task: usize, core: u32) -> Work {
    let mut holds: BTreeMap<u32, Work> = BTreeMap::new();
    for (other, place) in assignments.iter().enumerate().filter(|(other, _)| *other != task) {
        let it = &system.tasks[other];
        for one in it.rights.spin_locks.iter().filter(|one| one.spin_lock == lock) {
            for core in it.cores.iter().chain([&place.core]) {
                let longest = holds.entry(*core).or_default();
                *longest = Work::from(one.hold).max(*longest);
            }
        }
    }
    let hand_over = Work::from(system.board.overheads.kernel_section);
    holds.iter().filter(|(other, _)| **other != core).map(|(_, hold)| *hold + hand_over).sum()
}

/// The section of a task below `priority` that keeps a task of the core from running for the longest, and which task that is.
/// One section is under way when the task becomes ready, and none begins after that.
pub fn blocking(
    system: &System,
    assignments: &[Assignment],
    core: u32,
    priority: u8,
    mutex_spin: impl Fn(usize) -> Work,
) -> Option<(usize, Work)> {
    let lower = (0..system.tasks.len()).filter(|task| assignments[*task].priority > priority);
    let lower = lower.filter(|task| may_run(system, assignments, *task, core));
    let sections = lower.map(|task| (task, section(system, assignments, task, core, &mutex_spin)));
    sections.max_by_key(|(_, work)| *work)
}

/// How long interrupts of the core can wait for a section of its tasks.
pub fn longest_masked(system: &System, assignments: &[Assignment], core: u32) -> Work {
    let here = (0..system.tasks.len()).filter(|task| may_run(system, assignments, *task, core));
    here.map(|task| masked(system, assignments, task, core)).max().unwrap_or(Work::ZERO)
}
