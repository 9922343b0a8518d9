// SPDX-License-Identifier: Apache-2.0
//! From the parts of a snapshot to a machine that can go on: checks them, and derives what is not in it.

use super::{
    event::{AtCluster, Message, What},
    machine::{Doing, Machine, Mode, Turn, Unit},
    queue,
    world::World,
};
use crate::{
    limits::{Check, Limits, must, of},
    memory::{Ram, cluster::Cluster, directory},
};
use std::cmp::Reverse;

/// Cycles by which a seed may delay a request, at most.
const JITTER_MAX: u64 = 1 << 20;

/// What was read.
pub struct Parts {
    pub machine: Machine,
    pub ram: Ram,
    pub directory: directory::Saved,
    pub events: queue::Saved,
}

impl Parts {
    /// The machine, but for its devices' own states. `own`: the one that restores; what a board decides is
    /// taken from it. Complains where something cannot be.
    pub fn join(self, own: &Machine) -> Result<Machine, String> {
        let Parts { mut machine, ram, directory, events } = self;
        let limits = Limits {
            ram: &ram,
            pads: &own.world.pads,
            harts: own.units.len() as u32,
            clusters: own.world.clusters.len() as u32,
            devices: own.world.platform.places().len() as u32,
        };
        of("the events", events.check(machine.now, &limits))?;
        machine.check(own, &limits)?;
        of("transactions", machine.world.check_transactions(&events, &limits))?;
        of("time", machine.check_time(&events))?;
        let directory =
            directory.restore(&limits).map_err(|wrong| format!("directory: {wrong}"))?;
        let world = &mut machine.world;
        world.due = vec![Vec::new(); own.units.len()];
        for (tick, what) in events.events() {
            if let What::Deliver { hart, .. } = what {
                world.due[*hart as usize].push(tick);
            }
        }
        world.take_board(&own.world);
        for (unit, own) in machine.units.iter_mut().zip(&own.units) {
            unit.core.figures = own.core.figures;
        }
        world.queue = events.restore(&own.world.queue);
        world.queue.set_stalled(world.stalled > 0);
        (world.directory, world.ram) = (directory, ram);
        of("transfers", world.check_transfers())?;
        if machine.mode == Mode::Timed {
            let runs = |(_, unit): &(u32, &Unit)| unit.state == Doing::Running;
            let running = (0..).zip(&machine.units).filter(runs);
            machine.ready =
                running.map(|(hart, unit)| Reverse(Turn::new(unit.clock, hart))).collect();
        }
        Ok(machine)
    }
}

impl Machine {
    fn check(&self, own: &Machine, limits: &Limits) -> Check {
        of("now", limits.moment(self.now))?;
        must(self.timed_from <= self.now, "now: time began later")?;
        of("the harts", limits.harts(self.units.len()))?;
        for (unit, own) in self.units.iter().zip(&own.units) {
            of(format_args!("hart {}", own.hart.id), unit.check(own, limits))?;
        }
        self.world.check(&own.world, limits)
    }

    /// Before time begins nothing is under way. After that no hart that runs is behind it, none is reached
    /// before it began what it does.
    fn check_time(&self, events: &queue::Saved) -> Check {
        if self.mode != Mode::Timed {
            let still = events.events().next().is_none()
                && self.units.iter().all(|unit| unit.state != Doing::Waiting);
            return must(still, "it has not begun, and something is under way");
        }
        let behind = |unit: &Unit| unit.state == Doing::Running && unit.clock < self.now;
        must(!self.units.iter().any(behind), "a hart is behind it")?;
        for (tick, what) in events.events() {
            if let What::Deliver { hart, .. } = what {
                let unit = &self.units[*hart as usize];
                let began = unit.began <= tick || unit.state == Doing::Idle;
                must(began, "something reaches a hart before what it does")?;
            }
        }
        Ok(())
    }
}

