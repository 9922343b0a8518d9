// SPDX-License-Identifier: Apache-2.0
//! The machine as one hart sees it while it runs: the port of [`crate::isa`], in each mode.

use super::{
    event::{Class as EventClass, Operation, Purpose, Register, Request, Want, What},
    queue::Key,
    world::World,
};
use crate::{
    devices::{Kind, Tick},
    isa::{
        self, Access, Amo, CacheBlock, Class, Event, Exception, Hart, Instruction, Ordering, Port,
        Privilege, Stop, Walk, WalkStep, pmp_permits,
    },
    memory::{
        LINE,
        code::{Code, STRADDLING},
        core::{Core, Forward, Reservation, Split, Store, WaitFor},
        tags::State,
    },
};
use takt_model::timing::{Atomics, Drain};

/// Memory is RAM, at once; nothing is modelled but translation.
pub const FUNCTIONAL: u8 = 0;
/// As functional, and tags, directory and TLBs follow.
pub const WARMING: u8 = 1;
pub const TIMED: u8 = 2;

pub struct View<'a, const MODE: u8> {
    pub core: &'a mut Core,
    pub world: &'a mut World,
    /// When the present instruction began, plus what it was charged so far.
    pub clock: Tick,
    /// No instruction begins here or later.
    pub limit: Tick,
    /// When the present instruction began.
    pub began: Tick,
    /// What the hart's timer must look at has changed.
    pub timer_changed: bool,
    /// Addresses to stop at, but for the one where the hart begins now.
    pub stops: &'a [u64],
    pub start: u64,
}

type Result<T> = std::result::Result<T, Stop>;

fn fault(cause: u64, tval: u64) -> Stop {
    Stop::Trap(Exception { cause, tval })
}

/// Where a physical address leads.
enum Target {
    Ram(u64),
    Device(u64),
}

