// SPDX-License-Identifier: Apache-2.0
//! A debugger changes no run: stops, watched bytes and single steps at random, and all that a debugger
//! looks at, leave the run that it is without them.

use super::program::{board, compile, fingerprint, functional, timed};
use fastrand::Rng;
use takt_board::{
    devices::Finish,
    engine::{End, Machine, Mode, Order, watch::Watch},
};

/// Where harts are at some moments of the run.
fn places(machine: &Machine, random: &mut Rng) -> Vec<u64> {
    let mut machine = machine.clone();
    let mut places = Vec::new();
    while machine.run(machine.now + random.u64(1..500)) == End::Until {
        places.push(random.choice(&machine.units).expect("harts").hart.pc);
    }
    places
}

/// Watches one of the pages behind the program's code.
fn some_watch(machine: &Machine, random: &mut Rng) -> Watch {
    let pages: Vec<u64> = machine.world.fabric.ram.touched_pages().collect();
    let page = *random.choice(&pages[pages.len() / 2..]).expect("the program's pages");
    let bytes = *random.choice(&[8, 64, 4096]).expect("a size");
    let kinds = [(true, false), (false, true), (true, true)];
    let (reads, writes) = *random.choice(&kinds).expect("a kind");
    Watch { offset: page + random.u64(0..4096 / bytes) * bytes, bytes, reads, writes }
}

/// Runs to the end with many stops; answers how many of each kind there were.
fn disturbed(machine: &mut Machine, places: &[u64], random: &mut Rng) -> [u32; 3] {
    let mut count = [0; 3];
    let mut left = 1000;
    loop {
        if left == 0 {
            machine.set_stops(Vec::new());
            machine.set_watches(Vec::new());
            machine.set_step(None);
        }
        let pause = left > 0 && machine.mode == Mode::Timed;
        let until = if pause { random.u64(1..500) } else { 1_000_000_000 };
        match machine.run(machine.now + until) {
            End::Until => {}
            End::Stop { hart } => {
                count[0] += 1;
                let pc = machine.units[hart as usize].hart.pc;
                assert!(machine.stops().contains(&pc), "hart {hart} stands at {pc:#x}");
            }
            End::Watch { .. } => count[1] += 1,
            End::Step { .. } => count[2] += 1,
            end => {
                assert_eq!(end, End::Finished(Finish::Pass));
                return count;
            }
        }
        left = left.max(1) - 1;
        let hart = random.usize(0..machine.units.len());
        machine.csr(hart, 0xc00);
        let stops =
            (0..random.usize(0..4)).filter_map(|_| random.choice(places).copied()).collect();
        machine.set_stops(stops);
        let watches = (0..random.usize(0..3)).map(|_| some_watch(machine, random)).collect();
        machine.set_watches(watches);
        machine.set_step(random.bool().then_some(hart as u32));
    }
}

fn debugged(machine: &Machine, seed: u64) -> [u32; 3] {
    let mut random = Rng::with_seed(seed);
    let places = places(machine, &mut random);
    let mut plain = machine.clone();
    assert_eq!(plain.run(plain.now + 1_000_000_000), End::Finished(Finish::Pass));
    let mut machine = machine.clone();
    machine.set_step(Some(0));
    let count = disturbed(&mut machine, &places, &mut random);
    assert_eq!(fingerprint(&machine), fingerprint(&plain), "seed {seed}: {count:?}");
    count
}

#[test]
fn change_no_timed_run() {
    let options: [(&str, &[&str]); 4] =
        [("mix.c", &[]), ("locks.c", &["-DROUNDS=1"]), ("interrupts.c", &[]), ("spin.c", &[])];
    let programs = options.map(|(name, options)| compile(name, options));
    let mut all = [0; 3];
    for (name, harts) in [("tile72", 7), ("p4080", 8), ("xeon40", 5), ("virt", 1)] {
        for program in &programs {
            let mut machine = timed(&board(name), harts, program);
            for seed in 0..4 {
                machine.order = if seed % 2 == 0 { Order::Ahead } else { Order::Strict };
                let count = debugged(&machine, seed);
                (0..3).for_each(|kind| all[kind] += count[kind]);
            }
        }
    }
    assert!(
        all.iter().all(|count| *count > 100),
        "too few stops, watched accesses or steps: {all:?}"
    );
}

#[test]
fn change_no_functional_run() {
    let program = compile("mix.c", &[]);
    let (machine, _) = functional(&board("virt"), 4, &program);
    for seed in 0..6 {
        debugged(&machine, seed);
    }
}

/// Each increment of a counter is seen once, by the hart that makes it, with the value in its place.
#[test]
fn watches_see_each_access_once() {
    let program = compile("mix.c", &["-DROUNDS=1"]);
    let mut machine = timed(&board("tile72"), 4, &program);
    let counter = super::program::symbol(&program, "counter");
    let offset = machine.world.fabric.ram.offset(counter, 8).expect("it is in RAM");
    machine.set_watches(vec![Watch { offset, bytes: 8, reads: false, writes: true }]);
    let mut value = 0;
    while let End::Watch { hit, .. } = machine.run(machine.now + 1_000_000_000) {
        assert_eq!(hit.address, counter);
        let now = machine.world.fabric.ram.read::<8>(offset);
        // An SC that fails has written nothing; each hart's last store adds 0.
        assert!(now == value || now == value + 1, "{value}, then {now}");
        value = now;
    }
    let mut plain = timed(&board("tile72"), 4, &program);
    plain.run(1_000_000_000);
    assert!(value > 10 && value == plain.world.fabric.ram.read::<8>(offset), "{value}");
}

/// Words that harts wait for, written between two runs, end their waits in both orders alike.
#[test]
fn what_a_debugger_writes_is_seen() {
    let program = compile("spin.c", &["-DROUNDS=40"]);
    let boxes = super::program::symbol(&program, "boxes");
    let mut random = Rng::with_seed(3);
    for _ in 0..20 {
        let mut ahead = timed(&board("tile72"), 4, &program);
        let mut strict = ahead.clone();
        strict.order = Order::Strict;
        loop {
            let until = ahead.now + random.u64(1..600);
            let (one, other) = (ahead.run(until), strict.run(until));
            assert_eq!(one, other);
            assert_eq!(fingerprint(&ahead), fingerprint(&strict), "at {until}");
            if one != End::Until {
                break;
            }
            let address = boxes + 64 * random.u64(0..4);
            let value = random.u64(100..);
            for machine in [&mut ahead, &mut strict] {
                let offset = machine.world.fabric.ram.offset(address, 8).expect("it is in RAM");
                machine.world.fabric.ram.write::<8>(offset, value);
            }
        }
    }
}
