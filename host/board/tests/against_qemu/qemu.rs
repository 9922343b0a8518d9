// SPDX-License-Identifier: Apache-2.0
//! QEMU as the other machine: its RAM is a file.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::image::{self, LOG, RAM};

/// A second hart sleeps from the start: with one alone, QEMU divides an atomic operation into a
/// load and a store, and its faults become those of a load.
const TWO_HARTS: &[&str] = &["-smp", "2", "-accel", "tcg,thread=multi"];
/// Zicbom is not there; Zbc is, but not on the board.
const ARGUMENTS: &[&str] = &[
    "-display",
    "none",
    "-serial",
    "none",
    "-monitor",
    "none",
    "-parallel",
    "none",
    "-net",
    "none",
    "-bios",
    "none",
    "-cpu",
    "rv64,h=off,sscofpmf=on,zba=on,zbb=on,zbs=on,zbc=off",
];

/// A folder in memory that goes away with this value.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let shared = Path::new("/dev/shm");
        let parent = if shared.is_dir() { shared.to_path_buf() } else { std::env::temp_dir() };
        let path = parent.join(format!("polytakt-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder for RAM");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Never longer than two minutes.
fn command(machine: &str) -> Command {
    let mut qemu = Command::new("timeout");
    qemu.args(["-s", "KILL", "120", "qemu-system-riscv64", "-M", machine]).args(ARGUMENTS);
    qemu.stdin(Stdio::null());
    qemu
}

/// Runs the image to its end; RAM as it is then.
pub fn run(ram: &[u8], folder: &Path) -> Vec<u8> {
    let file = folder.join("ram");
    // What comes behind is zero, and a file with a hole is quicker.
    fs::write(&file, &ram[..(LOG - RAM) as usize]).expect("RAM's file");
    let open = fs::File::options().write(true).open(&file);
    open.and_then(|file| file.set_len(ram.len() as u64)).expect("RAM's file");
    let backend = format!(
        "memory-backend-file,id=ram,size={},mem-path={},share=on",
        ram.len(),
        file.display()
    );
    let mut qemu = command("virt,aclint=on,memory-backend=ram");
    qemu.arg("-m").arg(format!("{}M", ram.len() >> 20)).args(["-object", &backend]).args(TWO_HARTS);
    image::run(&mut qemu);
    fs::read(&file).expect("RAM's file")
}

/// The addresses, in RAM, of the first instructions that a program executes.
pub fn addresses(elf: &Path, count: usize) -> Vec<u64> {
    let mut qemu = command("virt,aclint=on");
    qemu.args(["-m", "16M", "-singlestep", "-d", "exec,nochain", "-kernel"]).arg(elf);
    let mut child = qemu.stderr(Stdio::piped()).spawn().expect("QEMU");
    let lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let addresses = lines
        .map(|line| address(&line.expect("a line of QEMU's log")))
        .filter(|address| *address >= RAM)
        .take(count)
        .collect();
    // Closing the pipe does not end QEMU, nor does the end of `timeout` by SIGKILL; SIGTERM it
    // passes on.
    let _ = Command::new("kill").arg(child.id().to_string()).status();
    let _ = child.wait();
    addresses
}

/// `Trace 0: 0x7f72d4000100 [0000000000000000/0000000080000296/00207003/ff000201] name`
fn address(line: &str) -> u64 {
    let pc = line.split('/').nth(1).and_then(|pc| u64::from_str_radix(pc, 16).ok());
    pc.unwrap_or_else(|| panic!("QEMU says: {line}"))
}
