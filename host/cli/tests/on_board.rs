// SPDX-License-Identifier: Apache-2.0
//! Tests `takt run` on the modelled board: verdict, options, seeds, and that a run repeats itself.

mod common;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::document::document;
use common::takt::{Ended, ended, takt};

/// Writes a system of one task, whose job `source` defines.
fn system(directory: &Path, source: &str) {
    std::fs::write(directory.join("main.c"), source).unwrap();
    std::fs::write(
        directory.join("system.toml"),
        r#"format = 1
[system]
name = "sample"
board = "virt"
cores = 2
sources = ["main.c"]
[run]
for = "20ms"
[[task]]
name = "first"
entry = "first_step"
core = 0
period = "1ms"
wcet = "50us"
[[task]]
name = "second"
entry = "second_step"
core = 1
period = "1ms"
wcet = "50us"
"#,
    )
    .unwrap();
}

/// Both tasks write to the same lines, so their cores wait for each other.
const SHARING: &str = "
#include <takt/takt.h>
static volatile long shared[512];
static void share(void) {
    for (int i = 0; i < 512; i++) {
        shared[i]++;
    }
}
void first_step(intptr_t argument) { share(); }
void second_step(intptr_t argument) { share(); }
";

/// A source in which the first task's sixth job runs for this many microseconds.
fn once_too_long(microseconds: u32) -> String {
    format!(
        "
#include <takt/takt.h>
static int jobs;
void first_step(intptr_t argument) {{
    takt_time end = takt_time_now() + {microseconds} * TAKT_MICROSECOND;
    while (jobs == 5 && takt_time_now() < end) {{
    }}
    jobs++;
}}
void second_step(intptr_t argument) {{ }}
"
    )
}

fn run(source: &str, more: &[&str]) -> Ended {
    let directory = tempfile::tempdir().unwrap();
    system(directory.path(), source);
    ended(takt(&[&["run", "system.toml"], more].concat(), directory.path()))
}

#[test]
fn a_run_that_holds_ends_with_0_and_says_so() {
    let end = run(SHARING, &[]);
    assert_eq!(end.code, 0, "{}{}", end.stdout, end.stderr);
    assert!(end.stdout.contains("every response is within its bound (2 tasks)"), "{}", end.stdout);
    assert!(!end.stdout.contains("not timed"), "{}", end.stdout);
    assert!(!end.stdout.contains("OpenSBI"), "{}", end.stdout);
}

#[test]
fn a_miss_ends_with_1_and_names_the_task() {
    let end = run(&once_too_long(1500), &[]);
    assert_eq!(end.code, 1, "{}{}", end.stdout, end.stderr);
    assert!(end.stdout.contains("missed its deadline"), "{}", end.stdout);
    let conclusion =
        "sample: no: an assumption was broken by task first; so no bound held of first\n";
    assert!(end.stdout.ends_with(conclusion), "{}", end.stdout);
}

#[test]
fn a_broken_bound_ends_with_1_and_execution_above_c_is_told_apart() {
    let end = run(&once_too_long(500), &["--format", "json"]);
    assert_eq!(end.code, 1, "{}{}", end.stdout, end.stderr);
    let report = document(&end);
    assert_eq!((report["holds"].as_bool(), report["timed"].as_bool()), (Some(false), Some(true)));
    let first = &report["tasks"][0];
    assert_eq!(first["verdict"], "assumption broken");
    assert!(first["response"]["max_ns"].as_u64() > first["bound_ns"].as_u64(), "{first}");
    assert!(first["execution_max_ns"].as_u64() > Some(50_000), "{first}");
    assert_eq!(report["tasks"][1]["verdict"], "held");
    let note = report["notes"][0].as_str().unwrap();
    assert!(
        note.contains("assumption broken: task first ran for") && note.ends_with("declared 50us"),
        "{note}"
    );
}

#[test]
fn one_seed_is_one_run_and_others_are_others() {
    let directory = tempfile::tempdir().unwrap();
    system(directory.path(), SHARING);
    let report = |more: &[&str]| {
        let arguments = [&["run", "system.toml", "--format", "json"], more].concat();
        let end = ended(takt(&arguments, directory.path()));
        assert_eq!(end.code, 0, "{}{}", end.stdout, end.stderr);
        end.stdout
    };
    let plain = report(&[]);
    assert_eq!(plain, report(&["--seed", "0"]));
    assert_eq!(plain, report(&["--seed", "0", "--jitter", "9", "--skew", "9"]));
    let seven = report(&["--seed", "7"]);
    assert_eq!(seven, report(&["--seed", "7"]));
    assert_ne!(plain, seven);
    assert_ne!(seven, report(&["--seed", "8"]));
    assert_ne!(seven, report(&["--seed", "7", "--jitter", "50"]));
    assert_ne!(seven, report(&["--seed", "7", "--skew-seed", "8", "--skew", "5000"]));
    // The strict order is the oracle: its report must be the same.
    assert_eq!(plain, report(&["--order", "strict"]));
    assert_eq!(seven, report(&["--seed", "7", "--order", "strict"]));
}

