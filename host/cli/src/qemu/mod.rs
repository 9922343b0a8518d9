// SPDX-License-Identifier: Apache-2.0
//! Runs an image on QEMU: starts the machine, watches its record until the outcome stands
//! there, reads the record, ends the machine. No QEMU outlives a run.

mod console;
mod machine;
mod process;
mod qmp;
mod watch;

use std::time::{Duration, Instant};

use takt_trace::Record;

pub use console::Sink;
pub use machine::{Clock, Machine};

use crate::failure::Failure;
use crate::image::Image;
use crate::progress::Progress;
use process::Process;
use qmp::Qmp;
use watch::Watch;
pub use watch::panicked;

/// Runs `image` to its end and returns what it recorded. `sink` gets the console's lines.
pub fn run(
    machine: &Machine,
    image: &Image,
    sink: Sink,
    progress: &Progress,
) -> Result<Record, Failure> {
    let scratch =
        tempfile::tempdir().map_err(|error| Failure::io("make a temporary directory", error))?;
    let socket = scratch.path().join("qmp");
    let command = machine.command(&image.path, &socket)?;
    let mut process =
        Process::start(command, sink).map_err(|error| Failure::io("start QEMU", error))?;
    let qmp = connect(&mut process, &socket, machine.patience)?;
    let mut watch = Watch { machine, image, progress, process, qmp, scratch: scratch.path() };
    let record = watch.until_the_end()?;
    watch.process.finish();
    Ok(record)
}

/// QEMU makes its socket some time after its start.
fn connect(
    process: &mut Process,
    socket: &std::path::Path,
    patience: Duration,
) -> Result<Qmp, Failure> {
    let start = Instant::now();
    loop {
        match Qmp::connect(socket, patience) {
            Ok(qmp) => return Ok(qmp),
            Err(error) if start.elapsed() > patience => {
                let message = format!("QEMU does not answer: {error}");
                return Err(Failure::tool(message, "look at what else this machine is doing"));
            }
            Err(_) if process.ended(Duration::from_millis(10)).is_some() => {
                return Err(watch::died(process));
            }
            Err(_) => {}
        }
        if crate::interrupt::requested() {
            return Err(Failure::interrupted());
        }
    }
}
