// SPDX-License-Identifier: Apache-2.0
//! What a board costs in time: the part of its description that the modelled machine runs by.
//!
//! Times are cycles of the harts' clock, unless a name says otherwise. `docs/design/board.md` says
//! what each figure means to the machine.

use serde::{Deserialize, Serialize};

/// A board's timing. Lines are 64 bytes everywhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The harts' clock, in hertz.
    pub frequency: u64,
    /// The `time` CSR's rate, in hertz; at most `frequency`.
    pub timebase: u64,
    pub core: Core,
    pub l1i: Cache,
    pub l1d: Cache,
    /// A cache of each core's own behind both; inclusive of L1 D. Without one L1 misses go home.
    pub l2: Option<Cache>,
    /// A cache that each so many neighbouring cores share, behind all of their own.
    pub cluster: Option<Cluster>,
    pub tlb: Tlb,
    /// Cores that are not as `core`, `l1i`, `l1d`, `l2` and `tlb` say; a core belongs to one kind at most.
    pub kinds: Vec<Kind>,
    pub coherence: Coherence,
    pub interconnect: Interconnect,
    pub dram: Dram,
    /// A device's register: from its arrival at the device to the answer's departure.
    pub device: u64,
    /// From a change of an interrupt's wire to the hart that sees it.
    pub interrupt: u64,
}

/// Some cores, and all that may be another thing for them than for the board's others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kind {
    pub name: String,
    /// By number, at least one.
    pub cores: Vec<u32>,
    pub core: Core,
    pub l1i: Cache,
    pub l1d: Cache,
    pub l2: Option<Cache>,
    pub tlb: Tlb,
}

impl Timing {
    /// The kind that a core belongs to; None: it is as the board's own tables say.
    pub fn kind_of(&self, core: u32) -> Option<&Kind> {
        self.kinds.iter().find(|kind| kind.cores.contains(&core))
    }

    /// What one core runs by: the timing of a board all of whose cores are as this one.
    pub fn of_core(&self, core: u32) -> Timing {
        self.of_kind(self.kind_of(core))
    }

    /// The timing of a board all of whose cores are of this kind, or of none.
    pub fn of_kind(&self, kind: Option<&Kind>) -> Timing {
        let mut timing = Timing { kinds: Vec::new(), ..self.clone() };
        if let Some(Kind { core, l1i, l1d, l2, tlb, .. }) = kind.cloned() {
            timing = Timing { core, l1i, l1d, l2, tlb, ..timing };
        }
        timing
    }
}

/// An in-order core that issues one instruction a cycle unless the figures below add to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Core {
    /// Cycles in all of one instruction of the class; every other class takes one.
    pub multiply: u64,
    pub divide: u64,
    pub float_add: u64,
    pub float_multiply: u64,
    pub float_fused: u64,
    pub float_divide: u64,
    pub float_root: u64,
    pub float_move: u64,
    /// A CSR instruction, a fence that waits for nothing, `xRET`.
    pub system: u64,
    /// Added to a load that the next instruction of the same fetch line reads.
    pub load_use: u64,
    /// Added to each taken branch and jump.
    pub taken_branch: u64,
    /// Added when an exception or interrupt is taken.
    pub trap: u64,
    /// Added between an interrupt's arrival and the first instruction after WFI.
    pub wake: u64,
    /// Entries of the store buffer; 0: each store waits for its line.
    pub store_buffer: u32,
    pub drain: Drain,
    /// Cycles for which a line that LR took is kept from the others.
    pub reservation: u64,
    /// Lines that the stream prefetcher asks for ahead; 0: none.
    pub prefetch: u32,
    /// Lines that the core may have asked for at once; at least `store_buffer` + 1, which the prefetcher leaves
    /// to loads, fetches and stores.
    pub mshrs: u32,
    /// Where atomic memory operations are done.
    pub atomics: Atomics,
}

