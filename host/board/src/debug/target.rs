// SPDX-License-Identifier: Apache-2.0
//! The machine as gdb's protocol wants to see it. Each question goes to the machine's thread.

use super::{DebugRequest, description, session::Reason, session::thread};
use crate::engine::{Machine, watch::Watch};
use gdbstub::{
    common::{Signal, Tid},
    target::{
        Target, TargetError, TargetResult,
        ext::{
            base::{BaseOps, multithread, single_register_access},
            breakpoints::{self, WatchKind},
            target_description_xml_override as xml, thread_extra_info,
        },
    },
};
use gdbstub_arch::riscv::{
    Riscv64,
    reg::{RiscvCoreRegs, id::RiscvRegId},
};
use std::sync::mpsc::{Receiver, Sender, channel};

pub struct Harts {
    asks: Sender<DebugRequest>,
    count: usize,
    pub reasons: Option<Receiver<Reason>>,
    stops: Vec<u64>,
    /// The watches as gdb asked for them, and as the machine has them.
    watches: Vec<((u64, u64, WatchKind), Watch)>,
    step: Option<u32>,
}

/// The machine is no more.
#[derive(Clone, Copy, Debug)]
pub struct MachineEnded;

impl Harts {
    pub fn new(asks: Sender<DebugRequest>, count: usize) -> Harts {
        Harts { asks, count, reasons: None, stops: Vec::new(), watches: Vec::new(), step: None }
    }

    pub fn interrupt(&self) -> Result<(), MachineEnded> {
        self.send(DebugRequest::Interrupt)
    }

    pub fn gone(&self, killed: bool) {
        // The machine may have gone before.
        let _ = self.send(if killed { DebugRequest::Killed } else { DebugRequest::Detached });
    }

    fn send(&self, ask: DebugRequest) -> Result<(), MachineEnded> {
        self.asks.send(ask).map_err(|_| MachineEnded)
    }

    /// Has the machine's thread do it, and waits for what it answers.
    fn ask<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Machine) -> R + Send + 'static,
    ) -> Result<R, MachineEnded> {
        let (answer, answered) = channel();
        self.send(DebugRequest::Do(Box::new(move |machine| {
            let _ = answer.send(work(machine));
        })))?;
        answered.recv().map_err(|_| MachineEnded)
    }

    /// Asks as `ask` does for what a hart may refuse.
    fn try_ask<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Machine) -> Option<R> + Send + 'static,
    ) -> TargetResult<R, Self> {
        self.ask(work).map_err(TargetError::Fatal)?.ok_or(TargetError::NonFatal)
    }

    fn set_stops(&self) -> TargetResult<bool, Self> {
        let stops = self.stops.clone();
        self.ask(|machine| machine.set_stops(stops)).map_err(TargetError::Fatal)?;
        Ok(true)
    }

    fn set_watches(&self) -> TargetResult<bool, Self> {
        let watches = self.watches.iter().map(|(_, watch)| *watch).collect();
        self.ask(|machine| machine.set_watches(watches)).map_err(TargetError::Fatal)?;
        Ok(true)
    }
}

fn hart(tid: Tid) -> usize {
    tid.get() - 1
}

/// What of `bytes` from `offset` fits, and how much that is.
fn part(bytes: &[u8], offset: u64, length: usize, to: &mut [u8]) -> usize {
    let rest = bytes.get(offset as usize..).unwrap_or_default();
    let count = rest.len().min(length).min(to.len());
    to[..count].copy_from_slice(&rest[..count]);
    count
}

impl Target for Harts {
    type Arch = Riscv64;
    type Error = MachineEnded;

    fn base_ops(&mut self) -> BaseOps<'_, Riscv64, MachineEnded> {
        BaseOps::MultiThread(self)
    }

    fn support_breakpoints(&mut self) -> Option<breakpoints::BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_target_description_xml_override(
        &mut self,
    ) -> Option<xml::TargetDescriptionXmlOverrideOps<'_, Self>> {
        Some(self)
    }
}

impl xml::TargetDescriptionXmlOverride for Harts {
    fn target_description_xml(
        &self,
        annex: &[u8],
        offset: u64,
        length: usize,
        to: &mut [u8],
    ) -> TargetResult<usize, Self> {
        match annex {
            b"target.xml" => Ok(part(description::xml().as_bytes(), offset, length, to)),
            _ => Err(TargetError::NonFatal),
        }
    }
}

impl multithread::MultiThreadBase for Harts {
    fn read_registers(&mut self, to: &mut RiscvCoreRegs<u64>, tid: Tid) -> TargetResult<(), Self> {
        *to = self.try_ask(move |machine| machine.registers(hart(tid)))?;
        Ok(())
    }

    fn write_registers(&mut self, from: &RiscvCoreRegs<u64>, tid: Tid) -> TargetResult<(), Self> {
        let from = from.clone();
        self.try_ask(move |machine| machine.set_registers(hart(tid), &from))
    }

