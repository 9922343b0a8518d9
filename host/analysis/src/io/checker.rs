// SPDX-License-Identifier: Apache-2.0
//! Checks an answer by following it in time. It shares no code with the search, and knows nothing of divisors: it walks through the
//! windows of each resource until their pattern repeats.

use super::Statement;

/// Windows of one resource until the pattern repeats, at most.
const MOST: u64 = 10_000_000;

/// What is wrong with an answer. Windows, chains and resources are given by their indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// There are not as many offsets as windows.
    Count,
    /// The window does not begin at its given offset, or begins later than a chain from time 0 would.
    Offset { window: usize },
    /// Both windows of one resource are open at this time.
    Overlap { first: usize, second: usize, time: u64 },
    /// The second window follows the first in a chain, and begins before that one has ended.
    Order { first: usize, second: usize },
    /// The second window follows the first in a chain, and ends after the first has begun anew.
    Buffer { first: usize, second: usize },
    /// The chain takes so long from its begin to its end, more than its limit.
    Limit { chain: usize, time: u64 },
    /// The pattern of the resource repeats too late to be followed.
    TooManyWindows { resource: usize },
}

/// Checks the offsets of all windows: the first one of a chain begins in its first period, the others after it.
pub fn check(statement: &Statement, offsets: &[u64]) -> Result<(), Fault> {
    if offsets.len() != statement.windows.len() {
        return Err(Fault::Count);
    }
    begins(statement, offsets)?;
    chains(statement, offsets)?;
    (0..statement.resources).try_for_each(|resource| follow(statement, offsets, resource))
}

fn begins(statement: &Statement, offsets: &[u64]) -> Result<(), Fault> {
    let mut is_later = vec![false; offsets.len()];
    for chain in &statement.chains {
        chain.windows.iter().skip(1).for_each(|window| is_later[*window] = true);
    }
    for (window, (it, offset)) in statement.windows.iter().zip(offsets).enumerate() {
        let is_given =
            it.fixed.is_none_or(|fixed| *offset >= fixed && (offset - fixed) % it.period == 0);
        if !is_given || (!is_later[window] && *offset >= it.period) {
            return Err(Fault::Offset { window });
        }
    }
    Ok(())
}

fn chains(statement: &Statement, offsets: &[u64]) -> Result<(), Fault> {
    let end = |window: usize| offsets[window].saturating_add(statement.windows[window].duration);
    for (chain, it) in statement.chains.iter().enumerate() {
        for at in 1..it.windows.len() {
            let (first, second) = (it.windows[at - 1], it.windows[at]);
            if end(first) > offsets[second] {
                return Err(Fault::Order { first, second });
            }
            if end(second) > offsets[first].saturating_add(statement.windows[first].period) {
                return Err(Fault::Buffer { first, second });
            }
        }
        let time = end(it.windows[it.windows.len() - 1]) - offsets[it.windows[0]];
        if time > it.limit {
            return Err(Fault::Limit { chain, time });
        }
    }
    Ok(())
}

/// Walks through the windows of one resource.
fn follow(statement: &Statement, offsets: &[u64], resource: usize) -> Result<(), Fault> {
    let too_many = Fault::TooManyWindows { resource };
    let own: Vec<_> =
        (0..offsets.len()).filter(|it| statement.windows[*it].resource == resource).collect();
    // The least time that all periods divide, found by adding the longest one up.
    let mut repeats = own.iter().map(|window| statement.windows[*window].period).max().unwrap_or(1);
    for window in &own {
        let (step, period) = (repeats, statement.windows[*window].period);
        let mut additions = 0;
        while repeats % period != 0 {
            repeats = repeats.checked_add(step).ok_or(too_many.clone())?;
            additions += 1;
            if additions > MOST {
                return Err(too_many);
            }
        }
    }
    let count: u64 = own.iter().map(|window| repeats / statement.windows[*window].period).sum();
    if count > MOST {
        return Err(too_many);
    }
    let mut times = Vec::new();
    for window in own {
        let period = statement.windows[window].period;
        let first = offsets[window] % period;
        let begins = (0..repeats / period).map(|number| first + number * period);
        times.extend(
            begins.map(|begin| (begin, begin + statement.windows[window].duration, window)),
        );
    }
    times.sort_unstable();
    // The first window once more, after all others.
    times.extend(
        times.first().copied().map(|(begin, end, window)| (begin + repeats, end + repeats, window)),
    );
    for pair in times.windows(2) {
        let ((_, end, first), (begin, _, second)) = (pair[0], pair[1]);
        if end > begin {
            return Err(Fault::Overlap { first, second, time: begin });
        }
    }
    Ok(())
}