impl<const MODE: u8> View<'_, MODE> {
    fn wait<T>(&mut self, what: WaitFor) -> Result<T> {
        self.core.waits = Some(what);
        Err(Stop::Wait)
    }

    // ---- translation -------------------------------------------------------------------------

    fn physical(&mut self, hart: &mut Hart, address: u64, access: Access) -> Result<u64> {
        let translation = hart.translation(access);
        if !translation.sv39 {
            return Ok(address);
        }
        if MODE == FUNCTIONAL {
            // Each walk is new, and what it finds is kept in the table of pages only.
            return self.walk(hart, address, access).map(|mapping| mapping.physical(address));
        }
        let asid = translation.asid;
        let tlb = if access == Access::Fetch { &self.core.itlb } else { &self.core.dtlb };
        if let Some(mapping) = tlb.find(address, asid) {
            if mapping.permits(translation, access) && isa::is_canonical(address) {
                return Ok(mapping.physical(address));
            }
        }
        let mapping = self.walk(hart, address, access)?;
        let physical = mapping.physical(address);
        let tlb = if access == Access::Fetch { &mut self.core.itlb } else { &mut self.core.dtlb };
        tlb.insert(asid, address, mapping);
        self.core.count(Event::TlbMiss);
        // The table of pages and that of lines hold nothing that the TLBs do not.
        if access == Access::Fetch {
            self.core.code.forget()
        } else {
            self.core.pages.clear()
        }
        Ok(physical)
    }

    /// Walks the page table; a walk that waited for a line goes on where it was.
    fn walk(&mut self, hart: &mut Hart, address: u64, access: Access) -> Result<isa::Mapping> {
        let page = address >> 12;
        let mut walk = match self.core.walk.take() {
            Some((at, what, walk)) if at == page && what == access => walk,
            _ => Walk::begin(hart.translation(access), address, access),
        };
        loop {
            let at = walk.address();
            let offset = self.world.ram.offset(at, 8);
            let permitted = pmp_permits(hart, at, 8, Access::Load, Privilege::Supervisor);
            let Some(offset) = offset.filter(|_| permitted) else {
                return Err(fault(access.access_fault(), address));
            };
            self.line_of_walk(offset, false, page, access, &walk)?;
            if MODE == TIMED {
                self.clock += self.world.timing.tlb.level;
            }
            let mut step = walk.step(self.world.ram.read::<8>(offset));
            if let WalkStep::Update { old, new, .. } = step {
                if !pmp_permits(hart, at, 8, Access::Store, Privilege::Supervisor) {
                    return Err(fault(access.access_fault(), address));
                }
                self.line_of_walk(offset, true, page, access, &walk)?;
                let unchanged = self.world.ram.read::<8>(offset) == old;
                if unchanged {
                    self.world.ram.write::<8>(offset, new);
                }
                step = walk.updated(unchanged);
            }
            match step {
                WalkStep::Leaf(mapping) => return Ok(mapping),
                WalkStep::Fault => return Err(fault(access.page_fault(), address)),
                WalkStep::Next | WalkStep::Update { .. } => {}
            }
        }
    }

    fn line_of_walk(
        &mut self,
        offset: u64,
        write: bool,
        page: u64,
        access: Access,
        walk: &Walk,
    ) -> Result<()> {
        let line = self.world.line(offset);
        // The page table's own stores are performed by the sfence.vma that announces them.
        self.line_ready(line, write).inspect_err(|_| {
            self.core.walk = Some((page, access, *walk));
        })
    }

    /// The target of an access that no page of the fast table serves.
    #[inline(never)]
    fn look(
        &mut self,
        hart: &mut Hart,
        address: u64,
        bytes: u64,
        access: Access,
    ) -> Result<Target> {
        let physical = self.physical(hart, address, access)?;
        let privilege = hart.translation(access).privilege;
        if !pmp_permits(hart, physical, bytes, access, privilege) {
            return Err(fault(access.access_fault(), address));
        }
        let Some(offset) = self.world.ram.offset(physical, bytes) else {
            return Ok(Target::Device(physical));
        };
        let page = offset & !4095;
        if access == Access::Store {
            self.world.ram.touch(page);
        }
        if pmp_permits(hart, physical & !4095, 4096, access, privilege) && self.world.fast(page) {
            self.core.pages.insert(address, page, access == Access::Store);
        }
        Ok(Target::Ram(offset))
    }

    // ---- lines -------------------------------------------------------------------------------

    /// The core may read (or write) the line now, or waits for it.
    #[inline(always)]
    fn line_ready(&mut self, line: u64, write: bool) -> Result<()> {
        match MODE {
            FUNCTIONAL => Ok(()),
            WARMING => {
                self.warm(line, write);
                Ok(())
            }
            _ => {
                let at_once = if write {
                    self.core.l1d.writes_at_once(line)
                } else {
                    self.core.l1d.reads_at_once(line)
                };
                if at_once {
                    self.clock += self.world.timing.l1d.hit;
                    return Ok(());
                }
                self.line_ready_slowly(line, write)
            }
        }
    }

    #[inline(never)]
    fn warm(&mut self, line: u64, write: bool) {
        if self.own_hit(line, write).is_none() && self.world.warm(self.core, line, write) {
            // The machine recalls the others' copies before anyone goes on.
            self.limit = 0;
        }
    }

    #[inline(never)]
    fn line_ready_slowly(&mut self, line: u64, write: bool) -> Result<()> {
        if let Some(cost) = self.own_hit(line, write) {
            self.clock += cost;
            return Ok(());
        }
        self.ask(line, write);
        self.wait(WaitFor::Line(line))
    }

    /// What a hit in the core's own caches costs, and brings the line into L1.
    fn own_hit(&mut self, line: u64, write: bool) -> Option<Tick> {
        let timing = &self.world.timing;
        let serves = |state: State| if write { state.owned() } else { state != State::Invalid };
        let after = |state: State| if write { State::Modified } else { state };
        let state = self.core.l1d.touch(line);
        if serves(state) {
            self.core.l1d.change(line, after(state));
            return Some(timing.l1d.hit);
        }
        let l2 = self.core.l2.as_mut()?;
        let state = l2.touch(line);
        if !serves(state) {
            return None;
        }
        self.core.count(Event::L1dMiss);
        self.core.raise(line, after(state));
        Some(timing.l1d.hit + timing.l2.as_ref().map_or(0, |l2| l2.hit))
    }

    /// Sends for the line, unless it is on its way.
    fn ask(&mut self, line: u64, write: bool) {
        if self.core.missing(line) {
            return;
        }
        self.core.count(Event::L1dMiss);
        self.core.count(Event::L2Miss);
        let holds = self.core.state(line) == State::Shared;
        let want = if write { Want::Own { holds } } else { Want::Share(Purpose::Data) };
        self.core.misses.push(crate::memory::core::Miss { line, write });
        let lookup = self.world.lookup();
        self.request(lookup, line, want);
        if !write {
            self.prefetch(line, lookup);
        }
    }

    /// A miss on the line behind the latest one is a stream: the lines ahead are asked for too.
    fn prefetch(&mut self, line: u64, lookup: Tick) {
        let streams = self.core.stream == line;
        self.core.stream = line + 1;
        if !streams {
            return;
        }
        for ahead in line + 1..=line + u64::from(self.world.timing.core.prefetch) {
            let same_page = ahead * LINE / 4096 == line * LINE / 4096;
            if same_page && !self.core.missing(ahead) && self.core.state(ahead) == State::Invalid {
                self.core.misses.push(crate::memory::core::Miss { line: ahead, write: false });
                self.request(lookup, ahead, Want::Share(Purpose::Ahead));
                self.core.stream = ahead + 1;
            }
        }
    }

    fn request(&mut self, lookup: Tick, line: u64, want: Want) {
        let core = self.core.index;
        self.core.requests += 1;
        let jitter = self.world.jitter(core, self.core.requests);
        // What a hart does at a tick comes after that tick's events, so they are never of its making.
        let tick = (self.clock + lookup + jitter).max(self.began + 1);
        self.push(tick, EventClass::Request, What::Request(Request { core, line, want }));
    }

    /// An event of this hart's making; what it may lead to ends the hart's run ahead.
    fn push(&mut self, tick: Tick, class: EventClass, what: What) {
        self.core.sequence = self.core.sequence.wrapping_add(1) & !(1 << 31);
        let key = Key::new(tick, class, self.core.index, self.core.sequence);
        self.world.queue.push(key, class, what);
        self.limit = self.limit.min(tick + self.world.queue.lookahead(class));
    }

    // ---- loads and stores of RAM -------------------------------------------------------------

    #[inline(always)]
    fn load_ram<const N: usize>(&mut self, offset: u64) -> Result<u64> {
        if MODE == TIMED && !self.core.stores.is_empty() {
            match self.core.stores.forward(offset, N as u64) {
                Forward::Value(value) => {
                    self.clock += self.world.timing.l1d.hit;
                    return Ok(value);
                }
                Forward::Part => return self.wait(WaitFor::Drained),
                Forward::Nothing => {}
            }
        }
        self.line_ready(self.world.line(offset), false)?;
        Ok(self.world.ram.read::<N>(offset))
    }

    #[inline(always)]
    fn store_ram(&mut self, offset: u64, bytes: usize, value: u64) -> Result<()> {
        let line = self.world.line(offset);
        match MODE {
            FUNCTIONAL => {}
            WARMING => self.warm(line, true),
            _ => {
                if !(self.core.stores.is_empty() && self.core.l1d.writes_at_once(line)) {
                    return self.store_slowly(offset, bytes, value, line);
                }
            }
        }
        self.world.ram.write_some(offset, value, bytes);
        Ok(())
    }

    /// A store performs at once where the core owns the line and nothing older must be first; else it
    /// goes to the store buffer, and a request for its line goes out.
    #[inline(never)]
    fn store_slowly(&mut self, offset: u64, bytes: usize, value: u64, line: u64) -> Result<()> {
        let depth = self.world.timing.core.store_buffer as usize;
        let behind = match self.world.timing.core.drain {
            Drain::Fifo => !self.core.stores.is_empty(),
            Drain::Any => self.core.stores.touches(line),
        };
        if !behind && self.own_hit(line, true).is_some() {
            self.perform(offset, value, bytes);
            return Ok(());
        }
        if depth == 0 {
            self.line_ready(line, true)?;
            self.perform(offset, value, bytes);
            return Ok(());
        }
        if self.core.stores.entries.len() >= depth {
            return self.wait(WaitFor::Room);
        }
        self.core.stores.entries.push(Store { offset, bytes: bytes as u8, line, value });
        if !self.core.state(line).owned() {
            self.ask(line, true);
        }
        Ok(())
    }

    /// Performs a store.
    fn perform(&mut self, offset: u64, value: u64, bytes: usize) {
        self.world.store(self.clock, offset, value, bytes);
        self.stop_at_finish();
    }

    /// A store may have ended the run: this hart goes no further than all others will.
    fn stop_at_finish(&mut self) {
        if let Some((_, tick)) = self.world.finish {
            self.limit = self.limit.min(tick + self.world.hart_lookahead);
        }
    }

    /// A load or store that crosses a line or is misaligned: in two parts, each performed alone.
    #[inline(never)]
    fn load_parts(&mut self, hart: &mut Hart, address: u64, bytes: u64) -> Result<u64> {
        let first = (LINE - address % LINE).min(bytes);
        if first == bytes {
            return self.load_some(hart, address, bytes);
        }
        let low = match self.core.split.take() {
            Some(split) if split.address == address => split.value,
            _ => self.load_some(hart, address, first)?,
        };
        match self.load_some(hart, address.wrapping_add(first), bytes - first) {
            Ok(high) => Ok(low | high << (8 * first)),
            Err(stop) => {
                if stop == Stop::Wait {
                    self.core.split = Some(Split { address, value: low });
                }
                Err(stop)
            }
        }
    }

    /// Up to 8 bytes within a line.
    fn load_some(&mut self, hart: &mut Hart, address: u64, bytes: u64) -> Result<u64> {
        match self.look(hart, address, bytes, Access::Load)? {
            Target::Device(_) => Err(fault(Access::Load.misaligned(), address)),
            Target::Ram(offset) => {
                if MODE == TIMED && self.core.stores.touches(self.world.line(offset)) {
                    return self.wait(WaitFor::Drained);
                }
                self.line_ready(self.world.line(offset), false)?;
                let mut value = [0; 8];
                value[..bytes as usize].copy_from_slice(self.world.ram.slice(offset, bytes));
                Ok(u64::from_le_bytes(value))
            }
        }
    }

    #[inline(never)]
    fn store_parts(&mut self, hart: &mut Hart, at: u64, value: u64, bytes: u64) -> Result<()> {
        let first = (LINE - at % LINE).min(bytes);
        // Both parts must be allowed before one is stored.
        let Target::Ram(low) = self.look(hart, at, first, Access::Store)? else {
            return Err(fault(Access::Store.misaligned(), at));
        };
        if first == bytes {
            return self.store_ram(low, bytes as usize, value);
        }
        let second = at.wrapping_add(first);
        let Target::Ram(high) = self.look(hart, second, bytes - first, Access::Store)? else {
            return Err(fault(Access::Store.misaligned(), at));
        };
        if self.core.split.take().is_none_or(|split| split.address != at) {
            self.store_ram(low, first as usize, value)?;
        }
        let stored = self.store_ram(high, (bytes - first) as usize, value >> (8 * first));
        if stored == Err(Stop::Wait) {
            self.core.split = Some(Split { address: at, value: 0 });
        }
        stored
    }

    // ---- devices -----------------------------------------------------------------------------

    fn load_device(&mut self, hart: &Hart, at: u64, physical: u64, bytes: u8) -> Result<u64> {
        self.device(hart, physical, bytes, Kind::Read, fault(Access::Load.access_fault(), at))
    }

    fn store_device(
        &mut self,
        hart: &Hart,
        at: u64,
        physical: u64,
        bytes: u8,
        value: u64,
    ) -> Result<()> {
        let refused = fault(Access::Store.access_fault(), at);
        if MODE != TIMED {
            return self.device(hart, physical, bytes, Kind::Write(value), refused).map(|_| ());
        }
        if !self.world.is_device(self.core.index, physical) {
            return Err(refused);
        }
        self.drained()?;
        self.core.posted = true;
        self.send_to_device(physical, bytes, Kind::Write(value));
        Ok(())
    }

    #[inline(never)]
    fn device(
        &mut self,
        _hart: &Hart,
        physical: u64,
        bytes: u8,
        kind: Kind,
        refused: Stop,
    ) -> Result<u64> {
        if let Some(value) = self.world.rom_read(physical, bytes) {
            return if kind == Kind::Read { Ok(value) } else { Err(refused) };
        }
        if !self.world.is_device(self.core.index, physical) {
            return Err(refused);
        }
        if MODE != TIMED {
            let register = Register { core: self.core.index, address: physical, bytes, kind };
            let answer = self.world.register(self.clock, register).ok_or(refused);
            // Others may feel it: the machine looks at the wires before anyone goes on.
            self.limit = 0;
            return answer;
        }
        if let Some(answer) = self.core.answer.take() {
            return Ok(answer);
        }
        self.drained()?;
        self.send_to_device(physical, bytes, kind);
        self.wait(WaitFor::Answer)
    }

    fn send_to_device(&mut self, address: u64, bytes: u8, kind: Kind) {
        let core = self.core.index;
        let tick = self.clock + self.world.device_distance(core);
        self.push(tick, EventClass::Device, What::Device(Register { core, address, bytes, kind }));
    }

    /// All earlier stores are performed, those to devices have arrived.
    fn drained(&mut self) -> Result<()> {
        if MODE == TIMED && (!self.core.stores.is_empty() || self.core.posted) {
            return self.wait(WaitFor::Drained);
        }
        Ok(())
    }

    // ---- atomics -----------------------------------------------------------------------------

    /// Where an atomic of RAM goes. It stands behind all earlier stores.
    fn atomic_at(&mut self, hart: &mut Hart, at: u64, n: usize, access: Access) -> Result<u64> {
        if at % n as u64 != 0 {
            return Err(fault(access.misaligned(), at));
        }
        let fast = if access == Access::Load {
            self.core.pages.read(at)
        } else {
            self.core.pages.write(at)
        };
        let offset = match fast {
            Some(offset) => offset,
            None => match self.look(hart, at, n as u64, access)? {
                Target::Ram(offset) => offset,
                Target::Device(_) => return Err(fault(access.access_fault(), at)),
            },
        };
        if MODE == TIMED && !self.core.stores.is_empty() {
            return self.wait(WaitFor::Drained);
        }
        Ok(offset)
    }
}

