// SPDX-License-Identifier: Apache-2.0
//! Back-pressure: an initiator whose lines are on their way to homes and memory in great number waits before its next
//! request. This is the only place where the protocol stalls anyone; `docs/design/board.md`, "Back-pressure", argues
//! that nobody waits for ever, and how long at most.

use super::{
    event::{Class, Event, UncachedAccess},
    world::World,
};
use crate::memory::request::Request;
use crate::{devices::Tick, memory::network::SHORT};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The lines that an initiator's requests drove out of caches and that are not where they go yet, and the
/// requests that wait for them.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Outgoing {
    /// Lines whose message is on the interconnect.
    under_way: u32,
    /// When the initiator knows that lines are there, of those that have arrived.
    acknowledged: Vec<Tick>,
    /// Requests that wait, the oldest first.
    stalled: VecDeque<Stalled>,
    /// A `What::Release` for this initiator is in the queue.
    release_scheduled: bool,
}

/// A request that waits, and the earliest moment at which it may leave.
#[derive(Clone, Copy, Serialize, Deserialize)]
enum Stalled {
    /// It goes to a home.
    Request(Tick, Request),
    /// It goes to memory that no cache keeps.
    UncachedAccess(UncachedAccess),
}

impl Outgoing {
    /// Forgets what is there by now; answers how many lines are not.
    fn count(&mut self, now: Tick) -> u32 {
        self.acknowledged.retain(|there| *there > now);
        self.under_way + self.acknowledged.len() as u32
    }
}

impl World {
    /// Whether the initiator's request may leave now: neither too many of its lines are on their way, nor does
    /// an older request of it wait.
    fn may_leave(&mut self, now: Tick, initiator: u32) -> bool {
        let limit = self.timing.coherence.write_backs;
        let outgoing = self.outgoing(initiator);
        // Few enough even with those that are there by now.
        let few = outgoing.under_way + (outgoing.acknowledged.len() as u32) < limit;
        outgoing.stalled.is_empty() && (few || outgoing.count(now) < limit)
    }

    /// Whether the request waits from now on. If not, it leaves.
    pub(super) fn stalls_request(&mut self, now: Tick, leaves: Tick, request: Request) -> bool {
        !self.may_leave(now, request.core) && {
            self.stall(now, request.core, Stalled::Request(leaves, request));
            true
        }
    }

    /// The same of an atomic operation of memory that no cache keeps.
    pub(super) fn stalls_direct(&mut self, now: Tick, direct: UncachedAccess) -> bool {
        !self.may_leave(now, direct.initiator) && {
            self.stall(now, direct.initiator, Stalled::UncachedAccess(direct));
            true
        }
    }

    fn stall(&mut self, now: Tick, initiator: u32, request: Stalled) {
        self.outgoing(initiator).stalled.push_back(request);
        self.stalled += 1;
        self.queue.set_stalled(true);
        self.schedule_release(now, initiator);
    }

    /// A line leaves a cache and goes to a home or to memory, for the initiator.
    pub(super) fn line_departs(&mut self, initiator: u32) {
        self.outgoing(initiator).under_way += 1;
    }

    /// A line that left for the initiator has arrived at the node, and is where it goes at `there`. A message without
    /// a line tells the initiator, on idle links.
    pub(super) fn line_arrives(&mut self, now: Tick, initiator: u32, node: u32, there: Tick) {
        let knows = there + self.network.distance(node, self.node(initiator), SHORT);
        let limit = self.timing.coherence.write_backs as usize;
        let outgoing = self.outgoing(initiator);
        outgoing.under_way -= 1;
        if outgoing.acknowledged.len() >= limit {
            outgoing.count(now);
        }
        outgoing.acknowledged.push(knows);
        if !outgoing.stalled.is_empty() {
            self.schedule_release(now, initiator);
        }
    }

    /// The moment at which few enough lines are on their way, if it is known: as long as it is not, lines are on
    /// the interconnect, and this is called again when one of them arrives.
    fn schedule_release(&mut self, now: Tick, initiator: u32) {
        let limit = self.timing.coherence.write_backs;
        let outgoing = self.outgoing(initiator);
        let count = outgoing.count(now);
        if outgoing.release_scheduled || outgoing.under_way >= limit {
            return;
        }
        outgoing.release_scheduled = true;
        outgoing.acknowledged.sort_unstable();
        // So many of them must be there.
        let tick = match (count + 1).saturating_sub(limit) {
            0 => now + 1,
            more => outgoing.acknowledged[more as usize - 1],
        };
        self.queue.push_next(tick, Class::Request, initiator, Event::Release { initiator });
    }

    /// The requests that wait leave, if few enough lines are on their way.
    pub(super) fn release(&mut self, now: Tick, initiator: u32) {
        let limit = self.timing.coherence.write_backs;
        let outgoing = self.outgoing(initiator);
        outgoing.release_scheduled = false;
        if outgoing.count(now) >= limit {
            return self.schedule_release(now, initiator);
        }
        let stalled = std::mem::take(&mut outgoing.stalled);
        self.stalled -= stalled.len() as u32;
        self.queue.set_stalled(self.stalled > 0);
        for request in stalled {
            match request {
                Stalled::Request(leaves, request) => self.go_home(now, leaves.max(now), request),
                Stalled::UncachedAccess(direct) => self.go_to_memory(now, direct),
            }
        }
    }

    fn outgoing(&mut self, initiator: u32) -> &mut Outgoing {
        let index = initiator as usize;
        if self.outgoing.len() <= index {
            self.outgoing.resize(index + 1, Outgoing::default());
        }
        &mut self.outgoing[index]
    }
}
