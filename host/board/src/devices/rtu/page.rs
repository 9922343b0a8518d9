// SPDX-License-Identifier: Apache-2.0
//! A hart's page: its registers, the command that it has submitted, and the decision for its hart.
//!
//! ```text
//!     ANSWER    BUSY[0] LONG[1] JOB[2] TURN[5] ERROR[15:8] NEXT[23:16] PRIORITY[29:24] VALUE[63:32]
//! ```

use serde::{Deserialize, Serialize};

use super::command::{Command, Error, Outcome};
use crate::devices::{Kind, Refused, Tick};

pub const COMMAND: u64 = 0x00;
pub const ARGUMENT: u64 = 0x08;
pub const UNTIL: u64 = 0x10;
pub const ANSWER: u64 = 0x18;
pub const LOOK: u64 = 0x20;
pub const VALUE: u64 = 0x28;

/// Which task the hart should run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// 0: none.
    pub next: u8,
    /// Flips with each job of that task.
    pub job: bool,
    /// The result of that task's last call.
    pub outcome: Outcome,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    argument: u64,
    until: u64,
    /// The command under way, and when it arrived.
    pub submitted: Option<(Tick, Command)>,
    /// The turn of the last command that was served.
    turn: bool,
    /// Why a command was ignored, until a read takes it.
    fault: Error,
    /// Commands that were ignored.
    pub ignored: u64,
    /// Whether the answer to a command has not been taken yet.
    unread: bool,
    decision: Decision,
    /// The task that was taken last; 0: none.
    pub taken: u8,
    value: u64,
    /// The result of the last command without a caller.
    pub unclaimed: Outcome,
}

impl Page {
    pub fn access(&mut self, now: Tick, offset: u64, kind: Kind) -> Result<u64, Refused> {
        match (offset, kind) {
            (COMMAND, Kind::Write(word)) => self.submit(now, word),
            (ARGUMENT, Kind::Write(value)) => self.argument = value,
            (UNTIL, Kind::Write(value)) => self.until = value,
            (ANSWER, Kind::Read) => return Ok(self.take()),
            (LOOK, Kind::Read) => return Ok(self.answer()),
            (VALUE, Kind::Read) => return Ok(self.value),
            _ => return Err(Refused),
        }
        Ok(0)
    }

    fn submit(&mut self, now: Tick, word: u64) {
        if self.submitted.is_some() {
            self.ignore(Error::Busy);
        } else {
            let command = Command { word, argument: self.argument, until: self.until };
            self.submitted = Some((now, command));
        }
    }

    /// Notes why a command was ignored.
    pub fn ignore(&mut self, fault: Error) {
        self.fault = fault;
        self.ignored += 1;
    }

    /// Ends the command under way.
    pub fn served(&mut self) {
        if let Some((_, command)) = self.submitted.take() {
            self.turn = command.turn();
            self.unread = true;
        }
    }

    pub fn decide(&mut self, decision: Decision) {
        self.decision = decision;
    }

    /// The level of the hart's wire: another task should run than it has taken. Who has submitted a command will read
    /// the answer, and needs no interrupt.
    pub fn level(&self) -> bool {
        self.submitted.is_none() && !self.unread && self.decision.next != self.taken
    }

    fn take(&mut self) -> u64 {
        let answer = self.answer();
        if self.submitted.is_none() {
            self.taken = self.decision.next;
            self.value = self.decision.outcome.value;
            self.unread = false;
            self.fault = Error::Done;
        }
        answer
    }

    fn answer(&self) -> u64 {
        let Decision { next, job, outcome: Outcome { error, priority, value } } = self.decision;
        let error = if self.fault == Error::Done { error } else { self.fault };
        let short = value as i32;
        u64::from(self.submitted.is_some())
            | u64::from(short as u64 != value) << 1
            | u64::from(job) << 2
            | u64::from(self.turn) << 5
            | (error as u64) << 8
            | u64::from(next) << 16
            | u64::from(priority.saturating_sub(1)) << 24
            | u64::from(short as u32) << 32
    }
}
