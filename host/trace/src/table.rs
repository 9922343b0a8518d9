// SPDX-License-Identifier: Apache-2.0
//! Renders the report as text for people.

use comfy_table::{CellAlignment, Table, presets};

use crate::assumptions::BrokenAssumption;
use crate::dataflow::DataflowRow;
use crate::frames;
use crate::health;
use crate::notes::listed;
use crate::refused::{RefusedCall, callers};
use crate::regulation;
use crate::report::{Report, TaskRow};
use crate::verdict::Verdict;

const COLUMNS: [&str; 13] = [
    "task", "core", "D", "bound", "min", "mean", "max", "jobs", "missed", "lost", "ran", "C",
    "verdict",
];

/// Renders the table, the notes below it, and how the run ended.
pub fn render(report: &Report) -> String {
    let mut text = format!("{}\n", table(&COLUMNS, report.tasks.iter().map(cells)));
    text += "bound: computed; min, mean, max: measured response; ran: longest execution\n";
    for note in &report.notes {
        text += &format!("- {note}\n");
    }
    if let Some(row) = &report.dataflow {
        text += &row.lines();
    }
    text += &regulation::render(&report.regulation);
    text += &frames::render(&report.frames);
    text += &health::render(&report.health);
    text += &health::render_restarts(&report.restarts);
    let end = match report.code {
        None => format!("panic: {}", report.message),
        Some(code) => format!("shutdown with code {code}"),
    };
    text += &format!(
        "{} on {}: {} of machine time, {end}\n",
        report.system,
        report.board.name,
        duration(report.machine_time)
    );
    match report.timed {
        true if report.dataflow.as_ref().is_some_and(DataflowRow::breaks) => {
            text + &format!(
                "{}: no: the graph was not executed as it is described\n",
                report.system
            )
        }
        true => {
            text + &format!(
                "{}: {}\n",
                report.system,
                conclusion(
                    &report.tasks,
                    &blamed(&report.broken_assumptions),
                    &report.refused_calls,
                    report.refused_calls_dropped
                )
            )
        }
        false => text,
    }
}

/// The parties that broke an assumption, each once.
pub fn blamed(broken: &[BrokenAssumption]) -> Vec<String> {
    let mut names: Vec<_> = broken.iter().map(|it| it.by.to_string()).collect();
    names.sort();
    names.dedup();
    names
}

/// The conclusion of a timed run over all tasks, including refused calls. `blamed` are the parties
/// that broke an assumption, because of which no bound holds. `unlisted` is the number of refused
/// calls without an entry.
pub fn conclusion(
    rows: &[TaskRow],
    blamed: &[String],
    refused: &[RefusedCall],
    unlisted: u64,
) -> String {
    let judged = rows.iter().any(TaskRow::is_to_be_judged);
    let undeclared = callers(refused.iter().filter(|it| judged && it.is_undeclared()));
    let of_rows = conclusion_of_rows(rows, blamed);
    if !undeclared.is_empty() && !of_rows.starts_with("no: ") {
        return format!(
            "no: calls that the description does not allow were refused to {}",
            listed(&undeclared)
        );
    }
    if judged && unlisted > 0 && !of_rows.starts_with("no: ") {
        return format!(
            "no: {unlisted} refused calls are not listed, and undeclared ones may be among them"
        );
    }
    match callers(refused.iter()) {
        callers if callers.is_empty() => of_rows,
        callers => format!("{of_rows}; but calls were refused to {}", listed(&callers)),
    }
}

fn conclusion_of_rows(rows: &[TaskRow], blamed: &[String]) -> String {
    let named =
        |rows: &[&TaskRow]| listed(&rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>());
    let of = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let broken: Vec<&TaskRow> = rows.iter().filter(|row| row.is_late()).collect();
    let deadlocked: Vec<&TaskRow> = rows.iter().filter(|row| row.is_deadlocked()).collect();
    if !blamed.is_empty() {
        let late = match broken.is_empty() {
            true => String::new(),
            false => format!("; so no bound held of {}", named(&broken)),
        };
        return format!("no: an assumption was broken by {}{late}", listed(blamed));
    }
    if !deadlocked.is_empty() {
        return format!("no: a deadlock of {}", named(&deadlocked));
    }
    if !broken.is_empty() {
        return format!("no: a deadline was missed or a bound broken by {}", named(&broken));
    }
    if !rows.iter().any(TaskRow::is_judged) {
        return match rows.iter().any(TaskRow::is_to_be_judged) {
            true => "no: nothing was judged, as no task with a bound or a deadline has completed enough jobs".into(),
            false => "nothing is to be judged: the description has no deadline, and no bound follows from it".into(),
        };
    }
    match of(Verdict::Held) {
        held if held == rows.len() => {
            format!("every response is within its bound ({held} tasks)")
        }
        held => format!(
            "no deadline was missed and no bound broken; {held} of {} tasks held their bounds",
            rows.len()
        ),
    }
}

/// Renders a plain table: a header, a line, one line for each row. The first and the last column
/// are aligned to the left, the others to the right.
pub fn table(header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(header.iter().copied());
    table.set_style(comfy_table::TableComponent::HeaderLines, '-');
    table.set_style(comfy_table::TableComponent::MiddleHeaderIntersections, '-');
    table.add_rows(rows);
    let last = header.len() - 1;
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if index == 0 { 0 } else { 1 }, 1));
        if index != 0 && index != last {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let lines = table.lines();
    lines.map(|line| line.trim_end().to_string()).collect::<Vec<_>>().join("\n")
}

/// A duration with at most three decimals, in the unit that keeps it short.
pub fn duration(nanos: u64) -> String {
    let (unit, size) = match nanos {
        0..1_000 => ("ns", 1),
        1_000..1_000_000 => ("us", 1_000),
        1_000_000..1_000_000_000 => ("ms", 1_000_000),
        _ => ("s", 1_000_000_000),
    };
    let decimals = nanos % size * 1000 / size;
    let text = format!("{}.{decimals:03}", nanos / size);
    format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A duration, or a dash if it is unknown.
pub fn duration_or_dash(nanos: Option<u64>) -> String {
    nanos.map_or("-".to_string(), duration)
}

fn cells(row: &TaskRow) -> Vec<String> {
    let response = row.response.as_ref();
    vec![
        row.name.clone(),
        row.core.to_string(),
        duration_or_dash(row.deadline),
        duration_or_dash(row.bound),
        duration_or_dash(response.map(|response| response.min)),
        duration_or_dash(response.map(|response| response.mean)),
        duration_or_dash(response.map(|response| response.max)),
        row.jobs.to_string(),
        row.misses.to_string(),
        row.losses.to_string(),
        duration_or_dash((row.jobs > 0).then_some(row.execution_max)),
        duration_or_dash(row.wcet),
        row.verdict.words().to_string(),
    ]
}
