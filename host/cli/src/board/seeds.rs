// SPDX-License-Identifier: Apache-2.0
//! One image with many seeds, on all cores of this host. Every run starts from the same machine,
//! as the firmware left it.

use std::ops::RangeInclusive;

use rayon::prelude::*;
use takt_record::{Head, Record, Taken};
use takt_trace::Report;

use super::Variation;
use super::flight::Booted;
use crate::checking::Checking;
use crate::failure::Failure;
use crate::progress::Progress;

/// What each run of a range does.
pub struct Runs<'a, V, C, R, A> {
    pub booted: &'a Booted<'a>,
    pub vary: V,
    /// A check of its events, if that is asked for.
    pub check: C,
    pub report: R,
    /// The command that repeats it.
    pub again: A,
}

impl<V, C, R, A> Runs<'_, V, C, R, A>
where
    V: Fn(u64) -> Variation + Sync,
    C: Fn() -> Option<Checking> + Sync,
    R: Fn(&Record) -> Result<Report, Failure> + Sync,
    A: Fn(u64) -> String + Sync,
{
    /// The reports by seed, ascending; the first run without an end is an error.
    pub fn run(
        &self,
        seeds: RangeInclusive<u64>,
        progress: &Progress,
    ) -> Result<Vec<(u64, Report)>, Failure> {
        let one = |seed| {
            let report = self.one(seed);
            progress.one_more();
            let again = || format!("In the run with seed {seed}, again: {}", (self.again)(seed));
            Ok((seed, report.map_err(|failure| failure.said(again()))?))
        };
        seeds.into_par_iter().map(one).collect()
    }

    fn one(&self, seed: u64) -> Result<Report, Failure> {
        let silent = Box::new(|_: &[u8]| {});
        let (machine, variation) = (self.booted.copy(), (self.vary)(seed));
        let Some(mut check) = (self.check)() else {
            return (self.report)(&machine.run(variation, silent, &Progress::hidden())?);
        };
        let add = &mut |head: &Head, taken: &Taken| check.add(head, taken);
        let record = machine.run_watched(variation, silent, &Progress::hidden(), add);
        let (record, checked) = check.finish(record)?;
        let mut report = (self.report)(&record)?;
        report.check(checked);
        Ok(report)
    }
}
