// SPDX-License-Identifier: Apache-2.0
//! A cache that neighbouring cores share, and its directory of what their own caches hold.

use super::request::Request;
use super::{
    by_line::ByLine,
    tags::{State, Tags},
};
use crate::devices::Tick;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use takt_model::timing;

#[derive(Clone, Serialize, Deserialize)]
pub struct Cluster {
    /// When the cache can serve the next request.
    pub free: Tick,
    /// Which lines have a place. Their states stand in `lines`; here they say nothing.
    tags: Tags,
    /// What the cluster holds: the lines that have a place, and those that lose theirs and have copies yet.
    lines: ByLine<Line>,
    /// Lines for which something is under way.
    pub(crate) busy: ByLine<Busy>,
}

/// What the cluster's cache knows of a line that it holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Line {
    /// What the line's home gave. `Modified` also where one of the cluster's cores may have changed it
    /// or has; a core that owns an exclusive line changes it without a word.
    pub state: State,
    /// The cores of the cluster that have a copy to read, by number; they drop it silently.
    pub sharers: u128,
    /// The one that may write; it tells when it drops the line.
    pub owner: Option<u32>,
    /// The arrival of the latest copy that was given to a core, which uses it once.
    pub settled: Tick,
}

/// What is under way for a line, in the order in which it is done.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Busy {
    /// Cores give up their copies; nothing else is done until they have.
    pub collecting: Option<Collecting>,
    /// What the home granted, with what it was asked for, and waits for that.
    pub granted: Option<(State, bool)>,
    /// The home wants the line.
    pub recalled: Option<Recalled>,
    /// It has lost its place to a line for which this core had asked.
    pub displaced_for: Option<u32>,
    /// What the home was asked for. Requests wait until it answers; a recall does not.
    pub asked: Option<Request>,
    /// In the order of arrival.
    pub waiting: VecDeque<Request>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Collecting {
    /// Answers that are to come.
    pub left: u32,
    pub then: Continuation,
}

/// What copies are collected for.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Continuation {
    /// A core's request.
    Grant(Request, DataSource),
    /// The home's.
    Answer(Recalled),
    /// Another line needs the place, for this core.
    Leave(u32),
}

/// Where a granted line comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DataSource {
    Cluster,
    Home,
    Memory,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Recalled {
    pub to: State,
    pub transaction: u32,
    pub data: bool,
}

/// What is to be done next for a line.
pub enum PendingAction {
    Accept { request: Request, state: State, from_memory: bool },
    Recall(Recalled),
    Leave(u32),
    Serve(Request),
}

impl Cluster {
    pub fn new(figures: &timing::Cluster) -> Cluster {
        Cluster {
            free: 0,
            tags: Tags::new(&figures.cache),
            lines: ByLine::default(),
            busy: ByLine::default(),
        }
    }

    /// The line's state towards the other clusters.
    pub fn state(&self, line: u64) -> State {
        self.lines.get(line).map_or(State::Invalid, |line| line.state)
    }

    pub fn line(&mut self, line: u64) -> Option<&mut Line> {
        self.lines.get_mut(line)
    }

    pub fn busy(&mut self, line: u64) -> &mut Busy {
        self.busy.entry(line, Busy::default)
    }

    /// Whether nothing is under way for the line.
    pub fn at_rest(&self, line: u64) -> bool {
        self.busy.get(line).is_none()
    }

    /// The line becomes the latest of its set.
    pub fn touch(&mut self, line: u64) {
        self.tags.touch(line);
    }

    /// A line is there in a state, and has a place; answers who lost it.
    pub fn insert(&mut self, line: u64, state: State) -> Option<u64> {
        let new = || Line { state, sharers: 0, owner: None, settled: 0 };
        self.lines.entry(line, new).state = state;
        self.tags.insert(line, State::Shared).map(|(victim, _)| victim)
    }

    /// The line leaves; answers what was known of it.
    pub fn remove(&mut self, line: u64) -> Option<Line> {
        self.tags.change(line, State::Invalid);
        self.lines.remove(line)
    }

    /// Takes out what is next for a line, if it can be done now.
    pub fn next(&mut self, line: u64) -> Option<PendingAction> {
        let busy = self.busy.get_mut(line)?;
        if busy.collecting.is_some() {
            return None;
        }
        // A grant came before a recall that waits: the home recalls what was used only.
        if let Some((state, from_memory)) = busy.granted.take() {
            debug_assert!(busy.asked.is_some(), "the home grants what it was asked for");
            if let Some(request) = busy.asked.take() {
                return Some(PendingAction::Accept { request, state, from_memory });
            }
        }
        if let Some(recalled) = busy.recalled.take() {
            return Some(PendingAction::Recall(recalled));
        }
        if let Some(core) = busy.displaced_for.take() {
            return Some(PendingAction::Leave(core));
        }
        if busy.asked.is_some() {
            return None;
        }
        let next = busy.waiting.pop_front().map(PendingAction::Serve);
        if next.is_none() {
            self.busy.remove(line);
        }
        next
    }
}

impl Line {
    /// A core has a copy from now on.
    pub fn give(&mut self, core: u32, state: State) {
        if state.owned() {
            (self.owner, self.sharers) = (Some(core), 0);
            self.state = self.state.max(state);
        } else {
            self.owner = self.owner.filter(|owner| *owner != core);
            self.sharers |= 1 << core;
        }
    }

    /// Takes from the directory who must change for this: to share, the owner; to give up, all; but for
    /// one. Cores' bits.
    pub fn take_copies(&mut self, to: State, but: Option<u32>) -> u128 {
        let bit = |core: u32| 1u128 << core;
        let spared = but.map_or(0, bit);
        let owner = self.owner.filter(|owner| Some(*owner) != but);
        if owner.is_some() {
            self.owner = None;
        }
        let owner = owner.map_or(0, bit);
        if to == State::Shared {
            self.sharers |= owner;
            return owner;
        }
        let sharers = self.sharers & !spared;
        self.sharers &= spared;
        owner | sharers
    }
}
