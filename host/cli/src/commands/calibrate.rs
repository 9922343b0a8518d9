// SPDX-License-Identifier: Apache-2.0
//! Implements `takt calibrate`: measures what the kernel costs on a board.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use clap::Args;
use takt_model::{Board, Placement, Word};

use super::vary;
use crate::analysed_system::AnalysedSystem;
use crate::boards;
use crate::build;
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
///
/// A few cores cannot load the memory as all of a large board can. `--cores` measures systems with so many cores, too,
/// and writes a table `[[overheads.fewer]]` for each; the check of a system takes that with the fewest cores that are enough.
///
/// Where cores have second-level caches of their own, `[overheads.resident]` is for a core whose cache keeps all that the core
/// touches, so that no other core can delay its kernel, and `[overheads.resident_requests]` for such a core whose tasks ask
/// something of each other. `[overheads.resident_between]` is for such cores whose tasks activate tasks of each other.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  takt calibrate mine.toml                    # ten seeds; the table in mine.toml is replaced
  takt calibrate tile72 --output mine.toml    # Polytakt's own file stays as it is
  takt calibrate mine.toml --seeds 1..50      # more seeds find longer times
  takt calibrate mine.toml --cores 1,4        # and tables for systems with 1 and with up to 4 cores
  takt calibrate sara --placement central,rtu # the kernel's other placements

The file must have a line [overheads] or extend another board's; a first table can be of zeros with source = \"assumed\".
The book, Checking deadlines: what the figures are for. docs/design/calibration.md: how they are taken.")]
pub struct Arguments {
    /// A board's name, or a file that ends in .toml
    board: PathBuf,
    /// First and last seed
    #[arg(long, value_name = "A..B", value_parser = vary::seeds, default_value = "1..10")]
    seeds: RangeInclusive<u64>,
    /// Measure systems with so many of the board's cores, too [default: those of the file's tables]
    #[arg(long, value_name = "N,N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=128))]
    cores: Vec<u32>,
    /// Measure nothing anew: run this system on the board, and fail where a path of the kernel takes longer in it than the table
    /// in its bounds says
    #[arg(long, value_name = "SYSTEM", conflicts_with_all = ["cores", "output"])]
    compare: Option<PathBuf>,
    /// Measure these placements of the kernel instead, "central", "semi" or "rtu", and write a table `[[overheads.placement]]` for
    /// each; the other tables stay as they are
    #[arg(long, value_name = "WORD,WORD", value_delimiter = ',', value_parser = placement, conflicts_with_all = ["cores", "compare"])]
    placement: Vec<Placement>,
    /// Write the board with its new table here instead of over its file
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub fn execute(arguments: Arguments) -> Result<u8, Failure> {
    let file = boards::find(&arguments.board)?;
    if let Some(system) = &arguments.compare {
        return compare(&file, system, arguments.seeds.clone());
    }
    let place = arguments.output.as_ref().unwrap_or(&file);
    // A measurement takes long, so everything that would prevent writing its result is checked
    // first.
    let board = calibrate::board(&file)?;
    if !arguments.placement.is_empty() {
        return placements(&file, place, &board, &arguments);
    }
    let fewer = counts(&arguments.cores, &board)?;
    with_table(&file, "")?;
    output::writable(place)?;
    let (Some(timing), Some(stamp)) = (&board.timing, stamp::now(&board)?) else {
        unreachable!("a board without timing is refused")
    };
    let measure = |cores: u32| {
        let longest = calibrate::measure(&board, timing, cores, arguments.seeds.clone())?;
        Ok(calibrate::overheads(cores, timing, &longest))
    };
    let fewer: Vec<_> = fewer.into_iter().map(measure).collect::<Result<_, Failure>>()?;
    let resident = calibrate::measure_resident(&board, timing, arguments.seeds.clone())?;
    let all = measure(board.cores)?;
    let table = table::text(&all, &fewer, &resident, &stamp, &arguments.seeds);
    output::write(place, with_table(&file, &table)?)?;
    output::print(&format!("{table}\n{} has this table now\n", place.display()));
    Ok(0)
}

/// Returns a placement that has figures of its own.
fn placement(word: &str) -> Result<Placement, String> {
    let placements = Placement::WORDS.iter().filter(|(_, it)| *it != Placement::Distributed);
    let found = placements.clone().find(|(known, _)| *known == word).map(|(_, it)| *it);
    let known = || placements.clone().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
    found.ok_or_else(|| format!("the placements with figures of their own are {}", known()))
}

/// Measures placements of the kernel, and replaces their tables.
fn placements(
    file: &Path,
    place: &Path,
    board: &Board,
    arguments: &Arguments,
) -> Result<u8, Failure> {
    if let (None, true) = (&board.rtu, arguments.placement.contains(&Placement::Rtu)) {
        let message = format!("the board `{}` has no RTU", board.name);
        return Err(Failure::input(message, "leave \"rtu\" out, or take a board with [rtu]"));
    }
    output::writable(place)?;
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::io(format!("read {}", file.display()), error))?;
    let (rest, mut tables) = table::without_placements(&text);
    for placement in &arguments.placement {
        let (Some(timing), Some(stamp)) = (&board.timing, stamp::of(board, *placement)?) else {
            unreachable!("a board without timing is refused")
        };
        let seeds = arguments.seeds.clone();
        let placed = calibrate::measure_placed(board, timing, *placement, seeds)?;
        let name = format!("= \"{}\"", placement.word());
        tables.retain(|table| !table.contains(&name));
        tables.push(table::of_placement(&placed, &stamp, &arguments.seeds));
    }
    let new = table::with_placements(&rest, &tables).ok_or_else(|| {
        let message = format!("{} has no line [overheads]", file.display());
        Failure::input(message, "give the table a line of its own")
    })?;
    output::write(place, new)?;
    output::print(&format!("{}\n{} has these tables now\n", tables.join("\n"), place.display()));
    Ok(0)
}

