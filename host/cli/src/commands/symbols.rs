// SPDX-License-Identifier: Apache-2.0
//! Implements `takt symbols`, a step of every build that only CMake calls.

use std::path::PathBuf;

use clap::Args;

use crate::failure::Failure;
use crate::symbols;

/// Write the table of an image's functions as an assembler file
#[derive(Debug, Args)]
#[command(hide = true)]
pub struct Arguments {
    /// The linked image
    #[arg(required_unless_present = "empty", conflicts_with = "empty")]
    elf: Option<PathBuf>,
    /// Write a table without entries, for the first link
    #[arg(long)]
    empty: bool,
    /// The assembler file
    #[arg(short, long)]
    output: PathBuf,
}

pub fn execute(arguments: Arguments) -> Result<u8, Failure> {
    let text = match &arguments.elf {
        None => symbols::assembler(&[], 0),
        Some(elf) => {
            let read = format!("read {}", elf.display());
            let bytes = std::fs::read(elf).map_err(|error| Failure::io(&read, error))?;
            symbols::of_elf(&bytes).map_err(|why| {
                Failure::input(format!("cannot {read}: {why}"), "name an image that takt built")
            })?
        }
    };
    let write = format!("write {}", arguments.output.display());
    std::fs::write(&arguments.output, text).map_err(|error| Failure::io(write, error))?;
    Ok(0)
}
