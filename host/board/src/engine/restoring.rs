// SPDX-License-Identifier: Apache-2.0
//! From the parts of a snapshot to a machine that can go on: derives what is not in it.

use super::{
    machine::{Machine, Mode},
    queue,
    schedule::Schedule,
    turns::Turns,
    unit::{Unit, UnitState},
};
use crate::memory::{Ram, directory};

/// What was read.
pub struct Parts {
    pub machine: Machine,
    pub ram: Ram,
    pub directory: directory::Saved,
    pub events: queue::Saved,
}

impl Parts {
    /// The machine, but for its devices' own states. `own`: the one that restores; what a board decides is
    /// taken from it.
    pub fn join(self, own: &Machine) -> Machine {
        let Parts { mut machine, ram, directory, events } = self;
        let world = &mut machine.world;
        world.map.take_board(&own.world.map);
        for (unit, own) in machine.units.iter_mut().zip(&own.units) {
            unit.core.figures = own.core.figures;
        }
        let fabric = &mut world.fabric;
        fabric.ram = ram;
        fabric.schedule = Schedule::restore(events, &own.world.fabric.schedule);
        fabric.schedule.queue.set_stalled(fabric.outgoing.is_stalled());
        world.coherence.homes.restore(directory, fabric);
        machine.turns = Turns::new(machine.units.len());
        if machine.mode == Mode::Timed {
            let runs = |(_, unit): &(usize, &Unit)| unit.state == UnitState::Running;
            for (hart, unit) in machine.units.iter().enumerate().filter(runs) {
                machine.turns.set(unit.clock, hart);
            }
        }
        machine
    }
}
