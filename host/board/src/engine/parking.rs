// SPDX-License-Identifier: Apache-2.0
//! Harts that spin are not executed: where one repeats a round of private hits, its clock and its count
//! of instructions follow by arithmetic until something reaches it.
//!
//! `docs/design/board.md`, "Parking", argues why this changes nothing.

use super::{
    machine::{Doing, Machine, Order, Turn, Unit},
    view::TIMED,
    world::World,
};
use crate::{
    devices::Tick,
    isa::{Hart, Pause},
    memory::core::Core,
};
use std::{cmp::Reverse, mem::take};

/// Instructions of the longest round that is looked for.
const LONGEST: u32 = 64;
/// Pauses without a wait until a hart is followed for the first time.
const FIRST: u32 = 8;

/// What is known of a hart's round.
#[derive(Clone, Default)]
pub(super) struct Spin {
    /// Pauses since the hart waited last or something reached it.
    pauses: u32,
    /// While it is followed: where that began.
    probe: Option<Box<Probe>>,
    parked: Option<Parked>,
}

/// A hart and its core's private state at some instruction.
#[derive(Clone)]
struct Probe {
    hart: Hart,
    clock: Tick,
    core: Trace,
    steps: u32,
}

/// What changes in a core when an instruction does more than hit.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Trace {
    counts: [u64; 16],
    /// Events that it pushed.
    sequence: u32,
    /// Of L1 I: lines filled so far, and the line of the latest fetch.
    fetches: (u64, u64),
    /// In the store buffer.
    stores: usize,
}

/// A round of the hart that stands at its beginning.
#[derive(Clone, Copy)]
struct Parked {
    cycles: Tick,
    instructions: u64,
}

impl Trace {
    fn of(core: &Core) -> Trace {
        let fetches = core.code.trace();
        let stores = core.stores.entries.len();
        Trace { counts: core.all_counts(), sequence: core.sequence, fetches, stores }
    }
}

impl Spin {
    pub fn parked(&self) -> bool {
        self.parked.is_some()
    }

    pub fn followed(&self) -> bool {
        self.probe.is_some()
    }

    /// The hart waits, or something reaches it: what it did before tells nothing.
    pub fn disturb(&mut self) {
        self.pauses = 0;
        self.probe = None;
    }
}

impl Unit {
    /// When a parked hart must be executed though nothing reaches it.
    fn rises(&self) -> Tick {
        self.timer.min(self.settle)
    }

    /// After a pause. The more of them without a wait, the rarer is it followed: it computes.
    pub(super) fn consider_following(&mut self) {
        let spin = &mut self.spin;
        spin.pauses = spin.pauses.saturating_add(1);
        if spin.probe.is_none() && spin.pauses >= FIRST && spin.pauses.is_power_of_two() {
            self.begin_following();
        }
    }

    fn begin_following(&mut self) {
        let (hart, core) = (self.hart.clone(), Trace::of(&self.core));
        self.spin.probe = Some(Box::new(Probe { hart, clock: self.clock, core, steps: 0 }));
    }

    /// Whether the next instruction is a store that changes nothing in RAM. In a trial no other is performed.
    fn stores_what_is_there(&self, world: &World) -> bool {
        let Some(instruction) = self.core.code.latest_at(self.hart.pc) else { return false };
        let Some((address, value, bytes)) = instruction.store(&self.hart.x) else { return false };
        if world.trial {
            return true;
        }
        let ram = &world.ram;
        let offset = self.core.pages.write(address).filter(|_| address % bytes == 0);
        offset.is_some_and(|at| *ram.slice(at, bytes) == value.to_le_bytes()[..bytes as usize])
    }

    /// The round that the hart has just completed, if it will repeat it.
    fn round(&self) -> Option<Parked> {
        let probe = self.spin.probe.as_ref()?;
        if self.hart.pc != probe.hart.pc || self.hart.x != probe.hart.x {
            return None;
        }
        let instructions = self.hart.instret - probe.hart.instret;
        let before = Hart { instret: self.hart.instret, ..probe.hart.clone() };
        let same = before == self.hart && Trace::of(&self.core) == probe.core;
        same.then_some(Parked { cycles: self.clock - probe.clock, instructions })
    }
}

impl Machine {
    /// Whether harts may be parked in this run.
    pub(super) fn parks(&self) -> bool {
        self.order == Order::Ahead
            && self.stops.is_empty()
            && self.world.watches.is_empty()
            && self.step.is_none()
            && !self.world.observed()
    }

