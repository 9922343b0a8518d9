// SPDX-License-Identifier: Apache-2.0
//! Memory of cores' own: values, faults, cycles, and the order of own and foreign accesses.

use super::boards::random_board;
use super::program::{board, compile, fingerprint, finish, functional, in_both_orders, timed};
use takt_board::{
    devices::Finish,
    engine::{BadSnapshot, End, Mode, watch::Watch},
    memory::network::SHORT,
};
use takt_model::{Board, Bytes, Scratchpad, ScratchpadWindow, timing::Drain};

const HARTS: u32 = 4;

pub fn scratchpad(name: &str, pages: u64, latency: u64, cores: &[u32]) -> Scratchpad {
    let window = ScratchpadWindow { base: 0x7100_0000, stride: Bytes(0x1_0000) };
    Scratchpad {
        name: name.to_string(),
        base: 0x7000_0000,
        size: Bytes(pages * 4096),
        latency,
        cores: cores.to_vec(),
        window: Some(window),
    }
}

/// Cores 0 and 1 are alike, core 2 has a larger and slower one, core 3 none.
fn with_scratchpads(name: &str) -> Board {
    let mut board = board(name);
    board.scratchpads = vec![scratchpad("near", 1, 3, &[0, 1]), scratchpad("large", 2, 7, &[2])];
    board
}

/// Cycles of a load through another's window, on an idle machine.
fn far(board: &Board, hart: u32, other: u32) -> u64 {
    let timing = board.timing.as_ref().expect("timing");
    let network = takt_board::memory::network::Network::new(&timing.interconnect);
    let (from, to) = (network.node_of(hart), network.node_of(other));
    let latency = if other == 2 { 7 } else { 3 };
    // A cycle until it leaves, there, the scratchpad, back, and the load's own cycle.
    1 + network.distance(from, to, SHORT) + latency + network.distance(to, from, SHORT) + 1
}

fn compiled(board: &Board, timed: bool) -> std::path::PathBuf {
    let core = &board.timing.as_ref().expect("timing").core;
    let each = (0..HARTS).flat_map(|hart| (0..3).map(move |other| far(board, hart, other)));
    let list = |values: Vec<u64>| {
        let texts: Vec<String> = values.iter().map(u64::to_string).collect();
        format!("{{{}}}", texts.join(","))
    };
    let branch_and_counter = core.system + 1;
    let options = [
        format!("-DTIMED={}", u8::from(timed)),
        format!("-DFAR={}", list(each.collect())),
        format!("-DLATENCIES={}", list(vec![3, 3, 7])),
        format!("-DBRANCH_AND_COUNTER={branch_and_counter}"),
        "-march=rv64gc_zicbom".to_string(),
    ];
    compile("scratchpads.c", &options.each_ref().map(|option| option.as_str()))
}

#[test]
fn each_core_has_its_own_at_one_address() {
    for name in ["tile72", "virt", "p4080"] {
        for drain in [Drain::Fifo, Drain::Any] {
            let mut board = with_scratchpads(name);
            board.timing.as_mut().expect("timing").core.drain = drain;
            let machine = timed(&board, HARTS, &compiled(&board, true));
            in_both_orders(&machine, 5_000_000);
        }
    }
}

#[test]
fn without_time_they_hold_the_same() {
    let board = with_scratchpads("virt");
    for mode in [Mode::Functional, Mode::Warming] {
        let (mut machine, _) = functional(&board, HARTS, &compiled(&board, false));
        machine.mode = mode;
        finish(&mut machine, 50_000_000);
    }
}

/// The programs race on machines of all figures, where little room is left to run ahead.
#[test]
fn both_orders_agree_on_races() {
    let program = compile("scratchmix.c", &[]);
    for seed in 0..100 {
        let mut random = fastrand::Rng::with_seed(seed);
        let harts = random.u32(2..9);
        let mut board = random_board(&mut random, harts);
        let cores: Vec<u32> = (0..harts).collect();
        board.scratchpads = vec![scratchpad("own", 1, random.u64(1..6), &cores)];
        println!("seed {seed}, {harts} harts");
        let mut machine = timed(&board, harts, &program);
        machine.set_seed(seed, random.u64(0..5));
        in_both_orders(&machine, 10_000_000);
    }
}

/// A hart that spins on its own scratchpad is parked, and sees what others write there.
#[test]
fn a_hart_that_spins_on_its_own_sees_what_others_write() {
    let program = compile("scratchspin.c", &[]);
    let board = with_scratchpads("tile72");
    in_both_orders(&timed(&board, 3, &program), 10_000_000);
    in_both_orders(&functional(&board, 3, &program).0, 50_000_000);
}

/// Nobody has a window: what two cores do at one address never meets.
#[test]
fn without_a_window_nobody_reaches_another() {
    let mut board = with_scratchpads("tile72");
    board.scratchpads.iter_mut().for_each(|pad| pad.window = None);
    let program = compile("private.c", &[]);
    in_both_orders(&timed(&board, HARTS, &program), 1_000_000);
    let (mut machine, _) = functional(&board, HARTS, &program);
    finish(&mut machine, 50_000_000);
}

#[test]
fn a_snapshot_keeps_them_and_what_is_under_way() {
    let board = with_scratchpads("tile72");
    let start = timed(&board, HARTS, &compiled(&board, true));
    let mut whole = start.clone();
    finish(&mut whole, 5_000_000);
    for at in (100..10_000).step_by(97) {
        let mut saved = start.clone();
        saved.run(start.now + at);
        let mut read = start.restore(&saved.save()).expect("the snapshot is good");
        finish(&mut read, 5_000_000);
        assert_eq!(fingerprint(&read), fingerprint(&whole), "saved after {at}");
    }
    let mut other = board.clone();
    other.scratchpads[0].latency += 1;
    let other = timed(&other, HARTS, &compiled(&board, true));
    assert_eq!(other.restore(&start.save()).err(), Some(BadSnapshot::OtherMachine));
}

/// A core whose stores are in order keeps them so where others look; one whose are not, does not.
#[test]
fn stores_keep_their_order_where_the_buffer_does() {
    let program = compile("scratchlitmus.c", &[]);
    for (drain, passes) in [(Drain::Fifo, false), (Drain::Any, true)] {
        let mut board = with_scratchpads("tile72");
        board.timing.as_mut().expect("timing").core.drain = drain;
        let mut machine = timed(&board, 2, &program);
        let wanted = if passes { Finish::Fail(3) } else { Finish::Pass };
        assert_eq!(machine.run(5_000_000), End::Finished(wanted), "{drain:?}");
    }
}

/// Watched as RAM is, by whichever address it is reached.
#[test]
fn a_debugger_can_watch_them() {
    let board = with_scratchpads("tile72");
    for (owner, address) in [(0, 0x7000_0008), (2, 0x7102_0010)] {
        let mut machine = timed(&board, HARTS, &compiled(&board, true));
        let (pad, offset) = machine.world.map.scratchpad(owner, address, 8).expect("it is there");
        assert_eq!(pad.core, owner);
        let watch = Watch { offset, bytes: 8, reads: false, writes: true };
        machine.set_watches(vec![watch]);
        let End::Watch { hart, hit } = machine.run(5_000_000) else { panic!("no stop") };
        assert_eq!((hart, hit.address, hit.watch), (owner, 0x7000_0000 + address % 64, watch));
        // The store is done, and seen by whoever looks.
        let value = machine.world.fabric.ram.read::<8>(offset);
        assert_eq!(value, if owner == 0 { 100 } else { 0 });
    }
}
