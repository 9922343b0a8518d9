// SPDX-License-Identifier: Apache-2.0
//! Reads the cores on which a task may run. A task that may migrate must not use anything that
//! belongs to one core or that is proved for one core.

use std::ops::Range;

use super::{
    file::{Spanned, TaskTable},
    report::Report,
    shared, task,
};
use crate::{Code, Problem};

/// The cores in ascending order; empty if the task stays on its core.
pub fn cores(report: &mut Report, table: &TaskTable, cores: u32) -> Vec<u32> {
    let Some(list) = &table.cores else { return Vec::new() };
    if list.get().is_empty() {
        let help = "name the cores that the task may run on, or leave `cores` out";
        let problem = Problem::new(Code::EmptyList, "`cores` is empty", help);
        report.add(problem.at(list.span(), "no core"));
    }
    let mut read: Vec<(u32, Range<usize>)> = Vec::new();
    for value in list.get() {
        let Some(core) = task::core(report, "cores", value, cores) else { continue };
        match read.iter().find(|(other, _)| *other == core) {
            Some((_, first)) => report.add(shared::repeated("core", value.span(), first.clone())),
            None => read.push((core, value.span())),
        }
    }
    must_be_free(report, table, list.span());
    let mut read: Vec<u32> = read.into_iter().map(|(core, _)| core).collect();
    if let Some(home) = &table.core {
        must_be_among(report, table, home, &read, list.span());
    }
    read.sort_unstable();
    read
}

/// The task's first core: the one it names, or else the first one of its list.
pub fn home(table: &TaskTable, core: Option<u32>, cores: &[u32]) -> Option<u32> {
    let first = table.cores.as_ref().and_then(|list| list.get().first());
    let first = first.and_then(|core| u32::try_from(*core.get()).ok());
    core.or(first.filter(|core| cores.contains(core)))
}

/// Reports what a migrating task must not have: deadlines are proved for one core, and so are the
/// bounds of mutexes and holds.
fn must_be_free(report: &mut Report, table: &TaskTable, list: Range<usize>) {
    let name = &table.name.get().0;
    let mut refuse = |what: &str, place: Range<usize>, help: &str| {
        let message = format!("the task `{name}` has {what}, so it must stay on its core");
        let problem = Problem::new(Code::BoundTask, message, help);
        report.add(problem.at(place, "this binds it").at(list.clone(), "but it may leave"));
    };
    let keys = [
        ("a period", &table.period),
        ("a separation", &table.separation),
        ("a deadline", &table.deadline),
    ];
    for (what, key) in keys {
        if let Some(key) = key {
            refuse(what, key.span(), "bounds are proved core by core: leave out one of the two");
        }
    }
    for entry in &table.uses {
        let (one, place) = (entry.get(), entry.span());
        if one.mutex.is_some() {
            refuse("a mutex", place, "use a semaphore without `hold`, or leave `cores` out");
        } else if one.hold.is_some() {
            refuse("a hold", place, "leave out the `hold`, or `cores`");
        }
    }
}

fn must_be_among(
    report: &mut Report,
    table: &TaskTable,
    home: &Spanned<i64>,
    cores: &[u32],
    list: Range<usize>,
) {
    if cores.is_empty() || cores.iter().any(|core| i64::from(*core) == *home.get()) {
        return;
    }
    let name = &table.name.get().0;
    let message = format!("the task `{name}` begins on a core that is not among its `cores`");
    let help = "add it to the list, or leave `core` out: then the first of the list is taken";
    let problem = Problem::new(Code::MismatchedKey, message, help);
    report.add(problem.at(home.span(), "not in the list").at(list, "the list"));
}
