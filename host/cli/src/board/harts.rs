// SPDX-License-Identifier: Apache-2.0
//! Where the harts of a stopped machine are, for error messages.

use takt_board::engine::UnitState;
use takt_board::engine::{Machine, Unit};
use takt_board::isa::Hart;
use takt_board::session;

/// The number of harts that a message names at most.
const HARTS_NAMED: usize = 8;

/// A line for each hart, up to the limit. `place` names the function at an address.
pub fn describe(machine: &Machine, place: impl Fn(u64) -> Option<String>) -> String {
    let mut text: String =
        machine.units.iter().take(HARTS_NAMED).map(|unit| line(unit, &place)).collect();
    if machine.units.len() > HARTS_NAMED {
        text += &format!("  and {} more\n", machine.units.len() - HARTS_NAMED);
    }
    text
}

/// The message for a machine whose harts all spin or sleep for ever.
pub const SPINNING: &str = "every hart spins or sleeps, and nothing is to come";
pub const SPINNING_HELP: &str =
    "nobody is left to write what they wait for: a lock that was kept, a flag that was not set";

/// A line for each spinning hart, up to the limit, and the number of harts that sleep.
pub fn spinning(machine: &Machine, place: impl Fn(u64) -> Option<String>) -> String {
    let spins = |unit: &&Unit| unit.state == UnitState::Running;
    let spinning: Vec<&Unit> = machine.units.iter().filter(spins).collect();
    let mut text: String = spinning
        .iter()
        .take(HARTS_NAMED)
        .map(|unit| format!("{}, spins\n", line(unit, &place).trim_end()))
        .collect();
    if spinning.len() > HARTS_NAMED {
        text += &format!("  and {} more that spin\n", spinning.len() - HARTS_NAMED);
    }
    let sleeping = machine.units.len() - spinning.len();
    if sleeping > 0 {
        text += &format!("  {sleeping} that sleep\n");
    }
    text
}

fn line(unit: &Unit, place: &impl Fn(u64) -> Option<String>) -> String {
    let (hart, pc) = (unit.hart.id, unit.hart.pc);
    let name = place(pc).unwrap_or("no function of the program".to_string());
    let doing = match unit.state {
        UnitState::Running => "",
        UnitState::Waiting => ", waits for memory",
        UnitState::Idle => ", waits for an interrupt",
        UnitState::Held => ", held in reset",
    };
    format!("  hart {hart} is at {pc:#x}, {name}{doing}\n")
}

/// Describes the trap with which the loop of traps began, and the hart's latest traps.
pub fn traps(hart: &Hart, place: impl Fn(u64) -> Option<String>) -> String {
    let named = |pc: u64| {
        let name = place(pc).unwrap_or("no function of the program".to_string());
        format!("{pc:#x}, {name}")
    };
    let (first, ra) = (hart.first_trap, hart.x[1]);
    format!(
        "  it began with: {} (cause {:#x}) at {}; tval {:#x}; ra {}\n  \
         mcause {:#x}, mepc {:#x}, mtval {:#x}, mtvec {:#x}\n  \
         scause {:#x}, sepc {:#x}, stval {:#x}, stvec {:#x}\n",
        cause(first.cause),
        first.cause,
        named(first.pc),
        first.tval,
        named(ra),
        hart.mcause,
        hart.mepc,
        hart.mtval,
        hart.mtvec,
        hart.scause,
        hart.sepc,
        hart.stval,
        hart.stvec
    )
}

fn cause(cause: u64) -> &'static str {
    match cause {
        0 => "jump to a misaligned address",
        1 => "fetch where no code is",
        2 => "illegal instruction",
        3 => "breakpoint",
        4 => "misaligned load",
        5 => "load refused",
        6 => "misaligned store",
        7 => "store refused",
        8..=11 => "environment call",
        12 => "fetch from a page that is not there",
        13 => "load from a page that is not there",
        15 => "store to a page that is not there",
        _ if cause >> 63 != 0 => "interrupt",
        _ => "exception",
    }
}

/// Finds harts that do nothing but trap: their time passes, and no instruction retires.
#[derive(Clone, Default)]
pub struct Traps {
    /// For each hart: the retired instructions and the time at the last check, and the number of
    /// checks in a row that found it trapping.
    seen: Vec<(u64, u64, u32)>,
}

/// The number of checks in a row after which a hart is given up.
const LOOKS: u32 = 10;
/// The number of cycles in which every hart that is able to retire an instruction retires one.
const LONG: u64 = session::STEP / 2;

impl Traps {
    /// Returns the first hart that has only trapped for long enough. The caller asks after every
    /// step of the run.
    pub fn first_stuck(&mut self, machine: &Machine) -> Option<usize> {
        self.seen.resize(machine.units.len(), (0, 0, 0));
        for (unit, (retired, clock, looks)) in machine.units.iter().zip(&mut self.seen) {
            let stuck = unit.state != UnitState::Idle
                && unit.hart.instret == *retired
                && unit.clock.saturating_sub(*clock) > LONG;
            *looks = if stuck { *looks + 1 } else { 0 };
            (*retired, *clock) = (unit.hart.instret, unit.clock);
        }
        self.seen.iter().position(|(.., looks)| *looks >= LOOKS)
    }
}
