// SPDX-License-Identifier: Apache-2.0
//! Finds the boards that Polytakt has, and the user's own.

use std::path::{Path, PathBuf};

use takt_model::Board;

use crate::failure::Failure;
use crate::home;

/// The files of Polytakt's boards, ordered by name.
pub fn files() -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for folder in home::boards(&home::find()?) {
        let failed = |error| Failure::io(format!("list {}", folder.display()), error);
        for entry in folder.read_dir().map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The file of a board. As in a description, a name that ends in .toml is a path.
pub fn find(board: &Path) -> Result<PathBuf, Failure> {
    if board.extension().is_some_and(|extension| extension == "toml") {
        return Ok(board.to_path_buf());
    }
    let files = files()?;
    let named = files.iter().find(|file| file.file_stem() == Some(board.as_os_str()));
    named.cloned().ok_or_else(|| {
        let names = files.iter().filter_map(|file| file.file_stem()?.to_str());
        let help = format!(
            "the boards are {}; a path ends in .toml",
            names.collect::<Vec<_>>().join(", ")
        );
        Failure::input(format!("there is no board `{}`", board.display()), help)
    })
}

/// Reads the board in a file.
pub fn read(file: &Path) -> Result<Board, Failure> {
    Board::read_with(file, &home::boards(&home::find()?)).map_err(Failure::problems)
}
