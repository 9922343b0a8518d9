// SPDX-License-Identifier: Apache-2.0
//! Watches a running machine through its memory: how far it has come, whether it makes progress,
//! how it ended.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use takt_record::{DecodeError, Head, Outcome, Reader, Record};

use super::machine::{Files, MEMORY, Machine};
use super::process::Process;
use super::qmp::Qmp;
use crate::failure::{Exit, Failure};
use crate::image::Image;
use crate::outcome;
use crate::progress::Progress;

/// The time between two reads of the record's header.
const POLL: Duration = Duration::from_millis(20);
const READ: &str = "read the machine's memory";
/// The number of harts that a report of a hang names at most.
const HARTS_TOLD: usize = 8;

pub struct Watch<'a> {
    pub machine: &'a Machine,
    pub image: &'a Image,
    pub progress: &'a Progress,
    pub process: Process,
    pub files: &'a Files,
}

impl Watch<'_> {
    /// Waits for the outcome and returns the record. On return the machine has ended and all its
    /// output has been passed on; once the record holds an outcome, the kernel changes nothing any
    /// more.
    pub fn until_the_end(mut self) -> Result<Record, Failure> {
        let head = self.wait_for_outcome()?;
        self.process.end();
        let bytes = self.record(head.total_size).map_err(|error| Failure::io(READ, error))?;
        outcome::record(&bytes, &head, Reader::default()).map_err(|failure| self.explained(failure))
    }

    fn wait_for_outcome(&mut self) -> Result<Head, Failure> {
        let mut seen = Vec::new();
        let mut alive = Instant::now();
        loop {
            // The process is checked before the record is read, so that the record includes
            // everything written before the process ended.
            let dead = self.process.ended(POLL);
            // There is nothing to read until QEMU has created its memory.
            let bytes = self.record(outcome::header_size()).unwrap_or_default();
            let head =
                outcome::judge(&bytes, self.image).map_err(|failure| self.explained(failure))?;
            match &head {
                Ok(head) if head.outcome != Outcome::Running => return Ok(head.clone()),
                Ok(head) => self.progress.at(head.since_epoch(head.now), head.epoch != 0),
                Err(_) => {}
            }
            if let Some(status) = dead {
                return Err(self.died(status));
            }
            if bytes != seen {
                (seen, alive) = (bytes, Instant::now());
            }
            if alive.elapsed() > self.machine.patience {
                return Err(self.hung(head));
            }
            if crate::interrupt::requested() {
                return Err(Failure::interrupted());
            }
        }
    }

    /// The first bytes of the record, from the machine's memory.
    fn record(&self, size: u64) -> io::Result<Vec<u8>> {
        let offset = self.image.record.checked_sub(MEMORY).ok_or(io::ErrorKind::InvalidData)?;
        let mut memory = File::open(&self.files.memory)?;
        memory.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        memory.take(size).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Adds what the console said, unless the failure is the kernel's own message.
    fn explained(&self, failure: Failure) -> Failure {
        match failure.exit {
            Exit::Tool => failure.with_details(self.process.console.tail()),
            _ => failure,
        }
    }

    fn hung(&mut self, head: Result<Head, DecodeError>) -> Failure {
        let patience = self.machine.patience.as_secs();
        let cause = match head {
            Ok(head) if outcome::started(&head) => format!(
                "the kernel gave no sign of life for {patience}s, since {} of machine time",
                takt_trace::duration(head.since_epoch(head.now))
            ),
            Ok(_) => format!("the kernel did not finish its boot within {patience}s"),
            Err(DecodeError::Magic) => format!("no kernel wrote its record within {patience}s"),
            Err(error) => format!("no whole record within {patience}s: {error}"),
        };
        let harts = self.harts().unwrap_or_default();
        let help = "a slow host needs more --patience; otherwise attach gdb (-- -s -S) and look";
        Failure::tool(cause, help).with_details(self.process.console.tail() + &harts)
    }

    /// Where each hart is, from QEMU's registers; an error if QEMU is too busy to answer.
    fn harts(&self) -> io::Result<String> {
        let mut qmp = Qmp::connect(&self.files.monitor, Duration::from_secs(2))?;
        let registers = qmp.monitor("info registers -a")?;
        let counters = registers.lines().filter_map(|line| {
            let text = line.trim().strip_prefix("pc ")?.trim();
            u64::from_str_radix(text, 16).ok()
        });
        let line = |(hart, pc): (usize, u64)| {
            let place = self.image.place(pc).unwrap_or("no function of the image".to_string());
            format!("  hart {hart} is at {pc:#x}, {place}\n")
        };
        Ok(counters.enumerate().take(HARTS_TOLD).map(line).collect())
    }

    fn died(&mut self, status: ExitStatus) -> Failure {
        self.process.end();
        let complaints = self.process.complaints();
        let said = if complaints.is_empty() { complaints } else { format!(": {complaints}") };
        Failure::tool(
            format!("QEMU ended before the kernel did ({status}){said}"),
            "a machine that resets itself ends so too; the arguments behind -- go to QEMU",
        )
        .with_details(self.process.console.tail())
    }
}
