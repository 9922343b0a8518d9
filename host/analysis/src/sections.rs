// SPDX-License-Identifier: Apache-2.0
//! How long the kernel keeps interrupts disabled, computed from the description: what was measured,
//! what grows with the system's objects, and the wait for the locks that cores share. See
//! docs/design/sections.md.

use std::collections::BTreeSet;

use takt_model::{Control, Granularity, Overheads, Protocol, Spinlock, System, Target, Task};

use crate::proof::active_cores;
use crate::{Placement, Why, rights};

/// Bytes of a line, of which a copy moves one a step.
const LINE: u64 = 64;

/// Cores that `kernel_section` was measured with at a lock.
const MEASURED_CORES: u64 = 2;

/// The longest section of a core.
pub fn longest(system: &System, placements: &[Placement], core: u32) -> u64 {
    let measured = system.board.overheads.kernel_section.0;
    let own = growth(system).max(steps(system, on_core(system, placements, core)));
    let own = own.saturating_add(orders(system, placements, core));
    let cores = rivals(system, placements);
    // Each other core at the lock is in a section under it. One of them was measured. Which cores
    // call the object whose sections grow the description does not say.
    let callers = active_cores(system, placements).len() as u64;
    let others = growth(system).saturating_mul(callers.saturating_sub(1));
    let more = measured.saturating_mul(cores.saturating_sub(MEASURED_CORES));
    let at_lock = others.saturating_add(more).saturating_mul(acquisitions(system));
    measured.saturating_add(own).saturating_add(at_lock)
}

/// How much longer than it was measured a release, a switch or the kernel's part of an interrupt waits for a lock that cores share for
/// all that they do: each other core may be in a section under it, a copy or a look at a flag's tasks among them.
pub fn wait(system: &System, placements: &[Placement]) -> u64 {
    if system.kernel.locking.granularity == Granularity::Object {
        return 0;
    }
    let others = (active_cores(system, placements).len() as u64).saturating_sub(1);
    let measured = system.board.overheads.kernel_section.0;
    let more = measured.saturating_mul(others.saturating_sub(MEASURED_CORES - 1));
    let once = growth(system).saturating_mul(others).saturating_add(more);
    once.saturating_mul(acquisitions(system))
}

/// How often a section takes one lock: that of an object, and that of a task of another core that it wakes, may be the same.
fn acquisitions(system: &System) -> u64 {
    match system.kernel.locking.granularity {
        Granularity::Object => 1,
        Granularity::Giant | Granularity::Core => 2,
    }
}

/// Why no section has a bound: cores wait for a lock that is given to any of them.
pub fn unlimited(system: &System, placements: &[Placement]) -> Option<Why> {
    let is_fair = !matches!(system.kernel.locking.spinlock, Spinlock::Tas | Spinlock::Ttas);
    (!is_fair && active_cores(system, placements).len() > 1).then_some(Why::UnfairLock)
}

/// What a section may need beyond the measured one, with or without an object's lock: the longest
/// message that is copied, the tasks of a flag that are looked at.
pub fn growth(system: &System) -> u64 {
    let waiting = system.tasks.iter().filter(|task| may_wait(task)).count() as u64;
    let looks = system.flags.iter().any(|it| it.shared).then_some(waiting);
    copy(system).max(steps(system, looks.unwrap_or(0)))
}

/// The longest message that is copied in one section.
pub fn copy(system: &System) -> u64 {
    let lines = |bytes: u64| bytes.div_ceil(LINE).saturating_add(1);
    let copies = system.message_buffers.iter().map(|it| lines(it.message.0)).max();
    steps(system, copies.unwrap_or(0))
}

/// Whether one call may end many waits.
pub fn serves_many(system: &System) -> bool {
    !system.barriers.is_empty()
        || !system.reader_writer_locks.is_empty()
        || !system.message_buffers.is_empty()
        || system.flags.iter().any(|flag| flag.shared)
}

/// Where one call may end many waits: an interrupt that wakes the next one. Such an interrupt follows each wait, and the end of a
/// job that wakes many.
pub fn carry_on(system: &System, overheads: &Overheads) -> u64 {
    let one = overheads.ipi.0.saturating_add(overheads.release.0).saturating_add(copy(system));
    if serves_many(system) { one } else { 0 }
}

/// Orders for tasks of the core, at most one of each task that may give any, which are answered in one section: they wait until
/// a job ends, or until the task has arrived.
fn orders(system: &System, placements: &[Placement], core: u32) -> u64 {
    let is_here = |task: usize| rights::may_run(system, placements, task, core);
    let orders =
        |control: &Control| matches!(control.target, Target::Task(task, _) if is_here(task));
    let givers = system.tasks.iter().filter(|task| task.rights.controls.iter().any(orders)).count();
    let overheads = &system.board.overheads;
    let one =
        overheads.ipi.0.saturating_add(overheads.release.0).saturating_add(overheads.dispatch.0);
    one.saturating_mul((givers as u64).saturating_sub(1))
}

/// Steps of a section in which no lock is held for more than one of them: the chain of holders of
/// mutexes that lend, what a job gives back that is ended, the tasks that leave the core, and those
/// that `idle_pull` looks at.
fn on_core(system: &System, placements: &[Placement], core: u32) -> u64 {
    let here = || (0..system.tasks.len()).filter(|task| placements[*task].core == core);
    let lends = |index: usize| system.mutexes[index].protocol == Protocol::Inherit;
    let lending = |task: &usize| system.tasks[*task].mutexes.iter().any(|one| lends(one.mutex));
    let used = here().flat_map(|task| system.tasks[task].mutexes.iter().map(|one| one.mutex));
    let mutexes = used.filter(|index| lends(*index)).collect::<BTreeSet<_>>().len() as u64;
    let users = here().filter(lending).count() as u64;
    // A holder, one that waits and their mutex were measured.
    let chain = (mutexes + users).saturating_sub(3);
    let held = here().map(|task| system.tasks[task].mutexes.len() as u64).max().unwrap_or(0);
    let ended = held.saturating_sub(1).saturating_add(system.reader_writer_locks.len() as u64);
    let guests = system.tasks.iter().filter(|task| task.cores.contains(&core)).count() as u64;
    let looked_at = system.kernel.idle_pull.map_or(0, |_| here().count() as u64);
    [chain, ended, guests, looked_at].into_iter().max().unwrap_or(0)
}

/// A step looks at a task or a line of it, at most as much as making one ready.
fn steps(system: &System, count: u64) -> u64 {
    system.board.overheads.release.0.saturating_mul(count)
}

fn may_wait(task: &Task) -> bool {
    task.suspends.is_some() || !task.uses.is_empty() || !task.mutexes.is_empty()
}

/// How many cores may meet at one lock. Of an object's own lock the description tells that of a
/// mutex only; of all others it is what was measured.
fn rivals(system: &System, placements: &[Placement]) -> u64 {
    let active = active_cores(system, placements).len() as u64;
    match system.kernel.locking.granularity {
        Granularity::Giant | Granularity::Core => active,
        Granularity::Object => {
            let cores = |mutex: usize| {
                let tasks = system.tasks.iter().zip(placements);
                let users =
                    tasks.filter(|(task, _)| task.mutexes.iter().any(|it| it.mutex == mutex));
                users.map(|(_, place)| place.core).collect::<BTreeSet<_>>().len() as u64
            };
            let widest = (0..system.mutexes.len()).map(cores).max().unwrap_or(0);
            widest.max(MEASURED_CORES).min(active)
        }
    }
}
