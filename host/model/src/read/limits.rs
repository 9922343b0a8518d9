// SPDX-License-Identifier: Apache-2.0
//! Reads the limits that the kernel enforces or watches for a task's jobs: their execution and
//! their deadline.

use super::{
    file::{HandlerTable, Spanned, TaskTable},
    report::Report,
    time_event, values,
};
use crate::{Budget, Code, Handler, Problem};

/// Whether the task asks for its jobs to be stopped, even if other mistakes are reported for that.
pub fn stops(table: &TaskTable) -> bool {
    table.budget.is_some() && table.overrun.as_ref().is_some_and(|word| word.get() == "stop")
}

pub fn budget(report: &mut Report, table: &TaskTable) -> Option<Budget> {
    let words = [("report", false), ("stop", true)];
    let overrun = table.overrun.as_ref();
    let stops = overrun.and_then(|word| values::word(report, "overrun", word, &words));
    let handler = table.overrun_handler.as_ref().map(|table| handler(report, table));
    let Some(budget) = &table.budget else {
        needs_budget(report, table);
        return None;
    };
    let time = values::positive(report, "budget", budget)?;
    Some(Budget { time, stops: stops.unwrap_or(false), handler })
}

fn needs_budget(report: &mut Report, table: &TaskTable) {
    let keys = [
        ("overrun", table.overrun.as_ref().map(Spanned::span)),
        ("overrun_handler", table.overrun_handler.as_ref().map(Spanned::span)),
    ];
    for (key, span) in keys {
        let Some(span) = span else { continue };
        let message = format!("the task `{}` has `{key}`, but no budget", table.name.get().0);
        let problem = Problem::new(Code::MissingKey, message, "add budget = \"...\"");
        report.add(problem.at(span, "nothing is overrun"));
    }
}

pub fn deadline_handler(report: &mut Report, table: &TaskTable) -> Option<Handler> {
    let value = table.deadline_handler.as_ref()?;
    if table.deadline.is_none() && table.period.is_none() && table.separation.is_none() {
        let name = &table.name.get().0;
        let message = format!("the task `{name}` has `deadline_handler`, but no deadline");
        let problem = Problem::new(Code::MissingKey, message, "add deadline = \"...\"");
        report.add(problem.at(value.span(), "no deadline passes"));
    }
    Some(handler(report, value))
}

fn handler(report: &mut Report, value: &Spanned<HandlerTable>) -> Handler {
    let table = value.get();
    Handler {
        function: time_event::function(report, &table.function),
        wcet: values::positive(report, "wcet", &table.wcet).unwrap_or_default(),
    }
}
