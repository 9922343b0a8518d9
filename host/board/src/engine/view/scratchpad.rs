// SPDX-License-Identifier: Apache-2.0
//! Loads, stores and atomics of scratchpads: the core's own at once, another's by a message.

use super::{Result, TIMED, View};
use crate::{
    engine::event::{Act, Remote},
    memory::{core::WaitFor, scratchpad::Scratchpad},
};

impl<const MODE: u8> View<'_, MODE> {
    /// Bytes that lie aligned in the scratchpad, at an offset of the array. Answers what they were.
    #[inline(never)]
    pub(super) fn scratchpad(
        &mut self,
        pad: Scratchpad,
        offset: u64,
        bytes: u8,
        act: Act,
    ) -> Result<u64> {
        if MODE != TIMED {
            return Ok(self.world.perform_act(offset, bytes, act));
        }
        if pad.core != self.core.index {
            return self.others_scratchpad(pad, offset, bytes, act);
        }
        match act {
            // Others may see in which order it was done.
            Act::Write(_) if pad.shared && self.core.figures.drains_in_order => self.drained()?,
            Act::Write(_) => {}
            Act::Atomic(..) => self.drained()?,
            Act::Read => {}
        }
        if !matches!(act, Act::Write(_)) {
            self.clock += pad.latency - 1;
        }
        Ok(self.world.perform_act(offset, bytes, act))
    }

    fn others_scratchpad(
        &mut self,
        pad: Scratchpad,
        offset: u64,
        bytes: u8,
        act: Act,
    ) -> Result<u64> {
        let posted = matches!(act, Act::Write(_));
        if let (false, Some(answer)) = (posted, self.core.answer.take()) {
            return Ok(answer.unwrap_or_default());
        }
        self.drained()?;
        let Scratchpad { core, latency, .. } = pad;
        let from = self.core.index;
        let (class, what) = Remote { from, core, offset, bytes, act, latency }.event();
        self.core.requests += 1;
        let jitter = self.world.jitter(from, self.core.requests);
        self.push((self.clock + jitter).max(self.began + 1), class, what);
        if posted {
            self.core.posted = true;
            return Ok(0);
        }
        self.wait(WaitFor::Answer)
    }
}
