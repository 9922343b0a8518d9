// SPDX-License-Identifier: Apache-2.0
//! What a person needs to find the instruction behind a difference.

use std::path::Path;
use std::process::Command;

use super::compare::{self, Difference};
use super::image::{self, Block, Image, RAM};
use super::{board, qemu};

/// Says what differs, and shows the shortest beginning of the block that still differs.
pub fn report(seed: u64, image: &Image, found: &Difference, folder: &Path) -> String {
    let mut text = format!(
        "seed {seed}, {}\nagain: TAKT_AGAINST_QEMU_SEEDS={seed}..{} cargo test -p takt-board --test \
         against_qemu random -- --nocapture\n",
        sentence(found),
        seed + 1
    );
    // The log names the block whose dump came last: the difference is in it or in the next.
    let candidates = (found.block..found.block + 2).filter_map(|b| image.blocks.get(b as usize));
    for block in candidates {
        if let Some((from, to, difference)) = shortest(image, block, folder) {
            text += &format!(
                "the block at {:#x} alone: {}\nit needs the code up to {to:#x}; the last of it:\n{}",
                block.start,
                sentence(&difference),
                disassembly(&image.ram, from, to, folder)
            );
            return text;
        }
    }
    text + "the block alone does not differ: it needs what blocks before it leave behind\n"
}

fn sentence(d: &Difference) -> String {
    let trap = compare::TRAP_WORDS.iter().zip(&d.trap);
    let trap: String = trap.map(|(name, (q, b))| format!("\n    {name}: {q:#x}, {b:#x}")).collect();
    format!(
        "after block {}, round {} and {} traps: {} is {:#x} on QEMU, {:#x} on the board{trap}",
        d.block, d.round, d.traps, d.word, d.qemu, d.board
    )
}

/// The last item of the shortest beginning that differs.
fn shortest(image: &Image, block: &Block, folder: &Path) -> Option<(u64, u64, Difference)> {
    let differs = |cut: u64| {
        let ram = image.alone(block, cut);
        compare::logs(&qemu::run(&ram, folder), &board::run(&ram).ram).err()
    };
    let ends: Vec<u64> = block.cuts.iter().skip(1).copied().chain([block.end]).collect();
    let mut found = (ends.len() - 1, differs(block.end)?);
    let mut low = 0;
    while low < found.0 {
        let middle = (low + found.0) / 2;
        match differs(ends[middle]) {
            Some(difference) => found = (middle, difference),
            None => low = middle + 1,
        }
    }
    // With an item or two before it, for what it works on.
    Some((block.cuts[found.0.saturating_sub(3)], ends[found.0], found.1))
}

fn disassembly(ram: &[u8], from: u64, to: u64, folder: &Path) -> String {
    let [bytes, source, object] =
        ["stretch.bin", "stretch.S", "stretch.o"].map(|name| folder.join(name));
    std::fs::write(&bytes, &ram[(from - RAM) as usize..(to - RAM) as usize])
        .expect("the stretch's file");
    // Data would not be disassembled.
    let text = format!(".text\n.2byte 1\n.incbin \"{}\"\n", bytes.display());
    std::fs::write(&source, text).expect("the stretch's source");
    let mut gcc = Command::new("riscv64-unknown-elf-gcc");
    gcc.args(["-march=rv64gc_zba_zbb_zbs", "-mabi=lp64d", "-c"])
        .arg(&source)
        .arg("-o")
        .arg(&object);
    image::run(&mut gcc);
    let mut objdump = Command::new("riscv64-unknown-elf-objdump");
    objdump.args(["-D", "-z", "-j", ".text", "-M", "numeric,no-aliases"]);
    objdump.arg(format!("--adjust-vma={:#x}", from - 2)).arg(&object);
    let text = String::from_utf8_lossy(&image::run(&mut objdump)).into_owned();
    text.lines()
        .filter(|line| line.starts_with("    "))
        .skip(1)
        .map(|line| format!("{line}\n"))
        .collect()
}