/// What an atomic operation leaves in memory.
pub fn combine(amo: Amo, bytes: u8, old: u64, operand: u64) -> u64 {
    let signed = |x: u64| if bytes == 4 { i64::from(x as u32 as i32) } else { x as i64 };
    let plain = |x: u64| if bytes == 4 { u64::from(x as u32) } else { x };
    let pick = |first: bool| if first { old } else { operand };
    match amo {
        Amo::Swap => operand,
        Amo::Add => old.wrapping_add(operand),
        Amo::Xor => old ^ operand,
        Amo::And => old & operand,
        Amo::Or => old | operand,
        Amo::Min => pick(signed(old) <= signed(operand)),
        Amo::Max => pick(signed(old) >= signed(operand)),
        Amo::MinUnsigned => pick(plain(old) <= plain(operand)),
        Amo::MaxUnsigned => pick(plain(old) >= plain(operand)),
    }
}

impl<const MODE: u8> Port for View<'_, MODE> {
    #[inline(always)]
    fn fetch(&mut self, hart: &mut Hart, pc: u64) -> Result<u32> {
        let line = match self.core.code.at_once(pc) {
            Some(line) => line,
            None => self.fetch_slowly(hart, pc)?,
        };
        if MODE == TIMED && !self.core.code.goes_on(pc) {
            self.clock += self.world.timing.l1i.hit;
        }
        Ok(line)
    }

    #[inline(always)]
    fn instruction(&mut self, hart: &mut Hart, line: u32, pc: u64) -> Result<Instruction> {
        let mut slot = Code::slot_of(pc);
        // One place reads the slot, so that the compiler takes its fields from memory, each when needed.
        loop {
            let instruction = self.core.code.slot(line, slot);
            if instruction.op != isa::Op::Undecoded {
                return Ok(instruction);
            }
            slot = self.decode(hart, line, pc)?;
        }
    }

    #[inline(always)]
    fn load<const N: usize>(&mut self, hart: &mut Hart, address: u64) -> Result<u64> {
        if address % N as u64 == 0 {
            if let Some(offset) = self.core.pages.read(address) {
                return self.load_ram::<N>(offset);
            }
        }
        self.load_slowly::<N>(hart, address)
    }

    #[inline(always)]
    fn store<const N: usize>(&mut self, hart: &mut Hart, at: u64, value: u64) -> Result<()> {
        if at % N as u64 == 0 {
            if let Some(offset) = self.core.pages.write(at) {
                return self.store_ram(offset, N, value);
            }
        }
        self.store_anywhere(hart, at, value, N as u64)
    }

    fn load_reserved<const N: usize>(
        &mut self,
        hart: &mut Hart,
        address: u64,
        _order: Ordering,
    ) -> Result<u64> {
        let offset = self.atomic_at(hart, address, N, Access::Load)?;
        let line = self.world.line(offset);
        // The line is taken as for a store, so that the SC finds it.
        self.line_ready(line, true)?;
        let until = self.clock + self.world.timing.core.reservation;
        self.core.reservation = Some(Reservation { line, until });
        Ok(self.world.ram.read::<N>(offset))
    }

    fn store_conditional<const N: usize>(
        &mut self,
        hart: &mut Hart,
        address: u64,
        value: u64,
        _order: Ordering,
    ) -> Result<bool> {
        let offset = self.atomic_at(hart, address, N, Access::Store)?;
        let line = self.world.line(offset);
        let reserved = self.core.reservation.take();
        let mut done = reserved.is_some_and(|reservation| reservation.line == line);
        if MODE == TIMED {
            done = done && self.own_hit(line, true).is_some();
            self.release_held();
        }
        if done {
            self.world.ram.write::<N>(offset, value);
        }
        Ok(done)
    }

    fn atomic<const N: usize>(
        &mut self,
        hart: &mut Hart,
        amo: Amo,
        address: u64,
        operand: u64,
        _order: Ordering,
    ) -> Result<u64> {
        if let Some(answer) = self.core.answer.take() {
            return Ok(answer);
        }
        let offset = self.atomic_at(hart, address, N, Access::Store)?;
        let line = self.world.line(offset);
        if MODE == TIMED && self.world.timing.core.atomics == Atomics::Home {
            if self.core.missing(line) {
                return self.wait(WaitFor::Line(line));
            }
            self.core.give_up(line, State::Invalid);
            let operation = Operation::Atomic { amo, offset, bytes: N as u8, operand };
            self.request(self.world.lookup(), line, Want::Operation(operation));
            return self.wait(WaitFor::Answer);
        }
        self.line_ready(line, true)?;
        let old = self.world.ram.read::<N>(offset);
        self.world.ram.write::<N>(offset, combine(amo, N as u8, old, operand));
        Ok(old)
    }

    fn fence(&mut self, _hart: &mut Hart, predecessor: u8, successor: u8) -> Result<()> {
        const READS: u8 = 0b1010;
        const WRITES: u8 = 0b0101;
        let stores_in_order = self.world.timing.core.drain == Drain::Fifo && successor & READS == 0;
        if predecessor & WRITES == 0 || (stores_in_order && !self.core.posted) {
            return Ok(());
        }
        self.drained()
    }

    fn fence_i(&mut self, _hart: &mut Hart) -> Result<()> {
        self.drained()?;
        self.core.code.clear();
        Ok(())
    }

    fn sfence(&mut self, _hart: &mut Hart, at: Option<u64>, asid: Option<u16>) -> Result<()> {
        self.drained()?;
        self.core.itlb.fence(at, asid);
        self.core.dtlb.fence(at, asid);
        self.core.pages.clear();
        self.core.code.forget();
        Ok(())
    }

    fn cache_block(&mut self, hart: &mut Hart, _what: CacheBlock, at: u64) -> Result<()> {
        let at = at & !(LINE - 1);
        let Target::Ram(offset) = self.look(hart, at, LINE, Access::CacheBlock)? else {
            return Err(fault(Access::CacheBlock.access_fault(), at));
        };
        if MODE != TIMED || self.core.answer.take().is_some() {
            return Ok(());
        }
        self.drained()?;
        let line = self.world.line(offset);
        self.core.give_up(line, State::Invalid);
        self.request(self.world.lookup(), line, Want::Operation(Operation::Flush));
        self.wait(WaitFor::Answer)
    }

    fn pause(&mut self, _hart: &mut Hart) {}

    #[inline(always)]
    fn charge(&mut self, class: Class) {
        if MODE == TIMED {
            self.clock += self.world.costs[class as usize];
        }
    }

    #[inline(always)]
    fn load_use(&mut self) {
        if MODE == TIMED {
            self.clock += self.world.timing.core.load_use;
        }
    }

    #[inline(always)]
    fn taken_branch(&mut self) {
        if MODE == TIMED {
            self.clock += self.world.timing.core.taken_branch;
        }
    }

    fn trap_taken(&mut self, _hart: &mut Hart) {
        self.core.walk = None;
        self.core.split = None;
        if MODE == TIMED {
            self.clock += self.world.timing.core.trap;
        }
    }

    #[inline(always)]
    fn retire(&mut self, _hart: &mut Hart) -> bool {
        self.clock += 1;
        let go = self.clock < self.limit;
        if go {
            self.began = self.clock;
        }
        go
    }

    fn context_changed(&mut self, _hart: &mut Hart) {
        self.core.pages.clear();
        self.core.code.forget();
    }

    fn timer_changed(&mut self, _hart: &mut Hart) {
        self.timer_changed = true;
        self.limit = 0;
    }

    fn time(&self) -> u64 {
        self.world.time(self.clock)
    }

    fn count(&self, event: Event) -> u64 {
        if event == Event::Cycles { self.clock } else { self.core.counted(event) }
    }
}

