// SPDX-License-Identifier: Apache-2.0
//! Random commands on random pages at random moments, after each edge against the plain reading.

use super::plain::Plain;
use super::{ANSWER, ARGUMENT, Bench, COMMAND, UNTIL, VALUE};
use fastrand::Rng;
use takt_board::devices::{Clock, ExtraDevice, Rtu};
use takt_model::Rtu as Figures;

/// Both readings of one unit.
struct Pair {
    bench: Bench,
    plain: Plain,
    figures: Figures,
    clock: Clock,
    period: u64,
    harts: usize,
    commands: u64,
}

fn random_figures(rng: &mut Rng) -> (Figures, usize, Clock) {
    let figures = Figures {
        base: 0,
        node: 0,
        clock: rng.u64(1..=7),
        tasks: 8 * rng.u32(1..=2),
        semaphores: 3,
        queues: 3,
        messages: 8 * rng.u32(1..=2),
    };
    let clock = Clock { frequency: 1_000_000, timebase: rng.u64(100_000..=1_000_000) };
    (figures, rng.usize(1..=4), clock)
}

impl Pair {
    fn new(rng: &mut Rng) -> Pair {
        let (figures, harts, clock) = random_figures(rng);
        let bench = Bench::new(&figures, harts, clock);
        let plain = Plain::new(&figures, harts, clock);
        let period = figures.clock;
        Pair { bench, plain, figures, clock, period, harts, commands: 0 }
    }

    /// Lets ticks pass; the plain reading sees each edge.
    fn pass(&mut self, ticks: u64) {
        for tick in self.bench.now + 1..=self.bench.now + ticks {
            if tick % self.period == 0 {
                self.plain.edge(tick);
            }
            self.bench.advance(tick);
            if tick % self.period == 0 {
                self.compare();
            }
        }
    }

    fn compare(&mut self) {
        for page in 0..self.harts {
            let look = self.bench.read(page, super::LOOK);
            assert_eq!(look, self.plain.look(page), "page {page} at {}: {look:#x}", self.bench.now);
            let wire = self.bench.wires[page];
            assert_eq!(wire, self.plain.wire(page), "wire {page} at {}", self.bench.now);
        }
    }

    fn store(&mut self, page: usize, offset: u64, value: u64) {
        self.commands += u64::from(offset == COMMAND);
        self.bench.write(page, offset, value);
        self.plain.store(self.bench.now, page, offset, value);
    }

    fn take(&mut self, page: usize) {
        assert_eq!(self.bench.read(page, ANSWER), self.plain.answer(page));
        assert_eq!(self.bench.read(page, VALUE), self.plain.value(page));
    }

    fn control(&mut self, bits: u64) {
        self.bench.control(bits);
        self.plain.control(bits);
    }

    /// One access, mostly a sensible one.
    fn act(&mut self, rng: &mut Rng) {
        let page = rng.usize(0..self.harts);
        match rng.u32(0..100) {
            0..60 => self.command(rng, page),
            60..98 => self.take(page),
            98 => {
                let saved = self.bench.unit.save();
                let mut other = Rtu::new(&self.figures, self.harts as u32, self.clock);
                other.restore(&saved).expect("a unit of this kind");
                self.bench.unit = other;
            }
            _ if rng.u32(0..40) == 0 => {
                self.control(rng.u64(0..4));
                self.create(rng);
            }
            _ => self.compare(),
        }
        self.compare();
    }

    fn command(&mut self, rng: &mut Rng, page: usize) {
        let taken = self.plain.taken(page);
        let op = if rng.u32(0..20) == 0 { rng.u64(0..32) } else { rng.u64(4..17) };
        let caller = match rng.u32(0..30) {
            0 => rng.u64(0..20),
            1..5 => 0,
            _ => taken,
        };
        let object = if rng.u32(0..30) == 0 { rng.u64(0..1024) } else { rng.u64(1..4) };
        let immediate = match op {
            9 => rng.u64(0..3),
            13 => rng.u64(..) >> rng.u32(32..64),
            _ => rng.u64(0..18),
        };
        let (wait, priority) = (rng.u64(0..4), rng.u64(0..5) + 59 * rng.u64(0..2));
        let until = self.clock.time(self.bench.now) + rng.u64(0..60);
        self.store(page, UNTIL, until);
        self.store(page, ARGUMENT, rng.u64(..) >> rng.u32(0..64));
        let word = op | rng.u64(0..2) << 5 | wait << 6 | priority << 8 | object << 14;
        self.store(page, COMMAND, word | caller << 24 | immediate << 32);
    }

    /// Creates tasks and objects, and lets some tasks begin.
    fn create(&mut self, rng: &mut Rng) {
        let task = |rng: &mut Rng| {
            let core = rng.u64(0..4);
            core | rng.u64(0..5) << 8 | rng.u64(0..3) << 16
        };
        for id in 1..=16 {
            let argument = task(rng);
            self.create_one(rng, 1 | id << 32, argument);
        }
        for id in 1..=3u64 {
            let (count, order) = (rng.u64(0..3), rng.u64(0..2));
            self.create_one(rng, 2 | id << 14, count | 2 << 32 | order << 63);
            let (places, raises) = (rng.u64(1..5), rng.u64(0..4) * rng.u64(0..4));
            self.create_one(rng, 3 | id << 14, places | order << 16 | raises << 24);
        }
        for id in 1..=16 {
            self.create_one(rng, 4 | id << 32, 0);
        }
        self.control(1);
    }

    fn create_one(&mut self, rng: &mut Rng, word: u64, argument: u64) {
        let page = rng.usize(0..self.harts);
        self.take(page);
        self.store(page, ARGUMENT, argument);
        self.store(page, COMMAND, word);
        self.pass(5 * self.period);
        self.take(page);
    }
}

fn run(seed: u64, commands: u64) -> u64 {
    let rng = &mut Rng::with_seed(seed);
    let mut pair = Pair::new(rng);
    pair.create(rng);
    while pair.commands < commands {
        pair.act(rng);
        let ticks = if rng.bool() { rng.u64(0..4) } else { rng.u64(0..12 * pair.period) };
        pair.pass(ticks);
    }
    let counts = [0x20, 0x28, 0x30].map(|offset| pair.bench.all(offset));
    assert_eq!(counts, pair.plain.counts, "seed {seed}");
    pair.commands
}

/// `TAKT_RTU_COMMANDS` says how many instead of 100,000.
#[test]
fn random_commands_do_what_the_plain_reading_says() {
    let wanted = std::env::var("TAKT_RTU_COMMANDS").ok();
    let wanted: u64 = wanted.map_or(100_000, |text| text.parse().expect("a number"));
    let (mut commands, mut seed) = (0, 0);
    while commands < wanted {
        commands += run(seed, 1000);
        seed += 1;
    }
}
