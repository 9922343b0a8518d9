// SPDX-License-Identifier: Apache-2.0
//! Turns an `[[interrupt]]` into an [`Interrupt`].

use std::{
    collections::{BTreeSet, HashMap},
    ops::Range,
};

use super::{
    file::{InterruptTable, Spanned},
    report::Report,
    shared, task, values, words,
};
use crate::{Bytes, Code, Interrupt, Origin, Problem, system::LOWEST_INTERRUPT};

/// The highest source of the supported interrupt controllers (RISC-V PLIC, APLIC).
const LAST_SOURCE: u32 = 1023;
const LONGEST_PATH: usize = 127;

pub fn interrupts(report: &mut Report, tables: &[InterruptTable], cores: u32) -> Vec<Interrupt> {
    let mut first: HashMap<Origin, Range<usize>> = HashMap::new();
    let mut interrupts = Vec::new();
    for table in tables {
        let origin = origin(report, table);
        if let Some((origin, place)) = &origin {
            match first.get(origin) {
                Some(earlier) => {
                    let what = if table.device.is_some() { "device" } else { "source" };
                    report.add(shared::repeated(what, place.clone(), earlier.clone()));
                }
                None => drop(first.insert(origin.clone(), place.clone())),
            }
        }
        let origin = origin.map_or(Origin::Source(0), |(origin, _)| origin);
        interrupts.push(interrupt(report, table, origin, cores));
    }
    interrupts
}

fn interrupt(report: &mut Report, table: &InterruptTable, origin: Origin, cores: u32) -> Interrupt {
    let entry = table.entry.get();
    words::check_entry(report, "entry", &table.entry);
    let core = table.core.as_ref().and_then(|core| task::core(report, "core", core, cores));
    let range = 1..=u32::from(LOWEST_INTERRUPT);
    let priority = values::number(report, "priority", &table.priority, range).unwrap_or(1);
    let mut time = |key, value| task::optional(value, |time| values::positive(report, key, time));
    Interrupt {
        name: table.name.get().0.clone(),
        origin,
        entry: entry.clone(),
        argument: table.argument.as_ref().map_or(0, |argument| *argument.get()),
        core: core.unwrap_or_default(),
        priority: priority as u8,
        enabled: table.enabled.as_ref().is_none_or(|enabled| *enabled.get()),
        separation: time("separation", &table.separation),
        wcet: time("wcet", &table.wcet),
    }
}

/// The interrupt's origin, and its place in the file.
fn origin(report: &mut Report, table: &InterruptTable) -> Option<(Origin, Range<usize>)> {
    let name = &table.name.get().0;
    match (&table.device, &table.source) {
        (Some(path), None) => {
            check_path(report, path);
            Some((Origin::Device(path.get().clone()), path.span()))
        }
        (None, Some(source)) => {
            let number = values::number(report, "source", source, 1..=LAST_SOURCE)?;
            Some((Origin::Source(number), source.span()))
        }
        (Some(device), Some(source)) => {
            let message = format!("the interrupt `{name}` names a device and a source");
            let help = "keep one of the two: the device tree knows the device's source";
            let problem = Problem::new(Code::InterruptOrigin, message, help);
            report.add(problem.at(source.span(), "the source").at(device.span(), "the device"));
            None
        }
        (None, None) => {
            let message = format!("the interrupt `{name}` does not say whose it is");
            let help = "add device = \"/soc/...\", its path in the device tree; or source = ...";
            let problem = Problem::new(Code::InterruptOrigin, message, help);
            report.add(problem.at(table.name.span(), "of no device"));
            None
        }
    }
}

/// Checks that a path of the device tree can stand in a C string.
fn check_path(report: &mut Report, path: &Spanned<String>) {
    let fine = |c: char| c.is_ascii_alphanumeric() || ",._+-@/".contains(c);
    let text = path.get();
    let is_path = text.len() > 1 && text.starts_with('/') && !text.ends_with('/');
    if !is_path || text.contains("//") || text.len() > LONGEST_PATH || !text.chars().all(fine) {
        let message = "`device` is no path of a device tree";
        let help = "write it as the device tree has it, such as \"/soc/serial@10000000\"";
        report.add(Problem::new(Code::BadText, message, help).at(path.span(), "this text"));
    }
}

/// The default size of the trap stack: the kernel's own part, and room for a service routine of
/// each priority.
pub fn trap_stack(tables: &[InterruptTable]) -> Bytes {
    let priorities: BTreeSet<_> = tables.iter().map(|table| *table.priority.get()).collect();
    let levels = priorities.len().min(LOWEST_INTERRUPT.into()) as u64;
    Bytes((4 + 2 * levels) << 10)
}
