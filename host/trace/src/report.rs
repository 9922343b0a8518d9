// SPDX-License-Identifier: Apache-2.0
//! The result of a run: what was computed beside what was measured, and what to think of it.

use serde::Serialize;
use takt_model::{Activation, Interrupt, Nanos, System, Task};

use crate::check::Checked;
use crate::notes;
use crate::record::{InterruptFigures, Outcome, Record, TaskFigures};
use crate::verdict::{Timing, Verdict};

/// What the analysis expects of a task.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    pub core: u32,
    pub priority: u8,
    /// None: nothing can be said.
    pub bound: Option<Nanos>,
    /// How much of the bound is the kernel's own time.
    pub kernel: Option<Nanos>,
}

/// Serialises as the JSON of `takt run`, where the keys of durations end in `_ns`.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub system: String,
    pub board: String,
    /// Whether responses may be compared with bounds at all.
    pub timed: bool,
    /// No deadline was missed and no response is above its bound, and no rule of the kernel's was broken,
    /// as far as that was checked; null where nothing follows.
    pub holds: Option<bool>,
    /// What the check of the events found; null: not checked.
    pub checked: Option<Checked>,
    /// Machine time from the epoch to the end.
    #[serde(rename = "machine_time_ns")]
    pub machine_time: u64,
    /// "shutdown" or "panic".
    pub outcome: &'static str,
    pub code: u32,
    /// Of a panic.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    pub tasks: Vec<TaskRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub interrupts: Vec<InterruptRow>,
    pub cores: Vec<CoreRow>,
    /// What the reader must know before trusting the table.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct TaskRow {
    #[serde(rename = "task")]
    pub name: String,
    pub core: u32,
    pub priority: u8,
    #[serde(rename = "wcet_ns")]
    pub wcet: Option<u64>,
    /// The period of a periodic, the separation of a sporadic task.
    #[serde(rename = "period_ns")]
    pub period: Option<u64>,
    #[serde(rename = "deadline_ns")]
    pub deadline: Option<u64>,
    #[serde(rename = "bound_ns")]
    pub bound: Option<u64>,
    /// None: no job was completed.
    pub response: Option<Response>,
    #[serde(rename = "execution_max_ns")]
    pub execution_max: u64,
    /// How much of it may be the kernel's at most: ways into interrupts and out of them.
    #[serde(rename = "execution_margin_ns")]
    pub execution_margin: u64,
    #[serde(rename = "budget_ns")]
    pub budget: Option<u64>,
    pub jobs: u64,
    pub misses: u64,
    pub losses: u64,
    pub refused: u64,
    pub held_back: u64,
    /// The longest time that one of them waited for its separation: its response begins after it.
    #[serde(rename = "held_back_max_ns")]
    pub held_back_max: u64,
    pub undeclared_waits: u64,
    /// Jobs that executed longer than their budget, and those that were ended for it.
    pub overruns: u64,
    pub stopped: u64,
    #[serde(rename = "stack_bytes")]
    pub stack: u64,
    #[serde(rename = "stack_used_bytes")]
    pub stack_used: u64,
    pub verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Response {
    #[serde(rename = "min_ns")]
    pub min: u64,
    #[serde(rename = "mean_ns")]
    pub mean: u64,
    #[serde(rename = "max_ns")]
    pub max: u64,
}

/// An interrupt of a device.
#[derive(Clone, Debug, Serialize)]
pub struct InterruptRow {
    #[serde(rename = "interrupt")]
    pub name: String,
    /// Where it is delivered at the start.
    pub core: u32,
    pub priority: u8,
    #[serde(rename = "wcet_ns")]
    pub wcet: Option<u64>,
    #[serde(rename = "separation_ns")]
    pub separation: Option<u64>,
    pub count: u64,
    /// From the begin of one routine to that of the next.
    #[serde(rename = "distance_min_ns")]
    pub distance_min: Option<u64>,
    #[serde(rename = "execution_max_ns")]
    pub execution_max: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct CoreRow {
    pub core: u32,
    pub hart: u64,
    /// Time without a task to run.
    #[serde(rename = "idle_ns")]
    pub idle: u64,
    pub interrupts: u64,
    pub events_dropped: u64,
    pub console_dropped: u64,
}

/// The record has other tasks or cores than the description.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the record has {found} {what}, the description has {described}; build the image again")]
pub struct Mismatch {
    what: &'static str,
    found: usize,
    described: usize,
}

impl Report {
    /// `expected` in the order of the system's tasks.
    pub fn new(
        system: &System,
        expected: &[Expected],
        record: &Record,
        timing: Timing,
    ) -> Result<Report, Mismatch> {
        matches("tasks", record.tasks.len(), system.tasks.len())?;
        matches("interrupts", record.interrupts.len(), system.interrupts.len())?;
        matches("cores", record.cores.len(), system.cores as usize)?;
        let described = system.tasks.iter().zip(expected);
        let rows = described.zip(&record.tasks).map(|((task, expected), figures)| {
            let margin = execution_margin(system, expected, record);
            TaskRow::new(task, expected, figures, (margin, timing))
        });
        let mut report = Report {
            system: system.name.clone(),
            board: system.board.name.clone(),
            timed: timing == Timing::Timed,
            machine_time: record.head.since_epoch(record.head.end),
            outcome: if record.head.outcome == Outcome::Panic { "panic" } else { "shutdown" },
            code: record.head.code,
            message: record.head.message.clone(),
            tasks: rows.collect(),
            interrupts: interrupt_rows(system, record),
            cores: core_rows(record),
            notes: Vec::new(),
            holds: None,
            checked: None,
        };
        report.holds = report.timed.then(|| !report.tasks.iter().any(TaskRow::breaks));
        report.notes = notes::of(&report);
        Ok(report)
    }

