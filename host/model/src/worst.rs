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
    timing::{Atomics, Cluster, Shape},
};

/// The lines that a request can drive out of caches: the victim in the core's own cache, and what its data, or the changed
/// line that another core gives up for it, displace from the home's cache.
const LINES_OF_A_REQUEST: u128 = 2;
/// The same where cores share the cache of a cluster, which has a victim of its own.
const LINES_WITH_CLUSTERS: u128 = 3;
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
    /// What each other core that requests the line adds to `own_line`.
    pub requester: u64,
    /// Any request; it may first have to wait for its core's write-backs.
    pub any: u64,
    /// A request that is made when all earlier ones of its core are done: write-backs may be under way.
    pub next: u64,
}

/// The greatest load: what can be under way at the same time.
#[derive(Default)]
struct Load {
    requests: u128,
    /// The accesses of requests, and lines, that can be at the memory's controllers.
    accesses: u128,
    messages: u128,
    /// The cycles for which all these messages together occupy one link.
    link_cycles: u128,
}

impl Board {
    /// The bounds with this number of running cores, the first ones of the board, and of devices that transfer to memory or
    /// from there, each one line at a time; None if the board has no timing.
    pub fn worst(&self, cores: u32, devices: u32) -> Option<Worst> {
        let scratchpad = self.scratchpads.iter().map(|pad| pad.latency).max().unwrap_or(0);
        let cores = cores.min(self.cores).max(1);
        Some(self.timing.as_ref()?.worst(cores, devices, scratchpad))
    }
}

impl Board {
    /// The bounds with this number of running cores, the first ones of the board, whose second-level caches and whose homes'
    /// caches keep all that the cores touch: no line is driven out of a cache, none comes from memory, and no device transfers.
    /// `operations`: but for those on which an atomic operation is made at the home, where the board makes them there.
    /// None if the board has no timing, or caches for which this is never known.
    pub fn worst_within_caches(&self, cores: u32, operations: bool) -> Option<Worst> {
        let timing = self.timing.as_ref()?;
        let scratchpad = self.scratchpads.iter().map(|pad| pad.latency).max().unwrap_or(0);
        let has_caches = timing.coherence.cache.is_some() && timing.cluster.is_none();
        let cores = cores.min(self.cores).max(1);
        let at_home = |core| timing.of_core(core).core.atomics == Atomics::Home;
        let operations = operations && (0..cores).any(at_home);
        has_caches.then(|| timing.worst_within_caches(cores, operations, scratchpad))
    }
}

impl Timing {
    /// The bounds where caches keep all that is touched. `docs/design/residency.md`, "A bound of a transfer", derives each step.
    fn worst_within_caches(&self, cores: u32, operations: bool, scratchpad: u64) -> Worst {
        let load = self.load_within_caches(cores);
        let message = self.worst_message(&load, scratchpad);
        let slot = load.requests * u128::from(self.coherence.service);
        let reservation = (0..cores).map(|core| self.of_core(core).core.reservation).max();
        let atomic = u128::from(self.coherence.atomic);
        // The line's copies are recalled from others, or its home's cache has it, which takes one message less.
        let recalled = 2 * message + 2 + u128::from(reservation.unwrap_or(0));
        // A core drops the line before its operation, which then finds it in memory. It makes one at a time.
        let controller = if operations { self.worst_access(cores.into()) } else { 0 };
        let fetched = if operations { 2 * message + controller } else { 0 };
        let before = recalled.max(fetched) + (atomic + 1).max(self.idle_message());
        let served = recalled.max(fetched) + message + atomic;
        let cycles = |cycles: u128| u64::try_from(cycles).unwrap_or(u64::MAX);
        let turns = |others: u128| cycles(message + 1 + slot + others * before + served);
        let (own_line, shared_line) = (turns(0), turns(u128::from(cores) - 1));
        // No line is on its way home, so no request waits for one.
        Worst {
            message: cycles(message),
            controller: cycles(controller),
            own_line,
            shared_line,
            requester: cycles(before),
            any: shared_line,
            next: shared_line,
        }
    }

