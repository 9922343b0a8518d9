// SPDX-License-Identifier: Apache-2.0
//! A hart's architectural state.

use super::counters::Counters;
use super::pmp::Pmp;
use super::walk::{Access, Translation};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum Privilege {
    User = 0,
    Supervisor = 1,
    Machine = 3,
}

impl Privilege {
    /// Decodes the two bits of a field like `mstatus.MPP`; 2 is no privilege.
    pub(super) fn from_bits(bits: u64) -> Option<Self> {
        match bits & 3 {
            0 => Some(Self::User),
            1 => Some(Self::Supervisor),
            3 => Some(Self::Machine),
            _ => None,
        }
    }
}

/// Bits of `mstatus`.
pub(super) mod status {
    pub const SIE: u64 = 1 << 1;
    pub const MIE: u64 = 1 << 3;
    pub const SPIE: u64 = 1 << 5;
    pub const MPIE: u64 = 1 << 7;
    pub const SPP: u64 = 1 << 8;
    pub const MPP_SHIFT: u32 = 11;
    pub const MPP: u64 = 3 << MPP_SHIFT;
    pub const FS: u64 = 3 << 13;
    pub const MPRV: u64 = 1 << 17;
    pub const SUM: u64 = 1 << 18;
    pub const MXR: u64 = 1 << 19;
    pub const TVM: u64 = 1 << 20;
    pub const TW: u64 = 1 << 21;
    pub const TSR: u64 = 1 << 22;
    /// 64 bits for U and S mode; read-only.
    pub const UXL: u64 = 2 << 32;
    pub const SXL: u64 = 2 << 34;
    pub const SD: u64 = 1 << 63;
}

/// Bits of `mip` and `mie`.
pub(super) mod interrupt {
    pub const SSI: u64 = 1 << 1;
    pub const MSI: u64 = 1 << 3;
    pub const STI: u64 = 1 << 5;
    pub const MTI: u64 = 1 << 7;
    pub const SEI: u64 = 1 << 9;
    pub const MEI: u64 = 1 << 11;
    pub const LCOFI: u64 = 1 << 13;
    /// What S-mode can be given.
    pub const SUPERVISOR: u64 = SSI | STI | SEI | LCOFI;
    pub const ALL: u64 = SUPERVISOR | MSI | MTI | MEI;
}

/// `menvcfg.STCE`: S-mode has its timer.
pub(super) const STCE: u64 = 1 << 63;

/// A hart's architectural state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hart {
    /// `x0` to `x31`; 32 takes what is written to `x0`; the rest makes every 6-bit index valid.
    #[serde(with = "crate::array")]
    pub x: [u64; 64],
    /// A single is held with its upper half all ones.
    pub f: [u64; 32],
    pub pc: u64,
    pub privilege: Privilege,
    pub id: u64,
    /// Instructions retired since the start; `minstret` is relative to it.
    pub instret: u64,

    /// Without what is constant or derived: UXL, SXL, SD.
    pub mstatus: u64,
    pub fflags: u8,
    pub frm: u8,
    pub mie: u64,
    pub mideleg: u64,
    pub medeleg: u64,
    pub mtvec: u64,
    pub mscratch: u64,
    pub mepc: u64,
    pub mcause: u64,
    pub mtval: u64,
    pub stvec: u64,
    pub sscratch: u64,
    pub sepc: u64,
    pub scause: u64,
    pub stval: u64,
    pub satp: u64,
    pub mcounteren: u32,
    pub scounteren: u32,
    pub menvcfg: u64,
    pub senvcfg: u64,
    pub stimecmp: u64,
    pub pmp: Pmp,
    pub counters: Counters,

    /// Levels of the wires MSI, MTI, SEI, MEI.
    pub lines: u64,
    /// The bits of `mip` that software (and the counters, and SSWI) set and clear.
    pub software: u64,
    /// `time` has reached `stimecmp` (while Sstc is on).
    pub timer: bool,
    /// The instruction at `pc` was begun and waits: no interrupt comes before it is complete, since
    /// a device may have answered it already.
    pub waiting: bool,
    /// The first trap since an instruction retired.
    #[serde(skip)]
    pub first_trap: FirstTrap,
}

