// SPDX-License-Identifier: Apache-2.0
//! The row of a core in the trace: its open slices, and the lines of the file.

use std::io::{self, Write};

use super::micros;

/// The number of the row of a core's tasks.
pub fn row_of(core: usize) -> usize {
    core + 1
}

/// Names a row. Perfetto shows the rows in the order of their places.
pub fn name_row(out: &mut impl Write, row: usize, name: &str, place: usize) -> io::Result<()> {
    let head = format!("\"ph\":\"M\",\"pid\":1,\"ts\":0,\"tid\":{row}");
    write!(out, ",\n{{\"name\":\"thread_name\",{head},\"args\":{{\"name\":\"{name}\"}}}}")?;
    let place = format!("\"args\":{{\"sort_index\":{place}}}");
    write!(out, ",\n{{\"name\":\"thread_sort_index\",{head},{place}}}")
}

/// The state of a core's row. The running task is a slice; an interrupt is a slice inside it, and a
/// handler of the application a slice inside the interrupt.
pub struct Row {
    core: usize,
    begun: bool,
    running: bool,
    /// The ID of the running task; 0: none.
    task: u16,
    handler: bool,
    /// Whether a timer interrupt or an IPI is being served by the kernel.
    kernel: bool,
    /// The number of device service routines that have begun and not ended.
    routines: u32,
    /// The number of events that are lost before the next one.
    missing: u64,
    /// The time of the latest event, in nanoseconds.
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

    /// Prepares the row for an event, and returns the time of the event before. The core idles from
    /// the epoch on, unless events are lost.
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

    /// Ends the current slice and begins one with this name. `about` holds members of a JSON
    /// object, here and below.
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

    /// Closes the open slices at `end`, or at the latest event if that is later. Returns when.
    pub fn finish(&mut self, out: &mut impl Write, end: u64) -> io::Result<u64> {
        let end = end.max(self.last);
        self.close(out, end, "")?;
        Ok(end)
    }

    /// Begins an interrupt of the kernel, inside the running task or a service routine. An
    /// interrupt of the kernel that has not ended is ended first.
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

    /// Begins a service routine, possibly inside another one.
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

    /// Writes a mark. `scope` is "t" for this row or "p" for the whole machine.
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

    /// Closes the open slices where events are lost, because their real end is unknown. Returns when, the time of the latest
    /// event.
    pub fn lose(&mut self, out: &mut impl Write, lost: u64) -> io::Result<u64> {
        self.begun = true;
        self.missing += lost;
        self.close(out, self.last, "\"end\":\"unknown\"")?;
        Ok(self.last)
    }

    fn line<'a>(&self, phase: &'static str, now: u64, name: &'a str) -> Line<'a> {
        Line { phase, row: row_of(self.core), now, name }
    }
}

/// One line of the file, which describes one event.
pub struct Line<'a> {
    pub phase: &'static str,
    /// The number of the row.
    pub row: usize,
    /// The time in nanoseconds.
    pub now: u64,
    /// The name as JSON, or an empty text.
    pub name: &'a str,
}

impl Line<'_> {
    /// Writes the line. `more` holds further members, each with a comma before it; `about` holds
    /// the members of `args`.
    pub fn write(&self, out: &mut impl Write, more: &str, about: &str) -> io::Result<()> {
        let Line { phase, row, now, name } = self;
        let time = micros(*now);
        write!(out, ",\n{{\"ph\":\"{phase}\",\"pid\":1,\"tid\":{row},\"ts\":{time}{more}")?;
        if !name.is_empty() {
            write!(out, ",\"name\":{name}")?;
        }
        if !about.is_empty() {
            write!(out, ",\"args\":{{{about}}}")?;
        }
        write!(out, "}}")
    }
}
