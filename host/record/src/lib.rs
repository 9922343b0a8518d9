// SPDX-License-Identifier: Apache-2.0
//! The record that a kernel writes into memory for the host: its schema, from which the kernel's C
//! headers are generated, the kinds of events ([`Event`]), and the [`Reader`] of a run's events and
//! figures.

mod c_events;
mod c_header;
mod decode;
pub mod enumeration;
pub mod event;
mod layout;
mod reader;
mod record;
pub mod schema;

pub use c_events::c_events;
pub use c_header::c_header;
pub use decode::DecodeError;
pub use enumeration::{Class, Ended, Handler, HealthAction, HealthError, Outcome, Request, State};
pub use event::{Entry, Event};
pub use reader::Reader;
pub use record::{
    BuildId, CoreFigures, Head, InterruptFigures, Record, Refusal, Standing, Taken, TaskFigures,
};
