// SPDX-License-Identifier: Apache-2.0
//! Tests kernels that lack one memory ordering, on a board whose stores are performed out of order
//! (`drain = "any"`): `tests/order` fails with them, and passes with the unchanged kernel.
//!
//! clang compiles the copies. GCC 12 makes of each `__atomic_store_n` an atomic instruction, which on
//! the board waits for all earlier stores, whatever its ordering bits say; the kernel has none.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::takt::{Ended, ended, takt};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Copies everything that the image is built from.
fn copy_of_the_tree(directory: &Path) {
    let parts =
        ["CMakeLists.txt", "arch", "boards", "drivers", "include", "kernel", "libraries", "tests"];
    let status =
        Command::new("cp").arg("-R").args(parts).arg(directory).current_dir(root()).status();
    assert!(status.unwrap().success());
}

/// Runs `tests/order` with a copy of the kernel in which the text `ordered` in one file is replaced
/// by `changed`.
fn run_changed(file: &str, ordered: &str, changed: &str) -> Ended {
    let directory = tempfile::tempdir().unwrap();
    copy_of_the_tree(directory.path());
    let path = directory.path().join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches(ordered).count(), 1, "{file} has other words for: {ordered}");
    std::fs::write(&path, text.replace(ordered, changed)).unwrap();
    let arguments =
        ["run", "tests/order/system.toml", "--clang", "--seed", "1..2", "--jitter", "2000"];
    let mut command = takt(&arguments, directory.path());
    command.env("TAKT_HOME", directory.path());
    ended(command)
}

/// With this barrier the compiler keeps the order of the source, but the hart need not.
const COMPILER_ONLY: &str = "__asm__ volatile(\"\" ::: \"memory\");";

#[track_caller]
fn is_caught(end: &Ended) {
    let all = format!("{}{}", end.stdout, end.stderr);
    assert_eq!(end.code, 1, "{all}");
    assert!(all.contains("0 broke, 2 failed"), "{all}");
}

#[test]
fn the_kernel_as_it_is_passes() {
    let same = "/* SPDX-License-Identifier: Apache-2.0 */\n";
    let end = run_changed("kernel/lock/lock.h", same, same);
    assert_eq!(end.code, 0, "{}{}", end.stdout, end.stderr);
    assert!(end.stdout.contains("0 broke, 0 failed"), "{}", end.stdout);
}

/// The next lock holder finds a semaphore's queue whose links are not all written: a task waits for
/// ever, or the kernel follows a wild link.
#[test]
fn a_lock_released_before_its_section_is_caught() {
    let ordered = "atomic_store_release(&lock->serving, node->ticket + 1);";
    let relaxed = ordered.replace("release", "relaxed");
    is_caught(&run_changed(
        "kernel/lock/spinlock_ticket.h",
        ordered,
        &format!("{COMPILER_ONLY} {relaxed}"),
    ));
}

/// The reader copies a slot whose value has not arrived, and returns an old value.
#[test]
fn a_buffer_published_before_its_value_is_caught() {
    let ordered = "atomic_store_release(&buffer->latest, slot);";
    let relaxed = ordered.replace("release", "relaxed");
    is_caught(&run_changed(
        "kernel/object/buffer_slots.h",
        ordered,
        &format!("{COMPILER_ONLY} {relaxed}"),
    ));
}
