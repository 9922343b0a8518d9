// SPDX-License-Identifier: Apache-2.0
//! Reads what a task may do to others while it runs.

use std::ops::Range;

use super::{
    file::{ControlTable, Spanned, TaskTable},
    report::Report,
    task::{ClassNames, optional},
    values,
};
use crate::{Action, Class, Code, Control, Problem, Rights, SpinLockUse, Target};

pub fn read(
    report: &mut Report,
    table: &TaskTable,
    spin_locks: Vec<SpinLockUse>,
    names: &ClassNames,
) -> Rights {
    let suspensions = table.suspensions.as_ref();
    let controls = table.controls.iter().filter_map(|it| control(report, it, names)).collect();
    Rights {
        unrestricted: table.unrestricted.as_ref().is_some_and(|it| *it.get()),
        cpu_lock: optional(&table.cpu_lock, |t| values::positive(report, "cpu_lock", t)),
        dispatch_disable: optional(&table.dispatch_disable, |t| {
            values::positive(report, "dispatch_disable", t)
        }),
        suspensions: suspensions
            .and_then(|it| values::number(report, "suspensions", it, 1..=65535)),
        calls: table.calls.as_ref().and_then(|it| values::number(report, "calls", it, 0..=65535)),
        spin_locks,
        controls,
    }
}

fn control(
    report: &mut Report,
    place: &Spanned<ControlTable>,
    names: &ClassNames,
) -> Option<Control> {
    let item = place.get();
    let separation = optional(&item.separation, |t| values::positive(report, "separation", t));
    let target = match (&item.task, &item.cyclic, &item.alarm, &item.interrupt) {
        (Some(task), None, None, None) => {
            let action = action(report, item, place.span());
            Target::Task(names[Class::Task].find(report, task)?, action?)
        }
        (None, Some(name), None, None) => Target::Cyclic(names[Class::Cyclic].find(report, name)?),
        (None, None, Some(name), None) => Target::Alarm(names[Class::Alarm].find(report, name)?),
        (None, None, None, Some(name)) => {
            Target::Interrupt(names[Class::Interrupt].find(report, name)?)
        }
        _ => {
            report.add(ambiguous(place.span()));
            return None;
        }
    };
    if let (Some(action), None) = (&item.action, &item.task) {
        let message = "`action` says what is done to a task, and this entry names none";
        let problem = Problem::new(Code::MismatchedKey, message, "leave `action` out");
        report.add(problem.at(action.span(), "not here"));
    }
    Some(Control { target, separation })
}

const ACTIONS: [(&str, Action); 5] = [
    ("observe", Action::Observe),
    ("terminate", Action::Terminate),
    ("suspend", Action::Suspend),
    ("set_priority", Action::SetPriority),
    ("migrate", Action::Migrate),
];

fn action(report: &mut Report, item: &ControlTable, place: Range<usize>) -> Option<Action> {
    let Some(word) = &item.action else {
        let message = "`controls` does not say what is done to the task";
        let help =
            "add action = \"observe\", \"terminate\", \"suspend\", \"set_priority\" or \"migrate\"";
        report.add(Problem::new(Code::MissingKey, message, help).at(place, "this entry"));
        return None;
    };
    values::word(report, "action", word, &ACTIONS)
}

fn ambiguous(place: Range<usize>) -> Problem {
    let message = "an entry of `controls` names one object: a task, a cyclic handler, an alarm or an interrupt";
    let help = "write { task = \"...\", action = \"...\" }, { cyclic = \"...\" }, { alarm = \"...\" } or { interrupt = \"...\" }, an entry each";
    Problem::new(Code::AmbiguousUse, message, help).at(place, "this entry")
}
