// SPDX-License-Identifier: Apache-2.0
//! A machine, and the steps of its harts that `programs/probe.c` measures.

use super::{
    formula::Formula,
    program::{self, compile, finish, timed},
};
use std::path::Path;
use takt_board::{engine::Machine, isa::CounterEvent, memory::address};
use takt_model::{Board, Timing};

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Kind {
    /// Follows a chain of lines.
    Chase = 1,
    /// Follows a chain and writes each line.
    Write,
    /// Reads one line after the other.
    Stream,
    /// An atomic operation on one word, again and again.
    Update,
    /// Hands a line to another hart and back.
    Pass,
    /// Writes a word of a device.
    Send,
    /// WFI.
    Sleep,
    /// Sends a line to memory.
    Flush,
}

#[derive(Clone, Copy)]
pub struct Step {
    pub hart: u32,
    pub kind: Kind,
    pub address: u64,
    pub count: u64,
    /// The cycle in which it begins, or soon after.
    pub at: u64,
    pub argument: u64,
}

impl Step {
    pub fn new(hart: u32, kind: Kind, address: u64, count: u64, at: u64) -> Step {
        Step { hart, kind, address, count, at, argument: 0 }
    }
}

/// When a step's measurement began and ended, in cycles of the machine.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub begin: u64,
    pub end: u64,
}

impl Span {
    pub fn cycles(self) -> u64 {
        self.end - self.begin
    }
}

pub struct Bench {
    machine: Machine,
    timing: Timing,
    /// Where the program's steps stand.
    steps: u64,
    taken: Vec<u64>,
}

/// Lines from here on are nobody's but the probes'.
pub const ARENA: u64 = 0x8100_0000;
const STEPS: u64 = 8;
const STEP_BYTES: u64 = 64;

pub fn board(name: &str) -> Board {
    program::board(name)
}

pub fn timing(board: &Board) -> &Timing {
    board.timing.as_ref().expect("the board has a timing")
}

impl Bench {
    pub fn new(board: &Board, harts: u32) -> Bench {
        let elf = compile("probe.c", &[]);
        let steps = symbol(&elf, "steps");
        Bench {
            machine: timed(board, harts, &elf),
            timing: timing(board).clone(),
            steps,
            taken: vec![0; harts as usize],
        }
    }

    /// A line of the program, which all harts execute.
    pub fn code(&self) -> u64 {
        symbol(&compile("probe.c", &[]), "main") & !63
    }

    pub fn formula(&self) -> Formula {
        Formula::new(&self.timing)
    }

    fn write(&mut self, address: u64, value: u64) {
        let ram = &mut self.machine.world.fabric.ram;
        let offset = ram.offset(address, 8).expect("an address of RAM");
        ram.slice_mut(offset, 8).copy_from_slice(&value.to_le_bytes());
    }

    fn read(&self, address: u64) -> u64 {
        let offset = self.machine.world.fabric.ram.offset(address, 8).expect("an address of RAM");
        self.machine.world.fabric.ram.read::<8>(offset)
    }

    /// Each line points at the next, the last at the first; answers the first.
    pub fn chain(&mut self, lines: &[u64]) -> u64 {
        for (at, line) in lines.iter().enumerate() {
            self.write(*line, lines[(at + 1) % lines.len()]);
        }
        lines[0]
    }

    /// A hart's steps are added in the order of their times.
    pub fn add(&mut self, step: Step) -> usize {
        let number = self.taken[step.hart as usize];
        assert!(number + 1 < STEPS, "a hart has room for {} steps", STEPS - 1);
        self.taken[step.hart as usize] += 1;
        let at = self.step_at(step.hart, number);
        let words = [step.kind as u64, step.address, step.count, step.at, step.argument];
        for (word, value) in words.into_iter().enumerate() {
            self.write(at + 8 * word as u64, value);
        }
        number as usize
    }

    fn step_at(&self, hart: u32, number: u64) -> u64 {
        self.steps + (u64::from(hart) * STEPS + number) * STEP_BYTES
    }

    /// Runs all steps; by hart and number.
    pub fn run(mut self) -> Vec<Vec<Span>> {
        finish(&mut self.machine, 100_000_000);
        let took = |hart: usize, number| {
            let at = self.step_at(hart as u32, number);
            Span { begin: self.read(at + 40), end: self.read(at + 48) }
        };
        let of_hart = |hart| (0..self.taken[hart]).map(|number| took(hart, number)).collect();
        (0..self.taken.len()).map(of_hart).collect()
    }

    /// Runs all steps; what a hart counted by then.
    #[allow(dead_code, reason = "the printed tables have no counts")]
    pub fn count(mut self, hart: usize, events: &[CounterEvent]) -> Vec<u64> {
        finish(&mut self.machine, 100_000_000);
        events.iter().map(|event| self.machine.count(hart, *event)).collect()
    }

    /// The first cycle behind the `number`th refresh.
    pub fn after_refresh(&self, number: u64) -> u64 {
        let dram = &self.timing.dram;
        let period = if dram.refresh == 0 { 20_000 } else { dram.refresh };
        number * period + dram.refresh_time
    }
}

/// The first `count` lines from `from` on for which `wanted` holds, the last first, so that they are no
/// stream to a prefetcher.
pub fn lines(from: u64, count: usize, wanted: impl Fn(u64) -> bool) -> Vec<u64> {
    let all = (from / 64..from / 64 + 0x80_0000).map(|line| line * 64);
    let mut lines: Vec<u64> = all.filter(|line| wanted(*line)).take(count).collect();
    assert_eq!(lines.len(), count, "RAM has such lines");
    lines.reverse();
    lines
}

/// Controller, bank and row.
pub fn place(timing: &Timing, line: u64) -> (usize, usize, u64) {
    let place = address::place(&timing.dram, line);
    (place.controller, place.bank, place.row)
}

/// The address of a symbol of a program.
fn symbol(program: &Path, name: &str) -> u64 {
    use object::{Object, ObjectSymbol};
    let bytes = std::fs::read(program).expect("the program is readable");
    let file = object::File::parse(&*bytes).expect("the program is ELF");
    let symbol = file.symbols().find(|symbol| symbol.name() == Ok(name));
    symbol.unwrap_or_else(|| panic!("the program has a {name}")).address()
}
