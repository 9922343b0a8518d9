// SPDX-License-Identifier: Apache-2.0
//! Assembles programs of a few instructions, and runs `takt board boot` with them.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::takt::{Ended, ended, takt};

/// Ends the run by writing the word in t1 to the test finisher.
const FINISH: &str = "
finish:
    fence
    li   t0, 0x100000
    sw   t1, (t0)
1:  j    1b
";

/// Assembles this text into an ELF file at the address `base`.
pub fn program(directory: &Path, base: u64, text: &str) -> PathBuf {
    let source = directory.join("program.S");
    let text = format!("    .globl _start, main\n    .text\n_start:\n{text}\n{FINISH}");
    std::fs::write(&source, text).unwrap();
    let elf = directory.join("program.elf");
    let status = Command::new("riscv64-unknown-elf-gcc")
        .args(["-march=rv64gc", "-mabi=lp64d", "-mcmodel=medany", "-nostdlib", "-static"])
        .args([format!("-Wl,-Ttext={base:#x}"), "-Wl,-N,--no-warn-rwx-segments".to_string()])
        .arg(&source)
        .arg("-o")
        .arg(&elf)
        .status();
    assert!(status.expect("riscv64-unknown-elf-gcc runs").success(), "the program compiles");
    elf
}

pub const BARE: [&str; 4] = ["--board", "virt1", "--bios", "none"];

pub fn boot_with(directory: &TempDir, options: &[&str]) -> Ended {
    let arguments = [&["board", "boot", "program.elf"], options].concat();
    ended(takt(&arguments, directory.path()))
}

/// Boots this text in M-mode on one hart.
pub fn bare(text: &str, more: &[&str]) -> Ended {
    let directory = tempfile::tempdir().unwrap();
    program(directory.path(), 0x8000_0000, text);
    boot_with(&directory, &[&BARE, more].concat())
}
