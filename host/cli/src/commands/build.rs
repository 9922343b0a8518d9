// SPDX-License-Identifier: Apache-2.0
//! Implements `takt build`: a description becomes an image.

use std::path::PathBuf;

use clap::Args;

use crate::analysed_system::AnalysedSystem;
use crate::build;
use crate::failure::Failure;
use crate::output;

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
    let analysed = AnalysedSystem::read(&arguments.system)?;
    let image = build::image_with_hints(&analysed, arguments.compiler.compiler())?;
    output::print(&format!("{}\n", image.display()));
    Ok(0)
}
