// SPDX-License-Identifier: Apache-2.0
//! Hierarchically ordered scheduling: the search for offsets. First those of processing and physical windows, at random; then those of
//! the device windows, for which the rest leaves a set of intervals each. docs/design/io.md, "Search".

use fastrand::Rng;

use super::bounds::bounds;
use super::free::{Forbidden, Interval, free};
use super::{Statement, divisor};

/// How long the search goes on.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How often it begins anew.
    pub restarts: u32,
    /// Forbidden intervals that are looked at, in all.
    pub steps: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Effort { restarts: 2000, steps: 300_000_000 }
    }
}

/// The search has found nothing, which is no proof that there is nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotFound {
    /// How often the search began.
    pub restarts: u32,
    /// The window that had no place most often.
    pub window: usize,
}

/// How often a window that has no place may take that of others, for each window of the statement, before the search begins anew.
const EVICTIONS: usize = 8;

/// Places that are tried out for a window without a free one.
const TRIALS: usize = 4;

/// Searches offsets for all windows of a statement that [`super::necessary`] does not refuse: multiples of the greatest common divisor
/// of all its times. The result depends on the arguments only.
pub fn search(statement: &Statement, seed: u64, effort: Effort) -> Result<Vec<u64>, NotFound> {
    let unit = statement.unit();
    let statement = &statement.in_units(unit);
    let mut search = Search::new(statement, seed, effort.steps);
    while search.attempts < effort.restarts && search.steps > 0 {
        if search.attempt() {
            return Ok(search.offsets().into_iter().map(|offset| offset * unit).collect());
        }
    }
    let failures = search.failures.iter().enumerate();
    let window = failures.max_by_key(|(_, count)| **count).map_or(0, |(window, _)| window);
    Err(NotFound { restarts: search.attempts, window })
}

struct Search<'a> {
    statement: &'a Statement,
    random: Rng,
    /// The index of each window's chain.
    chain_of: Vec<Option<usize>>,
    /// By window; those of a chain are relative to each other and may be negative.
    placed: Vec<Option<i64>>,
    /// By resource: the windows that have a place, and all with given offsets, which keep theirs whether or not their chains have one.
    on: Vec<Vec<usize>>,
    /// By window: how often it had no place.
    failures: Vec<u32>,
    /// How often the search has begun.
    attempts: u32,
    /// What is left of the effort.
    steps: u64,
}

impl<'a> Search<'a> {
    fn new(statement: &'a Statement, seed: u64, steps: u64) -> Self {
        let count = statement.windows.len();
        let mut chain_of = vec![None; count];
        for (chain, it) in statement.chains.iter().enumerate() {
            it.windows.iter().for_each(|window| chain_of[*window] = Some(chain));
        }
        Search {
            statement,
            random: Rng::with_seed(seed),
            chain_of,
            placed: vec![None; count],
            on: vec![Vec::new(); statement.resources],
            failures: vec![0; count],
            attempts: 0,
            steps,
        }
    }

    /// Places all windows, or gives up.
    fn attempt(&mut self) -> bool {
        self.attempts += 1;
        self.placed.fill(None);
        self.on.iter_mut().for_each(Vec::clear);
        for (window, it) in
            self.statement.windows.iter().enumerate().filter(|(_, it)| it.fixed.is_some())
        {
            self.on[it.resource].push(window);
        }
        let mut evictions = EVICTIONS * self.placed.len();
        let (devices, first): (Vec<_>, Vec<_>) =
            (0..self.placed.len()).partition(|window| self.statement.windows[*window].is_device);
        self.place_all(first, &mut evictions) && self.place_all(devices, &mut evictions)
    }

