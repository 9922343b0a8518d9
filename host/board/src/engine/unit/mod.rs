// SPDX-License-Identifier: Apache-2.0
//! A hart and its core: how it executes instructions, and what it does when it waits, sleeps or goes on.

mod arrivals;
mod reset;
mod speculation;
mod spin;

use super::{
    view::{CoreView, HartView, TIMED},
    world::World,
};
use crate::{
    devices::Tick,
    isa::{self, Hart, Lines, Pause},
    memory::core::Core,
};
use serde::{Deserialize, Serialize};
use speculation::Speculation;
use spin::Spin;
use takt_model::Timing;

#[derive(Clone, Serialize, Deserialize)]
pub struct Unit {
    pub hart: Hart,
    pub core: Core,
    /// When its next instruction begins.
    pub clock: Tick,
    pub state: UnitState,
    /// Where it leaves reset, as soon as nothing that it sent before is on its way.
    pub(super) start: Option<u64>,
    /// When its own timer rings.
    pub timer: Tick,
    /// When its counters of cycles and instructions are looked at for an overflow.
    pub(super) poll: Tick,
    /// When its latest instruction began: nothing may reach it before.
    pub(super) began: Tick,
    /// The pc and the instructions so far where a debugger's stop was looked for last.
    #[serde(skip)]
    pub(super) looked_at: Option<(u64, u64)>,
    #[serde(skip)]
    pub(super) spin: Spin,
    #[serde(skip)]
    speculation: Speculation,
    /// Functional mode: in its latest turn it did nothing but go round.
    #[serde(skip)]
    pub(super) went_round: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnitState {
    Running,
    Waiting,
    /// In WFI.
    Idle,
    /// In reset.
    Held,
}

/// Armed counters of cycles and instructions are looked at each so many cycles: no interrupt of theirs is later.
const POLLING: Tick = 1000;

impl Unit {
    /// A hart of this number and its core of this index; it stands at the reset vector.
    pub fn new(id: u64, index: usize, timing: &Timing) -> Unit {
        let mut hart = Hart::new(id);
        hart.pc = crate::devices::map::ROM.base;
        Unit {
            hart,
            core: Core::new(index as u32, timing),
            clock: 0,
            state: UnitState::Running,
            start: None,
            timer: Tick::MAX,
            poll: Tick::MAX,
            began: 0,
            looked_at: None,
            spin: Spin::default(),
            speculation: Speculation::default(),
            went_round: false,
        }
    }

    /// Whether it does nothing until something reaches it.
    pub(super) fn sleeps(&self) -> bool {
        match self.state {
            UnitState::Idle => !self.hart.wakes(),
            UnitState::Held => true,
            UnitState::Running | UnitState::Waiting => false,
        }
    }

    /// Executes instructions up to the limit.
    pub(super) fn execute<const MODE: u8>(
        &mut self,
        world: &mut World,
        lines: &Lines,
        limit: Tick,
    ) -> Pause {
        let limit = if world.probes.step == Some(self.core.index) { 0 } else { limit };
        self.ring(world, self.clock);
        self.see_overflow(world, lines, self.clock);
        self.core.waits = None;
        world.probes.hit = None;
        let view = CoreView::<MODE>::new(&mut self.core, world, self.clock, limit);
        let mut view = HartView::new(view, lines, self.hart.pc);
        let pause = isa::run(&mut self.hart, &mut view);
        let changed = view.timer_changed;
        (self.clock, self.began) = (view.view.clock, view.view.began);
        if pause == Pause::Waiting {
            // What it touches it will touch when it is complete.
            world.probes.hit = None;
            if self.core.waits.is_none() {
                // It stands before an instruction that it has not begun.
                self.hart.waiting = false;
            }
        }
        if changed {
            self.hart.timer_due(world.time(self.clock));
            self.set_timer(world);
            self.poll = next_poll(&self.hart, self.clock);
        }
        pause
    }

    /// Raises the interrupt of the hart's own timer, if its time has come.
    pub(super) fn ring(&mut self, world: &World, now: Tick) {
        if self.timer <= now {
            self.hart.timer_due(world.time(now));
            self.set_timer(world);
        }
    }

    /// Raises the interrupt of counters that have wrapped around, if the hart can see it by now.
    #[inline(always)]
    fn see_overflow(&mut self, world: &mut World, lines: &Lines, now: Tick) {
        if self.poll.min(self.core.overflow) > now {
            return;
        }
        let view = CoreView::<TIMED>::new(&mut self.core, world, now, 0);
        self.hart.settle_counters(&HartView::new(view, lines, self.hart.pc));
        self.core.overflow = Tick::MAX;
        self.core.overflows = self.hart.overflow_counts();
        self.poll = next_poll(&self.hart, now);
    }

    /// The hart's own timer rings at the tick that its CSRs say.
    pub(super) fn set_timer(&mut self, world: &World) {
        self.timer = self.hart.next_timer().map_or(Tick::MAX, |time| world.tick_of(time));
    }

    /// When it must be executed though nothing reaches it: for its timer, or for its counters.
    pub(super) fn rises(&self) -> Tick {
        self.timer.min(self.poll).min(self.core.overflow)
    }

    /// Empties the TLBs. The hart stands before an instruction.
    pub fn empty_tlbs(&mut self) {
        self.core.itlb.fence(None, None);
        self.core.dtlb.fence(None, None);
        self.forget_fast();
        self.spin.disturb();
    }

    /// Forgets what finds pages and lines quickly on the host, which costs no modelled time.
    pub(super) fn forget_fast(&mut self) {
        self.core.pages.clear();
        self.core.code.forget();
    }
}

fn next_poll(hart: &Hart, clock: Tick) -> Tick {
    if hart.polls_counters() { (clock / POLLING + 1) * POLLING } else { Tick::MAX }
}
