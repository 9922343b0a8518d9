// SPDX-License-Identifier: Apache-2.0
//! Runs an image of Polytakt on the board, from the reset vector to the outcome in the image's
//! record.

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::OnceLock;

use takt_board::boot::Firmware;
use takt_board::devices::Tick;
use takt_board::engine::{End, Machine, Order};
use takt_board::session::{self, STEP, SkipError, StartPoint};
use takt_board::{Setup, Started, start};
use takt_model::{Board, Nanos};
use takt_record::{Head, Outcome, Reader, Record, Taken};

use super::harts::Traps;
use super::runner::Runner;
use super::{Variation, harts, nanos, refused};
use crate::console::{Lines, Sink};
use crate::failure::{Exit, Failure};
use crate::image::Image;
use crate::profile::{Profile, SAMPLE_PERIOD};
use crate::progress::Progress;
use crate::{files, firmware, interrupt, outcome};

/// The least and the greatest number of cycles between two reads of the record of a watched run.
const WATCHED: RangeInclusive<u64> = 1_000..=25_000;
/// The kernel spends some hundred cycles on each event that it records, rarely fewer.
const CYCLES_OF_EVENT: u64 = 100;

/// A function that gets the events of a running machine, each event once.
pub type Watch<'a> = &'a mut dyn FnMut(&Head, &Taken);

pub struct RunOptions<'a> {
    pub board: &'a Board,
    pub harts: u32,
    pub image: &'a Image,
    /// Entries in the event ring of each core.
    pub events: u32,
    pub run_for: Option<Nanos>,
    /// Machine time from the image's entry after which the run is given up.
    pub budget: Option<Nanos>,
    pub order: Order,
    /// The port at which takt waits for gdb.
    pub gdb: Option<u16>,
    /// The library that takes the place of the RTU's model.
    pub rtu: Option<&'a Path>,
    /// The folder into which the application's files are written at the end of the run, unless the
    /// run ends with a panic.
    pub output: Option<&'a Path>,
    /// The reason why the files could not be written; set at most once, by the run.
    pub unwritten: OnceLock<Failure>,
}

/// A machine that stands at the image's entry, with the console output of the firmware.
pub struct Booted<'a> {
    options: &'a RunOptions<'a>,
    machine: Machine,
    lines: Lines,
    traps: Traps,
}

/// Runs the firmware without time, until the hart stands at the image's entry.
pub fn boot<'a>(options: &'a RunOptions) -> Result<Booted<'a>, Failure> {
    let firmware = firmware::find()?;
    let load = |library| super::rtu::load(library, options.board, options.harts);
    let devices = options.rtu.map(load).transpose()?.into_iter().collect();
    let arguments = options.run_for.map(|Nanos(nanos)| format!("for={nanos}"));
    let Started { mut machine, entry, .. } = start(Setup {
        board: options.board,
        harts: options.harts,
        program: &options.image.path,
        firmware: Firmware::Dynamic(&firmware),
        initrd: None,
        arguments: &arguments.unwrap_or_default(),
        input: Vec::new(),
        devices,
    })
    .map_err(refused)?;
    machine.order = options.order;
    let place = StartPoint::Address(entry);
    let there = session::skip(&mut machine, place, Tick::MAX, |_| !interrupt::requested());
    let mut lines = Lines::without_banner();
    lines.take(&std::mem::take(machine.world.io.platform.console()), |_| {});
    let booted = Booted { options, machine, lines, traps: Traps::default() };
    match there {
        Ok(()) => Ok(booted),
        Err(SkipError::Stopped) => Err(Failure::interrupted()),
        Err(SkipError::End(_) | SkipError::Moment) => {
            Err(booted.failed("the firmware did not start the image", "is it a fw_dynamic.bin?"))
        }
    }
}

