// SPDX-License-Identifier: Apache-2.0
//! Writes the file of `takt run --trace` while the machine runs.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use takt_record::{Head, Record, Taken};
use takt_trace::dataflow::Slice;
use takt_trace::{Report, Summary, Trace};

use crate::analysed_system::AnalysedSystem;
use crate::failure::Failure;

pub struct Tracer {
    path: PathBuf,
    trace: Trace<BufWriter<File>>,
    /// The error that ended the writing of the file; nothing is written after it.
    failed: Option<io::Error>,
}

impl Tracer {
    pub fn create(path: &Path, analysed: &AnalysedSystem) -> Result<Tracer, Failure> {
        let file = File::create(path).map(BufWriter::new);
        let trace = file.and_then(|file| Trace::new(file, &analysed.system, &analysed.expected()));
        let trace = trace.map_err(|error| cannot_write(path, error))?;
        Ok(Tracer { path: path.to_path_buf(), trace, failed: None })
    }

    /// Writes the events that a running machine has recorded since the last call.
    pub fn add(&mut self, head: &Head, taken: &Taken) {
        if self.failed.is_none() {
            self.failed = self.trace.add(head, taken).err();
        }
    }

    /// Writes what the directors of a dataflow graph did.
    pub fn add_graph(&mut self, slices: &[Slice]) {
        if self.failed.is_none() {
            self.failed = self.trace.graph(slices).err();
        }
    }

    /// Completes the file, with the machine's last record if the run reached its end.
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
    pub fn add_to(&self, report: &mut Report) {
        report.traced(&self.path.display().to_string(), &self.summary);
    }
}

fn cannot_write(path: &Path, error: io::Error) -> Failure {
    Failure::io(format!("write the trace {}", path.display()), error)
}
