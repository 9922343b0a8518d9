// SPDX-License-Identifier: Apache-2.0
//! An image of Polytakt on the board, from the reset vector to the outcome in its record.

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::OnceLock;

use takt_board::boot::Firmware;
use takt_board::devices::Tick;
use takt_board::engine::{End, Machine, Order};
use takt_board::session::{self, NotThere, Place, STEP};
use takt_board::{Setup, Started, start};
use takt_model::{Board, Nanos};
use takt_record::{Head, Outcome, Reader, Record, Taken};

use super::harts::Traps;
use super::runner::Runner;
use super::{Variation, harts, nanos, refused};
use crate::console::{Lines, Sink};
use crate::failure::{Exit, Failure};
use crate::image::Image;
use crate::progress::Progress;
use crate::{files, firmware, interrupt, outcome};

/// Cycles between two looks at the record of a run that is watched, at the most and at the least.
const WATCHED: RangeInclusive<u64> = 1_000..=25_000;
/// An event takes the kernel some hundred cycles, rarely fewer.
const CYCLES_OF_EVENT: u64 = 100;

/// Gets the events of a machine that runs, each once.
pub type Watch<'a> = &'a mut dyn FnMut(&Head, &Taken);

pub struct Setting<'a> {
    pub board: &'a Board,
    pub harts: u32,
    pub image: &'a Image,
    /// In each core's ring.
    pub events: u32,
    pub run_for: Option<Nanos>,
    /// Machine time from the image's entry after which it is given up.
    pub budget: Option<Nanos>,
    pub order: Order,
    /// The port at which gdb is waited for.
    pub gdb: Option<u16>,
    /// The folder into which the program's files are written at the end, if that is no panic.
    pub output: Option<&'a Path>,
    /// Why they could not be written.
    pub unwritten: OnceLock<Failure>,
}

/// A machine that stands at the image's entry, and what its console said until then.
pub struct Booted<'a> {
    setting: &'a Setting<'a>,
    machine: Machine,
    lines: Lines,
    traps: Traps,
}

/// Lets the firmware run, without time.
pub fn boot<'a>(setting: &'a Setting) -> Result<Booted<'a>, Failure> {
    let firmware = firmware::find()?;
    let arguments = setting.run_for.map(|Nanos(nanos)| format!("for={nanos}"));
    let Started { mut machine, entry, .. } = start(Setup {
        board: setting.board,
        harts: setting.harts,
        program: &setting.image.path,
        firmware: Firmware::Dynamic(&firmware),
        initrd: None,
        arguments: &arguments.unwrap_or_default(),
        input: Vec::new(),
        devices: Vec::new(),
    })
    .map_err(refused)?;
    machine.order = setting.order;
    let place = Place::Address(entry);
    let there = session::skip(&mut machine, place, Tick::MAX, |_| !interrupt::requested());
    let mut lines = Lines::without_banner();
    lines.take(&std::mem::take(machine.world.platform.console()), |_| {});
    let booted = Booted { setting, machine, lines, traps: Traps::default() };
    match there {
        Ok(()) => Ok(booted),
        Err(NotThere::Stopped) => Err(Failure::interrupted()),
        Err(NotThere::End(_) | NotThere::Moment) => {
            Err(booted.failed("the firmware did not start the image", "is it a fw_dynamic.bin?"))
        }
    }
}

