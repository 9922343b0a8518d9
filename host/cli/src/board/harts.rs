// SPDX-License-Identifier: Apache-2.0
//! Where the harts of a stopped machine are, for error messages.

use takt_board::engine::machine::Doing;
use takt_board::engine::{Machine, Unit};

/// Harts that a message names.
const TOLD: usize = 8;

/// A line for each hart, of so many as people read. `place` names the function of an address.
pub fn describe(machine: &Machine, place: impl Fn(u64) -> Option<String>) -> String {
    let mut text: String = machine.units.iter().take(TOLD).map(|unit| line(unit, &place)).collect();
    if machine.units.len() > TOLD {
        text += &format!("  and {} more\n", machine.units.len() - TOLD);
    }
    text
}

fn line(unit: &Unit, place: &impl Fn(u64) -> Option<String>) -> String {
    let (hart, pc) = (unit.hart.id, unit.hart.pc);
    let name = place(pc).unwrap_or("no function of the program".to_string());
    let doing = match unit.state {
        Doing::Running => "",
        Doing::Waiting => ", waits for memory",
        Doing::Idle => ", waits for an interrupt",
    };
    format!("  hart {hart} is at {pc:#x}, {name}{doing}\n")
}
