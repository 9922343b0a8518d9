// SPDX-License-Identifier: Apache-2.0
//! The command `takt`: reads the command line and prints what came of it.

use std::process::ExitCode;

use clap::Parser;
use takt_cli::commands::{self, Cli};
use takt_cli::document::FailureDocument;
use takt_cli::failure::Failure;
use takt_cli::output;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            if error.use_stderr() && commands::asks_for_json(std::env::args_os().skip(1)) {
                output::print_json(&FailureDocument::new(&Failure::command_line(&error)));
            }
            error.exit()
        }
    };
    let json = cli.prints_json();
    match commands::execute(cli) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            if json && !failure.has_document {
                output::print_json(&FailureDocument::new(&failure));
            }
            eprint!("{:?}", failure.report);
            if !failure.details.is_empty() {
                eprintln!("{}", failure.details.trim_end());
            }
            ExitCode::from(failure.exit as u8)
        }
    }
}
