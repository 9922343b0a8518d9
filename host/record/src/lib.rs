// SPDX-License-Identifier: Apache-2.0
//! What a kernel writes into memory for the host to read: the schema of the record, which the kernel's C header
//! is made from, the record's figures ([`Record`]) and the events of its rings ([`Rings`]).

mod c_header;
mod decode;
mod layout;
mod record;
mod rings;
pub mod schema;

pub use c_header::c_header;
pub use decode::DecodeError;
pub use record::{
    BuildId, CoreFigures, Event, Head, InterruptFigures, Outcome, Record, Refusal, Standing,
    TaskFigures,
};
pub use rings::{Rings, Taken};
