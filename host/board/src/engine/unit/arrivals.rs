// SPDX-License-Identifier: Apache-2.0
//! What reaches a hart in timed mode: grants, recalls, answers, interrupts.

use super::{Unit, UnitState};
use crate::{
    devices::Tick,
    engine::{
        event::{Grant, Message, Recall},
        view::{CoreView, TIMED},
        world::World,
    },
    isa::{CounterEvent, Lines},
    memory::{LINE, core::WaitFor, request::Purpose, tags::State},
};

impl Unit {
    /// Takes a message that reaches the hart now. The hart may run from then on.
    pub(in crate::engine) fn receive(
        &mut self,
        world: &mut World,
        lines: &Lines,
        now: Tick,
        message: Message,
    ) {
        let overflow = self.core.overflow;
        match message {
            Message::Answer { .. } | Message::Posted if self.state == UnitState::Held => {
                self.drop_answer(now, message);
            }
            Message::Block(step) => world.block_step(now, self.core.index, step),
            Message::Run { entry } => self.run(entry, now),
            Message::Grant(grant) => self.take_grant(world, lines, now, grant),
            Message::Answer { value, from_memory } => {
                self.core.answer = Some(value);
                if from_memory {
                    self.core.count_memory_read(now);
                }
                self.resume(now);
            }
            Message::Posted => {
                self.core.post_arrived();
                self.drain_stores(world, now);
            }
            Message::Stored { line } => {
                self.core.stores.arrived(line);
                self.drain_stores(world, now);
            }
            Message::Recall(recall) => self.take_recall(world, now, recall),
            Message::WroteBack => self.core.count(now, CounterEvent::MemoryWrite),
            Message::HoldEnds => {
                for recall in world.coherence.take_held(self.core.index) {
                    self.take_recall(world, now, recall);
                }
            }
            Message::ScratchpadAccess(access) => world.fabric.access_scratchpad(now, access),
            Message::Wire { bit, level } => {
                self.hart.set_pending(bit.into(), level);
                self.wake(now);
            }
            Message::Timer => {
                if self.state == UnitState::Idle && self.rises() <= now {
                    self.ring(world, now);
                    self.see_overflow(world, lines, now);
                    self.wake(now);
                }
            }
        }
        self.await_overflow(world, overflow);
    }

    /// If a counter of a hart that sleeps has wrapped around since `overflow` was noted: lets the machine look then.
    fn await_overflow(&mut self, world: &mut World, before: Tick) {
        let overflow = self.core.overflow;
        if self.state == UnitState::Idle && overflow < before {
            world.fabric.schedule.deliver(self.core.index, overflow, Message::Timer);
        }
    }

    /// A line that the core asked for is there.
    fn take_grant(&mut self, world: &mut World, lines: &Lines, now: Tick, grant: Grant) {
        let Grant { line, state, purpose, from_memory, from_home } = grant;
        let core = &mut self.core;
        if from_memory {
            core.count_memory_read(now);
        }
        if from_home && core.l2.is_none() && purpose != Purpose::Ahead {
            core.count(now, CounterEvent::L2Miss);
        }
        core.arrived(now, line);
        if purpose == Purpose::Code {
            let ram = &world.fabric.ram;
            let bytes = ram.line(line * LINE - ram.base);
            core.code.fill(line, lines.find_or_decode(bytes, None));
        }
        if purpose != Purpose::Code || core.l2.is_some() {
            let left = core.fill(line, state, purpose == Purpose::Data);
            if let Some((line, state)) = left {
                let World { coherence, fabric, .. } = world;
                if state == State::Modified && !coherence.clustered() {
                    core.count(now, CounterEvent::MemoryWrite);
                }
                coherence.displaced(fabric, now, core.index, line, state);
            }
        }
        self.drain_stores(world, now);
        if self.state == UnitState::Waiting && self.core.waits == Some(WaitFor::Line(line)) {
            self.resume(now);
        }
    }

    /// The home wants a line back; a reservation may keep it a while, once.
    fn take_recall(&mut self, world: &mut World, now: Tick, recall: Recall) {
        let World { coherence, fabric, .. } = world;
        let core = &mut self.core;
        let kept = core.reservation.filter(|kept| kept.line == recall.line && kept.until > now);
        if let (Some(kept), false) = (kept, recall.waited) {
            let recall = Recall { waited: true, ..recall };
            return coherence.hold(fabric, core.index, kept.until, recall);
        }
        let dirty = core.state(recall.line) == State::Modified;
        core.give_up(recall.line, recall.to);
        coherence.recalled(fabric, now, core.index, recall, dirty);
    }

    /// The store buffer performs what it can; a hart that waits for it goes on.
    fn drain_stores(&mut self, world: &mut World, now: Tick) {
        CoreView::<TIMED>::new(&mut self.core, world, now, 0).drain();
        let (core, depth) = (&self.core, self.core.figures.store_buffer);
        let ready = match core.waits {
            Some(WaitFor::Drained) => core.stores.is_empty() && core.posted == 0,
            Some(WaitFor::Post) => core.may_post(),
            Some(WaitFor::Room) => core.stores.entries.len() < depth,
            _ => false,
        };
        if self.state == UnitState::Waiting && ready {
            self.resume(now);
        }
    }

    /// A hart that sleeps goes on, if an interrupt that is pending lets it.
    fn wake(&mut self, now: Tick) {
        if self.state == UnitState::Idle && self.hart.wakes() {
            self.resume(self.clock.max(now + self.core.figures.wake));
        }
    }

    fn resume(&mut self, clock: Tick) {
        self.clock = clock;
        self.state = UnitState::Running;
        self.core.waits = None;
    }

    /// The hart is in WFI: it sleeps until an interrupt, of which those of its own timer and counters are scheduled here, or
    /// goes on.
    pub(in crate::engine) fn sleep(&mut self, world: &mut World) {
        if self.hart.wakes() {
            self.state = UnitState::Running;
            return;
        }
        self.state = UnitState::Idle;
        let rises = self.timer.min(self.core.overflow);
        if rises != Tick::MAX {
            let tick = rises.max(self.clock);
            world.fabric.schedule.deliver(self.core.index, tick, Message::Timer);
        }
    }
}
