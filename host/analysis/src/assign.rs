// SPDX-License-Identifier: Apache-2.0
//! The assignment of cores and priorities that the description leaves out.

use std::collections::BTreeMap;

use takt_model::system::LOWEST_PRIORITY;
use takt_model::{Activation, Assignment, Protocol, System, Task};

use crate::priorities::prioritise;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AssignError {
    #[error("task '{task}' asks for core {core}, but the system's cores are 0 to {last}")]
    NoSuchCore { task: String, core: u32, last: u32 },
    #[error("the system has no core to put a task on")]
    NoCores,
    #[error(
        "mutex '{mutex}' needs its users on one core, but '{task}' is on core {core} and '{other}' \
         is not"
    )]
    SplitMutex { mutex: String, task: String, core: u32, other: String },
}

/// Places every task; what the description gives stays. The same system gives the same result.
pub fn assign(system: &System) -> Result<Vec<Assignment>, AssignError> {
    let cores = place(system)?;
    let mut priorities = vec![LOWEST_PRIORITY; system.tasks.len()];
    for core in 0..system.cores {
        let tasks: Vec<_> = (0..system.tasks.len()).filter(|index| cores[*index] == core).collect();
        prioritise(system, &tasks, &mut priorities);
    }
    let pairs = cores.into_iter().zip(priorities);
    Ok(pairs.map(|(core, priority)| Assignment { core, priority }).collect())
}

/// Places the tasks by decreasing utilisation, each onto the core that has the least; ties go to the first task and to
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
    let groups = groups(system);
    let mut taken: BTreeMap<usize, u32> = (system.tasks.iter().zip(&groups))
        .filter_map(|(task, group)| task.core.map(|core| (*group, core)))
        .collect();
    for index in free {
        let least = (0..=last).min_by_key(|core| load[*core as usize]).unwrap_or(0);
        let core = *taken.entry(groups[index]).or_insert(least);
        cores[index] = core;
        add(&mut load[core as usize], &system.tasks[index]);
    }
    check_mutexes(system, &cores)?;
    Ok(cores)
}

/// A number for each task. Tasks that share a mutex for one core have the same number, directly or by way of other tasks.
fn groups(system: &System) -> Vec<usize> {
    let mut groups: Vec<_> = (0..system.tasks.len()).collect();
    fn root(groups: &mut [usize], mut index: usize) -> usize {
        while groups[index] != index {
            groups[index] = groups[groups[index]];
            index = groups[index];
        }
        index
    }
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, task) in system.tasks.iter().enumerate() {
        for one in task.mutexes.iter().filter(|one| of_one_core(system, one.mutex)) {
            let other = *first.entry(one.mutex).or_insert(index);
            let (a, b) = (root(&mut groups, index), root(&mut groups, other));
            groups[a.max(b)] = a.min(b);
        }
    }
    (0..groups.len()).map(|index| root(&mut groups, index)).collect()
}

fn of_one_core(system: &System, mutex: usize) -> bool {
    system.mutexes[mutex].protocol != Protocol::Msrp
}

fn check_mutexes(system: &System, cores: &[u32]) -> Result<(), AssignError> {
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, task) in system.tasks.iter().enumerate() {
        for one in task.mutexes.iter().filter(|one| of_one_core(system, one.mutex)) {
            let user = *first.entry(one.mutex).or_insert(index);
            if cores[user] != cores[index] {
                return Err(AssignError::SplitMutex {
                    mutex: system.mutexes[one.mutex].name.clone(),
                    task: system.tasks[user].name.clone(),
                    core: cores[user],
                    other: task.name.clone(),
                });
            }
        }
    }
    Ok(())
}

fn add(load: &mut u128, task: &Task) {
    *load = load.saturating_add(utilisation(task));
}

/// The utilisation of a task in units of 2^-60; 0 where it is not known.
fn utilisation(task: &Task) -> u128 {
    let period = match task.activation {
        Activation::Periodic { period, .. } => period,
        Activation::Sporadic { separation } => separation,
        Activation::Aperiodic => return 0,
    };
    (u128::from(task.wcet.map_or(0, |wcet| wcet.0)) << 60) / u128::from(period.0.max(1))
}
