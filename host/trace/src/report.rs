// SPDX-License-Identifier: Apache-2.0
//! The result of a run: the computed and the measured figures, and the verdicts.

use schemars::JsonSchema;
use serde::Serialize;
use takt_model::{Activation, BoardStamp, FORMAT, Interrupt, Nanos, System, Task};
use takt_record::{InterruptFigures, Outcome, Record, TaskFigures};

use crate::assumptions::{self, BrokenAssumption};
use crate::check::Checked;
use crate::dataflow::DataflowRow;
use crate::frames::FrameRow;
use crate::health::{HealthRow, RestartRow};
use crate::notes;
use crate::refused::{self, RefusedCall};
use crate::regulation::RegulationRow;
use crate::unfinished::{self, Locate, Unfinished};
use crate::verdict::{ENOUGH_JOBS, Stuck, Timing, Verdict};

/// What the analysis expects of a task.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    pub core: u32,
    pub priority: u8,
    /// The bound on the response; None if there is none.
    pub bound: Option<Nanos>,
}

/// The result of one run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Report {
    /// The version of this format.
    pub format: u32,
    /// "run".
    #[schemars(extend("const" = "run"))]
    pub document: &'static str,
    /// The exit status of the command: the application's code if that is not 0, else 1 where `holds` is false, and
    /// where it is null although the run is timed and the description has a deadline or a bound.
    pub exit_status: u8,
    /// The system's name in its description.
    pub system: String,
    /// The board on which the system was described to run.
    pub board: BoardStamp,
    /// The image's GNU build ID, in hexadecimal.
    pub build_id: String,
    /// The variation of the run; null on QEMU.
    pub variation: Option<Variation>,
    /// Whether the machine's clock follows the board's timing, so that responses may be compared with
    /// bounds. False on QEMU.
    pub timed: bool,
    /// True: responses were judged, and no deadline was missed, no response is above its bound, and no
    /// rule of the kernel is known to be broken. False: one was, tasks wait for each other for ever, a call was
    /// refused that the description does not allow (TAKT_E_ILUSE), or the kernel panicked. Null: nothing was
    /// judged, because the run is not timed, or no task with a bound or a deadline completed enough jobs.
    pub holds: Option<bool>,
    /// What the dataflow graph took; left out where there is none, or where it was not executed to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dataflow: Option<DataflowRow>,
    /// What `--check` found in the kernel's events; null: not asked for.
    pub checked: Option<Checked>,
    /// Machine time from the epoch to the end.
    #[serde(rename = "machine_time_ns")]
    pub machine_time: u64,
    /// How the machine ended: "shutdown" or "panic".
    #[schemars(extend("enum" = ["shutdown", "panic"]))]
    pub outcome: &'static str,
    /// The code that the application gave to the shutdown, 0 when the run's time was over; null after a panic.
    pub code: Option<u32>,
    /// What the kernel said when it panicked; left out after a shutdown.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The tasks, in the order of the description.
    pub tasks: Vec<TaskRow>,
    /// The interrupts of devices, in the order of the description; left out where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interrupts: Vec<InterruptRow>,
    /// The cores that the system uses.
    pub cores: Vec<CoreRow>,
    /// The cores that have a budget in [regulation], in ascending order; left out where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regulation: Vec<RegulationRow>,
    /// The cores that are divided into windows, in ascending order; left out where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<FrameRow>,
    /// What the health monitor saw of partitions, by task; left out where there was nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub health: Vec<HealthRow>,
    /// The partitions that were restarted or stopped; left out where there were none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restarts: Vec<RestartRow>,
    /// Jobs that are not finished at the end, and tasks that were never activated, in the order of the description;
    /// none after a panic.
    pub unfinished: Vec<Unfinished>,
    /// Assumptions of the description that the run broke: bounds do not hold of it.
    pub broken_assumptions: Vec<BrokenAssumption>,
    /// Calls of services that the kernel refused, by core.
    pub refused_calls: Vec<RefusedCall>,
    /// Refused calls that are not in `refused_calls`, as a core has room for eight kinds only.
    pub refused_calls_dropped: u64,
    /// Sentences for people: what must be known before the figures are trusted.
    pub notes: Vec<String>,
}

