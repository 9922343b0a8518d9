// SPDX-License-Identifier: Apache-2.0
//! What an instruction meets outside of its hart: memory, devices and time.

use super::{Hart, Instruction};
use serde::{Deserialize, Serialize};

/// Why an instruction could not be completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It raises this exception.
    Trap(Exception),
    /// What it needs is not there yet. The hart stays at this instruction, which is executed again
    /// from its start when the machine resumes the hart; nothing of it may have happened so far.
    Wait,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exception {
    /// The cause as in `mcause`, 0 to 15.
    pub cause: u64,
    pub tval: u64,
}

/// Instructions whose cost the board's description gives; each other class takes one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Multiply,
    Divide,
    FloatAdd,
    FloatMultiply,
    FloatFused,
    FloatDivide,
    FloatRoot,
    FloatMove,
    System,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Amo {
    Swap,
    Add,
    Xor,
    And,
    Or,
    Min,
    Max,
    MinUnsigned,
    MaxUnsigned,
}

impl Amo {
    /// What the operation leaves in memory, of 4 or 8 bytes.
    pub fn apply(self, bytes: u8, old: u64, operand: u64) -> u64 {
        let signed = |x: u64| if bytes == 4 { i64::from(x as u32 as i32) } else { x as i64 };
        let plain = |x: u64| if bytes == 4 { u64::from(x as u32) } else { x };
        let pick = |first: bool| if first { old } else { operand };
        match self {
            Amo::Swap => operand,
            Amo::Add => old.wrapping_add(operand),
            Amo::Xor => old ^ operand,
            Amo::And => old & operand,
            Amo::Or => old | operand,
            Amo::Min => pick(signed(old) <= signed(operand)),
            Amo::Max => pick(signed(old) >= signed(operand)),
            Amo::MinUnsigned => pick(plain(old) <= plain(operand)),
            Amo::MaxUnsigned => pick(plain(old) >= plain(operand)),
        }
    }
}

/// `.aq` and `.rl` of an atomic instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ordering {
    pub acquire: bool,
    pub release: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheBlock {
    Clean,
    Flush,
    Invalidate,
}

/// The time of a hart that executes instructions, in cycles. The loop over them keeps it in the host's registers.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// When the present instruction began, plus what it was charged so far.
    pub clock: u64,
    /// When the present instruction began.
    pub began: u64,
    /// No instruction begins here or later.
    pub limit: u64,
}

/// A line of decoded instructions.
pub trait Decoded {
    /// The instruction at an address. [`super::Op::Undecoded`]: it needs [`Port::complete`].
    fn at(&self, pc: u64) -> &Instruction;
}

/// What the programmable counters can count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum CounterEvent {
    Cycles = 1,
    Instructions = 2,
    L1dMiss = 3,
    L1iMiss = 4,
    L2Miss = 5,
    LlcMiss = 6,
    MemoryRead = 7,
    MemoryWrite = 8,
    TlbMiss = 9,
}

/// Above every [`CounterEvent`].
pub const EVENTS: usize = 16;

/// The machine as one hart sees it while it runs.
///
/// Addresses are virtual; the port translates them (with [`super::Walk`]), checks PMP, and raises the
/// exceptions of the access. A misaligned LR or SC or AMO is refused by the port (causes 4, 6); other
/// misaligned accesses work. Each method may be called again for the same instruction after `Wait`.
///
/// The pace is the loop's own while it executes what is frequent: only the methods that are given it know it then. Before it
/// calls any other method it gives the pace back, and takes it anew behind.
pub trait Port {
    /// The hart executes only what is done at once: before anything else, and before a trap, [`super::run`] comes back
    /// as from a wait. The pace says then when the instruction that is left would have begun.
    const ONLY_AT_ONCE: bool = false;

    /// A line of instructions, good until the next call of any `fetch`, `fence_i`, `sfence` or `context_changed`.
    type Line: Decoded;

    fn pace(&self) -> Pace;
    /// `clock` and `began` have changed, `limit` has not.
    fn set_pace(&mut self, pace: Pace);

    /// An instruction that began then is complete. Told where [`Port::ONLY_AT_ONCE`] is set.
    #[inline(always)]
    fn completed(&mut self, _began: u64) {}

    /// The line of instructions that holds `pc`, if the port has it at hand.
    #[inline(always)]
    fn fetch_at_once(&mut self, _pace: &mut Pace, _pc: u64) -> Option<Self::Line> {
        None
    }

    /// The line of instructions that holds `pc`.
    fn fetch(&mut self, hart: &mut Hart, pc: u64) -> Result<Self::Line, Stop>;

