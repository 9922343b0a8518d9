// SPDX-License-Identifier: Apache-2.0
//! The machine as one hart sees it while it runs: the port of [`crate::isa`], in each mode.

mod access;
mod direct;
mod fetch;
mod lines;
mod observe;
mod scratchpad;
mod translate;

use super::{event::AccessOp, observe::Kind, watch::Hit, world::World};
use crate::memory::request::{Operation, RequestKind};
use crate::{
    devices::Tick,
    isa::{
        self, Access, Amo, CacheBlock, Class, CounterEvent, Exception, Hart, Instruction, Ordering,
        Port, Stop,
    },
    memory::{
        LINE, Scratchpad,
        code::Code,
        core::{Core, Reservation, WaitFor},
        tags::State,
    },
};

/// Memory is RAM, at once; nothing is modelled but translation.
pub const FUNCTIONAL: u8 = 0;
/// As functional, and tags, directory and TLBs follow.
pub const WARMING: u8 = 1;
pub const TIMED: u8 = 2;

pub struct View<'a, const MODE: u8> {
    pub core: &'a mut Core,
    pub world: &'a mut World,
    /// When the present instruction began, plus what it was charged so far.
    pub clock: Tick,
    /// No instruction begins here or later.
    pub limit: Tick,
    /// When the present instruction began.
    pub began: Tick,
    /// What the hart's timer must look at has changed.
    pub timer_changed: bool,
    /// Addresses to stop at, but for the one where the hart begins now.
    pub stops: &'a [u64],
    pub start: u64,
    /// What the present instruction touched of what is watched.
    pub hit: Option<Hit>,
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

impl<'a, const MODE: u8> View<'a, MODE> {
    /// For what happens at a core while its hart does nothing.
    pub fn idle(core: &'a mut Core, world: &'a mut World, now: Tick) -> Self {
        View {
            core,
            world,
            clock: now,
            limit: 0,
            began: now,
            timer_changed: false,
            stops: &[],
            start: 0,
            hit: None,
        }
    }
}

impl<const MODE: u8> View<'_, MODE> {
    fn wait<T>(&mut self, event: WaitFor) -> Result<T> {
        self.core.waits = Some(event);
        Err(Stop::Wait)
    }

    /// In a trial the instruction, which changes memory, waits instead.
    fn fails_in_trial(&mut self) -> Result<()> {
        if !self.world.trial {
            return Ok(());
        }
        self.world.trial_failed = true;
        self.wait(WaitFor::Drained)
    }
}

/// What an atomic operation leaves in memory.
pub fn combine(amo: Amo, bytes: u8, old: u64, operand: u64) -> u64 {
    let signed = |x: u64| if bytes == 4 { i64::from(x as u32 as i32) } else { x as i64 };
    let plain = |x: u64| if bytes == 4 { u64::from(x as u32) } else { x };
    let pick = |first: bool| if first { old } else { operand };
    match amo {
        Amo::Swap => operand,
        Amo::Add => old.wrapping_add(operand),
        Amo::Xor => old ^ operand,
        Amo::And => old & operand,
        Amo::Or => old | operand,
        Amo::Min => pick(signed(old) <= signed(operand)),
        Amo::Max => pick(signed(old) >= signed(operand)),
        Amo::MinUnsigned => pick(plain(old) <= plain(operand)),
        Amo::MaxUnsigned => pick(plain(old) >= plain(operand)),
    }
}

impl<const MODE: u8> View<'_, MODE> {
    /// Answers what was there before, and where, unless it waited for that.
    fn atomic_somewhere<const N: usize>(
        &mut self,
        hart: &mut Hart,
        amo: Amo,
        address: u64,
        operand: u64,
    ) -> Result<(u64, Option<Target>)> {
        if let Some(answer) = self.core.answer.take() {
            let Ok(old) = answer else {
                return Err(fault(Access::Store.access_fault(), address));
            };
            if !self.world.watches.is_empty() {
                self.notice_answered(hart, address, N as u64)?;
            }
            return Ok((old, None));
        }
        let target = self.atomic_at(hart, address, N, Access::Store)?;
        let offset = match target {
            Target::Ram(offset) => offset,
            Target::Scratchpad(pad, offset) => {
                let old = self.scratchpad(pad, offset, N as u8, AccessOp::Atomic(amo, operand))?;
                return Ok((old, Some(target)));
            }
            Target::Uncached(offset) => {
                self.notice(address, offset, N as u64, Access::Load);
                let old = self.direct(offset, N as u8, AccessOp::Atomic(amo, operand))?;
                return Ok((old, Some(target)));
            }
            Target::Device(_) => return Err(fault(Access::Store.access_fault(), address)),
        };
        self.notice(address, offset, N as u64, Access::Load);
        let line = self.world.line(offset);
        if MODE == TIMED && self.core.figures.atomics_at_home {
            if self.core.missing(line) {
                return self.wait(WaitFor::Line(line));
            }
            self.core.give_up(line, State::Invalid);
            let operation = Operation::Atomic { amo, offset, bytes: N as u8, operand };
            self.request(self.core.figures.lookup(), line, RequestKind::Operation(operation));
            return self.wait(WaitFor::Answer);
        }
        self.line_ready(line, true)?;
        let old = self.world.ram.read::<N>(offset);
        self.world.ram.write::<N>(offset, combine(amo, N as u8, old, operand));
        Ok((old, Some(target)))
    }
}

