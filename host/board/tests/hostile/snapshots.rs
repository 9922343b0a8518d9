// SPDX-License-Identifier: Apache-2.0
//! Snapshots that are damaged are refused, whatever mode and moment they are of.

use super::program::{board, compile, functional, timed};
use super::{damage, seeds};
use fastrand::Rng;
use takt_board::engine::{Machine, Mode};

/// Machines of each mode in the midst of a program, with messages and stores under way.
fn machines() -> Vec<Machine> {
    let program = compile("mix.c", &[]);
    let mut machines = Vec::new();
    for name in ["virt", "tile72", "p4080"] {
        for cycles in [300, 1500, 4000] {
            let mut machine = timed(&board(name), 3, &program);
            machine.run(machine.now + cycles);
            machines.push(machine);
        }
    }
    for mode in [Mode::Functional, Mode::Warming] {
        let (mut machine, _) = functional(&board("virt"), 3, &program);
        machine.mode = mode;
        machine.run(3000);
        machines.push(machine);
    }
    machines
}

#[test]
fn no_damage_is_taken_for_a_machine() {
    let files: Vec<_> = machines().into_iter().map(|it| (it.save(), it)).collect();
    for seed in seeds(0..4_000) {
        let mut random = Rng::with_seed(seed);
        let (whole, machine) = random.choice(&files).expect("a file");
        let mut file = whole.clone();
        damage(&mut random, &mut file);
        if file != *whole {
            assert!(machine.restore(&file).is_err(), "seed {seed}");
        }
    }
}
