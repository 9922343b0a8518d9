// SPDX-License-Identifier: Apache-2.0
//! Time and order: who goes next, how far a hart may run ahead, what wakes it.

pub mod event;
mod functional;
pub mod machine;
mod queue;
mod snapshot;
mod timed;
mod view;
pub mod watch;
mod world;

pub use machine::{End, Machine, Mode, Order, Unit};
pub use snapshot::BadSnapshot;
pub use world::World;
