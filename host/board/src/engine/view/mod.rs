// SPDX-License-Identifier: Apache-2.0
//! The machine as one core sees it ([`CoreView`]), and as its hart does while it runs ([`HartView`]), in each mode.

mod access;
mod atomics;
mod fetch;
mod lines;
mod port;
mod report;
mod scratchpad;
mod send;
mod stores;
mod translate;
mod uncached;

use super::world::World;
use crate::{
    devices::Tick,
    isa::{CounterEvent, Exception, Lines, Stop},
    memory::{Scratchpad, core::Core},
};

/// Memory is RAM, at once; nothing is modelled but translation.
pub const FUNCTIONAL: u8 = 0;
/// Memory is RAM, at once; tags, directory and TLBs follow each access.
pub const WARMING: u8 = 1;
pub const TIMED: u8 = 2;
/// A hart executes as in timed mode, but only what hits at once, and all of it can be taken back.
pub const SPECULATIVE: u8 = 3;

/// What a core does with physical memory: it finds lines in its caches, asks for others, and performs the stores of its
/// buffer, also while its hart waits.
pub struct CoreView<'a, const MODE: u8> {
    pub core: &'a mut Core,
    pub world: &'a mut World,
    /// When the present instruction began, plus what it was charged so far.
    pub clock: Tick,
    /// No instruction begins here or later.
    pub limit: Tick,
    /// When the present instruction began.
    pub began: Tick,
}

/// What a hart's instructions meet, at virtual addresses: the port of [`crate::isa`].
pub struct HartView<'a, const MODE: u8> {
    pub view: CoreView<'a, MODE>,
    lines: &'a Lines,
    /// What the hart's timer must look at has changed.
    pub timer_changed: bool,
    /// The pc at which the hart begins now, where no debugger's stop holds it.
    start: u64,
    /// When the latest complete instruction began, if the hart speculates.
    pub completed: Tick,
}

type Result<T> = std::result::Result<T, Stop>;

fn fault(cause: u64, tval: u64) -> Stop {
    Stop::Trap(Exception { cause, tval })
}

/// Where a physical address leads.
#[derive(Clone, Copy)]
enum Target {
    Ram(u64),
    /// RAM that no cache keeps.
    Uncached(u64),
    /// With the offset of the bytes.
    Scratchpad(Scratchpad, u64),
    Device(u64),
}

impl<'a, const MODE: u8> CoreView<'a, MODE> {
    /// A view from `now` on; no instruction begins at `limit` or later.
    pub fn new(core: &'a mut Core, world: &'a mut World, now: Tick, limit: Tick) -> Self {
        CoreView { core, world, clock: now, limit, began: now }
    }

    /// Counts an event of the present instruction.
    fn count(&mut self, event: CounterEvent) {
        self.core.count(self.clock, event);
        self.limit = self.limit.min(self.core.overflow);
    }

    /// [`Core::hit`] of the present instruction.
    fn hit(&mut self, line: u64, write: bool) -> Option<Tick> {
        let cost = self.core.hit(self.clock, line, write);
        self.limit = self.limit.min(self.core.overflow);
        cost
    }
}

impl<'a, const MODE: u8> HartView<'a, MODE> {
    /// A speculating hart waits before whatever is not done at once.
    #[inline(always)]
    fn only_at_once(&self) -> Result<()> {
        if MODE == SPECULATIVE { Err(Stop::Wait) } else { Ok(()) }
    }

    /// The view of a hart that begins at the pc `start`.
    pub fn new(view: CoreView<'a, MODE>, lines: &'a Lines, start: u64) -> Self {
        let completed = view.began;
        HartView { view, lines, timer_changed: false, start, completed }
    }
}
