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

    /// The nodes on the way, both ends with it.
    pub fn path(&self, from: u32, to: u32) -> Vec<u32> {
        let Shape::Mesh { columns, .. } = self.timing.interconnect.shape else {
            assert!(self.hops(from, to) < 2, "only meshes are walked");
            return if from == to { vec![from] } else { vec![from, to] };
        };
        let turn = from - from % columns + to % columns;
        let towards = |a: u32, b: u32, step: u32| -> Vec<u32> {
            let nodes = (0..=a.abs_diff(b) / step).map(|n| n * step);
            nodes.map(|n| if a < b { a + n } else { a - n }).collect()
        };
        let mut path = towards(from, turn, 1);
        path.extend(towards(turn, to, columns).into_iter().skip(1));
        path
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

    /// An atomic operation at the line's home, whose cache holds it.
    pub fn atomic_at_home(&self, core: u32, line: u64) -> u64 {
        let (node, home) = (self.node(core), self.home(line));
        let there = self.lookup() + self.short(node, home);
        let at_home =
            self.timing.coherence.directory + self.home_cache() + self.timing.coherence.atomic;
        there + at_home + self.short(home, node) + 1
    }

    /// Of a line that two cores write in turn and else read again and again: from the load that brings
    /// the other's number to `core`, to the load that brings the next one to `other`. `phase`: from
    /// the loss of the other's copy to its next load.
    pub fn pass(&self, core: u32, other: u32, line: u64, phase: u64) -> u64 {
        let (node, there, home) = (self.node(core), self.node(other), self.home(line));
        let (directory, snoop) = (self.timing.coherence.directory, self.timing.coherence.snoop);
        // The load completes; a branch that is not taken and a sum; then the store asks for the line.
        let asks = self.l1() + 2 + self.lookup();
        let leaves = asks + self.short(node, home) + directory;
        // The other's copy is taken. Its next load asks the home, which waits for this core.
        let taken = leaves + self.short(home, there);
        let owns = (taken + snoop + self.short(there, node)).max(leaves + self.short(home, node));
        let free = owns + self.short(node, home);
        let asked = taken + phase + self.lookup() + self.short(there, home);
        free.max(asked) + directory + self.short(home, node) + snoop + self.long(node, there)
    }

    /// A round of the loop that waits for the other's number.
    pub fn pass_round(&self) -> u64 {
        self.l1() + 1 + self.timing.core.taken_branch
    }

    /// The measured loop: `body` cycles each time beside its count and branch, and the first read of
    /// the clock.
    pub fn counted(&self, count: u64, body: u64) -> u64 {
        let core = &self.timing.core;
        core.system + body + 2 * count + (count - 1) * core.taken_branch
    }
}
