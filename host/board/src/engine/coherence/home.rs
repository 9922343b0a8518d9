// SPDX-License-Identifier: Apache-2.0
//! A line's home: a blocking directory, its part of the shared cache, and the way to the memory.
//! `docs/design/board.md` names the events and their order.

use super::bit;
use crate::{
    devices::Tick,
    engine::{
        event::{AccessOp, Class, ClusterMessage, Event, Grant, Message, Recall},
        fabric::{Fabric, Stalled},
    },
    memory::{
        directory::{self, Directory, Entry},
        dram::Move,
        network::{SHORT, WITH_LINE},
        request::{Operation, Purpose, Request, RequestKind},
        tags::{State, Tags},
    },
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use takt_model::{Timing, timing};

/// The homes of all lines.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::engine) struct Homes {
    figures: timing::Coherence,
    /// Cores of a cluster, where clusters stand between cores and homes: then these hold lines, each under the number of
    /// its first core.
    cluster: Option<u32>,
    /// Cores that have an L2 of their own, a bit each.
    with_l2: u128,
    /// Snapshots hold it apart.
    #[serde(skip)]
    pub(in crate::engine) directory: Directory,
    /// By node.
    pub(super) nodes: Vec<Home>,
    transactions: Transactions,
    /// Requests for lines under way, by line, in order of arrival.
    waiting: BTreeMap<u64, VecDeque<Request>>,
    /// By core, or a cluster's first: its lines on their way home, with their arrival.
    write_backs: Vec<Vec<(u64, Tick)>>,
    /// While warming: cores that must give up or share a line before another hart goes on.
    #[serde(skip)]
    pub(super) warm_recalls: Vec<(u32, u64, State)>,
    /// Transactions between caches and memory so far.
    pub(super) transactions_done: u64,
}

/// A line at its home, and who asked for it or for its place.
#[derive(Clone, Copy)]
struct HomeRequest {
    initiator: u32,
    line: u64,
    home: u32,
}

impl HomeRequest {
    fn of(request: Request) -> HomeRequest {
        HomeRequest { initiator: request.core, line: request.line, home: request.home }
    }
}

/// A node's part of the directory.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Home {
    /// When it can serve the next request.
    free: Tick,
    /// Its part of the shared cache.
    pub(super) cache: Option<Tags>,
}

/// What a home does for a request, until the requester has what it asked for.
#[derive(Clone, Serialize, Deserialize)]
struct Transaction {
    request: Request,
    /// Responses that are to come.
    pending: u32,
    /// The latest arrival of the responses so far.
    arrived: Tick,
    grant: State,
    /// The line's home serves nobody else until the requester has it.
    exclusive: bool,
    /// No cache had the line.
    from_memory: bool,
}

/// The transactions that are under way, by number.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Transactions {
    slots: Vec<Option<Transaction>>,
    free: Vec<u32>,
}

impl Transactions {
    fn add(&mut self, transaction: Transaction) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() as u32 - 1
        });
        self.slots[number as usize] = Some(transaction);
        number
    }

    fn get(&mut self, number: u32) -> &mut Transaction {
        self.slots[number as usize].as_mut().expect("a transaction under way")
    }

    fn end(&mut self, number: u32) -> Transaction {
        self.free.push(number);
        self.slots[number as usize].take().expect("a transaction under way")
    }
}

impl Homes {
    pub fn new(timing: &Timing, fabric: &Fabric) -> Homes {
        let harts = fabric.schedule.harts();
        let home = Home { free: 0, cache: timing.coherence.cache.as_ref().map(Tags::new) };
        let with_l2 = (0..harts).filter(|core| timing.of_core(*core).l2.is_some());
        Homes {
            figures: timing.coherence.clone(),
            cluster: timing.cluster.as_ref().map(|cluster| cluster.cores),
            with_l2: with_l2.fold(0, |all, core| all | bit(core)),
            directory: Directory::new(fabric.ram.base, fabric.ram.size()),
            nodes: vec![home; fabric.network.nodes() as usize],
            transactions: Transactions::default(),
            waiting: BTreeMap::new(),
            write_backs: vec![Vec::new(); harts as usize],
            warm_recalls: Vec::new(),
            transactions_done: 0,
        }
    }

    /// Gives back the directory of a snapshot.
    pub fn restore(&mut self, directory: directory::Saved, fabric: &Fabric) {
        self.directory = directory.restore(&fabric.ram);
    }

