// SPDX-License-Identifier: Apache-2.0
//! The I/O schedule of a described system: its windows, their offsets, and why there are none. docs/design/io.md.

use schemars::JsonSchema;
use serde::Serialize;
use takt_model::{
    Activation, Assignment, Nanos, PhysicalIo, System, TimeWindow, Transaction, TransactionTask,
};

use crate::io::{
    self, Chain, Effort, Fault, Infeasible, NotFound, Statement, Window, check, necessary, search,
};
use crate::result::Analysis;

/// The seed of the search: the same description always gets the same schedule.
const SEED: u64 = 1;

/// All windows of the schedule, and what it makes of the transactions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IoSchedule {
    pub windows: Vec<IoWindow>,
    pub transactions: Vec<IoTransaction>,
}

/// A window of the schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IoWindow {
    /// The name of its transaction, if it is part of one.
    pub transaction: Option<String>,
    /// "physical input", "device input", "processing", "device output", "physical output", or "window" of no transaction.
    pub part: &'static str,
    /// The core or device.
    pub resource: String,
    /// The task, or the partition whose tasks run, or nothing.
    pub runs: Option<String>,
    /// From time 0; those of one transaction are of one instance.
    pub offset: Nanos,
    pub duration: Nanos,
    pub period: Nanos,
}

/// A transaction in the schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IoTransaction {
    /// The index in the system.
    pub index: usize,
    /// From the begin of its first window to the end of its last.
    pub end_to_end: Nanos,
}

/// Finds the offsets of all transactions and windows that have none, and puts them into the system. None if it has nothing to place; the
/// error says which part has no place and why.
pub fn place(
    system: &mut System,
    assignments: &[Assignment],
) -> Option<Result<IoSchedule, String>> {
    if system.io.transactions.is_empty() && system.io.windows.is_empty() {
        return None;
    }
    if let Some(why) = shared_window(system) {
        return Some(Err(why));
    }
    let plan = Plan::new(system, assignments);
    if let Err(why) = necessary(&plan.statement) {
        return Some(Err(plan.infeasible(system, &why)));
    }
    let offsets = match search(&plan.statement, SEED, Effort::default()) {
        Ok(offsets) => offsets,
        Err(why) => return Some(Err(plan.not_found(system, why))),
    };
    match check(&plan.statement, &offsets) {
        Ok(()) => {}
        Err(Fault::TooManyWindows { resource }) => {
            return Some(Err(format!(
                "the windows of {} repeat too late to be checked: give them periods with a small common multiple",
                resource_name(system, resource)
            )));
        }
        Err(fault) => panic!("the search for an I/O schedule gave a wrong answer: {fault:?}"),
    }
    apply(system, &plan, &offsets);
    Some(Ok(plan.schedule(system, &offsets)))
}

/// Why two transactions cannot have the same window of a partition: each window is a part of one transaction at most.
fn shared_window(system: &System) -> Option<String> {
    let of = |transaction: &Transaction| partition_window(system, transaction.task.task);
    let transactions = &system.io.transactions;
    transactions.iter().enumerate().find_map(|(at, second)| {
        let window = of(second)?;
        let first = transactions[..at].iter().find(|first| of(first) == Some(window))?;
        let partition = &system.partitions[system.io.windows[window].partition].name;
        Some(format!(
            "{} and {} have the same window of partition {partition}: let one task serve both, or give them partitions of their own",
            first.name, second.name
        ))
    })
}

/// Why a transaction is not known to keep its limit though the schedule does: a task that can miss the end of its window.
pub fn late_task<'a>(
    system: &System,
    analysis: &'a Analysis,
    transaction: usize,
) -> Option<&'a crate::Row> {
    let it = &system.io.transactions[transaction];
    let sides = [&it.input, &it.output].into_iter().flatten().map(|side| side.task.task);
    let mut rows = sides.chain([it.task.task]).map(|task| &analysis.rows[task]);
    rows.find(|row| !row.meets())
}

/// What a window of the statement stands for.
#[derive(Clone, Copy)]
enum Part {
    Physical {
        transaction: usize,
        is_input: bool,
    },
    Device {
        transaction: usize,
        is_input: bool,
    },
    Task {
        transaction: usize,
    },
    /// Index in [`takt_model::Io::windows`], and the transaction of which it is part.
    Partition {
        window: usize,
        transaction: Option<usize>,
    },
}

