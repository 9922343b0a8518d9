// SPDX-License-Identifier: Apache-2.0
//! Drives the Verilated RTU and the board's model with the same random accesses at the same moments, and compares every
//! answer, refusal, register and wire, each result of a task, and the clocks of each command.
//!
//!     rtl/build --harts 3 --tasks 16 --semaphores 3 --queues 3 rtu.so
//!     cargo run --release -p takt-device --example compare-rtu -- rtu.so 3 16 3 3 16 1000000

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use fastrand::Rng;
use takt_board::devices::{Clock, Edge, ExtraDevice, Kind, Refused, Request, Rtu};
use takt_device::{Library, Surroundings};

const COMMAND: u64 = 0x00;
const ARGUMENT: u64 = 0x08;
const UNTIL: u64 = 0x10;
const ANSWER: u64 = 0x18;
const LOOK: u64 = 0x20;
const VALUE: u64 = 0x28;
/// The commands between two resets.
const ROUND: u64 = 1000;

/// This many commands meet each operation's longest case, if the unit is small.
const ENOUGH: u64 = 50_000;
/// More clocks than any command of the sizes compared takes.
const IDLE: u64 = 100;

/// The operations and the most clocks that each takes, with a search of the tasks and of a queue's places: the table of
/// docs/design/placements.md, section 4.
fn most_clocks(s: u64, q: u64) -> [(&'static str, u64); 17] {
    [
        ("NOP", 2),
        ("CREATE_TASK", 3),
        ("CREATE_SEMAPHORE", 3),
        ("CREATE_QUEUE", 3),
        ("START", 3),
        ("WAKE", 3 + s),
        ("END", 4 + q + s),
        ("DELAY", 3 + s),
        ("SLEEP", 3 + s),
        ("YIELD", 3 + 2 * s),
        ("SET_PRIORITY", 3 + s),
        ("TAKE", 3 + s),
        ("GIVE", 3 + 2 * s),
        ("SEND", 3 + 2 * s),
        ("SEND_LONG", 3 + 2 * s),
        ("RECEIVE", 5 + q + 2 * s),
        ("RELEASE", 3 + q + s),
    ]
}

struct Sides {
    model: Box<dyn ExtraDevice>,
    unit: Box<dyn ExtraDevice>,
    /// The wires as the edges of each side say.
    wires: [Vec<bool>; 2],
    now: u64,
}

impl Sides {
    /// Lets both sides take what is due, and compares their wires.
    fn advance(&mut self, now: u64) {
        self.now = now;
        self.model.advance(now);
        self.unit.advance(now);
        self.compare_wires();
    }

    fn compare_wires(&mut self) {
        for (device, wires) in [&mut self.model, &mut self.unit].into_iter().zip(&mut self.wires) {
            let mut edges = Vec::new();
            device.edges(&mut edges);
            for Edge { wire, level } in edges {
                wires[wire as usize] = level;
            }
        }
        assert_eq!(self.wires[0], self.wires[1], "wires of model and unit at {}", self.now);
    }

    /// An access to both sides, whose answers are compared.
    fn access(&mut self, offset: u64, bytes: u8, kind: Kind) -> Result<u64, Refused> {
        let request = Request { initiator: 0, offset, bytes, kind };
        let answer = |value| if kind == Kind::Read { value } else { 0 };
        let model = self.model.access(self.now, request).map(answer);
        let unit = self.unit.access(self.now, request).map(answer);
        assert_eq!(model, unit, "model and unit at {}, {offset:#x}, {kind:x?}", self.now);
        self.compare_wires();
        model
    }

    fn read(&mut self, page: u64, offset: u64) -> u64 {
        self.access(0x1000 * (1 + page) + offset, 8, Kind::Read).expect("a register")
    }

    fn write(&mut self, page: u64, offset: u64, value: u64) {
        let offset = 0x1000 * (1 + page) + offset;
        self.access(offset, 8, Kind::Write(value)).expect("a register");
    }
}

struct Pair<'a> {
    library: &'a Library,
    sizes: &'a takt_model::Rtu,
    harts: u64,
    rates: Clock,
    sides: Sides,
    /// The task that each queue was to raise.
    raised: [u64; 4],
    /// The task that was taken last in each page.
    taken: Vec<u64>,
    commands: u64,
    /// The most clocks of each operation whose command met an idle unit.
    most: BTreeMap<u64, u64>,
}

