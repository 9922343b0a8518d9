// SPDX-License-Identifier: Apache-2.0
//! What gdb must know of a hart's registers: the target description.

use std::fmt::Write;

const INTEGERS: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "fp", "s1", "a0", "a1", "a2", "a3", "a4",
    "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
    "t5", "t6",
];

const FLOATS: [&str; 32] = [
    "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0", "fa1", "fa2",
    "fa3", "fa4", "fa5", "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9",
    "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
];

const CSRS: [(&str, u32); 39] = [
    ("fflags", 0x001),
    ("frm", 0x002),
    ("fcsr", 0x003),
    ("sstatus", 0x100),
    ("sie", 0x104),
    ("stvec", 0x105),
    ("scounteren", 0x106),
    ("senvcfg", 0x10a),
    ("sscratch", 0x140),
    ("sepc", 0x141),
    ("scause", 0x142),
    ("stval", 0x143),
    ("sip", 0x144),
    ("stimecmp", 0x14d),
    ("satp", 0x180),
    ("mstatus", 0x300),
    ("misa", 0x301),
    ("medeleg", 0x302),
    ("mideleg", 0x303),
    ("mie", 0x304),
    ("mtvec", 0x305),
    ("mcounteren", 0x306),
    ("menvcfg", 0x30a),
    ("mcountinhibit", 0x320),
    ("mscratch", 0x340),
    ("mepc", 0x341),
    ("mcause", 0x342),
    ("mtval", 0x343),
    ("mip", 0x344),
    ("pmpcfg0", 0x3a0),
    ("pmpcfg2", 0x3a2),
    ("pmpaddr0", 0x3b0),
    ("pmpaddr1", 0x3b1),
    ("mcycle", 0xb00),
    ("minstret", 0xb02),
    ("cycle", 0xc00),
    ("time", 0xc01),
    ("instret", 0xc02),
    ("mhartid", 0xf14),
];

/// The numbers are those of `gdbstub_arch`: x0 is 0, pc 32, f0 33, CSR n 65 + n, the privilege 4161.
pub fn xml() -> String {
    let mut text = "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\">\
        <target version=\"1.0\"><architecture>riscv:rv64</architecture>"
        .to_string();
    let integers = (0..).zip(INTEGERS).map(|(number, name)| (name, number, kind(name)));
    feature(&mut text, "cpu", integers.chain([("pc", 32, "code_ptr")]));
    let floats = (33..).zip(FLOATS).map(|(number, name)| (name, number, "ieee_double"));
    feature(&mut text, "fpu", floats);
    feature(&mut text, "csr", CSRS.map(|(name, number)| (name, 65 + number, "int")).into_iter());
    feature(&mut text, "virtual", [("priv", 4161, "int")].into_iter());
    text + "</target>"
}

fn kind(name: &str) -> &'static str {
    match name {
        "ra" => "code_ptr",
        "sp" | "gp" | "tp" | "fp" => "data_ptr",
        _ => "int",
    }
}

fn feature<'a>(
    text: &mut String,
    name: &str,
    registers: impl Iterator<Item = (&'a str, u32, &'a str)>,
) {
    let _ = write!(text, "<feature name=\"org.gnu.gdb.riscv.{name}\">");
    for (name, number, kind) in registers {
        // gdbstub_arch gives the privilege one byte.
        let bits = if name == "priv" { 8 } else { 64 };
        let _ = write!(
            text,
            "<reg name=\"{name}\" bitsize=\"{bits}\" type=\"{kind}\" regnum=\"{number}\"/>"
        );
    }
    text.push_str("</feature>");
}
