// SPDX-License-Identifier: Apache-2.0
//! What leaves a core: requests to homes, accesses to devices, and what else is felt outside.

use super::{CoreView, Result};
use crate::{
    devices::{Kind, Tick},
    engine::{
        event::{Class, Event, Message, Register},
        probes::Trial,
        queue::Key,
        world::World,
    },
    isa::Stop,
    memory::{
        core::WaitFor,
        request::{Request, RequestKind},
    },
};

impl<const MODE: u8> CoreView<'_, MODE> {
    /// The instruction waits, and begins anew when the hart is resumed.
    pub(super) fn wait<T>(&mut self, event: WaitFor) -> Result<T> {
        self.core.waits = Some(event);
        Err(Stop::Wait)
    }

    /// In a trial the instruction, which changes memory, waits instead.
    pub(super) fn fails_in_trial(&mut self) -> Result<()> {
        if !self.world.probes.in_trial() {
            return Ok(());
        }
        self.world.probes.trial = Trial::Failed;
        self.wait(WaitFor::Drained)
    }

    /// Sends a request; answers when it leaves the core.
    pub(super) fn request(&mut self, lookup: Tick, line: u64, kind: RequestKind) -> Tick {
        let core = self.core.index;
        self.core.requests += 1;
        let jitter = self.world.fabric.jitter.delay(core, self.core.requests);
        // What a hart does at a tick comes after that tick's events, so they are never of its making.
        let tick = (self.clock + lookup + jitter).max(self.began + 1);
        let home = self.world.fabric.home_of(line);
        self.push(tick, Class::Request, Event::Request(Request { core, line, home, kind }));
        tick
    }

    pub(super) fn send_to_device(&mut self, address: u64, bytes: u8, kind: Kind) {
        let core = self.core.index;
        let World { io, map, fabric, .. } = &*self.world;
        let register = Register { core, address, bytes, kind };
        let (links, way) = (io.uses_links(map, core, address), io.way(map, core, address));
        if !links && way.is_none() {
            let device = map.device_number(core, address);
            let tick = self.clock + fabric.device_distance(core, device);
            return self.push(tick, Class::Device, Event::Device(register));
        }
        self.core.requests += 1;
        let leaves = self.clock + fabric.jitter.delay(core, self.core.requests);
        match way {
            Some(way) => self.push(leaves + way, Class::Device, Event::Device(register)),
            None => {
                let tick = self.departs(leaves);
                self.push(tick, Class::Request, Event::RegisterAccess(register));
            }
        }
    }

    /// An event of this hart's making; what it may lead to ends the hart's run ahead.
    pub(super) fn push(&mut self, tick: Tick, class: Class, event: Event) {
        if self.world.probes.in_trial() {
            self.world.probes.trial = Trial::Failed;
            return;
        }
        self.core.sequence = self.core.sequence.wrapping_add(1) & !(1 << 31);
        let key = Key::new(tick, class, self.core.index, self.core.sequence);
        self.world.fabric.schedule.queue.push(key, event);
        self.limit = self.limit.min(tick + self.world.fabric.schedule.queue.lookahead(class));
    }

    /// Recalls that wait for the end of this hart's reservation arrive again, no earlier than a request of this
    /// instruction could be felt.
    pub(super) fn release_held(&mut self) {
        let schedule = &self.world.fabric.schedule;
        let ahead = schedule.queue.lookahead(Class::Deliver);
        let tick = self.clock + schedule.hart_lookahead.saturating_sub(ahead).max(1);
        let hart = self.core.index;
        for recall in self.world.coherence.take_held(hart) {
            self.world.fabric.schedule.announce(hart, tick);
            // In this hart's own order: when it runs ahead, the order of the events is not known yet.
            let message = Message::Recall(recall);
            self.push(tick, Class::Deliver, Event::Deliver { hart, message });
            self.limit = self.limit.min(tick);
        }
    }
}
