// SPDX-License-Identifier: Apache-2.0
//! Reads `[rtu]`: the unit that has a kernel's tables in hardware.

use std::ops::RangeInclusive;

use super::{
    addresses::{MappedRange, mapped_range},
    file::{BoardFile, RtuTable, Spanned},
    report::Report,
    values,
};
use crate::{
    Bytes, Code, Problem, Rtu, Timing,
    board::{RTU_HARTS, RTU_PAGE},
};

/// Entries that a search looks at in a clock.
const WIDTH: u32 = 8;

/// Reads the unit, and adds it to the ranges that have addresses. A board with a mistake in it has none.
pub fn read(
    report: &mut Report,
    file: &BoardFile,
    cores: u32,
    ranges: &mut Vec<MappedRange>,
) -> Option<Rtu> {
    let table = file.rtu.as_ref()?;
    check_board(report, file, table, cores);
    let base =
        values::aligned_address(report, "base", &table.base, Bytes(RTU_PAGE)).and_then(|base| {
            Some((base, mapped_range(report, "rtu", base, Rtu::size(cores), &table.base)?))
        });
    let node =
        table.node.as_ref().map_or(Some(0), |it| values::number(report, "node", it, 0..=255));
    let clock =
        table.clock.as_ref().map_or(Some(1), |it| values::number(report, "clock", it, 1..=1000));
    let tasks = multiple(report, "tasks", &table.tasks, 8..=248);
    let semaphores = values::number(report, "semaphores", &table.semaphores, 1..=1023);
    let queues = values::number(report, "queues", &table.queues, 1..=1023);
    let messages = multiple(report, "messages", &table.messages, 8..=1024);
    let (base, registers) = base?;
    ranges.push(registers);
    Some(Rtu {
        base,
        node: node?,
        clock: clock?.into(),
        tasks: tasks?,
        semaphores: semaphores?,
        queues: queues?,
        messages: messages?,
    })
}

fn check_board(report: &mut Report, file: &BoardFile, table: &RtuTable, cores: u32) {
    let at = table.base.span();
    if file.core.is_none() {
        let help = "add [core] and the other tables of a timing, or leave [rtu] out";
        let message = "an RTU on a board without a timing";
        let problem = Problem::new(Code::MismatchedKey, message, help);
        report.add(problem.at(at.clone(), "only the modelled machine has one"));
    }
    if let Some(workers) = &file.workers {
        let help = "leave [workers] or [rtu] out";
        let problem = Problem::new(Code::MismatchedKey, "an RTU on a board with workers", help);
        report.add(problem.at(at.clone(), "the RTU").at(workers.cores.span(), "the workers"));
    }
    if cores > RTU_HARTS {
        let message = format!("an RTU for {cores} cores");
        let help = format!("one unit has pages for at most {RTU_HARTS}");
        let problem = Problem::new(Code::OutOfRange, message, help);
        report.add(problem.at(at, "the RTU").at(file.board.cores.span(), "cores"));
    }
}

/// Checks that the interconnect has the unit's node.
pub fn check_node(report: &mut Report, file: &BoardFile, rtu: &Rtu, timing: &Timing) {
    let nodes = timing.interconnect.shape.nodes();
    let Some(node) = file.rtu.as_ref().and_then(|table| table.node.as_ref()) else { return };
    if rtu.node >= nodes {
        let message = format!("there is no node {}", rtu.node);
        let help = format!("the interconnect's nodes are 0 to {}", nodes - 1);
        let problem = Problem::new(Code::MissingNode, message, help);
        report.add(problem.at(node.span(), "no such node"));
    }
}

/// Reads the number of a table's entries, which searches look at 8 at a time.
fn multiple(
    report: &mut Report,
    key: &str,
    value: &Spanned<i64>,
    range: RangeInclusive<u32>,
) -> Option<u32> {
    let number = values::number(report, key, value, range)?;
    if number % WIDTH != 0 {
        let message = format!("`{key}` is {number}, which is no multiple of {WIDTH}");
        let help = format!("choose {}", number.next_multiple_of(WIDTH));
        let problem = Problem::new(Code::OutOfRange, message, help);
        report.add(problem.at(value.span(), "entries are searched 8 at a time"));
        return None;
    }
    Some(number)
}
