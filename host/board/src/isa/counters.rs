// SPDX-License-Identifier: Apache-2.0
//! `mcycle`, `minstret` and the 29 programmable counters, with Sscofpmf.
//!
//! The port counts events from the machine's start on and never stops. A counter's value is brought
//! up to date ("settled") when it is read, when anything decides anew whether it counts, and when the
//! machine asks; in between nothing happens to it. So an overflow is seen at the next settling. The port
//! knows at which count of an event that is due ([`Port::counters_changed`]).

use super::hart::{Hart, Privilege, interrupt};
use super::{CounterEvent, Port, port::EVENTS};
use serde::{Deserialize, Serialize};

/// Bits of `mhpmevent`: overflow happened; do not count in M, S, U mode.
const OVERFLOW: u64 = 1 << 63;
const NOT_MACHINE: u64 = 1 << 62;
const NOT_SUPERVISOR: u64 = 1 << 61;
const NOT_USER: u64 = 1 << 60;
const FILTERS: u64 = NOT_MACHINE | NOT_SUPERVISOR | NOT_USER;
const SELECTOR: u64 = 0xff;

const CYCLE: usize = 0;
const TIME: usize = 1;
const INSTRET: usize = 2;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counters {
    value: [u64; 32],
    /// The event's count when `value` was settled.
    seen: [u64; 32],
    /// `mhpmevent3` to 31.
    event: [u64; 32],
    /// `mcountinhibit`.
    inhibit: u32,
    /// The counters that count now.
    counting: u32,
    /// A counter depends on the privilege mode.
    filtered: bool,
}

impl Default for Counters {
    fn default() -> Self {
        Self {
            value: [0; 32],
            seen: [0; 32],
            event: [0; 32],
            inhibit: 0,
            counting: 1 << CYCLE | 1 << INSTRET,
            filtered: false,
        }
    }
}

fn selected(event: u64) -> Option<CounterEvent> {
    use CounterEvent::*;
    let events =
        [Cycles, Instructions, L1dMiss, L1iMiss, L2Miss, LlcMiss, MemoryRead, MemoryWrite, TlbMiss];
    events.into_iter().find(|&candidate| candidate as u64 == event & SELECTOR)
}

impl Counters {
    fn counts(&self, counter: usize, privilege: Privilege) -> bool {
        let filter = match privilege {
            Privilege::Machine => NOT_MACHINE,
            Privilege::Supervisor => NOT_SUPERVISOR,
            Privilege::User => NOT_USER,
        };
        let event = self.event[counter];
        counter != TIME
            && self.inhibit >> counter & 1 == 0
            && (counter < 3 || (selected(event).is_some() && event & filter == 0))
    }
}

impl Hart {
    /// Brings the counters up to date and raises LCOFI for those that overflowed.
    pub fn settle_counters<P: Port>(&mut self, port: &P) {
        let mut left = self.counters.counting;
        while left != 0 {
            self.settle(port, left.trailing_zeros() as usize);
            left &= left - 1;
        }
    }

    /// Whether a counter of cycles or instructions is armed, in whatever privilege mode it counts: the machine settles
    /// such counters now and then.
    pub fn polls_counters(&self) -> bool {
        let polled = |counter: usize| {
            let event = self.counters.event[counter];
            let selected = selected(event);
            event & OVERFLOW == 0
                && self.counters.inhibit >> counter & 1 == 0
                && (selected == Some(CounterEvent::Cycles)
                    || selected == Some(CounterEvent::Instructions))
        };
        (3..32).any(polled)
    }

    /// For each event the count at which an armed counter wraps around; `u64::MAX`: none does. Valid until the counters'
    /// state or the privilege mode changes, or a counter overflows.
    pub fn overflow_counts(&self) -> [u64; EVENTS] {
        let Counters { value, seen, event, counting, .. } = &self.counters;
        let mut counts = [u64::MAX; EVENTS];
        for counter in 3..32 {
            if counting >> counter & 1 != 0 && event[counter] & OVERFLOW == 0 && value[counter] != 0
            {
                let wraps = seen[counter].saturating_add(value[counter].wrapping_neg());
                let least = &mut counts[(event[counter] & SELECTOR) as usize];
                *least = wraps.min(*least);
            }
        }
        counts
    }

