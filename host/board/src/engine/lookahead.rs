// SPDX-License-Identifier: Apache-2.0
//! How far ahead of the order a hart may run: the least time from what happens until another hart feels it.
//! `docs/design/board.md` derives each.

use super::event::{CLASSES, Class};
use crate::{
    devices::{
        Tick,
        subnet::{Part, Subnet},
    },
    memory::network::SHORT,
};
use takt_model::Timing;

/// How far the subnets between cores are.
pub struct Reach {
    /// The least time from an access's arrival at any of them until a hart can feel it: the way back, or an engine's
    /// setup.
    way: Tick,
    /// The least way to one at which other cores feel a store.
    shared: Tick,
}

impl Reach {
    /// None: there are none.
    pub fn of(subnets: &[Subnet]) -> Option<Reach> {
        let least = |subnet: &Subnet| match &subnet.part {
            Part::Engine(engine) => subnet.way.min(engine.setup()),
            _ => subnet.way,
        };
        let way = subnets.iter().map(least).min()?;
        let shared = subnets.iter().filter(|subnet| !matches!(subnet.part, Part::Engine(_)));
        Some(Reach { way, shared: shared.map(|subnet| subnet.way).min().unwrap_or(Tick::MAX) })
    }
}

/// By class: the least ticks from an event until a hart can feel what follows from it.
/// `windows`: some core's scratchpad can be reached by others. `uncached`: there is RAM
/// that no cache keeps. `own`: the [`hart_lookahead`].
pub fn lookaheads(
    timing: &Timing,
    own: Tick,
    windows: bool,
    uncached: bool,
    subnets: Option<&Reach>,
) -> [Tick; CLASSES] {
    let message = message(timing);
    let home = timing.coherence.directory + message;
    let mut ahead = [0; CLASSES];
    ahead[Class::Deliver as usize] = own.min(timing.coherence.snoop + message);
    ahead[Class::Free as usize] = home;
    ahead[Class::Perform as usize] = message.min(timing.interrupt);
    ahead[Class::Data as usize] = message;
    ahead[Class::WriteBack as usize] = Tick::MAX;
    ahead[Class::Home as usize] = home;
    ahead[Class::Controller as usize] = timing.dram.burst + 2 * message;
    // A wire, an answer, a transfer.
    let transfer = message + home;
    ahead[Class::Device as usize] = timing.interrupt.min(timing.device + message).min(transfer);
    let request = if windows { 0 } else { home.min(timing.interrupt) };
    ahead[Class::Request as usize] = message + request;
    if uncached {
        // The memory's answer goes straight to who asked, or to a device whose wire is next; a store may end
        // the run, which all others go on from as far as from a hart's own.
        let memory = (timing.dram.burst + message.min(timing.interrupt)).min(own);
        for (class, ticks) in [
            (Class::Controller, memory),
            (Class::Request, message + memory),
            (Class::Device, message + memory),
        ] {
            ahead[class as usize] = ahead[class as usize].min(ticks);
        }
    }
    if let Some(Reach { way, .. }) = subnets {
        // An answer, a worker that starts or stops, the first step of a transfer. A packet that leaves arrives elsewhere.
        let device = &mut ahead[Class::Device as usize];
        *device = (*device).min(*way);
        let deliver = &mut ahead[Class::Deliver as usize];
        *deliver = (*deliver).min(message);
    }
    if let Some(cluster) = &timing.cluster {
        // A core of the cluster feels it over one link; what arrives there is first looked up, but for
        // data and answers.
        let served = cluster.cache.hit + cluster.link;
        let mut least =
            |class: Class, ticks: Tick| ahead[class as usize] = ahead[class as usize].min(ticks);
        least(Class::Deliver, cluster.snoop + 2 * cluster.link);
        least(Class::Data, cluster.link);
        least(Class::Home, served);
        least(Class::Request, cluster.link + served);
    }
    if timing.device_links {
        // A register access leaves its core.
        let access = message + ahead[Class::Device as usize];
        let request = &mut ahead[Class::Request as usize];
        *request = (*request).min(access);
    }
    if timing.interconnect.posts > 1 {
        // A store that leaves across a bridge has arrived, which its hart feels.
        let request = &mut ahead[Class::Request as usize];
        *request = (*request).min(message);
    }
    ahead
}

/// The least ticks from an event of the class `WriteBack` until a hart can feel what follows, while requests wait for
/// write-backs: the line is there, its initiator hears of it, and a request leaves.
pub fn stalled_lookahead(timing: &Timing, request: Tick) -> Tick {
    message(timing) + request
}

/// From a hart's next instruction until another hart can feel it; the least of all harts.
pub fn hart_lookahead(timing: &Timing, harts: u32, windows: bool, subnets: Option<&Reach>) -> Tick {
    let lookup = (0..harts).map(|core| lookup(&timing.of_core(core))).min().unwrap_or(0);
    let message = message(timing);
    let home = timing.coherence.directory + message;
    // A request for a line; an access to a device; one to a scratchpad.
    let least = (lookup + message + home).min(message + timing.interrupt);
    let cluster = timing.cluster.as_ref();
    let shared = cluster.map_or(Tick::MAX, |it| lookup + 2 * it.link + it.cache.hit);
    // A store to a subnet, and the answer to another hart that arrives there with it; a packet.
    let least = subnets.map_or(least, |Reach { way, shared }| {
        least.min(shared.saturating_mul(2)).min(2 * way + message)
    });
    let least = least.min(shared);
    if windows { message } else { least }
}

/// The least time from the beginning of a core's instruction to its request's departure.
fn lookup(timing: &Timing) -> Tick {
    timing.l1d.hit.min(timing.l1i.hit) + timing.l2.as_ref().map_or(0, |l2| l2.hit)
}

/// The shortest way of a message without a line.
fn message(timing: &Timing) -> Tick {
    timing.interconnect.local + SHORT.div_ceil(timing.interconnect.width) - 1
}
