// SPDX-License-Identifier: Apache-2.0
//! Tests the QEMU driver with images that end, panic, hang, die or write a wrong record.

mod common;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::payload;
use takt_cli::failure::{Exit, Failure};
use takt_cli::image::Image;
use takt_cli::progress::Progress;
use takt_cli::qemu::{self, Clock, Machine};
use takt_record::{Outcome, Record};

const OWN_ID: u8 = 0xab;

fn machine(clock: Clock) -> Machine {
    let patience = Duration::from_secs(60);
    Machine { harts: 1, memory: 128 << 20, clock, run_for: None, patience, extra: vec![] }
}

/// Runs the payload; returns the driver's result and the console's output.
fn run(mode: &str, id: u8, machine: &Machine) -> (Result<Record, Failure>, String) {
    let directory = tempfile::tempdir().unwrap();
    let image = Image::read(&payload(directory.path(), mode, id)).unwrap();
    let console = Arc::new(Mutex::new(Vec::new()));
    let copy = Arc::clone(&console);
    let sink = Box::new(move |line: &[u8]| copy.lock().unwrap().extend_from_slice(line));
    let result = qemu::run(machine, &image, sink, &Progress::hidden());
    let text = String::from_utf8_lossy(&console.lock().unwrap()).into_owned();
    (result, text)
}

fn failure(mode: &str, id: u8, machine: &Machine) -> (String, String) {
    let failure = run(mode, id, machine).0.unwrap_err();
    assert_eq!(failure.exit, Exit::Tool, "{failure:?}");
    (failure.report.to_string(), failure.details)
}

#[test]
fn a_shutdown_gives_the_record_and_the_console_without_the_firmware() {
    for clock in [Clock::Instructions, Clock::Threads] {
        let (record, console) = run("shutdown", OWN_ID, &machine(clock));
        let record = record.unwrap();
        assert_eq!((record.head.outcome, record.head.code), (Outcome::Shutdown, 7));
        assert_eq!(record.head.since_epoch(record.head.end), 2_000_000_000);
        assert_eq!(record.tasks[0].response_max, 30_000);
        assert_eq!(console, "hello from the payload\n");
    }
}

#[test]
fn nothing_of_a_long_console_is_lost_at_the_end() {
    let (record, console) = run("chatter", OWN_ID, &machine(Clock::Threads));
    record.unwrap();
    assert_eq!(console.lines().count(), 3002);
    assert!(console.ends_with("good bye\n"));
}

#[test]
fn a_panic_is_an_outcome_with_its_message() {
    let record = run("panic", OWN_ID, &machine(Clock::Instructions)).0.unwrap();
    assert_eq!(record.head.outcome, Outcome::Panic);
    assert_eq!(record.head.message, "the payload panics");
}

#[test]
fn a_record_of_another_build_is_refused() {
    let (message, _) = failure("shutdown", 0xcd, &machine(Clock::Instructions));
    assert!(message.contains(&format!("of build {}", "cd".repeat(20))), "{message}");
}

fn impatient() -> Machine {
    Machine { patience: Duration::from_secs(3), ..machine(Clock::Instructions) }
}

#[test]
fn a_hang_tells_since_when_and_where() {
    let (message, details) = failure("hang", OWN_ID, &impatient());
    assert!(message.contains("no sign of life for 3s"), "{message}");
    assert!(details.contains("  | hello from the payload\n"), "{details}");
    assert!(details.contains("hart 0 is at 0x804"), "{details}");
    assert!(details.contains("hang+"), "{details}");
}

#[test]
fn a_kernel_without_a_record_is_told_from_one_that_hangs() {
    let (message, _) = failure("silence", OWN_ID, &impatient());
    assert!(message.contains("no kernel wrote its record within 3s"), "{message}");
}

#[test]
fn a_machine_that_resets_itself_is_a_failure() {
    let (message, details) = failure("reset", OWN_ID, &machine(Clock::Instructions));
    assert!(message.contains("QEMU ended before the kernel did"), "{message}");
    assert!(details.contains("hello from the payload"), "{details}");
}

#[test]
fn qemu_s_own_complaint_is_passed_on() {
    let extra = vec!["-cpu".into(), "z80".into()];
    let (message, _) = failure("hang", OWN_ID, &Machine { extra, ..machine(Clock::Threads) });
    assert!(message.contains("unable to find CPU model 'z80'"), "{message}");
}

#[test]
fn extra_arguments_win() {
    let extra = vec!["-M".into(), "aclint=off".into(), "-cpu".into(), "rv64,sstc=off".into()];
    let machine = Machine { extra, ..machine(Clock::Instructions) };
    run("shutdown", OWN_ID, &machine).0.unwrap();
}
