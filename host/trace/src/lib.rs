// SPDX-License-Identifier: Apache-2.0
//! What a kernel recorded, made readable: the record's bytes become figures and events
//! ([`Record`]), and the figures beside their bounds become a table or JSON ([`Report`]).

mod decode;
mod layout;
mod notes;
mod record;
mod report;
mod sweep;
mod table;
mod verdict;

pub use decode::DecodeError;
pub use record::{BuildId, CoreFigures, Event, Head, Outcome, Record, TaskFigures};
pub use report::{CoreRow, Expected, Mismatch, Report, Response, TaskRow};
pub use sweep::{Sweep, SweepRow, render_sweep};
pub use table::{duration, duration_or_dash, render, table};
pub use verdict::{ENOUGH_JOBS, Timing, Verdict};
