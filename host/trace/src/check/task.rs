// SPDX-License-Identifier: Apache-2.0
//! What the record says of one task.

use takt_record::Class;

use super::At;
use crate::report::Expected;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Dormant,
    /// Ready, or running.
    Ready,
    /// For the object of a class and ID; class none: for time or a wake-up.
    Waiting(Class, u16),
}

#[derive(Debug)]
pub struct Task {
    /// Whose it is; of none while it is on its way.
    pub core: usize,
    /// Where it was sent, and when and by whom.
    pub going: Option<(usize, At)>,
    pub state: State,
    pub suspended: bool,
    pub priority: u8,
    /// Its next job begins when its separation is over.
    pub held_back: bool,
    /// Of each new job.
    described: u8,
}

impl Task {
    pub fn new(expected: &Expected) -> Task {
        Task {
            core: expected.core as usize,
            going: None,
            state: State::Dormant,
            suspended: false,
            priority: expected.priority,
            held_back: false,
            described: expected.priority,
        }
    }

    pub fn begin_job(&mut self) {
        (self.state, self.suspended, self.held_back) = (State::Ready, false, false);
        self.priority = self.described;
    }

    /// There is no job, and none to come by itself.
    pub fn is_idle(&self) -> bool {
        self.state == State::Dormant && !self.held_back
    }

    /// Whether it must stand in its core's ready queue.
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
