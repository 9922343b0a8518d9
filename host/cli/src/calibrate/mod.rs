// SPDX-License-Identifier: Apache-2.0
//! Measures what the kernel costs on a modelled board. docs/design/calibration.md says what is
//! measured and why the figures are safe.

mod compare;
mod probe;
mod probe_points;
mod resident;
pub mod stamp;
mod system;
pub mod table;

use std::ops::RangeInclusive;
use std::path::Path;

use rayon::prelude::*;
use takt_board::engine::{Machine, Order};
use takt_model::{
    Board, Measured, Nanos, OverheadSource, Overheads, PlacedOverheads, Placement, System, Timing,
};
use takt_record::{Head, Reader};

use crate::analysed_system::AnalysedSystem;
use crate::board::Variation;
use crate::board::image_run::{self, RunOptions};
use crate::build::{self, Compiler};
use crate::failure::Failure;
use crate::image::Image;
use crate::outcome;
use crate::progress::Progress;
use crate::{home, interrupt};
pub use compare::{Row, compare};
pub use probe::Longest;
use probe::Probe;
use probe_points::ProbePoints;
pub use resident::measure as measure_resident;
use system::Program;
pub use system::conditions;

/// The number of cycles, without time, in which an image has to boot.
const BOOT: u64 = 10_000_000_000;

/// Reads a board that can be measured: one with a timing.
pub fn board(name: &Path) -> Result<Board, Failure> {
    let described = crate::boards::read(&crate::boards::find(name)?)?;
    if described.timing.is_none() {
        let message =
            format!("the board `{}` has no timing: it is no modelled machine", described.name);
        return Err(Failure::input(message, "measure on the machine itself, or give it a timing"));
    }
    Ok(described)
}

/// The longest times, in cycles, over all seeds and both programs, of a system with this number of
/// cores.
pub fn measure(
    described: &Board,
    timing: &Timing,
    cores: u32,
    seeds: RangeInclusive<u64>,
) -> Result<Longest, Failure> {
    let mut longest = Longest::default();
    for program in Program::ALL {
        longest = longest.and(&with_program(described, timing, cores, seeds.clone(), program)?);
    }
    let does_not_fit = |message| Failure::tool(message, "the calibration does not fit this kernel");
    // With one core there are no requests to other cores, so not every kind of time is seen.
    if cores > 1 && !longest.is_whole() {
        let message = format!("not all that the kernel does was seen: {:?}", longest.seen);
        return Err(does_not_fit(message));
    }
    match longest.missing(&system::EXERCISED)[..] {
        [] => Ok(longest),
        ref missing => {
            let message = format!("not all paths of the kernel were run: {}", missing.join(", "));
            Err(does_not_fit(message))
        }
    }
}

/// The overheads of another placement of the kernel, with all cores of the board.
pub fn measure_placed(
    described: &Board,
    timing: &Timing,
    placement: Placement,
    seeds: RangeInclusive<u64>,
) -> Result<PlacedOverheads, Failure> {
    let cores = described.kernel_cores();
    let longest = with_program(described, timing, cores, seeds, Program::Placed(placement))?;
    let has_server = placement != Placement::Rtu;
    if !longest.is_whole_of_placement(has_server) {
        let message = format!("not all that the kernel does was seen: {:?}", longest.seen);
        return Err(Failure::tool(message, "the calibration does not fit this kernel"));
    }
    // A hart whose unit interrupts it does not show since when: the wire, and what it takes to begin.
    let wire =
        if has_server { 0 } else { timing.interrupt + timing.core.trap.max(timing.core.wake) };
    let longest = Longest {
        ipi_head: longest.ipi_head + wire,
        ipi_alone: longest.ipi_alone + wire,
        ..longest
    };
    let mut overheads = overheads(cores, timing, &longest);
    (overheads.device_interrupt, overheads.measured) = (None, None);
    let trip = nanos(timing, longest.way_out + longest.way_back);
    Ok(PlacedOverheads { placement, overheads, command: nanos(timing, longest.command), trip })
}

fn with_program(
    described: &Board,
    timing: &Timing,
    cores: u32,
    seeds: RangeInclusive<u64>,
    program: Program,
) -> Result<Longest, Failure> {
    let home = home::find()?;
    let name = format!("calibrate-{}-{cores}-{}", described.name, program.name());
    let folder = home.join("build").join(name);
    let file = system::write(&folder, &home, described, cores, timing, program)
        .map_err(|error| Failure::io(format!("write {}", folder.display()), error))?;
    let mut analysed = AnalysedSystem::read_on(&file, Some(&described.file))?;
    without_margins(&mut analysed.system.board.overheads);
    let is_placed = matches!(program, Program::Placed(_));
    analysed.system.kernel.everything = !is_placed;
    let image = Image::read(&build::image(&analysed, Compiler::Gcc)?)?;
    let points = match is_placed {
        true => ProbePoints::read_placed(&image, &program.entries()),
        false => ProbePoints::read(&image, &program.entries(), program == Program::Paths),
    };
    let points =
        points.map_err(|why| Failure::tool(why, "the calibration does not fit this kernel"))?;
    interrupt::catch()?;
    let booting = Progress::spinner("booting the calibration");
    let machine = up(&analysed, &image)?;
    booting.done();
    let progress = Progress::runs(seeds.clone().count() as u64);
    let one = |seed| {
        let longest = run(machine.clone(), seed, &analysed.system, &image, &points);
        progress.one_more();
        longest
    };
    let all: Result<Vec<Longest>, Failure> = seeds.into_par_iter().map(one).collect();
    progress.done();
    Ok(all?.iter().fold(Longest::default(), Longest::and))
}

