// SPDX-License-Identifier: Apache-2.0
//! Reads the stages of a team: what a job of the task that forks executes, one after the other.

use std::ops::Range;

use super::{
    file::{CriticalTable, Spanned, StageTable, SystemFile, TaskTable, TeamTable},
    report::Report,
    shared, values, words,
};
use crate::{Code, MutexUse, Nanos, Problem, Stage};

/// The critical sections of all teams, each with a mutex.
pub struct Criticals {
    pub names: Vec<String>,
    pub first_mutex: usize,
}

impl Criticals {
    /// Returns the index of the mutex of a critical section. It is that of all teams' sections of
    /// this name, as names are a program's.
    fn mutex(&mut self, name: &str) -> usize {
        let known = self.names.iter().position(|it| it == name);
        let place = known.unwrap_or_else(|| {
            self.names.push(name.into());
            self.names.len() - 1
        });
        self.first_mutex + place
    }
}

/// The name of a critical section's mutex.
pub fn mutex_name(critical: &str) -> String {
    match critical {
        "" => "critical".into(),
        name => format!("critical_{name}"),
    }
}

/// The stages of a team; none if the description has none, or wrong ones, which are reported.
pub fn read(
    report: &mut Report,
    file: &SystemFile,
    table: &TeamTable,
    criticals: &mut Criticals,
) -> Vec<Stage> {
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
    let stages =
        places.map(|(place, table)| stage(report, table, place == 0, place == last, criticals));
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
    criticals: &mut Criticals,
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
    let (serial, strand) = (serial.flatten(), strand.flatten());
    let criticals = critical_sections(report, table, strand, criticals)?;
    (!is_refused).then_some(Stage { serial, strand, criticals })
}

/// The critical sections of a stage, which each strand executes.
fn critical_sections(
    report: &mut Report,
    table: &StageTable,
    strand: Option<Nanos>,
    criticals: &mut Criticals,
) -> Option<Vec<MutexUse>> {
    let mut uses: Vec<(MutexUse, Range<usize>)> = Vec::new();
    for place in &table.critical {
        let it = place.get();
        let one = critical(report, it, criticals)?;
        if let Some((_, earlier)) = uses.iter().find(|(other, _)| other.mutex == one.mutex) {
            let repeated = shared::repeated("critical section", place.span(), earlier.clone());
            report.add(repeated);
        }
        uses.push((one, place.span()));
    }
    let uses: Vec<_> = uses.into_iter().map(|(one, _)| one).collect();
    let Some(first) = table.critical.first() else { return Some(uses) };
    let Some(strand) = &table.strand.as_ref().zip(strand) else {
        let message = "a stage without a region has a critical section";
        let help =
            "leave it out, and give the stage of a region its sections: the task alone needs none";
        let problem = Problem::new(Code::MismatchedKey, message, help);
        report.add(problem.at(first.span(), "no `strand`"));
        return None;
    };
    let hold = |one: &MutexUse| one.hold.unwrap_or_default().0.saturating_mul(one.times.into());
    let sum = Nanos(uses.iter().map(hold).fold(0, u64::saturating_add));
    if sum > strand.1 {
        let message =
            format!("the critical sections of a strand take {sum} in all, longer than it");
        let help = format!("a section is execution of the strand: at most {} in all", strand.1);
        let problem = Problem::new(Code::HoldTooLong, message, help);
        report.add(problem.at(first.span(), format!("{sum}")).at(strand.0.span(), "the strand"));
    }
    Some(uses)
}

fn critical(
    report: &mut Report,
    table: &CriticalTable,
    criticals: &mut Criticals,
) -> Option<MutexUse> {
    let name = table.name.as_ref().map_or("", |name| &name.get().0);
    if let Some(place) = &table.name {
        // Its mutex has a name of a few letters more.
        let most = words::MAX_NAME + 1 - mutex_name("_").len();
        words::check_identifier(report, "name of a critical section", name, place.span(), most);
    }
    let hold = values::positive(report, "hold", &table.hold);
    let times = table.times.as_ref();
    let times = times.and_then(|it| values::number(report, "times", it, 1..=65535)).unwrap_or(1);
    Some(MutexUse { mutex: criticals.mutex(name), hold, inside: Vec::new(), times })
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
