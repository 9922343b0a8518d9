// SPDX-License-Identifier: Apache-2.0
//! Random blocks of some 200 instructions. Any instruction may stand in any mode: what is not
//! allowed traps, and the runtime records it and goes on behind.

use fastrand::Rng;

use super::code::Code;
use super::operations::{self, Form, Operation};

/// A privilege mode, as `mstatus.MPP` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    User = 0,
    Supervisor = 1,
    Machine = 3,
}

/// What the block may do that would lead out of the runtime's hands if it did all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// M-mode CSRs get any value; the block stays in its mode.
    Csrs,
    /// `mret` and `sret` lead to lower modes; what delegates keeps the values of the start.
    Modes,
}

pub const SP: u32 = 2;
pub const GP: u32 = 3;
pub const TP: u32 = 4;
/// In the middle of the data: 1 KiB below and 512 bytes above may be written, then come 1.5 KiB of
/// special values.
pub const S0: u32 = 8;
/// The middle of the addresses that the random page tables translate.
pub const S1: u32 = 9;

pub struct Generator<'a> {
    pub rng: &'a mut Rng,
    pub code: &'a mut Code,
    pub mode: Mode,
    pub flavour: Flavour,
    /// The mode in which the block begins, and what `mstatus.TSR` and `TW` are there.
    pub begun: Mode,
    pub traps: u64,
    /// The block made a supervisor's external interrupt pending.
    pub external_pending: bool,
    /// Translated accesses are aligned: QEMU asks PMP for the bytes behind the page of one that
    /// crosses pages.
    pub aligned: bool,
    /// Registers that may not be written now.
    pub locked: u32,
    /// Within how many branches, loops and calls.
    pub depth: u32,
}

const ALWAYS_LOCKED: u32 = 1 << SP | 1 << GP | 1 << TP | 1 << S0 | 1 << S1;

impl<'a> Generator<'a> {
    pub fn new(
        rng: &'a mut Rng,
        code: &'a mut Code,
        mode: Mode,
        flavour: Flavour,
        traps: u64,
    ) -> Self {
        Self {
            rng,
            code,
            mode,
            flavour,
            begun: mode,
            traps,
            external_pending: false,
            aligned: false,
            locked: ALWAYS_LOCKED,
            depth: 0,
        }
    }

    /// Writes some more than so many; where the items begin.
    pub fn block(&mut self, instructions: usize) -> Vec<usize> {
        let end = self.code.marks.len() + instructions;
        let mut starts = Vec::new();
        while self.code.marks.len() < end {
            starts.push(self.code.here());
            self.item();
        }
        starts
    }

    pub fn item(&mut self) {
        match self.rng.u32(0..128) {
            0..22 => self.one_of(operations::ALU),
            22..28 => self.one_of(operations::MULTIPLY),
            28..40 => self.one_of(operations::BITS),
            40..52 => self.one_of(operations::MEMORY),
            52..76 => self.float(),
            76..98 => self.one_of(operations::COMPRESSED),
            98..103 => self.one_of(operations::ATOMICS),
            103..105 => self.one_of(operations::RESERVED),
            105..111 => self.branch(),
            111 => self.repeat(),
            112 => self.call(),
            113 => self.fence(),
            114..116 => self.float_environment(),
            116..119 => self.csr(),
            119 => self.trap(),
            120..125 => self.access_in_tables(),
            125 => self.jump_into_tables(),
            126 => self.interrupt(),
            _ => self.change_mode(),
        }
    }

    pub fn one_of(&mut self, table: &'static [Operation]) {
        let operation = table[self.rng.usize(0..table.len())];
        self.instruction(operation);
    }

    fn float(&mut self) {
        if self.rng.u8(0..3) == 0 {
            let (fd, imm) = (self.any(), self.special());
            self.code.i("fld", 0x3007, fd, S0, imm);
        }
        if self.rng.u8(0..4) == 0 {
            // Flags stick: what the next instruction raises is seen only if they are down.
            let rd = self.rd();
            self.code.emit("csrrwi", 0x0010_5073 | rd << 7);
        }
        let conversions = operations::FLOAT_CONVERSIONS;
        let table = if self.rng.u8(0..16) == 0 { conversions } else { operations::FLOAT };
        self.one_of(table);
    }

    // Registers and immediates.

    pub fn any(&mut self) -> u32 {
        self.rng.u32(0..32)
    }

    pub fn rd(&mut self) -> u32 {
        loop {
            let rd = self.any();
            if self.locked >> rd & 1 == 0 {
                return rd;
            }
        }
    }