/// The variation of a run on the modelled board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Variation {
    /// The seed; 0 varies nothing.
    pub seed: u64,
    /// By how many cycles at most each request to memory was delayed.
    pub jitter_cycles: u64,
    /// The seed of the moments at which the harts began; 0: all at once.
    pub skew_seed: u64,
    /// By how many cycles at most a hart began later than the first.
    pub skew_cycles: u64,
}

/// A task: what was described, computed and measured.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TaskRow {
    /// The task's name.
    #[serde(rename = "task")]
    pub name: String,
    /// The number of the task's core, from 0.
    pub core: u32,
    /// The task's priority; 0 is the highest.
    pub priority: u8,
    /// The declared longest execution of a job; null: none is declared.
    #[serde(rename = "wcet_ns")]
    pub wcet: Option<u64>,
    /// The period of a periodic, the separation of a sporadic task; null: the task is aperiodic.
    #[serde(rename = "period_ns")]
    pub period: Option<u64>,
    /// The relative deadline; null: none.
    #[serde(rename = "deadline_ns")]
    pub deadline: Option<u64>,
    /// The computed bound on the response; null: none is known.
    #[serde(rename = "bound_ns")]
    pub bound: Option<u64>,
    /// Measured responses, from nominal release to completion; null: no job was completed.
    pub response: Option<Response>,
    /// The longest execution of one job, preemptions excluded.
    #[serde(rename = "execution_max_ns")]
    pub execution_max: u64,
    /// The longest time that one job has surely executed: without the part that may be the
    /// kernel's, which is entering and leaving interrupts. 0 if no task has a deadline.
    #[serde(rename = "execution_surely_ns")]
    pub execution_surely: u64,
    /// The longest execution that the kernel lets a job have; null: no budget.
    #[serde(rename = "budget_ns")]
    pub budget: Option<u64>,
    /// Completed jobs.
    pub jobs: u64,
    /// Jobs that ended, or stood at the end, past their deadline.
    pub misses: u64,
    /// Releases of a periodic task that found its queue full.
    pub losses: u64,
    /// Activations that were answered with TAKT_E_QOVR, because the queue was full.
    pub refused: u64,
    /// Activations of a sporadic task that came earlier than its separation allows.
    pub held_back: u64,
    /// The longest time that an activation waited for its separation: its response begins after it.
    #[serde(rename = "held_back_max_ns")]
    pub held_back_max: u64,
    /// Waits that the description does not name.
    pub undeclared_waits: u64,
    /// Jobs that executed longer than their budget.
    pub overruns: u64,
    /// Jobs that were ended because they executed longer than their budget.
    pub stopped: u64,
    /// The size of the task's stack.
    #[serde(rename = "stack_bytes")]
    pub stack: u64,
    /// The deepest use of the stack that the end of the run shows.
    #[serde(rename = "stack_used_bytes")]
    pub stack_used: u64,
    #[serde(skip)]
    pub broke_assumption: bool,
    /// Why the job that is not finished at the end will not finish.
    #[serde(skip)]
    pub stuck: Option<Stuck>,
    /// Whether what was measured agrees with what was computed.
    pub verdict: Verdict,
}

/// Measured responses of a task's completed jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Response {
    /// The shortest.
    #[serde(rename = "min_ns")]
    pub min: u64,
    /// The mean.
    #[serde(rename = "mean_ns")]
    pub mean: u64,
    /// The longest.
    #[serde(rename = "max_ns")]
    pub max: u64,
}

/// An interrupt of a device.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InterruptRow {
    /// The interrupt's name.
    #[serde(rename = "interrupt")]
    pub name: String,
    /// The number of the core to which it is delivered at the start.
    pub core: u32,
    /// Its priority among interrupts.
    pub priority: u8,
    /// The declared longest execution of its service routine; null: none is declared.
    #[serde(rename = "wcet_ns")]
    pub wcet: Option<u64>,
    /// The declared shortest time between two of them; null: none is declared.
    #[serde(rename = "separation_ns")]
    pub separation: Option<u64>,
    /// Calls of the service routine.
    pub count: u64,
    /// The shortest time from the begin of one routine to that of the next; null: there were no two.
    #[serde(rename = "distance_min_ns")]
    pub distance_min: Option<u64>,
    /// The longest execution of the service routine.
    #[serde(rename = "execution_max_ns")]
    pub execution_max: u64,
    /// The longest time that the routine has surely executed: without the part that may be the
    /// kernel's, which is entering and leaving interrupts that interrupted it.
    #[serde(rename = "execution_surely_ns")]
    pub execution_surely: u64,
}

