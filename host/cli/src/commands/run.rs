// SPDX-License-Identifier: Apache-2.0
//! Implements `takt run`: builds and boots a system, streams its console, and prints the bounds
//! beside the measured responses.

use std::ffi::OsString;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use takt_board::engine;
use takt_model::{Nanos, Placement};
use takt_record::Record;
use takt_trace::{Checked, DataflowRow, Report, Sweep, Timing};

use super::Format;
use super::vary::{self, VariationOptions};
use crate::analysed_system::AnalysedSystem;
use crate::board::dataflow;
use crate::board::image_run::{self, RunOptions};
use crate::board::seeds::Runs;
use crate::build;
use crate::checking::Checking;
use crate::console::Sink;
use crate::failure::Failure;
use crate::files;
use crate::frames;
use crate::health;
use crate::image::Image;
use crate::interrupt;
use crate::outcome;
use crate::output;
use crate::profile::Profile;
use crate::progress::Progress;
use crate::qemu::{self, Clock, Machine};
use crate::races::{self, Races};
use crate::regulation;
use crate::source_locator::SourceLocator;
use crate::tracer::Tracer;

/// Build a system, run it, and print the measured responses beside their bounds
///
/// The system runs on the modelled board that its description names, where every cycle is the
/// same on every host. The run ends when the application calls takt_system_shutdown or after the
/// given machine time. The console goes to stdout as it comes (to stderr with --format json), the
/// table follows. Exit status 1 when a deadline was missed, a response is above its bound, or none of them
/// could be judged.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  takt run examples/rosace/system.toml
  takt run system.toml --for 500ms --format json > result.json
  takt run system.toml --board sg2042            on another board
  takt run system.toml --seed 1..100             a hundred interleavings, the longest of each
  takt run system.toml --gdb                     wait for gdb at port 1234
  takt run system.toml --qemu                    on QEMU, which models no time
  takt run system.toml --qemu --threads          harts as threads of this machine
  takt run system.toml --qemu -- -s -S           wait for gdb at port 1234")]
