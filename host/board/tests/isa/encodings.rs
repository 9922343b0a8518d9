// SPDX-License-Identifier: Apache-2.0
//! Decoding, against what the GNU assembler encodes, and against every word's length and legality.

use takt_board::isa::{Instruction, Op, decode};

/// Rows of `encodings.txt`: bits, op, expected fields.
fn rows() -> impl Iterator<Item = (&'static str, &'static str, Vec<(&'static str, i64)>)> {
    include_str!("encodings.txt").lines().filter(|line| !line.starts_with('#')).map(|line| {
        let row = line.split('#').next().unwrap();
        let mut words = row.split_whitespace();
        let (bits, op) = (words.next().unwrap(), words.next().unwrap());
        let fields = words.map(|field| field.split_once('=').unwrap());
        (bits, op, fields.map(|(name, value)| (name, value.parse().unwrap())).collect())
    })
}

fn field(i: Instruction, name: &str) -> i64 {
    match name {
        "rd" => i64::from(i.rd & 63),
        "rs1" => i64::from(i.rs1 & 31),
        "rs2" => i64::from(i.rs2 & 31),
        "rs3" => i64::from(i.imm as u32 >> 27),
        "imm" => i64::from(i.imm),
        _ => panic!("no field {name}"),
    }
}

#[test]
fn the_assemblers_encodings() {
    let mut seen = std::collections::BTreeSet::new();
    for (bits, op, fields) in rows() {
        let i = decode(u32::from_str_radix(bits, 16).unwrap());
        assert_eq!(format!("{:?}", i.op).to_lowercase(), op, "{bits}");
        assert_eq!(i.length(), bits.len() as u64 / 2, "{bits} {op}");
        for (name, value) in fields {
            assert_eq!(field(i, name), value, "{bits} {op} {name}");
        }
        seen.insert(op);
    }
    // All but Undecoded and Illegal.
    assert_eq!(seen.len(), Op::FcvtDLu as usize - 1);
}

#[test]
fn every_half_word_and_many_words_decode() {
    for half in 0..=u16::MAX {
        let i = decode(u32::from(half));
        assert_eq!(i.length(), if half & 3 == 3 { 4 } else { 2 });
        assert!(i.op != Op::Undecoded && i.rd <= 32);
    }
    let mut random = fastrand::Rng::with_seed(3);
    let mut legal = 0;
    for _ in 0..5_000_000 {
        let i = decode(random.u32(..) | 3);
        assert!(i.op != Op::Undecoded && i.rd <= 32 && i.length() == 4);
        legal += u32::from(!i.is_illegal());
    }
    assert!(legal > 500_000);
}

/// Encodings that the specification reserves, or that belong to extensions that are not there.
#[test]
fn reserved_encodings_are_illegal() {
    let reserved: [u32; 25] = [
        0x0000_0000, // all zero
        0xffff_ffff,
        0x0000_8000, // quadrant 0, 100
        0x0000_6001, // c.lui x0 with zero
        0x0000_6101, // c.addi16sp 0
        0x0000_2001, // c.addiw x0
        0x0000_4002, // c.lwsp x0
        0x0000_6002, // c.ldsp x0
        0x0000_8002, // c.jr x0
        0x0000_9c41, // reserved arithmetic
        0x0000_4073, // csr funct3 4
        0x0000_7003, // load funct3 7
        0x0000_4023, // store funct3 4
        0x0000_2063, // branch funct3 2
        0x0200_101b, // slliw with shamt 32
        0x0a00_1033, // clmul
        0x6030_1013, // Zbb's unary number 3
        0x1010_202f, // lr.w with rs2
        0x2800_202f, // amo 5
        0x0000_402f, // amo of another width
        0x0000_5053, // fadd.s with rounding mode 5
        0x0000_6053, // ... and 6
        0x0400_0053, // half precision
        0x0040_200f, // cbo.zero
        0x0000_4007, // flq
    ];
    for word in reserved {
        let i = decode(word);
        assert!(i.is_illegal(), "{word:#x} is {:?}", i.op);
        let bits = if word & 3 == 3 { word } else { word & 0xffff };
        assert_eq!(i.imm as u32, bits);
    }
}

#[test]
fn a_load_and_its_reader() {
    let load = decode(0x0000_3503); // ld a0, 0(x0)
    let float = decode(0x0000_3507); // fld fa0, 0(x0)
    let to_zero = decode(0x0000_3003); // ld x0, 0(x0)
    assert!(load.is_load() && float.is_load() && !decode(0x1005_252f).is_load());
    let reads = |word, load| decode(word).reads_result_of(load);
    for word in [0x00b5_0533, 0x00a5_8533, 0x00a5_b023, 0x0005_0067, 0x1005_252f, 0xd225_0553] {
        assert!(reads(word, &load), "{word:#x} reads a0");
        assert!(!reads(word, &float) && !reads(word, &to_zero), "{word:#x}");
    }
    // fadd.d fa1,fa0,fa1; fmadd.d fa1,fa1,fa1,fa0; fsd fa0,0(a1); fmv.x.d a0,fa0
    for word in [0x02b5_75d3, 0x52b5_f5c3, 0x00a5_b027, 0xe205_0553] {
        assert!(reads(word, &float), "{word:#x} reads fa0");
        assert!(!reads(word, &load), "{word:#x}");
    }
    // add a0,x0,x0; lui; csrrwi a0,mscratch,10
    for word in [0x0000_0533, 0x0000_a537, 0x3405_5573] {
        assert!(!reads(word, &load) && !reads(word, &to_zero), "{word:#x}");
    }
    let marked = load.with_use_follows();
    assert_eq!((marked.op, marked.rd, marked.length()), (load.op, load.rd, 4));
}
