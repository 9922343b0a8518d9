// SPDX-License-Identifier: Apache-2.0
//! The results of many runs of one system with different seeds, combined into one.

use schemars::JsonSchema;
use serde::Serialize;
use takt_model::{BoardStamp, FORMAT};

use crate::assumptions::BrokenAssumption;
use crate::check::Checked;
use crate::frames::{self, FrameRow};
use crate::health::{self, HealthRow, RestartRow};
use crate::refused::{self, RefusedCall};
use crate::regulation::{self, RegulationRow};
use crate::report::{Report, Response, TaskRow, is_good};
use crate::table::{blamed, conclusion, duration, duration_or_dash, table};
use crate::verdict::Verdict;

/// The results of a range of seeds.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Sweep {
    /// The version of this format.
    pub format: u32,
    /// "seeds".
    #[schemars(extend("const" = "seeds"))]
    pub document: &'static str,
    /// The exit status of the command: 1 where `holds` is false, and where it is null although the description has a
    /// deadline or a bound.
    pub exit_status: u8,
    /// The system's name in its description.
    pub system: String,
    /// The board on which the system was described to run.
    pub board: BoardStamp,
    /// The image's GNU build ID, in hexadecimal.
    pub build_id: String,
    /// The number of seeds that were run.
    pub seeds: u64,
    /// The first seed.
    pub first_seed: u64,
    /// The last seed.
    pub last_seed: u64,
    /// Machine time from the epoch to the end, of all runs together.
    #[serde(rename = "machine_time_ns")]
    pub machine_time: u64,
    /// True: responses were judged, and no run missed a deadline, broke a bound or a rule, or ended otherwise
    /// than with code 0. False: one did. Null: nothing was judged.
    pub holds: Option<bool>,
    /// The tasks, in the order of the description.
    pub tasks: Vec<SweepRow>,
    /// The cores that have a budget in [regulation], over all runs: counts are sums, the largest are of all runs. Left out
    /// where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regulation: Vec<RegulationRow>,
    /// The cores that are divided into windows, over all runs; left out where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<FrameRow>,
    /// What the health monitor saw of partitions, by task, over all runs; left out where there was nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub health: Vec<HealthRow>,
    /// The partitions that were restarted or stopped, over all runs; left out where there were none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restarts: Vec<RestartRow>,
    /// The worst of each broken assumption.
    pub broken_assumptions: Vec<BrokenAssumption>,
    /// Calls of services that the kernel refused, of all runs together.
    pub refused_calls: Vec<RefusedCall>,
    /// Refused calls that are not in `refused_calls`, as a core has room for eight kinds only.
    pub refused_calls_dropped: u64,
    /// Seeds whose run missed a deadline, broke a bound or an assumption, or had a call refused that the description
    /// does not allow, ascending.
    pub broken: Vec<u64>,
    /// Runs whose events break a rule of the kernel, with what was found; null: not asked for.
    pub violations: Option<Vec<Violated>>,
    /// Runs that ended with a panic or a code other than 0.
    pub failed: Vec<Failed>,
    /// Sentences that any run had, each with the first seed that had it.
    pub notes: Vec<String>,
}

/// A run that ended with a panic or a code other than 0.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Failed {
    /// The run's seed.
    pub seed: u64,
    /// How the machine ended: "shutdown" or "panic".
    #[schemars(extend("enum" = ["shutdown", "panic"]))]
    pub outcome: &'static str,
    /// The code that the application gave to the shutdown; null after a panic.
    pub code: Option<u32>,
    /// What the kernel said when it panicked; empty after a shutdown.
    pub message: String,
}

/// A run whose events break a rule of the kernel.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Violated {
    /// The run's seed.
    pub seed: u64,
    /// What was found.
    #[serde(flatten)]
    pub checked: Checked,
}

