// SPDX-License-Identifier: Apache-2.0
//! QEMU as the other machine: its RAM is a file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A second hart sleeps from the start: with one alone, QEMU divides an atomic operation into a load
/// and a store, and its faults become those of a load.
const ARGUMENTS: &[&str] = &[
    "-display", "none", "-serial", "none", "-monitor", "none", "-parallel", "none", "-net", "none",
    "-bios", "none", "-smp", "2", "-accel", "tcg,thread=multi",
    "-cpu", "rv64,h=off,sscofpmf=on,zba=on,zbb=on,zbs=on,zbc=off",
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

/// Runs the image to its end; RAM as it is then.
pub fn run(ram: &[u8], folder: &Path) -> Vec<u8> {
    let file = folder.join("ram");
    fs::write(&file, ram).expect("RAM's file");
    let backend =
        format!("memory-backend-file,id=ram,size={},mem-path={},share=on", ram.len(), file.display());
    let mut qemu = Command::new("timeout");
    qemu.args(["-s", "KILL", "20", "qemu-system-riscv64"]);
    qemu.args(["-M", "virt,aclint=on,memory-backend=ram", "-m"]).arg(format!("{}M", ram.len() >> 20));
    qemu.args(["-object", &backend]).args(ARGUMENTS).stdin(Stdio::null());
    super::image::run(&mut qemu);
    fs::read(&file).expect("RAM's file")
}
