// SPDX-License-Identifier: Apache-2.0
//! What a machine without queues cannot show: many cores at one bank, one home, one link.

use super::bench::{ARENA, Bench, Kind, Span, Step, lines, place};
use std::fmt;
use takt_model::{Board, Timing, timing::Dram};

/// One point of a curve.
#[derive(Clone, Debug)]
pub struct Point {
    pub what: String,
    /// Cores, or the width of a link.
    pub x: u64,
    /// Cycles of the whole machine for each access.
    pub cycles: f64,
    /// What the formula says is the least: the bottleneck's, or the latency by the cores.
    pub expected: f64,
}

/// A row of a table.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "| {} | {} | {:.2} | {:.2} |", self.x, self.what, self.cycles, self.expected)
    }
}

/// The whole machine's cycles for each of `accesses`.
fn each(took: &[Span], accesses: u64) -> f64 {
    let begin = took.iter().map(|took| took.begin).min().expect("some");
    let end = took.iter().map(|took| took.end).max().expect("some");
    (end - begin) as f64 / accesses as f64
}

fn changed(board: &Board, change: impl Fn(&mut Timing)) -> Board {
    let mut board = board.clone();
    change(board.timing.as_mut().expect("a timing"));
    board
}

/// Cores that read rows of one bank, or each of another bank of the same controller.
pub fn banks(board: &Board, cores: u32) -> [Point; 2] {
    let one = |same: bool| {
        let mut bench = Bench::new(board, cores);
        let formula = bench.formula();
        let dram = formula.timing.dram.clone();
        let banks = 1 << dram.banks.len();
        let count = 16;
        let begin = bench.after_refresh(20) + 100;
        for core in 0..cores {
            let bank = if same { 0 } else { core as usize % banks };
            let rows = fresh_rows(&formula.timing, bank, u64::from(core), count);
            let first = bench.chain(&rows);
            bench.add(Step::new(core, Kind::Chase, first, count as u64, begin));
        }
        let took: Vec<Span> = bench.run().into_iter().map(|took| took[0]).collect();
        let accesses = count as u64 * u64::from(cores);
        let latency = formula.memory(0, ARENA, dram.row_conflict) as f64 / f64::from(cores);
        let least = if same { conflict(&dram) } else { dram.burst };
        let expected = latency.max(least as f64);
        let what = if same { "one bank" } else { "all banks" };
        Point { what: what.into(), x: cores.into(), cycles: each(&took, accesses), expected }
    };
    [one(true), one(false)]
}

/// From one conflict's start in a bank to the next one's.
fn conflict(dram: &Dram) -> u64 {
    dram.row_conflict + dram.burst - dram.row_hit
}

/// Lines in rows of their own, in one bank of the first controller; each core has others.
fn fresh_rows(timing: &Timing, bank: usize, core: u64, count: usize) -> Vec<u64> {
    let mut seen = std::collections::HashSet::new();
    let mut rows: Vec<u64> = (0..0x10000).map(|page| ARENA + 4096 * page).collect();
    rows.retain(|line| {
        let (controller, its, row) = place(timing, *line);
        controller == 0 && its == bank && seen.insert(row)
    });
    let per_bank = rows.len() / count;
    assert!(per_bank > 0, "the bank has rows");
    // Where rows are few, cores take different lines of the same ones.
    let start = core as usize % per_bank * count;
    let line = 64 * (core / per_bank as u64);
    rows[start..start + count].iter().map(|row| row + line).collect()
}

/// Cores that do atomic operations at one home, each on a line of its own.
pub fn hot_home(board: &Board, cores: u32) -> Point {
    let mut bench = Bench::new(board, board.cores);
    let formula = bench.formula();
    let node = formula.nodes() / 2 + 4;
    let mine = lines(ARENA, cores as usize, |line| formula.home(line) == node);
    let count = 400;
    for (core, line) in (0..cores).zip(&mine) {
        bench.add(Step::new(core, Kind::Update, *line, 1, 40_000));
        bench.add(Step::new(core, Kind::Update, *line, count, 80_000));
    }
    let took: Vec<Span> = bench.run().into_iter().filter_map(|took| took.get(1).copied()).collect();
    let slowest = (0..cores).zip(&mine).map(|(core, line)| formula.atomic_at_home(core, *line) + 4);
    let latency = slowest.max().unwrap_or(0) as f64 / f64::from(cores);
    let service = formula.timing.coherence.service as f64;
    Point {
        what: "atomics at one home".into(),
        x: cores.into(),
        cycles: each(&took, count * u64::from(cores)),
        expected: service.max(latency),
    }
}

