// SPDX-License-Identifier: Apache-2.0
//! Makes the record of a kernel readable. The figures of a [`takt_record::Record`] and their bounds
//! become a table or JSON ([`Report`]); the events become a trace that opens in Perfetto
//! ([`Trace`]), and are checked against the kernel's specification ([`Checker`]).

mod assumptions;
mod check;
pub mod dataflow;
mod frames;
mod health;
mod names;
mod notes;
mod perfetto;
mod placed;
mod refused;
mod regulation;
mod report;
mod sweep;
mod table;
mod unfinished;
mod verdict;

pub use assumptions::{BrokenAssumption, Party};
pub use check::{Checked, Checker, Violation};
pub use dataflow::DataflowRow;
pub use frames::FrameRow;
pub use health::{HealthRow, RestartRow};
pub use perfetto::{Summary, Trace};
pub use refused::{RefusedCall, refused_calls};
pub use regulation::RegulationRow;
pub use report::{CoreRow, Expected, Mismatch, Report, Response, TaskRow, Variation};
pub use sweep::{Sweep, SweepRow, render_sweep};
pub use table::{duration, duration_or_dash, render, table};
pub use unfinished::{Awaited, CodePlace, JobState, Unfinished};
pub use verdict::{ENOUGH_JOBS, Timing, Verdict};
