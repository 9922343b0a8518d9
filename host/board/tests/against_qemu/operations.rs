// SPDX-License-Identifier: Apache-2.0
//! Every instruction that the generator knows: its name, the bits that make it this instruction,
//! and which fields are free.

/// The free fields of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// rd, rs1, rs2
    R,
    /// rd, rs1, imm12
    I,
    /// rd, rs1, 6 bits
    Shift6,
    /// rd, rs1, 5 bits
    Shift5,
    /// rd, rs1
    Unary,
    /// rd, imm20
    U,
    /// rd, rs1, imm12; bytes
    Load(u8),
    FloatLoad(u8),
    /// rs1, rs2, imm12; bytes
    Store(u8),
    FloatStore(u8),
    Branch,
    /// rd, rs1, rs2, aq, rl; bytes
    Amo(u8),
    LoadReserved(u8),
    /// f: fd, fs1, fs2, rm
    Float2,
    /// fd, fs1, fs2
    Float2Exact,
    /// fd, fs1, rm
    Float1,
    /// fd, fs1, fs2, fs3, rm
    Float3,
    /// rd, fs1, fs2
    FloatCompare,
    /// rd, fs1, rm
    FloatToInteger,
    /// rd, fs1
    FloatToIntegerExact,
    /// fd, rs1, rm
    IntegerToFloat,
    /// fd, rs1
    IntegerToFloatExact,
    /// rd', and 8 bits that are not all zero
    CAddi4spn,
    /// rd'/fd'; the offset of 4 or 8 bytes
    CLoad(u8),
    CFloatLoad(u8),
    CStore(u8),
    CFloatStore(u8),
    CLoadSp(u8),
    CFloatLoadSp(u8),
    CStoreSp(u8),
    CFloatStoreSp(u8),
    /// rd, imm6
    CImmediate,
    /// rd not 0, imm6
    CImmediateNot0,
    /// rd, imm6 not 0
    CLui,
    /// the six scattered bits, not all zero; sp is put right afterwards
    CAddi16sp,
    /// rd', shift amount of 6 bits
    CShift,
    /// rd', imm6
    CAndi,
    /// rd', rs2'
    CArithmetic,
    CSlli,
    /// rd, rs2 not 0
    CMove,
    CNop,
    /// rs1', offset
    CBranch,
}

#[derive(Clone, Copy, Debug)]
pub struct Operation {
    pub name: &'static str,
    pub bits: u32,
    pub form: Form,
}

const fn op(name: &'static str, bits: u32, form: Form) -> Operation {
    Operation { name, bits, form }
}

use Form::*;

pub const ALU: &[Operation] = &[
    op("lui", 0x37, U),
    op("auipc", 0x17, U),
    op("addi", 0x13, I),
    op("slti", 0x2013, I),
    op("sltiu", 0x3013, I),
    op("xori", 0x4013, I),
    op("ori", 0x6013, I),
    op("andi", 0x7013, I),
    op("slli", 0x1013, Shift6),
    op("srli", 0x5013, Shift6),
    op("srai", 0x4000_5013, Shift6),
    op("add", 0x33, R),
    op("sub", 0x4000_0033, R),
    op("sll", 0x1033, R),
    op("slt", 0x2033, R),
    op("sltu", 0x3033, R),
    op("xor", 0x4033, R),
    op("srl", 0x5033, R),
    op("sra", 0x4000_5033, R),
    op("or", 0x6033, R),
    op("and", 0x7033, R),
    op("addiw", 0x1b, I),
    op("slliw", 0x101b, Shift5),
    op("srliw", 0x501b, Shift5),
    op("sraiw", 0x4000_501b, Shift5),
    op("addw", 0x3b, R),
    op("subw", 0x4000_003b, R),
    op("sllw", 0x103b, R),
    op("srlw", 0x503b, R),
    op("sraw", 0x4000_503b, R),
];

pub const MULTIPLY: &[Operation] = &[
    op("mul", 0x0200_0033, R),
    op("mulh", 0x0200_1033, R),
    op("mulhsu", 0x0200_2033, R),
    op("mulhu", 0x0200_3033, R),
    op("div", 0x0200_4033, R),
    op("divu", 0x0200_5033, R),
    op("rem", 0x0200_6033, R),
    op("remu", 0x0200_7033, R),
    op("mulw", 0x0200_003b, R),
    op("divw", 0x0200_403b, R),
    op("divuw", 0x0200_503b, R),
    op("remw", 0x0200_603b, R),
    op("remuw", 0x0200_703b, R),
];

