// SPDX-License-Identifier: Apache-2.0
//! The cost to a core of tasks that change what is there: other tasks, handlers and interrupts that they `controls`. The
//! argument stands in docs/design/analysis.md, "Rights".

use takt_model::{Action, Activation, Assignment, System, Target};

use crate::arrival::Periodic;
use crate::costs::KernelCosts;
use crate::handlers;
use crate::quantity::{Time, Work};
use crate::reach::{controls, is_changed_on};
use crate::request::InterruptLoad;
use crate::verdict::{Named, NoBound};

/// The interrupts of a core by which tasks change what is there.
pub fn interrupts(
    system: &System,
    assignments: &[Assignment],
    costs: &KernelCosts,
    core: u32,
) -> Vec<InterruptLoad> {
    let here =
        controls(system).filter(|(_, one)| is_changed_on(system, assignments, one.target, core));
    let loads = here.filter_map(|(task, one)| {
        let is_local = assignments[task].core == core && system.tasks[task].cores.is_empty();
        let arrivals = Periodic::apart(one.separation?, Time::ZERO);
        Some(InterruptLoad { arrivals, work: request(system, costs, one.target, is_local) })
    });
    loads.collect()
}

/// Returns the cost of one request to the core of its target; `is_local`: it comes from that core. Each request is a part of an interrupt,
/// as long as one that releases a job, and so is each step that follows it there.
fn request(system: &System, costs: &KernelCosts, target: Target, is_local: bool) -> Work {
    let answer = costs.remote_release();
    match target {
        Target::Task(_, Action::Observe) if !is_local => answer,
        Target::Task(task, Action::Terminate) => {
            answer + costs.dispatch + costs.continuation + next_job(system, task, costs)
        }
        // The task leaves the core at the end of an interrupt, and arrives at another by one.
        Target::Task(_, Action::Migrate) => answer + costs.release + answer + costs.dispatch,
        // The timer may expire for a call that is not wanted any more.
        Target::Cyclic(_) | Target::Alarm(_) if !is_local => answer + costs.timed_release(),
        // A routine that is under way delays the move to its end.
        Target::Interrupt(_) => answer + costs.release,
        _ => Work::ZERO,
    }
}

/// An aperiodic task whose job is ended may be activated once more. Of others each release is counted anyway.
fn next_job(system: &System, task: usize, costs: &KernelCosts) -> Work {
    let task = &system.tasks[task];
    match task.activation {
        Activation::Aperiodic => handlers::of_job(task, costs) + costs.remote_release(),
        _ => Work::ZERO,
    }
}

/// Why tasks of a core have no bound, whatever they do themselves.
pub fn unbounded(system: &System, assignments: &[Assignment], core: u32) -> Option<NoBound> {
    let named = |index| Named::task(system, index);
    if let Some(index) = system.tasks.iter().position(|task| task.rights.unrestricted) {
        return Some(NoBound::Unrestricted { task: named(index) });
    }
    let mut here =
        controls(system).filter(|(_, one)| is_changed_on(system, assignments, one.target, core));
    here.find_map(|(by, one)| match one.target {
        Target::Task(task, Action::Suspend | Action::SetPriority) => {
            Some(NoBound::Controlled { by: named(by), task: named(task) })
        }
        _ if one.separation.is_none() => Some(NoBound::UnlimitedControl { by: named(by) }),
        _ => None,
    })
}
