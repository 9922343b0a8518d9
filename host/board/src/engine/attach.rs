// SPDX-License-Identifier: Apache-2.0
//! What is attached to a machine from outside: a debugger's stops and watches, an observer.

use super::{
    machine::{End, Machine},
    probes::{observe::Observer, watch::Watch},
};
use crate::{isa::Pause, memory::core::LastReported};

impl Machine {
    /// Before which instructions the machine stops.
    pub fn stops(&self) -> &[u64] {
        &self.world.probes.stops
    }

    /// The machine stops before the instructions at these addresses, as the harts' pc has them.
    pub fn set_stops(&mut self, stops: Vec<u64>) {
        self.world.probes.stops = stops;
        self.units.iter_mut().for_each(|unit| unit.core.code.forget());
    }

    pub fn set_watches(&mut self, watches: Vec<Watch>) {
        self.world.probes.watches = watches;
        self.units.iter_mut().for_each(|unit| unit.core.pages.clear());
    }

    /// The machine stops when the hart has completed an instruction or taken a trap.
    pub fn set_step(&mut self, hart: Option<u32>) {
        self.world.probes.step = hart;
    }

    /// Whether the hart that has just paused ends the run for now.
    pub(super) fn stopped(&mut self, index: usize, pause: Pause) -> Option<End> {
        let hart = index as u32;
        let (unit, probes) = (&mut self.units[index], &mut self.world.probes);
        let here = Some((unit.hart.pc, unit.hart.instret));
        // An instruction at a stop may wait several times.
        let looked_at = std::mem::replace(&mut unit.looked_at, here) == here;
        if let Some(hit) = probes.hit.take() {
            return Some(End::Watch { hart, hit });
        }
        if probes.step == Some(hart) && pause != Pause::Waiting {
            return Some(End::Step { hart });
        }
        let stop = !looked_at && probes.stops.contains(&unit.hart.pc);
        stop.then_some(End::Stop { hart })
    }

    /// From now on each access is reported to the observer. `None`: to nobody.
    pub fn observe(&mut self, observer: Option<Box<dyn Observer>>) {
        self.world.probes.set_observer(observer);
        for unit in &mut self.units {
            unit.core.pages.clear();
            unit.core.code.forget();
            unit.core.last_reported = LastReported::default();
        }
    }
}
