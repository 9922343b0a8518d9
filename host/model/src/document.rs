// SPDX-License-Identifier: Apache-2.0
//! The parts that the JSON documents of several commands have in common.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Board, OverheadSource, Stamp};

/// The version of the documents. It is raised when a key changes its meaning or is removed; new
/// keys do not raise it.
pub const FORMAT: u32 = 1;

/// The board that a result is about, with the stamps that tell two of one name apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BoardStamp {
    /// The board's name.
    pub name: String,
    /// A hash of all that decides a time in the board's file; null: the board has no timing.
    pub timing_hash: Option<String>,
    /// Where the kernel's overheads in the board's file come from.
    pub overheads: OverheadSource,
    /// The timing and the kernel with which the overheads were measured; null: the file does not say.
    pub measured_with: Option<Stamp>,
}

impl From<&Board> for BoardStamp {
    fn from(board: &Board) -> Self {
        BoardStamp {
            name: board.name.clone(),
            timing_hash: board.timing_hash(),
            overheads: board.overheads.source,
            measured_with: board.overheads.stamp.clone(),
        }
    }
}
