// SPDX-License-Identifier: Apache-2.0
//! How a hart executes beyond what is certain, and how that is taken back.
//!
//! `docs/design/board.md`, "Beyond what is certain", argues why this changes nothing.

use super::{Unit, UnitState};
use crate::{
    devices::Tick,
    engine::{
        view::{BEYOND, CoreView, HartView, TIMED},
        world::World,
    },
    isa::{self, Hart, Lines, Pause},
};

/// The farthest that a hart goes.
const MOST: Tick = 2048;
/// A shorter way is not worth the copy of the hart.
const LEAST: Tick = 64;

/// Where a hart stood when what it did next was not certain yet, and how far it goes the next time.
#[derive(Clone)]
pub(super) struct Beyond {
    before: Option<Box<Before>>,
    /// In cycles: longer each time that it went so far, and much shorter when it had gone in vain.
    reach: Tick,
}

#[derive(Clone)]
struct Before {
    hart: Hart,
    clock: Tick,
    began: Tick,
    /// It went beyond this point.
    open: bool,
}

impl Default for Beyond {
    fn default() -> Beyond {
        Beyond { before: None, reach: LEAST }
    }
}

impl Beyond {
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
    pub(in crate::engine) fn go_beyond(&mut self, world: &mut World, lines: &Lines, limit: Tick) {
        if self.beyond.reach < LEAST {
            self.beyond.went_far();
            return;
        }
        let limit = limit.min(self.clock + self.beyond.reach);
        // What it waits for arrives soon.
        let awaits = !self.core.misses.is_empty() || !self.core.stores.is_empty();
        if limit <= self.clock || awaits || self.hart.interrupt().is_some() {
            return;
        }
        let (clock, began) = (self.clock, self.began);
        match &mut self.beyond.before {
            Some(before) => {
                before.hart.clone_from(&self.hart);
                (before.clock, before.began, before.open) = (clock, began, true);
            }
            none => {
                *none = Some(Box::new(Before { hart: self.hart.clone(), clock, began, open: true }))
            }
        }
        self.core.undo.clear();
        let view = CoreView::<BEYOND>::new(&mut self.core, world, clock, limit);
        let mut view = HartView::new(view, lines, self.hart.pc);
        view.completed = began;
        let pause = isa::run(&mut self.hart, &mut view);
        let (next, latest, completed) = (view.view.clock, view.view.began, view.completed);
        if pause == Pause::Paused {
            (self.clock, self.began) = (next, latest);
            self.beyond.went_far();
        } else {
            // It stands before an instruction that has not begun.
            (self.clock, self.began) = (latest, completed);
            self.core.take_back_fetches(latest);
            if latest - clock < LEAST / 2 {
                self.beyond.went_in_vain();
            }
        }
    }

    /// All that the hart has executed so far is certain.
    pub(in crate::engine) fn confirm(&mut self) {
        if let Some(before) = &mut self.beyond.before {
            before.open = false;
        }
    }

    /// Something reaches the hart now: no instruction that began now or later has been executed. Answers whether the hart
    /// stands elsewhere than before.
    pub(in crate::engine) fn take_back(
        &mut self,
        world: &mut World,
        lines: &Lines,
        now: Tick,
    ) -> bool {
        let Some(before) = self.beyond.before.as_mut().filter(|before| before.open) else {
            return false;
        };
        before.open = false;
        // Each instruction takes a cycle at least.
        if self.clock <= now {
            return false;
        }
        self.hart.clone_from(&before.hart);
        (self.clock, self.began) = (before.clock, before.began);
        self.core.take_back(&mut world.fabric.ram);
        self.beyond.went_in_vain();
        if self.clock < now {
            let pause = self.execute::<TIMED>(world, lines, now);
            debug_assert_eq!(pause, Pause::Paused, "hart {} hits again", self.core.index);
        }
        debug_assert_eq!(self.state, UnitState::Running);
        true
    }
}
