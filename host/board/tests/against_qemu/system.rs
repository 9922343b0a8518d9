// SPDX-License-Identifier: Apache-2.0
//! The generator's privileged half: CSRs, traps, translated accesses, changes of mode.

use super::generator::{Flavour, Generator, Mode, S0, S1, SP, TP};
use super::illegal::ILLEGAL;
use super::operations;

/// Where the user's view of memory begins, less the supervisor's.
pub const USER_ALIAS: u64 = 0x4000_0000;

const MSTATUS: u32 = 0x300;
const MSTATUS_MPP: i64 = 3 << 11;
const MSTATUS_SPP: i64 = 1 << 8;
const MSTATUS_MPRV: i64 = 1 << 17;
pub const MSTATUS_TVM: u64 = 1 << 20;
pub const MSTATUS_TW: u64 = 1 << 21;
pub const MSTATUS_TSR: u64 = 1 << 22;
const MSTATUS_FS: i64 = 3 << 13;
const SSTATUS: u32 = 0x100;
const MIP: u32 = 0x344;
const SIP: u32 = 0x144;
const SATP: u32 = 0x180;
const SSI: u64 = 1 << 1;
const STI: u64 = 1 << 5;
const SEI: u64 = 1 << 9;
pub const INTERRUPTS_S: u64 = SSI | STI | SEI;

/// The values that a CSR may be given so that both machines must keep the same.
#[derive(Clone, Copy)]
enum Values {
    /// Any of these bits.
    Bits(u64),
    Cause,
    /// A root or none, with an address space; or a mode that there is not: no effect.
    Satp,
}

const CSRS: &[(u32, Values)] = &[
    (0x340, Values::Bits(u64::MAX)), // mscratch
    (0x341, Values::Bits(!1)),       // mepc
    (0x342, Values::Cause),          // mcause
    (0x343, Values::Bits(u64::MAX)), // mtval
    (0x140, Values::Bits(u64::MAX)), // sscratch
    (0x141, Values::Bits(!1)),       // sepc
    (0x142, Values::Cause),          // scause
    (0x143, Values::Bits(u64::MAX)), // stval
    (0x304, Values::Bits(0x2aaa)),   // mie
    (0x104, Values::Bits(0x2222)),   // sie
    (SATP, Values::Satp),
    (0x106, Values::Bits(7)), // scounteren
    (MSTATUS, Values::Bits(0x007e_61aa)),
    (SSTATUS, Values::Bits(0x000c_6122)),
    (0x001, Values::Bits(0x1f)), // fflags
    (0x002, Values::Bits(3)),    // frm
    (0x003, Values::Bits(0x7f)), // fcsr
];

/// The CSRs that must keep their values when the block also changes modes.
const CSRS_OF_DELEGATION: &[(u32, Values)] = &[
    (0x105, Values::Bits(!2)),     // stvec
    (0x302, Values::Bits(0xb3ff)), // medeleg
    (0x303, Values::Bits(0x2222)), // mideleg
    (0x306, Values::Bits(7)),      // mcounteren
];

/// Time passes differently: read, to x0, for whether that is allowed here. The last is stimecmp.
const COUNTERS: &[u32] = &[0xc00, 0xc01, 0xc02, 0xb00, 0xb02, 0x14d];

const CAUSES: [u64; 18] = [
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    11,
    12,
    13,
    15,
    1 << 63 | 1,
    1 << 63 | 5,
    1 << 63 | 9,
    1 << 63 | 7,
];

