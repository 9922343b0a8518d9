// SPDX-License-Identifier: Apache-2.0
//! Runs an image on QEMU: starts the machine, watches its record until the record holds an outcome,
//! reads the record, ends the machine. No QEMU process outlives a run.

mod console;
mod machine;
mod process;
mod qmp;
mod watch;

use takt_record::Record;

pub use machine::{Clock, Machine};

use crate::console::Sink;
use crate::failure::Failure;
use crate::image::Image;
use crate::progress::Progress;
use machine::Files;
use process::Process;
use watch::Watch;

/// Runs `image` to its end and returns what it recorded. `sink` gets the console's lines.
pub fn run(
    machine: &Machine,
    image: &Image,
    sink: Sink,
    progress: &Progress,
) -> Result<Record, Failure> {
    let scratch =
        tempfile::tempdir().map_err(|error| Failure::io("make a temporary directory", error))?;
    let files =
        Files { memory: scratch.path().join("memory"), monitor: scratch.path().join("monitor") };
    let command = machine.command(&image.path, &files)?;
    let process =
        Process::start(command, sink).map_err(|error| Failure::io("start QEMU", error))?;
    Watch { machine, image, progress, process, files: &files }.until_the_end()
}