/// A task over all runs: counts are sums, the shortest and longest are of all runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SweepRow {
    /// The figures, as of one run.
    #[serde(flatten)]
    pub all: TaskRow,
    /// The first seed with the longest response.
    pub longest_in_seed: u64,
    /// Runs in which the task missed a deadline or broke its bound.
    pub broken_runs: u64,
}

impl Sweep {
    /// Combines the runs, which are in ascending order of their seeds; None if there is none.
    pub fn new(runs: &[(u64, Report)]) -> Option<Sweep> {
        let (first_seed, first) = runs.first()?;
        let (last_seed, _) = runs.last()?;
        let seeds_of = |bad: fn(&Report) -> bool| {
            let bad = runs.iter().filter(move |(_, report)| bad(report));
            bad.map(|(seed, _)| *seed).collect::<Vec<_>>()
        };
        let broken = seeds_of(Report::breaks);
        let violations = violations(runs);
        let violated = violations.as_ref().is_some_and(|list| !list.is_empty());
        let failed: Vec<Failed> = runs.iter().filter_map(failed).collect();
        let tasks: Vec<_> = (0..first.tasks.len()).map(|it| SweepRow::new(runs, it)).collect();
        let judged = tasks.iter().any(|row| row.all.is_judged());
        let asked = tasks.iter().any(|row| row.all.is_to_be_judged());
        let holds = match broken.is_empty() && failed.is_empty() && !violated {
            true => judged.then_some(true),
            false => Some(false),
        };
        Some(Sweep {
            format: FORMAT,
            document: "seeds",
            exit_status: u8::from(!is_good(holds, asked)),
            system: first.system.clone(),
            board: first.board.clone(),
            build_id: first.build_id.clone(),
            seeds: runs.len() as u64,
            first_seed: *first_seed,
            last_seed: *last_seed,
            machine_time: runs.iter().map(|(_, report)| report.machine_time).sum(),
            holds,
            tasks,
            regulation: regulation_rows(runs),
            frames: frame_rows(runs),
            health: health_rows(runs),
            restarts: restart_rows(runs),
            broken_assumptions: worst(runs),
            refused_calls: refused_calls(runs),
            refused_calls_dropped: runs.iter().map(|(_, run)| run.refused_calls_dropped).sum(),
            broken,
            violations,
            failed,
            notes: notes(runs),
        })
    }

    /// The first seed whose run was not good; None if all were.
    pub fn worst_seed(&self) -> Option<u64> {
        let violated = self.violations.iter().flatten().map(|it| it.seed);
        let failed = self.failed.iter().map(|it| it.seed);
        self.broken.iter().copied().chain(violated).chain(failed).min()
    }
}

impl SweepRow {
    fn new(runs: &[(u64, Report)], index: usize) -> SweepRow {
        let (seed, first) = &runs[0];
        let mut row = SweepRow {
            all: first.tasks[index].clone(),
            longest_in_seed: *seed,
            broken_runs: u64::from(first.tasks[index].breaks()),
        };
        for (seed, report) in &runs[1..] {
            row.add(*seed, &report.tasks[index]);
        }
        row.all.verdict = Verdict::of(&row.all, true);
        row
    }

    fn add(&mut self, seed: u64, run: &TaskRow) {
        let all = &mut self.all;
        let longest = |row: &TaskRow| row.response.as_ref().map(|response| response.max);
        if longest(run) > longest(all) {
            self.longest_in_seed = seed;
        }
        self.broken_runs += u64::from(run.breaks());
        all.response = joined(&*all, run);
        all.execution_max = all.execution_max.max(run.execution_max);
        all.execution_surely = all.execution_surely.max(run.execution_surely);
        all.jobs += run.jobs;
        all.misses += run.misses;
        all.losses += run.losses;
        all.refused += run.refused;
        all.held_back += run.held_back;
        all.held_back_max = all.held_back_max.max(run.held_back_max);
        all.undeclared_waits += run.undeclared_waits;
        all.broke_assumption |= run.broke_assumption;
        all.stuck = match run.is_deadlocked() {
            true => run.stuck,
            false => all.stuck.or(run.stuck),
        };
        all.overruns += run.overruns;
        all.stopped += run.stopped;
        all.stack_used = all.stack_used.max(run.stack_used);
    }
}