    fn load_within_caches(&self, cores: u32) -> Load {
        let link_time = |bytes| u128::from(self.interconnect.link_time(bytes));
        let (short, long) = (link_time(SHORT), link_time(WITH_LINE));
        let others = u128::from(cores) - 1;
        let posts = u128::from(self.interconnect.posts);
        let mut load = Load::default();
        for core in 0..cores {
            let (writes, reads) = self.requests(core);
            let requests = writes + reads;
            load.requests += requests;
            // Each request has its own message, or that with its line, under way; a write also a recall of each other core, or
            // the answer to it. The others go to other cores' scratchpads and to devices.
            load.messages += requests + writes * others + posts;
            load.link_cycles += requests * long + writes * others * short + posts * short;
        }
        load
    }

    /// The bounds with these numbers of running cores and devices. `scratchpad` is the longest latency of a scratchpad.
    pub fn worst(&self, cores: u32, devices: u32, scratchpad: u64) -> Worst {
        let load = self.worst_load(cores, devices);
        let message = self.worst_message(&load, scratchpad);
        let controller = self.worst_access(load.accesses);
        let slot = load.requests * u128::from(self.coherence.service);
        let copies = self.worst_copies();
        let reservation = (0..cores).map(|core| self.of_core(core).core.reservation).max();
        let atomic = u128::from(self.coherence.atomic);
        let told = self.idle_message();
        // The line is read from memory and granted, or its copies are recalled from others.
        let recalled = 2 * message + 2 + u128::from(reservation.unwrap_or(0)) + 4 * copies;
        let granted = (3 * message + controller).max(recalled);
        let served = granted.max(recalled + message) + atomic;
        // What a request that was before adds: behind a grant from memory the line is recalled.
        let operated = 2 * message + controller + atomic + 1;
        let recalled = recalled + (atomic + 1).max(told);
        let before = operated.max(recalled).max((granted + told + recalled).div_ceil(2));
        let turns = |others: u128| message + 1 + slot + others * before + served;
        let clusters = if self.cluster.is_some() { self.holders(cores) } else { 0 };
        let others = clusters + u128::from(cores) + u128::from(devices) - 1;
        let (alone, all) = (turns(0), turns(others));
        // A line that was driven out goes to its home, and what it displaces there to memory.
        let lines = 2 * message + controller + told + 2 * copies;
        let through = |home: u128| match &self.cluster {
            Some(cluster) => self.through_cluster(cluster, cores, home, copies),
            None => home,
        };
        let stalled = self.worst_stall(cores, lines).min(all + lines);
        let cycles = |cycles: u128| u64::try_from(cycles).unwrap_or(u64::MAX);
        Worst {
            message: cycles(message),
            controller: cycles(controller),
            own_line: cycles(through(alone)),
            shared_line: cycles(through(all)),
            requester: cycles(before),
            any: cycles(through(stalled + all)),
            next: cycles(through(lines + all)),
        }
    }

    /// The number of holders of a line that a home distinguishes: cores, or their clusters.
    fn holders(&self, cores: u32) -> u128 {
        cores.div_ceil(self.cluster.as_ref().map_or(1, |cluster| cluster.cores)).into()
    }

    /// The requests that write, and others, that a core can have under way.
    fn requests(&self, core: u32) -> (u128, u128) {
        let core = self.of_core(core).core;
        let writes = u128::from(core.store_buffer) + 1;
        (writes, u128::from(core.mshrs).saturating_sub(writes))
    }

    fn worst_load(&self, cores: u32, devices: u32) -> Load {
        let holders = self.holders(cores);
        let link_time = |bytes| u128::from(self.interconnect.link_time(bytes));
        let (short, long) = (link_time(SHORT), link_time(WITH_LINE));
        let kept = u128::from(self.coherence.write_backs - 1);
        let posts = u128::from(self.interconnect.posts);
        let clustered = self.cluster.is_some();
        let of_request = if clustered { LINES_WITH_CLUSTERS } else { LINES_OF_A_REQUEST };
        let mut load = Load::default();
        let mut add = |writes: u128, reads: u128, recalls: u128| {
            let requests = writes + reads;
            let lines = kept + of_request * requests;
            load.requests += requests;
            // A request that reads memory has driven nothing out, and one that has driven out all is done.
            load.accesses += lines + if clustered { requests } else { 0 };
            load.messages += lines + requests + writes * recalls + posts;
            // The last line that a request drives out takes the place of its data.
            let beside = lines - if clustered { 0 } else { requests };
            load.link_cycles += beside * long + requests * long;
            load.link_cycles += (writes * recalls + posts) * short;
        };
        for core in 0..cores {
            let (writes, reads) = self.requests(core);
            // For a write the line is recalled from all other holders. As many messages as a core may have under way there
            // go to other cores' scratchpads and to devices.
            add(writes, reads, if clustered { holders } else { holders - 1 });
        }
        for _ in 0..devices {
            add(1, 0, holders);
        }
        if clustered {
            // What a cluster's cache has on its way of its own.
            load.accesses += holders * kept;
            load.messages += holders * kept;
            load.link_cycles += holders * kept * long;
        }
        load
    }

