// SPDX-License-Identifier: Apache-2.0
//! One image with many seeds, on all cores of this host. Every run starts from the same machine,
//! as the firmware left it.

use std::ops::RangeInclusive;

use rayon::prelude::*;
use takt_trace::{Record, Report};

use super::Variation;
use super::flight::Booted;
use crate::failure::Failure;
use crate::progress::Progress;

/// The reports by seed, ascending; the first run without an end is an error.
pub fn run(
    booted: &Booted,
    seeds: RangeInclusive<u64>,
    vary: impl Fn(u64) -> Variation + Sync,
    report: impl Fn(&Record) -> Result<Report, Failure> + Sync,
    progress: &Progress,
) -> Result<Vec<(u64, Report)>, Failure> {
    let one = |seed| {
        let silent = Box::new(|_: &[u8]| {});
        let record = booted.copy().run(vary(seed), silent, &Progress::hidden());
        progress.one_more();
        let report = record.and_then(|record| report(&record));
        Ok((seed, report.map_err(|failure| failure.said(format!("In the run with seed {seed}")))?))
    };
    seeds.into_par_iter().map(one).collect()
}
