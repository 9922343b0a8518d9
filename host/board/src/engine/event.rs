// SPDX-License-Identifier: Apache-2.0
//! Events: plain data, so that a machine can be copied and stored with all that is under way.

use crate::{
    devices::{Kind, Refused, Tick},
    isa::Amo,
    memory::{
        network::SHORT,
        request::{Purpose, Request},
        tags::State,
    },
};
use serde::{Deserialize, Serialize};
use takt_model::Timing;

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

#[derive(Clone, Debug, Serialize, Deserialize)]
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
        /// Whose request made it leave where it was.
        initiator: u32,
        line: u64,
    },
    /// A request arrives at its home.
    Home(Request),
    /// Its turn has come there.
    Serve(Request),
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
    Cluster(u32, AtCluster),
    /// An access to another core's scratchpad leaves its core.
    ScratchpadAccess(ScratchpadAccess),
    /// An access to uncached memory leaves its initiator.
    UncachedAccess(UncachedAccess),
    /// It arrives at its controller.
    DirectArrives(UncachedAccess),
    /// The memory has done it; its answer leaves for the hart.
    DirectAnswer {
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
    /// A device's own time has come.
    DeviceTime,
    Request(Request),
}

impl Event {
    pub fn class(&self) -> Class {
        match self {
            Event::Deliver { .. } => Class::Deliver,
            Event::Free { .. } => Class::Free,
            Event::Perform { .. } | Event::Transferred { .. } => Class::Perform,
            Event::Data { .. } | Event::Read { .. } | Event::DirectAnswer { .. } => Class::Data,
            Event::WriteBack { .. } | Event::Write { .. } => Class::WriteBack,
            Event::Home(_) | Event::Serve(_) => Class::Home,
            Event::Controller { .. } | Event::DirectArrives(_) => Class::Controller,
            Event::Device(_) | Event::DeviceTime => Class::Device,
            Event::Cluster(_, event) => match event {
                AtCluster::Copy { .. } | AtCluster::Grant { .. } => Class::Data,
                AtCluster::WriteBack { .. } => Class::WriteBack,
                AtCluster::Request(_) | AtCluster::Serve(_) | AtCluster::Recall { .. } => {
                    Class::Home
                }
            },
            Event::ScratchpadAccess(_)
            | Event::UncachedAccess(_)
            | Event::Request(_)
            | Event::Release { .. } => Class::Request,
        }
    }
}

/// What a hart feels.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Message {
    /// A line it asked for, to be used before anyone takes it.
    /// `from_memory`: no cache had it. `from_home`: there is a cluster's cache, which had it not.
    Grant { line: u64, state: State, purpose: Purpose, from_memory: bool, from_home: bool },
    /// What a device or home answered.
    /// `from_memory`: no cache had the line of a home's operation.
    Answer { value: Result<u64, Refused>, from_memory: bool },
    /// Its store to a device arrived.
    Posted,
    /// Its buffered store to a line of uncached memory is performed.
    Stored { line: u64 },
    /// The home wants the line to be given up or shared; the transaction goes on when it is.
    /// `waited`: it was kept waiting by a reservation once, and is not again.
    Recall { line: u64, to: State, transaction: u32, data: bool, waited: bool },
    /// A changed line left the cluster's cache to make room for what this core had asked for.
    WroteBack,
    /// Another's access to this core's scratchpad.
    ScratchpadAccess(ScratchpadAccess),
    /// An interrupt's wire.
    Wire { bit: u32, level: bool },
    /// Its own timer.
    Timer,
    /// A line that LR took has been kept long enough.
    HoldEnds,
}

/// What a cluster's cache is told.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum AtCluster {
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
    /// Whose scratchpad it is.
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
    /// The one that the device waits for.
    Transfer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AccessOp {
    Read,
    Write(u64),
    /// With its operand.
    Atomic(Amo, u64),
}

/// By class: the least ticks from an event until a hart can feel what follows from it.
/// `docs/design/board.md` derives each. `windows`: some core's scratchpad can be reached by others. `uncached`: there is RAM
/// that no cache keeps.
pub fn lookaheads(timing: &Timing, harts: u32, windows: bool, uncached: bool) -> [Tick; CLASSES] {
    let message = message(timing);
    let home = timing.coherence.directory + message;
    let own = hart_lookahead(timing, harts, windows);
    let mut ahead = [0; CLASSES];
    ahead[Class::Deliver as usize] = own.min(timing.coherence.snoop + message);
    ahead[Class::Free as usize] = home;
    ahead[Class::Perform as usize] = message.min(timing.interrupt);
    ahead[Class::Data as usize] = message;
    ahead[Class::WriteBack as usize] = Tick::MAX;
    ahead[Class::Home as usize] = home;
    ahead[Class::Controller as usize] = timing.dram.burst + 2 * message;
    // A wire, an answer, a transfer.
    let transfer = message + home;
    ahead[Class::Device as usize] = timing.interrupt.min(timing.device + message).min(transfer);
    let request = if windows { 0 } else { home.min(timing.interrupt) };
    ahead[Class::Request as usize] = message + request;
    if uncached {
        // The memory's answer goes straight to who asked, or to a device whose wire is next; a store may end
        // the run, which all others go on from as far as from a hart's own.
        let memory = (timing.dram.burst + message.min(timing.interrupt)).min(own);
        for (class, ticks) in [
            (Class::Controller, memory),
            (Class::Request, message + memory),
            (Class::Device, message + memory),
        ] {
            ahead[class as usize] = ahead[class as usize].min(ticks);
        }
    }
    if let Some(cluster) = &timing.cluster {
        // A core of the cluster feels it over one link; what arrives there is first looked up, but for
        // data and answers.
        let served = cluster.cache.hit + cluster.link;
        let mut least =
            |class: Class, ticks: Tick| ahead[class as usize] = ahead[class as usize].min(ticks);
        least(Class::Deliver, cluster.snoop + 2 * cluster.link);
        least(Class::Data, cluster.link);
        least(Class::Home, served);
        least(Class::Request, cluster.link + served);
    }
    ahead
}

/// The least ticks from an event of the class `WriteBack` until a hart can feel what follows, while requests wait for
/// write-backs: the line is there, its initiator hears of it, and a request leaves.
pub fn stalled_lookahead(timing: &Timing, request: Tick) -> Tick {
    message(timing) + request
}

/// From a hart's next instruction until another hart can feel it; the least of all harts.
pub fn hart_lookahead(timing: &Timing, harts: u32, windows: bool) -> Tick {
    let lookup = (0..harts).map(|core| lookup(&timing.of_core(core))).min().unwrap_or(0);
    let message = message(timing);
    let home = timing.coherence.directory + message;
    // A request for a line; an access to a device; one to a scratchpad.
    let least = (lookup + message + home).min(message + timing.interrupt);
    let cluster = timing.cluster.as_ref();
    let shared = cluster.map_or(Tick::MAX, |it| lookup + 2 * it.link + it.cache.hit);
    let least = least.min(shared);
    if windows { message } else { least }
}

/// The least time from the beginning of a core's instruction to its request's departure.
fn lookup(timing: &Timing) -> Tick {
    timing.l1d.hit.min(timing.l1i.hit) + timing.l2.as_ref().map_or(0, |l2| l2.hit)
}

/// The shortest way of a message without a line.
fn message(timing: &Timing) -> Tick {
    timing.interconnect.local + SHORT.div_ceil(timing.interconnect.width) - 1
}
