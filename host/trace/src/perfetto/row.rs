// SPDX-License-Identifier: Apache-2.0
//! A core's row: which slices are open there, and the lines of the file.

use std::io::{self, Write};

use super::micros;

/// The state of a core's row. What runs is a slice, an interrupt a slice inside, and a handler of
/// the application one inside that.
pub struct Row {
    core: usize,
    begun: bool,
    running: bool,
    /// ID of the task that runs, 0: none.
    task: u16,
    handler: bool,
    /// The kernel's timer or inter-processor interrupt.
    kernel: bool,
    /// Service routines of devices that have begun.
    routines: u32,
    /// Events that are missing before the next one.
    missing: u64,
    /// The time of the latest event.
    last: u64,
}

impl Row {
    pub fn new(core: u32) -> Row {
        Row {
            core: core as usize,
            begun: false,
            running: false,
            task: 0,
            handler: false,
            kernel: false,
            routines: 0,
            missing: 0,
            last: 0,
        }
    }

    /// Before an event: a core idles from the epoch on, if nothing of it is missing.
    /// Returns the time of the event before.
    pub fn begin(&mut self, out: &mut impl Write, now: u64) -> io::Result<u64> {
        if !self.begun {
            self.run(out, 0, 0, "\"idle\"", "")?;
        }
        self.begun = true;
        let before = std::mem::replace(&mut self.last, now).min(now);
        let missing = std::mem::take(&mut self.missing);
        if missing > 0 {
            let name = format!("\"{missing} events are missing\"");
            self.instant(out, now, &name, "t", "")?;
        }
        Ok(before)
    }

    /// What ran is over, and this runs. `about` has members of a JSON object, here and below.
    pub fn run(
        &mut self,
        out: &mut impl Write,
        now: u64,
        task: u16,
        name: &str,
        about: &str,
    ) -> io::Result<()> {
        self.close(out, now, "")?;
        (self.running, self.task) = (true, task);
        self.line("B", now, name).write(out, "", about)
    }

    /// Whether a task or the idle loop runs.
    pub fn runs(&self) -> bool {
        self.running
    }

    pub fn runs_task(&self, task: u16) -> bool {
        self.running && self.task == task
    }

    pub fn close(&mut self, out: &mut impl Write, now: u64, about: &str) -> io::Result<()> {
        while self.routines > 0 {
            self.end_interrupt(out, now)?;
        }
        self.end_kernel(out, now)?;
        if std::mem::take(&mut self.running) {
            self.line("E", now, "").write(out, "", about)?;
        }
        Ok(())
    }

    /// The run is over at `end`, or not before the latest event.
    pub fn finish(&mut self, out: &mut impl Write, end: u64) -> io::Result<()> {
        self.close(out, end.max(self.last), "")
    }

    /// The kernel's interrupt begins, inside what runs or inside a service routine. One begins when
    /// the one before is over.
    pub fn kernel(&mut self, out: &mut impl Write, now: u64, name: &str) -> io::Result<()> {
        self.end_kernel(out, now)?;
        self.kernel = true;
        self.line("B", now, name).write(out, "", "")
    }

    pub fn end_kernel(&mut self, out: &mut impl Write, now: u64) -> io::Result<()> {
        self.end_handler(out, now)?;
        if std::mem::take(&mut self.kernel) {
            self.line("E", now, "").write(out, "", "")?;
        }
        Ok(())
    }

    /// A service routine begins, perhaps inside another.
    pub fn interrupt(&mut self, out: &mut impl Write, now: u64, name: &str) -> io::Result<()> {
        self.end_kernel(out, now)?;
        self.routines += 1;
        self.line("B", now, name).write(out, "", "")
    }

    pub fn handler(&mut self, out: &mut impl Write, now: u64, name: &str) -> io::Result<()> {
        self.end_handler(out, now)?;
        self.handler = true;
        self.line("B", now, name).write(out, "", "")
    }

    pub fn end_handler(&mut self, out: &mut impl Write, now: u64) -> io::Result<()> {
        if std::mem::take(&mut self.handler) {
            self.line("E", now, "").write(out, "", "")?;
        }
        Ok(())
    }

    pub fn end_interrupt(&mut self, out: &mut impl Write, now: u64) -> io::Result<()> {
        self.end_kernel(out, now)?;
        if self.routines > 0 {
            self.routines -= 1;
            self.line("E", now, "").write(out, "", "")?;
        }
        Ok(())
    }

    /// `scope`: "t" this row, "p" the whole machine.
    pub fn instant(
        &self,
        out: &mut impl Write,
        now: u64,
        name: &str,
        scope: &str,
        about: &str,
    ) -> io::Result<()> {
        self.line("i", now, name).write(out, &format!(",\"s\":\"{scope}\""), about)
    }

    /// Events are missing from here on: nobody knows when what is open ended.
    pub fn lose(&mut self, out: &mut impl Write, lost: u64) -> io::Result<()> {
        self.begun = true;
        self.missing += lost;
        self.close(out, self.last, "\"end\":\"unknown\"")
    }

    fn line<'a>(&self, phase: &'static str, now: u64, name: &'a str) -> Line<'a> {
        Line { phase, core: self.core, now, name }
    }
}

/// One event of the file.
pub struct Line<'a> {
    pub phase: &'static str,
    pub core: usize,
    /// Nanoseconds.
    pub now: u64,
    /// As JSON, or nothing.
    pub name: &'a str,
}

impl Line<'_> {
    /// `more` has further members, each behind a comma; `about` the members of `args`.
    pub fn write(&self, out: &mut impl Write, more: &str, about: &str) -> io::Result<()> {
        let Line { phase, core, now, name } = self;
        let (tid, time) = (core + 1, micros(*now));
        write!(out, ",\n{{\"ph\":\"{phase}\",\"pid\":1,\"tid\":{tid},\"ts\":{time}{more}")?;
        if !name.is_empty() {
            write!(out, ",\"name\":{name}")?;
        }
        if !about.is_empty() {
            write!(out, ",\"args\":{{{about}}}")?;
        }
        write!(out, "}}")
    }
}
