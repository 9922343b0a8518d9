// SPDX-License-Identifier: Apache-2.0
//! Measures what the tasks of other cores do to one task: four runs of one image, alone or beside
//! the others, with the budgets of memory traffic or without. What differs between the runs are two
//! constants in memory, so code and data have the same addresses in all four.

use schemars::JsonSchema;
use serde::Serialize;
use takt_model::{FORMAT, System};
use takt_record::{Outcome, Record};
use takt_trace::{RegulationRow, duration, table};

use crate::board::Variation;
use crate::board::image_run::Booted;
use crate::failure::Failure;
use crate::outcome;
use crate::progress::Progress;
use crate::regulation;

/// What `takt interference` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InterferenceDocument")]
pub struct Interference {
    /// The version of this format.
    pub format: u32,
    /// "interference".
    #[schemars(extend("const" = "interference"))]
    pub document: &'static str,
    /// The exit status of the command: 0, whatever the figures are.
    pub exit_status: u8,
    /// The system's name.
    pub system: String,
    /// The board's name.
    pub board: String,
    /// The name of the task whose responses are measured.
    pub task: String,
    /// The number of the task's core.
    pub core: u32,
    /// The first and the last seed; each run gives the longest of all.
    pub seeds: [u64; 2],
    /// The runs: alone, alone with budgets, beside the others, beside the others with budgets.
    pub runs: Vec<Run>,
}

/// The system's runs of one kind, over all seeds.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "InterferenceRun")]
pub struct Run {
    /// Whether the tasks of other cores are released.
    pub beside_others: bool,
    /// Whether the budgets of [regulation] hold.
    pub budgets: bool,
    /// Jobs of the task that were completed.
    pub jobs: u64,
    /// The longest response of one of them, in nanoseconds.
    pub response_max_ns: u64,
    /// The longest execution of one of them, in nanoseconds, with the time for which memory let it wait.
    pub execution_max_ns: u64,
    /// `response_max_ns` divided by that of the run alone; null: no job was completed alone.
    pub against_alone: Option<f64>,
    /// Jobs that stood unfinished past their deadline at the end, or ended after it.
    pub misses: u64,
    /// The regulated cores.
    pub cores: Vec<Traffic>,
}

/// What the kernel recorded of a regulated core, over all seeds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "CoreTraffic")]
pub struct Traffic {
    /// The core's number.
    pub core: u32,
    /// Regulation periods that have ended.
    pub periods: u64,
    /// Periods in which the core used up a budget.
    pub exhausted: u64,
    /// The time for which it idled because of that, in nanoseconds.
    pub throttled_ns: u64,
    /// Interrupts of a counter that left a part of the budget.
    pub early: u64,
    /// The most lines that the core read in one period.
    pub reads_max: u64,
    /// The most changed lines that left its caches in one period.
    pub writes_max: u64,
    /// The most lines above the budget of reads that a period left to the next one.
    pub overdrawn_reads_max: u64,
    /// The same of writes.
    pub overdrawn_writes_max: u64,
    /// Lines that the board's memory controllers read for the core in the whole run, with the boot.
    pub memory_reads: u64,
    /// Lines that they wrote for it.
    pub memory_writes: u64,
}

impl Traffic {
    fn new(row: RegulationRow, (memory_reads, memory_writes): (u64, u64)) -> Traffic {
        Traffic {
            core: row.core,
            periods: row.periods,
            exhausted: row.throttled_periods,
            throttled_ns: row.throttled_ns,
            early: row.early,
            reads_max: row.reads_max,
            writes_max: row.writes_max,
            overdrawn_reads_max: row.overdrawn_reads_max,
            overdrawn_writes_max: row.overdrawn_writes_max,
            memory_reads,
            memory_writes,
        }
    }

    fn add(&mut self, other: &Traffic) {
        self.periods += other.periods;
        self.exhausted += other.exhausted;
        self.throttled_ns += other.throttled_ns;
        self.early += other.early;
        self.reads_max = self.reads_max.max(other.reads_max);
        self.writes_max = self.writes_max.max(other.writes_max);
        self.overdrawn_reads_max = self.overdrawn_reads_max.max(other.overdrawn_reads_max);
        self.overdrawn_writes_max = self.overdrawn_writes_max.max(other.overdrawn_writes_max);
        self.memory_reads += other.memory_reads;
        self.memory_writes += other.memory_writes;
    }
}

/// The task that is measured.
#[derive(Clone, Copy)]
pub struct Victim {
    /// Its index.
    pub task: usize,
    pub core: u32,
}

