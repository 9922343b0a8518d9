// SPDX-License-Identifier: Apache-2.0
//! What the store buffers let be seen, and what fences forbid.

use super::program::{board, compile, timed};
use takt_board::{devices::Finish, engine::End};
use takt_model::timing::Drain;

/// Outcomes as `first * 2 + second`; bit i: outcome i was seen.
fn outcomes(litmus: &str, fenced: bool, drain: Drain) -> u32 {
    let test = format!("-DLITMUS={litmus}");
    let options = if fenced { vec![test.as_str(), "-DFENCED"] } else { vec![test.as_str()] };
    let program = compile("litmus.c", &options);
    let mut seen = 0;
    for seed in 0..8 {
        let mut board = board("tile72");
        board.timing.as_mut().expect("timing").core.drain = drain;
        let mut machine = timed(&board, 4, &program);
        machine.set_seed(seed, if seed == 0 { 0 } else { 20 });
        match machine.run(100_000_000) {
            End::Finished(Finish::Fail(code)) => seen |= code,
            end => panic!("{litmus}: {end:?}"),
        }
    }
    println!("{litmus} fenced {fenced} {drain:?}: {seen:#06b}");
    seen
}

fn seen(outcomes: u32, outcome: u32) -> bool {
    outcomes >> outcome & 1 != 0
}

#[test]
fn stores_wait_behind_loads() {
    for drain in [Drain::Fifo, Drain::Any] {
        assert!(seen(outcomes("STORE_BUFFERING", false, drain), 0b00), "{drain:?}");
        assert!(!seen(outcomes("STORE_BUFFERING", true, drain), 0b00), "{drain:?}");
    }
}

#[test]
fn messages_overtake_their_data_only_without_order() {
    // Flag 1, data 0.
    assert!(seen(outcomes("MESSAGE_PASSING", false, Drain::Any), 0b10));
    assert!(!seen(outcomes("MESSAGE_PASSING", false, Drain::Fifo), 0b10));
    assert!(!seen(outcomes("MESSAGE_PASSING", true, Drain::Any), 0b10));
}

#[test]
fn loads_never_see_the_future() {
    for drain in [Drain::Fifo, Drain::Any] {
        assert!(!seen(outcomes("LOAD_BUFFERING", false, drain), 0b11), "{drain:?}");
    }
}

#[test]
fn one_place_never_goes_back() {
    for drain in [Drain::Fifo, Drain::Any] {
        let outcomes = outcomes("COHERENCE", false, drain);
        assert!(!seen(outcomes, 0b10), "{drain:?}");
        assert!(seen(outcomes, 0b01) || seen(outcomes, 0b11), "{drain:?}");
    }
}
