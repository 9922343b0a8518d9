// SPDX-License-Identifier: Apache-2.0
//! Tests that the kernel's symbols are private: an application may use their names for its own
//! functions, and cannot call the kernel's. This holds with GCC, which compiles the kernel as a
//! whole, and with clang, which does not.

mod common;

use std::path::Path;

use common::takt::{Ended, ended, takt};

const SYSTEM: &str = r#"
format = 1
[system]
name = "own_names"
board = "virt"
cores = 1
sources = ["main.c"]
[[task]]
name = "first"
entry = "dispatch"
start = true
"#;

/// The names `dispatch`, `machine` and `timer_start` are also names of the kernel.
const OWN_NAMES: &str = r#"
#include <stdio.h>
#include <takt/takt.h>
int machine = 3;
void timer_start(void) { machine++; }
void dispatch(intptr_t argument) {
    timer_start();
    printf("machine is %d\n", machine);
    takt_system_shutdown(machine == 4 ? 0 : 1);
}
"#;

const CALLS_THE_KERNEL: &str = r#"
#include <takt/takt.h>
extern void dispatch_away(void);
void dispatch(intptr_t argument) { dispatch_away(); }
"#;

fn application(directory: &Path, source: &str) {
    std::fs::write(directory.join("system.toml"), SYSTEM).unwrap();
    std::fs::write(directory.join("main.c"), source).unwrap();
}

fn in_directory(arguments: &[&str], directory: &Path) -> Ended {
    ended(takt(arguments, directory))
}

#[test]
fn an_application_may_use_the_kernels_names() {
    let directory = tempfile::tempdir().unwrap();
    application(directory.path(), OWN_NAMES);
    let run = in_directory(&["run", "system.toml"], directory.path());
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("machine is 4"), "{}", run.stdout);
    let run = in_directory(&["run", "system.toml", "--clang"], directory.path());
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("machine is 4"), "{}", run.stdout);
}

#[test]
fn an_application_cannot_call_the_kernels_functions() {
    let directory = tempfile::tempdir().unwrap();
    application(directory.path(), CALLS_THE_KERNEL);
    for compiler in [&["build", "system.toml"][..], &["build", "system.toml", "--clang"]] {
        let build = in_directory(compiler, directory.path());
        assert_ne!(build.code, 0, "{compiler:?}");
        assert!(build.stderr.contains("dispatch_away"), "{}", build.stderr);
    }
}
