// SPDX-License-Identifier: Apache-2.0
//! Polytakt's own tree: the kernel's sources and the boards, which every build needs.

use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Where it was when takt was compiled.
const COMPILED_IN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// `TAKT_HOME`, else the tree that takt was compiled in.
pub fn find() -> Result<PathBuf, Failure> {
    let (place, how) = match std::env::var_os("TAKT_HOME") {
        Some(place) => (PathBuf::from(place), "the variable TAKT_HOME names it"),
        None => (PathBuf::from(COMPILED_IN), "takt was built there"),
    };
    match place.canonicalize() {
        Ok(home) if home.join("include/takt/takt.h").is_file() => Ok(home),
        _ => Err(Failure::tool(
            format!("Polytakt's own tree is not at {} ({how})", place.display()),
            "set TAKT_HOME to the directory that holds its kernel/ and boards/",
        )),
    }
}

/// Where boards are looked for by name.
pub fn boards(home: &Path) -> Vec<PathBuf> {
    vec![home.join("boards")]
}
