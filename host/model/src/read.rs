// SPDX-License-Identifier: Apache-2.0
//! Reads a description in three steps, which a file must pass in turn: it is text ([`source`]), it
//! has the form of a description ([`form`]), and its values make sense ([`system`], [`task`],
//! [`shared`], [`board`], [`timing`]). Each step reports all mistakes that it finds.

use std::path::{Path, PathBuf};

use crate::{Board, MissingService, Problems, System, system::EntryFault};
use report::Report;
use system::Boards;

mod addresses;
mod board;
mod cache;
mod channel;
mod cluster;
mod dataflow;
mod device_region;
mod edges;
mod entries;
mod extends;
pub(crate) mod file;
mod form;
mod frame;
mod interrupt;
mod kind;
mod limits;
mod migration;
mod mutex;
mod nested;
mod nesting;
mod partition;
mod placement;
mod play;
mod port;
mod posix;
mod regulation;
mod report;
mod rights;
mod rtu;
mod shared;
mod source;
mod stages;
mod subnets;
mod system;
mod task;
mod team;
mod time_event;
mod timing;
pub(crate) mod timing_file;
mod topology;
mod transaction;
mod uses;
mod values;
mod words;

impl System {
    /// Reads a system's file and the file of the board that it names: `virt` is `virt.toml` in one
    /// of the directories.
    pub fn read(path: &Path, board_dirs: &[PathBuf]) -> Result<System, Problems> {
        let bytes = source::load(path)?;
        System::from_bytes(path, bytes, board_dirs)
    }

    /// Reads a system's file, and uses this board instead of the one that the file names.
    pub fn read_on(path: &Path, board: &Board) -> Result<System, Problems> {
        let bytes = source::load(path)?;
        System::parse(path, bytes, Boards::Given(board))
    }

    /// Reads a system from bytes. The files that it names are looked up relative to `path`.
    pub fn from_bytes(
        path: &Path,
        bytes: Vec<u8>,
        board_dirs: &[PathBuf],
    ) -> Result<System, Problems> {
        System::parse(path, bytes, Boards::Named(board_dirs))
    }

    /// The problems that the build has found with the application's functions that the file names;
    /// None if the file does not name them. `functions` are those that may have been meant.
    pub fn entry_problems(
        path: &Path,
        faults: &[EntryFault],
        functions: &[String],
    ) -> Option<Problems> {
        problems_of_build(path, |report, file| entries::check(report, file, faults, functions))
    }

    /// The problems of services that the application calls, and that the kernel of the file's
    /// placement does not have; None if there are none.
    pub fn missing_service_problems(path: &Path, missing: &[MissingService]) -> Option<Problems> {
        problems_of_build(path, |report, file| placement::check_services(report, file, missing))
    }

    fn parse(path: &Path, bytes: Vec<u8>, boards: Boards) -> Result<System, Problems> {
        let text = source::text(path, bytes)?;
        let mut report = Report::new(path, &text);
        let system = form::parse(&mut report, &text)
            .and_then(|table| form::read(&mut report, &text, table, form::system_schema()))
            .map(|file| system::read(&mut report, &file, path, boards));
        report.finish(system)
    }
}

/// Reads a system's file again, and reports at its words what the build has found.
fn problems_of_build(
    path: &Path,
    check: impl FnOnce(&mut Report, &file::SystemFile),
) -> Option<Problems> {
    let text = source::text(path, source::load(path).ok()?).ok()?;
    let mut report = Report::new(path, &text);
    let table = form::parse(&mut report, &text)?;
    let file = form::read(&mut report, &text, table, form::system_schema())?;
    check(&mut report, &file);
    report.finish(Some(())).err()
}

impl Board {
    /// Reads a board's file. A board that it extends is looked up in the same folder.
    pub fn read(path: &Path) -> Result<Board, Problems> {
        Board::read_with(path, &[])
    }

    /// Reads a board's file. A board that it extends is looked up in the same folder and in the
    /// directories.
    pub fn read_with(path: &Path, board_dirs: &[PathBuf]) -> Result<Board, Problems> {
        let bytes = source::load(path)?;
        Board::parse(path, bytes, board_dirs)
    }

    /// Reads a board from bytes, as [`Board::read`] does.
    pub fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Board, Problems> {
        Board::parse(path, bytes, &[])
    }

    fn parse(path: &Path, bytes: Vec<u8>, board_dirs: &[PathBuf]) -> Result<Board, Problems> {
        let text = source::text(path, bytes)?;
        let mut report = Report::new(path, &text);
        let bases = extends::bases(&mut report, &text, path, board_dirs);
        let board = form::parse(&mut report, &text)
            .and_then(|table| {
                let table = extends::join(&mut report, table, bases.as_deref()?)?;
                form::read(&mut report, &text, table, form::board_schema())
            })
            .map(|file| board::read(&mut report, &file, path));
        report.finish(board)
    }
}
