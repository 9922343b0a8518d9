// SPDX-License-Identifier: Apache-2.0
//! The machine: its harts, what they share, and how it is run.

use super::{
    fabric::Jitter,
    probes::watch::Hit,
    turns::Turns,
    unit::{Unit, UnitState},
    view::{CoreView, FUNCTIONAL, HartView, TIMED, WARMING},
    world::World,
};
use crate::{
    devices::{Finish, Platform, Tick, route::Routes},
    isa::{CounterEvent, Lines},
    memory::{Ram, Scratchpad, dram::Served},
};
use serde::{Deserialize, Serialize};
use takt_model::Timing;

#[derive(Clone, Serialize, Deserialize)]
pub struct Machine {
    pub units: Vec<Unit>,
    pub world: World,
    /// The instructions of all harts' code, decoded.
    pub(super) lines: Lines,
    pub mode: Mode,
    pub order: Order,
    /// The latest moment that all that happened so far lies before or at.
    pub now: Tick,
    /// When time began.
    pub(super) timed_from: Tick,
    #[serde(skip)]
    pub(super) turns: Turns,
    /// How many harts are parked: none between two runs.
    #[serde(skip)]
    pub(super) parked: u32,
    /// Functional mode: whose turn it is.
    pub(super) in_turn: usize,
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

impl Machine {
    /// All harts stand at the reset vector; those that the platform does not know are held there.
    pub fn new(
        timing: &Timing,
        ram: Ram,
        rom: Vec<u8>,
        platform: Platform,
        routes: Routes,
        pads: Vec<Scratchpad>,
        ids: &[u64],
    ) -> Machine {
        let numbered = ids.iter().enumerate();
        let mut units: Vec<Unit> =
            numbered.map(|(index, id)| Unit::new(*id, index, timing)).collect();
        units
            .iter_mut()
            .skip(platform.harts() as usize)
            .for_each(|unit| unit.state = UnitState::Held);
        Machine {
            units,
            world: World::new(timing, ram, rom, platform, routes, pads, ids.len() as u32),
            lines: Lines::default(),
            mode: Mode::Functional,
            order: Order::Ahead,
            now: 0,
            timed_from: 0,
            turns: Turns::new(ids.len()),
            parked: 0,
            in_turn: 0,
        }
    }

    /// The run is the seed's from now on: a request of a core is delayed by up to `jitter` cycles.
    pub fn set_seed(&mut self, seed: u64, jitter: Tick) {
        self.world.fabric.jitter = Jitter { seed, most: jitter };
    }

    /// Runs until the moment, or an earlier end.
    pub fn run(&mut self, until: Tick) -> End {
        match self.mode {
            Mode::Functional => self.run_functional::<FUNCTIONAL>(until),
            Mode::Warming => self.run_functional::<WARMING>(until),
            Mode::Timed => self.run_timed(until),
        }
    }

    /// Where many lines of instructions were decoded, those that no L1 I holds any more go.
    pub(super) fn keep_lines_few(&mut self) {
        if !self.lines.are_many() {
            return;
        }
        let mut kept = Lines::default();
        self.units.iter_mut().for_each(|unit| unit.core.code.move_lines(&self.lines, &kept));
        kept.are_in_use();
        self.lines = kept;
    }

    /// Instructions that all harts have completed.
    pub fn instructions(&self) -> u64 {
        self.units.iter().map(|unit| unit.hart.instret).sum()
    }

    /// Types bytes at the console, from now on.
    pub fn add_input(&mut self, bytes: &[u8]) {
        let World { io, fabric, .. } = &mut self.world;
        io.platform.add_input(self.now, bytes.to_vec());
        if let Some(htif) = &mut io.htif {
            htif.input.extend(bytes);
        }
        if self.mode == Mode::Timed {
            io.schedule(fabric, self.now);
        }
    }

    /// From now on tags, TLBs and rows follow each access; still no time passes.
    pub fn begin_warming(&mut self) {
        self.mode = Mode::Warming;
        self.units.iter_mut().for_each(Unit::forget_fast);
    }

    /// From now on time passes: all harts go on at one moment, plus their skew.
    pub fn begin_timing(&mut self, skew: impl Fn(u32) -> Tick) {
        self.mode = Mode::Timed;
        let start = self.units.iter().map(|unit| unit.clock).max().unwrap_or(0).max(self.now);
        (self.now, self.timed_from) = (start, start);
        for index in 0..self.units.len() {
            let unit = &mut self.units[index];
            unit.forget_fast();
            unit.clock = start + skew(index as u32);
            unit.began = unit.clock;
            unit.set_timer(&self.world);
            self.go_on(index);
        }
    }

    pub fn count(&self, index: usize, event: CounterEvent) -> u64 {
        self.units[index].core.counted(event)
    }

    /// Lines that the memory controllers have moved for a hart's index, or a device's number beyond the harts.
    pub fn memory_lines(&self, initiator: u32) -> Served {
        self.world.fabric.dram.served(initiator)
    }

    /// The value of a hart's CSR; `None` if there is no such.
    pub fn csr(&mut self, index: usize, number: u32) -> Option<u64> {
        let unit = self.units.get_mut(index)?;
        // Reading settles counters, which is nothing that a look should leave behind.
        let mut hart = unit.hart.clone();
        let view = CoreView::<TIMED>::new(&mut unit.core, &mut self.world, unit.clock, 0);
        let view = HartView::new(view, &self.lines, hart.pc);
        hart.read_csr(&view, number)
    }
}
