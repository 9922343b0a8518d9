// SPDX-License-Identifier: Apache-2.0
//! Counts where the cores of a running machine are, with who called whom: `takt run --profile`. Looking takes no time on the
//! machine, so the run is the same as without.

use std::collections::BTreeMap;
use std::fmt::Write;

use takt_board::engine::{Machine, UnitState};

use crate::image::Image;

/// Cycles from one sample to the next: a prime, so that samples do not keep step with a program's loops.
pub const SAMPLE_PERIOD: u64 = 10_007;
/// Callers that a stack has at most.
const DEEPEST: usize = 32;
/// The number of a hart's registers for the return address and for the frame pointer.
const RA: usize = 1;
const FP: usize = 8;
/// A core that waits for an interrupt.
const IDLE: &str = "(idle)";

#[derive(Default)]
pub struct Profile {
    /// Samples of each core and stack: the functions, the innermost first.
    counts: BTreeMap<(usize, Vec<String>), u64>,
}

impl Profile {
    /// Adds where each of the first `cores` harts is.
    pub fn sample(&mut self, machine: &Machine, image: &Image, cores: usize) {
        for core in 0..cores.min(machine.units.len()) {
            let idle = machine.units[core].state == UnitState::Idle;
            let stack = if idle { vec![IDLE.into()] } else { stack(machine, image, core) };
            if !stack.is_empty() {
                *self.counts.entry((core, stack)).or_default() += 1;
            }
        }
    }

    /// A line for each core and stack: `core N`, the functions from the outermost, each behind a semicolon, and the number
    /// of samples.
    pub fn lines(&self) -> String {
        let mut text = String::new();
        for ((core, stack), count) in &self.counts {
            let _ = write!(text, "core {core}");
            stack.iter().rev().for_each(|function| text += &format!(";{function}"));
            let _ = writeln!(text, " {count}");
        }
        text
    }
}

/// The functions in which a hart is, the innermost first. Our code has frame pointers; the C library's has none, so where
/// it runs the return address in its register stands for its caller. In a function that has called another the register
/// leads to the function itself, which is listed once.
fn stack(machine: &Machine, image: &Image, core: usize) -> Vec<String> {
    let hart = &machine.units[core].hart;
    let (pc, ra, mut frame) = (hart.pc, hart.x[RA], hart.x[FP]);
    let mut functions: Vec<String> = Vec::new();
    let mut add = |address: u64| {
        let Some(function) = image.function_at(address) else { return false };
        if functions.last() != Some(&function.name) {
            functions.push(function.name.clone());
        }
        true
    };
    if !add(pc) {
        return functions;
    }
    add(ra.wrapping_sub(1));
    for _ in 0..DEEPEST {
        // Below where a frame pointer leads lie the caller's frame pointer and, above that, the return address. A
        // function that calls none saves the frame pointer alone, in the place of the address.
        let bytes = match frame % 8 == 0 && frame > 16 {
            true => machine.examine(core, frame - 16, 16),
            false => break,
        };
        let word = |at: usize| bytes.get(at..at + 8).and_then(|it| it.try_into().ok());
        let (Some(lower), Some(upper)) = (word(0), word(8)) else { break };
        let (lower, upper) = (u64::from_le_bytes(lower), u64::from_le_bytes(upper));
        let caller = if add(upper.wrapping_sub(1)) { lower } else { upper };
        if caller <= frame {
            break;
        }
        frame = caller;
    }
    functions
}