/// Where a hart that does nothing but trap began to. For those who look at the machine only.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FirstTrap {
    /// `instret` then, and one; 0: there was none.
    pub(super) instructions: u64,
    pub cause: u64,
    pub pc: u64,
    pub tval: u64,
}

impl Hart {
    /// A hart after reset, with `mhartid` `id`. Where it begins is the machine's to say (`pc`).
    pub fn new(id: u64) -> Self {
        Self {
            x: [0; 64],
            f: [0; 32],
            pc: 0,
            privilege: Privilege::Machine,
            id,
            instret: 0,
            mstatus: 0,
            fflags: 0,
            frm: 0,
            mie: 0,
            mideleg: 0,
            medeleg: 0,
            mtvec: 0,
            mscratch: 0,
            mepc: 0,
            mcause: 0,
            mtval: 0,
            stvec: 0,
            sscratch: 0,
            sepc: 0,
            scause: 0,
            stval: 0,
            satp: 0,
            mcounteren: 0,
            scounteren: 0,
            menvcfg: 0,
            senvcfg: 0,
            stimecmp: u64::MAX,
            pmp: Pmp::default(),
            counters: Counters::default(),
            lines: 0,
            software: 0,
            timer: false,
            waiting: false,
            first_trap: FirstTrap::default(),
        }
    }

    /// Sets the level of interrupt `bit` (as in `mip`). SSI is an edge: it stays until software
    /// clears it, and a low level says nothing.
    pub fn set_pending(&mut self, bit: u64, level: bool) {
        let mask = 1 << bit;
        let field = match mask {
            interrupt::SSI | interrupt::STI | interrupt::LCOFI => &mut self.software,
            _ => &mut self.lines,
        };
        if level {
            *field |= mask & interrupt::ALL;
        } else if mask != interrupt::SSI {
            *field &= !mask;
        }
    }

    /// The value of `mip`.
    pub fn pending(&self) -> u64 {
        let (software, timer) = match self.sstc() {
            true => (self.software & !interrupt::STI, u64::from(self.timer) * interrupt::STI),
            false => (self.software, 0),
        };
        self.lines | software | timer
    }

    /// Whether WFI ends: an enabled interrupt is pending, whether it would be taken or not.
    pub fn wakes(&self) -> bool {
        self.pending() & self.mie != 0
    }

    pub(super) fn sstc(&self) -> bool {
        self.menvcfg & STCE != 0
    }

    /// The value of `time` at which [`Hart::timer_due`] must be called.
    pub fn next_timer(&self) -> Option<u64> {
        (self.sstc() && !self.timer).then_some(self.stimecmp)
    }

    /// Updates STIP for the given `time`.
    pub fn timer_due(&mut self, time: u64) {
        self.timer = self.sstc() && time >= self.stimecmp;
    }

    /// How addresses of such accesses are translated now, until [`super::Port::context_changed`].
    pub fn translation(&self, access: Access) -> Translation {
        let privilege = self.effective_privilege(access);
        Translation {
            root: (self.satp & ((1 << 44) - 1)) << 12,
            asid: (self.satp >> 44) as u16,
            sv39: privilege != Privilege::Machine && self.satp >> 60 == 8,
            privilege,
            sum: self.mstatus & status::SUM != 0,
            mxr: self.mstatus & status::MXR != 0,
        }
    }

    fn effective_privilege(&self, access: Access) -> Privilege {
        if access == Access::Fetch || self.mstatus & status::MPRV == 0 {
            return self.privilege;
        }
        self.previous_privilege()
    }

    /// `mstatus.MPP`, which never holds the reserved value.
    pub(super) fn previous_privilege(&self) -> Privilege {
        Privilege::from_bits(self.mstatus >> status::MPP_SHIFT).unwrap_or(Privilege::User)
    }

    pub(super) fn float_off(&self) -> bool {
        self.mstatus & status::FS == 0
    }

    pub(super) fn float_is_dirty(&self) -> bool {
        self.mstatus & status::FS == status::FS
    }

    pub(super) fn float_dirty(&mut self) {
        self.mstatus |= status::FS;
    }
}
