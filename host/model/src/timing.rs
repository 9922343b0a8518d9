// SPDX-License-Identifier: Apache-2.0
//! A board's timing: the part of its description by which the modelled machine runs.
//!
//! Times are cycles of the harts' clock, unless a name says otherwise. `docs/design/board.md` says
//! what each figure means to the machine.

use serde::{Deserialize, Serialize};

/// A board's timing. All cache lines have 64 bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The frequency of the harts' clock, in hertz.
    pub frequency: u64,
    /// The rate of the `time` CSR, in hertz; at most `frequency`.
    pub timebase: u64,
    pub core: Core,
    pub l1i: Cache,
    pub l1d: Cache,
    /// A core's own cache behind both; inclusive of the L1 data cache. Without it, L1 misses go to
    /// the line's home.
    pub l2: Option<Cache>,
    /// A cache that groups of neighbouring cores share, behind their own caches.
    pub cluster: Option<Cluster>,
    pub tlb: Tlb,
    /// Kinds of cores that differ from `core`, `l1i`, `l1d`, `l2` and `tlb`; a core belongs to at
    /// most one kind.
    pub kinds: Vec<Kind>,
    pub coherence: Coherence,
    pub interconnect: Interconnect,
    pub dram: Dram,
    /// A device register: from the request's arrival at the device to the answer's departure.
    pub device: u64,
    /// From a change of an interrupt's wire to the hart that sees it.
    pub interrupt: u64,
    /// Whether the messages of register accesses reserve the interconnect's links, and wait for them.
    pub device_links: bool,
}

/// A kind of cores, with all parts in which they may differ from the board's other cores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kind {
    pub name: String,
    /// The cores of the kind by number, at least one.
    pub cores: Vec<u32>,
    pub core: Core,
    pub l1i: Cache,
    pub l1d: Cache,
    pub l2: Option<Cache>,
    pub tlb: Tlb,
}

impl Timing {
    /// The kind of a core; None if the core is as the board's own tables say.
    pub fn kind_of(&self, core: u32) -> Option<&Kind> {
        self.kinds.iter().find(|kind| kind.cores.contains(&core))
    }

    /// The timing of a board all of whose cores are like this one.
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
    /// The total number of cycles of one instruction of the class; every other class takes one.
    pub multiply: u64,
    pub divide: u64,
    pub float_add: u64,
    pub float_multiply: u64,
    pub float_fused: u64,
    pub float_divide: u64,
    pub float_root: u64,
    pub float_move: u64,
    /// The cycles of a CSR instruction, a fence that waits for nothing, or `xRET`.
    pub system: u64,
    /// The cycles added to a load whose value the next instruction of the same fetch line reads.
    pub load_use: u64,
    /// The cycles added to each taken branch and jump.
    pub taken_branch: u64,
    /// The cycles added when an exception or interrupt is taken.
    pub trap: u64,
    /// The cycles added between an interrupt's arrival and the first instruction after WFI.
    pub wake: u64,
    /// The cycles from an event that lets a hart's counter wrap around until the hart sees that: how
    /// late the overflow's interrupt is.
    pub overflow_skid: u64,
    /// The number of entries of the store buffer; 0: each store waits for its line.
    pub store_buffer: u32,
    pub drain: Drain,
    /// The number of cycles for which a line that LR has taken is kept from other cores.
    pub reservation: u64,
    /// The number of lines that the stream prefetcher requests ahead; 0: there is no prefetcher.
    pub prefetch: u32,
    /// The number of lines that the core can request at once (MSHRs). It is at least `store_buffer`
    /// + 1, which the prefetcher leaves to loads, fetches and stores.
    pub mshrs: u32,
    /// Where atomic memory operations are performed.
    pub atomics: Atomics,
}

/// The order in which a store buffer empties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Drain {
    /// Oldest first (total store order).
    Fifo,
    /// Any store whose line is present.
    Any,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Atomics {
    /// In the core's L1 cache, which first becomes the owner of the line.
    L1,
    /// At the line's home, which takes `atomic` cycles.
    Home,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cache {
    /// The size in bytes: sets x ways x 64. The number of sets is a power of two unless `index` is
    /// given.
    pub size: u64,
    pub ways: u32,
    /// The cycles added to an access that hits here (0 for an L1 cache if the access is part of the
    /// instruction's cycle).
    pub hit: u64,
    /// Masks of the address bits whose parity gives each bit of the set's number, lowest bit first;
    /// empty: the bits above the line's offset.
    pub index: Vec<u64>,
}

/// A cache that several cores share. It is also the directory of their own caches, and inclusive of
/// their L1 D and L2. Core `c` belongs to cluster `c / cores`, and all cores of a cluster are at
/// one node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    pub cores: u32,
    /// The cache. Its `hit` is the time from the service of a request to the departure of the
    /// answer or of the request's continuation, whether the line was found or not.
    pub cache: Cache,
    /// The time of a message between a core and its cluster's cache; at least 1.
    pub link: u64,
    /// The cache serves one request in this number of cycles; at least 1.
    pub service: u64,
    /// The time from the arrival of the cache's message at a core to the departure of the answer;
    /// at least 1, so that a line that the core has just given up arrives earlier.
    pub snoop: u64,
}

