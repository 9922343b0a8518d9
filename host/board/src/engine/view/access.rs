// SPDX-License-Identifier: Apache-2.0
//! Loads, stores and atomics, of RAM and of devices.

use super::{FUNCTIONAL, Result, TIMED, Target, View, WARMING, fault};
use crate::{
    devices::{Kind, Refused},
    engine::event::{AccessOp, Class as EventClass, Event, Register},
    engine::observe::Kind as ReportedKind,
    isa::{Access, Hart, Stop},
    memory::{
        LINE,
        core::{Forward, Split, Store, StorePath, WaitFor},
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

impl<const MODE: u8> View<'_, MODE> {
    #[inline(always)]
    pub(super) fn load_ram<const N: usize>(&mut self, offset: u64) -> Result<u64> {
        if MODE == TIMED && !self.core.stores.is_empty() {
            match self.core.stores.forward(offset, N as u64) {
                Forward::Value(value) => {
                    self.clock += self.core.figures.l1d;
                    return Ok(value);
                }
                Forward::Part => return self.wait(WaitFor::Drained),
                Forward::Nothing => {}
            }
        }
        self.line_ready(self.world.line(offset), false)?;
        Ok(self.world.ram.read::<N>(offset))
    }

    #[inline(always)]
    pub(super) fn store_ram(&mut self, offset: u64, bytes: usize, value: u64) -> Result<()> {
        let line = self.world.line(offset);
        match MODE {
            FUNCTIONAL => {}
            WARMING => self.warm(line, true),
            _ => {
                if !(self.core.stores.is_empty() && self.core.l1d.writes_at_once(line)) {
                    return self.store_slowly(offset, bytes, value, line);
                }
            }
        }
        self.world.ram.write_some(offset, value, bytes);
        Ok(())
    }

    /// A store performs at once where the core owns the line and nothing older must be first; else it
    /// goes to the store buffer, and a request for its line goes out.
    #[inline(never)]
    pub(super) fn store_slowly(
        &mut self,
        offset: u64,
        bytes: usize,
        value: u64,
        line: u64,
    ) -> Result<()> {
        let depth = self.core.figures.store_buffer;
        let behind = if self.core.figures.drains_in_order {
            !self.core.stores.is_empty()
        } else {
            self.core.stores.touches(line)
        };
        if !behind && self.own_hit(line, true).is_some() {
            self.perform(offset, value, bytes);
            return Ok(());
        }
        if depth == 0 {
            self.line_ready(line, true)?;
            self.perform(offset, value, bytes);
            return Ok(());
        }
        if self.core.stores.entries.len() >= depth {
            return self.wait(WaitFor::Room);
        }
        self.core.stores.entries.push(Store {
            offset,
            bytes: bytes as u8,
            line,
            value,
            way: StorePath::Cached,
        });
        if !self.core.state(line).owned() {
            self.ask(line, true);
        }
        Ok(())
    }

    /// Performs a store.
    pub(super) fn perform(&mut self, offset: u64, value: u64, bytes: usize) {
        self.world.store(self.clock, offset, value, bytes);
        self.stop_at_finish();
    }

    /// A store may have ended the run: this hart goes no further than all others will.
    pub(super) fn stop_at_finish(&mut self) {
        if let Some((_, tick)) = self.world.finish {
            self.limit = self.limit.min(tick + self.world.hart_lookahead);
        }
    }

    /// A load or store that crosses a line or is misaligned: in two parts, each performed alone.
    #[inline(never)]
    pub(super) fn load_parts(&mut self, hart: &mut Hart, address: u64, bytes: u64) -> Result<u64> {
        let first = (LINE - address % LINE).min(bytes);
        if first == bytes {
            return self.load_some(hart, address, bytes);
        }
        let low = match self.core.split.take() {
            Some(split) if split.address == address => split.value,
            _ => self.load_some(hart, address, first)?,
        };
        match self.load_some(hart, address.wrapping_add(first), bytes - first) {
            Ok(high) => Ok(low | high << (8 * first)),
            Err(stop) => {
                if stop == Stop::Wait {
                    self.core.split = Some(Split { address, value: low });
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
                if MODE == TIMED && self.core.stores.touches(self.world.line(offset)) {
                    return self.wait(WaitFor::Drained);
                }
                self.line_ready(self.world.line(offset), false)?;
                let mut value = [0; 8];
                value[..bytes as usize].copy_from_slice(self.world.ram.slice(offset, bytes));
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
            self.store_ram(low, bytes as usize, value)?;
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
        if self.core.split.take().is_none_or(|split| split.address != at) {
            self.store_ram(low, first as usize, value)?;
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
        let stored = self.store_ram(high, rest as usize, above);
        match stored {
            Err(Stop::Wait) => self.core.split = Some(Split { address: at, value: 0 }),
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
            Target::Ram(offset) => self.load_ram::<N>(offset),
            Target::Uncached(offset) => self.direct(offset, N as u8, AccessOp::Read),
            Target::Scratchpad(pad, offset) => {
                self.scratchpad(pad, offset, N as u8, AccessOp::Read)
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
            self.fails_in_trial()?;
            return self.store_parts(hart, at, value, n);
        }
        let target = self.look(hart, at, n, Access::Store)?;
        if self.world.trial {
            return self.try_store(target, value, n);
        }
        match target {
            Target::Ram(offset) => {
                self.store_ram(offset, n as usize, value)?;
                self.world.watch(self.clock, offset, n);
                self.stop_at_finish();
            }
            Target::Uncached(offset) => {
                self.direct(offset, n as u8, AccessOp::Write(value))?;
                self.stop_at_finish();
            }
            Target::Scratchpad(pad, offset) => {
                self.scratchpad(pad, offset, n as u8, AccessOp::Write(value))?;
            }
            Target::Device(physical) => self.store_device(hart, at, physical, n as u8, value)?,
        }
        self.report_access(hart, ReportedKind::Store, at, n, target, low_bytes(value, n));
        Ok(())
    }

    /// A store in a trial: one that changes nothing in RAM is performed.
    fn try_store(&mut self, target: Target, value: u64, n: u64) -> Result<()> {
        if let Target::Ram(offset) = target {
            let same = *self.world.ram.slice(offset, n) == value.to_le_bytes()[..n as usize];
            let line = self.world.line(offset);
            if same && self.core.stores.is_empty() && self.own_hit(line, true).is_some() {
                return Ok(());
            }
        }
        self.fails_in_trial()
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
        if !self.world.is_device(self.core.index, physical) {
            return Err(refused);
        }
        if !self.world.is_posted(self.core.index, physical) {
            return self.device(hart, physical, bytes, Kind::Write(value), refused).map(|_| ());
        }
        self.drained()?;
        self.core.posted = true;
        self.send_to_device(physical, bytes, Kind::Write(value));
        Ok(())
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
        if let Some(value) = self.world.rom_read(physical, bytes) {
            return if kind == Kind::Read { Ok(value) } else { Err(refused) };
        }
        if !self.world.is_device(self.core.index, physical) {
            return Err(refused);
        }
        if MODE != TIMED {
            let register = Register { core: self.core.index, address: physical, bytes, kind };
            let answer = self.world.register(self.clock, register).ok_or(refused);
            // Others may feel it: the machine looks at the wires before anyone goes on.
            self.limit = 0;
            return answer;
        }
        if let Some(answer) = self.core.answer.take() {
            return answer.map_err(|Refused| refused);
        }
        self.drained()?;
        self.send_to_device(physical, bytes, kind);
        self.wait(WaitFor::Answer)
    }

    pub(super) fn send_to_device(&mut self, address: u64, bytes: u8, kind: Kind) {
        let core = self.core.index;
        let tick = self.clock + self.world.device_distance(core);
        self.push(tick, EventClass::Device, Event::Device(Register { core, address, bytes, kind }));
    }

    /// All earlier stores are performed, those to devices have arrived.
    pub(super) fn drained(&mut self) -> Result<()> {
        if MODE == TIMED && (!self.core.stores.is_empty() || self.core.posted) {
            return self.wait(WaitFor::Drained);
        }
        Ok(())
    }

    /// Where LR and SC go: to cached RAM, behind all earlier stores.
    pub(super) fn reserved_at(
        &mut self,
        hart: &mut Hart,
        at: u64,
        n: usize,
        access: Access,
    ) -> Result<u64> {
        match self.atomic_at(hart, at, n, access)? {
            Target::Ram(offset) => Ok(offset),
            Target::Uncached(_) | Target::Scratchpad(..) | Target::Device(_) => {
                Err(fault(access.access_fault(), at))
            }
        }
    }

    /// Where an atomic goes: to cached RAM, behind all earlier stores, or to other memory.
    pub(super) fn atomic_at(
        &mut self,
        hart: &mut Hart,
        at: u64,
        n: usize,
        access: Access,
    ) -> Result<Target> {
        self.fails_in_trial()?;
        if at % n as u64 != 0 {
            return Err(fault(access.misaligned(), at));
        }
        let fast = if access == Access::Load {
            self.core.pages.read(at)
        } else {
            self.core.pages.write(at)
        };
        let offset = match fast {
            Some(offset) => offset,
            None => match self.look(hart, at, n as u64, access)? {
                Target::Ram(offset) => offset,
                Target::Device(_) => return Err(fault(access.access_fault(), at)),
                other => return Ok(other),
            },
        };
        if MODE == TIMED && !self.core.stores.is_empty() {
            return self.wait(WaitFor::Drained);
        }
        Ok(Target::Ram(offset))
    }

    /// What waits for the end of this hart's reservation may go on, no earlier than a request of this
    /// instruction could be felt.
    pub(super) fn release_held(&mut self) {
        let ahead = self.world.queue.lookahead(EventClass::Deliver);
        let tick = self.clock + self.world.hart_lookahead.saturating_sub(ahead).max(1);
        let hart = self.core.index;
        for message in self.world.take_held(hart) {
            self.world.due[hart as usize].push(tick);
            // In this hart's own order: when it runs ahead, the order of the events is not known yet.
            self.push(tick, EventClass::Deliver, Event::Deliver { hart, message });
            self.limit = self.limit.min(tick);
        }
    }
}
