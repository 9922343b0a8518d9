// SPDX-License-Identifier: Apache-2.0
//! The encodings of 16 bits. Each is one of the 32-bit instructions, written shorter.

use super::decode::{illegal, to_f, to_x};
use super::instruction::{Instruction, Op::*};

pub(super) fn decode(half: u16) -> Instruction {
    let c = Half(u32::from(half));
    let decoded = match c.0 & 3 {
        0 => quadrant_0(c),
        1 => quadrant_1(c),
        _ => quadrant_2(c),
    };
    decoded.unwrap_or(illegal(c.0))
}

const RA: u32 = 1;
const SP: u32 = 2;

#[derive(Clone, Copy)]
struct Half(u32);

impl Half {
    /// The `count` bits from bit `low` on, moved to bit `to`.
    fn bits(self, low: u32, count: u32, to: u32) -> u32 {
        (self.0 >> low & ((1 << count) - 1)) << to
    }

    /// The full register field that is destination and first source.
    fn rd(self) -> u32 {
        self.bits(7, 5, 0)
    }

    /// The full field of the second source.
    fn rs2(self) -> u32 {
        self.bits(2, 5, 0)
    }

    /// The two fields of three bits: x8 to x15.
    fn rs1_short(self) -> u32 {
        8 + self.bits(7, 3, 0)
    }

    fn rs2_short(self) -> u32 {
        8 + self.bits(2, 3, 0)
    }

    fn shift(self) -> i32 {
        (self.bits(12, 1, 5) | self.bits(2, 5, 0)) as i32
    }

    fn immediate(self) -> i32 {
        signed(self.shift() as u32, 6)
    }

    fn offset_w(self) -> i32 {
        (self.bits(10, 3, 3) | self.bits(6, 1, 2) | self.bits(5, 1, 6)) as i32
    }

    fn offset_d(self) -> i32 {
        (self.bits(10, 3, 3) | self.bits(5, 2, 6)) as i32
    }

    fn offset_branch(self) -> i32 {
        let bits = self.bits(12, 1, 8) | self.bits(10, 2, 3) | self.bits(5, 2, 6);
        signed(bits | self.bits(3, 2, 1) | self.bits(2, 1, 5), 9)
    }

    fn offset_jump(self) -> i32 {
        let high = self.bits(12, 1, 11) | self.bits(8, 1, 10) | self.bits(9, 2, 8);
        let middle = self.bits(6, 1, 7) | self.bits(7, 1, 6) | self.bits(2, 1, 5);
        signed(high | middle | self.bits(11, 1, 4) | self.bits(3, 3, 1), 12)
    }
}

/// Sign-extends the low `width` bits.
fn signed(bits: u32, width: u32) -> i32 {
    (bits << (32 - width)) as i32 >> (32 - width)
}

fn quadrant_0(c: Half) -> Option<Instruction> {
    let (rs1, other) = (c.rs1_short(), c.rs2_short());
    Some(match c.0 >> 13 {
        0 => {
            let imm = c.bits(11, 2, 4) | c.bits(7, 4, 6) | c.bits(6, 1, 2) | c.bits(5, 1, 3);
            (imm != 0).then(|| to_x(Addi, other, SP, 0, imm as i32))?
        }
        1 => to_f(Fld, other, rs1, 0, c.offset_d()),
        2 => to_x(Lw, other, rs1, 0, c.offset_w()),
        3 => to_x(Ld, other, rs1, 0, c.offset_d()),
        5 => to_x(Fsd, 0, rs1, other, c.offset_d()),
        6 => to_x(Sw, 0, rs1, other, c.offset_w()),
        7 => to_x(Sd, 0, rs1, other, c.offset_d()),
        _ => return None,
    })
}

fn quadrant_1(c: Half) -> Option<Instruction> {
    let rd = c.rd();
    Some(match c.0 >> 13 {
        0 => to_x(Addi, rd, rd, 0, c.immediate()),
        1 if rd != 0 => to_x(Addiw, rd, rd, 0, c.immediate()),
        2 => to_x(Addi, rd, 0, 0, c.immediate()),
        3 if rd == SP => {
            let high = c.bits(12, 1, 9) | c.bits(3, 2, 7) | c.bits(5, 1, 6);
            let imm = signed(high | c.bits(2, 1, 5) | c.bits(6, 1, 4), 10);
            (imm != 0).then(|| to_x(Addi, SP, SP, 0, imm))?
        }
        3 if c.immediate() != 0 => to_x(Lui, rd, 0, 0, c.immediate() << 12),
        4 => return arithmetic(c),
        5 => to_x(Jal, 0, 0, 0, c.offset_jump()),
        6 => to_x(Beq, 0, c.rs1_short(), 0, c.offset_branch()),
        7 => to_x(Bne, 0, c.rs1_short(), 0, c.offset_branch()),
        _ => return None,
    })
}

fn arithmetic(c: Half) -> Option<Instruction> {
    let (rd, rs2) = (c.rs1_short(), c.rs2_short());
    Some(match c.bits(10, 2, 0) {
        0 => to_x(Srli, rd, rd, 0, c.shift()),
        1 => to_x(Srai, rd, rd, 0, c.shift()),
        2 => to_x(Andi, rd, rd, 0, c.immediate()),
        _ => {
            let ops = [Sub, Xor, Or, And, Subw, Addw];
            let op = *ops.get((c.bits(12, 1, 2) | c.bits(5, 2, 0)) as usize)?;
            to_x(op, rd, rd, rs2, 0)
        }
    })
}

fn quadrant_2(c: Half) -> Option<Instruction> {
    let (rd, rs2) = (c.rd(), c.rs2());
    let load_d = (c.bits(12, 1, 5) | c.bits(5, 2, 3) | c.bits(2, 3, 6)) as i32;
    let load_w = (c.bits(12, 1, 5) | c.bits(4, 3, 2) | c.bits(2, 2, 6)) as i32;
    let store_d = (c.bits(10, 3, 3) | c.bits(7, 3, 6)) as i32;
    let store_w = (c.bits(9, 4, 2) | c.bits(7, 2, 6)) as i32;
    Some(match c.0 >> 13 {
        0 => to_x(Slli, rd, rd, 0, c.shift()),
        1 => to_f(Fld, rd, SP, 0, load_d),
        2 if rd != 0 => to_x(Lw, rd, SP, 0, load_w),
        3 if rd != 0 => to_x(Ld, rd, SP, 0, load_d),
        4 => match (c.bits(12, 1, 0), rd, rs2) {
            (0, 0, 0) => return None,
            (0, _, 0) => to_x(Jalr, 0, rd, 0, 0),
            (0, _, _) => to_x(Add, rd, 0, rs2, 0),
            (_, 0, 0) => to_x(Ebreak, 0, 0, 0, c.0 as i32),
            (_, _, 0) => to_x(Jalr, RA, rd, 0, 0),
            _ => to_x(Add, rd, rd, rs2, 0),
        },
        5 => to_x(Fsd, 0, SP, rs2, store_d),
        6 => to_x(Sw, 0, SP, rs2, store_w),
        7 => to_x(Sd, 0, SP, rs2, store_d),
        _ => return None,
    })
}
