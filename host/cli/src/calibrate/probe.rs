// SPDX-License-Identifier: Apache-2.0
//! Measures the kernel's times on a running machine: the probe stops each hart at the
//! [`ProbePoints`], which takes no machine time, and reads the hart's clock.
//! docs/design/calibration.md has the formulas.

use std::collections::HashSet;

use takt_board::engine::{End, Machine};
use takt_model::{KernelPath, Word};

use super::probe_points::{ProbePoint, ProbePoints};
use super::system;

/// The longest time of each kind that was seen, in cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Longest {
    /// An interrupt without any answer, from the moment it was due to its end.
    pub timer_alone: u64,
    pub ipi_alone: u64,
    /// From the moment an interrupt was due to the begin of its first answer.
    pub timer_head: u64,
    pub ipi_head: u64,
    /// From the end of the last answer to the end of the interrupt, if the interrupted task goes
    /// on.
    pub tail: u64,
    /// From the end of the last answer to the end of the interrupt, if another task goes on.
    pub tail_switch: u64,
    /// One release or one answer to a request.
    pub part: u64,
    /// From the end of a switch to the first instruction of a job's entry.
    pub start: u64,
    /// From `dispatch` to the other task.
    pub switch: u64,
    /// From a job's completion or a wait's begin to the next task.
    pub leave: u64,
    /// A section with interrupts disabled.
    pub section: u64,
    /// A device's interrupt: from the moment it was due to its service routine, and from the
    /// routine's end to the tail.
    pub device_head: u64,
    pub device_end: u64,
    /// Under another placement: the server's service of one command, the way of a command until the server is interrupted, and
    /// that of the answer; where a unit serves, all from the command to its answer.
    pub command: u64,
    pub way_out: u64,
    pub way_back: u64,
    /// How many times of each kind were seen; the indices are the constants below.
    pub seen: [u64; KINDS],
    /// One bit for each path of the kernel that was run, at the path's index in
    /// `KernelPath::WORDS`.
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

    /// Whether every kind was seen. Interrupts without any answer need not occur.
    pub fn is_whole(&self) -> bool {
        (0..COMMAND).all(|kind| self.seen[kind] > 0 || [TIMER_ALONE, IPI_ALONE].contains(&kind))
    }

    /// Whether every kind was seen that a placement has: it has no devices' interrupts, and a unit no server.
    pub fn is_whole_of_placement(&self, has_server: bool) -> bool {
        let but = [TIMER_ALONE, IPI_ALONE, DEVICE_HEAD, DEVICE_END];
        let of_server = |kind: usize| !has_server && [COMMAND, WAY_OUT].contains(&kind);
        (0..KINDS).all(|kind| self.seen[kind] > 0 || but.contains(&kind) || of_server(kind))
    }

    /// The given paths that were not run.
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
            &mut self.command,
            &mut self.way_out,
            &mut self.way_back,
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
const COMMAND: usize = 13;
const WAY_OUT: usize = 14;
const WAY_BACK: usize = 15;
const KINDS: usize = 16;

const SIE: u64 = 2;

/// What a hart is doing. Each time is the hart's clock, in cycles.
#[derive(Clone, Default)]
struct Hart {
    /// The address and the number of retired instructions at the last stop: a hart may stop twice
    /// before the same instruction.
    stopped: Option<(u64, u64)>,
    section: Option<u64>,
    /// When interrupts were last enabled.
    open: u64,
    /// The interrupts that are being served, the innermost last, because a service routine can be
    /// interrupted.
    traps: Vec<Trap>,
    leaving: Option<u64>,
    dispatching: Option<u64>,
    switching: Option<u64>,
    /// The end of the last switch.
    left: Option<u64>,
    job: Option<u64>,
    /// When this core began to request something from another core.
    asks: Option<u64>,
    /// When another core first requested something from this core.
    asked: Option<u64>,
    /// When this core began to give a command, and when the server answered it.
    given: Option<u64>,
    served: Option<u64>,
}

