// SPDX-License-Identifier: Apache-2.0
//! What happens at the cache that a cluster of cores shares: it stands between its cores and the lines'
//! homes. To its cores it is a blocking directory, to a home one holder of lines, under the number of its
//! first core. `docs/design/board.md` has the argument.

use super::home::Homes;
use crate::{
    devices::Tick,
    engine::{
        event::{Class, ClusterMessage, Event, Grant, Message, Recall},
        fabric::Fabric,
    },
    memory::{
        cluster::{Cluster, Collecting, Continuation, DataSource, PendingAction, Recalled},
        directory::bits,
        request::{Purpose, Request, RequestKind},
        tags::State,
    },
};
use serde::{Deserialize, Serialize};
use takt_model::timing;

/// A line at a cluster.
#[derive(Clone, Copy)]
pub(super) struct ClusterLine {
    pub cluster: u32,
    pub line: u64,
}

/// What lies beyond the clusters' caches.
pub(super) struct Outer<'a> {
    pub homes: &'a mut Homes,
    pub fabric: &'a mut Fabric,
}

/// The caches of all clusters.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::engine) struct Clusters {
    figures: timing::Cluster,
    clusters: Vec<Cluster>,
}

impl Clusters {
    pub fn new(figures: &timing::Cluster, harts: u32) -> Clusters {
        let count = harts.div_ceil(figures.cores) as usize;
        Clusters { figures: figures.clone(), clusters: vec![Cluster::new(figures); count] }
    }

    pub(super) fn cluster_of(&self, core: u32) -> u32 {
        core / self.figures.cores
    }

    /// The core under whose number homes know the cluster.
    pub(super) fn leader(&self, cluster: u32) -> u32 {
        cluster * self.figures.cores
    }

    pub(super) fn cluster(&mut self, at: ClusterLine) -> &mut Cluster {
        &mut self.clusters[at.cluster as usize]
    }

    // ---- messages of cores ----------------------------------------------------------------------

    /// A request leaves its core for its cluster's cache.
    pub fn send_request(&mut self, fabric: &mut Fabric, now: Tick, request: Request) {
        let arrival = now + self.figures.link;
        let event = Event::Cluster(self.cluster_of(request.core), ClusterMessage::Request(request));
        fabric.schedule.push_next(arrival, Class::Home, request.core, event);
    }

    /// A line leaves a core that no longer has room for it, for its cluster's cache.
    pub fn displaced(
        &mut self,
        fabric: &mut Fabric,
        now: Tick,
        core: u32,
        line: u64,
        state: State,
    ) {
        if state == State::Shared {
            return; // The directory need not know.
        }
        let write_back = ClusterMessage::WriteBack { core, line, dirty: state == State::Modified };
        let arrival = now + self.figures.link;
        let event = Event::Cluster(self.cluster_of(core), write_back);
        fabric.schedule.push_next(arrival, Class::WriteBack, core, event);
    }

    /// A core has shared or given up its copy as its cluster's cache asked; its answer leaves.
    pub fn copy_recalled(
        &mut self,
        fabric: &mut Fabric,
        now: Tick,
        core: u32,
        line: u64,
        dirty: bool,
    ) {
        let arrival = now + self.figures.snoop + self.figures.link;
        let event = Event::Cluster(self.cluster_of(core), ClusterMessage::Copy { line, dirty });
        fabric.schedule.push_next(arrival, Class::Data, core, event);
    }

    // ---- what arrives ---------------------------------------------------------------------------

    pub fn at_cluster(
        &mut self,
        outer: &mut Outer,
        now: Tick,
        cluster: u32,
        event: ClusterMessage,
    ) {
        let looked_up = now + self.figures.cache.hit;
        let place = |line| ClusterLine { cluster, line };
        match event {
            ClusterMessage::Request(request) => self.enter(outer, now, cluster, request),
            ClusterMessage::Serve(request) => {
                let at = place(request.line);
                if self.cluster(at).at_rest(at.line) {
                    return self.serve_in_cluster(
                        outer,
                        now,
                        looked_up,
                        at,
                        request,
                        DataSource::Cluster,
                    );
                }
                self.cluster(at).busy(at.line).waiting.push_back(request);
                self.go_on_with(outer, now, looked_up, at);
            }
            ClusterMessage::Copy { line, dirty } => {
                self.collect_one(outer, now, place(line), dirty)
            }
            ClusterMessage::WriteBack { core, line, dirty } => {
                self.take_back(place(line), core, dirty);
            }
            ClusterMessage::Grant { line, state, from_memory } => {
                let at = place(line);
                self.cluster(at).busy(line).granted = Some((state, from_memory));
                self.go_on_with(outer, now, now, at);
            }
            ClusterMessage::Recall { line, to, transaction, data } => {
                let at = place(line);
                let recalled = Recalled { to, transaction, data };
                let before = self.cluster(at).busy(line).recalled.replace(recalled);
                debug_assert!(before.is_none(), "a home recalls a line once at a time");
                self.go_on_with(outer, now, looked_up, at);
            }
        }
    }

