// SPDX-License-Identifier: Apache-2.0
//! From an instruction's bits to [`Instruction`]: the encodings of 32 bits.

use super::compressed;
use super::instruction::{Instruction, LONG, Op, SINK};
use Op::*;

/// Decodes an instruction. Of one of 16 bits (`word & 3 != 3`) only those are looked at.
pub fn decode(word: u32) -> Instruction {
    if word & 3 != 3 {
        return compressed::decode(word as u16);
    }
    let decoded = decode_long(word).unwrap_or(illegal(word));
    Instruction { rs1: decoded.rs1 | LONG, ..decoded }
}

/// Executing it raises an exception with `bits` in `mtval`.
pub(super) fn illegal(bits: u32) -> Instruction {
    Instruction { op: Illegal, rd: SINK, imm: bits as i32, ..Default::default() }
}

/// An instruction with an integer destination.
pub(super) fn to_x(op: Op, rd: u32, rs1: u32, rs2: u32, imm: i32) -> Instruction {
    to_f(op, if rd == 0 { u32::from(SINK) } else { rd }, rs1, rs2, imm)
}

/// An instruction with a float destination, or none.
pub(super) fn to_f(op: Op, rd: u32, rs1: u32, rs2: u32, imm: i32) -> Instruction {
    Instruction { op, rd: rd as u8, rs1: rs1 as u8, rs2: rs2 as u8, imm }
}

/// The fields that most formats share.
struct Fields {
    word: u32,
    rd: u32,
    rs1: u32,
    rs2: u32,
    funct3: u32,
    funct7: u32,
}

impl Fields {
    fn immediate_i(&self) -> i32 {
        self.word as i32 >> 20
    }

    fn immediate_s(&self) -> i32 {
        (self.word & 0xfe00_0000) as i32 >> 20 | self.rd as i32
    }

    fn immediate_b(&self) -> i32 {
        let word = self.word;
        let low = (word >> 7 & 0x1e) | (word >> 20 & 0x7e0) | (word << 4 & 0x800);
        (word & 0x8000_0000) as i32 >> 19 | low as i32
    }

    fn immediate_j(&self) -> i32 {
        let word = self.word;
        let low = (word >> 20 & 0x7fe) | (word >> 9 & 0x800) | (word & 0xf_f000);
        (word & 0x8000_0000) as i32 >> 11 | low as i32
    }

    fn i(&self, op: Op) -> Instruction {
        to_x(op, self.rd, self.rs1, 0, self.immediate_i())
    }

    fn s(&self, op: Op) -> Instruction {
        to_x(op, 0, self.rs1, self.rs2, self.immediate_s())
    }

    fn r(&self, op: Op) -> Instruction {
        to_x(op, self.rd, self.rs1, self.rs2, 0)
    }

    /// One source and a shift amount.
    fn shift(&self, op: Op) -> Instruction {
        to_x(op, self.rd, self.rs1, 0, (self.word >> 20 & 63) as i32)
    }

    /// Carries the word; an integer destination.
    fn word_to_x(&self, op: Op) -> Instruction {
        to_x(op, self.rd, self.rs1, self.rs2, self.word as i32)
    }

    fn word_to_f(&self, op: Op) -> Instruction {
        to_f(op, self.rd, self.rs1, self.rs2, self.word as i32)
    }

    /// The rounding mode is none of the two reserved ones.
    fn rounds(&self) -> Option<()> {
        (self.funct3 < 5 || self.funct3 == 7).then_some(())
    }
}

fn decode_long(word: u32) -> Option<Instruction> {
    let f = Fields {
        word,
        rd: word >> 7 & 31,
        rs1: word >> 15 & 31,
        rs2: word >> 20 & 31,
        funct3: word >> 12 & 7,
        funct7: word >> 25,
    };
    Some(match word & 0x7f {
        0x03 => f.i(*[Lb, Lh, Lw, Ld, Lbu, Lhu, Lwu].get(f.funct3 as usize)?),
        0x07 => match f.funct3 {
            2 => to_f(Flw, f.rd, f.rs1, 0, f.immediate_i()),
            3 => to_f(Fld, f.rd, f.rs1, 0, f.immediate_i()),
            _ => return None,
        },
        0x0f => return misc_mem(&f),
        0x13 => return op_imm(&f),
        0x17 => to_x(Auipc, f.rd, 0, 0, (word & 0xffff_f000) as i32),
        0x1b => return op_imm_32(&f),
        0x23 => f.s(*[Sb, Sh, Sw, Sd].get(f.funct3 as usize)?),
        0x27 => match f.funct3 {
            2 => f.s(Fsw),
            3 => f.s(Fsd),
            _ => return None,
        },
        0x2f => return amo(&f),
        0x33 => f.r(op(f.funct7, f.funct3)?),
        0x37 => to_x(Lui, f.rd, 0, 0, (word & 0xffff_f000) as i32),
        0x3b => f.r(op_32(&f)?),
        0x43 | 0x47 | 0x4b | 0x4f => return fused(&f),
        0x53 => return op_fp(&f),
        0x63 => {
            let op = match f.funct3 {
                0 => Beq,
                1 => Bne,
                4 => Blt,
                5 => Bge,
                6 => Bltu,
                7 => Bgeu,
                _ => return None,
            };
            to_x(op, 0, f.rs1, f.rs2, f.immediate_b())
        }
        0x67 if f.funct3 == 0 => f.i(Jalr),
        0x6f => to_x(Jal, f.rd, 0, 0, f.immediate_j()),
        0x73 => return system(&f),
        _ => return None,
    })
}

