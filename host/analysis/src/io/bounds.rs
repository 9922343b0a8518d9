// SPDX-License-Identifier: Apache-2.0
//! When a window of a chain may begin, by those of the chain that have offsets.

use super::free::Interval;
use super::{Chain, Statement};

/// Further than any offset is from another one of its chain.
const FAR: i64 = 1 << 58;

/// The earliest and the latest begin of each window of a chain. They are exact: what is between has offsets for the rest of the
/// chain, as far as the chain's constraints go. An empty interval where there are none.
pub fn bounds(statement: &Statement, chain: &Chain, offsets: &[Option<i64>]) -> Vec<Interval> {
    let windows = &chain.windows;
    let duration = |at: usize| statement.windows[windows[at]].duration as i64;
    let period = |at: usize| statement.windows[windows[at]].period as i64;
    let interval = |window: &usize| offsets[*window].map_or((-FAR, FAR), |offset| (offset, offset));
    let mut bounds: Vec<_> = windows.iter().map(interval).collect();
    let last = windows.len() - 1;
    // (a, b, least, most): window b begins at least and at most so long after window a.
    let after = |at: usize| (at - 1, at, duration(at - 1), period(at) - duration(at));
    let mut differences: Vec<_> = (1..=last).map(after).collect();
    differences.push((0, last, 0, chain.limit as i64 - duration(last)));
    // Each round gives one more window its final bounds.
    for _ in 0..=last {
        for &(a, b, least, most) in &differences {
            bounds[b].0 = bounds[b].0.max(bounds[a].0 + least);
            bounds[b].1 = bounds[b].1.min(bounds[a].1 + most);
            bounds[a].0 = bounds[a].0.max(bounds[b].0 - most);
            bounds[a].1 = bounds[a].1.min(bounds[b].1 - least);
        }
    }
    bounds
}
