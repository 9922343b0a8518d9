// SPDX-License-Identifier: Apache-2.0
//! The platform-level interrupt controller (RISC-V PLIC 1.0): sources 1 to 96 with priorities 0 to
//! 7, and two contexts for each hart: 2 h for M-mode, 2 h + 1 for S-mode.
//!
//! A source is a level. Its gateway passes a request on when the level is high and the one before
//! is complete, and does not take it back when the level falls. A claim gives the highest priority,
//! of equal ones the lowest number, whatever the threshold is. Registers of sources and contexts
//! that are not there read as zero and ignore writes.

use serde::{Deserialize, Serialize};

use super::map::PLIC_SOURCES;
use super::wires::Wires;
use super::{Device, Edge, Kind, Refused, Request, Tick};

const PRIORITY_MASK: u64 = 7;
const PENDING: u64 = 0x1000;
const ENABLE: u64 = 0x2000;
const ENABLE_STRIDE: u64 = 0x80;
const CONTEXT: u64 = 0x20_0000;
const CONTEXT_STRIDE: u64 = 0x1000;

/// A bit for each source; bit 0 is no source.
type Sources = u128;
const ALL: Sources = ((1 << (PLIC_SOURCES + 1)) - 1) & !1;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plic {
    /// By source, from 0.
    priority: Vec<u8>,
    level: Sources,
    pending: Sources,
    /// Claimed and not complete: the gateway is closed.
    claimed: Sources,
    contexts: Vec<Context>,
    /// By context.
    wires: Wires,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Context {
    enabled: Sources,
    threshold: u8,
}

impl Plic {
    pub fn new(harts: usize) -> Plic {
        Plic {
            priority: vec![0; PLIC_SOURCES as usize + 1],
            level: 0,
            pending: 0,
            claimed: 0,
            contexts: vec![Context::default(); 2 * harts],
            wires: Wires::new(2 * harts),
        }
    }

    /// The wire from a device. Numbers that are no source go nowhere.
    pub fn set_source(&mut self, source: u32, level: bool) {
        let bit = bit(source);
        self.level = if level { self.level | bit } else { self.level & !bit };
        self.pass_requests();
    }

    fn pass_requests(&mut self) {
        self.pending |= self.level & !self.claimed;
        self.settle();
    }

    fn settle(&mut self) {
        for context in 0..self.contexts.len() {
            let threshold = self.contexts[context].threshold;
            let best = self.best(context);
            let high = best.is_some_and(|source| self.priority[source] > threshold);
            self.wires.set(context, high);
        }
    }

    /// The pending source that a claim by the context gets.
    fn best(&self, context: usize) -> Option<usize> {
        let mut waiting = self.pending & self.contexts[context].enabled;
        let mut best = None;
        let mut highest = 0; // sources of priority 0 never interrupt
        while waiting != 0 {
            let source = waiting.trailing_zeros() as usize;
            waiting &= waiting - 1;
            if self.priority[source] > highest {
                highest = self.priority[source];
                best = Some(source);
            }
        }
        best
    }

    fn claim(&mut self, context: usize) -> u64 {
        let Some(source) = self.best(context) else { return 0 };
        self.pending &= !(1 << source);
        self.claimed |= 1 << source;
        self.settle();
        source as u64
    }

    /// Completing a source that is not enabled for the context is ignored.
    fn complete(&mut self, context: usize, source: u64) {
        let bit = u32::try_from(source).map_or(0, bit);
        self.claimed &= !(bit & self.contexts[context].enabled);
        self.pass_requests();
    }

    fn read(&mut self, offset: u64) -> u64 {
        match Register::at(offset) {
            Register::Priority(source) => self.priority.get(source).map_or(0, |&p| p.into()),
            Register::Pending(word) => word_of(self.pending, word),
            Register::Enable(context, word) => {
                self.contexts.get(context).map_or(0, |context| word_of(context.enabled, word))
            }
            Register::Threshold(context) => {
                self.contexts.get(context).map_or(0, |context| context.threshold.into())
            }
            Register::Claim(context) if context < self.contexts.len() => self.claim(context),
            Register::Claim(_) | Register::Reserved => 0,
        }
    }

    fn write(&mut self, offset: u64, value: u64) {
        match Register::at(offset) {
            Register::Priority(source) if (1..self.priority.len()).contains(&source) => {
                self.priority[source] = (value & PRIORITY_MASK) as u8;
            }
            Register::Enable(context, word) if context < self.contexts.len() && word < 4 => {
                let enabled = &mut self.contexts[context].enabled;
                let shift = 32 * word;
                let kept = *enabled & !(0xffff_ffff << shift);
                *enabled = (kept | Sources::from(value) << shift) & ALL;
            }
            Register::Threshold(context) if context < self.contexts.len() => {
                self.contexts[context].threshold = (value & PRIORITY_MASK) as u8;
            }
            Register::Claim(context) if context < self.contexts.len() => {
                self.complete(context, value);
            }
            _ => return,
        }
        self.settle();
    }
}

fn bit(source: u32) -> Sources {
    1u128.checked_shl(source).unwrap_or(0) & ALL
}

fn word_of(sources: Sources, word: usize) -> u64 {
    if word < 4 { (sources >> (32 * word)) as u64 & 0xffff_ffff } else { 0 }
}

enum Register {
    Priority(usize),
    Pending(usize),
    Enable(usize, usize),
    Threshold(usize),
    Claim(usize),
    Reserved,
}

impl Register {
    fn at(offset: u64) -> Register {
        let word = |offset: u64| (offset / 4) as usize;
        if offset < PENDING {
            Register::Priority(word(offset))
        } else if offset < ENABLE {
            Register::Pending(word(offset - PENDING))
        } else if offset < CONTEXT {
            let offset = offset - ENABLE;
            Register::Enable((offset / ENABLE_STRIDE) as usize, word(offset % ENABLE_STRIDE))
        } else {
            let context = ((offset - CONTEXT) / CONTEXT_STRIDE) as usize;
            match (offset - CONTEXT) % CONTEXT_STRIDE {
                0 => Register::Threshold(context),
                4 => Register::Claim(context),
                _ => Register::Reserved,
            }
        }
    }
}

impl Device for Plic {
    fn access(&mut self, _now: Tick, request: Request) -> Result<u64, Refused> {
        if request.bytes != 4 {
            return Err(Refused);
        }
        match request.kind {
            Kind::Read => Ok(self.read(request.offset)),
            Kind::Write(value) => {
                self.write(request.offset, value);
                Ok(0)
            }
        }
    }

    fn edges(&mut self, out: &mut Vec<Edge>) {
        self.wires.take(out);
    }
}
