// SPDX-License-Identifier: Apache-2.0
//! What a core with a frame did with its windows.

use schemars::JsonSchema;
use serde::Serialize;

use crate::table::{duration, table};

/// A core with a frame: how late it opened and closed windows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FrameRow {
    /// The core's number, from 0.
    pub core: u32,
    /// The frame's length, in nanoseconds.
    pub frame_ns: u64,
    /// The windows of a frame.
    pub windows: usize,
    /// How often a window was opened or closed; both at one time are one change.
    pub changes: u64,
    /// The longest time by which the kernel was late to do so, in nanoseconds.
    pub late_ns: u64,
    /// No change is later than this, in nanoseconds; null: nothing bounds it.
    pub bound_ns: Option<u64>,
}

impl FrameRow {
    /// Adds the same core's row of another run: counts are sums, the largest are of both runs.
    pub fn add(&mut self, other: &FrameRow) {
        self.changes += other.changes;
        self.late_ns = self.late_ns.max(other.late_ns);
    }

    /// Whether a change was later than its bound.
    pub fn is_broken(&self) -> bool {
        self.bound_ns.is_some_and(|bound| self.late_ns > bound)
    }
}

/// Renders the table of the cores with frames; nothing where there are none.
pub fn render(rows: &[FrameRow]) -> String {
    const COLUMNS: [&str; 7] =
        ["core", "frame", "windows", "changes", "bound", "latest", "verdict"];
    if rows.is_empty() {
        return String::new();
    }
    let cells = rows.iter().map(|row| {
        vec![
            row.core.to_string(),
            duration(row.frame_ns),
            row.windows.to_string(),
            row.changes.to_string(),
            row.bound_ns.map_or("-".to_string(), duration),
            duration(row.late_ns),
            match (row.bound_ns, row.is_broken()) {
                (None, _) => "no bound".to_string(),
                (Some(_), false) => "holds".to_string(),
                (Some(_), true) => "broken".to_string(),
            },
        ]
    });
    format!(
        "\n{}\nof the cores that are divided into windows; latest: the longest time by which a window opened or closed late\n",
        table(&COLUMNS, cells)
    )
}
