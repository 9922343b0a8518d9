// SPDX-License-Identifier: Apache-2.0
//! Implements `takt interference`: how much longer a task's responses become beside the tasks of
//! other cores, without the budgets of memory traffic and with them.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::Args;
use rayon::prelude::*;
use takt_board::engine::Order;
use takt_model::Nanos;

use super::run::{MARGIN, duration};
use super::{Format, vary};
use crate::analysed_system::AnalysedSystem;
use crate::board::Variation;
use crate::board::image_run::{self, RunOptions};
use crate::build::{self, Compiler};
use crate::failure::Failure;
use crate::image::Image;
use crate::interference::{self, Interference, Run, Victim};
use crate::output;
use crate::progress::Progress;

/// Measure what the tasks of other cores do to a task's responses
///
/// The system, whose description has [regulation], runs four times on the modelled board: the task's
/// core alone, without budgets and with them, and beside the tasks of all other cores, without and
/// with. All four are runs of one image; alone means that the clock releases no task of another core
/// and that none starts. With several seeds each figure is the worst of all.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  takt interference examples/ima/system.toml --task steer
  takt interference examples/ima/system.toml --task steer --seed 1..20 --format json")]
pub struct Arguments {
    /// The description, a TOML file
    system: PathBuf,
    /// The task whose responses are measured
    #[arg(long, value_name = "NAME")]
    task: String,
    /// Another board than the description names: a name, or a file that ends in .toml
    #[arg(long, value_name = "NAME|FILE")]
    board: Option<PathBuf>,
    /// End each run after this machine time, such as 500ms or 2s [default: run.for of the description]
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    run_for: Option<Nanos>,
    /// Vary the order in which cores reach memory: a seed, or first and last as in 1..20. 0: vary nothing
    #[arg(long, value_name = "N|A..B", value_parser = vary::seeds, default_value = "0",
        hide_default_value = true)]
    seed: RangeInclusive<u64>,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Beside the tasks of other cores, and with budgets.
const KINDS: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

pub fn execute(arguments: Arguments) -> Result<u8, Failure> {
    let analysed = AnalysedSystem::read_on(&arguments.system, arguments.board.as_deref())?;
    let victim = victim(&arguments, &analysed)?;
    if analysed.system.regulation.is_none() {
        let message =
            format!("the system `{}` has no budgets of memory traffic", analysed.system.name);
        return Err(Failure::input(message, "add a table [regulation] to its description"));
    }
    let Some(run_for) = arguments.run_for.or(analysed.system.run_for) else {
        let message = "nothing says how long the runs are";
        return Err(Failure::input(message, "add --for, or `for` in [run] of the description"));
    };
    let image = Image::read(&build::image(&analysed, Compiler::Gcc)?)?;
    let options = RunOptions {
        board: &analysed.system.board,
        harts: analysed.system.cores,
        image: &image,
        events: analysed.system.kernel.events,
        run_for: Some(run_for),
        budget: Some(Nanos(run_for.0.saturating_add(MARGIN))),
        order: Order::Ahead,
        gdb: None,
        rtu: None,
        output: None,
        unwritten: Default::default(),
    };
    crate::interrupt::catch()?;
    let booted = image_run::boot(&options)?;
    let seeds = arguments.seed.clone();
    let progress = Progress::runs(seeds.clone().count() as u64 * KINDS.len() as u64);
    let one = |(kind, seed): (usize, u64)| {
        let variation = Variation { seed, skew_seed: seed, ..Variation::PLAIN };
        let run =
            interference::run(booted.copy(), victim, KINDS[kind], variation, &analysed.system);
        progress.one_more();
        run.map(|run| (kind, run))
    };
    let all: Vec<_> =
        (0..KINDS.len()).flat_map(|kind| seeds.clone().map(move |it| (kind, it))).collect();
    let runs: Result<Vec<_>, Failure> = all.into_par_iter().map(one).collect();
    progress.done();
    let mut worst: Vec<Run> = Vec::new();
    for (kind, run) in runs? {
        match worst.get_mut(kind) {
            Some(worst) => worst.add(&run),
            None => worst.push(run),
        }
    }
    let names = (&*analysed.system.name, &*analysed.system.board.name, &*arguments.task);
    let found = Interference::new(names, victim.core, [*seeds.start(), *seeds.end()], worst);
    match arguments.format {
        Format::Json => output::print_json(&found),
        Format::Table => output::print(&found.render()),
    }
    Ok(0)
}

fn victim(arguments: &Arguments, analysed: &AnalysedSystem) -> Result<Victim, Failure> {
    let names = analysed.system.tasks.iter().map(|task| task.name.as_str());
    match names.clone().position(|name| name == arguments.task) {
        Some(task) => Ok(Victim { task, core: analysed.assignments[task].core }),
        None => {
            let message = format!("the system has no task `{}`", arguments.task);
            let names: Vec<_> = names.collect();
            Err(Failure::input(message, format!("the tasks are {}", names.join(", "))))
        }
    }
}