    fn settle<P: Port>(&mut self, port: &P, counter: usize) {
        let now = self.count(port, counter);
        let counters = &mut self.counters;
        let more = now.wrapping_sub(counters.seen[counter]);
        let (value, overflow) = counters.value[counter].overflowing_add(more);
        counters.value[counter] = value;
        counters.seen[counter] = now;
        if overflow && counter > INSTRET && counters.event[counter] & OVERFLOW == 0 {
            counters.event[counter] |= OVERFLOW;
            self.software |= interrupt::LCOFI;
        }
    }

    /// How often a counter's event happened since the machine started.
    fn count<P: Port>(&self, port: &P, counter: usize) -> u64 {
        let event = match counter {
            CYCLE => Some(CounterEvent::Cycles),
            INSTRET => Some(CounterEvent::Instructions),
            _ => selected(self.counters.event[counter]),
        };
        match event {
            Some(CounterEvent::Instructions) => self.instret,
            Some(event) => port.count(event),
            None => 0,
        }
    }

    /// Makes a change that may start or stop counters.
    fn recount<P: Port>(&mut self, port: &mut P, change: impl FnOnce(&mut Self)) {
        self.settle_counters(port);
        change(self);
        let mut counting = 0;
        for counter in 0..32 {
            if self.counters.counts(counter, self.privilege) {
                counting |= 1 << counter;
                self.counters.seen[counter] = self.count(port, counter);
            }
        }
        self.counters.counting = counting;
        self.counters.filtered = self.counters.event.iter().any(|event| event & FILTERS != 0);
        port.counters_changed(self.overflow_counts());
    }

    /// Changes the privilege mode.
    pub(super) fn change_counting<P: Port>(
        &mut self,
        port: &mut P,
        change: impl FnOnce(&mut Self),
    ) {
        if self.counters.filtered {
            self.recount(port, change);
        } else {
            change(self);
        }
    }

    pub(super) fn read_counter<P: Port>(&mut self, port: &P, counter: usize) -> u64 {
        if self.counters.counting >> counter & 1 != 0 {
            self.settle(port, counter);
        }
        self.counters.value[counter]
    }

    pub(super) fn write_counter<P: Port>(&mut self, port: &mut P, counter: usize, value: u64) {
        self.counters.value[counter] = value;
        self.counters.seen[counter] = self.count(port, counter);
        if counter == INSTRET {
            // The writing instruction itself is no more counted: the next one reads `value`.
            self.counters.seen[counter] += 1;
        }
        port.counters_changed(self.overflow_counts());
    }

    pub(super) fn read_event(&self, counter: usize) -> u64 {
        self.counters.event[counter]
    }

    pub(super) fn write_event<P: Port>(&mut self, port: &mut P, counter: usize, value: u64) {
        let kept = value & (OVERFLOW | FILTERS | SELECTOR);
        self.recount(port, |hart| hart.counters.event[counter] = kept);
    }

    pub(super) fn read_inhibit(&self) -> u64 {
        u64::from(self.counters.inhibit)
    }

    pub(super) fn write_inhibit<P: Port>(&mut self, port: &mut P, value: u64) {
        let kept = value as u32 & !(1 << TIME);
        self.recount(port, |hart| hart.counters.inhibit = kept);
    }

    /// `scountovf`: of each counter that S-mode may read, whether it overflowed.
    pub(super) fn overflowed(&mut self) -> u64 {
        let visible = match self.privilege {
            Privilege::Machine => u32::MAX,
            _ => self.mcounteren,
        };
        let overflowed = |&counter: &usize| self.counters.event[counter] & OVERFLOW != 0;
        let all = (3..32).filter(overflowed).fold(0, |bits, counter| bits | 1u32 << counter);
        u64::from(all & visible)
    }
}
