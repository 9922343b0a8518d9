// SPDX-License-Identifier: Apache-2.0
//! Conditions without which there is no schedule. They name what cannot be, before anything is searched.

use std::collections::BTreeMap;

use super::{Statement, divisor};

/// Why there is no schedule. Windows, chains and resources are given by their indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Infeasible {
    /// The window is longer than its period, or its times are longer than [`Statement::LONGEST`].
    TooLong { window: usize },
    /// Wherever they lie, the two windows of one resource overlap at some time: together they are longer than the greatest common
    /// divisor of their periods.
    Pair { first: usize, second: usize, divisor: u64 },
    /// The given offsets of the two windows of one resource make them overlap.
    Fixed { first: usize, second: usize },
    /// All windows of the resource together take more than all of its time.
    Load { resource: usize },
    /// The windows of the chain, one directly after the other, take this time, which is above its limit.
    Limit { chain: usize, needed: u64 },
    /// The second window follows the first in a chain, and both together are longer than their period: the first would begin anew
    /// before the second has ended, so one buffer between them is not enough.
    Buffer { first: usize, second: usize },
}

/// Checks the conditions. Time: the square of the number of windows of a resource.
pub fn necessary(statement: &Statement) -> Result<(), Infeasible> {
    let windows = &statement.windows;
    for (window, it) in windows.iter().enumerate() {
        if it.duration == 0 || it.duration > it.period || it.period > Statement::LONGEST {
            return Err(Infeasible::TooLong { window });
        }
    }
    chains(statement)?;
    for resource in 0..statement.resources {
        let own: Vec<_> =
            (0..windows.len()).filter(|it| windows[*it].resource == resource).collect();
        for (at, &second) in own.iter().enumerate() {
            own[..at].iter().try_for_each(|&first| pair(statement, first, second))?;
        }
        load(statement, resource, &own)?;
    }
    Ok(())
}

fn chains(statement: &Statement) -> Result<(), Infeasible> {
    for (chain, it) in statement.chains.iter().enumerate() {
        for pair in it.windows.windows(2) {
            let (first, second) = (pair[0], pair[1]);
            let together = statement.windows[first].duration + statement.windows[second].duration;
            if together > statement.windows[first].period {
                return Err(Infeasible::Buffer { first, second });
            }
        }
        let needed = it.windows.iter().map(|window| statement.windows[*window].duration).sum();
        if needed > it.limit {
            return Err(Infeasible::Limit { chain, needed });
        }
    }
    Ok(())
}

fn pair(statement: &Statement, first: usize, second: usize) -> Result<(), Infeasible> {
    let (a, b) = (&statement.windows[first], &statement.windows[second]);
    let divisor = divisor(a.period, b.period);
    if a.duration + b.duration > divisor {
        return Err(Infeasible::Pair { first, second, divisor });
    }
    if let (Some(from), Some(to)) = (a.fixed, b.fixed) {
        let distance = (to % divisor + divisor - from % divisor) % divisor;
        if distance < a.duration || distance > divisor - b.duration {
            return Err(Infeasible::Fixed { first, second });
        }
    }
    Ok(())
}

/// Sums the durations by period, in parts of 2^64 of the time, each rounded down: the sum is refused only if it is surely above 1.
fn load(statement: &Statement, resource: usize, own: &[usize]) -> Result<(), Infeasible> {
    let mut by_period: BTreeMap<u64, u128> = BTreeMap::new();
    for window in own.iter().map(|window| &statement.windows[*window]) {
        *by_period.entry(window.period).or_default() += u128::from(window.duration);
    }
    let share = |(period, time): (u64, u128)| (time << 64) / u128::from(period);
    match by_period.into_iter().map(share).sum::<u128>() > 1 << 64 {
        true => Err(Infeasible::Load { resource }),
        false => Ok(()),
    }
}
