// SPDX-License-Identifier: Apache-2.0
//! What a kernel recorded, made readable: the record's bytes become figures and events
//! ([`Record`]), the figures beside their bounds become a table or JSON ([`Report`]), the events a
//! trace that opens in Perfetto ([`Trace`]), and are held against
//! the kernel's specification ([`Checker`]).

mod assumptions;
mod check;
mod decode;
mod layout;
mod notes;
mod perfetto;
mod record;
mod report;
mod rings;
mod sweep;
mod table;
mod unfinished;
mod verdict;

pub use assumptions::{BrokenAssumption, Party};
pub use check::{Checked, Checker, Violation};
pub use decode::DecodeError;
pub use perfetto::{Summary, Trace};
pub use record::{BuildId, CoreFigures, Event, Head, Outcome, Record, Standing, TaskFigures};
pub use report::{CoreRow, Expected, Mismatch, Report, Response, TaskRow, Variation};
pub use rings::{Rings, Taken};
pub use sweep::{Sweep, SweepRow, render_sweep};
pub use table::{duration, duration_or_dash, render, table};
pub use unfinished::{Awaited, CodePlace, Unfinished};
pub use verdict::{ENOUGH_JOBS, Timing, Verdict};
