// SPDX-License-Identifier: Apache-2.0
//! Is the board's instruction set right? Random programs run on QEMU and on the board, and what
//! they leave in memory is compared word by word. `docs/src/board-qemu.md` lists where QEMU departs
//! from the specification.
//!
//! `TAKT_AGAINST_QEMU_SEEDS=FROM..TO` runs other seeds than the usual.

mod board;
mod code;
mod compare;
mod control;
mod engine;
#[path = "../common/flat.rs"]
mod flat;
mod generator;
mod illegal;
mod image;
mod operations;
mod qemu;
mod report;
mod streams;
mod system;
mod tables;
mod values;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use image::{Image, Size};
use takt_board::engine::Mode;

const SIZE: Size = Size { blocks: 700, rounds: 16, instructions: 200 };
const SEEDS: std::ops::Range<u64> = 1..11;
/// What the usual seeds must at least run, and each operation of them.
const INSTRUCTIONS: u64 = 20_000_000;
const EACH: u64 = 1_000;

/// The machines that a seed's program runs on beside the hart with flat memory: each mode, and among the
/// boards in-order and other store buffers, atomics at L1 and at the home, with and without a prefetcher.
fn whole_machines(seed: u64) -> Vec<(&'static str, Mode)> {
    let boards = ["virt1.toml", "tile72.toml", "p4080.toml", "sg2042.toml", "xeon40.toml"];
    let board = boards[(seed % 5) as usize];
    match seed % 4 {
        0 => vec![(board, Mode::Warming), (board, Mode::Timed)],
        2 => vec![(board, Mode::Functional), (board, Mode::Timed)],
        _ => vec![(board, Mode::Timed)],
    }
}

/// What one seed's program executed.
struct Executed {
    instructions: u64,
    dumps: u64,
    /// The executions of each of `operations::names()`.
    operations: Vec<u64>,
}

fn compare(seed: u64, runtime: &[u8]) -> Executed {
    let folder = qemu::Folder::new(&seed.to_string());
    let image = Image::new(seed, &SIZE, runtime);
    let qemu = qemu::run(&image.ram, &folder.0);
    let board = board::run(&image.ram);
    let dumps = compare::logs(&qemu, &board.ram).unwrap_or_else(|difference| {
        panic!("{}", report::report(seed, &image, &difference, &folder.0))
    });
    assert_eq!(
        dumps,
        SIZE.blocks as u64 * SIZE.rounds,
        "seed {seed}: QEMU did not come to the end"
    );
    for (board, mode) in whole_machines(seed) {
        let ram = engine::run(board, mode, &image.ram, &folder);
        compare::logs(&qemu, &ram).unwrap_or_else(|difference| {
            let told = report::report(seed, &image, &difference, &folder.0);
            panic!("{board}, {mode:?}: {told}")
        });
    }
    let mut operations = vec![0; operations::names().count()];
    for &(offset, operation) in &image.code.marks {
        operations[usize::from(operation)] += u64::from(board.executed[offset as usize / 2]);
    }
    Executed { instructions: operations.iter().sum(), dumps, operations }
}

fn seeds() -> Option<std::ops::Range<u64>> {
    let text = std::env::var("TAKT_AGAINST_QEMU_SEEDS").ok()?;
    let range = text.split_once("..").and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?));
    Some(range.unwrap_or_else(|| panic!("TAKT_AGAINST_QEMU_SEEDS={text}: want FROM..TO")))
}

/// Each seed on a thread that is free; the first that differs ends the test.
fn compare_all(seeds: std::ops::Range<u64>) -> Vec<Executed> {
    let folder = qemu::Folder::new("runtime");
    let runtime = image::runtime(&SIZE, &folder.0);
    let next = AtomicU64::new(seeds.start);
    let done = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        break;
                    }
                    let executed = compare(seed, &runtime);
                    done.lock().expect("no thread has failed").push(executed);
                }
            });
        }
    });
    done.into_inner().expect("no thread has failed")
}

#[test]
fn random_programs() {
    let asked = seeds();
    let usual = asked.is_none();
    let executed = compare_all(asked.unwrap_or(SEEDS));
    let instructions: u64 = executed.iter().map(|e| e.instructions).sum();
    let dumps: u64 = executed.iter().map(|e| e.dumps).sum();
    println!("{instructions} instructions, {dumps} dumps compared");
    let mut operations: Vec<(u64, &str)> = operations::names()
        .enumerate()
        .map(|(index, name)| (executed.iter().map(|e| e.operations[index]).sum(), name))
        .collect();
    operations.sort();
    println!("rarest: {:?}", &operations[..12]);
    if usual {
        assert!(instructions >= INSTRUCTIONS, "only {instructions} instructions were compared");
        let rare: Vec<_> = operations.iter().filter(|(count, _)| *count < EACH).collect();
        assert!(rare.is_empty(), "executed less than {EACH} times: {rare:?}");
    }
}
