// SPDX-License-Identifier: Apache-2.0
//! How a hart that spins is recognised: it repeats a round of private hits. While it is parked its clock and its count of
//! instructions follow by arithmetic.
//!
//! `docs/design/board.md`, "Parking", argues why this changes nothing.

use super::{Unit, UnitState};
use crate::{
    devices::Tick,
    engine::{probes::Trial, view::TIMED, world::World},
    isa::{EVENTS, Hart, Lines, Pause},
    memory::core::Core,
};

/// Instructions of the longest round that is looked for.
const LONGEST: u32 = 64;
/// Pauses without a wait until a hart is followed for the first time.
const FIRST: u32 = 8;

/// What is known of a hart's round.
#[derive(Clone, Default)]
pub(in crate::engine) struct Spin {
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
    counts: [u64; EVENTS],
    /// Events that it pushed.
    sequence: u32,
    /// The instruction cache's lines filled so far, and the line of the latest fetch.
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

    /// Ends what was begun to follow the hart.
    pub fn stop_following(&mut self) {
        self.probe = None;
    }
}

impl Unit {
    /// Begins to follow the hart after some of its pauses: the more of them without a wait, the rarer, since it computes.
    pub(in crate::engine) fn consider_following(&mut self) {
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
    fn stores_what_is_there(&self, world: &World, lines: &Lines) -> bool {
        let Some(instruction) = self.core.code.latest_at(lines, self.hart.pc) else { return false };
        let Some((address, value, bytes)) = instruction.store(&self.hart.x) else { return false };
        if world.probes.in_trial() {
            return true;
        }
        let ram = &world.fabric.ram;
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

    /// Executes the hart, whose turn it is, one instruction after the other up to the limit, until it
    /// turns out to be in a round, or in none.
    pub(in crate::engine) fn follow(
        &mut self,
        world: &mut World,
        lines: &Lines,
        limit: Tick,
    ) -> Pause {
        loop {
            let (pc, instret) = (self.hart.pc, self.hart.instret);
            let silent = self.stores_what_is_there(world, lines);
            let pause = self.execute::<TIMED>(world, lines, self.clock + 1);
            if pause != Pause::Paused {
                return pause;
            }
            let latest = self.core.code.latest_at(lines, pc);
            let harmless = self.hart.instret == instret + 1
                && (silent || latest.is_some_and(|i| i.keeps_to_registers()));
            if let Some(probe) = self.spin.probe.as_mut().filter(|_| harmless) {
                probe.steps += 1;
                let lost = probe.steps > LONGEST;
                self.spin.parked = self.round();
                if self.spin.parked() || lost {
                    self.spin.probe = None;
                }
            } else {
                self.spin.probe = None;
            }
            // Where it is not followed any more, its latest instruction may have changed the limit.
            if self.spin.probe.is_none() || self.clock >= limit {
                return pause;
            }
        }
    }

    /// Whether the hart, if it runs, is in a round at the latest in `LONGEST` instructions from now, which it
    /// executes first: what finds pages and lines quickly is empty at the start. So one that computes is soon found. The
    /// hart and its core are as before then; what lies outside of them does not change in a trial.
    pub(in crate::engine) fn goes_round(&mut self, world: &mut World, lines: &Lines) -> bool {
        if self.state != UnitState::Running {
            return true;
        }
        let before = self.clone();
        self.spin = Spin::default();
        self.forget_fast();
        let goes = self.comes_round(world, lines) && world.probes.trial != Trial::Failed;
        *self = before;
        goes
    }

    fn comes_round(&mut self, world: &mut World, lines: &Lines) -> bool {
        for _ in 0..LONGEST {
            if self.execute::<TIMED>(world, lines, self.clock + 1) != Pause::Paused {
                return false;
            }
        }
        self.begin_following();
        self.follow(world, lines, Tick::MAX);
        self.spin.parked()
    }

    /// A parked hart executes all that begins before the tick. False: it was not parked.
    pub(in crate::engine) fn leave_round(
        &mut self,
        world: &mut World,
        lines: &Lines,
        tick: Tick,
    ) -> bool {
        let Some(round) = self.spin.parked.take() else { return false };
        // It may be in its round yet.
        self.spin.pauses = FIRST - 1;
        let rounds = tick.saturating_sub(self.clock) / round.cycles;
        self.clock += rounds * round.cycles;
        self.began += rounds * round.cycles;
        self.hart.instret += rounds * round.instructions;
        if self.clock < tick {
            let pause = self.execute::<TIMED>(world, lines, tick);
            debug_assert_eq!(pause, Pause::Paused, "hart {} in its round", self.core.index);
        }
        true
    }
}
