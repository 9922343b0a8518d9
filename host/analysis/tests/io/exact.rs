// SPDX-License-Identifier: Apache-2.0
//! An exact search for small statements, the oracle of the tests. Each constraint says by how much one offset may be after another; for
//! two windows of a resource that is a choice between intervals a divisor apart. All choices are tried, and for each the constraints
//! are a system of differences, which has a solution in whole numbers unless a circle of them contradicts itself.

use takt_analysis::io::Statement;

/// Further than any offset is from another one.
const FAR: i64 = 1 << 40;

/// `most[a][b]`: offset b is at most so much after offset a; always the tightest that follows. The last index is time 0.
#[derive(Clone)]
struct Differences(Vec<Vec<i64>>);

impl Differences {
    /// Adds a constraint and all that follows from it. Returns whether there is a solution left.
    fn add(&mut self, a: usize, b: usize, most: i64) -> bool {
        let d = &mut self.0;
        if d[a][b] <= most {
            return true;
        }
        for from in 0..d.len() {
            for to in 0..d.len() {
                d[from][to] = d[from][to].min(d[from][a] + most + d[b][to]);
            }
        }
        (0..d.len()).all(|it| d[it][it] >= 0)
    }

    fn between(&mut self, a: usize, b: usize, least: i64, most: i64) -> bool {
        self.add(a, b, most) && self.add(b, a, -least)
    }
}

/// Two offsets whose difference is `least` to `most`, or whole steps more or less.
#[derive(Clone)]
struct Choice {
    a: usize,
    b: usize,
    least: i64,
    most: i64,
    step: i64,
}

fn common(a: i64, b: i64) -> i64 {
    (1..=a.min(b)).rev().find(|it| a % it == 0 && b % it == 0).unwrap()
}

/// Offsets for all windows, or None if there are none.
pub fn exact(statement: &Statement) -> Option<Vec<u64>> {
    let count = statement.windows.len();
    let mut d = Differences(vec![vec![FAR; count + 1]; count + 1]);
    (0..=count).for_each(|it| d.0[it][it] = 0);
    let duration = |window: usize| statement.windows[window].duration as i64;
    let period = |window: usize| statement.windows[window].period as i64;
    let mut is_later = vec![false; count];
    for chain in &statement.chains {
        let (first, last) = (chain.windows[0], *chain.windows.last()?);
        chain.windows[1..].iter().for_each(|window| is_later[*window] = true);
        if !d.add(first, last, chain.limit as i64 - duration(last)) {
            return None;
        }
        for pair in chain.windows.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            if !d.between(a, b, duration(a), period(a) - duration(b)) {
                return None;
            }
        }
    }
    let mut choices = Vec::new();
    for (a, is_later) in is_later.into_iter().enumerate() {
        if !is_later && !d.between(count, a, 0, period(a) - 1) {
            return None;
        }
        if let Some(fixed) = statement.windows[a].fixed {
            let at = fixed as i64;
            choices.push(Choice { a: count, b: a, least: at, most: at, step: period(a) });
        }
        for b in (0..a).filter(|b| statement.windows[*b].resource == statement.windows[a].resource)
        {
            let step = common(period(a), period(b));
            choices.push(Choice { a, b, least: duration(a), most: step - duration(b), step });
        }
    }
    let d = choose(d, &choices)?;
    Some((0..count).map(|window| -d.0[window][count] as u64).collect())
}

/// Decides the choice with the fewest possibilities, then the others.
fn choose(d: Differences, choices: &[Choice]) -> Option<Differences> {
    let numbers = |it: &Choice| {
        let (most, least) = (d.0[it.a][it.b], -d.0[it.b][it.a]);
        // The possibilities whose intervals meet what is left.
        let first = (least - it.most + it.step - 1).div_euclid(it.step);
        (first, (most - it.least).div_euclid(it.step))
    };
    let fewest = (0..choices.len()).min_by_key(|at| {
        let (first, last) = numbers(&choices[*at]);
        last - first
    });
    let Some(at) = fewest else { return Some(d) };
    let it = &choices[at];
    if it.most < it.least {
        return None;
    }
    let mut rest = choices.to_vec();
    rest.remove(at);
    let (first, last) = numbers(it);
    (first..=last).find_map(|number| {
        let mut d = d.clone();
        let moved = number * it.step;
        if !d.between(it.a, it.b, it.least + moved, it.most + moved) {
            return None;
        }
        choose(d, &rest)
    })
}
