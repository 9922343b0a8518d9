// SPDX-License-Identifier: Apache-2.0
//! From the parts of a snapshot to a machine that can go on: derives what is not in it.

use super::{
    event::Event,
    machine::{Doing, Machine, Mode, Turn, Unit},
    queue,
    world::World,
};
use crate::memory::{Ram, directory};
use std::cmp::Reverse;

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
        world.due = vec![Vec::new(); own.units.len()];
        for (tick, event) in events.events() {
            if let Event::Deliver { hart, .. } = event {
                world.due[*hart as usize].push(tick);
            }
        }
        world.take_board(&own.world);
        for (unit, own) in machine.units.iter_mut().zip(&own.units) {
            unit.core.figures = own.core.figures;
        }
        world.queue = events.restore(&own.world.queue);
        world.queue.set_stalled(world.stalled > 0);
        world.directory = directory.restore(&ram);
        world.ram = ram;
        if machine.mode == Mode::Timed {
            let runs = |(_, unit): &(u32, &Unit)| unit.state == Doing::Running;
            let running = (0..).zip(&machine.units).filter(runs);
            machine.ready =
                running.map(|(hart, unit)| Reverse(Turn::new(unit.clock, hart))).collect();
        }
        machine
    }
}

impl World {
    /// What is not in a snapshot and follows from the board.
    fn take_board(&mut self, own: &World) {
        self.timing = own.timing.clone();
        self.routes = own.routes.clone();
        self.pads = own.pads.clone();
        (self.with_l2, self.hart_lookahead) = (own.with_l2, own.hart_lookahead);
    }
}
