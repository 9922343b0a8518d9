// SPDX-License-Identifier: Apache-2.0
//! What a regulated core did with its budgets of memory traffic.

use schemars::JsonSchema;
use serde::Serialize;

use crate::table::{duration, table};

/// A core with a budget in [regulation]: what the kernel recorded of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RegulationRow {
    /// The core's number, from 0.
    pub core: u32,
    /// Lines of 64 bytes that the core may read from memory in a period.
    pub reads_budget: u64,
    /// Changed lines that its caches may write back in a period.
    pub writes_budget: u64,
    /// Regulation periods that have ended.
    pub periods: u64,
    /// Periods in which the core was throttled, because it had used up a budget.
    pub throttled_periods: u64,
    /// The time for which it idled because of that, in nanoseconds.
    pub throttled_ns: u64,
    /// Interrupts of a counter that left a part of the budget.
    pub early: u64,
    /// The most lines that the core read in one period.
    pub reads_max: u64,
    /// The most changed lines that left its caches in one period.
    pub writes_max: u64,
    /// The most lines above the budget of reads that a period left to the next one.
    pub overdrawn_reads_max: u64,
    /// The most lines above the budget of writes that a period left to the next one.
    pub overdrawn_writes_max: u64,
}

impl RegulationRow {
    /// Adds the same core's row of another run: counts are sums, the largest are of both runs.
    pub fn add(&mut self, other: &RegulationRow) {
        self.periods += other.periods;
        self.throttled_periods += other.throttled_periods;
        self.throttled_ns += other.throttled_ns;
        self.early += other.early;
        self.reads_max = self.reads_max.max(other.reads_max);
        self.writes_max = self.writes_max.max(other.writes_max);
        self.overdrawn_reads_max = self.overdrawn_reads_max.max(other.overdrawn_reads_max);
        self.overdrawn_writes_max = self.overdrawn_writes_max.max(other.overdrawn_writes_max);
    }
}

/// Renders the table of the regulated cores; nothing where there are none.
pub fn render(rows: &[RegulationRow]) -> String {
    const COLUMNS: [&str; 9] = [
        "core",
        "periods",
        "throttled",
        "idle for it",
        "may read",
        "most read",
        "may write",
        "most written",
        "early",
    ];
    if rows.is_empty() {
        return String::new();
    }
    let cells = rows.iter().map(|row| {
        vec![
            row.core.to_string(),
            row.periods.to_string(),
            row.throttled_periods.to_string(),
            duration(row.throttled_ns),
            row.reads_budget.to_string(),
            row.reads_max.to_string(),
            row.writes_budget.to_string(),
            row.writes_max.to_string(),
            row.early.to_string(),
        ]
    });
    format!(
        "\n{}\nof the regulated cores; may read, most read: lines of 64 bytes a period\n",
        table(&COLUMNS, cells)
    )
}
