// SPDX-License-Identifier: Apache-2.0
//! A machine for tests: one hart, flat RAM, no time. Each instruction and each trap is a cycle.

// Each test target uses a part of it.
#![allow(dead_code)]

use takt_board::isa::{
    Access, Amo, CacheBlock, Class, CounterEvent, Decoded, EVENTS, Exception, Hart, Instruction,
    Ordering, Pace, Pause, Port, Privilege, Stop, Walk, WalkStep, decode, pmp_permits, run,
};

/// Where RAM begins.
pub const RAM: u64 = 0x8000_0000;

/// A line of instructions, by half word.
#[derive(Default)]
pub struct FlatLine([Instruction; 32]);

impl Decoded for FlatLine {
    fn at(&self, pc: u64) -> &Instruction {
        &self.0[(pc as usize & 63) / 2]
    }
}

pub struct FlatPort {
    pub ram: Vec<u8>,
    /// An instruction for each half word of RAM; a store clears what it touches.
    decoded: Vec<Instruction>,
    /// The reserved line's physical address.
    reservation: Option<u64>,
    /// Cycles until the port says pause.
    pub budget: u64,
    pub cycles: u64,
    /// The value of `time`.
    pub time: u64,
    pub misses: u64,
    /// The overflows as the hart gave them last.
    pub overflows: [u64; EVENTS],
    /// Makes each method that may wait do so half of the time.
    pub hesitate: Option<fastrand::Rng>,
    /// Cache-block instructions and fences that were executed.
    pub blocks: Vec<(CacheBlock, u64)>,
    pub fences: Vec<(u8, u8)>,
    pub flushes: Vec<(Option<u64>, Option<u16>)>,
    /// M-mode without MPRV: addresses are physical.
    direct: bool,
}

impl FlatPort {
    pub fn new(bytes: usize) -> Self {
        Self {
            ram: vec![0; bytes],
            decoded: vec![Instruction::default(); bytes / 2],
            reservation: None,
            budget: 0,
            cycles: 0,
            time: 0,
            misses: 0,
            overflows: [u64::MAX; EVENTS],
            hesitate: None,
            blocks: Vec::new(),
            fences: Vec::new(),
            flushes: Vec::new(),
            direct: false,
        }
    }

    /// Runs for so many cycles at most, beginning again after each wait.
    pub fn run(&mut self, hart: &mut Hart, cycles: u64) -> Pause {
        self.budget = cycles;
        self.context_changed(hart);
        loop {
            match run(hart, self) {
                Pause::Waiting => {}
                pause => return pause,
            }
        }
    }

    /// Writes bytes of RAM.
    pub fn place(&mut self, address: u64, bytes: &[u8]) {
        let at = (address - RAM) as usize;
        self.ram[at..at + bytes.len()].copy_from_slice(bytes);
        self.forget(at, bytes.len());
    }

    pub fn place_word(&mut self, address: u64, word: u32) {
        self.place(address, &word.to_le_bytes());
    }

    pub fn place_double(&mut self, address: u64, value: u64) {
        self.place(address, &value.to_le_bytes());
    }

    pub fn double(&self, address: u64) -> u64 {
        let at = (address - RAM) as usize;
        u64::from_le_bytes(self.ram[at..at + 8].try_into().unwrap())
    }

    /// An instruction may begin two bytes before what was written.
    fn forget(&mut self, at: usize, bytes: usize) {
        self.decoded[(at / 2).saturating_sub(1)..(at + bytes).div_ceil(2)]
            .fill(Instruction::default());
    }

    fn wait(&mut self) -> Result<(), Stop> {
        match &mut self.hesitate {
            Some(random) => random.bool().then_some(()).ok_or(Stop::Wait),
            None => Ok(()),
        }
    }

    /// Index into RAM of bytes that lie in one page.
    #[inline(always)]
    fn locate(
        &mut self,
        hart: &Hart,
        address: u64,
        bytes: u64,
        access: Access,
    ) -> Result<usize, Stop> {
        let (physical, privilege) = if self.direct {
            (address, Privilege::Machine)
        } else {
            self.translate(hart, address, access)?
        };
        self.index(hart, physical, bytes, access, privilege)
            .ok_or(Stop::Trap(Exception { cause: access.access_fault(), tval: address }))
    }

    #[inline(always)]
    fn index(
        &self,
        hart: &Hart,
        physical: u64,
        bytes: u64,
        access: Access,
        privilege: Privilege,
    ) -> Option<usize> {
        let at = physical.wrapping_sub(RAM);
        let inside = at < self.ram.len() as u64 && bytes <= self.ram.len() as u64 - at;
        (inside && pmp_permits(hart, physical, bytes, access, privilege)).then_some(at as usize)
    }

