// SPDX-License-Identifier: Apache-2.0
//! Timed mode: everything happens in the order of its [`super::queue::Key`].
//!
//! A hart that is next may run ahead of the others on what is its own: the accesses that hit lines
//! that it may read or write touch nothing that another can change before the other's request has
//! travelled. `docs/design/board.md` has the argument.

use super::{
    event::{Event, Grant, Message},
    machine::{End, Machine, Order},
    turns::Turn,
    unit::UnitState,
    view::TIMED,
    world::World,
};
use crate::{devices::Tick, isa::Pause, memory::tags::State};

/// A hart that nothing limits pauses all the same now and then, so that it is noticed when it spins.
const FAR: Tick = 4096;
/// The shortest distance between two checks for deadlock: 2 to the power of this.
const LOOK_BITS: u32 = 14;

impl Machine {
    /// Runs to the moment, and checks now and then whether the machine can go on at all.
    pub(super) fn run_timed(&mut self, until: Tick) -> End {
        loop {
            let look = self.timed_from + next_look(self.now - self.timed_from);
            let end = self.run_in_order(until.min(look));
            self.roll_all_back();
            self.unpark_all();
            match end {
                End::Until if self.now == look && self.only_spins() => return End::Spinning,
                End::Until if self.now < until => {}
                end => return end,
            }
        }
    }

