// SPDX-License-Identifier: Apache-2.0
//! Runs one generated system: writes it, checks it, builds it, runs it and judges the runs.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use takt_board::engine;
use takt_model::Nanos;
use takt_prove::{Case, Expect, WORK_HEADER};
use takt_record::Record;
use takt_trace::{Report, Timing};

use super::Request;
use super::judge::{self, Compared, Fault, Word};
use crate::analysed_system::AnalysedSystem;
use crate::board::Variation;
use crate::board::image_run::{self, RunOptions};
use crate::board::seeds::Runs;
use crate::build::{self, Compiler};
use crate::failure::{Exit, Failure};
use crate::image::Image;
use crate::interrupt;
use crate::progress::Progress;

/// Nanoseconds of machine time, beyond the run's own, after which a run is given up.
const MARGIN: u64 = 3_000_000_000;

/// The result of one generated system.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProveOutcome")]
pub struct Outcome {
    /// Its family.
    pub family: &'static str,
    /// Its shape among those of the family.
    pub shape: &'static str,
    /// Its seed.
    pub seed: u64,
    /// What the check said.
    pub word: Word,
    /// Why the word is not `proved`.
    pub doubts: Vec<String>,
    /// Each task with a bound and a job.
    pub tasks: Vec<Compared>,
    /// Sentences of the runs on broken assumptions, each once.
    pub assumptions: Vec<String>,
    /// The faults that were found.
    pub faults: Vec<Fault>,
    /// The command that repeats it.
    pub again: String,
}

/// How far the processing of a description came.
enum Ran {
    Reports(Vec<(u64, Report)>),
    /// The system was only checked.
    Checked,
    /// The reader of the description or the build refused the application.
    Refused(String),
    /// A run ended without a result.
    Failed(String),
}

pub fn run(request: &Request, case: &Case, folder: &Path) -> Result<Outcome, Failure> {
    write(case, folder)?;
    let description = folder.join("system.toml");
    let (analysed, ran) = match AnalysedSystem::read(&description) {
        Ok(mut analysed) => {
            let ran = carry_out(request, case, &mut analysed)?;
            (Some(analysed), ran)
        }
        Err(failure) if failure.exit == Exit::Input => (None, Ran::Refused(text(&failure))),
        Err(failure) => return Err(failure),
    };
    let mut outcome = Outcome {
        family: case.family,
        shape: case.shape,
        seed: case.seed,
        word: analysed.as_ref().map_or(Word::Refused, judge::word),
        doubts: analysed.as_ref().map_or(Vec::new(), judge::doubts),
        tasks: Vec::new(),
        assumptions: Vec::new(),
        faults: Vec::new(),
        again: reproduce_command(request, case),
    };
    match (&ran, &analysed) {
        (Ran::Reports(reports), Some(analysed)) => {
            outcome.assumptions = judge::assumptions(reports);
            outcome.tasks = judge::compare(analysed, reports);
            outcome.faults = judge::faults(case.expect, analysed, reports, &outcome);
        }
        (Ran::Refused(_), _) if case.expect == Expect::Reported => {}
        (Ran::Refused(why) | Ran::Failed(why), _) => outcome.faults.push(Fault::not_run(why)),
        (Ran::Checked | Ran::Reports(_), _) => {
            outcome.faults.extend(judge::fault_of_word(case.expect, outcome.word));
        }
    }
    let odd = !outcome.faults.is_empty();
    if let Some(keep) = request.keep.as_ref().filter(|_| odd || request.keep_all) {
        kept(keep, case, &outcome)?;
    }
    Ok(outcome)
}

