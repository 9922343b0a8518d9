// SPDX-License-Identifier: Apache-2.0
//! Memory of a core's own that no cache keeps.

use crate::devices::Tick;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scratchpad {
    pub core: u32,
    /// The place of its first byte in the machine's array of bytes.
    pub offset: u64,
    pub size: u64,
    /// A load in all, at least 1.
    pub latency: Tick,
    /// Others have a window to it.
    pub shared: bool,
}
