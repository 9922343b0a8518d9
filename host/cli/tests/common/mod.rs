// SPDX-License-Identifier: Apache-2.0
//! Images for tests that need no kernel: `payload/payload.S` in each of its modes.

#![allow(dead_code)] // each test file uses some of it

pub mod assembly;
pub mod document;
pub mod takt;

use std::path::{Path, PathBuf};
use std::process::Command;

use takt_record::schema as record;

/// The definitions of the record's version and of the sizes of its structures, taken from the
/// schema.
fn record_sizes() -> impl Iterator<Item = String> {
    let core = record::CORE.size() + record::REFUSALS * record::REFUSAL.size();
    let values = [
        ("RECORD_VERSION", record::VERSION as usize),
        ("HEADER_SIZE", record::HEADER.size()),
        ("TASK_SIZE", record::TASK.size()),
        ("EVENT_SIZE", record::EVENT.size()),
        ("CORE_STRIDE", core),
        ("INTERRUPT_SIZE", record::INTERRUPT.size()),
        ("LIMIT_SIZE", record::LIMIT.size()),
        ("REFUSAL_SIZE", record::REFUSAL.size()),
    ];
    values.into_iter().map(|(name, value)| format!("-D{name}={value}"))
}

/// Builds the payload in `directory`. The build ID in its record consists of bytes `record_id`,
/// that of the image of bytes 0xab.
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
        .args(record_sizes())
        .arg("-T")
        .arg(sources.join("payload.ld"))
        .arg(sources.join("payload.S"))
        .arg("-o")
        .arg(&image)
        .status();
    assert!(status.expect("riscv64-unknown-elf-gcc runs").success(), "the payload compiles");
    image
}