    /// Neither x0 nor one that compressed instructions name with 3 bits, so that some of those stay
    /// free.
    pub fn scratch(&mut self) -> u32 {
        loop {
            let rd = self.rd();
            if rd != 0 && !(8..16).contains(&rd) {
                return rd;
            }
        }
    }

    pub fn rd3(&mut self) -> u32 {
        self.rng.u32(2..8)
    }

    pub fn any3(&mut self) -> u32 {
        self.rng.u32(0..8)
    }

    /// The offset of a special value from s0.
    pub fn special(&mut self) -> i32 {
        512 + 8 * self.rng.i32(0..192)
    }

    /// An offset from s0 to data that may be written.
    fn offset(&mut self, bytes: u8) -> i32 {
        let offset = self.rng.i32(-1024..504);
        if self.rng.u8(0..4) == 0 { offset } else { offset & -i32::from(bytes) }
    }

    fn rounding(&mut self) -> u32 {
        match self.rng.u32(0..64) {
            0 => self.rng.u32(5..7) << 12,
            1..24 => 7 << 12,
            r => (r % 5) << 12,
        }
    }

    fn imm6(&mut self) -> u32 {
        self.rng.u32(0..32) << 2 | self.rng.u32(0..2) << 12
    }

    fn imm6_not_0(&mut self) -> u32 {
        loop {
            let imm = self.imm6();
            if imm != 0 {
                return imm;
            }
        }
    }

    /// The register and immediate of an access to the data: s0, or another that is set to point
    /// there.
    fn place(&mut self, bytes: u8, load: bool) -> (u32, i32) {
        let offset =
            if load && self.rng.u8(0..3) == 0 { self.special() } else { self.offset(bytes) };
        if self.rng.u8(0..4) != 0 {
            return (S0, offset);
        }
        let base = self.scratch();
        let part = self.rng.i32(-1000..1000);
        let part = if (-2048..2048).contains(&(offset - part)) { part } else { 0 };
        self.code.addi(base, S0, offset - part);
        (base, part)
    }

    /// One of the table, with its free fields chosen.
    fn instruction(&mut self, o: Operation) {
        use Form::*;
        let (name, bits) = (o.name, o.bits);
        match o.form {
            R => {
                let (rd, rs1, rs2) = (self.rd(), self.any(), self.any());
                self.code.r(name, bits, rd, rs1, rs2);
            }
            I => {
                let (rd, rs1, imm) = (self.rd(), self.any(), self.rng.i32(-2048..2048));
                self.code.i(name, bits, rd, rs1, imm);
            }
            Unary if name == "ctzw" => {
                // QEMU looks into the upper half when the lower is zero.
                let (rd, word, rs1) = (self.rd(), self.scratch(), self.any());
                self.code.r("add.uw", 0x0800_003b, word, rs1, 0);
                self.code.r(name, bits, rd, word, 0);
            }
            Shift6 | Shift5 | Unary => {
                let limit =
                    [(Shift6, 64), (Shift5, 32)].iter().find(|l| l.0 == o.form).map_or(1, |l| l.1);
                let (rd, rs1, amount) = (self.rd(), self.any(), self.rng.u32(0..limit));
                self.code.r(name, bits, rd, rs1, amount);
            }
            U => {
                let (rd, imm) = (self.rd(), self.rng.u32(..) << 12);
                self.code.emit(name, bits | rd << 7 | imm);
            }
            Load(bytes) | FloatLoad(bytes) => {
                let (base, imm) = self.place(bytes, true);
                let rd = if matches!(o.form, Load(_)) { self.rd() } else { self.any() };
                self.code.i(name, bits, rd, base, imm);
            }
            Store(bytes) | FloatStore(bytes) => {
                let (base, imm) = self.place(bytes, false);
                let rs2 = self.any();
                self.code.s(name, bits, base, rs2, imm);
            }
            Branch | CBranch => self.branch(),
            Amo(bytes) => {
                let base = self.scratch();
                let offset = self.rng.i32(-1024..504);
                let offset =
                    if self.rng.u8(0..24) == 0 { offset } else { offset & -i32::from(bytes) };
                self.code.addi(base, S0, offset);
                self.atomic(name, bits, base);
            }
            LoadReserved(bytes) => self.reserved(name, bits, bytes),
            Float2 | Float2Exact | FloatCompare => {
                let rd = if o.form == FloatCompare { self.rd() } else { self.any() };
                let rm = if o.form == Float2 { self.rounding() } else { 0 };
                let (rs1, rs2) = (self.any(), self.any());
                self.code.r(name, bits | rm, rd, rs1, rs2);
            }
            Float1 | FloatToInteger | FloatToIntegerExact | IntegerToFloat
            | IntegerToFloatExact => {
                let integer = matches!(o.form, FloatToInteger | FloatToIntegerExact);
                let exact = matches!(o.form, FloatToIntegerExact | IntegerToFloatExact);
                let rd = if integer { self.rd() } else { self.any() };
                let rm = if exact { 0 } else { self.rounding() };
                let rs1 = self.any();
                self.code.r(name, bits | rm, rd, rs1, 0);
            }
            Float3 => {
                let (rm, rs3) = (self.rounding(), self.any() << 27);
                let (rd, rs1, rs2) = (self.any(), self.any(), self.any());
                self.code.r(name, bits | rm | rs3, rd, rs1, rs2);
            }
            _ => self.compressed(o),
        }
    }

