// SPDX-License-Identifier: Apache-2.0
//! Random figures for a board, and how they are told to the model.

use fastrand::Rng;
use serde_json::{Value, json};
use takt_model::timing::*;

fn cache(
    rng: &mut Rng,
    sets: std::ops::RangeInclusive<u32>,
    hits: std::ops::RangeInclusive<u64>,
) -> Cache {
    let bits = rng.u32(sets);
    let ways = rng.u32(1..=8);
    let index = if rng.u32(0..4) == 0 {
        // Each bit of the set's number with one bit from above it.
        (0..bits).map(|bit| 1 << (6 + bit) | 1 << (12 + rng.u32(0..8))).collect()
    } else {
        vec![]
    };
    Cache { size: (64 * u64::from(ways)) << bits, ways, hit: rng.u64(hits), index }
}

/// A choice of figures within what a board's file may say, small caches among them.
pub fn random(rng: &mut Rng) -> Timing {
    let some = |rng: &mut Rng, most: u64| rng.u64(1..=most);
    let maybe = |rng: &mut Rng, most: u64| if rng.bool() { 0 } else { rng.u64(0..=most) };
    let core = Core {
        multiply: some(rng, 5),
        divide: some(rng, 40),
        float_add: some(rng, 8),
        float_multiply: some(rng, 8),
        float_fused: some(rng, 9),
        float_divide: some(rng, 40),
        float_root: some(rng, 40),
        float_move: some(rng, 4),
        system: some(rng, 9),
        load_use: maybe(rng, 3),
        taken_branch: maybe(rng, 4),
        trap: maybe(rng, 20),
        wake: maybe(rng, 20),
        overflow_skid: 1000,
        store_buffer: *rng.choice(&[0, 1, 2, 4, 8]).unwrap(),
        drain: if rng.bool() { Drain::Fifo } else { Drain::Any },
        reservation: 64,
        prefetch: rng.u32(0..=4),
        mshrs: 64,
        atomics: if rng.bool() { Atomics::L1 } else { Atomics::Home },
    };
    let large = rng.bool();
    let sets = if large { 3..=6 } else { 1..=2 };
    let l1d = cache(rng, sets.clone(), 0..=3);
    let l1i = cache(rng, sets, 0..=2);
    // Inclusive of L1 D.
    let mut l2 = cache(rng, 2..=7, 1..=12);
    while l2.size < l1d.size {
        l2 = cache(rng, 2..=7, 1..=12);
    }
    let shape = match rng.u32(0..4) {
        0 => Shape::Mesh { columns: rng.u32(1..=4), rows: rng.u32(1..=3) },
        1 => Shape::Ring { nodes: rng.u32(2..=7) },
        2 => Shape::Bus { nodes: rng.u32(2..=5) },
        _ => Shape::Full { nodes: rng.u32(2..=5) },
    };
    let nodes = shape.nodes();
    let homes = match rng.u32(0..4) {
        0 => Homes::Hash,
        1 => Homes::Page,
        // Inside the memory of the programs.
        2 => Homes::Split {
            pages_from: 0x8000_0000 + 4096 * rng.u64(0..=4096),
            interleave: *rng.choice(&[64, 256, 4096]).unwrap(),
        },
        _ => Homes::Nodes {
            interleave: *rng.choice(&[64, 256, 4096]).unwrap(),
            nodes: (0..rng.u32(1..=3)).map(|_| rng.u32(0..nodes)).collect(),
        },
    };
    let banks = (0..rng.u32(0..=3)).map(|bit| 1 << (12 + bit) | 1 << (16 + bit)).collect();
    // A draw of its own, so that all else of a number's board is as it was without.
    let beat = *Rng::with_seed(!rng.clone().u64(..)).choice(&[1, 1, 2, 11]).unwrap();
    let (row_hit, step) = (rng.u64(1..=40), rng.u64(0..=20));
    Timing {
        frequency: 1_000_000_000,
        timebase: 10_000_000,
        core,
        l1i,
        l1d,
        l2: (rng.u32(0..4) > 0).then_some(l2),
        cluster: None,
        kinds: vec![],
        tlb: Tlb { entries: *rng.choice(&[4, 5, 8, 32]).unwrap(), level: maybe(rng, 5) },
        coherence: Coherence {
            homes,
            directory: some(rng, 12),
            service: some(rng, 12),
            atomic: some(rng, 24),
            snoop: some(rng, 9),
            write_backs: 32,
            cache: rng.bool().then(|| cache(rng, 2..=6, 0..=12)),
        },
        interconnect: Interconnect {
            cores_per_node: rng.u32(1..=4),
            hop: rng.u64(1..=5),
            local: rng.u64(1..=4),
            width: *rng.choice(&[1, 4, 6, 8, 16, 72]).unwrap(),
            beat,
            posts: 1,
            shape,
        },
        dram: Dram {
            nodes: (0..rng.u32(1..=3)).map(|_| rng.u32(0..nodes)).collect(),
            interleave: *rng.choice(&[64, 256, 4096]).unwrap(),
            banks,
            row: *rng.choice(&[1024, 4096, 32768]).unwrap(),
            row_hit,
            row_closed: row_hit + step,
            row_conflict: row_hit + 2 * step,
            burst: rng.u64(1..=10),
            refresh: *rng.choice(&[0, 1000, 3900]).unwrap(),
            refresh_time: rng.u64(1..=200),
            queue: 64,
        },
        device: 20,
        interrupt: 20,
        device_links: false,
    }
}

