// SPDX-License-Identifier: Apache-2.0
//! The interconnect: what a message's way takes, and who waits for whom on it.
//!
//! A message reserves its links when it departs. A link serves in the order of arrival as far as
//! cycles are free: a message that departs later and arrives earlier takes an earlier free
//! stretch, which each link remembers for [`MEMORY`] cycles before its last reservation.

use crate::devices::Tick;
use serde::{Deserialize, Serialize};
use takt_model::timing::{Interconnect, Shape};

const MEMORY: u64 = 64;

/// Bytes of a message without and with a line.
pub const SHORT: u64 = 8;
pub const WITH_LINE: u64 = 72;

#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Link {
    /// From here on the link is free.
    free: Tick,
    /// Bit i: it is taken in cycle free - 1 - i.
    taken: u64,
}

impl Link {
    /// The first cycle, `at` or later, in which the link is free for `length` cycles; takes them.
    fn reserve(&mut self, at: Tick, length: u64) -> Tick {
        if at < self.free {
            if let Some(gap) = self.gap(at, length) {
                return gap;
            }
        }
        let start = at.max(self.free);
        let shift = start + length - self.free;
        self.taken = if shift < MEMORY { self.taken << shift } else { 0 };
        self.taken |= ones(length);
        self.free = start + length;
        start
    }

    fn gap(&mut self, at: Tick, length: u64) -> Option<Tick> {
        // The last cycle of a stretch that begins at `at` has this bit; earlier ones have higher bits.
        let last = (self.free - at).checked_sub(length)?;
        // Bit i: from there on upwards, `length` cycles are free.
        let mut stretches = !self.taken;
        let mut joined = 1;
        while joined < length.min(MEMORY) {
            let more = joined.min(length - joined);
            stretches &= stretches >> more;
            joined += more;
        }
        let stretches = stretches & ones(last + 1);
        let above = u64::from(stretches.checked_ilog2()?);
        self.taken |= ones(length) << above;
        Some(self.free - above - length)
    }
}

fn ones(length: u64) -> u64 {
    if length < MEMORY { (1 << length) - 1 } else { u64::MAX }
}

#[derive(Clone, Serialize, Deserialize)]
pub struct Network {
    shape: Shape,
    cores_per_node: u32,
    hop: u64,
    local: u64,
    width: u64,
    beat: u64,
    links: Vec<Link>,
}

impl Network {
    pub fn new(interconnect: &Interconnect) -> Network {
        let nodes = interconnect.shape.nodes();
        let links = match interconnect.shape {
            Shape::Mesh { .. } => nodes * 4,
            Shape::Ring { .. } => nodes * 2,
            Shape::Bus { .. } => 1,
            Shape::Full { .. } => nodes * nodes,
        };
        Network {
            shape: interconnect.shape.clone(),
            cores_per_node: interconnect.cores_per_node,
            hop: interconnect.hop,
            local: interconnect.local,
            width: interconnect.width,
            beat: interconnect.beat,
            links: vec![Link::default(); links as usize],
        }
    }

    pub fn nodes(&self) -> u32 {
        self.shape.nodes()
    }

    pub fn node_of(&self, core: u32) -> u32 {
        core / self.cores_per_node
    }

    /// When the last of a message's bytes is there that departs at `at`.
    pub fn send(&mut self, from: u32, to: u32, at: Tick, bytes: u64) -> Tick {
        let length = self.length(from != to, bytes);
        let mut head = at + self.local;
        if let Shape::Mesh { columns, .. } = self.shape {
            head = self.send_in_mesh(columns, from, to, head, length);
        } else {
            let mut node = from;
            while node != to {
                let (link, next) = self.step(node, to);
                head = self.links[link].reserve(head, length) + self.hop;
                node = next;
            }
        }
        head + length - 1
    }

    /// When a message that departs at `at` to several nodes has left its first links, and is at each of them. It takes
    /// each link of the tree of their ways once.
    pub fn send_to_all(
        &mut self,
        from: u32,
        to: &[u32],
        at: Tick,
        bytes: u64,
    ) -> (Tick, Vec<Tick>) {
        // Links that the message has, and when its head is behind each.
        let mut taken: Vec<(usize, Tick)> = Vec::new();
        let mut left = at + self.length(false, bytes);
        let mut arrival = |to: u32| {
            let (mut node, mut head) = (from, at + self.local);
            let length = self.length(from != to, bytes);
            while node != to {
                let (link, next) = self.step(node, to);
                let known = taken.iter().find(|(other, _)| *other == link);
                head = known.map(|(_, head)| *head).unwrap_or_else(|| {
                    let start = self.links[link].reserve(head, length);
                    if node == from {
                        left = left.max(start + length - self.local);
                    }
                    start + self.hop
                });
                if known.is_none() {
                    taken.push((link, head));
                }
                node = next;
            }
            head + length - 1
        };
        let arrivals = to.iter().map(|to| arrival(*to)).collect();
        (left, arrivals)
    }

