// SPDX-License-Identifier: Apache-2.0
//! Implements `takt prove`: runs each generated system ([`one`]) and sums up the results
//! ([`Summary`]).

mod judge;
mod one;
mod summary;

use std::io::IsTerminal;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use takt_prove::{Family, Machine};

pub use judge::{Compared, Fault, Word};
pub use one::Outcome;
pub use summary::Summary;

use crate::boards;
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;

/// The options of the command.
pub struct Request {
    pub seeds: RangeInclusive<u64>,
    /// A family, with the number of one of its shapes or all of them; None: the mix of all
    /// families.
    pub only: Option<(&'static Family, Option<usize>)>,
    pub machine: Machine,
    /// The board as the command line names it.
    pub board: PathBuf,
    pub interleavings: u64,
    pub keep: Option<PathBuf>,
    pub keep_all: bool,
}

impl Request {
    fn case(&self, seed: u64) -> takt_prove::Case {
        let (family, shape) = self.only.unwrap_or_else(|| (mixed(seed), None));
        takt_prove::Case::new(family, shape, seed, &self.machine)
    }
}

/// The family of a seed in the mix of all families.
fn mixed(seed: u64) -> &'static Family {
    let names = takt_prove::NAMES;
    let name = names[(seed % names.len() as u64) as usize];
    let found = takt_prove::families().iter().find(|family| family.name == name);
    found.expect("the mix names families")
}

/// Parses `NAME` or `NAME/SHAPE`.
pub fn family(text: &str) -> Result<(&'static Family, Option<usize>), Failure> {
    let (name, shape) = match text.split_once('/') {
        Some((name, shape)) => (name, Some(shape)),
        None => (text, None),
    };
    let families = takt_prove::families();
    let Some(family) = families.iter().find(|family| family.name == name) else {
        let names: Vec<_> = families.iter().map(|family| family.name).collect();
        let help = format!("the families are {}", names.join(", "));
        return Err(Failure::input(format!("there is no family `{name}`"), help));
    };
    let Some(shape) = shape else { return Ok((family, None)) };
    match family.shapes.iter().position(|it| it.name == shape) {
        Some(index) => Ok((family, Some(index))),
        None => {
            let names: Vec<_> = family.shapes.iter().map(|shape| shape.name).collect();
            let help = format!("the shapes of {name} are {}", names.join(", "));
            Err(Failure::input(format!("{name} has no shape `{shape}`"), help))
        }
    }
}

/// The board for which systems are generated; it must have a timing.
pub fn machine(name: &Path) -> Result<Machine, Failure> {
    let file = boards::find(name)?;
    let board = boards::read(&file)?;
    if board.timing.is_none() {
        let message = format!("board {} has no timing: nothing can be measured on it", board.name);
        return Err(Failure::input(message, "name a board that the modelled machine can run"));
    }
    let failed = |error| Failure::io(format!("read {}", file.display()), error);
    let text = std::fs::read_to_string(&file).map_err(failed)?;
    let absolute = file.canonicalize().map_err(failed)?;
    Ok(Machine { reference: absolute.display().to_string(), text, board })
}

/// Returns the outcomes in ascending order of the seeds. Systems run side by side on all cores of
/// this host.
pub fn run(request: &Request) -> Result<Vec<Outcome>, Failure> {
    let folders = tempfile::tempdir().map_err(|error| Failure::io("make a folder", error))?;
    let count = request.seeds.clone().count() as u64;
    let progress = Progress::systems(count);
    let done = AtomicU64::new(0);
    // Each thread has a folder of its own, in which the builds of its systems share what they have
    // in common.
    let one = |seed| {
        if interrupt::requested() {
            return Err(Failure::interrupted());
        }
        let thread = rayon::current_thread_index().unwrap_or(0);
        let folder = folders.path().join(format!("{thread}"));
        let outcome = one::run(request, &request.case(seed), &folder);
        progress.one_more();
        report_progress(done.fetch_add(1, Ordering::Relaxed) + 1, count);
        if let Ok(outcome) = &outcome {
            outcome.say(&progress);
        }
        outcome
    };
    let outcomes = request.seeds.clone().into_par_iter().map(one).collect();
    progress.done();
    outcomes
}

/// Prints a line now and then, if no progress bar is shown.
fn report_progress(done: u64, count: u64) {
    if done % 25 == 0 && done < count && !std::io::stderr().is_terminal() {
        eprintln!("{done} of {count} systems");
    }
}
