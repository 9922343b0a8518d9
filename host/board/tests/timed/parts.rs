// SPDX-License-Identifier: Apache-2.0
//! DMA, counters, warming: parts of the timed machine that single programs show.

use super::boards::{random_board, random_clusters, random_kinds};
use super::program::{board, compile, finish, functional, in_both_orders, timed};
use fastrand::Rng;
use takt_board::{
    devices::{Finish, map},
    engine::{End, Machine, Mode},
    isa::CounterEvent,
    memory::tags::State,
};
use takt_model::timing::Atomics;

#[test]
fn dma_copies_what_caches_hold() {
    let base = format!("-DDMA_BASE={:#x}", map::DMA.base);
    let program = compile("dma.c", &[&base]);
    for name in ["tile72", "p4080", "sg2042"] {
        in_both_orders(&timed(&board(name), 3, &program), 5_000_000);
    }
    let (mut machine, _) = functional(&board("virt"), 3, &program);
    machine.mode = Mode::Warming;
    finish(&mut machine, 5_000_000);
}

/// A register that a device refuses, with time and without.
#[test]
fn a_refused_register_is_an_access_fault() {
    let base = format!("-DDMA_BASE={:#x}", map::DMA.base);
    let program = |stores_trap| compile("refused.c", &[&base, stores_trap]);
    let posted = program("-DSTORES_TRAP=0");
    for name in ["tile72", "p4080"] {
        in_both_orders(&timed(&board(name), 3, &posted), 5_000_000);
    }
    for mode in [Mode::Functional, Mode::Warming] {
        let (mut machine, _) = functional(&board("virt"), 3, &program("-DSTORES_TRAP=1"));
        machine.mode = mode;
        finish(&mut machine, 5_000_000);
    }
}

#[test]
fn counters_count_each_level() {
    for (option, atomics) in [("-DHOME", Atomics::Home), ("-DL1", Atomics::L1)] {
        for skid in [0, 40, 1000] {
            let program = compile("counters.c", &[option, &format!("-DSKID={skid}")]);
            let mut board = board("tile72");
            let core = &mut board.timing.as_mut().expect("timing").core;
            (core.prefetch, core.atomics, core.overflow_skid) = (0, atomics, skid);
            in_both_orders(&timed(&board, 1, &program), 50_000_000);
        }
    }
}

/// 256 lines that one hart changes, and then the other: where no cache is in front of the memory, each is read for the
/// first and written for the second, which took it from the first. A few more are code, stacks, the barrier.
#[test]
fn memory_knows_for_whom_it_moves_lines() {
    let mut board = board("tile72");
    board.timing.as_mut().expect("timing").coherence.cache = None;
    let mut machine = timed(&board, 2, &compile("traffic.c", &[]));
    in_both_orders(&machine, 5_000_000);
    finish(&mut machine, 5_000_000);
    let (first, second) = (machine.memory_lines(0), machine.memory_lines(1));
    println!("{first:?} {second:?}");
    assert!((256..300).contains(&first.reads) && first.writes < 30, "{first:?}");
    assert!((256..300).contains(&second.writes) && second.reads < 30, "{second:?}");
    // What is not for a core's own requests is not in its counters either.
    assert_eq!(first.reads, machine.count(0, CounterEvent::MemoryRead));
    assert_eq!(machine.memory_lines(2), Default::default());
}

/// What the DMA engine copies is its own, also what a cache had to give up for it.
#[test]
fn memory_knows_what_a_device_moves() {
    let program = compile("dma.c", &[&format!("-DDMA_BASE={:#x}", map::DMA.base)]);
    let mut board = board("tile72");
    board.timing.as_mut().expect("timing").coherence.cache = None;
    let mut machine = timed(&board, 3, &program);
    finish(&mut machine, 5_000_000);
    let dma = machine.world.io.platform.ranges().iter().position(|range| range.0 == map::DMA.base);
    let initiator = machine.world.io.platform.initiator(dma.expect("it is there") as u32);
    let lines = machine.memory_lines(initiator);
    assert!(lines.reads > 0 && lines.writes > 0, "{lines:?}");
}

/// Cycles of the walk behind the symbol `measured`, after what came before ran in this mode.
fn walk(name: &str, mode: Mode) -> u32 {
    let program = compile("warm.c", &[]);
    let (mut machine, _) = functional(&board(name), 1, &program);
    machine.mode = mode;
    machine.set_stops(vec![symbol(&program, "measured")]);
    assert!(matches!(machine.run(10_000_000), End::Stop { .. }));
    machine.set_stops(Vec::new());
    machine.begin_timing(|_| 0);
    match machine.run(10_000_000) {
        End::Finished(Finish::Fail(cycles)) => cycles,
        end => panic!("{end:?}"),
    }
}

fn symbol(program: &std::path::Path, name: &str) -> u64 {
    use takt_board::boot::load;
    let ram = 0x8000_0000..0xc000_0000;
    let program = load::read(program, std::slice::from_ref(&ram), ram.start).expect("a program");
    program.symbols.iter().find(|symbol| symbol.name == name).expect("the symbol").address
}

#[test]
fn a_warm_machine_has_what_was_used() {
    for name in ["tile72", "sg2042"] {
        let (cold, warm) = (walk(name, Mode::Functional), walk(name, Mode::Warming));
        println!("{name}: cold {cold}, warm {warm} cycles");
        // 256 lines: from DRAM 130 cycles each and more; from L1 or L2 2 to 16, and the loop.
        assert!(cold > 256 * 40 && warm < 256 * 20, "{name}: cold {cold}, warm {warm}");
    }
}

/// What warming leaves of several harts is coherent, and the machine goes on from it with time.
#[test]
fn a_warm_machine_of_several_harts_goes_on() {
    let program = compile("locks.c", &["-DROUNDS=2"]);
    for seed in 0..60 {
        let random = &mut Rng::with_seed(seed);
        let make = [random_clusters, random_board, random_kinds][seed as usize % 3];
        let board = make(random, 4);
        let (mut machine, _) = functional(&board, 4, &program);
        machine.mode = Mode::Warming;
        assert_eq!(machine.run(random.u64(1_000..8_000)), End::Until, "seed {seed}");
        one_writer(&machine);
        machine.begin_timing(|_| 0);
        in_both_orders(&machine, 10_000_000);
    }
}

/// Each line has one core that may write it, or some that read it.
fn one_writer(machine: &Machine) {
    let cores = machine.units.iter().map(|unit| &unit.core);
    for (line, _) in cores.clone().flat_map(|core| core.l1d.lines()) {
        let states: Vec<State> = cores.clone().map(|core| core.state(line)).collect();
        let holders = states.iter().filter(|state| **state != State::Invalid).count();
        let owned = states.iter().any(|state| state.owned());
        assert!(holders == 1 || !owned, "line {line:#x}: {states:?}");
    }
}
