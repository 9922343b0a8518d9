// SPDX-License-Identifier: Apache-2.0
//! The latencies of loads on an otherwise idle machine, as sums of the figures of a [`Timing`].
//!
//! `docs/design/description.md` says how a load's time adds up; in a real run the time that the
//! load waits for others is added.

use std::collections::BTreeSet;

use crate::{
    Timing,
    timing::{Cluster, Homes, Shape},
};

/// The size in bytes of a message without a line, and of one with it.
const REQUEST: u64 = 8;
const DATA: u64 = 72;
const PAGE: u64 = 4096;

/// The latencies of loads by the place where they find their line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Latencies {
    pub l1: u64,
    pub l2: Option<u64>,
    /// The line is in the cache of the core's cluster.
    pub cluster: Option<u64>,
    /// The line is in the shared cache at its home.
    pub home: Option<Span>,
    /// The line is in the cache of another core, which has changed it.
    pub core: Option<Span>,
    /// The line is in memory, in a closed bank.
    pub dram: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub nearest: Load,
    pub farthest: Load,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Load {
    pub cycles: u64,
    /// The number of links that the messages of the load cross, all together.
    pub links: u32,
}

impl Timing {
    /// The latencies of a machine with this number of cores.
    pub fn latencies(&self, cores: u32) -> Latencies {
        let places: BTreeSet<u32> =
            (0..cores).map(|core| core / self.interconnect.cores_per_node).collect();
        let homes: BTreeSet<u32> = self.homes().into_iter().collect();
        let hops = |a, b| self.interconnect.shape.hops(a, b);
        let each = || places.iter().flat_map(|place| homes.iter().map(move |home| (*place, *home)));
        let home = each().map(|(place, home)| self.at_home(hops(place, home)));
        let core = each().flat_map(|(place, home)| {
            let owners = places.iter().filter(move |owner| self.is_other(cores, place, **owner));
            owners.map(move |owner| {
                self.at_core([hops(place, home), hops(home, *owner), hops(*owner, place)])
            })
        });
        let neighbour = self.cluster.as_ref().filter(|cluster| cluster.cores.min(cores) > 1);
        let core = core.chain(neighbour.map(|cluster| self.at_neighbour(cluster)));
        let ways = self.ways_to_memory();
        let dram = places.iter().flat_map(|place| {
            ways.iter().map(|(home, controller)| {
                self.in_memory([hops(*place, *home), hops(*home, *controller)])
            })
        });
        Latencies {
            l1: 1 + self.l1d.hit,
            l2: self.l2.as_ref().map(|_| self.own()),
            cluster: self.cluster.as_ref().map(|cluster| self.lookup() + cluster.link),
            home: self.coherence.cache.as_ref().and_then(|_| span(home)),
            core: span(core),
            dram: span(dram).expect("a core, a home and a controller"),
        }
    }

    /// Whether a core at the second node can be another core than one at the first node, and in
    /// another cluster.
    fn is_other(&self, cores: u32, place: u32, owner: u32) -> bool {
        let together = self.cluster.as_ref().map_or(1, |cluster| cluster.cores);
        let first = place * self.interconnect.cores_per_node;
        owner != place || self.interconnect.cores_per_node > together && first + together < cores
    }

    /// From the begin of the instruction to the end of the lookups in the core's own caches.
    fn own(&self) -> u64 {
        1 + self.l1d.hit + self.l2.as_ref().map_or(0, |l2| l2.hit)
    }

    /// From the begin of the instruction to the departure of the request to the line's home.
    fn lookup(&self) -> u64 {
        self.own() + self.cluster.as_ref().map_or(0, |cluster| cluster.link + cluster.cache.hit)
    }

    /// From the cluster's cache to the core.
    fn last(&self) -> u64 {
        self.cluster.as_ref().map_or(0, |cluster| cluster.link)
    }

    /// The cluster's cache asks the core that has changed the line, and passes the line on.
    fn at_neighbour(&self, cluster: &Cluster) -> Load {
        Load { cycles: self.lookup() + 3 * cluster.link + cluster.snoop, links: 0 }
    }

