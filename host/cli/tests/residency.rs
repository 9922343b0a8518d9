// SPDX-License-Identifier: Apache-2.0
//! Tests that a core reaches no memory outside of the pages that are counted for its second-level cache.

mod common;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use common::takt::{ended, takt};
use takt_board::engine::Order;
use takt_board::engine::observe::{Access, Location};
use takt_cli::board::Variation;
use takt_cli::board::image_run::{self, RunOptions};
use takt_cli::image::Image;
use takt_cli::progress::Progress;
use takt_cli::residency;
use takt_model::{Nanos, System};

const PAGE: u64 = 4096;

/// The number of accesses by core, page and millisecond.
type Accesses = HashMap<(u32, u64, u64), u64>;

/// Runs the flight controller and looks at all that its cores reach in the 20 ms after time 0: no page is outside of
/// the footprint, so the firmware is not entered either.
#[test]
fn cores_touch_their_footprint_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let file = root.join("examples/rosace/system.toml");
    let system = System::read(&file, &[root.join("boards")]).unwrap();
    let assignments = takt_analysis::assign(&system).unwrap();
    let built = ended(takt(&["build", file.to_str().unwrap()], &root));
    assert_eq!(built.code, 0, "{}", built.stderr);
    let image = Image::read(Path::new(built.stdout.trim())).unwrap();
    let options = RunOptions {
        board: &system.board,
        harts: system.cores,
        image: &image,
        events: 0,
        run_for: Some(Nanos(30_000_000)),
        budget: Some(Nanos(1_000_000_000)),
        order: Order::Ahead,
        gdb: None,
        output: None,
        unwritten: Default::default(),
    };
    let mut booted = image_run::boot(&options).unwrap();
    let seen: Arc<Mutex<Accesses>> = Arc::default();
    let collected = seen.clone();
    let timing = system.board.timing.as_ref().unwrap();
    let millisecond = timing.frequency / 1000;
    booted.machine_mut().observe(Some(Box::new(move |access: &Access| {
        if let Location::Memory(at) = access.location {
            let key = (access.initiator, at / PAGE, access.time / millisecond);
            *collected.lock().unwrap().entry(key).or_default() += 1;
        }
    })));
    let record = booted.run(Variation::PLAIN, Box::new(|_| {}), &Progress::hidden()).unwrap();
    let epoch = record.head.epoch * 1000 / timing.timebase + 1;
    let mut accesses = 0;
    let mut touched: HashMap<u32, HashSet<u64>> = HashMap::new();
    for (&(core, page, time), count) in seen.lock().unwrap().iter() {
        if (epoch..epoch + 20).contains(&time) {
            let pages = residency::pages(&system, &assignments, &image, core);
            let is_known = pages.iter().any(|range| range.contains(&page));
            assert!(is_known, "core {core} reaches page {page:#x} at {time} ms, of {pages:x?}");
            accesses += count;
            touched.entry(core).or_default().insert(page);
        }
    }
    let counts: Vec<_> = touched.values().map(HashSet::len).collect();
    println!("{accesses} accesses to {counts:?} pages");
    assert!(accesses > 10_000 && counts.len() == 4 && counts.iter().all(|count| *count > 10));
}

/// The cores of the flight controller are resident. With a stack of 512 KiB more one of them is not, and the others still are.
#[test]
fn a_large_stack_does_not_fit_the_cache() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let rosace = folder.path().join("rosace");
    let copied =
        Command::new("cp").arg("-r").args([&root.join("examples/rosace"), &rosace]).status();
    assert!(copied.unwrap().success());
    let file = rosace.join("system.toml");
    let described = std::fs::read_to_string(&file).unwrap();
    let words = |stack: &str| -> Vec<String> {
        let entry = "entry    = \"engine_step\"";
        assert!(described.contains(entry));
        std::fs::write(&file, described.replace(entry, &format!("{entry}\n{stack}"))).unwrap();
        let size = ended(takt(&["size", file.to_str().unwrap()], &root));
        assert_eq!(size.code, 0, "{}", size.stderr);
        let rows = size.stdout.lines().skip_while(|line| !line.starts_with("cache")).skip(2);
        let words = rows.map_while(|row| row.split("/8").nth(1));
        words.map(|word| word.trim().to_string()).collect()
    };
    assert_eq!(words(""), ["resident"; 4]);
    let large = words("stack    = \"520KiB\"");
    assert_eq!(large, ["too large", "resident", "resident", "resident"]);
}