pub struct Arguments {
    /// The description, a TOML file
    system: PathBuf,
    /// Another board than the description names: a name, or a file that ends in .toml
    #[arg(long, value_name = "NAME|FILE")]
    board: Option<PathBuf>,
    /// End after this machine time, such as 500ms or 2s [default: run.for of the description]
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    run_for: Option<Nanos>,
    /// Harts of the machine [default: the cores that the system uses]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=512))]
    harts: Option<u32>,
    /// Vary the order in which cores reach memory: a seed, or first and last as in 1..20. Each
    /// runs from the same start, on all cores of this host. 0: vary nothing
    #[arg(long, value_name = "N|A..B", value_parser = vary::seeds, default_value = "0",
        hide_default_value = true, conflicts_with = "qemu")]
    seed: RangeInclusive<u64>,
    /// With many seeds: write what each run prints to N.txt in this folder
    #[arg(long, value_name = "DIR", conflicts_with = "qemu")]
    consoles: Option<PathBuf>,
    #[command(flatten)]
    vary: VariationOptions,
    /// Give up after this machine time without an end [default: the run's time and 3s]
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with = "qemu")]
    budget: Option<Nanos>,
    /// How the board steps: as far ahead as nothing can show it, or strictly one instruction after
    /// the other, which gives the same run, slowly
    #[arg(long, value_enum, default_value_t, conflicts_with = "qemu")]
    order: Order,
    /// Run on QEMU's machine virt, which models no time: no verdict follows
    #[arg(long)]
    qemu: bool,
    /// Stand at the image's first instruction until gdb lets the machine run
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "1234",
        conflicts_with = "qemu")]
    gdb: Option<u16>,
    /// With --qemu: run each hart in a thread of its own, in real time: another interleaving each
    /// time. Without it one instruction takes one nanosecond, and runs are alike
    #[arg(long)]
    threads: bool,
    /// With --qemu: give up after this time of this machine without a sign of life [default: 60s
    /// and 1s a hart]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    patience: Option<Nanos>,
    /// Write a trace that opens in ui.perfetto.dev: a row a core, with its jobs, interrupts, wake-ups
    /// and lock waits. On the board it has the whole run, on QEMU what the rings still hold
    #[arg(long, value_name = "FILE.json")]
    trace: Option<PathBuf>,
    /// Write where the cores were, looked at every 10,007 cycles: a line for each core and stack of functions,
    /// and how often it was seen, which makes a flame graph. The run is the same as without. On the board only
    #[arg(long, value_name = "FILE", conflicts_with_all = ["qemu", "trace", "check"])]
    profile: Option<PathBuf>,
    /// Look for data races of the application between cores: accesses to the same memory, one of them a store, that no
    /// fence, atomic instruction or service orders. The run is the same as without, and slow. Exit status 1 when there
    /// is one. On the board only
    #[arg(long, conflicts_with_all = ["qemu", "trace", "check", "profile", "gdb", "order"])]
    races: bool,
    /// Hold each event that the kernel records against its rules: who may run, in which order tasks
    /// run and are served, no wake-up lost. Exit status 1 when one is broken. On the board only
    #[arg(long, conflicts_with = "qemu")]
    check: bool,
    /// Write the files that the program has made or changed into this folder when the run has ended. Of a
    /// system with the library posix, on the board only
    #[arg(long, value_name = "DIR", conflicts_with = "qemu")]
    output: Option<PathBuf>,
    /// A shared library that takes the place of the board's model of its RTU, such as the Verilated
    /// unit of rtl/build
    #[arg(long, value_name = "LIBRARY", conflicts_with = "qemu")]
    rtu: Option<PathBuf>,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    #[command(flatten)]
    compiler: build::Choice,
    /// Run this image instead of building one
    #[arg(long, value_name = "ELF", conflicts_with_all = ["clang", "sanitize"])]
    image: Option<PathBuf>,
    /// With --qemu: further arguments for QEMU
    #[arg(last = true, value_name = "QEMU ARGUMENTS")]
    extra: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Order {
    #[default]
    Ahead,
    Strict,
}

/// The kernel takes up to a second to shut down if a core does not stop.
pub const MARGIN: u64 = 3_000_000_000;

pub fn execute(arguments: Arguments) -> Result<u8, Failure> {
    check_option_combinations(&arguments)?;
    let mut analysed = AnalysedSystem::read_on(&arguments.system, arguments.board.as_deref())?;
    check_harts(&arguments, &analysed)?;
    check_machine(&arguments, &analysed)?;
    check_events(&arguments, &analysed)?;
    check_races(&arguments, &analysed)?;
    check_written_files(&arguments, &analysed)?;
    let image = match &arguments.image {
        // An image that cannot be read is a mistake of the command line.
        Some(image) => Image::read(image).map_err(Failure::of_input)?,
        None => {
            let image = build::image_with_hints(&analysed, arguments.compiler.compiler())?;
            if arguments.compiler.given().is_none() {
                analysed.look_at(Some(&image))?;
            }
            Image::read(&image)?
        }
    };
    if let Some(folder) = &arguments.output {
        files::output::prepare(folder, &image)?;
    }
    interrupt::catch()?;
    match arguments.seed.clone().count() {
        _ if arguments.qemu => on_qemu(&arguments, &analysed, &image),
        1 => on_board(&arguments, &analysed, &image),
        _ => with_seeds(&arguments, &analysed, &image),
    }
}

