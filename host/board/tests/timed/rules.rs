// SPDX-License-Identifier: Apache-2.0
//! Single rules of docs/design/cycles.md and board.md that no result shows, only the time that it takes: each
//! alone, most by what another figure of the board changes.

use super::program::{board, compile, functional, symbol, timed};
use takt_board::{
    devices::Finish,
    engine::{End, Machine, Mode},
    memory::{LINE, tags::State},
};
use takt_model::{Timing, timing::Drain};

const WRONG: u32 = 1_000_000;
/// Less than any line from memory takes on tile72.
const MISS: u32 = 100;

fn ended(mut machine: Machine) -> (u32, Machine) {
    let code = match machine.run(machine.now + 1_000_000) {
        End::Finished(Finish::Fail(code)) => code,
        End::Finished(Finish::Pass) => 0,
        end => panic!("{end:?} at {:#x}", machine.units[0].hart.pc),
    };
    assert_ne!(code, WRONG, "a value is wrong");
    (code, machine)
}

/// The cycles of a rule on tile72 with other figures.
fn cycles(options: &[&str], harts: u32, change: impl Fn(&mut Timing)) -> u32 {
    let mut board = board("tile72");
    change(board.timing.as_mut().expect("timing"));
    ended(timed(&board, harts, &compile("rules.c", options))).0
}

#[test]
fn a_load_is_answered_by_the_store_buffer() {
    let took = cycles(&["-DRULE=FORWARD"], 1, |_| {});
    assert!(took < MISS / 2, "{took} cycles: it waited for the line");
    let unbuffered = cycles(&["-DRULE=FORWARD"], 1, |timing| timing.core.store_buffer = 0);
    assert!(unbuffered > MISS, "{unbuffered} cycles");
}

#[test]
fn a_fence_waits_for_the_stores_that_it_orders() {
    let cycles = |rule, drain| cycles(&[rule], 1, |timing| timing.core.drain = drain);
    for (rule, drain, waits) in [
        ("-DRULE=FENCE_ALL", Drain::Fifo, true),
        ("-DRULE=FENCE_ALL", Drain::Any, true),
        ("-DRULE=FENCE_STORES", Drain::Any, true),
        // They are in order anyway.
        ("-DRULE=FENCE_STORES", Drain::Fifo, false),
    ] {
        let took = cycles(rule, drain);
        assert_eq!(took > MISS, waits, "{rule} {drain:?}: {took} cycles");
    }
}

#[test]
fn a_walk_costs_each_of_its_levels() {
    for (levels, option) in [(1, "-DLEVELS=1"), (2, "-DLEVELS=2"), (3, "-DLEVELS=3")] {
        let with = |level| cycles(&["-DRULE=WALK", option], 1, |timing| timing.tlb.level = level);
        assert_eq!(with(25) - with(5), 20 * levels, "{levels} levels");
        // Each reads its entry in L1, before the load itself.
        let hit = |hit| cycles(&["-DRULE=WALK", option], 1, |timing| timing.l1d.hit = hit);
        assert_eq!(hit(9) - hit(2), 7 * (levels + 1), "{levels} levels");
    }
}

#[test]
fn the_prefetcher_stays_in_its_page() {
    let mut board = board("tile72");
    board.timing.as_mut().expect("timing").core.prefetch = 4;
    for (last, option) in [(42, "-DLAST=42"), (61, "-DLAST=61"), (63, "-DLAST=63")] {
        let program = compile("rules.c", &["-DRULE=STREAM", option]);
        let (_, machine) = ended(timed(&board, 1, &program));
        let first = symbol(&program, "pages") / LINE;
        let there =
            (0..128).filter(|line| machine.units[0].core.state(first + line) != State::Invalid);
        // A miss, four that were asked for ahead, and so on.
        let there: Vec<u64> = there.collect();
        let end = there.last().map_or(0, |last| last + 1);
        assert_eq!(there, (0..end).collect::<Vec<_>>());
        assert!(end > last && end <= 64 && (last > 60 || end > last + 1), "{last}: up to {end}");
    }
}

#[test]
fn who_sleeps_wakes_so_many_cycles_behind_the_interrupt() {
    for rule in ["-DRULE=WAKE", "-DRULE=TIMER"] {
        let with = |wake| cycles(&[rule], 2, |timing| timing.core.wake = wake);
        assert_eq!(with(60) - with(10), 50, "{rule}");
    }
    let interrupt = |cycles_| cycles(&["-DRULE=WAKE"], 2, |timing| timing.interrupt = cycles_);
    assert_eq!(interrupt(130) - interrupt(30), 100);
}

/// How a program of rules.c ends on tile72, in each mode.
fn ends_in_each_mode(option: &str) -> [u32; 3] {
    let program = compile("rules.c", &[option]);
    let untimed = |mode| {
        let (mut machine, _) = functional(&board("tile72"), 1, &program);
        machine.mode = mode;
        ended(machine).0
    };
    let timed = ended(timed(&board("tile72"), 1, &program)).0;
    [timed, untimed(Mode::Functional), untimed(Mode::Warming)]
}

/// What is loaded behind the change, behind an `sfence.vma` of something else, and behind its own.
#[test]
fn rule_75_a_translation_stays_until_sfence_vma() {
    assert_eq!(ends_in_each_mode("-DRULE=STALE_PAGE"), [557, 777, 557]);
}

/// A space's own page and a global one are both changed: what another space loads; the first one again; and behind an
/// `sfence.vma` of the first one's number both; the global page behind one of all.
#[test]
fn a_translation_serves_its_address_space_or_all() {
    assert_eq!(ends_in_each_mode("-DRULE=SPACES"), [755_757, 777_777, 755_757]);
}

#[test]
fn rule_76_an_instruction_stays_until_fence_i() {
    assert_eq!(ends_in_each_mode("-DRULE=STALE_CODE"), [57; 3]);
}

#[test]
fn what_fence_i_announces_is_executed() {
    let program = compile("rules.c", &["-DRULE=PATCH"]);
    assert_eq!(ended(timed(&board("tile72"), 1, &program)).0, 7);
    for mode in [Mode::Functional, Mode::Warming] {
        let (mut machine, _) = functional(&board("tile72"), 1, &program);
        machine.mode = mode;
        assert_eq!(ended(machine).0, 7, "{mode:?}");
    }
}