impl Unit {
    fn check(&self, own: &Unit, limits: &Limits) -> Check {
        self.hart.check(&own.hart)?;
        of("its clock", limits.moment(self.clock))?;
        must(self.began <= self.clock, "it began later than it is")?;
        let waits = self.core.waits.is_some();
        must(waits == (self.state == Doing::Waiting), "it waits for nothing, or runs and waits")?;
        self.core.check(&own.core, limits)
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

    fn check(&self, own: &World, limits: &Limits) -> Check {
        must(self.timing == own.timing, "the timing is not this board's")?;
        must(self.jitter <= JITTER_MAX, "the seed's jitter is longer than any that takt gives")?;
        of("the ROM", must(self.rom.len() as u64 <= crate::devices::map::ROM.size, "too long"))?;
        of("the end", self.finish.map_or(Ok(()), |(_, tick)| limits.moment(tick)))?;
        of("the devices", limits.moment(self.device_now))?;
        of("the devices", self.platform.check(&own.platform))?;
        of("the interconnect", self.network.check(&own.network, limits))?;
        of("the memory controllers", self.dram.check(&own.dram, limits))?;
        of("the homes", self.check_homes(own, limits))?;
        of("the clusters", self.check_clusters(own, limits))?;
        of("recalls that are held", self.check_held(limits))?;
        of("requests that wait", self.check_waiting(limits))?;
        of("lines on their way home", self.check_write_backs(limits))?;
        of("requests that wait for write-backs", self.check_outgoing(limits))
    }

    fn check_homes(&self, own: &World, limits: &Limits) -> Check {
        must(self.homes.len() == own.homes.len(), "not one for each node")?;
        for (home, own) in self.homes.iter().zip(&own.homes) {
            limits.moment(home.free)?;
            match (&home.cache, &own.cache) {
                (Some(cache), Some(own)) => of("the cache", cache.check(own, limits))?,
                (cache, own) => must(cache.is_none() && own.is_none(), "a cache, or none")?,
            }
        }
        Ok(())
    }

    fn check_clusters(&self, own: &World, limits: &Limits) -> Check {
        must(self.clusters.len() == own.clusters.len(), "not as many as on this board")?;
        self.clusters.iter().zip(&own.clusters).try_for_each(|(it, own)| it.check(own, limits))
    }

    fn check_held(&self, limits: &Limits) -> Check {
        limits.harts(self.held.len())?;
        for message in self.held.iter().flatten() {
            must(matches!(message, Message::Recall { .. }), "another message")?;
            message.check(limits)?;
        }
        Ok(())
    }

    fn check_waiting(&self, limits: &Limits) -> Check {
        for (line, requests) in &self.waiting {
            limits.line(*line)?;
            must(requests.iter().all(|request| request.line == *line), "they want another line")?;
            requests.iter().try_for_each(|request| request.check(limits))?;
        }
        Ok(())
    }

    fn check_write_backs(&self, limits: &Limits) -> Check {
        limits.harts(self.write_backs.len())?;
        self.write_backs.iter().flatten().try_for_each(|(_, there)| limits.moment(*there))
    }

    /// Each has under way what it waits for, no more and no less.
    fn check_transactions(&self, events: &queue::Saved, limits: &Limits) -> Check {
        let (mut parts, mut performed) = (Vec::new(), Vec::new());
        let clustered = !self.clusters.is_empty();
        let mut message = |message: &Message| {
            if let (Message::Recall { transaction, .. }, false) = (message, clustered) {
                parts.push(*transaction);
            }
        };
        self.held.iter().flatten().for_each(&mut message);
        for (_, what) in events.events() {
            match what {
                What::Deliver { message: it, .. } => message(it),
                What::Perform { transaction } => performed.push(*transaction),
                _ => {}
            }
        }
        parts.extend(events.events().filter_map(|(_, what)| match what {
            What::Cluster(_, AtCluster::Recall { transaction, .. })
            | What::Controller { transaction }
            | What::Read { transaction }
            | What::Data { transaction } => Some(*transaction),
            _ => None,
        }));
        parts.extend(self.clusters.iter().flat_map(Cluster::recalls));
        self.transactions.check(&parts, &performed, limits)
    }

    /// Devices ask only for what was found to be there.
    fn check_transfers(&self) -> Check {
        for (initiator, transfer) in &self.transfers {
            let number = initiator.checked_sub(self.platform.initiator(0));
            let device = number.is_some_and(|at| (at as usize) < self.platform.places().len());
            must(device, "a device that is not there")?;
            must(self.transfer_offset(*initiator, transfer).is_some(), "it leads nowhere")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