    /// Whether the core has a private L2, so that directories track its lines of code.
    pub(super) fn tracks_code(&self, core: u32) -> bool {
        self.with_l2 & bit(core) != 0
    }

    /// A request leaves for the line's home, as soon as its initiator's write-backs let it.
    pub(super) fn send_home(
        &mut self,
        fabric: &mut Fabric,
        now: Tick,
        leaves: Tick,
        request: Request,
    ) {
        if fabric.may_leave(now, request.core) {
            self.go_home(fabric, now, leaves, request);
        } else {
            fabric.stall(now, request.core, Stalled::Request(leaves, request));
        }
    }

    /// A request leaves for the line's home.
    pub fn go_home(&mut self, fabric: &mut Fabric, now: Tick, leaves: Tick, request: Request) {
        let from = fabric.node(request.core);
        let mut arrival = fabric.network.send(from, request.home, leaves, SHORT);
        // It cannot overtake the line that its core, or cluster, sent home before.
        if let Some(lines) = self.write_backs.get_mut(request.core as usize) {
            lines.retain(|(_, there)| *there > now);
            let own = lines.iter().filter(|(line, _)| *line == request.line);
            arrival = own.fold(arrival, |arrival, (_, there)| arrival.max(there + 1));
        }
        fabric.schedule.push_next(arrival, Class::Home, request.core, Event::Home(request));
    }

    /// A request has arrived at its home, and waits for the home's next service slot.
    pub fn receive_request(&mut self, fabric: &mut Fabric, now: Tick, request: Request) {
        self.transactions_done += 1;
        let slot = &mut self.nodes[request.home as usize];
        let start = now.max(slot.free);
        slot.free = start + self.figures.service;
        if start == now {
            return self.serve_or_enqueue(fabric, now, request);
        }
        // What it sends must not reserve links before.
        fabric.schedule.push_next(start, Class::Home, request.core, Event::Serve(request));
    }

    /// Serves a request, unless its line is busy: then it waits behind those that wait for the line.
    pub fn serve_or_enqueue(&mut self, fabric: &mut Fabric, now: Tick, request: Request) {
        if self.directory.entry(request.line).busy {
            self.waiting.entry(request.line).or_default().push_back(request);
            return;
        }
        self.serve(fabric, now, request);
    }

    /// The line is busy no more: the requests that wait for it are served, up to the first that makes it busy again.
    pub fn unblock_line(&mut self, fabric: &mut Fabric, now: Tick, line: u64) {
        self.directory.entry(line).busy = false;
        while !self.directory.entry(line).busy {
            let Some(queue) = self.waiting.get_mut(&line) else { return };
            let next = queue.pop_front();
            if queue.is_empty() {
                self.waiting.remove(&line);
            }
            if let Some(request) = next {
                self.serve(fabric, now, request);
            }
        }
    }

    fn serve(&mut self, fabric: &mut Fabric, start: Tick, request: Request) {
        let leaves = start + self.figures.directory;
        match request.kind {
            RequestKind::Share(purpose) => self.serve_share(fabric, leaves, request, purpose),
            RequestKind::Own { holds } => self.serve_own(fabric, leaves, request, holds),
            RequestKind::Operation(_) => self.serve_operation(fabric, leaves, request),
        }
    }

    fn serve_share(
        &mut self,
        fabric: &mut Fabric,
        leaves: Tick,
        request: Request,
        purpose: Purpose,
    ) {
        // L1 I alone is not in the directory.
        let kept =
            purpose != Purpose::Code || self.tracks_code(request.core) || self.cluster.is_some();
        let entry = self.directory.entry(request.line);
        let owner = entry.owner().filter(|owner| *owner != request.core);
        if let Some(owner) = owner {
            entry.busy = true;
            entry.set_owner(None);
            entry.sharers |= bit(owner) | if kept { bit(request.core) } else { 0 };
            let transaction = self.begin(request, State::Shared, 1, true);
            self.recall(fabric, leaves, owner, State::Shared, transaction, true);
            return;
        }
        let alone = entry.sharers & !bit(request.core) == 0;
        let grant =
            if alone && purpose != Purpose::Code { State::Exclusive } else { State::Shared };
        if grant == State::Exclusive {
            entry.busy = true;
            entry.sharers = 0;
            entry.set_owner(Some(request.core));
        } else if kept {
            entry.set_owner(None);
            entry.sharers |= bit(request.core);
        }
        let transaction = self.begin(request, grant, 1, grant == State::Exclusive);
        self.supply(fabric, leaves, transaction);
    }

