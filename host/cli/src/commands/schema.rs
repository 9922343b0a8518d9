// SPDX-License-Identifier: Apache-2.0
//! Implements `takt schema`: prints the schema with which an editor checks and completes a
//! description, or with which a program reads a result.

use clap::{Args, ValueEnum};

use crate::document;
use crate::failure::Failure;
use crate::output;

/// Print the JSON schema of a description, for editors, or of a result, for programs
///
/// With the schema of a system or board, editors with a TOML language server complete keys and show
/// mistakes as you type. All others are of what the commands print with --format json.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  takt schema system > system.schema.json
  and as the first line of system.toml:  #:schema ./system.schema.json")]
pub struct Arguments {
    /// The file, or the command's result, that the schema describes
    of: Subject,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Subject {
    System,
    Board,
    Run,
    Check,
    Prove,
    Interference,
    BoardList,
    BoardShow,
}

pub fn execute(arguments: Arguments) -> Result<u8, Failure> {
    let schema = match arguments.of {
        Subject::System => takt_model::schema::system(),
        Subject::Board => takt_model::schema::board(),
        of => {
            let value = of.to_possible_value().expect("a word for each");
            let mut schemas = document::SCHEMAS.iter();
            schemas.find(|(name, _)| *name == value.get_name()).expect("a schema for each").1()
        }
    };
    output::print_json(&schema);
    Ok(0)
}
