// SPDX-License-Identifier: Apache-2.0
//! What the commands of other cores cost a core that serves them, under another placement of the kernel than "distributed".

use takt_model::{Activation, Assignment, Nanos, PlacedOverheads, Placement, System, Target};

use crate::arrival::Periodic;
use crate::commands::{SYSTEM_CORE, around_job, placed};
use crate::costs::KernelCosts;
use crate::quantity::{Time, Work};
use crate::request::InterruptLoad;

/// How many commands the system core serves in one interrupt; then it interrupts itself.
const SERVED_AT_ONCE: u64 = 4;

/// The interrupts of a core by commands of tasks of other cores, but for those of the one that waits.
pub fn interrupts(
    system: &System,
    assignments: &[Assignment],
    costs: &KernelCosts,
) -> Vec<InterruptLoad> {
    let Some(placed) = placed(system) else { return Vec::new() };
    let core = costs.core;
    let others = assignments.iter().enumerate().filter(|(_, place)| place.core != core);
    let others = others.filter(|(_, place)| Some(place.core) != costs.but_commands_of);
    let load = |(task, _): (usize, &Assignment)| load_of(system, assignments, placed, costs, task);
    others.filter_map(load).collect()
}

/// What the commands of a task of another core cost this one.
fn load_of(
    system: &System,
    assignments: &[Assignment],
    placed: &PlacedOverheads,
    costs: &KernelCosts,
    task: usize,
) -> Option<InterruptLoad> {
    let it = &system.tasks[task];
    let calls = u64::from(it.rights.calls.unwrap_or(0));
    // Under "semi" a call may ask for a task of another core, which carries it out and reports that by a command.
    let asks_if = |asked: bool| match placed.placement {
        Placement::Semi if asked => calls,
        _ => 0,
    };
    let is_asked = |core: Option<u32>| may_be_asked(system, assignments, core);
    let mut work = Work::ZERO;
    let asks_here = asks_if(is_asked(Some(costs.core)));
    if placed.placement == Placement::Semi && costs.core != SYSTEM_CORE {
        work = (costs.remote_release() + costs.command_wait) * asks_here;
    } else if costs.core == SYSTEM_CORE && placed.placement != Placement::Rtu {
        // A call may start a job, if that of an aperiodic task, which ends by a command.
        let may_start = system.tasks.iter().any(|task| task.activation == Activation::Aperiodic);
        let ends = if placed.placement == Placement::Central && may_start { calls } else { 0 };
        let reports = asks_if(is_asked(None));
        let commands = around_job(system, task) + calls + reports + ends;
        let interrupts = commands + commands.div_ceil(SERVED_AT_ONCE);
        work = costs.ipi * interrupts + Work::from(placed.command) * commands;
        work += costs.remote_release() * asks_here;
        if it.may_suspend() {
            work += costs.timed_release() * calls; // the end of a delay, or of a wait
        }
    }
    // A job gives its commands until its deadline. One that has none, and those that are queued behind it, may be there when a
    // window begins: no more, as other releases are lost.
    let lasting = |period: Time| match it.deadline {
        Some(deadline) => period.min(deadline.into()),
        None => period * (u64::from(it.queue) + 1),
    };
    let arrivals = match Periodic::releases(it) {
        Some(releases) => Periodic {
            jitter: releases.jitter + lasting(releases.period),
            latest: None,
            ..releases
        },
        // One job at most, which begins at time 0, gives its commands; the others are charged to who activates them.
        None => Periodic::apart(Nanos::MAX, Time::ZERO),
    };
    (work > Work::ZERO).then_some(InterruptLoad { arrivals, work })
}

/// Whether a core, or any one, has a task for which others ask: it is activated by them, may sleep, or gets its priority from them.
fn may_be_asked(system: &System, assignments: &[Assignment], core: Option<u32>) -> bool {
    let controlled = |index: usize| {
        let mut targets = system.tasks.iter().flat_map(|task| &task.rights.controls);
        targets.any(|one| matches!(one.target, Target::Task(task, _) if task == index))
    };
    system.tasks.iter().enumerate().any(|(index, task)| {
        let is_there = core.is_none_or(|core| assignments[index].core == core);
        let is_asked = task.activation == Activation::Aperiodic || task.may_suspend();
        is_there && (is_asked || controlled(index))
    })
}
