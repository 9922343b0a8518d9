// SPDX-License-Identifier: Apache-2.0
//! What carries requests and data: the interconnect, the memory controllers with the bytes behind them, and the
//! moments at which a message will be there. It knows where initiators, homes and controllers are, and how many
//! lines an initiator may have on their way; what a request means is the business of its users.

mod outgoing;
mod scratchpad;
mod uncached;

use super::{
    event::{Class, Event, Message, Register},
    lookahead::{Reach, hart_lookahead, lookaheads, stalled_lookahead},
    queue::Queue,
    schedule::Schedule,
};
use crate::{
    devices::{Platform, Tick},
    memory::{
        LINE, Ram, Scratchpad, address,
        dram::Dram,
        network::{Network, SHORT},
    },
};
pub use outgoing::{Outgoing, Stalled};
use serde::{Deserialize, Serialize};
use takt_model::{Timing, timing::Homes};

#[derive(Clone, Serialize, Deserialize)]
pub struct Fabric {
    /// The bytes of all memory. Snapshots hold them apart.
    #[serde(skip)]
    pub ram: Ram,
    /// Snapshots hold the events apart; the rest follows from them.
    #[serde(skip)]
    pub(super) schedule: Schedule,
    pub(super) network: Network,
    pub(super) dram: Dram,
    homes: Homes,
    /// By device number: the node that the device is at.
    device_nodes: Vec<u32>,
    pub(super) outgoing: Outgoing,
    pub(super) jitter: Jitter,
    /// Stores of a core to devices and others' scratchpads that may be under way at once.
    posts: u32,
}

/// The delays of requests by which one seed's run differs from another's.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
pub struct Jitter {
    pub seed: u64,
    /// The longest delay, in cycles. 0: there is none.
    pub most: Tick,
}

impl Jitter {
    /// The delay of a core's request of this number.
    pub fn delay(&self, core: u32, request: u64) -> Tick {
        if self.most == 0 {
            return 0;
        }
        let mixed = address::scatter(self.seed ^ (u64::from(core) << 48) ^ request);
        mixed % (self.most + 1)
    }
}

impl Fabric {
    pub fn new(
        timing: &Timing,
        ram: Ram,
        pads: &[Scratchpad],
        harts: u32,
        platform: &Platform,
    ) -> Fabric {
        let subnets = Reach::of(platform.subnets());
        let subnets = subnets.as_ref();
        let windows = pads.iter().any(|pad| pad.shared);
        let own = hart_lookahead(timing, harts, windows, subnets);
        let ahead = lookaheads(timing, own, windows, ram.has_uncached(), subnets);
        let queue = Queue::new(ahead, stalled_lookahead(timing, ahead[Class::Request as usize]));
        Fabric {
            ram,
            schedule: Schedule::new(queue, harts, own),
            network: Network::new(&timing.interconnect),
            dram: Dram::new(&timing.dram),
            homes: timing.coherence.homes.clone(),
            device_nodes: platform.nodes(),
            outgoing: Outgoing::new(timing.coherence.write_backs),
            jitter: Jitter::default(),
            posts: timing.interconnect.posts,
        }
    }

    /// The number of the line at an offset in RAM.
    #[inline(always)]
    pub fn line(&self, offset: u64) -> u64 {
        (self.ram.base + offset) / LINE
    }

    /// Whether caches may keep the line. For assertions.
    pub(super) fn is_cacheable(&self, line: u64) -> bool {
        self.ram.is_cached(line * LINE - self.ram.base)
    }

    /// The physical address of a line, by which its home and bank are.
    pub(super) fn address_of(&self, line: u64) -> u64 {
        self.ram.address(line * LINE - self.ram.base)
    }

    /// The node of an initiator: a core, or beyond them a device.
    pub(super) fn node(&self, initiator: u32) -> u32 {
        match initiator.checked_sub(self.schedule.harts()) {
            None => self.network.node_of(initiator),
            Some(device) => self.device_nodes[device as usize],
        }
    }

    /// The node that is the line's home.
    pub(super) fn home_of(&self, line: u64) -> u32 {
        address::home(&self.homes, self.network.nodes(), self.address_of(line))
    }

    /// The node of the memory controller that the line is behind.
    pub(super) fn controller_of(&self, line: u64) -> u32 {
        self.dram.node(self.address_of(line))
    }

    /// How long a message without a line takes between a core and a device on idle links.
    pub fn device_distance(&self, core: u32, device: u32) -> Tick {
        self.network.distance(self.node(core), self.device_nodes[device as usize], SHORT)
    }

    /// A register access leaves its core for the device.
    pub fn send_to_device(&mut self, now: Tick, device: u32, register: Register, is_posted: bool) {
        let (from, to) = (self.node(register.core), self.device_nodes[device as usize]);
        let arrival = self.network.send(from, to, now, SHORT);
        self.schedule.push_next(arrival, Class::Device, register.core, Event::Device(register));
        if is_posted && self.bridged() {
            self.schedule.deliver(register.core, arrival + 1, Message::Posted);
        }
    }

    /// Whether posted stores are under way across bridges, which tell nobody that they have arrived: the core counts them
    /// until then.
    pub fn bridged(&self) -> bool {
        self.posts > 1
    }

    /// Whether a message from one core to the other leaves the node.
    pub fn crosses(&self, from: u32, to: u32) -> bool {
        self.node(from) != self.node(to)
    }

    pub fn crosses_to_device(&self, core: u32, device: u32) -> bool {
        self.node(core) != self.device_nodes[device as usize]
    }

    /// When an answer that leaves the device at `at` is at the core.
    pub fn answer_from_device(&mut self, device: u32, core: u32, at: Tick) -> Tick {
        self.network.send(self.device_nodes[device as usize], self.node(core), at, SHORT)
    }
}
