// SPDX-License-Identifier: Apache-2.0
//! The order of the harts in timed mode.

use crate::devices::Tick;
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, binary_heap::PeekMut},
};

/// A hart that can execute its next instruction: from the top the tick and the hart. Which hart of a
/// tick is first changes nothing: what one does reaches another by an event only. Ticks of 48 bits
/// last for three days of a clock of 1 GHz.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Turn(u64);

impl Turn {
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
#[derive(Clone, Default)]
pub(super) struct Turns(BinaryHeap<Reverse<Turn>>);

impl FromIterator<Turn> for Turns {
    fn from_iter<T: IntoIterator<Item = Turn>>(turns: T) -> Turns {
        Turns(turns.into_iter().map(Reverse).collect())
    }
}

impl Turns {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn first(&self) -> Option<Turn> {
        self.0.peek().map(|Reverse(turn)| *turn)
    }

    /// When the second hart goes on: a child of the heap's root. `Tick::MAX`: there is none.
    pub fn second(&self) -> Tick {
        let others = self.0.as_slice().iter().skip(1).take(2);
        others.map(|Reverse(turn)| turn.tick()).min().unwrap_or(Tick::MAX)
    }

    pub fn push(&mut self, tick: Tick, hart: usize) {
        self.0.push(Reverse(Turn::new(tick, hart)));
    }

    /// The first hart has another turn, or none.
    pub fn replace_first(&mut self, turn: Option<Turn>) {
        let Some(mut top) = self.0.peek_mut() else { return };
        match turn {
            Some(turn) => *top = Reverse(turn),
            None => drop(PeekMut::pop(top)),
        }
    }

    pub fn remove(&mut self, hart: usize) {
        self.0.retain(|Reverse(turn)| turn.hart() != hart);
    }
}
