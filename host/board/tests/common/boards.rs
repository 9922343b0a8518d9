// SPDX-License-Identifier: Apache-2.0
//! Boards of random figures.

use super::program::board;
use fastrand::Rng;
use takt_model::{
    Board,
    timing::{Atomics, Cache, Cluster, Drain, Homes, Shape},
};

/// Of 2 to the power of `least` lines, up to 8 times that.
fn cache(random: &mut Rng, least: u32) -> Cache {
    let lines = 1 << random.u32(least..least + 4);
    let ways = 1 << random.u32(0..3);
    Cache { size: lines * 64, ways, hit: random.u64(0..4), index: vec![] }
}

/// Figures down to the least that the format allows, where little room is left to run ahead.
pub fn random_board(random: &mut Rng, harts: u32) -> Board {
    let mut board = board("tile72");
    let timing = board.timing.as_mut().expect("timing");
    let core = &mut timing.core;
    core.multiply = random.u64(1..5);
    core.divide = random.u64(1..40);
    core.load_use = random.u64(0..3);
    core.taken_branch = random.u64(0..4);
    core.wake = random.u64(0..20);
    core.trap = random.u64(0..10);
    core.store_buffer = *random.choice([0, 1, 2, 8].iter()).expect("a depth");
    core.drain = if random.bool() { Drain::Fifo } else { Drain::Any };
    core.prefetch = random.u32(0..4);
    core.reservation = random.u64(20..80);
    core.atomics = if random.bool() { Atomics::Home } else { Atomics::L1 };
    timing.l1i = cache(random, 3);
    timing.l1d = cache(random, 3);
    timing.l2 = random.bool().then(|| cache(random, 6));
    timing.coherence.cache = random.bool().then(|| cache(random, 3));
    timing.coherence.directory = random.u64(1..8);
    timing.coherence.service = random.u64(1..8);
    timing.coherence.snoop = random.u64(0..5);
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

/// As `random_board`, with caches that cores share; some have less room than what their cores hold.
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
