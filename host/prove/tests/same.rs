// SPDX-License-Identifier: Apache-2.0
//! Tests that a seed makes the same system on every host and with every build, and that each system
//! can be read.

use std::path::{Path, PathBuf};

use takt_model::{Board, Nanos, System, hash};
use takt_prove::{Case, Machine, NAMES, families};

fn machine() -> Machine {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/calibrate/small.toml");
    let text = std::fs::read_to_string(&file).expect("the test board is there");
    let mut board = Board::read(&file).expect("it is a board");
    // A system's periods depend on the board's overheads, which each calibration replaces, so fixed
    // ones are used.
    let table = &mut board.overheads;
    for figure in
        [&mut table.timer_interrupt, &mut table.release, &mut table.dispatch, &mut table.preemption]
    {
        *figure = Nanos(5_000);
    }
    // The description names the board in this way, so that the hash below does not depend on the
    // path.
    Machine { reference: "small.toml".into(), text, board }
}

/// Cases of each family: all shapes, with several seeds.
fn cases(machine: &Machine) -> Vec<Case> {
    let seeds = |family: &'static takt_prove::Family| {
        (0..4 * family.shapes.len() as u64).map(move |seed| Case::new(family, None, seed, machine))
    };
    families().iter().flat_map(seeds).collect()
}

#[test]
fn a_seed_makes_the_same_system_twice() {
    let machine = machine();
    assert_eq!(cases(&machine), cases(&machine));
}

/// The hash changes with every change of the generator; then the seeds that people have noted make
/// other systems.
#[test]
fn a_seed_makes_the_system_that_it_made_before() {
    let family = families().iter().find(|family| family.name == "random").expect("a family");
    let text: String = (0..20)
        .map(|seed| Case::new(family, None, seed, &machine()))
        .map(|case| case.description + &case.source)
        .collect();
    compare_hash(&hash(text.as_bytes()));
}

fn compare_hash(found: &str) {
    let expected = include_str!("random.hash").trim();
    assert_eq!(
        found, expected,
        "write the hash into host/prove/tests/random.hash if this is meant"
    );
}

#[test]
fn each_shape_has_its_turn() {
    let machine = machine();
    for family in families() {
        let seeds = 0..(NAMES.len() * family.shapes.len()) as u64;
        let mut seen: Vec<_> =
            seeds.map(|seed| Case::new(family, None, seed, &machine).shape).collect();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), family.shapes.len(), "shapes of {family:?}");
    }
}

#[test]
fn each_description_can_be_read() {
    let machine = machine();
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("small.toml"), &machine.text).expect("written");
    for case in cases(&machine) {
        std::fs::write(folder.path().join("main.c"), &case.source).expect("written");
        if let Some(board) = &case.board {
            std::fs::write(folder.path().join("board.toml"), board).expect("written");
        }
        let file = folder.path().join("system.toml");
        std::fs::write(&file, &case.description).expect("written");
        let read = System::read(&file, &Vec::<PathBuf>::new());
        let name = format!("{}/{} seed {}", case.family, case.shape, case.seed);
        assert!(read.is_ok(), "{name}: {:?}\n{}", read.err(), case.description);
    }
}