    fn serve_own(&mut self, fabric: &mut Fabric, leaves: Tick, request: Request, holds: bool) {
        let entry = self.directory.entry(request.line);
        let before = *entry;
        let holds = holds && before.sharers & bit(request.core) != 0;
        entry.busy = true;
        entry.sharers = 0;
        entry.set_owner(Some(request.core));
        let others = others(&before, request.core);
        let owner = before.owner().filter(|owner| *owner != request.core);
        let data = u32::from(owner.is_none());
        let pending = others.count_ones() + data + u32::from(owner.is_some());
        let transaction = self.begin(request, State::Modified, pending, true);
        if let Some(owner) = owner {
            self.recall(fabric, leaves, owner, State::Invalid, transaction, true);
        }
        self.recall_all(fabric, leaves, &before, request.core, transaction);
        if data == 0 {
            return;
        }
        if holds {
            let (from, to) = (request.home, fabric.node(request.core));
            let arrival = fabric.network.send(from, to, leaves, SHORT);
            self.record_response(fabric, arrival, transaction);
        } else {
            self.supply(fabric, leaves, transaction);
        }
    }

    /// All copies come home, then the home does it.
    fn serve_operation(&mut self, fabric: &mut Fabric, leaves: Tick, request: Request) {
        let entry = self.directory.entry(request.line);
        let before = *entry;
        entry.busy = true;
        entry.sharers = 0;
        entry.set_owner(None);
        // The requester has dropped its copy. A cluster's leader asks for itself alone: the cluster has its own copy.
        let asks = if self.cluster.is_some() { u32::MAX } else { request.core };
        let owner = before.owner().filter(|owner| *owner != asks);
        let pending = others(&before, asks).count_ones() + 1;
        let transaction = self.begin(request, State::Invalid, pending, true);
        self.recall_all(fabric, leaves, &before, asks, transaction);
        match owner {
            Some(owner) => self.recall(fabric, leaves, owner, State::Invalid, transaction, true),
            None => self.supply(fabric, leaves, transaction),
        }
    }

    fn begin(&mut self, request: Request, grant: State, pending: u32, exclusive: bool) -> u32 {
        self.transactions.add(Transaction {
            request,
            pending,
            arrived: 0,
            grant,
            exclusive,
            from_memory: false,
        })
    }

    fn recall_all(
        &mut self,
        fabric: &mut Fabric,
        leaves: Tick,
        before: &Entry,
        requester: u32,
        transaction: u32,
    ) {
        for core in before.each_sharer().filter(|core| *core != requester) {
            self.recall(fabric, leaves, core, State::Invalid, transaction, false);
        }
    }

    /// The home tells a core to share or give up the line.
    fn recall(
        &mut self,
        fabric: &mut Fabric,
        leaves: Tick,
        core: u32,
        to: State,
        transaction: u32,
        data: bool,
    ) {
        let Request { line, home: from, .. } = self.transactions.get(transaction).request;
        let node = fabric.node(core);
        let arrival = fabric.network.send(from, node, leaves, SHORT);
        // A copy that is on its way to the core is used there once before.
        let arrival = arrival.max(self.directory.entry(line).settled + 1);
        if let Some(cores) = self.cluster {
            let recall = ClusterMessage::Recall { line, to, transaction, data };
            let event = Event::Cluster(core / cores, recall);
            return fabric.schedule.push_next(arrival, Class::Home, core, event);
        }
        fabric.schedule.deliver(
            core,
            arrival,
            Message::Recall(Recall { line, to, transaction, data, waited: false }),
        );
    }

    /// A core, or cluster, has done what a recall asked; its answer goes to the requester.
    pub(super) fn recalled(
        &mut self,
        fabric: &mut Fabric,
        now: Tick,
        core: u32,
        transaction: u32,
        data: bool,
        dirty: bool,
    ) {
        let request = self.transactions.get(transaction).request;
        let to = match request.kind {
            RequestKind::Operation(_) => request.home,
            _ => fabric.node(request.core),
        };
        let bytes = if data { WITH_LINE } else { SHORT };
        let leaves = now + self.figures.snoop;
        let arrival = fabric.network.send(fabric.node(core), to, leaves, bytes);
        if dirty {
            // The home's cache hears of it beside; where there is none, the memory.
            self.keep_at_home(fabric, leaves, HomeRequest::of(request), true);
        }
        self.record_response(fabric, arrival, transaction);
    }

