// SPDX-License-Identifier: Apache-2.0
//! `takt check`: does every task meet its deadline, and if not, who is to blame?

use std::path::PathBuf;

use clap::Args;
use takt_analysis::{Analysis, Row, Verdict};
use takt_model::{Nanos, OverheadSource, Overheads, System};

use super::Format;
use crate::calibrate::stamp;
use crate::failure::Failure;
use crate::output;
use crate::plan::Plan;

/// Bound the response time of every task, and compare it with its deadline
///
/// C is the longest execution, T the period or separation, D the deadline. The bound holds for
/// every phasing of the tasks and includes what the kernel itself costs, from the overheads of
/// the board. Exit status 1 when a deadline can be missed or nothing is known of it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  takt check examples/rosace/system.toml
  takt check system.toml --format json | jq '.tasks[] | select(.verdict != \"meets\")'")]
pub struct Arguments {
    /// The description, a TOML file
    system: PathBuf,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub fn execute(arguments: Arguments) -> Result<u8, Failure> {
    let plan = Plan::read(&arguments.system)?;
    match arguments.format {
        Format::Json => output::print_json(&plan.analysis),
        Format::Table => output::print(&text(&plan.system, &plan.analysis)),
    }
    if let Some(complaint) = stamp::complaint(&plan.system.board)? {
        eprintln!("warning: {complaint}");
    }
    Ok(u8::from(!plan.analysis.holds()))
}

const COLUMNS: [&str; 9] = ["task", "core", "priority", "C", "T", "D", "bound", "slack", "verdict"];

pub fn text(system: &System, analysis: &Analysis) -> String {
    let rows = analysis.rows.iter();
    let mut text = takt_trace::table(&COLUMNS, rows.clone().map(cells)) + "\n";
    for line in rows.filter_map(|row| explain(row, analysis)) {
        text += &format!("- {line}\n");
    }
    text += &format!("{}\n", origin(system));
    text + &format!("{}: {}\n", system.name, conclusion(analysis))
}

fn cells(row: &Row) -> Vec<String> {
    let time = |time: Option<Nanos>| time.map_or("-".to_string(), |time| time.to_string());
    let verdict = match &row.verdict {
        Verdict::Meets { .. } => "meets".to_string(),
        Verdict::Breaks { by, .. } => format!("breaks by {by}"),
        Verdict::Unknown { .. } => "unknown".to_string(),
    };
    vec![
        row.name.clone(),
        row.core.to_string(),
        row.priority.to_string(),
        time(row.wcet),
        time(row.period),
        time(row.deadline),
        time(row.bound()),
        time(row.slack()),
        verdict,
    ]
}

/// What must be said of a task that is not known to meet its deadline.
fn explain(row: &Row, analysis: &Analysis) -> Option<String> {
    match &row.verdict {
        Verdict::Meets { .. } => None,
        Verdict::Unknown { why } => Some(format!("task {} has no bound: {why}", row.name)),
        Verdict::Breaks { bound, by, culprit } => {
            let least = if bound.is_none() { "at least " } else { "" };
            let name = &row.name;
            Some(format!(
                "task {name} can miss its deadline by {least}{by}; {}",
                blame(row, *culprit, analysis)
            ))
        }
    }
}

/// Who takes the time: the task's own execution, and of the others the one that takes most.
fn blame(row: &Row, culprit: usize, analysis: &Analysis) -> String {
    let Some(breakdown) = &row.breakdown else { return "nobody is to blame".to_string() };
    let own = breakdown.execution;
    let most = breakdown.interference.iter().find(|part| part.task == culprit);
    match most {
        None => format!("{own} of its response is its own execution, and no other task hurts it"),
        Some(part) => format!(
            "task {} hurts it most, with {} of its response; {own} is its own execution",
            analysis.rows[culprit].name, part.time
        ),
    }
}

/// Where the overheads come from, and what they are.
fn origin(system: &System) -> String {
    let Overheads { timer_interrupt, ipi, release, dispatch, preemption, kernel_section, .. } =
        &system.board.overheads;
    format!(
        "overheads of board {}, {}: timer interrupt {timer_interrupt}, ipi {ipi}, release {release}, \
         dispatch {dispatch}, preemption {preemption}, kernel section {kernel_section}",
        system.board.name,
        source(system.board.overheads.source),
    )
}

fn source(source: OverheadSource) -> &'static str {
    match source {
        OverheadSource::Assumed => "assumed",
        OverheadSource::Measured => "measured",
        OverheadSource::Published => "published",
    }
}

fn conclusion(analysis: &Analysis) -> String {
    let deadlines = analysis.rows.iter().filter(|row| row.deadline.is_some()).count();
    let met = analysis.rows.iter().filter(|row| row.deadline.is_some() && row.meets()).count();
    match (analysis.holds(), analysis.proved()) {
        (true, true) => format!(
            "proved: every deadline is met ({deadlines} tasks), with {} overheads",
            source(analysis.overheads)
        ),
        (true, false) => format!(
            "every deadline is met ({deadlines} tasks) if the overheads are as assumed, which \
             nobody has measured"
        ),
        _ => format!("{met} of {deadlines} deadlines are met"),
    }
}
