// SPDX-License-Identifier: Apache-2.0
//! The RTU, a kernel's tables in hardware: tasks, semaphores, priority data queues and time. Harts give it commands, each
//! in a page of its own, and it decides what each of them should run (docs/design/placements.md, section 4).
//!
//! It is one machine of states: from an edge of its clock to a later one it serves one command, or one wake time that has
//! come. The tables change when the service begins and nobody sees them then; what harts read, and their wires, change
//! when it ends.

mod command;
mod page;
mod table;

use serde::{Deserialize, Serialize};

use self::{
    command::{Command, Error},
    page::Page,
    table::{LEAST, Tables},
};
use super::wires::Wires;
use super::{BadState, Clock, Device, Edge, ExtraDevice, Kind, Refused, Request, Tick};
use takt_model::board::RTU_PAGE;

/// "RTU1", and the version.
const ID: u64 = u32::from_le_bytes(*b"RTU1") as u64 | 1 << 32;
/// Bits of CONTROL.
const ENABLE: u64 = 1;
const RESET: u64 = 2;

/// The parameters of the unit, which never change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Figures {
    rtu: takt_model::Rtu,
    harts: usize,
    clock: Clock,
}

/// A service under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Service {
    clocks: u64,
    /// The edge at which it ends.
    end: Tick,
    /// The page whose command it is; None: a wake time's.
    page: Option<usize>,
    /// The command is ignored: the hart has not taken its caller.
    ignored: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rtu {
    figures: Figures,
    tables: Tables,
    pages: Vec<Page>,
    enabled: bool,
    service: Option<Service>,
    /// The first edge at which the next service may begin.
    free: Tick,
    /// The page that was served last.
    last_page: usize,
    /// Whether the last service was a wake time's.
    last_was_wake: bool,
    served: u64,
    /// Clocks of the longest service of a command.
    longest: u64,
    wires: Wires,
}

impl Rtu {
    pub fn new(rtu: &takt_model::Rtu, harts: u32, clock: Clock) -> Rtu {
        let harts = harts as usize;
        Rtu {
            tables: Tables::new(rtu, harts),
            pages: vec![Page::default(); harts],
            enabled: false,
            service: None,
            free: 0,
            last_page: harts - 1,
            last_was_wake: false,
            served: 0,
            longest: 0,
            wires: Wires::new(harts),
            figures: Figures { rtu: rtu.clone(), harts, clock },
        }
    }

    /// The first edge at or after a tick.
    fn edge(&self, tick: Tick) -> Tick {
        tick.next_multiple_of(self.figures.rtu.clock)
    }

    /// The edge at which a command is seen: the first one after its arrival.
    fn seen(&self, page: &Page) -> Option<Tick> {
        page.submitted.map(|(arrival, _)| self.edge(arrival + 1))
    }

    /// The edge at which the earliest wake time has come.
    fn wake(&self) -> Option<Tick> {
        let time = self.tables.earliest_wake().filter(|_| self.enabled)?;
        self.figures.clock.tick_of(time)?.checked_next_multiple_of(self.figures.rtu.clock)
    }

    /// The edge at which the next service begins, while none is under way.
    fn next_begin(&self) -> Option<Tick> {
        let seen = self.pages.iter().filter_map(|page| self.seen(page));
        seen.chain(self.wake()).min().map(|edge| edge.max(self.free))
    }

    /// Begins a service: of a wake time, unless the last one was such and a page waits; else of the next waiting page by
    /// number behind the one that was served last.
    fn begin(&mut self, now: Tick) {
        let count = self.pages.len();
        let waits = |page: &usize| self.seen(&self.pages[*page]).is_some_and(|edge| edge <= now);
        let page = (1..=count).map(|step| (self.last_page + step) % count).find(waits);
        let wake = self.wake().is_some_and(|edge| edge <= now);
        self.last_was_wake = wake && !(self.last_was_wake && page.is_some());
        let page = page.filter(|_| !self.last_was_wake);
        let mut ignored = false;
        let clocks = match page {
            None => self.tables.time_out(),
            Some(page) => {
                self.last_page = page;
                let (_, command) = self.pages[page].submitted.expect("the page waits");
                ignored = !self.may_call(page, command);
                if ignored { LEAST } else { self.execute(page, command) }
            }
        };
        let end = now + clocks * self.figures.rtu.clock;
        self.service = Some(Service { clocks, end, page, ignored });
    }

