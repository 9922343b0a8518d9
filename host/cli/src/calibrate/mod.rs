// SPDX-License-Identifier: Apache-2.0
//! Measures on a modelled board what the kernel costs there. docs/design/calibration.md says what is
//! measured and why the figures are safe.

mod places;
mod probe;
pub mod stamp;
mod system;
pub mod table;

use std::ops::RangeInclusive;
use std::path::Path;

use rayon::prelude::*;
use takt_board::engine::{Machine, Order};
use takt_model::{Board, Nanos, OverheadSource, Overheads, Timing};
use takt_record::Head;

use crate::board::Variation;
use crate::board::flight::{self, Setting};
use crate::build::{self, Compiler};
use crate::failure::Failure;
use crate::image::Image;
use crate::outcome;
use crate::plan::Plan;
use crate::progress::Progress;
use crate::{home, interrupt};
use places::Places;
pub use probe::Longest;
use probe::Probe;
use system::Program;
pub use system::conditions;

/// Cycles in which an image is up, without time.
const BOOT: u64 = 10_000_000_000;

/// A board that can be measured.
pub fn board(name: &Path) -> Result<Board, Failure> {
    let described = crate::boards::read(&crate::boards::find(name)?)?;
    if described.timing.is_none() {
        let message =
            format!("the board `{}` has no timing: it is no modelled machine", described.name);
        return Err(Failure::input(message, "measure on the machine itself, or give it a timing"));
    }
    Ok(described)
}

/// The longest times over all seeds and both programs, in cycles, of a system with so many cores.
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
    // One core asks no other.
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
    let mut plan = Plan::read_on(&file, Some(&described.file))?;
    without_margins(&mut plan.system.board.overheads);
    let image = Image::read(&build::image(&plan, Compiler::Gcc)?)?;
    let places = Places::read(&image, program)
        .map_err(|why| Failure::tool(why, "the calibration does not fit this kernel"))?;
    interrupt::catch()?;
    let booting = Progress::spinner("booting the calibration");
    let machine = up(&plan, &image)?;
    booting.done();
    let progress = Progress::runs(seeds.clone().count() as u64);
    let one = |seed| {
        let longest = run(machine.clone(), seed, &image, &places);
        progress.one_more();
        longest
    };
    let all: Result<Vec<Longest>, Failure> = seeds.into_par_iter().map(one).collect();
    progress.done();
    Ok(all?.iter().fold(Longest::default(), Longest::and))
}

/// The kernel adds the overheads of interrupts and dispatches to budgets. What is measured must not depend on what was
/// measured before.
fn without_margins(overheads: &mut Overheads) {
    let Overheads { timer_interrupt, ipi, dispatch, preemption, device_interrupt, .. } = overheads;
    for margin in [timer_interrupt, ipi, dispatch, preemption].into_iter().chain(device_interrupt) {
        *margin = Nanos(0);
    }
}

/// The machine when its kernel has said when time 0 will be.
fn up(plan: &Plan, image: &Image) -> Result<Machine, Failure> {
    let setting = Setting {
        board: &plan.system.board,
        harts: plan.system.cores,
        image,
        events: plan.system.kernel.events,
        run_for: None,
        budget: None,
        order: Order::Ahead,
        gdb: None,
        output: None,
        unwritten: Default::default(),
    };
    let mut machine = flight::boot(&setting)?.machine();
    let end = machine.now + BOOT;
    // The kernel says it a millisecond before; each stop costs the host as much as many cycles.
    let step = machine.world.timing.frequency / 10_000;
    while epoch(&machine, image) == 0 {
        machine.run(machine.now + step);
        if interrupt::requested() {
            return Err(Failure::interrupted());
        }
        if machine.now > end {
            let help = "run it: takt run build/calibrate-.../system.toml";
            return Err(Failure::tool("the calibration's kernel did not start", help));
        }
    }
    Ok(machine)
}

/// In ticks; 0 as long as the kernel has not said it.
fn epoch(machine: &Machine, image: &Image) -> u64 {
    let (ram, size) = (&machine.world.ram, outcome::header_size());
    let bytes = ram.offset(image.record, size).map_or(&[][..], |at| ram.slice(at, size));
    Head::decode(bytes).map_or(0, |head| head.epoch)
}

fn run(
    mut machine: Machine,
    seed: u64,
    image: &Image,
    places: &Places,
) -> Result<Longest, Failure> {
    let variation =
        Variation { seed, jitter: Variation::JITTER, skew_seed: seed, skew: Variation::SKEW };
    let timebase = machine.world.timing.timebase;
    let begin = epoch(&machine, image);
    let length = (u128::from(system::RUN) * u128::from(timebase) / 1_000_000_000) as u64;
    let (begin, end) = (machine.world.tick_of(begin), machine.world.tick_of(begin + length));
    variation.begin(&mut machine);
    machine.run(begin);
    let mut probe = Probe::new(places, &machine);
    while machine.now < end {
        let until = (machine.now + 1_000_000).min(end);
        probe.run(&mut machine, until);
        if interrupt::requested() {
            return Err(Failure::interrupted());
        }
    }
    Ok(probe.longest())
}

/// The board's table.
pub fn overheads(cores: u32, timing: &Timing, longest: &Longest) -> Overheads {
    let nanos = |cycles: u64| {
        let nanos = (u128::from(cycles) * 1_000_000_000).div_ceil(u128::from(timing.frequency));
        Nanos(nanos as u64)
    };
    let it = longest;
    Overheads {
        source: OverheadSource::Measured,
        stamp: None,
        measured: Some(conditions(cores)),
        timer_interrupt: nanos(it.timer_alone.max(it.timer_head + it.tail)),
        ipi: nanos(it.ipi_alone.max(it.ipi_head + it.tail)),
        release: nanos(it.part),
        dispatch: nanos((it.tail_switch + it.start).max(it.switch)),
        preemption: nanos(it.leave.max(it.switch)),
        kernel_section: nanos(it.section),
        device_interrupt: Some(nanos(it.device_head + it.device_end + it.tail)),
    }
}
