// SPDX-License-Identifier: Apache-2.0
//! Measures the kernel's times in a system of the user as the calibration does in its own, and compares them with the table in
//! the bounds: no path of the kernel may take longer than its figure.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use rayon::prelude::*;
use takt_model::{Activation, Nanos, Overheads, System};

use super::probe::{Longest, Probe};
use super::probe_points::ProbePoints;
use super::{table_of, up};
use crate::analysed_system::AnalysedSystem;
use crate::board::Variation;
use crate::build::{self, Compiler};
use crate::failure::Failure;
use crate::image::Image;
use crate::interrupt;
use crate::progress::Progress;

/// How long a system runs that does not say so, and the longest that it runs.
const RUN: Nanos = Nanos(20_000_000);

/// One figure.
pub struct Row {
    pub figure: &'static str,
    pub table: Nanos,
    /// The longest time that was seen.
    pub measured: Nanos,
    /// What the application itself takes of the time, so that the two are not the same; None: nothing.
    pub contains: Option<&'static str>,
}

impl Row {
    /// Whether the path took longer than the table says.
    pub fn exceeds(&self) -> bool {
        self.contains.is_none() && self.measured > self.table
    }
}

/// Builds and runs the system; `table`: the overheads in its bounds. `resident`: they are those of resident cores, so cores
/// without bounds are not measured.
pub fn compare(
    analysed: &AnalysedSystem,
    table: &Overheads,
    resident: bool,
    seeds: RangeInclusive<u64>,
) -> Result<Vec<Row>, Failure> {
    let system = &analysed.system;
    let image = Image::read(&build::image(analysed, Compiler::Gcc)?)?;
    let entries: Vec<&str> = system.tasks.iter().map(|task| &task.entry[..]).collect();
    let points = ProbePoints::read_some(&image, &entries)
        .map_err(|why| Failure::tool(why, "the probe does not fit this image"))?;
    let bounded = system.tasks.iter().zip(&analysed.assignments);
    let bounded = bounded.filter(|(task, _)| !resident || task.activation != Activation::Aperiodic);
    let harts: BTreeSet<usize> = bounded.map(|(_, place)| place.core as usize).collect();
    interrupt::catch()?;
    let machine = up(analysed, &image)?;
    let timebase = u128::from(machine.world.timing.timebase);
    let length = system.run_for.unwrap_or(RUN).min(RUN).0;
    let begin = super::epoch(&machine, &image);
    let end = begin + (u128::from(length) * timebase / 1_000_000_000) as u64;
    let progress = Progress::runs(seeds.clone().count() as u64);
    let one = |seed| {
        let mut machine = machine.clone();
        let variation =
            Variation { seed, jitter: Variation::JITTER, skew_seed: seed, skew: Variation::SKEW };
        let (begin, end) = (machine.world.tick_of(begin), machine.world.tick_of(end));
        variation.begin(&mut machine);
        machine.run(begin);
        let mut probe = Probe::of(&points, &machine, harts.iter().copied().collect());
        while machine.now < end {
            let until = (machine.now + 1_000_000).min(end);
            probe.run(&mut machine, until);
            if interrupt::requested() {
                return Err(Failure::interrupted());
            }
        }
        progress.one_more();
        Ok(probe.longest())
    };
    let all: Result<Vec<Longest>, Failure> = seeds.into_par_iter().map(one).collect();
    progress.done();
    let longest = all?.iter().fold(Longest::default(), Longest::and);
    let timing = &machine.world.timing;
    let conditions = super::conditions(system.cores);
    Ok(rows(system, table, &table_of(conditions, timing, &longest)))
}

fn rows(system: &System, table: &Overheads, measured: &Overheads) -> Vec<Row> {
    let called = !system.cyclics.is_empty()
        || !system.alarms.is_empty()
        || system.tasks.iter().any(|task| {
            let overrun = task.budget.as_ref().is_some_and(|budget| budget.handler.is_some());
            overrun || task.deadline_handler.is_some()
        });
    let locks = system.tasks.iter().any(|task| {
        task.rights.cpu_lock.is_some()
            || task.rights.unrestricted
            || !task.rights.spin_locks.is_empty()
    });
    let handlers = called.then_some("the application's handlers");
    let locked = locks.then_some("what the application does with the CPU locked").or(handlers);
    let all = [
        ("timer_interrupt", table.timer_interrupt, measured.timer_interrupt, None),
        ("ipi", table.ipi, measured.ipi, None),
        ("release", table.release, measured.release, handlers),
        ("dispatch", table.dispatch, measured.dispatch, None),
        ("preemption", table.preemption, measured.preemption, None),
        ("kernel_section", table.kernel_section, measured.kernel_section, locked),
    ];
    all.map(|(figure, table, measured, contains)| Row { figure, table, measured, contains }).into()
}
