// SPDX-License-Identifier: Apache-2.0
//! What a debugger sees and changes of a machine that stands. Looking costs no time and leaves no trace
//! in caches, TLBs or page tables.

use crate::{
    engine::{Machine, UnitState},
    isa::{Access, Hart, Privilege, Walk, WalkStep},
    memory::core::StorePath,
};
use gdbstub_arch::riscv::reg::{RiscvCoreRegs, id::RiscvRegId};

const PAGE: u64 = 4096;

impl Machine {
    /// What the hart is, and what it does.
    pub(super) fn doing(&self, index: usize) -> String {
        let Some(unit) = self.units.get(index) else { return String::new() };
        let mode = match unit.hart.privilege {
            Privilege::User => "U",
            Privilege::Supervisor => "S",
            Privilege::Machine => "M",
        };
        let doing = match (unit.state, unit.core.waits) {
            (UnitState::Running, _) => "runs".to_string(),
            (UnitState::Idle, _) => "sleeps in WFI".to_string(),
            (UnitState::Held, _) => "is held in reset".to_string(),
            (UnitState::Waiting, Some(what)) => format!("waits for {}", what.words()),
            (UnitState::Waiting, None) => "waits".to_string(),
        };
        format!("hart {}, {mode}-mode, {doing}", unit.hart.id)
    }

    pub(super) fn registers(&self, index: usize) -> Option<RiscvCoreRegs<u64>> {
        let hart = &self.units.get(index)?.hart;
        let mut x = [0; 32];
        x.copy_from_slice(&hart.x[..32]);
        Some(RiscvCoreRegs { x, pc: hart.pc })
    }

    pub(super) fn set_registers(&mut self, index: usize, from: &RiscvCoreRegs<u64>) -> Option<()> {
        let hart = self.changeable(index)?;
        hart.x[1..32].copy_from_slice(&from.x[1..]);
        hart.pc = from.pc & !1;
        Some(())
    }

    pub(super) fn register(&mut self, index: usize, register: RiscvRegId<u64>) -> Option<u64> {
        let hart = &self.units.get(index)?.hart;
        match register {
            RiscvRegId::Gpr(number) => hart.x.get(..32)?.get(usize::from(number)).copied(),
            RiscvRegId::Fpr(number) => hart.f.get(usize::from(number)).copied(),
            RiscvRegId::Pc => Some(hart.pc),
            RiscvRegId::Csr(number) => self.csr(index, number.into()),
            RiscvRegId::Priv => Some(hart.privilege as u64),
            _ => None,
        }
    }

    /// A CSR is the hart's own to write: it would have effects.
    pub(super) fn set_register(
        &mut self,
        index: usize,
        register: RiscvRegId<u64>,
        value: u64,
    ) -> Option<()> {
        let hart = self.changeable(index)?;
        match register {
            RiscvRegId::Gpr(0) => {}
            RiscvRegId::Gpr(number) => *hart.x.get_mut(..32)?.get_mut(usize::from(number))? = value,
            RiscvRegId::Fpr(number) => *hart.f.get_mut(usize::from(number))? = value,
            RiscvRegId::Pc => hart.pc = value & !1,
            _ => return None,
        }
        Some(())
    }

    /// A hart that stands between two instructions. One that waits has begun its instruction.
    fn changeable(&mut self, index: usize) -> Option<&mut Hart> {
        let unit = self.units.get_mut(index)?;
        (unit.state != UnitState::Waiting && !unit.hart.waiting).then_some(&mut unit.hart)
    }

    /// Up to `count` bytes of memory as the hart would read them, as far as there are any: with the
    /// stores in its buffer. Registers of devices are not read, since that would change them.
    pub fn examine(&self, index: usize, start: u64, count: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while bytes.len() < count {
            let at = start.wrapping_add(bytes.len() as u64);
            let some = (PAGE - at % PAGE).min((count - bytes.len()) as u64);
            match self.examine_page(index, at, some) {
                Some(more) => bytes.extend(more),
                None => break,
            }
        }
        bytes
    }

