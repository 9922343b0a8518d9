// SPDX-License-Identifier: Apache-2.0
//! Interval arithmetic: at which times a window may begin.

/// Times from the first to the last, both included.
pub type Interval = (i64, i64);

/// Times that are forbidden again and again: `(first, last)` and whole periods earlier and later.
pub struct Forbidden {
    pub first: i64,
    pub last: i64,
    pub period: i64,
}

/// Returns the times of `within` that nothing forbids, in order. The second result is the number of forbidden intervals in it, in
/// proportion to which this takes time.
pub fn free(within: Interval, forbidden: impl Iterator<Item = Forbidden>) -> (Vec<Interval>, u64) {
    let (low, high) = within;
    let mut taken = Vec::new();
    for it in forbidden {
        // The earliest repetition that ends at `low` or later.
        let mut first =
            it.first + (low - it.last + it.period - 1).div_euclid(it.period) * it.period;
        while first <= high {
            taken.push((first, first + (it.last - it.first)));
            first += it.period;
        }
    }
    taken.sort_unstable();
    let (mut intervals, mut next) = (Vec::new(), low);
    for &(first, last) in &taken {
        if first > next {
            intervals.push((next, first - 1));
        }
        next = next.max(last + 1);
    }
    if next <= high {
        intervals.push((next, high));
    }
    (intervals, taken.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with a look at each time.
    #[test]
    fn the_free_times_are_those_that_nothing_forbids() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..2000 {
            let some = |random: &mut fastrand::Rng| {
                let first = random.i64(-30..30);
                Forbidden { first, last: first + random.i64(0..6), period: random.i64(1..20) }
            };
            let forbidden: Vec<_> = (0..random.usize(..5)).map(|_| some(&mut random)).collect();
            let low = random.i64(-40..40);
            let within = (low, low + random.i64(-2..50));
            let is_free = |time: &i64| {
                forbidden.iter().all(|it| {
                    it.last - it.first < it.period
                        && (time - it.first).rem_euclid(it.period) > it.last - it.first
                })
            };
            let expected: Vec<_> = (within.0..=within.1).filter(is_free).collect();
            let copies = forbidden.iter().map(|it| Forbidden { ..*it });
            let (intervals, _) = free(within, copies);
            let found: Vec<_> = intervals.iter().flat_map(|(first, last)| *first..=*last).collect();
            assert_eq!(found, expected);
            assert!(intervals.windows(2).all(|pair| pair[0].1 + 1 < pair[1].0));
        }
    }
}