impl Booted<'_> {
    /// The machine itself.
    pub fn machine(self) -> Machine {
        self.machine
    }

    /// Another machine that is like this one in every bit.
    pub fn copy(&self) -> Self {
        let (machine, lines) = (self.machine.clone(), self.lines.clone());
        Booted { setting: self.setting, machine, lines, traps: Traps::default() }
    }

    /// Runs the image to its end and returns what it recorded.
    pub fn run(
        self,
        variation: Variation,
        sink: Sink,
        progress: &Progress,
    ) -> Result<Record, Failure> {
        self.run_in_steps(STEP, variation, sink, progress, None)
    }

    /// The same; `watch` gets the events of the running machine, but for the last ones, which the record has.
    pub fn run_watched(
        self,
        variation: Variation,
        sink: Sink,
        progress: &Progress,
        watch: Watch,
    ) -> Result<Record, Failure> {
        let fill = u64::from(self.setting.events) * CYCLES_OF_EVENT;
        let step = (fill / 2).clamp(*WATCHED.start(), *WATCHED.end());
        self.run_in_steps(step, variation, sink, progress, Some(watch))
    }

    fn run_in_steps(
        mut self,
        step: u64,
        variation: Variation,
        mut sink: Sink,
        progress: &Progress,
        mut watch: Option<Watch>,
    ) -> Result<Record, Failure> {
        let mut reader = Reader::default();
        let begin = self.machine.now;
        variation.begin(&mut self.machine);
        let say = |text: &str| progress.aside(|| eprint!("{text}"));
        let mut runner = Runner::new(self.setting.gdb, &self.setting.image.path, say)?;
        loop {
            let until = self.machine.now + step;
            let end = runner.run(&mut self.machine, until)?;
            let said = std::mem::take(self.machine.world.platform.console());
            self.lines.take(&said, &mut sink);
            let judged = outcome::judge(self.bytes(outcome::header_size()), self.setting.image);
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
            self.goes_on(end, begin)?;
        }
    }

    /// A failure waits until the run is reported.
    fn write_files(&self, head: &Head) {
        if let (Some(folder), false) = (self.setting.output, head.outcome == Outcome::Panic) {
            let written = files::output::write(folder, self.setting.image, &self.machine);
            if let Err(failure) = written {
                let _ = self.setting.unwritten.set(failure);
            }
        }
    }

    fn record(&self, head: &Head, reader: Reader) -> Result<Record, Failure> {
        let record = outcome::record(self.bytes(head.total_size), head, reader);
        record.map_err(|failure| self.explained(failure))
    }

    /// Whether a machine without an outcome may run on.
    fn goes_on(&mut self, end: End, begin: u64) -> Result<(), Failure> {
        match end {
            End::Until | End::Stop { .. } | End::Watch { .. } | End::Step { .. } => {}
            End::Dead => {
                let help = "the image stopped in a way that the kernel does not know";
                return Err(self.failed("every hart waits, and nothing is to come", help));
            }
            End::Spinning => {
                let failure = Failure::tool(harts::SPINNING, harts::SPINNING_HELP);
                let place = |pc| self.setting.image.place(pc);
                let told = self.lines.tail() + &harts::spinning(&self.machine, place);
                return Err(failure.with_details(told));
            }
            End::Finished(finish) => {
                let message = format!("the machine was ended without the kernel: {finish:?}");
                return Err(self.failed(&message, "the image or the firmware wrote to a device"));
            }
        }
        if let Some(hart) = self.traps.look(&self.machine) {
            let hart = &self.machine.units[hart].hart;
            let message = format!("hart {} traps for ever", hart.id);
            let failure = self.failed(&message, "the kernel or the firmware lost its trap vector");
            let told =
                failure.details.clone() + &harts::traps(hart, |pc| self.setting.image.place(pc));
            return Err(failure.with_details(told));
        }
        let time = nanos(&self.machine, self.machine.now - begin);
        match self.setting.budget {
            Some(Nanos(budget)) if time > budget => {
                let message = format!("no end after {} of machine time", Nanos(time));
                Err(self.failed(&message, "a longer run needs a larger --budget"))
            }
            _ if interrupt::requested() => Err(Failure::interrupted()),
            _ => Ok(()),
        }
    }

    /// The first bytes of the record; none where it lies in no memory.
    fn bytes(&self, count: u64) -> &[u8] {
        let ram = &self.machine.world.ram;
        ram.offset(self.setting.image.record, count).map_or(&[], |at| ram.slice(at, count))
    }

    fn failed(&self, message: &str, help: &str) -> Failure {
        self.explained(Failure::tool(message, help))
    }

    /// With what the console said and where the harts are, where the failure is not the kernel's
    /// own word.
    fn explained(&self, failure: Failure) -> Failure {
        let harts = || harts::describe(&self.machine, |pc| self.setting.image.place(pc));
        match failure.exit {
            Exit::Tool => failure.with_details(self.lines.tail() + &harts()),
            _ => failure,
        }
    }
}
