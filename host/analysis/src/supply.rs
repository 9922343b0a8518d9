// SPDX-License-Identifier: Apache-2.0
//! Supply: what a core does for its tasks in a window of time, at least.

use crate::quantity::{Time, Work};

/// The pseudo-inverse of a supply bound function.
pub trait SupplyBound {
    /// The least length that a window needs, so that all of the work is done in it, wherever the window begins. It grows
    /// with the work, and is nowhere shorter than [`Work::as_time`].
    fn time_for(&self, work: Work) -> Time;
}

/// A core that is there for its tasks all the time. What the kernel and interrupts take is demand.
#[derive(Clone, Copy, Debug)]
pub struct WholeCore;

impl SupplyBound for WholeCore {
    fn time_for(&self, work: Work) -> Time {
        work.as_time()
    }
}
