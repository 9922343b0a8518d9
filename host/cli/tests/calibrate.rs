// SPDX-License-Identifier: Apache-2.0
//! Tests `takt calibrate`, and the effects of measured overheads on `takt check` and `takt run`.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::takt::{Ended, ended, takt};
use takt_cli::calibrate;
use takt_model::{Board, OverheadSource};
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

/// Runs `takt check` for a system of one task on a board with this text; `more` is appended to the
/// system's description.
fn checked_with(board: &str, more: &str, arguments: &[&str]) -> Ended {
    let folder: TempDir = tempfile::tempdir().unwrap();
    let system = "format = 1\n[system]\nname = \"one\"\nboard = \"mine.toml\"\n\
                  sources = [\"main.c\"]\n[[task]]\nname = \"only\"\nentry = \"only_step\"\n\
                  period = \"10ms\"\nwcet = \"10us\"\ncore = 0\n";
    fs::write(folder.path().join("system.toml"), format!("{system}{more}")).unwrap();
    fs::write(folder.path().join("main.c"), "").unwrap();
    fs::write(folder.path().join("mine.toml"), board).unwrap();
    ended(takt(&[&["check", "system.toml"], arguments].concat(), folder.path()))
}

/// The last line that `takt check` prints.
fn summary(board: &str, more: &str) -> String {
    let Ended { code, stdout, stderr } = checked_with(board, more, &[]);
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    stdout.lines().last().unwrap().to_string()
}

/// The board's text with a table that was measured on it, with the kernel as it is now, under the
/// default conditions.
fn measured(board: &str) -> String {
    let begin = board.find("[overheads]").unwrap();
    let end = board.find("\n[core]").unwrap();
    let mut read = Board::from_bytes(Path::new("mine.toml"), board.into()).unwrap();
    read.overheads.source = OverheadSource::Measured;
    read.overheads.measured = Some(calibrate::conditions(read.cores));
    let stamp = calibrate::stamp::now(&read).unwrap().unwrap();
    let table = calibrate::table::text(&read.overheads, &[], &[], &stamp, &(1..=1));
    format!("{}{table}{}", &board[..begin], &board[end..])
}

