// SPDX-License-Identifier: Apache-2.0
//! The tables of a board's file that say what things cost, as they are written. [`super::file`]
//! has the rest. Times are cycles of the cores' clock.

use schemars::JsonSchema;
use serde::Deserialize;

use super::file::{Address, At, Name, Size};

/// An in-order core: one instruction a cycle, unless these figures say more.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoreTable {
    /// Cycles in all of an integer multiplication.
    pub multiply: At<i64>,
    /// Cycles in all of an integer division or remainder.
    pub divide: At<i64>,
    /// Cycles in all of a floating-point addition, subtraction or comparison.
    pub float_add: At<i64>,
    pub float_multiply: At<i64>,
    /// Cycles in all of a fused multiplication and addition.
    pub float_fused: At<i64>,
    pub float_divide: At<i64>,
    pub float_root: At<i64>,
    /// Cycles in all of a move, conversion or sign injection.
    pub float_move: At<i64>,
    /// Cycles in all of a CSR instruction, a fence that waits for nothing, a return from a trap.
    pub system: At<i64>,
    /// Added to a load whose value the next instruction reads.
    pub load_use: At<i64>,
    /// Added to each taken branch and jump.
    pub taken_branch: At<i64>,
    /// Added when an exception or interrupt is taken.
    pub trap: At<i64>,
    /// From an interrupt's arrival to the first instruction after WFI.
    pub wake: At<i64>,
    /// Entries of the store buffer; 0: each store waits for its line.
    #[schemars(range(min = 0, max = 64))]
    pub store_buffer: At<i64>,
    /// The order in which it empties: "fifo" (oldest first) or "any".
    #[schemars(regex(pattern = "^(fifo|any)$"))]
    pub drain: At<String>,
    /// Cycles for which a line that LR took is kept from other cores.
    #[schemars(range(min = 16, max = 10_000))]
    pub reservation: At<i64>,
    /// Lines that the stream prefetcher asks for ahead; 0: there is none.
    #[schemars(range(min = 0, max = 8))]
    pub prefetch: At<i64>,
    /// Lines that the core may have asked for at once (miss status holding registers). The prefetcher leaves
    /// `store_buffer` + 1 of them to loads, fetches and stores. By default these and four times `prefetch`.
    #[schemars(range(min = 1, max = 256))]
    pub mshrs: Option<At<i64>>,
    /// Where atomic operations are done: "l1" or "home".
    #[schemars(regex(pattern = "^(l1|home)$"))]
    pub atomics: At<String>,
}

/// Cores that are not as the others. A table that stands here is theirs, whole; what does not, is the board's.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KindTable {
    pub name: At<Name>,
    /// Those of this kind; a core is of one kind at most.
    pub cores: At<Vec<At<i64>>>,
    pub core: Option<CoreTable>,
    /// Their instruction caches.
    pub l1i: Option<CacheTable>,
    /// Their data caches.
    pub l1d: Option<CacheTable>,
    /// A cache of each one's own behind both; inclusive of [kind.l1d]. None can be taken away: a board some of whose
    /// cores have none has no [l2].
    pub l2: Option<CacheTable>,
    pub tlb: Option<TlbTable>,
}

/// A cache; its lines have 64 bytes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CacheTable {
    /// Sets times ways times 64 bytes.
    pub size: At<Size>,
    #[schemars(range(min = 1, max = 64))]
    pub ways: At<i64>,
    /// Added to an access that hits here.
    pub hit: At<i64>,
    /// For each bit of the set's number, lowest first, the address bits whose parity it is; by
    /// default the bits above the line's.
    #[serde(default)]
    pub index: Vec<At<Address>>,
}

/// A cache that each so many neighbouring cores share, behind those of their own, and which knows what
/// these hold.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClusterTable {
    /// Cores of a cluster; `cores_per_node` is a multiple of it, and so are all cores.
    #[schemars(range(min = 1, max = 128))]
    pub cores: At<i64>,
    /// A message's way between a core and its cluster's cache; at least 1.
    pub link: At<i64>,
    /// The cache serves a request each so many cycles; at least 1.
    pub service: At<i64>,
    /// From a message's arrival at a core of the cluster to its answer's departure; at least 1.
    pub snoop: At<i64>,
    /// Inclusive of its cores' [l1d] and [l2]; `hit`: from a request's service to the departure of
    /// what follows.
    pub cache: CacheTable,
}

