// SPDX-License-Identifier: Apache-2.0
//! RV64GC with M, S and U modes, Zba, Zbb, Zbs, Zicbom, Zihintpause, Sstc and Sscofpmf: what an
//! instruction does to a hart. Timeless: all that takes time lies behind [`Port`].

mod bits;
mod compressed;
mod convert;
mod counters;
mod csr;
mod decode;
mod float;
mod hart;
mod ieee;
mod instruction;
mod lines;
mod pmp;
mod port;
mod run;
mod system;
mod trap;
mod walk;

pub use counters::Counters;
pub use decode::decode;
pub use hart::{Hart, Privilege};
pub use instruction::{Instruction, Op};
pub use lines::{Line, LineId, Lines};
pub use pmp::{Pmp, pmp_permits};
pub use port::{
    Amo, CacheBlock, Class, CounterEvent, Decoded, EVENTS, Exception, Ordering, Pace, Port, Stop,
};
pub use run::{Pause, run};
pub use walk::{Access, Mapping, Translation, Walk, WalkStep, is_canonical};
