// SPDX-License-Identifier: Apache-2.0
//! Reads caches, and the masks that form the number of a set or a bank from an address.

use super::{
    file::{Address, Spanned},
    report::Report,
    timing_file::CacheTable,
    values,
};
use crate::{Bytes, Code, Problem, timing::Cache};

const LINE: u64 = 64;

/// The level of a cache, which limits its size: there may be 128 of each of the first three, and
/// 256 of the last.
#[derive(Clone, Copy)]
pub enum CacheAt {
    L1,
    L2,
    Cluster,
    Home,
}

pub fn read(report: &mut Report, place: CacheAt, table: &CacheTable) -> Option<Cache> {
    let largest = match place {
        CacheAt::L1 => Bytes(1 << 20),
        CacheAt::L2 => Bytes(16 << 20),
        CacheAt::Cluster | CacheAt::Home => Bytes(64 << 20),
    };
    let size = values::size(report, "size", &table.size, Bytes(LINE)..=largest);
    let ways = values::number(report, "ways", &table.ways, 1..=64);
    let hit = values::cycles(report, "hit", &table.hit);
    let index = masks(report, "index", &table.index);
    let cache = Cache { size: size?.0, ways: ways?, hit, index: index? };
    check_sets(report, table, &cache)?;
    Some(cache)
}

/// Checks that size, ways and index give a whole number of sets that an address can select.
fn check_sets(report: &mut Report, table: &CacheTable, cache: &Cache) -> Option<()> {
    let way = u64::from(cache.ways) * LINE;
    let sets = cache.size / way;
    if cache.size % way != 0 {
        let message = format!("the cache's size is not a multiple of {} ways", cache.ways);
        let help = format!("{} ways of a line of 64B are {}", cache.ways, Bytes(way));
        let problem = Problem::new(Code::CacheShape, message, help);
        report.add(problem.at(table.size.span(), "this size").at(table.ways.span(), "these ways"));
        return None;
    }
    if !sets.is_power_of_two() {
        let message = format!("the cache has {sets} sets, which is not a power of two");
        let help = "bits of the address choose the set: choose other ways, or another size";
        let problem = Problem::new(Code::CacheShape, message, help);
        report.add(problem.at(table.size.span(), "this size").at(table.ways.span(), "these ways"));
        return None;
    }
    let Some(first) = table.index.first() else { return Some(()) };
    let wanted = sets.ilog2();
    if cache.index.len() != wanted as usize {
        let message = format!("{sets} sets need {wanted} masks in `index`");
        let help = "write a mask for each bit of the set's number";
        let problem = Problem::new(Code::CacheShape, message, help);
        report.add(problem.at(first.span(), format!("{} masks", cache.index.len())));
        return None;
    }
    Some(())
}

/// Reads an L1 instruction cache.
pub fn read_fetch(report: &mut Report, table: &CacheTable) -> Option<Cache> {
    let cache = read(report, CacheAt::L1, table)?;
    check_fetch(report, table, &cache);
    Some(cache)
}

/// Checks that an L1 instruction cache can hold two neighbouring lines, because an instruction may
/// begin in one and end in the next.
fn check_fetch(report: &mut Report, table: &CacheTable, cache: &Cache) {
    let sets = cache.size / LINE / u64::from(cache.ways);
    if cache.ways >= 2 || (sets >= 2 && cache.index.is_empty()) {
        return;
    }
    let message = "[l1i] may be unable to hold two lines that follow each other";
    let help = "an instruction may lie across two lines; give the cache 2 ways";
    let problem = Problem::new(Code::CacheShape, message, help);
    report.add(problem.at(table.ways.span(), "one way"));
}

/// Checks that an inclusive cache has room for everything that the inner caches can hold.
pub fn check_inclusion(
    report: &mut Report,
    outer_table: &CacheTable,
    outer: &Cache,
    inner_table: &CacheTable,
    inner: &Cache,
) {
    if outer.size < inner.size {
        let message = "[l2] is smaller than [l1d]";
        let help = "the L2 holds all that the L1 D holds; choose a larger one, or leave [l2] out";
        let problem = Problem::new(Code::CacheTooSmall, message, help);
        let place = outer_table.size.span();
        report.add(problem.at(place, "smaller").at(inner_table.size.span(), "than this"));
    }
}

/// Reads the masks of a number's bits.
pub fn masks(report: &mut Report, key: &str, list: &[Spanned<Address>]) -> Option<Vec<u64>> {
    let mut read = Vec::new();
    // The masks so far, combined such that each has a highest bit that no other one has.
    let mut reduced: Vec<u64> = Vec::new();
    for entry in list {
        let mask = values::address(report, key, entry)?;
        let low = mask & (LINE - 1);
        let rest = reduced.iter().fold(mask, |rest, other| rest.min(rest ^ other));
        let what = match () {
            () if mask == 0 => "has no bit at all",
            () if low != 0 => "takes bits inside a line of 64B",
            () if rest == 0 => "follows from those before it",
            () => {
                reduced.push(rest);
                reduced.sort_unstable_by(|a, b| b.cmp(a));
                read.push(mask);
                continue;
            }
        };
        let message = format!("a mask of `{key}` {what}");
        let help = "take address bits from bit 6 (0x40) on, and no exclusive or of the other masks";
        let problem = Problem::new(Code::BadMask, message, help);
        report.add(problem.at(entry.span(), "this mask"));
        return None;
    }
    Some(read)
}