impl<const MODE: u8> View<'_, MODE> {
    /// An atomic operation that was performed elsewhere is complete only now: what it noticed before it waited is
    /// forgotten. It was translated then, which this finds again at no cost.
    fn notice_answered(&mut self, hart: &mut Hart, address: u64, bytes: u64) -> Result<()> {
        let target = self.look(hart, address, bytes, Access::Store)?;
        if let Target::Ram(offset) | Target::Uncached(offset) = target {
            self.notice(address, offset, bytes, Access::Load);
        }
        Ok(())
    }
}

impl<const MODE: u8> Port for View<'_, MODE> {
    #[inline(always)]
    fn fetch(&mut self, hart: &mut Hart, pc: u64) -> Result<u32> {
        let line = match self.core.code.at_once(pc) {
            Some(line) => line,
            None => self.fetch_or_stop(hart, pc)?,
        };
        if MODE == TIMED && !self.core.code.goes_on(pc) {
            self.clock += self.core.figures.l1i;
        }
        Ok(line)
    }

    #[inline(always)]
    fn instruction(&mut self, hart: &mut Hart, line: u32, pc: u64) -> Result<Instruction> {
        let mut slot = Code::slot_of(pc);
        // One place reads the slot, so that the compiler takes its fields from memory, each when needed.
        loop {
            let instruction = self.core.code.slot(line, slot);
            if instruction.op != isa::Op::Undecoded {
                return Ok(instruction);
            }
            slot = self.decode(hart, line, pc)?;
        }
    }

    #[inline(always)]
    fn load<const N: usize>(&mut self, hart: &mut Hart, address: u64) -> Result<u64> {
        if address % N as u64 == 0 {
            if let Some(offset) = self.core.pages.read(address) {
                return self.load_ram::<N>(offset);
            }
        }
        self.load_slowly::<N>(hart, address)
    }

    #[inline(always)]
    fn store<const N: usize>(&mut self, hart: &mut Hart, at: u64, value: u64) -> Result<()> {
        if at % N as u64 == 0 {
            if let Some(offset) = self.core.pages.write(at) {
                return self.store_ram(offset, N, value);
            }
        }
        self.store_anywhere(hart, at, value, N as u64)
    }

    fn load_reserved<const N: usize>(
        &mut self,
        hart: &mut Hart,
        address: u64,
        order: Ordering,
    ) -> Result<u64> {
        let offset = self.reserved_at(hart, address, N, Access::Load)?;
        let line = self.world.line(offset);
        // The line is taken as for a store, so that the SC finds it.
        self.line_ready(line, true)?;
        let until = self.clock + self.core.figures.reservation;
        self.core.reservation = Some(Reservation { line, until });
        let value = self.world.ram.read::<N>(offset);
        let target = Target::Ram(offset);
        self.report_ordered(hart, (Kind::LoadReserved, order), address, N, target, value);
        Ok(value)
    }

    fn store_conditional<const N: usize>(
        &mut self,
        hart: &mut Hart,
        address: u64,
        value: u64,
        order: Ordering,
    ) -> Result<bool> {
        let offset = self.reserved_at(hart, address, N, Access::Store)?;
        let line = self.world.line(offset);
        let reserved = self.core.reservation.take();
        let mut done = reserved.is_some_and(|reservation| reservation.line == line);
        if MODE == TIMED {
            done = done && self.own_hit(line, true).is_some();
            self.release_held();
        }
        if done {
            self.world.ram.write::<N>(offset, value);
        }
        let kind = Kind::StoreConditional { done };
        self.report_ordered(hart, (kind, order), address, N, Target::Ram(offset), value);
        Ok(done)
    }

    fn atomic<const N: usize>(
        &mut self,
        hart: &mut Hart,
        amo: Amo,
        address: u64,
        operand: u64,
        order: Ordering,
    ) -> Result<u64> {
        let (old, target) = self.atomic_somewhere::<N>(hart, amo, address, operand)?;
        if self.world.observed() {
            let target = match target {
                Some(target) => target,
                // It was translated before it waited: this finds what that found, at no cost.
                None => self.look(hart, address, N as u64, Access::Store)?,
            };
            let kind = Kind::Atomic { amo, operand };
            self.report_ordered(hart, (kind, order), address, N, target, old);
        }
        Ok(old)
    }

    fn fence(&mut self, hart: &mut Hart, predecessor: u8, successor: u8) -> Result<()> {
        const READS: u8 = 0b1010;
        const WRITES: u8 = 0b0101;
        let stores_in_order = self.core.figures.drains_in_order && successor & READS == 0;
        if predecessor & WRITES != 0 && (!stores_in_order || self.core.posted) {
            self.drained()?;
        }
        self.report_fence(hart, Kind::Fence { predecessor, successor });
        Ok(())
    }

    fn fence_i(&mut self, hart: &mut Hart) -> Result<()> {
        self.drained()?;
        self.report_fence(hart, Kind::FenceInstructions);
        self.core.code.clear();
        Ok(())
    }

    fn sfence(&mut self, hart: &mut Hart, at: Option<u64>, asid: Option<u16>) -> Result<()> {
        self.drained()?;
        self.report_fence(hart, Kind::FenceTranslation);
        self.core.itlb.fence(at, asid);
        self.core.dtlb.fence(at, asid);
        self.core.pages.clear();
        self.core.code.forget();
        Ok(())
    }

    fn cache_block(&mut self, hart: &mut Hart, _what: CacheBlock, at: u64) -> Result<()> {
        let at = at & !(LINE - 1);
        let target = self.look(hart, at, LINE, Access::CacheBlock)?;
        if let Target::Uncached(_) = target {
            // There is nothing to move.
            self.drained()?;
            self.report_access(hart, Kind::CacheBlock, at, LINE, target, 0);
            return Ok(());
        }
        let Target::Ram(offset) = target else {
            return Err(fault(Access::CacheBlock.access_fault(), at));
        };
        if MODE != TIMED || self.core.answer.take().is_some() {
            self.report_access(hart, Kind::CacheBlock, at, LINE, target, 0);
            return Ok(());
        }
        self.drained()?;
        let line = self.world.line(offset);
        self.core.give_up(line, State::Invalid);
        self.request(self.core.figures.lookup(), line, RequestKind::Operation(Operation::Flush));
        self.wait(WaitFor::Answer)
    }

    fn pause(&mut self, _hart: &mut Hart) {}

    #[inline(always)]
    fn charge(&mut self, class: Class) {
        if MODE == TIMED {
            self.clock += self.core.figures.costs[class as usize];
        }
    }

    #[inline(always)]
    fn load_use(&mut self) {
        if MODE == TIMED {
            self.clock += self.core.figures.load_use;
        }
    }

    #[inline(always)]
    fn taken_branch(&mut self) {
        if MODE == TIMED {
            self.clock += self.core.figures.taken_branch;
        }
    }

    fn trap_taken(&mut self, _hart: &mut Hart) {
        self.core.walk = None;
        self.core.split = None;
        self.hit = None;
        if MODE == TIMED {
            self.clock += self.core.figures.trap;
        }
    }

    #[inline(always)]
    fn retire(&mut self, _hart: &mut Hart) -> bool {
        self.clock += 1;
        let go = self.clock < self.limit;
        if go {
            self.began = self.clock;
        }
        go
    }

    fn context_changed(&mut self, _hart: &mut Hart) {
        self.core.pages.clear();
        self.core.code.forget();
    }

    fn timer_changed(&mut self, _hart: &mut Hart) {
        self.timer_changed = true;
        self.limit = 0;
    }

    fn time(&self) -> u64 {
        self.world.time(self.clock)
    }

    fn count(&self, event: CounterEvent) -> u64 {
        if event == CounterEvent::Cycles { self.clock } else { self.core.counted(event) }
    }
}