/// All cores of a mesh read lines of homes: their own, or that of the node mirrored at the middle column.
pub fn bisection(board: &Board, width: u64) -> [Point; 2] {
    let board = &changed(board, |timing| timing.interconnect.width = width);
    let one = |across: bool| {
        let mut bench = Bench::new(board, board.cores);
        let formula = bench.formula();
        let columns = 8;
        let count = 32;
        let mut chain = |core: u32| {
            let mirrored = core - core % columns + (columns - 1 - core % columns);
            let home = if across { mirrored } else { core };
            let mine = lines(ARENA, count, |line| formula.home(line) == home);
            bench.chain(&mine)
        };
        let chains: Vec<u64> = (0..board.cores).map(&mut chain).collect();
        // Two others share the lines first, so the home's cache answers.
        for (others, at) in [(1, 200_000), (2, 300_000), (0, 400_000)] {
            for core in 0..board.cores {
                let reader = (core + columns * others) % board.cores;
                let first = chains[core as usize];
                bench.add(Step::new(reader, Kind::Chase, first, count as u64, at));
            }
        }
        let took: Vec<Span> = bench.run().into_iter().map(|took| took[2]).collect();
        let cycles = took.iter().map(|took| took.cycles()).sum::<u64>() as f64
            / (count as f64 * f64::from(board.cores));
        let length = |bytes: u64| bytes.div_ceil(width);
        // Each middle link carries the lines of four cores one way, and the requests of four others.
        let link = 4 * (length(72) + length(8));
        let distance = |core: u32| if across { 7 - 2 * core.min(7 - core) } else { 0 };
        let idle = formula.home_hit(0, ARENA) as f64
            - 2.0 * formula.hops(0, formula.home(ARENA)) as f64
            + (0..8).map(|core| 2.0 * f64::from(distance(core))).sum::<f64>() / 8.0
            + 2.0
            + formula.timing.core.taken_branch as f64;
        let expected = if across { idle.max(link as f64) } else { idle };
        let what = if across { "home across the middle" } else { "home at the core" };
        Point { what: what.into(), x: width, cycles, expected }
    };
    [one(true), one(false)]
}

/// Cores of one socket read what the L3 of another holds, in streams.
pub fn sockets(board: &Board, cores: u32) -> Point {
    let mut bench = Bench::new(board, 12);
    let formula = bench.formula();
    let page = |core: u32| ARENA + 4096 * (1 + 4 * u64::from(core));
    let all: Vec<u64> =
        (0..cores).flat_map(|core| (0..64).map(move |line| page(core) + 64 * line)).collect();
    assert!(all.iter().all(|line| formula.home(*line) == 1), "pages of socket 1");
    let first = bench.chain(&all);
    for (sharer, at) in [(10, 60_000), (11, 600_000)] {
        bench.add(Step::new(sharer, Kind::Chase, first, all.len() as u64, at));
    }
    for core in 0..cores {
        bench.add(Step::new(core, Kind::Stream, page(core), 64, 1_200_000));
    }
    let took: Vec<Span> =
        bench.run().into_iter().take(cores as usize).map(|took| took[0]).collect();
    let net = &formula.timing.interconnect;
    let latency = formula.home_hit(0, page(0)) as f64;
    // A stream's group is under way at once.
    let stream = latency / f64::from(formula.timing.core.prefetch + 1) / f64::from(cores);
    Point {
        what: "lines from another socket".into(),
        x: cores.into(),
        cycles: each(&took, 64 * u64::from(cores)),
        expected: stream.max(72u64.div_ceil(net.width) as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{board, timing};

    fn near(point: &Point, share: f64) {
        let off = (point.cycles - point.expected).abs() / point.expected;
        assert!(off <= share, "{point} is off by {off}");
    }

    #[test]
    fn one_bank_serves_one_row_after_the_other() {
        let board = board("tile72");
        let [one, all] = banks(&board, 1);
        assert_eq!(one.cycles, all.cycles, "a core alone waits for the latency anyway");
        for cores in [8, 16] {
            let [one, all] = banks(&board, cores);
            // The bank is never idle; a refresh comes in between.
            near(&Point { expected: conflict(&timing(&board).dram) as f64, ..one.clone() }, 0.08);
            assert!(all.cycles < 0.65 * one.cycles, "{all} beside {one}");
        }
        assert!(banks(&board, 16)[1].cycles < 12.0, "banks overlap");
    }

    #[test]
    fn a_hot_home_serves_at_its_rate() {
        let board = board("tile72");
        for cores in [1, 8, 16, 32, 64, 72] {
            near(&hot_home(&board, cores), 0.01);
        }
        let slow = changed(&board, |timing| timing.coherence.service = 7);
        near(&hot_home(&slow, 72), 0.01);
    }

    #[test]
    fn the_middle_of_the_mesh_saturates() {
        let board = board("tile72");
        for width in [8, 4, 2, 1] {
            let [across, local] = bisection(&board, width);
            near(&local, 0.005);
            // Near the knee queues make it longer than either bound.
            let over = across.cycles / across.expected;
            assert!((0.99..1.3).contains(&over), "{across}");
        }
        near(&bisection(&board, 1)[0], 0.01);
    }

    #[test]
    fn the_link_between_two_sockets_saturates() {
        let board = board("xeon40");
        let [one, two] = [sockets(&board, 1), sockets(&board, 2)];
        assert!((1.9..2.0).contains(&(one.cycles / two.cycles)), "two cores get twice as much");
        near(&sockets(&board, 8), 0.06);
        near(&sockets(&board, 10), 0.05);
    }
}
