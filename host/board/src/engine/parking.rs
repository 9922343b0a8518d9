// SPDX-License-Identifier: Apache-2.0
//! Harts that spin are not executed: one that repeats a round of private hits is parked until something reaches it.
//!
//! `docs/design/board.md`, "Parking", argues why this changes nothing.

use super::{
    machine::{Machine, Order},
    probes::Probes,
    unit::{Unit, UnitState},
};
use crate::devices::Tick;

impl Machine {
    /// Whether harts may be parked in this run.
    pub(super) fn parks(&self) -> bool {
        self.order == Order::Ahead && self.world.probes.are_absent()
    }

    /// The hart, which was parked just now, leaves the order of harts, but for its own timer.
    pub(super) fn park(&mut self, index: usize) {
        self.parked += 1;
        let tick = self.units[index].rises();
        if tick != Tick::MAX {
            self.turns.set(tick, index);
        }
    }

    /// A parked hart executes all that begins before the tick, and stands in the order of harts again.
    pub(super) fn unpark(&mut self, index: usize, tick: Tick) {
        let unit = &mut self.units[index];
        if !unit.leave_round(&mut self.world, &self.lines, tick) {
            return;
        }
        self.parked -= 1;
        self.turns.set(unit.clock, index);
    }

    /// Whether all harts go round or sleep and nothing can reach any of them. It follows from the machine's
    /// state alone, not from when its harts paused so far, so that it is reported in both orders at one moment.
    pub(super) fn only_spins(&mut self) -> bool {
        let alone = |unit: &Unit| unit.state != UnitState::Running || unit.rises() == Tick::MAX;
        if self.world.fabric.schedule.queue.first().is_some()
            || self.world.io.finish.is_some()
            || self.turns.is_empty()
            || !self.units.iter().all(alone)
        {
            return false;
        }
        let probes = std::mem::replace(&mut self.world.probes, Probes::for_trial());
        let still = self.units.iter_mut().all(|unit| unit.goes_round(&mut self.world, &self.lines));
        self.world.probes = probes;
        still
    }

    /// Before the run ends: what is done to the machine until the next one is no event.
    pub(super) fn unpark_all(&mut self) {
        for index in 0..self.units.len() {
            self.unpark(index, self.now);
            self.units[index].spin.stop_following();
        }
    }
}