    /// Adds what the check of the run's events found: a violation makes a run that does not hold.
    pub fn check(&mut self, checked: Checked) {
        if checked.violation_count > 0 {
            self.holds = Some(false);
        }
        self.checked = Some(checked);
    }
}

impl TaskRow {
    fn new(
        task: &Task,
        expected: &Expected,
        figures: &TaskFigures,
        (execution_margin, timing): (u64, Timing),
    ) -> TaskRow {
        let nanos = |duration: Option<Nanos>| duration.map(|Nanos(nanos)| nanos);
        let mut row = TaskRow {
            name: task.name.clone(),
            core: expected.core,
            priority: expected.priority,
            wcet: nanos(task.wcet),
            period: nanos(period(task)),
            deadline: nanos(task.deadline),
            bound: nanos(expected.bound),
            response: response(figures),
            execution_max: figures.execution_max,
            execution_margin,
            budget: task.budget.as_ref().map(|budget| budget.time.0),
            jobs: figures.jobs,
            misses: figures.misses,
            losses: figures.losses,
            refused: figures.refused,
            held_back: figures.held_back,
            held_back_max: figures.held_back_max,
            undeclared_waits: figures.undeclared_waits,
            overruns: figures.overruns,
            stopped: figures.stopped,
            stack: task.stack.0,
            stack_used: figures.stack_used,
            verdict: Verdict::NotTimed,
        };
        row.verdict = Verdict::of(&row, timing);
        row
    }

    /// Whether a deadline was missed, or a response is above its bound whatever the reason.
    pub fn breaks(&self) -> bool {
        let longest = self.response.as_ref().map(|response| response.max);
        self.misses > 0 || self.bound.zip(longest).is_some_and(|(bound, longest)| longest > bound)
    }

    /// Whether a job has surely executed longer than its wcet: by more than what may be the kernel's
    /// in the measured execution. One that has overrun its budget has surely executed longer than that.
    pub fn executed_too_long(&self) -> bool {
        let Some(wcet) = self.wcet else { return false };
        let overran = self.overruns > 0 && self.budget.is_some_and(|budget| budget >= wcet);
        overran || self.execution_max > wcet.saturating_add(self.execution_margin)
    }

    /// Whether a job may have done so.
    pub fn may_have_executed_too_long(&self) -> bool {
        self.wcet.is_some_and(|wcet| self.execution_max > wcet)
    }
}

/// How much of a job's measured execution may be the kernel's. Where the job has a bound, no more
/// than what the kernel has of that; else no more than if all interrupts of its core had come to it.
fn execution_margin(system: &System, expected: &Expected, record: &Record) -> u64 {
    let overheads = &system.board.overheads;
    let core = record.cores.get(expected.core as usize);
    let interrupts = core.map_or(0, |core| core.interrupts);
    let all = overheads.interruption_margin().0.saturating_mul(interrupts);
    expected.kernel.map_or(all.saturating_add(overheads.dispatch_margin().0), |kernel| kernel.0)
}

fn matches(what: &'static str, found: usize, described: usize) -> Result<(), Mismatch> {
    if found == described { Ok(()) } else { Err(Mismatch { what, found, described }) }
}

fn period(task: &Task) -> Option<Nanos> {
    match task.activation {
        Activation::Periodic { period, .. } => Some(period),
        Activation::Sporadic { separation } => Some(separation),
        Activation::Aperiodic => None,
    }
}

fn response(figures: &TaskFigures) -> Option<Response> {
    let mean = figures.response_sum.checked_div(figures.jobs)?;
    Some(Response { min: figures.response_min, mean, max: figures.response_max })
}

fn interrupt_rows(system: &System, record: &Record) -> Vec<InterruptRow> {
    let row = |(it, figures): (&Interrupt, &InterruptFigures)| InterruptRow {
        name: it.name.clone(),
        core: it.core,
        priority: it.priority,
        wcet: it.wcet.map(|time| time.0),
        separation: it.separation.map(|time| time.0),
        count: figures.count,
        distance_min: (figures.count > 1).then_some(figures.distance_min),
        execution_max: figures.execution_max,
    };
    system.interrupts.iter().zip(&record.interrupts).map(row).collect()
}

fn core_rows(record: &Record) -> Vec<CoreRow> {
    let rows = record.cores.iter().zip(0..).map(|(core, number)| CoreRow {
        core: number,
        hart: core.hart,
        idle: record.head.nanos(core.idle),
        interrupts: core.interrupts,
        events_dropped: core.events_dropped,
        console_dropped: core.console_dropped,
    });
    rows.collect()
}
