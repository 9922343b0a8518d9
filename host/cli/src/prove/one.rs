// SPDX-License-Identifier: Apache-2.0
//! One generated system: written, checked, built, run and judged.

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
use crate::board::Variation;
use crate::board::flight::{self, Setting};
use crate::board::seeds::Runs;
use crate::build::{self, Compiler};
use crate::failure::{Exit, Failure};
use crate::image::Image;
use crate::interrupt;
use crate::plan::Plan;
use crate::progress::Progress;

/// Machine time beyond the run's own after which a run is given up.
const MARGIN: u64 = 3_000_000_000;

/// What came of one generated system.
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
    /// What was not as it should be.
    pub faults: Vec<Fault>,
    /// The command that repeats it.
    pub again: String,
}

/// What a description came to.
enum Ran {
    Reports(Vec<(u64, Report)>),
    /// It was only checked.
    Checked,
    /// The application was refused, by the reader of the description or by the build.
    Refused(String),
    /// A run had no result.
    Failed(String),
}

pub fn run(request: &Request, case: &Case, folder: &Path) -> Result<Outcome, Failure> {
    write(case, folder)?;
    let description = folder.join("system.toml");
    let (plan, ran) = match Plan::read(&description) {
        Ok(plan) => {
            let ran = carry_out(request, case, &plan)?;
            (Some(plan), ran)
        }
        Err(failure) if failure.exit == Exit::Input => (None, Ran::Refused(text(&failure))),
        Err(failure) => return Err(failure),
    };
    let mut outcome = Outcome {
        family: case.family,
        shape: case.shape,
        seed: case.seed,
        word: plan.as_ref().map_or(Word::Refused, judge::word),
        doubts: plan.as_ref().map_or(Vec::new(), judge::doubts),
        tasks: Vec::new(),
        assumptions: Vec::new(),
        faults: Vec::new(),
        again: again(request, case),
    };
    match (&ran, &plan) {
        (Ran::Reports(reports), Some(plan)) => {
            outcome.assumptions = judge::assumptions(reports);
            outcome.tasks = judge::compare(plan, reports);
            outcome.faults = judge::faults(case.expect, plan, reports, &outcome);
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

fn carry_out(request: &Request, case: &Case, plan: &Plan) -> Result<Ran, Failure> {
    if case.expect == Expect::NotProved {
        return Ok(Ran::Checked);
    }
    let image = match build::image(plan, Compiler::Gcc) {
        Ok(image) => Image::read(&image)?,
        Err(failure) if failure.exit == Exit::No => {
            let said = text(&failure);
            return Ok(if is_refusal(&said) { Ran::Refused(said) } else { Ran::Failed(said) });
        }
        Err(failure) => return Err(failure),
    };
    let run_for = plan.system.run_for;
    let setting = Setting {
        board: &plan.system.board,
        harts: plan.system.cores,
        image: &image,
        events: plan.system.kernel.events,
        run_for,
        budget: run_for.map(|Nanos(nanos)| Nanos(nanos + MARGIN)),
        order: engine::Order::Ahead,
        gdb: None,
        output: None,
        unwritten: Default::default(),
    };
    let booted = flight::boot(&setting)?;
    let runs = Runs {
        booted: &booted,
        vary: |seed| Variation { seed, skew_seed: seed, ..Variation::PLAIN },
        check: || None,
        report: |record: &Record| {
            Report::new(&plan.system, &plan.expected(), record, Timing::Timed, &|_| None)
                .map_err(|error| Failure::tool(error, "takt and the kernel differ"))
        },
        again: |_| again(request, case),
    };
    match runs.run(0..=request.interleavings, &Progress::hidden()) {
        Ok(reports) => Ok(Ran::Reports(reports)),
        Err(failure) if interrupt::requested() => Err(failure),
        Err(failure) => Ok(Ran::Failed(text(&failure))),
    }
}

/// Whether a build failed because a service is not linked, as the description does not declare it. Else the generator has made
/// a source that is wrong.
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
        // What stays the same keeps its time, so that it is not compiled again.
        if std::fs::read(&path).is_ok_and(|old| old == text.as_bytes()) {
            continue;
        }
        std::fs::write(&path, text).map_err(failed)?;
    }
    Ok(())
}

/// Keeps the system's files and what was found.
fn kept(keep: &Path, case: &Case, outcome: &Outcome) -> Result<(), Failure> {
    let folder: PathBuf = keep.join(format!("{}-{}-{}", case.family, case.shape, case.seed));
    write(case, &folder)?;
    let path = folder.join("outcome.txt");
    std::fs::write(&path, outcome.text())
        .map_err(|error| Failure::io(format!("write {}", path.display()), error))
}

/// The command that repeats a case.
fn again(request: &Request, case: &Case) -> String {
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
