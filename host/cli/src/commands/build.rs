// SPDX-License-Identifier: Apache-2.0
//! `takt build`: a description becomes an image.

use std::path::PathBuf;

use clap::Args;

use crate::build;
use crate::failure::Failure;
use crate::output;
use crate::plan::Plan;

/// Build the image of a system
///
/// The configurator turns the description into C tables and a linker script, CMake and the RISC-V
/// compiler do the rest. Nothing is printed but the place of the image, and the compiler's
/// warnings about the application. The build tree is build/ beside the description, or in
/// Polytakt's own build/ for a system of its tree.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The description, a TOML file
    system: PathBuf,
    #[command(flatten)]
    compiler: build::Choice,
}

pub fn execute(arguments: Arguments) -> Result<u8, Failure> {
    let plan = Plan::read(&arguments.system)?;
    let image = build::image_told(&plan, arguments.compiler.compiler())?;
    output::print(&format!("{}\n", image.display()));
    Ok(0)
}
