// SPDX-License-Identifier: Apache-2.0
//! Commands of nodes to core 0 or to the RTU, under another placement of the kernel than "distributed": how many a job gives, and
//! how long a node waits for the answer. docs/design/placements.md, "Bounds".

use std::collections::BTreeMap;

use takt_model::{Activation, Assignment, PlacedOverheads, Placement, System, Word};

use crate::arrival::Periodic;
use crate::quantity::{Time, Work};
use crate::verdict::{Named, NoBound};

/// The core that serves the others under "central" and "semi".
pub const SYSTEM_CORE: u32 = 0;

/// How long nodes wait for answers. Under "distributed" nobody waits.
#[derive(Clone, Debug, Default)]
pub struct Commands {
    waits: BTreeMap<u32, Time>,
    /// The core whose own commands do not count, as it is the one that waits.
    but: Option<u32>,
}

impl Commands {
    pub fn of(waits: BTreeMap<u32, Time>) -> Self {
        Commands { waits, but: None }
    }

    /// Returns the commands of all cores but this one, before any wait is known.
    pub fn of_others(core: u32) -> Self {
        Commands { waits: BTreeMap::new(), but: Some(core) }
    }

    /// The core whose commands do not count.
    pub fn but(&self) -> Option<u32> {
        self.but
    }

    /// How long the core waits for the answer to a command, with interrupts disabled.
    pub fn wait(&self, core: u32) -> Work {
        self.waits.get(&core).map_or(Work::ZERO, |wait| wait.as_work())
    }
}

pub fn placed(system: &System) -> Option<&PlacedOverheads> {
    system.board.placed(system.kernel.placement)
}

/// The commands that a task's job gives beside its calls: what releases and ends it.
pub fn around_job(system: &System, task: usize) -> u64 {
    let is_periodic = matches!(system.tasks[task].activation, Activation::Periodic { .. });
    match system.kernel.placement {
        Placement::Central | Placement::Rtu => 1 + u64::from(is_periodic),
        _ => 0,
    }
}

/// The commands for which a job itself waits: its calls, and its end.
pub fn of_job(system: &System, task: usize) -> u64 {
    if system.kernel.placement == Placement::Distributed {
        return 0;
    }
    let end = u64::from(system.kernel.placement != Placement::Semi);
    u64::from(system.tasks[task].rights.calls.unwrap_or(0)) + end
}

/// Whether a release is a command.
pub fn releases_are(system: &System) -> bool {
    matches!(system.kernel.placement, Placement::Central | Placement::Rtu)
}

/// A task whose commands delay those of all, and that is not known to meet its deadline, by which it gives them.
pub fn not_in_time(system: &System, meets: impl Fn(usize) -> bool) -> Option<usize> {
    let serves = matches!(system.kernel.placement, Placement::Central | Placement::Semi);
    let tasks = system.tasks.iter().enumerate().filter(|_| serves);
    let mut tasks = tasks.filter(|(_, task)| task.deadline.is_some());
    tasks.find(|(index, _)| !meets(*index)).map(|(index, _)| index)
}

/// Why commands have no bound on a core.
pub fn unbounded(system: &System, assignments: &[Assignment], core: u32) -> Option<NoBound> {
    let placement = system.kernel.placement;
    if placement == Placement::Distributed {
        return None;
    }
    if placed(system).is_none() {
        return Some(NoBound::NoPlacedOverheads { placement: placement.word() });
    }
    let all = placement != Placement::Rtu; // each core's commands delay those of all
    let tasks = system.tasks.iter().enumerate();
    let mut tasks = tasks.filter(|(index, _)| all || assignments[*index].core == core);
    tasks.find_map(|(index, task)| {
        let is_periodic = Periodic::releases(task).is_some();
        match task.rights.calls {
            None => Some(NoBound::UnlimitedCalls { task: Named::task(system, index) }),
            Some(0) => None,
            Some(_) if is_periodic || assignments[index].core == SYSTEM_CORE || !all => None,
            Some(_) => Some(NoBound::UnlimitedCalls { task: Named::task(system, index) }),
        }
    })
}
