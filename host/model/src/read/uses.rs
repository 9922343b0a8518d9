// SPDX-License-Identifier: Apache-2.0
//! Reads what a task shares with others: the entries of its `uses`.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
};

use super::{
    file::{Duration, Name, Spanned, TaskTable, UseTable},
    report::Report,
    shared,
    task::ClassNames,
    values,
    words::Names,
};
use crate::{Class, Code, MutexUse, Nanos, Problem, SpinLockUse, Use};

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
    let mut first = BTreeMap::new();
    let mut uses = Uses::default();
    for place in &table.uses {
        let item = place.get();
        let (name, used) = match (&item.semaphore, &item.mutex, &item.spin_lock) {
            (Some(name), None, None) => (name, Used::Semaphore),
            (None, Some(name), None) => (name, Used::Mutex),
            (None, None, Some(name)) => (name, Used::SpinLock),
            _ => {
                report.add(ambiguous_use(place.span()));
                continue;
            }
        };
        let hold = hold(report, item, name, table.wcet.as_ref(), wcet);
        let times = item.times.as_ref();
        let times = times.and_then(|it| values::number(report, "times", it, 1..=65535));
        let times = times.unwrap_or(1);
        let class = used.class();
        let first = first.entry(class).or_default();
        let Some(index) = once(report, class.noun(), &names[class], name, first) else {
            continue;
        };
        match used {
            Used::Semaphore => uses.semaphores.push(Use { semaphore: index, hold, times }),
            Used::Mutex => {
                let inside = Vec::new(); // filled in when all mutexes are known
                uses.mutexes.push(MutexUse { mutex: index, hold, times, inside });
            }
            Used::SpinLock => {
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

/// The classes whose objects a task uses only as it declares.
#[derive(Clone, Copy)]
enum Used {
    Semaphore,
    Mutex,
    SpinLock,
}

impl Used {
    fn class(self) -> Class {
        match self {
            Used::Semaphore => Class::Semaphore,
            Used::Mutex => Class::Mutex,
            Used::SpinLock => Class::SpinLock,
        }
    }
}

fn no_hold(name: &Spanned<Name>) -> Problem {
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
    name: &Spanned<Name>,
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
    name: &Spanned<Name>,
    place: Option<&Spanned<Duration>>,
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