    /// A request waits for the cache's next slot.
    fn enter(&mut self, outer: &mut Outer, now: Tick, cluster: u32, request: Request) {
        let service = self.figures.service;
        let slot = &mut self.clusters[cluster as usize].free;
        let start = now.max(*slot);
        *slot = start + service;
        if start == now {
            return self.at_cluster(outer, now, cluster, ClusterMessage::Serve(request));
        }
        let event = Event::Cluster(cluster, ClusterMessage::Serve(request));
        outer.fabric.schedule.push_next(start, Class::Home, request.core, event);
    }

    fn collect_one(&mut self, outer: &mut Outer, now: Tick, at: ClusterLine, dirty: bool) {
        if dirty {
            self.mark_changed(at);
        }
        let busy = self.cluster(at).busy(at.line);
        debug_assert!(busy.collecting.is_some(), "copies that answer were asked for");
        let Some(collecting) = &mut busy.collecting else { return };
        collecting.left -= 1;
        if collecting.left > 0 {
            return;
        }
        let then = collecting.then;
        busy.collecting = None;
        self.collected(outer, now, at, then);
        let looked_up = now + self.figures.cache.hit;
        self.go_on_with(outer, now, looked_up, at);
    }

    /// A core that owned the line dropped it. It arrives before an answer of the core to a recall, so the
    /// cluster still holds the line.
    pub(super) fn take_back(&mut self, at: ClusterLine, core: u32, dirty: bool) {
        if let Some(line) = self.cluster(at).line(at.line) {
            line.owner = line.owner.filter(|owner| *owner != core);
        }
        if dirty {
            self.mark_changed(at);
        }
    }

    fn mark_changed(&mut self, at: ClusterLine) {
        let held = self.cluster(at).line(at.line);
        debug_assert!(
            held.as_ref().is_some_and(|held| held.state.owned()),
            "nobody else changes it"
        );
        if let Some(held) = held {
            held.state = State::Modified;
        }
    }

    // ---- what is done for a line ----------------------------------------------------------------

    /// Does for a line what can be done now. Messages to cores leave at `leaves`; what comes after the
    /// first thing was looked up too. Bound: the requests that wait for the line.
    fn go_on_with(&mut self, outer: &mut Outer, now: Tick, leaves: Tick, at: ClusterLine) {
        let looked_up = now + self.figures.cache.hit;
        let mut leaves = leaves;
        while let Some(next) = self.cluster(at).next(at.line) {
            match next {
                PendingAction::Accept { request, state, from_memory } => {
                    self.accept(outer, now, looked_up, at, request, state);
                    let from = if from_memory { DataSource::Memory } else { DataSource::Home };
                    self.serve_in_cluster(outer, now, leaves, at, request, from);
                }
                PendingAction::Recall(recalled) => {
                    self.collect(
                        outer,
                        leaves,
                        at,
                        recalled.to,
                        None,
                        Continuation::Answer(recalled),
                    );
                }
                PendingAction::Leave(core) => {
                    self.collect(
                        outer,
                        leaves,
                        at,
                        State::Invalid,
                        None,
                        Continuation::Leave(core),
                    );
                }
                PendingAction::Serve(request) => {
                    self.serve_in_cluster(outer, now, leaves, at, request, DataSource::Cluster);
                }
            }
            leaves = looked_up;
        }
    }

    /// A line from its home takes its place; that of another, whose copies are collected.
    fn accept(
        &mut self,
        outer: &mut Outer,
        now: Tick,
        leaves: Tick,
        at: ClusterLine,
        request: Request,
        state: State,
    ) {
        debug_assert!(
            self.cluster_may_have(at, state),
            "cluster {} is granted line {:#x} {state:?}, which another has",
            at.cluster,
            at.line
        );
        let cluster = self.cluster(at);
        let stays = cluster.busy(at.line).displaced_for.take().is_some();
        let victim = cluster.insert(at.line, state);
        if let Some(victim) = victim {
            cluster.busy(victim).displaced_for = Some(request.core);
        }
        if stays {
            self.leaves_no_more(outer.fabric, now, at);
        }
        let Some(victim) = victim else { return };
        outer.fabric.line_departs(self.leader(at.cluster));
        self.go_on_with(outer, now, leaves, ClusterLine { line: victim, ..at });
    }

    fn serve_in_cluster(
        &mut self,
        outer: &mut Outer,
        now: Tick,
        leaves: Tick,
        at: ClusterLine,
        request: Request,
        from: DataSource,
    ) {
        let cluster = self.cluster(at);
        cluster.touch(at.line);
        let state = cluster.state(at.line);
        let to = match request.kind {
            RequestKind::Share(_) if state != State::Invalid => State::Shared,
            RequestKind::Own { .. } if state.owned() => State::Invalid,
            _ => return self.ask_home(outer, now, leaves, at, request),
        };
        self.collect(outer, leaves, at, to, Some(request.core), Continuation::Grant(request, from));
    }

