// SPDX-License-Identifier: Apache-2.0
//! What cores feel of each other: lines handed over, atomics, interrupts.

use super::{
    bench::{ARENA, Bench, Kind, Step, lines, timing},
    formula::Formula,
    latency::Reading,
};
use takt_model::{Board, timing::Atomics};

/// Core 0's partners: the first core at each distance.
fn partners(board: &Board) -> Vec<(u64, u32)> {
    let formula = Formula::new(timing(board));
    let mut partners: Vec<(u64, u32)> = Vec::new();
    for core in 1..board.cores {
        let distance = formula.hops(formula.node(0), formula.node(core));
        if partners.iter().all(|(there, _)| *there != distance) {
            partners.push((distance, core));
        }
    }
    partners.sort();
    partners
}

/// Describes a partner.
fn who(formula: &Formula, (distance, core): (u64, u32)) -> String {
    match core < formula.together() {
        true => "a core of the cluster".to_string(),
        false => format!("a core {distance} hops away"),
    }
}

/// Loads of lines that a core at a distance has written.
pub fn modified(board: &Board) -> Vec<Reading> {
    let reading = |(distance, owner): (u64, u32)| {
        let mut bench = Bench::new(board, owner + 1);
        let formula = bench.formula();
        let chosen = lines(ARENA, 64, |line| formula.home(line) == formula.home(ARENA));
        let first = bench.chain(&chosen);
        bench.add(Step::new(owner, Kind::Write, first, 64, 60_000));
        bench.add(Step::new(0, Kind::Chase, first, 64, 200_000));
        let took = bench.run()[0][0];
        let body = chosen.iter().map(|line| formula.modified(0, owner, *line)).sum();
        let what = format!("written by {}", who(&formula, (distance, owner)));
        Reading::of_loop(what, &formula, 64, body, took)
    };
    partners(board).into_iter().map(reading).collect()
}

/// A line that two cores write in turn: the way there and back.
pub fn ping_pong(board: &Board) -> Vec<Reading> {
    let reading = |(distance, partner): (u64, u32)| {
        let mut bench = Bench::new(board, partner + 1);
        let formula = bench.formula();
        let count = 200;
        for (hart, begins) in [(0, 0), (partner, 1)] {
            let step = Step::new(hart, Kind::Pass, ARENA, count, 60_000);
            bench.add(Step { argument: begins, ..step });
        }
        let took = bench.run()[0][0];
        let pass =
            |phase| formula.pass(0, partner, ARENA, phase) + formula.pass(partner, 0, ARENA, phase);
        let (least, most) = (pass(0) as f64, pass(formula.pass_round() - 1) as f64);
        let what = format!("ping-pong with {}", who(&formula, (distance, partner)));
        let measured = took.cycles() as f64 / count as f64;
        Reading { open: (most - least) / 2.0, ..Reading::new(what, (least + most) / 2.0, measured) }
    };
    partners(board).into_iter().map(reading).collect()
}

/// Atomic operations on one word that nobody else uses, and on lines that another core has written.
pub fn atomics(board: &Board) -> Vec<Reading> {
    let formula = Formula::new(timing(board));
    let at_home = formula.timing.core.atomics == Atomics::Home;
    let mut readings = Vec::new();
    // One's own word: at L1 no matter where the home is.
    let mut distances: Vec<u64> = Vec::new();
    for line in (0..0x1000).map(|line| ARENA + line * 64) {
        let distance = formula.hops(0, formula.home(line));
        if distances.contains(&distance) || (!at_home && !distances.is_empty()) {
            continue;
        }
        distances.push(distance);
        let mut bench = Bench::new(board, 1);
        bench.add(Step::new(0, Kind::Update, line, 1, 20_000));
        bench.add(Step::new(0, Kind::Update, line, 64, 30_000));
        let took = bench.run()[0][1];
        let (what, each) = if at_home {
            let what = format!("atomic at the home, {distance} hops");
            (what, formula.atomic_at_home(0, line))
        } else {
            ("atomic on a line that L1 owns".to_string(), formula.l1())
        };
        readings.push(Reading::of_loop(what, &formula, 64, 64 * each, took));
    }
    readings.sort_by(|a, b| a.expected.total_cmp(&b.expected));
    readings
}

/// From a store to MSWI to the sleeping hart's first instruction.
pub fn interrupts(board: &Board) -> Vec<Reading> {
    const MSWI: u64 = 0x200_0000;
    let reading = |(from, to, what): (u32, u32, String)| {
        let mut bench = Bench::new(board, from.max(to) + 1);
        let formula = bench.formula();
        let send = Step::new(from, Kind::Send, MSWI + 4 * u64::from(to), 1, 100_000);
        bench.add(Step { argument: 1, ..send });
        bench.add(Step::new(to, Kind::Sleep, 0, 1, 50_000));
        let took = bench.run();
        let measured = took[to as usize][0].end - took[from as usize][0].begin;
        let timing = &formula.timing;
        // The sender's read of the clock, its way to the devices at node 0, the wire, and the wake.
        let way = formula.short(formula.node(from), 0);
        let expected = timing.core.system + way + timing.interrupt + timing.core.wake;
        Reading::new(what, expected as f64, measured as f64)
    };
    let partners = partners(board).into_iter().flat_map(|(distance, core)| {
        let there = format!("interrupt from core 0 to one {distance} hops away");
        let back = format!("interrupt to core 0 from one {distance} hops away");
        [(0, core, there), (core, 0, back)]
    });
    partners.map(reading).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::board;
    use takt_model::{Timing, timing};

    fn all_read_back(name: &str) {
        let board = board(name);
        let readings =
            [modified(&board), ping_pong(&board), atomics(&board), interrupts(&board)].concat();
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

    #[test]
    fn of_virt() {
        all_read_back("virt");
    }

    /// What core 0's atomic on a line of code takes, where of cores 0 to 2, which have executed it, these have an L2.
    fn on_code(with_l2: &[u32]) -> u64 {
        let mut board = board("virt");
        let timing = board.timing.as_mut().expect("a timing");
        let l2 = timing.l2.take();
        let Timing { core, l1i, l1d, tlb, .. } = timing.clone();
        let (name, cores) = ("with".to_string(), with_l2.to_vec());
        timing.kinds = vec![timing::Kind { name, cores, core, l1i, l1d, l2, tlb }];
        let mut bench = Bench::new(&board, 3);
        bench.add(Step::new(0, Kind::Update, bench.code(), 1, 200_000));
        bench.run()[0][0].cycles()
    }

    /// Only code in an L2 is in the directory, and has to be given up: of each core by itself.
    #[test]
    fn code_of_a_core_without_an_l2_is_left_alone() {
        let (alone, with_another) = (on_code(&[0]), on_code(&[0, 1]));
        assert!(alone < with_another, "{alone} and {with_another} cycles");
    }
}