pub const BITS: &[Operation] = &[
    op("add.uw", 0x0800_003b, R),
    op("sh1add", 0x2000_2033, R),
    op("sh2add", 0x2000_4033, R),
    op("sh3add", 0x2000_6033, R),
    op("sh1add.uw", 0x2000_203b, R),
    op("sh2add.uw", 0x2000_403b, R),
    op("sh3add.uw", 0x2000_603b, R),
    op("slli.uw", 0x0800_101b, Shift6),
    op("andn", 0x4000_7033, R),
    op("orn", 0x4000_6033, R),
    op("xnor", 0x4000_4033, R),
    op("clz", 0x6000_1013, Unary),
    op("ctz", 0x6010_1013, Unary),
    op("cpop", 0x6020_1013, Unary),
    op("clzw", 0x6000_101b, Unary),
    op("ctzw", 0x6010_101b, Unary),
    op("cpopw", 0x6020_101b, Unary),
    op("sext.b", 0x6040_1013, Unary),
    op("sext.h", 0x6050_1013, Unary),
    op("zext.h", 0x0800_403b, Unary),
    op("max", 0x0a00_6033, R),
    op("maxu", 0x0a00_7033, R),
    op("min", 0x0a00_4033, R),
    op("minu", 0x0a00_5033, R),
    op("rol", 0x6000_1033, R),
    op("ror", 0x6000_5033, R),
    op("rori", 0x6000_5013, Shift6),
    op("rolw", 0x6000_103b, R),
    op("rorw", 0x6000_503b, R),
    op("roriw", 0x6000_501b, Shift5),
    op("orc.b", 0x2870_5013, Unary),
    op("rev8", 0x6b80_5013, Unary),
    op("bclr", 0x4800_1033, R),
    op("bclri", 0x4800_1013, Shift6),
    op("bext", 0x4800_5033, R),
    op("bexti", 0x4800_5013, Shift6),
    op("binv", 0x6800_1033, R),
    op("binvi", 0x6800_1013, Shift6),
    op("bset", 0x2800_1033, R),
    op("bseti", 0x2800_1013, Shift6),
];

pub const MEMORY: &[Operation] = &[
    op("lb", 0x03, Load(1)),
    op("lh", 0x1003, Load(2)),
    op("lw", 0x2003, Load(4)),
    op("ld", 0x3003, Load(8)),
    op("lbu", 0x4003, Load(1)),
    op("lhu", 0x5003, Load(2)),
    op("lwu", 0x6003, Load(4)),
    op("flw", 0x2007, FloatLoad(4)),
    op("fld", 0x3007, FloatLoad(8)),
    op("sb", 0x23, Store(1)),
    op("sh", 0x1023, Store(2)),
    op("sw", 0x2023, Store(4)),
    op("sd", 0x3023, Store(8)),
    op("fsw", 0x2027, FloatStore(4)),
    op("fsd", 0x3027, FloatStore(8)),
];

pub const BRANCHES: &[Operation] = &[
    op("beq", 0x63, Branch),
    op("bne", 0x1063, Branch),
    op("blt", 0x4063, Branch),
    op("bge", 0x5063, Branch),
    op("bltu", 0x6063, Branch),
    op("bgeu", 0x7063, Branch),
    op("c.beqz", 0xc001, CBranch),
    op("c.bnez", 0xe001, CBranch),
];

macro_rules! both_widths {
    ($($name:literal $bits:literal)*) => {
        &[$(op(concat!($name, ".w"), $bits | 0x202f, Amo(4)),
            op(concat!($name, ".d"), $bits | 0x302f, Amo(8)),)*]
    };
}

pub const ATOMICS: &[Operation] = both_widths! {
    "amoswap" 0x0800_0000
    "amoadd" 0
    "amoxor" 0x2000_0000
    "amoand" 0x6000_0000
    "amoor" 0x4000_0000
    "amomin" 0x8000_0000
    "amomax" 0xa000_0000
    "amominu" 0xc000_0000
    "amomaxu" 0xe000_0000
};

/// Each is followed by a store-conditional to the same address.
pub const RESERVED: &[Operation] =
    &[op("lr.w", 0x1000_202f, LoadReserved(4)), op("lr.d", 0x1000_302f, LoadReserved(8))];

macro_rules! both_formats {
    ($($name:literal $bits:literal $form:expr)*) => {
        &[$(op(concat!($name, ".s"), $bits, $form),
            op(concat!($name, ".d"), $bits | 0x0200_0000, $form),)*]
    };
}

