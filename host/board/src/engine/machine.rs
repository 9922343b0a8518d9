// SPDX-License-Identifier: Apache-2.0
//! The machine: its harts, what they share, and how it is run.

use super::{parking::Spin, view::View, watch::Hit, world::World};
use crate::{
    devices::{Finish, HartWire, Platform, Tick, route::Routes},
    isa::{self, CounterEvent, Hart, Pause},
    memory::{Ram, Scratchpad, core::Core, dram::Served},
};
use serde::{Deserialize, Serialize};
use std::{cmp::Reverse, collections::BinaryHeap};
use takt_model::Timing;

#[derive(Clone, Serialize, Deserialize)]
pub struct Machine {
    pub units: Vec<Unit>,
    pub world: World,
    pub mode: Mode,
    pub order: Order,
    /// Set by `set_stops`: the harts remember which lines have none.
    #[serde(skip)]
    pub(super) stops: Vec<u64>,
    /// The latest moment that all that happened so far lies before or at.
    pub now: Tick,
    /// When time began.
    pub(super) timed_from: Tick,
    /// In timed mode the harts that run, at their clocks.
    #[serde(skip)]
    pub(super) ready: BinaryHeap<Reverse<Turn>>,
    pub(super) device_time: Option<Tick>,
    /// How many harts are parked: none between two runs.
    #[serde(skip)]
    pub(super) parked: u32,
    /// Functional mode: whose turn it is.
    pub(super) in_turn: usize,
    /// The hart that stops after its next instruction.
    #[serde(skip)]
    pub(super) step: Option<u32>,
    /// What the latest instruction touched of what is watched.
    #[serde(skip)]
    pub(super) hit: Option<Hit>,
}

/// A hart and its core.
#[derive(Clone, Serialize, Deserialize)]
pub struct Unit {
    pub hart: Hart,
    pub core: Core,
    /// When its next instruction begins.
    pub clock: Tick,
    pub state: Doing,
    /// When its own timer rings.
    pub timer: Tick,
    /// When its counters are looked at for an overflow.
    pub(super) settle: Tick,
    /// When its latest instruction began: nothing may reach it before.
    pub(super) began: Tick,
    /// The pc and the instructions so far where a stop was looked for last.
    #[serde(skip)]
    pub(super) told: Option<(u64, u64)>,
    #[serde(skip)]
    pub(super) spin: Spin,
    /// Functional mode: in its latest turn it did nothing but go round.
    #[serde(skip)]
    pub(super) went_round: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Doing {
    Running,
    Waiting,
    /// In WFI.
    Idle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    Functional,
    Warming,
    Timed,
}

/// How the machine steps. Both give the same run to the last cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// A hart runs ahead as far as nothing can reach it; without time, rounds of waiting are computed.
    Ahead,
    /// Each instruction in its turn: the oracle.
    Strict,
}

/// Why the machine stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The software said so.
    Finished(Finish),
    /// The moment was reached.
    Until,
    /// A hart is before the instruction at one of the `stops`.
    Stop { hart: u32 },
    /// A hart's latest instruction touched what is watched.
    Watch { hart: u32, hit: Hit },
    /// The hart has done its step.
    Step { hart: u32 },
    /// All harts wait or sleep and nothing is to come.
    Dead,
    /// All harts wait or sleep but for some, those that run, which go round in loops that nothing will
    /// ever end. Without time strict order does not notice.
    Spinning,
}

/// A hart that can execute its next instruction: from the top the tick and the hart. Which hart of a
/// tick is first changes nothing: what one does reaches another by an event only. Ticks of 48 bits
/// last for three days of a clock of 1 GHz.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Turn(u64);

impl Turn {
    pub fn new(tick: Tick, hart: u32) -> Turn {
        Turn(tick << 16 | u64::from(hart))
    }

    pub fn tick(self) -> Tick {
        self.0 >> 16
    }

    pub fn hart(self) -> usize {
        (self.0 & 0xffff) as usize
    }
}

impl Machine {
    /// All harts stand at the reset vector.
    pub fn new(
        timing: &Timing,
        ram: Ram,
        rom: Vec<u8>,
        platform: Platform,
        routes: Routes,
        pads: Vec<Scratchpad>,
        ids: &[u64],
    ) -> Machine {
        let unit = |(index, id): (usize, &u64)| {
            let mut hart = Hart::new(*id);
            hart.pc = super::world::ROM;
            Unit {
                hart,
                core: Core::new(index as u32, timing),
                clock: 0,
                state: Doing::Running,
                timer: Tick::MAX,
                settle: Tick::MAX,
                began: 0,
                told: None,
                spin: Spin::default(),
                went_round: false,
            }
        };
        Machine {
            units: ids.iter().enumerate().map(unit).collect(),
            world: World::new(timing, ram, rom, platform, routes, pads, ids.len() as u32),
            mode: Mode::Functional,
            order: Order::Ahead,
            stops: Vec::new(),
            now: 0,
            timed_from: 0,
            ready: BinaryHeap::new(),
            device_time: None,
            parked: 0,
            in_turn: 0,
            step: None,
            hit: None,
        }
    }

