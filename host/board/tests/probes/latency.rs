// SPDX-License-Identifier: Apache-2.0
//! What a load takes, by where it finds its line.

use super::{
    bench::{ARENA, Bench, Kind, Span, Step, lines, place},
    formula::Formula,
};
use std::{collections::HashSet, fmt};
use takt_model::Board;

/// A figure that was measured, beside what the board's file says.
#[derive(Clone, Debug)]
pub struct Reading {
    pub what: String,
    pub expected: f64,
    pub measured: f64,
    /// Where the formula leaves a phase open: up to so much more or less.
    pub open: f64,
}

impl Reading {
    pub fn new(what: impl Into<String>, expected: f64, measured: f64) -> Reading {
        Reading { what: what.into(), expected, measured, open: 0.0 }
    }

    /// Per repetition, from a loop's whole time.
    pub fn of_loop(
        what: impl Into<String>,
        formula: &Formula,
        count: u64,
        body: u64,
        took: Span,
    ) -> Reading {
        let overhead = formula.counted(count, 0) as f64;
        let each = |cycles: u64| cycles as f64 / count as f64;
        let measured = (took.cycles() as f64 - overhead) / count as f64;
        Reading::new(what, each(body), measured)
    }

    pub fn good(&self) -> bool {
        (self.measured - self.expected).abs() <= self.open + 0.02 * self.expected
    }
}

/// A row of a table.
impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let open = if self.open > 0.0 { format!(" ± {:.1}", self.open) } else { String::new() };
        write!(f, "| {} | {:.1}{open} | {:.1} |", self.what, self.expected, self.measured)
    }
}

/// L1, L2 and the cluster's cache: chains that fit. Of core 0, and of a core of each kind.
pub fn private(board: &Board) -> Vec<Reading> {
    let kinds = super::bench::timing(board).kinds.iter();
    let firsts = kinds.filter_map(|kind| kind.cores.first()).filter(|core| **core != 0);
    [0].iter().chain(firsts).flat_map(|core| private_of(board, *core)).collect()
}

fn private_of(board: &Board, core: u32) -> Vec<Reading> {
    let mut bench = Bench::new(board, core + 1);
    let formula = Formula::new(&super::bench::timing(board).of_core(core));
    let timing = formula.timing.clone();
    let small = lines(ARENA, (timing.l1d.size / 128) as usize, |_| true);
    let mut sizes = vec![("L1", small, formula.l1())];
    if let Some(l2) = &timing.l2 {
        let large = lines(ARENA + 0x10_0000, (l2.size / 128) as usize, |_| true);
        sizes.push(("L2", large, formula.l2()));
    }
    if let Some(cluster) = &timing.cluster {
        let large = lines(ARENA + 0x40_0000, (cluster.cache.size / 128) as usize, |_| true);
        sizes.push(("cluster cache", large, formula.cluster_hit()));
    }
    for (_, lines, _) in &sizes {
        let (first, count) = (bench.chain(lines), lines.len() as u64);
        bench.add(Step::new(core, Kind::Chase, first, count, 0));
        bench.add(Step::new(core, Kind::Chase, first, 4 * count, 0));
    }
    let took = bench.run();
    let whose = if core == 0 { String::new() } else { format!(" of core {core}") };
    let reading = |(at, (what, lines, cycles)): (usize, &(&str, Vec<u64>, u64))| {
        let (count, what) = (4 * lines.len() as u64, format!("{what}{whose}"));
        Reading::of_loop(what, &formula, count, count * cycles, took[core as usize][2 * at + 1])
    };
    sizes.iter().enumerate().map(reading).collect()
}

/// Lines that the home's cache holds and two other cores, or clusters, share, by the home's distance from
/// core 0.
pub fn home(board: &Board) -> Vec<Reading> {
    let formula = Formula::new(super::bench::timing(board));
    let homes: Vec<u32> = (0..formula.nodes()).filter(|node| is_home(&formula, *node)).collect();
    let far = homes.iter().map(|home| formula.hops(0, *home)).max().unwrap_or(0);
    let mut readings = Vec::new();
    for distance in 0..=far {
        let Some(home) = homes.iter().find(|home| formula.hops(0, **home) == distance) else {
            continue;
        };
        let others = [formula.together(), 2 * formula.together()];
        let mut bench = Bench::new(board, others[1] + 1);
        let chosen = lines(ARENA, 64, |line| formula.home(line) == *home);
        let first = bench.chain(&chosen);
        bench.add(Step::new(others[0], Kind::Chase, first, 64, 30_000));
        bench.add(Step::new(others[1], Kind::Chase, first, 64, 100_000));
        bench.add(Step::new(0, Kind::Chase, first, 64, 170_000));
        let took = bench.run()[0][0];
        let body = chosen.iter().map(|line| formula.home_hit(0, *line)).sum();
        let what = format!("home cache, {distance} hops");
        readings.push(Reading::of_loop(what, &formula, 64, body, took));
    }
    readings
}

