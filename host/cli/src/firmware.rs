// SPDX-License-Identifier: Apache-2.0
//! The firmware that starts an image.

use std::path::PathBuf;

use takt_board::boot::firmware::OPENSBI;

use crate::failure::Failure;

/// `TAKT_OPENSBI`, else what Debian's package has.
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
