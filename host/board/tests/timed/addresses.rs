// SPDX-License-Identifier: Apache-2.0
//! Memory in several regions, and words beside it.

use super::program::{board, compile, fingerprint, finish, functional, in_both_orders, timed};
use takt_board::{
    devices::{Finish, map},
    engine::{End, Mode, Unit},
};
use takt_model::{Board, Bytes, Memory, Register, RegisterKind};

const OTHER: u64 = 0x1_2000_0000;

fn dma() -> String {
    format!("-DDMA_BASE={:#x}", map::DMA.base)
}

fn region(name: &str, base: u64, end: u64) -> Memory {
    Memory { name: name.to_string(), base, size: Bytes(end - base), cached: true, cores: None }
}

/// The homes, banks, rows and sets of a second region are those of its addresses: the run is the one
/// of a board whose only region holds both.
#[test]
fn a_second_region_is_memory_at_its_addresses() {
    for name in ["tile72", "p4080", "xeon40", "virt"] {
        let mut board = board(name);
        board.memory.truncate(1);
        let first = board.memory[0].base..board.memory[0].base + 0x400_0000;
        board.memory[0].size = Bytes(first.end - first.start);
        let low = region("low", 0x4000_0000, 0x4010_1000);
        board.memory.push(low);
        board.memory.push(region("other", OTHER, OTHER + 0x200_0000));
        // One program, so that its code lies at the same place; the faults behind the ends are left out.
        let program = compile("regions.c", &[&dma(), "-DWHOLE=1"]);
        let machine = timed(&board, 4, &program);
        in_both_orders(&machine, 50_000_000);
        let run = |board: &Board| {
            let mut machine = timed(board, 4, &program);
            let end = finish(&mut machine, 50_000_000);
            // Not memory: the device trees are others.
            let of = |unit: &Unit| (unit.clock, unit.hart.instret, unit.hart.pc, unit.hart.x);
            let harts: Vec<_> = machine.units.iter().map(of).collect();
            (end, machine.world.coherence.transactions_done(), harts)
        };
        let mut whole = board.clone();
        whole.memory = vec![region("whole", first.start, OTHER + 0x200_0000)];
        assert_eq!(run(&board), run(&whole), "{name}");

        let with_faults = compile("regions.c", &[&dma(), "-DWHOLE=0"]);
        in_both_orders(&timed(&board, 4, &with_faults), 50_000_000);
        for mode in [Mode::Functional, Mode::Warming] {
            let (mut machine, _) = functional(&board, 4, &with_faults);
            machine.mode = mode;
            finish(&mut machine, 50_000_000);
        }
    }
}

#[test]
fn a_snapshot_keeps_all_regions() {
    let mut board = board("tile72");
    board.memory.push(region("other", OTHER, OTHER + 0x200_0000));
    let program = compile("regions.c", &[&dma(), "-DWHOLE=0"]);
    let start = timed(&board, 3, &program);
    let mut whole = start.clone();
    finish(&mut whole, 50_000_000);
    for at in [1000, 20_000, 100_000] {
        let mut saved = start.clone();
        saved.run(start.now + at);
        let mut read = start.restore(&saved.save()).expect("the snapshot is good");
        finish(&mut read, 50_000_000);
        assert_eq!(fingerprint(&read), fingerprint(&whole), "saved after {at}");
    }
}

#[test]
fn registers_are_words_and_locks() {
    let words = 8;
    let register = |name: &str, base, count, kind| Register {
        name: name.to_string(),
        base,
        count,
        kind,
        posted: true,
    };
    let mut board = board("tile72");
    board.registers = vec![
        register("locks", 0x6000_0000, 2, RegisterKind::TestAndSet),
        register("words", 0x6000_1000, words, RegisterKind::Word),
    ];
    let program = compile("registers.c", &[&dma(), &format!("-DWORD_COUNT={words}")]);
    let mut waiting = board.clone();
    waiting.registers.iter_mut().for_each(|register| register.posted = false);
    in_both_orders(&timed(&waiting, 5, &program), 5_000_000);
    let start = timed(&board, 5, &program);
    in_both_orders(&start, 5_000_000);
    let (mut machine, _) = functional(&board, 5, &program);
    finish(&mut machine, 50_000_000);

    let mut whole = start.clone();
    finish(&mut whole, 5_000_000);
    let mut saved = start.clone();
    saved.run(start.now + 3000);
    let mut read = start.restore(&saved.save()).expect("the snapshot is good");
    finish(&mut read, 5_000_000);
    assert_eq!(fingerprint(&read), fingerprint(&whole));
}

/// What a board's file cannot know: where the devices are.
#[test]
fn nothing_may_lie_on_a_device() {
    let mut board = board("virt");
    board.registers = vec![Register {
        name: "lock".to_string(),
        base: map::UART.base + 8,
        count: 1,
        kind: RegisterKind::Word,
        posted: true,
    }];
    let program = compile("registers.c", &[&dma(), "-DWORD_COUNT=8"]);
    let setup = takt_board::Setup {
        board: &board,
        harts: 1,
        program: &program,
        firmware: takt_board::boot::Firmware::None,
        initrd: None,
        arguments: "",
        input: vec![],
        devices: vec![],
    };
    let error = takt_board::start(setup).err().expect("it is refused").to_string();
    assert!(error.contains("0x10000000 runs into the one at 0x10000008"), "{error}");
}

/// The cycles of one access to words whose stores are posted, or not.
fn access(option: &str, posted: bool) -> u32 {
    let mut board = board("tile72");
    let (name, kind) = ("words".to_string(), RegisterKind::Word);
    board.registers = vec![Register { name, base: 0x6000_0000, count: 1, kind, posted }];
    let mut machine = timed(&board, 1, &compile("posted.c", &[option]));
    match machine.run(machine.now + 100_000) {
        End::Finished(Finish::Fail(cycles)) => cycles,
        end => panic!("{end:?}"),
    }
}

/// A store that is not posted takes what a load does; a posted one its cycle, and a fence behind it the rest.
#[test]
fn a_store_waits_for_its_answer_unless_it_is_posted() {
    let load = access("-DLOAD", true);
    let (store, fenced) = (access("-DSTORE", true), access("-DFENCED", true));
    println!("load {load}, posted store {store}, fenced {fenced}");
    assert_eq!(access("-DLOAD", false), load);
    assert_eq!(access("-DSTORE", false), load);
    assert!(store < 10 && load > 40 && fenced.abs_diff(load) < 5, "{store} {fenced} {load}");
}
