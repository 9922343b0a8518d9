// SPDX-License-Identifier: Apache-2.0
//! Images to run before there is a kernel: `payload/payload.S` in each of its modes.

#![allow(dead_code)] // each test file uses some of it

pub mod assembly;
pub mod document;
pub mod takt;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the payload in `directory`; its record carries build ID bytes of `record_id`, the
/// image's own are 0xab.
pub fn payload(directory: &Path, mode: &str, record_id: u8) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/payload");
    let image = directory.join(format!("{mode}.elf"));
    let status = Command::new("riscv64-unknown-elf-gcc")
        .args([
            "-march=rv64gc",
            "-mabi=lp64d",
            "-mcmodel=medany",
            "-nostdlib",
            "-Wl,-N,--no-warn-rwx-segments",
        ])
        .arg(format!("-Wl,--build-id=0x{}", "ab".repeat(20)))
        .args([format!("-DMODE={mode}"), format!("-DBUILD_ID_BYTE={record_id}")])
        .arg("-T")
        .arg(sources.join("payload.ld"))
        .arg(sources.join("payload.S"))
        .arg("-o")
        .arg(&image)
        .status();
    assert!(status.expect("riscv64-unknown-elf-gcc runs").success(), "the payload compiles");
    image
}
