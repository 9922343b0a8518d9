// SPDX-License-Identifier: Apache-2.0
//! The longest that one transaction can take, whatever the other cores do: a bound, computed from a board's figures.
//!
//! `docs/design/board.md`, "Back-pressure", derives each step. All waiting on the modelled machine is behind a finite
//! number of others, since each core has a finite number of requests under way, and each request moves a finite number of
//! lines. A bound of this kind adds up what can be worst at each place; what a program really meets is much less.

use crate::{
    Board, Timing,
    timing::{Cluster, Shape},
};

/// Lines that a request can drive out of caches: the core's own (or its cluster's) victim, that of the home's cache, and
/// the changed line itself, which the home's cache does not keep.
const LINES_OF_A_REQUEST: u128 = 3;
/// Devices with a port to memory, each with one transfer at a time.
const DEVICES: u128 = 1;
/// Bytes of a message without a line, and of one with it.
const SHORT: u64 = 8;
const WITH_LINE: u64 = 72;

/// Bounds in cycles, from the departure of a core's request until the line is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worst {
    /// A message on the interconnect.
    pub message: u64,
    /// An access at its memory controller, from its arrival until it is done.
    pub controller: u64,
    /// A request for a line that nobody else wants, which found few write-backs of its core under way.
    pub own_line: u64,
    /// The same, for a line that all others want too.
    pub shared_line: u64,
    /// Any request: it may first wait for its core's write-backs.
    pub any: u64,
}

/// What is under way at one moment, at most.
struct Load {
    requests: u128,
    /// Lines on their way to homes and to memory.
    lines: u128,
    messages: u128,
    /// Cycles of one link that all these messages take together.
    link_cycles: u128,
}

impl Board {
    /// With so many cores that run, the first of the board; None where the board has no timing.
    pub fn worst(&self, cores: u32) -> Option<Worst> {
        let scratchpad = self.scratchpads.iter().map(|pad| pad.latency).max().unwrap_or(0);
        Some(self.timing.as_ref()?.worst(cores.min(self.cores).max(1), scratchpad))
    }
}

impl Timing {
    /// With so many cores that run. `scratchpad`: the longest latency of one.
    pub fn worst(&self, cores: u32, scratchpad: u64) -> Worst {
        let load = self.worst_load(cores);
        let message = self.worst_message(&load, scratchpad);
        let controller = self.worst_access(load.requests + load.lines);
        let slot = load.requests * u128::from(self.coherence.service);
        let copies = self.worst_copies();
        // The line is looked for in memory, or its copies come from others; then it is granted, and its home is told.
        let reservation = (0..cores).map(|core| self.of_core(core).core.reservation).max();
        let recalled = 2 * message + 2 + u128::from(reservation.unwrap_or(0)) + 4 * copies;
        let supplied = 3 * message + controller;
        let served = supplied.max(recalled) + u128::from(self.coherence.atomic) + 2 * message;
        let turns = |requesters: u128| message + 1 + slot + requesters * served;
        let clusters = if self.cluster.is_some() { self.holders(cores) } else { 0 };
        let (alone, all) = (turns(1), turns(clusters + u128::from(cores) + DEVICES));
        let stalled = all + 4 * message + controller + 2 * copies;
        let through = |home: u128| match &self.cluster {
            Some(cluster) => self.through_cluster(cluster, cores, home, copies),
            None => home,
        };
        let cycles = |cycles: u128| u64::try_from(cycles).unwrap_or(u64::MAX);
        Worst {
            message: cycles(message),
            controller: cycles(controller),
            own_line: cycles(through(alone)),
            shared_line: cycles(through(all)),
            any: cycles(through(stalled + all)),
        }
    }

    /// Who can hold a line, as homes see it: cores, or their clusters.
    fn holders(&self, cores: u32) -> u128 {
        cores.div_ceil(self.cluster.as_ref().map_or(1, |cluster| cluster.cores)).into()
    }

