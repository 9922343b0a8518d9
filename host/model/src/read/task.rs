// SPDX-License-Identifier: Apache-2.0
//! Turns a `[[task]]` into a [`Task`].

use std::ops::{Index, Range, RangeInclusive};

use super::{
    file::{Size, Spanned, SystemFile, TaskTable},
    limits, migration, regulation,
    report::Report,
    rights,
    uses::{self, Uses},
    values,
    words::{self, Names},
};
use crate::{
    Activation, Bytes, Class, Code, Library, Nanos, Problem, Task, Word, system::LOWEST_PRIORITY,
};

/// The names of a system's objects, by class, and those of its partitions.
pub struct ClassNames<'f> {
    pub partitions: Names<'f>,
    /// In the order of [`Class::ALL`].
    by_class: Vec<Names<'f>>,
}

impl<'f> ClassNames<'f> {
    pub fn read(report: &mut Report, file: &'f SystemFile) -> ClassNames<'f> {
        let partitions = file.partition.iter().map(|table| &table.name);
        let partitions = Names::read(report, "partition", Code::UnknownPartition, partitions);
        let mut read = |class: &Class| {
            let names = class.names_in_file(file).into_iter();
            Names::read(report, class.noun(), class.unknown(), names)
        };
        ClassNames { partitions, by_class: Class::ALL.iter().map(&mut read).collect() }
    }
}

impl<'f> Index<Class> for ClassNames<'f> {
    type Output = Names<'f>;

    fn index(&self, class: Class) -> &Names<'f> {
        &self.by_class[class as usize]
    }
}

pub fn read_all(
    report: &mut Report,
    file: &SystemFile,
    names: &ClassNames,
    cores: u32,
) -> Vec<Task> {
    let graph = Library::Dataflow.word();
    let has_graph = file.system.libraries.iter().any(|it| it.get() == graph);
    if file.task.is_empty() && file.posix.is_none() && !has_graph {
        let problem = Problem::new(Code::NoTask, "the system has no task", "add a [[task]]");
        report.add(problem.at(file.system.name.span(), "this system"));
    }
    let mut tasks = Vec::new();
    for table in &file.task {
        tasks.push(read(report, table, names, cores));
    }
    tasks
}

fn read(report: &mut Report, table: &TaskTable, names: &ClassNames, cores: u32) -> Task {
    let entry = table.entry.get();
    words::check_entry(report, "entry", &table.entry);
    let activation = activation(report, table);
    let wcet = optional(&table.wcet, |t| values::positive(report, "wcet", t));
    let Uses { semaphores, mutexes, spin_locks } = uses::read(report, table, wcet, names);
    let core = optional(&table.core, |c| core(report, "core", c, cores));
    let cores = migration::cores(report, table, cores);
    Task {
        name: table.name.get().0.clone(),
        partition: optional(&table.partition, |name| names.partitions.find(report, name)),
        entry: entry.clone(),
        argument: table.argument.as_ref().map_or(0, |argument| *argument.get()),
        activation,
        deadline: deadline(report, table, activation),
        wcet,
        memory: table.memory.as_ref().map(|it| regulation::lines(report, it)),
        jitter: optional(&table.jitter, |t| values::duration(report, "jitter", t))
            .unwrap_or_default(),
        core: migration::home(table, core, &cores),
        cores,
        priority: priority(report, table),
        stack: optional(&table.stack, |s| stack(report, "stack", s, STACK))
            .unwrap_or(DEFAULT_STACK),
        queue: optional(&table.queue, |q| values::number(report, "queue", q, 1..=255)).unwrap_or(1),
        start: table.start.as_ref().is_some_and(|start| *start.get()),
        uses: semaphores,
        mutexes,
        suspends: optional(&table.suspends, |t| values::duration(report, "suspends", t)),
        budget: limits::budget(report, table),
        deadline_handler: limits::deadline_handler(report, table),
        rights: rights::read(report, table, spin_locks, names),
    }
}

const STACK: RangeInclusive<Bytes> = Bytes(1 << 10)..=Bytes(512 << 20);
const DEFAULT_STACK: Bytes = Bytes(8 << 10);

pub fn optional<V, T>(
    value: &Option<Spanned<V>>,
    read: impl FnOnce(&Spanned<V>) -> Option<T>,
) -> Option<T> {
    value.as_ref().and_then(read)
}

fn activation(report: &mut Report, table: &TaskTable) -> Activation {
    let period = optional(&table.period, |t| values::positive(report, "period", t));
    let separation = optional(&table.separation, |t| values::positive(report, "separation", t));
    check_activation_keys(report, table);
    match (&table.period, &table.separation) {
        (Some(_), _) => {
            let offset = offset(report, table, period).unwrap_or_default();
            Activation::Periodic { period: period.unwrap_or_default(), offset }
        }
        (None, Some(_)) => Activation::Sporadic { separation: separation.unwrap_or_default() },
        (None, None) => Activation::Aperiodic,
    }
}

