// SPDX-License-Identifier: Apache-2.0
//! An upper bound on the time of one transaction, whatever the other cores do, computed from a
//! board's figures.
//!
//! `docs/design/board.md`, "Back-pressure", derives each step. On the modelled machine every wait
//! is behind a finite number of others, because each core has a finite number of requests under way
//! and each request moves a finite number of lines. The bound adds up the worst case of each place;
//! a real program waits for much less.

use crate::{
    Board, Timing,
    timing::{Cluster, Shape},
};

/// The lines that a request can displace from caches: the victim in the core's own cache (or its
/// cluster's), the victim in the home's cache, and the changed line itself, which the home's cache
/// does not keep.
const LINES_OF_A_REQUEST: u128 = 3;
/// The number of devices with a port to memory, each with one transfer at a time.
const DEVICES: u128 = 1;
/// The size in bytes of a message without a line, and of one with a line.
const SHORT: u64 = 8;
const WITH_LINE: u64 = 72;

/// Bounds in cycles, from the departure of a core's request until its line has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worst {
    /// A message on the interconnect.
    pub message: u64,
    /// An access at its memory controller, from its arrival until it is done.
    pub controller: u64,
    /// A request for a line that no other core requests, made while few write-backs of its core are
    /// under way.
    pub own_line: u64,
    /// A request for a line that all other cores request too.
    pub shared_line: u64,
    /// Any request; it may first have to wait for its core's write-backs.
    pub any: u64,
    /// A request that is made when all earlier ones of its core are done: write-backs may be under way.
    pub next: u64,
}

/// The greatest load: what can be under way at the same time.
struct Load {
    requests: u128,
    /// The number of lines on their way to homes and to memory.
    lines: u128,
    messages: u128,
    /// The cycles for which all these messages together occupy one link.
    link_cycles: u128,
}

impl Board {
    /// The bounds with this number of running cores, the first ones of the board; None if the board
    /// has no timing.
    pub fn worst(&self, cores: u32) -> Option<Worst> {
        let scratchpad = self.scratchpads.iter().map(|pad| pad.latency).max().unwrap_or(0);
        Some(self.timing.as_ref()?.worst(cores.min(self.cores).max(1), scratchpad))
    }
}

