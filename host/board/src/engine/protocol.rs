// SPDX-License-Identifier: Apache-2.0
//! What happens between the cores' caches and the memory: a blocking directory at each line's home.
//! `docs/design/board.md` names the events and their order.

use super::{
    event::{AtCluster, Class, Event, Message},
    view::combine,
    world::{Transaction, World, bit},
};
use crate::memory::request::{Operation, Purpose, Request, RequestKind};
use crate::{
    devices::Tick,
    memory::{
        directory::Entry,
        dram::Move,
        network::{SHORT, WITH_LINE},
        tags::State,
    },
};

impl World {
    pub fn handle_event(&mut self, now: Tick, event: Event) {
        match event {
            Event::Request(request) => self.send_request(now, request),
            Event::Home(request) => self.receive_request(now, request),
            Event::Serve(request) => self.serve_or_enqueue(now, request),
            Event::Controller { transaction } => self.read_memory(now, transaction),
            Event::Read { transaction } => self.data_from_memory(now, transaction),
            Event::Write { initiator, line } => self.write_memory(now, initiator, line),
            Event::Data { transaction } => self.data_at_home(now, transaction),
            Event::Perform { transaction } => self.perform(now, transaction),
            Event::Free { line } => self.unblock_line(now, line),
            Event::WriteBack { core, line, dirty } => self.write_back(now, core, line, dirty),
            Event::Device(register) => self.device(now, register),
            Event::Cluster(cluster, event) => self.at_cluster(now, cluster, event),
            Event::ScratchpadAccess(remote) => self.send_to_scratchpad(now, remote),
            Event::Release { initiator } => self.release(now, initiator),
            Event::UncachedAccess(direct) => self.depart_for_memory(now, direct),
            Event::DirectArrives(direct) => self.at_memory(now, direct),
            Event::DirectAnswer { hart, line, message } => {
                self.memory_answers(now, hart, line, message);
            }
            Event::Transferred { initiator } => self.transfer(now, initiator),
            Event::DeviceTime => self.platform.advance(now),
            Event::Deliver { .. } => unreachable!("the machine delivers to its harts"),
        }
    }

    /// The request leaves its core.
    fn send_request(&mut self, now: Tick, request: Request) {
        debug_assert!(self.keeps(request.line), "a cache asks for a line that none keeps");
        match request.kind {
            RequestKind::Share(_) | RequestKind::Own { .. } if self.clustered() => {
                self.depart_for_cluster(now, request);
            }
            _ => self.send_home(now, now, request),
        }
    }

    /// A request leaves for the line's home, as soon as its initiator's write-backs let it.
    pub(super) fn send_home(&mut self, now: Tick, leaves: Tick, request: Request) {
        if !self.stalls_request(now, leaves, request) {
            self.go_home(now, leaves, request);
        }
    }

    pub(super) fn go_home(&mut self, now: Tick, leaves: Tick, request: Request) {
        let home = self.home_of(request.line);
        let mut arrival = self.network.send(self.node(request.core), home, leaves, SHORT);
        // It cannot overtake the line that its core, or cluster, sent home before.
        if let Some(lines) = self.write_backs.get_mut(request.core as usize) {
            lines.retain(|(_, there)| *there > now);
            let own = lines.iter().filter(|(line, _)| *line == request.line);
            arrival = own.fold(arrival, |arrival, (_, there)| arrival.max(there + 1));
        }
        self.queue.push_next(arrival, Class::Home, request.core, Event::Home(request));
    }

    fn receive_request(&mut self, now: Tick, request: Request) {
        self.transactions_done += 1;
        let home = self.home_of(request.line);
        let slot = &mut self.homes[home as usize];
        let start = now.max(slot.free);
        slot.free = start + self.timing.coherence.service;
        if start == now {
            return self.serve_or_enqueue(now, request);
        }
        // What it sends must not reserve links before.
        self.queue.push_next(start, Class::Home, request.core, Event::Serve(request));
    }

    fn serve_or_enqueue(&mut self, now: Tick, request: Request) {
        if self.directory.entry(request.line).busy {
            self.waiting.entry(request.line).or_default().push_back(request);
            return;
        }
        self.serve(now, request);
    }