/// Refuses options that the chosen machine does not have, and options that exclude each other.
fn check_option_combinations(arguments: &Arguments) -> Result<(), Failure> {
    let of_qemu = [
        ("--threads", arguments.threads),
        ("--patience", arguments.patience.is_some()),
        ("--", !arguments.extra.is_empty()),
    ];
    let of_board = arguments.vary.given();
    if arguments.consoles.is_some() && arguments.seed.clone().count() == 1 {
        let help = "give a range, as in --seed 1..100; the console of one run goes to stdout";
        return Err(Failure::input("--consoles keeps those of many seeds", help));
    }
    let wrong = match arguments.qemu {
        true => of_board.first().map(|(option, _)| (*option, "the board", "leave out --qemu")),
        false => of_qemu.iter().find(|it| it.1).map(|it| (it.0, "QEMU", "add --qemu")),
    };
    if arguments.trace.is_some() && arguments.seed.clone().count() > 1 {
        let help = "name one seed: --seed N";
        return Err(Failure::input("a trace is of one run, not of many seeds", help));
    }
    let seeds = arguments.seed.clone().count();
    if let (Some(profile), true) = (&arguments.profile, seeds > 1) {
        let message =
            format!("the profile in {} is of one run, not of many seeds", profile.display());
        return Err(Failure::input(message, "name one seed: --seed N"));
    }
    if arguments.races && seeds > 1 {
        let help = "name one seed: --seed N";
        return Err(Failure::input("races are looked for in one run, not in many seeds", help));
    }
    if arguments.races && matches!(arguments.format, Format::Json) {
        let help = "leave out --format json";
        return Err(Failure::input("races are printed as text only", help));
    }
    if arguments.output.is_some() && seeds > 1 {
        let help = "name one seed: --seed N";
        return Err(Failure::input("the files are those of one run, not of many seeds", help));
    }
    match wrong {
        None if arguments.gdb.is_some() && seeds > 1 => {
            let message = format!("gdb looks at one run, and --seed asks for {seeds}");
            Err(Failure::input(message, "name the seed to look at, as in --seed 7"))
        }
        None => Ok(()),
        Some((option, machine, how)) => Err(Failure::input(
            format!("the option {option} applies to {machine} only"),
            format!("{how}, or leave the option out"),
        )),
    }
}

/// Refuses QEMU for a system whose workers and subnets, whose exchange or RTU QEMU does not have.
fn check_machine(arguments: &Arguments, analysed: &AnalysedSystem) -> Result<(), Failure> {
    let system = &analysed.system;
    let lacks = match arguments.qemu {
        true if system.dataflow.as_ref().is_some_and(|it| !it.shares_memory) => "mesh",
        true if takt_configure::exchange(system).is_some() => "exchange",
        true if takt_configure::uses_exchange(system) => "exchange",
        true if system.kernel.placement == Placement::Rtu => "RTU",
        _ => return Ok(()),
    };
    Err(Failure::input(
        format!("QEMU has no {lacks} as the board `{}`", system.board.name),
        "leave out --qemu",
    ))
}

/// Refuses a check of events for a system whose kernel records none.
fn check_events(arguments: &Arguments, analysed: &AnalysedSystem) -> Result<(), Failure> {
    if !arguments.check || analysed.system.kernel.events > 0 {
        return Ok(());
    }
    Err(Failure::input(
        format!("--check reads events, and the kernel of {} records none", analysed.system.name),
        "write `events = 256` in [kernel], or leave out --check",
    ))
}

/// Refuses the search of races for a system of which the graph's transfers are observed.
fn check_races(arguments: &Arguments, analysed: &AnalysedSystem) -> Result<(), Failure> {
    if arguments.races && analysed.system.dataflow.is_some() {
        let help = "leave out --races: a graph's actors share no memory but their channels";
        return Err(Failure::input("--races is not for systems with a [dataflow] graph", help));
    }
    Ok(())
}

/// Checks that the files of trace and profile can be written and are no files of the system.
fn check_written_files(arguments: &Arguments, analysed: &AnalysedSystem) -> Result<(), Failure> {
    for (what, file) in [("trace", &arguments.trace), ("profile", &arguments.profile)] {
        let Some(file) = file else { continue };
        let is = |other: &PathBuf| {
            let (own, file) = (other.canonicalize().ok(), file.canonicalize().ok());
            own.is_some() && own == file
        };
        if analysed.system.sources.iter().chain([&analysed.file]).any(is) {
            let message = format!("the {what} would replace {} of the system", file.display());
            return Err(Failure::input(message, format!("name another file in --{what}")));
        }
        output::writable(file)?;
    }
    Ok(())
}