    fn support_single_register_access(
        &mut self,
    ) -> Option<single_register_access::SingleRegisterAccessOps<'_, Tid, Self>> {
        Some(self)
    }

    fn read_addrs(&mut self, start: u64, to: &mut [u8], tid: Tid) -> TargetResult<usize, Self> {
        let count = to.len();
        let bytes = self.ask(move |machine| machine.examine(hart(tid), start, count));
        let bytes = bytes.map_err(TargetError::Fatal)?;
        if bytes.is_empty() {
            return Err(TargetError::NonFatal);
        }
        Ok(part(&bytes, 0, count, to))
    }

    fn write_addrs(&mut self, start: u64, from: &[u8], tid: Tid) -> TargetResult<(), Self> {
        let from = from.to_vec();
        self.try_ask(move |machine| machine.alter(hart(tid), start, &from))
    }

    fn list_active_threads(&mut self, each: &mut dyn FnMut(Tid)) -> Result<(), MachineEnded> {
        (0..self.count as u32).for_each(|hart| each(thread(hart)));
        Ok(())
    }

    fn support_resume(&mut self) -> Option<multithread::MultiThreadResumeOps<'_, Self>> {
        Some(self)
    }

    fn support_thread_extra_info(
        &mut self,
    ) -> Option<thread_extra_info::ThreadExtraInfoOps<'_, Self>> {
        Some(self)
    }
}

impl single_register_access::SingleRegisterAccess<Tid> for Harts {
    fn read_register(
        &mut self,
        tid: Tid,
        register: RiscvRegId<u64>,
        to: &mut [u8],
    ) -> TargetResult<usize, Self> {
        let value = self.try_ask(move |machine| machine.register(hart(tid), register))?;
        Ok(part(&value.to_le_bytes(), 0, to.len(), to))
    }

    fn write_register(
        &mut self,
        tid: Tid,
        register: RiscvRegId<u64>,
        from: &[u8],
    ) -> TargetResult<(), Self> {
        let mut value = [0; 8];
        part(from, 0, 8, &mut value);
        let value = u64::from_le_bytes(value);
        self.try_ask(move |machine| machine.set_register(hart(tid), register, value))
    }
}

impl thread_extra_info::ThreadExtraInfo for Harts {
    fn thread_extra_info(&self, tid: Tid, to: &mut [u8]) -> Result<usize, MachineEnded> {
        let text = self.ask(move |machine| machine.doing(hart(tid)))?;
        Ok(part(text.as_bytes(), 0, to.len(), to))
    }
}

impl multithread::MultiThreadResume for Harts {
    fn resume(&mut self) -> Result<(), MachineEnded> {
        self.send(DebugRequest::Resume { step: self.step })
    }

    fn clear_resume_actions(&mut self) -> Result<(), MachineEnded> {
        self.step = None;
        Ok(())
    }

    /// All harts go on whenever one does.
    fn set_resume_action_continue(
        &mut self,
        _: Tid,
        _: Option<Signal>,
    ) -> Result<(), MachineEnded> {
        Ok(())
    }

    fn support_scheduler_locking(
        &mut self,
    ) -> Option<multithread::MultiThreadSchedulerLockingOps<'_, Self>> {
        Some(self)
    }

    fn support_single_step(&mut self) -> Option<multithread::MultiThreadSingleStepOps<'_, Self>> {
        Some(self)
    }
}

/// gdb wants the others to stand while it steps a hart off a breakpoint. They cannot: the run would be
/// another, and memory would not answer. They go on for the time of that instruction.
impl multithread::MultiThreadSchedulerLocking for Harts {
    fn set_resume_action_scheduler_lock(&mut self) -> Result<(), MachineEnded> {
        Ok(())
    }
}

impl multithread::MultiThreadSingleStep for Harts {
    fn set_resume_action_step(&mut self, tid: Tid, _: Option<Signal>) -> Result<(), MachineEnded> {
        self.step = Some(hart(tid) as u32);
        Ok(())
    }
}

impl breakpoints::Breakpoints for Harts {
    fn support_sw_breakpoint(&mut self) -> Option<breakpoints::SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<breakpoints::HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<breakpoints::HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

impl breakpoints::SwBreakpoint for Harts {
    fn add_sw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        self.stops.push(address);
        self.set_stops()
    }

    fn remove_sw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        let Some(at) = self.stops.iter().position(|stop| *stop == address) else {
            return Ok(false);
        };
        self.stops.swap_remove(at);
        self.set_stops()
    }
}

/// Both kinds are the same here: neither is written into memory.
impl breakpoints::HwBreakpoint for Harts {
    fn add_hw_breakpoint(&mut self, address: u64, kind: usize) -> TargetResult<bool, Self> {
        breakpoints::SwBreakpoint::add_sw_breakpoint(self, address, kind)
    }

    fn remove_hw_breakpoint(&mut self, address: u64, kind: usize) -> TargetResult<bool, Self> {
        breakpoints::SwBreakpoint::remove_sw_breakpoint(self, address, kind)
    }
}

impl breakpoints::HwWatchpoint for Harts {
    fn add_hw_watchpoint(&mut self, at: u64, n: u64, kind: WatchKind) -> TargetResult<bool, Self> {
        let found = self.ask(move |machine| machine.in_ram(at, n)).map_err(TargetError::Fatal)?;
        let Some(offset) = found else { return Ok(false) };
        let (reads, writes) = (kind != WatchKind::Write, kind != WatchKind::Read);
        self.watches.push(((at, n, kind), Watch { offset, bytes: n, reads, writes }));
        self.set_watches()
    }

    fn remove_hw_watchpoint(
        &mut self,
        at: u64,
        n: u64,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        let asked = self.watches.iter().position(|(asked, _)| *asked == (at, n, kind));
        let Some(index) = asked else { return Ok(false) };
        self.watches.swap_remove(index);
        self.set_watches()
    }
}
