// SPDX-License-Identifier: Apache-2.0
//! Implements `takt board`: lists boards, shows one, boots a program on one.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use takt_model::{Board, Hertz};

use super::Format;
use crate::boards;
use crate::failure::Failure;
use crate::output;
use json::{BoardDocument, BoardList};
use show::Shown;

mod boot;
pub mod json;
mod show;

/// List the boards that systems run on, show what one is made of, boot any program on one
///
/// A board is a TOML file: its cores and memory, what the kernel costs there, and for the modelled
/// machine what each cache, link and memory access takes. Those of Polytakt stand in its boards/.
/// To make one of your own, copy the nearest and name the copy in system.toml: board = "mine.toml".
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  takt board list
  takt board show tile72
  takt board boot kernel.elf --board tile72 --harts 4
  takt board show ./mine.toml --format json | jq .timing.loads
  cp $(takt board show tile72 --format json | jq -r .file) mine.toml")]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(List),
    Show(Show),
    Boot(Box<boot::Arguments>),
}

/// List Polytakt's boards
///
/// Cores, clock, how the cores are joined, and the first line of the file's comment.
#[derive(Debug, Args)]
struct List {
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Show a board: what it is made of, where its file lies, and how long a load takes
///
/// The times of loads are sums of the file's figures on a machine that does nothing else: to the
/// caches, to the nearest and farthest home, to a line that another core has changed, to memory in
/// a closed bank. What waits for others in a real run takes longer, at most what the second table
/// says of one miss, with one active core and with all.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  takt board show tile72
  takt board show ./mine.toml")]
struct Show {
    /// A board's name, or a path ending in .toml
    board: PathBuf,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Arguments {
    pub fn format(&self) -> Format {
        match &self.command {
            Command::List(List { format }) | Command::Show(Show { format, .. }) => *format,
            Command::Boot(_) => Format::Table,
        }
    }
}

pub fn execute(arguments: Arguments) -> Result<u8, Failure> {
    match arguments.command {
        Command::List(List { format }) => list(format),
        Command::Boot(arguments) => boot::execute(*arguments),
        Command::Show(Show { board, format }) => {
            let shown = read(&boards::find(&board)?)?;
            match format {
                Format::Json => output::print_json(&BoardDocument::new(&shown)),
                Format::Table => output::print(&shown.text()),
            }
            Ok(0)
        }
    }
}

fn list(format: Format) -> Result<u8, Failure> {
    let boards = boards::files()?.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
    match format {
        Format::Json => output::print_json(&BoardList::new(&boards)),
        Format::Table => {
            let rows = boards.iter().map(row);
            let columns = ["board", "cores", "clock", "joined by", ""];
            output::print(&(takt_trace::table(&columns, rows) + "\n"));
        }
    }
    Ok(0)
}

fn row(shown: &Shown) -> Vec<String> {
    let Board { name, cores, timing, .. } = &shown.board;
    let clock = timing.as_ref().map(|timing| Hertz(timing.frequency).to_string());
    let shape = timing.as_ref().map(|timing| show::shape(&timing.interconnect.shape));
    let dash = || "-".to_string();
    let (clock, shape) = (clock.unwrap_or_else(dash), shape.unwrap_or_else(dash));
    vec![name.clone(), cores.to_string(), clock, shape, shown.comment.clone()]
}

fn read(file: &Path) -> Result<Shown, Failure> {
    let board = boards::read(file)?;
    let found = format!("read {}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| Failure::io(&found, error))?;
    let path = file.canonicalize().map_err(|error| Failure::io(&found, error))?;
    Ok(Shown { board, file: path, comment: comment(&text) })
}

/// The first line of the comment at the start of a file.
fn comment(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix('#')).map(str::trim);
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with("SPDX-"));
    lines.next().unwrap_or_default().trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_comment_is_the_first_line_that_says_something() {
        assert_eq!(comment("# SPDX-License-Identifier: X\n#\n# A board.\n# More."), "A board");
        assert_eq!(comment("format = 1\n# late"), "");
        assert_eq!(comment(""), "");
    }
}