/// Refuses a board with fewer harts than the system uses. On QEMU the kernel itself reports missing
/// harts.
fn check_harts(arguments: &Arguments, analysed: &AnalysedSystem) -> Result<(), Failure> {
    let cores = analysed.system.cores;
    match arguments.harts {
        Some(harts) if harts < cores && !arguments.qemu => {
            let message = format!("{harts} harts are too few: the system uses {cores} cores");
            Err(Failure::input(message, "leave out --harts, or let the system use fewer cores"))
        }
        _ => Ok(()),
    }
}

fn on_qemu(arguments: &Arguments, analysed: &AnalysedSystem, image: &Image) -> Result<u8, Failure> {
    let harts = arguments.harts.unwrap_or(analysed.system.cores);
    let patience = arguments.patience.map(|Nanos(nanos)| Duration::from_nanos(nanos));
    let machine = Machine {
        harts,
        memory: Machine::memory_of(&analysed.system.board)?,
        clock: if arguments.threads { Clock::Threads } else { Clock::Instructions },
        run_for: arguments.run_for.or(analysed.system.run_for),
        patience: patience.unwrap_or(Machine::default_patience(harts)),
        extra: arguments.extra.clone(),
    };
    let progress = Progress::run(machine.run_for);
    let sink = console(arguments.format, progress.clone());
    let tracer = tracer(arguments, analysed)?;
    let record = qemu::run(&machine, image, sink, &progress);
    progress.done();
    print(&traced(analysed, image, record, Timing::NotTimed, tracer)?, arguments.format)
}

fn run_options<'a>(
    arguments: &'a Arguments,
    analysed: &'a AnalysedSystem,
    image: &'a Image,
) -> RunOptions<'a> {
    let run_for = arguments.run_for.or(analysed.system.run_for);
    let after = |Nanos(nanos)| Nanos(nanos.saturating_add(MARGIN));
    RunOptions {
        board: &analysed.system.board,
        harts: arguments.harts.unwrap_or(analysed.system.cores),
        image,
        events: analysed.system.kernel.events,
        run_for,
        budget: arguments.budget.or(run_for.map(after)),
        order: match arguments.order {
            // The search of races needs all accesses in their order.
            _ if arguments.races => engine::Order::Strict,
            Order::Ahead => engine::Order::Ahead,
            Order::Strict => engine::Order::Strict,
        },
        gdb: arguments.gdb,
        rtu: arguments.rtu.as_deref(),
        output: arguments.output.as_deref(),
        unwritten: Default::default(),
    }
}

