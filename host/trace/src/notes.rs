// SPDX-License-Identifier: Apache-2.0
//! The sentences below the table: what the reader must know before trusting the figures.

use std::collections::HashMap;

use crate::perfetto::Summary;
use crate::report::{Report, TaskRow};
use crate::table::duration;
use crate::unfinished::{self, JobState, Unfinished};
use crate::verdict::ENOUGH_JOBS;

pub fn of(report: &Report) -> Vec<String> {
    let mut notes = Vec::new();
    if !report.timed {
        notes.push(
            "not timed: this machine's clock does not follow a real core's, so its responses \
             neither confirm nor break a bound"
                .to_string(),
        );
    }
    let but = if report.timed { "" } else { ", but not timed" };
    let broken = report.broken_assumptions.iter();
    notes.extend(broken.map(|it| format!("assumption broken: {it}{but}")));
    notes.extend(refused(report));
    for row in &report.tasks {
        notes.extend(doubts(row, report));
        notes.extend(overruns(row));
        notes.extend(activations(row));
    }
    notes.extend(unfinished::deadlocks(&report.unfinished));
    notes.extend(stuck_jobs(report));
    notes.extend(few_jobs(report));
    notes.extend(drops(report));
    notes
}

fn refused(report: &Report) -> Vec<String> {
    let mut notes: Vec<_> = report.refused_calls.iter().map(|it| it.to_string()).collect();
    if report.refused_calls_dropped > 0 {
        let dropped = count(report.refused_calls_dropped, "more call");
        notes.push(format!("{dropped} refused, of further kinds: a core has room for eight"));
    }
    notes
}

/// Names the tasks that may have executed too long where something was late, although that is not
/// certain.
fn doubts(row: &TaskRow, report: &Report) -> Option<String> {
    let late = report.tasks.iter().any(TaskRow::breaks);
    let doubt = late && row.may_have_executed_too_long() && !row.executed_too_long();
    let wcet = row.wcet.filter(|_| doubt)?;
    Some(format!(
        "task {} may have run longer than its wcet of {}: {} were measured, of which {} are surely its own",
        row.name,
        duration(wcet),
        duration(row.execution_max),
        duration(row.execution_surely)
    ))
}

fn activations(row: &TaskRow) -> Vec<String> {
    let held_back = format!(
        "held back, by {} at most: they came earlier than its separation allows",
        duration(row.held_back_max)
    );
    let kinds =
        [(row.refused, "refused: its queue was full".to_string()), (row.held_back, held_back)];
    let seen = kinds.into_iter().filter(|(number, _)| *number > 0);
    seen.map(|(number, what)| format!("task {}: {} {what}", row.name, count(number, "activation")))
        .collect()
}

fn overruns(row: &TaskRow) -> Option<String> {
    let end = match row.stopped {
        0 => "",
        1 => ", one was stopped for it",
        stopped => return Some(format!("{}, {stopped} were stopped for it", overran(row))),
    };
    (row.overruns > 0).then(|| format!("{}{end}", overran(row)))
}

fn overran(row: &TaskRow) -> String {
    format!("task {}: {} ran longer than the budget", row.name, count(row.overruns, "job"))
}

/// The number of unfinished jobs that the text names; JSON has all.
const NAMED_JOBS: usize = 10;

/// The jobs that will not finish in a longer run. A task that serves others waits at the end of
/// every run, so nothing is said about a task that has completed enough jobs, has met its deadlines
/// and is in no deadlock.
fn stuck_jobs(report: &Report) -> Vec<String> {
    let rows = report.tasks.iter().map(|row| (row.name.as_str(), row)).collect::<HashMap<_, _>>();
    let is_shown = |it: &&Unfinished| {
        let row = rows.get(it.task.as_str());
        row.is_some_and(|row| is_stuck(row) || row.stuck.is_some() && row.misses > 0)
    };
    let shown: Vec<_> = report.unfinished.iter().filter(is_shown).collect();
    let named = shown.iter().take(NAMED_JOBS);
    let mut notes: Vec<_> = named.map(|it| format!("at the end: {}", it.words())).collect();
    match shown.len().saturating_sub(NAMED_JOBS) {
        0 => {}
        1 => notes.push("at the end: 1 other task is not finished (--format json)".into()),
        more => {
            notes.push(format!("at the end: {more} other tasks are not finished (--format json)"))
        }
    }
    notes
}

/// Whether a longer run would show no more of the task.
fn is_stuck(row: &TaskRow) -> bool {
    row.is_deadlocked() || row.stuck.is_some() && row.jobs < ENOUGH_JOBS
}

/// The tasks of which a longer run would show more. A task without a bound and a deadline is not
/// judged, so it is not among them.
fn few_jobs(report: &Report) -> Option<String> {
    let ended = |row: &TaskRow| {
        let mut own = report.unfinished.iter().filter(|it| it.task == row.name);
        own.any(|it| it.state == JobState::Ending)
    };
    let few = report.tasks.iter().filter(|row| row.is_to_be_judged() && row.jobs < ENOUGH_JOBS);
    let few = few.filter(|row| !is_stuck(row) && !ended(row));
    let few: Vec<_> = few.map(|row| format!("{} ({})", row.name, count(row.jobs, "job"))).collect();
    (!few.is_empty()).then(|| {
        format!(
            "not enough jobs for a verdict, it needs {ENOUGH_JOBS} of a task: {}; run longer",
            listed(&few)
        )
    })
}

/// The first three names, and the number of the others.
pub fn listed<T: AsRef<str>>(names: &[T]) -> String {
    const NAMED: usize = 3;
    let joined = |names: &[T]| names.iter().map(T::as_ref).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 | 1 => joined(names),
        others => format!("{} and {others} others", joined(&names[..NAMED])),
    }
}

fn drops(report: &Report) -> Vec<String> {
    let console: u64 = report.cores.iter().map(|core| core.console_dropped).sum();
    let mut notes = Vec::new();
    if console > 0 {
        let cause = "its rings were full (kernel.console in the description)";
        notes.push(format!("the console lost {}: {cause}", count(console, "byte")));
    }
    notes.extend(overwritten(report));
    notes
}

fn overwritten(report: &Report) -> Option<String> {
    let events: u64 = report.cores.iter().map(|core| core.events_dropped).sum();
    let cause = "the rings keep the last ones (kernel.events in the description)";
    (events > 0).then(|| format!("{} overwritten: {cause}", count(events, "event")))
}

impl Report {
    /// Adds the sentence that names the trace's file and the number of its events; it replaces the
    /// one about the rings.
    pub fn traced(&mut self, file: &str, trace: &Summary) {
        let rings = overwritten(self);
        self.notes.retain(|note| Some(note) != rings.as_ref());
        self.notes.push(format!("the trace in {file} has {trace}"));
    }
}

fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