/// Sets the margins to zero that the kernel adds to budgets, which are the overheads of interrupts
/// and dispatches: a measurement must not depend on an earlier one.
fn without_margins(overheads: &mut Overheads) {
    let Overheads { timer_interrupt, ipi, dispatch, preemption, device_interrupt, .. } = overheads;
    for margin in [timer_interrupt, ipi, dispatch, preemption].into_iter().chain(device_interrupt) {
        *margin = Nanos(0);
    }
}

/// Boots the machine until its kernel has set the time of the epoch; where that talks to a unit, which does nothing without time, until
/// the image begins.
fn up(analysed: &AnalysedSystem, image: &Image) -> Result<Machine, Failure> {
    let options = RunOptions {
        board: &analysed.system.board,
        harts: analysed.system.cores,
        image,
        events: analysed.system.kernel.events,
        run_for: None,
        budget: None,
        order: Order::Ahead,
        gdb: None,
        rtu: None,
        output: None,
        unwritten: Default::default(),
    };
    let mut machine = image_run::boot(&options)?.machine();
    if analysed.system.kernel.placement != Placement::Rtu {
        to_epoch(&mut machine, image)?;
    }
    Ok(machine)
}

/// Runs the machine until its kernel has set the time of the epoch.
fn to_epoch(machine: &mut Machine, image: &Image) -> Result<(), Failure> {
    let end = machine.now + BOOT;
    // The kernel sets the epoch a millisecond ahead. Each stop costs the host as much time as
    // simulating that many cycles.
    let step = machine.world.timing.frequency / 10_000;
    while epoch(machine, image) == 0 {
        machine.run(machine.now + step);
        if interrupt::requested() {
            return Err(Failure::interrupted());
        }
        if machine.now > end {
            let help = "run it: takt run build/calibrate-.../system.toml";
            return Err(Failure::tool("the calibration's kernel did not start", help));
        }
    }
    Ok(())
}

/// The time of the epoch in ticks; 0 until the kernel has set it.
fn epoch(machine: &Machine, image: &Image) -> u64 {
    let (ram, size) = (&machine.world.fabric.ram, outcome::header_size());
    let bytes = ram.offset(image.record, size).map_or(&[][..], |at| ram.slice(at, size));
    Head::decode(bytes).map_or(0, |head| head.epoch)
}

fn run(
    mut machine: Machine,
    seed: u64,
    system: &System,
    image: &Image,
    points: &ProbePoints,
) -> Result<Longest, Failure> {
    let variation =
        Variation { seed, jitter: Variation::JITTER, skew_seed: seed, skew: Variation::SKEW };
    let timebase = machine.world.timing.timebase;
    let is_up = epoch(&machine, image) != 0;
    if !is_up {
        variation.begin(&mut machine);
        to_epoch(&mut machine, image)?;
    }
    let begin = epoch(&machine, image);
    let length = (u128::from(system::RUN) * u128::from(timebase) / 1_000_000_000) as u64;
    let (begin, end) = (machine.world.tick_of(begin), machine.world.tick_of(begin + length));
    if is_up {
        variation.begin(&mut machine);
    }
    machine.run(begin);
    let mut probe = Probe::new(points, &machine);
    while machine.now < end {
        let until = (machine.now + 1_000_000).min(end);
        probe.run(&mut machine, until);
        if interrupt::requested() {
            return Err(Failure::interrupted());
        }
    }
    none_refused(&machine, system, image)?;
    Ok(probe.longest())
}

/// An error if the kernel has refused a call: the path behind it was not run.
fn none_refused(machine: &Machine, system: &System, image: &Image) -> Result<(), Failure> {
    let ram = &machine.world.fabric.ram;
    let bytes = |size| ram.offset(image.record, size).map_or(&[][..], |at| ram.slice(at, size));
    let head = Head::decode(bytes(outcome::header_size())).map_err(outcome::unreadable)?;
    let record = outcome::record(bytes(head.total_size), &head, Reader::default())?;
    match takt_trace::refused_calls(system, &record).first() {
        Some(call) => Err(Failure::tool(
            format!("the kernel refused a call of the calibration: {call}"),
            "the calibration does not fit this kernel",
        )),
        None => Ok(()),
    }
}

/// Computes the board's table of overheads from the longest times.
pub fn overheads(cores: u32, timing: &Timing, longest: &Longest) -> Overheads {
    table_of(conditions(cores), timing, longest)
}

fn nanos(timing: &Timing, cycles: u64) -> Nanos {
    let nanos = (u128::from(cycles) * 1_000_000_000).div_ceil(u128::from(timing.frequency));
    Nanos(nanos as u64)
}

fn table_of(conditions: Measured, timing: &Timing, longest: &Longest) -> Overheads {
    let nanos = |cycles| nanos(timing, cycles);
    let it = longest;
    Overheads {
        source: OverheadSource::Measured,
        stamp: None,
        measured: Some(conditions),
        timer_interrupt: nanos(it.timer_alone.max(it.timer_head + it.tail)),
        ipi: nanos(it.ipi_alone.max(it.ipi_head + it.tail)),
        release: nanos(it.part),
        dispatch: nanos((it.tail_switch + it.start).max(it.switch)),
        preemption: nanos(it.leave.max(it.switch)),
        kernel_section: nanos(it.section),
        device_interrupt: Some(nanos(it.device_head + it.device_end + it.tail)),
    }
}