    /// If every hart is parked or asleep and no event is queued, the run ends at `until`.
    fn run_in_order(&mut self, until: Tick) -> End {
        let parks = self.parks();
        self.world.io.schedule(&mut self.world.fabric, self.now);
        loop {
            // All harts go on to one moment, which none of those ahead has passed.
            let ahead = self.world.fabric.schedule.hart_lookahead;
            let last = self.world.io.finish.map_or(Tick::MAX, |end| end.1 + ahead);
            let end = until.min(last);
            let event = self.world.fabric.schedule.queue.first();
            let hart = self.turns.first();
            // Every class of events comes before the harts of its tick.
            let (next, hart) = match (event, hart) {
                (None, None) if self.world.io.finish.is_none() && self.parked == 0 => {
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
                return match self.world.io.finish {
                    Some((finish, _)) if end == last => End::Finished(finish),
                    _ => End::Until,
                };
            }
            self.now = next;
            self.keep_lines_few();
            let Some(turn) = hart else {
                self.handle_event();
                continue;
            };
            if self.units[turn.hart()].spin.parked() {
                self.unpark(turn.hart(), turn.tick());
                continue;
            }
            if parks && self.turns.are_many() {
                self.go_all(turn.tick(), end);
                continue;
            }
            let limit = self.limit(turn, end);
            let pause = self.go(turn, limit, end, parks);
            if let Some(end) = self.stopped(turn.hart(), pause) {
                return end;
            }
        }
    }

    /// How far the hart whose turn it is may run ahead: no other one, no event, can reach it before.
    fn limit(&self, turn: Turn, until: Tick) -> Tick {
        if self.order == Order::Strict {
            return turn.tick() + 1;
        }
        let schedule = &self.world.fabric.schedule;
        let others = self.turns.second().saturating_add(schedule.hart_lookahead);
        others.min(schedule.queue.horizon()).min(until).min(turn.tick() + FAR)
    }

    /// All harts run ahead of the first one, as far as neither it nor what is going to happen can reach any of them. Nobody
    /// looks who would be next: what each does is its own.
    fn go_all(&mut self, first: Tick, until: Tick) {
        let schedule = &self.world.fabric.schedule;
        let limit = (first + schedule.hart_lookahead).min(schedule.queue.horizon()).min(until);
        self.turns.begin_round();
        for index in 0..self.units.len() {
            let Some(turn) = self.turns.of(index) else { continue };
            // A message may be due for it already.
            let due = self.world.fabric.schedule.earliest_due(index);
            if turn.tick() >= limit.min(due) || self.units[index].spin.parked() {
                continue;
            }
            self.go(turn, limit, until, true);
            let unit = &mut self.units[index];
            unit.looked_at = Some((unit.hart.pc, unit.hart.instret));
        }
        self.turns.end_round();
    }

    /// The hart executes instructions up to the limit, its timer, or the first message that is due for it; beyond the limit
    /// it speculates, but not beyond `until`.
    fn go(&mut self, turn: Turn, limit: Tick, until: Tick, parks: bool) -> Pause {
        let index = turn.hart();
        let due = self.world.fabric.schedule.earliest_due(index);
        let timer = self.units[index].rises().max(turn.tick() + 1);
        let limit = limit.min(due).min(timer);
        debug_assert!(limit > turn.tick(), "a hart that is next can execute an instruction");
        let unit = &mut self.units[index];
        unit.confirm();
        let pause = if unit.spin.followed() {
            unit.follow(&mut self.world, &self.lines, limit)
        } else {
            unit.execute::<TIMED>(&mut self.world, &self.lines, limit)
        };
        // Without a wait it stands where the machine is to stop.
        let runs = pause == Pause::Paused || (pause == Pause::Waiting && unit.core.waits.is_none());
        if runs && !unit.spin.parked() {
            let far = turn.tick() + FAR <= unit.clock;
            if parks && pause == Pause::Paused && !far && !unit.spin.followed() {
                // Its instructions may have moved both moments.
                let due = self.world.fabric.schedule.earliest_due(index);
                let until = until.min(due).min(unit.rises());
                unit.speculate(&mut self.world, &self.lines, until);
            }
            self.turns.set(unit.clock, index);
            if parks {
                unit.consider_following();
            }
            return pause;
        }
        self.turns.remove(index);
        if unit.spin.parked() {
            self.park(index);
            return pause;
        }
        unit.spin.disturb();
        match pause {
            Pause::Idle => self.sleep(index),
            _ => unit.state = UnitState::Waiting,
        }
        pause
    }

    /// The hart stands in the order of harts at its clock, or sleeps on.
    pub(super) fn go_on(&mut self, index: usize) {
        match self.units[index].state {
            UnitState::Running => self.turns.set(self.units[index].clock, index),
            UnitState::Idle => self.sleep(index),
            UnitState::Waiting | UnitState::Held => {}
        }
    }

    fn sleep(&mut self, index: usize) {
        let unit = &mut self.units[index];
        unit.sleep(&mut self.world);
        if unit.state == UnitState::Running {
            self.turns.set(unit.clock, index);
        }
    }

    fn handle_event(&mut self) {
        let Some((now, event)) = self.world.fabric.schedule.queue.pop() else { return };
        if let Event::Deliver { hart, message } = event {
            return self.deliver(now, hart as usize, message);
        }
        let devices = matches!(
            event,
            Event::Device(_)
                | Event::DeviceTime
                | Event::BlockAnswer { .. }
                | Event::Perform { .. }
                | Event::Transferred { .. }
        );
        self.world.handle_event(now, event);
        if devices {
            let World { io, fabric, map, .. } = &mut self.world;
            io.after_event(fabric, now, map);
            self.world.start_blocks(now);
        }
    }

    /// A message reaches a hart.
    fn deliver(&mut self, now: Tick, index: usize, message: Message) {
        self.world.fabric.schedule.delivered(index as u32, now);
        self.unpark(index, now);
        self.roll_back(index, now);
        self.units[index].spin.disturb();
        debug_assert!(
            self.units[index].began <= now
                || matches!(self.units[index].state, UnitState::Idle | UnitState::Held),
            "hart {index} began an instruction at {}, {message:?} is due at {now}",
            self.units[index].began,
        );
        debug_assert!(
            self.is_coherent(index, message),
            "hart {index} gets {message:?}, a line that another has"
        );
        let unit = &mut self.units[index];
        let stood = unit.state != UnitState::Running;
        unit.receive(&mut self.world, &self.lines, now, message);
        match (stood, unit.state) {
            (true, UnitState::Running) => self.turns.set(unit.clock, index),
            (false, UnitState::Held) => self.turns.remove(index),
            _ => {}
        }
    }

    /// The hart has executed nothing that begins now or later.
    fn roll_back(&mut self, index: usize, now: Tick) {
        let unit = &mut self.units[index];
        if unit.roll_back(&mut self.world, &self.lines, now) {
            self.turns.set(unit.clock, index);
        }
    }

    /// The run ends now: no hart is further.
    fn roll_all_back(&mut self) {
        (0..self.units.len()).for_each(|index| self.roll_back(index, self.now));
    }

    /// Whether a message grants no line that another core may write, and none to write that another core has: a line has
    /// one core that may write it, or any number that read it.
    fn is_coherent(&self, index: usize, message: Message) -> bool {
        let Message::Grant(Grant { line, state, .. }) = message else { return true };
        let others = self.units.iter().enumerate().filter(|(other, _)| *other != index);
        let most = others.map(|(_, unit)| unit.core.state(line)).max().unwrap_or(State::Invalid);
        most == State::Invalid || !(most.owned() || state.owned())
    }
}

/// The next moment at which the machine is checked for deadlock, counted from where time began. Their numbers have three
/// significant bits: so a deadlock is reported at most a quarter late, and the number of checks grows with the
/// logarithm of the run.
fn next_look(over: Tick) -> Tick {
    let bits = (Tick::BITS - over.leading_zeros()).saturating_sub(3).max(LOOK_BITS);
    ((over >> bits) + 1) << bits
}
