// SPDX-License-Identifier: Apache-2.0
//! The privileged rules, numbered as in `docs/src/board-rules.md`: a test for each.

mod counters;
mod csrs;
mod interrupts;
mod memory;
mod pmp;
mod traps;

use crate::flat::{FlatPort, RAM};
use takt_board::isa::{Hart, Privilege};

pub use Privilege::{Machine, Supervisor, User};

/// Where traps go; both places hold nops.
pub const M_VECTOR: u64 = RAM + 0x1000;
pub const S_VECTOR: u64 = RAM + 0x2000;

pub mod csr {
    pub const SSTATUS: u32 = 0x100;
    pub const SIE: u32 = 0x104;
    pub const STVEC: u32 = 0x105;
    pub const SCOUNTEREN: u32 = 0x106;
    pub const SENVCFG: u32 = 0x10a;
    pub const SEPC: u32 = 0x141;
    pub const SIP: u32 = 0x144;
    pub const STIMECMP: u32 = 0x14d;
    pub const SATP: u32 = 0x180;
    pub const MSTATUS: u32 = 0x300;
    pub const MISA: u32 = 0x301;
    pub const MEDELEG: u32 = 0x302;
    pub const MIDELEG: u32 = 0x303;
    pub const MIE: u32 = 0x304;
    pub const MTVEC: u32 = 0x305;
    pub const MCOUNTEREN: u32 = 0x306;
    pub const MENVCFG: u32 = 0x30a;
    pub const MCOUNTINHIBIT: u32 = 0x320;
    pub const MHPMEVENT3: u32 = 0x323;
    pub const MEPC: u32 = 0x341;
    pub const MIP: u32 = 0x344;
    pub const PMPCFG0: u32 = 0x3a0;
    pub const PMPADDR0: u32 = 0x3b0;
    pub const MCYCLE: u32 = 0xb00;
    pub const MINSTRET: u32 = 0xb02;
    pub const MHPMCOUNTER3: u32 = 0xb03;
    pub const SCOUNTOVF: u32 = 0xda0;
}

pub const SIE: u64 = 1 << 1;
pub const MIE: u64 = 1 << 3;
pub const SPIE: u64 = 1 << 5;
pub const MPIE: u64 = 1 << 7;
pub const SPP: u64 = 1 << 8;
pub const MPP_M: u64 = 3 << 11;
pub const MPP_S: u64 = 1 << 11;
pub const FS: u64 = 3 << 13;
pub const MPRV: u64 = 1 << 17;
pub const SUM: u64 = 1 << 18;
pub const MXR: u64 = 1 << 19;
pub const TVM: u64 = 1 << 20;
pub const TW: u64 = 1 << 21;
pub const TSR: u64 = 1 << 22;
pub const STCE: u64 = 1 << 63;

pub const NOP: u32 = 0x0000_0013;
pub const ECALL: u32 = 0x0000_0073;
pub const EBREAK: u32 = 0x0010_0073;
pub const SRET: u32 = 0x1020_0073;
pub const MRET: u32 = 0x3020_0073;
pub const WFI: u32 = 0x1050_0073;
pub const SFENCE: u32 = 0x1200_0073;
/// `ld x10, 0(x11)`
pub const LD: u32 = 0x0005_b503;
/// `sd x10, 0(x11)`
pub const SD: u32 = 0x00a5_b023;
pub const LR: u32 = 0x1005_b52f;
pub const SC: u32 = 0x18c5_b52f;
pub const AMOADD: u32 = 0x00c5_b52f;

/// What became of one instruction. A trap is `(cause, tval)`.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    Done,
    ToMachine(u64, u64),
    ToSupervisor(u64, u64),
}
pub use Outcome::{Done, ToMachine, ToSupervisor};

pub struct Bench {
    pub hart: Hart,
    pub port: FlatPort,
    /// The address that the instruction at `RAM` is fetched from.
    pub code: u64,
}

