// SPDX-License-Identifier: Apache-2.0
//! The whole machine on the same image, with its translation, lines, TLBs, store buffer and caches.

use std::path::Path;

use takt_board::boot::Firmware;
use takt_board::devices::Finish;
use takt_board::engine::{End, Mode};
use takt_board::{Setup, start};
use takt_model::{Board, Bytes};

use super::image::RAM;
use super::qemu::Folder;

/// More than any image needs.
const CYCLES: u64 = 4_000_000_000;

/// Runs the image to its end on one hart of this board; RAM as it is then.
pub fn run(board: &str, mode: Mode, ram: &[u8], folder: &Folder) -> Vec<u8> {
    let boards = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../boards");
    let mut board = Board::read(&boards.join(board)).expect("the board's file is good");
    (board.memory[0].base, board.memory[0].size) = (RAM, Bytes(ram.len() as u64));
    // Something must be loaded; the image overwrites it.
    let program = folder.0.join("nothing.bin");
    std::fs::write(&program, [0; 4]).expect("the folder is there");
    let mut machine = start(Setup {
        board: &board,
        harts: 1,
        program: &program,
        firmware: Firmware::None,
        initrd: None,
        arguments: "",
        input: vec![],
        devices: vec![],
    })
    .expect("a machine")
    .machine;
    machine.world.fabric.ram.slice_mut(0, ram.len() as u64).copy_from_slice(ram);
    machine.units[0].hart.pc = RAM;
    match mode {
        Mode::Timed => machine.begin_timing(|_| 0),
        _ => machine.mode = mode,
    }
    let end = machine.run(CYCLES);
    assert_eq!(end, End::Finished(Finish::Pass), "{mode:?}, at {:#x}", machine.units[0].hart.pc);
    machine.world.fabric.ram.slice(0, ram.len() as u64).to_vec()
}
