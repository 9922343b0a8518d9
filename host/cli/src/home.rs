// SPDX-License-Identifier: Apache-2.0
//! Finds Polytakt's own tree, which holds the kernel's sources and the boards that every build
//! needs.

use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// The path of the tree at the time takt was compiled.
const COMPILED_IN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The path of the tree: `TAKT_HOME`, or else the tree in which takt was compiled.
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

/// The folders in which boards are looked up by name.
pub fn boards(home: &Path) -> Vec<PathBuf> {
    vec![home.join("boards")]
}
