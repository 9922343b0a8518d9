// SPDX-License-Identifier: Apache-2.0
//! The command `takt`: reads the command line and prints what came of it.

use std::process::ExitCode;

use clap::Parser;
use takt_cli::commands::{self, Cli};

fn main() -> ExitCode {
    match commands::execute(Cli::parse()) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            eprint!("{:?}", failure.report);
            if !failure.details.is_empty() {
                eprintln!("{}", failure.details.trim_end());
            }
            ExitCode::from(failure.exit as u8)
        }
    }
}
