// SPDX-License-Identifier: Apache-2.0
//! Implements `takt check`: does every task meet its deadline, and if not, why not?

use std::path::{Path, PathBuf};

use clap::Args;
use takt_analysis::{
    Analysis, Breakdown, CheckDocument, Doubt, IoDocument, Row, StageRow, Traffic, Verdict, explain,
};
use takt_model::{Board, Nanos, Overheads, System, Word};

use super::Format;
use crate::analysed_system::AnalysedSystem;
use crate::build;
use crate::failure::Failure;
use crate::home;
use crate::output;

/// Bound the response time of every task, and compare it with its deadline
///
/// C is the longest execution, T the period or separation, D the deadline. The bound holds
/// wherever tasks without offsets are released, and includes what the kernel itself costs, from the
/// overheads of the board. Exit status 1 when a deadline can be missed or nothing is known of it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  takt check examples/rosace/system.toml
  takt check system.toml --explain control       the parts of one task's bound
  takt check system.toml --format json | jq '.tasks[] | select(.verdict != \"meets\")'")]
pub struct Arguments {
    /// The description, a TOML file
    system: PathBuf,
    /// Print the parts of this task's bound instead of the table, the largest first
    #[arg(long, value_name = "TASK", conflicts_with = "format")]
    explain: Option<String>,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// The compiler of the image for which the bounds must hold
    #[command(flatten)]
    compiler: build::Choice,
}

pub fn execute(arguments: Arguments) -> Result<u8, Failure> {
    let mut analysed = AnalysedSystem::read_to_check(&arguments.system)?;
    if analysed.analysis.has_neighbours() {
        let image = build::current_image(&analysed, arguments.compiler.compiler());
        analysed.look_at(image.as_deref())?;
    }
    // Only the kernel that GCC compiles without these options has been measured.
    arguments.compiler.given().into_iter().for_each(|option| analysed.analysis.built_with(option));
    match arguments.format {
        Format::Json => {
            let (system, analysis) = (&analysed.system, &analysed.analysis);
            let document = CheckDocument::new(system, analysis);
            let io = analysed.io.as_ref().map(|found| IoDocument::new(system, analysis, found));
            output::print_json(&match io {
                Some(io) => document.with_io(io),
                None => document,
            });
        }
        Format::Table => match &arguments.explain {
            Some(name) => output::print(&parts(&analysed.system, named(&analysed.analysis, name)?)),
            None => output::print(&text(&analysed)),
        },
    }
    let is_placed = !matches!(analysed.io, Some(Err(_)));
    Ok(u8::from(!(analysed.analysis.holds() && is_placed)))
}

/// The row of the task with this name.
fn named<'a>(analysis: &'a Analysis, name: &str) -> Result<&'a Row, Failure> {
    analysis.rows.iter().find(|row| row.name == name).ok_or_else(|| {
        let names: Vec<_> = analysis.rows.iter().map(|row| row.name.as_str()).collect();
        let help = format!("the tasks are {}", names.join(", "));
        Failure::input(format!("there is no task `{name}`"), help)
    })
}

pub fn text(analysed: &AnalysedSystem) -> String {
    let (system, analysis) = (&analysed.system, &analysed.analysis);
    let bound = if analysis.proved() { "proved bound" } else { "computed bound" };
    let columns = ["task", "core", "priority", "C", "T", "D", bound, "slack", "verdict"];
    let rows = analysis.rows.iter();
    let mut text = takt_trace::table(&columns, rows.clone().map(cells)) + "\n";
    for line in rows.filter_map(|row| explain(system, row)) {
        text += &format!("- {line}\n");
    }
    text += &crate::graph_table::text(system, &analysed.assignments);
    if let Some(traffic) = takt_analysis::traffic(system, &analysed.assignments) {
        text += &format!("budgets of memory traffic: {}\n", traffic_words(&traffic));
    }
    if let Some(found) = &analysed.io {
        text += &crate::io_table::text(system, analysis, found);
    }
    text += &format!("{}\n", origin(analysed));
    text + &format!("{}: {}\n", system.name, conclusion(analysed))
}