    #[inline(never)]
    fn translate(
        &mut self,
        hart: &Hart,
        address: u64,
        access: Access,
    ) -> Result<(u64, Privilege), Stop> {
        let translation = hart.translation(access);
        if !translation.sv39 {
            return Ok((address, translation.privilege));
        }
        let mut walk = Walk::begin(translation, address, access);
        let refused = Stop::Trap(Exception { cause: access.access_fault(), tval: address });
        let mapping = loop {
            let place = walk.address();
            let at = |access| self.index(hart, place, 8, access, Privilege::Supervisor);
            let entry = at(Access::Load).ok_or(refused)?;
            let value = u64::from_le_bytes(self.ram[entry..entry + 8].try_into().unwrap());
            match walk.step(value) {
                WalkStep::Next => {}
                WalkStep::Leaf(mapping) => break mapping,
                WalkStep::Update { new, .. } => {
                    let entry = at(Access::Store).ok_or(refused)?;
                    self.ram[entry..entry + 8].copy_from_slice(&new.to_le_bytes());
                    if let WalkStep::Leaf(mapping) = walk.updated(true) {
                        break mapping;
                    }
                }
                WalkStep::Fault => {
                    return Err(Stop::Trap(Exception {
                        cause: access.page_fault(),
                        tval: address,
                    }));
                }
            }
        };
        assert!(mapping.permits(translation, access) && mapping.contains(address));
        Ok((mapping.physical(address), translation.privilege))
    }

    /// Where the bytes of an access are, in one part or two.
    #[inline(always)]
    fn parts(
        &mut self,
        hart: &Hart,
        address: u64,
        bytes: u64,
        access: Access,
    ) -> Result<[(usize, usize); 2], Stop> {
        let first = (4096 - (address & 4095)).min(bytes);
        let low = self.locate(hart, address, first, access)?;
        let rest = bytes - first;
        let high = match rest {
            0 => 0,
            _ => self.locate(hart, address.wrapping_add(first), rest, access)?,
        };
        Ok([(low, first as usize), (high, rest as usize)])
    }

    fn aligned(&mut self, hart: &Hart, at: u64, bytes: u64, access: Access) -> Result<usize, Stop> {
        if at % bytes != 0 {
            return Err(Stop::Trap(Exception { cause: access.misaligned(), tval: at }));
        }
        self.locate(hart, at, bytes, access)
    }

    #[cold]
    #[inline(never)]
    fn decode(&mut self, hart: &Hart, slot: usize, pc: u64) -> Result<(), Stop> {
        let at = self.locate(hart, pc, 2, Access::Fetch)?;
        let low = self.read(at, 2) as u32;
        let word = if low & 3 == 3 {
            let high = self.locate(hart, pc.wrapping_add(2), 2, Access::Fetch)?;
            low | (self.read(high, 2) as u32) << 16
        } else {
            low
        };
        self.decoded[slot] = decode(word);
        Ok(())
    }

    fn line(&self, number: usize) -> FlatLine {
        FlatLine(std::array::from_fn(|slot| self.decoded[32 * number + slot]))
    }

    fn read(&self, at: usize, bytes: usize) -> u64 {
        let mut value = [0; 8];
        value[..bytes].copy_from_slice(&self.ram[at..at + bytes]);
        u64::from_le_bytes(value)
    }

    fn write(&mut self, at: usize, bytes: usize, value: u64) {
        self.ram[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
        self.forget(at, bytes);
    }
}

impl Port for FlatPort {
    type Line = FlatLine;

    fn pace(&self) -> Pace {
        let clock = self.cycles;
        Pace { clock, began: clock, limit: clock.saturating_add(self.budget) }
    }

    fn set_pace(&mut self, pace: Pace) {
        self.budget = self.budget.saturating_sub(pace.clock - self.cycles);
        self.cycles = pace.clock;
    }

    fn fetch(&mut self, hart: &mut Hart, pc: u64) -> Result<FlatLine, Stop> {
        self.wait()?;
        let line = self.locate(hart, pc, 2, Access::Fetch)? / 64;
        // Its last instruction may reach into another line, mapped elsewhere at another time.
        let last = &mut self.decoded[line * 32 + 31];
        if last.length() == 4 {
            *last = Instruction::default();
        }
        Ok(self.line(line))
    }

    fn complete(&mut self, hart: &mut Hart, _: &FlatLine, pc: u64) -> Result<FlatLine, Stop> {
        let at = self.locate(hart, pc, 2, Access::Fetch)?;
        self.decode(hart, at / 2, pc)?;
        Ok(self.line(at / 64))
    }