    fn examine_page(&self, index: usize, at: u64, count: u64) -> Option<Vec<u8>> {
        let physical = self.translate(index, at)?;
        let Some(offset) = self.offset_of(index, physical, count) else {
            // The last page ends where addresses do.
            let byte = |at| {
                self.world
                    .map
                    .rom_read(index as u32, physical.wrapping_add(at), 1)
                    .map(|byte| byte as u8)
            };
            return (0..count).map(byte).collect();
        };
        let mut bytes = self.world.fabric.ram.slice(offset, count).to_vec();
        for store in &self.units.get(index)?.core.stores.entries {
            if store.way == StorePath::Sent && !self.world.fabric.is_on_its_way(index as u32, store)
            {
                // The memory has performed it, and maybe another's behind it.
                continue;
            }
            for (number, byte) in store.value.to_le_bytes()[..store.bytes.into()].iter().enumerate()
            {
                let at = (store.offset + number as u64).checked_sub(offset);
                if let Some(place) = at.and_then(|at| bytes.get_mut(at as usize)) {
                    *place = *byte;
                }
            }
        }
        Some(bytes)
    }

    /// Writes to RAM, beside all caches: every hart sees it, but for what stands in L1 I. `None`: some
    /// of it is no RAM, and nothing was written.
    pub(super) fn alter(&mut self, index: usize, start: u64, bytes: &[u8]) -> Option<()> {
        let each = 0..bytes.len() as u64;
        let offset = |number| self.in_ram_of(index, start.wrapping_add(number), 1);
        let offsets: Vec<u64> = each.map(offset).collect::<Option<_>>()?;
        for (offset, byte) in offsets.into_iter().zip(bytes) {
            self.world.fabric.ram.slice_mut(offset, 1)[0] = *byte;
            for store in &mut self.units[index].core.stores.entries {
                let at = offset.wrapping_sub(store.offset);
                if at < store.bytes.into() {
                    let shift = 8 * at;
                    store.value = store.value & !(0xff << shift) | u64::from(*byte) << shift;
                    if store.way == StorePath::Sent {
                        self.world.fabric.change_on_its_way(index as u32, store);
                    }
                }
            }
        }
        Some(())
    }

    /// The offset in RAM of bytes in one page, as the first hart that has them there translates them.
    pub(super) fn in_ram(&self, at: u64, count: u64) -> Option<u64> {
        (0..self.units.len()).find_map(|index| self.in_ram_of(index, at, count))
    }

    fn in_ram_of(&self, index: usize, at: u64, count: u64) -> Option<u64> {
        let one_page = count > 0 && at / PAGE == at.checked_add(count - 1)? / PAGE;
        let physical = self.translate(index, at).filter(|_| one_page)?;
        self.offset_of(index, physical, count)
    }

    /// In RAM or in a scratchpad, as the hart addresses it.
    fn offset_of(&self, index: usize, physical: u64, count: u64) -> Option<u64> {
        let (me, world) = (index as u32, &self.world);
        let scratchpad = || world.map.scratchpad(me, physical, count).map(|(_, offset)| offset);
        let uncached = || world.map.uncached(me, physical, count);
        world.map.memory(me, physical, count).or_else(uncached).or_else(scratchpad)
    }