impl Pair<'_> {
    fn pass(&mut self, ticks: u64) {
        for now in self.sides.now + 1..=self.sides.now + ticks {
            self.sides.advance(now);
            if now % self.sizes.clock == 0 {
                self.compare();
            }
        }
    }

    fn compare(&mut self) {
        for page in 0..self.harts {
            self.sides.read(page, LOOK);
        }
    }

    fn take(&mut self, page: u64) {
        let answer = self.sides.read(page, ANSWER);
        if answer & 1 == 0 {
            self.taken[page as usize] = answer >> 16 & 255;
        }
        self.sides.read(page, VALUE);
    }

    fn submit(&mut self, page: u64, word: u64) {
        self.commands += 1;
        let free = self.sides.now + IDLE * self.sizes.clock;
        let idle = self.sides.model.next_event().is_none_or(|next| next > free);
        self.sides.write(page, COMMAND, word);
        if idle {
            self.time(page, word & 31);
        }
    }

    /// Waits for the end of the only command, and notes its clocks.
    fn time(&mut self, page: u64, op: u64) {
        let seen = (self.sides.now + 1).next_multiple_of(self.sizes.clock);
        self.pass(seen - self.sides.now);
        let mut clocks = 0;
        while self.sides.read(page, LOOK) & 1 == 1 {
            self.pass(self.sizes.clock);
            clocks += 1;
        }
        let most = self.most.entry(op).or_default();
        *most = clocks.max(*most);
    }

    fn act(&mut self, rng: &mut Rng) {
        let page = rng.u64(0..self.harts);
        match rng.u32(0..200) {
            0..120 => self.command(rng, page),
            120..196 => self.take(page),
            196 => self.copy(),
            197 => self.any_access(rng),
            198 => {
                for offset in [0x08, 0x10, 0x18, 0x20, 0x28, 0x30] {
                    self.sides.access(offset, 8, Kind::Read).expect("a register");
                }
            }
            _ if rng.u32(0..10) == 0 => self.disable(rng, page),
            _ => self.compare(),
        }
    }

    /// Disables the unit and enables it, each while a command may be under way that depends on it.
    fn disable(&mut self, rng: &mut Rng, page: u64) {
        for bits in 0..2 {
            self.take(page);
            self.commands += 1;
            self.sides.write(page, COMMAND, 1 | self.taken[page as usize] << 24);
            self.pass(rng.u64(0..=2 * self.sizes.clock));
            self.sides.access(0x18, 8, Kind::Write(bits)).expect("a register");
            self.pass(rng.u64(0..20 * self.sizes.clock));
        }
    }

    /// The unit is saved, and another one goes on in its place.
    fn copy(&mut self) {
        let mut other = self.library.device();
        other.restore(&self.sides.unit.save()).expect("a unit of this library");
        self.sides.unit = other;
    }

    /// An access of any width to any place, but for CONTROL.
    fn any_access(&mut self, rng: &mut Rng) {
        let bytes = 1 << rng.u32(0..4);
        let offset = rng.u64(0..self.harts + 1) * 0x1000 + rng.u64(0..0x60 / bytes) * bytes;
        let value = rng.u64(..) >> (64 - 8 * bytes);
        let kind = if rng.bool() && offset != 0x18 { Kind::Write(value) } else { Kind::Read };
        let answer = self.sides.access(offset, bytes as u8, kind);
        if let (Ok(answer), 0x18, 1.., Kind::Read) =
            (answer, offset % 0x1000, offset / 0x1000, kind)
        {
            if answer & 1 == 0 {
                self.taken[(offset / 0x1000 - 1) as usize] = answer >> 16 & 255;
            }
        }
    }

    fn command(&mut self, rng: &mut Rng, page: u64) {
        let rare = |rng: &mut Rng| rng.u32(0..30) == 0;
        let op = if rare(rng) { rng.u64(0..32) } else { rng.u64(4..17) };
        let caller = match rng.u32(0..24) {
            0 => 0,
            _ if rare(rng) => rng.u64(0..256),
            _ => self.taken[page as usize],
        };
        // A task that a queue raises mostly receives there.
        let own = self.raised.iter().position(|task| caller != 0 && *task == caller);
        let object = match own {
            _ if rare(rng) => rng.u64(0..1024),
            Some(queue) if op >= 15 && rng.u32(0..4) != 0 => queue as u64 + 1,
            _ => rng.u64(1..4),
        };
        let tasks = u64::from(self.sizes.tasks).min(20);
        let immediate = match op {
            9 => rng.u64(0..3),
            13 => rng.u64(..) >> rng.u32(32..64),
            _ if rare(rng) => rng.u64(0..1 << 32),
            _ => rng.u64(0..tasks + 2),
        };
        let (wait, priority) = (rng.u64(0..4), rng.u64(0..5) + 59 * rng.u64(0..2));
        let until = self.rates.time(self.sides.now) + rng.u64(0..60) * rng.u64(1..30);
        self.sides.write(page, UNTIL, until);
        self.sides.write(page, ARGUMENT, rng.u64(..) >> rng.u32(0..64));
        let word = op | rng.u64(0..2) << 5 | wait << 6 | priority << 8 | object << 14;
        self.submit(page, word | caller << 24 | immediate << 32);
    }

    fn create_one(&mut self, rng: &mut Rng, word: u64, argument: u64) {
        let page = rng.u64(0..self.harts);
        self.take(page);
        self.sides.write(page, ARGUMENT, argument);
        self.submit(page, word);
        self.pass(5 * self.sizes.clock);
        self.take(page);
    }

    /// Creates tasks and objects, and lets tasks begin; some of what is asked for is refused.
    fn create(&mut self, rng: &mut Rng) {
        let tasks = u64::from(self.sizes.tasks);
        for id in (1..=tasks.min(16)).chain([tasks, tasks + 1]) {
            let core = if rng.u32(0..9) == 0 { rng.u64(0..256) } else { rng.u64(0..self.harts) };
            let argument = core | rng.u64(0..5) << 8 | rng.u64(0..3) << 16;
            self.create_one(rng, 1 | id << 32, argument);
        }
        for id in 1..=4 {
            let (count, order) = (rng.u64(0..4), rng.u64(0..2));
            self.create_one(rng, 2 | id << 14, count | 2 << 32 | order << 63);
            let most = u64::from(self.sizes.messages) + 2;
            let places = if rng.u32(0..9) == 0 { rng.u64(0..most) } else { rng.u64(1..5) };
            let raises = rng.u64(0..4) * rng.u64(0..4);
            self.raised[id as usize - 1] = raises;
            self.create_one(rng, 3 | id << 14, places | order << 16 | raises << 24);
        }
        for id in 1..=16 {
            self.create_one(rng, 4 | id << 32, 0);
        }
        self.sides.access(0x18, 8, Kind::Write(1)).expect("a register");
    }
}

