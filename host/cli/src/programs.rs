// SPDX-License-Identifier: Apache-2.0
//! The external programs that takt runs, and the Debian packages that contain them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;

/// The path of a program.
pub fn find(program: &str, package: &str) -> Result<PathBuf, Failure> {
    which::which(program).map_err(|_| missing(program, package))
}

/// Checks that the compiler finds a file that another package installs for it.
pub fn gcc_file(gcc: &Path, file: &str, package: &str) -> Result<(), Failure> {
    let output = Command::new(gcc).arg(format!("-print-file-name={file}")).output();
    let output = output.map_err(|error| Failure::io(format!("run {}", gcc.display()), error))?;
    // GCC prints the bare name of a file that it does not find.
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
