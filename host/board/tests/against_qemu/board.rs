// SPDX-License-Identifier: Apache-2.0
//! The board's hart, with flat memory, on the same image.

use takt_board::isa::{
    Amo, CacheBlock, Class, CounterEvent, EVENTS, Hart, Ordering, Pace, Pause, Port, Stop,
    run as run_hart,
};

use super::flat::{FlatLine, FlatPort};
use super::image::{CODE, CODE_BYTES, FINISHER, RAM};

/// More than any image needs; a hart that went astray ends there.
const CYCLES: u64 = 400_000_000;

pub struct Run {
    pub ram: Vec<u8>,
    /// How often the instruction at each half word of the generated code was executed.
    pub executed: Vec<u32>,
}

/// Runs the image to its end, or as far as it comes.
pub fn run(ram: &[u8]) -> Run {
    let mut executed = vec![0; CODE_BYTES as usize / 2];
    let ram = watch(ram, CYCLES, |pc| {
        // S and U see the same code at addresses whose low 30 bits are the same.
        let at = (pc & 0x3fff_ffff).wrapping_sub(CODE - RAM) as usize / 2;
        if let Some(count) = executed.get_mut(at) {
            *count += 1;
        }
    });
    Run { ram, executed }
}

/// Runs what is in RAM from its start, to the finisher or for so many cycles; tells the address of
/// each instruction that is begun. RAM as it is then.
pub fn watch(ram: &[u8], cycles: u64, began: impl FnMut(u64)) -> Vec<u8> {
    let mut flat = FlatPort::new(ram.len());
    flat.ram.copy_from_slice(ram);
    flat.budget = cycles;
    let mut port = Watched { flat, began, finished: false };
    let mut hart = Hart::new(0);
    hart.pc = RAM;
    port.context_changed(&mut hart);
    while run_hart(&mut hart, &mut port) == Pause::Waiting {}
    port.flat.ram
}

/// Flat memory with a test finisher.
struct Watched<F> {
    flat: FlatPort,
    began: F,
    finished: bool,
}

impl<F: FnMut(u64)> Port for Watched<F> {
    type Line = FlatLine;

    fn pace(&self) -> Pace {
        let pace = self.flat.pace();
        Pace { limit: if self.finished { 0 } else { pace.limit }, ..pace }
    }

    fn set_pace(&mut self, pace: Pace) {
        self.flat.set_pace(pace);
    }

    fn complete(&mut self, hart: &mut Hart, line: &FlatLine, pc: u64) -> Result<FlatLine, Stop> {
        (self.began)(pc);
        self.flat.complete(hart, line, pc)
    }

    #[inline(always)]
    fn store<const N: usize>(&mut self, hart: &mut Hart, at: u64, value: u64) -> Result<(), Stop> {
        if at == FINISHER {
            self.finished = true;
            return Ok(());
        }
        self.flat.store::<N>(hart, at, value)
    }

    #[inline(always)]
    fn retire(&mut self, hart: &mut Hart) -> bool {
        self.flat.retire(hart) && !self.finished
    }

    /// Nothing is decoded, so that each instruction is completed first.
    fn fetch(&mut self, hart: &mut Hart, pc: u64) -> Result<FlatLine, Stop> {
        self.flat.fetch(hart, pc).map(|_| FlatLine::default())
    }

    #[inline(always)]
    fn load<const N: usize>(&mut self, hart: &mut Hart, address: u64) -> Result<u64, Stop> {
        self.flat.load::<N>(hart, address)
    }

    fn load_reserved<const N: usize>(
        &mut self,
        hart: &mut Hart,
        address: u64,
        order: Ordering,
    ) -> Result<u64, Stop> {
        self.flat.load_reserved::<N>(hart, address, order)
    }

    fn store_conditional<const N: usize>(
        &mut self,
        hart: &mut Hart,
        address: u64,
        value: u64,
        order: Ordering,
    ) -> Result<bool, Stop> {
        self.flat.store_conditional::<N>(hart, address, value, order)
    }

    fn atomic<const N: usize>(
        &mut self,
        hart: &mut Hart,
        operation: Amo,
        address: u64,
        operand: u64,
        order: Ordering,
    ) -> Result<u64, Stop> {
        self.flat.atomic::<N>(hart, operation, address, operand, order)
    }

    fn fence(&mut self, _: &mut Hart, _: u8, _: u8) -> Result<(), Stop> {
        Ok(())
    }

    fn fence_i(&mut self, hart: &mut Hart) -> Result<(), Stop> {
        self.flat.fence_i(hart)
    }

    fn sfence(&mut self, _: &mut Hart, _: Option<u64>, _: Option<u16>) -> Result<(), Stop> {
        Ok(())
    }

    fn cache_block(&mut self, hart: &mut Hart, what: CacheBlock, at: u64) -> Result<(), Stop> {
        self.flat.cache_block(hart, what, at)
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

    fn context_changed(&mut self, hart: &mut Hart) {
        self.flat.context_changed(hart);
    }

    fn timer_changed(&mut self, _: &mut Hart) {}

    fn time(&self) -> u64 {
        self.flat.time()
    }

    fn count(&self, event: CounterEvent) -> u64 {
        self.flat.count(event)
    }

    fn counters_changed(&mut self, overflows: [u64; EVENTS]) {
        self.flat.counters_changed(overflows);
    }
}