    fn may_call(&self, page: usize, command: Command) -> bool {
        let caller = command.caller();
        let taken = usize::from(self.pages[page].taken) == caller;
        caller == 0 || (taken && self.tables.is_ready(caller))
    }

    fn execute(&mut self, page: usize, command: Command) -> u64 {
        let (clocks, outcome) = self.tables.execute(command, page, self.enabled);
        if command.caller() == 0 {
            self.pages[page].unclaimed = outcome;
        }
        clocks
    }

    fn end(&mut self, Service { clocks, end, page, ignored }: Service) {
        self.service = None;
        self.free = end;
        if let Some(page) = page {
            self.pages[page].served();
            if ignored {
                self.pages[page].ignore(Error::NotTaken);
            } else {
                self.served += 1;
                self.longest = self.longest.max(clocks);
            }
        }
        self.publish();
    }

    /// Shows what harts should run.
    fn publish(&mut self) {
        for (hart, page) in self.pages.iter_mut().enumerate() {
            let mut decision = Default::default();
            if self.enabled {
                decision = self.tables.decision(hart);
            }
            if decision.next == 0 {
                decision.outcome = page.unclaimed;
            }
            page.decide(decision);
        }
        self.set_wires();
    }

    fn set_wires(&mut self) {
        for (hart, page) in self.pages.iter().enumerate() {
            self.wires.set(hart, page.level());
        }
    }

    /// The page for all.
    fn access_all(&mut self, now: Tick, offset: u64, kind: Kind) -> Result<u64, Refused> {
        let sizes = &self.figures.rtu;
        Ok(match (offset, kind) {
            (0x00, Kind::Read) => ID | (self.figures.harts as u64) << 40,
            (0x08, Kind::Read) => {
                let parts = [sizes.tasks, sizes.semaphores, sizes.queues, sizes.messages];
                parts.iter().rev().fold(0, |word, part| word << 16 | u64::from(*part))
            }
            (0x10, Kind::Read) => self.figures.clock.time(now),
            (0x18, Kind::Read) => u64::from(self.enabled),
            (0x18, Kind::Write(bits)) => {
                self.control(now, bits);
                0
            }
            (0x20, Kind::Read) => self.served,
            (0x28, Kind::Read) => self.longest,
            (0x30, Kind::Read) => self.pages.iter().map(|page| page.ignored).sum(),
            _ => return Err(Refused),
        })
    }

    /// CONTROL acts when it arrives, and the first service behind it begins at a later edge. What is enabled during a
    /// service shows at its end.
    fn control(&mut self, now: Tick, bits: u64) {
        if bits & RESET != 0 {
            let Figures { rtu, harts, clock } = self.figures.clone();
            let wires = std::mem::replace(&mut self.wires, Wires::new(0));
            *self = Rtu { wires, ..Rtu::new(&rtu, harts as u32, clock) };
        }
        self.enabled = bits & ENABLE != 0;
        self.free = self.free.max(self.edge(now + 1));
        if self.service.is_none() {
            self.publish();
        }
    }
}

impl Device for Rtu {
    fn access(&mut self, now: Tick, request: Request) -> Result<u64, Refused> {
        if request.bytes != 8 {
            return Err(Refused);
        }
        let (number, offset) = (request.offset / RTU_PAGE, request.offset % RTU_PAGE);
        let Some(hart) = number.checked_sub(1) else {
            return self.access_all(now, offset, request.kind);
        };
        let page = self.pages.get_mut(hart as usize).ok_or(Refused)?;
        let value = page.access(now, offset, request.kind)?;
        self.set_wires();
        Ok(value)
    }

    fn advance(&mut self, now: Tick) {
        while let Some(edge) = self.next_event().filter(|edge| *edge <= now) {
            match self.service {
                Some(service) => self.end(service),
                None => self.begin(edge),
            }
        }
    }

    /// Clocks at which nothing begins and nothing ends are skipped.
    fn next_event(&self) -> Option<Tick> {
        self.service.map(|service| service.end).or_else(|| self.next_begin())
    }

    fn edges(&mut self, out: &mut Vec<Edge>) {
        self.wires.take(out);
    }
}

impl ExtraDevice for Rtu {
    fn boxed_clone(&self) -> Box<dyn ExtraDevice> {
        Box::new(self.clone())
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("a unit is plain data")
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), BadState> {
        let read: Rtu = postcard::from_bytes(state).map_err(|_| BadState)?;
        if read.figures != self.figures {
            return Err(BadState);
        }
        *self = read;
        Ok(())
    }
}
