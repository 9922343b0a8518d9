// SPDX-License-Identifier: Apache-2.0
//! RAM that no cache keeps: values, faults, cycles, order, and what is counted.

use super::boards::{random_board, random_clusters, random_kinds};
use super::program::{board, compile, fingerprint, finish, functional, in_both_orders, timed};
use fastrand::Rng;
use takt_board::{
    devices::{Finish, map},
    engine::{BadSnapshot, End, Mode, watch::Watch},
    isa::CounterEvent,
    memory::{
        dram::Dram,
        network::{Network, SHORT},
    },
};
use takt_model::{Board, Bytes, Memory, timing::Drain};

const BASE: u64 = 0x4000_0000;
const SIZE: u64 = 0x1_0000;
const HARTS: u32 = 4;

fn with_uncached(mut board: Board) -> Board {
    let memory =
        Memory { name: "shared".into(), base: BASE, size: Bytes(SIZE), cached: false, cores: None };
    board.memory.push(memory);
    board
}

/// An access is told when it is complete, an atomic operation too, which the memory performs meanwhile.
#[test]
fn a_debugger_can_watch_it() {
    let board = with_uncached(board("tile72"));
    let program = compile("uncachedcounts.c", &[]);
    let mut machine = timed(&board, 1, &program);
    let offset = machine.world.fabric.ram.offset(BASE, 8).expect("it is there");
    let told = |reads, writes| {
        let mut machine = machine.clone();
        machine.set_watches(vec![Watch { offset, bytes: 8, reads, writes }]);
        let mut told = 0;
        while let End::Watch { hit, .. } = machine.run(machine.now + 1_000_000) {
            assert_eq!(hit.address, BASE);
            told += 1;
        }
        told
    };
    // It is loaded, stored to, and counted in.
    assert_eq!([told(true, false), told(false, true), told(true, true)], [2, 2, 3]);
    finish(&mut machine, 1_000_000);
}

fn dma() -> String {
    format!("-DDMA_BASE={:#x}", map::DMA.base)
}

/// Cycles of a load whose row is open, on an idle machine.
fn round_trip(board: &Board, hart: u32) -> u64 {
    let timing = board.timing.as_ref().expect("timing");
    let network = Network::new(&timing.interconnect);
    let (from, to) = (network.node_of(hart), Dram::new(&timing.dram).node(BASE));
    let memory = timing.dram.row_hit + timing.dram.burst;
    // A cycle until it leaves, there, the memory, back, and the load's own cycle.
    1 + network.distance(from, to, SHORT) + memory + network.distance(to, from, SHORT) + 1
}

fn compiled(board: &Board, timed: bool) -> std::path::PathBuf {
    let trips: Vec<String> = (0..HARTS).map(|hart| round_trip(board, hart).to_string()).collect();
    let options = [
        dma(),
        format!("-DTIMED={}", u8::from(timed)),
        format!("-DROUND_TRIPS={{{}}}", trips.join(",")),
        format!("-DCOUNTER={}", board.timing.as_ref().expect("timing").core.system),
        "-march=rv64gc_zicbom".to_string(),
    ];
    compile("uncached.c", &options.each_ref().map(|option| option.as_str()))
}

#[test]
fn the_memory_performs_what_is_asked() {
    for name in ["tile72", "virt", "p4080", "sg2042"] {
        for (drain, depth) in [(Drain::Fifo, 8), (Drain::Any, 8), (Drain::Fifo, 1), (Drain::Any, 0)]
        {
            let mut board = with_uncached(board(name));
            let timing = board.timing.as_mut().expect("timing");
            (timing.core.drain, timing.core.store_buffer) = (drain, depth);
            // A refresh would close the row that is measured.
            timing.dram.refresh = 0;
            let machine = timed(&board, HARTS, &compiled(&board, true));
            in_both_orders(&machine, 5_000_000);
        }
    }
}

#[test]
fn without_time_it_holds_the_same() {
    let board = with_uncached(board("virt"));
    for mode in [Mode::Functional, Mode::Warming] {
        let (mut machine, _) = functional(&board, HARTS, &compiled(&board, false));
        machine.mode = mode;
        finish(&mut machine, 50_000_000);
    }
}

fn orders(make: impl Fn(&mut Rng, u32) -> Board) {
    let program = compile("uncachedmix.c", &[&dma()]);
    for seed in 0..60 {
        let mut random = Rng::with_seed(seed);
        let harts = random.u32(2..9);
        let mut board = with_uncached(make(&mut random, harts));
        if random.bool() {
            // The memory answers sooner than any home.
            let timing = board.timing.as_mut().expect("timing");
            timing.coherence.directory = random.u64(1..60);
            let (hit, more) = (random.u64(0..3), random.u64(0..3));
            let dram = &mut timing.dram;
            (dram.row_hit, dram.row_closed, dram.row_conflict) = (hit, hit + more, hit + more);
            dram.burst = random.u64(1..3);
        }
        println!("seed {seed}, {harts} harts");
        let mut machine = timed(&board, harts, &program);
        machine.set_seed(seed, random.u64(0..5));
        in_both_orders(&machine, 10_000_000);
    }
}

