// SPDX-License-Identifier: Apache-2.0
//! Timed mode: everything happens in the order of its [`super::queue::Key`].
//!
//! A hart that is next may run ahead of the others on what is its own: the accesses that hit lines
//! that it may read or write touch nothing that another can change before the other's request has
//! travelled. `docs/design/board.md` has the argument.

use super::{
    event::{Class, Event, Message},
    machine::{Doing, End, Machine, Order, Turn, next_timer},
    view::{TIMED, View},
};
use crate::memory::request::Purpose;
use crate::{
    devices::Tick,
    isa::{CounterEvent, Pause},
    memory::{core::WaitFor, tags::State},
};
use std::{cmp::Reverse, collections::binary_heap::PeekMut};

/// A hart that nothing limits pauses all the same now and then, so that it is noticed when it spins.
const FAR: Tick = 4096;
/// Looks are no closer: 2 to the power of this.
const LOOK_BITS: u32 = 14;

impl Machine {
    /// Looks now and then whether it can go on at all.
    pub(super) fn run_timed(&mut self, until: Tick) -> End {
        loop {
            let look = self.timed_from + next_look(self.now - self.timed_from);
            let end = self.run_in_order(until.min(look));
            self.unpark_all();
            match end {
                End::Until if self.now == look && self.only_spins() => return End::Spinning,
                End::Until if self.now < until => {}
                end => return end,
            }
        }
    }

    /// Where all harts are parked or sleep and nothing is to come, it ends at `until`.
    fn run_in_order(&mut self, until: Tick) -> End {
        let parks = self.parks();
        self.schedule_devices();
        loop {
            // All harts go on to one moment, which none of those ahead has passed.
            let last = self.world.finish.map_or(Tick::MAX, |end| end.1 + self.world.hart_lookahead);
            let end = until.min(last);
            let event = self.world.queue.first();
            let hart = self.ready.peek().map(|Reverse(turn)| *turn);
            // Every class of events comes before the harts of its tick.
            let (next, hart) = match (event, hart) {
                (None, None) if self.world.finish.is_none() && self.parked == 0 => {
                    // In both orders when the last of them fell asleep.
                    let last = self.units.iter().map(|unit| unit.clock).max().unwrap_or(0);
                    self.now = self.now.max(last.min(end));
                    return End::Dead;
                }
                (None, None) => (Tick::MAX, None),
                (Some(tick), Some(turn)) if turn.tick() < tick => (turn.tick(), Some(turn)),
                (Some(tick), _) => (tick, None),
                (None, Some(turn)) => (turn.tick(), Some(turn)),
            };
            if next >= end {
                self.now = end;
                return match self.world.finish {
                    Some((finish, _)) if end == last => End::Finished(finish),
                    _ => End::Until,
                };
            }
            self.now = next;
            let Some(turn) = hart else {
                self.handle_event();
                continue;
            };
            if self.units[turn.hart()].spin.parked() {
                self.unpark(turn.hart(), turn.tick());
                continue;
            }
            let pause = self.go(turn, end, parks);
            if let Some(end) = self.stopped(turn.hart(), pause) {
                return end;
            }
        }
    }

    /// The hart whose turn it is executes instructions, ahead of the others as far as nothing can
    /// reach it.
    fn go(&mut self, turn: Turn, until: Tick, parks: bool) -> Pause {
        let index = turn.hart();
        let limit = match self.order {
            Order::Strict => turn.tick() + 1,
            Order::Ahead => {
                let due = self.world.due[index].iter().copied().min().unwrap_or(Tick::MAX);
                let own = self.units[index].timer.min(self.units[index].settle);
                let timer = own.max(turn.tick() + 1);
                let others = self.second().saturating_add(self.world.hart_lookahead);
                let far = turn.tick() + FAR;
                others.min(self.world.queue.horizon()).min(due).min(timer).min(until).min(far)
            }
        };
        debug_assert!(limit > turn.tick(), "a hart that is next can execute an instruction");
        let pause = if self.units[index].spin.followed() {
            self.follow(index, limit)
        } else {
            self.execute::<TIMED>(index, limit)
        };
        let unit = &mut self.units[index];
        // Without a wait it stands where the machine is to stop.
        let runs = pause == Pause::Paused || (pause == Pause::Waiting && unit.core.waits.is_none());
        let Some(mut top) = self.ready.peek_mut() else { return pause };
        if runs && !unit.spin.parked() {
            *top = Reverse(Turn::new(unit.clock, index as u32));
            if parks {
                unit.consider_following();
            }
            return pause;
        }
        PeekMut::pop(top);
        if unit.spin.parked() {
            self.park(index);
            return pause;
        }
        unit.spin.disturb();
        match pause {
            Pause::Idle => self.sleep(index),
            _ => unit.state = Doing::Waiting,
        }
        pause
    }

