// SPDX-License-Identifier: Apache-2.0
//! Prints or writes the result of a command.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

use crate::failure::{Exit, Failure};

/// Prints to stdout. A reader that stops early (`takt check ... | head`) is not an error; a result
/// that is lost in any other way is one.
pub fn print(text: &str) {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            eprintln!("takt: cannot write the result: {error}");
            std::process::exit(Exit::Tool as i32);
        }
        _ => (),
    }
}

/// Prints a value as JSON.
pub fn print_json(value: &impl serde::Serialize) {
    let text = serde_json::to_string_pretty(value).expect("numbers, texts and lists");
    print(&format!("{text}\n"));
}

/// Checks, before the work begins, that its result can be written to a file. The command line names
/// the file, so a failure is one of the input.
pub fn writable(file: &Path) -> Result<(), Failure> {
    let there = file.symlink_metadata();
    if there.as_ref().is_ok_and(|it| !it.is_file() && !it.is_dir()) {
        // A pipe, a terminal or a link is not opened here, because its other end would notice. A
        // link to itself leads nowhere.
        let led = file.metadata().err().filter(|error| error.kind() != ErrorKind::NotFound);
        return led.map_or(Ok(()), |error| Err(cannot_write(file, error).of_input()));
    }
    let tried = OpenOptions::new().write(true).create(true).truncate(false).open(file);
    tried.map_err(|error| cannot_write(file, error).of_input())?;
    if there.is_err() {
        let _ = std::fs::remove_file(file);
    }
    Ok(())
}

/// Writes a whole file, or leaves its former contents.
pub fn write(file: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    if file.symlink_metadata().is_ok_and(|it| !it.is_file()) {
        return std::fs::write(file, bytes).map_err(|error| cannot_write(file, error));
    }
    let mut part = file.as_os_str().to_owned();
    part.push(".part");
    let written = std::fs::write(&part, bytes).and_then(|()| std::fs::rename(&part, file));
    written.map_err(|error| {
        let _ = std::fs::remove_file(&part);
        cannot_write(file, error)
    })
}

pub fn cannot_write(file: &Path, error: std::io::Error) -> Failure {
    Failure::io(format!("write {}", file.display()), error)
}