/// The first-level TLBs: one for fetches, one for loads and stores. Entries are replaced in FIFO
/// order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tlb {
    /// The number of entries of each, 4 to 256.
    pub entries: u32,
    /// The cycles added to each level of a page-table walk, besides its access through the cache.
    pub level: u64,
}

/// The coherence protocol: a directory with a home for each line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coherence {
    pub homes: Homes,
    /// From a request's arrival at its home to the departure of the answer or of the home's own
    /// messages.
    pub directory: u64,
    /// The home serves one request in this number of cycles.
    pub service: u64,
    /// The cycles of an atomic operation at the home (with [`Atomics::Home`]).
    pub atomic: u64,
    /// From a message's arrival at a core to its answer's departure.
    pub snoop: u64,
    /// The number of lines that one initiator may have on the way from a cache to a home or to
    /// memory. While there are as many, its requests wait.
    pub write_backs: u32,
    /// Each home's part of a shared cache in front of the memory; the cache's `hit` is added.
    pub cache: Option<Cache>,
}

/// How the home node of a line is determined.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Homes {
    /// By a hash of the line's number over all nodes.
    Hash,
    /// By the number of the 4 KiB page modulo the number of nodes.
    Page,
    /// Lines are hashed below this address, a multiple of 4 KiB. From there on blocks of `interleave`
    /// bytes, counted from address 0, are distributed over all nodes in turn.
    Split { pages_from: u64, interleave: u64 },
    /// Blocks of `interleave` bytes are distributed over these nodes in turn.
    Nodes { interleave: u64, nodes: Vec<u32> },
}

/// The interconnect: nodes from 0 that are joined by links. Core `c` is at node `c /
/// cores_per_node`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interconnect {
    pub shape: Shape,
    pub cores_per_node: u32,
    /// The cycles of a message's head across one link and the router behind it.
    pub hop: u64,
    /// The cycles for entering and leaving the network, once for each message, also within a node.
    pub local: u64,
    /// The number of bytes that a link carries in `beat` cycles; a message has 8 bytes, one with a
    /// line 72.
    pub width: u64,
    /// The cycles in which a link carries `width` bytes. Within a node that takes one cycle.
    pub beat: u64,
    /// How many stores of a core to devices and other nodes' scratchpads may be under way. More than one go across a
    /// bridge that delivers them in order and answers none of them.
    pub posts: u32,
}

impl Interconnect {
    /// The cycles for which a message of this number of bytes occupies each link of its way.
    pub fn link_time(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.width) * self.beat
    }

    /// The cycles of a message across this number of links that nobody else uses.
    pub fn message(&self, bytes: u64, links: u32) -> u64 {
        let length = if links == 0 { bytes.div_ceil(self.width) } else { self.link_time(bytes) };
        self.local + u64::from(links) * self.hop + length - 1
    }

    /// The links from a core's node to another's, as node and the node behind it; of a mesh alone, X before Y.
    pub fn way(&self, from: u32, to: u32) -> Vec<(u32, u32)> {
        let Shape::Mesh { columns, .. } = self.shape else { return Vec::new() };
        let (mut node, to) = (from / self.cores_per_node, to / self.cores_per_node);
        let mut links = Vec::new();
        while node != to {
            let next = match (node % columns).cmp(&(to % columns)) {
                std::cmp::Ordering::Less => node + 1,
                std::cmp::Ordering::Greater => node - 1,
                std::cmp::Ordering::Equal if node < to => node + columns,
                std::cmp::Ordering::Equal => node - columns,
            };
            links.push((node, next));
            node = next;
        }
        links
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// Node y * columns + x; messages are routed in X, then in Y.
    Mesh { columns: u32, rows: u32 },
    /// Messages are routed the shorter way round; at equal distance upwards.
    Ring { nodes: u32 },
    /// One message at a time uses the one link.
    Bus { nodes: u32 },
    /// Each node has a link to each other (processor sockets).
    Full { nodes: u32 },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dram {
    /// The controllers' nodes.
    pub nodes: Vec<u32>,
    /// Blocks of this number of bytes are distributed over the controllers in turn.
    pub interleave: u64,
    /// Masks of the address bits whose parity gives each bit of the bank's number, lowest bit
    /// first.
    pub banks: Vec<u64>,
    /// The size of a bank's row in bytes; addresses whose bits above are equal belong to one row.
    pub row: u64,
    /// From an access's arrival at its controller to the first data: if the row is open, if the
    /// bank is closed, and if another row is open.
    pub row_hit: u64,
    pub row_closed: u64,
    pub row_conflict: u64,
    /// The cycles for which each line occupies the controller's data wires.
    pub burst: u64,
    /// In each interval of this number of cycles all banks close once and are busy for
    /// `refresh_time`; 0: never.
    pub refresh: u64,
    pub refresh_time: u64,
    /// The number of accesses that a controller has accepted and not completed; further ones wait
    /// before it.
    pub queue: u32,
}

impl Dram {
    /// The longest service of one transfer at its controller, in cycles: in a bank with another row open, and nobody before it. A
    /// refresh is not in it.
    pub fn longest_transfer(&self) -> u64 {
        self.row_hit.max(self.row_closed).max(self.row_conflict).saturating_add(self.burst)
    }
}

impl Shape {
    pub fn nodes(&self) -> u32 {
        match self {
            Shape::Mesh { columns, rows } => columns * rows,
            Shape::Ring { nodes } | Shape::Bus { nodes } | Shape::Full { nodes } => *nodes,
        }
    }
}