    /// How long a request waits until fewer than `write_backs` lines of its core are on their way, each of which takes `lines`;
    /// without a bound of its own where cores share the cache of a cluster.
    fn worst_stall(&self, cores: u32, lines: u128) -> u128 {
        if self.cluster.is_some() {
            return u128::MAX / 2;
        }
        let requests = |core| self.requests(core).0 + self.requests(core).1;
        let others = (0..cores).map(requests).max().unwrap_or(1) - 1;
        let driven_out = LINES_OF_A_REQUEST * others;
        let rounds = driven_out / u128::from(self.coherence.write_backs) + 1;
        // A line that comes home is counted twice, with what it displaces, until its core is told.
        rounds * (lines + (driven_out + 1) * self.idle_message())
    }

    /// A bound on the way of a message without a line on idle links.
    fn idle_message(&self) -> u128 {
        let hops = match self.interconnect.shape {
            Shape::Mesh { columns, rows } => columns + rows,
            Shape::Bus { .. } | Shape::Full { .. } => 1,
            Shape::Ring { nodes } => nodes,
        };
        let hops = u128::from(hops) * u128::from(self.interconnect.hop);
        u128::from(self.interconnect.local + self.interconnect.link_time(SHORT)) + hops
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
            let worst = |board: &Board, cores| board.worst(cores, 1).expect("a timing").any;
            let (one, all) = (worst(&board, 1), worst(&board, board.cores));
            assert!(one < all && all < u64::MAX, "{name}: {one} and {all}");
            let before = board.worst(2, 1).expect("a timing");
            board.timing.as_mut().expect("a timing").coherence.write_backs += 1;
            let after = board.worst(2, 1).expect("a timing");
            assert!(before.controller < after.controller && before.next < after.next, "{name}");
            assert!(after.own_line < after.shared_line && after.shared_line < after.any, "{name}");
            assert!(after.shared_line < after.next && after.next < after.any, "{name}");
        }
    }

    /// Where caches keep all, a bound grows with the cores and what each has under way, and memory and write-backs are no part of it.
    #[test]
    fn within_caches_a_line_waits_for_links_and_cores_alone() {
        for (name, most) in [("tile72", 8), ("biglittle8", 4)] {
            let mut board = board(name);
            let within =
                |board: &Board, cores| board.worst_within_caches(cores, false).expect(name);
            let all = board.worst(4, 0).expect("a timing");
            let four = within(&board, 4);
            assert!(within(&board, 2).any < four.any && four.any < within(&board, most + 1).any);
            assert!(four.any < all.any / 5 && four.message < all.message, "{name}: {four:?}");
            assert!(four.own_line < four.shared_line && four.shared_line == four.any, "{name}");
            board.timing.as_mut().expect("a timing").coherence.write_backs += 100;
            board.timing.as_mut().expect("a timing").dram.row_conflict += 1000;
            assert_eq!(within(&board, 4), four);
            board.timing.as_mut().expect("a timing").core.mshrs += 1;
            assert!(within(&board, 4).any > four.any, "{name}");
            board.timing.as_mut().expect("a timing").coherence.cache = None;
            assert_eq!(board.worst_within_caches(4, false), None);
        }
        assert_eq!(board("sg2042").worst_within_caches(4, false), None);
    }

    /// A request waits for two rounds of lines where twelve others can drive out 24 and 16 may be on their way, for one where
    /// more may be.
    #[test]
    fn a_stall_ends_when_no_request_is_left_that_drives_lines_out() {
        let mut timing = board("tile72").timing.expect("a timing");
        let rounds = |timing: &Timing| timing.worst_stall(4, 1_000_000) / 1_000_000;
        assert_eq!(rounds(&timing), 2);
        timing.coherence.write_backs = 25;
        assert_eq!(rounds(&timing), 1);
        timing.coherence.write_backs = 1;
        assert_eq!(rounds(&timing), 25);
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