    /// When the first of the other harts that run goes on: a child of the heap's root.
    fn second(&self) -> Tick {
        let others = self.ready.as_slice().iter().skip(1).take(2);
        others.map(|Reverse(turn)| turn.tick()).min().unwrap_or(Tick::MAX)
    }

    /// The hart stands in the queue at its clock; or sleeps on.
    pub(super) fn go_on(&mut self, index: usize) {
        let unit = &self.units[index];
        match unit.state {
            Doing::Running => self.ready.push(Reverse(Turn::new(unit.clock, index as u32))),
            Doing::Idle => self.sleep(index),
            Doing::Waiting => {}
        }
    }

    fn sleep(&mut self, index: usize) {
        let unit = &mut self.units[index];
        if unit.hart.wakes() {
            unit.state = Doing::Running;
            self.ready.push(Reverse(Turn::new(unit.clock, index as u32)));
            return;
        }
        unit.state = Doing::Idle;
        if unit.timer != Tick::MAX {
            let tick = unit.timer.max(unit.clock);
            self.world.deliver(index as u32, tick, Message::Timer);
        }
    }

    fn resume(&mut self, index: usize, clock: Tick) {
        let unit = &mut self.units[index];
        unit.clock = clock;
        unit.state = Doing::Running;
        unit.core.waits = None;
        self.ready.push(Reverse(Turn::new(clock, index as u32)));
    }

    fn handle_event(&mut self) {
        let Some((now, event)) = self.world.queue.pop() else { return };
        if let Event::Deliver { hart, message } = event {
            return self.deliver(now, hart as usize, message);
        }
        let devices = matches!(
            event,
            Event::Device(_)
                | Event::DeviceTime
                | Event::Perform { .. }
                | Event::Transferred { .. }
        );
        self.world.handle_event(now, event);
        if devices {
            self.world.start_transfers(now);
            let tick = now + self.world.timing.interrupt;
            for wire in self.wires() {
                let message = Message::Wire { bit: wire.bit, level: wire.level };
                self.world.deliver(wire.hart, tick, message);
            }
            self.schedule_devices();
        }
    }

    /// An event stands in the queue for the moment at which a device has something to do.
    fn schedule_devices(&mut self) {
        let next = self.world.platform.next_event();
        if next != self.device_time {
            self.device_time = next;
            if let Some(tick) = next {
                let tick = tick.max(self.now);
                self.world.queue.push_next(tick, Class::Device, 0, Event::DeviceTime);
            }
        }
    }

    /// Something reaches a hart.
    fn deliver(&mut self, now: Tick, index: usize, message: Message) {
        let due = &mut self.world.due[index];
        let at = due.iter().position(|tick| *tick == now).expect("it was announced");
        due.swap_remove(at);
        self.unpark(index, now);
        self.units[index].spin.disturb();
        debug_assert!(
            self.units[index].began <= now || self.units[index].state == Doing::Idle,
            "hart {index} began an instruction at {}, {message:?} is due at {now}",
            self.units[index].began,
        );
        match message {
            Message::Grant { .. } => self.grant(now, index, message),
            Message::Answer { value, from_memory } => {
                let core = &mut self.units[index].core;
                core.answer = Some(value);
                if from_memory {
                    core.count_memory_read();
                }
                self.resume(index, now);
            }
            Message::Posted => {
                self.units[index].core.posted = false;
                self.wake_storing(now, index);
            }
            Message::Stored { line } => {
                self.units[index].core.stores.arrived(line);
                self.wake_storing(now, index);
            }
            Message::Recall { .. } => self.recall(now, index, message),
            Message::WroteBack => self.units[index].core.count(CounterEvent::MemoryWrite),
            Message::HoldEnds => {
                for message in self.world.take_held(index as u32) {
                    self.recall(now, index, message);
                }
            }
            Message::ScratchpadAccess(remote) => self.world.at_scratchpad(now, remote),
            Message::Wire { bit, level } => {
                self.units[index].hart.set_pending(bit.into(), level);
                self.wake_sleeping(now, index);
            }
            Message::Timer => {
                let unit = &mut self.units[index];
                if unit.state == Doing::Idle && unit.timer <= now {
                    unit.hart.timer_due(self.world.time(now));
                    unit.timer = next_timer(&unit.hart, &self.world);
                    self.wake_sleeping(now, index);
                }
            }
        }
    }

