// SPDX-License-Identifier: Apache-2.0
//! Harts that wait in a loop, in functional mode: what their rounds come to is computed.
//!
//! While it is a hart's turn nobody else acts: no other hart, no device, no wire. A loop that only
//! reads, and comes back to its beginning with the registers that it began with, does the same in
//! every further round of the turn. The firmware lets all harts but one wait like that.

use super::{
    machine::{End, Machine},
    unit::Unit,
};
use crate::{devices::Tick, isa::Lines};

/// Instructions of the longest round that is looked for.
const ROUND: usize = 16;

impl Machine {
    /// If the hart goes round such a loop, it goes round until another round would not end by `end`.
    /// Answers as [`Machine::go_on_until`] does.
    pub(super) fn go_round<const MODE: u8>(&mut self, index: usize, end: Tick) -> Option<End> {
        let (pc, registers) = (self.units[index].hart.pc, self.units[index].hart.x);
        for length in 1..=ROUND as Tick {
            if !only_reads(&self.units[index], &self.lines) || self.units[index].clock >= end {
                return None;
            }
            if let Some(end) = self.go_on_until::<MODE>(index, end.min(self.units[index].clock + 1))
            {
                return Some(end);
            }
            let unit = &mut self.units[index];
            if unit.hart.pc == pc && unit.hart.x == registers {
                let end = end.min(unit.rises());
                let rounds = end.saturating_sub(unit.clock) / length;
                unit.clock += rounds * length;
                unit.hart.instret += rounds * length;
                unit.went_round = true;
                return None;
            }
        }
        None
    }
}

/// Whether the hart's next instruction is known to change nothing but its registers, and to bring the
/// same each time.
fn only_reads(unit: &Unit, lines: &Lines) -> bool {
    let Some(instruction) = unit.core.code.known(lines, unit.hart.pc) else { return false };
    // A device's register is in none of these pages.
    let is_ram = |address| unit.core.pages.read(address).is_some();
    instruction.keeps_to_registers() && instruction.load(&unit.hart.x).is_none_or(is_ram)
}
