// SPDX-License-Identifier: Apache-2.0
//! What cores find in a cache that their cluster shares, and in that of another cluster.

use super::{
    bench::{ARENA, Bench, Kind, Step, lines, timing},
    formula::Formula,
    latency::Reading,
};
use takt_model::Board;

/// Nothing on a board without clusters.
pub fn all(board: &Board) -> Vec<Reading> {
    match &timing(board).cluster {
        Some(cluster) if cluster.cores > 2 => {
            let shared = [shared(board), kept(board), written_back(board)];
            let taken = [invalidated(board), taken(board), taken_code(board)];
            shared.into_iter().chain(taken).collect()
        }
        _ => vec![],
    }
}

/// Lines of one home, so that each has the same way.
fn chosen(formula: &Formula) -> Vec<u64> {
    lines(ARENA, 64, |line| formula.home(line) == formula.home(ARENA))
}

/// Two neighbours have read the lines.
fn shared(board: &Board) -> Reading {
    let mut bench = Bench::new(board, 3);
    let formula = bench.formula();
    let first = bench.chain(&chosen(&formula));
    bench.add(Step::new(1, Kind::Chase, first, 64, 60_000));
    bench.add(Step::new(2, Kind::Chase, first, 64, 130_000));
    bench.add(Step::new(0, Kind::Chase, first, 64, 200_000));
    let took = bench.run()[0][0];
    let what = "read by the cluster's other cores";
    Reading::of_loop(what, &formula, 64, 64 * formula.cluster_hit(), took)
}

/// A core of another cluster has written the lines, and then read so much else that its L1 has lost them.
fn kept(board: &Board) -> Reading {
    let formula = Formula::new(timing(board));
    let writer = formula.together();
    let mut bench = Bench::new(board, writer + 1);
    let chosen = chosen(&formula);
    let first = bench.chain(&chosen);
    let own = formula.timing.l2.as_ref().unwrap_or(&formula.timing.l1d);
    let count = (own.size / 64 * 2) as usize;
    let much = bench.chain(&lines(ARENA + 0x40_0000, count, |_| true));
    bench.add(Step::new(writer, Kind::Write, first, 64, 60_000));
    bench.add(Step::new(writer, Kind::Chase, much, count as u64, 130_000));
    bench.add(Step::new(0, Kind::Chase, first, 64, 2_000_000));
    let took = bench.run()[0][0];
    let body = chosen.iter().map(|line| formula.kept(0, writer, *line)).sum();
    Reading::of_loop("written back in another cluster", &formula, 64, body, took)
}

/// The core has written more lines than its cluster's cache holds: the first are at their homes.
fn written_back(board: &Board) -> Reading {
    let mut board = board.clone();
    let cluster = board.timing.as_mut().expect("a timing").cluster.as_mut().expect("clusters");
    cluster.cache.size = 256 << 10;
    let mut bench = Bench::new(&board, 1);
    let formula = bench.formula();
    let count = 2 * (256 << 10) / 64;
    let written = lines(ARENA, count, |_| true);
    let first = bench.chain(&written);
    bench.add(Step::new(0, Kind::Write, first, count as u64, 60_000));
    bench.add(Step::new(0, Kind::Chase, first, 64, 10_000_000));
    let took = bench.run()[0][1];
    let body = written[..64].iter().map(|line| formula.home_hit(0, *line)).sum();
    Reading::of_loop("written back to the homes", &formula, 64, body, took)
}

/// An atomic operation in L1 on a line that all the cluster's other cores have read.
fn invalidated(board: &Board) -> Reading {
    let cores = Formula::new(timing(board)).together();
    let mut bench = Bench::new(board, cores);
    let formula = bench.formula();
    for core in 1..cores {
        let at = 50_000 + 10_000 * u64::from(core);
        bench.add(Step::new(core, Kind::Chase, ARENA, 1, at));
    }
    // The chain is of one line: it points at itself.
    bench.chain(&[ARENA]);
    bench.add(Step::new(0, Kind::Update, ARENA, 1, 200_000));
    let took = bench.run()[0][0];
    let what = "atomic on what the cluster's other cores read";
    Reading::of_loop(what, &formula, 1, formula.of_neighbour(), took)
}

/// The same, and a core of another cluster has read it too.
fn taken(board: &Board) -> Reading {
    let formula = Formula::new(timing(board));
    let other = formula.together();
    let mut bench = Bench::new(board, other + 1);
    bench.chain(&[ARENA]);
    bench.add(Step::new(1, Kind::Chase, ARENA, 1, 60_000));
    bench.add(Step::new(other, Kind::Chase, ARENA, 1, 70_000));
    bench.add(Step::new(0, Kind::Update, ARENA, 1, 200_000));
    let took = bench.run()[0][0];
    let what = "atomic on what another cluster reads too";
    Reading::of_loop(what, &formula, 1, formula.taken(0, other, ARENA), took)
}

