// SPDX-License-Identifier: Apache-2.0
//! Tasks that migrate. The order of events of two cores within a tick is unknown. If a task arrives
//! at a core before its departure has been read, the events of that core are held back until the
//! departure is read.

use std::collections::VecDeque;

use takt_record::Event;

use super::{Checker, EventOrigin, PATIENCE};

#[derive(Debug, Default)]
pub struct Migrations {
    /// For each core, the events that are held back: an early arrival and those after it.
    held: Vec<VecDeque<(EventOrigin, Event)>>,
    /// Whether events are lost, so that departures may be missing.
    pub lost: bool,
}

impl Migrations {
    pub fn new(cores: usize) -> Migrations {
        Migrations { held: vec![VecDeque::new(); cores], lost: false }
    }
}

impl Checker {
    /// Checks an event, or holds it back. The events of a core come in their order.
    pub(super) fn next(&mut self, at: EventOrigin, event: Event) {
        let held = &mut self.migrations.held[at.core];
        if held.is_empty() && !self.is_early(at, event) {
            return self.event(at, event);
        }
        self.migrations.held[at.core].push_back((at, event));
        let (first, _) = self.migrations.held[at.core][0];
        if first.ticks + PATIENCE < at.ticks {
            self.findings.add(first, "core", "it arrives, but no core has let it go");
            self.force_arrival(at.core);
        }
    }

    fn is_early(&self, at: EventOrigin, event: Event) -> bool {
        let task = usize::from(at.task).checked_sub(1).and_then(|index| self.tasks.get(index));
        let waits = |core: usize| core != at.core;
        event == Event::Arrive
            && !self.migrations.lost
            && task.is_some_and(|task| task.in_transit.is_none() && waits(task.core))
    }

    pub(super) fn migrate(&mut self, at: EventOrigin, to: u32) {
        let to = to as usize;
        if to >= self.cores.len() || to == at.core {
            return self.findings.add(at, "core", "it leaves for no other core");
        }
        let core = &mut self.cores[at.core];
        core.remove(at.task);
        core.running = core.running.filter(|task| *task != at.task);
        let task = &mut self.tasks[usize::from(at.task) - 1];
        (task.core, task.in_transit) = (usize::MAX, Some((to, at)));
        self.check_held_back(to);
    }

    pub(super) fn arrive(&mut self, at: EventOrigin) {
        let lost = self.migrations.lost;
        let Some(task) = self.tasks.get_mut(usize::from(at.task).wrapping_sub(1)) else { return };
        let in_transit = task.in_transit.take().map(|(to, _)| to);
        task.core = at.core;
        if in_transit != Some(at.core) && !lost {
            self.findings.add(at, "core", "it arrives, but not where it was sent");
        }
        self.settle(at);
    }

    /// Checks the events that were held back at a core, up to the next early arrival.
    fn check_held_back(&mut self, core: usize) {
        while let Some((at, event)) = self.migrations.held[core].front().copied() {
            if self.is_early(at, event) {
                return;
            }
            self.migrations.held[core].pop_front();
            self.event(at, event);
        }
    }

    fn force_arrival(&mut self, core: usize) {
        if let Some((at, _)) = self.migrations.held[core].pop_front() {
            self.tasks[usize::from(at.task) - 1].in_transit = Some((core, at));
            self.arrive(at);
            self.check_held_back(core);
        }
    }

    /// Checks what is left at the end of the run, whose time is `ticks`.
    pub(super) fn finish_migrations(&mut self, ticks: u64) {
        for core in 0..self.migrations.held.len() {
            while let Some((at, _)) = self.migrations.held[core].front().copied() {
                self.findings.add(at, "core", "it arrives, but no core has let it go");
                self.force_arrival(core);
            }
        }
        for (id, task) in (1_u16..).zip(&self.tasks) {
            let Some((core, left)) = task.in_transit.filter(|_| !self.migrations.lost) else {
                continue;
            };
            if left.ticks + PATIENCE < ticks {
                let at = EventOrigin { core, task: id, ..left };
                self.findings.add(at, "request", "it is sent to this core, and never arrives");
            }
        }
    }
}
