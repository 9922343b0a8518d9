// SPDX-License-Identifier: Apache-2.0
//! Finds the firmware that starts an image.

use std::path::PathBuf;

use takt_board::boot::firmware::OPENSBI;

use crate::failure::Failure;

/// The path of the firmware: `TAKT_OPENSBI`, or else that of Debian's package.
pub fn find() -> Result<PathBuf, Failure> {
    let path = std::env::var_os("TAKT_OPENSBI").map_or(PathBuf::from(OPENSBI), PathBuf::from);
    if path.is_file() {
        return Ok(path);
    }
    Err(Failure::tool(
        format!("the firmware {} is not there", path.display()),
        "apt-get install opensbi, or name a fw_dynamic.bin in the variable TAKT_OPENSBI",
    ))
}