    fn ask_home(
        &mut self,
        outer: &mut Outer,
        now: Tick,
        leaves: Tick,
        at: ClusterLine,
        request: Request,
    ) {
        let holds = self.cluster(at).state(at.line) == State::Shared;
        let kind = match request.kind {
            RequestKind::Own { .. } => RequestKind::Own { holds },
            kind => kind,
        };
        self.cluster(at).busy(at.line).asked = Some(request);
        let request = Request { core: self.leader(at.cluster), kind, ..request };
        outer.homes.send_home(outer.fabric, now, leaves, request);
    }

    /// Asks cores to share or give up their copies, all but one's, and goes on when they have.
    fn collect(
        &mut self,
        outer: &mut Outer,
        leaves: Tick,
        at: ClusterLine,
        to: State,
        but: Option<u32>,
        then: Continuation,
    ) {
        let link = self.figures.link;
        let Some(held) = self.cluster(at).line(at.line) else {
            return self.collected(outer, leaves, at, then);
        };
        let copies = held.take_copies(to, but);
        // A copy that is on its way to its core is used there once before.
        let arrival = (leaves + link).max(held.settled + 1);
        if copies == 0 {
            return self.collected(outer, leaves, at, then);
        }
        let collecting = Collecting { left: copies.count_ones(), then };
        self.cluster(at).busy(at.line).collecting = Some(collecting);
        let (line, transaction) = (at.line, u32::MAX);
        let recall = Recall { line, to, transaction, data: false, waited: false };
        for core in bits(copies) {
            let message = Message::Recall(recall);
            outer.fabric.schedule.deliver(core, arrival, message);
        }
    }

    /// Nobody in the cluster is in the way any more.
    fn collected(&mut self, outer: &mut Outer, leaves: Tick, at: ClusterLine, then: Continuation) {
        match then {
            Continuation::Grant(request, from) => {
                self.grant_in_cluster(outer, leaves, at, request, from)
            }
            Continuation::Answer(Recalled { to, transaction, data }) => {
                let dirty = self.cluster(at).state(at.line) == State::Modified;
                match to {
                    State::Invalid => drop(self.cluster(at).remove(at.line)),
                    _ => {
                        if let Some(held) = self.cluster(at).line(at.line) {
                            held.state = State::Shared;
                        }
                    }
                }
                outer.homes.recalled(
                    outer.fabric,
                    leaves,
                    self.leader(at.cluster),
                    transaction,
                    data,
                    dirty,
                );
            }
            Continuation::Leave(core) => {
                self.leaves_no_more(outer.fabric, leaves, at);
                let Some(held) = self.cluster(at).remove(at.line) else { return };
                if held.state == State::Modified {
                    let arrival = leaves + self.figures.link;
                    outer.fabric.schedule.deliver(core, arrival, Message::WroteBack);
                }
                outer.homes.displaced(
                    outer.fabric,
                    leaves,
                    self.leader(at.cluster),
                    at.line,
                    held.state,
                );
            }
        }
    }

    /// A line that lost its place was on its way out from then on. It stays, or is a message now, which counts itself.
    fn leaves_no_more(&mut self, fabric: &mut Fabric, now: Tick, at: ClusterLine) {
        let leader = self.leader(at.cluster);
        fabric.line_arrives(now, leader, fabric.node(leader), now);
    }

    /// A core gets what it asked for.
    fn grant_in_cluster(
        &mut self,
        outer: &mut Outer,
        leaves: Tick,
        at: ClusterLine,
        request: Request,
        from: DataSource,
    ) {
        let own_l2 = outer.homes.tracks_code(request.core);
        let arrival = leaves + self.figures.link;
        let (core, me) = (request.core, 1u128 << request.core);
        let held = self.cluster(at).line(at.line);
        debug_assert!(held.is_some(), "a line that is granted is held");
        let Some(held) = held else { return };
        held.settled = held.settled.max(arrival);
        let (state, purpose) = match request.kind {
            RequestKind::Share(Purpose::Code) => (State::Shared, Purpose::Code),
            RequestKind::Share(purpose) => {
                let alone = held.sharers & !me == 0 && held.state.owned();
                (if alone { State::Exclusive } else { State::Shared }, purpose)
            }
            _ => (State::Modified, Purpose::Data),
        };
        if purpose != Purpose::Code || own_l2 {
            // L1 I alone is not in the directory.
            held.give(core, state);
        }
        let (from_memory, from_home) = (from == DataSource::Memory, from != DataSource::Cluster);
        let line = at.line;
        let message = Message::Grant(Grant { line, state, purpose, from_memory, from_home });
        outer.fabric.schedule.deliver(core, arrival, message);
    }

    /// A line has one cluster that owns it, or any number that share it.
    fn cluster_may_have(&self, at: ClusterLine, state: State) -> bool {
        let others = (0..).zip(&self.clusters).filter(|(other, _)| *other != at.cluster);
        let most = others.map(|(_, it)| it.state(at.line)).max().unwrap_or(State::Invalid);
        most == State::Invalid || !(most.owned() || state.owned())
    }
}
