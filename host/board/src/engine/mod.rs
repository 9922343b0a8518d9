// SPDX-License-Identifier: Apache-2.0
//! Time and order: who goes next, how far a hart may run ahead, what wakes it.

mod calendar;
mod cluster;
mod direct;
pub mod event;
mod functional;
mod htif;
pub mod machine;
pub mod observe;
mod outgoing;
mod parking;
mod protocol;
mod queue;
mod registers;
mod restoring;
mod scratchpad;
mod snapshot;
mod spinning;
mod timed;
mod view;
mod warming;
pub mod watch;
mod world;

pub use machine::{End, Machine, Mode, Order, Unit};
pub use snapshot::BadSnapshot;
pub use world::World;
