// SPDX-License-Identifier: Apache-2.0
//! `takt schema`: what an editor needs to check and complete a description.

use clap::{Args, ValueEnum};

use crate::failure::Failure;
use crate::output;

/// Print the JSON schema of a description, for editors
///
/// Editors with a TOML language server then complete keys and show mistakes as you type.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  takt schema system > system.schema.json
  and as the first line of system.toml:  #:schema ./system.schema.json")]
pub struct Arguments {
    /// Of which file
    of: Of,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Of {
    System,
    Board,
}

pub fn execute(arguments: Arguments) -> Result<u8, Failure> {
    let schema = match arguments.of {
        Of::System => takt_model::schema::system(),
        Of::Board => takt_model::schema::board(),
    };
    output::print_json(&schema);
    Ok(0)
}
