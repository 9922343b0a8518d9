// SPDX-License-Identifier: Apache-2.0
//! What a core knows of the others' steps.

use std::sync::Arc;

/// The steps of a core at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub core: usize,
    pub count: u32,
}

/// What a store makes known to who reads it: the steps of all cores that come before, and whose step it is.
#[derive(Clone, Debug)]
pub struct Known {
    by: Step,
    all: Arc<[u32]>,
}

/// One core. Its steps are separated by what makes them known to others: a fence before a store, or the bit `rl`.
pub struct Clock {
    core: usize,
    /// By core: the steps that come before what this core does now; of itself, the current step.
    now: Vec<u32>,
    /// What this core's stores make known: what came before its latest fence.
    fenced: Option<Known>,
    /// What this core has read and what counts from its next fence on.
    read: Vec<u32>,
    has_read: bool,
}

impl Clock {
    pub fn new(core: usize, cores: usize) -> Clock {
        let mut now = vec![0; cores];
        now[core] = 1;
        Clock { core, now, fenced: None, read: vec![0; cores], has_read: false }
    }

    pub fn step(&self) -> Step {
        Step { core: self.core, count: self.now[self.core] }
    }

    /// Whether what was done in this step comes before what this core does now.
    pub fn is_behind(&self, step: Step) -> bool {
        step.core == self.core || step.count <= self.now[step.core]
    }

    /// A load has read a store. `acquire`: it counts at once, and not from the next fence on.
    pub fn read(&mut self, known: &Known, acquire: bool) {
        if self.is_behind(known.by) {
            return;
        }
        join(if acquire { &mut self.now } else { &mut self.read }, &known.all);
        self.has_read |= !acquire;
    }

    /// What a store makes known. `release`: with all that came before it, and not what came before the latest fence.
    pub fn store(&mut self, release: bool) -> Option<Known> {
        if release {
            return Some(self.publish());
        }
        self.fenced.clone()
    }

    pub fn fence(&mut self, predecessor: u8, successor: u8) {
        if acquires(predecessor, successor) && self.has_read {
            join(&mut self.now, &self.read);
            self.has_read = false;
        }
        if releases(predecessor, successor) {
            self.fenced = Some(self.publish());
        }
    }

    fn publish(&mut self) -> Known {
        let known = Known { by: self.step(), all: self.now.as_slice().into() };
        self.now[self.core] += 1;
        known
    }
}

impl Known {
    /// A store of a read-modify-write makes known what it has read, too.
    pub fn with(self, earlier: Option<&Known>) -> Known {
        let Some(earlier) = earlier else { return self };
        let mut all = self.all.to_vec();
        join(&mut all, &earlier.all);
        Known { all: all.into(), ..self }
    }
}

fn join(into: &mut [u32], other: &[u32]) {
    into.iter_mut().zip(other).for_each(|(mine, other)| *mine = (*mine).max(*other));
}

const READ: u8 = 2;
const WRITE: u8 = 1;
const BOTH: u8 = READ | WRITE;

/// Whether a fence orders earlier loads before all later accesses.
pub fn acquires(predecessor: u8, successor: u8) -> bool {
    predecessor & READ != 0 && successor & BOTH == BOTH
}

/// Whether a fence orders all earlier accesses before later stores.
pub fn releases(predecessor: u8, successor: u8) -> bool {
    predecessor & BOTH == BOTH && successor & WRITE != 0
}
