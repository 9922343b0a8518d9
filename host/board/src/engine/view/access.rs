// SPDX-License-Identifier: Apache-2.0
//! Loads, stores and atomics, of RAM and of devices.

use super::{HartView, Result, TIMED, Target, fault};
use crate::{
    devices::{Kind, Refused},
    engine::{
        event::{AccessOp, Register},
        probes::observe::Kind as ReportedKind,
        world::World,
    },
    isa::{Access, Hart, Stop},
    memory::{
        LINE,
        core::{Split, WaitFor},
    },
};

fn low_bytes(value: u64, bytes: u64) -> u64 {
    value & (u64::MAX >> (64 - 8 * bytes))
}

/// Only cached RAM takes an access in parts.
fn no_parts(target: &Target, access: Access, at: u64) -> Stop {
    match target {
        Target::Scratchpad(..) | Target::Uncached(_) => fault(access.misaligned(), at),
        _ => fault(access.access_fault(), at),
    }
}

impl<const MODE: u8> HartView<'_, MODE> {
    /// A load or store that crosses a line or is misaligned: in two parts, each performed alone.
    #[inline(never)]
    pub(super) fn load_parts(&mut self, hart: &mut Hart, address: u64, bytes: u64) -> Result<u64> {
        let first = (LINE - address % LINE).min(bytes);
        if first == bytes {
            return self.load_some(hart, address, bytes);
        }
        let low = match self.view.core.split.take() {
            Some(split) if split.address == address => split.value,
            _ => self.load_some(hart, address, first)?,
        };
        match self.load_some(hart, address.wrapping_add(first), bytes - first) {
            Ok(high) => Ok(low | high << (8 * first)),
            Err(stop) => {
                if stop == Stop::Wait {
                    self.view.core.split = Some(Split { address, value: low });
                }
                Err(stop)
            }
        }
    }

    /// Up to 8 bytes within a line.
    pub(super) fn load_some(&mut self, hart: &mut Hart, address: u64, bytes: u64) -> Result<u64> {
        match self.look(hart, address, bytes, Access::Load)? {
            target @ (Target::Device(_) | Target::Scratchpad(..) | Target::Uncached(_)) => {
                Err(no_parts(&target, Access::Load, address))
            }
            Target::Ram(offset) => {
                if MODE == TIMED
                    && self.view.core.stores.touches(self.view.world.fabric.line(offset))
                {
                    return self.view.wait(WaitFor::Drained);
                }
                self.view.line_ready(self.view.world.fabric.line(offset), false)?;
                let mut value = [0; 8];
                value[..bytes as usize]
                    .copy_from_slice(self.view.world.fabric.ram.slice(offset, bytes));
                let value = u64::from_le_bytes(value);
                self.report_access(
                    hart,
                    ReportedKind::Load,
                    address,
                    bytes,
                    Target::Ram(offset),
                    value,
                );
                Ok(value)
            }
        }
    }

    #[inline(never)]
    pub(super) fn store_parts(
        &mut self,
        hart: &mut Hart,
        at: u64,
        value: u64,
        bytes: u64,
    ) -> Result<()> {
        let first = (LINE - at % LINE).min(bytes);
        // Both parts must be allowed before one is stored.
        let target = self.look(hart, at, first, Access::Store)?;
        let Target::Ram(low) = target else {
            return Err(no_parts(&target, Access::Store, at));
        };
        if first == bytes {
            self.view.store_ram(low, bytes as usize, value)?;
            self.report_access(
                hart,
                ReportedKind::Store,
                at,
                bytes,
                Target::Ram(low),
                low_bytes(value, bytes),
            );
            return Ok(());
        }
        let second = at.wrapping_add(first);
        let target = self.look(hart, second, bytes - first, Access::Store)?;
        let Target::Ram(high) = target else {
            return Err(no_parts(&target, Access::Store, at));
        };
        if self.view.core.split.take().is_none_or(|split| split.address != at) {
            self.view.store_ram(low, first as usize, value)?;
            self.report_access(
                hart,
                ReportedKind::Store,
                at,
                first,
                Target::Ram(low),
                low_bytes(value, first),
            );
        }
        let (rest, above) = (bytes - first, value >> (8 * first));
        let stored = self.view.store_ram(high, rest as usize, above);
        match stored {
            Err(Stop::Wait) => self.view.core.split = Some(Split { address: at, value: 0 }),
            _ => {
                let above = low_bytes(above, rest);
                self.report_access(
                    hart,
                    ReportedKind::Store,
                    second,
                    rest,
                    Target::Ram(high),
                    above,
                );
            }
        }
        stored
    }

    #[inline(never)]
    pub(super) fn load_slowly<const N: usize>(
        &mut self,
        hart: &mut Hart,
        address: u64,
    ) -> Result<u64> {
        if address % N as u64 != 0 {
            return self.load_parts(hart, address, N as u64);
        }
        let target = self.look(hart, address, N as u64, Access::Load)?;
        let value = match target {
            Target::Ram(offset) => self.view.load_ram::<N>(offset),
            Target::Uncached(offset) => self.view.direct(offset, N as u8, AccessOp::Read),
            Target::Scratchpad(pad, offset) => {
                self.view.scratchpad(pad, offset, N as u8, AccessOp::Read)
            }
            Target::Device(physical) => self.load_device(hart, address, physical, N as u8),
        }?;
        self.report_access(hart, ReportedKind::Load, address, N as u64, target, value);
        Ok(value)
    }

    #[inline(never)]
    pub(super) fn store_anywhere(
        &mut self,
        hart: &mut Hart,
        at: u64,
        value: u64,
        n: u64,
    ) -> Result<()> {
        if at % n != 0 {
            self.view.fails_in_trial()?;
            return self.store_parts(hart, at, value, n);
        }
        let target = self.look(hart, at, n, Access::Store)?;
        if self.view.world.probes.in_trial() {
            return self.try_store(target, value, n);
        }
        match target {
            Target::Ram(offset) => {
                self.view.store_ram(offset, n as usize, value)?;
                self.view.world.stored(self.view.clock, offset, n);
                self.view.stop_at_finish();
            }
            Target::Uncached(offset) => {
                self.view.direct(offset, n as u8, AccessOp::Write(value))?;
                self.view.stop_at_finish();
            }
            Target::Scratchpad(pad, offset) => {
                self.view.scratchpad(pad, offset, n as u8, AccessOp::Write(value))?;
            }
            Target::Device(physical) => self.store_device(hart, at, physical, n as u8, value)?,
        }
        self.report_access(hart, ReportedKind::Store, at, n, target, low_bytes(value, n));
        Ok(())
    }

    /// A store in a trial: one that changes nothing in RAM is performed.
    fn try_store(&mut self, target: Target, value: u64, n: u64) -> Result<()> {
        if let Target::Ram(offset) = target {
            let same =
                *self.view.world.fabric.ram.slice(offset, n) == value.to_le_bytes()[..n as usize];
            let line = self.view.world.fabric.line(offset);
            if same && self.view.core.stores.is_empty() && self.view.hit(line, true).is_some() {
                return Ok(());
            }
        }
        self.view.fails_in_trial()
    }

    pub(super) fn load_device(
        &mut self,
        hart: &Hart,
        at: u64,
        physical: u64,
        bytes: u8,
    ) -> Result<u64> {
        self.device(hart, physical, bytes, Kind::Read, fault(Access::Load.access_fault(), at))
    }

    pub(super) fn store_device(
        &mut self,
        hart: &Hart,
        at: u64,
        physical: u64,
        bytes: u8,
        value: u64,
    ) -> Result<()> {
        let refused = fault(Access::Store.access_fault(), at);
        if MODE != TIMED {
            return self.device(hart, physical, bytes, Kind::Write(value), refused).map(|_| ());
        }
        if !self.permitted(physical, bytes, Kind::Write(value)) {
            return Err(refused);
        }
        if !self.view.world.map.is_posted(self.view.core.index, physical) {
            return self.device(hart, physical, bytes, Kind::Write(value), refused).map(|_| ());
        }
        self.view.in_turn(self.crosses_to_device(physical))?;
        self.view.core.posted += 1;
        self.view.send_to_device(physical, bytes, Kind::Write(value));
        Ok(())
    }

    /// Whether the way to the device's register leaves the node.
    fn crosses_to_device(&self, address: u64) -> bool {
        let World { io, map, fabric, .. } = &*self.view.world;
        let core = self.view.core.index;
        io.uses_links(map, core, address)
            && fabric.crosses_to_device(core, map.device_number(core, address))
    }

    /// Whether there is a device for this hart that may take the access.
    fn permitted(&self, address: u64, bytes: u8, kind: Kind) -> bool {
        let World { io, map, .. } = &*self.view.world;
        io.permits(map, Register { core: self.view.core.index, address, bytes, kind })
    }

    #[inline(never)]
    pub(super) fn device(
        &mut self,
        _hart: &Hart,
        physical: u64,
        bytes: u8,
        kind: Kind,
        refused: Stop,
    ) -> Result<u64> {
        if let Some(value) = self.view.world.map.rom_read(self.view.core.index, physical, bytes) {
            return if kind == Kind::Read { Ok(value) } else { Err(refused) };
        }
        if !self.permitted(physical, bytes, kind) {
            return Err(refused);
        }
        if MODE != TIMED {
            let register = Register { core: self.view.core.index, address: physical, bytes, kind };
            let World { io, map, .. } = &mut *self.view.world;
            let answer = io.access(self.view.clock, map, register).ok_or(refused);
            // Others may feel it: the machine looks at the wires before anyone goes on.
            self.view.limit = 0;
            return answer;
        }
        if let Some(answer) = self.view.core.answer.take() {
            return answer.map_err(|Refused| refused);
        }
        self.view.in_turn(self.crosses_to_device(physical))?;
        self.view.send_to_device(physical, bytes, kind);
        self.view.wait(WaitFor::Answer)
    }
}
