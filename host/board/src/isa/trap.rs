// SPDX-License-Identifier: Apache-2.0
//! Exceptions, interrupts, and the way back.

use super::hart::{FirstTrap, Hart, Privilege, interrupt, status};
use super::{Exception, Port};

/// `mcause`'s bit that says interrupt.
const INTERRUPT: u64 = 1 << 63;

/// Exceptions that `medeleg` can give to S-mode: all but the environment call from M-mode.
pub(super) const DELEGABLE: u64 = 0xb3ff;

/// Interrupts in the order of their priority.
const PRIORITY: [u64; 7] = [
    interrupt::MEI,
    interrupt::MSI,
    interrupt::MTI,
    interrupt::SEI,
    interrupt::SSI,
    interrupt::STI,
    interrupt::LCOFI,
];

impl Hart {
    /// The interrupt that must be taken now.
    pub(crate) fn interrupt(&self) -> Option<u64> {
        let waiting = self.pending() & self.mie;
        if waiting == 0 {
            return None;
        }
        let machine = waiting & !self.mideleg;
        let supervisor = waiting & self.mideleg;
        let taken = if machine != 0 && self.enabled(Privilege::Machine, status::MIE) {
            machine
        } else if supervisor != 0 && self.enabled(Privilege::Supervisor, status::SIE) {
            supervisor
        } else {
            return None;
        };
        PRIORITY.iter().find(|&&bit| taken & bit != 0).map(|bit| u64::from(bit.trailing_zeros()))
    }

    /// Whether interrupts that belong to a privilege are taken now.
    fn enabled(&self, owner: Privilege, enable: u64) -> bool {
        self.privilege < owner || (self.privilege == owner && self.mstatus & enable != 0)
    }

    /// Takes the interrupt that is due, if one is.
    #[inline]
    pub(super) fn take_interrupt<P: Port>(&mut self, port: &mut P) {
        if self.pending() & self.mie == 0 {
            return;
        }
        if let Some(cause) = self.interrupt() {
            let supervisor = self.mideleg >> cause & 1 != 0;
            self.enter(port, supervisor, INTERRUPT | cause, 0);
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn raise<P: Port>(&mut self, port: &mut P, exception: Exception) {
        let delegated = self.medeleg >> exception.cause & 1 != 0;
        let supervisor = delegated && self.privilege <= Privilege::Supervisor;
        self.enter(port, supervisor, exception.cause, exception.tval);
    }

    fn enter<P: Port>(&mut self, port: &mut P, supervisor: bool, cause: u64, tval: u64) {
        let instructions = self.instret.wrapping_add(1);
        if self.first_trap.instructions != instructions {
            let pc = self.pc;
            self.first_trap = FirstTrap { instructions, cause, pc, tval };
        }
        let from = self.privilege as u64;
        let (vector, privilege) = if supervisor {
            (self.scause, self.sepc, self.stval) = (cause, self.pc, tval);
            let stacked = stack(self.mstatus, status::SIE, status::SPIE);
            self.mstatus = (stacked & !status::SPP) | (from * status::SPP);
            (self.stvec, Privilege::Supervisor)
        } else {
            (self.mcause, self.mepc, self.mtval) = (cause, self.pc, tval);
            let stacked = stack(self.mstatus, status::MIE, status::MPIE);
            self.mstatus = (stacked & !status::MPP) | (from << status::MPP_SHIFT);
            (self.mtvec, Privilege::Machine)
        };
        let vectored = vector & 1 != 0 && cause & INTERRUPT != 0;
        let offset = if vectored { 4 * (cause & !INTERRUPT) } else { 0 };
        self.pc = (vector & !3).wrapping_add(offset);
        self.change_privilege(port, privilege);
        port.trap_taken(self);
    }

    pub(super) fn return_from_machine<P: Port>(&mut self, port: &mut P) {
        let to = self.previous_privilege();
        self.mstatus = unstack(self.mstatus, status::MIE, status::MPIE) & !status::MPP;
        self.return_to(port, to, self.mepc);
    }

    pub(super) fn return_from_supervisor<P: Port>(&mut self, port: &mut P) {
        let user = self.mstatus & status::SPP == 0;
        let to = if user { Privilege::User } else { Privilege::Supervisor };
        self.mstatus = unstack(self.mstatus, status::SIE, status::SPIE) & !status::SPP;
        self.return_to(port, to, self.sepc);
    }

    fn return_to<P: Port>(&mut self, port: &mut P, privilege: Privilege, pc: u64) {
        if privilege != Privilege::Machine {
            self.mstatus &= !status::MPRV;
        }
        self.pc = pc;
        self.change_privilege(port, privilege);
    }

    fn change_privilege<P: Port>(&mut self, port: &mut P, privilege: Privilege) {
        self.change_counting(port, |hart| hart.privilege = privilege);
        port.context_changed(self);
    }
}

/// Moves an interrupt enable to where a trap keeps it.
fn stack(mstatus: u64, enable: u64, previous: u64) -> u64 {
    let was = if mstatus & enable != 0 { previous } else { 0 };
    mstatus & !enable & !previous | was
}

/// The way back; the kept one becomes 1.
fn unstack(mstatus: u64, enable: u64, previous: u64) -> u64 {
    let was = if mstatus & previous != 0 { enable } else { 0 };
    mstatus & !enable | previous | was
}
