// SPDX-License-Identifier: Apache-2.0
//! A decoded instruction: eight bytes, made once and executed often.

use Op::*;

/// What an instruction does. Variants are the assembler's mnemonics without the dots.
/// The order matters in two places: all from [`Op::FmaddS`] compute with floats, and loads are together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
#[rustfmt::skip]
pub enum Op {
    /// Not decoded yet: of an instruction that ends in the next line only the first half is known.
    #[default]
    Undecoded,
    /// `imm` is the instruction's bits.
    Illegal,
    // Loads whose result the next instruction may have to wait for.
    Lb, Lh, Lw, Ld, Lbu, Lhu, Lwu, Flw, Fld,
    Sb, Sh, Sw, Sd, Fsw, Fsd,
    Lui, Auipc, Jal, Jalr, Beq, Bne, Blt, Bge, Bltu, Bgeu,
    Addi, Slti, Sltiu, Xori, Ori, Andi, Slli, Srli, Srai, Addiw, Slliw, Srliw, Sraiw,
    Add, Sub, Sll, Slt, Sltu, Xor, Srl, Sra, Or, And, Addw, Subw, Sllw, Srlw, Sraw,
    Mul, Mulh, Mulhsu, Mulhu, Div, Divu, Rem, Remu, Mulw, Divw, Divuw, Remw, Remuw,
    // Zba
    Sh1add, Sh2add, Sh3add, Sh1adduw, Sh2adduw, Sh3adduw, Adduw, Slliuw,
    // Zbb
    Andn, Orn, Xnor, Clz, Ctz, Cpop, Clzw, Ctzw, Cpopw, Max, Maxu, Min, Minu, Sextb, Sexth, Zexth,
    Rol, Ror, Rori, Rolw, Rorw, Roriw, Orcb, Rev8,
    // Zbs
    Bclr, Bext, Binv, Bset, Bclri, Bexti, Binvi, Bseti,
    // From here on `imm` is the instruction's word.
    LrW, LrD, ScW, ScD, AmoW, AmoD,
    Fence, FenceI, Pause, CboInval, CboClean, CboFlush,
    Ecall, Ebreak, Mret, Sret, Wfi, SfenceVma,
    Csrrw, Csrrs, Csrrc, Csrrwi, Csrrsi, Csrrci,
    FmaddS, FmsubS, FnmsubS, FnmaddS, FmaddD, FmsubD, FnmsubD, FnmaddD,
    FaddS, FsubS, FmulS, FdivS, FsqrtS, FaddD, FsubD, FmulD, FdivD, FsqrtD,
    FsgnjS, FsgnjnS, FsgnjxS, FsgnjD, FsgnjnD, FsgnjxD, FminS, FmaxS, FminD, FmaxD,
    FeqS, FltS, FleS, FeqD, FltD, FleD, FclassS, FclassD, FmvXW, FmvWX, FmvXD, FmvDX,
    FcvtSD, FcvtDS, FcvtWS, FcvtWuS, FcvtLS, FcvtLuS, FcvtWD, FcvtWuD, FcvtLD, FcvtLuD,
    FcvtSW, FcvtSWu, FcvtSL, FcvtSLu, FcvtDW, FcvtDWu, FcvtDL, FcvtDLu,
}

/// One decoded instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instruction {
    pub op: Op,
    /// Bits 5..0; an integer destination `x0` is 32, a register that nobody reads.
    pub rd: u8,
    /// Bits 4..0; bit 7 ([`LONG`]): four bytes long.
    pub rs1: u8,
    /// Bits 4..0; bit 7 ([`USE_FOLLOWS`]): the next instruction reads what this load brings.
    pub rs2: u8,
    /// The immediate, or the word itself where run time needs more of it (rounding mode, CSR, third
    /// source, `mtval` of an instruction that may turn out illegal).
    pub imm: i32,
}

pub(super) const LONG: u8 = 0x80;
pub(super) const USE_FOLLOWS: u8 = 0x80;
/// Where results for `x0` go.
pub(super) const SINK: u8 = 32;

/// Which registers an instruction reads: x or f.
#[derive(Clone, Copy, PartialEq)]
enum Sources {
    None,
    OneX,
    TwoX,
    OneXOneF,
    OneF,
    TwoF,
    ThreeF,
}

impl Instruction {
    /// In bytes.
    #[inline(always)]
    pub fn length(&self) -> u64 {
        2 + (u64::from(self.rs1) >> 6 & 2)
    }

    pub fn is_illegal(&self) -> bool {
        self.op == Illegal
    }

    /// Whether it is an integer or float load (LR and AMO are not meant).
    pub fn is_load(&self) -> bool {
        (Lb..=Fld).contains(&self.op)
    }

    /// Address, value and bytes of a store of an integer register, by the registers.
    pub fn store(&self, x: &[u64; 64]) -> Option<(u64, u64, u64)> {
        let bytes = match self.op {
            Sb => 1,
            Sh => 2,
            Sw => 4,
            Sd => 8,
            _ => return None,
        };
        let register = |number: u8| x[usize::from(number & 31)];
        Some((register(self.rs1).wrapping_add(self.imm as i64 as u64), register(self.rs2), bytes))
    }

