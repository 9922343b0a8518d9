// SPDX-License-Identifier: Apache-2.0
//! Control and status registers: which there are, who may touch them, what they keep of a write.

use super::Port;
use super::hart::{Hart, Privilege, STCE, interrupt, status};
use super::trap::DELEGABLE;

const FFLAGS: u32 = 0x001;
const FRM: u32 = 0x002;
const FCSR: u32 = 0x003;
const SSTATUS: u32 = 0x100;
const SIE: u32 = 0x104;
const STVEC: u32 = 0x105;
const SCOUNTEREN: u32 = 0x106;
const SENVCFG: u32 = 0x10a;
const SSCRATCH: u32 = 0x140;
const SEPC: u32 = 0x141;
const SCAUSE: u32 = 0x142;
const STVAL: u32 = 0x143;
const SIP: u32 = 0x144;
const STIMECMP: u32 = 0x14d;
const SATP: u32 = 0x180;
const SCOUNTOVF: u32 = 0xda0;
const MSTATUS: u32 = 0x300;
const MISA: u32 = 0x301;
const MEDELEG: u32 = 0x302;
const MIDELEG: u32 = 0x303;
const MIE: u32 = 0x304;
const MTVEC: u32 = 0x305;
const MCOUNTEREN: u32 = 0x306;
const MENVCFG: u32 = 0x30a;
const MCOUNTINHIBIT: u32 = 0x320;
const MHPMEVENT3: u32 = 0x323;
const MHPMEVENT31: u32 = 0x33f;
const MSCRATCH: u32 = 0x340;
const MEPC: u32 = 0x341;
const MCAUSE: u32 = 0x342;
const MTVAL: u32 = 0x343;
const MIP: u32 = 0x344;
const PMPCFG0: u32 = 0x3a0;
const PMPCFG2: u32 = 0x3a2;
const PMPADDR0: u32 = 0x3b0;
const PMPADDR15: u32 = 0x3bf;
const MCYCLE: u32 = 0xb00;
const MINSTRET: u32 = 0xb02;
const MHPMCOUNTER31: u32 = 0xb1f;
const CYCLE: u32 = 0xc00;
const TIME: u32 = 0xc01;
const INSTRET: u32 = 0xc02;
const HPMCOUNTER31: u32 = 0xc1f;
const MVENDORID: u32 = 0xf11;
const MHARTID: u32 = 0xf14;
const MCONFIGPTR: u32 = 0xf15;

/// RV64, and the letters I M A F D C S U. It cannot be changed.
const MISA_VALUE: u64 =
    2 << 62 | 1 << 0 | 1 << 2 | 1 << 3 | 1 << 5 | 1 << 8 | 1 << 12 | 1 << 18 | 1 << 20;

const MSTATUS_WRITABLE: u64 = SSTATUS_WRITABLE
    | status::MIE
    | status::MPIE
    | status::MPP
    | status::MPRV
    | status::TVM
    | status::TW
    | status::TSR;
const SSTATUS_WRITABLE: u64 =
    status::SIE | status::SPIE | status::SPP | status::FS | status::SUM | status::MXR;
/// What translation depends on.
const STATUS_CONTEXT: u64 = status::MPRV | status::MPP | status::SUM | status::MXR;

/// Bits of `menvcfg` and `senvcfg`.
pub(super) mod environment {
    pub const FIOM: u64 = 1;
    pub const CBIE_SHIFT: u32 = 4;
    pub const CBIE: u64 = 3 << CBIE_SHIFT;
    pub const CBCFE: u64 = 1 << 6;
    pub const ALL: u64 = FIOM | CBIE | CBCFE;
}

/// What a write asks of the machine.
#[derive(Default)]
pub(super) struct Effect {
    /// Translation or permissions may be others.
    pub context: bool,
    /// The next timed interrupt may be another.
    pub timer: bool,
}