/// The regulated cores over all runs.
fn regulation_rows(runs: &[(u64, Report)]) -> Vec<RegulationRow> {
    let mut reports = runs.iter().map(|(_, report)| &report.regulation);
    let mut all = reports.next().cloned().unwrap_or_default();
    for (row, other) in reports.flat_map(|rows| rows.iter().enumerate()) {
        all[row].add(other);
    }
    all
}

/// The cores with frames over all runs.
fn frame_rows(runs: &[(u64, Report)]) -> Vec<FrameRow> {
    let mut reports = runs.iter().map(|(_, report)| &report.frames);
    let mut all = reports.next().cloned().unwrap_or_default();
    for (row, other) in reports.flat_map(|rows| rows.iter().enumerate()) {
        all[row].add(other);
    }
    all
}

/// The errors of partitions over all runs.
fn health_rows(runs: &[(u64, Report)]) -> Vec<HealthRow> {
    let mut all = Vec::new();
    runs.iter().for_each(|(_, report)| HealthRow::add_all(&mut all, &report.health));
    all
}

/// The restarts of partitions over all runs.
fn restart_rows(runs: &[(u64, Report)]) -> Vec<RestartRow> {
    let mut all = Vec::new();
    runs.iter().for_each(|(_, report)| RestartRow::add_all(&mut all, &report.restarts));
    all
}

/// All assumptions that any run broke, each once with its worst measured value.
fn worst(runs: &[(u64, Report)]) -> Vec<BrokenAssumption> {
    let mut all: Vec<BrokenAssumption> = Vec::new();
    for it in runs.iter().flat_map(|(_, report)| &report.broken_assumptions) {
        let same = |other: &&mut BrokenAssumption| {
            (other.kind, &other.by, &other.object) == (it.kind, &it.by, &it.object)
        };
        match all.iter_mut().find(same) {
            Some(other) => other.worsen(it),
            None => all.push(it.clone()),
        }
    }
    all
}

fn refused_calls(runs: &[(u64, Report)]) -> Vec<RefusedCall> {
    let mut all = Vec::new();
    runs.iter().for_each(|(_, run)| refused::add(&mut all, run.refused_calls.iter().cloned()));
    all
}

/// The responses of two rows combined; the mean is weighted by the jobs.
fn joined(a: &TaskRow, b: &TaskRow) -> Option<Response> {
    let (Some(one), Some(other)) = (a.response, b.response) else {
        return a.response.or(b.response);
    };
    let sum = |response: Response, row: &TaskRow| u128::from(response.mean) * u128::from(row.jobs);
    let jobs = u128::from(a.jobs) + u128::from(b.jobs);
    Some(Response {
        min: one.min.min(other.min),
        mean: ((sum(one, a) + sum(other, b)) / jobs.max(1)) as u64,
        max: one.max.max(other.max),
    })
}

fn violations(runs: &[(u64, Report)]) -> Option<Vec<Violated>> {
    let checked = runs.iter().map(|(seed, report)| Some((*seed, report.checked.as_ref()?)));
    let checked: Option<Vec<_>> = checked.collect();
    let bad = checked?.into_iter().filter(|(_, checked)| checked.violation_count > 0);
    Some(bad.map(|(seed, checked)| Violated { seed, checked: checked.clone() }).collect())
}

fn failed((seed, report): &(u64, Report)) -> Option<Failed> {
    let bad = report.panicked() || report.code != Some(0);
    bad.then(|| Failed {
        seed: *seed,
        outcome: report.outcome,
        code: report.code,
        message: report.message.clone(),
    })
}

