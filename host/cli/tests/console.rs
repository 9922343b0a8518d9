// SPDX-License-Identifier: Apache-2.0
//! Tests the console: lines of all cores arrive whole, each exactly once and in their writer's
//! order.

use std::path::Path;
use std::process::Command;

/// The number of writers in `tests/console/lines.c`.
const WRITERS: usize = 8;
const LINES: usize = 60;

fn run(arguments: &[&str]) -> String {
    let system = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/console/lines.toml");
    let output = Command::new(env!("CARGO_BIN_EXE_takt"))
        .arg("run")
        .arg(system)
        .arg("--qemu")
        .args(arguments)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    text
}

fn line(writer: usize, number: usize) -> String {
    format!("{:x<127}", format!("writer {writer} line {number} "))[..127 - number % 100].to_string()
}

fn lines_stay_whole(arguments: &[&str]) {
    let text = run(arguments);
    for writer in 0..WRITERS {
        let start = format!("writer {writer} ");
        let written: Vec<_> = text.lines().filter(|line| line.starts_with(&start)).collect();
        let expected: Vec<_> = (0..LINES).map(|number| line(writer, number)).collect();
        assert_eq!(written, expected, "{text}");
    }
    assert!(!text.contains("the console lost"), "{text}");
}

#[test]
fn lines_stay_whole_with_the_instruction_clock() {
    lines_stay_whole(&[]);
}

/// The run is repeated because its end cuts the console core's work short at another byte each
/// time.
#[test]
fn lines_stay_whole_in_threads() {
    for _ in 0..5 {
        lines_stay_whole(&["--threads"]);
    }
}
