// SPDX-License-Identifier: Apache-2.0
//! The file of `takt run --trace`, written while the machine runs.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use takt_record::{Head, Record, Taken};
use takt_trace::{Report, Summary, Trace};

use crate::failure::Failure;
use crate::plan::Plan;

pub struct Tracer {
    path: PathBuf,
    trace: Trace<BufWriter<File>>,
    /// Why the file could not be written; nothing is written after it.
    failed: Option<io::Error>,
}

impl Tracer {
    pub fn create(path: &Path, plan: &Plan) -> Result<Tracer, Failure> {
        let file = File::create(path).map(BufWriter::new);
        let trace = file.and_then(|file| Trace::new(file, &plan.system, &plan.expected()));
        let trace = trace.map_err(|error| cannot_write(path, error))?;
        Ok(Tracer { path: path.to_path_buf(), trace, failed: None })
    }

    /// Writes events of a machine that runs.
    pub fn add(&mut self, head: &Head, taken: &Taken) {
        if self.failed.is_none() {
            self.failed = self.trace.add(head, taken).err();
        }
    }

    /// Ends the file; with the machine's last record, if its run came to an end.
    pub fn finish(self, record: Option<&Record>) -> Result<Traced, Failure> {
        if let Some(error) = self.failed {
            return Err(cannot_write(&self.path, error));
        }
        let summary = self.trace.finish(record).map_err(|error| cannot_write(&self.path, error))?;
        Ok(Traced { path: self.path, summary })
    }
}

/// A trace that was written.
pub struct Traced {
    path: PathBuf,
    summary: Summary,
}

impl Traced {
    pub fn tell(&self, report: &mut Report) {
        report.traced(&self.path.display().to_string(), &self.summary);
    }
}

fn cannot_write(path: &Path, error: io::Error) -> Failure {
    Failure::io(format!("write the trace {}", path.display()), error)
}
