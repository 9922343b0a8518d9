// SPDX-License-Identifier: Apache-2.0
//! Reads the kinds of cores that differ from the board's other cores.

use std::{collections::HashMap, ops::Range};

use super::{
    cache::{self, CacheAt},
    file::BoardFile,
    report::Report,
    timing,
    timing_file::{CacheTable, KindTable},
    topology,
    words::Names,
};
use crate::{
    Bytes, Code, Problem, Timing,
    timing::{Cache, Kind},
};

/// Reads the kinds; those with mistakes are reported and left out. `cores` is the number of the
/// board's cores, and `board` its timing; 0 or None if that could not be read.
pub fn read(
    report: &mut Report,
    file: &BoardFile,
    cores: u32,
    board: Option<&Timing>,
) -> Vec<Kind> {
    Names::read(report, "kind", Code::UnknownKey, file.kind.iter().map(|table| &table.name));
    check_members(report, &file.kind);
    let kinds = file.kind.iter().map(|table| kind(report, file, table, cores, board));
    kinds.collect::<Vec<_>>().into_iter().flatten().collect()
}

fn kind(
    report: &mut Report,
    file: &BoardFile,
    table: &KindTable,
    cores: u32,
    board: Option<&Timing>,
) -> Option<Kind> {
    let wanted = "name a core, such as 0, or take the [[kind]] away";
    let cores = topology::cores(report, &table.cores, cores, wanted);
    let core = table.core.as_ref().map(|core| timing::core(report, core));
    let tlb = table.tlb.as_ref().map(|tlb| timing::tlb(report, tlb));
    // For each cache: None if the table does not have it, otherwise the result of reading it.
    let l1i = table.l1i.as_ref().map(|l1i| cache::read_fetch(report, l1i));
    let l1d = table.l1d.as_ref().map(|l1d| cache::read(report, CacheAt::L1, l1d));
    let l2 = table.l2.as_ref().map(|l2| cache::read(report, CacheAt::L2, l2));
    let board = board?;
    let l1i = l1i.unwrap_or_else(|| Some(board.l1i.clone()))?;
    let l1d = l1d.unwrap_or_else(|| Some(board.l1d.clone()))?;
    let l2 = match l2 {
        Some(l2) => Some(l2?),
        None => board.l2.clone(),
    };
    check_inclusion(report, file, table, l2.as_ref(), &l1d);
    Some(Kind {
        name: table.name.get().0.clone(),
        cores,
        core: core.unwrap_or_else(|| board.core.clone()),
        l1i,
        l1d,
        l2,
        tlb: tlb.unwrap_or_else(|| board.tlb.clone()),
    })
}

/// Checks that no core belongs to two kinds. A core that occurs twice in one list is reported with
/// the list.
fn check_members(report: &mut Report, tables: &[KindTable]) {
    let mut places: HashMap<i64, (usize, Range<usize>)> = HashMap::new();
    for (index, table) in tables.iter().enumerate() {
        for entry in table.cores.get() {
            let first = places.entry(*entry.get()).or_insert((index, entry.span()));
            if first.0 == index {
                continue;
            }
            let message = format!("core {} is of two kinds", entry.get());
            let help = "leave it out of one of them: a core has one set of figures";
            let problem = Problem::new(Code::Repeated, message, help);
            report.add(problem.at(entry.span(), "here again").at(first.1.clone(), "first here"));
        }
    }
}

/// Checks the inclusion of the caches if at least one of the two belongs to this kind. The board's
/// own pair has been checked before.
fn check_inclusion(
    report: &mut Report,
    file: &BoardFile,
    table: &KindTable,
    l2: Option<&Cache>,
    l1d: &Cache,
) {
    fn either<'f>(
        kind: &'f Option<CacheTable>,
        board: &'f Option<CacheTable>,
    ) -> Option<&'f CacheTable> {
        kind.as_ref().or(board.as_ref())
    }
    let tables = (either(&table.l2, &file.l2), either(&table.l1d, &file.l1d));
    let own = table.l2.is_some() || table.l1d.is_some();
    if let (true, Some(l2), (Some(outer), Some(inner))) = (own, l2, tables) {
        cache::check_inclusion(report, outer, l2, inner, l1d);
    }
}

/// Checks that a cluster's cache has room for everything that its cores hold, whatever their kinds
/// are.
pub fn check_clusters(report: &mut Report, file: &BoardFile, timing: &Timing, cores: u32) {
    let (Some(cluster), Some(table)) = (&timing.cluster, &file.cluster) else { return };
    let own = |core: u32| match timing.kind_of(core) {
        Some(kind) => kind.l2.as_ref().unwrap_or(&kind.l1d).size,
        None => timing.l2.as_ref().unwrap_or(&timing.l1d).size,
    };
    for first in (0..cores).step_by(cluster.cores as usize) {
        let last = (first + cluster.cores).min(cores) - 1;
        let all: u64 = (first..=last).map(own).sum();
        if all <= cluster.cache.size {
            continue;
        }
        let message = "[cluster.cache] is smaller than what its cores have of their own";
        let help = format!(
            "it holds all that they hold: cores {first} to {last} have {}; choose a larger one",
            Bytes(all)
        );
        let problem = Problem::new(Code::CacheTooSmall, message, help);
        return report.add(problem.at(table.cache.size.span(), "smaller"));
    }
}
