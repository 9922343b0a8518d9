// SPDX-License-Identifier: Apache-2.0
//! A description that was read, and what the analysis says of it.

use std::path::{Path, PathBuf};

use takt_model::{Nanos, Placement, Problems, System};
use takt_trace::Expected;

use crate::failure::{Exit, Failure};
use crate::home;

pub struct Plan {
    /// Polytakt's own tree.
    pub home: PathBuf,
    /// The description, absolute.
    pub file: PathBuf,
    pub system: System,
    /// One a task, as are the bounds.
    pub placements: Vec<Placement>,
    pub bounds: Vec<Option<Nanos>>,
}

impl Plan {
    pub fn read(file: &Path) -> Result<Plan, Failure> {
        let home = home::find()?;
        let system = System::read(file, &home::boards(&home)).map_err(refused)?;
        let placements = placements(&system)?;
        let bounds = vec![None; system.tasks.len()];
        let absolute = file.canonicalize();
        let file =
            absolute.map_err(|error| Failure::io(format!("find {}", file.display()), error))?;
        Ok(Plan { home, file, system, placements, bounds })
    }

    /// What a run is compared with.
    pub fn expected(&self) -> Vec<Expected> {
        let tasks = self.placements.iter().zip(&self.bounds);
        tasks
            .map(|(place, &bound)| Expected { core: place.core, priority: place.priority, bound })
            .collect()
    }
}

fn refused(problems: Problems) -> Failure {
    Failure { exit: Exit::Input, report: problems.into(), details: String::new() }
}

fn placements(system: &System) -> Result<Vec<Placement>, Failure> {
    let place = |task: &takt_model::Task| match (task.core, task.priority) {
        (Some(core), Some(priority)) => Ok(Placement { core, priority }),
        _ => Err(Failure::input(
            format!("task {} has no core or no priority", task.name),
            "give both: the analysis that chooses them is not part of takt yet",
        )),
    };
    system.tasks.iter().map(place).collect()
}
