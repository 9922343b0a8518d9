// SPDX-License-Identifier: Apache-2.0
//! Reads the handlers that the kernel calls at times: cyclic handlers and alarms.

use super::{
    file::{AlarmTable, CyclicTable, Duration, Spanned},
    report::Report,
    task, values, words,
};
use crate::{Alarm, Code, Cyclic, Nanos, Problem};

pub fn cyclics(report: &mut Report, tables: &[CyclicTable], cores: u32) -> Vec<Cyclic> {
    let read = |table: &CyclicTable| {
        let period = values::positive(report, "period", &table.period);
        let wcet = values::positive(report, "wcet", &table.wcet);
        check_wcet(report, &table.wcet, wcet, "period", &table.period, period);
        let offset = table.offset.as_ref();
        let offset =
            offset.and_then(|value| Some((value, values::duration(report, "offset", value)?)));
        if let Some((value, offset)) = offset.filter(|(_, offset)| Some(*offset) >= period) {
            let problem = offset_too_long(table, offset, period);
            report
                .add(problem.at(value.span(), "the offset").at(table.period.span(), "the period"));
        }
        Cyclic {
            name: table.name.get().0.clone(),
            function: function(report, &table.function),
            argument: table.argument.as_ref().map_or(0, |argument| *argument.get()),
            core: task::core(report, "core", &table.core, cores).unwrap_or_default(),
            period: period.unwrap_or_default(),
            offset: offset.map_or(Nanos(0), |(_, offset)| offset),
            wcet: wcet.unwrap_or_default(),
            start: table.start.as_ref().is_some_and(|start| *start.get()),
        }
    };
    tables.iter().map(read).collect()
}

pub fn alarms(report: &mut Report, tables: &[AlarmTable], cores: u32) -> Vec<Alarm> {
    let read = |table: &AlarmTable| {
        let mut optional = |key, value: &Option<Spanned<Duration>>| {
            value.as_ref().and_then(|value| values::positive(report, key, value))
        };
        let separation = optional("separation", &table.separation);
        let wcet = optional("wcet", &table.wcet);
        if let (Some(value), Some(place)) = (&table.wcet, &table.separation) {
            check_wcet(report, value, wcet, "separation", place, separation);
        }
        Alarm {
            name: table.name.get().0.clone(),
            function: function(report, &table.function),
            argument: table.argument.as_ref().map_or(0, |argument| *argument.get()),
            core: task::core(report, "core", &table.core, cores).unwrap_or_default(),
            separation,
            wcet,
        }
    };
    tables.iter().map(read).collect()
}

pub fn function(report: &mut Report, value: &Spanned<String>) -> String {
    words::check_entry(report, "function", value);
    value.get().clone()
}

/// Checks that a handler ends before it is called again; otherwise nothing else would run.
fn check_wcet(
    report: &mut Report,
    value: &Spanned<Duration>,
    wcet: Option<Nanos>,
    key: &str,
    place: &Spanned<Duration>,
    limit: Option<Nanos>,
) {
    let (Some(wcet), Some(limit)) = (wcet, limit) else { return };
    if wcet >= limit {
        let message = format!("the handler runs as long as its whole {key}");
        let help = format!("choose a wcet below {limit}: nobody else of the core could run");
        let problem = Problem::new(Code::OutOfRange, message, help);
        report.add(problem.at(value.span(), "the wcet").at(place.span(), format!("the {key}")));
    }
}

fn offset_too_long(table: &CyclicTable, offset: Nanos, period: Option<Nanos>) -> Problem {
    let name = &table.name.get().0;
    let message = format!("the offset of cyclic handler `{name}` is not shorter than its period");
    let help = match period {
        Some(period) => format!("choose an offset below {period}; this is {offset}"),
        None => "choose a shorter offset".to_string(),
    };
    Problem::new(Code::OffsetTooLong, message, help)
}