#[test]
fn the_flight_is_the_same_in_both_orders() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let directory = tempfile::tempdir().unwrap();
    let flight = |order| {
        let rosace = "examples/rosace/system.toml";
        let trace = directory.path().join(order);
        let file = trace.to_str().unwrap();
        let arguments = ["run", rosace, "--for", "60ms", "--order", order, "--seed", "3"];
        let end = ended(takt(&[&arguments[..], &["--trace", file]].concat(), &root));
        assert_eq!(end.code, 0, "{}{}", end.stdout, end.stderr);
        (end.stdout.replace(file, ""), std::fs::read(trace).unwrap())
    };
    let ahead = flight("ahead");
    assert!(ahead.0.contains("rosace on tile72"), "{}", ahead.0);
    assert!(ahead.1.len() > 10_000);
    assert!(ahead == flight("strict"), "{}", ahead.0);
}

/// A line crosses the bus of `sara` in 377 cycles, one message at a time.
#[test]
fn the_flight_holds_its_bounds_across_a_slow_bus() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let arguments = ["run", "examples/rosace/system.toml", "--board", "sara", "--for", "300ms"];
    let end = ended(takt(&arguments, &root));
    assert_eq!(end.code, 0, "{}{}", end.stdout, end.stderr);
    assert!(end.stdout.contains("rosace on sara: 300."), "{}", end.stdout);
    assert!(end.stdout.contains("no deadline was missed and no bound broken"), "{}", end.stdout);
}

#[test]
fn many_seeds_show_the_longest_and_where_it_was() {
    let directory = tempfile::tempdir().unwrap();
    system(directory.path(), SHARING);
    let go = |more: &[&str]| {
        let arguments = [&["run", "system.toml", "--format", "json"], more].concat();
        document(&ended(takt(&arguments, directory.path())))
    };
    let sweep = go(&["--seed", "1..6"]);
    assert_eq!(sweep["seeds"], 6);
    assert_eq!(sweep["holds"], true);
    let row = &sweep["tasks"][0];
    let seed = row["longest_in_seed"].as_u64().unwrap();
    let alone = go(&["--seed", &seed.to_string()]);
    assert_eq!(alone["tasks"][0]["response"]["max_ns"], row["response"]["max_ns"]);
    let longest = |seed: u64| {
        let report = go(&["--seed", &seed.to_string()]);
        report["tasks"][0]["response"]["max_ns"].as_u64().unwrap()
    };
    assert_eq!((1..=6).map(longest).max(), row["response"]["max_ns"].as_u64());
}

#[test]
fn seeds_that_miss_are_counted_and_the_command_that_shows_one_is_told() {
    let end = run(&once_too_long(1500), &["--seed", "4..6", "--skew", "40"]);
    assert_eq!(end.code, 1, "{}{}", end.stdout, end.stderr);
    assert!(end.stdout.contains("3 seeds, 60"), "{}", end.stdout);
    assert!(end.stdout.contains("3 broke, 0 failed"), "{}", end.stdout);
    let again = "See it again: takt run system.toml --seed 4 --skew 40\n";
    assert!(end.stdout.ends_with(again), "{}", end.stdout);
}

