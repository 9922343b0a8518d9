// SPDX-License-Identifier: Apache-2.0
//! How long the kernel keeps interrupts disabled, computed from the description: what was measured,
//! what grows with the system's objects, and the wait for the locks that cores share. See
//! docs/design/sections.md.

use std::collections::BTreeSet;

use takt_model::{
    Assignment, Class, Control, Granularity, Nanos, Protocol, Spinlock, System, Target, Task,
    WaitsServed,
};

use crate::quantity::Work;
use crate::reach::{active_cores, may_run};
use crate::verdict::NoBound;

/// Bytes of a cache line. A copy moves one line a step.
const LINE: u64 = 64;

/// How many cores contended for a lock when `kernel_section` was measured.
const MEASURED_CORES: u64 = 2;

/// The longest section of a core.
pub fn longest_section(system: &System, assignments: &[Assignment], core: u32) -> Nanos {
    longest(system, assignments, core).nanos()
}

/// The longest section of a core.
pub(crate) fn longest(system: &System, assignments: &[Assignment], core: u32) -> Work {
    let measured = measured(system);
    let own = growth(system).max(steps(system, steps_on_core(system, assignments, core)));
    let own = own + answers(system, assignments, core);
    let cores = contenders(system, assignments);
    // Each other core that contends for the lock is in a section under it. One of them was measured. The description does
    // not say which cores call on the object whose sections grow, so all active ones count.
    let callers = active_cores(system, assignments).len() as u64;
    let others = growth(system) * callers.saturating_sub(1);
    let more = measured * cores.saturating_sub(MEASURED_CORES);
    measured + own + (others + more) * acquisitions(system)
}

/// How much longer than it was measured a release, a switch or the kernel's part of an interrupt waits for a lock that cores
/// share for all that they do: each other core may be in a section under it, which may be a copy or a look at a flag's tasks.
pub fn lock_wait(system: &System, assignments: &[Assignment]) -> Work {
    if system.kernel.locking.granularity == Granularity::Object {
        return Work::ZERO;
    }
    let others = (active_cores(system, assignments).len() as u64).saturating_sub(1);
    let more = measured(system) * others.saturating_sub(MEASURED_CORES - 1);
    (growth(system) * others + more) * acquisitions(system)
}

fn measured(system: &System) -> Work {
    system.board.overheads.kernel_section.into()
}

/// How often a section takes one lock: the lock of an object, and the lock of a task of another core that the section wakes,
/// may be the same.
fn acquisitions(system: &System) -> u64 {
    match system.kernel.locking.granularity {
        Granularity::Object => 1,
        Granularity::Giant | Granularity::Core => 2,
    }
}

/// Why no section has a bound: cores wait for a lock that is given to any of them.
pub fn unbounded(system: &System, assignments: &[Assignment]) -> Option<NoBound> {
    let is_fair = !matches!(system.kernel.locking.spinlock, Spinlock::Tas | Spinlock::Ttas);
    (!is_fair && active_cores(system, assignments).len() > 1).then_some(NoBound::UnfairLock)
}

/// What a section may need beyond the measured one, with or without an object's lock: the copy of the longest
/// message, or a look at all tasks that may wait for a flag.
fn growth(system: &System) -> Work {
    let waiting = system.tasks.iter().filter(|task| may_wait(task)).count() as u64;
    let looks = serves(system, WaitsServed::AllInOneSection).then_some(waiting);
    copy(system).max(steps(system, looks.unwrap_or(0)))
}

/// The longest copy that one section makes, of a message.
pub fn copy(system: &System) -> Work {
    let copies = Class::ALL.iter().map(|class| class.longest_copy(system).0);
    let longest = copies.max().filter(|bytes| *bytes > 0);
    let lines = longest.map(|bytes| bytes.div_ceil(LINE).saturating_add(1));
    steps(system, lines.unwrap_or(0))
}

/// Returns whether one call may end many waits.
pub fn serves_many(system: &System) -> bool {
    serves(system, WaitsServed::OnePerSection)
}

/// Returns whether a call on some object of the system serves at least as many waits as `waits` says.
fn serves(system: &System, waits: WaitsServed) -> bool {
    Class::ALL.iter().any(|class| class.waits_served(system) >= waits)
}

/// The requests for tasks of the core that one section answers beyond the first, at most one of each task that may make any:
/// they wait until a job ends, or until the task has arrived.
fn answers(system: &System, assignments: &[Assignment], core: u32) -> Work {
    let is_here = |task: usize| may_run(system, assignments, task, core);
    let reaches =
        |control: &Control| matches!(control.target, Target::Task(task, _) if is_here(task));
    let callers =
        system.tasks.iter().filter(|task| task.rights.controls.iter().any(reaches)).count();
    let overheads = &system.board.overheads;
    let each = [overheads.ipi, overheads.release, overheads.dispatch];
    each.into_iter().map(Work::from).sum::<Work>() * (callers as u64).saturating_sub(1)
}

/// The steps of a section in which no lock is held for more than one of them: the chain of holders of
/// mutexes with priority inheritance, what a job that is ended gives back, the tasks that leave the core, and those
/// that `idle_pull` looks at.
fn steps_on_core(system: &System, assignments: &[Assignment], core: u32) -> u64 {
    let here = || (0..system.tasks.len()).filter(|task| assignments[*task].core == core);
    let inherits = |index: usize| system.mutexes[index].protocol == Protocol::Inherit;
    let is_user = |task: &usize| system.tasks[*task].mutexes.iter().any(|it| inherits(it.mutex));
    let used = here().flat_map(|task| system.tasks[task].mutexes.iter().map(|one| one.mutex));
    let mutexes = used.filter(|index| inherits(*index)).collect::<BTreeSet<_>>().len() as u64;
    let users = here().filter(is_user).count() as u64;
    // A holder, one task that waits, and their mutex were measured.
    let chain = (mutexes + users).saturating_sub(3);
    let held = here().map(|task| system.tasks[task].mutexes.len() as u64).max().unwrap_or(0);
    let ended = held.saturating_sub(1).saturating_add(system.reader_writer_locks.len() as u64);
    let guests = system.tasks.iter().filter(|task| task.cores.contains(&core)).count() as u64;
    let looked_at = system.kernel.idle_pull.map_or(0, |_| here().count() as u64);
    [chain, ended, guests, looked_at].into_iter().max().unwrap_or(0)
}

/// A step looks at a task or one of its cache lines, and takes no longer than making a task ready.
fn steps(system: &System, count: u64) -> Work {
    Work::from(system.board.overheads.release) * count
}

fn may_wait(task: &Task) -> bool {
    task.suspends.is_some() || !task.uses.is_empty() || !task.mutexes.is_empty()
}

/// How many cores may contend for one lock. Which cores call on an object the description tells of mutexes
/// only; for all other objects it is the number that was measured.
fn contenders(system: &System, assignments: &[Assignment]) -> u64 {
    let active = active_cores(system, assignments).len() as u64;
    match system.kernel.locking.granularity {
        Granularity::Giant | Granularity::Core => active,
        Granularity::Object => {
            let cores = |mutex: usize| {
                let tasks = system.tasks.iter().zip(assignments);
                let users =
                    tasks.filter(|(task, _)| task.mutexes.iter().any(|it| it.mutex == mutex));
                users.map(|(_, place)| place.core).collect::<BTreeSet<_>>().len() as u64
            };
            let widest = (0..system.mutexes.len()).map(cores).max().unwrap_or(0);
            widest.max(MEASURED_CORES).min(active)
        }
    }
}