/// The order in which a store buffer empties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Drain {
    /// Oldest first (total store order).
    Fifo,
    /// Whichever store's line is there.
    Any,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Atomics {
    /// In the core's L1, which first owns the line.
    L1,
    /// At the line's home, for `atomic` cycles there.
    Home,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cache {
    /// In bytes: sets x ways x 64, the sets a power of two unless `index` says.
    pub size: u64,
    pub ways: u32,
    /// Added to an access that hits here (L1: 0 when it is part of the instruction's cycle).
    pub hit: u64,
    /// The address bits (masks, lowest bit of the set's number first) whose parity makes the set's
    /// number; empty: the bits above the line's.
    pub index: Vec<u64>,
}

/// A cache of some cores, and the directory of what their own caches hold; inclusive of their L1 D and
/// L2. Core `c` belongs to cluster `c / cores`, and all of a cluster are at one node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    pub cores: u32,
    /// Its `hit`: from the service of a request to the departure of what follows, found or not.
    pub cache: Cache,
    /// A message's way between a core and its cluster's cache; at least 1.
    pub link: u64,
    /// The cache serves a request each so many cycles; at least 1.
    pub service: u64,
    /// From the arrival of the cache's message at a core to its answer's departure; at least 1, so that
    /// a line that the core gave up just before is back earlier.
    pub snoop: u64,
}

/// First-level TLBs, one for fetches, one for loads and stores; replaced in order (FIFO).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tlb {
    /// Entries of each, 4 to 256.
    pub entries: u32,
    /// Added to each level of a walk, beside its access through the cache.
    pub level: u64,
}

/// A directory with a home for each line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coherence {
    pub homes: Homes,
    /// From a request's arrival at its home to its answer's or its messages' departure.
    pub directory: u64,
    /// The home serves a request each so many cycles.
    pub service: u64,
    /// An atomic operation at the home (with [`Atomics::Home`]).
    pub atomic: u64,
    /// From a message's arrival at a core to its answer's departure.
    pub snoop: u64,
    /// Lines that one initiator may have on their way from a cache to a home or to memory; while there are so many its
    /// requests wait.
    pub write_backs: u32,
    /// Each home's part of a shared cache in front of the memory; its `hit` is added.
    pub cache: Option<Cache>,
}

/// Which node is a line's home.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Homes {
    /// Hashed by line over all nodes.
    Hash,
    /// By page of 4 KiB: the node that the page's number modulo the nodes gives.
    Page,
    /// As `Hash` below this address, a multiple of 4 KiB; from there on blocks of so many bytes, counted
    /// from address 0, in turn over all nodes.
    Split { pages_from: u64, interleave: u64 },
    /// Blocks of so many bytes in turn over these nodes.
    Nodes { interleave: u64, nodes: Vec<u32> },
}

/// Nodes 0.. joined by links. Core `c` sits at node `c / cores_per_node`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interconnect {
    pub shape: Shape,
    pub cores_per_node: u32,
    /// A message's head across one link and the router behind it.
    pub hop: u64,
    /// Entering and leaving the network, once a message, also within a node.
    pub local: u64,
    /// Bytes that a link carries a cycle; a request is 8 bytes, one with a line 72.
    pub width: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// Node y * columns + x; routed in X, then in Y.
    Mesh { columns: u32, rows: u32 },
    /// Routed the shorter way round; at equal distance upwards.
    Ring { nodes: u32 },
    /// One node after another uses the one link.
    Bus { nodes: u32 },
    /// Each node has a link to each other (processor sockets).
    Full { nodes: u32 },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dram {
    /// The controllers' nodes.
    pub nodes: Vec<u32>,
    /// Blocks of so many bytes in turn over the controllers.
    pub interleave: u64,
    /// The address bits (masks, lowest first) whose parity makes the bank's number.
    pub banks: Vec<u64>,
    /// A bank's row holds so many bytes; addresses with equal bits above are one row.
    pub row: u64,
    /// From arrival at a controller to the first data: the row is open, the bank is closed,
    /// another row is open.
    pub row_hit: u64,
    pub row_closed: u64,
    pub row_conflict: u64,
    /// The controller's data wires are busy for so long with each line.
    pub burst: u64,
    /// Every so many cycles all banks close and are busy for `refresh_time`; 0: never.
    pub refresh: u64,
    pub refresh_time: u64,
    /// Accesses that a controller has taken in and not done yet; others wait before it.
    pub queue: u32,
}

impl Shape {
    pub fn nodes(&self) -> u32 {
        match self {
            Shape::Mesh { columns, rows } => columns * rows,
            Shape::Ring { nodes } | Shape::Bus { nodes } | Shape::Full { nodes } => *nodes,
        }
    }
}
