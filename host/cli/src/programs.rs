// SPDX-License-Identifier: Apache-2.0
//! The programs of other people that takt runs, and the Debian packages that they come in.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;

/// Where a program is.
pub fn find(program: &str, package: &str) -> Result<PathBuf, Failure> {
    which::which(program).map_err(|_| missing(program, package))
}

/// Whether the compiler finds a file that another package gives it.
pub fn gcc_file(gcc: &Path, file: &str, package: &str) -> Result<(), Failure> {
    let output = Command::new(gcc).arg(format!("-print-file-name={file}")).output();
    let output = output.map_err(|error| Failure::io(format!("run {}", gcc.display()), error))?;
    // What it does not find it prints back as it is.
    if output.stdout.trim_ascii() != file.as_bytes() {
        return Ok(());
    }
    Err(missing(&format!("{file}, a part of the C library,"), package))
}

fn missing(what: &str, package: &str) -> Failure {
    Failure::tool(
        format!("{what} is not installed"),
        format!("apt-get install {package}    (make setup installs all that takt needs)"),
    )
}