fn misc_mem(f: &Fields) -> Option<Instruction> {
    Some(f.word_to_x(match (f.funct3, f.word >> 20) {
        (0, _) if f.word == 0x0100_000f => Pause,
        (0, _) => Fence,
        (1, _) => FenceI,
        (2, 0) if f.rd == 0 => CboInval,
        (2, 1) if f.rd == 0 => CboClean,
        (2, 2) if f.rd == 0 => CboFlush,
        _ => return None,
    }))
}

fn op_imm(f: &Fields) -> Option<Instruction> {
    Some(match (f.funct3, f.word >> 26) {
        (0, _) => f.i(Addi),
        (2, _) => f.i(Slti),
        (3, _) => f.i(Sltiu),
        (4, _) => f.i(Xori),
        (6, _) => f.i(Ori),
        (7, _) => f.i(Andi),
        (1, 0x00) => f.shift(Slli),
        (1, 0x0a) => f.shift(Bseti),
        (1, 0x12) => f.shift(Bclri),
        (1, 0x1a) => f.shift(Binvi),
        (1, 0x18) => f.shift(*[Clz, Ctz, Cpop, Illegal, Sextb, Sexth].get(count_op(f)?)?),
        (5, 0x00) => f.shift(Srli),
        (5, 0x10) => f.shift(Srai),
        (5, 0x12) => f.shift(Bexti),
        (5, 0x18) => f.shift(Rori),
        (5, _) if f.word >> 20 == 0x287 => f.shift(Orcb),
        (5, _) if f.word >> 20 == 0x6b8 => f.shift(Rev8),
        _ => return None,
    })
}

/// The number of a one-operand instruction of Zbb, of those that there are.
fn count_op(f: &Fields) -> Option<usize> {
    (f.funct7 == 0x30 && f.rs2 != 3).then_some(f.rs2 as usize)
}

fn op_imm_32(f: &Fields) -> Option<Instruction> {
    Some(match (f.funct3, f.funct7) {
        (0, _) => f.i(Addiw),
        (1, 0x00) => f.shift(Slliw),
        (1, 0x04 | 0x05) => f.shift(Slliuw),
        (1, 0x30) => f.shift(*[Clzw, Ctzw, Cpopw].get(f.rs2 as usize)?),
        (5, 0x00) => f.shift(Srliw),
        (5, 0x20) => f.shift(Sraiw),
        (5, 0x30) => f.shift(Roriw),
        _ => return None,
    })
}

#[rustfmt::skip]
fn op(funct7: u32, funct3: u32) -> Option<Op> {
    Some(match (funct7, funct3) {
        (0x00, _) => [Add, Sll, Slt, Sltu, Xor, Srl, Or, And][funct3 as usize],
        (0x01, _) => [Mul, Mulh, Mulhsu, Mulhu, Div, Divu, Rem, Remu][funct3 as usize],
        (0x05, 4) => Min, (0x05, 5) => Minu, (0x05, 6) => Max, (0x05, 7) => Maxu,
        (0x10, 2) => Sh1add, (0x10, 4) => Sh2add, (0x10, 6) => Sh3add,
        (0x14, 1) => Bset,
        (0x20, 0) => Sub, (0x20, 5) => Sra, (0x20, 4) => Xnor, (0x20, 6) => Orn, (0x20, 7) => Andn,
        (0x24, 1) => Bclr, (0x24, 5) => Bext,
        (0x30, 1) => Rol, (0x30, 5) => Ror,
        (0x34, 1) => Binv,
        _ => return None,
    })
}

