// SPDX-License-Identifier: Apache-2.0
//! Programs good and bad.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

use takt_board::boot::load::{parse, read};
use takt_board::boot::{LoadError, Program};

use crate::common::{RAM, one};

const SOURCE: &str = "
    .globl _start, main, tohost, fromhost, begin_signature, end_signature
    .text
    .type _start, @function
_start:
    nop
main:
    j main
    .data
    .balign 64
begin_signature: .dword 1, 2
end_signature:
tohost: .dword 0
fromhost: .dword 0
    .bss
    .skip 0x2000
";

/// Virtual addresses 0x1000000000 above the physical ones; the entry is behind a `nop`.
const SCRIPT: &str = "
ENTRY(main)
SECTIONS {
    . = 0x1080100000;
    .text : AT(ADDR(.text) - 0x1000000000) { *(.text) }
    . = ALIGN(0x1000);
    .data : AT(ADDR(.data) - 0x1000000000) { *(.data) }
    .bss : AT(ADDR(.bss) - 0x1000000000) { *(.bss) }
}
";

/// The bytes of a linked program.
pub fn elf() -> Vec<u8> {
    linked(SOURCE, SCRIPT)
}

pub fn linked(source: &str, script: &str) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name);
    fs::write(file("program.S"), source).unwrap();
    fs::write(file("program.ld"), script).unwrap();
    let status = Command::new("riscv64-unknown-elf-gcc")
        .args(["-march=rv64gc", "-mabi=lp64d", "-nostdlib"])
        .args(["-Wl,--build-id=none,--no-warn-rwx-segments,-zmax-page-size=4096", "-T"])
        .args([file("program.ld"), file("program.S")])
        .arg("-o")
        .arg(file("program"))
        .status();
    assert!(status.expect("riscv64-unknown-elf-gcc runs").success());
    fs::read(file("program")).unwrap()
}

fn load(bytes: &[u8]) -> Result<Program, LoadError> {
    parse("program", bytes, &[RAM], RAM.start)
}

fn error(bytes: &[u8]) -> String {
    load(bytes).unwrap_err().to_string()
}

#[test]
fn a_program_goes_to_its_physical_addresses() {
    let program = load(&elf()).unwrap();
    assert_eq!(program.entry, 0x8010_0002, "main, behind a nop of two bytes");
    assert_eq!(program.pieces[0].address, 0x8010_0000);
    assert_eq!(program.pieces[0].bytes[..2], [1, 0]);
    let data = &program.pieces[1];
    assert_eq!(
        (data.address, &data.bytes[..16]),
        (0x8010_1000, &[1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0][..])
    );
    assert_eq!(program.tohost, Some(0x8010_1010));
    assert_eq!(program.fromhost, Some(0x8010_1018));
    assert_eq!(program.signature, Some(0x8010_1000..0x8010_1010));
    let taken = program.occupied.iter().map(|range| range.end).max();
    assert_eq!(taken, Some(0x8010_3020), "with .bss");
    let name = |name: &str| program.symbols.iter().find(|symbol| symbol.name == name).unwrap();
    assert_eq!(name("main").address, 0x10_8010_0002);
    assert!(program.symbols.iter().all(|symbol| !symbol.name.starts_with(['$', '.'])));
    assert!(program.symbols.is_sorted_by_key(|symbol| symbol.address));
}

#[test]
fn a_signature_may_end_where_its_segment_does() {
    let source = ".globl _start, begin_signature, end_signature
        _start: begin_signature: .dword 0
        end_signature:";
    let script = "ENTRY(_start) SECTIONS { . = 0x80000000; .text : { *(.text) } }";
    let program = load(&linked(source, script)).unwrap();
    assert_eq!(program.signature, Some(0x8000_0000..0x8000_0008));
    assert_eq!(program.occupied, one(0x8000_0000..0x8000_0008));
}

#[test]
fn no_prefix_of_a_program_is_a_program() {
    let whole = elf();
    for length in 0..whole.len() {
        let error = load(&whole[..length]).unwrap_err();
        let named = matches!(error, LoadError::Damaged { .. } | LoadError::Empty { .. });
        assert!(named, "{length} bytes: {error}");
    }
}

