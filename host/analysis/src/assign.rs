// SPDX-License-Identifier: Apache-2.0
//! The cores and priorities that the description leaves out.

use takt_model::system::LOWEST_PRIORITY;
use takt_model::{Activation, Placement, System, Task};

use crate::priorities::prioritise;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AssignError {
    #[error("task '{task}' asks for core {core}, but the system's cores are 0 to {last}")]
    NoSuchCore { task: String, core: u32, last: u32 },
    #[error("the system has no core to put a task on")]
    NoCores,
}

/// Places every task; what the description gives stays. The same system gives the same result.
pub fn assign(system: &System) -> Result<Vec<Placement>, AssignError> {
    let cores = place(system)?;
    let mut priorities = vec![LOWEST_PRIORITY; system.tasks.len()];
    for core in 0..system.cores {
        let tasks: Vec<_> = (0..system.tasks.len()).filter(|index| cores[*index] == core).collect();
        prioritise(system, &tasks, &mut priorities);
    }
    let pairs = cores.into_iter().zip(priorities);
    Ok(pairs.map(|(core, priority)| Placement { core, priority }).collect())
}

/// By decreasing utilisation onto the core that has the least; ties go to the first task and to
/// the lowest core.
fn place(system: &System) -> Result<Vec<u32>, AssignError> {
    let last = system.cores.checked_sub(1).ok_or(AssignError::NoCores)?;
    let mut load = vec![0_u128; system.cores as usize];
    let mut cores = vec![0; system.tasks.len()];
    let mut free = Vec::new();
    for (index, task) in system.tasks.iter().enumerate() {
        match task.core {
            Some(core) if core > last => {
                return Err(AssignError::NoSuchCore { task: task.name.clone(), core, last });
            }
            Some(core) => {
                cores[index] = core;
                add(&mut load[core as usize], task);
            }
            None => free.push(index),
        }
    }
    free.sort_by_key(|index| std::cmp::Reverse(utilisation(&system.tasks[*index])));
    for index in free {
        let core = (0..=last).min_by_key(|core| load[*core as usize]).unwrap_or(0);
        cores[index] = core;
        add(&mut load[core as usize], &system.tasks[index]);
    }
    Ok(cores)
}

fn add(load: &mut u128, task: &Task) {
    *load = load.saturating_add(utilisation(task));
}

/// In units of 2^-60; 0 where it is not known.
fn utilisation(task: &Task) -> u128 {
    let period = match task.activation {
        Activation::Periodic { period, .. } => period,
        Activation::Sporadic { separation } => separation,
        Activation::Aperiodic => return 0,
    };
    (u128::from(task.wcet.map_or(0, |wcet| wcet.0)) << 60) / u128::from(period.0.max(1))
}
