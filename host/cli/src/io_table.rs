// SPDX-License-Identifier: Apache-2.0
//! Prints the I/O schedule: its windows, and how long each transaction takes.

use takt_analysis::{Analysis, IoDocument, IoSchedule};
use takt_model::{Nanos, System};

/// What `takt check` prints of a system with an I/O schedule.
pub fn text(system: &System, analysis: &Analysis, found: &Result<IoSchedule, String>) -> String {
    let document = IoDocument::new(system, analysis, found);
    if let Some(why) = &document.explanation {
        return format!("I/O schedule: none: {why}\n");
    }
    let columns = ["transaction", "part", "on", "runs", "offset", "duration", "period"];
    let dash = |it: &Option<String>| it.clone().unwrap_or("-".into());
    let time = |time: u64| Nanos(time).to_string();
    let windows = document.windows.iter().map(|it| {
        let times = [it.offset_ns, it.duration_ns, it.period_ns].map(time);
        let words = [dash(&it.transaction), it.part.into(), it.on.clone(), dash(&it.runs)];
        words.into_iter().chain(times).collect()
    });
    let mut text = format!("\n{}\n", takt_trace::table(&columns, windows));
    if document.transactions.is_empty() {
        return text;
    }
    let columns = ["transaction", "end to end", "limit", "slack", "verdict"];
    let rows = document.transactions.iter().map(|it| {
        let taken = it.end_to_end_ns.unwrap_or_default();
        let verdict = match &it.late_task {
            None => "met".to_owned(),
            Some(task) => format!("breaks: {task} can miss its deadline"),
        };
        vec![
            it.transaction.clone(),
            time(taken),
            time(it.limit_ns),
            time(it.limit_ns - taken),
            verdict,
        ]
    });
    text += &format!("\n{}\n", takt_trace::table(&columns, rows));
    for line in assumed(system) {
        text += &format!("- {line}\n");
    }
    let word = if document.met { "met" } else { "not met" };
    text + &format!("I/O schedule: {word}\n")
}

/// What the verdict assumes of partitions whose windows are part of transactions.
fn assumed(system: &System) -> Vec<String> {
    let mut lines = Vec::new();
    for transaction in &system.io.transactions {
        let task = &system.tasks[transaction.task.task];
        let (Some(core), Some(partition)) = (task.core, task.partition) else { continue };
        if system.frame(core).is_none() {
            continue;
        }
        let name = &system.partitions[partition].name;
        lines.push(format!(
            "{}: a job of task {} ends in the window of partition {name} in which it was released; that is assumed, as its bound holds for releases at any time",
            transaction.name, task.name
        ));
    }
    lines
}
