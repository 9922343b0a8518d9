// SPDX-License-Identifier: Apache-2.0
//! RV64GC with M, S and U modes, Zba, Zbb, Zbs, Zicbom, Zihintpause, Sstc and Sscofpmf: what an
//! instruction does to a hart. Timeless: all that takes time lies behind [`Port`].

mod port;

pub use port::{Amo, CacheBlock, Class, Event, Exception, Ordering, Port, Stop};

/// One decoded instruction, eight bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instruction {
    pub op: u8,
    pub rd: u8,
    pub rs1: u8,
    pub rs2: u8,
    pub imm: i32,
}

/// A hart's architectural state.
pub struct Hart {
    /// x0 to x31; the rest is for the interpreter.
    pub x: [u64; 64],
    pub pc: u64,
}
