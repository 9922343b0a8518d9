// SPDX-License-Identifier: Apache-2.0
//! Implements `takt run --check`: checks the events of a run against the kernel's rules while the
//! machine runs.

use takt_record::{Head, Record, Taken};
use takt_trace::{Checked, Checker};

use crate::analysed_system::AnalysedSystem;
use crate::failure::{Exit, Failure};

pub struct Checking {
    checker: Checker,
}

impl Checking {
    pub fn new(analysed: &AnalysedSystem) -> Checking {
        Checking { checker: Checker::new(&analysed.system, &analysed.expected()) }
    }

    /// Checks the events that a running machine has recorded since the last call.
    pub fn add(&mut self, head: &Head, taken: &Taken) {
        self.checker.add(head, taken);
    }

    /// Ends the check. If the run failed in a tool after the kernel broke a rule, the failure names
    /// the broken rules as its cause.
    pub fn finish(self, run: Result<Record, Failure>) -> Result<(Record, Checked), Failure> {
        let failure = match run {
            Ok(record) => {
                let checked = self.checker.finish(&record);
                return Ok((record, checked));
            }
            Err(failure) => failure,
        };
        let checked = self.checker.so_far();
        let broken = checked.violation_count > 0 && failure.exit == Exit::Tool;
        Err(if broken { failure.because(checked.lines()) } else { failure })
    }
}
