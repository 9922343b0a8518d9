// SPDX-License-Identifier: Apache-2.0
//! Tasks that change cores. What two cores wrote within a tick may be told in either order: the
//! events of a core where a task arrives that has not been told to leave yet wait for that.

use std::collections::VecDeque;

use takt_record::Event;

use super::{At, Checker, PATIENCE};

#[derive(Debug, Default)]
pub struct Moves {
    /// Of each core: what is to be told after an arrival that is told too early.
    held: Vec<VecDeque<(At, Event)>>,
    /// Events are missing: departures may be among them.
    pub lost: bool,
}

impl Moves {
    pub fn new(cores: usize) -> Moves {
        Moves { held: vec![VecDeque::new(); cores], lost: false }
    }
}

impl Checker {
    /// An event of a run, in the order of its core's others.
    pub(super) fn next(&mut self, at: At, event: Event) {
        let held = &mut self.moves.held[at.core];
        if held.is_empty() && !self.is_early(at, event) {
            return self.event(at, event);
        }
        self.moves.held[at.core].push_back((at, event));
        let (first, _) = self.moves.held[at.core][0];
        if first.ticks + PATIENCE < at.ticks {
            self.found.add(first, "core", "it arrives, but no core has let it go");
            self.arrive_anyhow(at.core);
        }
    }

    fn is_early(&self, at: At, event: Event) -> bool {
        let task = usize::from(at.task).checked_sub(1).and_then(|index| self.tasks.get(index));
        let waits = |core: usize| core != at.core;
        event == Event::Arrive
            && !self.moves.lost
            && task.is_some_and(|task| task.going.is_none() && waits(task.core))
    }

    pub(super) fn migrate(&mut self, at: At, to: u32) {
        let to = to as usize;
        if to >= self.cores.len() || to == at.core {
            return self.found.add(at, "core", "it leaves for no other core");
        }
        let core = &mut self.cores[at.core];
        core.remove(at.task);
        core.running = core.running.filter(|task| *task != at.task);
        let task = &mut self.tasks[usize::from(at.task) - 1];
        (task.core, task.going) = (usize::MAX, Some((to, at)));
        self.go_on(to);
    }

    pub(super) fn arrive(&mut self, at: At) {
        let lost = self.moves.lost;
        let Some(task) = self.tasks.get_mut(usize::from(at.task).wrapping_sub(1)) else { return };
        let going = task.going.take().map(|(to, _)| to);
        task.core = at.core;
        if going != Some(at.core) && !lost {
            self.found.add(at, "core", "it arrives, but not where it was sent");
        }
        self.settle(at);
    }

    /// What was held at a core, up to the next arrival that is early.
    fn go_on(&mut self, core: usize) {
        while let Some((at, event)) = self.moves.held[core].front().copied() {
            if self.is_early(at, event) {
                return;
            }
            self.moves.held[core].pop_front();
            self.event(at, event);
        }
    }

    fn arrive_anyhow(&mut self, core: usize) {
        if let Some((at, _)) = self.moves.held[core].pop_front() {
            self.tasks[usize::from(at.task) - 1].going = Some((core, at));
            self.arrive(at);
            self.go_on(core);
        }
    }

    /// At the end, `ticks`, nothing more is told.
    pub(super) fn no_more_moves(&mut self, ticks: u64) {
        for core in 0..self.moves.held.len() {
            while let Some((at, _)) = self.moves.held[core].front().copied() {
                self.found.add(at, "core", "it arrives, but no core has let it go");
                self.arrive_anyhow(core);
            }
        }
        for (id, task) in (1_u16..).zip(&self.tasks) {
            let Some((core, left)) = task.going.filter(|_| !self.moves.lost) else { continue };
            if left.ticks + PATIENCE < ticks {
                let at = At { core, task: id, ..left };
                self.found.add(at, "request", "it is sent to this core, and never arrives");
            }
        }
    }
}