impl Booted<'_> {
    /// Gives the machine to whoever observes it.
    pub fn machine_mut(&mut self) -> &mut Machine {
        &mut self.machine
    }

    /// Returns the machine itself.
    pub fn machine(self) -> Machine {
        self.machine
    }

    /// Returns a machine that equals this one in every bit.
    pub fn copy(&self) -> Self {
        let (machine, lines) = (self.machine.clone(), self.lines.clone());
        Booted { options: self.options, machine, lines, traps: Traps::default() }
    }

    /// Runs the image to its end and returns what it recorded; the machine can be looked at then.
    pub fn run(
        &mut self,
        variation: Variation,
        sink: Sink,
        progress: &Progress,
    ) -> Result<Record, Failure> {
        self.run_in_steps(STEP, variation, sink, progress, None, None)
    }

    /// Lines that the memory controllers have moved for a core since the machine started: read, written.
    pub fn memory_lines(&self, core: u32) -> (u64, u64) {
        let served = self.machine.memory_lines(core);
        (served.reads, served.writes)
    }

    /// The bytes of an object of the image, by its name; None: there is no such object in memory.
    pub fn object(&mut self, name: &str) -> Option<&mut [u8]> {
        let object = self.options.image.objects.get(name)?;
        let address = self.options.image.physical(object.address)?;
        let ram = &mut self.machine.world.fabric.ram;
        let at = ram.offset(address, object.size)?;
        Some(ram.slice_mut(at, object.size))
    }

    /// Runs the image like `run`; `watch` gets the events while the machine runs, except the last
    /// ones, which are in the record.
    pub fn run_watched(
        &mut self,
        variation: Variation,
        sink: Sink,
        progress: &Progress,
        watch: Watch,
    ) -> Result<Record, Failure> {
        let fill = u64::from(self.options.events) * CYCLES_OF_EVENT;
        let step = (fill / 2).clamp(*WATCHED.start(), *WATCHED.end());
        self.run_in_steps(step, variation, sink, progress, Some(watch), None)
    }

    /// Runs the image like `run`; the profile gets samples of it.
    pub fn run_profiled(
        &mut self,
        variation: Variation,
        sink: Sink,
        progress: &Progress,
        profile: &mut Profile,
    ) -> Result<Record, Failure> {
        self.run_in_steps(SAMPLE_PERIOD, variation, sink, progress, None, Some(profile))
    }

    fn run_in_steps(
        &mut self,
        step: u64,
        variation: Variation,
        mut sink: Sink,
        progress: &Progress,
        mut watch: Option<Watch>,
        mut profile: Option<&mut Profile>,
    ) -> Result<Record, Failure> {
        let mut reader = Reader::default();
        let begin = self.machine.now;
        variation.begin(&mut self.machine);
        let say = |text: &str| progress.aside(|| eprint!("{text}"));
        let mut runner = Runner::new(self.options.gdb, &self.options.image.path, say)?;
        loop {
            let until = self.machine.now + step;
            let end = runner.run(&mut self.machine, until)?;
            if let Some(profile) = &mut profile {
                let cores = self.options.harts as usize;
                profile.sample(&self.machine, self.options.image, cores);
            }
            let said = std::mem::take(self.machine.world.io.platform.console());
            self.lines.take(&said, &mut sink);
            let judged = outcome::judge(self.bytes(outcome::header_size()), self.options.image);
            match judged.map_err(|failure| self.explained(failure))? {
                Ok(head) if head.outcome != Outcome::Running => {
                    self.lines.finish(&mut sink);
                    runner.finish(head.code);
                    let record = self.record(&head, reader)?;
                    self.write_files(&head);
                    return Ok(record);
                }
                Ok(head) => {
                    if let Some(watch) = &mut watch {
                        let taken = reader.look(self.bytes(head.total_size));
                        let taken = taken.map_err(|it| self.explained(outcome::unreadable(it)))?;
                        watch(&head, &taken);
                    }
                    progress.at(head.since_epoch(head.now), head.epoch != 0);
                }
                Err(_) => {}
            }
            self.check_progress(end, begin)?;
        }
    }

    /// Writes the application's files. A failure is kept until the run has been reported.
    fn write_files(&self, head: &Head) {
        if let (Some(folder), false) = (self.options.output, head.outcome == Outcome::Panic) {
            let written = files::output::write(folder, self.options.image, &self.machine);
            if let Err(failure) = written {
                let _ = self.options.unwritten.set(failure);
            }
        }
    }

    fn record(&self, head: &Head, reader: Reader) -> Result<Record, Failure> {
        let record = outcome::record(self.bytes(head.total_size), head, reader);
        record.map_err(|failure| self.explained(failure))
    }

    /// Checks, for a machine that has no outcome yet, that it may run on.
    fn check_progress(&mut self, end: End, begin: u64) -> Result<(), Failure> {
        match end {
            End::Until | End::Stop { .. } | End::Watch { .. } | End::Step { .. } => {}
            End::Dead => {
                let help = "the image stopped in a way that the kernel does not know";
                return Err(self.failed("every hart waits, and nothing is to come", help));
            }
            End::Spinning => {
                let failure = Failure::tool(harts::SPINNING, harts::SPINNING_HELP);
                let place = |pc| self.options.image.place(pc);
                let details = self.lines.tail() + &harts::spinning(&self.machine, place);
                return Err(failure.with_details(details));
            }
            End::Finished(finish) => {
                let message = format!("the machine was ended without the kernel: {finish:?}");
                return Err(self.failed(&message, "the image or the firmware wrote to a device"));
            }
        }
        if let Some(hart) = self.traps.first_stuck(&self.machine) {
            let hart = &self.machine.units[hart].hart;
            let message = format!("hart {} traps for ever", hart.id);
            let failure = self.failed(&message, "the kernel or the firmware lost its trap vector");
            let details =
                failure.details.clone() + &harts::traps(hart, |pc| self.options.image.place(pc));
            return Err(failure.with_details(details));
        }
        let time = nanos(&self.machine, self.machine.now - begin);
        match self.options.budget {
            Some(Nanos(budget)) if time > budget => {
                let message = format!("no end after {} of machine time", Nanos(time));
                Err(self.failed(&message, "a longer run needs a larger --budget"))
            }
            _ if interrupt::requested() => Err(Failure::interrupted()),
            _ => Ok(()),
        }
    }

    /// The first bytes of the record; empty if the record does not lie in memory.
    fn bytes(&self, count: u64) -> &[u8] {
        let ram = &self.machine.world.fabric.ram;
        ram.offset(self.options.image.record, count).map_or(&[], |at| ram.slice(at, count))
    }

    fn failed(&self, message: &str, help: &str) -> Failure {
        self.explained(Failure::tool(message, help))
    }

    /// Adds what the console said and where the harts are, unless the failure is the kernel's own
    /// message.
    fn explained(&self, failure: Failure) -> Failure {
        let harts = || harts::describe(&self.machine, |pc| self.options.image.place(pc));
        match failure.exit {
            Exit::Tool => failure.with_details(self.lines.tail() + &harts()),
            _ => failure,
        }
    }
}
