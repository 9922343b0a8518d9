// SPDX-License-Identifier: Apache-2.0
//! Loads, stores and atomics of scratchpads: the core's own at once, another's by a message.

use super::{CoreView, Result, TIMED};
use crate::{
    engine::event::{AccessOp, Class, Event, ScratchpadAccess},
    memory::{core::WaitFor, scratchpad::Scratchpad},
};

impl<const MODE: u8> CoreView<'_, MODE> {
    /// Bytes that lie aligned in the scratchpad, at an offset of the array. Answers what they were.
    #[inline(never)]
    pub(super) fn scratchpad(
        &mut self,
        pad: Scratchpad,
        offset: u64,
        bytes: u8,
        op: AccessOp,
    ) -> Result<u64> {
        if MODE != TIMED {
            return Ok(self.world.fabric.perform(offset, bytes, op));
        }
        if pad.core != self.core.index {
            return self.others_scratchpad(pad, offset, bytes, op);
        }
        match op {
            // Others may see in which order it was done.
            AccessOp::Write(_)
                if self.core.stores.fenced || pad.shared && self.core.figures.drains_in_order =>
            {
                self.drained()?
            }
            AccessOp::Write(_) => {}
            AccessOp::Atomic(..) => self.drained()?,
            AccessOp::Read => {}
        }
        if !matches!(op, AccessOp::Write(_)) {
            self.clock += pad.latency - 1;
        }
        Ok(self.world.fabric.perform(offset, bytes, op))
    }

    fn others_scratchpad(
        &mut self,
        pad: Scratchpad,
        offset: u64,
        bytes: u8,
        op: AccessOp,
    ) -> Result<u64> {
        let posted = matches!(op, AccessOp::Write(_));
        if let (false, Some(answer)) = (posted, self.core.answer.take()) {
            return Ok(answer.unwrap_or_default());
        }
        let Scratchpad { core, latency, .. } = pad;
        let from = self.core.index;
        self.in_turn(self.world.fabric.crosses(from, core))?;
        let access = ScratchpadAccess { from, core, offset, bytes, op, latency };
        self.core.requests += 1;
        let jitter = self.world.fabric.jitter.delay(from, self.core.requests);
        let tick = self.departs(self.clock + jitter);
        self.push(tick, Class::Request, Event::ScratchpadAccess(access));
        if posted {
            self.core.posted += 1;
            return Ok(0);
        }
        self.wait(WaitFor::Answer)
    }
}
