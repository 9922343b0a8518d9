// SPDX-License-Identifier: Apache-2.0
//! Deadline monotonic priorities on one core, fitted around the given ones.
//!
//! A task goes just above the first of the given priorities that belongs to a longer deadline. The
//! tasks of one such gap take its levels from the top, and share them evenly when there are too
//! few. A gap without a level shares the one below it, so that a task with a given high priority is
//! not disturbed. Tasks without a deadline get the lowest level, if possible for themselves.

use takt_model::System;
use takt_model::system::LOWEST_PRIORITY;

/// Sets the priorities of `tasks`, which are all those of one core.
pub fn prioritise(system: &System, tasks: &[usize], priorities: &mut [u8]) {
    let mut given: Vec<Given> = Vec::new();
    let mut free: Vec<(u64, usize)> = Vec::new();
    let mut background = false;
    for &index in tasks {
        let task = &system.tasks[index];
        match (task.priority, task.deadline) {
            (Some(priority), deadline) => {
                priorities[index] = priority;
                given.push(Given { priority, deadline: deadline.map_or(u64::MAX, |time| time.0) });
            }
            (None, Some(deadline)) => free.push((deadline.0, index)),
            (None, None) => {
                priorities[index] = LOWEST_PRIORITY;
                background = true;
            }
        }
    }
    given.sort_by_key(|one| (one.priority, one.deadline));
    free.sort();
    let gap = |deadline| given.iter().position(|one| one.deadline > deadline);
    for tasks in free.chunk_by(|a, b| gap(a.0) == gap(b.0)) {
        let levels = Gap::new(&given, gap(tasks[0].0), background);
        for (place, (_, index)) in tasks.iter().enumerate() {
            priorities[*index] = levels.level(place, tasks.len());
        }
    }
}

struct Given {
    priority: u8,
    deadline: u64,
}

/// The levels between two given priorities.
struct Gap {
    first: u8,
    levels: u8,
    /// The level of all tasks of the gap, if it has no levels.
    shared: u8,
}

impl Gap {
    /// The gap above `given[below]`; None: the gap below all of them.
    fn new(given: &[Given], below: Option<usize>, background: bool) -> Self {
        let above = match below.unwrap_or(given.len()) {
            0 => 0,
            next => given[next - 1].priority,
        };
        let end = if background { LOWEST_PRIORITY } else { LOWEST_PRIORITY + 1 };
        let (end, shared) = match below {
            Some(below) => (given[below].priority, given[below].priority),
            None => (end, above),
        };
        Gap {
            first: above.saturating_add(1),
            levels: end.saturating_sub(above.saturating_add(1)),
            shared,
        }
    }

    fn level(&self, place: usize, tasks: usize) -> u8 {
        let levels = usize::from(self.levels);
        match levels {
            0 => self.shared,
            _ if tasks <= levels => self.first + place as u8,
            _ => self.first + (place * levels / tasks) as u8,
        }
    }
}
