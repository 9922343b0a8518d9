// SPDX-License-Identifier: Apache-2.0
//! Encodings that are reserved, or of extensions that neither machine has.

pub const ILLEGAL: &[u32] = &[
    0x0000,      // all zeros
    0x0004,      // c.addi4spn, immediate 0
    0x8000,      // reserved quadrant 0
    0x2001,      // c.addiw, rd = 0
    0x6101,      // c.addi16sp, immediate 0
    0x6281,      // c.lui, immediate 0
    0x9c41,      // reserved arithmetic
    0x9c61,      // reserved arithmetic
    0x4002,      // c.lwsp, rd = 0
    0x6002,      // c.ldsp, rd = 0
    0x8002,      // c.jr, rs1 = 0
    0xffff_ffff, // all ones
    0x0000_7003, // load of no width
    0x0000_4023, // store of no width
    0x0000_2063, // branch of no condition
    0x0000_3063,
    0x0000_1067, // jalr, funct3 = 1
    0x0400_0033, // OP, funct7 = 2
    0x8000_0033,
    0x4000_1033, // sub's funct7 with sll
    0x4000_2033,
    0x4200_0033,
    0x0200_101b, // slliw by 32
    0x4200_501b,
    0x0000_201b, // OP-IMM-32, funct3 = 2
    0x0400_003b,
    0x0200_103b, // mulhw
    0x8000_1013, // slli with high bits
    0x4400_1013,
    0x0000_002f, // AMO of bytes
    0x0000_102f,
    0x0000_402f,
    0x2800_202f, // AMO, reserved funct5
    0x1010_202f, // lr.w, rs2 = 1
    0x0400_0053, // float, half
    0x0600_0053, // float, quad
    0x2000_3053, // fsgnj, funct3 = 3
    0x2800_2053, // fmin, funct3 = 2
    0xa000_3053, // compare, funct3 = 3
    0xe000_2053, // fclass, funct3 = 2
    0x5810_0053, // fsqrt, rs2 = 1
    0xc040_0053, // fcvt to integer, rs2 = 4
    0x4000_0053, // fcvt.s.s
    0x4210_0053, // fcvt.d.d
    0xf010_0053, // fmv.w.x, rs2 = 1
    0x0000_1007, // flh
    0x0000_4007, // flq
    0x0400_0043, // fmadd.h
    0x0000_4073, // SYSTEM, funct3 = 4
    0x0020_0073, // uret
    0x0000_00f3, // ecall, rd = 1
    0x0000_8073, // ecall, rs1 = 1
    0x7020_0073, // mnret
    0x8000_1073, // csrrw cycle's neighbourhood: 0x800 is no CSR
    0x5c00_1073,
    0xc000_1073, // csrrw cycle, x0: read-only
    0xf140_1073, // csrrw mhartid, x0: read-only
    0x0000_000b, // custom-0
    0x0000_002b, // custom-1
    0x0000_005b, // custom-2
    0x0000_007b, // custom-3
    0x0000_0057, // vector
    0x0000_006b,
    0x0000_001f, // 48 bits and more
    0x0000_007f,
    0x0a00_1033, // clmul
    0x6060_1013, // clz's neighbourhood
    0x2870_1013, // orc.b with another funct3
];