fn is_home(formula: &Formula, node: u32) -> bool {
    (ARENA / 64..ARENA / 64 + 0x10_0000).any(|line| formula.home(line * 64) == node)
}

/// Rows that are open, closed, and open for another row.
pub fn memory(board: &Board) -> Vec<Reading> {
    let formula = Formula::new(super::bench::timing(board));
    let dram = formula.timing.dram.clone();
    // All within two refreshes.
    let longest = formula.memory(0, ARENA, dram.row_conflict) + 100;
    let most = ((dram.refresh - dram.refresh_time) / 2 / longest).min(32) as usize;
    let of = |line: u64| place(&formula.timing, line);
    let (controller, bank, row) = of(ARENA);

    let open = lines(ARENA, most + 1, |line| of(line) == (controller, bank, row));
    let pages = || (0..0x8000).map(|page| ARENA + page * 4096);
    let mut seen = HashSet::new();
    let mut rows: Vec<u64> = pages().filter(|line| of(*line).0 == controller).collect();
    rows.retain(|line| of(*line).1 == bank && seen.insert(of(*line).2));
    rows.truncate(most + 1);
    let mut seen = HashSet::new();
    let mut fresh: Vec<u64> = pages().collect();
    fresh.retain(|line| seen.insert((of(*line).0, of(*line).1)));
    fresh.truncate(most);

    let states = [
        ("open row", open, dram.row_hit, 1),
        ("closed bank", fresh, dram.row_closed, 0),
        ("another row", rows, dram.row_conflict, 1),
    ];
    let reading = |(what, chosen, first, opens): (&str, Vec<u64>, u64, u64)| {
        let mut bench = Bench::new(board, 1);
        let start = bench.chain(&chosen);
        let count = chosen.len() as u64 - opens;
        let begin = bench.after_refresh(8) + 100;
        if opens > 0 {
            bench.add(Step::new(0, Kind::Chase, start, 1, begin));
        }
        // The rest, in the same stretch between two refreshes.
        let rest = chosen[opens as usize];
        let measured = bench.add(Step::new(0, Kind::Chase, rest, count, begin + 2 * longest));
        let took = bench.run()[0][measured];
        let each = chosen[opens as usize..].iter().map(|line| formula.memory(0, *line, first));
        Reading::of_loop(format!("memory, {what}"), &formula, count, each.sum(), took)
    };
    states.into_iter().map(reading).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::board;
    use takt_model::{Timing, timing};

    fn all_read_back(name: &str) {
        let board = board(name);
        let readings = [private(&board), home(&board), memory(&board)].concat();
        for reading in &readings {
            assert!(reading.good(), "{name}: {reading}");
        }
    }

    #[test]
    fn of_tile72() {
        all_read_back("tile72");
    }

    #[test]
    fn of_xeon40() {
        all_read_back("xeon40");
    }

    #[test]
    fn of_p4080() {
        all_read_back("p4080");
    }

    #[test]
    fn of_sg2042() {
        all_read_back("sg2042");
    }

    /// The board has cores of both kinds.
    #[test]
    fn of_biglittle8() {
        all_read_back("biglittle8");
        let of = |what: &str| private(&board("biglittle8")).iter().any(|it| it.what == what);
        assert!(of("L2") && of("L2 of core 4"));
    }

    /// Each core alone is of another kind, and no other is.
    #[test]
    fn of_one_core_of_another_kind() {
        for other in 0..4 {
            let mut board = board("virt");
            let timing = board.timing.as_mut().expect("a timing");
            let Timing { core, l1i, mut l1d, mut l2, tlb, .. } = timing.clone();
            l1d.hit += 3;
            l2.as_mut().expect("an L2").hit += 5;
            let (name, cores) = ("other".to_string(), vec![other]);
            timing.kinds = vec![timing::Kind { name, cores, core, l1i, l1d, l2, tlb }];
            for core in 0..4 {
                for reading in private_of(&board, core) {
                    assert!(reading.good(), "{other}: {reading}");
                }
            }
        }
    }

    #[test]
    fn of_virt() {
        all_read_back("virt");
    }
}
