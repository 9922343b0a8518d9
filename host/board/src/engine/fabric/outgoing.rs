// SPDX-License-Identifier: Apache-2.0
//! What an initiator may have on its way: the only place where the machine stalls requests. An initiator whose lines
//! are on their way to homes and memory in great number waits before its next request; `docs/design/board.md`,
//! "Back-pressure", argues that nobody waits for ever, and how long at most.

use super::Fabric;
use crate::{
    devices::Tick,
    engine::event::{Class, Event, UncachedAccess},
    memory::{network::SHORT, request::Request},
};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// All initiators' lines and stalled requests.
#[derive(Clone, Serialize, Deserialize)]
pub struct Outgoing {
    /// Lines that one initiator may have on their way.
    limit: u32,
    /// By initiator, as far as there were any.
    initiators: Vec<Initiator>,
    /// Requests of all initiators that are stalled.
    stalled: u32,
}

/// The lines that an initiator's requests drove out of caches and that are not where they go yet, and the
/// requests that wait for them.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Initiator {
    /// Lines whose message is on the interconnect.
    under_way: u32,
    /// When the initiator knows that lines are there, of those that have arrived.
    acknowledged: Vec<Tick>,
    /// Requests that wait, the oldest first.
    stalled: VecDeque<Stalled>,
    /// When the first event `Release` for this initiator will be that is in the queue.
    release: Option<Tick>,
}

/// A request that waits, and the earliest moment at which it may leave.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub enum Stalled {
    /// It goes to a home.
    Request(Tick, Request),
    /// It goes to memory that no cache keeps.
    UncachedAccess(UncachedAccess),
}

impl Outgoing {
    pub fn new(limit: u32) -> Outgoing {
        Outgoing { limit, initiators: Vec::new(), stalled: 0 }
    }

    fn of(&mut self, initiator: u32) -> &mut Initiator {
        let index = initiator as usize;
        if self.initiators.len() <= index {
            self.initiators.resize(index + 1, Initiator::default());
        }
        &mut self.initiators[index]
    }

    /// Whether any request is stalled, so that the arrival of a line may have an effect.
    pub fn is_stalled(&self) -> bool {
        self.stalled > 0
    }
}

impl Initiator {
    /// Forgets the lines that are there by now; answers how many are not.
    fn count(&mut self, now: Tick) -> u32 {
        self.acknowledged.retain(|there| *there > now);
        self.under_way + self.acknowledged.len() as u32
    }
}

impl Fabric {
    /// Whether a request of the initiator may leave now: neither too many of its lines are on their way, nor is
    /// an older request of it stalled.
    pub fn may_leave(&mut self, now: Tick, initiator: u32) -> bool {
        let limit = self.outgoing.limit;
        let initiator = self.outgoing.of(initiator);
        // Few enough even with those that are there by now.
        let few = initiator.under_way + (initiator.acknowledged.len() as u32) < limit;
        initiator.stalled.is_empty() && (few || initiator.count(now) < limit)
    }

    /// The request waits until fewer of its initiator's lines are on their way.
    pub fn stall(&mut self, now: Tick, initiator: u32, request: Stalled) {
        self.outgoing.of(initiator).stalled.push_back(request);
        self.outgoing.stalled += 1;
        self.schedule.queue.set_stalled(true);
        self.schedule_release(now, initiator);
    }

    /// A line leaves a cache and goes to a home or to memory, for the initiator.
    pub fn line_departs(&mut self, initiator: u32) {
        self.outgoing.of(initiator).under_way += 1;
    }

    /// A line that left for the initiator has arrived at the node, and is where it goes at `there`. A message without
    /// a line tells the initiator, on idle links.
    pub fn line_arrives(&mut self, now: Tick, initiator: u32, node: u32, there: Tick) {
        let knows = there + self.network.distance(node, self.node(initiator), SHORT);
        let limit = self.outgoing.limit as usize;
        let lines = self.outgoing.of(initiator);
        lines.under_way -= 1;
        if lines.acknowledged.len() >= limit {
            lines.count(now);
        }
        lines.acknowledged.push(knows);
        if !lines.stalled.is_empty() {
            self.schedule_release(now, initiator);
        }
    }

    /// Schedules the moment at which few enough lines are on their way, if it is known: as long as it is not, lines are
    /// on the interconnect, and this is called again when one of them arrives.
    fn schedule_release(&mut self, now: Tick, initiator: u32) {
        let limit = self.outgoing.limit;
        let lines = self.outgoing.of(initiator);
        let count = lines.count(now);
        if lines.under_way >= limit {
            return;
        }
        lines.acknowledged.sort_unstable();
        // The tick at which so many acknowledgements are there that the buffer has room.
        let tick = match (count + 1).saturating_sub(limit) {
            0 => now + 1,
            more => lines.acknowledged[more as usize - 1],
        };
        // Lines that arrived later may be acknowledged sooner.
        if lines.release.is_some_and(|release| release <= tick) {
            return;
        }
        lines.release = Some(tick);
        self.schedule.push_next(tick, Class::Request, initiator, Event::Release { initiator });
    }

    /// Takes out the initiator's stalled requests, if few enough lines are on their way; its caller sends them.
    pub fn release(&mut self, now: Tick, initiator: u32) -> VecDeque<Stalled> {
        let limit = self.outgoing.limit;
        let lines = self.outgoing.of(initiator);
        if lines.release.is_some_and(|release| release <= now) {
            lines.release = None;
        }
        if lines.count(now) >= limit {
            self.schedule_release(now, initiator);
            return VecDeque::new();
        }
        let stalled = std::mem::take(&mut lines.stalled);
        self.outgoing.stalled -= stalled.len() as u32;
        self.schedule.queue.set_stalled(self.outgoing.is_stalled());
        stalled
    }
}
