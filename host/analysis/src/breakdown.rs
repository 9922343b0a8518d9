// SPDX-License-Identifier: Apache-2.0
//! What a response consists of, for explanations.

use takt_model::Nanos;

/// Entries that [`Breakdown::interference`] lists by name, so that a table of thousands of tasks
/// stays small.
pub const LISTED: usize = 16;

/// The window that gave the bound, part by part.
///
/// The response is the sum of all parts less `lead`. For a task that breaks without a bound, it
/// is the window at which the analysis stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Breakdown {
    /// From the nominal release until the job is ready.
    pub jitter: Nanos,
    /// The task's own execution; of several jobs if they queue up.
    pub execution: Nanos,
    /// The task's own sleeps and waits for signals.
    pub suspension: Nanos,
    /// Lower tasks' holds and kernel sections.
    pub blocking: Nanos,
    /// Execution of other tasks, the largest first, at most [`LISTED`] of them.
    pub interference: Vec<Interference>,
    /// Execution of the tasks that `interference` has no place for.
    pub others: Nanos,
    /// Interrupts, releases, dispatches and preemptions, and handlers of the application.
    pub kernel: Nanos,
    /// Part of the window that lies before the job is ready.
    pub lead: Nanos,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interference {
    /// Index of the task.
    pub task: usize,
    pub time: Nanos,
}

impl Breakdown {
    /// Keeps the largest of `all`, an entry a task, in a fixed order, and sums up the rest.
    pub(crate) fn interfere(&mut self, mut all: Vec<Interference>) {
        all.retain(|one| one.time.0 > 0);
        all.sort_by_key(|one| one.task);
        all.dedup_by(|next, kept| {
            let same = next.task == kept.task;
            if same {
                kept.time = Nanos(kept.time.0.saturating_add(next.time.0));
            }
            same
        });
        all.sort_by_key(|one| (std::cmp::Reverse(one.time), one.task));
        let rest = all.split_off(all.len().min(LISTED));
        self.others = Nanos(rest.iter().fold(0, |sum, one| sum.saturating_add(one.time.0)));
        self.interference = all;
    }

    /// Who takes most of the time.
    pub(crate) fn culprit(&self) -> Option<usize> {
        self.interference.first().map(|one| one.task)
    }
}
