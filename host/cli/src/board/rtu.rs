// SPDX-License-Identifier: Apache-2.0
//! The option `--rtu`: a shared library in the place of the board's model of its RTU.

use std::path::Path;

use takt_board::devices::{Extra, ExtraDevice, Kind, Request};
use takt_model::Board;

use super::device;
use crate::failure::Failure;

/// Registers of the page for all: identity and sizes, which never change.
const FIXED: [u64; 2] = [0x00, 0x08];

/// Loads the library, and creates a unit that has the sizes of the board's.
pub fn load(library: &Path, board: &Board, harts: u32) -> Result<Extra, Failure> {
    let (Some(figures), Some(mut extra)) = (&board.rtu, takt_board::rtu(board, harts)) else {
        let message = format!("the board `{}` has no RTU that --rtu could replace", board.name);
        return Err(Failure::input(message, "leave out --rtu, or name another board"));
    };
    let takt_model::Rtu { tasks, semaphores, queues, messages, .. } = figures;
    let sizes = format!(
        "--harts {harts} --tasks {tasks} --semaphores {semaphores} --queues {queues} --messages {messages}"
    );
    let help = format!("make one for this run: rtl/build {sizes} {}", library.display());
    let loaded = device::open(library, board, (harts, figures.clock), &help)?;
    let mut unit = loaded.device();
    let same = FIXED.map(|offset| read(&mut *unit, offset) == read(&mut *extra.device, offset));
    if loaded.size() != extra.range.size || same != [true; 2] {
        let message = format!("the unit of {} is not that of this board", library.display());
        return Err(Failure::input(message, help));
    }
    extra.device = unit;
    Ok(extra)
}

fn read(unit: &mut dyn ExtraDevice, offset: u64) -> Option<u64> {
    unit.access(0, Request { initiator: 0, offset, bytes: 8, kind: Kind::Read }).ok()
}