impl Bench {
    /// In M-mode, traps to the vectors, S and U modes allowed to all of memory.
    pub fn new() -> Self {
        let mut port = FlatPort::new(1 << 20);
        // Each rule holds however often instructions wait and begin again.
        port.hesitate = Some(fastrand::Rng::with_seed(36));
        for at in (M_VECTOR..S_VECTOR + 0x1000).step_by(4) {
            port.place_word(at, NOP);
        }
        let mut bench = Self { hart: Hart::new(0), port, code: RAM };
        bench.write(csr::MTVEC, M_VECTOR);
        bench.write(csr::STVEC, S_VECTOR);
        bench.write(csr::PMPADDR0 + 15, u64::MAX);
        bench.write(csr::PMPCFG0 + 2, 0x1f << 56);
        bench
    }

    /// Makes a bench in a mode with some bits of `mstatus` set.
    pub fn within(privilege: Privilege, mstatus: u64) -> Self {
        let mut bench = Self::new();
        bench.write(csr::MSTATUS, mstatus);
        bench.hart.privilege = privilege;
        bench
    }

    /// Executes an instruction.
    pub fn step(&mut self, word: u32) -> Outcome {
        self.port.place_word(RAM, word);
        self.hart.pc = self.code;
        self.port.run(&mut self.hart, 1);
        match self.hart.pc & !0xfff {
            M_VECTOR => ToMachine(self.hart.mcause, self.hart.mtval),
            S_VECTOR => ToSupervisor(self.hart.scause, self.hart.stval),
            _ => Done,
        }
    }

    /// Steps in a mode.
    pub fn step_in(&mut self, privilege: Privilege, word: u32) -> Outcome {
        self.hart.privilege = privilege;
        self.step(word)
    }

    /// Writes a CSR from M-mode, from physical memory.
    pub fn write(&mut self, csr: u32, value: u64) {
        let (privilege, mode, code) = (self.hart.privilege, self.hart.x[5], self.code);
        (self.hart.privilege, self.hart.x[5], self.code) = (Machine, value, RAM);
        self.step(csrrw(0, csr, 5));
        assert_eq!(self.hart.pc, RAM + 4, "writing csr {csr:#x} trapped");
        (self.hart.privilege, self.hart.x[5], self.code) = (privilege, mode, code);
    }

    pub fn read(&mut self, csr: u32) -> u64 {
        let (privilege, old, code) = (self.hart.privilege, self.hart.x[5], self.code);
        (self.hart.privilege, self.code) = (Machine, RAM);
        assert_eq!(self.step(csrrs(5, csr, 0)), Done, "reading csr {csr:#x}");
        let value = self.hart.x[5];
        (self.hart.privilege, self.hart.x[5], self.code) = (privilege, old, code);
        value
    }

    /// What comes back of a write.
    pub fn kept(&mut self, csr: u32, value: u64) -> u64 {
        self.write(csr, value);
        self.read(csr)
    }
}

pub fn csrrw(rd: u32, csr: u32, rs1: u32) -> u32 {
    csr << 20 | rs1 << 15 | 1 << 12 | rd << 7 | 0x73
}

pub fn csrrs(rd: u32, csr: u32, rs1: u32) -> u32 {
    csr << 20 | rs1 << 15 | 2 << 12 | rd << 7 | 0x73
}

pub fn csrrc(rd: u32, csr: u32, rs1: u32) -> u32 {
    csr << 20 | rs1 << 15 | 3 << 12 | rd << 7 | 0x73
}

/// An illegal instruction, trapped to M-mode.
pub fn illegal(word: u32) -> Outcome {
    ToMachine(2, u64::from(word))
}

/// The book's table and the tests have the same numbers.
#[test]
fn every_rule_has_its_test() {
    let book = include_str!("../../../../../docs/src/board-rules.md");
    let tests = [
        include_str!("traps.rs"),
        include_str!("csrs.rs"),
        include_str!("interrupts.rs"),
        include_str!("counters.rs"),
        include_str!("memory.rs"),
        include_str!("pmp.rs"),
        include_str!("../../timed/rules.rs"),
    ]
    .concat();
    let rows =
        book.lines().filter_map(|line| line.strip_prefix("| ")?.split(' ').next()?.parse().ok());
    let numbers: Vec<u32> = rows.collect();
    assert!(!numbers.is_empty() && numbers.iter().copied().eq(1..=numbers.len() as u32));
    for number in &numbers {
        assert_eq!(tests.matches(&format!("fn rule_{number:02}_")).count(), 1, "rule {number}");
    }
    assert_eq!(tests.matches("fn rule_").count(), numbers.len());
}
