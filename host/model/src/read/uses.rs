// SPDX-License-Identifier: Apache-2.0
//! Reads what a task shares with others: the entries of its `uses`.

use std::{collections::HashMap, ops::Range};

use super::{
    file::{At, Duration, Name, TaskTable, UseTable},
    report::Report,
    shared,
    task::ClassNames,
    values,
    words::Names,
};
use crate::{Code, MutexUse, Nanos, Problem, SpinLockUse, Use};

/// The entries by the class of their objects.
#[derive(Default)]
pub struct Uses {
    pub semaphores: Vec<Use>,
    pub mutexes: Vec<MutexUse>,
    pub spin_locks: Vec<SpinLockUse>,
}

pub fn read(
    report: &mut Report,
    table: &TaskTable,
    wcet: Option<Nanos>,
    names: &ClassNames,
) -> Uses {
    let mut first = [HashMap::new(), HashMap::new(), HashMap::new()];
    let mut uses = Uses::default();
    for place in &table.uses {
        let item = place.get();
        let (name, class) = match (&item.semaphore, &item.mutex, &item.spin_lock) {
            (Some(name), None, None) => (name, Class::Semaphore),
            (None, Some(name), None) => (name, Class::Mutex),
            (None, None, Some(name)) => (name, Class::SpinLock),
            _ => {
                report.add(ambiguous_use(place.span()));
                continue;
            }
        };
        let hold = hold(report, item, name, table.wcet.as_ref(), wcet);
        let times = item.times.as_ref();
        let times = times.and_then(|it| values::number(report, "times", it, 1..=65535));
        let times = times.unwrap_or(1);
        let (noun, known) = class.names(names);
        let Some(index) = once(report, noun, known, name, &mut first[class as usize]) else {
            continue;
        };
        match class {
            Class::Semaphore => uses.semaphores.push(Use { semaphore: index, hold, times }),
            Class::Mutex => {
                let inside = Vec::new(); // filled in when all mutexes are known
                uses.mutexes.push(MutexUse { mutex: index, hold, times, inside });
            }
            Class::SpinLock => {
                if item.hold.is_none() {
                    report.add(no_hold(name));
                }
                let hold = hold.unwrap_or_default();
                uses.spin_locks.push(SpinLockUse { spin_lock: index, hold, times });
            }
        }
    }
    uses
}

#[derive(Clone, Copy)]
enum Class {
    Semaphore,
    Mutex,
    SpinLock,
}

impl Class {
    fn names<'a, 'f>(self, names: &'a ClassNames<'f>) -> (&'static str, &'a Names<'f>) {
        match self {
            Class::Semaphore => ("semaphore", &names.semaphores),
            Class::Mutex => ("mutex", &names.mutexes),
            Class::SpinLock => ("spin lock", &names.spin_locks),
        }
    }
}

fn no_hold(name: &At<Name>) -> Problem {
    let message = format!("the spin lock `{}` is used for an unknown time", name.get().0);
    let help = "add hold = \"...\": the longest time from its acquisition to its release";
    Problem::new(Code::MissingKey, message, help).at(name.span(), "without a `hold`")
}

fn ambiguous_use(place: Range<usize>) -> Problem {
    let message = "a use names one object: a semaphore, a mutex or a spin lock";
    let help = "write { semaphore = \"...\" }, { mutex = \"...\" } or { spin_lock = \"...\" }, an entry each";
    Problem::new(Code::AmbiguousUse, message, help).at(place, "this entry")
}

/// Finds the object of that name, and checks that the task names it only once.
fn once(
    report: &mut Report,
    class: &str,
    names: &Names,
    name: &At<Name>,
    first: &mut HashMap<usize, Range<usize>>,
) -> Option<usize> {
    let index = names.find(report, name)?;
    if let Some(at) = first.insert(index, name.span()) {
        report.add(shared::repeated(class, name.span(), at));
        return None;
    }
    Some(index)
}

/// Checks that a hold is not longer than the job's execution, of which it is a part.
fn hold(
    report: &mut Report,
    item: &UseTable,
    name: &At<Name>,
    place: Option<&At<Duration>>,
    wcet: Option<Nanos>,
) -> Option<Nanos> {
    let value = item.hold.as_ref()?;
    let hold = values::positive(report, "hold", value)?;
    if let (Some(place), Some(wcet)) = (place, wcet.filter(|wcet| hold > *wcet)) {
        let message = format!("`{}` is held longer than the job executes", name.get().0);
        let help = format!("a hold is execution time: at most the wcet, {wcet}");
        let problem = Problem::new(Code::HoldTooLong, message, help);
        report.add(problem.at(value.span(), "the hold").at(place.span(), "the whole job"));
    }
    Some(hold)
}