    /// Places these windows, those with the least choice first.
    fn place_all(&mut self, windows: Vec<usize>, evictions: &mut usize) -> bool {
        let mut keyed: Vec<_> =
            windows.into_iter().map(|window| (self.urgency(window), window)).collect();
        keyed.sort_unstable();
        // The next one is the last.
        let mut left: Vec<_> = keyed.into_iter().map(|(_, window)| window).rev().collect();
        while let Some(window) = left.pop() {
            if self.steps == 0 {
                return false;
            }
            let Some(within) = self.within(window) else {
                // A window of the chain that was placed meanwhile leaves it nothing.
                if !self.release_chain(window, &mut left, evictions) {
                    return false;
                }
                continue;
            };
            let within = self.part(window, within);
            let intervals = self.free(window, within);
            if let Some(time) = self.choose(window, &intervals) {
                self.put(window, time);
            } else {
                self.failures[window] += 1;
                if !self.evict(window, within, &mut left, evictions) {
                    return false;
                }
            }
        }
        true
    }

    /// The smaller, the earlier the window is placed: given ones, then by how much of the choice failures and others leave.
    fn urgency(&mut self, window: usize) -> (bool, u64, u64) {
        let it = &self.statement.windows[window];
        let choice = match self.within(window) {
            Some((low, high)) if it.is_device => (high - low) as u64,
            _ => it.period - it.duration,
        };
        let failures = u64::from(self.failures[window].min(16));
        (it.fixed.is_none(), choice / (failures + 1), self.random.u64(..))
    }

    /// The earliest and latest begin that the chain allows. Both are at the given offset, if there is one.
    fn within(&self, window: usize) -> Option<Interval> {
        let it = &self.statement.windows[window];
        let period = it.period as i64;
        let begun = self.chain_of[window].filter(|_| self.is_begun(window));
        let others = begun.map(|chain| &self.statement.chains[chain]);
        let (low, high) = match others {
            None => (0, period - 1),
            Some(chain) => {
                let bounds = bounds(self.statement, chain, &self.placed);
                let at = chain.windows.iter().position(|other| *other == window).unwrap_or(0);
                bounds[at]
            }
        };
        let Some(fixed) = it.fixed else { return (low <= high).then_some((low, high)) };
        let first = low + (fixed as i64 - low).rem_euclid(period);
        (first <= high).then(|| (first, high - (high - first).rem_euclid(period)))
    }

    /// A part of the interval that is no longer than a period, after which all repeats: any that is so long.
    fn part(&mut self, window: usize, (low, high): Interval) -> Interval {
        let it = &self.statement.windows[window];
        let period = it.period as i64;
        if it.fixed.is_some() {
            let time = low + self.random.i64(0..=(high - low) / period) * period;
            return (time, time);
        }
        let begin = low + self.random.i64(0..=(high - low - period + 1).max(0));
        (begin, high.min(begin + period - 1))
    }

    /// The times of the interval at which the window overlaps none that has a place.
    fn free(&mut self, window: usize, within: Interval) -> Vec<Interval> {
        let it = &self.statement.windows[window];
        if it.fixed.is_some() {
            return vec![within]; // the others have been kept away
        }
        let forbidden = self.on[it.resource].iter().filter_map(|other| {
            let obstacle = &self.statement.windows[*other];
            let offset = self.place_of(*other)?;
            Some(Forbidden {
                first: offset - it.duration as i64 + 1,
                last: offset + obstacle.duration as i64 - 1,
                period: divisor(it.period, obstacle.period) as i64,
            })
        });
        let (intervals, steps) = free(within, forbidden);
        self.steps = self.steps.saturating_sub(steps + 1);
        intervals
    }

    /// A window beside others of its chain that is not of a device is placed where it leaves time between them, as the device windows
    /// come there; in every second attempt only mostly, for systems that have no time to leave. Any other is mostly at an end of an interval, where no time is lost between two windows of the resource.
    fn choose(&mut self, window: usize, intervals: &[Interval]) -> Option<i64> {
        let (low, high) = (intervals.first()?.0, intervals.last()?.1);
        let is_between = !self.statement.windows[window].is_device && self.is_begun(window);
        if is_between && (self.attempts % 2 == 1 || self.random.bool()) {
            let middle = (self.random.i64(low..=high) + self.random.i64(low..=high)) / 2;
            let nearest = |it: &Interval| middle.clamp(it.0, it.1);
            return intervals.iter().map(nearest).min_by_key(|time| (time - middle).abs());
        }
        let (first, last) = intervals[self.random.usize(..intervals.len())];
        Some(match self.random.u8(..4) {
            0 => self.random.i64(first..=last),
            1 => last,
            _ => first,
        })
    }

