// SPDX-License-Identifier: Apache-2.0
//! Instructions as they are written into memory, each with the name under which it is counted.

use std::collections::HashMap;

use super::operations;

pub struct Code {
    pub bytes: Vec<u8>,
    /// Where an instruction begins, and its index in `operations::names()`.
    pub marks: Vec<(u32, u16)>,
    indices: HashMap<&'static str, u16>,
}

/// A branch or jump whose target comes later.
pub struct Forward {
    at: usize,
    name: &'static str,
    bits: u32,
}

impl Code {
    pub fn new() -> Self {
        let indices = operations::names().zip(0..).collect();
        Self { bytes: Vec::new(), marks: Vec::new(), indices }
    }

    pub fn here(&self) -> usize {
        self.bytes.len()
    }

    /// Writes an instruction of 2 or 4 bytes.
    pub fn emit(&mut self, name: &'static str, bits: u32) {
        let index = *self.indices.get(name).unwrap_or_else(|| panic!("{name} is not in the table"));
        self.marks.push((self.here() as u32, index));
        let length = if bits & 3 == 3 { 4 } else { 2 };
        self.bytes.extend_from_slice(&bits.to_le_bytes()[..length]);
    }

    pub fn r(&mut self, name: &'static str, bits: u32, rd: u32, rs1: u32, rs2: u32) {
        self.emit(name, bits | rd << 7 | rs1 << 15 | rs2 << 20);
    }

    pub fn i(&mut self, name: &'static str, bits: u32, rd: u32, rs1: u32, imm: i32) {
        self.emit(name, bits | rd << 7 | rs1 << 15 | (imm as u32) << 20);
    }

    pub fn s(&mut self, name: &'static str, bits: u32, rs1: u32, rs2: u32, imm: i32) {
        let imm = imm as u32;
        let split = (imm & 0x1f) << 7 | (imm >> 5 & 0x7f) << 25;
        self.emit(name, bits | split | rs1 << 15 | rs2 << 20);
    }

    pub fn addi(&mut self, rd: u32, rs1: u32, imm: i32) {
        self.i("addi", 0x13, rd, rs1, imm);
    }

    pub fn add(&mut self, rd: u32, rs1: u32, rs2: u32) {
        self.r("add", 0x33, rd, rs1, rs2);
    }

    pub fn lui(&mut self, rd: u32, imm20: u32) {
        self.emit("lui", 0x37 | rd << 7 | imm20 << 12);
    }

    pub fn auipc(&mut self, rd: u32) {
        self.emit("auipc", 0x17 | rd << 7);
    }

    /// `rd` = `value`, in at most eight instructions.
    pub fn li(&mut self, rd: u32, value: i64) {
        let low = (value << 52 >> 52) as i32;
        if i64::from(value as i32) == value {
            self.lui(rd, (value.wrapping_sub(i64::from(low)) >> 12) as u32 & 0xf_ffff);
            self.i("addiw", 0x1b, rd, rd, low);
            return;
        }
        self.li(rd, value.wrapping_sub(i64::from(low)) >> 12);
        self.i("slli", 0x1013, rd, rd, 12);
        self.addi(rd, rd, low);
    }

    /// A branch or jump to where [`Code::land`] will be called.
    pub fn forward(&mut self, name: &'static str, bits: u32) -> Forward {
        let forward = Forward { at: self.here(), name, bits };
        self.emit(name, bits);
        forward
    }

    pub fn land(&mut self, forward: Forward) {
        let distance = (self.here() - forward.at) as i32;
        self.patch(forward.at, forward.bits | Self::offset(forward.name, distance));
    }

    /// A branch back to `target`.
    pub fn backward(&mut self, name: &'static str, bits: u32, target: usize) {
        let distance = target as i32 - self.here() as i32;
        self.emit(name, bits | Self::offset(name, distance));
    }

    fn patch(&mut self, at: usize, bits: u32) {
        let length = if bits & 3 == 3 { 4 } else { 2 };
        self.bytes[at..at + length].copy_from_slice(&bits.to_le_bytes()[..length]);
    }

    /// The scattered bits of a distance.
    fn offset(name: &str, distance: i32) -> u32 {
        let d = distance as u32;
        let bit = |from: u32, to: u32| (d >> from & 1) << to;
        let field = |from: u32, bits: u32, to: u32| (d >> from & ((1 << bits) - 1)) << to;
        match name {
            "jal" => {
                assert!((-(1 << 20)..1 << 20).contains(&distance));
                bit(20, 31) | field(1, 10, 21) | bit(11, 20) | field(12, 8, 12)
            }
            "c.j" => {
                assert!((-2048..2048).contains(&distance));
                bit(11, 12)
                    | bit(4, 11)
                    | field(8, 2, 9)
                    | bit(10, 8)
                    | bit(6, 7)
                    | bit(7, 6)
                    | field(1, 3, 3)
                    | bit(5, 2)
            }
            "c.beqz" | "c.bnez" => {
                assert!((-256..256).contains(&distance));
                bit(8, 12) | field(3, 2, 10) | field(6, 2, 5) | field(1, 2, 3) | bit(5, 2)
            }
            _ => {
                assert!((-4096..4096).contains(&distance));
                bit(12, 31) | field(5, 6, 25) | field(1, 4, 8) | bit(11, 7)
            }
        }
    }
}
