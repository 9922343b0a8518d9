// SPDX-License-Identifier: Apache-2.0
//! A description that was read, and what the analysis says of it.

use std::path::{Path, PathBuf};

use takt_analysis::{Analysis, AssignError, Row};
use takt_model::{Assignment, System};
use takt_trace::Expected;

use crate::boards;
use crate::calibrate::stamp;
use crate::failure::Failure;
use crate::home;

pub struct AnalysedSystem {
    /// Polytakt's own tree.
    pub home: PathBuf,
    /// The description, absolute.
    pub file: PathBuf,
    pub system: System,
    /// The board is another than the file names.
    pub board_given: bool,
    /// The assignments, one for each task, in the order of the analysis's rows.
    pub assignments: Vec<Assignment>,
    pub analysis: Analysis,
}

impl AnalysedSystem {
    pub fn read(file: &Path) -> Result<AnalysedSystem, Failure> {
        AnalysedSystem::read_on(file, None)
    }

    /// `board`: a name or a file, in the place of the description's.
    pub fn read_on(file: &Path, board: Option<&Path>) -> Result<AnalysedSystem, Failure> {
        let home = home::find()?;
        let system = match board {
            Some(name) => System::read_on(file, &boards::read(&boards::find(name)?)?),
            None => System::read(file, &home::boards(&home)),
        };
        let system = system.map_err(Failure::problems)?;
        let assignments = takt_analysis::assign(&system).map_err(|error| {
            let help = match error {
                AssignError::SplitMutex { .. } => "put them on one core, or use \"msrp\"",
                _ => "give the task a core that the system has, or none",
            };
            Failure::input(error, help)
        })?;
        let mut analysis = takt_analysis::analyse(&system, &assignments);
        let overheads = &system.board.overheads;
        if overheads.stamp.is_some() {
            analysis.compare_stamp(overheads, stamp::now(&system.board)?.as_ref());
        }
        let absolute = file.canonicalize();
        let file =
            absolute.map_err(|error| Failure::io(format!("find {}", file.display()), error))?;
        Ok(AnalysedSystem {
            home,
            file,
            system,
            board_given: board.is_some(),
            assignments,
            analysis,
        })
    }

    /// The bounds and assignments with which a run is compared.
    pub fn expected(&self) -> Vec<Expected> {
        let rows = self.analysis.rows.iter();
        let expected =
            |row: &Row| Expected { core: row.core, priority: row.priority, bound: row.bound() };
        rows.map(expected).collect()
    }
}