    /// The next who waits for the line is served.
    fn unblock_line(&mut self, now: Tick, line: u64) {
        self.directory.entry(line).busy = false;
        while !self.directory.entry(line).busy {
            let Some(queue) = self.waiting.get_mut(&line) else { return };
            let next = queue.pop_front();
            if queue.is_empty() {
                self.waiting.remove(&line);
            }
            if let Some(request) = next {
                self.serve(now, request);
            }
        }
    }

    fn serve(&mut self, start: Tick, request: Request) {
        let leaves = start + self.timing.coherence.directory;
        match request.kind {
            RequestKind::Share(purpose) => self.serve_share(leaves, request, purpose),
            RequestKind::Own { holds } => self.serve_own(leaves, request, holds),
            RequestKind::Operation(_) => self.serve_operation(leaves, request),
        }
    }

    fn serve_share(&mut self, leaves: Tick, request: Request, purpose: Purpose) {
        // L1 I alone is not in the directory.
        let kept = purpose != Purpose::Code || self.keeps_code(request.core) || self.clustered();
        let entry = self.directory.entry(request.line);
        let owner = entry.owner().filter(|owner| *owner != request.core);
        if let Some(owner) = owner {
            entry.busy = true;
            entry.set_owner(None);
            entry.sharers |= bit(owner) | if kept { bit(request.core) } else { 0 };
            let transaction = self.begin(request, State::Shared, 1, true);
            self.recall(leaves, owner, State::Shared, transaction, true);
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
        self.supply(leaves, transaction);
    }

    fn serve_own(&mut self, leaves: Tick, request: Request, holds: bool) {
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
            self.recall(leaves, owner, State::Invalid, transaction, true);
        }
        self.recall_all(leaves, &before, request.core, transaction);
        if data == 0 {
            return;
        }
        if holds {
            let (from, to) = (self.home_of(request.line), self.node(request.core));
            let arrival = self.network.send(from, to, leaves, SHORT);
            self.record_response(arrival, transaction);
        } else {
            self.supply(leaves, transaction);
        }
    }