pub const FLOAT: &[Operation] = both_formats! {
    "fadd" 0x53 Float2
    "fsub" 0x0800_0053 Float2
    "fmul" 0x1000_0053 Float2
    "fdiv" 0x1800_0053 Float2
    "fsqrt" 0x5800_0053 Float1
    "fmadd" 0x43 Float3
    "fmsub" 0x47 Float3
    "fnmsub" 0x4b Float3
    "fnmadd" 0x4f Float3
    "fsgnj" 0x2000_0053 Float2Exact
    "fsgnjn" 0x2000_1053 Float2Exact
    "fsgnjx" 0x2000_2053 Float2Exact
    "fmin" 0x2800_0053 Float2Exact
    "fmax" 0x2800_1053 Float2Exact
    "fle" 0xa000_0053 FloatCompare
    "flt" 0xa000_1053 FloatCompare
    "feq" 0xa000_2053 FloatCompare
    "fclass" 0xe000_1053 FloatToIntegerExact
    "fcvt.w" 0xc000_0053 FloatToInteger
    "fcvt.wu" 0xc010_0053 FloatToInteger
    "fcvt.l" 0xc020_0053 FloatToInteger
    "fcvt.lu" 0xc030_0053 FloatToInteger
    "fcvt.from.w" 0xd000_0053 IntegerToFloat
    "fcvt.from.wu" 0xd010_0053 IntegerToFloat
    "fcvt.from.l" 0xd020_0053 IntegerToFloat
    "fcvt.from.lu" 0xd030_0053 IntegerToFloat
    "fmv.to.x" 0xe000_0053 FloatToIntegerExact
    "fmv.from.x" 0xf000_0053 IntegerToFloatExact
};

pub const FLOAT_CONVERSIONS: &[Operation] =
    &[op("fcvt.s.d", 0x4010_0053, Float1), op("fcvt.d.s", 0x4200_0053, Float1)];

pub const COMPRESSED: &[Operation] = &[
    op("c.addi4spn", 0x0000, CAddi4spn),
    op("c.fld", 0x2000, CFloatLoad(8)),
    op("c.lw", 0x4000, CLoad(4)),
    op("c.ld", 0x6000, CLoad(8)),
    op("c.fsd", 0xa000, CFloatStore(8)),
    op("c.sw", 0xc000, CStore(4)),
    op("c.sd", 0xe000, CStore(8)),
    op("c.nop", 0x0001, CNop),
    op("c.addi", 0x0001, CImmediate),
    op("c.addiw", 0x2001, CImmediateNot0),
    op("c.li", 0x4001, CImmediate),
    op("c.addi16sp", 0x6101, CAddi16sp),
    op("c.lui", 0x6001, CLui),
    op("c.srli", 0x8001, CShift),
    op("c.srai", 0x8401, CShift),
    op("c.andi", 0x8801, CAndi),
    op("c.sub", 0x8c01, CArithmetic),
    op("c.xor", 0x8c21, CArithmetic),
    op("c.or", 0x8c41, CArithmetic),
    op("c.and", 0x8c61, CArithmetic),
    op("c.subw", 0x9c01, CArithmetic),
    op("c.addw", 0x9c21, CArithmetic),
    op("c.slli", 0x0002, CSlli),
    op("c.fldsp", 0x2002, CFloatLoadSp(8)),
    op("c.lwsp", 0x4002, CLoadSp(4)),
    op("c.ldsp", 0x6002, CLoadSp(8)),
    op("c.mv", 0x8002, CMove),
    op("c.add", 0x9002, CMove),
    op("c.fsdsp", 0xa002, CFloatStoreSp(8)),
    op("c.swsp", 0xc002, CStoreSp(4)),
    op("c.sdsp", 0xe002, CStoreSp(8)),
];

/// Instructions that the generator writes in sequences of its own; they stand here to be counted.
pub const NAMED: &[&str] = &[
    "sc.w",
    "sc.d",
    "sc fails",
    "fence",
    "fence.i",
    "ecall",
    "ebreak",
    "mret",
    "sret",
    "wfi",
    "sfence.vma",
    "csrrw",
    "csrrs",
    "csrrc",
    "csrrwi",
    "csrrsi",
    "csrrci",
    "jal",
    "jalr",
    "c.j",
    "c.jr",
    "c.jalr",
    "c.ebreak",
    "illegal",
    "anything",
    "access in the tables",
    "jump into the tables",
    "interrupt",
];

const TABLES: [&[Operation]; 10] = [
    ALU,
    MULTIPLY,
    BITS,
    MEMORY,
    BRANCHES,
    ATOMICS,
    RESERVED,
    FLOAT,
    FLOAT_CONVERSIONS,
    COMPRESSED,
];

/// The names of everything whose executions are counted.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().flat_map(|table| table.iter().map(|o| o.name)).chain(NAMED.iter().copied())
}
