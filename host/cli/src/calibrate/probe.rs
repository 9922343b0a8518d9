// SPDX-License-Identifier: Apache-2.0
//! Takes the kernel's times on a running machine: it stops where [`Places`] says, which takes no
//! time there, and looks at the hart's clock. docs/design/calibration.md has the sums.

use std::collections::HashSet;

use takt_board::engine::{End, Machine};
use takt_model::{KernelPath, Word};

use super::places::{Place, Places};
use super::system;

/// The longest of each, in cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Longest {
    /// An interrupt that asks for nothing, from its moment to its end.
    pub timer_alone: u64,
    pub ipi_alone: u64,
    /// From its moment to where its work begins.
    pub timer_head: u64,
    pub ipi_head: u64,
    /// From the end of its work to its own end, when what it interrupted goes on.
    pub tail: u64,
    /// The same when another task goes on.
    pub tail_switch: u64,
    /// One release or answer.
    pub part: u64,
    /// From the end of a switch to the first instruction of a job's entry.
    pub start: u64,
    /// From `dispatch` to the other task.
    pub switch: u64,
    /// From a job's completion or a wait's begin to the next task.
    pub leave: u64,
    /// With interrupts disabled.
    pub section: u64,
    /// A device's interrupt: from its moment to its routine; from the routine's end to the tail.
    pub device_head: u64,
    pub device_end: u64,
    /// How many were seen of each kind, in the order of above.
    pub seen: [u64; KINDS],
    /// A bit for each path of the kernel that was run, by its place in `KernelPath::WORDS`.
    pub paths: u64,
}

impl Longest {
    pub fn and(self, other: &Longest) -> Longest {
        let mut all = self;
        for index in 0..KINDS {
            let value = *other.clone().field(index);
            *all.field(index) = (*all.field(index)).max(value);
            all.seen[index] += other.seen[index];
        }
        all.paths |= other.paths;
        all
    }

    /// Whether each kind was seen; of the interrupts that ask for nothing there may be none.
    pub fn is_whole(&self) -> bool {
        (0..KINDS).all(|kind| self.seen[kind] > 0 || [TIMER_ALONE, IPI_ALONE].contains(&kind))
    }

    /// The paths of these that were not run.
    pub fn missing(&self, paths: &[KernelPath]) -> Vec<&'static str> {
        let ran = |path: &&KernelPath| self.paths & 1 << system::number(**path) != 0;
        paths.iter().filter(|path| !ran(path)).map(|path| path.word()).collect()
    }

    fn field(&mut self, index: usize) -> &mut u64 {
        [
            &mut self.timer_alone,
            &mut self.ipi_alone,
            &mut self.timer_head,
            &mut self.ipi_head,
            &mut self.tail,
            &mut self.tail_switch,
            &mut self.part,
            &mut self.start,
            &mut self.switch,
            &mut self.leave,
            &mut self.section,
            &mut self.device_head,
            &mut self.device_end,
        ][index]
        // The order is that of the constants below.
    }

    fn saw(&mut self, index: usize, cycles: u64) {
        let field = self.field(index);
        *field = cycles.max(*field);
        self.seen[index] += 1;
    }
}

const TIMER_ALONE: usize = 0;
const IPI_ALONE: usize = 1;
const TIMER_HEAD: usize = 2;
const IPI_HEAD: usize = 3;
const TAIL: usize = 4;
const TAIL_SWITCH: usize = 5;
const PART: usize = 6;
const START: usize = 7;
const SWITCH: usize = 8;
const LEAVE: usize = 9;
const SECTION: usize = 10;
const DEVICE_HEAD: usize = 11;
const DEVICE_END: usize = 12;
const KINDS: usize = 13;

const SIE: u64 = 2;

