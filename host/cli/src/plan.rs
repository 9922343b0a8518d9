// SPDX-License-Identifier: Apache-2.0
//! A description that was read, and what the analysis says of it.

use std::path::{Path, PathBuf};

use takt_analysis::Analysis;
use takt_model::{Placement, Problems, System};
use takt_trace::Expected;

use crate::failure::{Exit, Failure};
use crate::home;

pub struct Plan {
    /// Polytakt's own tree.
    pub home: PathBuf,
    /// The description, absolute.
    pub file: PathBuf,
    pub system: System,
    /// One a task, as are the analysis's rows.
    pub placements: Vec<Placement>,
    pub analysis: Analysis,
}

impl Plan {
    pub fn read(file: &Path) -> Result<Plan, Failure> {
        let home = home::find()?;
        let system = System::read(file, &home::boards(&home)).map_err(refused)?;
        let placements = takt_analysis::assign(&system).map_err(|error| {
            Failure::input(error, "give the task a core that the system has, or none")
        })?;
        let analysis = takt_analysis::analyse(&system, &placements);
        let absolute = file.canonicalize();
        let file =
            absolute.map_err(|error| Failure::io(format!("find {}", file.display()), error))?;
        Ok(Plan { home, file, system, placements, analysis })
    }

    /// What a run is compared with.
    pub fn expected(&self) -> Vec<Expected> {
        let rows = self.analysis.rows.iter();
        rows.map(|row| Expected { core: row.core, priority: row.priority, bound: row.bound() })
            .collect()
    }
}

fn refused(problems: Problems) -> Failure {
    Failure { exit: Exit::Input, report: problems.into(), details: String::new() }
}
