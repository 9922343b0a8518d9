// SPDX-License-Identifier: Apache-2.0
//! Is the board's instruction set right? Random programs run on QEMU and on the board, and what they
//! leave in memory is compared word by word.

mod code;
mod generator;
mod image;
mod operations;
mod qemu;
mod system;
mod tables;
mod values;

use image::{Image, Size};

#[test]
fn random_programs() {
    let size = Size { blocks: 500, rounds: 16, instructions: 200 };
    let folder = qemu::Folder::new("random");
    let runtime = image::runtime(&size, &folder.0);
    let t = std::time::Instant::now();
    let image = Image::new(1, &size, &runtime);
    println!("generated {:?}", t.elapsed());
    std::fs::write("/tmp/compare-image.bin", &image.ram).unwrap();
    std::fs::copy(folder.0.join("runtime.elf"), "/tmp/compare-runtime.elf").unwrap();
    let t = std::time::Instant::now();
    let ram = qemu::run(&image.ram, &folder.0);
    println!("qemu {:?}", t.elapsed());
    std::fs::write("/tmp/compare-ram.bin", &ram).unwrap();
}
