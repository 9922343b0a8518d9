// SPDX-License-Identifier: Apache-2.0
//! What `docs/design/board.md` says an access takes on an idle machine, from the board's figures.

use takt_board::memory::address;
use takt_model::{Timing, timing::Shape};

pub struct Formula {
    pub timing: Timing,
}

impl Formula {
    pub fn new(timing: &Timing) -> Formula {
        Formula { timing: timing.clone() }
    }

    pub fn node(&self, core: u32) -> u32 {
        core / self.timing.interconnect.cores_per_node
    }

    pub fn nodes(&self) -> u32 {
        self.timing.interconnect.shape.nodes()
    }

    pub fn home(&self, line: u64) -> u32 {
        address::home(&self.timing.coherence, self.nodes(), line)
    }

    pub fn hops(&self, from: u32, to: u32) -> u64 {
        let hops = match self.timing.interconnect.shape {
            Shape::Mesh { columns, .. } => {
                (from % columns).abs_diff(to % columns) + (from / columns).abs_diff(to / columns)
            }
            Shape::Ring { nodes } => from.abs_diff(to).min(nodes - from.abs_diff(to)),
            Shape::Bus { .. } | Shape::Full { .. } => u32::from(from != to),
        };
        u64::from(hops)
    }

    fn message(&self, from: u32, to: u32, bytes: u64) -> u64 {
        let net = &self.timing.interconnect;
        net.local + self.hops(from, to) * net.hop + bytes.div_ceil(net.width) - 1
    }

    /// A message without a line, to the end.
    pub fn short(&self, from: u32, to: u32) -> u64 {
        self.message(from, to, 8)
    }

    /// A message with a line.
    pub fn long(&self, from: u32, to: u32) -> u64 {
        self.message(from, to, 72)
    }

    /// A load that hits L1.
    pub fn l1(&self) -> u64 {
        1 + self.timing.l1d.hit
    }

    pub fn l2(&self) -> u64 {
        self.l1() + self.timing.l2.as_ref().map_or(0, |l2| l2.hit)
    }

    fn lookup(&self) -> u64 {
        self.l2() - 1
    }

    fn home_cache(&self) -> u64 {
        self.timing.coherence.cache.as_ref().map_or(0, |cache| cache.hit)
    }

    /// To the home, its directory, and back; `between` is what the home waits for.
    fn visit(&self, core: u32, line: u64, between: u64) -> u64 {
        let (node, home) = (self.node(core), self.home(line));
        self.lookup()
            + self.short(node, home)
            + self.timing.coherence.directory
            + self.home_cache()
            + between
            + self.long(home, node)
            + self.l1()
    }

    /// A load of a line that the home's cache holds.
    pub fn home_hit(&self, core: u32, line: u64) -> u64 {
        self.visit(core, line, 0)
    }

    /// A load of a line from memory; `first`: the row's state's time.
    pub fn memory(&self, core: u32, line: u64, first: u64) -> u64 {
        let home = self.home(line);
        let controller = self.timing.dram.nodes[address::place(&self.timing.dram, line).controller];
        let dram = first + self.timing.dram.burst;
        self.visit(core, line, self.short(home, controller) + dram + self.long(controller, home))
    }

    /// A load of a line that another core has written.
    pub fn modified(&self, core: u32, owner: u32, line: u64) -> u64 {
        let (node, home, there) = (self.node(core), self.home(line), self.node(owner));
        self.lookup()
            + self.short(node, home)
            + self.timing.coherence.directory
            + self.short(home, there)
            + self.timing.coherence.snoop
            + self.long(there, node)
            + self.l1()
    }

    /// The measured loop: `body` cycles each time beside its count and branch, and the first read of
    /// the clock.
    pub fn counted(&self, count: u64, body: u64) -> u64 {
        let core = &self.timing.core;
        core.system + body + 2 * count + (count - 1) * core.taken_branch
    }
}
