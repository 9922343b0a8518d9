// SPDX-License-Identifier: Apache-2.0
//! `takt run --check`: the events of a run against the kernel's rules, read while it runs.

use takt_record::{Head, Record, Taken};
use takt_trace::{Checked, Checker};

use crate::failure::{Exit, Failure};
use crate::plan::Plan;

pub struct Checking {
    checker: Checker,
}

impl Checking {
    pub fn new(plan: &Plan) -> Checking {
        Checking { checker: Checker::new(&plan.system, &plan.expected()) }
    }

    /// Checks events of a machine that runs.
    pub fn add(&mut self, head: &Head, taken: &Taken) {
        self.checker.add(head, taken);
    }

    /// With what was found in a run that failed; a kernel that broke its rules is why, and no fault of
    /// the tools.
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
