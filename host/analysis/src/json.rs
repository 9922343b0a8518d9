// SPDX-License-Identifier: Apache-2.0
//! The table for programs: every time is an integer whose key ends in `_ns`.

use schemars::JsonSchema;
use serde::Serialize;
use takt_model::{BoardStamp, FORMAT, Nanos, System};

use crate::breakdown::{Breakdown, Part};
use crate::explain::explain;
use crate::io_schedule::IoDocument;
use crate::proof::Doubt;
use crate::result::{Analysis, Row, StageRow};
use crate::traffic::{Traffic, traffic};
use crate::verdict::{NoBound, Verdict};

/// What the analysis says of a system.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckDocument {
    /// The version of this format.
    pub format: u32,
    /// "check".
    #[schemars(extend("const" = "check"))]
    pub document: &'static str,
    /// The exit status of the command: 0 where `holds` is true, else 1.
    pub exit_status: u8,
    /// The system's name in its description.
    pub system: String,
    /// The board that the system is described to run on.
    pub board: BoardStamp,
    /// Whether every task that has a deadline meets it.
    pub holds: bool,
    /// Whether that is proved: there is no doubt.
    pub proved: bool,
    /// "proved" or "computed"; null where a deadline may be missed, or nothing is bounded.
    pub word: Option<&'static str>,
    /// Why the bounds are no proof.
    pub doubts: Vec<DoubtDocument>,
    /// The tasks, in the order of the description.
    pub tasks: Vec<CheckedTask>,
    /// What the budgets of memory traffic allow; left out where no core has one, or the board has no timing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_traffic: Option<TrafficDocument>,
    /// The I/O schedule; left out where the description has no transaction, and no window without an offset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub io: Option<IoDocument>,
}

/// What cores with budgets may ask of the memory in each regulation period.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TrafficDocument {
    /// Whether the memory can serve all budgets in each period, and every core that runs something has one.
    pub fits: bool,
    /// The lines that move at most: two for each that may be read, one for each that may be written.
    pub lines: u64,
    /// How long one memory controller needs for all of them at most.
    pub needed_ns: u64,
    /// The period less what refreshes take of it.
    pub available_ns: u64,
    /// The cores that run something and have no budget, in ascending order.
    pub without_budget: Vec<u32>,
}

/// A reason why bounds are computed and not proved.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DoubtDocument {
    #[serde(flatten)]
    doubt: Doubt,
    /// The reason as a sentence.
    text: String,
}

/// A task: what was described, and what follows.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckedTask {
    /// The task's name.
    pub task: String,
    /// The number of the task's core, from 0: as described, or as chosen.
    pub core: u32,
    /// The task's priority, as described or as chosen; 0 is the highest.
    pub priority: u8,
    /// The declared longest execution of a job; null: none is declared.
    pub wcet_ns: Option<u64>,
    /// The period of a periodic, the separation of a sporadic task; null: the task is aperiodic.
    pub period_ns: Option<u64>,
    /// The relative deadline; null: none.
    pub deadline_ns: Option<u64>,
    /// "meets": the deadline is met. "breaks": it can be missed. "unknown": nothing is claimed.
    #[schemars(extend("enum" = ["meets", "breaks", "unknown"]))]
    pub verdict: &'static str,
    /// No response is longer than this; null: no bound is known.
    pub bound_ns: Option<u64>,
    /// The deadline less the bound; null where the deadline is not met.
    pub slack_ns: Option<u64>,
    /// Where the verdict is "breaks": how far past the deadline, at least this where there is no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late_by_ns: Option<u64>,
    /// Why the deadline is not known to be met, as a sentence; null where it is met.
    pub explanation: Option<String>,
    /// Where the verdict is "unknown": why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<NoBound>,
    /// What the response consists of; null where nothing is known of it.
    pub breakdown: Option<BreakdownDocument>,
    /// The stages of a task that forks, one after the other; left out where there is none, or no bound.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageDocument>,
}

/// What the threads of a task that forks execute at the same time, by the thread that may end last. Times are the latest after the
/// release of the job.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StageDocument {
    /// The number of the stage in the description, from 1; one more: the task joins the last region.
    pub stage: u32,
    /// True: the task executes alone. False: all threads execute the region.
    pub is_serial: bool,
    /// The core of the thread that may end last.
    pub core: u32,
    /// When it begins.
    pub begins_ns: u64,
    /// How long other cores pass the fork on, until it comes to this core.
    pub passed_on_ns: u64,
    /// The response of the thread after that.
    pub response_ns: u64,
    /// When it ends.
    pub ends_ns: u64,
}

