// SPDX-License-Identifier: Apache-2.0
//! A request that is issued later and arrives earlier is served first: at a home, and at a controller.

use super::{
    bench::{ARENA, Bench, Kind, Span, Step, board, lines, place, timing},
    formula::Formula,
};
use takt_model::{Board, Timing};

/// Two cores load a line each; the far one begins first. All delays of the second are tried until it
/// begins later and arrives earlier.
struct Race {
    near: Span,
    far: Span,
}

fn changed(change: impl Fn(&mut Timing)) -> Board {
    let mut board = board("tile72");
    change(board.timing.as_mut().expect("a timing"));
    board
}

/// From the first read of the clock to the arrival of a chase's request at its home.
fn to_home(formula: &Formula, core: u32, line: u64) -> u64 {
    formula.timing.core.system + formula.l2() - 1 + formula.short(core, formula.home(line))
}

fn idle(formula: &Formula, load: u64) -> u64 {
    formula.counted(1, load)
}

/// A core at the home, and the one that is farthest from it.
const NEAR: u32 = 0;
const FAR: u32 = 71;

#[test]
fn who_arrives_first_at_a_home_is_served_first() {
    let service = 200;
    let board = changed(|timing| timing.coherence.service = service);
    let formula = Formula::new(timing(&board));
    let chosen = lines(ARENA, 2, |line| formula.home(line) == 0);
    let races = (0..40).map(|delay| {
        let mut bench = Bench::new(&board, 72);
        for (hart, at) in [(1, 60_000), (2, 120_000)] {
            let first = bench.chain(&chosen);
            bench.add(Step::new(hart, Kind::Chase, first, 2, at));
        }
        bench.add(Step::new(FAR, Kind::Chase, chosen[0], 1, 200_000));
        bench.add(Step::new(NEAR, Kind::Chase, chosen[1], 1, 200_000 + delay));
        let took = bench.run();
        Race { near: took[NEAR as usize][0], far: took[FAR as usize][0] }
    });
    let arrives = |took: Span, core, line| took.begin + to_home(&formula, core, line);
    let overtakes = |race: &Race| {
        let (near, far) = (arrives(race.near, NEAR, chosen[1]), arrives(race.far, FAR, chosen[0]));
        race.near.begin > race.far.begin && near < far
    };
    let race = races.into_iter().find(overtakes).expect("one begins later and arrives earlier");
    let near = idle(&formula, formula.home_hit(NEAR, chosen[1]));
    let far = idle(&formula, formula.home_hit(FAR, chosen[0]));
    assert_eq!(race.near.cycles(), near, "who arrives first does not wait");
    let waits = arrives(race.near, NEAR, chosen[1]) + service - arrives(race.far, FAR, chosen[0]);
    assert_eq!(
        race.far.cycles(),
        far + waits,
        "who arrives second waits for the rest of its service"
    );
}

#[test]
fn who_arrives_first_at_a_controller_is_served_first() {
    let board = changed(|timing| {
        timing.dram.row_closed = 400;
        timing.dram.row_conflict = 400;
        timing.dram.refresh = 0;
    });
    let formula = Formula::new(timing(&board));
    let dram = &formula.timing.dram;
    // Two rows of one bank of the controller at node 2, with homes near and far.
    let of = |line: u64| place(&formula.timing, line);
    let (controller, bank, row) = of(ARENA);
    let near_home = |line: u64| formula.hops(dram.nodes[0], formula.home(line)) <= 1;
    let far_home = |line: u64| formula.hops(dram.nodes[0], formula.home(line)) >= 11;
    assert_eq!(controller, 0, "the arena begins at the first controller");
    let same = |line: u64| (of(line).0, of(line).1) == (controller, bank);
    let mine = lines(ARENA, 1, |line| same(line) && of(line).2 == row && near_home(line))[0];
    let other = lines(ARENA, 1, |line| same(line) && of(line).2 != row && far_home(line))[0];
    let arrives = |took: Span, core, line| {
        let home = formula.home(line);
        let cache = formula.timing.coherence.cache.as_ref().map_or(0, |cache| cache.hit);
        let there = formula.timing.coherence.directory + cache;
        took.begin + to_home(&formula, core, line) + there + formula.short(home, dram.nodes[0])
    };
    let races = (0..40).map(|delay| {
        let mut bench = Bench::new(&board, 72);
        for line in [mine, other] {
            bench.chain(&[line]);
        }
        bench.add(Step::new(FAR, Kind::Chase, other, 1, 200_000));
        bench.add(Step::new(NEAR, Kind::Chase, mine, 1, 200_000 + delay));
        let took = bench.run();
        Race { near: took[NEAR as usize][0], far: took[FAR as usize][0] }
    });
    let overtakes = |race: &Race| {
        let (near, far) = (arrives(race.near, NEAR, mine), arrives(race.far, FAR, other));
        race.near.begin > race.far.begin && near < far
    };
    let race = races.into_iter().find(overtakes).expect("one begins later and arrives earlier");
    let near = idle(&formula, formula.memory(NEAR, mine, dram.row_closed));
    let far = idle(&formula, formula.memory(FAR, other, dram.row_conflict));
    assert_eq!(race.near.cycles(), near, "who arrives first does not wait");
    // The bank is free for the next command when its data are under way.
    let free = arrives(race.near, NEAR, mine) + dram.row_closed + dram.burst - dram.row_hit;
    let waits = free - arrives(race.far, FAR, other);
    assert_eq!(race.far.cycles(), far + waits, "who arrives second waits for the bank");
}