fn cells(row: &Row) -> Vec<String> {
    let time = |time: Option<Nanos>| time.map_or("-".to_string(), |time| time.to_string());
    let verdict = match &row.verdict {
        Verdict::Meets { .. } if row.deadline.is_none() => "bounded".to_string(),
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

/// All parts of a task's response, the largest first.
fn parts(system: &System, row: &Row) -> String {
    let Some(breakdown) = &row.breakdown else {
        let why = explain(system, row).unwrap_or_default();
        return format!("{why}\n");
    };
    let line = |time: Nanos, words: String| vec![time.to_string(), words];
    let mut rows: Vec<_> =
        breakdown.parts.iter().map(|part| line(part.time, part.term.words(system))).collect();
    let deductions = [
        (breakdown.lead, "before the job is ready"),
        (breakdown.unfinished, "not done at the end of the window"),
    ];
    for (time, words) in deductions.into_iter().filter(|(time, _)| time.0 > 0) {
        rows.push(vec![format!("-{time}"), format!("less: {words}")]);
    }
    let name = &row.name;
    let sum = match row.bound() {
        Some(_) => format!("together: the bound of task {name}"),
        None => format!("together: task {name} can respond so late, and no limit is known"),
    };
    rows.push(line(breakdown.response(), sum));
    let table = takt_trace::table(&["time", "part"], rows.into_iter());
    format!("{table}\n{}{}", beside(row, breakdown), stages(row))
}

/// The WCET of a job alone, and beside the other cores of the system.
fn beside(row: &Row, breakdown: &Breakdown) -> String {
    let Some(((cores, wcet), alone)) = breakdown.beside.zip(row.wcet) else { return String::new() };
    format!(
        "one job of it: WCET(1) = {alone}, alone; WCET({cores}) = {wcet}, on {cores} cores that keep their budgets\n"
    )
}

/// The stages of a task that forks, by the thread that may end last.
fn stages(row: &Row) -> String {
    if row.stages.is_empty() {
        return String::new();
    }
    let cells = |it: &StageRow| {
        let what = if it.is_serial { "alone" } else { "in the region" };
        let times = [it.begins, it.passed_on, it.response, it.ends].map(|time| time.to_string());
        let [begins, passed_on, response, ends] = times;
        let (stage, core) = (it.stage.to_string(), it.core.to_string());
        vec![stage, what.to_string(), core, begins, passed_on, response, ends]
    };
    let columns = ["stage", "", "core", "begins", "fork passed on", "response", "ends"];
    let table = takt_trace::table(&columns, row.stages.iter().map(cells));
    format!(
        "\nstages, by the thread that may end last; times after the release of the job:\n{table}\n"
    )
}

/// Whether the memory can serve what all budgets together allow.
fn traffic_words(traffic: &Traffic) -> String {
    let Traffic { lines, needed, available, without_budget } = traffic;
    let sum =
        format!("{lines} lines a period, which take the memory {needed} of {available} at most");
    let verdict = match without_budget.as_slice() {
        [] if traffic.fits() => "it can serve all of them".to_string(),
        [] => "it may not serve all of them; lower budgets or lengthen the period".to_string(),
        [core] => format!("core {core} has no budget, and can delay all others"),
        cores => {
            let cores: Vec<_> = cores.iter().map(u32::to_string).collect();
            format!("cores {} have no budget, and can delay all others", cores.join(", "))
        }
    };
    format!("{sum}: {verdict}")
}

/// One line with the overheads and their origin. No core interrupts a resident one unless tasks activate those of other cores.
fn origin(analysed: &AnalysedSystem) -> String {
    let (overheads, _) = analysed.overheads();
    let Overheads { timer_interrupt, ipi, release, dispatch, preemption, kernel_section, .. } =
        overheads;
    let load = takt_analysis::load(overheads);
    let load = if load.is_empty() { load } else { format!(" ({load})") };
    let is_asked = analysed.residency().is_none_or(|it| it.asks_others());
    let ipi = if is_asked { format!("ipi {ipi}, ") } else { String::new() };
    format!(
        "overheads of board {}, {}{load}: timer interrupt {timer_interrupt}, {ipi}release {release}, \
         dispatch {dispatch}, preemption {preemption}, kernel section {kernel_section}",
        analysed.system.board.name,
        overheads.source.word(),
    )
}

fn conclusion(analysed: &AnalysedSystem) -> String {
    let analysis = &analysed.analysis;
    let deadlines = analysis.rows.iter().filter(|row| row.deadline.is_some()).count();
    let met = analysis.rows.iter().filter(|row| row.deadline.is_some() && row.meets()).count();
    match analysis.word() {
        None => format!("{met} of {deadlines} deadlines are met"),
        Some(word) => {
            let tasks = if deadlines == 1 { "1 task".into() } else { format!("{deadlines} tasks") };
            format!("{word}: every deadline is met ({tasks}){}", reservation(analysed))
        }
    }
}

/// What the word `proved` rests on, or why the bounds are not proved and what to do about it.
fn reservation(analysed: &AnalysedSystem) -> String {
    let doubts = &analysed.analysis.doubts;
    if doubts.is_empty() {
        let load = takt_analysis::load(analysed.overheads().0);
        let text = format!(", with overheads measured on this board with this kernel, {load}");
        return text + &resident_cores(analysed);
    }
    let (cured, others): (Vec<_>, Vec<_>) =
        doubts.iter().partition(|doubt| doubt.is_cured_by_calibration());
    let mut reasons: Vec<_> = cured.into_iter().map(Doubt::to_string).collect();
    if let Some(last) = reasons.last_mut() {
        *last += &calibration(&analysed.home, &analysed.system.board);
    }
    reasons.extend(others.into_iter().map(Doubt::to_string));
    format!("; not proved: {}", reasons.join("; "))
}

/// What the word `proved` says of cores whose caches keep all that they touch, and what it leaves to the declared times.
fn resident_cores(analysed: &AnalysedSystem) -> String {
    let system = &analysed.system;
    let Some(residency) = analysed.residency() else { return String::new() };
    let (Some(worst), Some(timing)) = (residency.worst(system), &system.board.timing) else {
        return String::new();
    };
    let all = match residency.within_caches {
        true => {
            ", all of them, and the homes' caches have room for that, so that nothing goes to memory"
        }
        false => "",
    };
    let nanos = u128::from(worst.any) * 1_000_000_000 / u128::from(timing.frequency);
    let longest = Nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
    let times = if analysed.asks_within_cores() { "`wcet` and `hold`" } else { "`wcet`" };
    let calls = match residency.asks_others() {
        true => {
            "; tasks activate tasks of other cores: a caller's `wcet` has to hold the call, with its wait for the task's lock"
        }
        false => "",
    };
    format!(
        "; the image's cores keep all that they touch in their own caches{all}; each {times} has to hold the task's own accesses to what \
         other cores use, one after the other until they are performed: {longest} each at most{calls}"
    )
}

/// The command that measures the board: one of Polytakt's boards is named, another is given by its
/// file.
fn calibration(home: &Path, board: &Board) -> String {
    if board.timing.is_none() {
        return String::new();
    }
    let of_polytakt = |folder: &PathBuf| board.file.starts_with(folder);
    let board = match home::boards(home).iter().any(of_polytakt) {
        true => board.name.clone(),
        false => board.file.display().to_string(),
    };
    format!(" (to measure: takt calibrate {board})")
}
