// SPDX-License-Identifier: Apache-2.0
//! What the health monitor saw of partitions, and what it did.

use schemars::JsonSchema;
use serde::Serialize;

use crate::table::{duration, table};

/// The errors of one kind of a partition's task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HealthRow {
    /// The partition's name.
    pub partition: String,
    /// The task's name.
    pub task: String,
    /// What the monitor saw: "memory_violation", "stack_overflow", "illegal_request" or "application_error".
    pub error: String,
    /// What the partition's table `health` says for it: "restart_task", "stop_task", "restart_warm", "restart_cold",
    /// "stop_partition" or "shutdown". Where the partition's restarts are used up, a restart stops it.
    pub action: String,
    /// How often.
    pub count: u64,
    /// When it was the last time, in nanoseconds from the epoch.
    pub latest_ns: u64,
}

impl HealthRow {
    /// Adds the rows of another run: counts are sums, the times the latest.
    pub fn add_all(rows: &mut Vec<HealthRow>, others: &[HealthRow]) {
        for other in others {
            let same =
                |row: &&mut HealthRow| (&row.task, &row.error) == (&other.task, &other.error);
            match rows.iter_mut().find(same) {
                Some(row) => {
                    row.count += other.count;
                    row.latest_ns = row.latest_ns.max(other.latest_ns);
                }
                None => rows.push(other.clone()),
            }
        }
    }
}

/// The restarts of a partition, or its stop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RestartRow {
    /// The partition's name.
    pub partition: String,
    /// How often it was started again with the initial values of its variables.
    pub cold: u64,
    /// How often it was started again with its variables as they were.
    pub warm: u64,
    /// How often it was stopped for good: at most once in a run.
    pub stopped: u64,
    /// When it was started again or stopped the last time, in nanoseconds from the epoch.
    pub latest_ns: u64,
    /// The longest time from an error, or a call that asked for it, until all its tasks could begin again, or had been
    /// stopped.
    pub longest_ns: u64,
}

impl RestartRow {
    /// Adds the rows of another run: counts are sums, the times the latest and the longest.
    pub fn add_all(rows: &mut Vec<RestartRow>, others: &[RestartRow]) {
        for other in others {
            match rows.iter_mut().find(|row| row.partition == other.partition) {
                Some(row) => {
                    row.cold += other.cold;
                    row.warm += other.warm;
                    row.stopped += other.stopped;
                    row.latest_ns = row.latest_ns.max(other.latest_ns);
                    row.longest_ns = row.longest_ns.max(other.longest_ns);
                }
                None => rows.push(other.clone()),
            }
        }
    }
}

/// Renders the table of restarts; nothing where there were none.
pub fn render_restarts(rows: &[RestartRow]) -> String {
    const COLUMNS: [&str; 6] = ["partition", "cold", "warm", "stopped", "latest", "longest"];
    if rows.is_empty() {
        return String::new();
    }
    let cells = rows.iter().map(|row| {
        vec![
            row.partition.clone(),
            row.cold.to_string(),
            row.warm.to_string(),
            row.stopped.to_string(),
            duration(row.latest_ns),
            duration(row.longest_ns),
        ]
    });
    format!(
        "\n{}\nof partitions that were restarted or stopped; latest: the time of the last one; longest: from an error until all its tasks could begin again, or had been stopped\n",
        table(&COLUMNS, cells)
    )
}

/// Renders the table of errors; nothing where there were none.
pub fn render(rows: &[HealthRow]) -> String {
    const COLUMNS: [&str; 6] = ["partition", "task", "error", "action", "times", "latest"];
    if rows.is_empty() {
        return String::new();
    }
    let cells = rows.iter().map(|row| {
        vec![
            row.partition.clone(),
            row.task.clone(),
            row.error.clone(),
            row.action.clone(),
            row.count.to_string(),
            duration(row.latest_ns),
        ]
    });
    format!(
        "\n{}\nof errors of partitions; latest: the time of the last one\n",
        table(&COLUMNS, cells)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_restarts_of_runs_add_up() {
        let row = |partition: &str, cold, stopped, latest_ns, longest_ns| RestartRow {
            partition: partition.into(),
            cold,
            warm: 1,
            stopped,
            latest_ns,
            longest_ns,
        };
        let mut rows = vec![row("a", 2, 0, 70, 9)];
        RestartRow::add_all(&mut rows, &[row("b", 1, 0, 5, 2), row("a", 3, 1, 60, 12)]);
        let sum = RestartRow { warm: 2, ..row("a", 5, 1, 70, 12) };
        assert_eq!(rows, [sum, row("b", 1, 0, 5, 2)]);
        assert!(render_restarts(&rows).contains("12ns"));
        assert_eq!(render_restarts(&[]), "");
    }

    #[test]
    fn the_errors_of_runs_add_up() {
        let row = |task: &str, count, latest_ns| HealthRow {
            partition: "p".into(),
            task: task.into(),
            error: "stack_overflow".into(),
            action: "stop_task".into(),
            count,
            latest_ns,
        };
        let mut rows = vec![row("a", 2, 70)];
        HealthRow::add_all(&mut rows, &[row("b", 1, 5), row("a", 3, 60)]);
        assert_eq!(rows, [row("a", 5, 70), row("b", 1, 5)]);
        assert!(render(&rows).contains("stop_task"));
        assert_eq!(render(&[]), "");
    }
}
