// SPDX-License-Identifier: Apache-2.0
//! The programs of other people that takt runs, and the Debian packages that they come in.

use std::path::PathBuf;

use crate::failure::Failure;

/// Where a program is.
pub fn find(program: &str, package: &str) -> Result<PathBuf, Failure> {
    which::which(program).map_err(|_| {
        Failure::tool(
            format!("{program} is not installed"),
            format!("apt-get install {package}    (make setup installs all that takt needs)"),
        )
    })
}