/// On a line of the program's code.
fn taken_code(board: &Board) -> Reading {
    let other = Formula::new(timing(board)).together();
    let mut bench = Bench::new(board, other + 1);
    let (formula, code) = (bench.formula(), bench.code());
    bench.add(Step::new(0, Kind::Update, code, 1, 200_000));
    let took = bench.run()[0][0];
    let what = "atomic on what another cluster executes too";
    Reading::of_loop(what, &formula, 1, formula.taken_code(0, other, code), took)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::board;
    use takt_board::isa::CounterEvent;
    use takt_model::timing::Cache;

    /// To the cycle: nothing else happens on the machine.
    #[track_caller]
    fn exact(board: &Board) {
        for reading in all(board) {
            assert_eq!(reading.measured, reading.expected, "{reading}");
        }
    }

    #[test]
    fn of_sg2042() {
        exact(&board("sg2042"));
    }

    /// An L2 for each core, and a larger cache for all: each figure another.
    #[test]
    fn of_three_levels() {
        let mut board = board("sg2042");
        let timing = board.timing.as_mut().expect("a timing");
        timing.l2 = Some(Cache { size: 128 << 10, ways: 8, hit: 6, index: vec![] });
        let cluster = timing.cluster.as_mut().expect("clusters");
        (cluster.link, cluster.service, cluster.snoop) = (3, 2, 11);
        (cluster.cache.hit, cluster.cache.size) = (13, 2 << 20);
        exact(&board);
    }

    /// With more cores than one can serve in the time in which each would ask again.
    #[test]
    fn a_busy_cache_serves_one_each_so_many_cycles() {
        let mut board = board("sg2042");
        let timing = board.timing.as_mut().expect("a timing");
        timing.cluster.as_mut().expect("clusters").service = 40;
        let l1 = timing.l1d.size / 64;
        let mut bench = Bench::new(&board, 4);
        let formula = bench.formula();
        for hart in 0..4 {
            let own = ARENA + 0x10_0000 * u64::from(hart);
            let first = bench.chain(&lines(own, 2 * l1 as usize, |_| true));
            bench.add(Step::new(hart, Kind::Chase, first, 2 * l1, 100_000));
            bench.add(Step::new(hart, Kind::Chase, first, 2 * l1, 1_000_000));
        }
        let took = bench.run()[0][1];
        let reading = Reading::of_loop("busy", &formula, 2 * l1, 2 * l1 * 4 * 40, took);
        // The first and last rounds have less company, which is the difference.
        assert!((reading.measured + 2.0 - reading.expected).abs() < 2.0, "{reading}");
    }

    /// Twice through as many lines as the cluster's cache holds and L1 does not; then through more, to
    /// write them.
    #[test]
    fn counters_count_the_clusters_cache_as_the_l2() {
        let board = board("sg2042");
        let (cluster, l1) = ((1 << 20) / 64, (64 << 10) / 64);
        let events = [
            CounterEvent::L1dMiss,
            CounterEvent::L2Miss,
            CounterEvent::MemoryRead,
            CounterEvent::MemoryWrite,
        ];
        let counts = |kind, lines_: u64, times| {
            let mut bench = Bench::new(&board, 1);
            let first = bench.chain(&lines(ARENA, lines_ as usize, |_| true));
            bench.add(Step::new(0, kind, first, times * lines_, 100_000));
            bench.count(0, &events)
        };
        // The program has some lines of its own.
        let near = |counted: Vec<u64>, wanted: [u64; 4]| {
            let near = |(one, other): (&u64, u64)| (other..other + 60).contains(one);
            assert!(counted.iter().zip(wanted).all(near), "{counted:?} is not {wanted:?}");
        };
        let read = 4 * l1;
        near(counts(Kind::Chase, read, 2), [2 * read, read, read, 0]);
        let written = cluster + 1000;
        // Owned by a load and then changed without a word: the cluster hears of it when L1 drops the line.
        let mut bench = Bench::new(&board, 1);
        let few = bench.chain(&lines(ARENA, 500, |_| true));
        let much = bench.chain(&lines(ARENA + 0x40_0000, 2 * cluster as usize, |_| true));
        bench.add(Step::new(0, Kind::Chase, few, 500, 100_000));
        bench.add(Step::new(0, Kind::Write, few, 500, 400_000));
        bench.add(Step::new(0, Kind::Chase, much, 2 * cluster, 700_000));
        let all = 500 + 2 * cluster;
        near(bench.count(0, &events), [all, all, all, 500]);
        // The store's miss, and the load's behind it in the buffer, which finds it on its way.
        near(counts(Kind::Write, written, 1), [written, written, written, 1000]);
    }

    #[test]
    fn boards_without_have_none() {
        assert!(all(&board("tile72")).is_empty());
    }
}
