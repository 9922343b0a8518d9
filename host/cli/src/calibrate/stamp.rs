// SPDX-License-Identifier: Apache-2.0
//! What measured overheads belong to: a timing and a kernel.

use std::io;
use std::path::{Path, PathBuf};

use takt_model::{Board, Stamp, hash};

use crate::failure::Failure;
use crate::home;

/// What the kernel is made of, and what says how.
const KERNEL: [&str; 6] =
    ["kernel", "arch/riscv64", "drivers", "include/takt", "runtime/libc", "CMakeLists.txt"];

/// The stamp that fits now; None for a board without timing.
pub fn now(board: &Board) -> Result<Option<Stamp>, Failure> {
    let Some(timing) = board.timing_hash() else { return Ok(None) };
    let home = home::find()?;
    let kernel = kernel(&home).map_err(|error| Failure::io("read the kernel's sources", error))?;
    Ok(Some(Stamp { timing, kernel }))
}

fn kernel(home: &Path) -> io::Result<String> {
    let mut all = Vec::new();
    for part in KERNEL {
        let path = home.join(part);
        let mut files = if path.is_dir() { sources(&path)? } else { vec![path] };
        files.sort();
        for file in files {
            all.extend(file.file_name().unwrap_or_default().as_encoded_bytes());
            all.push(0);
            all.extend(std::fs::read(file)?);
        }
    }
    Ok(hash(&all))
}

fn sources(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in folder.read_dir()? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| ["c", "h", "S"].iter().any(|known| it == *known)) {
            files.push(path);
        }
    }
    Ok(files)
}