impl Hart {
    /// Takes a wait for the server or the unit out of all that is being measured.
    fn cut(&mut self, wait: u64) {
        let since =
            [&mut self.section, &mut self.leaving, &mut self.dispatching, &mut self.switching];
        since.into_iter().flatten().for_each(|since| *since += wait);
        if let Some(trap) = self.traps.last_mut() {
            trap.begin += wait;
            trap.entered += wait;
            trap.last += wait;
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cause {
    Timer,
    Ipi,
    Device,
}

#[derive(Clone, Copy)]
struct Trap {
    /// When the interrupt was due or, if that is later, when interrupts were enabled.
    begin: u64,
    cause: Cause,
    entered: u64,
    /// The end of the previous answer.
    last: u64,
    /// The number of answers that are releases or answers to requests.
    parts: u32,
    /// Whether the current answer is that of the console's timer.
    console: bool,
    switched: bool,
    /// Whether the device's service routine has returned.
    returned: bool,
}

fn points_at(points: &ProbePoints, pc: u64) -> impl Iterator<Item = &ProbePoint> {
    points.at.get(&pc).into_iter().flatten()
}

pub struct Probe<'a> {
    points: &'a ProbePoints,
    /// The return addresses of service routines; the probe finds each when the routine is called.
    returns: HashSet<u64>,
    harts: Vec<Hart>,
    /// When the program last made the device interrupt.
    raised: Option<u64>,
    longest: Longest,
    /// For each hart, the cycles of a `csr` instruction or return at which a measured time ends.
    last: Vec<u64>,
    wake: Vec<u64>,
    /// The harts that are measured, where not all of them are.
    measured: Option<Vec<usize>>,
    /// Whether TLBs are emptied at each stop.
    empties_tlbs: bool,
}

impl<'a> Probe<'a> {
    pub fn new(points: &'a ProbePoints, machine: &Machine) -> Self {
        let harts = 0..machine.units.len() as u32;
        let cores = harts.map(|hart| machine.world.timing.of_core(hart).core);
        let (last, wake) = cores.map(|core| (core.system + core.taken_branch, core.wake)).unzip();
        Probe {
            points,
            returns: HashSet::new(),
            harts: vec![Hart::default(); machine.units.len()],
            raised: None,
            longest: Longest::default(),
            last,
            wake,
            measured: None,
            empties_tlbs: false,
        }
    }

    /// Measures these harts alone, and empties their TLBs at each stop.
    pub fn resident(points: &'a ProbePoints, machine: &Machine, harts: Vec<usize>) -> Self {
        Probe { empties_tlbs: true, ..Probe::of(points, machine, harts) }
    }

    /// Measures these harts alone.
    pub fn of(points: &'a ProbePoints, machine: &Machine, harts: Vec<usize>) -> Self {
        Probe { measured: Some(harts), ..Probe::new(points, machine) }
    }

    /// Runs the machine until the given cycle.
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
        self.points.at.keys().chain(&self.returns).copied().collect()
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
        if let Some(harts) = &self.measured {
            let raises = points_at(self.points, pc).any(|point| *point == ProbePoint::Raise);
            if !harts.contains(&index) && !raises {
                return;
            }
        }
        if self.empties_tlbs {
            machine.units[index].empty_tlbs();
        }
        if self.returns.contains(&pc) {
            self.passes(index, ProbePoint::Returned, now);
        }
        // The return address may also be a probe point.
        for point in points_at(self.points, pc) {
            self.comes_to(machine, index, *point, now);
        }
    }

    fn comes_to(&mut self, machine: &mut Machine, index: usize, point: ProbePoint, now: u64) {
        let unit = &machine.units[index];
        match point {
            ProbePoint::Trap => self.trap(machine, index, unit.hart.scause, now),
            ProbePoint::Woken => {
                let pending = unit.hart.pending() & unit.hart.mie;
                // The causes in the order in which the kernel serves them. If none is pending, the
                // hart has woken early.
                let cause = [9, 1, 5].into_iter().find(|cause| pending & 1 << cause != 0);
                cause.into_iter().for_each(|cause| self.trap(machine, index, cause, now));
            }
            ProbePoint::Raise => self.raised = Some(now),
            ProbePoint::Routine => self.routine(machine, index, now),
            ProbePoint::Given => self.harts[index].given = Some(now),
            ProbePoint::Answered => self.answered(index, now),
            ProbePoint::Served(register) => self.served(machine, index, register, now),
            ProbePoint::Interrupt(register) => self.interrupt(machine, index, register, now),
            ProbePoint::Enable(register) => {
                let sets = register.is_none_or(|register| unit.hart.x[register] & SIE != 0);
                if sets {
                    self.enabled(index, now + self.last[index]);
                }
            }
            ProbePoint::Exercised => self.longest.paths |= 1 << unit.hart.x[10],
            ProbePoint::Disable if unit.hart.mstatus & SIE != 0 => {
                self.harts[index].section = Some(now)
            }
            _ => self.passes(index, point, now),
        }
    }

    /// Records the begin of an interrupt, and since when it could have been taken.
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

    /// Records the begin of a device's service routine, and the return address at which it ends.
    fn routine(&mut self, machine: &mut Machine, index: usize, now: u64) {
        let back = machine.units[index].hart.x[1];
        if self.returns.insert(back) {
            machine.set_stops(self.stops());
        }
        if let Some(trap) = self.harts[index].traps.last() {
            self.longest.saw(DEVICE_HEAD, now - trap.last);
        }
    }

    /// Records that this hart interrupts the core to whose block the register points.
    fn interrupt(&mut self, machine: &Machine, index: usize, register: usize, now: u64) {
        if let Some(since) = self.harts[index].given {
            self.longest.saw(WAY_OUT, now - since);
        }
        let block = machine.units[index].hart.x[register];
        let since = self.harts[index].asks.take().unwrap_or(now);
        if let Some(hart) = self.of_block(machine, block) {
            hart.asked.get_or_insert(since);
        }
    }

    /// The hart whose core has this block.
    fn of_block(&mut self, machine: &Machine, block: u64) -> Option<&mut Hart> {
        let target = machine.units.iter().position(|unit| unit.hart.sscratch == block);
        target.and_then(|target| self.harts.get_mut(target))
    }

    /// Records that the server, on this hart, has answered a command of the core to whose block the register points.
    fn served(&mut self, machine: &Machine, index: usize, register: usize, now: u64) {
        let block = machine.units[index].hart.x[register];
        if let Some(hart) = self.of_block(machine, block) {
            hart.served = Some(now);
        }
        if let Some(trap) = self.harts[index].traps.last_mut() {
            let since = std::mem::replace(&mut trap.last, now);
            trap.parts += 1;
            self.longest.saw(COMMAND, now - since);
        }
    }

    /// Records that a command of this hart is answered, and takes the wait out of what is measured.
    fn answered(&mut self, index: usize, now: u64) {
        let hart = &mut self.harts[index];
        let Some(given) = hart.given.take() else { return };
        let back = hart.served.take().unwrap_or(given);
        hart.cut(now - given);
        self.longest.saw(WAY_BACK, now.saturating_sub(back));
    }

    fn enabled(&mut self, index: usize, now: u64) {
        let hart = &mut self.harts[index];
        hart.open = now;
        hart.asks = None;
        if let Some(since) = hart.section.take() {
            self.longest.saw(SECTION, now - since);
        }
    }

    fn passes(&mut self, index: usize, point: ProbePoint, now: u64) {
        let hart = &mut self.harts[index];
        match (point, hart.traps.last_mut()) {
            (ProbePoint::Timers | ProbePoint::Inbox, Some(trap)) => {
                let head = if trap.cause == Cause::Timer { TIMER_HEAD } else { IPI_HEAD };
                self.longest.saw(head, now - trap.last);
                trap.last = now;
                // Nodes ask often: who has asked until now is answered by this interrupt, whatever its cause, and interrupts no more.
                if self.points.placed && point == ProbePoint::Inbox {
                    hart.asked = None;
                }
            }
            (ProbePoint::Console, Some(trap)) => trap.console = true,
            (ProbePoint::Part, Some(trap)) => {
                self.longest.saw(PART, now - trap.last);
                trap.parts += u32::from(!trap.console);
                (trap.last, trap.console) = (now, false);
            }
            (ProbePoint::Returned, Some(trap)) => (trap.last, trap.returned) = (now, true),
            (ProbePoint::Tail, Some(trap)) if trap.returned => {
                self.longest.saw(DEVICE_END, now - trap.last);
                (trap.last, trap.parts) = (now, 1);
            }
            (ProbePoint::Load, Some(trap)) => trap.switched = true,
            (ProbePoint::Exit | ProbePoint::Return, _) => {
                self.exit(index, now + self.last[index], point)
            }
            (ProbePoint::Leave, None) => hart.leaving = Some(now),
            (ProbePoint::Dispatch, None) => hart.dispatching = Some(now),
            (ProbePoint::Switch, None) => hart.switching = hart.dispatching.take(),
            (ProbePoint::Request, None) => hart.asks = Some(now),
            (ProbePoint::Job, _) => hart.job = hart.left.take(),
            (ProbePoint::Entry, _) => {
                if let Some(since) = hart.job.take() {
                    self.longest.saw(START, now - since);
                }
            }
            (ProbePoint::Wait, _) => {
                // Between WFI and the end of the section lies nothing but the wake-up.
                if let Some(since) = hart.section.take() {
                    self.longest
                        .saw(SECTION, now - since + self.wake[index] + 2 * self.last[index]);
                }
                hart.open = now;
            }
            _ => {}
        }
    }

    /// Records the end of an interrupt or switch; the registers already hold the values of the
    /// context that goes on.
    fn exit(&mut self, index: usize, now: u64, point: ProbePoint) {
        let hart = &mut self.harts[index];
        hart.left = Some(now);
        let trap = hart.traps.pop();
        if let (Some(inner), Some(outer)) = (&trap, hart.traps.last_mut()) {
            outer.last += now - inner.entered; // the outer interrupt is not charged for the inner one
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
        match point {
            ProbePoint::Exit => self.enabled(index, now),
            // The kernel's code goes on with interrupts disabled, until it enables them.
            _ => drop(hart.section.get_or_insert(now)),
        }
    }
}