/// Each core's two TLBs, one for fetches, one for loads and stores.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TlbTable {
    /// Of each of the two.
    #[schemars(range(min = 4, max = 256))]
    pub entries: At<i64>,
    /// Added to each level of a walk, beside its access through the cache.
    pub level: At<i64>,
}

/// A directory with a home for each line.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoherenceTable {
    /// Which node is a line's home: "hash", "page", "split" or "nodes".
    #[schemars(regex(pattern = "^(hash|page|split|nodes)$"))]
    pub homes: At<String>,
    /// With homes = "split": as with "hash" below this address; from there on blocks in turn over all nodes.
    pub pages_from: Option<At<Address>>,
    /// With homes = "split" or "nodes": so many bytes in turn to each.
    pub interleave: Option<At<Size>>,
    /// With homes = "nodes": these.
    pub nodes: Option<At<Vec<At<i64>>>>,
    /// From a request's arrival at its home to the departure of what follows; at least 1.
    pub directory: At<i64>,
    /// The home serves a request each so many cycles; at least 1.
    pub service: At<i64>,
    /// An atomic operation at the home; needed with atomics = "home".
    pub atomic: Option<At<i64>>,
    /// From a message's arrival at a core to its answer's departure.
    pub snoop: At<i64>,
    /// Lines that one core, cluster or device may have on their way from a cache to a home or to memory because it
    /// needed their place: as long as there are so many, its next request waits. By default 32.
    #[schemars(range(min = 1, max = 1024))]
    pub write_backs: Option<At<i64>>,
    /// Each home's part of a shared cache in front of the memory.
    pub cache: Option<CacheTable>,
}

/// Nodes, from 0, joined by links. Core c is at node c / cores_per_node.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InterconnectTable {
    /// "mesh" (of columns and rows), "ring", "bus" or "full" (of nodes).
    #[schemars(regex(pattern = "^(mesh|ring|bus|full)$"))]
    pub shape: At<String>,
    /// With shape = "mesh".
    pub columns: Option<At<i64>>,
    /// With shape = "mesh".
    pub rows: Option<At<i64>>,
    /// With any other shape.
    pub nodes: Option<At<i64>>,
    #[schemars(range(min = 1, max = 128))]
    pub cores_per_node: At<i64>,
    /// A message's head across a link and the router behind it; at least 1.
    pub hop: At<i64>,
    /// Entering and leaving the network, once a message; at least 1.
    pub local: At<i64>,
    /// Bytes that a link carries a cycle.
    #[schemars(range(min = 1, max = 1024))]
    pub width: At<i64>,
}

/// The memory's controllers; all are alike.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DramTable {
    /// The controllers' nodes.
    #[schemars(length(min = 1))]
    pub nodes: At<Vec<At<i64>>>,
    /// So many bytes in turn to each controller: a power of two, at least 64B.
    pub interleave: At<Size>,
    /// For each bit of the bank's number, lowest first, the address bits whose parity it is.
    #[schemars(length(max = 16))]
    pub banks: At<Vec<At<Address>>>,
    /// Bytes of a bank's row: a power of two, at least 64B.
    pub row: At<Size>,
    /// From arrival to the first data when the row is open.
    pub row_hit: At<i64>,
    /// When the bank is closed.
    pub row_closed: At<i64>,
    /// When another row of the bank is open.
    pub row_conflict: At<i64>,
    /// The controller's data wires are busy for so long with each line; at least 1.
    pub burst: At<i64>,
    /// Every so many cycles all banks close; 0: never.
    pub refresh: At<i64>,
    /// They are busy for so long; less than `refresh`.
    pub refresh_time: At<i64>,
    /// Reads and writes that a controller has taken in and not done yet; the next one waits before it, whatever its
    /// bank. By default 64.
    #[schemars(range(min = 1, max = 1024))]
    pub queue: Option<At<i64>>,
}

/// What is not memory.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DevicesTable {
    /// A device's register: from the request's arrival to the answer's departure.
    pub register: At<i64>,
    /// From a change of an interrupt's wire to the core that sees it.
    pub interrupt: At<i64>,
}
