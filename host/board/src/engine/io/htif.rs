// SPDX-License-Identifier: Apache-2.0
//! The host's side of the host-target interface: what it does when a store has changed `tohost`.
//!
//! It acts at the moment at which that store is performed, and at once: the hart that asked owns the line of `tohost`,
//! and by the interface's own rules no other hart looks at `fromhost` before the one that asked has taken the answer.

use super::Io;
use crate::{
    devices::{
        Finish, HtifCall, Tick,
        htif::{BAD_ADDRESS, BAD_FILE, NOT_IMPLEMENTED, SYS_EXIT, SYS_WRITE, answer},
    },
    memory::Ram,
};

/// Bytes that one system call can print.
const WRITE_MAX: u64 = 1 << 20;

impl Io {
    /// Answers a store to `tohost`; one that no page of the fast table served may be to it.
    pub fn stored(&mut self, ram: &mut Ram, now: Tick, offset: u64, bytes: u64) {
        let Some(htif) = &self.htif else { return };
        if !htif.watches(ram.address(offset), bytes) {
            return;
        }
        let tohost = htif.tohost;
        let Some(request) = doubleword(ram, tohost) else { return };
        let Some(htif) = &mut self.htif else { return };
        let value = match htif.written(request) {
            HtifCall::Nothing => return,
            HtifCall::Exit(code) => return self.exit(now, code),
            HtifCall::Print(byte) => {
                self.platform.console().push(byte);
                None
            }
            // A byte that is there is marked. Where none is there is no answer, as none will ever come.
            HtifCall::Read => htif.input.pop_front().map(|byte| 0x100 | u64::from(byte)),
            HtifCall::System(block) => Some(self.system_call(ram, now, block)),
            HtifCall::Unknown => None,
        };
        set_doubleword(ram, tohost, 0);
        let fromhost = self.htif.as_ref().and_then(|htif| htif.fromhost);
        if let (Some(value), Some(fromhost)) = (value, fromhost) {
            set_doubleword(ram, fromhost, answer(request, value));
        }
    }

    fn exit(&mut self, now: Tick, code: u64) {
        let finish = if code == 0 { Finish::Pass } else { Finish::Fail(code as u32) };
        self.finish_now(finish, now);
    }

    /// Performs the system call of the block, leaves its result there, and answers what `fromhost` gets.
    fn system_call(&mut self, ram: &mut Ram, now: Tick, block: u64) -> u64 {
        let word = |at: u64| doubleword(ram, block.wrapping_add(8 * at));
        let (Some(number), Some(first), Some(second), Some(third)) =
            (word(0), word(1), word(2), word(3))
        else {
            return 1;
        };
        let result = match number {
            SYS_WRITE if first == 1 || first == 2 => self.print(ram, second, third),
            SYS_WRITE => BAD_FILE,
            SYS_EXIT => {
                self.exit(now, first);
                0
            }
            _ => NOT_IMPLEMENTED,
        };
        set_doubleword(ram, block, result as u64);
        1
    }

    /// Prints bytes of RAM; answers how many.
    fn print(&mut self, ram: &Ram, address: u64, count: u64) -> i64 {
        let count = count.min(WRITE_MAX);
        let Some(offset) = ram.offset(address, count) else { return BAD_ADDRESS };
        self.platform.console().extend(ram.slice(offset, count));
        count as i64
    }
}

/// A doubleword of RAM at an address; None where it is not aligned or not there.
fn doubleword(ram: &Ram, address: u64) -> Option<u64> {
    ram.offset(address, 8).filter(|_| address % 8 == 0).map(|at| ram.read::<8>(at))
}

fn set_doubleword(ram: &mut Ram, address: u64, value: u64) {
    if let Some(offset) = ram.offset(address, 8).filter(|_| address % 8 == 0) {
        ram.touch(offset);
        ram.write::<8>(offset, value);
    }
}
