// SPDX-License-Identifier: Apache-2.0
//! Instructions that the table of lines does not have at once.

use super::{FUNCTIONAL, HartView, Result, SPECULATIVE, TIMED, Target, WARMING, fault};
use crate::memory::request::{Purpose, RequestKind};
use crate::{
    devices::Tick,
    isa::{Access, CounterEvent, Decoded, Hart, Instruction, Line, LineId, Stop, pmp_permits},
    memory::{
        LINE, Scratchpad,
        core::{Miss, WaitFor},
        tags::State,
    },
};

/// A line of code in L1 I.
#[derive(Clone, Copy)]
pub struct Fetched<'a> {
    index: u32,
    line: &'a Line,
}

impl Decoded for Fetched<'_> {
    #[inline(always)]
    fn at(&self, pc: u64) -> &Instruction {
        self.line.at(pc)
    }
}

/// What a fetch found that the table of lines does not know.
struct Found<'a> {
    line: Fetched<'a>,
    /// The physical address of the fetch, where PMP permits a part of the line only.
    in_part: Option<u64>,
}

/// Where a line of code is.
#[derive(Clone, Copy)]
enum CodeAt {
    Ram(u64),
    Scratchpad(Scratchpad, u64),
    Rom(u64),
}

/// Lines of the ROM have numbers that no line of memory has.
const ROM_LINES: u64 = 1 << 57;