/// Checks that the keys of the table belong to the same kind of task.
fn check_activation_keys(report: &mut Report, table: &TaskTable) {
    let name = &table.name.get().0;
    if let (Some(period), Some(separation)) = (&table.period, &table.separation) {
        let message = format!("the task `{name}` is both periodic and sporadic");
        let problem = Problem::new(Code::TwoActivations, message, "keep one of the two")
            .at(separation.span(), "makes it sporadic")
            .at(period.span(), "makes it periodic");
        report.add(problem);
    }
    if let Some(offset) = table.offset.as_ref().filter(|_| table.period.is_none()) {
        let help = "give the task a `period`, or leave out the offset";
        report.add(misfit(name, "offset", "periodic", help, offset.span()));
    }
    let timed = table.period.is_some() || table.separation.is_some();
    if let Some(start) = table.start.as_ref().filter(|_| timed) {
        let help = "leave it out: the kernel releases a periodic task, a call the other";
        report.add(misfit(name, "start", "aperiodic", help, start.span()));
    }
    if timed && table.wcet.is_none() && !limits::stops(table) {
        let message = format!("the task `{name}` does not say its longest execution");
        let help = "add wcet = \"...\", or a budget with overrun = \"stop\": without it nothing can be \
                    said of its core";
        let problem = Problem::new(Code::MissingWcet, message, help);
        report.add(problem.at(table.name.span(), "`wcet` is missing"));
    }
}

fn misfit(name: &str, key: &str, kind: &str, help: &str, span: Range<usize>) -> Problem {
    let message = format!("the task `{name}` is not {kind}, so it has no `{key}`");
    Problem::new(Code::WrongActivation, message, help).at(span, format!("for {kind} tasks only"))
}

fn offset(report: &mut Report, table: &TaskTable, period: Option<Nanos>) -> Option<Nanos> {
    let value = table.offset.as_ref()?;
    let offset = values::duration(report, "offset", value)?;
    if period.is_some_and(|period| offset >= period) {
        let message =
            format!("the offset of task `{}` is not below its period", table.name.get().0);
        let problem = Problem::new(Code::OffsetTooLong, message, "subtract whole periods from it");
        let period = table.period.as_ref().map_or(value.span(), Spanned::span);
        report.add(problem.at(value.span(), "the offset").at(period, "the period"));
    }
    Some(offset)
}

/// Reads the deadline: by default the period or separation, and at most that.
fn deadline(report: &mut Report, table: &TaskTable, activation: Activation) -> Option<Nanos> {
    let (key, limit, place) = match activation {
        Activation::Periodic { period, .. } => ("period", Some(period), &table.period),
        Activation::Sporadic { separation } => ("separation", Some(separation), &table.separation),
        Activation::Aperiodic => ("", None, &None),
    };
    let Some(value) = &table.deadline else { return limit };
    let deadline = values::positive(report, "deadline", value)?;
    // A limit of zero stands for a value that was refused.
    let limit = limit.filter(|limit| *limit > Nanos(0) && deadline > *limit);
    if let (Some(limit), Some(place)) = (limit, place) {
        let name = &table.name.get().0;
        let message = format!("the deadline of task `{name}` is longer than its {key}");
        let help = format!("choose a deadline of at most {limit}");
        let problem = Problem::new(Code::DeadlineTooLong, message, help);
        report.add(problem.at(value.span(), "the deadline").at(place.span(), format!("the {key}")));
    }
    Some(deadline)
}

fn priority(report: &mut Report, table: &TaskTable) -> Option<u8> {
    let value = table.priority.as_ref()?;
    let number = values::number(report, "priority", value, 1..=LOWEST_PRIORITY.into())?;
    u8::try_from(number).ok()
}

pub fn core(report: &mut Report, key: &str, value: &Spanned<i64>, cores: u32) -> Option<u32> {
    let number = u32::try_from(*value.get()).ok().filter(|core| *core < cores);
    if number.is_none() {
        let message = format!("`{key}` names a core that the system does not have");
        let help = match cores {
            1 => "the system has core 0 only".to_string(),
            _ => format!("the system's cores are 0 to {}", cores.saturating_sub(1)),
        };
        let problem = Problem::new(Code::MissingCore, message, help);
        report.add(problem.at(value.span(), "no such core"));
    }
    number
}

pub fn stack(
    report: &mut Report,
    key: &str,
    value: &Spanned<Size>,
    range: RangeInclusive<Bytes>,
) -> Option<Bytes> {
    values::aligned_size(report, key, value, range, Bytes(16))
}
