// SPDX-License-Identifier: Apache-2.0
//! The subcommands, one in each file. Each returns the exit status of a command that has a result.

use std::ffi::{OsStr, OsString};

use clap::{Parser, Subcommand, ValueEnum};

use crate::failure::Failure;

pub mod board;
mod build;
mod calibrate;
mod check;
mod interference;
mod new;
mod prove;
mod run;
mod schema;
mod size;
mod symbols;
mod vary;

/// Describe a real-time system once: takt checks its deadlines, builds the kernel for exactly
/// that system, runs it, and shows the measured responses beside the computed bounds.
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  takt new ~/first                                make a first application
  takt check examples/rosace/system.toml          bounds against deadlines
  takt build examples/rosace/system.toml          build the image
  takt run examples/rosace/system.toml            build, run on the board, and judge
  takt run system.toml --seed 1..100              the same with a hundred interleavings
  takt run system.toml --qemu --for 500ms         half a second of machine time on QEMU
  takt board boot kernel.elf --board tile72       any program on a board
  takt board list                                 the machines that there are

Exit status:
  0  good
  1  the answer is no: a deadline can be missed or was, a response is above its bound, the
     application does not compile, the kernel panicked
  2  the input is wrong: the command line or a description
  3  a tool is missing or failed, a kernel hangs
  takt run also passes on the code that the application gave to takt_system_shutdown.

Environment:
  TAKT_HOME     Polytakt's own tree, when it is not where takt was built
  TAKT_OPENSBI  the firmware, when it is not where Debian's package opensbi puts it";

#[derive(Debug, Subcommand)]
enum Command {
    New(new::Arguments),
    Check(check::Arguments),
    Build(build::Arguments),
    Run(Box<run::Arguments>),
    Board(board::Arguments),
    Calibrate(calibrate::Arguments),
    Prove(prove::Arguments),
    Interference(interference::Arguments),
    Size(size::Arguments),
    Schema(schema::Arguments),
    Symbols(symbols::Arguments),
}

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Table,
    /// For programs: one JSON document on stdout, durations in nanoseconds.
    Json,
}

impl Cli {
    /// Whether the command prints its result, and therefore also its failure, as a JSON document.
    pub fn prints_json(&self) -> bool {
        let format = match &self.command {
            Command::Check(arguments) => arguments.format,
            Command::Run(arguments) => arguments.format,
            Command::Board(arguments) => arguments.format(),
            Command::Prove(arguments) => arguments.format,
            Command::Interference(arguments) => arguments.format,
            _ => Format::Table,
        };
        format == Format::Json
    }
}

/// Whether a command line that could not be parsed contains `--format json`.
pub fn asks_for_json(arguments: impl Iterator<Item = OsString>) -> bool {
    let mut before = None;
    for argument in arguments.take_while(|it| it != "--") {
        if argument == "--format=json"
            || (argument == "json" && before.as_deref() == Some(OsStr::new("--format")))
        {
            return true;
        }
        before = Some(argument);
    }
    false
}

pub fn execute(cli: Cli) -> Result<u8, Failure> {
    match cli.command {
        Command::New(arguments) => new::execute(arguments),
        Command::Check(arguments) => check::execute(arguments),
        Command::Build(arguments) => build::execute(arguments),
        Command::Run(arguments) => run::execute(*arguments),
        Command::Calibrate(arguments) => calibrate::execute(arguments),
        Command::Prove(arguments) => prove::execute(arguments),
        Command::Interference(arguments) => interference::execute(arguments),
        Command::Board(arguments) => board::execute(arguments),
        Command::Size(arguments) => size::execute(arguments),
        Command::Schema(arguments) => schema::execute(arguments),
        Command::Symbols(arguments) => symbols::execute(arguments),
    }
}
