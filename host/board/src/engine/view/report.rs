// SPDX-License-Identifier: Apache-2.0
//! Reports of a hart's accesses to an observer, if there is one.

use super::{HartView, Target};
use crate::{
    engine::probes::observe::{Access, Kind, Location, PLAIN},
    isa::{Hart, Ordering},
    memory::LINE,
};

impl<const MODE: u8> HartView<'_, MODE> {
    /// Reports a complete access that has no order of its own.
    #[inline(always)]
    pub(super) fn report_access(
        &mut self,
        hart: &Hart,
        kind: Kind,
        address: u64,
        bytes: u64,
        target: Target,
        value: u64,
    ) {
        if self.view.world.probes.observed() {
            self.report_all(hart, (kind, PLAIN), address, bytes, self.location(target), value);
        }
    }

    /// Reports a complete access of an atomic instruction.
    #[inline(always)]
    pub(super) fn report_ordered(
        &mut self,
        hart: &Hart,
        ordered: (Kind, Ordering),
        address: u64,
        bytes: usize,
        target: Target,
        value: u64,
    ) {
        if self.view.world.probes.observed() {
            self.report_all(hart, ordered, address, bytes as u64, self.location(target), value);
        }
    }

    /// Reports a fence that has nothing left to wait for.
    #[inline(always)]
    pub(super) fn report_fence(&mut self, hart: &Hart, kind: Kind) {
        if self.view.world.probes.observed() {
            self.report_all(hart, (kind, PLAIN), 0, 0, Location::Nowhere, 0);
        }
    }

    /// Reports the fetch of the line at `pc`, which is that of the instruction or the next one, once.
    pub(super) fn report_fetch(&mut self, hart: &Hart, pc: u64, target: Target) {
        if !self.view.world.probes.observed() {
            return;
        }
        let told = &mut self.view.core.last_reported;
        let new = if pc == hart.pc {
            told.line.replace(pc / LINE) != Some(pc / LINE)
        } else {
            let crossing = (hart.pc, hart.instret);
            told.crossing.replace(crossing) != Some(crossing)
        };
        if new {
            let location = self.location(target);
            self.report_all(hart, (Kind::Fetch, PLAIN), pc, LINE - pc % LINE, location, 0);
        }
    }

    #[inline(never)]
    fn report_all(
        &mut self,
        hart: &Hart,
        (kind, Ordering { acquire, release }): (Kind, Ordering),
        address: u64,
        bytes: u64,
        location: Location,
        value: u64,
    ) {
        let (time, initiator, bytes) = (self.view.began, self.view.core.index, bytes as u32);
        let pc = hart.pc;
        self.view.world.probes.report_access(Access {
            time,
            initiator,
            pc,
            address,
            bytes,
            kind,
            location,
            acquire,
            release,
            value,
        });
    }

    fn location(&self, target: Target) -> Location {
        match target {
            Target::Ram(offset) | Target::Uncached(offset) => {
                Location::Memory(self.view.world.fabric.ram.address(offset))
            }
            Target::Scratchpad(pad, offset) => {
                Location::Scratchpad { core: pad.core, offset: offset - pad.offset }
            }
            Target::Device(physical) => Location::Device(physical),
        }
    }
}