impl<'a, const MODE: u8> HartView<'a, MODE> {
    #[inline(always)]
    pub(super) fn fetched(&self, index: u32, bytes: LineId) -> Fetched<'a> {
        Fetched { index, line: self.lines.line(bytes) }
    }

    /// What a fetch at `pc` takes, if it is in another line than the one before.
    #[inline(always)]
    pub(super) fn next_line(&mut self, pc: u64) -> Tick {
        let costs = MODE >= TIMED && !self.view.core.code.goes_on(pc);
        if costs { self.view.core.figures.l1i } else { 0 }
    }

    /// Fetches the next instruction's line, unless the machine is to stop before it.
    #[inline(never)]
    pub(super) fn fetch_or_stop(&mut self, hart: &mut Hart, pc: u64) -> Result<Fetched<'a>> {
        if pc != self.start && self.view.world.probes.stops.contains(&pc) {
            return Err(Stop::Wait);
        }
        let Found { line, in_part } = self.fetch_slowly(hart, pc)?;
        let long = line.line.half(pc) & 3 == 3;
        if let Some(physical) = in_part.filter(|_| long && pc % LINE != LINE - 2) {
            // The instruction's second half is in the same line, and may be where nothing is executed.
            let privilege = hart.translation(Access::Fetch).privilege;
            if !pmp_permits(hart, physical + 2, 2, Access::Fetch, privilege) {
                return Err(fault(Access::Fetch.access_fault(), pc.wrapping_add(2)));
            }
        }
        Ok(line)
    }

    /// Fetches a line that the table of lines does not know.
    fn fetch_slowly(&mut self, hart: &mut Hart, pc: u64) -> Result<Found<'a>> {
        let stop = self.view.world.probes.stops.iter().any(|stop| stop / LINE == pc / LINE);
        let physical = self.physical(hart, pc, Access::Fetch)?;
        let refused = fault(Access::Fetch.access_fault(), pc);
        let privilege = hart.translation(Access::Fetch).privilege;
        let whole = pmp_permits(hart, physical & !(LINE - 1), LINE, Access::Fetch, privilege);
        if !whole && !pmp_permits(hart, physical & !1, 2, Access::Fetch, privilege) {
            return Err(refused);
        }
        let place = self.code_at(physical & !(LINE - 1)).ok_or(refused)?;
        let number = match place {
            CodeAt::Ram(offset) | CodeAt::Scratchpad(_, offset) => {
                self.view.world.fabric.line(offset)
            }
            CodeAt::Rom(address) => (address / LINE) | ROM_LINES,
        };
        let beyond = self.view.core.figures.l2;
        let index = match self.view.core.code.find(number) {
            Some(index) => index,
            None => {
                let bytes = self
                    .code_bytes(place, beyond)
                    .map_err(|stop| if stop == Stop::Wait { stop } else { refused })?;
                self.view.core.code.fill(number, self.lines.find_or_decode(bytes, None))
            }
        };
        if stop || !whole {
            // The machine looks at each instruction of the line: whether it stops there, whether PMP permits it.
            self.view.limit = 0;
        } else if !self.view.world.probes.observed() {
            self.view.core.code.remember(pc, index);
        }
        let target = match place {
            CodeAt::Ram(offset) => Target::Ram(offset + physical % LINE),
            CodeAt::Scratchpad(pad, offset) => Target::Scratchpad(pad, offset + physical % LINE),
            CodeAt::Rom(_) => Target::Device(physical),
        };
        self.report_fetch(hart, pc, target);
        let line = self.fetched(index, self.view.core.code.bytes(index));
        Ok(Found { line, in_part: (!whole).then_some(physical & !1) })
    }

    /// Where the code of a line's address is. Nobody executes another's scratchpad.
    fn code_at(&self, address: u64) -> Option<CodeAt> {
        let me = self.view.core.index;
        if let Some(offset) = self.view.world.map.memory(me, address, LINE) {
            return Some(CodeAt::Ram(offset));
        }
        match self.view.world.map.scratchpad(me, address, LINE) {
            Some((pad, offset)) => (pad.core == me).then_some(CodeAt::Scratchpad(pad, offset)),
            None => Some(CodeAt::Rom(address)),
        }
    }

    /// The bytes of a line that L1 I does not hold.
    fn code_bytes(&mut self, place: CodeAt, beyond: Tick) -> Result<[u8; LINE as usize]> {
        let (offset, uncached) = match place {
            CodeAt::Ram(offset) => (offset, None),
            CodeAt::Scratchpad(pad, offset) => (offset, Some(pad.latency)),
            CodeAt::Rom(address) => {
                let (map, me) = (&self.view.world.map, self.view.core.index);
                let bytes = map.rom_line(me, address).ok_or(fault(0, 0))?;
                self.view.clock += if MODE == TIMED { self.view.world.timing.device } else { 0 };
                return Ok(bytes);
            }
        };
        if let Some(latency) = uncached {
            self.view.clock += if MODE == TIMED { latency } else { 0 };
            return Ok(self.view.world.fabric.ram.line(offset));
        }
        let line = self.view.world.fabric.line(offset);
        match MODE {
            FUNCTIONAL => {}
            WARMING => self.view.warm(line, false),
            _ => {
                self.view.count(CounterEvent::L1iMiss);
                let l2 = self.view.core.l2.as_mut().map_or(State::Invalid, |l2| l2.touch(line));
                if l2 == State::Invalid {
                    self.ask_for_code(line, beyond);
                    return self.view.wait(WaitFor::Line(line));
                }
                self.view.clock += beyond;
            }
        }
        Ok(self.view.world.fabric.ram.line(offset))
    }

    pub(super) fn ask_for_code(&mut self, line: u64, beyond: Tick) {
        if self.view.core.missing(line) {
            return;
        }
        self.view.count_l2_miss();
        let lookup = self.view.core.figures.l1i + beyond;
        let since = self.view.request(lookup, line, RequestKind::Share(Purpose::Code));
        self.view.core.misses.push(Miss { line, write: false, ahead: false, since });
    }

    /// [`HartView::fetch_whole`], if both lines are at hand and were executed together before.
    #[inline(never)]
    pub(super) fn whole_at_once(
        &mut self,
        line: Fetched<'a>,
        pc: u64,
        began: Tick,
    ) -> Option<Fetched<'a>> {
        let second = pc.wrapping_add(2);
        let (whole, behind) = self.view.core.code.whole_at_once(line.index, second)?;
        let high = self.lines.line(behind).half(second);
        if whole.0 != high {
            return None;
        }
        if MODE == SPECULATIVE {
            self.view.core.note_fetch(began, second);
            self.view.core.note_fetch(began, pc);
        }
        self.view.core.code.at_once(second)?;
        self.view.core.code.touch(line.index);
        Some(self.fetched(line.index, whole.1))
    }

    /// The line with an instruction that ends in the next one, which is looked at anew each time, with a fetch of both.
    pub(super) fn fetch_whole(
        &mut self,
        hart: &mut Hart,
        line: Fetched<'a>,
        pc: u64,
    ) -> Result<Fetched<'a>> {
        let second = pc.wrapping_add(2);
        let behind = match self.view.core.code.at_once(second) {
            Some((index, bytes)) => self.fetched(index, bytes),
            None => self.fetch_slowly(hart, second)?.line,
        };
        if MODE == TIMED {
            self.view.clock += self.view.core.figures.l1i;
        }
        let high = behind.line.half(second);
        self.view.core.code.touch(line.index);
        let whole = self.view.core.code.whole(self.lines, line.index, high);
        Ok(Fetched { line: self.lines.line(whole), ..line })
    }
}