    /// Sends as the loop over `step` above does, with one division for the whole way.
    fn send_in_mesh(&mut self, columns: u32, from: u32, to: u32, at: Tick, length: u64) -> Tick {
        let (row, to_row) = (from / columns, to / columns);
        let corner = row * columns + to % columns;
        let mut head = at;
        let mut straight = |from: u32, to: u32, up: u32, down: u32, stride: u32| {
            let (direction, hops) =
                if from < to { (up, (to - from) / stride) } else { (down, (from - to) / stride) };
            let mut node = from;
            for _ in 0..hops {
                let link = &mut self.links[(node * 4 + direction) as usize];
                head = link.reserve(head, length) + self.hop;
                node = if direction == up { node + stride } else { node - stride };
            }
        };
        straight(from, corner, 0, 1, 1);
        if row != to_row {
            straight(corner, to, 2, 3, columns);
        }
        head
    }

    /// Returns what `send` takes on an idle network, and reserves nothing.
    pub fn distance(&self, from: u32, to: u32, bytes: u64) -> Tick {
        let hops = match self.shape {
            Shape::Mesh { columns, .. } => {
                (from % columns).abs_diff(to % columns) + (from / columns).abs_diff(to / columns)
            }
            Shape::Ring { nodes } => from.abs_diff(to).min(nodes - from.abs_diff(to)),
            Shape::Bus { .. } | Shape::Full { .. } => u32::from(from != to),
        };
        self.local + self.length(hops > 0, bytes) - 1 + u64::from(hops) * self.hop
    }

    /// The cycles from a message's first byte to its end: for so long it takes each link.
    fn length(&self, on_links: bool, bytes: u64) -> u64 {
        bytes.div_ceil(self.width) * if on_links { self.beat } else { 1 }
    }

    /// The link from a node towards another, and the node behind it.
    fn step(&self, node: u32, to: u32) -> (usize, u32) {
        match self.shape {
            Shape::Mesh { columns, .. } => {
                let (x, y, to_x, to_y) =
                    (node % columns, node / columns, to % columns, to / columns);
                let (direction, next) = if x < to_x {
                    (0, node + 1)
                } else if x > to_x {
                    (1, node - 1)
                } else if y < to_y {
                    (2, node + columns)
                } else {
                    (3, node - columns)
                };
                ((node * 4 + direction) as usize, next)
            }
            Shape::Ring { nodes } => {
                let upwards = (to + nodes - node) % nodes;
                if upwards <= nodes - upwards {
                    ((node * 2) as usize, (node + 1) % nodes)
                } else {
                    ((node * 2 + 1) as usize, (node + nodes - 1) % nodes)
                }
            }
            Shape::Bus { .. } => (0, to),
            Shape::Full { nodes } => ((node * nodes + to) as usize, to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh() -> Network {
        Network::new(&Interconnect {
            shape: Shape::Mesh { columns: 3, rows: 2 },
            cores_per_node: 1,
            hop: 2,
            local: 3,
            width: 8,
            beat: 1,
            posts: 1,
        })
    }

    #[test]
    fn a_message_takes_its_hops_and_its_length() {
        assert_eq!(mesh().send(0, 0, 100, SHORT), 103);
        assert_eq!(mesh().send(0, 5, 100, SHORT), 100 + 3 + 3 * 2);
        assert_eq!(mesh().send(5, 0, 100, WITH_LINE), 100 + 3 + 3 * 2 + 8);
        assert_eq!(mesh().distance(5, 0, WITH_LINE), 17);
    }

    #[test]
    fn two_messages_share_a_link_one_after_the_other() {
        let mut mesh = mesh();
        assert_eq!(mesh.send(0, 1, 0, WITH_LINE), 13);
        assert_eq!(mesh.send(0, 1, 0, WITH_LINE), 22);
        // The other direction is another link.
        assert_eq!(mesh.send(1, 0, 0, WITH_LINE), 13);
    }

    #[test]
    fn a_slow_link_takes_its_beat_for_each_width() {
        let figures = Interconnect {
            shape: Shape::Bus { nodes: 3 },
            cores_per_node: 1,
            hop: 176,
            local: 4,
            width: 4,
            beat: 11,
            posts: 1,
        };
        let mut bus = Network::new(&figures);
        assert_eq!(bus.distance(0, 2, SHORT), figures.message(SHORT, 1));
        assert_eq!(bus.send(0, 2, 0, SHORT), 4 + 176 + 22 - 1);
        // The bus was free again after 22 cycles; a message within a node needs no bus.
        assert_eq!(bus.send(1, 0, 0, SHORT), 22 + 4 + 176 + 22 - 1);
        assert_eq!(bus.send(1, 1, 0, SHORT), 4 + 2 - 1);
        assert_eq!(bus.distance(1, 1, SHORT), figures.message(SHORT, 0));
        assert_eq!(bus.send(0, 1, 1000, WITH_LINE), 1000 + 4 + 176 + 18 * 11 - 1);
    }

    #[test]
    fn who_arrives_earlier_is_served_first_though_sent_later() {
        let mut mesh = mesh();
        mesh.send(0, 1, 50, WITH_LINE);
        assert_eq!(mesh.send(0, 1, 20, WITH_LINE), 33);
        // A message does not go where the free stretch is too short.
        assert_eq!(mesh.send(0, 1, 45, WITH_LINE), 45 + 13 + 14);
    }
}