    /// Whether a window of the chain has a place.
    fn is_begun(&self, window: usize) -> bool {
        let Some(chain) = self.chain_of[window] else { return false };
        self.statement.chains[chain].windows.iter().any(|other| self.placed[*other].is_some())
    }

    /// A time at which the window begins.
    fn place_of(&self, window: usize) -> Option<i64> {
        self.placed[window].or(self.statement.windows[window].fixed.map(|it| it as i64))
    }

    fn put(&mut self, window: usize, time: i64) {
        let it = &self.statement.windows[window];
        self.placed[window] = Some(time);
        if it.fixed.is_none() {
            self.on[it.resource].push(window);
        }
    }

    fn take(&mut self, window: usize) {
        let it = &self.statement.windows[window];
        self.placed[window] = None;
        if it.fixed.is_none() {
            self.on[it.resource].retain(|other| *other != window);
        }
    }

    /// Puts the window where the fewest others are, which lose their places.
    fn evict(
        &mut self,
        window: usize,
        within: Interval,
        left: &mut Vec<usize>,
        evictions: &mut usize,
    ) -> bool {
        let trial = |search: &mut Self| {
            let time = search.random.i64(within.0..=within.1);
            (time, search.overlapped(window, time))
        };
        let trials: Vec<_> = (0..TRIALS).map(|_| trial(self)).collect();
        let is_given = |other: &usize| self.statement.windows[*other].fixed.is_some();
        let possible = trials.into_iter().filter(|(_, others)| !others.iter().any(is_given));
        let Some((time, others)) = possible.min_by_key(|(_, others)| others.len()) else {
            return false;
        };
        self.put(window, time);
        self.displace(others, left, evictions)
    }

    /// The windows with which the window would overlap if it began at this time.
    fn overlapped(&mut self, window: usize, time: i64) -> Vec<usize> {
        let it = self.statement.windows[window];
        let on = std::mem::take(&mut self.on[it.resource]);
        let overlaps = |other: &&usize| {
            let obstacle = &self.statement.windows[**other];
            let period = divisor(it.period, obstacle.period) as i64;
            let distance = (self.place_of(**other).unwrap_or(time) - time).rem_euclid(period);
            distance < it.duration as i64 || distance > period - obstacle.duration as i64
        };
        let others = on.iter().filter(overlaps).copied().collect();
        self.steps = self.steps.saturating_sub(on.len() as u64);
        self.on[it.resource] = on;
        others
    }

    /// Takes the places of the other windows of the chain, so that this one has a choice.
    fn release_chain(
        &mut self,
        window: usize,
        left: &mut Vec<usize>,
        evictions: &mut usize,
    ) -> bool {
        self.failures[window] += 1;
        let Some(chain) = self.chain_of[window] else { return false };
        let windows = self.statement.chains[chain].windows.iter().copied();
        let others: Vec<_> = windows.filter(|other| self.placed[*other].is_some()).collect();
        left.push(window);
        !others.is_empty() && self.displace(others, left, evictions)
    }

    fn displace(
        &mut self,
        others: Vec<usize>,
        left: &mut Vec<usize>,
        evictions: &mut usize,
    ) -> bool {
        let Some(rest) = evictions.checked_sub(others.len()) else { return false };
        *evictions = rest;
        for other in others {
            self.take(other);
            left.push(other);
        }
        true
    }

    /// The offsets, each chain moved by whole periods so that it begins in its first.
    fn offsets(&self) -> Vec<u64> {
        let place = |window: usize| self.placed[window].unwrap_or_default();
        let offset = |window: usize| {
            let first =
                self.chain_of[window].map_or(window, |it| self.statement.chains[it].windows[0]);
            let period = self.statement.windows[window].period as i64;
            (place(window) - place(first).div_euclid(period) * period) as u64
        };
        (0..self.placed.len()).map(offset).collect()
    }
}