/// The programs race on machines of all figures, where little room is left to run ahead.
#[test]
fn both_orders_agree_on_races() {
    orders(random_board);
}

#[test]
fn both_orders_agree_on_races_with_clusters() {
    orders(random_clusters);
}

#[test]
fn both_orders_agree_on_races_with_kinds() {
    orders(random_kinds);
}

/// A store buffer that drains in order keeps these stores in it; one that does not needs a fence.
#[test]
fn stores_keep_their_order_where_the_buffer_does() {
    // Where the memory is slow the flag in the cache is seen first; where the directory is, that in memory too.
    // An atomic operation as the flag waits for all stores.
    for (drain, fence, slow_memory, wanted) in [
        (Drain::Fifo, 0, true, Finish::Pass),
        (Drain::Fifo, 0, false, Finish::Pass),
        (Drain::Any, 0, true, Finish::Fail(16 | 1)),
        (Drain::Any, 0, false, Finish::Fail(16 | 1 | 2)),
        (Drain::Any, 1, true, Finish::Pass),
        (Drain::Any, 1, false, Finish::Pass),
    ] {
        let program = compile("uncachedlitmus.c", &[&format!("-DFENCE={fence}")]);
        let mut board = with_uncached(board("tile72"));
        let timing = board.timing.as_mut().expect("timing");
        timing.core.drain = drain;
        let dram = &mut timing.dram;
        if slow_memory {
            (dram.row_hit, dram.row_closed, dram.row_conflict) = (2000, 2000, 2000);
        } else {
            timing.coherence.directory = 2000;
        }
        let mut machine = timed(&board, 2, &program);
        let end = machine.run(50_000_000);
        assert_eq!(end, End::Finished(wanted), "{drain:?}, fence {fence}, {slow_memory}");
    }
}

#[test]
fn a_snapshot_keeps_what_is_under_way() {
    let board = with_uncached(board("tile72"));
    let program = compile("uncachedmix.c", &[&dma()]);
    let start = timed(&board, HARTS, &program);
    let mut whole = start.clone();
    finish(&mut whole, 5_000_000);
    let length = whole.now - start.now;
    for at in (100..length).step_by(length as usize / 40) {
        let mut saved = start.clone();
        saved.run(start.now + at);
        let mut read = start.restore(&saved.save()).expect("the snapshot is good");
        finish(&mut read, 5_000_000);
        assert_eq!(fingerprint(&read), fingerprint(&whole), "saved after {at}");
    }
    let mut other = board.clone();
    other.memory.last_mut().expect("it is there").cached = true;
    let other = timed(&other, HARTS, &program);
    assert_eq!(other.restore(&start.save()).err(), Some(BadSnapshot::OtherMachine));
}

/// Each access is one of the memory's, with an atomic operation's write; no cache is asked.
#[test]
fn each_access_is_counted() {
    let program = compile("uncachedcounts.c", &[]);
    let mut board = with_uncached(board("tile72"));
    board.timing.as_mut().expect("timing").core.prefetch = 4;
    let mut machine = timed(&board, 1, &program);
    let mut twice = machine.clone();
    let count = |machine: &takt_board::engine::Machine| {
        let served = machine.memory_lines(0);
        let events = [
            CounterEvent::MemoryRead,
            CounterEvent::MemoryWrite,
            CounterEvent::L1dMiss,
            CounterEvent::LlcMiss,
        ];
        (events.map(|event| machine.count(0, event)), served.reads, served.writes)
    };
    finish(&mut machine, 1_000_000);
    let offset =
        twice.world.fabric.ram.offset(super::program::symbol(&program, "more"), 8).expect("RAM");
    twice.world.fabric.ram.slice_mut(offset, 8).copy_from_slice(&1u64.to_le_bytes());
    finish(&mut twice, 1_000_000);
    let (one, two) = (count(&machine), count(&twice));
    // 64 lines are read, 32 written, 16 counted in.
    assert_eq!([two.0[0] - one.0[0], two.0[1] - one.0[1]], [64 + 16, 32 + 16]);
    assert_eq!([two.0[2] - one.0[2], two.0[3] - one.0[3]], [0, 0]);
    assert_eq!((two.1 - one.1, two.2 - one.2), (64 + 16, 32 + 16));
}