impl Part {
    fn transaction(self) -> Option<usize> {
        match self {
            Part::Physical { transaction, .. }
            | Part::Device { transaction, .. }
            | Part::Task { transaction } => Some(transaction),
            Part::Partition { transaction, .. } => transaction,
        }
    }
}

struct Plan {
    statement: Statement,
    /// By window of the statement.
    parts: Vec<Part>,
}

impl Plan {
    /// Resources are the cores, then the devices.
    fn new(system: &System, assignments: &[Assignment]) -> Plan {
        let resources = system.cores as usize + system.io.devices.len();
        let statement = Statement { resources, ..Statement::default() };
        let mut plan = Plan { statement, parts: Vec::new() };
        for (window, it) in system.io.windows.iter().enumerate() {
            plan.parts.push(Part::Partition { window, transaction: None });
            plan.statement.windows.push(Window {
                resource: it.core as usize,
                period: it.period.0,
                duration: it.duration.0,
                fixed: it.offset.map(|offset| offset.0),
                is_device: false,
            });
        }
        for transaction in 0..system.io.transactions.len() {
            plan.transaction(system, assignments, transaction);
        }
        plan
    }

    fn transaction(&mut self, system: &System, assignments: &[Assignment], transaction: usize) {
        let it = &system.io.transactions[transaction];
        let period = period_of(system, it.task.task);
        let cores = system.cores as usize;
        let physical = |side: &PhysicalIo| Window {
            resource: cores + side.device,
            period,
            duration: side.duration.0,
            fixed: side.offset.map(|offset| offset.0),
            is_device: false,
        };
        let task = |task: TransactionTask, is_device: bool| Window {
            resource: assignments[task.task].core as usize,
            period,
            duration: system.tasks[task.task].deadline.map_or(period, |deadline| deadline.0),
            fixed: task.offset.map(|offset| offset.0),
            is_device,
        };
        let mut windows = Vec::new();
        if let Some(side) = &it.input {
            let is_input = true;
            windows.push(self.push(Part::Physical { transaction, is_input }, physical(side)));
            windows.push(self.push(Part::Device { transaction, is_input }, task(side.task, true)));
        }
        windows.push(match partition_window(system, it.task.task) {
            Some(window) => {
                self.parts[window] = Part::Partition { window, transaction: Some(transaction) };
                let fixed = &mut self.statement.windows[window].fixed;
                *fixed = fixed.or(it.task.offset.map(|offset| offset.0));
                window
            }
            None => self.push(Part::Task { transaction }, task(it.task, false)),
        });
        if let Some(side) = &it.output {
            let is_input = false;
            windows.push(self.push(Part::Device { transaction, is_input }, task(side.task, true)));
            windows.push(self.push(Part::Physical { transaction, is_input }, physical(side)));
        }
        self.statement.chains.push(Chain { windows, limit: it.limit.0 });
    }

    fn push(&mut self, part: Part, window: Window) -> usize {
        self.parts.push(part);
        self.statement.windows.push(window);
        self.parts.len() - 1
    }

    fn schedule(&self, system: &System, offsets: &[u64]) -> IoSchedule {
        let ends = |chain: &Chain| {
            let last = chain.windows[chain.windows.len() - 1];
            let end = offsets[last] + self.statement.windows[last].duration;
            Nanos(end - offsets[chain.windows[0]])
        };
        // Transaction by transaction, in the order in which its windows open.
        let mut order: Vec<_> = (0..offsets.len()).collect();
        order.sort_by_key(|window| {
            let transaction = self.parts[*window].transaction();
            (transaction.is_none(), transaction, offsets[*window])
        });
        let chains = self.statement.chains.iter().enumerate();
        IoSchedule {
            windows: order.into_iter().map(|it| self.window(system, it, offsets[it])).collect(),
            transactions: chains
                .map(|(index, chain)| IoTransaction { index, end_to_end: ends(chain) })
                .collect(),
        }
    }

    fn window(&self, system: &System, window: usize, offset: u64) -> IoWindow {
        let (part, it) = (self.parts[window], &self.statement.windows[window]);
        let transaction = part.transaction().map(|it| &system.io.transactions[it]);
        let words = match part {
            Part::Physical { is_input: true, .. } => "physical input",
            Part::Device { is_input: true, .. } => "device input",
            Part::Task { .. } | Part::Partition { transaction: Some(_), .. } => "processing",
            Part::Device { is_input: false, .. } => "device output",
            Part::Physical { is_input: false, .. } => "physical output",
            Part::Partition { transaction: None, .. } => "window",
        };
        IoWindow {
            transaction: transaction.map(|it| it.name.clone()),
            part: words,
            resource: resource_name(system, it.resource),
            runs: self.runs(system, part),
            offset: Nanos(offset),
            duration: Nanos(it.duration),
            period: Nanos(it.period),
        }
    }