    fn compressed(&mut self, o: Operation) {
        use Form::*;
        let fields = match o.form {
            CAddi4spn => self.rng.u32(1..256) << 5 | self.rd3() << 2,
            CLoad(_) => self.rng.u32(0..8) << 10 | self.rng.u32(0..4) << 5 | self.rd3() << 2,
            CFloatLoad(_) | CStore(_) | CFloatStore(_) => {
                self.rng.u32(0..8) << 10 | self.rng.u32(0..4) << 5 | self.any3() << 2
            }
            CLoadSp(_) => self.scratch() << 7 | self.imm6(),
            CFloatLoadSp(_) => self.any() << 7 | self.imm6(),
            CStoreSp(_) | CFloatStoreSp(_) => self.rng.u32(0..64) << 7 | self.any() << 2,
            CImmediate | CSlli => self.rd() << 7 | self.imm6(),
            CImmediateNot0 => self.scratch() << 7 | self.imm6(),
            CLui => self.scratch() << 7 | self.imm6_not_0(),
            CAddi16sp => return self.addi16sp(o),
            CShift | CAndi => self.rd3() << 7 | self.imm6(),
            CArithmetic => self.rd3() << 7 | self.any3() << 2,
            CMove => self.rd() << 7 | self.rng.u32(1..32) << 2,
            CNop => 0,
            _ => unreachable!("{} is not compressed", o.name),
        };
        self.code.emit(o.name, o.bits | fields);
    }

    fn addi16sp(&mut self, o: Operation) {
        let imm = self.imm6_not_0();
        let bit = |from: u32, to: u32| (imm >> from & 1) << to;
        let value = bit(12, 9) | bit(6, 4) | bit(5, 6) | bit(4, 8) | bit(3, 7) | bit(2, 5);
        let value = (value as i32) << 22 >> 22;
        self.code.emit(o.name, o.bits | imm);
        let rd = self.rd();
        self.code.add(rd, SP, 0);
        self.code.addi(SP, SP, -value);
    }

    pub fn atomic(&mut self, name: &'static str, bits: u32, base: u32) {
        let (rd, rs2, order) = (self.rd(), self.any(), self.rng.u32(0..4) << 25);
        self.code.r(name, bits | order, rd, base, rs2);
    }

    /// A load-reserved, the store-conditional that succeeds, and sometimes one that fails: the
    /// reservation is gone. Where they are not allowed, QEMU's store-conditional does not trap.
    fn reserved(&mut self, name: &'static str, bits: u32, bytes: u8) {
        self.own_privilege();
        let base = self.scratch();
        let offset = self.offset(bytes) & -i32::from(bytes);
        self.code.addi(base, S0, offset);
        self.locked |= 1 << base;
        let (rd, order) = (self.rd(), self.rng.u32(0..4) << 25);
        self.code.r(name, bits | order, rd, base, 0);
        let sc = bits & 0x07ff_ffff | 0x1800_0000;
        let (rd, rs2, order) = (self.rd(), self.any(), self.rng.u32(0..4) << 25);
        self.code.r(if bytes == 4 { "sc.w" } else { "sc.d" }, sc | order, rd, base, rs2);
        if self.rng.bool() {
            let (rd, rs2) = (self.rd(), self.any());
            self.code.r("sc fails", sc, rd, base, rs2);
        }
        self.locked &= !(1 << base);
    }

    fn fence(&mut self) {
        if self.rng.bool() {
            self.code.emit("fence", 0x0f | self.rng.u32(0..256) << 20);
        } else {
            self.code.emit("fence.i", 0x100f);
        }
    }
}