#[test]
fn the_console_of_each_seed_is_kept() {
    let source = "#include <stdio.h>
        #include <takt/takt.h>
        void first_step(intptr_t argument) { puts(\"here\"); }
        void second_step(intptr_t argument) { }";
    let directory = tempfile::tempdir().unwrap();
    system(directory.path(), source);
    let arguments = ["run", "system.toml", "--seed", "1..3", "--consoles", "said"];
    let end = ended(takt(&arguments, directory.path()));
    assert!(!end.stdout.contains("here"), "{}", end.stdout);
    let alone = ended(takt(&["run", "system.toml", "--seed", "2"], directory.path())).stdout;
    for seed in 1..=3 {
        let said = std::fs::read_to_string(directory.path().join(format!("said/{seed}.txt")));
        let said = said.unwrap_or_else(|error| panic!("{error}; {}{}", end.stdout, end.stderr));
        assert!(said.contains("here\n") && alone.starts_with(&said), "{said:?} {alone}");
    }
    run(source, &["--consoles", "said"]).fails_with(2, "--consoles keeps those of many seeds");
}

#[test]
fn seeds_that_panic_are_failures() {
    let source = "#include <takt/takt.h>
        void first_step(intptr_t argument) { takt_panic(\"on purpose\"); }
        void second_step(intptr_t argument) { }";
    let end = run(source, &["--seed", "1..2"]);
    assert_eq!(end.code, 1, "{}{}", end.stdout, end.stderr);
    assert!(end.stdout.contains("seed 1 ended with panic: on purpose"), "{}", end.stdout);
    run(source, &[]).fails_with(1, "the kernel stopped itself: on purpose");
}

#[test]
fn another_board_is_a_name_or_a_file() {
    let end = run(SHARING, &["--board", "tile72", "--harts", "3"]);
    assert_eq!(end.code, 0, "{}{}", end.stdout, end.stderr);
    assert!(end.stdout.contains("sample on tile72"), "{}", end.stdout);
    let directory = tempfile::tempdir().unwrap();
    system(directory.path(), SHARING);
    let boards = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../boards");
    let text = std::fs::read_to_string(boards.join("virt.toml")).unwrap();
    let mine = text.replace("\"virt\"", "\"mine\"").replace("0x80400000", "0x81000000");
    std::fs::write(directory.path().join("mine.toml"), mine).unwrap();
    let arguments = ["run", "system.toml", "--board", "mine.toml"];
    let end = ended(takt(&arguments, directory.path()));
    assert_eq!(end.code, 0, "{}{}", end.stdout, end.stderr);
    assert!(end.stdout.contains("sample on mine"), "{}", end.stdout);
    // Each board has an image of its own.
    assert!(directory.path().join("build/sample-on-mine/image.elf").is_file());
}

#[test]
fn options_that_do_not_fit_are_refused() {
    for (more, message) in [
        (&["--board", "nope"][..], "there is no board `nope`"),
        (&["--board", "nope.toml"], "nope.toml"),
        (&["--board", "virt1"], "the board `virt1` has 1 core"),
        (&["--harts", "1"], "1 harts are too few: the system uses 2 cores"),
        (&["--harts", "5"], "the board `virt` has 4 harts, not 5"),
        (&["--threads"], "the option --threads applies to QEMU only"),
        (&["--patience", "2s"], "the option --patience applies to QEMU only"),
        (&["--", "-s"], "the option -- applies to QEMU only"),
        (&["--qemu", "--jitter", "2"], "the option --jitter applies to the board only"),
        (&["--qemu", "--skew", "2"], "the option --skew applies to the board only"),
        (&["--qemu", "--skew-seed", "2"], "the option --skew-seed applies to the board only"),
        (&["--qemu", "--seed", "2"], "cannot be used with"),
        (&["--qemu", "--budget", "2s"], "cannot be used with"),
        (&["--qemu", "--order", "strict"], "cannot be used with"),
        (&["--seed", "x"], "`x` is no seed"),
        (&["--seed", "3..1"], "1 comes before 3; write 1..3"),
        (&["--seed", "0..100000"], "more than 100000 seeds"),
        (&["--jitter", "10001"], "10001 is not in"),
        (&["--budget", "1"], "has no unit"),
        (&["--order", "other"], "invalid value 'other'"),
    ] {
        run(SHARING, more).fails_with(2, message);
    }
}

#[test]
fn a_run_without_an_end_says_where_the_harts_are() {
    let source = "#include <takt/takt.h>
        void first_step(intptr_t argument) { for (;;) { } }
        void second_step(intptr_t argument) { }";
    let end = run(source, &["--for", "1s", "--budget", "5ms"]);
    end.fails_with(3, "no end after 5");
    assert!(end.stderr.contains("hart 0 is at 0xffffffff8"), "{}", end.stderr);
    assert!(end.stderr.contains("first_step+0x"), "{}", end.stderr);
    let end = run(source, &["--for", "1s", "--budget", "5ms", "--seed", "1..2"]);
    end.fails_with(3, "no end after 5");
    assert!(end.stderr.contains("In the run with seed"), "{}", end.stderr);
}

#[test]
fn ctrl_c_ends_a_run() {
    let directory = tempfile::tempdir().unwrap();
    system(directory.path(), SHARING);
    let built = ended(takt(&["build", "system.toml"], directory.path()));
    assert_eq!(built.code, 0, "{}", built.stderr);
    let mut command = takt(&["run", "system.toml", "--for", "100000s"], directory.path());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(2));
    let mut kill = Command::new("kill");
    assert!(kill.args(["-s", "INT", &child.id().to_string()]).status().unwrap().success());
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let code = child.try_wait().unwrap().map(|status| status.code());
    let _ = child.kill();
    assert_eq!(code, Some(Some(130)));
}
