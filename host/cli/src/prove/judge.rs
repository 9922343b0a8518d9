// SPDX-License-Identifier: Apache-2.0
//! Judges whether the runs of a generated system agree with the analysis.

use schemars::JsonSchema;
use serde::Serialize;
use takt_analysis::Doubt;
use takt_model::{Nanos, System};
use takt_prove::{Expect, REFUSED};
use takt_trace::{ENOUGH_JOBS, Report, TaskRow, duration};

use super::one::Outcome;
use crate::analysed_system::AnalysedSystem;

/// What the check says of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "CheckWord")]
pub enum Word {
    /// Deadlines are met.
    Proved,
    /// Deadlines are met, if the figures that it was computed with are right.
    Computed,
    /// Some deadline is not known to be met.
    NotMet,
    /// The description was refused.
    Refused,
}

impl Word {
    pub fn words(self) -> &'static str {
        match self {
            Word::Proved => "proved",
            Word::Computed => "computed",
            Word::NotMet => "not all deadlines met",
            Word::Refused => "refused",
        }
    }
}

pub fn word(analysed: &AnalysedSystem) -> Word {
    match (analysed.analysis.proved(), analysed.analysis.holds()) {
        (true, _) => Word::Proved,
        (false, true) => Word::Computed,
        (false, false) => Word::NotMet,
    }
}

/// Why the check does not say `proved`.
pub fn doubts(analysed: &AnalysedSystem) -> Vec<String> {
    analysed.analysis.doubts.iter().map(Doubt::to_string).collect()
}

/// A task's bound beside the longest response of all runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProveTask")]
pub struct Compared {
    /// The task's name.
    pub task: String,
    /// The bound of the check.
    #[serde(rename = "bound_ns")]
    pub bound: u64,
    /// The bound with each `wcet` as long as the longest execution that was seen; null: there is none.
    #[serde(rename = "tight_bound_ns")]
    pub tight: Option<u64>,
    /// The longest response.
    #[serde(rename = "longest_ns")]
    pub longest: u64,
}

impl Compared {
    pub fn broken(&self) -> bool {
        self.longest > self.bound || self.tight.is_some_and(|tight| self.longest > tight)
    }

    /// The ratio of the tighter bound to the longest response.
    pub fn ratio(&self) -> f64 {
        let bound = self.tight.map_or(self.bound, |tight| tight.min(self.bound));
        bound as f64 / self.longest.max(1) as f64
    }
}

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "FaultKind")]
pub enum Kind {
    /// A response is longer than its bound.
    BoundBroken,
    /// A deadline was missed that the check says is met.
    Missed,
    /// A run of an honest system reports a broken assumption, or the victim of another task's.
    WronglyReported,
    /// Undeclared behaviour was neither refused nor reported.
    Unreported,
    /// An honest job was stopped.
    Stopped,
    /// The word is `proved`, and must not be.
    Proved,
    /// The system does not run.
    NotRun,
}

/// Something that was not as it should be.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProveFault")]
pub struct Fault {
    /// The kind of the fault.
    pub kind: Kind,
    /// The check says why no more could be expected: it is printed, and is no failure.
    pub excused: bool,
    /// The finding as a sentence.
    pub text: String,
}

impl Fault {
    fn new(kind: Kind, text: String) -> Fault {
        Fault { kind, excused: false, text }
    }

    fn excused(mut self) -> Fault {
        self.excused = true;
        self
    }

    pub fn not_run(why: &str) -> Fault {
        Fault::new(Kind::NotRun, format!("it does not run: {why}"))
    }
}

/// The sentences of the runs on broken assumptions and on refused calls, each once.
pub fn assumptions(reports: &[(u64, Report)]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for note in reports.iter().flat_map(|(_, report)| &report.notes) {
        let broken = note.contains("assumption");
        let refused = note.contains("refused") && !note.contains("its queue was full");
        if (broken || refused) && !all.contains(note) {
            all.push(note.clone());
        }
    }
    all
}

pub fn compare(analysed: &AnalysedSystem, reports: &[(u64, Report)]) -> Vec<Compared> {
    let tight = analysed.bounds_of(&tightened(&analysed.system, reports));
    let mut compared = Vec::new();
    for (index, row) in analysed.analysis.rows.iter().enumerate() {
        let responses = rows(reports, index).filter_map(|row| row.response.as_ref());
        if let (Some(Nanos(bound)), Some(longest)) =
            (row.bound(), responses.map(|response| response.max).max())
        {
            let tight = tight.rows[index].bound().map(|Nanos(bound)| bound);
            compared.push(Compared { task: row.name.clone(), bound, tight, longest });
        }
    }
    compared
}

fn rows(reports: &[(u64, Report)], index: usize) -> impl Iterator<Item = &TaskRow> {
    reports.iter().map(move |(_, report)| &report.tasks[index])
}

