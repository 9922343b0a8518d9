// SPDX-License-Identifier: Apache-2.0
//! Compiled programs, by the addresses of the instructions that they execute.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{board, image, qemu};

/// The instructions compared of each program, from its start.
const COUNT: usize = 1_500_000;
const PROGRAM_RAM: usize = 16 << 20;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn compile(sources: &[PathBuf], include: &[PathBuf], elf: &Path) {
    let mut gcc = Command::new("riscv64-unknown-elf-gcc");
    gcc.args(["--specs=picolibc.specs", "--crt0=hosted", "-O2", "-std=gnu17", "-mcmodel=medany"]);
    gcc.args(["-march=rv64gc_zba_zbb_zbs", "-mabi=lp64d"]);
    for symbol in
        ["__flash=0x80000000", "__flash_size=0x100000", "__ram=0x80100000", "__ram_size=0x100000"]
    {
        gcc.arg(format!("-Wl,--defsym={symbol}"));
    }
    gcc.args(include.iter().map(|folder| format!("-I{}", folder.display())));
    image::run(gcc.args(sources).args(["-lm", "-o"]).arg(elf));
}

fn same_stream(name: &str, elf: &Path) {
    let flat = elf.with_extension("bin");
    image::run(
        Command::new("riscv64-unknown-elf-objcopy").args(["-O", "binary"]).arg(elf).arg(&flat),
    );
    let mut ram = std::fs::read(&flat).expect("the program's bytes");
    ram.resize(PROGRAM_RAM, 0);
    let qemu = qemu::addresses(elf, COUNT);
    let mut board = Vec::with_capacity(COUNT + 1);
    board::watch(&ram, qemu.len() as u64, |pc| board.push(pc));
    let same = qemu.iter().zip(&board).take_while(|(q, b)| q == b).count();
    assert!(
        same == qemu.len(),
        "{name}, instruction {same}: {:#x?} on QEMU, {:#x?} on the board, after {:#x?}",
        qemu.get(same),
        board.get(same),
        &board[same.saturating_sub(5)..same]
    );
    println!("{name}: {same} addresses are the same");
    assert!(same > COUNT / 2, "{name} ends too early");
}

fn programs() -> PathBuf {
    repository().join("host/board/tests/against_qemu/programs")
}

/// Sorting, CRC, printf, strtod and mathematics of the C library.
#[test]
fn library() {
    let folder = qemu::Folder::new("library");
    let elf = folder.0.join("library.elf");
    compile(&[programs().join("library.c"), programs().join("support.c")], &[], &elf);
    same_stream("library", &elf);
}

/// The flight controller's jobs, with the stand-in for the kernel that runs them on the host.
#[test]
fn flight() {
    let folder = qemu::Folder::new("flight");
    let (example, host) =
        (repository().join("examples/rosace"), repository().join("tests/rosace/host"));
    let mut generate = Command::new("python3");
    generate.arg(host.join("generate.py")).arg(example.join("system.toml")).arg(&folder.0);
    image::run(&mut generate);
    let mut sources: Vec<PathBuf> = [
        "actuators",
        "aircraft",
        "filters",
        "controllers",
        "commands",
        "recorder",
        "flights/climb",
    ]
    .iter()
    .map(|name| example.join(format!("{name}.c")))
    .collect();
    sources.extend([host.join("kernel.c"), programs().join("support.c")]);
    let elf = folder.0.join("flight.elf");
    compile(&sources, &[folder.0.clone(), repository().join("include"), example], &elf);
    same_stream("flight", &elf);
}