/// What a hart is about. All are its clock at the moment.
#[derive(Clone, Default)]
struct Hart {
    /// Instructions retired when it stopped last: it may stop twice before the same one.
    stopped: Option<(u64, u64)>,
    section: Option<u64>,
    /// Since when it takes interrupts.
    open: u64,
    /// The inner one last: a service routine can be interrupted.
    traps: Vec<Trap>,
    leaving: Option<u64>,
    dispatching: Option<u64>,
    switching: Option<u64>,
    /// The end of a switch.
    left: Option<u64>,
    job: Option<u64>,
    /// It asks another core for something.
    asks: Option<u64>,
    /// It was asked, first at this moment.
    asked: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cause {
    Timer,
    Ipi,
    Device,
}

#[derive(Clone, Copy)]
struct Trap {
    /// The moment that it came for, or from which on it could be taken.
    begin: u64,
    cause: Cause,
    entered: u64,
    /// The end of the part before.
    last: u64,
    /// Parts that are releases or answers.
    parts: u32,
    /// The part that goes on is the console's.
    console: bool,
    switched: bool,
    /// The device's service routine has.
    returned: bool,
}

pub struct Probe<'a> {
    places: &'a Places,
    /// Behind the calls of service routines; found as they are called.
    returns: HashSet<u64>,
    harts: Vec<Hart>,
    /// The device was told to interrupt.
    raised: Option<u64>,
    longest: Longest,
    /// By hart: cycles of a `csr` instruction or return that ends what is measured.
    last: Vec<u64>,
    wake: Vec<u64>,
}

impl<'a> Probe<'a> {
    pub fn new(places: &'a Places, machine: &Machine) -> Self {
        let harts = 0..machine.units.len() as u32;
        let cores = harts.map(|hart| machine.world.timing.of_core(hart).core);
        let (last, wake) = cores.map(|core| (core.system + core.taken_branch, core.wake)).unzip();
        Probe {
            places,
            returns: HashSet::new(),
            harts: vec![Hart::default(); machine.units.len()],
            raised: None,
            longest: Longest::default(),
            last,
            wake,
        }
    }

    /// Runs the machine up to the moment.
    pub fn run(&mut self, machine: &mut Machine, until: u64) -> End {
        machine.set_stops(self.stops());
        loop {
            match machine.run(until) {
                End::Stop { hart } => self.stopped(machine, hart as usize),
                end => {
                    machine.set_stops(Vec::new());
                    return end;
                }
            }
        }
    }

    fn stops(&self) -> Vec<u64> {
        self.places.at.keys().chain(&self.returns).copied().collect()
    }

    pub fn longest(&self) -> Longest {
        self.longest
    }

    fn stopped(&mut self, machine: &mut Machine, index: usize) {
        let unit = &machine.units[index];
        let (pc, now, instret) = (unit.hart.pc, unit.clock, unit.hart.instret);
        if self.harts[index].stopped.replace((pc, instret)) == Some((pc, instret)) {
            return;
        }
        if self.returns.contains(&pc) {
            self.passes(index, Place::Returned, now);
        }
        // Where a call returns to may be a place of its own.
        let places = self.places;
        for place in places.at.get(&pc).into_iter().flatten() {
            self.comes_to(machine, index, *place, now);
        }
    }

    fn comes_to(&mut self, machine: &mut Machine, index: usize, place: Place, now: u64) {
        let unit = &machine.units[index];
        match place {
            Place::Trap => self.trap(machine, index, unit.hart.scause, now),
            Place::Woken => {
                let pending = unit.hart.pending() & unit.hart.mie;
                // In the order in which the kernel looks; none: it has woken early.
                let cause = [9, 1, 5].into_iter().find(|cause| pending & 1 << cause != 0);
                cause.into_iter().for_each(|cause| self.trap(machine, index, cause, now));
            }
            Place::Raise => self.raised = Some(now),
            Place::Routine => self.routine(machine, index, now),
            Place::Interrupt(register) => self.interrupt(machine, index, register, now),
            Place::Enable(register) => {
                let sets = register.is_none_or(|register| unit.hart.x[register] & SIE != 0);
                if sets {
                    self.enabled(index, now + self.last[index]);
                }
            }
            Place::Exercised => self.longest.paths |= 1 << unit.hart.x[10],
            Place::Disable if unit.hart.mstatus & SIE != 0 => self.harts[index].section = Some(now),
            _ => self.passes(index, place, now),
        }
    }

    /// An interrupt: since when it could have been taken?
    fn trap(&mut self, machine: &Machine, index: usize, cause: u64, now: u64) {
        let hart = &mut self.harts[index];
        let unit = &machine.units[index].hart;
        let (cause, due) = match cause & 0xff {
            5 => (Cause::Timer, Some(machine.world.tick_of(unit.stimecmp))),
            9 => (Cause::Device, self.raised.take()),
            _ => (Cause::Ipi, hart.asked.take()),
        };
        let begin = due.unwrap_or(now).max(hart.open).min(now);
        hart.traps.push(Trap {
            begin,
            cause,
            entered: now,
            last: begin,
            parts: 0,
            console: false,
            switched: false,
            returned: false,
        });
        hart.job = None;
    }

