// SPDX-License-Identifier: Apache-2.0
//! The right to read or write a line: hits in the core's own caches, and requests for all others.

use super::{CoreView, FUNCTIONAL, Result, WARMING};
use crate::{
    devices::Tick,
    engine::world::World,
    isa::CounterEvent,
    memory::{
        LINE,
        core::{Miss, WaitFor},
        request::{Purpose, RequestKind},
        tags::State,
    },
};

impl<const MODE: u8> CoreView<'_, MODE> {
    /// The core may read (or write) the line now, or waits for it.
    #[inline(always)]
    pub(super) fn line_ready(&mut self, line: u64, write: bool) -> Result<()> {
        match MODE {
            FUNCTIONAL => Ok(()),
            WARMING => {
                self.warm(line, write);
                Ok(())
            }
            _ => {
                let at_once = if write {
                    self.core.l1d.writes_at_once(line)
                } else {
                    self.core.l1d.reads_at_once(line)
                };
                if at_once {
                    self.clock += self.core.figures.l1d;
                    return Ok(());
                }
                self.line_ready_slowly(line, write)
            }
        }
    }

    #[inline(never)]
    pub(super) fn warm(&mut self, line: u64, write: bool) {
        if self.hit(line, write).is_none() && self.warm_miss(line, write) {
            // The machine recalls the others' copies before anyone goes on.
            self.limit = 0;
        }
    }

    /// Tags and directory give the line to the core; answers whether other cores must give up or share their copies.
    fn warm_miss(&mut self, line: u64, write: bool) -> bool {
        let World { coherence, fabric, .. } = &mut *self.world;
        coherence.warm(fabric, self.core, line, write)
    }

    #[inline(never)]
    pub(super) fn line_ready_slowly(&mut self, line: u64, write: bool) -> Result<()> {
        if let Some(cost) = self.hit(line, write) {
            self.clock += cost;
            return Ok(());
        }
        self.ask(line, write);
        self.wait(WaitFor::Line(line))
    }

    /// Sends for the line, unless it is on its way.
    pub(super) fn ask(&mut self, line: u64, write: bool) {
        if self.core.missing(line) {
            return;
        }
        self.count(CounterEvent::L1dMiss);
        self.count_l2_miss();
        let holds = self.core.state(line) == State::Shared;
        let kind =
            if write { RequestKind::Own { holds } } else { RequestKind::Share(Purpose::Data) };
        let lookup = self.core.figures.lookup();
        let since = self.request(lookup, line, kind);
        self.core.misses.push(Miss { line, write, ahead: false, since });
        if !write {
            self.prefetch(line, lookup);
        }
    }

    /// Where a cluster's cache is the L2, it says whether it had the line.
    pub(super) fn count_l2_miss(&mut self) {
        if self.core.l2.is_some() || !self.world.coherence.clustered() {
            self.count(CounterEvent::L2Miss);
        }
    }

    /// A miss on the line behind the latest one is a stream: the lines ahead are asked for too.
    pub(super) fn prefetch(&mut self, line: u64, lookup: Tick) {
        let streams = self.core.stream == line;
        self.core.stream = line + 1;
        if !streams {
            return;
        }
        for ahead in line + 1..=line + self.core.figures.prefetch {
            let same_page = ahead * LINE / 4096 == line * LINE / 4096;
            if same_page
                && !self.core.missing(ahead)
                && self.core.state(ahead) == State::Invalid
                && self.core.may_prefetch()
            {
                let since = self.request(lookup, ahead, RequestKind::Share(Purpose::Ahead));
                self.core.misses.push(Miss { line: ahead, write: false, ahead: true, since });
                self.core.stream = ahead + 1;
            }
        }
    }
}
