// SPDX-License-Identifier: Apache-2.0
//! The RTU of a board: a program without kernel gives it commands and takes its interrupt.

use super::program::{board, compile, fingerprint, finish, in_both_orders, symbol, timed};
use takt_board::engine::{End, Machine};

const BUDGET: u64 = 10_000_000;

fn machine(name: &str) -> Machine {
    timed(&board(name), 2, &compile("rtu.c", &[]))
}

#[test]
fn a_program_makes_tasks_and_takes_the_interrupt() {
    for name in ["sara", "sara_soc"] {
        in_both_orders(&machine(name), BUDGET);
    }
}

/// A store that takes the bus for 22 cycles, a load behind it that comes before the command is done, and another one, 413
/// cycles each, and the instructions around them.
#[test]
fn a_call_is_two_trips() {
    let mut machine = machine("sara");
    finish(&mut machine, BUDGET);
    let ram = &machine.world.fabric.ram;
    let at = ram.offset(symbol(&compile("rtu.c", &[]), "trip"), 8).expect("it is in RAM");
    let trip = u64::from_le_bytes(ram.slice(at, 8).try_into().expect("eight bytes"));
    assert!((848..848 + 60).contains(&trip), "{trip}");
}

/// At each of these moments between two edges the machine is saved, read, and goes on.
#[test]
fn a_snapshot_between_two_edges_goes_on() {
    let start = machine("sara");
    let mut whole = start.clone();
    let end = finish(&mut whole, BUDGET);
    for part in 1..60 {
        let mut saved = start.clone();
        let until = start.now + (end - start.now) * part / 60 / 11 * 11 + 5;
        if saved.run(until) != End::Until {
            continue;
        }
        let mut read = start.restore(&saved.save()).expect("the snapshot is good");
        assert_eq!(finish(&mut read, BUDGET), end);
        assert_eq!(fingerprint(&read), fingerprint(&whole), "at {until}");
    }
}

#[test]
fn a_board_without_rtu_and_bridges_has_its_hash_of_before() {
    let mut board = board("sara");
    let with = board.timing_hash();
    board.rtu = None;
    board.timing.as_mut().expect("timing").interconnect.posts = 1;
    assert_eq!(board.timing_hash().as_deref(), Some("bb4c8ec99f1bae6b"));
    assert_ne!(board.timing_hash(), with);
}
