// SPDX-License-Identifier: Apache-2.0
//! A description that was read, and what the analysis says of it.

use std::path::{Path, PathBuf};

use takt_analysis::{Analysis, AssignError, IoSchedule, Residency, Row};
use takt_model::{Assignment, Overheads, Placement, System};
use takt_trace::Expected;

use crate::boards;
use crate::calibrate::stamp;
use crate::failure::Failure;
use crate::image::Image;
use crate::{home, residency};

pub struct AnalysedSystem {
    /// Polytakt's own tree.
    pub home: PathBuf,
    /// The description, absolute.
    pub file: PathBuf,
    /// The description as it was named.
    shown: PathBuf,
    pub system: System,
    /// The board is another than the file names.
    pub board_given: bool,
    /// The assignments, one for each task, in the order of the analysis's rows.
    pub assignments: Vec<Assignment>,
    pub analysis: Analysis,
    /// The I/O schedule, or why there is none; None if the description asks for none.
    pub io: Option<Result<IoSchedule, String>>,
    /// The facts that the image tells, if the analysis is that of cores whose caches keep all that they touch.
    residency: Option<Residency>,
}

impl AnalysedSystem {
    pub fn read(file: &Path) -> Result<AnalysedSystem, Failure> {
        AnalysedSystem::read_on(file, None)
    }

    /// Reads a description that may have no I/O schedule, which [`AnalysedSystem::read`] refuses.
    pub fn read_to_check(file: &Path) -> Result<AnalysedSystem, Failure> {
        AnalysedSystem::read_any(file, None)
    }

    /// `board`: a name or a file, in the place of the description's.
    pub fn read_on(file: &Path, board: Option<&Path>) -> Result<AnalysedSystem, Failure> {
        let analysed = AnalysedSystem::read_any(file, board)?;
        match &analysed.io {
            Some(Err(why)) => {
                let help =
                    "without a schedule there are no offsets to build; takt check says the same";
                Err(Failure::input(format!("there is no I/O schedule: {why}"), help))
            }
            _ => Ok(analysed),
        }
    }

    fn read_any(file: &Path, board: Option<&Path>) -> Result<AnalysedSystem, Failure> {
        let home = home::find()?;
        let system = match board {
            Some(name) => System::read_on(file, &boards::read(&boards::find(name)?)?),
            None => System::read(file, &home::boards(&home)),
        };
        let mut system = system.map_err(Failure::problems)?;
        let assignments = takt_analysis::assign(&system).map_err(|error| {
            let help = match error {
                AssignError::SplitMutex { .. } => "put them on one core, or use \"msrp\"",
                _ => "give the task a core that the system has, or none",
            };
            Failure::input(error, help)
        })?;
        let io = takt_analysis::place(&mut system, &assignments);
        let mut analysis = takt_analysis::analyse(&system, &assignments);
        let overheads = &system.board.overheads;
        if overheads.stamp.is_some() {
            let now = stamp::of(&system.board, system.kernel.placement)?;
            analysis.compare_stamp(overheads, now.as_ref());
        }
        let shown = file.to_path_buf();
        let absolute = file.canonicalize();
        let file =
            absolute.map_err(|error| Failure::io(format!("find {}", file.display()), error))?;
        Ok(AnalysedSystem {
            home,
            file,
            shown,
            system,
            board_given: board.is_some(),
            assignments,
            analysis,
            io,
            residency: None,
        })
    }

    /// Looks at the image of this very description, if there is one, where neighbours are what stands between the bounds and a
    /// proof: whether the cores' caches keep all that these touch. Then the bounds become those of such cores.
    pub fn look_at(&mut self, image: Option<&Path>) -> Result<(), Failure> {
        let is_placed = self.system.kernel.placement != Placement::Distributed;
        if is_placed || !self.analysis.has_neighbours() {
            return Ok(());
        }
        let why = match (takt_analysis::unsuited(&self.system), image) {
            (Some(why), _) => why,
            (None, None) => format!(
                "where their own caches keep all that the cores touch, it is proved that they do not (takt build {}, then check again)",
                self.shown.display()
            ),
            (None, Some(image)) => match self.resident(&Image::read(image)?)? {
                Ok((analysis, residency)) => {
                    (self.analysis, self.residency) = (analysis, Some(residency));
                    return Ok(());
                }
                Err(why) => why,
            },
        };
        self.analysis.because(why);
        Ok(())
    }

    /// The proved bounds of cores whose caches keep all that they touch; the inner error says why there are none.
    fn resident(&self, image: &Image) -> Result<Result<(Analysis, Residency), String>, Failure> {
        let (system, assignments) = (&self.system, &self.assignments[..]);
        let residency = match residency::of_system(system, assignments, image) {
            Ok(residency) => residency,
            Err(why) => return Ok(Err(why)),
        };
        let analysis = takt_analysis::analyse_resident(system, assignments, &residency);
        let overheads = system.board.resident_with(residency.requests, residency.asks_others());
        let (Some(mut analysis), Some(overheads)) = (analysis, overheads) else {
            let table = self.table_of(&residency);
            return Ok(Err(format!("the board has no table {table} (takt calibrate)")));
        };
        analysis.compare_stamp(overheads, stamp::now(&system.board)?.as_ref());
        Ok(match (analysis.holds(), analysis.doubts.first()) {
            (true, None) => Ok((analysis, residency)),
            (true, Some(doubt)) => Err(format!("{}: {doubt}", self.table_of(&residency))),
            (false, _) if residency.asks_others() => Err("the caches keep all, but what activations by other cores take is longer \
                                                          than a deadline allows"
                .into()),
            (false, _) => Err("the caches keep all, but what the console and lower tasks have under way is longer than a \
                               deadline allows"
                .into()),
        })
    }

    /// The facts that the image tells, if the bounds are those of resident cores.
    pub fn residency(&self) -> Option<&Residency> {
        self.residency.as_ref()
    }

    /// Returns whether the bounds are those of resident cores whose tasks ask others of their core.
    pub fn asks_within_cores(&self) -> bool {
        self.residency().is_some_and(|residency| residency.requests)
    }

    /// The overheads in the bounds, and the name of their table in the board's file.
    pub fn overheads(&self) -> (&Overheads, &'static str) {
        let board = &self.system.board;
        let resident = self.residency().and_then(|it| {
            let table = board.resident_with(it.requests, it.asks_others())?;
            Some((table, self.table_of(it)))
        });
        let table = match self.system.kernel.placement {
            Placement::Distributed => "[overheads]",
            _ => "[[overheads.placement]]",
        };
        resident.unwrap_or((&board.overheads, table))
    }

    fn table_of(&self, residency: &Residency) -> &'static str {
        match residency.requests && self.system.board.resident_requests.is_some() {
            _ if residency.asks_others() => "[overheads.resident_between]",
            true => "[overheads.resident_requests]",
            false => "[overheads.resident]",
        }
    }

    /// The bounds of the same system with other times, by the same figures.
    pub fn bounds_of(&self, system: &System) -> Analysis {
        let resident = self.residency().and_then(|residency| {
            takt_analysis::analyse_resident(system, &self.assignments, residency)
        });
        resident.unwrap_or_else(|| takt_analysis::analyse(system, &self.assignments))
    }

    /// The bounds and assignments with which a run is compared.
    pub fn expected(&self) -> Vec<Expected> {
        let rows = self.analysis.rows.iter();
        let expected =
            |row: &Row| Expected { core: row.core, priority: row.priority, bound: row.bound() };
        rows.map(expected).collect()
    }
}
