// SPDX-License-Identifier: Apache-2.0
//! The order of the harts in timed mode.

use crate::devices::Tick;

/// A hart that can execute its next instruction: from the top the tick and the hart. Which hart of a
/// tick is first changes nothing: what one does reaches another by an event only. Ticks of 48 bits
/// last for three days of a clock of 1 GHz.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Turn(u64);

impl Turn {
    /// The turn of no hart, after all others.
    const NONE: Turn = Turn(u64::MAX);

    pub fn new(tick: Tick, hart: usize) -> Turn {
        Turn(tick << 16 | hart as u64)
    }

    pub fn tick(self) -> Tick {
        self.0 >> 16
    }

    pub fn hart(self) -> usize {
        (self.0 & 0xffff) as usize
    }
}

/// The harts that run, at their clocks, and those parked ones that have a timer, at its tick. It follows from the
/// harts' states, but between two turns.
///
/// A tree of matches: the harts' turns are its leaves, and each node has the earlier of the two below it.
#[derive(Clone, Default)]
pub(super) struct Turns {
    /// The root is node 1, and those below node `i` are `2 i` and `2 i + 1`.
    nodes: Vec<Turn>,
    /// How many harts have a turn.
    count: usize,
    /// Nobody asks who is first: only the leaves are kept up.
    in_round: bool,
}

impl Turns {
    /// Nobody's, of so many harts.
    pub fn new(harts: usize) -> Turns {
        let nodes = vec![Turn::NONE; 2 * harts.next_power_of_two()];
        Turns { nodes, count: 0, in_round: false }
    }

    fn leaves(&self) -> usize {
        self.nodes.len() / 2
    }

    pub fn is_empty(&self) -> bool {
        self.first().is_none()
    }

    #[inline]
    pub fn first(&self) -> Option<Turn> {
        Some(self.nodes[1]).filter(|turn| *turn != Turn::NONE)
    }

    /// When the second hart goes on: the first of those that the first one met. `Tick::MAX`: there is none.
    #[inline]
    pub fn second(&self) -> Tick {
        let (mut node, mut second) =
            (self.leaves() + self.nodes[1].hart() % self.leaves(), Turn::NONE);
        while node > 1 {
            second = second.min(self.nodes[node ^ 1]);
            node /= 2;
        }
        if second == Turn::NONE { Tick::MAX } else { second.tick() }
    }

    /// Whether so many harts have turns that giving each its own in a round costs less than looking for the first each time.
    pub fn are_many(&self) -> bool {
        self.count > 1 && 8 * self.count >= self.leaves()
    }

    /// Until the round ends, harts are asked for by their numbers.
    pub fn begin_round(&mut self) {
        self.in_round = true;
    }

    pub fn end_round(&mut self) {
        self.in_round = false;
        for node in (1..self.leaves()).rev() {
            self.nodes[node] = self.nodes[2 * node].min(self.nodes[2 * node + 1]);
        }
    }

    /// The hart's turn; `None` if it has none.
    #[inline]
    pub fn of(&self, hart: usize) -> Option<Turn> {
        Some(self.nodes[self.leaves() + hart]).filter(|turn| *turn != Turn::NONE)
    }

    /// The hart's next turn is at the tick.
    pub fn set(&mut self, tick: Tick, hart: usize) {
        self.replace(hart, Turn::new(tick, hart));
    }

    /// The hart has no turn.
    pub fn remove(&mut self, hart: usize) {
        self.replace(hart, Turn::NONE);
    }

    #[inline]
    fn replace(&mut self, hart: usize, turn: Turn) {
        let mut node = self.leaves() + hart;
        let before = std::mem::replace(&mut self.nodes[node], turn);
        self.count += usize::from(before == Turn::NONE);
        self.count -= usize::from(turn == Turn::NONE);
        if self.in_round {
            return;
        }
        while node > 1 {
            node /= 2;
            self.nodes[node] = self.nodes[2 * node].min(self.nodes[2 * node + 1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Sets and removes at random, in rounds and between them, beside a map of the harts' ticks.
    #[test]
    fn the_first_two_are_found() {
        let mut random = fastrand::Rng::with_seed(1);
        for harts in [1, 2, 3, 9, 72, 128] {
            let (mut turns, mut model) = (Turns::new(harts), BTreeMap::new());
            for _ in 0..2000 {
                if random.u32(0..10) == 0 {
                    turns.begin_round();
                }
                let (hart, tick) = (random.usize(0..harts), random.u64(0..1000));
                if random.u32(0..3) > 0 {
                    turns.set(tick, hart);
                    model.insert(hart, tick);
                } else {
                    turns.remove(hart);
                    model.remove(&hart);
                }
                assert_eq!(turns.of(hart).map(Turn::tick), model.get(&hart).copied());
                if turns.in_round && random.u32(0..3) > 0 {
                    continue;
                }
                turns.end_round();
                let mut order: Vec<_> = model.iter().map(|(hart, tick)| (*tick, *hart)).collect();
                order.sort_unstable();
                let first = turns.first().map(|turn| (turn.tick(), turn.hart()));
                assert_eq!(first, order.first().copied());
                assert_eq!(turns.second(), order.get(1).map_or(Tick::MAX, |second| second.0));
                assert_eq!(turns.count, model.len());
            }
        }
    }
}
