// SPDX-License-Identifier: Apache-2.0
//! Runs one image with many seeds, on all cores of this host. Every run starts from a copy of the
//! machine that the firmware has booted.

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::{Arc, Mutex};

use rayon::prelude::*;
use takt_analysis::Analysis;
use takt_model::System;
use takt_record::{Head, Record, Taken};
use takt_trace::Report;

use super::Variation;
use super::image_run::Booted;
use crate::checking::Checking;
use crate::failure::Failure;
use crate::frames;
use crate::health;
use crate::output;
use crate::progress::Progress;
use crate::regulation;

/// What each run of a range of seeds needs; `vary`, `check`, `report` and `reproduce` are called
/// once for each run.
pub struct Runs<'a, V, C, R, A> {
    pub booted: &'a Booted<'a>,
    pub system: &'a System,
    pub analysis: &'a Analysis,
    pub vary: V,
    /// Creates the check of the run's events, if the user asks for it.
    pub check: C,
    pub report: R,
    /// Returns the command that repeats the run with a seed.
    pub reproduce: A,
    /// The folder into which each run's console goes, to a file of its seed's name.
    pub consoles: Option<&'a Path>,
}

impl<V, C, R, A> Runs<'_, V, C, R, A>
where
    V: Fn(u64) -> Variation + Sync,
    C: Fn() -> Option<Checking> + Sync,
    R: Fn(&Record) -> Result<Report, Failure> + Sync,
    A: Fn(u64) -> String + Sync,
{
    /// Runs all seeds; returns the reports in ascending order of the seeds, or the first failure.
    pub fn run(
        &self,
        seeds: RangeInclusive<u64>,
        progress: &Progress,
    ) -> Result<Vec<(u64, Report)>, Failure> {
        let one = |seed| {
            let report = self.one(seed);
            progress.one_more();
            let command =
                || format!("In the run with seed {seed}, again: {}", (self.reproduce)(seed));
            Ok((seed, report.map_err(|failure| failure.said(command()))?))
        };
        seeds.into_par_iter().map(one).collect()
    }

    fn one(&self, seed: u64) -> Result<Report, Failure> {
        let said = Arc::new(Mutex::new(Vec::new()));
        let ended = self.run_one(seed, &said);
        if let Some(folder) = self.consoles {
            let said = said.lock().expect("the run has ended");
            output::write(&folder.join(format!("{seed}.txt")), &*said)?;
        }
        ended
    }

    fn run_one(&self, seed: u64, said: &Arc<Mutex<Vec<u8>>>) -> Result<Report, Failure> {
        let (keeps, said) = (self.consoles.is_some(), Arc::clone(said));
        let sink = Box::new(move |line: &[u8]| {
            if keeps {
                said.lock().expect("nobody else has it yet").extend(line);
            }
        });
        let (mut machine, variation) = (self.booted.copy(), (self.vary)(seed));
        let Some(mut check) = (self.check)() else {
            let record = machine.run(variation, sink, &Progress::hidden())?;
            return self.reported(&mut machine, &record);
        };
        let add = &mut |head: &Head, taken: &Taken| check.add(head, taken);
        let record = machine.run_watched(variation, sink, &Progress::hidden(), add);
        let (record, checked) = check.finish(record)?;
        let mut report = self.reported(&mut machine, &record)?;
        report.check(checked);
        Ok(report)
    }

    fn reported(&self, machine: &mut Booted, record: &Record) -> Result<Report, Failure> {
        let mut report = (self.report)(record)?;
        report.regulation = regulation::rows(machine, &record.head, self.system);
        report.health = health::rows(machine, &record.head, self.system);
        report.restarts = health::restarts(machine, &record.head, self.system);
        report.add_frames(frames::rows(machine, &record.head, self.system, self.analysis));
        Ok(report)
    }
}
