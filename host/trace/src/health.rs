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
    /// What it did each time, as the partition's table `health` says: "restart_task", "stop_task", "stop_partition" or
    /// "shutdown".
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
