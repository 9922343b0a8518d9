// SPDX-License-Identifier: Apache-2.0
//! The description of a system and of the board that it runs on.
//!
//! What every other crate works with: `System` and `Board` are complete and checked, whatever
//! the file left out has been filled in, and each name is a C identifier.

pub mod board;
pub mod record;
pub mod system;
pub mod units;

pub use board::{Board, Memory, OverheadSource, Overheads};
pub use system::{Activation, Buffer, Kernel, Order, Placement, Semaphore, System, Task, Use};
pub use units::{Bytes, Nanos};