/// Runs a machine that stands at the image's entry.
pub fn run(
    mut machine: Booted,
    victim: Victim,
    (beside_others, budgets): (bool, bool),
    variation: Variation,
    system: &System,
) -> Result<Run, Failure> {
    if !budgets {
        words(&mut machine, "takt_regulation_holds")?.fill(0);
    }
    if !beside_others {
        for (core, word) in words(&mut machine, "takt_core_released")?.chunks_mut(4).enumerate() {
            if core != victim.core as usize {
                word.fill(0);
            }
        }
    }
    let silent = Box::new(|_: &[u8]| {});
    let record = machine.run(variation, silent, &Progress::hidden())?;
    if record.head.outcome == Outcome::Panic {
        return Err(outcome::panicked(&record.head.message));
    }
    let rows = match budgets {
        true => regulation::rows(&mut machine, &record.head, system),
        false => Vec::new(),
    };
    let cores = rows.into_iter().map(|row| {
        let lines = machine.memory_lines(row.core);
        Traffic::new(row, lines)
    });
    let cores = cores.collect();
    Ok(of_record(&record, victim.task, beside_others, budgets, cores))
}

fn words<'a>(machine: &'a mut Booted, name: &str) -> Result<&'a mut [u8], Failure> {
    let missing = || {
        let message = format!("the image has no object `{name}`");
        Failure::tool(message, "build the system again with takt build")
    };
    machine.object(name).ok_or_else(missing)
}

fn of_record(
    record: &Record,
    task: usize,
    beside_others: bool,
    budgets: bool,
    cores: Vec<Traffic>,
) -> Run {
    let figures = &record.tasks[task];
    Run {
        beside_others,
        budgets,
        jobs: figures.jobs,
        response_max_ns: figures.response_max,
        execution_max_ns: figures.execution_max,
        against_alone: None,
        misses: figures.misses,
        cores,
    }
}

impl Run {
    /// Adds a run of the same kind with another seed.
    pub fn add(&mut self, other: &Run) {
        self.jobs += other.jobs;
        self.response_max_ns = self.response_max_ns.max(other.response_max_ns);
        self.execution_max_ns = self.execution_max_ns.max(other.execution_max_ns);
        self.misses += other.misses;
        for (core, other) in self.cores.iter_mut().zip(&other.cores) {
            core.add(other);
        }
    }

    fn name(&self) -> String {
        let place = if self.beside_others { "beside the others" } else { "alone" };
        format!("{place}{}", if self.budgets { ", with budgets" } else { "" })
    }
}

impl Interference {
    pub fn new(
        (system, board, task): (&str, &str, &str),
        core: u32,
        seeds: [u64; 2],
        mut runs: Vec<Run>,
    ) -> Interference {
        let alone = runs.first().filter(|run| run.jobs > 0).map(|run| run.response_max_ns);
        for run in &mut runs {
            let ratio = |alone: u64| run.response_max_ns as f64 / alone.max(1) as f64;
            run.against_alone = alone.filter(|_| run.jobs > 0).map(ratio);
        }
        Interference {
            format: FORMAT,
            document: "interference",
            exit_status: 0,
            system: system.into(),
            board: board.into(),
            task: task.into(),
            core,
            seeds,
            runs,
        }
    }

    /// The tables for people.
    pub fn render(&self) -> String {
        const COLUMNS: [&str; 6] =
            ["", "jobs", "longest response", "against alone", "longest execution", "missed"];
        let rows = self.runs.iter().map(|run| {
            let against = run
                .against_alone
                .map_or("-".into(), |ratio| format!("{:+.1} %", (ratio - 1.0) * 100.0));
            let time = |time| if run.jobs > 0 { duration(time) } else { "-".into() };
            vec![
                run.name(),
                run.jobs.to_string(),
                time(run.response_max_ns),
                against,
                time(run.execution_max_ns),
                run.misses.to_string(),
            ]
        });
        let mut text = format!("{}\n", table(&COLUMNS, rows));
        if let Some(run) = self.runs.iter().rfind(|run| run.budgets && run.beside_others) {
            text += &format!("\nof the regulated cores, {}:\n{}", run.name(), traffic(&run.cores));
        }
        let [first, last] = self.seeds;
        let seeds = if first == last {
            format!("seed {first}")
        } else {
            format!("seeds {first} to {last}")
        };
        text + &format!(
            "{} on {}: task {} of core {}, {seeds}\n",
            self.system, self.board, self.task, self.core
        )
    }
}

fn traffic(cores: &[Traffic]) -> String {
    const COLUMNS: [&str; 8] = [
        "core",
        "periods",
        "exhausted",
        "idle for it",
        "most read",
        "overdrawn",
        "most written",
        "overdrawn",
    ];
    let rows = cores.iter().map(|core| {
        let figures =
            [core.reads_max, core.overdrawn_reads_max, core.writes_max, core.overdrawn_writes_max];
        let mut cells = vec![
            core.core.to_string(),
            core.periods.to_string(),
            core.exhausted.to_string(),
            duration(core.throttled_ns),
        ];
        cells.extend(figures.map(|it| it.to_string()));
        cells
    });
    format!(
        "{}\nlines of 64 bytes a period; overdrawn: what a period left to the next one's budget\n",
        table(&COLUMNS, rows)
    )
}