/// Prints each figure beside the longest time of a system. The exit status is 1 if one is above its figure.
fn compare(board: &Path, system: &Path, seeds: RangeInclusive<u64>) -> Result<u8, Failure> {
    calibrate::board(board)?;
    let mut analysed = AnalysedSystem::read_on(system, Some(board))?;
    let image = build::image(&analysed, build::Compiler::Gcc)?;
    analysed.look_at(Some(&image))?;
    let resident = analysed.analysis.resident;
    let (table, which) = analysed.overheads();
    let rows = calibrate::compare(&analysed, table, resident, seeds.clone())?;
    let exceeded = rows.iter().filter(|row| row.exceeds()).count();
    let said = |row: &calibrate::Row| match (row.contains, row.exceeds()) {
        (Some(what), _) => format!("contains {what}"),
        (None, true) => "longer".into(),
        (None, false) => "within".into(),
    };
    let lines = rows.iter().map(|row| {
        vec![row.figure.into(), row.table.to_string(), row.measured.to_string(), said(row)]
    });
    let table = takt_trace::table(&["figure", "table", "seen", ""], lines);
    let sum = match exceeded {
        0 => "no path took longer than its figure".to_string(),
        some => format!("{some} above the table"),
    };
    let (first, last) = seeds.into_inner();
    output::print(&format!("{table}\n{which}, seeds {first} to {last}: {sum}\n"));
    Ok(u8::from(exceeded > 0))
}

/// The numbers of cores, below the board's own, that are to be measured, each once.
fn counts(given: &[u32], board: &Board) -> Result<Vec<u32>, Failure> {
    if let Some(many) = given.iter().find(|cores| **cores >= board.cores) {
        let message = format!("{many} cores: the board `{}` has {}", board.name, board.cores);
        let help = "name smaller numbers; a system with all cores is always measured";
        return Err(Failure::input(message, help));
    }
    let tables = board.fewer_cores.iter().filter_map(|it| it.measured.as_ref());
    let mut counts = match given {
        [] => tables.map(|it| it.cores).filter(|cores| *cores < board.cores).collect(),
        given => given.to_vec(),
    };
    counts.sort_unstable();
    counts.dedup();
    Ok(counts)
}

/// The text of the board's file with its own table replaced by this one.
fn with_table(file: &Path, table: &str) -> Result<String, Failure> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::io(format!("read {}", file.display()), error))?;
    // The tables of placements stay.
    let (text, placed) = table::without_placements(&text);
    let new = table::replaced(&text, table).or_else(|| table::appended(&text, table));
    let new = new.and_then(|new| match placed.is_empty() || table.is_empty() {
        true => Some(new),
        false => table::with_placements(&new, &placed),
    });
    new.ok_or_else(|| {
        let message = format!("{} has no line [overheads]", file.display());
        Failure::input(message, "give the table a line of its own")
    })
}