fn cache_told(cache: &Cache) -> Value {
    json!({"size": cache.size, "ways": cache.ways, "hit": cache.hit, "index": cache.index})
}

/// For the model: the names are those of `host/model/src/timing.rs`.
pub fn told(t: &Timing) -> Value {
    let c = &t.core;
    let homes = match &t.coherence.homes {
        Homes::Hash => json!({"kind": "hash"}),
        Homes::Page => json!({"kind": "page"}),
        Homes::Split { pages_from, interleave } => {
            json!({"kind": "split", "pages_from": pages_from, "interleave": interleave})
        }
        Homes::Nodes { interleave, nodes } => {
            json!({"kind": "nodes", "interleave": interleave, "nodes": nodes})
        }
    };
    let (shape, columns) = match &t.interconnect.shape {
        Shape::Mesh { columns, .. } => ("mesh", *columns),
        Shape::Ring { .. } => ("ring", 0),
        Shape::Bus { .. } => ("bus", 0),
        Shape::Full { .. } => ("full", 0),
    };
    let nodes = t.interconnect.shape.nodes();
    json!({
        "core": {
            "multiply": c.multiply, "divide": c.divide, "float_add": c.float_add,
            "float_multiply": c.float_multiply, "float_fused": c.float_fused,
            "float_divide": c.float_divide, "float_root": c.float_root, "float_move": c.float_move,
            "system": c.system, "load_use": c.load_use, "taken_branch": c.taken_branch, "trap": c.trap,
            "store_buffer": c.store_buffer, "prefetch": c.prefetch,
            "drain": if c.drain == Drain::Fifo { "fifo" } else { "any" },
            "atomics": if c.atomics == Atomics::L1 { "l1" } else { "home" },
        },
        "l1i": cache_told(&t.l1i), "l1d": cache_told(&t.l1d), "l2": t.l2.as_ref().map(cache_told),
        "tlb": {"entries": t.tlb.entries, "level": t.tlb.level},
        "nodes": nodes,
        "coherence": {
            "homes": homes, "directory": t.coherence.directory, "service": t.coherence.service,
            "atomic": t.coherence.atomic, "cache": t.coherence.cache.as_ref().map(cache_told),
        },
        "interconnect": {
            "shape": shape, "columns": columns, "nodes": nodes, "hop": t.interconnect.hop,
            "local": t.interconnect.local, "width": t.interconnect.width,
            "beat": t.interconnect.beat,
        },
        "dram": {
            "nodes": t.dram.nodes, "interleave": t.dram.interleave, "banks": t.dram.banks,
            "row": t.dram.row, "row_hit": t.dram.row_hit, "row_closed": t.dram.row_closed,
            "row_conflict": t.dram.row_conflict, "burst": t.dram.burst, "refresh": t.dram.refresh,
            "refresh_time": t.dram.refresh_time,
        },
    })
}