/// A core that the system uses.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CoreRow {
    /// The core's number, from 0.
    pub core: u32,
    /// The number of the hart that is this core.
    pub hart: u64,
    /// Time without a task to run.
    #[serde(rename = "idle_ns")]
    pub idle: u64,
    /// Interrupts taken.
    pub interrupts: u64,
    /// Events that were overwritten in the core's ring.
    pub events_dropped: u64,
    /// Bytes for the console that found the core's ring full.
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
    /// Makes the report of a run. `expected` has an entry for each task of the system, in their
    /// order; `locate` finds code: see [`Locate`].
    pub fn new(
        system: &System,
        expected: &[Expected],
        record: &Record,
        timing: Timing,
        locate: Locate,
    ) -> Result<Report, Mismatch> {
        matches("tasks", record.tasks.len(), system.tasks.len())?;
        matches("interrupts", record.interrupts.len(), system.interrupts.len())?;
        matches("cores", record.cores.len(), system.cores as usize)?;
        let described = system.tasks.iter().zip(expected);
        let rows = described.zip(&record.tasks);
        let rows = rows.map(|((task, expected), figures)| TaskRow::new(task, expected, figures));
        let panicked = record.head.outcome == Outcome::Panic;
        let mut report = Report {
            format: FORMAT,
            document: "run",
            exit_status: 0,
            system: system.name.clone(),
            board: BoardStamp::from(&system.board),
            build_id: record.head.build_id.iter().map(|byte| format!("{byte:02x}")).collect(),
            variation: None,
            timed: timing == Timing::Timed,
            machine_time: record.head.since_epoch(record.head.end),
            outcome: if panicked { "panic" } else { "shutdown" },
            code: (!panicked).then_some(record.head.code),
            message: record.head.message.clone(),
            tasks: rows.collect(),
            interrupts: interrupt_rows(system, record),
            cores: core_rows(record),
            regulation: Vec::new(),
            frames: Vec::new(),
            health: Vec::new(),
            restarts: Vec::new(),
            unfinished: unfinished::find(system, record, locate),
            broken_assumptions: Vec::new(),
            refused_calls: refused::refused_calls(system, record),
            refused_calls_dropped: record.cores.iter().map(|core| core.refusals_dropped).sum(),
            notes: Vec::new(),
            holds: None,
            dataflow: None,
            checked: None,
        };
        report.broken_assumptions = assumptions::broken(system, record, &report.tasks);
        report.name_the_blamed();
        report.judge_unfinished();
        report.judge();
        report.notes = notes::of(&report);
        Ok(report)
    }

    /// Adds the cores that are divided into windows: a change that was later than its bound breaks the run.
    pub fn add_frames(&mut self, frames: Vec<FrameRow>) {
        self.frames = frames;
        self.judge();
    }

    /// Determines whether the run held, and the exit status.
    fn judge(&mut self) {
        let violated = self.checked.as_ref().is_some_and(|it| it.violation_count > 0);
        let deadlocked = self.tasks.iter().any(TaskRow::is_deadlocked);
        let late = self.dataflow.as_ref().is_some_and(DataflowRow::breaks);
        let broke = deadlocked || late || self.timed && self.breaks();
        let judged = self.timed && self.tasks.iter().any(TaskRow::is_judged);
        self.holds = match self.panicked() || violated || broke {
            true => Some(false),
            false => judged.then_some(true),
        };
        let asked = self.timed && self.tasks.iter().any(TaskRow::is_to_be_judged);
        self.exit_status = match self.code.unwrap_or(0) as u8 {
            0 => u8::from(!is_good(self.holds, asked)),
            code => code,
        };
    }

    pub fn panicked(&self) -> bool {
        self.outcome == "panic"
    }

    /// Marks the tasks whose unfinished jobs would not finish in a longer run either.
    fn judge_unfinished(&mut self) {
        for it in &self.unfinished {
            let mut rows = self.tasks.iter_mut().filter(|row| row.name == it.task);
            let Some(row) = rows.next() else { continue };
            row.stuck = Stuck::of(it, row);
            row.verdict = Verdict::of(row, self.timed);
        }
    }

    /// Whether the run does not hold: a deadline was missed, a bound or an assumption broken, tasks
    /// wait for each other for ever, or a call was refused that the description does not allow, so
    /// the application is not the one that was analysed.
    pub fn breaks(&self) -> bool {
        let asked = self.tasks.iter().any(TaskRow::is_to_be_judged);
        // The errors of the calls that found no free entry are unknown.
        let undeclared = asked
            && (self.refused_calls_dropped > 0
                || self.refused_calls.iter().any(RefusedCall::is_undeclared));
        undeclared
            || !self.broken_assumptions.is_empty()
            || self.frames.iter().any(FrameRow::is_broken)
            || self.tasks.iter().any(TaskRow::breaks)
    }

    /// Sets the verdict of the tasks that broke an assumption.
    fn name_the_blamed(&mut self) {
        let broken = |row: &TaskRow| {
            let mut all = self.broken_assumptions.iter();
            all.any(|it| it.by.class == "task" && it.by.name == row.name)
        };
        let broke: Vec<bool> = self.tasks.iter().map(broken).collect();
        for (row, broke) in self.tasks.iter_mut().zip(broke) {
            row.broke_assumption = broke;
            row.verdict = Verdict::of(row, self.timed);
        }
    }

    /// Adds what the dataflow graph took, or why that is not known: an object that was executed for longer than its `wcet`
    /// is a broken assumption.
    pub fn add_dataflow(&mut self, row: Result<DataflowRow, String>) {
        match row {
            Ok(row) => self.dataflow = Some(row),
            Err(why) => self.notes.push(format!("no figures of the dataflow graph: {why}")),
        }
        self.judge();
    }

    /// Adds the result of the check of the events: a run with a violation does not hold.
    pub fn check(&mut self, checked: Checked) {
        self.checked = Some(checked);
        self.judge();
    }
}

