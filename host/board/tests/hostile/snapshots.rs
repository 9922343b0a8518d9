// SPDX-License-Identifier: Apache-2.0
//! Snapshots that are damaged are refused, whatever mode and moment they are of. Those that were forged, with a right
//! checksum, are refused or run.

use super::boards::{random_board, random_clusters, random_kinds};
use super::program::{board, compile, functional, timed};
use super::{damage, seeds};
use fastrand::Rng;
use std::ops::Range;
use takt_board::{
    devices::map,
    engine::{Machine, Mode, Order},
};
use takt_model::{Bytes, Memory};

/// Machines of each mode in the midst of a program, with messages and stores under way.
fn machines() -> Vec<Machine> {
    let program = compile("mix.c", &[]);
    let mut machines = Vec::new();
    for name in ["virt", "tile72", "p4080"] {
        for cycles in [300, 1500, 4000] {
            let mut machine = timed(&board(name), 3, &program);
            machine.run(machine.now + cycles);
            machines.push(machine);
        }
    }
    for mode in [Mode::Functional, Mode::Warming] {
        let (mut machine, _) = functional(&board("virt"), 3, &program);
        machine.mode = mode;
        machine.run(3000);
        machines.push(machine);
    }
    machines
}

#[test]
fn no_damage_is_taken_for_a_machine() {
    let files: Vec<_> = machines().into_iter().map(|it| (it.save(), it)).collect();
    for seed in seeds(0..4_000) {
        let mut random = Rng::with_seed(seed);
        let (whole, machine) = random.choice(&files).expect("a file");
        let mut file = whole.clone();
        damage(&mut random, &mut file);
        if file != *whole {
            assert!(machine.restore(&file).is_err(), "seed {seed}");
        }
    }
}

/// Some in whose memory no cache keeps a region, with accesses to it under way.
fn machines_with_uncached() -> Vec<Machine> {
    let program = compile("uncachedmix.c", &[&format!("-DDMA_BASE={:#x}", map::DMA.base)]);
    let make = |seed| {
        let mut random = Rng::with_seed(seed);
        let make = [random_board, random_clusters, random_kinds][seed as usize % 3];
        let mut board = make(&mut random, 4);
        let (name, base, size) = ("shared".to_string(), 0x4000_0000, Bytes(0x1_0000));
        board.memory.push(Memory { name, base, size, cached: false });
        let mut machine = timed(&board, 4, &program);
        machine.run(machine.now + random.u64(2000..20_000));
        machine
    };
    (0..6).map(make).collect()
}

/// Machines with small caches, in which much is under way, and two that time has not begun in.
fn busy_machines() -> Vec<Machine> {
    let programs =
        [compile("mix.c", &[]), compile("locks.c", &["-DROUNDS=1"]), compile("interrupts.c", &[])];
    let mut machines = Vec::new();
    for seed in 0..24 {
        let mut random = Rng::with_seed(seed);
        let make = [random_board, random_clusters, random_kinds][seed as usize % 3];
        let board = make(&mut random, 4);
        let mut machine = timed(&board, 4, random.choice(&programs).expect("a program"));
        machine.run(machine.now + random.u64(200..6000));
        machines.push(machine);
    }
    machines.extend(machines_with_uncached());
    for mode in [Mode::Functional, Mode::Warming] {
        let mut random = Rng::with_seed(1);
        let (mut machine, _) = functional(&random_board(&mut random, 3), 3, &programs[0]);
        machine.mode = mode;
        machine.run(3000);
        machines.push(machine);
    }
    machines
}

const HEADER: usize = 36;

/// As the snapshot's own, so that a forger has it too.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0xcbf2_9ce4_8422_2325, |sum: u64, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        (sum ^ u64::from_le_bytes(word)).wrapping_mul(0x100_0000_01b3).rotate_left(29)
    })
}

/// Length and checksum say what stands there.
fn seal(file: &mut [u8]) {
    let (length, sum) = (file.len() - HEADER, checksum(&file[HEADER..]));
    file[20..28].copy_from_slice(&(length as u64).to_le_bytes());
    file[28..36].copy_from_slice(&sum.to_le_bytes());
}

