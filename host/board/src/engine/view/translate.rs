// SPDX-License-Identifier: Apache-2.0
//! From a virtual address to RAM or a device: TLBs, walks, PMP.

use super::{FUNCTIONAL, HartView, Result, TIMED, Target, fault};
use crate::{
    engine::probes::{observe::Kind, watch::Hit},
    isa::{self, Access, CounterEvent, Hart, Privilege, Walk, WalkStep, pmp_permits},
};

impl<const MODE: u8> HartView<'_, MODE> {
    pub(super) fn physical(
        &mut self,
        hart: &mut Hart,
        address: u64,
        access: Access,
    ) -> Result<u64> {
        let translation = hart.translation(access);
        if !translation.sv39 {
            return Ok(address);
        }
        if MODE == FUNCTIONAL {
            // Each walk is new, and what it finds is kept in the table of pages only.
            return self.walk(hart, address, access).map(|mapping| mapping.physical(address));
        }
        let asid = translation.asid;
        let tlb = if access == Access::Fetch { &self.view.core.itlb } else { &self.view.core.dtlb };
        if let Some(mapping) = tlb.find(address, asid) {
            if mapping.permits(translation, access) && isa::is_canonical(address) {
                return Ok(mapping.physical(address));
            }
        }
        let mapping = self.walk(hart, address, access)?;
        let physical = mapping.physical(address);
        let tlb = if access == Access::Fetch {
            &mut self.view.core.itlb
        } else {
            &mut self.view.core.dtlb
        };
        tlb.insert(asid, address, mapping);
        self.view.count(CounterEvent::TlbMiss);
        // The table of pages and that of lines hold nothing that the TLBs do not.
        if access == Access::Fetch {
            self.view.core.code.forget()
        } else {
            self.view.core.pages.clear()
        }
        Ok(physical)
    }

    /// Walks the page table; a walk that waited for a line goes on where it was.
    pub(super) fn walk(
        &mut self,
        hart: &mut Hart,
        address: u64,
        access: Access,
    ) -> Result<isa::Mapping> {
        let page = address >> 12;
        let mut walk = match self.view.core.walk.take() {
            Some((at, event, walk)) if at == page && event == access => walk,
            _ => Walk::begin(hart.translation(access), address, access),
        };
        loop {
            let at = walk.address();
            let offset = self.view.world.map.memory(self.view.core.index, at, 8);
            let permitted = pmp_permits(hart, at, 8, Access::Load, Privilege::Supervisor);
            let Some(offset) = offset.filter(|_| permitted) else {
                return Err(fault(access.access_fault(), address));
            };
            self.line_of_walk(offset, false, page, access, &walk)?;
            if MODE == TIMED {
                self.view.clock += self.view.core.figures.level;
            }
            let entry = self.view.world.fabric.ram.read::<8>(offset);
            self.report_access(hart, Kind::Walk, at, 8, Target::Ram(offset), entry);
            let mut step = walk.step(entry);
            if let WalkStep::Update { old, new, .. } = step {
                if !pmp_permits(hart, at, 8, Access::Store, Privilege::Supervisor) {
                    return Err(fault(access.access_fault(), address));
                }
                self.view.fails_in_trial()?;
                self.line_of_walk(offset, true, page, access, &walk)?;
                let unchanged = self.view.world.fabric.ram.read::<8>(offset) == old;
                if unchanged {
                    self.view.world.fabric.ram.write::<8>(offset, new);
                    self.report_access(hart, Kind::WalkUpdate, at, 8, Target::Ram(offset), new);
                }
                step = walk.updated(unchanged);
            }
            match step {
                WalkStep::Leaf(mapping) => return Ok(mapping),
                WalkStep::Fault => return Err(fault(access.page_fault(), address)),
                WalkStep::Next | WalkStep::Update { .. } => {}
            }
        }
    }

    pub(super) fn line_of_walk(
        &mut self,
        offset: u64,
        write: bool,
        page: u64,
        access: Access,
        walk: &Walk,
    ) -> Result<()> {
        let line = self.view.world.fabric.line(offset);
        // The page table's own stores are performed by the sfence.vma that announces them.
        self.view.line_ready(line, write).inspect_err(|_| {
            self.view.core.walk = Some((page, access, *walk));
        })
    }

    /// The target of an access that no page of the fast table serves.
    #[inline(never)]
    pub(super) fn look(
        &mut self,
        hart: &mut Hart,
        address: u64,
        bytes: u64,
        access: Access,
    ) -> Result<Target> {
        let physical = self.physical(hart, address, access)?;
        let privilege = hart.translation(access).privilege;
        if !pmp_permits(hart, physical, bytes, access, privilege) {
            return Err(fault(access.access_fault(), address));
        }
        let me = self.view.core.index;
        let Some(offset) = self.view.world.map.memory(me, physical, bytes) else {
            if let Some(offset) = self.view.world.map.uncached(me, physical, bytes) {
                self.notice(address, offset, bytes, access);
                return Ok(Target::Uncached(offset));
            }
            let Some((pad, offset)) = self.view.world.map.scratchpad(me, physical, bytes) else {
                return Ok(Target::Device(physical));
            };
            self.notice(address, offset, bytes, access);
            return Ok(Target::Scratchpad(pad, offset));
        };
        let page = offset & !4095;
        if access == Access::Store {
            self.view.world.fabric.ram.touch(page);
        }
        if pmp_permits(hart, physical & !4095, 4096, access, privilege)
            && self.view.world.permits_fast(page, access)
        {
            self.view.core.pages.insert(address, page, access == Access::Store);
        }
        self.notice(address, offset, bytes, access);
        Ok(Target::Ram(offset))
    }

    /// Whether someone watches the bytes. If so the hart pauses after the instruction, which costs
    /// nothing; one that waits comes here again.
    pub(super) fn notice(&mut self, address: u64, offset: u64, bytes: u64, access: Access) {
        let watches = &self.view.world.probes.watches;
        if let Some(watch) = watches.iter().find(|watch| watch.sees(offset, bytes, access)) {
            let address = address.wrapping_add(watch.offset.saturating_sub(offset));
            self.view.world.probes.hit = Some(Hit { address, access, watch: *watch });
            self.view.limit = 0;
        }
    }
}