    /// Runs until the moment, or an earlier end.
    pub fn run(&mut self, until: Tick) -> End {
        match self.mode {
            Mode::Functional => self.run_functional::<{ super::view::FUNCTIONAL }>(until),
            Mode::Warming => self.run_functional::<{ super::view::WARMING }>(until),
            Mode::Timed => self.run_timed(until),
        }
    }

    /// Instructions that all harts have completed.
    pub fn instructions(&self) -> u64 {
        self.units.iter().map(|unit| unit.hart.instret).sum()
    }

    /// Executes instructions of one hart up to the limit.
    pub(super) fn execute<const MODE: u8>(&mut self, index: usize, limit: Tick) -> Pause {
        let limit = if self.step == Some(index as u32) { 0 } else { limit };
        let unit = &mut self.units[index];
        if unit.timer <= unit.clock {
            unit.hart.timer_due(self.world.time(unit.clock));
            unit.timer = next_timer(&unit.hart, &self.world);
        }
        unit.core.waits = None;
        let mut view = View::<MODE> {
            core: &mut unit.core,
            world: &mut self.world,
            clock: unit.clock,
            limit,
            began: unit.clock,
            timer_changed: false,
            stops: &self.stops,
            start: unit.hart.pc,
            hit: None,
        };
        if unit.settle <= unit.clock {
            unit.hart.settle_counters(&view);
            unit.settle = next_settling(&unit.hart, unit.clock);
        }
        let pause = isa::run(&mut unit.hart, &mut view);
        let (clock, began, changed) = (view.clock, view.began, view.timer_changed);
        self.hit = view.hit.filter(|_| pause != Pause::Waiting);
        if pause == Pause::Waiting && unit.core.waits.is_none() {
            // It stands before an instruction that it has not begun.
            unit.hart.waiting = false;
        }
        unit.clock = clock;
        unit.began = began;
        if changed {
            unit.hart.timer_due(self.world.time(clock));
            unit.timer = next_timer(&unit.hart, &self.world);
            unit.settle = next_settling(&unit.hart, clock);
        }
        pause
    }

    /// The changes of harts' interrupt wires since the last call.
    pub(super) fn wires(&mut self) -> Vec<HartWire> {
        let mut wires = Vec::new();
        self.world.platform.wires(&mut wires);
        wires
    }

    /// From now on tags, TLBs and rows follow each access; still no time passes.
    pub fn begin_warming(&mut self) {
        self.mode = Mode::Warming;
        for unit in &mut self.units {
            unit.core.pages.clear();
            unit.core.code.forget();
        }
    }

    /// From now on time passes: all harts go on at one moment, plus their skew.
    pub fn begin_timing(&mut self, skew: impl Fn(u32) -> Tick) {
        self.mode = Mode::Timed;
        let start = self.units.iter().map(|unit| unit.clock).max().unwrap_or(0).max(self.now);
        (self.now, self.timed_from) = (start, start);
        for index in 0..self.units.len() {
            let unit = &mut self.units[index];
            unit.core.pages.clear();
            unit.core.code.forget();
            unit.clock = start + skew(index as u32);
            unit.began = unit.clock;
            unit.timer = next_timer(&unit.hart, &self.world);
            self.go_on(index);
        }
    }

    pub fn count(&self, index: usize, event: CounterEvent) -> u64 {
        self.units[index].core.counted(event)
    }

    /// Lines that the memory controllers have moved for a hart's index, or a device's number beyond the harts.
    pub fn memory_lines(&self, initiator: u32) -> Served {
        self.world.dram.served(initiator)
    }

    /// The value of a hart's CSR; `None` if there is no such.
    pub fn csr(&mut self, index: usize, number: u32) -> Option<u64> {
        let unit = self.units.get_mut(index)?;
        // Reading settles counters, which is nothing that a look should leave behind.
        let mut hart = unit.hart.clone();
        let view =
            View::<{ super::view::TIMED }>::idle(&mut unit.core, &mut self.world, unit.clock);
        hart.read_csr(&view, number)
    }
}

/// The tick at which the hart's own timer rings.
pub(super) fn next_timer(hart: &Hart, world: &World) -> Tick {
    hart.next_timer().map_or(Tick::MAX, |time| world.tick_of(time))
}

/// Counters that may overflow are looked at each so many cycles: no interrupt of theirs is later.
const SKID: Tick = 1000;

fn next_settling(hart: &Hart, clock: Tick) -> Tick {
    if hart.overflow_matters() { (clock / SKID + 1) * SKID } else { Tick::MAX }
}