fn on_board(
    arguments: &Arguments,
    analysed: &AnalysedSystem,
    image: &Image,
) -> Result<u8, Failure> {
    let options = run_options(arguments, analysed, image);
    let variation = arguments.vary.with(*arguments.seed.start());
    let progress = Progress::run(options.run_for);
    let sink = console(arguments.format, progress.clone());
    let mut tracer = tracer(arguments, analysed)?;
    let mut check = arguments.check.then(|| Checking::new(analysed));
    let mut profile = arguments.profile.as_ref().map(|_| Profile::default());
    let (mut graph, mut races) = (None, None);
    let locator = SourceLocator::new(analysed, image);
    let (mut regulated, mut divided) = (Vec::new(), Vec::new());
    let (mut errors, mut restarts) = (Vec::new(), Vec::new());
    let record = image_run::boot(&options).and_then(|mut it| {
        graph = dataflow::Watching::begin(&analysed.system, image, it.machine_mut());
        if arguments.races {
            races = Some(Races::begin(it.machine_mut(), image, &locator));
        }
        let record = match (&mut tracer, &mut check) {
            (None, None) => match &mut profile {
                None => it.run(variation, sink, &progress)?,
                Some(profile) => it.run_profiled(variation, sink, &progress, profile)?,
            },
            (tracer, check) => it.run_watched(variation, sink, &progress, &mut |head, taken| {
                tracer.iter_mut().for_each(|it| it.add(head, taken));
                check.iter_mut().for_each(|it| it.add(head, taken));
            })?,
        };
        regulated = regulation::rows(&mut it, &record.head, &analysed.system);
        divided = frames::rows(&mut it, &record.head, &analysed.system, &analysed.analysis);
        errors = health::rows(&mut it, &record.head, &analysed.system);
        restarts = health::restarts(&mut it, &record.head, &analysed.system);
        Ok(record)
    });
    progress.done();
    if let (Some(profile), Some(file)) = (&profile, &arguments.profile) {
        let written = std::fs::write(file, profile.lines());
        written
            .map_err(|error| Failure::io(format!("write the profile {}", file.display()), error))?;
    }
    if let (Ok(record), Some(graph), Some(tracer)) = (&record, &graph, &mut tracer) {
        tracer.add_graph(&graph.slices(&record.head));
    }
    let (record, checked) = match check {
        None => (record, None),
        Some(check) => check.finish(record).map_or_else(
            |failure| (Err(failure), None),
            |(record, checked)| (Ok(record), Some(checked)),
        ),
    };
    let mut report = traced(analysed, image, record, Timing::Timed, tracer)?;
    report.variation = Some(variation.shown());
    report.regulation = regulated;
    report.health = errors;
    report.restarts = restarts;
    report.add_frames(divided);
    if let Some(graph) = graph {
        report.add_dataflow(graph.row().map(|row| predicted(analysed, row)));
    }
    let code = match checked {
        None => print(&report, arguments.format),
        Some(checked) => {
            report.check(checked.clone());
            let code = print(&report, arguments.format);
            print_violations(arguments, &checked);
            code
        }
    };
    let code = match (code, &races) {
        (Ok(code), Some(races)) => {
            let found = races.found(&locator);
            output::print(&races::lines(&found, races.compared(), image));
            Ok(if found.is_empty() { code } else { code.max(1) })
        }
        (code, _) => code,
    };
    match options.unwritten.into_inner() {
        // The report has been printed as the one JSON document of the command.
        Some(failure) => Err(Failure { has_document: arguments.format == Format::Json, ..failure }),
        None => code,
    }
}

/// The row with what the analysis says of as many iterations.
fn predicted(analysed: &AnalysedSystem, row: DataflowRow) -> DataflowRow {
    let AnalysedSystem { system, assignments, .. } = analysed;
    match takt_analysis::dataflow::bound(system, assignments, Some(row.iterations)) {
        Some(Ok(bound)) => DataflowRow { predicted: Some(bound), ..row },
        Some(Err(why)) => DataflowRow { no_bound: why.to_string(), ..row },
        None => row,
    }
}

/// Prints the violations below the table; a JSON document contains them already.
fn print_violations(arguments: &Arguments, checked: &Checked) {
    if arguments.format == Format::Json {
        return;
    }
    output::print(&checked.lines());
    if checked.violation_count > 0 {
        output::print(&format!(
            "See it again: {}\n",
            reproduce_command(arguments, *arguments.seed.start())
        ));
    }
}

