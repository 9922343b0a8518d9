// SPDX-License-Identifier: Apache-2.0
//! Reads mutexes, and checks that their protocols fit their users.

use super::{
    file::{MutexTable, Spanned, SystemFile, TaskTable},
    report::Report,
    shared, values,
};
use crate::{Code, Mutex, Order, Problem, Protocol, system::LOWEST_PRIORITY};

pub fn read_all(report: &mut Report, file: &SystemFile) -> Vec<Mutex> {
    let mut mutexes = Vec::new();
    for table in &file.mutex {
        let mutex = mutex(report, table);
        if mutex.protocol != Protocol::Msrp {
            check_cores(report, table, file);
        }
        if let (Some(place), Some(ceiling)) = (&table.ceiling, mutex.ceiling) {
            check_ceiling(report, table, (place, ceiling), file);
        }
        mutexes.push(mutex);
    }
    mutexes
}

fn mutex(report: &mut Report, table: &MutexTable) -> Mutex {
    let protocols = [
        ("ceiling", Protocol::Ceiling),
        ("inherit", Protocol::Inherit),
        ("msrp", Protocol::Msrp),
        ("none", Protocol::Plain),
    ];
    let protocol = values::word(report, "protocol", &table.protocol, &protocols);
    let mut order = shared::order_or(report, table.order.as_ref(), Order::Priority);
    if let (Some(Protocol::Msrp), Some(value)) = (protocol, &table.order) {
        let message = "`order` has no meaning with \"msrp\": who spins is served in FIFO order";
        let help = "leave `order` out, or choose another protocol";
        let problem = Problem::new(Code::MismatchedKey, message, help);
        let place = table.protocol.span();
        report.add(problem.at(value.span(), "not here").at(place, "beside this word"));
    }
    let protocol = protocol.unwrap_or(Protocol::Msrp);
    if protocol == Protocol::Msrp {
        order = Order::Fifo;
    }
    let ceiling = table.ceiling.as_ref();
    let range = 1..=u32::from(LOWEST_PRIORITY);
    let ceiling = ceiling.and_then(|it| values::number(report, "ceiling", it, range));
    if let (Some(value), true) = (&table.ceiling, protocol != Protocol::Ceiling) {
        let message = "only a mutex with protocol = \"ceiling\" has a `ceiling`";
        let help = "leave `ceiling` out, or write protocol = \"ceiling\"";
        let problem = Problem::new(Code::MismatchedKey, message, help);
        let place = table.protocol.span();
        report.add(problem.at(value.span(), "not here").at(place, "beside this word"));
    }
    let ceiling = ceiling.filter(|_| protocol == Protocol::Ceiling);
    let ceiling = ceiling.and_then(|it| u8::try_from(it).ok());
    Mutex { name: table.name.get().0.clone(), protocol, order, ceiling }
}

/// Checks that no user has a priority above the ceiling, if the ceiling and the user's priority are
/// written.
fn check_ceiling(
    report: &mut Report,
    table: &MutexTable,
    (place, ceiling): (&Spanned<i64>, u8),
    file: &SystemFile,
) {
    for task in users(table, file) {
        let Some(priority) = &task.priority else {
            let message = format!(
                "`{}` uses a mutex with a written `ceiling`, but does not write its `priority`",
                task.name.get().0
            );
            let help = "write the task's `priority`, or leave `ceiling` out";
            let problem = Problem::new(Code::MissingKey, message, help);
            report.add(problem.at(task.name.span(), "this task").at(place.span(), "for this"));
            continue;
        };
        if *priority.get() < i64::from(ceiling) {
            let message = format!(
                "the ceiling of mutex `{}` is {ceiling}, but a user has priority {}, which is higher",
                table.name.get().0,
                priority.get()
            );
            let help = "write the highest priority of the users or a higher one (1 is the highest)";
            let problem = Problem::new(Code::CeilingTooLow, message, help);
            report.add(problem.at(place.span(), "too low").at(priority.span(), "a user"));
        }
    }
}

/// The tasks that use the mutex.
fn users<'a>(
    table: &'a MutexTable,
    file: &'a SystemFile,
) -> impl Iterator<Item = &'a TaskTable> + 'a {
    let name = &table.name.get().0;
    file.task.iter().filter(move |task| {
        let names = task.uses.iter().filter_map(|one| one.get().mutex.as_ref());
        names.map(|it| &it.get().0).any(|it| it == name)
    })
}

/// Checks that those users that name their cores name the same one.
fn check_cores(report: &mut Report, table: &MutexTable, file: &SystemFile) {
    let cores = || users(table, file).filter_map(|task| task.core.as_ref());
    let Some(first) = cores().next() else { return };
    if let Some(other) = cores().find(|core| core.get() != first.get()) {
        report.add(split(table, first, other));
    }
}

fn split(table: &MutexTable, first: &Spanned<i64>, other: &Spanned<i64>) -> Problem {
    let (name, protocol) = (&table.name.get().0, table.protocol.get());
    let message = format!("the mutex `{name}` is \"{protocol}\", but its users are on two cores");
    let help = "put them on one core, or write protocol = \"msrp\"";
    Problem::new(Code::SplitMutex, message, help)
        .at(table.protocol.span(), "for tasks of one core")
        .at(first.span(), "a user here")
        .at(other.span(), "and one here")
}
