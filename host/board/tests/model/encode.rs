// SPDX-License-Identifier: Apache-2.0
//! Encodings of the instructions that the random programs consist of.

pub fn r(opcode: u32, f3: u32, f7: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode
}

pub fn i(opcode: u32, f3: u32, rd: u32, rs1: u32, imm: i32) -> u32 {
    (imm as u32) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode
}

pub fn s(opcode: u32, f3: u32, rs1: u32, rs2: u32, imm: i32) -> u32 {
    let imm = imm as u32;
    (imm >> 5 & 127) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (imm & 31) << 7 | opcode
}

pub fn b(f3: u32, rs1: u32, rs2: u32, distance: i64) -> u32 {
    let d = distance as u32;
    let high = (d >> 12 & 1) << 31 | (d >> 5 & 63) << 25;
    high | rs2 << 20 | rs1 << 15 | f3 << 12 | (d >> 1 & 15) << 8 | (d >> 11 & 1) << 7 | 0x63
}

pub fn jal(rd: u32, distance: i64) -> u32 {
    let d = distance as u32;
    let high = (d >> 20 & 1) << 31 | (d >> 1 & 1023) << 21;
    high | (d >> 11 & 1) << 20 | (d >> 12 & 255) << 12 | rd << 7 | 0x6f
}

pub fn addi(rd: u32, rs1: u32, imm: i32) -> u32 {
    i(0x13, 0, rd, rs1, imm)
}

pub fn csrr(rd: u32, csr: u32) -> u32 {
    csr << 20 | 2 << 12 | rd << 7 | 0x73
}

pub fn fence(predecessor: u32, successor: u32) -> u32 {
    predecessor << 24 | successor << 20 | 0x0f
}

/// `c.ld` (3), `c.lw` (2), `c.fld` (1), `c.sd` (7), `c.sw` (6), `c.fsd` (5); registers 8 to 15.
pub fn c_memory(f3: u32, base: u32, data: u32, bits: u32) -> u32 {
    f3 << 13 | (bits >> 2 & 7) << 10 | (base - 8) << 7 | (bits & 3) << 5 | (data - 8) << 2
}

pub fn c_addi(rd: u32, imm: i32) -> u32 {
    let imm = imm as u32;
    (imm >> 5 & 1) << 12 | rd << 7 | (imm & 31) << 2 | 1
}

pub fn c_mv(rd: u32, rs2: u32) -> u32 {
    0x8002 | rd << 7 | rs2 << 2
}

pub fn c_add(rd: u32, rs2: u32) -> u32 {
    0x9002 | rd << 7 | rs2 << 2
}