fn with_seeds(
    arguments: &Arguments,
    analysed: &AnalysedSystem,
    image: &Image,
) -> Result<u8, Failure> {
    if let Some(folder) = &arguments.consoles {
        std::fs::create_dir_all(folder)
            .map_err(|error| output::cannot_write(folder, error).of_input())?;
    }
    let options = run_options(arguments, analysed, image);
    let booted = image_run::boot(&options)?;
    let seeds = arguments.seed.clone();
    let progress = Progress::runs(seeds.clone().count() as u64);
    let runs = Runs {
        booted: &booted,
        system: &analysed.system,
        analysis: &analysed.analysis,
        vary: |seed| arguments.vary.with(seed),
        check: || arguments.check.then(|| Checking::new(analysed)),
        report: |record: &Record| report(analysed, image, record, Timing::Timed),
        reproduce: |seed| reproduce_command(arguments, seed),
        consoles: arguments.consoles.as_deref(),
    };
    let runs = runs.run(seeds, &progress);
    progress.done();
    let sweep = Sweep::new(&runs?).expect("a range of seeds has a first");
    match arguments.format {
        Format::Json => output::print_json(&sweep),
        Format::Table => output::print(&takt_trace::render_sweep(&sweep)),
    }
    if let (Some(seed), Format::Table) = (sweep.worst_seed(), arguments.format) {
        output::print(&format!("See it again: {}\n", reproduce_command(arguments, seed)));
    }
    Ok(sweep.exit_status)
}

/// The command that repeats the run with this seed.
fn reproduce_command(arguments: &Arguments, seed: u64) -> String {
    let mut words = vec!["takt run".to_string(), arguments.system.display().to_string()];
    let mut add = |option: &str, value: Option<String>| {
        words.extend(value.into_iter().flat_map(|value| [option.to_string(), value]));
    };
    add("--board", arguments.board.as_ref().map(|board| board.display().to_string()));
    add("--harts", arguments.harts.map(|harts| harts.to_string()));
    add("--for", arguments.run_for.map(|time| time.to_string()));
    add("--budget", arguments.budget.map(|time| time.to_string()));
    add("--image", arguments.image.as_ref().map(|image| image.display().to_string()));
    add("--seed", Some(seed.to_string()));
    words.extend(arguments.compiler.given().map(str::to_string));
    words.extend(arguments.check.then(|| "--check".to_string()));
    for (option, value) in arguments.vary.given() {
        words.extend([option.to_string(), value.to_string()]);
    }
    words.join(" ")
}

fn report(
    analysed: &AnalysedSystem,
    image: &Image,
    record: &Record,
    timing: Timing,
) -> Result<Report, Failure> {
    let locator = SourceLocator::new(analysed, image);
    let locate = |offsets: &[u32]| locator.in_application(offsets);
    Report::new(&analysed.system, &analysed.expected(), record, timing, &locate)
        .map_err(|error| Failure::tool(error, "the image is of another description than this"))
}

fn tracer(arguments: &Arguments, analysed: &AnalysedSystem) -> Result<Option<Tracer>, Failure> {
    arguments.trace.as_deref().map(|path| Tracer::create(path, analysed)).transpose()
}

/// Completes the trace and returns the report. A run that failed leaves the events that were traced
/// before.
fn traced(
    analysed: &AnalysedSystem,
    image: &Image,
    record: Result<Record, Failure>,
    timing: Timing,
    tracer: Option<Tracer>,
) -> Result<Report, Failure> {
    let traced = tracer.map(|tracer| tracer.finish(record.as_ref().ok()));
    let mut report = report(analysed, image, &record?, timing)?;
    if let Some(traced) = traced {
        traced?.add_to(&mut report);
    }
    Ok(report)
}

/// The sink of the console's lines. If nobody reads them any more, the run goes on without.
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

/// Prints the report; returns the exit status, which is that of the application or else that of the
/// verdict.
fn print(report: &Report, format: Format) -> Result<u8, Failure> {
    match format {
        Format::Json => output::print_json(report),
        Format::Table if report.panicked() => {}
        Format::Table => output::print(&format!("\n{}", takt_trace::render(report))),
    }
    if report.panicked() {
        let has_document = format == Format::Json;
        return Err(Failure { has_document, ..outcome::panicked(&report.message) });
    }
    Ok(report.exit_status)
}

pub fn duration(text: &str) -> Result<Nanos, String> {
    match text.parse() {
        Ok(Nanos(0)) => Err("must be greater than 0".into()),
        Ok(time) => Ok(time),
        Err(error) => Err(format!("{error}; write a number and {}", Nanos::UNITS)),
    }
}
