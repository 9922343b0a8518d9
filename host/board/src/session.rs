// SPDX-License-Identifier: Apache-2.0
//! The part of a run that is not timed: from the reset vector to where the time begins.

use crate::devices::Tick;
use crate::{
    engine::{End, Machine},
    memory::address::scatter,
};

/// The moment of a run at which its time begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartPoint {
    /// Before the first instruction that a hart would execute at this address, as its pc has it.
    Address(u64),
    /// After so many instructions of all harts together, and at most a few thousand more.
    Instructions(u64),
}

/// Cycles between two looks at the machine; in functional mode an instruction is one.
pub const STEP: u64 = 100_000;
/// The finest step: shorter ones would cost more than they skip.
const FINE: u64 = 1000;

/// Why the machine did not get there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipError {
    End(End),
    /// `watch` did not want to go on.
    Stopped,
    /// The moment came first.
    Moment,
}

/// Runs the machine without time until it is there, or until the moment. `watch` sees it after every
/// step, and says whether to go on.
pub fn skip(
    machine: &mut Machine,
    to: StartPoint,
    moment: Tick,
    mut watch: impl FnMut(&mut Machine) -> bool,
) -> Result<(), SkipError> {
    let stops = machine.stops().to_vec();
    machine.set_stops(match to {
        StartPoint::Address(address) => vec![address],
        StartPoint::Instructions(_) => Vec::new(),
    });
    let result = loop {
        let step = match to {
            StartPoint::Instructions(count) if machine.instructions() >= count => break Ok(()),
            // All harts together execute at most `step` times their number.
            StartPoint::Instructions(count) => {
                let left = (count - machine.instructions()) / machine.units.len() as u64;
                (left / FINE * FINE).clamp(FINE, STEP)
            }
            StartPoint::Address(_) => STEP,
        };
        if machine.now >= moment {
            break Err(SkipError::Moment);
        }
        let end = machine.run((machine.now + step).min(moment));
        let go_on = watch(machine);
        match end {
            End::Until if go_on => {}
            End::Until => break Err(SkipError::Stopped),
            End::Stop { .. } => break Ok(()),
            other => break Err(SkipError::End(other)),
        }
    };
    machine.set_stops(stops);
    result
}

/// By how much a hart begins later than the first may: a hash of seed and hart, up to `bound`.
pub fn skew(seed: u64, hart: u32, bound: u64) -> u64 {
    if seed == 0 {
        return 0;
    }
    scatter(seed ^ (u64::from(hart) << 48)) % (bound.saturating_add(1)).max(1)
}