/// What core 3 needs for a line that home `home` has, while `before` is under way. Its line comes over
/// the link from node 2 to node 3.
fn passes(board: &Board, home: u32, before: &[(u32, u64)], delay: u64) -> (u64, u64) {
    let mut bench = Bench::new(board, 72);
    let formula = bench.formula();
    let mine = lines(ARENA + 0x10_0000, 1, |line| formula.home(line) == home);
    for (hart, at) in [(10, 60_000), (11, 120_000)] {
        let first = bench.chain(&mine);
        bench.add(Step::new(hart, Kind::Chase, first, 1, at));
    }
    for (core, line) in before {
        bench.chain(&[*line]);
        bench.add(Step::new(*core, Kind::Chase, *line, 1, 200_000));
    }
    bench.add(Step::new(3, Kind::Chase, mine[0], 1, 200_000 + delay));
    (bench.run()[3][0].cycles(), idle(&formula, formula.home_hit(3, mine[0])))
}

#[test]
fn a_line_that_memory_will_send_later_does_not_keep_a_link() {
    let board = changed(|timing| {
        timing.dram.row_closed = 400;
        timing.dram.row_conflict = 400;
        timing.dram.refresh = 0;
    });
    let formula = Formula::new(timing(&board));
    let from = |line: u64| formula.timing.dram.nodes[place(&formula.timing, line).0];
    let slow = lines(ARENA, 1, |line| from(line) == 2 && formula.home(line) == 7)[0];
    let (took, idle) = passes(&board, 2, &[(7, slow)], 150);
    assert_eq!(took, idle);
}

#[test]
fn a_line_that_a_busy_home_will_send_later_does_not_keep_a_link() {
    let board = changed(|timing| timing.coherence.service = 400);
    let formula = Formula::new(timing(&board));
    let hot = lines(ARENA, 4, |line| formula.home(line) == 2);
    let before: Vec<(u32, u64)> = [4, 5, 6, 7].into_iter().zip(hot).collect();
    let (took, idle) = passes(&board, 1, &before, 150);
    assert_eq!(took, idle);
}

#[test]
fn a_line_on_its_way_to_memory_does_not_keep_a_bank() {
    // A way of 200 cycles, on which nothing is before its arrival.
    let board = changed(|timing| {
        timing.interconnect.hop = 20;
        timing.coherence.cache = None;
        timing.dram.row_closed = 100;
        timing.dram.row_hit = 90;
        timing.dram.row_conflict = 110;
        timing.dram.refresh = 0;
    });
    let formula = Formula::new(timing(&board));
    let of = |line: u64| place(&formula.timing, line);
    let (controller, bank, row) = of(ARENA);
    assert_eq!(formula.timing.dram.nodes[controller], 2);
    let in_row = |line: u64| of(line) == (controller, bank, row);
    // A flush takes the way from home 71 to the controller; the other's home is the controller's node.
    let written =
        lines(ARENA, 1, |line| in_row(line) && formula.hops(2, formula.home(line)) > 9)[0];
    let mine = lines(ARENA, 1, |line| in_row(line) && formula.hops(2, formula.home(line)) < 2)[0];
    let home = formula.home(written);
    let mut raced = 0;
    for delay in (0..1000).step_by(20) {
        let mut bench = Bench::new(&board, 72);
        bench.chain(&[written]);
        bench.chain(&[mine]);
        bench.add(Step::new(71, Kind::Write, written, 1, 60_000));
        bench.add(Step::new(71, Kind::Flush, written, 1, 200_000));
        bench.add(Step::new(2, Kind::Chase, mine, 1, 200_000 + delay));
        let took = bench.run();
        let (flush, chase) = (took[71][1], took[2][0]);
        // From the line's departure to memory up to its arrival nothing is at the bank.
        let leaves = flush.end - 1 - formula.short(home, 71);
        let there = formula.timing.coherence.directory + formula.short(formula.home(mine), 2);
        let arrives = chase.begin + to_home(&formula, 2, mine) + there;
        if arrives > leaves && arrives < leaves + formula.long(home, 2) {
            raced += 1;
            let hit = idle(&formula, formula.memory(2, mine, formula.timing.dram.row_hit));
            assert_eq!(chase.cycles(), hit, "a read that arrives before does not wait");
        }
    }
    assert!(raced > 5, "{raced} reads were sent while the line was on its way");
}