    fn runs(&self, system: &System, part: Part) -> Option<String> {
        let name = |task: TransactionTask| Some(system.tasks[task.task].name.clone());
        match part {
            Part::Physical { .. } => None,
            Part::Device { transaction, is_input } => {
                let it = &system.io.transactions[transaction];
                let side = if is_input { &it.input } else { &it.output };
                side.as_ref().and_then(|side| name(side.task))
            }
            Part::Task { transaction } => name(system.io.transactions[transaction].task),
            Part::Partition { window, .. } => {
                Some(system.partitions[system.io.windows[window].partition].name.clone())
            }
        }
    }

    /// A window in words.
    fn describe(&self, system: &System, window: usize) -> String {
        let it = self.window(system, window, 0);
        let of = it.transaction.map_or(String::new(), |name| format!(" of {name}"));
        let runs = it.runs.map_or(String::new(), |name| format!(", {name}"));
        format!("{}{of} ({}{runs}: {} every {})", it.part, it.resource, it.duration, it.period)
    }

    fn infeasible(&self, system: &System, why: &Infeasible) -> String {
        let words = |window: &usize| self.describe(system, *window);
        match why {
            Infeasible::TooLong { window }
                if self.statement.windows[*window].period > Statement::LONGEST =>
            {
                format!("{}: periods are at most {}", words(window), Nanos(Statement::LONGEST))
            }
            Infeasible::TooLong { window } => {
                format!("{} is longer than its period", words(window))
            }
            Infeasible::Pair { first, second, divisor } => format!(
                "{} and {} overlap wherever they lie: together they are longer than {}, the greatest common divisor of their periods",
                words(first),
                words(second),
                Nanos(*divisor)
            ),
            Infeasible::Fixed { first, second } => {
                format!("{} and {} overlap at their given offsets", words(first), words(second))
            }
            Infeasible::Load { resource } => {
                format!(
                    "all windows of {} together take more than its time",
                    resource_name(system, *resource)
                )
            }
            Infeasible::Limit { chain, needed } => {
                let it = &system.io.transactions[*chain];
                format!(
                    "the parts of {} take {needed} one directly after the other, above its limit of {}",
                    it.name,
                    it.limit,
                    needed = Nanos(*needed)
                )
            }
            Infeasible::Buffer { first, second } => format!(
                "{} is followed by {}, and both together are longer than the period: one buffer between them is not enough",
                words(first),
                words(second)
            ),
        }
    }

    fn not_found(&self, system: &System, why: NotFound) -> String {
        let window = &self.statement.windows[why.window];
        format!(
            "none was found in {} attempts, which is no proof that there is none: {} had no place most often, beside {}; lengthen limits, or \
             shorten windows of {}",
            why.restarts,
            self.describe(system, why.window),
            self.others(why.window),
            resource_name(system, window.resource)
        )
    }

    /// How many other windows the resource of a window has, and how much of its time they take.
    fn others(&self, window: usize) -> String {
        let resource = self.statement.windows[window].resource;
        let windows = self.statement.windows.iter().enumerate();
        let others: Vec<_> =
            windows.filter(|(it, other)| *it != window && other.resource == resource).collect();
        let share = |other: &io::Window| other.duration as f64 / other.period as f64;
        let load: f64 = others.iter().map(|(_, other)| share(other)).sum();
        match others.len() {
            1 => format!("another window that takes {:.0} % of the time", load * 100.0),
            count => format!("{count} others that take {:.0} % of the time", load * 100.0),
        }
    }
}

fn period_of(system: &System, task: usize) -> u64 {
    match system.tasks[task].activation {
        Activation::Periodic { period, .. } => period.0,
        _ => 0,
    }
}

/// The window of the task's partition that has the task's period, on a core with a frame.
fn partition_window(system: &System, task: usize) -> Option<usize> {
    let (period, task) = (period_of(system, task), &system.tasks[task]);
    system.io.windows.iter().position(|it| {
        Some(it.core) == task.core && Some(it.partition) == task.partition && it.period.0 == period
    })
}

fn resource_name(system: &System, resource: usize) -> String {
    match resource.checked_sub(system.cores as usize) {
        None => format!("core {resource}"),
        Some(device) => system.io.devices[device].clone(),
    }
}