impl Timing {
    /// The bounds with this number of running cores. `scratchpad` is the longest latency of a
    /// scratchpad.
    pub fn worst(&self, cores: u32, scratchpad: u64) -> Worst {
        let load = self.worst_load(cores);
        let message = self.worst_message(&load, scratchpad);
        let controller = self.worst_access(load.requests + load.lines);
        let slot = load.requests * u128::from(self.coherence.service);
        let copies = self.worst_copies();
        // The line is read from memory, or its copies are recalled from others; then it is granted,
        // and its home is informed.
        let reservation = (0..cores).map(|core| self.of_core(core).core.reservation).max();
        let recalled = 2 * message + 2 + u128::from(reservation.unwrap_or(0)) + 4 * copies;
        let supplied = 3 * message + controller;
        let served = supplied.max(recalled) + u128::from(self.coherence.atomic) + 2 * message;
        let turns = |requesters: u128| message + 1 + slot + requesters * served;
        let clusters = if self.cluster.is_some() { self.holders(cores) } else { 0 };
        let (alone, all) = (turns(1), turns(clusters + u128::from(cores) + DEVICES));
        // The lines that its core's requests have displaced, which are done, are on their way to a home and to memory.
        let next = all + 4 * message + controller + 2 * copies;
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
            any: cycles(through(next + all)),
            next: cycles(through(next)),
        }
    }

    /// The number of holders of a line that a home distinguishes: cores, or their clusters.
    fn holders(&self, cores: u32) -> u128 {
        cores.div_ceil(self.cluster.as_ref().map_or(1, |cluster| cluster.cores)).into()
    }

    fn worst_load(&self, cores: u32) -> Load {
        let holders = self.holders(cores);
        let link_time = |bytes| u128::from(self.interconnect.link_time(bytes));
        let (short, long) = (link_time(SHORT), link_time(WITH_LINE));
        let mut load = Load {
            requests: DEVICES,
            lines: 0,
            messages: DEVICES * (holders + 1),
            link_cycles: DEVICES * (holders * short + long),
        };
        for core in 0..cores {
            let core = self.of_core(core).core;
            // For a write request the line is recalled from all other holders. Any other request
            // has one message under way at a time. One more message goes to another core's
            // scratchpad or to a device.
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

    /// The time from the reservation of a message's links to its arrival.
    fn worst_message(&self, load: &Load, scratchpad: u64) -> u128 {
        // A message may be reserved this long before it departs.
        let before = self.coherence.directory
            + self.coherence.cache.as_ref().map_or(0, |cache| cache.hit)
            + self.coherence.snoop
            + self.cluster.as_ref().map_or(0, |cluster| cluster.cache.hit)
            + scratchpad.max(if self.device_links { self.device } else { 0 });
        let hop = u128::from(self.interconnect.hop);
        let hops = match self.interconnect.shape {
            Shape::Mesh { columns, rows } => hop * u128::from(columns + rows),
            Shape::Bus { .. } | Shape::Full { .. } => hop,
            // Messages may wait for each other all around the ring.
            Shape::Ring { nodes } => hop * u128::from(nodes) * (load.messages + 1),
        };
        u128::from(before + self.interconnect.local) + hops + load.link_cycles
    }

    /// The time of an access at its controller, with this number of accesses under way there.
    /// `docs/design/board.md`, "Back-pressure", has the argument.
    fn worst_access(&self, accesses: u128) -> u128 {
        let dram = &self.dram;
        let row = dram.row_hit.max(dram.row_closed).max(dram.row_conflict);
        let one = u128::from((row + dram.burst).max(1));
        // An access may begin while the data of the one before it are moved, except where the wait for a place in the
        // queue may last until these have been moved.
        let least = dram.row_hit.min(dram.row_closed).min(dram.row_conflict);
        let queue_is_long = u64::from(dram.queue).saturating_sub(1) * dram.burst >= row;
        let step = match queue_is_long {
            true => u128::from((row + dram.burst - least).max(dram.burst).max(1)),
            false => one,
        };
        let all = accesses * step + one;
        if dram.refresh == 0 {
            return all;
        }
        // The number of cycles that each refresh interval leaves.
        let (each, closed) = (u128::from(dram.refresh), u128::from(dram.refresh_time));
        (all + closed) * each / (each - closed) + closed + 1
    }

    /// The time in which a cluster's cache collects its cores' copies of a line; 0 if there are no
    /// clusters.
    fn worst_copies(&self) -> u128 {
        let Some(cluster) = &self.cluster else { return 0 };
        let kinds = self.kinds.iter().map(|kind| kind.core.reservation);
        let reservation = kinds.chain([self.core.reservation]).max().unwrap_or(0);
        u128::from(2 * cluster.cache.hit + 3 * cluster.link + cluster.snoop + reservation + 2)
    }

    /// The time of a request whose cluster's cache asks the home. Requests of other cores of the
    /// cluster for the same line may come first.
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
            assert!(after.shared_line < after.next && after.next < after.any, "{name}");
        }
    }

    /// An access begins while the data of the one before it are moved, unless the wait for a place in a short queue may last
    /// until these have been moved.
    #[test]
    fn a_short_queue_delays_each_access() {
        let mut timing = board("tile72").timing.expect("a timing");
        let step = |timing: &Timing| timing.worst_access(1001) - timing.worst_access(1);
        timing.dram.refresh = 0;
        assert_eq!(step(&timing), 1000 * (67 + 5 - 39));
        timing.dram.queue = 14;
        assert_eq!(step(&timing), 1000 * (67 + 5));
    }
}
