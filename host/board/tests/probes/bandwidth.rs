// SPDX-License-Identifier: Apache-2.0
//! What one core gets from memory in a stream, with the prefetcher and without.

use super::{
    bench::{ARENA, Bench, Kind, Step, place, timing},
    formula::Formula,
    latency::Reading,
};
use std::collections::HashMap;
use takt_model::Board;

const LINES: u64 = 2048;

/// Cycles for each line of a stream.
pub fn stream(board: &Board) -> Vec<Reading> {
    let mut depths = vec![0, 1, timing(board).core.prefetch, 4];
    depths.sort();
    depths.dedup();
    let reading = |depth: u32| {
        let mut board = board.clone();
        let core = &mut board.timing.as_mut().expect("a timing").core;
        (core.prefetch, core.mshrs) = (depth, core.store_buffer + 1 + 4 * depth);
        let mut bench = Bench::new(&board, 1);
        let formula = bench.formula();
        let begin = bench.after_refresh(8) + 100;
        let stream = bench.add(Step::new(0, Kind::Stream, ARENA, LINES, begin));
        let took = bench.run()[0][stream];
        let expected = Stream::new(&formula).run(took.begin + formula.timing.core.system, LINES);
        let expected = expected - took.begin;
        let each = |cycles: u64| cycles as f64 / LINES as f64;
        let what = format!("a line of a stream, {depth} asked for ahead");
        Reading::new(what, each(expected), each(took.cycles()))
    };
    depths.into_iter().map(reading).collect()
}

/// A stream's lines on an otherwise idle machine.
struct Stream<'a> {
    formula: &'a Formula,
    /// When a line that was asked for is at the core.
    arrivals: HashMap<u64, u64>,
    /// Each bank's open row, the refresh before, and the end of the latest data.
    banks: HashMap<(usize, usize), (u64, u64, u64)>,
    /// From when on a link is free.
    links: HashMap<(u32, u32), u64>,
}

impl Stream<'_> {
    fn new(formula: &Formula) -> Stream<'_> {
        Stream { formula, arrivals: HashMap::new(), banks: HashMap::new(), links: HashMap::new() }
    }

    /// From the cycle at which the loop begins to the one behind it.
    fn run(&mut self, begin: u64, lines: u64) -> u64 {
        let core = &self.formula.timing.core;
        let (mut clock, mut next) = (begin, u64::MAX);
        for line in (0..lines).map(|line| ARENA + 64 * line) {
            if let Some(arrival) = self.arrivals.get(&line) {
                clock = clock.max(*arrival) + self.formula.l2();
            } else {
                let streams = line == next;
                next = line + 64;
                let mut group = vec![line];
                if streams {
                    let ahead = (1..=u64::from(core.prefetch)).map(|ahead| line + 64 * ahead);
                    group.extend(ahead.filter(|ahead| ahead / 4096 == line / 4096));
                    next = group[group.len() - 1] + 64;
                }
                self.ask(clock, &group);
                clock = self.arrivals[&line] + self.formula.l1();
            }
            clock += 3 + core.taken_branch;
        }
        clock - core.taken_branch
    }

    /// The lines are asked for at once; each finds its row and the wires as those before leave them.
    fn ask(&mut self, clock: u64, lines: &[u64]) {
        let formula = self.formula;
        let dram = &formula.timing.dram;
        let nodes = |line: u64| (dram.nodes[place(&formula.timing, line).0], formula.home(line));
        // Up to DRAM's own part.
        let reach = |line: u64| {
            let (controller, home) = nodes(line);
            let after = formula.long(controller, home) + formula.long(home, formula.node(0));
            formula.memory(0, line, 0) - dram.burst - after - formula.link() - formula.l1()
        };
        let mut order: Vec<u64> = lines.to_vec();
        order.sort_by_key(|line| reach(*line));
        for line in order {
            let mut at = clock + reach(line);
            let since = at.checked_rem(dram.refresh).unwrap_or(u64::MAX);
            at += dram.refresh_time.saturating_sub(since);
            let epoch = at.checked_div(dram.refresh).unwrap_or(0);
            let (controller, bank, row) = place(&formula.timing, line);
            let (first, busy) = match self.banks.get(&(controller, bank)) {
                Some((open, before, busy)) if *before == epoch && *open == row => {
                    (dram.row_hit, *busy)
                }
                Some((_, before, busy)) if *before == epoch => (dram.row_conflict, *busy),
                _ => (dram.row_closed, 0),
            };
            let data = (at + first).max(busy) + dram.burst;
            self.banks.insert((controller, bank), (row, epoch, data));
            let (controller, home) = nodes(line);
            let at_home = self.travel(controller, home, data);
            let arrival = self.travel(home, formula.node(0), at_home) + formula.link();
            self.arrivals.insert(line, arrival);
        }
    }

    /// A line's way, behind the lines before it on the same links.
    fn travel(&mut self, from: u32, to: u32, at: u64) -> u64 {
        let net = &self.formula.timing.interconnect;
        let length = 72u64.div_ceil(net.width);
        let mut head = at + net.local;
        for link in self.formula.path(from, to).windows(2) {
            let free = self.links.entry((link[0], link[1])).or_default();
            let start = head.max(*free);
            *free = start + length;
            head = start + net.hop;
        }
        head + length - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::board;

    fn all_read_back(name: &str) {
        let readings = stream(&board(name));
        for reading in &readings {
            assert!(reading.good(), "{name}: {reading}");
        }
        let cycles: Vec<f64> = readings.iter().map(|reading| reading.measured).collect();
        assert!(cycles.is_sorted_by(|fewer, more| fewer > more), "{name}: asking ahead pays");
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
}