    fn worst_load(&self, cores: u32) -> Load {
        let holders = self.holders(cores);
        let (short, long) = (self.flits(SHORT), self.flits(WITH_LINE));
        let mut load = Load {
            requests: DEVICES,
            lines: 0,
            messages: DEVICES * (holders + 1),
            link_cycles: DEVICES * (holders * short + long),
        };
        for core in 0..cores {
            let core = self.of_core(core).core;
            // Requests to write have the line recalled from all others; of the rest each is one message at a time. One
            // message more goes to another core's scratchpad.
            let writes = u128::from(core.store_buffer) + 1;
            let reads = u128::from(core.mshrs).saturating_sub(writes);
            load.requests += writes + reads;
            load.messages += writes * (holders + 1) + reads + 1;
            load.link_cycles += writes * (holders * short + long) + reads * long + short;
        }
        let clusters = if self.cluster.is_some() { holders } else { 0 };
        let initiators = u128::from(cores) + clusters + DEVICES;
        load.lines = initiators * u128::from(self.coherence.write_backs - 1)
            + LINES_OF_A_REQUEST * load.requests;
        load.messages += load.lines;
        load.link_cycles += load.lines * long;
        load
    }

    fn flits(&self, bytes: u64) -> u128 {
        bytes.div_ceil(self.interconnect.width).into()
    }

    /// From the moment at which a message's links are reserved to its arrival.
    fn worst_message(&self, load: &Load, scratchpad: u64) -> u128 {
        // A message may be reserved so long before it leaves.
        let before = self.coherence.directory
            + self.coherence.cache.as_ref().map_or(0, |cache| cache.hit)
            + self.coherence.snoop
            + self.cluster.as_ref().map_or(0, |cluster| cluster.cache.hit)
            + scratchpad;
        let hop = u128::from(self.interconnect.hop);
        let hops = match self.interconnect.shape {
            Shape::Mesh { columns, rows } => hop * u128::from(columns + rows),
            Shape::Bus { .. } | Shape::Full { .. } => hop,
            // Messages may wait for each other all around the ring.
            Shape::Ring { nodes } => hop * u128::from(nodes) * (load.messages + 1),
        };
        u128::from(before + self.interconnect.local) + hops + load.link_cycles
    }

    /// An access at its controller, with so many under way there.
    fn worst_access(&self, accesses: u128) -> u128 {
        let dram = &self.dram;
        let one = dram.row_hit.max(dram.row_closed).max(dram.row_conflict) + dram.burst;
        let all = (accesses + 1) * u128::from(one.max(1));
        if dram.refresh == 0 {
            return all;
        }
        // Each `refresh` cycles leave so many.
        let (each, closed) = (u128::from(dram.refresh), u128::from(dram.refresh_time));
        (all + closed) * each / (each - closed) + closed + 1
    }

    /// A cluster's cache collects its cores' copies of a line; nothing where there are no clusters.
    fn worst_copies(&self) -> u128 {
        let Some(cluster) = &self.cluster else { return 0 };
        let kinds = self.kinds.iter().map(|kind| kind.core.reservation);
        let reservation = kinds.chain([self.core.reservation]).max().unwrap_or(0);
        u128::from(2 * cluster.cache.hit + 3 * cluster.link + cluster.snoop + reservation + 2)
    }

    /// A request of a core whose cluster's cache asks the home. Others of the cluster that want the line are before it.
    fn through_cluster(&self, cluster: &Cluster, cores: u32, home: u128, copies: u128) -> u128 {
        let inside = u128::from(cluster.cores.min(cores));
        let requests: u128 = (0..cores).map(|core| u128::from(self.of_core(core).core.mshrs)).sum();
        let link = u128::from(cluster.link);
        link + requests * u128::from(cluster.service) + inside * (home + 4 * copies + link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn board(name: &str) -> Board {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../boards/{name}.toml"));
        Board::read(&path).unwrap_or_else(|_| panic!("{} is readable", path.display()))
    }

    #[test]
    fn more_cores_and_longer_queues_take_longer() {
        for name in ["virt", "tile72", "xeon40", "sg2042", "biglittle8", "p4080"] {
            let mut board = board(name);
            let worst = |board: &Board, cores| board.worst(cores).expect("a timing").any;
            let (one, all) = (worst(&board, 1), worst(&board, board.cores));
            assert!(one < all && all < u64::MAX, "{name}: {one} and {all}");
            let before = board.worst(2).expect("a timing");
            board.timing.as_mut().expect("a timing").coherence.write_backs += 1;
            let after = board.worst(2).expect("a timing");
            assert!(before.controller < after.controller && before.any < after.any, "{name}");
            assert!(after.own_line < after.shared_line && after.shared_line < after.any, "{name}");
        }
    }
}
