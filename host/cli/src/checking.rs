// SPDX-License-Identifier: Apache-2.0
//! `takt run --check`: the events of a run against the kernel's rules, read while it runs.

use takt_record::{Head, Record, Rings};
use takt_trace::{Checked, Checker};

use crate::failure::{Exit, Failure};
use crate::plan::Plan;

pub struct Checking {
    rings: Rings,
    checker: Checker,
}

impl Checking {
    pub fn new(plan: &Plan) -> Checking {
        let checker = Checker::new(&plan.system, &plan.expected());
        Checking { rings: Rings::default(), checker }
    }

    /// Takes the events from the record of a machine that runs; there are none before its header.
    pub fn look(&mut self, record: &[u8]) {
        let Ok(head) = Head::decode(record) else { return };
        let Ok(taken) = self.rings.look(record) else { return };
        self.checker.add(&head, &taken);
    }

    /// With what was found in a run that failed; a kernel that broke its rules is why, and no fault of
    /// the tools.
    pub fn finish(mut self, run: Result<Record, Failure>) -> Result<(Record, Checked), Failure> {
        let failure = match run {
            Ok(record) => {
                let rest = self.rings.rest(&record);
                let checked = self.checker.finish(&record, &rest);
                return Ok((record, checked));
            }
            Err(failure) => failure,
        };
        let checked = self.checker.so_far();
        let broken = checked.violation_count > 0 && failure.exit == Exit::Tool;
        Err(if broken { failure.because(checked.lines()) } else { failure })
    }
}
