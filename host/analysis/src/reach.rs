// SPDX-License-Identifier: Apache-2.0
//! Which cores a task, a handler or an interrupt reaches, by its place and by what it `controls`.

use std::collections::BTreeSet;

use takt_model::{Action, Assignment, Control, Interrupt, System, Target};

/// Whether a task may run on a core: it is placed there, or may migrate there.
pub fn may_run(system: &System, assignments: &[Assignment], task: usize, core: u32) -> bool {
    assignments[task].core == core || system.tasks[task].cores.contains(&core)
}

/// The cores that run code of the application: its tasks, handlers and service routines. (Hooks run before
/// time 0 and after the end.) A task may deliver an interrupt to any core.
pub fn active_cores(system: &System, assignments: &[Assignment]) -> BTreeSet<u32> {
    let homes = assignments.iter().map(|assignment| assignment.core);
    let visited = system.tasks.iter().flat_map(|task| task.cores.iter().copied());
    let handlers = system.cyclics.iter().map(|it| it.core);
    let handlers = handlers.chain(system.alarms.iter().map(|it| it.core));
    let routines = system.interrupts.iter().map(|it| it.core);
    let any = movable_interrupts(system).flat_map(|_| 0..system.cores);
    homes.chain(visited).chain(handlers).chain(routines).chain(any).collect()
}

/// What each task `controls`, with the index of the task.
pub fn controls(system: &System) -> impl Iterator<Item = (usize, &Control)> {
    let tasks = system.tasks.iter().enumerate();
    tasks.flat_map(|(index, task)| task.rights.controls.iter().map(move |one| (index, one)))
}

/// Whether a change of the target interrupts the core, or matters there.
pub fn is_changed_on(
    system: &System,
    assignments: &[Assignment],
    target: Target,
    core: u32,
) -> bool {
    match target {
        Target::Task(task, _) => may_run(system, assignments, task, core),
        Target::Cyclic(cyclic) => system.cyclics[cyclic].core == core,
        Target::Alarm(alarm) => system.alarms[alarm].core == core,
        Target::Interrupt(_) => true,
    }
}

/// The interrupts of devices that a task may deliver to any core, or keep disabled for a while.
pub fn movable_interrupts(system: &System) -> impl Iterator<Item = usize> {
    controls(system).filter_map(|(_, one)| match one.target {
        Target::Interrupt(interrupt) => Some(interrupt),
        _ => None,
    })
}

/// Whether an interrupt may be delivered to a core.
pub fn may_interrupt(system: &System, index: usize, interrupt: &Interrupt, core: u32) -> bool {
    interrupt.core == core || movable_interrupts(system).any(|other| other == index)
}

/// Whether a job of the task may be ended before it returns: by another task, or by its budget although it keeps its `wcet`.
pub fn may_be_ended(system: &System, task: usize) -> bool {
    let it = &system.tasks[task];
    let stops = it.budget.as_ref().filter(|budget| budget.stops);
    let stops = stops.is_some_and(|budget| it.wcet.is_none_or(|wcet| wcet > budget.time));
    let ends = |target| matches!(target, Target::Task(other, Action::Terminate) if other == task);
    stops || controls(system).any(|(_, one)| ends(one.target))
}
