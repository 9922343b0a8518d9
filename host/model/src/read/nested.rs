// SPDX-License-Identifier: Apache-2.0
//! Reads which mutexes a job locks while it holds others: the key `inside` of an entry of `uses`.

use std::ops::Range;

use super::{
    file::{Name, Spanned, SystemFile, TaskTable, UseTable},
    report::Report,
    task::ClassNames,
};
use crate::{Class, Code, Problem, Protocol, System};

/// The greatest number of objects that a task can hold, because the kernel has a bit for each of
/// them.
const MOST_HELD: usize = 64;

/// One entry of an `inside`: an inner mutex that is locked while an outer one is held.
struct Pair {
    outer: usize,
    inner: usize,
    place: Range<usize>,
}

/// Reads each `inside`, and checks that the order of locks has no cycle.
pub fn read_all(report: &mut Report, file: &SystemFile, names: &ClassNames, system: &mut System) {
    let mut pairs = Vec::new();
    for (index, table) in file.task.iter().enumerate() {
        for place in &table.uses {
            let from = pairs.len();
            read(report, place.get(), names, system, index, &mut pairs);
            let Some(name) = place.get().mutex.as_ref().filter(|_| pairs.len() > from) else {
                continue;
            };
            let inner = names[Class::Mutex].index(name);
            let mut outer: Vec<_> = pairs[from..].iter().map(|pair| pair.outer).collect();
            outer.sort_unstable();
            outer.dedup();
            let mut own = system.tasks[index].mutexes.iter_mut();
            if let Some(one) = own.find(|one| Some(one.mutex) == inner) {
                one.inside = outer;
            }
        }
        check_count(report, table, system);
    }
    check_order(report, system, &pairs);
}

fn read(
    report: &mut Report,
    item: &UseTable,
    names: &ClassNames,
    system: &System,
    task: usize,
    pairs: &mut Vec<Pair>,
) {
    let Some(inside) = &item.inside else { return };
    let Some(name) = &item.mutex else {
        return report.add(no_mutex(inside.span()));
    };
    let Some(inner) = names[Class::Mutex].index(name) else { return };
    for other in inside.get() {
        let Some(outer) = names[Class::Mutex].find(report, other) else { continue };
        match problem(system, task, outer, inner) {
            Some((why, help)) => report.add(refused(name, other, why, help)),
            None => pairs.push(Pair { outer, inner, place: other.span() }),
        }
    }
}

/// The reason why the job cannot lock the inner mutex while it holds the outer one.
fn problem(
    system: &System,
    task: usize,
    outer: usize,
    inner: usize,
) -> Option<(&'static str, &'static str)> {
    let protocol = |mutex: usize| system.mutexes[mutex].protocol;
    if !system.tasks[task].mutexes.iter().any(|one| one.mutex == outer) {
        return Some(("this task does not use it", "add an entry of `uses` for it"));
    }
    if outer == inner {
        return Some(("a mutex is held once", "leave it out"));
    }
    if protocol(outer) == Protocol::Msrp {
        return Some(("a job that holds an \"msrp\" mutex waits for no other", "leave it out"));
    }
    let fits = protocol(inner) == Protocol::Msrp || protocol(inner) == protocol(outer);
    (!fits).then_some((
        "it has another protocol",
        "nest mutexes of one protocol, or an \"msrp\" mutex in others",
    ))
}

fn refused(name: &Spanned<Name>, other: &Spanned<Name>, why: &str, help: &str) -> Problem {
    let message =
        format!("no job locks `{}` while it holds `{}`: {why}", name.get().0, other.get().0);
    Problem::new(Code::NestedUse, message, help).at(other.span(), why).at(name.span(), "this mutex")
}

fn no_mutex(place: Range<usize>) -> Problem {
    let message = "`inside` is a key of mutexes";
    let help = "leave it out: who holds a semaphore, or locks a spin lock, needs no `inside`; who takes a \
                semaphore while it holds another object has no bound";
    Problem::new(Code::NestedUse, message, help).at(place, "not of a mutex")
}

/// Checks that each object that a job may hold can have a bit of its own. This is needed if bounds
/// depend on nested holds.
fn check_count(report: &mut Report, table: &TaskTable, system: &System) {
    let is_held =
        |item: &UseTable| item.mutex.is_some() || (item.semaphore.is_some() && item.hold.is_some());
    let mut held = table.uses.iter().filter(|place| is_held(place.get()));
    let Some(place) = held.nth(MOST_HELD).filter(|_| system.has_deadlines()) else { return };
    let name = &table.name.get().0;
    let message =
        format!("a job of `{name}` may hold more than {MOST_HELD} mutexes and semaphores");
    let help = "the kernel sees of no more whether one is taken while another is held: guard several things by \
                one mutex, or divide the work among tasks";
    let problem = Problem::new(Code::TooMany, message, help);
    report.add(problem.at(place.span(), "the first one too many"));
}

/// Follows each pair outwards; a path that returns to its first mutex is a cycle.
fn check_order(report: &mut Report, system: &System, pairs: &[Pair]) {
    let mut within = vec![Vec::new(); system.mutexes.len()];
    for pair in pairs {
        within[pair.outer].push(pair.inner);
    }
    for pair in pairs {
        if reaches(&within, pair.inner, pair.outer) {
            let name = |mutex: usize| &system.mutexes[mutex].name;
            let (outer, inner) = (name(pair.outer), name(pair.inner));
            let message =
                format!("`{inner}` and `{outer}` are locked one inside the other, in both orders");
            let help =
                "jobs can wait for each other for ever: lock mutexes in one order everywhere";
            return report.add(
                Problem::new(Code::NestedUse, message, help)
                    .at(pair.place.clone(), "this closes a circle"),
            );
        }
    }
}

fn reaches(within: &[Vec<usize>], from: usize, to: usize) -> bool {
    let (mut seen, mut left) = (vec![false; within.len()], vec![from]);
    while let Some(mutex) = left.pop() {
        if mutex == to {
            return true;
        }
        if !std::mem::replace(&mut seen[mutex], true) {
            left.extend(&within[mutex]);
        }
    }
    false
}
