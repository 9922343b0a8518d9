// SPDX-License-Identifier: Apache-2.0
//! A hart speculates: it executes before it is certain that nothing reaches it, and is rolled back if something does.
//!
//! `docs/design/board.md`, "Speculation", argues why this changes nothing.

use super::{Unit, UnitState};
use crate::{
    devices::Tick,
    engine::{
        view::{CoreView, HartView, SPECULATIVE, TIMED},
        world::World,
    },
    isa::{self, Hart, Lines, Pause},
};

/// The farthest that a hart goes.
const MOST: Tick = 2048;
/// A shorter way is not worth the copy of the hart.
const LEAST: Tick = 64;

/// The state of a hart's speculation.
#[derive(Clone)]
pub(super) struct Speculation {
    checkpoint: Option<Box<Checkpoint>>,
    /// The cycles that it goes the next time: more each time that it went so far, and much fewer when it had gone in vain.
    reach: Tick,
}

#[derive(Clone)]
struct Checkpoint {
    hart: Hart,
    clock: Tick,
    began: Tick,
    /// The hart has executed something since, and it may have to be rolled back.
    open: bool,
}

impl Default for Speculation {
    fn default() -> Speculation {
        Speculation { checkpoint: None, reach: LEAST }
    }
}

impl Speculation {
    fn went_far(&mut self) {
        self.reach = (2 * self.reach).min(MOST);
    }

    fn went_in_vain(&mut self) {
        self.reach = (self.reach / 8).max(1);
    }
}

impl Unit {
    /// Executes what hits at once and begins before the limit, though something may still reach the hart before. The hart
    /// has just paused.
    pub(in crate::engine) fn speculate(&mut self, world: &mut World, lines: &Lines, limit: Tick) {
        if self.speculation.reach < LEAST {
            self.speculation.went_far();
            return;
        }
        let limit = limit.min(self.clock + self.speculation.reach);
        // The line or the answer that it waits for arrives soon.
        let awaits = !self.core.misses.is_empty() || !self.core.stores.is_empty();
        if limit <= self.clock || awaits || self.hart.interrupt().is_some() {
            return;
        }
        let (clock, began) = (self.clock, self.began);
        match &mut self.speculation.checkpoint {
            Some(before) => {
                before.hart.clone_from(&self.hart);
                (before.clock, before.began, before.open) = (clock, began, true);
            }
            none => {
                *none =
                    Some(Box::new(Checkpoint { hart: self.hart.clone(), clock, began, open: true }))
            }
        }
        self.core.undo.clear();
        let view = CoreView::<SPECULATIVE>::new(&mut self.core, world, clock, limit);
        let mut view = HartView::new(view, lines, self.hart.pc);
        view.completed = began;
        let pause = isa::run(&mut self.hart, &mut view);
        let (next, latest, completed) = (view.view.clock, view.view.began, view.completed);
        if pause == Pause::Paused {
            (self.clock, self.began) = (next, latest);
            self.speculation.went_far();
        } else {
            // It stands before an instruction that has not begun.
            (self.clock, self.began) = (latest, completed);
            self.core.roll_back_fetches(latest);
            if latest - clock < LEAST / 2 {
                self.speculation.went_in_vain();
            }
        }
    }

    /// All that the hart has executed so far is certain.
    pub(in crate::engine) fn confirm(&mut self) {
        if let Some(before) = &mut self.speculation.checkpoint {
            before.open = false;
        }
    }

    /// Something reaches the hart now: no instruction that began now or later has been executed. Answers whether the hart
    /// stands elsewhere than before.
    pub(in crate::engine) fn roll_back(
        &mut self,
        world: &mut World,
        lines: &Lines,
        now: Tick,
    ) -> bool {
        let Some(before) = self.speculation.checkpoint.as_mut().filter(|before| before.open) else {
            return false;
        };
        before.open = false;
        // Each instruction takes a cycle at least.
        if self.clock <= now {
            return false;
        }
        self.hart.clone_from(&before.hart);
        (self.clock, self.began) = (before.clock, before.began);
        self.core.roll_back(&mut world.fabric.ram);
        self.speculation.went_in_vain();
        if self.clock < now {
            let pause = self.execute::<TIMED>(world, lines, now);
            debug_assert_eq!(pause, Pause::Paused, "hart {} hits again", self.core.index);
        }
        debug_assert_eq!(self.state, UnitState::Running);
        true
    }
}