fn carry_out(
    request: &Request,
    case: &Case,
    analysed: &mut AnalysedSystem,
) -> Result<Ran, Failure> {
    if case.expect == Expect::NotProved {
        return Ok(Ran::Checked);
    }
    let image = match build::image(analysed, Compiler::Gcc) {
        Ok(image) => {
            analysed.look_at(Some(&image))?;
            Image::read(&image)?
        }
        Err(failure) if failure.exit == Exit::No => {
            let said = text(&failure);
            return Ok(if is_refusal(&said) { Ran::Refused(said) } else { Ran::Failed(said) });
        }
        Err(failure) => return Err(failure),
    };
    let run_for = analysed.system.run_for;
    let options = RunOptions {
        board: &analysed.system.board,
        harts: analysed.system.cores,
        image: &image,
        events: analysed.system.kernel.events,
        run_for,
        budget: run_for.map(|Nanos(nanos)| Nanos(nanos + MARGIN)),
        order: engine::Order::Ahead,
        gdb: None,
        rtu: None,
        output: None,
        unwritten: Default::default(),
    };
    let booted = image_run::boot(&options)?;
    let runs = Runs {
        booted: &booted,
        system: &analysed.system,
        analysis: &analysed.analysis,
        vary: |seed| Variation { seed, skew_seed: seed, ..Variation::PLAIN },
        check: || None,
        report: |record: &Record| {
            Report::new(&analysed.system, &analysed.expected(), record, Timing::Timed, &|_| None)
                .map_err(|error| Failure::tool(error, "takt and the kernel differ"))
        },
        reproduce: |_| reproduce_command(request, case),
        consoles: None,
    };
    match runs.run(0..=request.interleavings, &Progress::hidden()) {
        Ok(reports) => Ok(Ran::Reports(reports)),
        Err(failure) if interrupt::requested() => Err(failure),
        Err(failure) => Ok(Ran::Failed(text(&failure))),
    }
}

/// Whether a build failed because the description does not declare a service, which is then not
/// linked. Any other failure is a mistake of the generator.
fn is_refusal(said: &str) -> bool {
    let mut services = said.lines().filter_map(|line| line.split_once("undefined reference to"));
    services.any(|(_, name)| name.trim_start_matches([' ', '`', '\'', '‘']).starts_with("takt_"))
}

fn write(case: &Case, folder: &Path) -> Result<(), Failure> {
    let files = [
        ("system.toml", Some(&case.description)),
        ("main.c", Some(&case.source)),
        ("board.toml", case.board.as_ref()),
        ("work.h", None),
    ];
    let failed = |error| Failure::io(format!("write to {}", folder.display()), error);
    std::fs::create_dir_all(folder).map_err(failed)?;
    for (name, text) in files {
        let text = match (name, text) {
            ("work.h", _) => WORK_HEADER,
            (_, Some(text)) => text,
            (_, None) => continue,
        };
        let path = folder.join(name);
        // An unchanged file keeps its time stamp, so that it is not compiled again.
        if std::fs::read(&path).is_ok_and(|old| old == text.as_bytes()) {
            continue;
        }
        std::fs::write(&path, text).map_err(failed)?;
    }
    Ok(())
}

/// Keeps the system's files together with the outcome.
fn kept(keep: &Path, case: &Case, outcome: &Outcome) -> Result<(), Failure> {
    let folder: PathBuf = keep.join(format!("{}-{}-{}", case.family, case.shape, case.seed));
    write(case, &folder)?;
    let path = folder.join("outcome.txt");
    std::fs::write(&path, outcome.text())
        .map_err(|error| Failure::io(format!("write {}", path.display()), error))
}

/// The command that repeats a case.
fn reproduce_command(request: &Request, case: &Case) -> String {
    format!(
        "takt prove --family {}/{} --seed {} --board {} --interleavings {}",
        case.family,
        case.shape,
        case.seed,
        request.board.display(),
        request.interleavings
    )
}

fn text(failure: &Failure) -> String {
    format!("{:?}\n{}", failure.report, failure.details).trim().to_string()
}

impl Outcome {
    pub fn good(&self) -> bool {
        self.faults.iter().all(|fault| fault.excused)
    }

    pub fn text(&self) -> String {
        let mut text =
            format!("{}/{} seed {} ({})\n", self.family, self.shape, self.seed, self.word.words());
        for fault in &self.faults {
            let excused = if fault.excused { "excused: " } else { "" };
            text += &format!("  {excused}{}\n", fault.text);
        }
        for line in &self.doubts {
            text += &format!("  not proved: {line}\n");
        }
        for line in &self.assumptions {
            text += &format!("  the run says: {line}\n");
        }
        text + &format!("  again: {}\n", self.again)
    }

    pub fn say(&self, progress: &Progress) {
        if !self.faults.is_empty() {
            progress.aside(|| eprint!("{}", self.text()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_refusal;

    #[test]
    fn only_a_service_that_is_not_linked_is_a_refusal() {
        let linker = "main.c:12:(.text+0x4): undefined reference to `takt_mutex_lock'";
        assert!(is_refusal(&format!("prove does not compile\n{linker}\n")));
        assert!(!is_refusal("main.c:12:5: error: 'takt_mutex_lok' undeclared"));
        assert!(!is_refusal("main.c:(.text+0x4): undefined reference to `works'"));
    }
}
