// SPDX-License-Identifier: Apache-2.0
//! Implements `takt prove`: generates systems that try to break the bounds.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::Args;

use super::{Format, vary};
use crate::failure::Failure;
use crate::prove::{self, Request, Summary};
use crate::{interrupt, output};

/// Try to break the analysis: generate systems, check, build and run them, and compare
///
/// Each seed makes one system: every second one is random, the others attack one thing that the bounds
/// rest on. Each is checked, built, and run on the modelled board with several interleavings. No
/// response may be above its bound unless the run reports which assumption of the description was
/// broken; what is not declared must be reported, and what is declared must not.
///
/// The bounds are compared twice: as described, and once more with the `wcet` of each task set to the
/// longest execution that its jobs showed.
#[derive(Debug, Args)]
#[command(after_help = families(), verbatim_doc_comment)]
pub struct Arguments {
    /// How many systems, from the first seed on
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000),
        conflicts_with = "seed")]
    systems: Option<u64>,
    /// A seed, or first and last as in 1..20: one system each [default: 1..30]
    #[arg(long, value_name = "N|A..B", value_parser = vary::seeds)]
    seed: Option<RangeInclusive<u64>>,
    /// Only this family, or one shape of it as in sections/barrier
    #[arg(long, value_name = "NAME")]
    family: Option<String>,
    /// A name, or a file that ends in .toml [default: tile72]
    #[arg(long, value_name = "NAME|FILE", default_value = "tile72", hide_default_value = true)]
    board: PathBuf,
    /// Interleavings of each system, besides the plain one
    #[arg(long, value_name = "N", default_value_t = 2)]
    interleavings: u64,
    /// Keep the folder of each system that was not good in this directory
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Keep all systems, also the good ones
    #[arg(long, requires = "keep")]
    all: bool,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

fn families() -> String {
    let mut text = "Families:\n".to_string();
    for family in takt_prove::families() {
        text += &format!("  {:<13} {}\n", family.name, family.about);
        if family.name != "random" {
            let shapes: Vec<_> = family.shapes.iter().map(|shape| shape.name).collect();
            text += &format!("                  {}\n", shapes.join(", "));
        }
    }
    text + "\nExamples:\n  takt prove                              thirty systems\n  \
            takt prove --systems 500 --keep broken  a long evening's worth, and what broke\n  \
            takt prove --family sections --seed 1..20\n  \
            takt prove --seed 17 --keep . --all     look at one system\n\n\
            Exit status 1: a bound broke that nothing excuses, or a report is missing or wrong."
}

pub fn execute(arguments: Arguments) -> Result<u8, Failure> {
    let seeds = match (&arguments.seed, arguments.systems) {
        (Some(seeds), _) => seeds.clone(),
        (None, systems) => 1..=systems.unwrap_or(30),
    };
    interrupt::catch()?;
    let request = Request {
        seeds,
        only: arguments.family.as_deref().map(prove::family).transpose()?,
        machine: prove::machine(&arguments.board)?,
        board: arguments.board.clone(),
        interleavings: arguments.interleavings,
        keep: arguments.keep.clone(),
        keep_all: arguments.all,
    };
    let systems = prove::run(&request)?;
    let summary = Summary::new(&request, &systems);
    match arguments.format {
        Format::Json => output::print_json(&summary),
        Format::Table => output::print(&summary.render()),
    }
    Ok(summary.exit_status)
}