impl Hart {
    /// Whether the CSR's number, the mode and the enables let the access through. That the CSR exists
    /// is for [`Hart::read_csr`] to say.
    pub(super) fn csr_permitted(&self, csr: u32, write: bool) -> bool {
        let lowest = u64::from(csr >> 8 & 3);
        let read_only = csr >> 10 & 3 == 3;
        if (self.privilege as u64) < lowest || (write && read_only) {
            return false;
        }
        match csr {
            FFLAGS | FRM | FCSR => !self.float_off(),
            SATP => self.privilege != Privilege::Supervisor || self.mstatus & status::TVM == 0,
            CYCLE..=HPMCOUNTER31 => self.counter_visible(csr - CYCLE),
            STIMECMP => {
                self.privilege == Privilege::Machine
                    || (self.sstc() && self.mcounteren >> (TIME - CYCLE) & 1 != 0)
            }
            _ => true,
        }
    }

    fn counter_visible(&self, counter: u32) -> bool {
        let enabled = match self.privilege {
            Privilege::Machine => u32::MAX,
            Privilege::Supervisor => self.mcounteren,
            Privilege::User => self.mcounteren & self.scounteren,
        };
        enabled >> counter & 1 != 0
    }

    /// The CSR's value; `None` if there is no such CSR.
    pub(crate) fn read_csr<P: Port>(&mut self, port: &P, csr: u32) -> Option<u64> {
        Some(match csr {
            FFLAGS => u64::from(self.fflags),
            FRM => u64::from(self.frm),
            FCSR => u64::from(self.frm << 5 | self.fflags),
            SSTATUS => self.status() & (SSTATUS_WRITABLE | status::UXL | status::SD),
            SIE => self.mie & self.mideleg,
            STVEC => self.stvec,
            SCOUNTEREN => u64::from(self.scounteren),
            SENVCFG => self.senvcfg,
            SSCRATCH => self.sscratch,
            SEPC => self.sepc,
            SCAUSE => self.scause,
            STVAL => self.stval,
            SIP => self.pending() & self.mideleg,
            STIMECMP => self.stimecmp,
            SATP => self.satp,
            SCOUNTOVF => {
                self.settle_counters(port);
                self.overflowed()
            }
            MSTATUS => self.status(),
            MISA => MISA_VALUE,
            MEDELEG => self.medeleg,
            MIDELEG => self.mideleg,
            MIE => self.mie,
            MTVEC => self.mtvec,
            MCOUNTEREN => u64::from(self.mcounteren),
            MENVCFG => self.menvcfg,
            MCOUNTINHIBIT => self.read_inhibit(),
            MHPMEVENT3..=MHPMEVENT31 => {
                self.settle_counters(port);
                self.read_event((csr & 31) as usize)
            }
            MSCRATCH => self.mscratch,
            MEPC => self.mepc,
            MCAUSE => self.mcause,
            MTVAL => self.mtval,
            MIP => self.pending(),
            PMPCFG0 | PMPCFG2 => self.pmp.read_config((csr - PMPCFG0) as usize / 2),
            PMPADDR0..=PMPADDR15 => self.pmp.read_address((csr - PMPADDR0) as usize),
            TIME => port.time(),
            MCYCLE | MINSTRET..=MHPMCOUNTER31 | CYCLE | INSTRET..=HPMCOUNTER31 => {
                self.read_counter(port, (csr & 31) as usize)
            }
            MHARTID => self.id,
            MVENDORID..=MCONFIGPTR => 0,
            _ => return None,
        })
    }

    /// The value that CSRRS and CSRRC change. It differs from what they read in `mip.SEIP`: they must
    /// not make the wire's level software's own.
    pub(super) fn csr_to_modify(&self, csr: u32, read: u64) -> u64 {
        match csr {
            MIP => self.software,
            _ => read,
        }
    }

    fn status(&self) -> u64 {
        let dirty = self.mstatus & status::FS == status::FS;
        self.mstatus | status::UXL | status::SXL | if dirty { status::SD } else { 0 }
    }

