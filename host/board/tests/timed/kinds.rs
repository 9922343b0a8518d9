// SPDX-License-Identifier: Apache-2.0
//! Cores of several kinds: each has the figures of its own, and no other's.

use super::boards::{kind, random_board, random_clusters};
use super::program::{compile, fingerprint, finish, timed};
use fastrand::Rng;
use std::path::Path;
use takt_model::{Board, timing::Kind};

const HARTS: u32 = 4;

fn run(board: &Board, program: &Path) -> (u64, u64) {
    let mut machine = timed(board, HARTS, program);
    machine.set_seed(0, 3);
    (finish(&mut machine, 10_000_000), fingerprint(&machine))
}

/// Boards whose cores are all alike, and another kind of core for each.
fn boards() -> impl Iterator<Item = (Board, Kind)> {
    (0..30).map(|seed| {
        println!("seed {seed}");
        let mut random = Rng::with_seed(seed);
        let make = if seed % 2 == 0 { random_board } else { random_clusters };
        let board = make(&mut random, HARTS);
        let other = kind(&mut random, &board.timing.as_ref().expect("timing").core, vec![0]);
        (board, other)
    })
}

/// A board, all of whose cores are as the kind says.
fn all_as(board: &Board, kind: &Kind) -> Board {
    let mut board = board.clone();
    let timing = board.timing.as_mut().expect("timing");
    let Kind { core, l1i, l1d, l2, tlb, .. } = kind.clone();
    (timing.core, timing.l1i, timing.l1d, timing.l2, timing.tlb) = (core, l1i, l1d, l2, tlb);
    board
}

/// The board with these kinds.
fn with(board: &Board, kinds: &[(&Kind, &[u32])]) -> Board {
    let mut board = board.clone();
    let kinds = kinds.iter().map(|(kind, cores)| Kind { cores: cores.to_vec(), ..(*kind).clone() });
    board.timing.as_mut().expect("timing").kinds = kinds.collect();
    board
}

/// The board's own figures, as a kind.
fn own(board: &Board) -> Kind {
    let timing = board.timing.clone().expect("timing");
    let (core, l1i, l1d, l2, tlb) = (timing.core, timing.l1i, timing.l1d, timing.l2, timing.tlb);
    Kind { name: "own".into(), cores: vec![], core, l1i, l1d, l2, tlb }
}

#[test]
fn where_all_are_of_one_kind_its_figures_could_be_the_boards() {
    let program = compile("mix.c", &["-DROUNDS=1"]);
    for (board, kind) in boards() {
        let plain = run(&all_as(&board, &kind), &program);
        assert_eq!(run(&with(&board, &[(&kind, &[0, 1, 2, 3])]), &program), plain);
        assert_ne!(run(&board, &program), plain);
    }
}

/// Some cores differ: whether these or the others stand in a kind says the same.
#[test]
fn each_core_has_the_figures_of_its_kind() {
    let program = compile("mix.c", &["-DROUNDS=1"]);
    for (board, kind) in boards() {
        let own = own(&board);
        let these = run(&with(&board, &[(&kind, &[1, 3])]), &program);
        let others = all_as(&board, &kind);
        assert_eq!(run(&with(&others, &[(&own, &[0, 2])]), &program), these);
        assert_eq!(run(&with(&others, &[(&kind, &[3, 1]), (&own, &[2, 0])]), &program), these);
        assert_ne!(run(&with(&board, &[(&kind, &[0, 2])]), &program), these);
    }
}

#[test]
fn a_kind_of_cores_that_are_not_there_changes_nothing() {
    let program = compile("mix.c", &["-DROUNDS=1"]);
    for (board, kind) in boards() {
        assert_eq!(run(&with(&board, &[(&kind, &[HARTS, 9])]), &program), run(&board, &program));
    }
}