/// Puts the offsets into the tasks and frames.
fn apply(system: &mut System, plan: &Plan, offsets: &[u64]) {
    for (window, part) in plan.parts.iter().enumerate() {
        let Some(transaction) = part.transaction() else { continue };
        let it = &system.io.transactions[transaction];
        let task = match part {
            Part::Physical { .. } => None,
            Part::Device { is_input: true, .. } => it.input.as_ref().map(|side| side.task),
            Part::Device { is_input: false, .. } => it.output.as_ref().map(|side| side.task),
            Part::Task { .. } | Part::Partition { .. } => Some(it.task),
        };
        let Some(TransactionTask { task, offset: None }) = task else { continue };
        if let Activation::Periodic { period, offset } = &mut system.tasks[task].activation {
            offset.0 = offsets[window] % period.0;
        }
    }
    for frame in &mut system.frames {
        let own = system.io.windows.iter().enumerate().filter(|(_, it)| it.core == frame.core);
        for (window, it) in own {
            let first = offsets[window] % it.period.0;
            for number in 0..frame.length.0 / it.period.0 {
                let begin = first + number * it.period.0;
                let end = begin + it.duration.0;
                let mut push = |begin: u64, end: u64| {
                    let (offset, duration) = (Nanos(begin), Nanos(end - begin));
                    frame.windows.push(TimeWindow { partition: it.partition, offset, duration });
                };
                // What lies across the end of the frame goes on at its begin.
                push(begin, end.min(frame.length.0));
                if end > frame.length.0 {
                    push(0, end - frame.length.0);
                }
            }
        }
        frame.windows.sort_by_key(|window| window.offset);
    }
}

/// The I/O schedule, where the description has transactions or windows without an offset.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct IoDocument {
    /// Whether there is a schedule in which each transaction keeps its limit, and no task of it can miss the end of its window.
    pub met: bool,
    /// Why there is none; null where there is one.
    pub explanation: Option<String>,
    /// All windows, by transaction; empty where there is no schedule.
    pub windows: Vec<IoWindowDocument>,
    /// The transactions in the order of the description.
    pub transactions: Vec<IoTransactionDocument>,
}

/// A window, which is open again and again.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct IoWindowDocument {
    /// The name of its transaction; null: it is part of none.
    pub transaction: Option<String>,
    /// "physical input", "device input", "processing", "device output", "physical output", or "window" where it is part of no transaction.
    pub part: &'static str,
    /// The core or device that it takes.
    pub on: String,
    /// The task, or the partition whose tasks run; null: the device alone.
    pub runs: Option<String>,
    /// When it opens first; those of one transaction are of one instance.
    pub offset_ns: u64,
    /// How long it is open each time.
    pub duration_ns: u64,
    /// The time after which it opens again.
    pub period_ns: u64,
}

/// A transaction.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct IoTransactionDocument {
    /// Its name.
    pub transaction: String,
    /// From the begin of its first window to the end of its last; null where there is no schedule.
    pub end_to_end_ns: Option<u64>,
    /// The longest that the description allows.
    pub limit_ns: u64,
    /// The task that can miss the end of its window; null: none.
    pub late_task: Option<String>,
}

impl IoDocument {
    pub fn new(system: &System, analysis: &Analysis, found: &Result<IoSchedule, String>) -> Self {
        let (schedule, explanation) = match found {
            Ok(schedule) => (Some(schedule), None),
            Err(why) => (None, Some(why.clone())),
        };
        let window = |it: &IoWindow| IoWindowDocument {
            transaction: it.transaction.clone(),
            part: it.part,
            on: it.resource.clone(),
            runs: it.runs.clone(),
            offset_ns: it.offset.0,
            duration_ns: it.duration.0,
            period_ns: it.period.0,
        };
        let transaction = |(index, it): (usize, &Transaction)| IoTransactionDocument {
            transaction: it.name.clone(),
            end_to_end_ns: schedule.map(|all| all.transactions[index].end_to_end.0),
            limit_ns: it.limit.0,
            late_task: late_task(system, analysis, index).map(|row| row.name.clone()),
        };
        let transactions: Vec<_> =
            system.io.transactions.iter().enumerate().map(transaction).collect();
        IoDocument {
            met: schedule.is_some() && transactions.iter().all(|it| it.late_task.is_none()),
            explanation,
            windows: schedule.into_iter().flat_map(|all| &all.windows).map(window).collect(),
            transactions,
        }
    }
}
