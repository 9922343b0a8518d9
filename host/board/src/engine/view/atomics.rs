// SPDX-License-Identifier: Apache-2.0
//! Atomic operations, LR and SC: where they go, and what they wait for.

use super::{HartView, Result, TIMED, Target, fault};
use crate::{
    engine::event::AccessOp,
    isa::{Access, Amo, Hart},
    memory::{
        core::WaitFor,
        request::{Operation, RequestKind},
        tags::State,
    },
};

impl<const MODE: u8> HartView<'_, MODE> {
    /// Answers what was there before, and where, unless it waited for that.
    pub(super) fn atomic_somewhere<const N: usize>(
        &mut self,
        hart: &mut Hart,
        amo: Amo,
        address: u64,
        operand: u64,
    ) -> Result<(u64, Option<Target>)> {
        if let Some(answer) = self.view.core.answer.take() {
            let Ok(old) = answer else {
                return Err(fault(Access::Store.access_fault(), address));
            };
            if !self.view.world.probes.watches.is_empty() {
                self.notice_answered(hart, address, N as u64)?;
            }
            return Ok((old, None));
        }
        let target = self.atomic_at(hart, address, N, Access::Store)?;
        let offset = match target {
            Target::Ram(offset) => offset,
            Target::Scratchpad(pad, offset) => {
                let old =
                    self.view.scratchpad(pad, offset, N as u8, AccessOp::Atomic(amo, operand))?;
                return Ok((old, Some(target)));
            }
            Target::Uncached(offset) => {
                self.notice(address, offset, N as u64, Access::Load);
                let old = self.view.direct(offset, N as u8, AccessOp::Atomic(amo, operand))?;
                return Ok((old, Some(target)));
            }
            Target::Device(_) => return Err(fault(Access::Store.access_fault(), address)),
        };
        self.notice(address, offset, N as u64, Access::Load);
        let line = self.view.world.fabric.line(offset);
        if MODE == TIMED && self.view.core.figures.atomics_at_home {
            if self.view.core.missing(line) {
                return self.view.wait(WaitFor::Line(line));
            }
            self.view.core.give_up(line, State::Invalid);
            let operation = Operation::Atomic { amo, offset, bytes: N as u8, operand };
            self.view.request(
                self.view.core.figures.lookup(),
                line,
                RequestKind::Operation(operation),
            );
            return self.view.wait(WaitFor::Answer);
        }
        self.view.line_ready(line, true)?;
        let old = self.view.world.fabric.ram.read::<N>(offset);
        self.view.world.fabric.ram.write::<N>(offset, amo.apply(N as u8, old, operand));
        Ok((old, Some(target)))
    }

    /// An atomic operation that was performed elsewhere is complete only now: what it noticed before it waited is
    /// forgotten. It was translated then, which this finds again at no cost.
    fn notice_answered(&mut self, hart: &mut Hart, address: u64, bytes: u64) -> Result<()> {
        let target = self.look(hart, address, bytes, Access::Store)?;
        if let Target::Ram(offset) | Target::Uncached(offset) = target {
            self.notice(address, offset, bytes, Access::Load);
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
        self.view.fails_in_trial()?;
        if at % n as u64 != 0 {
            return Err(fault(access.misaligned(), at));
        }
        let fast = if access == Access::Load {
            self.view.core.pages.read(at)
        } else {
            self.view.core.pages.write(at)
        };
        let offset = match fast {
            Some(offset) => offset,
            None => match self.look(hart, at, n as u64, access)? {
                Target::Ram(offset) => offset,
                Target::Device(_) => return Err(fault(access.access_fault(), at)),
                other => return Ok(other),
            },
        };
        if MODE == TIMED && !self.view.core.stores.is_empty() {
            return self.view.wait(WaitFor::Drained);
        }
        Ok(Target::Ram(offset))
    }
}
