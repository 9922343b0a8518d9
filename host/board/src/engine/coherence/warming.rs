// SPDX-License-Identifier: Apache-2.0
//! Warming mode: tags and directory follow each access, and no time passes.

use super::{
    bit,
    cluster::{ClusterLine, Clusters},
    home::Homes,
};
use crate::{
    engine::fabric::Fabric,
    memory::{core::Core, directory::bits, tags::State},
};

/// What the directory of homes gave: a state, and who must share or give up the line for it.
struct Claim {
    state: State,
    recalled: u128,
    to: State,
}

impl Homes {
    /// Gives a line to a core that warms its caches. Answers whether other cores must share or give up copies.
    pub(super) fn warm(
        &mut self,
        fabric: &mut Fabric,
        core: &mut Core,
        line: u64,
        write: bool,
    ) -> bool {
        let Claim { state, recalled, to } = self.claim(core.index, line, write);
        self.warm_recall(recalled, line, to);
        if recalled == 0 {
            self.warm_home(fabric, line, false);
        }
        if let Some((victim, state)) = core.fill(line, state, true) {
            if state.owned() {
                self.directory.entry(victim).set_owner(None);
            }
            if state == State::Modified {
                self.warm_home(fabric, victim, true);
            }
        }
        recalled != 0
    }

    /// Enters a core, or cluster, that gets the line into its home's directory.
    fn claim(&mut self, me: u32, line: u64, write: bool) -> Claim {
        let entry = self.directory.entry(line);
        let others = entry.owner().filter(|owner| *owner != me);
        let (to, recalled) = match (write, others) {
            (_, Some(owner)) => (if write { State::Invalid } else { State::Shared }, bit(owner)),
            (true, None) => (State::Invalid, entry.sharers & !bit(me)),
            (false, None) => (State::Shared, 0),
        };
        let shared = entry.sharers & !bit(me) | if write { 0 } else { recalled };
        let state = match (write, shared) {
            (true, _) => State::Modified,
            (false, 0) => State::Exclusive,
            (false, _) => State::Shared,
        };
        entry.set_owner(state.owned().then_some(me));
        entry.sharers = if state.owned() { 0 } else { shared | bit(me) };
        Claim { state, recalled, to }
    }

    /// Cores must share or give up the line before another hart goes on.
    fn warm_recall(&mut self, cores: u128, line: u64, to: State) {
        self.warm_recalls.extend(bits(cores).map(|core| (core, line, to)));
    }

    /// The home's cache and the memory's rows follow an access.
    pub(super) fn warm_home(&mut self, fabric: &mut Fabric, line: u64, dirty: bool) {
        let (home, address) = (fabric.home_of(line), fabric.address_of(line));
        let Some(cache) = &mut self.nodes[home as usize].cache else {
            return fabric.dram.open(address);
        };
        let before = cache.touch(line);
        if before == State::Invalid {
            fabric.dram.open(address);
        }
        let state =
            if dirty || before == State::Modified { State::Modified } else { State::Shared };
        cache.insert(line, state);
    }
}

impl Clusters {
    /// Gives a line to a core that warms its caches: by its cluster's cache, and its home if that lacks it. Answers whether
    /// other cores must share or give up copies.
    pub(super) fn warm(
        &mut self,
        homes: &mut Homes,
        fabric: &mut Fabric,
        core: &mut Core,
        line: u64,
        write: bool,
    ) -> bool {
        let (me, before) = (core.index, homes.warm_recalls.len());
        let at = ClusterLine { cluster: self.cluster_of(me), line };
        self.warm_cluster(homes, fabric, at, write);
        let held = self.cluster(at).line(line).expect("it has just come");
        let copies = held.take_copies(if write { State::Invalid } else { State::Shared }, Some(me));
        let state = match write {
            true => State::Modified,
            false if held.sharers & !bit(me) == 0 && held.state.owned() => State::Exclusive,
            false => State::Shared,
        };
        held.give(me, state);
        homes.warm_recall(copies, line, if write { State::Invalid } else { State::Shared });
        if let Some((victim, state)) = core.fill(line, state, true) {
            let (at, dirty) = (ClusterLine { line: victim, ..at }, state == State::Modified);
            // The cluster may have lost the same line to this one.
            if state.owned() && self.cluster(at).line(victim).is_some() {
                self.take_back(at, me, dirty);
            } else if dirty {
                homes.warm_home(fabric, victim, true);
            }
        }
        homes.warm_recalls.len() > before
    }

    /// Brings a line into the cluster's cache, to write if need be.
    fn warm_cluster(
        &mut self,
        homes: &mut Homes,
        fabric: &mut Fabric,
        at: ClusterLine,
        write: bool,
    ) {
        let state = self.cluster(at).state(at.line);
        if state.owned() || (state == State::Shared && !write) {
            return self.cluster(at).touch(at.line);
        }
        let Claim { state, recalled, to } = homes.claim(self.leader(at.cluster), at.line, write);
        for leader in bits(recalled) {
            self.warm_leave(
                homes,
                fabric,
                ClusterLine { cluster: self.cluster_of(leader), ..at },
                to,
            );
        }
        if recalled == 0 {
            homes.warm_home(fabric, at.line, false);
        }
        let Some(victim) = self.cluster(at).insert(at.line, state) else { return };
        if self.cluster(at).state(victim).owned() {
            homes.directory.entry(victim).set_owner(None);
        }
        self.warm_leave(homes, fabric, ClusterLine { line: victim, ..at }, State::Invalid);
    }

    /// A cluster shares or gives up a line.
    fn warm_leave(&mut self, homes: &mut Homes, fabric: &mut Fabric, at: ClusterLine, to: State) {
        let Some(held) = self.cluster(at).line(at.line) else { return };
        let (copies, dirty) = (held.take_copies(to, None), held.state == State::Modified);
        held.state = State::Shared;
        if to == State::Invalid {
            self.cluster(at).remove(at.line);
        }
        homes.warm_recall(copies, at.line, to);
        if dirty {
            homes.warm_home(fabric, at.line, true);
        }
    }

    /// A core whose copy is recalled had changed it. Answers whether its cluster's cache takes the line in.
    pub(super) fn warm_changed(&mut self, core: u32, line: u64) -> bool {
        let at = ClusterLine { cluster: self.cluster_of(core), line };
        let held = self.cluster(at).line(line).filter(|held| held.state.owned());
        held.map(|held| held.state = State::Modified).is_some()
    }
}