#[test]
fn what_was_measured_on_this_board_and_kernel_for_one_core_is_proved() {
    let board = measured(&small());
    let Ended { code, stdout, stderr } = checked_with(&board, "", &[]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(
        stdout.contains("overheads of board small, measured (4 cores, beside streams of "),
        "{stdout}"
    );
    assert!(stdout.contains("   proved bound   "), "{stdout}");
    let proved = "one: proved: every deadline is met (1 task), with overheads measured on this board \
                  with this kernel, 4 cores, beside streams of stores, ";
    assert!(stdout.lines().last().unwrap().starts_with(proved), "{stdout}");
    let json = checked_with(&board, "", &["--format", "json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["proved"], &json["word"]), (&true.into(), &"proved".into()));
}

/// Asserts that table, summary and JSON say `computed` for this reason, with the exit status of a
/// system that holds.
fn is_computed(board: &str, more: &str, reason: &str, text: &str) {
    let Ended { code, stdout, stderr } = checked_with(board, more, &[]);
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    assert!(stdout.contains("   computed bound   "), "{stdout}");
    assert!(!stdout.contains("proved:") || stdout.contains("; not proved: "), "{stdout}");
    let last = stdout.lines().last().unwrap();
    assert!(last.starts_with("one: computed: every deadline is met"), "{last}");
    assert!(last.contains(text), "{last}");
    let json = checked_with(board, more, &["--format", "json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["holds"], &json["proved"]), (&true.into(), &false.into()));
    assert_eq!(json["word"], "computed");
    let doubts = json["doubts"].as_array().unwrap();
    assert!(doubts.iter().any(|doubt| doubt["reason"] == reason), "{reason}: {doubts:?}");
}

#[test]
fn a_stale_or_foreign_table_proves_nothing_and_the_hint_names_the_users_file() {
    let hint = " (to measure: takt calibrate mine.toml)";
    // This is tile72 with an L2 ten times slower, and with the table of the real tile72.
    let tile72 = fs::read_to_string(home().join("boards/tile72.toml")).unwrap();
    let slow = measured(&tile72).replace("hit  = 9  ", "hit  = 90 ");
    assert_ne!(slow, measured(&tile72));
    let another = format!("measured with another board, or another timing of this one{hint}");
    is_computed(&slow, "", "foreign_stamp", &another);
    let board = measured(&small());
    let stamp = board.split("stamp            = \"").nth(1).unwrap();
    let kernel = &stamp[17..33];
    let another = format!("measured with another kernel{hint}");
    is_computed(&board.replace(kernel, "0123456789abcdef"), "", "foreign_stamp", &another);
    // Without a stamp nobody knows what the table was measured on.
    let line = board.lines().find(|line| line.starts_with("stamp ")).unwrap();
    let zeros = |line: &str| match line.split_once("= \"") {
        Some((key, value)) if value.ends_with("ns\"") => format!("{key}= \"0ns\"\n"),
        _ => format!("{line}\n"),
    };
    let forged: String = board.replace(line, "").lines().map(zeros).collect();
    is_computed(&forged, "", "no_stamp", hint);
}

#[test]
fn a_board_that_extends_a_measured_one_inherits_no_proof() {
    let measured = home().canonicalize().unwrap().join("tests/calibrate/small.toml");
    let slow = format!(
        "format = 1\nextends = \"{}\"\n[board]\nname = \"slow\"\n[l2]\nhit = 90\n",
        measured.display()
    );
    is_computed(&slow, "", "foreign_stamp", "measured with another board");
    is_computed(&slow, "", "foreign_stamp", "(to measure: takt calibrate mine.toml)");
}

#[test]
fn a_table_without_its_conditions_proves_nothing() {
    let board = measured(&small());
    let begin = board.find("[overheads.measured]").unwrap();
    let end = board.find("\n[core]").unwrap();
    let old = format!("{}{}", &board[..begin], &board[end..]);
    let text = "do not say under which conditions they were measured (to measure: takt calibrate mine.toml)";
    is_computed(&old, "", "no_conditions", text);
}

#[test]
fn a_path_that_was_not_measured_is_named_and_proves_nothing() {
    let board = measured(&small());
    let cyclic =
        "[[cyclic]]\nname = \"c\"\nfunction = \"c\"\ncore = 0\nperiod = \"1s\"\nwcet = \"1us\"\n";
    assert!(summary(&board, cyclic).starts_with("one: proved: "));
    let without = board.replace("\"cyclic\",", "");
    assert_ne!(without, board);
    let text = "the overheads were measured without cyclic, which the system uses";
    is_computed(&without, cyclic, "not_exercised", text);
    assert!(summary(&without, "").starts_with("one: proved: "));
    let begin = board.find("paths ").unwrap();
    let end = board[begin..].find("\n]\n").unwrap() + begin + 3;
    let old = format!("{}{}", &board[..begin], &board[end..]);
    let text =
        "do not say which paths of the kernel were measured (to measure: takt calibrate mine.toml)";
    is_computed(&old, "", "no_paths", text);
}

#[test]
fn an_image_of_another_compiler_is_computed() {
    let board = measured(&small());
    for option in ["--clang", "--sanitize"] {
        let Ended { code, stdout, stderr } = checked_with(&board, "", &[option]);
        assert_eq!((code, stderr.as_str()), (0, ""));
        let last = stdout.lines().last().unwrap();
        assert!(last.starts_with("one: computed: "), "{last}");
        assert!(
            last.ends_with(&format!("with a kernel that was built without {option}")),
            "{last}"
        );
    }
}

#[test]
fn a_system_beyond_the_conditions_is_computed() {
    let board = measured(&small());
    let lock = "[kernel]\nspinlock = \"tas\"\n";
    is_computed(
        &board,
        lock,
        "other_kernel",
        "with spinlock = \"ticket\", and the system has \"tas\"",
    );
    let granularity = "[kernel]\ngranularity = \"giant\"\n";
    is_computed(
        &board,
        granularity,
        "other_kernel",
        "granularity = \"object\", and the system has \"giant\"",
    );
    let cyclic = |at: usize| {
        format!(
            "[[cyclic]]\nname = \"c{at}\"\nfunction = \"c\"\ncore = 0\nperiod = \"1s\"\nwcet = \"1us\"\n"
        )
    };
    let many: String = (0..40).map(cyclic).collect();
    is_computed(
        &board,
        &many,
        "exceeds",
        "timers_per_core = 15, and the system may have 43 (core 0)",
    );
    let line = |at: usize| {
        format!(
            "[[interrupt]]\nname = \"i{at}\"\nsource = {at}\nentry = \"i\"\npriority = 1\n\
             separation = \"10ms\"\nwcet = \"1us\"\n"
        )
    };
    assert!(summary(&board, &line(1)).starts_with("one: proved: "));
    is_computed(
        &board,
        &(line(1) + &line(2)),
        "exceeds",
        "interrupt_sources = 1, and the system may have 2 (core 0)",
    );
}

#[test]
fn a_second_core_whose_traffic_nothing_bounds_makes_it_computed() {
    let board = measured(&small());
    let other =
        "[[task]]\nname = \"other\"\nentry = \"other_step\"\nperiod = \"10ms\"\nwcet = \"10us\"\n";
    let text = "2 cores run the application's code, and nothing bounds how long one's accesses to memory delay";
    is_computed(&board, &format!("{other}core = 1\n"), "neighbours", text);
    let text = "the board has no table [overheads.resident]";
    is_computed(&board, &format!("{other}core = 1\n"), "neighbours", text);
    assert!(summary(&board, &format!("{other}core = 0\n")).starts_with("one: proved: "));
}

/// With one neighbour less happens than with three, and a later calibration also repeats the
/// measurement with two cores.
#[test]
fn systems_with_fewer_cores_are_measured_on_request_and_from_then_on() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine.toml"), small()).unwrap();
    let calibrate = |options: &[&str]| {
        let arguments = [&["calibrate", "mine.toml", "--seeds", "1"], options].concat();
        let Ended { code, stdout, stderr } = ended(takt(&arguments, folder.path()));
        assert_eq!(code, 0, "{stderr}");
        assert!(stdout.contains("# takt calibrate --seeds 1..1 --cores 2\n"), "{stdout}");
        fs::read_to_string(folder.path().join("mine.toml")).unwrap()
    };
    let first = calibrate(&["--cores", "2"]);
    assert_eq!(calibrate(&[]), first);
    let board = Board::from_bytes(Path::new("mine.toml"), first.clone().into()).unwrap();
    let [two] = &board.fewer_cores[..] else { panic!("{first}") };
    assert_eq!(two.measured, Some(calibrate::conditions(2)));
    assert!(two.release < board.overheads.release, "{first}");
    assert_eq!(two.stamp, board.overheads.stamp);
}

#[test]
fn the_stamps_of_polytakts_boards_fit() {
    let boards = home().join("boards").read_dir().unwrap();
    let boards = boards.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    let mut measured = 0;
    for text in boards.chain([small()]) {
        // The tables of other placements have stamps, too.
        let own = text.split("[[overheads").next();
        if own.is_some_and(|own| own.contains("\nstamp ")) {
            let summary = summary(&text, "");
            assert!(summary.starts_with("one: proved: "), "{summary}");
            measured += 1;
        }
    }
    assert_eq!(measured, 2);
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

/// A system whose tasks preempt each other and wait, on a board with this text: the exit status and the last line of the
/// comparison with the board's table.
fn compared(board: &str) -> (i32, String) {
    let folder: TempDir = tempfile::tempdir().unwrap();
    let task = |name: &str, priority: u32, period: &str| {
        format!(
            "[[task]]\nname = \"{name}\"\nentry = \"{name}_step\"\ncore = 0\npriority = {priority}\nperiod = \"{period}\"\n\
             wcet = \"50us\"\nsuspends = \"100us\"\n"
        )
    };
    let system = "format = 1\n[system]\nname = \"two\"\nboard = \"mine.toml\"\ncores = 2\nsources = [\"main.c\"]\n";
    let system = system.to_string() + &task("high", 1, "1ms") + &task("low", 2, "3ms");
    let source = "#include <takt/takt.h>\n\
                  void high_step(intptr_t a) { (void)a; (void)!takt_task_delay(20000); }\n\
                  void low_step(intptr_t a) { (void)a; (void)!takt_task_delay(10000); }\n";
    fs::write(folder.path().join("system.toml"), system).unwrap();
    fs::write(folder.path().join("main.c"), source).unwrap();
    fs::write(folder.path().join("mine.toml"), board).unwrap();
    let arguments = ["calibrate", "mine.toml", "--compare", "system.toml", "--seeds", "1..2"];
    let Ended { code, stdout, stderr } = ended(takt(&arguments, folder.path()));
    assert_eq!(stderr, "", "{stdout}");
    (code, stdout.lines().last().unwrap().to_string())
}

#[test]
fn a_path_that_takes_longer_than_its_figure_is_found() {
    let small = small();
    let (code, said) = compared(&small);
    assert_eq!(
        (code, &said[..]),
        (0, "[overheads], seeds 1 to 2: no path took longer than its figure")
    );
    let dispatch = small.lines().find(|line| line.starts_with("dispatch ")).unwrap();
    let lower = small.replacen(dispatch, "dispatch         = \"100ns\"", 1);
    let (code, said) = compared(&lower);
    assert_eq!((code, &said[..]), (1, "[overheads], seeds 1 to 2: 1 above the table"));
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
    let more = ["calibrate", "virt", "--cores", "1,4", "--output", "new.toml"];
    ended(takt(&more, folder.path())).fails_with(2, "4 cores: the board `virt` has 4");
    let mut command = takt(&["calibrate", "--seeds", "3..1"], folder.path());
    command.arg("virt");
    ended(command).fails_with(2, "3..1");
}