/// The parts of a file in which numbers decide: not the bytes of RAM and of L1 I, of which any are good. What is
/// short has a part for itself: each hart and its core, what all share, the directory, the events.
fn parts(machine: &Machine, file: &[u8]) -> Vec<Range<usize>> {
    let codes = machine.units.iter().map(|unit| postcard::to_stdvec(&unit.core.code));
    let codes: Vec<Vec<u8>> = codes.collect::<Result<_, _>>().expect("plain data");
    let pages = machine.world.ram.pages().map(|(_, page)| page).filter(|page| !page.is_empty());
    let (mut parts, mut at) = (Vec::new(), HEADER);
    for bytes in codes.iter().map(Vec::as_slice).chain(pages) {
        let ahead = file[at..].windows(bytes.len()).position(|window| window == bytes);
        let found = at + ahead.expect("what was saved");
        parts.push(at..found);
        at = found + bytes.len();
    }
    let events = file.len() - 600;
    parts.extend([at..events, events..file.len()]);
    parts.retain(|part| part.len() > 16);
    parts
}

/// A number as postcard writes it.
fn number(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// Replaces a number or a byte by one at which tables end and sums go wrong.
fn forge(random: &mut Rng, machine: &Machine, file: &mut Vec<u8>, at: usize) {
    let line = machine.world.ram.base / 64;
    let values = [0, 1, 2, 3, 4, 5, 8, 63, 64, 127, 128, 255, 1 << 16, 1 << 32, 1 << 47, 1 << 58];
    let more = [u64::MAX, machine.now, machine.now + 1, line, line + (1 << 30), line * 4 + 3];
    let any = [&values[..], &more[..]].concat();
    let value = random.choice(&any).expect("a value").wrapping_add(random.u64(..3)).wrapping_sub(1);
    let length = file[at..].iter().take_while(|byte| **byte >= 0x80).count() + 1;
    let end = (at + length).min(file.len());
    match random.u8(..8) {
        0 => file[at] ^= 1 << random.u8(..8),
        1 => file[at] = random.u8(..),
        2 if random.bool() => drop(file.remove(at)),
        _ => drop(file.splice(at..end, number(value))),
    }
}

/// What a machine does with a state that was forged, with a right checksum: it complains, or goes on.
#[test]
fn no_forgery_makes_it_panic() {
    let files: Vec<_> = busy_machines().into_iter().map(|it| (it.save(), it)).collect();
    let parts: Vec<_> = files.iter().map(|(file, machine)| parts(machine, file)).collect();
    let (mut taken, mut told) = (0, std::collections::BTreeMap::new());
    let seeds = seeds(0..12_000);
    let count = seeds.end - seeds.start;
    for seed in seeds {
        let mut random = Rng::with_seed(seed);
        let which = random.usize(..files.len());
        let (whole, machine) = &files[which];
        let mut file = whole.clone();
        for _ in 0..random.u8(1..3) {
            let part = random.choice(&parts[which]).expect("a part").clone();
            let at = random.usize(part).min(file.len() - 1);
            forge(&mut random, machine, &mut file, at);
        }
        seal(&mut file);
        println!("seed {seed}");
        match machine.restore(&file) {
            Ok(mut machine) => {
                taken += 1;
                machine.order = if random.bool() { Order::Ahead } else { Order::Strict };
                machine.run(machine.now + 2000);
                if machine.mode != Mode::Timed {
                    machine.begin_timing(|hart| hart.into());
                }
                machine.run(machine.now + 2000);
            }
            Err(bad) => *told.entry(bad.to_string()).or_insert(0) += 1,
        }
    }
    told.iter().for_each(|(what, times)| println!("{times:6} {what}"));
    println!("{taken} of {count} were taken, {} complaints", told.len());
    assert!(taken > count / 10 && taken < count * 9 / 10, "{taken} of {count} were taken");
}
