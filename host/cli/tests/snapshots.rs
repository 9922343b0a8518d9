// SPDX-License-Identifier: Apache-2.0
//! Tests `takt board boot --save` and `--load`.

mod common;

use std::path::Path;

use common::assembly::{BARE, boot_with, program};
use common::takt::Ended;
use tempfile::TempDir;

/// Counts to 3,000 in memory, then ends with the number of cycles modulo 32,768 as its exit code.
const COUNTS: &str = "
main:
    csrr s0, mcycle
    la   s1, count
    li   s2, 3000
1:  ld   t0, (s1)
    addi t0, t0, 1
    sd   t0, (s1)
    div  t1, t0, s2
    bne  t0, s2, 1b
    csrr t1, mcycle
    sub  t1, t1, s0
    slli t1, t1, 49
    srli t1, t1, 33
    li   t0, 0x3333
    or   t1, t1, t0
    j    finish
    .data
count: .dword 0
    .text
";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    program(folder.path(), 0x8000_0000, COUNTS);
    folder
}

fn boot(folder: &TempDir, more: &[&str]) -> Ended {
    boot_with(folder, &[&BARE, more].concat())
}

/// Asserts that the run ended with its own exit code, and returns the message.
#[track_caller]
fn code(end: &Ended) -> String {
    end.fails_with(1, "the program failed with code");
    end.stderr.clone()
}

#[test]
fn a_run_goes_on_from_a_state_as_if_it_had_not_stopped() {
    let folder = folder();
    for options in [&[][..], &["--seed", "5"], &["--functional"]] {
        let whole = code(&boot(&folder, options));
        let saved = boot(&folder, &[options, &["--until", "10us", "--save", "state"]].concat());
        assert_eq!((saved.code, saved.stderr.as_str()), (0, ""));
        assert_eq!(code(&boot(&folder, &["--load", "state"])), whole, "{options:?}");
        // The run continues in two steps; the second one saves into the file that it was loaded
        // from.
        let again = ["--load", "state", "--until", "12us", "--save", "state"];
        let end = boot(&folder, &again);
        assert_eq!((end.code, end.stderr.as_str()), (0, ""), "{options:?}");
        assert_eq!(code(&boot(&folder, &["--load", "state"])), whole, "{options:?}");
    }
    assert_ne!(code(&boot(&folder, &[])), code(&boot(&folder, &["--functional"])));
}

#[test]
fn seeds_begin_where_a_state_without_time_was_saved() {
    let folder = folder();
    let early = ["--timed-from", "12000", "--until", "10us", "--save", "early"];
    assert_eq!(boot(&folder, &early).code, 0);
    for seed in ["0", "1", "2"] {
        let options = ["--timed-from", "12000", "--seed", seed];
        let whole = code(&boot(&folder, &options));
        let from_early = [&["--load", "early"], &options[..]].concat();
        assert_eq!(code(&boot(&folder, &from_early)), whole, "seed {seed}");
    }
    let never = code(&boot(&folder, &["--functional"]));
    assert_eq!(code(&boot(&folder, &["--load", "early"])), never);
    assert_eq!(boot(&folder, &["--until", "10us", "--save", "late"]).code, 0);
    for option in [["--seed", "1"], ["--timed-from", "main"], ["--jitter", "5"], ["--skew", "7"]] {
        let end = boot(&folder, &[&["--load", "late"], &option[..]].concat());
        end.fails_with(2, "in late time has begun already");
    }
}

#[test]
fn a_state_is_saved_at_a_place_and_goes_on_with_time_or_without() {
    let folder = folder();
    let save = |place: &[&str]| {
        let end = boot(&folder, &[place, &["--save", "state"]].concat());
        assert_eq!((end.code, end.stderr.as_str()), (0, ""), "{place:?}");
    };
    let never = code(&boot(&folder, &["--functional"]));
    let timed = code(&boot(&folder, &[]));
    for place in ["main", "0x80000000", "3000"] {
        save(&["--save-at", place]);
        assert_eq!(code(&boot(&folder, &["--load", "state", "--functional"])), never, "{place}");
        assert_eq!(code(&boot(&folder, &["--load", "state"])), never, "{place}");
    }
    // Time begins at the place where the state was saved.
    save(&["--save-at", "main"]);
    let begun = boot(&folder, &["--load", "state", "--timed-from", "0"]);
    assert_eq!(code(&begun), timed);
    // Time has begun before the state is saved.
    save(&["--save-at", "finish", "--timed-from", "main"]);
    assert_eq!(code(&boot(&folder, &["--load", "state"])), timed);
    boot(&folder, &["--load", "state", "--functional"]).fails_with(2, "time has begun already");
    let late = ["--save-at", "finish", "--save", "late"];
    boot(&folder, &[&late[..], &["--until", "1us"]].concat())
        .fails_with(3, "it has not come to the place of --save-at by --until");
    let never = boot(&folder, &["--save-at", "0x4000", "--save", "late"]);
    assert!(
        never.stderr.contains("name a place in --save-at that it comes to"),
        "{}",
        never.stderr
    );
    assert!(!folder.path().join("late").exists());
}

#[test]
fn a_program_that_ends_before_is_told_and_saves_nothing() {
    let folder = folder();
    let end = boot(&folder, &["--until", "5s", "--save", "state"]);
    assert!(end.stderr.contains("the program ended before it could be saved"), "{}", end.stderr);
    code(&end);
    assert!(!folder.path().join("state").exists());
}

#[test]
fn a_state_that_is_none_or_of_another_machine_is_refused() {
    let folder = folder();
    assert_eq!(boot(&folder, &["--until", "10us", "--save", "state"]).code, 0);
    let path = |name: &str| folder.path().join(name);
    let whole = std::fs::read(path("state")).unwrap();
    let load = |bytes: &[u8]| {
        std::fs::write(path("changed"), bytes).unwrap();
        boot(&folder, &["--load", "changed"])
    };
    load(b"").fails_with(2, "cannot go on from changed: it is no snapshot of a machine");
    load(b"\x7fELF and so on").fails_with(2, "it is no snapshot of a machine");
    load(&whole[..whole.len() - 1]).fails_with(2, "it is not whole: ");
    load(&whole[..20]).fails_with(2, "it is not whole: 20 bytes are there of 36");
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 4;
    load(&damaged).fails_with(2, "it is damaged");
    let mut newer = whole.clone();
    newer[8] = 200;
    load(&newer).fails_with(2, "it is of version 200, and this takt reads version");
    boot(&folder, &["--load", "nowhere"]).fails_with(2, "cannot read nowhere");
    boot(&folder, &["--load", "."]).fails_with(2, "cannot read .");
    let other = ["--board", "tile72", "--harts", "1", "--bios", "none", "--load", "state"];
    boot_with(&folder, &other).fails_with(2, "it is of another machine");
    boot_with(&folder, &other)
        .fails_with(2, "give the same --board, --harts, board file and devices again");
    let early = ["--load", "state", "--until", "5us", "--save", "early"];
    boot(&folder, &early).fails_with(2, "the time of --until is over where the run begins");
    assert!(Path::exists(&path("state")) && !path("early").exists());
}
