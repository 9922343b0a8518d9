// SPDX-License-Identifier: Apache-2.0
//! Commands as words, and what comes of them.
//!
//! ```text
//!     COMMAND    OP[4:0] TURN[5] WAIT[7:6] PRIORITY[13:8] OBJECT[23:14] CALLER[31:24] IMMEDIATE[63:32]
//!     ARGUMENT   task       CORE[7:0] PRIORITY[13:8] ACTIVATIONS[31:16]
//!                semaphore  INITIAL[31:0] MAXIMUM[62:32] BY_PRIORITY[63]
//!                queue      PLACES[15:0] BY_PRIORITY[16] RAISES[31:24]
//! ```

use serde::{Deserialize, Serialize};

pub const NOP: u64 = 0;
pub const CREATE_TASK: u64 = 1;
pub const CREATE_SEMAPHORE: u64 = 2;
pub const CREATE_QUEUE: u64 = 3;
pub const START: u64 = 4;
pub const WAKE: u64 = 5;
pub const END: u64 = 6;
pub const DELAY: u64 = 7;
pub const SLEEP: u64 = 8;
pub const YIELD: u64 = 9;
pub const SET_PRIORITY: u64 = 10;
pub const TAKE: u64 = 11;
pub const GIVE: u64 = 12;
pub const SEND: u64 = 13;
pub const SEND_LONG: u64 = 14;
pub const RECEIVE: u64 = 15;
pub const RELEASE: u64 = 16;

/// A submitted command, with what ARGUMENT and UNTIL held at its arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    pub word: u64,
    pub argument: u64,
    pub until: u64,
}

impl Command {
    pub fn op(self) -> u64 {
        bits(self.word, 0, 5)
    }

    pub fn turn(self) -> bool {
        bits(self.word, 5, 1) != 0
    }

    /// How long the caller waits. None: not at all. The value 3 means what 2 does.
    pub fn wait(self) -> Option<Wait> {
        match bits(self.word, 6, 2) {
            0 => None,
            1 => Some(Wait::Until(self.until)),
            _ => Some(Wait::ForEver),
        }
    }

    /// 1, the highest, to 64; one less in the word.
    pub fn priority(self) -> u8 {
        bits(self.word, 8, 6) as u8 + 1
    }

    pub fn object(self) -> usize {
        bits(self.word, 14, 10) as usize
    }

    /// 0: none.
    pub fn caller(self) -> usize {
        bits(self.word, 24, 8) as usize
    }

    pub fn immediate(self) -> u32 {
        bits(self.word, 32, 32) as u32
    }

    /// The word that is sent.
    pub fn sent(self) -> u64 {
        match self.op() {
            SEND_LONG => self.argument,
            _ => self.immediate() as i32 as u64,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    Until(u64),
    ForEver,
}

/// The result of a command: the field ERROR of its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Error {
    #[default]
    Done = 0,
    /// The time of a wait has come, or the command would have to wait and may not.
    Timeout = 1,
    /// A count is at its maximum.
    Overflow = 2,
    /// The task or the unit is in a state that the command is not for.
    State = 3,
    /// No such object, operation or priority.
    NoSuch = 4,
    /// A command came while another one of the page was under way.
    Busy = 5,
    /// The caller is not the task that the hart has taken, or is not ready.
    NotTaken = 6,
}

/// The result of a task's last call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    pub error: Error,
    /// The priority of the message that was received, 1 to 64; 0: there is none.
    pub priority: u8,
    /// The word of that message.
    pub value: u64,
}

impl Outcome {
    pub fn of(error: Error) -> Outcome {
        Outcome { error, ..Outcome::default() }
    }
}

/// The `count` bits of a word from bit `low` on.
pub fn bits(word: u64, low: u32, count: u32) -> u64 {
    word >> low & (u64::MAX >> (64 - count))
}