    /// [`Port::complete`], if all is at hand.
    #[inline(always)]
    fn complete_at_once(
        &mut self,
        _pace: &mut Pace,
        _line: &Self::Line,
        _pc: u64,
    ) -> Option<Self::Line> {
        None
    }

    /// The line with the instruction at `pc`, decoded. One of 4 bytes that begins in a line's last 2 is fetched
    /// whole: the port answers for both lines, each time.
    fn complete(&mut self, hart: &mut Hart, line: &Self::Line, pc: u64)
    -> Result<Self::Line, Stop>;

    /// `N` bytes (1, 2, 4, 8), zero-extended, if nothing but the pace changes by it.
    #[inline(always)]
    fn load_at_once<const N: usize>(&self, _pace: &mut Pace, _address: u64) -> Option<u64> {
        None
    }

    /// `N` bytes (1, 2, 4, 8), zero-extended.
    fn load<const N: usize>(&mut self, hart: &mut Hart, address: u64) -> Result<u64, Stop>;

    /// Stores the low `N` bytes of `value`, if nothing but memory changes by it. False: nothing was done.
    #[inline(always)]
    fn store_at_once<const N: usize>(&mut self, _at: u64, _value: u64) -> bool {
        false
    }

    /// The low `N` bytes of `value`.
    fn store<const N: usize>(&mut self, hart: &mut Hart, at: u64, value: u64) -> Result<(), Stop>;

    /// `N` is 4 (zero-extended) or 8.
    fn load_reserved<const N: usize>(
        &mut self,
        hart: &mut Hart,
        address: u64,
        order: Ordering,
    ) -> Result<u64, Stop>;

    /// Whether the store was done.
    fn store_conditional<const N: usize>(
        &mut self,
        hart: &mut Hart,
        address: u64,
        value: u64,
        order: Ordering,
    ) -> Result<bool, Stop>;

    /// The value before (`N` = 4: zero-extended).
    fn atomic<const N: usize>(
        &mut self,
        hart: &mut Hart,
        operation: Amo,
        address: u64,
        operand: u64,
        order: Ordering,
    ) -> Result<u64, Stop>;

    /// `predecessor` and `successor` as in the instruction: bits I 8, O 4, R 2, W 1.
    fn fence(&mut self, hart: &mut Hart, predecessor: u8, successor: u8) -> Result<(), Stop>;
    fn fence_i(&mut self, hart: &mut Hart) -> Result<(), Stop>;
    /// `None` is `x0`: all addresses, all address spaces.
    fn sfence(&mut self, hart: &mut Hart, at: Option<u64>, asid: Option<u16>) -> Result<(), Stop>;
    fn cache_block(&mut self, hart: &mut Hart, what: CacheBlock, at: u64) -> Result<(), Stop>;
    fn pause(&mut self, hart: &mut Hart);

    /// What an instruction of the class takes beyond one cycle.
    fn cost(&self, class: Class) -> u64;
    /// What a load takes beyond that whose result the next instruction of its line reads.
    fn load_use(&self) -> u64;
    fn taken_branch(&self) -> u64;
    /// Adds what an instruction of the class takes beyond one cycle.
    fn charge(&mut self, class: Class) {
        let mut pace = self.pace();
        pace.clock += self.cost(class);
        self.set_pace(pace);
    }
    /// An exception or interrupt was taken.
    fn trap_taken(&mut self, hart: &mut Hart);

    /// One instruction is complete or one exception was taken (after [`Port::trap_taken`]): a cycle
    /// passes. False: the hart must pause here. Retired instructions are counted by `hart.instret`.
    fn retire(&mut self, hart: &mut Hart) -> bool;

    /// Something that translation or permission depends on has changed: privilege, `satp`, PMP,
    /// `mstatus` MPRV, MPP, SUM or MXR.
    fn context_changed(&mut self, hart: &mut Hart);
    /// `stimecmp`, `menvcfg.STCE` or a counter's state was written: the machine must look when the
    /// hart's next timed interrupt is.
    fn timer_changed(&mut self, hart: &mut Hart);

    /// The value of the `time` CSR now.
    fn time(&self) -> u64;
    /// How often the event happened at this hart since the machine started. Never asked for
    /// [`Event::Instructions`], which the hart counts.
    fn count(&self, event: CounterEvent) -> u64;
    /// Counters were started, stopped or written. `overflows`: for each event the count at which a counter wraps around
    /// and the machine must call [`Hart::settle_counters`]; `u64::MAX`: none does. Of cycles and instructions the machine
    /// asks [`Hart::polls_counters`] instead.
    fn counters_changed(&mut self, overflows: [u64; EVENTS]);
}