/// A description in which the WCET of each task is lowered to the longest execution that was seen,
/// plus a margin for the job that had not ended. The runs are also runs of this description, so its
/// lower bounds must hold too.
fn tightened(system: &System, reports: &[(u64, Report)]) -> System {
    const UNSEEN: u64 = 1_000;
    let mut system = system.clone();
    for (index, task) in system.tasks.iter_mut().enumerate() {
        let seen = rows(reports, index).map(|row| row.execution_max).max().unwrap_or(0);
        let enough = rows(reports, index).all(|row| row.jobs > ENOUGH_JOBS && row.stopped == 0);
        if let Some(Nanos(wcet)) = task.wcet.filter(|_| enough) {
            task.wcet = Some(Nanos(wcet.min(seen + UNSEEN)));
        }
    }
    system
}

pub fn faults(
    expect: Expect,
    analysed: &AnalysedSystem,
    reports: &[(u64, Report)],
    outcome: &Outcome,
) -> Vec<Fault> {
    if expect == Expect::Reported && reports.iter().all(|(_, report)| report.code == Some(REFUSED))
    {
        return Vec::new();
    }
    let mut faults: Vec<Fault> = failed(reports).collect();
    let reported = !outcome.assumptions.is_empty();
    let broken = outcome.tasks.iter().filter(|it| it.broken() && !reported);
    faults.extend(broken.map(bound_broken));
    faults.extend(fault_of_word(expect, outcome.word));
    match expect {
        Expect::Reported => faults.extend(of_report(&outcome.assumptions)),
        _ => faults.extend(of_honest(analysed, reports, &outcome.assumptions)),
    }
    match outcome.word != Word::Proved && explained(expect, analysed) {
        true => faults.into_iter().map(excuse).collect(),
        false => faults,
    }
}

/// Whether the check has named a reason why a bound of this system may be exceeded: the overheads
/// were measured under weaker conditions, or the system loads the memory without a limit.
fn explained(expect: Expect, analysed: &AnalysedSystem) -> bool {
    let beyond = |doubt: &Doubt| matches!(doubt, Doubt::OtherKernel { .. } | Doubt::Exceeds { .. });
    expect == Expect::HonestIfProved || analysed.analysis.doubts.iter().any(beyond)
}

/// Excuses a fault that such a reason explains.
fn excuse(fault: Fault) -> Fault {
    match fault.kind {
        Kind::BoundBroken | Kind::Missed | Kind::WronglyReported | Kind::Stopped => fault.excused(),
        Kind::Unreported | Kind::Proved | Kind::NotRun => fault,
    }
}

/// The first run that did not end after its time, as a fault.
fn failed(reports: &[(u64, Report)]) -> impl Iterator<Item = Fault> {
    let bad = reports.iter().filter(|(_, report)| report.code != Some(0));
    bad.take(1).map(|(seed, report)| {
        let text = format!(
            "with interleaving {seed}: {} with code {}: {}",
            report.outcome,
            report.code.unwrap_or(0),
            report.message
        );
        Fault::new(Kind::NotRun, text)
    })
}

fn bound_broken(it: &Compared) -> Fault {
    let bound = match it.tight {
        Some(tight) if it.longest <= it.bound => {
            format!(
                "{} with the executions that were seen (described: {})",
                duration(tight),
                duration(it.bound)
            )
        }
        _ => duration(it.bound),
    };
    let text =
        format!("bound broken: {} took {}, its bound is {bound}", it.task, duration(it.longest));
    Fault::new(Kind::BoundBroken, text)
}

pub fn fault_of_word(expect: Expect, word: Word) -> Option<Fault> {
    let wrong = expect == Expect::NotProved && word == Word::Proved;
    let text = "the check says proved, with overheads that were not measured for this";
    wrong.then(|| Fault::new(Kind::Proved, text.into()))
}

/// The faults of a system that must be reported: its undeclared behaviour is not reported, or the
/// culprit is not named.
fn of_report(assumptions: &[String]) -> Vec<Fault> {
    let mut faults = Vec::new();
    if !assumptions.iter().any(|line| line.contains("culprit")) {
        let text = "nothing names the culprit".to_string();
        faults.push(Fault::new(Kind::Unreported, text));
    }
    // A line that names both tasks describes what the culprit did to the victim.
    let is_blame = |line: &&String| line.contains("task victim") && !line.contains("culprit");
    let blamed = assumptions.iter().filter(is_blame);
    faults.extend(
        blamed.map(|line| Fault::new(Kind::WronglyReported, format!("blames the victim: {line}"))),
    );
    faults
}

fn of_honest(
    analysed: &AnalysedSystem,
    reports: &[(u64, Report)],
    assumptions: &[String],
) -> Vec<Fault> {
    let wrongly = assumptions
        .iter()
        .map(|line| Fault::new(Kind::WronglyReported, format!("reports an honest system: {line}")));
    let mut faults: Vec<Fault> = wrongly.collect();
    for (index, row) in analysed.analysis.rows.iter().enumerate() {
        let misses: u64 = rows(reports, index).map(|row| row.misses).sum();
        if row.meets() && misses > 0 {
            let text = format!(
                "{} missed {misses} deadlines, the check says that it meets them",
                row.name
            );
            faults.push(Fault::new(Kind::Missed, text));
        }
        let stopped: u64 = rows(reports, index).map(|row| row.stopped + row.overruns).sum();
        if stopped > 0 {
            let text = format!("{} exceeded its budget {stopped} times, and is honest", row.name);
            faults.push(Fault::new(Kind::Stopped, text));
        }
    }
    faults
}
