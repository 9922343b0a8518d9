// SPDX-License-Identifier: Apache-2.0
//! The description of a system and of the board that it runs on.
//!
//! All other crates work with these types. `System` and `Board` are complete and checked: defaults
//! are filled in, and each name is a C identifier. [`System::read`] and [`Board::read`] make them
//! from files, or report in [`Problems`] all mistakes of the files.

pub mod board;
mod class;
mod code;
pub mod dataflow;
mod document;
pub mod homes;
pub mod latency;
pub mod limits;
mod placement;
mod problem;
mod read;
pub mod schema;
pub mod system;
pub mod timing;
mod transfer;
pub mod tree;
pub mod units;
mod word;
pub mod worst;

pub use board::{
    BlockDma, Board, Cpu, DataflowOverheads, DirectorSteps, KernelPath, Measured, Memory,
    MemoryLoad, OverheadSource, Overheads, PlacedOverheads, Register, RegisterKind, Rtu,
    Scoreboard, Scratchpad, ScratchpadWindow, Stamp, Subnets, WordRegisters, Workers, hash,
};
pub use class::{Class, WaitsServed};
pub use code::{CODES, Code};
pub use dataflow::{
    Dataflow, Edge, EdgeKind, Firing, Object, Phase, Port, Runtime, Transfer, WordCopy,
};
pub use document::{BoardStamp, FORMAT};
pub use homes::PageHomes;
pub use limits::{Assumption, Held, Limit, Unit};
pub use placement::{MissingService, Placement};
pub use problem::{Problem, Problems};
pub use system::{
    Action, Activation, Alarm, Allocator, Assignment, Backoff, Barrier, Budget, Buffer, Channel,
    Control, Cyclic, DataQueue, DeviceRegion, EntryFault, Flag, Frame, Granularity, Handler,
    Health, Homing, Interrupt, Io, Kernel, Library, Locking, MemoryBudget, MemoryLines, MemoryPool,
    MessageBuffer, Mutex, MutexUse, OmpSchedule, Openmp, OpenmpSettings, Order, Origin, OwnTask,
    Partition, PeriodicWindow, PhysicalIo, Posix, PriorityDataQueue, Protocol, QueuingPort,
    Reaction, ReaderWriterLock, Regulation, Rights, SamplingPort, Semaphore, SpinLockUse, Spinlock,
    Stage, System, Target, Task, Team, TeamThread, TimeWindow, Transaction, TransactionTask, Use,
};
pub use timing::Timing;
pub use transfer::TransferTime;
pub use units::{BadQuantity, Bytes, Hertz, Nanos};
pub use word::Word;