/// Notes that differ between runs only in their figures are reported once.
fn notes(runs: &[(u64, Report)]) -> Vec<String> {
    let is_name =
        |word: &&str| !word.trim_start_matches('(').starts_with(|c: char| c.is_ascii_digit());
    let without_figures =
        |note: &str| note.split(' ').filter(is_name).collect::<Vec<_>>().join(" ");
    let mut reported: Vec<(String, String)> = Vec::new();
    for (seed, report) in runs {
        for note in &report.notes {
            let key = without_figures(note);
            if !reported.iter().any(|(other, _)| *other == key) {
                reported.push((key, format!("{note} (seed {seed})")));
            }
        }
    }
    reported.into_iter().map(|(_, note)| note).collect()
}

const COLUMNS: [&str; 12] = [
    "task",
    "core",
    "D",
    "bound",
    "min",
    "max",
    "in seed",
    "jobs",
    "broken in",
    "ran",
    "C",
    "verdict",
];
/// The number of failed runs that the text names.
const RUNS_NAMED: usize = 5;

/// Renders the table, the notes below it, and the conclusion over all runs.
pub fn render_sweep(sweep: &Sweep) -> String {
    let mut text = format!("{}\n", table(&COLUMNS, sweep.tasks.iter().map(cells)));
    text += "bound: computed; min, max: measured response over all seeds; in seed: the first with \
             the max; broken in: seeds with a miss or a broken bound; ran: longest execution\n";
    for note in &sweep.notes {
        text += &format!("- {note}\n");
    }
    for Failed { seed, outcome, code, message } in sweep.failed.iter().take(RUNS_NAMED) {
        let how = code.map_or_else(|| message.clone(), |code| format!("code {code}"));
        text += &format!("- seed {seed} ended with {outcome}: {how}\n");
    }
    if let Some(violations) = &sweep.violations {
        text += &violations_text(violations);
    }
    text += &regulation::render(&sweep.regulation);
    text += &frames::render(&sweep.frames);
    text += &health::render(&sweep.health);
    text += &health::render_restarts(&sweep.restarts);
    let rows: Vec<TaskRow> = sweep.tasks.iter().map(|row| row.all.clone()).collect();
    text += &format!(
        "{} on {}: {} seeds, {} of machine time in all; {} broke, {} failed\n",
        sweep.system,
        sweep.board.name,
        sweep.seeds,
        duration(sweep.machine_time),
        sweep.broken.len(),
        sweep.failed.len()
    );
    text + &format!(
        "{}: {}\n",
        sweep.system,
        conclusion(
            &rows,
            &blamed(&sweep.broken_assumptions),
            &sweep.refused_calls,
            sweep.refused_calls_dropped
        )
    )
}

/// The violations in the first seed that has any, and the list of all such seeds.
fn violations_text(violations: &[Violated]) -> String {
    let Some(first) = violations.first() else {
        return "check: no seed breaks a rule of the kernel's\n".to_string();
    };
    let seeds: Vec<_> = violations.iter().map(|it| it.seed.to_string()).collect();
    format!(
        "seed {}: {}broken rules in seeds {}\n",
        first.seed,
        first.checked.lines(),
        seeds.join(", ")
    )
}

fn cells(row: &SweepRow) -> Vec<String> {
    let (all, response) = (&row.all, row.all.response.as_ref());
    vec![
        all.name.clone(),
        all.core.to_string(),
        duration_or_dash(all.deadline),
        duration_or_dash(all.bound),
        duration_or_dash(response.map(|response| response.min)),
        duration_or_dash(response.map(|response| response.max)),
        response.map_or("-".to_string(), |_| row.longest_in_seed.to_string()),
        all.jobs.to_string(),
        row.broken_runs.to_string(),
        duration_or_dash((all.jobs > 0).then_some(all.execution_max)),
        duration_or_dash(all.wcet),
        all.verdict.words().to_string(),
    ]
}
