// SPDX-License-Identifier: Apache-2.0
//! Time and order: who goes next, how far a hart may run ahead, what wakes it.

mod address_map;
mod attach;
mod blocks;
mod calendar;
mod coherence;
pub mod event;
mod fabric;
mod functional;
mod io;
mod lookahead;
pub mod machine;
mod parking;
mod probes;
mod queue;
mod restoring;
mod schedule;
mod snapshot;
mod spinning;
mod timed;
mod turns;
pub mod unit;
mod view;
mod world;

pub use machine::{End, Machine, Mode, Order};
pub use probes::{observe, watch};
pub use snapshot::BadSnapshot;
pub use unit::{Unit, UnitState};
pub use world::World;