    #[inline(always)]
    fn load<const N: usize>(&mut self, hart: &mut Hart, address: u64) -> Result<u64, Stop> {
        self.wait()?;
        let [(low, first), (high, rest)] = self.parts(hart, address, N as u64, Access::Load)?;
        if rest == 0 {
            return Ok(self.read(low, N));
        }
        Ok(self.read(low, first) | self.read(high, rest) << (8 * first))
    }

    #[inline(always)]
    fn store<const N: usize>(&mut self, hart: &mut Hart, at: u64, value: u64) -> Result<(), Stop> {
        self.wait()?;
        let [(low, first), (high, rest)] = self.parts(hart, at, N as u64, Access::Store)?;
        if rest == 0 {
            self.write(low, N, value);
        } else {
            self.write(low, first, value);
            self.write(high, rest, value >> (8 * first));
        }
        Ok(())
    }

    fn load_reserved<const N: usize>(
        &mut self,
        hart: &mut Hart,
        address: u64,
        _: Ordering,
    ) -> Result<u64, Stop> {
        self.wait()?;
        let at = self.aligned(hart, address, N as u64, Access::Load)?;
        self.reservation = Some(at as u64 / 64);
        Ok(self.read(at, N))
    }

    fn store_conditional<const N: usize>(
        &mut self,
        hart: &mut Hart,
        address: u64,
        value: u64,
        _: Ordering,
    ) -> Result<bool, Stop> {
        self.wait()?;
        let at = self.aligned(hart, address, N as u64, Access::Store)?;
        let held = self.reservation.take() == Some(at as u64 / 64);
        if held {
            self.write(at, N, value);
        }
        Ok(held)
    }

    fn atomic<const N: usize>(
        &mut self,
        hart: &mut Hart,
        operation: Amo,
        address: u64,
        operand: u64,
        _: Ordering,
    ) -> Result<u64, Stop> {
        self.wait()?;
        let at = self.aligned(hart, address, N as u64, Access::Store)?;
        let old = self.read(at, N);
        // Words are compared in the upper half.
        let shift = 64 - 8 * N;
        let (a, b) = (old << shift, operand << shift);
        let new = match operation {
            Amo::Swap => operand,
            Amo::Add => old.wrapping_add(operand),
            Amo::Xor => old ^ operand,
            Amo::And => old & operand,
            Amo::Or => old | operand,
            Amo::Min => (a as i64).min(b as i64) as u64 >> shift,
            Amo::Max => (a as i64).max(b as i64) as u64 >> shift,
            Amo::MinUnsigned => a.min(b) >> shift,
            Amo::MaxUnsigned => a.max(b) >> shift,
        };
        self.write(at, N, new);
        Ok(old)
    }

    fn fence(&mut self, _: &mut Hart, predecessor: u8, successor: u8) -> Result<(), Stop> {
        self.wait()?;
        self.fences.push((predecessor, successor));
        Ok(())
    }

    fn fence_i(&mut self, _: &mut Hart) -> Result<(), Stop> {
        self.wait()
    }

    fn sfence(&mut self, _: &mut Hart, at: Option<u64>, asid: Option<u16>) -> Result<(), Stop> {
        self.wait()?;
        self.flushes.push((at, asid));
        Ok(())
    }

    fn cache_block(&mut self, hart: &mut Hart, what: CacheBlock, at: u64) -> Result<(), Stop> {
        self.wait()?;
        self.locate(hart, at & !63, 64, Access::CacheBlock)?;
        self.blocks.push((what, at));
        Ok(())
    }

    fn pause(&mut self, _: &mut Hart) {}

    fn cost(&self, _: Class) -> u64 {
        0
    }

    fn load_use(&self) -> u64 {
        0
    }

    fn taken_branch(&self) -> u64 {
        0
    }

    fn trap_taken(&mut self, _: &mut Hart) {}

    #[inline(always)]
    fn retire(&mut self, _: &mut Hart) -> bool {
        self.cycles += 1;
        self.budget = self.budget.saturating_sub(1);
        self.budget != 0
    }

    fn context_changed(&mut self, hart: &mut Hart) {
        const MPRV: u64 = 1 << 17;
        self.direct = hart.privilege == Privilege::Machine && hart.mstatus & MPRV == 0;
    }

    fn timer_changed(&mut self, _: &mut Hart) {}

    fn time(&self) -> u64 {
        self.time
    }

    fn count(&self, event: CounterEvent) -> u64 {
        match event {
            CounterEvent::Cycles => self.cycles,
            _ => self.misses,
        }
    }

    fn counters_changed(&mut self, overflows: [u64; EVENTS]) {
        self.overflows = overflows;
    }
}
