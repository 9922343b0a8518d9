// SPDX-License-Identifier: Apache-2.0
//! What all harts share: RAM, the protocol between the caches, the devices.

use super::{
    event::{
        Class, Message, Operation, Purpose, Register, Request, Want, What, hart_lookahead,
        lookaheads,
    },
    queue::Queue,
    view::combine,
    watch::Watch,
};
use crate::{
    devices::{
        self, Finish, Htif, HtifCall, Kind, Platform, Tick,
        route::{Routes, Target},
    },
    memory::{
        LINE, Ram, address,
        directory::{Directory, Entry},
        dram::Dram,
        network::{Network, SHORT, WITH_LINE},
        tags::{State, Tags},
    },
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use takt_model::Timing;

#[derive(Clone, Serialize, Deserialize)]
pub struct World {
    pub timing: Timing,
    /// Snapshots have it and the directory apart.
    #[serde(skip)]
    pub ram: Ram,
    pub queue: Queue,
    pub platform: Platform,
    routes: Routes,
    pub htif: Option<Htif>,
    /// What a debugger wants to see accesses to.
    #[serde(skip)]
    pub(super) watches: Vec<Watch>,
    /// The software has said that it is at its end.
    pub finish: Option<(Finish, Tick)>,
    /// The latest moment of the devices: theirs goes on only.
    device_now: Tick,
    /// The reset vector, at [`ROM`].
    pub rom: Vec<u8>,
    /// Cycles beyond the first, by [`isa::Class`].
    pub costs: [Tick; 9],
    pub hart_lookahead: Tick,
    pub seed: u64,
    /// Cycles by which the seed may delay a request.
    pub jitter: u64,
    /// For each hart: when something will reach it.
    pub due: Vec<Vec<Tick>>,
    /// For each hart: recalls that wait for the end of its reservation.
    held: Vec<Vec<Message>>,
    network: Network,
    #[serde(skip)]
    pub(super) directory: Directory,
    dram: Dram,
    homes: Vec<Home>,
    transactions: Transactions,
    /// Requests for lines under way, in order of arrival.
    waiting: BTreeMap<u64, VecDeque<Request>>,
    /// Lines on their way home: core, line and arrival.
    write_backs: Vec<(u32, u64, Tick)>,
    /// Transactions between caches and memory so far.
    pub transactions_done: u64,
}

pub const ROM: u64 = 0x1000;
/// The node that the devices are at.
const DEVICES: u32 = 0;

#[derive(Clone, Serialize, Deserialize)]
struct Home {
    free: Tick,
    cache: Option<Tags>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Transaction {
    request: Request,
    /// What must arrive yet.
    pending: u32,
    /// The latest arrival of those so far.
    arrived: Tick,
    grant: State,
    /// The line's home serves nobody else until the requester has it.
    exclusive: bool,
}

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

impl World {
    pub fn new(
        timing: &Timing,
        ram: Ram,
        rom: Vec<u8>,
        platform: Platform,
        routes: Routes,
        harts: u32,
    ) -> World {
        let core = &timing.core;
        // In the order of `isa::Class`.
        let costs = [
            core.multiply,
            core.divide,
            core.float_add,
            core.float_multiply,
            core.float_fused,
            core.float_divide,
            core.float_root,
            core.float_move,
            core.system,
        ];
        let network = Network::new(&timing.interconnect);
        let home = Home { free: 0, cache: timing.coherence.cache.as_ref().map(Tags::new) };
        World {
            queue: Queue::new(lookaheads(timing)),
            rom,
            costs: costs.map(|cycles| cycles - 1),
            hart_lookahead: hart_lookahead(timing),
            seed: 0,
            jitter: 0,
            due: vec![Vec::new(); harts as usize],
            held: vec![Vec::new(); harts as usize],
            directory: Directory::new(ram.base, ram.size()),
            dram: Dram::new(&timing.dram),
            homes: vec![home; network.nodes() as usize],
            transactions: Transactions::default(),
            waiting: BTreeMap::new(),
            write_backs: Vec::new(),
            transactions_done: 0,
            network,
            platform,
            routes,
            htif: None,
            watches: Vec::new(),
            finish: None,
            device_now: 0,
            ram,
            timing: timing.clone(),
        }
    }

    // ---- what a hart asks while it runs ---------------------------------------------------------

    /// The number of the line at an offset in RAM.
    #[inline(always)]
    pub fn line(&self, offset: u64) -> u64 {
        (self.ram.base + offset) / LINE
    }

    /// Whether nobody watches the page's bytes.
    pub fn fast(&self, page: u64) -> bool {
        !self.htif.is_some_and(|htif| htif.watches(self.ram.base + page, 4096))
            && !self.watches.iter().any(|watch| watch.overlaps(page, 4096))
    }

    /// Performs a store, perhaps to a byte that someone watches.
    pub fn store(&mut self, now: Tick, offset: u64, value: u64, bytes: usize) {
        self.ram.write_some(offset, value, bytes);
        self.watch(now, offset, bytes as u64);
    }

    /// After a store that no page of the fast table served.
    pub fn watch(&mut self, now: Tick, offset: u64, bytes: u64) {
        let Some(htif) = self.htif else { return };
        if !htif.watches(self.ram.base + offset, bytes) {
            return;
        }
        let tohost = htif.tohost - self.ram.base;
        match htif.written(self.ram.read::<8>(tohost)) {
            HtifCall::Exit(0) => self.finish_now(Finish::Pass, now),
            HtifCall::Exit(code) => self.finish_now(Finish::Fail(code as u32), now),
            HtifCall::Print(byte) => {
                self.platform.console().push(byte);
                self.ram.write::<8>(tohost, 0);
            }
            HtifCall::Nothing => {}
        }
    }

    /// From a miss in L1 D to the request's departure.
    pub fn lookup(&self) -> Tick {
        self.timing.l1d.hit + self.timing.l2.as_ref().map_or(0, |l2| l2.hit)
    }

    /// The seed's delay of a core's request.
    pub fn jitter(&self, core: u32, request: u64) -> Tick {
        if self.jitter == 0 {
            return 0;
        }
        let mixed = address::scatter(self.seed ^ (u64::from(core) << 48) ^ request);
        mixed % (self.jitter + 1)
    }

    pub fn rom_line(&self, address: u64) -> Option<[u8; LINE as usize]> {
        let at = address.checked_sub(ROM)? as usize;
        let rest = self.rom.get(at..).filter(|rest| !rest.is_empty())?;
        let mut line = [0; LINE as usize];
        let count = rest.len().min(line.len());
        line[..count].copy_from_slice(&rest[..count]);
        Some(line)
    }

    pub fn rom_read(&self, address: u64, bytes: u8) -> Option<u64> {
        let at = address.checked_sub(ROM)? as usize;
        let from = self.rom.get(at..at + usize::from(bytes))?;
        let mut value = [0; 8];
        value[..from.len()].copy_from_slice(from);
        Some(u64::from_le_bytes(value))
    }

    pub fn is_device(&self, core: u32, address: u64) -> bool {
        let route = self.routes.route(core, address);
        route.is_some_and(|route| matches!(route.target, Target::Device(_)))
    }

    pub fn register(&mut self, now: Tick, register: Register) -> Option<u64> {
        let Register { core, address, bytes, kind } = register;
        // In functional mode the harts' clocks differ by up to a turn.
        self.device_now = self.device_now.max(now);
        let route = self.routes.route(core, address)?;
        let Target::Device(number) = route.target else { return None };
        let request = devices::Request { initiator: core, offset: route.offset, bytes, kind };
        let answer = self.platform.access_device(self.device_now, number, request).ok();
        if let Some(finish) = self.platform.finish() {
            self.finish_now(finish, now);
        }
        answer
    }

    /// The first word counts.
    fn finish_now(&mut self, finish: Finish, now: Tick) {
        self.finish.get_or_insert((finish, now));
    }

    pub fn device_distance(&self, core: u32) -> Tick {
        self.network.distance(self.network.node_of(core), DEVICES, SHORT)
    }

    /// The `time` CSR.
    pub fn time(&self, clock: Tick) -> u64 {
        let (clock, rate) = (u128::from(clock), u128::from(self.timing.timebase));
        (clock * rate / u128::from(self.timing.frequency)) as u64
    }

    /// The first tick at which the `time` CSR is at least this.
    pub fn tick_of(&self, time: u64) -> Tick {
        let (time, frequency) = (u128::from(time), u128::from(self.timing.frequency));
        (time * frequency).div_ceil(u128::from(self.timing.timebase)).min(u128::from(Tick::MAX))
            as u64
    }

    /// Lets those go that wait for the end of a hart's reservation: they reach it at the tick. Answers
    /// whether there were any.
    pub fn released(&mut self, hart: u32, tick: Tick) -> bool {
        let held = self.take_held(hart);
        held.iter().for_each(|message| self.deliver(hart, tick, *message));
        !held.is_empty()
    }

    pub fn take_held(&mut self, hart: u32) -> Vec<Message> {
        std::mem::take(&mut self.held[hart as usize])
    }

    // ---- messages -------------------------------------------------------------------------------

    pub fn deliver(&mut self, hart: u32, tick: Tick, message: Message) {
        self.due[hart as usize].push(tick);
        self.queue.push_next(tick, Class::Deliver, hart, What::Deliver { hart, message });
    }

    pub fn hold(&mut self, hart: u32, until: Tick, message: Message) {
        self.held[hart as usize].push(message);
        self.deliver(hart, until, Message::HoldEnds);
    }

    fn node(&self, core: u32) -> u32 {
        self.network.node_of(core)
    }

    fn home_of(&self, line: u64) -> u32 {
        address::home(&self.timing.coherence, self.network.nodes(), line * LINE)
    }

    // ---- events ---------------------------------------------------------------------------------

    pub fn happen(&mut self, now: Tick, what: What) {
        match what {
            What::Request(request) => self.depart(now, request),
            What::Home(request) => self.arrive(now, request),
            What::Controller { transaction } => self.fetch_from_memory(now, transaction),
            What::Data { transaction } => self.data_at_home(now, transaction),
            What::Perform { transaction } => self.perform(now, transaction),
            What::Free { line } => self.free(now, line),
            What::WriteBack { core, line, dirty } => self.write_back(now, core, line, dirty),
            What::Device(register) => self.device(now, register),
            What::DeviceTime => self.platform.advance(now),
            What::Deliver { .. } => unreachable!("the machine delivers to its harts"),
        }
    }

    /// The request leaves its core for the line's home.
    fn depart(&mut self, now: Tick, request: Request) {
        let home = self.home_of(request.line);
        let mut arrival = self.network.send(self.node(request.core), home, now, SHORT);
        // It cannot overtake the line that its core sent home before.
        self.write_backs.retain(|(_, _, there)| *there > now);
        for (core, line, there) in &self.write_backs {
            if (*core, *line) == (request.core, request.line) {
                arrival = arrival.max(there + 1);
            }
        }
        self.queue.push_next(arrival, Class::Home, request.core, What::Home(request));
    }

    fn arrive(&mut self, now: Tick, request: Request) {
        self.transactions_done += 1;
        let home = self.home_of(request.line);
        let slot = &mut self.homes[home as usize];
        let start = now.max(slot.free);
        slot.free = start + self.timing.coherence.service;
        if self.directory.entry(request.line).busy {
            self.waiting.entry(request.line).or_default().push_back(request);
            return;
        }
        self.serve(start, request);
    }

    /// The next who waits for the line is served.
    fn free(&mut self, now: Tick, line: u64) {
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
        match request.want {
            Want::Share(purpose) => self.serve_share(leaves, request, purpose),
            Want::Own { holds } => self.serve_own(leaves, request, holds),
            Want::Operation(_) => self.serve_operation(leaves, request),
        }
    }

    fn serve_share(&mut self, leaves: Tick, request: Request, purpose: Purpose) {
        // L1 I alone is not in the directory.
        let kept = purpose != Purpose::Code || self.timing.l2.is_some();
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
            self.part(arrival, transaction);
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
        let owner = before.owner().filter(|owner| *owner != request.core);
        let pending = others(&before, request.core).count_ones() + 1;
        let transaction = self.begin(request, State::Invalid, pending, true);
        self.recall_all(leaves, &before, request.core, transaction);
        match owner {
            Some(owner) => self.recall(leaves, owner, State::Invalid, transaction, true),
            None => self.supply(leaves, transaction),
        }
    }

    fn begin(&mut self, request: Request, grant: State, pending: u32, exclusive: bool) -> u32 {
        self.transactions.add(Transaction { request, pending, arrived: 0, grant, exclusive })
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
        self.deliver(core, arrival, Message::Recall { line, to, transaction, data, waited: false });
    }

    /// A core has done what a recall asked; its answer goes to the requester.
    pub fn recalled(&mut self, now: Tick, core: u32, transaction: u32, data: bool, dirty: bool) {
        let request = self.transactions.get(transaction).request;
        let home = self.home_of(request.line);
        let to = match request.want {
            Want::Operation(_) => home,
            _ => self.node(request.core),
        };
        let bytes = if data { WITH_LINE } else { SHORT };
        let leaves = now + self.timing.coherence.snoop;
        let arrival = self.network.send(self.node(core), to, leaves, bytes);
        if dirty {
            // The home's cache hears of it beside; where there is none, the memory.
            self.keep_at_home(leaves, home, request.line, true);
        }
        self.part(arrival, transaction);
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
        let controller = self.dram.node(line * LINE);
        let arrival = self.network.send(home, controller, leaves, SHORT);
        self.queue.push_next(arrival, Class::Controller, home, What::Controller { transaction });
    }

    fn fetch_from_memory(&mut self, now: Tick, transaction: u32) {
        let line = self.transactions.get(transaction).request.line;
        let (address, home) = (line * LINE, self.home_of(line));
        let ready = self.dram.access(address, now);
        let arrival = self.network.send(self.dram.node(address), home, ready, WITH_LINE);
        self.queue.push_next(arrival, Class::Data, home, What::Data { transaction });
    }

    fn data_at_home(&mut self, now: Tick, transaction: u32) {
        let line = self.transactions.get(transaction).request.line;
        self.keep_at_home(now, self.home_of(line), line, false);
        let shared = !self.transactions.get(transaction).exclusive;
        self.data_leaves(now, transaction);
        if shared {
            self.queue.push_next(now + 1, Class::Free, self.home_of(line), What::Free { line });
        }
    }

    fn data_leaves(&mut self, leaves: Tick, transaction: u32) {
        let request = self.transactions.get(transaction).request;
        let home = self.home_of(request.line);
        let arrival = match request.want {
            Want::Operation(_) => leaves,
            _ => self.network.send(home, self.node(request.core), leaves, WITH_LINE),
        };
        self.part(arrival, transaction);
    }

    /// One of the things that a transaction waits for will be there; with the last it ends.
    fn part(&mut self, arrival: Tick, number: u32) {
        let transaction = self.transactions.get(number);
        transaction.arrived = transaction.arrived.max(arrival);
        transaction.pending -= 1;
        if transaction.pending > 0 {
            return;
        }
        let (request, at) = (transaction.request, transaction.arrived);
        let home = self.home_of(request.line);
        let purpose = match request.want {
            Want::Share(purpose) => purpose,
            Want::Own { .. } => Purpose::Data,
            Want::Operation(operation) => {
                let work = match operation {
                    Operation::Atomic { .. } => self.timing.coherence.atomic,
                    _ => 1,
                };
                let perform = What::Perform { transaction: number };
                self.queue.push_next(at + work, Class::Perform, home, perform);
                return;
            }
        };
        let Transaction { grant, exclusive, .. } = self.transactions.end(number);
        let line = request.line;
        self.deliver(request.core, at, Message::Grant { line, state: grant, purpose });
        if exclusive {
            let free = at + self.network.distance(self.node(request.core), home, SHORT);
            self.queue.push_next(free, Class::Free, home, What::Free { line });
        } else {
            let entry = self.directory.entry(line);
            entry.settled = entry.settled.max(at);
        }
    }

    fn perform(&mut self, now: Tick, number: u32) {
        let Transaction { request, .. } = self.transactions.end(number);
        let home = self.home_of(request.line);
        let Want::Operation(operation) = request.want else { unreachable!("only operations") };
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
                self.keep_at_home(now, home, request.line, true);
            }
            Operation::Flush => {
                if let Some(cache) = &mut self.homes[home as usize].cache {
                    cache.change(request.line, State::Invalid);
                }
                self.write_to_memory(now, home, request.line);
            }
            Operation::DmaRead | Operation::DmaWrite => {}
        }
        let arrival = self.network.send(home, self.node(request.core), now, SHORT);
        self.deliver(request.core, arrival, Message::Answer(answer));
        let line = request.line;
        self.queue.push_next(now + 1, Class::Free, home, What::Free { line });
    }

    /// A line leaves a core that no longer has room for it.
    pub fn displaced(&mut self, now: Tick, core: u32, line: u64, state: State) {
        if state == State::Shared {
            return; // The directory need not know.
        }
        let dirty = state == State::Modified;
        let bytes = if dirty { WITH_LINE } else { SHORT };
        let home = self.home_of(line);
        let arrival = self.network.send(self.node(core), home, now, bytes);
        self.write_backs.push((core, line, arrival));
        let what = What::WriteBack { core, line, dirty };
        self.queue.push_next(arrival, Class::WriteBack, core, what);
    }

    fn write_back(&mut self, now: Tick, core: u32, line: u64, dirty: bool) {
        let entry = self.directory.entry(line);
        if entry.owner() == Some(core) {
            entry.set_owner(None);
        }
        if dirty {
            self.keep_at_home(now, self.home_of(line), line, true);
        }
    }

    /// The home's cache takes the line in; what it displaces, or the line itself where there is no
    /// cache, goes to memory if it was changed.
    fn keep_at_home(&mut self, now: Tick, home: u32, line: u64, dirty: bool) {
        let gone = match &mut self.homes[home as usize].cache {
            Some(cache) => {
                let was_dirty = cache.peek(line) == State::Modified;
                let state = if dirty || was_dirty { State::Modified } else { State::Shared };
                cache.insert(line, state).filter(|(_, state)| *state == State::Modified)
            }
            None => dirty.then_some((line, State::Modified)),
        };
        if let Some((line, _)) = gone {
            self.write_to_memory(now, home, line);
        }
    }

    fn write_to_memory(&mut self, now: Tick, home: u32, line: u64) {
        let arrival = self.network.send(home, self.dram.node(line * LINE), now, WITH_LINE);
        self.dram.access(line * LINE, arrival);
    }

    // ---- devices --------------------------------------------------------------------------------

    fn device(&mut self, now: Tick, register: Register) {
        self.platform.advance(now);
        let answer = self.register(now, register);
        let back = self.network.distance(DEVICES, self.node(register.core), SHORT);
        let message = match register.kind {
            // A refused read answers ones, as a bus without a device does; a real error is raised
            // before by the map of addresses.
            Kind::Read => Message::Answer(answer.unwrap_or(u64::MAX)),
            Kind::Write(_) => Message::Posted,
        };
        self.deliver(register.core, now + self.timing.device + back, message);
    }

    // ---- warming --------------------------------------------------------------------------------

    /// A core's access when no time passes: tags and directory follow at once.
    pub fn warm(&mut self, core: &mut crate::memory::core::Core, line: u64, write: bool) {
        let _ = (core, line, write); // filled in with the warming mode
    }
}

fn bit(core: u32) -> u128 {
    1 << core
}

fn others(entry: &Entry, core: u32) -> u128 {
    entry.sharers & !bit(core)
}
