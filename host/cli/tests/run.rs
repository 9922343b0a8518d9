// SPDX-License-Identifier: Apache-2.0
//! Tests `takt run` from the outside: its exit status, what it prints where, and that it leaves
//! nothing behind.

mod common;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::document::document;
use common::payload;
use common::takt::{Ended, ended, takt};
use tempfile::TempDir;

const SYSTEM: &str = r#"
format = 1
[system]
name = "pretender"
board = "virt1"
sources = ["main.c"]
[[task]]
name = "only"
entry = "only_step"
period = "1ms"
wcet = "10us"
"#;

/// A directory with the payload and a description that matches the payload's record.
fn pretender(mode: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("system.toml"), SYSTEM).unwrap();
    std::fs::write(directory.path().join("main.c"), "").unwrap();
    payload(directory.path(), mode, 0xab);
    directory
}

fn command(mode: &str, directory: &Path, more: &[&str]) -> Command {
    let mut command = takt(&["run", "system.toml", "--qemu", "--image"], directory);
    command.arg(format!("{mode}.elf")).args(more);
    command
}

fn run(mode: &str, more: &[&str]) -> Ended {
    let directory = pretender(mode);
    ended(command(mode, directory.path(), more))
}

#[test]
fn the_applications_code_is_the_exit_status_and_the_table_follows_the_console() {
    let end = run("shutdown", &[]);
    assert_eq!(end.code, 7, "{}", end.stderr);
    assert!(end.stdout.starts_with("hello from the payload\n\ntask "), "{}", end.stdout);
    assert!(end.stdout.contains("not timed"), "{}", end.stdout);
    // The task ran for 20 us, but its wcet is 10 us.
    let broken = "assumption broken: task only ran for 20us, declared 10us, but not timed";
    assert!(end.stdout.contains(broken), "{}", end.stdout);
}

#[test]
fn json_has_stdout_for_itself() {
    let end = run("shutdown", &["--format", "json"]);
    let report = document(&end);
    assert_eq!(report["code"], 7);
    assert_eq!(report["timed"], false);
    assert_eq!(report["tasks"][0]["response"]["mean_ns"], 20_000);
    assert_eq!(report["tasks"][0]["verdict"], "not timed");
    assert!(end.stderr.contains("hello from the payload"), "{}", end.stderr);
}

#[test]
fn a_panic_is_told_and_ends_with_1() {
    run("panic", &[]).fails_with(1, "the kernel stopped itself: the payload panics");
}

#[test]
fn a_hang_ends_with_3_and_the_console() {
    run("hang", &["--patience", "2s"]).fails_with(3, "The console's last lines:");
}

fn on_board(mode: &str) -> Ended {
    let directory = pretender(mode);
    let image = format!("{mode}.elf");
    ended(takt(&["run", "system.toml", "--image", &image], directory.path()))
}

#[test]
fn the_board_takes_the_end_from_the_record_too() {
    let end = on_board("shutdown");
    assert_eq!(end.code, 7, "{}", end.stderr);
    assert!(end.stdout.starts_with("hello from the payload\n\ntask "), "{}", end.stdout);
    assert!(end.stdout.contains("assumption broken"), "{}", end.stdout);
    on_board("panic").fails_with(1, "the kernel stopped itself: the payload panics");
}

#[test]
fn a_machine_that_is_dead_or_ends_itself_is_told_at_once() {
    let hang = on_board("hang");
    hang.fails_with(3, "every hart waits, and nothing is to come");
    hang.fails_with(3, "| hello from the payload");
    hang.fails_with(3, "hart 0 is at 0x");
    on_board("reset").fails_with(3, "the machine was ended without the kernel");
}

#[test]
fn a_record_of_another_build_is_refused_on_the_board() {
    let directory = pretender("shutdown");
    payload(directory.path(), "shutdown", 0xcd);
    let arguments = ["run", "system.toml", "--image", "shutdown.elf"];
    ended(takt(&arguments, directory.path())).fails_with(3, "the record is of build cdcd");
}

#[test]
fn a_wrong_time_names_the_units() {
    run("shutdown", &["--for", "2"])
        .fails_with(2, "has no unit; write a number and ns, us, ms or s");
}

#[test]
fn missing_programs_name_their_package() {
    let directory = pretender("shutdown");
    let mut no_qemu = command("shutdown", directory.path(), &[]);
    no_qemu.env("PATH", directory.path());
    ended(no_qemu).fails_with(3, "apt-get install qemu-system-misc");
    let mut no_firmware = command("shutdown", directory.path(), &[]);
    no_firmware.env("TAKT_OPENSBI", "/nowhere/fw_dynamic.bin");
    ended(no_firmware).fails_with(3, "apt-get install opensbi");
}

/// Starts a run that never ends by itself; returns the process of takt and the PID of its QEMU.
fn endless(directory: &Path) -> (Child, String) {
    let mut takt = command("live", directory, &[]);
    let child = takt.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let children = format!("/proc/{0}/task/{0}/children", child.id());
    let qemu = eventually(|| {
        let pids = std::fs::read_to_string(&children).unwrap_or_default();
        pids.split_whitespace().find(|pid| is_qemu(pid)).map(str::to_string)
    });
    (child, qemu.expect("takt starts QEMU"))
}

/// Whether the process is a running QEMU; a zombie has an empty command line.
fn is_qemu(pid: &str) -> bool {
    let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&command).split('\0').next().is_some_and(|it| it.contains("qemu"))
}

fn eventually<T>(mut found: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        if let Some(value) = found() {
            return Some(value);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    None
}

#[test]
fn no_qemu_outlives_takt_however_it_ends() {
    for (signal, code) in [("INT", Some(130)), ("TERM", Some(130)), ("KILL", None)] {
        let directory = pretender("live");
        let (mut takt, qemu) = endless(directory.path());
        let kill = Command::new("kill").args(["-s", signal, &takt.id().to_string()]).status();
        assert!(kill.unwrap().success());
        assert_eq!(takt.wait().unwrap().code(), code, "{signal}");
        let gone = eventually(|| (!is_qemu(&qemu)).then_some(()));
        assert!(gone.is_some(), "QEMU {qemu} lives on after {signal}");
    }
}
