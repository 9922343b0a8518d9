// SPDX-License-Identifier: Apache-2.0
//! What [`crate::isa`] asks of the machine while it executes a hart's instructions.

use super::{CoreView, HartView, Result, SPECULATIVE, TIMED, Target, fault, fetch::Fetched};
use crate::{
    devices::Tick,
    engine::probes::observe::Kind,
    isa::{Access, Amo, CacheBlock, Class, CounterEvent, EVENTS, Hart, Ordering, Pace, Port},
    memory::{
        LINE,
        core::{Reservation, WaitFor},
        request::{Operation, RequestKind},
        tags::State,
    },
};

impl<'a, const MODE: u8> Port for HartView<'a, MODE> {
    const ONLY_AT_ONCE: bool = MODE == SPECULATIVE;

    type Line = Fetched<'a>;

    #[inline(always)]
    fn pace(&self) -> Pace {
        let CoreView { clock, began, limit, .. } = self.view;
        Pace { clock, began, limit }
    }

    #[inline(always)]
    fn completed(&mut self, began: Tick) {
        self.completed = began;
    }

    #[inline(always)]
    fn set_pace(&mut self, pace: Pace) {
        (self.view.clock, self.view.began) = (pace.clock, pace.began);
    }

    #[inline(always)]
    fn fetch_at_once(&mut self, pace: &mut Pace, pc: u64) -> Option<Fetched<'a>> {
        if MODE == SPECULATIVE {
            self.view.core.note_fetch(pace.began, pc);
        }
        let (index, bytes) = self.view.core.code.at_once(pc)?;
        pace.clock += self.next_line(pc);
        Some(self.fetched(index, bytes))
    }

    #[inline(never)]
    fn fetch(&mut self, hart: &mut Hart, pc: u64) -> Result<Fetched<'a>> {
        self.only_at_once()?;
        let found = self.fetch_or_stop(hart, pc)?;
        self.view.clock += self.next_line(pc);
        Ok(found)
    }

    #[inline(always)]
    fn complete_at_once(
        &mut self,
        pace: &mut Pace,
        line: &Fetched<'a>,
        pc: u64,
    ) -> Option<Fetched<'a>> {
        let whole = self.whole_at_once(*line, pc, pace.began)?;
        pace.clock += if MODE >= TIMED { self.view.core.figures.l1i } else { 0 };
        Some(whole)
    }

    #[inline(never)]
    fn complete(&mut self, hart: &mut Hart, line: &Fetched<'a>, pc: u64) -> Result<Fetched<'a>> {
        self.only_at_once()?;
        self.fetch_whole(hart, *line, pc)
    }

    #[inline(always)]
    fn load_at_once<const N: usize>(&self, pace: &mut Pace, address: u64) -> Option<u64> {
        if address % N as u64 != 0 {
            return None;
        }
        self.view.load_at_once::<N>(pace, self.view.core.pages.read(address)?)
    }

    #[inline(always)]
    fn store_at_once<const N: usize>(&mut self, at: u64, value: u64) -> bool {
        at % N as u64 == 0
            && self
                .view
                .core
                .pages
                .write(at)
                .is_some_and(|offset| self.view.store_at_once::<N>(offset, value))
    }

    #[inline(never)]
    fn load<const N: usize>(&mut self, hart: &mut Hart, address: u64) -> Result<u64> {
        self.only_at_once()?;
        if address % N as u64 == 0 {
            if let Some(offset) = self.view.core.pages.read(address) {
                return self.view.load_ram::<N>(offset);
            }
        }
        self.load_slowly::<N>(hart, address)
    }

    #[inline(never)]
    fn store<const N: usize>(&mut self, hart: &mut Hart, at: u64, value: u64) -> Result<()> {
        self.only_at_once()?;
        if at % N as u64 == 0 {
            if let Some(offset) = self.view.core.pages.write(at) {
                return self.view.store_ram(offset, N, value);
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
        let line = self.view.world.fabric.line(offset);
        // The line is taken as for a store, so that the SC finds it.
        self.view.line_ready(line, true)?;
        let until = self.view.clock + self.view.core.figures.reservation;
        self.view.core.reservation = Some(Reservation { line, until });
        let value = self.view.world.fabric.ram.read::<N>(offset);
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
        let line = self.view.world.fabric.line(offset);
        let reserved = self.view.core.reservation.take();
        let mut done = reserved.is_some_and(|reservation| reservation.line == line);
        if MODE == TIMED {
            done = done && self.view.hit(line, true).is_some();
            self.view.release_held();
        }
        if done {
            self.view.world.fabric.ram.write::<N>(offset, value);
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
        if self.view.world.probes.observed() {
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
        let core = &self.view.core;
        let (stores_only, posted) = (successor & READS == 0, core.posted > 0);
        if predecessor & WRITES != 0 {
            if stores_only && posted && core.figures.posts > 1 {
                self.view.fence_posts()?;
            } else if !(stores_only && core.figures.drains_in_order) || posted {
                self.view.drained()?;
            }
        }
        self.report_fence(hart, Kind::Fence { predecessor, successor });
        Ok(())
    }

    fn fence_i(&mut self, hart: &mut Hart) -> Result<()> {
        self.view.drained()?;
        self.report_fence(hart, Kind::FenceInstructions);
        self.view.core.code.clear();
        Ok(())
    }

    fn sfence(&mut self, hart: &mut Hart, at: Option<u64>, asid: Option<u16>) -> Result<()> {
        self.view.drained()?;
        self.report_fence(hart, Kind::FenceTranslation);
        self.view.core.itlb.fence(at, asid);
        self.view.core.dtlb.fence(at, asid);
        self.view.core.pages.clear();
        self.view.core.code.forget();
        Ok(())
    }

    fn cache_block(&mut self, hart: &mut Hart, _what: CacheBlock, at: u64) -> Result<()> {
        let at = at & !(LINE - 1);
        let target = self.look(hart, at, LINE, Access::CacheBlock)?;
        if let Target::Uncached(_) = target {
            // There is nothing to move.
            self.view.drained()?;
            self.report_access(hart, Kind::CacheBlock, at, LINE, target, 0);
            return Ok(());
        }
        let Target::Ram(offset) = target else {
            return Err(fault(Access::CacheBlock.access_fault(), at));
        };
        if MODE != TIMED || self.view.core.answer.take().is_some() {
            self.report_access(hart, Kind::CacheBlock, at, LINE, target, 0);
            return Ok(());
        }
        self.view.drained()?;
        let line = self.view.world.fabric.line(offset);
        if self.view.core.missing(line) {
            return self.view.wait(WaitFor::Line(line)); // a core asks for a line once at a time
        }
        self.view.core.give_up(line, State::Invalid);
        self.view.request(
            self.view.core.figures.lookup(),
            line,
            RequestKind::Operation(Operation::Flush),
        );
        self.view.wait(WaitFor::Answer)
    }

    fn pause(&mut self, _hart: &mut Hart) {}

    #[inline(always)]
    fn cost(&self, class: Class) -> Tick {
        if MODE >= TIMED { self.view.core.figures.costs[class as usize] } else { 0 }
    }

    #[inline(always)]
    fn load_use(&self) -> Tick {
        if MODE >= TIMED { self.view.core.figures.load_use } else { 0 }
    }

    #[inline(always)]
    fn taken_branch(&self) -> Tick {
        if MODE >= TIMED { self.view.core.figures.taken_branch } else { 0 }
    }

    fn trap_taken(&mut self, _hart: &mut Hart) {
        self.view.core.walk = None;
        self.view.core.split = None;
        self.view.world.probes.hit = None;
        if MODE == TIMED {
            self.view.clock += self.view.core.figures.trap;
        }
    }

    #[inline(always)]
    fn retire(&mut self, _hart: &mut Hart) -> bool {
        self.view.clock += 1;
        let go = self.view.clock < self.view.limit;
        if go {
            self.view.began = self.view.clock;
        }
        go
    }

    fn context_changed(&mut self, _hart: &mut Hart) {
        self.view.core.pages.clear();
        self.view.core.code.forget();
    }

    fn timer_changed(&mut self, _hart: &mut Hart) {
        self.timer_changed = true;
        self.view.limit = 0;
    }

    fn time(&self) -> u64 {
        self.view.world.time(self.view.clock)
    }

    fn count(&self, event: CounterEvent) -> u64 {
        if event == CounterEvent::Cycles { self.view.clock } else { self.view.core.counted(event) }
    }

    fn counters_changed(&mut self, overflows: [u64; EVENTS]) {
        self.view.core.overflows = overflows;
    }
}
