// SPDX-License-Identifier: Apache-2.0
//! Reads the partitions, and checks that their tasks have nothing that disturbs or reaches others.

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use super::{
    file::{HealthTable, Name, PartitionTable, Spanned, SystemFile, TaskTable},
    report::Report,
    system,
    task::ClassNames,
    values,
};
use crate::{Class, Code, Health, Homing, Partition, Problem, Reaction, System, Word};

/// The application's sources, which a system of partitions alone does not have.
pub fn application_sources(report: &mut Report, file: &SystemFile, folder: &Path) -> Vec<PathBuf> {
    let Some(list) = &file.system.sources else {
        if needs_application(file) {
            let message = "the system has functions of no partition, and does not say its sources";
            let help = "add sources = [\"...\"] to [system]";
            let problem = Problem::new(Code::MissingKey, message, help);
            report.add(problem.at(file.system.name.span(), "`sources` is missing"));
        }
        return Vec::new();
    };
    system::sources(report, list, folder, file.dataflow.is_none())
}

/// Whether the kernel calls a function that belongs to no partition.
fn needs_application(file: &SystemFile) -> bool {
    let hooks = [&file.kernel.start_hook, &file.kernel.shutdown_hook];
    file.partition.is_empty()
        || file.task.iter().any(|task| task.partition.is_none())
        || file.posix.is_some()
        || hooks.into_iter().any(Option::is_some)
        || !(file.cyclic.is_empty() && file.alarm.is_empty() && file.interrupt.is_empty())
}

pub fn read_all(report: &mut Report, file: &SystemFile, folder: &Path) -> Vec<Partition> {
    if let Some(table) = file.partition.get(Partition::MOST) {
        let message = format!("more than {} partitions", Partition::MOST);
        let help = "the kernel has addresses for no more: join some of them";
        let problem = Problem::new(Code::TooMany, message, help);
        report.add(problem.at(table.name.span(), "the first one too many"));
    }
    file.partition.iter().map(|table| read(report, table, folder)).collect()
}

fn read(report: &mut Report, table: &PartitionTable, folder: &Path) -> Partition {
    let health = health(report, &table.health);
    let restarts = table.restarts.as_ref();
    let restarts = restarts.and_then(|it| values::number(report, "restarts", it, 1..=65535));
    let is_restart = |it: &Reaction| matches!(it, Reaction::RestartWarm | Reaction::RestartCold);
    let default = if health.reactions().iter().any(is_restart) { Partition::RESTARTS } else { 0 };
    Partition {
        name: table.name.get().0.clone(),
        sources: system::sources(report, &table.sources, folder, false),
        health,
        restarts: restarts.unwrap_or(default),
    }
}

fn health(report: &mut Report, table: &HealthTable) -> Health {
    let mut read = |key: &str, value: &Option<Spanned<String>>, default: Reaction| {
        let value = value.as_ref();
        value.and_then(|it| values::word(report, key, it, Reaction::WORDS)).unwrap_or(default)
    };
    let default = Health::default();
    Health {
        memory_violation: read(
            "memory_violation",
            &table.memory_violation,
            default.memory_violation,
        ),
        stack_overflow: read("stack_overflow", &table.stack_overflow, default.stack_overflow),
        illegal_request: read("illegal_request", &table.illegal_request, default.illegal_request),
        application_error: read(
            "application_error",
            &table.application_error,
            default.application_error,
        ),
    }
}

/// Checks the tasks of partitions, when all names are known.
pub fn check(report: &mut Report, file: &SystemFile, names: &ClassNames, system: &System) {
    if let (Some(table), Homing::Page) = (file.partition.first(), system.kernel.homing) {
        let homing = file.kernel.homing.as_ref().map_or(table.name.span(), Spanned::span);
        let message = "the memory of partitions has no homes";
        let help = "leave `homing` out";
        let problem = Problem::new(Code::MismatchedKey, message, help);
        report.add(problem.at(homing, "not with partitions").at(table.name.span(), "a partition"));
    }
    for task in &file.task {
        if let Some(partition) = &task.partition {
            check_keys(report, task, partition);
            check_uses(report, file, names, task, partition);
        }
    }
    for team in &file.team {
        let mut masters = file.task.iter().filter(|task| task.name.get().0 == team.task.get().0);
        if let Some(partition) = masters.find_map(|task| task.partition.as_ref()) {
            refuse(report, partition, "forks into a team", team.task.span());
        }
    }
}

/// Refuses the keys whose services a task of a partition does not have, and the handlers, which
/// would run in supervisor mode.
fn check_keys(report: &mut Report, task: &TaskTable, partition: &Spanned<Name>) {
    let unrestricted = task.unrestricted.as_ref().filter(|it| *it.get());
    let handlers =
        [("overrun_handler", &task.overrun_handler), ("deadline_handler", &task.deadline_handler)];
    let keys = [
        ("cores", task.cores.as_ref().map(Spanned::span)),
        ("cpu_lock", task.cpu_lock.as_ref().map(Spanned::span)),
        ("dispatch_disable", task.dispatch_disable.as_ref().map(Spanned::span)),
        ("unrestricted", unrestricted.map(Spanned::span)),
        ("controls", task.controls.first().map(Spanned::span)),
    ];
    let handlers = handlers.map(|(key, it)| (key, it.as_ref().map(Spanned::span)));
    for (key, place) in keys.into_iter().chain(handlers) {
        if let Some(place) = place {
            refuse(report, partition, &format!("has `{key}`"), place);
        }
    }
}

fn refuse(report: &mut Report, partition: &Spanned<Name>, what: &str, place: Range<usize>) {
    let message = format!("a task of the partition `{}` {what}", partition.get().0);
    let help = "leave it out, or let the task belong to no partition";
    let problem = Problem::new(Code::NotInPartition, message, help);
    report.add(problem.at(place, "not in a partition").at(partition.span(), "the partition"));
}

fn check_uses(
    report: &mut Report,
    file: &SystemFile,
    names: &ClassNames,
    task: &TaskTable,
    partition: &Spanned<Name>,
) {
    for place in &task.uses {
        let item = place.get();
        if let Some(name) = &item.mutex {
            refuse(report, partition, "locks a mutex", name.span());
        }
        if let Some(name) = &item.spin_lock {
            refuse(report, partition, "acquires a spin lock", name.span());
        }
        let Some(name) = &item.semaphore else { continue };
        let Some(semaphore) =
            names[Class::Semaphore].index(name).map(|index| &file.semaphore[index])
        else {
            continue; // reported where the uses are read
        };
        let owner = semaphore.partition.as_ref().map(|it| it.get().0.as_str());
        if owner != Some(partition.get().0.as_str()) {
            let message = format!("the semaphore `{}` belongs to {}", name.get().0, named(owner));
            let help = format!("add partition = \"{}\" to the semaphore", partition.get().0);
            let problem = Problem::new(Code::OtherPartition, message, help)
                .at(name.span(), "not of this partition")
                .at(partition.span(), "the task's partition");
            report.add(problem);
        }
    }
}

fn named(partition: Option<&str>) -> String {
    partition.map_or("no partition".to_owned(), |name| format!("the partition `{name}`"))
}
