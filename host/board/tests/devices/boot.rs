// SPDX-License-Identifier: Apache-2.0
//! What stands in memory when the harts start.

use std::fs;
use std::path::{Path, PathBuf};

use takt_board::boot::firmware::OPENSBI;
use takt_board::boot::{Boot, BootError, Firmware, Loaded, Tree, boot};

use crate::common::{RAM, one};
use crate::device_tree::tree;
use crate::fdt_reader::{cells, nodes};
use crate::load::{elf, linked};

struct Files {
    directory: tempfile::TempDir,
}

impl Files {
    fn new() -> Files {
        Files { directory: tempfile::tempdir().unwrap() }
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.directory.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }
}

fn setup<'a>(program: &'a Path, firmware: Firmware<'a>) -> Boot<'a> {
    Boot { program, firmware, initrd: None, tree: tree(2) }
}

fn doubleword(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// Steps through the ROM as a hart numbered 5 does: a0, a1, a2 and where it jumps.
fn run_rom(rom: &[u8]) -> [u64; 4] {
    let (mut x, mut pc) = ([0u64; 32], 0x1000);
    loop {
        let at = (pc - 0x1000) as usize;
        let code = u32::from_le_bytes(rom[at..at + 4].try_into().unwrap());
        let (rd, rs1) = ((code >> 7 & 31) as usize, (code >> 15 & 31) as usize);
        let imm = (code as i32 >> 20) as u64;
        match code & 0x7f {
            0x17 => x[rd] = pc + u64::from(code & 0xffff_f000),
            0x73 if code >> 20 == 0xf14 && code >> 12 & 7 == 2 && rs1 == 0 => x[rd] = 5,
            0x03 if code >> 12 & 7 == 3 => {
                x[rd] = doubleword(rom, (x[rs1] + imm - 0x1000) as usize);
            }
            0x67 if rd == 0 && imm == 0 => return [x[10], x[11], x[12], x[rs1]],
            _ => panic!("{code:#x} at {pc:#x}"),
        }
        pc += 4;
    }
}

fn piece(loaded: &Loaded, address: u64) -> &[u8] {
    &loaded.pieces.iter().find(|piece| piece.address == address).unwrap().bytes
}

#[test]
fn the_firmware_is_told_of_the_program_and_the_tree() {
    let files = Files::new();
    let (program, initrd) = (files.file("program", &elf()), files.file("disk", b"a disk"));
    let mut boot_setup = setup(&program, Firmware::Dynamic(Path::new(OPENSBI)));
    boot_setup.initrd = Some(&initrd);
    boot_setup.tree.hart_ids = vec![7, 3];
    let loaded = boot(&boot_setup).unwrap();
    assert!(piece(&loaded, RAM.start) == fs::read(OPENSBI).unwrap());
    let [a0, a1, a2, to] = run_rom(&loaded.rom);
    assert_eq!((a0, a1, to), (5, loaded.tree, 0x8000_0000));
    // Magic, version, entry, S-mode, options, boot hart.
    let info: Vec<u64> =
        (0..6).map(|i| doubleword(&loaded.rom, (a2 - 0x1000) as usize + 8 * i)).collect();
    assert_eq!(info, [0x4942_534f, 2, 0x8010_0002, 1, 0, 7]);
    assert_eq!(loaded.tree, 0x87e0_0000, "where QEMU has it");
    // Half of the RAM above the program, as QEMU has it.
    assert_eq!(piece(&loaded, 0x8410_0000), b"a disk");
    let nodes = nodes(piece(&loaded, loaded.tree));
    assert_eq!(cells(&nodes["/chosen"]["linux,initrd-start"]), [0, 0x8410_0000]);
    assert_eq!(cells(&nodes["/chosen"]["linux,initrd-end"]), [0, 0x8410_0006]);
    assert_eq!(loaded.tohost, Some(0x8010_1010));
}

#[test]
fn without_a_firmware_the_rom_jumps_to_the_program() {
    let files = Files::new();
    let program = files.file("program", &elf());
    let loaded = boot(&setup(&program, Firmware::None)).unwrap();
    assert_eq!(run_rom(&loaded.rom), [5, 0x87e0_0000, 0, 0x8010_0002]);
    assert!(loaded.pieces.iter().all(|piece| piece.address != RAM.start));
}

#[test]
fn raw_binaries_go_behind_a_firmware_or_to_the_start() {
    let files = Files::new();
    let program = files.file("raw", &[0x13, 0, 0, 0]);
    let with = boot(&setup(&program, Firmware::Dynamic(Path::new(OPENSBI)))).unwrap();
    assert_eq!((with.entry, piece(&with, 0x8020_0000).len()), (0x8020_0000, 4));
    let without = boot(&setup(&program, Firmware::None)).unwrap();
    assert_eq!((without.entry, piece(&without, 0x8000_0000).len()), (0x8000_0000, 4));
}

#[test]
fn in_a_large_memory_the_tree_stays_below_3_gib() {
    let files = Files::new();
    let program = files.file("program", &elf());
    let mut large = setup(&program, Firmware::None);
    large.tree.memory = one(0x8000_0000..0x1_8000_0000);
    assert_eq!(boot(&large).unwrap().tree, 0xbfe0_0000);
}

#[test]
fn what_runs_into_something_else_is_said() {
    let files = Files::new();
    let low = "ENTRY(_start) SECTIONS { . = 0x80001000; .text : { *(.text) } }";
    let low = files.file("low", &linked(".globl _start\n_start: nop", low));
    let error = boot(&setup(&low, Firmware::Dynamic(Path::new(OPENSBI)))).unwrap_err().to_string();
    assert!(
        error.contains("fw_dynamic.bin (0x80000000 to 0x80080000)")
            && error.contains("low (0x80001000"),
        "{error}"
    );
    // The firmware's data grows with the harts: with 128 it reaches the program at 1 MiB.
    let program = files.file("program", &elf());
    let firmware = Firmware::Dynamic(Path::new(OPENSBI));
    let with = |harts| boot(&Boot { tree: tree(harts), ..setup(&program, firmware) });
    assert!(with(32).is_ok());
    assert!(with(128).unwrap_err().to_string().contains("(0x80000000 to 0x80200000) runs into"));
    let raw = files.file("raw", &vec![1; 0x7d0_0000]);
    let error = boot(&setup(&raw, Firmware::Dynamic(Path::new(OPENSBI)))).unwrap_err().to_string();
    assert!(error.contains("raw (0x80200000 to 0x87f00000) runs into the device tree"), "{error}");
    let disk = files.file("disk", &vec![1; 0x400_0000]);
    let large = Boot { initrd: Some(&disk), ..setup(&program, Firmware::None) };
    let error = boot(&large).unwrap_err().to_string();
    assert!(error.contains("no room for "), "{error}");
}

#[test]
fn boards_that_cannot_boot_are_errors() {
    let files = Files::new();
    let raw = files.file("raw", &[0x13, 0, 0, 0]);
    let with = |tree: Tree| {
        let firmware = Firmware::Dynamic(Path::new(OPENSBI));
        boot(&Boot { tree, ..setup(&raw, firmware) }).unwrap_err()
    };
    assert!(matches!(with(Tree { memory: vec![], ..tree(1) }), BootError::NoMemory));
    let backwards = std::ops::Range { start: 8, end: 4 };
    assert!(matches!(with(Tree { memory: vec![backwards], ..tree(1) }), BootError::NoMemory));
    assert!(matches!(with(Tree { hart_ids: vec![], ..tree(1) }), BootError::NoHarts));
    assert!(matches!(with(Tree { compatible: "\0".into(), ..tree(1) }), BootError::Tree(_)));
    let small = |end| with(Tree { memory: one(RAM.start..end), ..tree(1) });
    assert!(matches!(small(RAM.start + 0x1000), BootError::Load(_)));
    // Room for the program, but none for the tree above it.
    assert!(matches!(small(RAM.start + 0x20_1000), BootError::Overlap { .. }));
    for memory in [0..4, u64::MAX - 4..u64::MAX] {
        assert!(matches!(with(Tree { memory: vec![memory], ..tree(1) }), BootError::Load(_)));
    }
    let missing = setup(Path::new("/no/program"), Firmware::None);
    assert!(boot(&missing).unwrap_err().to_string().starts_with("cannot read /no/program"));
}
