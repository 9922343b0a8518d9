// SPDX-License-Identifier: Apache-2.0
//! The state of one task according to the record.

use takt_record::Class;

use super::EventOrigin;
use crate::report::Expected;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Dormant,
    /// The task is ready or running.
    Ready,
    /// The task waits for the object of this class and ID; with class none, for a time or a
    /// wake-up.
    Waiting(Class, u16),
}

#[derive(Debug)]
pub struct Task {
    /// The task's owner; `usize::MAX` during a migration.
    pub core: usize,
    /// The destination of a migration under way, and the event of the departure.
    pub in_transit: Option<(usize, EventOrigin)>,
    pub state: State,
    pub suspended: bool,
    pub priority: u8,
    /// Whether the next job waits for the end of the separation.
    pub held_back: bool,
    /// The described priority, with which each job begins.
    described: u8,
    /// Under `rtu`: the highest priority that the task may have, and the lowest.
    pub priorities: (u8, u8),
    /// The number of changes of the priority by other cores that are under way, and whether two
    /// were at a time.
    changes: (u32, bool),
    /// Whether messages of a channel may raise the task.
    pub is_raised: bool,
}

impl Task {
    pub fn new(expected: &Expected, is_raised: bool) -> Task {
        let mut task = Task {
            core: expected.core as usize,
            in_transit: None,
            state: State::Dormant,
            suspended: false,
            priority: expected.priority,
            held_back: false,
            described: expected.priority,
            priorities: (expected.priority, expected.priority),
            changes: (0, false),
            is_raised,
        };
        task.end_priorities();
        task
    }

    /// Notes under `rtu` that the job, or a next one, has no priority of its own.
    pub fn end_priorities(&mut self) {
        let highest = if self.is_raised { 1 } else { self.described };
        (self.priorities, self.changes) = ((highest, self.described), (0, false));
    }

    /// Notes under `rtu` a priority that the task may have, and that it has alone if that is `sure`
    /// and no other change is under way.
    pub fn may_have_priority(&mut self, priority: u8, sure: bool) {
        let (open, overlap) = self.changes;
        let alone = sure && open <= 1 && !overlap && self.state != State::Dormant;
        self.changes =
            if sure { (open.saturating_sub(1), overlap) } else { (open + 1, overlap || open > 0) };
        let (highest, lowest) = self.priorities;
        self.priorities = match alone {
            true => (priority, priority),
            false => (highest.min(priority), lowest.max(priority)),
        };
        if self.is_raised {
            self.priorities.0 = 1;
        }
    }

    pub fn begin_job(&mut self) {
        (self.state, self.suspended, self.held_back) = (State::Ready, false, false);
        self.priority = self.described;
    }

    /// Whether the task has no job, and none will begin by itself.
    pub fn is_idle(&self) -> bool {
        self.state == State::Dormant && !self.held_back
    }

    /// Whether the task must be in its core's ready queue.
    pub fn is_queued(&self) -> bool {
        self.state == State::Ready && !self.suspended
    }

    pub fn words(&self) -> &'static str {
        match (self.state, self.suspended) {
            (State::Dormant, _) => "has no job",
            (State::Ready, false) => "is ready",
            (State::Ready, true) => "is suspended",
            (State::Waiting(..), _) => "waits",
        }
    }
}