    /// Writes a CSR that exists and may be written.
    pub(super) fn write_csr<P: Port>(&mut self, port: &mut P, csr: u32, value: u64) -> Effect {
        let mut effect = Effect::default();
        match csr {
            FFLAGS => self.write_fcsr(u64::from(self.frm) << 5 | value & 0x1f),
            FRM => self.write_fcsr((value & 7) << 5 | u64::from(self.fflags)),
            FCSR => self.write_fcsr(value),
            SSTATUS => effect.context = self.write_status(value, SSTATUS_WRITABLE),
            SIE => replace(&mut self.mie, value, self.mideleg),
            STVEC => write_vector(&mut self.stvec, value),
            SCOUNTEREN => self.scounteren = value as u32,
            SENVCFG => self.senvcfg = environment(self.senvcfg, value, environment::ALL),
            SSCRATCH => self.sscratch = value,
            SEPC => self.sepc = value & !1,
            SCAUSE => self.scause = value,
            STVAL => self.stval = value,
            SIP => {
                let writable = (interrupt::SSI | interrupt::LCOFI) & self.mideleg;
                replace(&mut self.software, value, writable);
            }
            STIMECMP => {
                self.stimecmp = value;
                self.timer_due(port.time());
                effect.timer = true;
            }
            SATP => effect.context = self.write_satp(value),
            MSTATUS => effect.context = self.write_status(value, MSTATUS_WRITABLE),
            MEDELEG => self.medeleg = value & DELEGABLE,
            MIDELEG => self.mideleg = value & interrupt::SUPERVISOR,
            MIE => self.mie = value & interrupt::ALL,
            MTVEC => write_vector(&mut self.mtvec, value),
            MCOUNTEREN => self.mcounteren = value as u32,
            MENVCFG => {
                self.menvcfg = environment(self.menvcfg, value, environment::ALL | STCE);
                self.timer_due(port.time());
                effect.timer = true;
            }
            MSCRATCH => self.mscratch = value,
            MEPC => self.mepc = value & !1,
            MCAUSE => self.mcause = value,
            MTVAL => self.mtval = value,
            MIP => {
                let timer = if self.sstc() { interrupt::STI } else { 0 };
                replace(&mut self.software, value, interrupt::SUPERVISOR & !timer);
            }
            PMPCFG0 | PMPCFG2 => {
                self.pmp.write_config((csr - PMPCFG0) as usize / 2, value);
                effect.context = true;
            }
            PMPADDR0..=PMPADDR15 => {
                self.pmp.write_address((csr - PMPADDR0) as usize, value);
                effect.context = true;
            }
            _ => effect.timer = self.write_counting(port, csr, value),
        }
        effect
    }

    /// The counters' CSRs. Writes of others (`misa`) change nothing.
    fn write_counting<P: Port>(&mut self, port: &mut P, csr: u32, value: u64) -> bool {
        let counter = (csr & 31) as usize;
        match csr {
            MCOUNTINHIBIT => self.write_inhibit(port, value),
            MHPMEVENT3..=MHPMEVENT31 => self.write_event(port, counter, value),
            MCYCLE | MINSTRET..=MHPMCOUNTER31 => self.write_counter(port, counter, value),
            _ => return false,
        }
        true
    }

    fn write_fcsr(&mut self, value: u64) {
        self.fflags = value as u8 & 0x1f;
        self.frm = (value >> 5) as u8 & 7;
        self.float_dirty();
    }

    /// Whether translation depends on what changed.
    fn write_status(&mut self, value: u64, writable: u64) -> bool {
        let old = self.mstatus;
        replace(&mut self.mstatus, value, writable);
        if self.mstatus & status::MPP == 2 << status::MPP_SHIFT {
            replace(&mut self.mstatus, old, status::MPP);
        }
        (old ^ self.mstatus) & STATUS_CONTEXT != 0
    }

    /// Bare and Sv39 are there; with another mode the write does nothing.
    fn write_satp(&mut self, value: u64) -> bool {
        let known = matches!(value >> 60, 0 | 8);
        if known {
            self.satp = value;
        }
        known
    }
}

/// Replaces the bits of `mask`.
fn replace(field: &mut u64, value: u64, mask: u64) {
    *field = *field & !mask | value & mask;
}

/// Direct and vectored are there; with another mode the write does nothing.
fn write_vector(field: &mut u64, value: u64) {
    if value & 3 < 2 {
        *field = value;
    }
}

/// The new value of `menvcfg` or `senvcfg`; CBIE's reserved value leaves CBIE as it was.
fn environment(old: u64, value: u64, writable: u64) -> u64 {
    let value = value & writable;
    match value & environment::CBIE {
        bits if bits == 2 << environment::CBIE_SHIFT => {
            value & !environment::CBIE | old & environment::CBIE
        }
        _ => value,
    }
}