impl Generator<'_> {
    fn csr_instruction(&mut self, funct3: u32, csr: u32, rd: u32, rs1: u32) {
        let names = ["", "csrrw", "csrrs", "csrrc", "", "csrrwi", "csrrsi", "csrrci"];
        self.code.r(names[funct3 as usize], 0x73 | funct3 << 12 | csr << 20, rd, rs1, 0);
    }

    fn set(&mut self, csr: u32, bits: i64) {
        let register = self.scratch();
        self.code.li(register, bits);
        self.csr_instruction(2, csr, 0, register);
    }

    fn clear(&mut self, csr: u32, bits: i64) {
        let register = self.scratch();
        self.code.li(register, bits);
        self.csr_instruction(3, csr, 0, register);
    }

    /// Loads and stores are those of the mode itself.
    pub fn own_privilege(&mut self) {
        if self.mode == Mode::Machine {
            self.clear(MSTATUS, MSTATUS_MPRV);
        }
    }

    fn value(&mut self, values: Values) -> u64 {
        match values {
            Values::Bits(mask) => {
                let sparse = self.rng.u64(..) & self.rng.u64(..);
                mask & if self.rng.bool() { self.rng.u64(..) } else { sparse }
            }
            Values::Cause => CAUSES[self.rng.usize(0..CAUSES.len())],
            Values::Satp => match self.rng.u8(0..4) {
                0 => 0,
                1 => 5 << 60 | self.rng.u64(0..1 << 44),
                _ => super::tables::satp(self.rng.u64(0..1 << 16)),
            },
        }
    }

    pub fn csr(&mut self) {
        if self.rng.u8(0..6) == 0 {
            let csr = COUNTERS[self.rng.usize(0..COUNTERS.len())];
            return self.csr_instruction(2, csr, 0, 0);
        }
        let free = self.flavour == Flavour::Csrs && self.mode == Mode::Machine;
        let (csr, values) = if free && self.rng.u8(0..3) == 0 {
            CSRS_OF_DELEGATION[self.rng.usize(0..CSRS_OF_DELEGATION.len())]
        } else {
            CSRS[self.rng.usize(0..CSRS.len())]
        };
        let rd = self.rd();
        match self.rng.u8(0..8) {
            // A read alone.
            0 | 1 => {
                let funct3 = self.rng.choice([2, 3, 6, 7]).unwrap_or(2);
                self.csr_instruction(funct3, csr, rd, 0);
            }
            2 | 3 => self.csr_immediate(csr, values, rd),
            _ => {
                let register = self.scratch();
                let mut value = self.value(values);
                if csr == MSTATUS && self.flavour == Flavour::Modes {
                    value &= !(MSTATUS_TSR | MSTATUS_TVM);
                }
                self.code.li(register, value as i64);
                // Setting or clearing some bits of these would make another value than those
                // allowed.
                let whole = matches!(values, Values::Cause | Values::Satp);
                let funct3 = if whole || csr == MSTATUS { 1 } else { self.rng.u32(1..4) };
                self.csr_instruction(funct3, csr, rd, register);
            }
        }
        if matches!(csr, MSTATUS | SSTATUS) {
            // Whether FS is dirty both machines may see differently (compare.rs).
            for bit in [13, 14, 63] {
                self.code.r("bclri", 0x4800_1013, rd, rd, bit);
            }
            if self.rng.u8(0..8) != 0 {
                self.set(SSTATUS, MSTATUS_FS);
            }
        }
    }

    fn csr_immediate(&mut self, csr: u32, values: Values, rd: u32) {
        let Values::Bits(mask) = values else { return };
        let imm = self.rng.u32(0..32) & mask as u32;
        // With csrrwi of mstatus, MPP is 0, floating point is off.
        let funct3 = if matches!(csr, MSTATUS | SSTATUS) { 6 } else { self.rng.u32(5..8) };
        self.csr_instruction(funct3, csr, rd, imm);
    }

    pub fn float_environment(&mut self) {
        let rd = self.rd();
        match self.rng.u8(0..8) {
            0 => {
                let rs1 = self.any();
                self.csr_instruction(1, 0x003, rd, rs1);
            }
            1 => {
                let (rs1, funct3) = (self.any(), self.rng.u32(1..4));
                self.csr_instruction(funct3, 0x001, rd, rs1);
            }
            2 => {
                // A mode that there is not, for an instruction or two.
                let mode = self.rng.u32(5..8);
                self.csr_instruction(5, 0x002, rd, mode);
                self.dynamic_rounding();
            }
            3 => self.csr_instruction(2, 0x003, rd, 0),
            _ => {}
        }
        let mode = self.rng.u32(0..5);
        self.csr_instruction(5, 0x002, 0, mode);
    }

    fn dynamic_rounding(&mut self) {
        let (fd, fs1, fs2) = (self.any(), self.any(), self.any());
        self.code.r("fadd.d", 0x0200_7053, fd, fs1, fs2);
    }

    /// Whether the bit is surely set for S-mode: no M-mode came before, in this block, to clear it.
    fn traps(&self, bit: u64) -> bool {
        self.begun == Mode::Supervisor && self.mode == Mode::Supervisor && self.traps & bit != 0
    }

    pub fn trap(&mut self) {
        match self.rng.u8(0..16) {
            0 => self.code.emit("ebreak", 0x0010_0073),
            1 => self.code.emit("c.ebreak", 0x9002),
            2 => self.code.emit("ecall", 0x73),
            3 if self.mode == Mode::User || self.traps(MSTATUS_TW) => {
                self.code.emit("wfi", 0x1050_0073)
            }
            4 if self.mode != Mode::Machine => self.code.emit("mret", 0x3020_0073),
            5 if self.mode == Mode::User || self.traps(MSTATUS_TSR) => {
                self.code.emit("sret", 0x1020_0073)
            }
            6 | 7 => {
                let (rs1, rs2) = (
                    self.rng.choice([0, S0]).unwrap_or(0),
                    self.rng.choice([0, 1, 5]).unwrap_or(0),
                );
                self.code.r("sfence.vma", 0x1200_0073, 0, rs1, rs2);
            }
            8..12 => {
                let bits = ILLEGAL[self.rng.usize(0..ILLEGAL.len())];
                self.code.emit("illegal", bits);
            }
            _ => self.anything(),
        }
    }

    /// Any encoding that writes a register at most: both machines must know it or not.
    fn anything(&mut self) {
        const OPCODES: [u32; 9] = [0x13, 0x1b, 0x33, 0x3b, 0x43, 0x47, 0x4b, 0x4f, 0x53];
        let bits = if self.rng.u8(0..8) == 0 {
            // Compressed arithmetic.
            0x8001 | self.rng.u32(0..64) << 10 & 0x1c00 | self.rd3() << 7 | self.rng.u32(0..32) << 2
        } else {
            let opcode = OPCODES[self.rng.usize(0..OPCODES.len())];
            self.rng.u32(..) & 0xffff_f000 | self.rd() << 7 | opcode
        };
        self.code.emit("anything", bits);
    }

    /// A register with an address that the random tables translate, and the offset that remains.
    fn address_in_tables(&mut self, jump: bool) -> (u32, i32) {
        let register = self.scratch();
        let page = super::tables::random_page(self.rng, jump);
        let offset = match self.rng.u8(0..8) {
            0 => 0xff8,
            1 => self.rng.i32(0xff0..0x1000),
            2 => self.rng.i32(0..0x1000),
            _ => self.rng.i32(0..16) * 8,
        };
        let offset = if self.aligned { offset & !7 } else { offset };
        // Back from the next page, since an offset has a sign.
        let (page, offset) = if offset < 0x800 {
            (page, offset)
        } else {
            (page.wrapping_add(0x1000), offset - 0x1000)
        };
        self.code.lui(register, (page >> 12) as u32 & 0xf_ffff);
        self.code.add(register, register, S1);
        (register, offset)
    }

    pub fn access_in_tables(&mut self) {
        let (base, offset) = self.address_in_tables(false);
        let o = operations::MEMORY[self.rng.usize(0..operations::MEMORY.len())];
        let other = self.any();
        let rd = if matches!(o.form, operations::Form::Load(_)) { self.rd() } else { other };
        match self.rng.u8(0..8) {
            0 => {
                let o = operations::ATOMICS[self.rng.usize(0..operations::ATOMICS.len())];
                self.code.addi(base, base, offset & !7);
                return self.atomic(o.name, o.bits, base);
            }
            1 => {
                let o = operations::RESERVED[self.rng.usize(0..2)];
                self.code.addi(base, base, offset);
                let rd = self.rd();
                return self.code.r(o.name, o.bits, rd, base, 0);
            }
            _ => {}
        }
        match o.form {
            operations::Form::Store(_) | operations::Form::FloatStore(_) => {
                self.code.s("access in the tables", o.bits, base, other, offset);
            }
            _ => self.code.i("access in the tables", o.bits, rd, base, offset),
        }
    }

    /// There is either a jump to tp or nothing that may be executed; then the runtime goes on at
    /// tp.
    pub fn jump_into_tables(&mut self) {
        if self.mode != Mode::User {
            if self.traps & MSTATUS_TVM != 0 {
                return;
            }
            // QEMU would take a translation that a load has left, and not look at what a fetch may do.
            self.code.emit("sfence.vma", 0x1200_0073);
        }
        let (base, offset) = self.address_in_tables(true);
        let (offset, link) = (offset & !1, self.rd());
        self.code.auipc(TP);
        self.code.addi(TP, TP, 12);
        self.code.i("jump into the tables", 0x67, link, base, offset);
    }

    /// One is pending at a time, or a software and a timer interrupt: of external and software ones
    /// QEMU takes the wrong first.
    pub fn interrupt(&mut self) {
        match self.mode {
            Mode::Machine => {
                self.clear(MIP, INTERRUPTS_S as i64);
                let bits = [SSI, STI, SSI | STI, SEI][self.rng.usize(0..4)];
                self.external_pending = bits == SEI;
                let register = self.scratch();
                self.code.li(register, bits as i64);
                self.csr_instruction(2, MIP, 0, register);
                let enabled = self.rng.u64(..) & INTERRUPTS_S;
                self.set(0x304, enabled as i64);
                let set = self.rng.u32(0..2);
                self.csr_instruction(if set == 0 { 7 } else { 6 }, MSTATUS, 0, 8);
                self.code.emit("interrupt", 0x0001);
            }
            Mode::Supervisor if !self.external_pending => {
                let bits = self.rng.u64(..) & INTERRUPTS_S;
                self.set(0x104, bits as i64);
                self.csr_instruction(6, SIP, 0, 2);
                self.csr_instruction(6, SSTATUS, 0, 2);
                self.code.emit("interrupt", 0x0001);
            }
            _ => {}
        }
    }

    pub fn change_mode(&mut self) {
        if self.mode == Mode::Machine && self.rng.u8(0..3) == 0 {
            return self.modify_privilege();
        }
        if self.depth != 0 || self.flavour != Flavour::Modes || self.rng.bool() {
            return;
        }
        match self.mode {
            Mode::Machine => {
                let to = if self.rng.bool() { Mode::User } else { Mode::Supervisor };
                // MPRV as well: QEMU's mret leaves it.
                self.clear(MSTATUS, MSTATUS_MPP | MSTATUS_MPRV);
                if to == Mode::Supervisor {
                    self.set(MSTATUS, 1 << 11);
                }
                self.lower("mret", 0x3020_0073, 0x341, to);
            }
            Mode::Supervisor if self.traps & MSTATUS_TSR == 0 => {
                self.clear(SSTATUS, MSTATUS_SPP);
                self.lower("sret", 0x1020_0073, 0x141, Mode::User);
            }
            _ => {}
        }
    }

    /// Goes on behind the return, in the lower mode's view of memory.
    fn lower(&mut self, name: &'static str, bits: u32, epc: u32, to: Mode) {
        let (alias, target) = (self.scratch(), 7);
        self.code.lui(alias, if to == Mode::User { (USER_ALIAS >> 12) as u32 } else { 0 });
        for register in [TP, SP, S0] {
            self.code.add(register, register, alias);
        }
        // From the auipc: addi, add, csrrw, return.
        let target = if target == alias { 6 } else { target };
        self.code.auipc(target);
        self.code.addi(target, target, 20);
        self.code.add(target, target, alias);
        self.csr_instruction(1, epc, 0, target);
        self.code.emit(name, bits);
        self.mode = to;
    }

    /// M-mode's accesses as of another mode.
    fn modify_privilege(&mut self) {
        self.clear(MSTATUS, MSTATUS_MPP);
        let to = self.rng.choice([0, 1 << 11, 3 << 11]).unwrap_or(0);
        self.set(MSTATUS, to | MSTATUS_MPRV);
        for _ in 0..self.rng.u8(1..5) {
            self.access_in_tables();
        }
        if self.rng.u8(0..4) != 0 {
            self.clear(MSTATUS, MSTATUS_MPRV);
        }
    }
}
