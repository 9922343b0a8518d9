// SPDX-License-Identifier: Apache-2.0
//! `takt calibrate`: what the kernel costs on a board, measured.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use clap::Args;

use super::vary;
use crate::boards;
use crate::calibrate::{self, stamp, table};
use crate::failure::Failure;
use crate::output;

/// Measure the kernel's overheads on a modelled board, for the analysis
///
/// Builds a system that brings the kernel into each of its paths on all cores at once: with warm caches, and with
/// displaced ones while all cores store in streams, store into one bank of the memory, load in streams, or a mix of
/// these. Runs it with several seeds, and writes the longest times into the board's file as `[overheads]`, with a
/// stamp of the board's timing and the kernel's sources, and with the conditions (`[overheads.measured]`). A board of
/// 4 cores takes some seconds, one of 72 some minutes. `takt check` says "proved" only where stamp and conditions fit.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  takt calibrate mine.toml                    # ten seeds; the table in mine.toml is replaced
  takt calibrate tile72 --output mine.toml    # Polytakt's own file stays as it is
  takt calibrate mine.toml --seeds 1..50      # more seeds find longer times

The file must have a line [overheads] or extend another board's; a first table can be of zeros with source = \"assumed\".
The book, Checking deadlines: what the figures are for. docs/design/calibration.md: how they are taken.")]
pub struct Arguments {
    /// A board's name, or a file that ends in .toml
    board: PathBuf,
    /// First and last seed
    #[arg(long, value_name = "A..B", value_parser = vary::seeds, default_value = "1..10")]
    seeds: RangeInclusive<u64>,
    /// Write the board with its new table here instead of over its file
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub fn execute(arguments: Arguments) -> Result<u8, Failure> {
    let file = boards::find(&arguments.board)?;
    let place = arguments.output.as_ref().unwrap_or(&file);
    // Measuring takes long: what would be in the result's way is said before.
    boards::read(&file)?;
    with_table(&file, "")?;
    output::writable(place)?;
    let (board, longest) = calibrate::measure(&arguments.board, arguments.seeds.clone())?;
    let (Some(timing), Some(stamp)) = (&board.timing, stamp::now(&board)?) else {
        unreachable!("a board without timing is not measured")
    };
    let overheads = calibrate::overheads(board.cores, timing, &longest);
    let table = table::text(&overheads, &stamp, &arguments.seeds);
    output::write(place, with_table(&file, &table)?)?;
    output::print(&format!("{table}\n{} has this table now\n", place.display()));
    Ok(0)
}

/// The board's text with this table in the place of its own.
fn with_table(file: &Path, table: &str) -> Result<String, Failure> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::io(format!("read {}", file.display()), error))?;
    let new = table::replaced(&text, table).or_else(|| table::appended(&text, table));
    new.ok_or_else(|| {
        let message = format!("{} has no line [overheads]", file.display());
        Failure::input(message, "give the table a line of its own")
    })
}
