// SPDX-License-Identifier: Apache-2.0
//! `takt run`: builds, boots, streams the console, and prints bounds beside what was measured.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use takt_model::Nanos;
use takt_trace::{Report, Timing};

use super::Format;
use crate::board::Variation;
use crate::board::flight::{self, Setting};
use crate::build::{self, Compiler};
use crate::console::Sink;
use crate::failure::Failure;
use crate::image::Image;
use crate::interrupt;
use crate::outcome;
use crate::output;
use crate::plan::Plan;
use crate::progress::Progress;
use crate::qemu::{self, Clock, Machine};
use crate::tracer::Tracer;

/// Build a system, run it, and print the measured responses beside their bounds
///
/// The run ends when the application calls takt_system_shutdown or after the given machine time.
/// The console goes to stdout as it comes (to stderr with --format json), the table follows. QEMU
/// does not model time: its responses are marked 'not timed', and no verdict follows from them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  takt run examples/rosace/system.toml --qemu
  takt run system.toml --qemu --for 500ms --format json > result.json
  takt run system.toml --qemu --threads          harts as threads of this machine
  takt run system.toml --qemu -- -cpu rv64,sstc=off
  takt run system.toml --qemu -- -s -S           wait for gdb at port 1234")]
pub struct Arguments {
    /// The description, a TOML file
    system: PathBuf,
    /// Run on QEMU's machine virt, which models no time
    #[arg(long)]
    qemu: bool,
    /// Another board than the description names: a name, or a file that ends in .toml
    #[arg(long, value_name = "NAME|FILE")]
    board: Option<String>,
    /// Give up after this machine time without an end [default: the run's time and 1s]
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with = "qemu")]
    budget: Option<Nanos>,
    /// End after this machine time, such as 500ms or 2s [default: run.for of the description]
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    run_for: Option<Nanos>,
    /// Harts of the machine [default: the cores that the system uses]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=512))]
    harts: Option<u32>,
    /// Run each hart in a thread of its own, in real time: another interleaving each time.
    /// Without it one instruction takes one nanosecond, and runs are alike
    #[arg(long)]
    threads: bool,
    /// Give up after this time of this machine without a sign of life [default: 60s and 1s a hart]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    patience: Option<Nanos>,
    /// Write a trace that opens in ui.perfetto.dev: a row a core, with its jobs, interrupts, wake-ups
    /// and lock waits. On the board it has the whole run, on QEMU what the rings still hold
    #[arg(long, value_name = "FILE.json")]
    trace: Option<PathBuf>,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Compile with clang and lld instead of GCC
    #[arg(long)]
    clang: bool,
    /// Run this image instead of building one
    #[arg(long, value_name = "ELF", conflicts_with = "clang")]
    image: Option<PathBuf>,
    /// Further arguments for QEMU
    #[arg(last = true, value_name = "QEMU ARGUMENTS")]
    extra: Vec<OsString>,
}

pub fn execute(arguments: Arguments) -> Result<u8, Failure> {
    only_of_qemu(&arguments)?;
    let plan = Plan::read_on(&arguments.system, arguments.board.as_deref())?;
    let compiler = if arguments.clang { Compiler::Clang } else { Compiler::Gcc };
    let image = match &arguments.image {
        Some(image) => Image::read(image)?,
        None => Image::read(&build::image(&plan, compiler)?)?,
    };
    interrupt::catch()?;
    let mut tracer = tracer(&arguments, &plan)?;
    let progress = Progress::run(arguments.run_for.or(plan.system.run_for));
    let sink = console(arguments.format, progress.clone());
    let (record, timing) = if arguments.qemu {
        (qemu::run(&machine(&arguments, &plan)?, &image, sink, &progress), Timing::NotTimed)
    } else {
        (on_board(&arguments, &plan, &image, sink, &progress, &mut tracer), Timing::Timed)
    };
    progress.done();
    let traced = tracer.map(|tracer| tracer.finish(record.as_ref().ok()));
    let mut report = Report::new(&plan.system, &plan.expected(), &record?, timing)
        .map_err(|error| Failure::tool(error, "the image is of another description than this"))?;
    if let Some(traced) = traced {
        traced?.tell(&mut report);
    }
    print(&report, arguments.format)
}

fn only_of_qemu(arguments: &Arguments) -> Result<(), Failure> {
    let given = [
        ("--threads", arguments.threads),
        ("--patience", arguments.patience.is_some()),
        ("--", !arguments.extra.is_empty()),
    ];
    match given.iter().find(|(_, given)| *given && !arguments.qemu) {
        None => Ok(()),
        Some((option, _)) => {
            let help = "add --qemu, or leave it out: without --qemu the modelled board runs";
            Err(Failure::input(format!("the option {option} is of QEMU only"), help))
        }
    }
}

fn on_board(
    arguments: &Arguments,
    plan: &Plan,
    image: &Image,
    sink: Sink,
    progress: &Progress,
    tracer: &mut Option<Tracer>,
) -> Result<takt_trace::Record, Failure> {
    let run_for = arguments.run_for.or(plan.system.run_for);
    let after = |Nanos(nanos)| Nanos(nanos.saturating_add(1_000_000_000));
    let setting = Setting {
        board: &plan.system.board,
        harts: arguments.harts.unwrap_or(plan.system.cores),
        image,
        run_for,
        budget: arguments.budget.or(run_for.map(after)),
        order: takt_board::engine::Order::Ahead,
    };
    let variation =
        Variation { seed: 0, jitter: Variation::JITTER, skew_seed: 0, skew: Variation::SKEW };
    let watch = &mut |record: &[u8]| tracer.iter_mut().for_each(|it| it.look(record));
    flight::boot(&setting)?.run_watched(variation, sink, progress, watch)
}

fn tracer(arguments: &Arguments, plan: &Plan) -> Result<Option<Tracer>, Failure> {
    arguments.trace.as_deref().map(|path| Tracer::create(path, plan)).transpose()
}

fn machine(arguments: &Arguments, plan: &Plan) -> Result<Machine, Failure> {
    let harts = arguments.harts.unwrap_or(plan.system.cores);
    let patience = arguments.patience.map(|Nanos(nanos)| Duration::from_nanos(nanos));
    Ok(Machine {
        harts,
        memory: Machine::memory_of(&plan.system.board)?,
        clock: if arguments.threads { Clock::Threads } else { Clock::Instructions },
        run_for: arguments.run_for.or(plan.system.run_for),
        patience: patience.unwrap_or(Machine::default_patience(harts)),
        extra: arguments.extra.clone(),
    })
}

/// Where the console's lines go. When nobody reads them any more the run goes on without.
fn console(format: Format, progress: Progress) -> Sink {
    Box::new(move |line| {
        progress.aside(|| {
            let _ = match format {
                Format::Table => std::io::stdout().write_all(line),
                Format::Json => std::io::stderr().write_all(line),
            };
        });
    })
}

/// Prints the result; the exit status is the application's own.
fn print(report: &Report, format: Format) -> Result<u8, Failure> {
    let panicked = report.outcome == "panic";
    match format {
        Format::Json => output::print_json(report),
        Format::Table if panicked => {}
        Format::Table => output::print(&format!("\n{}", takt_trace::render(report))),
    }
    if panicked {
        return Err(outcome::panicked(&report.message));
    }
    Ok(report.code as u8)
}

fn duration(text: &str) -> Result<Nanos, String> {
    match text.parse() {
        Ok(Nanos(0)) => Err("is no time at all; write more than 0".into()),
        Ok(time) => Ok(time),
        Err(error) => Err(format!("{error}; write a number and {}", Nanos::UNITS)),
    }
}
