// SPDX-License-Identifier: Apache-2.0
//! Cores without shared memory: workers in reset, the scoreboard and the words, blocks between scratchpads.

use super::program::{
    board, compile, compile_worker, fingerprint, finish, functional, in_both_orders, symbol, timed,
};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};
use takt_board::{
    devices::{Finish, Kind},
    engine::{
        End, Machine, Mode, Order, UnitState,
        observe::{Access, Kind as AccessKind, Location},
    },
};

const WORKERS: std::ops::Range<u32> = 1..9;
const PAD: u64 = 0x7000_0000;
const MIB: u64 = 1 << 20;

/// The program of core 0, and that of the workers, in their scratchpads.
fn programs(name: &str, options: &[&str]) -> (PathBuf, PathBuf) {
    (compile(name, options), compile_worker(name, options))
}

fn load_workers(machine: &mut Machine, program: &Path) {
    use object::{Object, ObjectSegment};
    let bytes = std::fs::read(program).expect("the program");
    let file = object::File::parse(&*bytes).expect("an ELF file");
    for segment in file.segments() {
        let (at, data) = (segment.address() - PAD, segment.data().expect("its bytes"));
        for core in WORKERS {
            let there = pad(machine, core) + at;
            machine.world.fabric.ram.slice_mut(there, data.len() as u64).copy_from_slice(data);
        }
    }
}

/// The offset of a core's scratchpad in the machine's bytes.
fn pad(machine: &Machine, core: u32) -> u64 {
    let behind = machine.world.fabric.ram.behind();
    if core == 0 { behind } else { behind + 16 * MIB + u64::from(core - 1) * MIB }
}

fn machine(name: &str, options: &[&str]) -> Machine {
    let (program, worker) = programs(name, options);
    let mut machine = timed(&board("iota9"), 1, &program);
    load_workers(&mut machine, &worker);
    machine
}

fn without_time(name: &str, options: &[&str], mode: Mode) {
    let (program, worker) = programs(name, options);
    let (mut machine, _) = functional(&board("iota9"), 1, &program);
    load_workers(&mut machine, &worker);
    machine.mode = mode;
    finish(&mut machine, 50_000_000);
}

#[test]
fn workers_start_stop_and_reach_nothing_else() {
    in_both_orders(&machine("workers.c", &[]), 10_000_000);
    // Answers that are under way for longer than a worker takes to be held and started again.
    let (program, worker) = programs("workers.c", &[]);
    let mut far = board("iota9");
    far.subnets.word_registers.as_mut().expect("words").way = 60;
    let mut machine = timed(&far, 1, &program);
    load_workers(&mut machine, &worker);
    in_both_orders(&machine, 10_000_000);
    for mode in [Mode::Functional, Mode::Warming] {
        without_time("workers.c", &[], mode);
    }
}

#[test]
fn held_workers_execute_nothing() {
    let mut machine = machine(
        "block.S",
        &["-DSOURCE=0", "-DDESTINATION=0", "-DLENGTH=0", "-DTO=0", "-DCOMMAND=0"],
    );
    assert_eq!(machine.units.len(), 9);
    machine.run(machine.now + 10_000);
    for core in WORKERS {
        let unit = &machine.units[core as usize];
        assert_eq!((unit.state, unit.hart.instret), (UnitState::Held, 0));
    }
}

/// The views are what the entries say, and cycles what the board says.
#[test]
fn each_core_sees_what_the_others_entries_say_to_it() {
    in_both_orders(&machine("scoreboard.c", &[]), 10_000_000);
}

/// Data, message, answer: no block is seen before its message or overwritten before its answer.
#[test]
fn messages_come_behind_their_data() {
    for mode in [Mode::Functional, Mode::Warming] {
        without_time("messages.c", &[], mode);
    }
    let machine = machine("messages.c", &[]);
    for seed in 0..100 {
        let mut machine = machine.clone();
        machine.set_seed(seed, seed % 12);
        in_both_orders(&machine, 10_000_000);
    }
}

/// The test above can fail.
#[test]
fn messages_before_their_data_are_found() {
    let mut machine = machine("messages.c", &["-DEARLY"]);
    assert_eq!(machine.run(10_000_000), End::Finished(Finish::Fail(3)));
}

#[test]
fn a_snapshot_goes_on_with_packets_under_way_and_workers_in_reset() {
    for (name, step) in [("messages.c", 997), ("workers.c", 1499)] {
        let start = machine(name, &[]);
        let mut whole = start.clone();
        let end = finish(&mut whole, 10_000_000);
        for at in (1..30).map(|i| start.now + i * step).filter(|at| *at < end) {
            let mut saved = start.clone();
            assert_eq!(saved.run(at), End::Until);
            let mut read = start.restore(&saved.save()).expect("the snapshot is good");
            read.order = Order::Strict;
            finish(&mut read, 10_000_000);
            assert_eq!(fingerprint(&read), fingerprint(&whole), "{name} from {at}");
        }
    }
}

