// SPDX-License-Identifier: Apache-2.0
//! The tables of a board's file that give times, as they are written; [`super::file`] has the other
//! tables. Times are cycles of the cores' clock.

use schemars::JsonSchema;
use serde::Deserialize;

use super::file::{Address, Name, Size, Spanned};

/// An in-order core: an instruction takes one cycle, unless these figures say otherwise.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoreTable {
    /// The total number of cycles of an integer multiplication.
    pub multiply: Spanned<i64>,
    /// The total number of cycles of an integer division or remainder.
    pub divide: Spanned<i64>,
    /// The total number of cycles of a floating-point addition, subtraction or comparison.
    pub float_add: Spanned<i64>,
    pub float_multiply: Spanned<i64>,
    /// The total number of cycles of a fused multiplication and addition.
    pub float_fused: Spanned<i64>,
    pub float_divide: Spanned<i64>,
    pub float_root: Spanned<i64>,
    /// The total number of cycles of a move, conversion or sign injection.
    pub float_move: Spanned<i64>,
    /// The total number of cycles of a CSR instruction, a fence that waits for nothing, or a return
    /// from a trap.
    pub system: Spanned<i64>,
    /// Cycles added to a load whose value the next instruction reads.
    pub load_use: Spanned<i64>,
    /// Cycles added to each taken branch and jump.
    pub taken_branch: Spanned<i64>,
    /// Cycles added when an exception or interrupt is taken.
    pub trap: Spanned<i64>,
    /// Cycles from an interrupt's arrival to the first instruction after WFI.
    pub wake: Spanned<i64>,
    /// Cycles from an event that lets a hart's counter wrap around to the interrupt (LCOFI); 1,000 by
    /// default. The interrupt of a counter of cycles or instructions is up to 1,000 cycles late.
    #[schemars(range(min = 0, max = 100_000))]
    pub overflow_skid: Option<Spanned<i64>>,
    /// The number of entries of the store buffer; 0: each store waits for its line.
    #[schemars(range(min = 0, max = 64))]
    pub store_buffer: Spanned<i64>,
    /// The order in which the store buffer empties: "fifo" (oldest first) or "any".
    #[schemars(regex(pattern = "^(fifo|any)$"))]
    pub drain: Spanned<String>,
    /// The number of cycles for which a line that LR has taken is kept from other cores.
    #[schemars(range(min = 16, max = 10_000))]
    pub reservation: Spanned<i64>,
    /// The number of lines that the stream prefetcher requests ahead; 0: there is no prefetcher.
    #[schemars(range(min = 0, max = 8))]
    pub prefetch: Spanned<i64>,
    /// The number of lines that the core can request at once (miss status holding registers). The
    /// prefetcher leaves `store_buffer` + 1 of them to loads, fetches and stores. By default that
    /// number and four times `prefetch`.
    #[schemars(range(min = 1, max = 256))]
    pub mshrs: Option<Spanned<i64>>,
    /// Where atomic operations are performed: "l1" or "home".
    #[schemars(regex(pattern = "^(l1|home)$"))]
    pub atomics: Spanned<String>,
}

/// A kind of cores that differ from the others. Each table given here replaces the board's own
/// table for these cores; the other tables are the board's.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KindTable {
    pub name: Spanned<Name>,
    /// The cores of this kind; a core belongs to at most one kind.
    pub cores: Spanned<Vec<Spanned<i64>>>,
    pub core: Option<CoreTable>,
    /// The instruction cache of each of these cores.
    pub l1i: Option<CacheTable>,
    /// The data cache of each of these cores.
    pub l1d: Option<CacheTable>,
    /// A cache of each of these cores behind both; inclusive of [kind.l1d]. A kind cannot remove a
    /// cache: a board some of whose cores have no such cache has no [l2] itself.
    pub l2: Option<CacheTable>,
    pub tlb: Option<TlbTable>,
}

/// A cache; its lines have 64 bytes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CacheTable {
    /// The size: sets times ways times 64 bytes.
    pub size: Spanned<Size>,
    #[schemars(range(min = 1, max = 64))]
    pub ways: Spanned<i64>,
    /// Cycles added to an access that hits here.
    pub hit: Spanned<i64>,
    /// Masks of the address bits whose parity gives each bit of the set's number, lowest bit first;
    /// by default the bits above the line's offset.
    #[serde(default)]
    pub index: Vec<Spanned<Address>>,
}

/// A cache that a group of neighbouring cores shares, behind their own caches, and which is the
/// directory of their contents.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClusterTable {
    /// The number of cores of a cluster; `cores_per_node` and the number of all cores are multiples
    /// of it.
    #[schemars(range(min = 1, max = 128))]
    pub cores: Spanned<i64>,
    /// Cycles of a message between a core and its cluster's cache; at least 1.
    pub link: Spanned<i64>,
    /// The cache serves one request in this number of cycles; at least 1.
    pub service: Spanned<i64>,
    /// Cycles from a message's arrival at a core of the cluster to the departure of the answer; at
    /// least 1.
    pub snoop: Spanned<i64>,
    /// The cache, inclusive of its cores' [l1d] and [l2]. Its `hit` is the time from the service of
    /// a request to the departure of the answer or of the request's continuation.
    pub cache: CacheTable,
}

