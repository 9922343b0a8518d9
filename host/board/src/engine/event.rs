// SPDX-License-Identifier: Apache-2.0
//! Events: plain data, so that a machine can be copied and stored with all that is under way.

use crate::{
    devices::{Kind, Refused, Tick},
    isa::Amo,
    memory::{
        request::{Purpose, Request},
        tags::State,
    },
};
use serde::{Deserialize, Serialize};

/// Kinds of events; among those of one tick the lower class happens first, the harts last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Class {
    /// Something reaches a hart.
    Deliver,
    /// A line's home is free for the next who waits.
    Free,
    /// An operation at the home.
    Perform,
    /// The memory's answer at the home.
    Data,
    WriteBack,
    Home,
    Controller,
    Device,
    /// A request leaves its core.
    Request,
    /// Not in the queue: a hart that executes its next instruction.
    Hart,
}

pub const CLASSES: usize = Class::Hart as usize;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Event {
    Deliver {
        hart: u32,
        message: Message,
    },
    Free {
        line: u64,
    },
    Perform {
        transaction: u32,
    },
    Data {
        transaction: u32,
    },
    WriteBack {
        core: u32,
        line: u64,
        dirty: bool,
    },
    /// A changed line arrives at its controller.
    Write {
        /// The initiator whose request evicted the line.
        initiator: u32,
        line: u64,
    },
    /// A request arrives at its home.
    Home(Request),
    /// The service slot of a request at its home begins.
    Serve(Request),
    /// A request for a line's data arrives at its controller.
    Controller {
        transaction: u32,
    },
    /// The line's data leave the controller.
    Read {
        transaction: u32,
    },
    /// A register access arrives at the devices.
    Device(Register),
    /// Something arrives at a cluster's cache.
    Cluster(u32, ClusterMessage),
    /// A register access leaves its core, and uses the links to the device.
    RegisterAccess(Register),
    /// An access to another core's scratchpad leaves its core.
    ScratchpadAccess(ScratchpadAccess),
    /// An access to uncached memory leaves its initiator.
    UncachedAccess(UncachedAccess),
    /// An access to uncached memory arrives at its controller.
    UncachedArrives(UncachedAccess),
    /// The memory has performed an access; its answer leaves for the hart.
    UncachedAnswer {
        hart: u32,
        line: u64,
        message: Message,
    },
    /// The memory has done a device's transfer.
    Transferred {
        initiator: u32,
    },
    /// Requests of the initiator that waited for its write-backs may leave.
    Release {
        initiator: u32,
    },
    /// A core's answer that it has all of a block reaches the engine of the other core.
    BlockAnswer {
        engine: u32,
        core: u32,
    },
    /// A device's own time has come.
    DeviceTime,
    /// A request leaves its core.
    Request(Request),
}

impl Event {
    pub fn class(&self) -> Class {
        match self {
            Event::Deliver { .. } => Class::Deliver,
            Event::Free { .. } => Class::Free,
            Event::Perform { .. } | Event::Transferred { .. } => Class::Perform,
            Event::Data { .. } | Event::Read { .. } | Event::UncachedAnswer { .. } => Class::Data,
            Event::WriteBack { .. } | Event::Write { .. } => Class::WriteBack,
            Event::Home(_) | Event::Serve(_) => Class::Home,
            Event::Controller { .. } | Event::UncachedArrives(_) => Class::Controller,
            Event::Device(_) | Event::DeviceTime | Event::BlockAnswer { .. } => Class::Device,
            Event::Cluster(_, event) => match event {
                ClusterMessage::Copy { .. } | ClusterMessage::Grant { .. } => Class::Data,
                ClusterMessage::WriteBack { .. } => Class::WriteBack,
                ClusterMessage::Request(_)
                | ClusterMessage::Serve(_)
                | ClusterMessage::Recall { .. } => Class::Home,
            },
            Event::RegisterAccess(_)
            | Event::ScratchpadAccess(_)
            | Event::UncachedAccess(_)
            | Event::Request(_)
            | Event::Release { .. } => Class::Request,
        }
    }
}

/// What reaches a hart.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Message {
    Grant(Grant),
    /// What a device or home answered.
    /// `from_memory`: no cache had the line of a home's operation.
    Answer {
        value: Result<u64, Refused>,
        from_memory: bool,
    },
    /// Its store to a device arrived.
    Posted,
    /// Its buffered store to a line of uncached memory is performed.
    Stored {
        line: u64,
    },
    Recall(Recall),
    /// A changed line left the cluster's cache to make room for what this core had asked for.
    WroteBack,
    /// Another's access to this core's scratchpad.
    ScratchpadAccess(ScratchpadAccess),
    /// A step of a transfer between scratchpads.
    Block(BlockStep),
    /// The core leaves reset at this entry, or returns to reset.
    Run {
        entry: Option<u64>,
    },
    /// An interrupt's wire.
    Wire {
        bit: u32,
        level: bool,
    },
    /// Its own timer.
    Timer,
    /// A line that LR took has been kept long enough.
    HoldEnds,
}

/// A line that the hart's core asked for, to be used before anyone takes it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Grant {
    pub line: u64,
    pub state: State,
    pub purpose: Purpose,
    /// No cache had the line.
    pub from_memory: bool,
    /// There is a cluster's cache, which did not have the line.
    pub from_home: bool,
}

/// A home or a cluster's cache wants a line to be given up or shared; the transaction goes on when it is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Recall {
    pub line: u64,
    /// The state that the core's copy may keep.
    pub to: State,
    /// At the line's home; not used by a cluster's cache.
    pub transaction: u32,
    /// The answer brings the line's data.
    pub data: bool,
    /// A reservation has kept the recall waiting once, and does not again.
    pub waited: bool,
}

/// What reaches a cluster's cache.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum ClusterMessage {
    /// A request of a core of the cluster arrives.
    Request(Request),
    /// Its turn has come.
    Serve(Request),
    /// A core has given up or shares its copy, which it had changed (`dirty`) or not.
    Copy { line: u64, dirty: bool },
    /// A core dropped a line that it owned.
    WriteBack { core: u32, line: u64, dirty: bool },
    /// The line's home grants what the cluster asked for.
    Grant { line: u64, state: State, from_memory: bool },
    /// The line's home wants the cluster to give up or share it.
    Recall { line: u64, to: State, transaction: u32, data: bool },
}

/// What of a transfer between scratchpads reaches a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BlockStep {
    /// The engine of this core asks for the next part of a gather.
    Ask { engine: u32 },
    /// The next packet of a transfer leaves this core.
    Leave { engine: u32 },
    /// A packet arrives at this core.
    Arrive { packet: u32 },
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Register {
    pub core: u32,
    pub address: u64,
    pub bytes: u8,
    pub kind: Kind,
}

/// An access to a scratchpad by another than its core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScratchpadAccess {
    pub from: u32,
    /// The core that has the scratchpad.
    pub core: u32,
    /// In the machine's array of bytes.
    pub offset: u64,
    pub bytes: u8,
    pub op: AccessOp,
    /// From its arrival to the answer's departure.
    pub latency: Tick,
}

/// An access to memory that no cache keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UncachedAccess {
    pub initiator: u32,
    /// In the machine's array of bytes.
    pub offset: u64,
    pub work: UncachedOp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UncachedOp {
    /// A hart's. `buffered`: a store of which its store buffer is told, and not the hart.
    Access { bytes: u8, op: AccessOp, buffered: bool },
    /// The transfer that the device waits for; `write`: to memory.
    Transfer { write: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AccessOp {
    Read,
    Write(u64),
    /// With its operand.
    Atomic(Amo, u64),
}
