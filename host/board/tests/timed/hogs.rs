// SPDX-License-Identifier: Apache-2.0
//! However harts treat the memory, no transaction takes longer than the bound that follows from the board's file.

use super::boards::{random_board, random_clusters, random_kinds};
use super::program::{board, compile, finish, in_both_orders, timed};
use fastrand::Rng;
use takt_board::engine::Machine;
use takt_model::{
    Board, Bytes,
    timing::{Atomics, Homes, Shape},
};

const KINDS: [&str; 5] = ["-DHOG=0", "-DHOG=1", "-DHOG=2", "-DHOG=3", "-DHOG=4"];

/// The longest transaction of a hart so far.
fn longest(machine: &Machine, hart: usize) -> u64 {
    machine.units[hart].core.longest_miss
}

fn longest_of_all(machine: &Machine) -> u64 {
    (0..machine.units.len()).map(|hart| longest(machine, hart)).max().unwrap_or(0)
}

fn within_the_bound(board: &Board, harts: u32, options: &[&str]) -> u64 {
    let program = compile("hogs.c", options);
    let mut machine = timed(board, harts, &program);
    finish(&mut machine, 500_000_000);
    let (longest, bound) = (longest_of_all(&machine), board.worst(harts, 0).expect("a timing"));
    let name = &board.name;
    println!("{name} {harts} {options:?}: {longest} of {bound:?}");
    assert!(longest > 0 && longest <= bound.any, "{name} {harts} {options:?}: {bound:?}");
    longest
}

#[test]
fn wait_no_longer_than_the_bound() {
    let mut virt = board("virt");
    virt.memory[0].size = Bytes(1 << 30); // the hogs need as much
    for kind in KINDS {
        within_the_bound(&board("tile72"), 72, &[kind, "-DLINES=64"]);
        within_the_bound(&board("tile72"), 4, &[kind, "-DLINES=256"]);
        within_the_bound(&board("sg2042"), 16, &[kind, "-DLINES=256"]);
        within_the_bound(&board("xeon40"), 20, &[kind, "-DLINES=256"]);
        within_the_bound(&board("p4080"), 8, &[kind, "-DLINES=256"]);
        within_the_bound(&virt, 4, &[kind, "-DLINES=256"]);
    }
}

/// Four cores whose lines are all in one bank, and go there at once as no home keeps them: of all programs here the one whose
/// longest access is nearest to the bound.
#[test]
fn one_bank_of_four_cores_comes_nearest_to_the_bound() {
    let mut board = board("tile72");
    board.timing.as_mut().expect("a timing").coherence.cache = None;
    let longest = within_the_bound(&board, 4, &["-DHOG=6", "-DLINES=3840"]);
    let bound = board.worst(4, 0).expect("a timing");
    println!("{} % of the bound", longest * 100 / bound.any);
    assert!(longest > bound.controller / 2, "{longest} of {bound:?}");
}

/// Every random machine has short queues: its bound is small, and hogs come near enough that a queue without a limit
/// would show.
#[test]
fn wait_no_longer_on_random_machines() {
    for seed in 0..60 {
        let mut random = Rng::with_seed(seed);
        let harts = random.u32(2..9);
        let make = *random.choice(&[random_board, random_clusters, random_kinds]).expect("one");
        let board = make(&mut random, harts);
        let kind = *random.choice(&KINDS).expect("a kind");
        within_the_bound(&board, harts, &[kind, "-DLINES=128", "-DROUNDS=2"]);
    }
}

/// Both orders, with queues so short that requests wait at all times.
#[test]
fn agree_in_both_orders_where_all_queues_are_full() {
    let programs = KINDS.map(|kind| compile("hogs.c", &[kind, "-DLINES=48"]));
    for seed in 0..60 {
        let mut random = Rng::with_seed(1000 + seed);
        let harts = random.u32(2..9);
        let make = *random.choice(&[random_board, random_clusters, random_kinds]).expect("one");
        let mut board = make(&mut random, harts);
        let timing = board.timing.as_mut().expect("a timing");
        (timing.coherence.write_backs, timing.dram.queue) = (random.u32(1..3), random.u32(1..3));
        let mut machine = timed(&board, harts, random.choice(&programs).expect("a program"));
        machine.set_seed(seed, random.u64(0..5));
        println!("seed {seed}, {harts} harts");
        in_both_orders(&machine, 50_000_000);
    }
}

/// What the memory has served, of all harts.
fn served(machine: &Machine) -> u64 {
    let of_hart = |hart: usize| machine.memory_lines(hart as u32);
    (0..machine.units.len()).map(of_hart).map(|served| served.reads + served.writes).sum()
}

