// SPDX-License-Identifier: Apache-2.0
//! Functional and warming mode: the harts take turns of a fixed number of instructions, and each
//! instruction counts as a cycle. For all that happens before the part of a run that is measured.

use super::{
    machine::{End, Machine, Order},
    unit::{Unit, UnitState},
    view::FUNCTIONAL,
    world::World,
};
use crate::{devices::Tick, isa::Pause, memory::tags::State};

/// Instructions of a turn.
const TURN: Tick = 10_000;
/// Rounds of turns without progress after which the machine is deadlocked. What a round does to memory and wires
/// is felt in the next one, so three quiet rounds are conclusive.
const QUIET: u32 = 3;

impl Machine {
    pub(super) fn run_functional<const MODE: u8>(&mut self, until: Tick) -> End {
        let mut quiet = 0;
        while self.now < until {
            let end = (self.now + TURN).min(until);
            while self.in_turn < self.units.len() {
                if let Some(end) = self.turn::<MODE>(self.in_turn, end) {
                    return end;
                }
                self.in_turn += 1;
            }
            self.in_turn = 0;
            self.keep_lines_few();
            self.world.io.platform.advance(end);
            self.apply_wires();
            self.now = end;
            // One that a device has just woken goes on in its next turn.
            if self.units.iter().all(Unit::sleeps) {
                match self.next_wake() {
                    Some(tick) => self.now = self.now.max(tick.min(until)),
                    None => return End::Dead,
                }
                self.world.io.platform.advance(self.now);
                self.apply_wires();
            }
            quiet = if self.is_quiet() { quiet + 1 } else { 0 };
            if quiet == QUIET {
                return End::Spinning;
            }
        }
        End::Until
    }

    /// One hart's turn.
    fn turn<const MODE: u8>(&mut self, index: usize, end: Tick) -> Option<End> {
        let unit = &mut self.units[index];
        if unit.state == UnitState::Held {
            return None;
        }
        unit.went_round = false;
        unit.clock = unit.clock.max(self.now);
        if unit.state == UnitState::Idle {
            unit.ring(&self.world, unit.clock);
            if !unit.hart.wakes() {
                // A debugger may have stopped the machine in the turn in which it fell asleep.
                unit.core.reservation = None;
                return None;
            }
            unit.state = UnitState::Running;
        }
        // An observer wants to see each round.
        if MODE == FUNCTIONAL && self.order == Order::Ahead && !self.world.probes.observed() {
            if let Some(end) = self.go_round::<MODE>(index, end) {
                return Some(end);
            }
        }
        while self.units[index].clock < end && self.units[index].state == UnitState::Running {
            if let Some(end) = self.go_on_until::<MODE>(index, end) {
                return Some(end);
            }
        }
        if self.units.len() > 1 {
            // Others run now; what they write is not noticed otherwise.
            self.units[index].core.reservation = None;
        }
        None
    }

    /// Executes the hart's instructions up to `end`, its timer, or what others may feel.
    pub(super) fn go_on_until<const MODE: u8>(&mut self, index: usize, end: Tick) -> Option<End> {
        let unit = &mut self.units[index];
        let timer = unit.rises().max(unit.clock + 1);
        let pause = unit.execute::<MODE>(&mut self.world, &self.lines, end.min(timer));
        self.world.make_transfers(unit.clock);
        self.apply_wires();
        let World { coherence, fabric, .. } = &mut self.world;
        for (core, line, to) in coherence.take_warm_recalls() {
            let core = &mut self.units[core as usize].core;
            if core.state(line) == State::Modified {
                coherence.warm_changed(fabric, core.index, line);
            }
            core.give_up(line, to);
        }
        if let Some((finish, _)) = self.world.io.finish {
            return Some(End::Finished(finish));
        }
        let unit = &mut self.units[index];
        if pause == Pause::Idle && !unit.hart.wakes() {
            unit.state = UnitState::Idle;
        }
        self.stopped(index, pause)
    }

    fn apply_wires(&mut self) {
        for wire in self.world.io.wires() {
            let unit = &mut self.units[wire.hart as usize];
            unit.hart.set_pending(wire.bit.into(), wire.level);
        }
        for (run, _) in self.world.io.platform.runs() {
            self.units[run.core as usize].run(run.entry, self.now);
        }
    }

    /// Whether since all had their turns each hart slept or did nothing but go round, and no time is set
    /// for anything.
    fn is_quiet(&self) -> bool {
        let quiet = |unit: &Unit| (unit.sleeps() || unit.went_round) && unit.rises() == Tick::MAX;
        self.units.iter().all(quiet) && self.world.io.platform.next_event().is_none()
    }

    fn next_wake(&self) -> Option<Tick> {
        let timers = self.units.iter().map(|unit| unit.timer).filter(|timer| *timer != Tick::MAX);
        timers.chain(self.world.io.platform.next_event()).min()
    }
}
