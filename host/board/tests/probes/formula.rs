// SPDX-License-Identifier: Apache-2.0
//! What `docs/design/board.md` says an access takes on an idle machine, from the board's figures.

use takt_board::memory::address;
use takt_model::{
    Timing,
    timing::{Cluster, Shape},
};

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
        address::home(&self.timing.coherence.homes, self.nodes(), line)
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
        let beat = if from == to { 1 } else { net.beat };
        net.local + self.hops(from, to) * net.hop + bytes.div_ceil(net.width) * beat - 1
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

    /// Figures of the clusters; all nothing where there are none.
    fn cluster(&self) -> (u64, u64, u64) {
        let figures = |it: &Cluster| (it.link, it.cache.hit, it.snoop);
        self.timing.cluster.as_ref().map_or((0, 0, 0), figures)
    }

    /// Cores of a cluster; 1 where there are none.
    pub fn together(&self) -> u32 {
        self.timing.cluster.as_ref().map_or(1, |cluster| cluster.cores)
    }

    fn neighbours(&self, core: u32, other: u32) -> bool {
        core / self.together() == other / self.together()
    }

    /// A message between a core and its cluster's cache.
    pub fn link(&self) -> u64 {
        self.cluster().0
    }

    /// From an instruction's beginning to the departure of its request for the line's home, or of what
    /// its cluster does.
    fn out(&self) -> u64 {
        let (link, hit, _) = self.cluster();
        self.lookup() + link + hit
    }

    /// From the arrival at the core's node, and its cluster's cache, to the next instruction.
    fn back(&self) -> u64 {
        self.link() + self.l1()
    }

    /// From a recall's arrival at a cluster's cache, or a departure there, to the answer of one of its
    /// cores.
    fn copies(&self) -> u64 {
        let (link, _, snoop) = self.cluster();
        2 * link + snoop
    }

    /// A load of a line that the cache of the core's cluster holds.
    pub fn cluster_hit(&self) -> u64 {
        self.out() + self.back()
    }

    /// A load of a line that a neighbour has written, or an atomic operation on one that neighbours read
    /// and nobody else.
    pub fn of_neighbour(&self) -> u64 {
        self.out() + self.copies() + self.back()
    }

    fn home_cache(&self) -> u64 {
        self.timing.coherence.cache.as_ref().map_or(0, |cache| cache.hit)
    }

    /// To the home, its directory, and back; `between` is what the home waits for.
    fn visit(&self, core: u32, line: u64, between: u64) -> u64 {
        let (node, home) = (self.node(core), self.home(line));
        self.out()
            + self.short(node, home)
            + self.timing.coherence.directory
            + self.home_cache()
            + between
            + self.long(home, node)
            + self.back()
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
        if self.neighbours(core, owner) {
            return self.of_neighbour();
        }
        self.kept(core, owner, line) + self.copies()
    }

    /// A load of a line that another core has written and no longer has: its cluster's cache has it.
    pub fn kept(&self, core: u32, owner: u32, line: u64) -> u64 {
        let (node, home, there) = (self.node(core), self.home(line), self.node(owner));
        self.out()
            + self.short(node, home)
            + self.timing.coherence.directory
            + self.short(home, there)
            + self.cluster().1
            + self.timing.coherence.snoop
            + self.long(there, node)
            + self.back()
    }

    /// An atomic operation at L1 on a line that a neighbour has to read, and a core of another cluster.
    pub fn taken(&self, core: u32, sharer: u32, line: u64) -> u64 {
        self.taken_from(core, sharer, line, self.copies()) + self.copies()
    }

    /// The same on a line that all execute: L2s are asked for it, L1 Is not.
    pub fn taken_code(&self, core: u32, sharer: u32, line: u64) -> u64 {
        let l2 = if self.timing.l2.is_some() { self.copies() } else { 0 };
        self.taken_from(core, sharer, line, l2) + l2
    }

    fn taken_from(&self, core: u32, sharer: u32, line: u64, asked: u64) -> u64 {
        let (node, home, there) = (self.node(core), self.home(line), self.node(sharer));
        let answer = self.short(home, there)
            + self.cluster().1
            + asked
            + self.timing.coherence.snoop
            + self.short(there, node);
        self.out()
            + self.short(node, home)
            + self.timing.coherence.directory
            + answer.max(self.short(home, node))
            + self.back()
    }

    /// An atomic operation at the line's home, whose cache holds it.
    pub fn atomic_at_home(&self, core: u32, line: u64) -> u64 {
        let (node, home) = (self.node(core), self.home(line));
        let there = self.lookup() + self.short(node, home);
        let at_home =
            self.timing.coherence.directory + self.home_cache() + self.timing.coherence.atomic;
        there + at_home + self.short(home, node) + 1
    }

    /// Returns the cycles of a pass of a line that two cores write in turn and else read again and again: from the load that brings
    /// the other's number to `core`, to the load that brings the next one to `other`. `phase`: from
    /// the loss of the other's copy to its next load.
    pub fn pass(&self, core: u32, other: u32, line: u64, phase: u64) -> u64 {
        if self.neighbours(core, other) && core != other {
            return self.pass_to_neighbour(phase);
        }
        let (link, hit, in_cluster) = self.cluster();
        let (node, there, home) = (self.node(core), self.node(other), self.home(line));
        let (directory, snoop) = (self.timing.coherence.directory, self.timing.coherence.snoop);
        // The load completes; a branch that is not taken and a sum; then the store asks for the line.
        let asks = self.l1() + 2 + self.out();
        let leaves = asks + self.short(node, home) + directory;
        // The other's copy is taken. Its next load asks the home, which waits for this core.
        let taken = leaves + self.short(home, there) + hit + link;
        let gave = taken + in_cluster + link;
        let owns = (gave + snoop + self.short(there, node)).max(leaves + self.short(home, node));
        let free = owns + self.short(node, home);
        // Its cluster's cache may still collect its copy.
        let served = (taken + phase + self.lookup() + link).max(gave);
        let asked = served + hit + self.short(there, home);
        let recalled = free.max(asked) + directory + self.short(home, node);
        let shared = (recalled + hit + link).max(owns + link + 1) + in_cluster + link;
        shared + snoop + self.long(node, there) + link
    }

    /// Returns the cycles of a pass where one cluster has both cores and the line.
    fn pass_to_neighbour(&self, phase: u64) -> u64 {
        let (link, hit, snoop) = self.cluster();
        let taken = self.l1() + 2 + self.out() + link;
        let gave = taken + snoop + link;
        let asked = (taken + phase + self.lookup() + link).max(gave);
        (asked + hit + link).max(gave + link + 1) + snoop + 2 * link
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