#[rustfmt::skip]
fn op_32(f: &Fields) -> Option<Op> {
    Some(match (f.funct7, f.funct3) {
        (0x00, 0) => Addw, (0x00, 1) => Sllw, (0x00, 5) => Srlw,
        (0x01, 0) => Mulw, (0x01, 4) => Divw, (0x01, 5) => Divuw, (0x01, 6) => Remw, (0x01, 7) => Remuw,
        (0x04, 0) => Adduw, (0x04, 4) if f.rs2 == 0 => Zexth,
        (0x10, 2) => Sh1adduw, (0x10, 4) => Sh2adduw, (0x10, 6) => Sh3adduw,
        (0x20, 0) => Subw, (0x20, 5) => Sraw,
        (0x30, 1) => Rolw, (0x30, 5) => Rorw,
        _ => return None,
    })
}

fn amo(f: &Fields) -> Option<Instruction> {
    let double = match f.funct3 {
        2 => false,
        3 => true,
        _ => return None,
    };
    let op = match f.word >> 27 {
        2 if f.rs2 == 0 => [LrW, LrD],
        3 => [ScW, ScD],
        0 | 1 | 4 | 8 | 12 | 16 | 20 | 24 | 28 => [AmoW, AmoD],
        _ => return None,
    };
    Some(f.word_to_x(op[usize::from(double)]))
}

fn system(f: &Fields) -> Option<Instruction> {
    let op = match (f.funct3, f.word) {
        (1, _) => Csrrw,
        (2, _) => Csrrs,
        (3, _) => Csrrc,
        (5, _) => Csrrwi,
        (6, _) => Csrrsi,
        (7, _) => Csrrci,
        (0, 0x0000_0073) => Ecall,
        (0, 0x0010_0073) => Ebreak,
        (0, 0x1020_0073) => Sret,
        (0, 0x1050_0073) => Wfi,
        (0, 0x3020_0073) => Mret,
        (0, _) if f.funct7 == 0x09 && f.rd == 0 => SfenceVma,
        _ => return None,
    };
    Some(f.word_to_x(op))
}

fn fused(f: &Fields) -> Option<Instruction> {
    f.rounds()?;
    let ops = match f.funct7 & 3 {
        0 => [FmaddS, FmsubS, FnmsubS, FnmaddS],
        1 => [FmaddD, FmsubD, FnmsubD, FnmaddD],
        _ => return None,
    };
    Some(f.word_to_f(ops[(f.word >> 2 & 3) as usize]))
}

fn op_fp(f: &Fields) -> Option<Instruction> {
    let double = match f.funct7 & 3 {
        0 => 0,
        1 => 1,
        _ => return None,
    };
    let by_funct3 = |ops: [[Op; 3]; 2]| ops[double].get(f.funct3 as usize).copied();
    let by_rs2 = |ops: [[Op; 4]; 2]| ops[double].get(f.rs2 as usize).copied();
    // Arithmetic and conversions: funct3 is the rounding mode.
    let rounded = match (f.funct7 >> 2, f.rs2) {
        (0x00, _) => Some([FaddS, FaddD][double]),
        (0x01, _) => Some([FsubS, FsubD][double]),
        (0x02, _) => Some([FmulS, FmulD][double]),
        (0x03, _) => Some([FdivS, FdivD][double]),
        (0x0b, 0) => Some([FsqrtS, FsqrtD][double]),
        (0x08, 1) if double == 0 => Some(FcvtSD),
        (0x08, 0) if double == 1 => Some(FcvtDS),
        (0x18, _) => {
            by_rs2([[FcvtWS, FcvtWuS, FcvtLS, FcvtLuS], [FcvtWD, FcvtWuD, FcvtLD, FcvtLuD]])
        }
        (0x1a, _) => {
            by_rs2([[FcvtSW, FcvtSWu, FcvtSL, FcvtSLu], [FcvtDW, FcvtDWu, FcvtDL, FcvtDLu]])
        }
        _ => None,
    };
    let op = match rounded {
        Some(op) => {
            f.rounds()?;
            op
        }
        None => match (f.funct7 >> 2, f.funct3, f.rs2) {
            (0x04, _, _) => by_funct3([[FsgnjS, FsgnjnS, FsgnjxS], [FsgnjD, FsgnjnD, FsgnjxD]])?,
            (0x05, 0, _) => [FminS, FminD][double],
            (0x05, 1, _) => [FmaxS, FmaxD][double],
            (0x14, _, _) => by_funct3([[FleS, FltS, FeqS], [FleD, FltD, FeqD]])?,
            (0x1c, 0, 0) => [FmvXW, FmvXD][double],
            (0x1c, 1, 0) => [FclassS, FclassD][double],
            (0x1e, 0, 0) => [FmvWX, FmvDX][double],
            _ => return None,
        },
    };
    let to_integer = matches!(f.funct7 >> 2, 0x14 | 0x18 | 0x1c);
    Some(if to_integer { f.word_to_x(op) } else { f.word_to_f(op) })
}
