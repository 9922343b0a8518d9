// SPDX-License-Identifier: Apache-2.0
//! A machine that was saved and read again goes on as if nothing had been.

use super::boards::{random_board, random_clusters, random_kinds};
use super::program::{EVENTS, board, compile, fingerprint, functional, timed};
use fastrand::Rng;
use takt_board::{
    devices::Finish,
    engine::{BadSnapshot, End, Machine, Order},
};

#[track_caller]
fn same(one: &Machine, other: &Machine, when: &str) {
    assert_eq!(fingerprint(one), fingerprint(other), "{when}");
    for (index, unit) in one.units.iter().enumerate() {
        let counts = |machine: &Machine| EVENTS.map(|event| machine.count(index, event));
        assert_eq!(counts(one), counts(other), "{when}: hart {index}");
        assert_eq!(unit.core.waits, other.units[index].core.waits, "{when}: hart {index}");
    }
    assert!(one.world.fabric.ram.pages().eq(other.world.fabric.ram.pages()), "{when}: RAM");
}

/// Saves at a moment, reads into a new machine, and follows both to the end.
fn goes_on(start: &Machine, at: u64, random: &mut Rng) -> bool {
    let mut saved = start.clone();
    if saved.run(saved.now + at) != End::Until {
        return false;
    }
    let file = saved.save();
    let mut read = start.restore(&file).expect("the snapshot is good");
    if random.bool() {
        (saved.order, read.order) = (Order::Ahead, Order::Strict);
    } else {
        (saved.order, read.order) = (Order::Strict, Order::Ahead);
    }
    same(&saved, &read, "when read");
    loop {
        let until = saved.now + random.u64(1..3000);
        let (one, other) = (saved.run(until), read.run(until));
        assert_eq!(one, other);
        same(&saved, &read, &format!("{} cycles after {at}", saved.now - at));
        if one != End::Until {
            assert_eq!(one, End::Finished(Finish::Pass));
            return true;
        }
    }
}

#[test]
fn a_timed_machine_goes_on() {
    let options: [(&str, &[&str]); 4] =
        [("mix.c", &[]), ("locks.c", &["-DROUNDS=1"]), ("interrupts.c", &[]), ("spin.c", &[])];
    let programs = options.map(|(name, options)| compile(name, options));
    let mut random = Rng::with_seed(1);
    let mut count = 0;
    let named = [("tile72", 9), ("p4080", 8), ("xeon40", 6), ("sg2042", 7), ("virt", 2)];
    let named = named.map(|(name, harts)| (board(name), harts));
    // The random boards have small caches in which everything happens.
    let any = (0..40).map(|seed| (random_board(&mut Rng::with_seed(seed), 4), 4));
    let clusters = (0..20).map(|seed| (random_clusters(&mut Rng::with_seed(seed), 4), 4));
    let kinds = (0..20).map(|seed| (random_kinds(&mut Rng::with_seed(seed), 4), 4));
    for (board, harts) in named.into_iter().chain(any).chain(clusters).chain(kinds) {
        let mut start = timed(&board, harts, random.choice(&programs).expect("a program"));
        start.set_seed(random.u64(..), 3);
        for _ in 0..6 {
            count += u32::from(goes_on(&start, random.u64(0..10_000), &mut random));
        }
    }
    assert!(count > 200, "{count} runs were long enough");
}

/// Small caches and no L2: a core asks again for lines that it has just sent home, and must not overtake
/// them.
#[test]
fn lines_on_their_way_home_are_kept() {
    let mut board = board("virt1");
    let timing = board.timing.as_mut().expect("timing");
    timing.l2 = None;
    timing.coherence.cache = None;
    (timing.l1d.size, timing.l1d.ways) = (256, 1);
    (timing.core.prefetch, timing.interconnect.width) = (0, 8);
    let mut machine = timed(&board, 1, &compile("rules.c", &["-DRULE=THRASH"]));
    machine.run(machine.now + 4000);
    for _ in 0..300 {
        machine.run(machine.now + 1);
        let mut read = machine.restore(&machine.save()).expect("the snapshot is good");
        let mut plain = machine.clone();
        let until = machine.now + 400;
        assert_eq!(plain.run(until), read.run(until));
        same(&plain, &read, &format!("saved at {}", machine.now));
    }
}

#[test]
fn a_functional_machine_goes_on() {
    let (start, _) = functional(&board("virt"), 4, &compile("mix.c", &[]));
    let mut plain = start.clone();
    plain.run(5000);
    let mut read = start.restore(&plain.save()).expect("the snapshot is good");
    assert_eq!(plain.run(1_000_000_000), read.run(1_000_000_000));
    same(&plain, &read, "at the end");
}

#[test]
fn what_is_no_good_snapshot_is_refused() {
    let mut machine = timed(&board("tile72"), 3, &compile("mix.c", &[]));
    machine.run(machine.now + 3000);
    let file = machine.save();
    let refused = |file: &[u8]| machine.restore(file).err().expect("it is refused");
    assert_eq!(refused(b""), BadSnapshot::Foreign);
    assert_eq!(refused(b"\x7fELF etc. and more"), BadSnapshot::Foreign);
    let mut newer = file.clone();
    newer[8] += 1;
    assert_eq!(refused(&newer), BadSnapshot::Version(newer[8].into()));
    for other in [
        timed(&board("tile72"), 4, &compile("mix.c", &[])),
        timed(&board("sg2042"), 3, &compile("mix.c", &[])),
    ] {
        assert_eq!(other.restore(&file).err(), Some(BadSnapshot::OtherMachine));
    }
    let mut random = Rng::with_seed(2);
    for _ in 0..300 {
        let length = random.usize(8..file.len());
        let wanted = if length < 36 { 36 } else { file.len() as u64 };
        let cut = BadSnapshot::Cut { there: length as u64, wanted };
        assert_eq!(refused(&file[..length]), cut);
        let mut damaged = file.clone();
        damaged[random.usize(36..file.len())] ^= random.u8(1..);
        assert_eq!(refused(&damaged), BadSnapshot::Damaged);
    }
    let longer = [&file[..], b"x"].concat();
    assert_eq!(refused(&longer), BadSnapshot::Damaged);
}