/// One command of core 0's engine on an idle machine: when it left, when it was done, and what the engine did.
fn command(options: [u64; 5]) -> (u64, Machine, Vec<Access>) {
    let names = ["SOURCE", "DESTINATION", "LENGTH", "TO", "COMMAND"];
    let options = names.iter().zip(options).map(|(name, value)| format!("-D{name}={value}"));
    let options: Vec<String> = options.collect();
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let program = compile("block.S", &options);
    let mut machine = timed(&board("iota9"), 1, &program);
    for core in 0..9 {
        let at = pad(&machine, core);
        for (byte, there) in machine.world.fabric.ram.slice_mut(at, 4096).iter_mut().enumerate() {
            *there = (byte * 7 + core as usize * 41) as u8;
        }
    }
    let seen = Arc::new(Mutex::new(Vec::new()));
    let all = seen.clone();
    machine.observe(Some(Box::new(move |access: &Access| all.lock().unwrap().push(*access))));
    let status = |machine: &mut Machine| {
        machine.world.io.platform.access(machine.now, 0, 0x6000_2028, 8, Kind::Read).unwrap()
    };
    let stored = |seen: &Mutex<Vec<Access>>| {
        let seen = seen.lock().unwrap();
        let at = symbol(&program, "command");
        seen.iter().find(|it| it.pc == at && it.kind == AccessKind::Store).map(|it| it.time)
    };
    for _ in 0..20_000 {
        machine.run(machine.now + 1);
        if stored(&seen).is_some() && status(&mut machine) & 6 != 0 {
            break;
        }
    }
    assert_eq!(status(&mut machine), 2, "done");
    let began = stored(&seen).expect("the command");
    // The machine stands before the next cycle.
    let taken = machine.now - 1 - began;
    let engine = seen.lock().unwrap().iter().copied().filter(|it| it.initiator > 8).collect();
    (taken, machine, engine)
}

/// Links from core 0 to a core of the mesh of 3 x 3.
fn links(core: u64) -> u64 {
    core % 3 + core / 3
}

/// Cycles of a block's packets on a link of 4 bytes: 128 bytes and 8 each.
fn flits(bytes: u64) -> u64 {
    bytes / 128 * 34 + if bytes % 128 > 0 { (bytes % 128 + 8) / 4 } else { 0 }
}

const COMMAND: u64 = 1 + 16;

#[test]
fn a_block_takes_what_its_packets_and_its_answer_take() {
    for core in 1..9 {
        for bytes in [4, 128, 132, 512, 1000] {
            let (taken, machine, engine) = command([8, 2048, bytes, 1 << core, 1]);
            let there = 1 + links(core) + flits(bytes) - 1;
            let back = 1 + links(core) + 2 - 1;
            assert_eq!(taken, COMMAND + there + back, "{bytes} bytes to core {core}");
            let ram = &machine.world.fabric.ram;
            let of = |core, offset| ram.slice(pad(&machine, core) + offset, bytes);
            assert_eq!(of(0, 8), of(core as u32, 2048));
            // What the engine did: packet by packet, read and written.
            let packets = bytes.div_ceil(128) as usize;
            assert_eq!(engine.len(), 2 * packets);
            let written: Vec<Location> = engine
                .iter()
                .filter(|it| it.kind == AccessKind::DmaWrite)
                .map(|it| it.location)
                .collect();
            assert_eq!(written[0], Location::Scratchpad { core: core as u32, offset: 2048 });
        }
    }
}

/// Each link of the tree is taken once: nobody waits for another's copy.
#[test]
fn a_broadcast_reaches_each_core_as_a_block_does() {
    let (taken, machine, engine) = command([0, 1024, 512, 0x1fe, 1]);
    // The farthest answers last; answers that share a link come one behind the other.
    let alone = COMMAND + (1 + 4 + flits(512) - 1) + (1 + 4 + 1);
    assert!((alone..alone + 16).contains(&taken), "{taken} of {alone}");
    let began = engine.iter().find(|it| it.kind == AccessKind::DmaRead).expect("a read").time;
    for core in 1..9 {
        let written = engine.iter().filter(|it| it.kind == AccessKind::DmaWrite);
        let here = written.filter(
            |it| matches!(it.location, Location::Scratchpad { core: at, .. } if u64::from(at) == core),
        );
        let last = here.map(|it| it.time).max().expect("it arrives");
        assert_eq!(last - began, 1 + links(core) + flits(512) - 1, "core {core}");
        let ram = &machine.world.fabric.ram;
        assert_eq!(
            ram.slice(pad(&machine, 0), 512),
            ram.slice(pad(&machine, core as u32) + 1024, 512)
        );
    }
    // Four packets, each read once.
    assert_eq!(engine.iter().filter(|it| it.kind == AccessKind::DmaRead).count(), 4);
}

#[test]
fn a_gather_asks_one_core_after_the_other() {
    let (taken, machine, _) = command([64, 4096, 200, 0x14a, 2]);
    let cores = [1, 3, 6, 8];
    let part = |core| (1 + links(core) + 2 - 1) + (1 + links(core) + flits(200) - 1);
    assert_eq!(taken, COMMAND + cores.iter().map(|core| part(*core)).sum::<u64>());
    let ram = &machine.world.fabric.ram;
    for (number, core) in (0..).zip(cores) {
        let here = ram.slice(pad(&machine, 0) + 4096 + 200 * number, 200);
        assert_eq!(here, ram.slice(pad(&machine, core as u32) + 64, 200), "core {core}");
    }
}