    /// A device's service routine begins; its end is where it returns to.
    fn routine(&mut self, machine: &mut Machine, index: usize, now: u64) {
        let back = machine.units[index].hart.x[1];
        if self.returns.insert(back) {
            machine.set_stops(self.stops());
        }
        if let Some(trap) = self.harts[index].traps.last() {
            self.longest.saw(DEVICE_HEAD, now - trap.last);
        }
    }

    /// The core whose block is in the register is interrupted.
    fn interrupt(&mut self, machine: &Machine, index: usize, register: usize, now: u64) {
        let block = machine.units[index].hart.x[register];
        let since = self.harts[index].asks.take().unwrap_or(now);
        let target = machine.units.iter().position(|unit| unit.hart.sscratch == block);
        if let Some(hart) = target.and_then(|target| self.harts.get_mut(target)) {
            hart.asked.get_or_insert(since);
        }
    }

    fn enabled(&mut self, index: usize, now: u64) {
        let hart = &mut self.harts[index];
        hart.open = now;
        hart.asks = None;
        if let Some(since) = hart.section.take() {
            self.longest.saw(SECTION, now - since);
        }
    }

    fn passes(&mut self, index: usize, place: Place, now: u64) {
        let hart = &mut self.harts[index];
        match (place, hart.traps.last_mut()) {
            (Place::Timers | Place::Inbox, Some(trap)) => {
                let head = if trap.cause == Cause::Timer { TIMER_HEAD } else { IPI_HEAD };
                self.longest.saw(head, now - trap.last);
                trap.last = now;
            }
            (Place::Console, Some(trap)) => trap.console = true,
            (Place::Part, Some(trap)) => {
                self.longest.saw(PART, now - trap.last);
                trap.parts += u32::from(!trap.console);
                (trap.last, trap.console) = (now, false);
            }
            (Place::Returned, Some(trap)) => (trap.last, trap.returned) = (now, true),
            (Place::Tail, Some(trap)) if trap.returned => {
                self.longest.saw(DEVICE_END, now - trap.last);
                (trap.last, trap.parts) = (now, 1);
            }
            (Place::Load, Some(trap)) => trap.switched = true,
            (Place::Exit | Place::Return, _) => self.exit(index, now + self.last[index], place),
            (Place::Leave, None) => hart.leaving = Some(now),
            (Place::Dispatch, None) => hart.dispatching = Some(now),
            (Place::Switch, None) => hart.switching = hart.dispatching.take(),
            (Place::Request, None) => hart.asks = Some(now),
            (Place::Job, _) => hart.job = hart.left.take(),
            (Place::Entry, _) => {
                if let Some(since) = hart.job.take() {
                    self.longest.saw(START, now - since);
                }
            }
            (Place::Wait, _) => {
                // What comes until the end of the section is the wake-up alone.
                if let Some(since) = hart.section.take() {
                    self.longest
                        .saw(SECTION, now - since + self.wake[index] + 2 * self.last[index]);
                }
                hart.open = now;
            }
            _ => {}
        }
    }

    /// The registers are those of what goes on.
    fn exit(&mut self, index: usize, now: u64, place: Place) {
        let hart = &mut self.harts[index];
        hart.left = Some(now);
        let trap = hart.traps.pop();
        if let (Some(inner), Some(outer)) = (&trap, hart.traps.last_mut()) {
            outer.last += now - inner.entered; // what is not the outer one's time
        }
        match trap {
            Some(Trap { begin, cause, parts: 0, switched: false, .. }) => {
                let alone = if cause == Cause::Timer { TIMER_ALONE } else { IPI_ALONE };
                self.longest.saw(alone, now - begin);
            }
            Some(Trap { last, switched, .. }) => {
                self.longest.saw(if switched { TAIL_SWITCH } else { TAIL }, now - last);
            }
            None => {}
        }
        let hart = &mut self.harts[index];
        for (since, kind) in [(hart.leaving.take(), LEAVE), (hart.switching.take(), SWITCH)] {
            if let Some(since) = since {
                self.longest.saw(kind, now - since);
            }
        }
        match place {
            Place::Exit => self.enabled(index, now),
            // The kernel's code goes on, until that enables them.
            _ => drop(hart.section.get_or_insert(now)),
        }
    }
}
