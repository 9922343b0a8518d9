// SPDX-License-Identifier: Apache-2.0
//! Mutexes, and that their protocols fit their users.

use super::{
    file::{At, MutexTable, SystemFile, TaskTable},
    report::Report,
    shared, values,
};
use crate::{Code, Mutex, Order, Problem, Protocol};

pub fn read_all(report: &mut Report, file: &SystemFile) -> Vec<Mutex> {
    let mut mutexes = Vec::new();
    for table in &file.mutex {
        let mutex = mutex(report, table);
        if mutex.protocol != Protocol::Msrp {
            check_cores(report, table, file);
        }
        mutexes.push(mutex);
    }
    mutexes
}

fn mutex(report: &mut Report, table: &MutexTable) -> Mutex {
    let protocols =
        [("ceiling", Protocol::Ceiling), ("inherit", Protocol::Inherit), ("msrp", Protocol::Msrp)];
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
    Mutex { name: table.name.get().0.clone(), protocol, order }
}

/// Users that say their cores say the same one.
fn check_cores(report: &mut Report, table: &MutexTable, file: &SystemFile) {
    let name = &table.name.get().0;
    let uses = |task: &&TaskTable| {
        let names = task.uses.iter().filter_map(|one| one.get().mutex.as_ref());
        names.map(|it| &it.get().0).any(|it| it == name)
    };
    let cores = || file.task.iter().filter(uses).filter_map(|task| task.core.as_ref());
    let Some(first) = cores().next() else { return };
    if let Some(other) = cores().find(|core| core.get() != first.get()) {
        report.add(split(table, first, other));
    }
}

fn split(table: &MutexTable, first: &At<i64>, other: &At<i64>) -> Problem {
    let (name, protocol) = (&table.name.get().0, table.protocol.get());
    let message = format!("the mutex `{name}` is \"{protocol}\", but its users are on two cores");
    let help = "put them on one core, or write protocol = \"msrp\"";
    Problem::new(Code::SplitMutex, message, help)
        .at(table.protocol.span(), "for tasks of one core")
        .at(first.span(), "a user here")
        .at(other.span(), "and one here")
}