    /// Executes the hart whose turn it is one instruction after the other up to the limit, until it
    /// turns out to be in a round, or in none.
    pub(super) fn follow(&mut self, index: usize, limit: Tick) -> Pause {
        loop {
            let unit = &self.units[index];
            let (pc, instret) = (unit.hart.pc, unit.hart.instret);
            let silent = unit.stores_what_is_there(&self.world);
            let pause = self.execute::<TIMED>(index, unit.clock + 1);
            if pause != Pause::Paused {
                return pause;
            }
            let unit = &mut self.units[index];
            let harmless = unit.hart.instret == instret + 1
                && (silent || unit.core.code.latest_at(pc).is_some_and(|i| i.keeps_to_registers()));
            if let Some(probe) = unit.spin.probe.as_mut().filter(|_| harmless) {
                probe.steps += 1;
                let lost = probe.steps > LONGEST;
                unit.spin.parked = unit.round();
                if unit.spin.parked() || lost {
                    unit.spin.probe = None;
                }
            } else {
                unit.spin.probe = None;
            }
            // Where it is not followed any more, its latest instruction may have changed the limit.
            if unit.spin.probe.is_none() || unit.clock >= limit {
                return pause;
            }
        }
    }

    /// The hart, which was parked just now, leaves the order of harts, but for its own timer.
    pub(super) fn park(&mut self, index: usize) {
        self.parked += 1;
        let tick = self.units[index].rises();
        if tick != Tick::MAX {
            self.ready.push(Reverse(Turn::new(tick, index as u32)));
        }
    }

    /// A parked hart executes all that begins before the tick, and stands in the order of harts again.
    pub(super) fn unpark(&mut self, index: usize, tick: Tick) {
        let unit = &mut self.units[index];
        let Some(round) = unit.spin.parked.take() else { return };
        self.parked -= 1;
        // It may be in its round yet.
        unit.spin.pauses = FIRST - 1;
        if unit.rises() != Tick::MAX {
            self.ready.retain(|Reverse(turn)| turn.hart() != index);
        }
        let rounds = tick.saturating_sub(unit.clock) / round.cycles;
        unit.clock += rounds * round.cycles;
        unit.began += rounds * round.cycles;
        unit.hart.instret += rounds * round.instructions;
        if unit.clock < tick {
            let pause = self.execute::<TIMED>(index, tick);
            debug_assert_eq!(pause, Pause::Paused, "hart {index} in its round");
        }
        let clock = self.units[index].clock;
        self.ready.push(Reverse(Turn::new(clock, index as u32)));
    }

    /// Whether all harts go round or sleep and nothing can reach any of them. It follows from the machine's
    /// state alone, not from when its harts paused so far, so that it is told in both orders at one moment.
    pub(super) fn only_spins(&mut self) -> bool {
        let alone = |unit: &Unit| unit.state != Doing::Running || unit.rises() == Tick::MAX;
        if self.world.queue.first().is_some()
            || self.world.finish.is_some()
            || self.ready.is_empty()
            || !self.units.iter().all(alone)
        {
            return false;
        }
        let (step, hit) = (self.step.take(), self.hit.take());
        let (stops, watches) = (take(&mut self.stops), take(&mut self.world.watches));
        let observer = take(&mut self.world.observer);
        (self.world.trial, self.world.trial_failed) = (true, false);
        let still = (0..self.units.len()).all(|index| self.goes_round(index));
        self.world.trial = false;
        (self.step, self.hit, self.stops) = (step, hit, stops);
        (self.world.watches, self.world.observer) = (watches, observer);
        still
    }

    /// Whether the hart, if it runs, is in a round at the latest in `LONGEST` instructions from now, which it
    /// executes first: what finds pages and lines quickly is empty at the start. So one that computes is soon told. The hart and
    /// its core are as before then; what lies outside of them does not change in a trial.
    fn goes_round(&mut self, index: usize) -> bool {
        if self.units[index].state != Doing::Running {
            return true;
        }
        let before = self.units[index].clone();
        let unit = &mut self.units[index];
        unit.spin = Spin::default();
        unit.core.pages.clear();
        unit.core.code.forget();
        let goes = self.comes_round(index) && !self.world.trial_failed;
        self.units[index] = before;
        goes
    }

    fn comes_round(&mut self, index: usize) -> bool {
        for _ in 0..LONGEST {
            let limit = self.units[index].clock + 1;
            if self.execute::<TIMED>(index, limit) != Pause::Paused {
                return false;
            }
        }
        self.units[index].begin_following();
        self.follow(index, Tick::MAX);
        self.units[index].spin.parked()
    }

    /// Before the run ends: what is done to the machine until the next one is no event.
    pub(super) fn unpark_all(&mut self) {
        for index in 0..self.units.len() {
            self.unpark(index, self.now);
            self.units[index].spin.probe = None;
        }
    }
}