/// Each core's two TLBs, one for fetches, one for loads and stores.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TlbTable {
    /// The number of entries of each TLB.
    #[schemars(range(min = 4, max = 256))]
    pub entries: Spanned<i64>,
    /// Cycles added to each level of a page-table walk, besides its access through the cache.
    pub level: Spanned<i64>,
}

/// The coherence protocol: a directory with a home for each line.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoherenceTable {
    /// How the home node of a line is determined: "hash", "page", "split" or "nodes".
    #[schemars(regex(pattern = "^(hash|page|split|nodes)$"))]
    pub homes: Spanned<String>,
    /// With homes = "split": the address below which lines are hashed; from there on blocks are
    /// distributed over all nodes in turn.
    pub pages_from: Option<Spanned<Address>>,
    /// With homes = "split" or "nodes": the size of the blocks that are distributed in turn.
    pub interleave: Option<Spanned<Size>>,
    /// With homes = "nodes": the nodes that are homes.
    pub nodes: Option<Spanned<Vec<Spanned<i64>>>>,
    /// Cycles from a request's arrival at its home to the departure of the answer or of the home's
    /// own messages; at least 1.
    pub directory: Spanned<i64>,
    /// The home serves one request in this number of cycles; at least 1.
    pub service: Spanned<i64>,
    /// Cycles of an atomic operation at the home; needed with atomics = "home".
    pub atomic: Option<Spanned<i64>>,
    /// Cycles from a message's arrival at a core to the departure of the answer.
    pub snoop: Spanned<i64>,
    /// The number of lines displaced from a cache that one core, cluster or device may have on the
    /// way to a home or to memory. While there are as many, its next request waits. By default 32.
    #[schemars(range(min = 1, max = 1024))]
    pub write_backs: Option<Spanned<i64>>,
    /// Each home's part of a shared cache in front of the memory.
    pub cache: Option<CacheTable>,
}

/// The interconnect: nodes from 0, joined by links. Core c is at node c / cores_per_node.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InterconnectTable {
    /// The shape: "mesh" (with columns and rows), "ring", "bus" or "full" (with nodes).
    #[schemars(regex(pattern = "^(mesh|ring|bus|full)$"))]
    pub shape: Spanned<String>,
    /// The number of columns, with shape = "mesh".
    pub columns: Option<Spanned<i64>>,
    /// The number of rows, with shape = "mesh".
    pub rows: Option<Spanned<i64>>,
    /// The number of nodes, with any other shape.
    pub nodes: Option<Spanned<i64>>,
    #[schemars(range(min = 1, max = 128))]
    pub cores_per_node: Spanned<i64>,
    /// Cycles of a message's head across a link and the router behind it; at least 1.
    pub hop: Spanned<i64>,
    /// Cycles for entering and leaving the network, once for each message; at least 1.
    pub local: Spanned<i64>,
    /// The number of bytes that a link carries in `beat` cycles.
    #[schemars(range(min = 1, max = 1024))]
    pub width: Spanned<i64>,
    /// Cycles in which a link carries `width` bytes; within a node that takes one. The default is 1.
    #[schemars(range(min = 1, max = 1000))]
    pub beat: Option<Spanned<i64>>,
    /// The stores of a core to devices and other nodes' scratchpads that may be under way. More than one, with
    /// shape = "bus" and links = true of the devices: a bridge delivers them in order and answers none. The default is 1.
    #[schemars(range(min = 1, max = 1024))]
    pub posts: Option<Spanned<i64>>,
}

/// The memory controllers, which are all alike.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DramTable {
    /// The controllers' nodes.
    #[schemars(length(min = 1))]
    pub nodes: Spanned<Vec<Spanned<i64>>>,
    /// The size of the blocks that are distributed over the controllers in turn: a power of two, at
    /// least 64B.
    pub interleave: Spanned<Size>,
    /// Masks of the address bits whose parity gives each bit of the bank's number, lowest bit
    /// first.
    #[schemars(length(max = 16))]
    pub banks: Spanned<Vec<Spanned<Address>>>,
    /// The size of a bank's row: a power of two, at least 64B.
    pub row: Spanned<Size>,
    /// Cycles from the arrival of an access to the first data if the row is open.
    pub row_hit: Spanned<i64>,
    /// Cycles from the arrival of an access to the first data if the bank is closed.
    pub row_closed: Spanned<i64>,
    /// Cycles from the arrival of an access to the first data if another row of the bank is open.
    pub row_conflict: Spanned<i64>,
    /// Cycles for which each line occupies the controller's data wires; at least 1.
    pub burst: Spanned<i64>,
    /// The number of cycles between two refreshes, at each of which all banks close; 0: never.
    pub refresh: Spanned<i64>,
    /// Cycles for which a refresh keeps the banks busy; less than `refresh`.
    pub refresh_time: Spanned<i64>,
    /// The number of reads and writes that a controller has accepted and not completed. The next
    /// one waits before the controller, whatever its bank. By default 64.
    #[schemars(range(min = 1, max = 1024))]
    pub queue: Option<Spanned<i64>>,
}

/// The devices.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DevicesTable {
    /// Cycles of a device register, from the request's arrival to the answer's departure.
    pub register: Spanned<i64>,
    /// Cycles from a change of an interrupt's wire until the core sees it.
    pub interrupt: Spanned<i64>,
    /// Whether register accesses occupy the interconnect's links, and wait for them; false by default.
    #[serde(default)]
    pub links: bool,
}
