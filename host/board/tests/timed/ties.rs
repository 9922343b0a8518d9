// SPDX-License-Identifier: Apache-2.0
//! Harts that want the same in the same cycle from equal distances: none is favoured.

use super::program::{board, compile, finish, in_both_orders, symbol, timed};
use takt_board::engine::Machine;
use takt_model::timing::{Atomics, Shape};

const HARTS: u32 = 4;
/// The rounds of `ties.c`.
const ROUNDS: u64 = 4000;
/// The wins of each core in a fair draw: 1,000, and four standard deviations of 27 each.
const FAIR: std::ops::RangeInclusive<u64> = 890..=1110;

/// Four cores at one node.
fn machine(name: &str, atomics: Atomics, option: &str) -> (Machine, std::path::PathBuf) {
    let mut board = board(name);
    let timing = board.timing.as_mut().expect("timing");
    timing.core.atomics = atomics;
    timing.interconnect.cores_per_node = HARTS;
    timing.interconnect.shape = Shape::Mesh { columns: 1, rows: 1 };
    timing.dram.nodes = vec![0];
    let program = compile("ties.c", &[option]);
    (timed(&board, HARTS, &program), program)
}

fn wins(machine: &Machine, program: &std::path::Path) -> Vec<u64> {
    let wins = symbol(program, "wins");
    let ram = &machine.world.fabric.ram;
    let of = |hart| ram.offset(wins + 64 * hart, 8).expect("it is in RAM");
    (0..u64::from(HARTS)).map(|hart| ram.read::<8>(of(hart))).collect()
}

#[test]
fn favour_no_hart() {
    for name in ["virt", "tile72"] {
        for (atomics, option) in [
            (Atomics::Home, "-DLOCK"),
            (Atomics::Home, "-DCOUNT"),
            (Atomics::L1, "-DLOCK"),
            (Atomics::L1, "-DCOUNT"),
        ] {
            let (mut machine, program) = machine(name, atomics, option);
            finish(&mut machine, 100_000_000);
            let wins = wins(&machine, &program);
            println!("{name}, {atomics:?}, {option}: {wins:?}");
            assert_eq!(wins.iter().sum::<u64>(), ROUNDS);
            assert!(wins.iter().all(|wins| FAIR.contains(wins)), "{name}, {atomics:?}: {wins:?}");
        }
    }
}

#[test]
fn are_the_same_in_both_orders() {
    let (machine, _) = machine("tile72", Atomics::Home, "-DLOCK");
    in_both_orders(&machine, 100_000_000);
}