    /// The home wants a line back; a reservation may keep it a while, once.
    fn recall(&mut self, now: Tick, index: usize, message: Message) {
        let Message::Recall { line, to, transaction, data, waited } = message else { return };
        let core = &mut self.units[index].core;
        let kept = core.reservation.filter(|kept| kept.line == line && kept.until > now);
        if let (Some(kept), false) = (kept, waited) {
            let message = Message::Recall { line, to, transaction, data, waited: true };
            return self.world.hold(index as u32, kept.until, message);
        }
        let dirty = core.state(line) == State::Modified;
        core.give_up(line, to);
        if self.world.clustered() {
            self.world.copy_recalled(now, index as u32, line, dirty);
        } else {
            self.world.recalled(now, index as u32, transaction, data, dirty);
        }
    }

    fn wake_sleeping(&mut self, now: Tick, index: usize) {
        let unit = &self.units[index];
        if unit.state == Doing::Idle && unit.hart.wakes() {
            let clock = unit.clock.max(now + unit.core.figures.wake);
            self.resume(index, clock);
        }
    }

    fn grant(&mut self, now: Tick, index: usize, message: Message) {
        let Message::Grant { line, state, purpose, from_memory, from_home } = message else {
            return;
        };
        debug_assert!(
            self.may_be_granted(index, line, state),
            "hart {index} is granted line {line:#x} {state:?}, which another has"
        );
        let core = &mut self.units[index].core;
        if from_memory {
            core.count_memory_read();
        }
        if from_home && core.l2.is_none() && purpose != Purpose::Ahead {
            core.count(CounterEvent::L2Miss);
        }
        core.arrived(now, line);
        let ram = &self.world.ram;
        if purpose == Purpose::Code {
            let offset = line * crate::memory::LINE - ram.base;
            core.code.fill(line, ram.line(offset));
        }
        if purpose != Purpose::Code || core.l2.is_some() {
            let left = core.fill(line, state, purpose == Purpose::Data);
            if let Some((line, state)) = left {
                if state == State::Modified && !self.world.clustered() {
                    core.count(CounterEvent::MemoryWrite);
                }
                self.world.displaced_from_core(now, index as u32, line, state);
            }
        }
        self.wake_storing(now, index);
        let unit = &self.units[index];
        if unit.state == Doing::Waiting && unit.core.waits == Some(WaitFor::Line(line)) {
            self.resume(index, now);
        }
    }

    /// A line has one core that may write it, or any number that read it.
    fn may_be_granted(&self, index: usize, line: u64, state: State) -> bool {
        let others = self.units.iter().enumerate().filter(|(other, _)| *other != index);
        let most = others.map(|(_, unit)| unit.core.state(line)).max().unwrap_or(State::Invalid);
        most == State::Invalid || !(most.owned() || state.owned())
    }

    /// The store buffer performs what it can; a hart that waits for it goes on.
    fn wake_storing(&mut self, now: Tick, index: usize) {
        let unit = &mut self.units[index];
        let mut view = View::<TIMED>::idle(&mut unit.core, &mut self.world, now);
        view.drain();
        let (core, depth) = (&unit.core, unit.core.figures.store_buffer);
        let ready = match core.waits {
            Some(WaitFor::Drained) => core.stores.is_empty() && !core.posted,
            Some(WaitFor::Room) => core.stores.entries.len() < depth,
            _ => false,
        };
        if unit.state == Doing::Waiting && ready {
            self.resume(index, now);
        }
    }
}

/// The next moment at which the machine is looked at, counted from where time began: those whose numbers have
/// three significant bits, so that who spins for ever is told after a quarter more of the time until then,
/// and looks are few.
fn next_look(over: Tick) -> Tick {
    let bits = (Tick::BITS - over.leading_zeros()).saturating_sub(3).max(LOOK_BITS);
    ((over >> bits) + 1) << bits
}