/// One library at several rates of its clocks; returns the most clocks of each operation.
fn compare(
    path: &Path,
    mut sizes: takt_model::Rtu,
    harts: u64,
    commands: u64,
) -> BTreeMap<u64, u64> {
    let mut most = BTreeMap::new();
    let (mut done, mut seed) = (0, 0);
    while done < commands {
        let rng = &mut Rng::with_seed(seed);
        sizes.clock = rng.u64(1..=7);
        let rates = Clock { frequency: 1_000_000, timebase: rng.u64(100_000..=1_000_000) };
        let around = Surroundings { rates, clock: sizes.clock, harts: harts as u32 };
        let library = Library::open(path, around).unwrap_or_else(|error| panic!("{error}"));
        let model = Box::new(Rtu::new(&sizes, harts as u32, rates));
        let wires = [vec![false; harts as usize], vec![false; harts as usize]];
        let sides = Sides { model, unit: library.device(), wires, now: 0 };
        let taken = vec![0; harts as usize];
        let (library, sizes) = (&library, &sizes);
        let mut pair =
            Pair { library, sizes, harts, rates, sides, raised: [0; 4], taken, commands: 0, most };
        while pair.commands < 10 * ROUND && done + pair.commands < commands {
            pair.sides.access(0x18, 8, Kind::Write(2)).expect("a register");
            pair.taken.fill(0);
            pair.create(rng);
            let end = pair.commands + ROUND;
            while pair.commands < end {
                pair.act(rng);
                let long = rng.u64(0..12 * sizes.clock);
                pair.pass(if rng.bool() { rng.u64(0..4) } else { long });
            }
        }
        done += pair.commands;
        most = pair.most;
        seed += 1;
    }
    println!("{done} commands: model and unit agree");
    most
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<u64> = arguments.iter().skip(1).filter_map(|word| word.parse().ok()).collect();
    let [harts, tasks, semaphores, queues, messages, commands] = numbers[..] else {
        eprintln!("compare-rtu LIBRARY HARTS TASKS SEMAPHORES QUEUES MESSAGES COMMANDS");
        return ExitCode::from(2);
    };
    let [tasks, semaphores, queues, messages] =
        [tasks, semaphores, queues, messages].map(|number| number as u32);
    let sizes = takt_model::Rtu { base: 0, node: 0, clock: 1, tasks, semaphores, queues, messages };
    let seen = compare(Path::new(&arguments[0]), sizes, harts, commands);
    let mut status = ExitCode::SUCCESS;
    let table = most_clocks(u64::from(tasks) / 8, u64::from(messages) / 8);
    for ((name, most), op) in table.into_iter().zip(0..) {
        let took = seen.get(&op).copied().unwrap_or(0);
        println!("{name:<17} at most {most:>3} clocks, seen {took:>3}");
        // With few commands the longest ones may not be among them.
        if took > most || (took < most && commands >= ENOUGH) {
            status = ExitCode::FAILURE;
        }
    }
    status
}
