// SPDX-License-Identifier: Apache-2.0
//! The rows of cores that are divided into windows: a slice while a window is open.

use std::io::{self, Write};

use takt_model::System;

use super::row::{Line, name_row};
use super::{place_of, quoted};

/// The number of the row of core 0's windows.
const WINDOW_ROWS: usize = 2000;

pub struct Windows {
    /// The names of the partitions, as JSON.
    partitions: Vec<String>,
    /// For each core, whether one of its windows is open.
    open: Vec<bool>,
}

impl Windows {
    /// Names a row for each core with a frame, below that of the core's tasks.
    pub fn new(out: &mut impl Write, system: &System) -> io::Result<Self> {
        for core in system.frames.iter().map(|frame| frame.core as usize) {
            let name = format!("windows of core {core}");
            name_row(out, WINDOW_ROWS + core, &name, place_of(core) + 1)?;
        }
        let partitions = system.partitions.iter().map(|it| quoted(&it.name)).collect();
        Ok(Windows { partitions, open: vec![false; system.cores as usize] })
    }

    /// Closes the core's window, if one is open, and opens that of the partition, if one is given.
    pub fn change(
        &mut self,
        out: &mut impl Write,
        core: usize,
        now: u64,
        partition: Option<usize>,
    ) -> io::Result<()> {
        self.close(out, core, now, "")?;
        let Some(name) = partition.and_then(|it| self.partitions.get(it)) else { return Ok(()) };
        self.open[core] = true;
        line("B", core, now, name).write(out, "", "")
    }

    /// Closes the core's window at `now`, if one is open. `about` holds members of a JSON object.
    pub fn close(
        &mut self,
        out: &mut impl Write,
        core: usize,
        now: u64,
        about: &str,
    ) -> io::Result<()> {
        if std::mem::take(&mut self.open[core]) {
            line("E", core, now, "").write(out, "", about)?;
        }
        Ok(())
    }
}

fn line<'a>(phase: &'static str, core: usize, now: u64, name: &'a str) -> Line<'a> {
    Line { phase, row: WINDOW_ROWS + core, now, name }
}
