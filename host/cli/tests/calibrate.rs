// SPDX-License-Identifier: Apache-2.0
//! `takt calibrate`, and what measured overheads do to `takt check` and `takt run`.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::takt::{Ended, ended, takt};
use tempfile::TempDir;

fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn small() -> String {
    fs::read_to_string(home().join("tests/calibrate/small.toml")).unwrap()
}

#[test]
fn measuring_again_gives_what_stands_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let board = home().join("tests/calibrate/small.toml");
    let mut command = takt(&["calibrate", "--output", "new.toml"], folder.path());
    command.arg(board);
    let Ended { code, stdout, stderr } = ended(command);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.ends_with("new.toml has this table now\n"), "{stdout}");
    assert_eq!(fs::read_to_string(folder.path().join("new.toml")).unwrap(), small());
}

/// A system of one task on the board that this text describes.
fn checked(board: &str) -> Ended {
    let folder: TempDir = tempfile::tempdir().unwrap();
    let system = "format = 1\n[system]\nname = \"one\"\nboard = \"small.toml\"\ncores = 1\n\
                  sources = [\"main.c\"]\n[[task]]\nname = \"only\"\nentry = \"only_step\"\n\
                  period = \"1ms\"\nwcet = \"10us\"\n";
    fs::write(folder.path().join("system.toml"), system).unwrap();
    fs::write(folder.path().join("main.c"), "").unwrap();
    fs::write(folder.path().join("small.toml"), board).unwrap();
    ended(takt(&["check", "system.toml"], folder.path()))
}

#[test]
fn with_measured_overheads_a_check_says_proved() {
    let Ended { code, stdout, stderr } = checked(&small());
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.contains("overheads of board small, measured: "), "{stdout}");
    let proved = "one: proved: every deadline is met (1 tasks), with measured overheads\n";
    assert!(stdout.ends_with(proved), "{stdout}");
}

#[test]
fn a_stamp_that_does_not_fit_is_told() {
    let other_timing = small().replace("taken_branch   = 2", "taken_branch   = 3");
    assert_ne!(other_timing, small());
    let (before, after) = small()
        .split_once("stamp            = \"")
        .map(|(a, b)| (a.to_string(), b.to_string()))
        .unwrap();
    let kernel = &after[17..33];
    let other_kernel =
        format!("{before}stamp            = \"{after}").replace(kernel, "0123456789abcdef");
    for (board, what) in
        [(other_timing, "another timing of the board"), (other_kernel, "another kernel")]
    {
        let Ended { code, stderr, .. } = checked(&board);
        assert_eq!(code, 0);
        let warning = format!("warning: the overheads were measured with {what}: ");
        assert!(stderr.starts_with(&warning), "{stderr}");
    }
}

#[test]
fn the_stamps_of_polytakts_boards_fit() {
    let boards = home().join("boards");
    let mut measured = 0;
    for entry in boards.read_dir().unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        if text.contains("\"measured\"") {
            let Ended { stderr, .. } = checked(&text);
            assert_eq!(stderr, "");
            measured += 1;
        }
    }
    assert_eq!(measured, 1);
}

#[test]
fn the_flight_holds_its_bounds_with_measured_overheads() {
    let system = home().join("examples/rosace/system.toml");
    let mut command =
        takt(&["run", "--board", "tile72", "--for", "200ms", "--seed", "1..3"], &home());
    command.arg(system);
    let Ended { code, stdout, stderr } = ended(command);
    assert_eq!(code, 0, "{stdout}{stderr}");
}

#[test]
fn what_cannot_be_measured_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let calibrate = |board: &str| ended(takt(&["calibrate", board], folder.path()));
    calibrate("tile27").fails_with(2, "there is no board `tile27`");
    let text = small();
    let (clock, memory) = (text.find("frequency").unwrap(), text.find("[[memory]]").unwrap());
    let untimed = text[..clock].to_string() + &text[memory..text.find("[core]").unwrap()];
    fs::write(folder.path().join("untimed.toml"), untimed).unwrap();
    calibrate("untimed.toml").fails_with(2, "the board `small` has no timing");
    let mut command = takt(&["calibrate", "--seeds", "3..1"], folder.path());
    command.arg("virt");
    ended(command).fails_with(2, "3..1");
}
