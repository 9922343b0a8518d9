// SPDX-License-Identifier: Apache-2.0
//! Workers in reset: they execute nothing until they leave it.

use super::{Unit, UnitState};
use crate::{
    devices::Tick,
    engine::event::Message,
    isa::Hart,
    memory::core::{LastReported, WaitFor},
};

impl Unit {
    /// Leaves reset at an entry, or returns to reset.
    pub(in crate::engine) fn run(&mut self, entry: Option<u64>, now: Tick) {
        self.start = entry;
        match entry {
            Some(_) => self.leave_reset(now),
            None => {
                self.state = UnitState::Held;
                self.spin.disturb();
                // What else it may wait for is in its core.
                self.core.waits = self.core.waits.filter(|waits| *waits == WaitFor::Answer);
            }
        }
    }

    /// What the hart was to get before it was held is there.
    pub(super) fn drop_answer(&mut self, now: Tick, message: Message) {
        match message {
            Message::Posted => self.core.post_arrived(),
            _ => self.core.waits = None,
        }
        self.leave_reset(now);
    }

    /// Begins at the entry, if there is one and nothing that the hart sent before is on its way: its answer would be
    /// taken for a later one.
    fn leave_reset(&mut self, now: Tick) {
        if self.core.posted > 0 || self.core.waits.is_some() {
            return;
        }
        let Some(entry) = self.start.take() else { return };
        let instret = self.hart.instret;
        self.hart = Hart { pc: entry, instret, ..Hart::new(self.hart.id) };
        let core = &mut self.core;
        core.code.clear();
        core.itlb.fence(None, None);
        core.dtlb.fence(None, None);
        core.pages.clear();
        (core.walk, core.split, core.answer, core.reservation) = (None, None, None, None);
        core.last_reported = LastReported::default();
        (core.overflow, core.overflows) = (Tick::MAX, self.hart.overflow_counts());
        (self.timer, self.poll) = (Tick::MAX, Tick::MAX);
        self.state = UnitState::Running;
        (self.clock, self.began) = (self.clock.max(now), self.clock.max(now));
    }
}