/// Whether the exit status is 0: if there was something to judge, something must have been judged.
pub fn is_good(holds: Option<bool>, asked: bool) -> bool {
    holds.unwrap_or(!asked)
}

impl TaskRow {
    fn new(task: &Task, expected: &Expected, figures: &TaskFigures) -> TaskRow {
        let nanos = |duration: Option<Nanos>| duration.map(|Nanos(nanos)| nanos);
        TaskRow {
            name: task.name.clone(),
            core: expected.core,
            priority: expected.priority,
            wcet: nanos(task.wcet),
            period: nanos(period(task)),
            deadline: nanos(task.deadline),
            bound: nanos(expected.bound),
            response: response(figures),
            execution_max: figures.execution_max,
            execution_surely: figures.execution_surely,
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
            broke_assumption: false,
            stuck: None,
            verdict: Verdict::NotTimed,
        }
    }

    /// Whether a deadline was missed, a response is above its bound for whatever reason, or the
    /// task is in a deadlock.
    pub fn breaks(&self) -> bool {
        self.is_deadlocked() || self.is_late()
    }

    pub fn is_deadlocked(&self) -> bool {
        self.stuck == Some(Stuck::Deadlock)
    }

    pub fn is_late(&self) -> bool {
        let longest = self.response.as_ref().map(|response| response.max);
        self.misses > 0 || self.bound.zip(longest).is_some_and(|(bound, longest)| longest > bound)
    }

    /// Whether the description gives a bound or a deadline by which the task can be judged.
    pub fn is_to_be_judged(&self) -> bool {
        self.bound.is_some() || self.deadline.is_some()
    }

    /// Whether the task completed enough jobs to be compared with its bound or deadline.
    pub fn is_judged(&self) -> bool {
        self.is_to_be_judged() && self.jobs >= ENOUGH_JOBS
    }

    /// Whether a job has surely executed longer than its WCET. A job that has overrun its budget
    /// has surely executed longer than the budget.
    pub fn executed_too_long(&self) -> bool {
        let Some(wcet) = self.wcet else { return false };
        let overran = self.overruns > 0 && self.budget.is_some_and(|budget| budget >= wcet);
        overran || self.execution_surely > wcet
    }

    /// Whether a job may have executed longer than its WCET.
    pub fn may_have_executed_too_long(&self) -> bool {
        self.wcet.is_some_and(|wcet| self.execution_max > wcet)
    }
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
        execution_surely: figures.execution_surely,
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
