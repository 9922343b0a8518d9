// SPDX-License-Identifier: Apache-2.0
//! The I/O schedule of Single-Core Equivalence: offsets of strictly periodic windows on cores and devices, such that none overlaps
//! another of its resource and each transaction keeps its order and its limit. docs/design/io.md has the argument.

mod bounds;
mod checker;
mod free;
mod necessary;
mod search;

pub use checker::{Fault, check};
pub use necessary::{Infeasible, necessary};
pub use search::{Effort, NotFound, search};

/// A strictly periodic window: it is open in `[offset + k period, offset + k period + duration)` for each k from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The core or device that the window takes; no other window of it is open meanwhile.
    pub resource: usize,
    /// Nanoseconds, as all times here.
    pub period: u64,
    pub duration: u64,
    /// The offset modulo the period, if it is given.
    pub fixed: Option<u64>,
    /// Whether the search places it last: device input and output, on the I/O core.
    pub is_device: bool,
}

/// Windows of equal periods that data passes in this order, each beginning when the one before has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Indices of windows; each window is in one chain at most.
    pub windows: Vec<usize>,
    /// The longest time from the begin of the first window to the end of the last.
    pub limit: u64,
}

/// What is to be scheduled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statement {
    /// The number of resources.
    pub resources: usize,
    pub windows: Vec<Window>,
    pub chains: Vec<Chain>,
}

impl Statement {
    /// Longer times are refused, so that sums of them fit.
    pub const LONGEST: u64 = 1 << 50;

    /// The greatest common divisor of all times.
    fn unit(&self) -> u64 {
        let of = |it: &Window| divisor(divisor(it.period, it.duration), it.fixed.unwrap_or(0));
        let limits = self.chains.iter().map(|chain| chain.limit);
        self.windows.iter().map(of).chain(limits).fold(0, divisor).max(1)
    }

    /// The same with times in units. Whatever schedule there is, each offset of it may be rounded down to whole units, as all
    /// constraints bound differences of offsets by whole units.
    fn in_units(&self, unit: u64) -> Statement {
        let window = |it: &Window| Window {
            period: it.period / unit,
            duration: it.duration / unit,
            fixed: it.fixed.map(|offset| offset / unit),
            ..*it
        };
        let chain = |it: &Chain| Chain { windows: it.windows.clone(), limit: it.limit / unit };
        Statement {
            resources: self.resources,
            windows: self.windows.iter().map(window).collect(),
            chains: self.chains.iter().map(chain).collect(),
        }
    }
}

/// The greatest common divisor.
fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}