    /// The line's data leave its home, after they came from memory if its cache has them not.
    fn supply(&mut self, fabric: &mut Fabric, leaves: Tick, transaction: u32) {
        let Request { line, home, .. } = self.transactions.get(transaction).request;
        let mut leaves = leaves;
        if let (Some(cache), Some(figures)) =
            (&mut self.nodes[home as usize].cache, &self.figures.cache)
        {
            leaves += figures.hit;
            if cache.touch(line) != State::Invalid {
                return self.data_leaves(fabric, leaves, transaction);
            }
        }
        self.directory.entry(line).busy = true;
        self.transactions.get(transaction).from_memory = true;
        let controller = fabric.controller_of(line);
        let arrival = fabric.network.send(home, controller, leaves, SHORT);
        fabric.schedule.push_next(
            arrival,
            Class::Controller,
            home,
            Event::Controller { transaction },
        );
    }

    pub fn read_memory(&mut self, fabric: &mut Fabric, now: Tick, transaction: u32) {
        let Request { core: initiator, line, home, .. } =
            self.transactions.get(transaction).request;
        let read = Move { initiator, address: fabric.address_of(line), write: false };
        let ready = fabric.dram.access(read, now);
        fabric.schedule.push_next(ready, Class::Data, home, Event::Read { transaction });
    }

    pub fn data_from_memory(&mut self, fabric: &mut Fabric, now: Tick, transaction: u32) {
        let Request { line, home, .. } = self.transactions.get(transaction).request;
        let arrival = fabric.network.send(fabric.controller_of(line), home, now, WITH_LINE);
        fabric.schedule.push_next(arrival, Class::Data, home, Event::Data { transaction });
    }

    pub fn data_at_home(&mut self, fabric: &mut Fabric, now: Tick, transaction: u32) {
        let request = self.transactions.get(transaction).request;
        let Request { line, home, .. } = request;
        self.keep_at_home(fabric, now, HomeRequest::of(request), false);
        let shared = !self.transactions.get(transaction).exclusive;
        self.data_leaves(fabric, now, transaction);
        if shared {
            fabric.schedule.push_next(now + 1, Class::Free, home, Event::Free { line });
        }
    }

    fn data_leaves(&mut self, fabric: &mut Fabric, leaves: Tick, transaction: u32) {
        let request = self.transactions.get(transaction).request;
        let arrival = match request.kind {
            RequestKind::Operation(_) => leaves,
            _ => fabric.network.send(request.home, fabric.node(request.core), leaves, WITH_LINE),
        };
        self.record_response(fabric, arrival, transaction);
    }

    /// One of the things that a transaction waits for will be there; with the last it ends.
    fn record_response(&mut self, fabric: &mut Fabric, arrival: Tick, number: u32) {
        let transaction = self.transactions.get(number);
        transaction.arrived = transaction.arrived.max(arrival);
        transaction.pending -= 1;
        if transaction.pending > 0 {
            return;
        }
        let (request, at) = (transaction.request, transaction.arrived);
        let home = request.home;
        let purpose = match request.kind {
            RequestKind::Share(purpose) => purpose,
            RequestKind::Own { .. } => Purpose::Data,
            RequestKind::Operation(operation) => {
                let work = match operation {
                    Operation::Atomic { .. } => self.figures.atomic,
                    _ => 1,
                };
                let perform = Event::Perform { transaction: number };
                fabric.schedule.push_next(at + work, Class::Perform, home, perform);
                return;
            }
        };
        let Transaction { grant: state, exclusive, from_memory, .. } =
            self.transactions.end(number);
        let line = request.line;
        if let Some(cores) = self.cluster {
            let grant = ClusterMessage::Grant { line, state, from_memory };
            let event = Event::Cluster(request.core / cores, grant);
            fabric.schedule.push_next(at, Class::Data, request.core, event);
        } else {
            let message =
                Message::Grant(Grant { line, state, purpose, from_memory, from_home: false });
            fabric.schedule.deliver(request.core, at, message);
        }
        if exclusive {
            let free = at + fabric.network.distance(fabric.node(request.core), home, SHORT);
            fabric.schedule.push_next(free, Class::Free, home, Event::Free { line });
        } else {
            let entry = self.directory.entry(line);
            entry.settled = entry.settled.max(at);
        }
    }