/// Each byte of headers and tables replaced: an answer, and what is loaded is in RAM.
#[test]
fn changed_bytes_never_panic_nor_load_outside_of_ram() {
    let whole = elf();
    let mut random = fastrand::Rng::with_seed(1);
    for at in 0..whole.len() {
        for value in [0, 0xff, 0x7f, random.u8(..)] {
            let mut changed = whole.clone();
            changed[at] = value;
            let Ok(program) = load(&changed) else { continue };
            let Range { start, end } = RAM;
            assert!(program.entry >= start || at < 4, "{at}");
            for piece in program.pieces {
                let last = piece.address + piece.bytes.len() as u64;
                assert!(piece.address >= start && last <= end, "{at}");
            }
        }
    }
}

fn changed(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut elf = elf();
    elf[at..at + bytes.len()].copy_from_slice(bytes);
    elf
}

#[test]
fn other_machines_programs_are_named_as_such() {
    assert_eq!(
        error(&changed(18, &[62, 0])),
        "program is for another machine: its ELF machine is 62; \
         the board runs little-endian RV64 programs"
    );
    assert!(error(&changed(4, &[1])).contains("no 64-bit ELF file"));
    assert!(error(&changed(5, &[2])).contains("big-endian"));
    let kind = error(&changed(16, &[1, 0]));
    assert!(kind.contains("its ELF type is 1") && kind.contains("link it"), "{kind}");
}

#[test]
fn what_is_wrong_with_a_segment_is_said_with_its_range() {
    let elf = elf();
    let outside = parse("p", &elf, &one(0x8000_0000..0x8010_2000), 0).unwrap_err().to_string();
    assert!(
        outside.starts_with("p: segment 2 at 0x80101000 to 0x80103020 is not in RAM, which is 0x80000000 to 0x80102000;"),
        "{outside}"
    );
    let headers = u64::from_le_bytes(elf[32..40].try_into().unwrap()) as usize;
    let headers = headers + 56; // behind the one of the ISA's attributes, which is not loaded
    let mut endless = elf.clone();
    endless[headers + 40..headers + 48].fill(0xff); // p_memsz
    assert!(error(&endless).contains("to 0xffffffffffffffff is not in RAM"));
    let mut short = elf.clone();
    short[headers + 40..headers + 48].copy_from_slice(&1u64.to_le_bytes());
    assert!(error(&short).contains("segment 1 has more bytes in the file than in RAM"));
    let mut twice = elf.clone();
    twice.copy_within(headers + 24..headers + 32, headers + 56 + 24); // p_paddr
    assert!(error(&twice).contains("the segments at 0x80100000 and 0x80100000 overlap"));
    assert!(error(&changed(24, &[0; 8])).contains("the entry 0x0 is in none of its segments"));
    let none = error(&changed(56, &[0, 0])); // e_phnum
    assert!(none.contains("nothing to load"), "{none}");
}

#[test]
fn a_raw_binary_goes_where_it_is_asked_to() {
    let program = parse("raw", &[0x13, 0, 0, 0], &[RAM], 0x8020_0000).unwrap();
    assert_eq!((program.entry, program.pieces[0].address), (0x8020_0000, 0x8020_0000));
    let error = parse("raw", &[0; 8], &[RAM], RAM.end - 4).unwrap_err().to_string();
    assert!(error.contains("raw: the binary at 0x87fffffc to 0x88000004 is not in RAM"), "{error}");
    let error = parse("raw", &[0; 8], &[RAM], u64::MAX - 3).unwrap_err();
    assert!(matches!(error, LoadError::Outside { .. }));
    assert!(parse("raw", &[], &[RAM], RAM.start).is_err());
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let error = read(Path::new("/no/such/file"), &[RAM], 0).unwrap_err().to_string();
    assert!(error.starts_with("cannot read /no/such/file: "), "{error}");
    let directory = tempfile::tempdir().unwrap();
    assert!(matches!(read(directory.path(), &[RAM], 0), Err(LoadError::Read { .. })));
}
