// SPDX-License-Identifier: Apache-2.0
//! Reads the stages of a team: what a job of the task that forks executes, one after the other.

use std::ops::Range;

use super::{
    file::{Spanned, StageTable, SystemFile, TaskTable, TeamTable},
    report::Report,
    values,
};
use crate::{Code, Nanos, Problem, Stage};

/// The stages of a team; none if the description has none, or wrong ones, which are reported.
pub fn read(report: &mut Report, file: &SystemFile, table: &TeamTable) -> Vec<Stage> {
    let Some(list) = &table.stages else { return Vec::new() };
    let master = file.task.iter().find(|task| task.name.get().0 == table.task.get().0);
    if let Some(master) = master {
        check_master(report, master, list.span());
    }
    if list.get().is_empty() {
        let help = "leave `stages` out, or begin with { serial = \"0us\", strand = \"...\" }";
        let problem = Problem::new(Code::EmptyList, "`stages` lists no stage", help);
        report.add(problem.at(list.span(), "no stage"));
    }
    let last = list.get().len().saturating_sub(1);
    let places = list.get().iter().enumerate();
    let stages = places.map(|(place, table)| stage(report, table, place == 0, place == last));
    let Some(stages) = stages.collect::<Option<Vec<_>>>() else { return Vec::new() };
    if let Some(master) = master {
        check_sum(report, master, &stages, list.span());
    }
    stages
}

fn stage(
    report: &mut Report,
    table: &Spanned<StageTable>,
    is_first: bool,
    is_last: bool,
) -> Option<Stage> {
    let (span, table) = (table.span(), table.get());
    let mut refuse = |code, message, help, label| {
        report.add(Problem::new(code, message, help).at(span.clone(), label));
    };
    if table.serial.is_none() && (is_first || table.strand.is_none()) {
        let message = "a stage has no `serial`";
        let help = "write what the task executes alone until it forks, serial = \"0us\" if that is nothing";
        refuse(Code::MissingKey, message, help, "begins with no fork and at no barrier");
        return None;
    }
    if table.strand.is_none() && !is_last {
        let message = "a stage has no `strand`, and others follow it";
        let help = "add strand = \"...\", or add its `serial` to that of the next stage";
        refuse(Code::MissingKey, message, help, "only the last stage may be without a region");
        return None;
    }
    let serial = table.serial.as_ref().map(|it| values::duration(report, "serial", it));
    let strand = table.strand.as_ref().map(|it| values::positive(report, "strand", it));
    // A value that was refused leaves an empty one.
    let is_refused = serial == Some(None) || strand == Some(None);
    (!is_refused).then_some(Stage { serial: serial.flatten(), strand: strand.flatten() })
}

/// A bound stage by stage is for a task that is released again and again, and restricted.
fn check_master(report: &mut Report, master: &TaskTable, stages: Range<usize>) {
    let name = &master.name.get().0;
    if master.period.is_none() && master.separation.is_none() {
        let message = format!("the task `{name}` has stages, and is neither periodic nor sporadic");
        let help = "leave out `stages`, or give the task a `period` or a `separation`";
        let problem = Problem::new(Code::WrongActivation, message, help);
        report.add(problem.at(stages.clone(), "of an aperiodic task"));
    }
    if let Some(unrestricted) = master.unrestricted.as_ref().filter(|it| *it.get()) {
        let message = format!("the task `{name}` has stages, and is unrestricted");
        let help = "leave out `unrestricted`, or `stages`: nothing is bounded beside it";
        let problem = Problem::new(Code::MismatchedKey, message, help);
        report.add(problem.at(unrestricted.span(), "unrestricted").at(stages, "has stages"));
    }
}

/// The task executes the serial parts and a strand of each stage.
fn check_sum(report: &mut Report, master: &TaskTable, stages: &[Stage], span: Range<usize>) {
    let Some(wcet) = &master.wcet else { return };
    let Ok(Nanos(most)) = wcet.get().0.parse() else { return };
    let parts = stages.iter().flat_map(|it| [it.serial, it.strand]).flatten();
    let sum = parts.fold(0_u64, |sum, part| sum.saturating_add(part.0));
    if sum > most {
        let sum = Nanos(sum);
        let message = format!(
            "the stages of the task `{}` execute for {sum} in all, longer than its `wcet`",
            master.name.get().0
        );
        let help = format!("write wcet = \"{sum}\" or more, or shorter stages");
        let problem = Problem::new(Code::StagesTooLong, message, help);
        report.add(problem.at(span, format!("{sum}")).at(wcet.span(), "shorter than that"));
    }
}
