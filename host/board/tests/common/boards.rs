// SPDX-License-Identifier: Apache-2.0
//! Boards of random figures.

use super::program::board;
use fastrand::Rng;
use takt_model::{
    Board,
    timing::{Atomics, Cache, Cluster, Core, Drain, Homes, Kind, Shape, Tlb},
};

/// Makes a cache of 2 to the power of `least` lines, up to 8 times that.
fn cache(random: &mut Rng, least: u32) -> Cache {
    let lines = 1 << random.u32(least..least + 4);
    let ways = 1 << random.u32(0..3);
    Cache { size: lines * 64, ways, hit: random.u64(0..4), index: vec![] }
}

/// Draws for queues, so that all else of a seed's board is as it was without them.
fn lengths(random: &Rng) -> Rng {
    Rng::with_seed(!random.clone().u64(..))
}

/// What each core has of its own: its caches, and figures of `core`.
fn own(random: &mut Rng, core: &mut Core) -> (Cache, Cache, Option<Cache>) {
    core.multiply = random.u64(1..5);
    core.divide = random.u64(1..40);
    core.load_use = random.u64(0..3);
    core.taken_branch = random.u64(0..4);
    core.wake = random.u64(0..20);
    core.trap = random.u64(0..10);
    core.store_buffer = *random.choice([0, 1, 2, 8].iter()).expect("a depth");
    core.drain = if random.bool() { Drain::Fifo } else { Drain::Any };
    core.prefetch = random.u32(0..4);
    // Few, or as many as a board's file gives by default.
    let times = *lengths(random).choice(&[0, 1, 4]).expect("a factor");
    core.mshrs = core.store_buffer + 1 + core.prefetch * times;
    core.reservation = random.u64(20..80);
    core.atomics = if random.bool() { Atomics::Home } else { Atomics::L1 };
    (cache(random, 3), cache(random, 3), random.bool().then(|| cache(random, 6)))
}

/// Figures down to the least that the format allows, where little room is left to run ahead.
pub fn random_board(random: &mut Rng, harts: u32) -> Board {
    let mut board = board("tile72");
    let timing = board.timing.as_mut().expect("timing");
    (timing.l1i, timing.l1d, timing.l2) = own(random, &mut timing.core);
    timing.coherence.cache = random.bool().then(|| cache(random, 3));
    timing.coherence.directory = random.u64(1..8);
    timing.coherence.service = random.u64(1..8);
    timing.coherence.snoop = random.u64(0..5);
    let mut lengths = lengths(random);
    timing.coherence.write_backs = *lengths.choice(&[1, 2, 4, 32]).expect("a length");
    timing.dram.queue = *lengths.choice(&[1, 2, 4, 64]).expect("a length");
    timing.interconnect.beat = *lengths.choice(&[1, 1, 2, 11]).expect("a beat");
    timing.device_links = lengths.bool();
    let network = &mut timing.interconnect;
    network.hop = random.u64(1..3);
    network.local = random.u64(1..4);
    network.width = *random.choice([8, 16, 72].iter()).expect("a width");
    network.cores_per_node = random.u32(1..3);
    let nodes = harts.div_ceil(network.cores_per_node);
    network.shape = match random.u32(0..4) {
        0 => Shape::Mesh { columns: 2, rows: nodes.div_ceil(2) },
        1 => Shape::Ring { nodes },
        2 => Shape::Bus { nodes },
        _ => Shape::Full { nodes },
    };
    if timing.device_links && matches!(network.shape, Shape::Bus { .. }) {
        network.posts = *lengths.choice(&[1, 2, 8]).expect("a number");
    }
    timing.coherence.homes = match random.u32(0..4) {
        0 => Homes::Hash,
        1 => Homes::Page,
        2 => {
            Homes::Split { pages_from: 0x8000_0000 + 4096 * random.u64(0..=1024), interleave: 256 }
        }
        _ => Homes::Nodes { interleave: 64, nodes: vec![0, nodes - 1] },
    };
    timing.dram.nodes = vec![nodes - 1];
    timing.dram.burst = random.u64(1..5);
    timing.interrupt = random.u64(1..60);
    timing.device = random.u64(1..60);
    board
}

/// Makes a random board with caches that cores share; some have less room than what their cores hold.
pub fn random_clusters(random: &mut Rng, harts: u32) -> Board {
    let mut board = random_board(random, harts);
    let timing = board.timing.as_mut().expect("timing");
    let cores = random.u32(1..5);
    timing.interconnect.cores_per_node *= cores;
    let least = random.u32(0..8);
    timing.cluster = Some(Cluster {
        cores,
        cache: cache(random, least.max(2)),
        link: random.u64(1..4),
        service: random.u64(1..5),
        snoop: random.u64(1..5),
    });
    board
}

/// Cores of up to three kinds beside the board's own, with clusters or without.
#[allow(dead_code)] // Not of all tests that have this file.
pub fn random_kinds(random: &mut Rng, harts: u32) -> Board {
    let make = if random.bool() { random_clusters } else { random_board };
    let mut board = make(random, harts);
    let timing = board.timing.as_mut().expect("timing");
    // Cores of other kinds may so come much earlier to their requests.
    let slow = random.u64(0..20);
    (timing.l1i.hit, timing.l1d.hit) = (timing.l1i.hit + slow, timing.l1d.hit + slow);
    let place: Vec<u32> = (0..harts).map(|_| random.u32(0..4)).collect();
    for number in 1..4 {
        let cores: Vec<u32> = (0..harts).filter(|core| place[*core as usize] == number).collect();
        if !cores.is_empty() {
            timing.kinds.push(kind(random, &timing.core, cores));
        }
    }
    board
}

/// Makes a kind of core with other figures than the board's.
pub fn kind(random: &mut Rng, core: &Core, cores: Vec<u32>) -> Kind {
    let mut core = core.clone();
    let (l1i, l1d, l2) = own(random, &mut core);
    let tlb = Tlb { entries: random.u32(4..9), level: random.u64(0..4) };
    Kind { name: format!("of_{}", cores[0]), cores, core, l1i, l1d, l2, tlb }
}