impl<const MODE: u8> View<'_, MODE> {
    #[inline(never)]
    fn load_slowly<const N: usize>(&mut self, hart: &mut Hart, address: u64) -> Result<u64> {
        if address % N as u64 != 0 {
            return self.load_parts(hart, address, N as u64);
        }
        match self.look(hart, address, N as u64, Access::Load)? {
            Target::Ram(offset) => self.load_ram::<N>(offset),
            Target::Device(physical) => self.load_device(hart, address, physical, N as u8),
        }
    }

    #[inline(never)]
    fn store_anywhere(&mut self, hart: &mut Hart, at: u64, value: u64, n: u64) -> Result<()> {
        if at % n != 0 {
            return self.store_parts(hart, at, value, n);
        }
        match self.look(hart, at, n, Access::Store)? {
            Target::Ram(offset) => {
                self.store_ram(offset, n as usize, value)?;
                self.world.watch(self.clock, offset, n);
                self.stop_at_finish();
                Ok(())
            }
            Target::Device(physical) => self.store_device(hart, at, physical, n as u8, value),
        }
    }

    /// Fetches a line that the table of lines does not know.
    #[inline(never)]
    fn fetch_slowly(&mut self, hart: &mut Hart, pc: u64) -> Result<u32> {
        let stop = self.stops.iter().any(|stop| stop / LINE == pc / LINE);
        if stop && pc != self.start && self.stops.contains(&pc) {
            return Err(Stop::Wait);
        }
        let physical = self.physical(hart, pc, Access::Fetch)?;
        let refused = fault(Access::Fetch.access_fault(), pc);
        let privilege = hart.translation(Access::Fetch).privilege;
        let whole = pmp_permits(hart, physical & !(LINE - 1), LINE, Access::Fetch, privilege);
        if !whole && !pmp_permits(hart, physical & !1, 2, Access::Fetch, privilege) {
            return Err(refused);
        }
        let number = physical / LINE;
        let beyond = self.world.timing.l2.as_ref().map_or(0, |l2| l2.hit);
        let index = match self.core.code.find(number) {
            Some(index) => index,
            None => {
                let bytes = self
                    .code_bytes(number * LINE, beyond)
                    .map_err(|stop| if stop == Stop::Wait { stop } else { refused })?;
                self.core.code.fill(number, bytes)
            }
        };
        if stop {
            // The machine looks after each instruction of the line.
            self.limit = 0;
        } else if whole {
            self.core.code.remember(pc, index);
        }
        Ok(index)
    }

    /// The bytes of a line that L1 I does not hold.
    fn code_bytes(&mut self, address: u64, beyond: Tick) -> Result<[u8; LINE as usize]> {
        let Some(offset) = self.world.ram.offset(address, LINE) else {
            let bytes = self.world.rom_line(address).ok_or(fault(0, 0))?;
            self.clock += if MODE == TIMED { self.world.timing.device } else { 0 };
            return Ok(bytes);
        };
        let line = self.world.line(offset);
        match MODE {
            FUNCTIONAL => {}
            WARMING => self.warm(line, false),
            _ => {
                self.core.count(Event::L1iMiss);
                let l2 = self.core.l2.as_mut().map_or(State::Invalid, |l2| l2.touch(line));
                if l2 == State::Invalid {
                    self.ask_for_code(line, beyond);
                    return self.wait(WaitFor::Line(line));
                }
                self.clock += beyond;
            }
        }
        Ok(self.world.ram.line(offset))
    }

    fn ask_for_code(&mut self, line: u64, beyond: Tick) {
        if self.core.missing(line) {
            return;
        }
        self.core.count(Event::L2Miss);
        self.core.misses.push(crate::memory::core::Miss { line, write: false });
        let lookup = self.world.timing.l1i.hit + beyond;
        self.request(lookup, line, Want::Share(Purpose::Code));
    }

    /// Decodes an instruction and answers its slot. One that ends in the next line is looked at
    /// anew each time, with a fetch of both.
    #[inline(never)]
    fn decode(&mut self, hart: &mut Hart, line: u32, pc: u64) -> Result<usize> {
        if !self.core.code.straddles(line, pc) {
            self.core.code.decode(line, pc);
            return Ok(Code::slot_of(pc));
        }
        let second = pc.wrapping_add(2);
        let behind = match self.core.code.at_once(second) {
            Some(behind) => behind,
            None => self.fetch_slowly(hart, second)?,
        };
        if MODE == TIMED {
            self.clock += self.world.timing.l1i.hit;
        }
        let high = self.core.code.half(behind, second);
        self.core.code.touch(line);
        self.core.code.decode_straddling(line, pc, high);
        Ok(STRADDLING)
    }

    /// What waits for the end of this hart's reservation may go on, no earlier than a request of this
    /// instruction could be felt.
    fn release_held(&mut self) {
        let ahead = self.world.queue.lookahead(EventClass::Deliver);
        let tick = self.clock + self.world.hart_lookahead.saturating_sub(ahead).max(1);
        if self.world.released(self.core.index, tick) {
            self.limit = self.limit.min(tick);
        }
    }

    /// Performs the stores whose turn it is and whose lines the core owns, and asks for the lines of
    /// the others. Bound: the entries of the store buffer.
    pub fn drain(&mut self) {
        let in_order = self.world.timing.core.drain == Drain::Fifo;
        let mut at = 0;
        while let Some(store) = self.core.stores.entries.get(at).copied() {
            let older = &self.core.stores.entries[..at];
            let first = !older.iter().any(|other| other.line == store.line);
            if first && self.own_hit(store.line, true).is_some() {
                self.perform(store.offset, store.value, store.bytes.into());
                self.core.stores.entries.remove(at);
                continue;
            }
            if !self.core.state(store.line).owned() {
                self.ask(store.line, true);
            }
            if in_order {
                break;
            }
            at += 1;
        }
    }
}
