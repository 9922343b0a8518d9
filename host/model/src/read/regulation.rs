// SPDX-License-Identifier: Apache-2.0
//! Reads the table `[regulation]`: how many lines of memory cores may move in a period.

use std::ops::RangeInclusive;

use super::{
    file::{BudgetTable, Duration, LinesTable, RegulationTable, Spanned, SystemFile},
    report::Report,
    shared, task, values,
};
use crate::{Board, Code, MemoryBudget, MemoryLines, Nanos, Problem, Regulation};

/// With a shorter period a core would do little but begin periods; a longer one bounds no response.
const PERIODS: RangeInclusive<Nanos> = Nanos(10_000)..=Nanos(10_000_000);
const LINES: RangeInclusive<u32> = 1..=1_000_000;

pub fn read(
    report: &mut Report,
    file: &SystemFile,
    cores: u32,
    board: Option<&Board>,
) -> Option<Regulation> {
    let table = file.regulation.as_ref()?;
    if let Some(board) = board.filter(|board| board.timing.is_none()) {
        let message = format!("the board `{}` has no timing, so nothing counts lines", board.name);
        let help = "leave [regulation] out, or take a board with a timing";
        let problem = Problem::new(Code::MismatchedKey, message, help);
        let board = file.system.board.span();
        report.add(problem.at(table.period.span(), "not on this board").at(board, "the board"));
    }
    let budgets = budgets(report, table, cores);
    let period = period(report, &table.period);
    if let Some(period) = period {
        check_tasks(report, file, table, period, &budgets);
    }
    let kernel = table.kernel.as_ref().map(|it| lines(report, it));
    Some(Regulation { period: period.unwrap_or(*PERIODS.start()), budgets, kernel })
}

/// Reads the lines that a job, or the kernel in a period, moves at most.
pub fn lines(report: &mut Report, table: &LinesTable) -> MemoryLines {
    let mut lines =
        |key, value| values::number(report, key, value, 0..=*LINES.end()).unwrap_or_default();
    MemoryLines { reads: lines("reads", &table.reads), writes: lines("writes", &table.writes) }
}

fn period(report: &mut Report, value: &Spanned<Duration>) -> Option<Nanos> {
    let period = values::positive(report, "period", value)?;
    if !PERIODS.contains(&period) {
        let message = format!("a regulation period of {period} is out of range");
        let help = format!("choose {} to {}", PERIODS.start(), PERIODS.end());
        report.add(Problem::new(Code::OutOfRange, message, help).at(value.span(), "the period"));
        return None;
    }
    Some(period)
}

fn budgets(report: &mut Report, table: &RegulationTable, cores: u32) -> Vec<Option<MemoryBudget>> {
    if table.budgets.get().is_empty() {
        let problem =
            Problem::new(Code::EmptyList, "`budgets` is empty", "name a core and its budget");
        report.add(problem.at(table.budgets.span(), "no budget"));
    }
    let mut budgets = vec![None; cores as usize];
    let mut places: Vec<Option<&Spanned<i64>>> = vec![None; cores as usize];
    for one in table.budgets.get() {
        let budget = budget(report, one);
        for core in one.cores.get() {
            let Some(index) = task::core(report, "cores", core, cores) else { continue };
            if let Some(first) = places[index as usize].replace(core) {
                report.add(shared::repeated("core", core.span(), first.span()));
            }
            budgets[index as usize] = Some(budget);
        }
    }
    budgets
}

fn budget(report: &mut Report, table: &BudgetTable) -> MemoryBudget {
    if table.cores.get().is_empty() {
        let problem = Problem::new(Code::EmptyList, "`cores` is empty", "name the cores");
        report.add(problem.at(table.cores.span(), "no core"));
    }
    let mut lines =
        |key, value| values::number(report, key, value, LINES).unwrap_or(*LINES.start());
    MemoryBudget { reads: lines("reads", &table.reads), writes: lines("writes", &table.writes) }
}

/// Checks that a job of a regulated core sees more than one period.
fn check_tasks(
    report: &mut Report,
    file: &SystemFile,
    table: &RegulationTable,
    period: Nanos,
    budgets: &[Option<MemoryBudget>],
) {
    for task in &file.task {
        let Some(value) = &task.period else { continue };
        // A task without a core may come to any.
        let core = task.core.as_ref().and_then(|core| usize::try_from(*core.get()).ok());
        let regulated = core.is_none_or(|core| budgets.get(core).copied().flatten().is_some());
        let Ok(length) = value.get().0.parse::<Nanos>() else { continue };
        if regulated && period >= length {
            let name = &task.name.get().0;
            let message =
                format!("the regulation period is as long as the period of task `{name}`");
            let help = format!("choose a regulation period below {length}");
            let problem = Problem::new(Code::OutOfRange, message, help);
            let problem = problem.at(table.period.span(), "the regulation period");
            report.add(problem.at(value.span(), "the task's period"));
        }
    }
}
