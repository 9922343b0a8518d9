// SPDX-License-Identifier: Apache-2.0
//! The host-target interface of test programs, as Spike has it: a doubleword `tohost` in memory that they write to
//! end the run, to print, to read what is typed, or to ask for a system call, and a doubleword `fromhost` for answers.
//!
//! What a value means is that of Spike's front end (riscv-isa-sim, `fesvr/device.cc` and `fesvr/syscall.cc`): bits 63:56
//! name a device, 55:48 its command. Device 0 is the host's system calls: an odd value ends the run with its upper
//! bits as the code; an even one is the address of eight doublewords, the number and the arguments, the first of which gets
//! the result. Device 1 is the console: command 0 reads a byte, command 1 writes one. The host takes a request by
//! writing 0 to `tohost`, and answers with device and command in the same bits of `fromhost`.

use serde::{Deserialize, Serialize};

/// What a value written at `tohost` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HtifCall {
    /// End the run with this exit code; 0 is good.
    Exit(u64),
    /// Print this byte on the console; there is no answer.
    Print(u8),
    /// Answer with the next byte that is typed.
    Read,
    /// Perform the system call that the eight doublewords at this address describe.
    System(u64),
    /// Nothing that is understood: no answer.
    Unknown,
    /// Nothing is asked for.
    Nothing,
}

/// Numbers of the system calls that are understood, as on RISC-V's Linux.
pub const SYS_WRITE: u64 = 64;
pub const SYS_EXIT: u64 = 93;
/// The result of every other system call: the Linux error `ENOSYS`.
pub const NOT_IMPLEMENTED: i64 = -38;
/// The result of a write to a file that is not open.
pub const BAD_FILE: i64 = -9;
/// The result of a write of bytes that are not in memory.
pub const BAD_ADDRESS: i64 = -14;

/// Where a program's `tohost` is, and what it may still read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Htif {
    pub tohost: u64,
    /// Answers go here; a program without it gets none.
    pub fromhost: Option<u64>,
    /// What is typed at the console, from the start on.
    pub input: std::collections::VecDeque<u8>,
}

impl Htif {
    /// Whether a write of so many bytes at `address` changes `tohost`.
    pub fn watches(&self, address: u64, bytes: u64) -> bool {
        address < self.tohost.saturating_add(8) && self.tohost < address.saturating_add(bytes)
    }

    /// `value`: the whole doubleword after the write.
    pub fn written(&self, value: u64) -> HtifCall {
        match (value >> 56, value >> 48 & 0xff) {
            (0, 0) if value == 0 => HtifCall::Nothing,
            (0, 0) if value & 1 != 0 => HtifCall::Exit(value >> 1),
            (0, 0) => HtifCall::System(value),
            (1, 0) => HtifCall::Read,
            (1, 1) => HtifCall::Print(value as u8),
            _ => HtifCall::Unknown,
        }
    }
}

/// The answer to a request, as `fromhost` gets it.
pub fn answer(request: u64, value: u64) -> u64 {
    (request >> 48 << 48) | (value << 16 >> 16)
}