/// The longest transaction of harts that share few lines, which their caches and those of the homes keep, in 100ths of the bound.
fn within_caches(board: &Board, harts: u32, lines: &str, seed: u64) -> u64 {
    let program = compile("hogs.c", &["-DHOG=7", lines]);
    let mut machine = timed(board, harts, &program);
    machine.set_seed(seed, seed % 4);
    machine.run(machine.now + 400_000 + 20_000 * u64::from(harts));
    let before = served(&machine);
    machine.units.iter_mut().for_each(|unit| unit.core.longest_miss = 0);
    machine.run(machine.now + 400_000);
    assert_eq!(before, served(&machine), "the caches keep all");
    let (longest, bound) = (longest_of_all(&machine), board.worst_within_caches(harts, false));
    let bound = bound.expect("caches of homes");
    println!("{} {harts} {lines} {seed}: {longest} of {bound:?}", board.name);
    assert!(longest > 0 && longest <= bound.any, "{longest} of {bound:?}");
    longest * 100 / bound.any
}

/// Each hart has as many stores under way as may be, to lines that all others store to.
#[test]
fn wait_no_longer_than_the_bound_within_caches() {
    for (name, harts) in [("tile72", 2), ("tile72", 4), ("tile72", 12), ("biglittle8", 8)] {
        for (lines, seed) in [(1, 1), (12, 2), (40, 3), (200, 4)] {
            within_caches(&board(name), harts, &format!("-DLINES={lines}"), seed);
        }
    }
}

/// The same on meshes, buses, rings and sockets with other figures. Some wait so long that a bound of a few idle messages would
/// not hold.
#[test]
fn wait_no_longer_within_caches_of_random_machines() {
    let mut nearest = 0;
    for seed in 0..40 {
        let mut random = Rng::with_seed(seed);
        let mut board = board("tile72");
        let timing = board.timing.as_mut().expect("a timing");
        let nodes = 8;
        timing.interconnect.shape = match random.u32(0..4) {
            0 => Shape::Mesh { columns: 4, rows: 2 },
            1 => Shape::Ring { nodes },
            2 => Shape::Bus { nodes },
            _ => Shape::Full { nodes },
        };
        timing.dram.nodes = vec![random.u32(0..nodes)];
        (timing.interconnect.hop, timing.interconnect.local) = (random.u64(1..4), random.u64(0..4));
        timing.interconnect.width = 8 << random.u32(0..3);
        timing.coherence.directory = random.u64(1..20);
        timing.coherence.service = random.u64(1..6);
        timing.coherence.atomic = random.u64(1..40);
        timing.coherence.snoop = random.u64(1..10);
        timing.coherence.homes = if random.bool() { Homes::Hash } else { Homes::Page };
        timing.core.atomics = if random.bool() { Atomics::Home } else { Atomics::L1 };
        timing.core.reservation = random.u64(16..200);
        timing.core.store_buffer = random.u32(0..12);
        timing.core.mshrs = timing.core.store_buffer + 1 + random.u32(0..6);
        let lines = *random.choice(&["-DLINES=1", "-DLINES=12", "-DLINES=40"]).expect("one");
        nearest = nearest.max(within_caches(&board, random.u32(2..=8), lines, seed));
    }
    assert!(nearest >= 10, "{nearest} % of the bound");
}

/// Fourteen harts fill their caches with changed lines of one bank, and then read from another controller as fast as they can.
/// With a controller that took in all that was driven out, one load of that bank waited 1,123,788 cycles.
#[test]
fn a_load_does_not_wait_for_all_that_caches_held() {
    let mut board = board("tile72");
    let timing = board.timing.as_mut().expect("a timing");
    // What leaves a core's cache goes to memory; no store and no prefetch is beside what a core waits for.
    (timing.core.store_buffer, timing.core.prefetch, timing.core.mshrs) = (0, 0, 1);
    timing.coherence.cache = None;
    timing.coherence.homes = Homes::Hash;
    (timing.dram.interleave, timing.dram.nodes) = (512 << 20, vec![2, 66]);
    // All that the harts change is in bank 0.
    timing.dram.banks = vec![1 << 20, 1 << 21, 1 << 22];
    let program = compile("hogs.c", &["-DHOG=5", "-DLINES=4096"]);
    let mut machine = timed(&board, 15, &program);
    finish(&mut machine, 500_000_000);
    let (load, bound) = (longest(&machine, 0), board.worst(15, 0).expect("a timing"));
    println!("{load} of {bound:?}");
    assert!(load > 1000 && load <= bound.own_line, "{load} of {bound:?}");
    assert!(longest_of_all(&machine) <= bound.any, "{bound:?}");
}