    /// The physical address, by the page table as it stands in memory now, whatever the permissions.
    fn translate(&self, index: usize, address: u64) -> Option<u64> {
        let hart = &self.units.get(index)?.hart;
        let mut translation = hart.translation(Access::Load);
        if !translation.sv39 {
            return Some(address);
        }
        translation.privilege = Privilege::Supervisor;
        (translation.sum, translation.mxr) = (true, true);
        let mut walk = Walk::begin(translation, address, Access::Load);
        loop {
            let offset = self.world.map.memory(index as u32, walk.address(), 8)?;
            let mut step = walk.step(self.world.fabric.ram.read::<8>(offset));
            if matches!(step, WalkStep::Update { .. }) {
                // The debugger translates as if the A bit were set.
                step = walk.updated(true);
            }
            match step {
                WalkStep::Leaf(mapping) => return Some(mapping.physical(address)),
                WalkStep::Next => {}
                WalkStep::Fault | WalkStep::Update { .. } => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        addresses,
        devices::{Platform, PlatformSetup, route::Routes},
    };
    use std::path::Path;
    use takt_model::{Board, Bytes, Memory};

    const UNCACHED: u64 = 0x4000_0000;
    const CODE: u64 = 0x8000_0000;

    /// Hart 0 stores 7 to memory that no cache keeps; both spin.
    fn machine() -> Machine {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../boards/tile72.toml");
        let mut board = Board::read(&path).expect("a board");
        let (name, size) = ("shared".to_string(), Bytes(PAGE));
        board.memory.push(Memory { name, base: UNCACHED, size, cached: false, cores: None });
        let timing = board.timing.as_ref().expect("it has timing");
        let (frequency, timebase) = (timing.frequency, timing.timebase);
        let setup =
            PlatformSetup { hart_ids: vec![0, 1], frequency, timebase, ..Default::default() };
        let platform = Platform::new(&setup).expect("a platform");
        let (mut ram, pads) = addresses::memory(&board, 2);
        let routes = Routes::new(addresses::windows(&board, &ram, &pads)).expect("a map");
        let (store, spin) = (0x0062_b023_u32, 0x0000_006f_u32);
        let code = ram.offset(CODE, 8).expect("RAM");
        ram.slice_mut(code, 4).copy_from_slice(&store.to_le_bytes());
        ram.slice_mut(code + 4, 4).copy_from_slice(&spin.to_le_bytes());
        let mut machine = Machine::new(timing, ram, vec![], platform, routes, pads, &[0, 1]);
        (machine.units[0].hart.x[5], machine.units[0].hart.x[6]) = (UNCACHED, 7);
        (machine.units[0].hart.pc, machine.units[1].hart.pc) = (CODE, CODE + 4);
        machine.begin_timing(|_| 0);
        machine
    }

    fn seen(machine: &Machine, index: usize) -> u64 {
        let bytes = machine.examine(index, UNCACHED, 8);
        u64::from_le_bytes(bytes.try_into().expect("it is memory"))
    }

    /// Wherever a store to memory is: what a debugger sees and writes is what is there when it is done.
    #[test]
    fn a_store_under_way_is_seen_and_changed() {
        let (start, mut moments) = (machine(), [0; 3]);
        for cycles in 0..600 {
            let mut machine = start.clone();
            machine.run(machine.now + cycles);
            let unit = &machine.units[0];
            if unit.hart.pc == CODE {
                continue;
            }
            let offset = machine.world.fabric.ram.offset(UNCACHED, 8).expect("RAM");
            let performed = machine.world.fabric.ram.read::<8>(offset) == 7;
            let buffered = !unit.core.stores.entries.is_empty();
            moments[usize::from(performed) + usize::from(!buffered)] += 1;
            assert_eq!(seen(&machine, 0), 7, "after {cycles}");
            for index in 0..2 {
                let mut altered = machine.clone();
                altered.alter(index, UNCACHED, &[9]).expect("it is memory");
                let told = seen(&altered, 0);
                altered.run(altered.now + 1000);
                let left = altered.world.fabric.ram.read::<8>(offset);
                assert_eq!(told, left, "hart {index}'s, after {cycles}");
                // Another's is written before a store that is still to be performed.
                assert_eq!(left, if index == 0 || performed { 9 } else { 7 }, "after {cycles}");
            }
        }
        assert!(moments.iter().all(|moments| *moments > 0), "{moments:?}");
    }
}