    /// A load with messages, each of so many bytes across so many links. `rest`: what happens between
    /// them.
    fn load(&self, rest: u64, messages: &[(u64, u32)]) -> Load {
        let message = |(bytes, links): &(u64, u32)| self.interconnect.message(*bytes, *links);
        let messages_take: u64 = messages.iter().map(message).sum();
        let links = messages.iter().map(|(_, links)| links).sum();
        Load { cycles: self.lookup() + rest + messages_take + self.last(), links }
    }

    /// The time at the home, including the lookup in the shared cache, whether it hits or not.
    fn home(&self) -> u64 {
        self.coherence.directory + self.coherence.cache.as_ref().map_or(0, |cache| cache.hit)
    }

    /// `links`: between the core and the home.
    fn at_home(&self, links: u32) -> Load {
        self.load(self.home(), &[(REQUEST, links), (DATA, links)])
    }

    /// The links to the home, from there to the owner, and back.
    fn at_core(&self, [to_home, to_owner, back]: [u32; 3]) -> Load {
        let messages = [(REQUEST, to_home), (REQUEST, to_owner), (DATA, back)];
        // The owner's cluster cache also has to ask the owner.
        let asked = self.cluster.as_ref().map_or(0, |it| it.cache.hit + 2 * it.link + it.snoop);
        self.load(self.coherence.directory + asked + self.coherence.snoop, &messages)
    }

    /// The links to the home, and from there to the controller.
    fn in_memory(&self, [to_home, to_memory]: [u32; 2]) -> Load {
        let messages =
            [(REQUEST, to_home), (REQUEST, to_memory), (DATA, to_memory), (DATA, to_home)];
        let memory = self.dram.row_closed + self.dram.burst;
        self.load(self.home() + memory, &messages)
    }

    /// The nodes that are the home of lines.
    pub fn homes(&self) -> Vec<u32> {
        match &self.coherence.homes {
            Homes::Nodes { nodes, .. } => nodes.clone(),
            Homes::Hash | Homes::Page | Homes::Split { .. } => {
                (0..self.interconnect.shape.nodes()).collect()
            }
        }
    }

    /// Each home, paired with the controllers that its lines can belong to.
    fn ways_to_memory(&self) -> BTreeSet<(u32, u32)> {
        let (homes, controllers) = (self.homes(), &self.dram.nodes);
        let block = match &self.coherence.homes {
            Homes::Hash | Homes::Split { .. } => None,
            Homes::Page => Some(PAGE),
            Homes::Nodes { interleave, .. } => Some(*interleave),
        };
        let Some(block) = block else { return all_pairs(&homes, controllers) };
        let unit = block.min(self.dram.interleave);
        let (homes_by, controllers_by) = (block / unit, self.dram.interleave / unit);
        // Within one large block, the other list is used completely.
        let (count, others) = (homes.len() as u64, controllers.len() as u64);
        if homes_by >= others && homes_by > 1 || controllers_by >= count && controllers_by > 1 {
            return all_pairs(&homes, controllers);
        }
        // After at most this many units both lists start over together.
        let period = count * homes_by * others * controllers_by;
        let at = |list: &[u32], by, unit| list[(unit / by % list.len() as u64) as usize];
        (0..period)
            .map(|unit| (at(&homes, homes_by, unit), at(controllers, controllers_by, unit)))
            .collect()
    }
}

fn all_pairs(some: &[u32], others: &[u32]) -> BTreeSet<(u32, u32)> {
    some.iter().flat_map(|one| others.iter().map(move |other| (*one, *other))).collect()
}

fn span(loads: impl Iterator<Item = Load>) -> Option<Span> {
    loads.fold(None, |found, load| {
        let Span { nearest, farthest } = found.unwrap_or(Span { nearest: load, farthest: load });
        Some(Span { nearest: nearest.min(load), farthest: farthest.max(load) })
    })
}

impl Shape {
    /// The number of links between two nodes.
    pub fn hops(&self, from: u32, to: u32) -> u32 {
        match self {
            Shape::Mesh { columns, .. } => {
                (from % columns).abs_diff(to % columns) + (from / columns).abs_diff(to / columns)
            }
            Shape::Ring { nodes } => from.abs_diff(to).min(nodes - from.abs_diff(to)),
            Shape::Bus { .. } | Shape::Full { .. } => u32::from(from != to),
        }
    }
}