    /// All copies come home, then the home does it.
    fn serve_operation(&mut self, leaves: Tick, request: Request) {
        let entry = self.directory.entry(request.line);
        let before = *entry;
        entry.busy = true;
        entry.sharers = 0;
        entry.set_owner(None);
        // Who asks has dropped its copy. A cluster's leader asks for itself alone: the cluster has its own.
        let asks = if self.clustered() { u32::MAX } else { request.core };
        let owner = before.owner().filter(|owner| *owner != asks);
        let pending = others(&before, asks).count_ones() + 1;
        let transaction = self.begin(request, State::Invalid, pending, true);
        self.recall_all(leaves, &before, asks, transaction);
        match owner {
            Some(owner) => self.recall(leaves, owner, State::Invalid, transaction, true),
            None => self.supply(leaves, transaction),
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

    fn recall_all(&mut self, leaves: Tick, before: &Entry, requester: u32, transaction: u32) {
        for core in before.each_sharer().filter(|core| *core != requester) {
            self.recall(leaves, core, State::Invalid, transaction, false);
        }
    }

    /// The home tells a core to share or give up the line.
    fn recall(&mut self, leaves: Tick, core: u32, to: State, transaction: u32, data: bool) {
        let line = self.transactions.get(transaction).request.line;
        let (from, node) = (self.home_of(line), self.node(core));
        let arrival = self.network.send(from, node, leaves, SHORT);
        // A copy that is on its way to the core is used there once before.
        let arrival = arrival.max(self.directory.entry(line).settled + 1);
        if self.clustered() {
            let recall = AtCluster::Recall { line, to, transaction, data };
            let event = Event::Cluster(self.cluster_of(core), recall);
            return self.queue.push_next(arrival, Class::Home, core, event);
        }
        self.deliver(core, arrival, Message::Recall { line, to, transaction, data, waited: false });
    }

    /// A core, or cluster, has done what a recall asked; its answer goes to the requester.
    pub fn recalled(&mut self, now: Tick, core: u32, transaction: u32, data: bool, dirty: bool) {
        let request = self.transactions.get(transaction).request;
        let home = self.home_of(request.line);
        let to = match request.kind {
            RequestKind::Operation(_) => home,
            _ => self.node(request.core),
        };
        let bytes = if data { WITH_LINE } else { SHORT };
        let leaves = now + self.timing.coherence.snoop;
        let arrival = self.network.send(self.node(core), to, leaves, bytes);
        if dirty {
            // The home's cache hears of it beside; where there is none, the memory.
            self.keep_at_home(leaves, request.core, request.line, true);
        }
        self.record_response(arrival, transaction);
    }

    /// The line's data leave its home, after they came from memory if its cache has them not.
    fn supply(&mut self, leaves: Tick, transaction: u32) {
        let line = self.transactions.get(transaction).request.line;
        let home = self.home_of(line);
        let mut leaves = leaves;
        if let (Some(cache), Some(figures)) =
            (&mut self.homes[home as usize].cache, &self.timing.coherence.cache)
        {
            leaves += figures.hit;
            if cache.touch(line) != State::Invalid {
                return self.data_leaves(leaves, transaction);
            }
        }
        self.directory.entry(line).busy = true;
        self.transactions.get(transaction).from_memory = true;
        let controller = self.dram.node(self.address_of(line));
        let arrival = self.network.send(home, controller, leaves, SHORT);
        self.queue.push_next(arrival, Class::Controller, home, Event::Controller { transaction });
    }

    fn read_memory(&mut self, now: Tick, transaction: u32) {
        let Request { core: initiator, line, .. } = self.transactions.get(transaction).request;
        let read = Move { initiator, address: self.address_of(line), write: false };
        let ready = self.dram.access(read, now);
        self.queue.push_next(ready, Class::Data, self.home_of(line), Event::Read { transaction });
    }

    fn data_from_memory(&mut self, now: Tick, transaction: u32) {
        let line = self.transactions.get(transaction).request.line;
        let (from, home) = (self.dram.node(self.address_of(line)), self.home_of(line));
        let arrival = self.network.send(from, home, now, WITH_LINE);
        self.queue.push_next(arrival, Class::Data, home, Event::Data { transaction });
    }

    fn data_at_home(&mut self, now: Tick, transaction: u32) {
        let request = self.transactions.get(transaction).request;
        let line = request.line;
        self.keep_at_home(now, request.core, line, false);
        let shared = !self.transactions.get(transaction).exclusive;
        self.data_leaves(now, transaction);
        if shared {
            self.queue.push_next(now + 1, Class::Free, self.home_of(line), Event::Free { line });
        }
    }

    fn data_leaves(&mut self, leaves: Tick, transaction: u32) {
        let request = self.transactions.get(transaction).request;
        let home = self.home_of(request.line);
        let arrival = match request.kind {
            RequestKind::Operation(_) => leaves,
            _ => self.network.send(home, self.node(request.core), leaves, WITH_LINE),
        };
        self.record_response(arrival, transaction);
    }

    /// One of the things that a transaction waits for will be there; with the last it ends.
    fn record_response(&mut self, arrival: Tick, number: u32) {
        let transaction = self.transactions.get(number);
        transaction.arrived = transaction.arrived.max(arrival);
        transaction.pending -= 1;
        if transaction.pending > 0 {
            return;
        }
        let (request, at) = (transaction.request, transaction.arrived);
        let home = self.home_of(request.line);
        let purpose = match request.kind {
            RequestKind::Share(purpose) => purpose,
            RequestKind::Own { .. } => Purpose::Data,
            RequestKind::Operation(operation) => {
                let work = match operation {
                    Operation::Atomic { .. } => self.timing.coherence.atomic,
                    _ => 1,
                };
                let perform = Event::Perform { transaction: number };
                self.queue.push_next(at + work, Class::Perform, home, perform);
                return;
            }
        };
        let Transaction { grant: state, exclusive, from_memory, .. } =
            self.transactions.end(number);
        let line = request.line;
        if self.clustered() {
            let grant = AtCluster::Grant { line, state, from_memory };
            let event = Event::Cluster(self.cluster_of(request.core), grant);
            self.queue.push_next(at, Class::Data, request.core, event);
        } else {
            let message = Message::Grant { line, state, purpose, from_memory, from_home: false };
            self.deliver(request.core, at, message);
        }
        if exclusive {
            let free = at + self.network.distance(self.node(request.core), home, SHORT);
            self.queue.push_next(free, Class::Free, home, Event::Free { line });
        } else {
            let entry = self.directory.entry(line);
            entry.settled = entry.settled.max(at);
        }
    }

    fn perform(&mut self, now: Tick, number: u32) {
        let Transaction { request, from_memory, .. } = self.transactions.end(number);
        let home = self.home_of(request.line);
        let RequestKind::Operation(operation) = request.kind else {
            unreachable!("only operations")
        };
        let mut answer = 0;
        match operation {
            Operation::Atomic { amo, offset, bytes, operand } => {
                answer = if bytes == 4 {
                    self.ram.read::<4>(offset)
                } else {
                    self.ram.read::<8>(offset)
                };
                let new = combine(amo, bytes, answer, operand);
                self.ram.write_some(offset, new, bytes.into());
                self.keep_at_home(now, request.core, request.line, true);
            }
            Operation::Flush => {
                if let Some(cache) = &mut self.homes[home as usize].cache {
                    cache.change(request.line, State::Invalid);
                }
                self.write_to_memory(now, home, request.core, request.line);
            }
            Operation::Dma => {
                self.transfer(now, request.core);
                self.queue.push_next(
                    now + 1,
                    Class::Free,
                    home,
                    Event::Free { line: request.line },
                );
                return;
            }
        }
        let arrival = self.network.send(home, self.node(request.core), now, SHORT);
        self.deliver(request.core, arrival, Message::Answer { value: Ok(answer), from_memory });
        let line = request.line;
        self.queue.push_next(now + 1, Class::Free, home, Event::Free { line });
    }

    /// A line leaves a core, or cluster, that no longer has room for it.
    pub fn displaced(&mut self, now: Tick, core: u32, line: u64, state: State) {
        if state == State::Shared {
            return; // The directory need not know.
        }
        let dirty = state == State::Modified;
        let bytes = if dirty { WITH_LINE } else { SHORT };
        let home = self.home_of(line);
        let arrival = self.network.send(self.node(core), home, now, bytes);
        self.write_backs[core as usize].push((line, arrival));
        self.line_departs(core);
        let event = Event::WriteBack { core, line, dirty };
        self.queue.push_next(arrival, Class::WriteBack, core, event);
    }

    fn write_back(&mut self, now: Tick, core: u32, line: u64, dirty: bool) {
        let entry = self.directory.entry(line);
        if entry.owner() == Some(core) {
            entry.set_owner(None);
        }
        if dirty {
            self.keep_at_home(now, core, line, true);
        }
        self.line_arrives(now, core, self.home_of(line), now);
    }

    /// The home's cache takes the line in; what it displaces, or the line itself where there is no
    /// cache, goes to memory if it was changed, for the initiator whose request it is.
    fn keep_at_home(&mut self, now: Tick, initiator: u32, line: u64, dirty: bool) {
        debug_assert!(self.keeps(line), "a home's cache takes in a line that none keeps");
        let home = self.home_of(line);
        let gone = match &mut self.homes[home as usize].cache {
            Some(cache) => {
                let was_dirty = cache.peek(line) == State::Modified;
                let state = if dirty || was_dirty { State::Modified } else { State::Shared };
                cache.insert(line, state).filter(|(_, state)| *state == State::Modified)
            }
            None => dirty.then_some((line, State::Modified)),
        };
        if let Some((line, _)) = gone {
            self.write_to_memory(now, home, initiator, line);
        }
    }

    fn write_to_memory(&mut self, now: Tick, home: u32, initiator: u32, line: u64) {
        let arrival =
            self.network.send(home, self.dram.node(self.address_of(line)), now, WITH_LINE);
        let event = Event::Write { initiator, line };
        self.line_departs(initiator);
        self.queue.push_next(arrival, Class::WriteBack, home, event);
    }

    fn write_memory(&mut self, now: Tick, initiator: u32, line: u64) {
        let address = self.address_of(line);
        let there = self.dram.access(Move { initiator, address, write: true }, now);
        self.line_arrives(now, initiator, self.dram.node(address), there);
    }
}

fn others(entry: &Entry, core: u32) -> u128 {
    entry.sharers & !bit(core)
}
