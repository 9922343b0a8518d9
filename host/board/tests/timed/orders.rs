// SPDX-License-Identifier: Apache-2.0
//! Machines of all kinds, figures and lengths of queues: running ahead is exactly the strict order.

use super::boards::{random_board, random_clusters, random_kinds};
use super::program::{compile, in_both_orders, timed};
use fastrand::Rng;
use takt_model::Board;

fn orders(seeds: std::ops::Range<u64>, make: impl Fn(&mut Rng, u32) -> Board) {
    let programs = [
        ("mix.c", "-DROUNDS=3"),
        ("locks.c", "-DROUNDS=1"),
        ("spin.c", "-DROUNDS=12"),
        ("spin.c", "-DROUNDS=3"),
    ];
    let programs = programs.map(|(name, option)| compile(name, &[option]));
    for seed in seeds {
        let mut random = Rng::with_seed(seed);
        let harts = random.u32(2..9);
        let board = make(&mut random, harts);
        println!("seed {seed}, {harts} harts");
        if std::env::var("SHOW").is_ok() {
            println!("{:?}", board.timing);
        }
        let program = random.choice(&programs).expect("programs");
        let mut machine = timed(&board, harts, program);
        machine.set_seed(seed, random.u64(0..5));
        in_both_orders(&machine, 10_000_000);
    }
}

#[test]
fn agree_on_the_first_machines() {
    orders(0..100, random_board);
}

/// A recall that an SC let go reached its hart together with something that another one's event sent.
#[test]
fn agree_where_two_things_reach_a_hart_at_once() {
    let long_queues = |random: &mut Rng, harts| {
        let mut board = random_board(random, harts);
        let timing = board.timing.as_mut().expect("timing");
        (timing.coherence.write_backs, timing.dram.queue) = (1024, 1024);
        timing.core.mshrs = 256;
        (timing.interconnect.beat, timing.interconnect.posts) = (1, 1);
        timing.device_links = false;
        board
    };
    orders(13096..13097, long_queues);
}

#[test]
fn agree_on_the_first_machines_with_clusters() {
    orders(0..100, random_clusters);
}

#[test]
fn agree_on_the_first_machines_with_kinds() {
    orders(0..100, random_kinds);
}

/// By hand: `ORDERS=2000..9000 cargo test --release -p takt-board --test timed agree_on_those`.
#[test]
fn agree_on_those_asked_for() {
    let Ok(range) = std::env::var("ORDERS") else { return };
    let (first, last) = range.split_once("..").expect("ORDERS=FIRST..LAST");
    let seeds = first.parse().expect("a number")..last.parse().expect("a number");
    orders(seeds.clone(), random_board);
    orders(seeds.clone(), random_clusters);
    orders(seeds, random_kinds);
}