    /// The address of an integer load, by the registers.
    pub fn load(&self, x: &[u64; 64]) -> Option<u64> {
        let is_load = (Lb..=Lwu).contains(&self.op);
        is_load.then(|| x[usize::from(self.rs1 & 31)].wrapping_add(self.imm as i64 as u64))
    }

    /// Whether it changes nothing but integer registers, and reads nothing but those, memory and what
    /// stands still: no clock and no counter. A wait or a trap of it is another matter.
    pub fn keeps_to_registers(&self) -> bool {
        match self.op {
            Lb | Lh | Lw | Ld | Lbu | Lhu | Lwu | Fence | Pause | Wfi => true,
            Csrrs | Csrrc | Csrrsi | Csrrci => {
                let first_counter = 0xb00;
                self.rs1 & 31 == 0 && (self.imm as u32 >> 20) < first_counter
            }
            op => (Lui..=Bseti).contains(&op),
        }
    }

    pub fn with_use_follows(self) -> Self {
        Self { rs2: self.rs2 | USE_FOLLOWS, ..self }
    }

    /// Whether it reads the register that `load` writes.
    pub fn reads_result_of(&self, load: &Instruction) -> bool {
        let rd = load.rd & 63;
        let (rs1, rs2) = (self.rs1 & 31 == rd, self.rs2 & 31 == rd);
        let rs3 = (self.imm as u32 >> 27) as u8 == rd;
        match (self.sources(), matches!(load.op, Flw | Fld)) {
            (Sources::OneX | Sources::OneXOneF, false) | (Sources::OneF, true) => rs1,
            (Sources::TwoX, false) | (Sources::TwoF, true) => rs1 || rs2,
            (Sources::OneXOneF, true) => rs2,
            (Sources::ThreeF, true) => rs1 || rs2 || rs3,
            _ => false,
        }
    }

    fn sources(&self) -> Sources {
        match self.op {
            Undecoded | Illegal | Lui | Auipc | Jal | Fence | FenceI | Pause | Ecall | Ebreak
            | Mret | Sret | Wfi | Csrrwi | Csrrsi | Csrrci => Sources::None,
            Lb | Lh | Lw | Ld | Lbu | Lhu | Lwu | Flw | Fld | Jalr | Addi | Slti | Sltiu | Xori
            | Ori | Andi | Slli | Srli | Srai | Addiw | Slliw | Srliw | Sraiw | Slliuw | Clz
            | Ctz | Cpop | Clzw | Ctzw | Cpopw | Sextb | Sexth | Zexth | Rori | Roriw | Orcb
            | Rev8 | Bclri | Bexti | Binvi | Bseti | LrW | LrD | CboInval | CboClean | CboFlush
            | Csrrw | Csrrs | Csrrc | FmvWX | FmvDX | FcvtSW | FcvtSWu | FcvtSL | FcvtSLu
            | FcvtDW | FcvtDWu | FcvtDL | FcvtDLu => Sources::OneX,
            Fsw | Fsd => Sources::OneXOneF,
            FsqrtS | FsqrtD | FclassS | FclassD | FmvXW | FmvXD | FcvtSD | FcvtDS | FcvtWS
            | FcvtWuS | FcvtLS | FcvtLuS | FcvtWD | FcvtWuD | FcvtLD | FcvtLuD => Sources::OneF,
            op if (FmaddS..=FnmaddD).contains(&op) => Sources::ThreeF,
            op if op >= FmaddS => Sources::TwoF,
            _ => Sources::TwoX,
        }
    }

    /// The instruction's bits, for the instructions that may be illegal at run time: those that
    /// carry their word, and the float loads and stores.
    pub(super) fn bits(&self) -> u64 {
        let (rd, rs1, rs2) =
            (u32::from(self.rd & 31), u32::from(self.rs1 & 31), u32::from(self.rs2 & 31));
        let imm = self.imm as u32;
        let word = match (self.op, self.length()) {
            (Flw | Fld, 4) => {
                let width = if self.op == Flw { 2 } else { 3 };
                imm << 20 | rs1 << 15 | width << 12 | rd << 7 | 0x07
            }
            (Fsw | Fsd, 4) => {
                let width = if self.op == Fsw { 2 } else { 3 };
                (imm >> 5) << 25 | rs2 << 20 | rs1 << 15 | width << 12 | (imm & 31) << 7 | 0x27
            }
            // c.fldsp and c.fsdsp: the base sp is none of the eight registers of c.fld and c.fsd.
            (Fld, _) if rs1 == 2 => {
                0x2002 | (imm >> 5 & 1) << 12 | rd << 7 | (imm >> 3 & 3) << 5 | (imm >> 6) << 2
            }
            (Fsd, _) if rs1 == 2 => 0xa002 | (imm >> 3 & 7) << 10 | (imm >> 6) << 7 | rs2 << 2,
            (Fld, _) => 0x2000 | Self::short_fields(imm, rs1, rd),
            (Fsd, _) => 0xa000 | Self::short_fields(imm, rs1, rs2),
            _ => imm,
        };
        u64::from(word)
    }

    /// Offset and registers of c.fld and c.fsd.
    fn short_fields(imm: u32, rs1: u32, data: u32) -> u32 {
        (imm >> 3 & 7) << 10 | (rs1 & 7) << 7 | (imm >> 6) << 5 | (data & 7) << 2
    }
}