    /// All copies are given up: the home performs the operation and answers. Returns the device whose transfer is to be
    /// made now, if it was one.
    pub fn perform(&mut self, fabric: &mut Fabric, now: Tick, number: u32) -> Option<u32> {
        let Transaction { request, from_memory, .. } = self.transactions.end(number);
        let Request { core, line, home, kind } = request;
        let RequestKind::Operation(operation) = kind else { unreachable!("only operations") };
        let (answer, device) = match operation {
            Operation::Atomic { amo, offset, bytes, operand } => {
                let old = fabric.perform(offset, bytes, AccessOp::Atomic(amo, operand));
                self.keep_at_home(fabric, now, HomeRequest::of(request), true);
                (Some(old), None)
            }
            Operation::Flush => {
                if let Some(cache) = &mut self.nodes[home as usize].cache {
                    cache.change(line, State::Invalid);
                }
                self.write_to_memory(fabric, now, HomeRequest::of(request));
                (Some(0), None)
            }
            Operation::Dma => (None, Some(core)),
        };
        if let Some(answer) = answer {
            let arrival = fabric.network.send(home, fabric.node(core), now, SHORT);
            let message = Message::Answer { value: Ok(answer), from_memory };
            fabric.schedule.deliver(core, arrival, message);
        }
        fabric.schedule.push_next(now + 1, Class::Free, home, Event::Free { line });
        device
    }

    /// A line leaves a core, or cluster, that no longer has room for it.
    pub(super) fn displaced(
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
        let dirty = state == State::Modified;
        let bytes = if dirty { WITH_LINE } else { SHORT };
        let home = fabric.home_of(line);
        let arrival = fabric.network.send(fabric.node(core), home, now, bytes);
        self.write_backs[core as usize].push((line, arrival));
        fabric.line_departs(core);
        let event = Event::WriteBack { core, line, dirty };
        fabric.schedule.push_next(arrival, Class::WriteBack, core, event);
    }

    pub fn write_back(
        &mut self,
        fabric: &mut Fabric,
        now: Tick,
        core: u32,
        line: u64,
        dirty: bool,
    ) {
        let entry = self.directory.entry(line);
        if entry.owner() == Some(core) {
            entry.set_owner(None);
        }
        let home = fabric.home_of(line);
        if dirty {
            self.keep_at_home(fabric, now, HomeRequest { initiator: core, line, home }, true);
        }
        fabric.line_arrives(now, core, home, now);
    }

    /// The home's cache takes the line in; what it displaces, or the line itself where there is no
    /// cache, goes to memory if it was changed, for the initiator whose request it is.
    fn keep_at_home(&mut self, fabric: &mut Fabric, now: Tick, at: HomeRequest, dirty: bool) {
        let HomeRequest { line, home, .. } = at;
        debug_assert!(fabric.is_cacheable(line), "a home's cache takes in a line that none keeps");
        let gone = match &mut self.nodes[home as usize].cache {
            Some(cache) => {
                let was_dirty = cache.peek(line) == State::Modified;
                let state = if dirty || was_dirty { State::Modified } else { State::Shared };
                cache.insert(line, state).filter(|(_, state)| *state == State::Modified)
            }
            None => dirty.then_some((line, State::Modified)),
        };
        if let Some((line, _)) = gone {
            self.write_to_memory(fabric, now, HomeRequest { line, ..at });
        }
    }

    fn write_to_memory(&mut self, fabric: &mut Fabric, now: Tick, at: HomeRequest) {
        let HomeRequest { initiator, line, home } = at;
        let arrival = fabric.network.send(home, fabric.controller_of(line), now, WITH_LINE);
        let event = Event::Write { initiator, line };
        fabric.line_departs(initiator);
        fabric.schedule.push_next(arrival, Class::WriteBack, home, event);
    }

    pub fn write_memory(&mut self, fabric: &mut Fabric, now: Tick, initiator: u32, line: u64) {
        let address = fabric.address_of(line);
        let there = fabric.dram.access(Move { initiator, address, write: true }, now);
        fabric.line_arrives(now, initiator, fabric.dram.node(address), there);
    }
}

fn others(entry: &Entry, core: u32) -> u128 {
    entry.sharers & !bit(core)
}