/// What a response consists of: it is the sum of all parts less `lead_ns` and `unfinished_ns`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BreakdownDocument {
    /// The parts, the largest first; small ones of a long list are summed up as "others".
    pub parts: Vec<PartDocument>,
    /// The part of the window that lies before the job is ready.
    pub lead_ns: u64,
    /// Work that comes up to the end of the window, but is not done by then; 0 where there is a bound.
    pub unfinished_ns: u64,
    /// WCET(m) of one job: the longest that it executes and waits for memory beside all cores of the system, as long as these
    /// keep their budgets; left out where its core has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wcet_beside_ns: Option<u64>,
}

/// A part of a response.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PartDocument {
    /// What takes the time, as a word: "execution", "suspension", "jitter", "task", "semaphore_held",
    /// "mutex_held", "spin", "kernel_section", "switches", "releases", "fork_join", "handler", "interrupt" and others; new
    /// words may come.
    pub kind: &'static str,
    /// The task that takes the time, or holds the object; left out where no task does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The semaphore, mutex, handler or interrupt; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// The time that it takes.
    pub time_ns: u64,
}

impl CheckDocument {
    pub fn new(system: &System, analysis: &Analysis) -> Self {
        CheckDocument {
            format: FORMAT,
            document: "check",
            exit_status: u8::from(!analysis.holds()),
            system: system.name.clone(),
            board: BoardStamp::from(&system.board),
            holds: analysis.holds(),
            proved: analysis.proved(),
            word: analysis.word(),
            doubts: analysis.doubts.iter().map(doubt).collect(),
            tasks: analysis.rows.iter().map(|row| task(row, system)).collect(),
            memory_traffic: traffic(system, &analysis.assignments()).map(TrafficDocument::from),
            io: None,
        }
    }

    /// Adds the I/O schedule. Without one nothing holds.
    pub fn with_io(mut self, io: IoDocument) -> Self {
        self.holds &= io.met;
        self.exit_status = u8::from(!self.holds);
        self.io = Some(io);
        self
    }
}

impl From<Traffic> for TrafficDocument {
    fn from(traffic: Traffic) -> Self {
        TrafficDocument {
            fits: traffic.fits(),
            lines: traffic.lines,
            needed_ns: traffic.needed.0,
            available_ns: traffic.available.0,
            without_budget: traffic.without_budget,
        }
    }
}

fn doubt(doubt: &Doubt) -> DoubtDocument {
    DoubtDocument { doubt: doubt.clone(), text: doubt.to_string() }
}

fn task(row: &Row, system: &System) -> CheckedTask {
    let number = |time: Option<Nanos>| time.map(|time| time.0);
    let (verdict, late_by, why) = match &row.verdict {
        Verdict::Meets { .. } => ("meets", None, None),
        Verdict::Breaks { by, .. } => ("breaks", Some(*by), None),
        Verdict::Unknown { why } => ("unknown", None, Some(why.clone())),
    };
    CheckedTask {
        task: row.name.clone(),
        core: row.core,
        priority: row.priority,
        wcet_ns: number(row.wcet),
        period_ns: number(row.period),
        deadline_ns: number(row.deadline),
        verdict,
        bound_ns: number(row.bound()),
        slack_ns: number(row.slack()),
        late_by_ns: number(late_by),
        explanation: explain(system, row),
        why,
        breakdown: row.breakdown.as_ref().map(|it| document(it, system)),
        stages: row.stages.iter().map(stage).collect(),
    }
}

fn stage(it: &StageRow) -> StageDocument {
    StageDocument {
        stage: it.stage,
        is_serial: it.is_serial,
        core: it.core,
        begins_ns: it.begins.0,
        passed_on_ns: it.passed_on.0,
        response_ns: it.response.0,
        ends_ns: it.ends.0,
    }
}

fn document(breakdown: &Breakdown, system: &System) -> BreakdownDocument {
    let part = |Part { term, time }: &Part| PartDocument {
        kind: term.kind(),
        task: term.task(system).map(str::to_string),
        object: term.object(system).map(str::to_string),
        time_ns: time.0,
    };
    BreakdownDocument {
        parts: breakdown.parts.iter().map(part).collect(),
        lead_ns: breakdown.lead.0,
        unfinished_ns: breakdown.unfinished.0,
        wcet_beside_ns: breakdown.beside.map(|(_, wcet)| wcet.0),
    }
}
