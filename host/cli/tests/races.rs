// SPDX-License-Identifier: Apache-2.0
//! Tests `takt run --races`: it finds what nothing orders, and nothing else; and the locks of the OpenMP runtime order what
//! they guard, which GCC 12 undoes where a compare-and-exchange says it.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::takt::{Ended, ended, takt};
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn searched(system: &Path) -> Ended {
    let mut command = takt(&["run", "--races"], &root());
    command.env("TAKT_HOME", root()).arg(system);
    ended(command)
}

/// The last lines of a run: what it says of races.
fn races(ended: &Ended) -> Vec<&str> {
    ended.stdout.lines().skip_while(|line| !line.starts_with("races: ")).collect()
}

#[test]
fn what_nothing_orders_is_found_with_its_lines() {
    let run = searched(&root().join("tests/races/system.toml"));
    let said = races(&run);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(said.len() > 1, "{}", run.stdout);
    assert!(said[1..].iter().all(|line| line.contains("unguarded")), "{}", run.stdout);
    assert!(said[1..].iter().all(|line| line.contains("main.c:19)")), "{}", run.stdout);
}

#[test]
fn mutexes_semaphores_and_atomic_flags_order() {
    let folder = tempfile::tempdir().unwrap();
    let from = root().join("tests/races");
    let text = std::fs::read_to_string(from.join("system.toml")).unwrap();
    let text = text.replace("argument = 1", "argument = 0");
    let text = text.replace("\"main.c\"", &format!("{:?}", from.join("main.c")));
    let text = text.replace("\"..\"", &format!("{:?}", root().join("tests")));
    std::fs::write(folder.path().join("system.toml"), text).unwrap();
    let run = searched(&folder.path().join("system.toml"));
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(races(&run)[0].starts_with("races: none among "), "{}", run.stdout);
}

/// A system with every construct of OpenMP on 8 cores.
fn constructs() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("python3");
    command.arg(root().join("tests/openmp/generate.py")).args(["8", "block"]).arg(folder.path());
    assert!(command.status().unwrap().success());
    folder
}

#[test]
fn constructs_of_openmp_order_what_their_threads_share() {
    let folder = constructs();
    let run = searched(&folder.path().join("system.toml"));
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(races(&run)[0].starts_with("races: none among "), "{}", run.stdout);
}

#[test]
fn a_lock_that_is_freed_without_its_fence_is_found() {
    let home = tempfile::tempdir().unwrap();
    let parts =
        ["CMakeLists.txt", "arch", "boards", "drivers", "include", "kernel", "libraries", "tests"];
    let mut command = Command::new("cp");
    command.arg("-R").args(parts).arg(home.path()).current_dir(root());
    assert!(command.status().unwrap().success());
    let lock = home.path().join("libraries/openmp/lock.c");
    let text = std::fs::read_to_string(&lock).unwrap();
    let fence = "    __atomic_thread_fence(__ATOMIC_RELEASE);\n";
    assert_eq!(text.matches(fence).count(), 1, "lock.c has other words for {fence}");
    std::fs::write(&lock, text.replace(fence, "")).unwrap();
    let folder = constructs();
    let mut command = takt(&["run", "--races", "system.toml"], folder.path());
    command.env("TAKT_HOME", home.path());
    let run = ended(command);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(races(&run).iter().any(|line| line.contains("locked")), "{}", run.stdout);
}

#[test]
fn a_search_is_of_one_run_and_printed_as_text() {
    let system = "tests/races/system.toml";
    let run = |more: &[&str]| {
        let mut command = takt(&["run", system, "--races"], &root());
        command.env("TAKT_HOME", root()).args(more);
        ended(command)
    };
    run(&["--seed", "1..2"]).fails_with(2, "races are looked for in one run");
    run(&["--format", "json"]).fails_with(2, "races are printed as text only");
    let mut graph = takt(&["run", "examples/dataflow/jacobi/system.toml", "--races"], &root());
    graph.env("TAKT_HOME", root());
    ended(graph).fails_with(2, "leave out --races");
}
