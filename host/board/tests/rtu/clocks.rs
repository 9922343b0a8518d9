// SPDX-License-Identifier: Apache-2.0
//! Each row of the memo's table: clocks and results, worked by hand.

use super::{ANSWER, ARGUMENT, Bench, COMMAND, LOOK, UNTIL, VALUE};
use takt_board::devices::{Clock, Device, Kind};
use takt_model::Rtu as Figures;

const CLOCK: Clock = Clock { frequency: 1_000_000, timebase: 1_000_000 };
/// Clocks of a search of the tasks and of a queue's places.
const S: u64 = 8;
const Q: u64 = 2;

fn figures(clock: u64) -> Figures {
    Figures { base: 0, node: 0, clock, tasks: 64, semaphores: 8, queues: 4, messages: 16 }
}

fn done(next: u64) -> (u64, u64) {
    (next, 0)
}

struct Unit {
    bench: Bench,
    clock: u64,
}

/// What a page has in common with its hart: the caller is whom it has taken.
impl Unit {
    /// Two harts. Tasks 1 to 4 are hart 0's, of priorities 10, 20, 20, 30; 5 to 7 hart 1's, of 10, 20, 30. Semaphore 1 has a
    /// count of 0 of 1, 2 one of 1 and serves by priority; queue 1 has two places, queue 2 raises task 7.
    fn new() -> Unit {
        let clock = 3;
        let mut unit = Unit { bench: Bench::new(&figures(clock), 2, CLOCK), clock };
        for (id, core, priority) in
            [(1, 0, 10), (2, 0, 20), (3, 0, 20), (4, 0, 30), (5, 1, 10), (6, 1, 20), (7, 1, 30)]
        {
            unit.create(1 | id << 32, core | (priority - 1) << 8 | 1 << 16);
        }
        unit.create(2 | 1 << 14, 1 << 32);
        unit.create(2 | 2 << 14, 1 | 1 << 32 | 1 << 63);
        unit.create(3 | 1 << 14, 2);
        unit.create(3 | 2 << 14, 3 | 7 << 24);
        unit
    }

    fn create(&mut self, word: u64, argument: u64) {
        self.bench.write(0, ARGUMENT, argument);
        assert_eq!(self.clocks(0, word), 3);
        assert_eq!(error(self.bench.read(0, ANSWER)), 0);
    }

    /// Starts tasks, enables the unit, and lets both harts take their first ones.
    fn begin(&mut self, tasks: &[u64]) {
        for id in tasks {
            self.bench.read(0, ANSWER);
            assert_eq!(self.clocks(0, 4 | id << 32), 3);
        }
        self.bench.control(1);
        self.bench.read(0, ANSWER);
        self.bench.read(1, ANSWER);
    }

    /// Gives a command, and returns the clocks of its service.
    fn clocks(&mut self, page: usize, word: u64) -> u64 {
        self.bench.write(page, COMMAND, word);
        let seen = (self.bench.now + 1).next_multiple_of(self.clock);
        for clocks in 0.. {
            self.bench.advance(seen + clocks * self.clock);
            if self.bench.read(page, LOOK) & 1 == 0 {
                return clocks;
            }
            self.bench.advance(seen + clocks * self.clock + self.clock - 1);
            assert_eq!(self.bench.read(page, LOOK) & 1, 1, "between two edges");
        }
        unreachable!()
    }

    /// Gives a command of whom the hart has taken; the clocks, and then NEXT and ERROR.
    fn call(&mut self, page: usize, caller: u64, word: u64) -> (u64, (u64, u64)) {
        let clocks = self.clocks(page, word | caller << 24);
        let answer = self.bench.read(page, ANSWER);
        (clocks, (next(answer), error(answer)))
    }
}

fn next(answer: u64) -> u64 {
    answer >> 16 & 255
}

fn error(answer: u64) -> u64 {
    answer >> 8 & 255
}

const FOR_EVER: u64 = 2 << 6;
const UNTIL_THEN: u64 = 1 << 6;
const START: u64 = 4;
const WAKE: u64 = 5;
const END: u64 = 6;
const DELAY: u64 = 7;
const SLEEP: u64 = 8;
const YIELD: u64 = 9;
const SET_PRIORITY: u64 = 10;
const TAKE: u64 = 11;
const GIVE: u64 = 12;
const SEND: u64 = 13;
const SEND_LONG: u64 = 14;
const RECEIVE: u64 = 15;
const RELEASE: u64 = 16;

fn object(id: u64) -> u64 {
    id << 14
}

fn task(id: u64) -> u64 {
    id << 32
}

fn priority(priority: u64) -> u64 {
    (priority - 1) << 8
}

#[test]
fn what_is_created_twice_or_too_late_or_nowhere_is_refused() {
    let mut unit = Unit::new();
    let mut refused = |word: u64, argument: u64| {
        unit.bench.write(0, ARGUMENT, argument);
        unit.call(0, 0, word)
    };
    assert_eq!(refused(1 | task(1), 0), (2, (0, 3)));
    assert_eq!(refused(1 | task(65), 0), (2, (0, 4)));
    assert_eq!(refused(1 | task(9), 2), (2, (0, 4)), "there is no hart 2");
    assert_eq!(refused(2 | object(9), 0), (2, (0, 4)));
    assert_eq!(refused(2 | object(3), 2 | 1 << 32), (2, (0, 4)), "2 of at most 1");
    assert_eq!(refused(3 | object(3), 17), (2, (0, 4)), "17 places");
    assert_eq!(refused(3 | object(3), 1 | 7 << 24), (2, (0, 3)), "7 is raised by a queue");
    assert_eq!(refused(0, 0), (2, (0, 0)));
    assert_eq!(refused(17, 0), (2, (0, 4)));
    unit.begin(&[]);
    assert_eq!(unit.call(0, 0, 1 | task(9)), (2, (0, 3)));
}

#[test]
fn jobs_begin_are_counted_and_end() {
    let mut unit = Unit::new();
    unit.begin(&[2]);
    let before = unit.bench.read(0, LOOK) >> 2 & 1;
    assert_eq!(unit.call(0, 2, START | task(4)), (3, done(2)));
    assert_eq!(unit.call(0, 2, START | task(1)), (3, done(1)), "the first at once");
    assert_eq!(unit.call(0, 1, START | task(2)), (3, done(1)), "counted");
    assert_eq!(unit.call(0, 1, START | task(2)), (2, (1, 2)));
    assert_eq!(unit.call(0, 1, START | task(8)), (2, (1, 4)));
    assert_eq!(unit.call(0, 1, END), (3 + S, done(2)));
    assert_eq!(unit.call(0, 2, END), (4 + S, done(2)), "the counted one");
    assert_ne!(unit.bench.read(0, LOOK) >> 2 & 1, before, "another job");
    assert_eq!(unit.call(0, 2, END), (3 + S, done(4)));
}

#[test]
fn sleep_and_wake_up() {
    let mut unit = Unit::new();
    unit.begin(&[1, 2, 5]);
    unit.bench.rises.fill(0);
    assert_eq!(unit.call(0, 1, SLEEP), (2, (1, 1)), "not at once");
    assert_eq!(unit.call(1, 5, WAKE | task(1)), (3, done(5)), "counted");
    assert_eq!(unit.call(0, 1, SLEEP), (3, done(1)));
    assert_eq!(unit.call(0, 1, SLEEP | FOR_EVER), (3 + S, done(2)));
    assert_eq!(unit.bench.rises, [0, 0], "who waits for an answer needs no interrupt");
    assert_eq!(unit.call(1, 5, WAKE | task(1)), (3, done(5)));
    assert_eq!(unit.bench.rises, [1, 0]);
    assert_eq!(next(unit.bench.read(0, ANSWER)), 1);
    assert!(!unit.bench.wires[0]);
    assert_eq!(unit.call(1, 5, WAKE | task(3)), (2, (5, 3)), "no job");
    unit.bench.write(0, UNTIL, 1_000_000);
    assert_eq!(unit.call(0, 1, SLEEP | UNTIL_THEN), (3 + S, done(2)));
    assert_eq!(unit.call(1, 5, WAKE | task(1)), (3 + S, done(5)), "it had the earliest time");
}

#[test]
fn delays_end_at_the_edge_behind_their_time() {
    let mut unit = Unit::new();
    unit.begin(&[1, 2]);
    let until = unit.bench.now + 200;
    unit.bench.write(0, UNTIL, until);
    assert_eq!(unit.call(0, 1, DELAY), (3 + S, done(2)));
    let edge = until.next_multiple_of(3);
    assert_eq!(unit.bench.unit.next_event(), Some(edge));
    unit.bench.advance(edge + 3 * (3 + S) - 1);
    assert!(!unit.bench.wires[0]);
    unit.bench.advance(edge + 3 * (3 + S));
    assert!(unit.bench.wires[0]);
    let answer = unit.bench.read(0, ANSWER);
    assert_eq!((next(answer), error(answer)), (1, 0));
}

#[test]
fn the_ready_tasks_of_a_priority_take_turns() {
    let mut unit = Unit::new();
    unit.begin(&[2, 3, 4]);
    assert_eq!(unit.call(0, 2, YIELD | priority(20)), (3 + 2 * S, done(3)));
    assert_eq!(unit.call(0, 3, YIELD | task(1)), (3 + 2 * S, done(2)), "the caller's own");
    assert_eq!(unit.call(0, 2, YIELD | priority(30)), (3 + S, done(2)));
    assert_eq!(unit.call(0, 2, YIELD | priority(31)), (2 + S, done(2)), "there is none");
    assert_eq!(unit.call(0, 2, SET_PRIORITY | task(4) | priority(20)), (3, done(2)));
    assert_eq!(unit.call(0, 2, SET_PRIORITY | task(2) | priority(20)), (3 + S, done(3)));
    assert_eq!(unit.call(0, 3, SET_PRIORITY | task(1) | priority(1)), (2, (3, 3)), "no job");
    assert_eq!(unit.call(0, 3, END), (3 + S, done(4)));
}

#[test]
fn semaphores_count_and_hand_over() {
    let mut unit = Unit::new();
    unit.begin(&[1, 2, 5, 6]);
    assert_eq!(unit.call(0, 1, TAKE | object(2)), (3, done(1)));
    assert_eq!(unit.call(0, 1, TAKE | object(2)), (2, (1, 1)), "not at once");
    assert_eq!(unit.call(0, 1, TAKE | object(3)), (2, (1, 4)));
    assert_eq!(unit.call(0, 1, GIVE | object(1)), (3, done(1)));
    assert_eq!(unit.call(0, 1, GIVE | object(1)), (2, (1, 2)));
    assert_eq!(unit.call(0, 1, TAKE | object(1)), (3, done(1)));
    // By priority: 5 comes before 2, which waits for longer.
    assert_eq!(unit.call(0, 1, SLEEP | FOR_EVER), (3 + S, done(2)));
    assert_eq!(unit.call(0, 2, TAKE | object(2) | FOR_EVER), (3 + S, done(0)));
    unit.bench.write(1, UNTIL, 1_000_000);
    assert_eq!(unit.call(1, 5, TAKE | object(2) | UNTIL_THEN), (3 + S, done(6)));
    assert_eq!(unit.call(1, 6, GIVE | object(2)), (3 + 2 * S, done(5)), "and it had a timeout");
    assert_eq!(unit.call(1, 5, GIVE | object(2)), (3 + S, done(5)));
    assert!(unit.bench.wires[0]);
    assert_eq!(next(unit.bench.read(0, ANSWER)), 2);
}

#[test]
fn a_wait_has_its_timeout() {
    let mut unit = Unit::new();
    unit.begin(&[1]);
    let until = unit.bench.now + 100;
    unit.bench.write(0, UNTIL, until);
    assert_eq!(unit.call(0, 1, TAKE | object(1) | UNTIL_THEN), (3 + S, done(0)));
    unit.bench.advance(until + 3 * (4 + S));
    let answer = unit.bench.read(0, ANSWER);
    assert_eq!((next(answer), error(answer)), (1, 1));
}

#[test]
fn queues_serve_by_priority() {
    let mut unit = Unit::new();
    unit.begin(&[1, 2, 5, 6]);
    let send = |p: u64, word: u64| SEND | object(1) | priority(p) | word << 32;
    assert_eq!(unit.call(0, 1, send(9, 77)), (3, done(1)));
    unit.bench.write(0, ARGUMENT, 0x1234_5678_9abc);
    assert_eq!(unit.call(0, 1, SEND_LONG | object(1) | priority(8)), (3, done(1)));
    assert_eq!(unit.call(0, 1, send(1, 0)), (2, (1, 1)), "full");
    assert_eq!(unit.call(0, 1, send(7, 0xffff_fffe) | FOR_EVER), (3 + S, done(2)));
    let got = |unit: &mut Unit, clocks| {
        let took = unit.clocks(1, RECEIVE | object(1) | 5 << 24);
        let answer = unit.bench.read(1, ANSWER);
        assert_eq!((took, next(answer), error(answer)), (clocks, 5, 0));
        let long = answer >> 1 & 1 == 1;
        (long, (answer >> 24 & 63) + 1, unit.bench.read(1, VALUE), answer >> 32)
    };
    assert_eq!(got(&mut unit, 5 + Q + S), (true, 8, 0x1234_5678_9abc, 0x5678_9abc));
    assert_eq!(got(&mut unit, 3 + Q), (false, 7, u64::MAX - 1, 0xffff_fffe));
    assert_eq!(got(&mut unit, 3 + Q), (false, 9, 77, 77));
    assert_eq!(unit.call(1, 5, RECEIVE | object(1)), (2, (5, 1)), "empty");
    assert_eq!(unit.call(1, 5, RECEIVE | object(1) | FOR_EVER), (3 + S, done(6)));
    assert_eq!(next(unit.bench.read(0, ANSWER)), 1);
    assert_eq!(unit.call(0, 1, send(64, 5)), (3 + S, done(1)));
    let answer = unit.bench.read(1, ANSWER);
    assert_eq!((next(answer), answer >> 24 & 63, answer >> 32), (5, 63, 5));
}

/// The longest of all: a sender waits whose timeout would be the earliest.
#[test]
fn a_receive_takes_the_most_clocks() {
    let mut unit = Unit::new();
    unit.begin(&[1, 5]);
    let send = SEND | object(1) | priority(9);
    assert_eq!(unit.call(0, 1, send), (3, done(1)));
    assert_eq!(unit.call(0, 1, send), (3, done(1)));
    unit.bench.write(0, UNTIL, 1_000_000);
    assert_eq!(unit.call(0, 1, send | UNTIL_THEN), (3 + S, done(0)));
    assert_eq!(unit.call(1, 5, RECEIVE | object(1)), (5 + Q + 2 * S, done(5)));
    assert_eq!(unit.bench.all(0x28), 5 + Q + 2 * S);
}

#[test]
fn messages_raise_their_receiver_until_they_are_released() {
    let mut unit = Unit::new();
    unit.begin(&[1, 6, 7]);
    let send = |p: u64| SEND | object(2) | priority(p);
    assert_eq!(unit.call(0, 1, send(40)), (3, done(1)), "below the receiver");
    assert_eq!(unit.call(0, 1, send(15)), (4, done(1)), "above");
    assert_eq!(next(unit.bench.read(1, ANSWER)), 7);
    assert_eq!(unit.call(1, 7, RECEIVE | object(2)), (3 + Q, done(7)));
    assert_eq!(unit.call(1, 7, RECEIVE | object(2)), (2, (7, 3)), "one at a time");
    assert_eq!(unit.call(1, 7, RELEASE | object(2)), (3 + Q + S, done(6)));
    assert_eq!(unit.call(1, 6, RELEASE | object(2)), (2, (6, 3)));
    assert_eq!(unit.call(1, 6, RECEIVE | object(2)), (2, (6, 3)), "7 alone receives");
    assert_eq!(unit.call(1, 6, END), (3 + S, done(7)));
    assert_eq!(unit.call(1, 7, RECEIVE | object(2)), (3 + Q, done(7)));
    assert_eq!(unit.call(1, 7, RELEASE | object(2)), (3 + Q, done(7)), "it does not fall");
    // The end of the job releases, and searches the messages that are left.
    assert_eq!(unit.call(1, 7, RECEIVE | object(2) | FOR_EVER), (3 + S, done(0)));
    assert_eq!(unit.call(0, 1, send(1)), (3 + S, done(1)));
    assert_eq!(next(unit.bench.read(1, ANSWER)), 7);
    assert_eq!(unit.call(1, 7, END), (3 + Q + S, done(0)));
    assert_eq!(unit.call(0, 1, START | task(6)), (3, done(1)));
    assert_eq!(unit.call(0, 1, START | task(7)), (3, done(1)));
    assert_eq!(next(unit.bench.read(1, ANSWER)), 6);
}

#[test]
fn mistakes_of_the_kernel_are_ignored_and_counted() {
    let mut unit = Unit::new();
    unit.begin(&[1, 2]);
    assert_eq!(unit.call(0, 2, END), (2, (1, 6)), "2 is not taken");
    assert_eq!(error(unit.bench.read(0, ANSWER)), 0, "it was read");
    unit.bench.write(0, COMMAND, GIVE | object(1) | 1 << 24);
    unit.bench.write(0, COMMAND, END | 1 << 24);
    unit.bench.advance(unit.bench.now + 100);
    let answer = unit.bench.read(0, ANSWER);
    assert_eq!((next(answer), error(answer)), (1, 5));
    assert_eq!(unit.bench.all(0x30), 2);
    assert_eq!(unit.call(0, 1, TAKE | object(1)), (3, done(1)), "the first one was served");
}

#[test]
fn the_first_page_and_what_is_no_register() {
    let mut unit = Unit::new();
    assert_eq!(unit.bench.all(0), 0x0201_3155_5452);
    assert_eq!(unit.bench.all(8), 16 << 48 | 4 << 32 | 8 << 16 | 64);
    assert_eq!(unit.bench.all(0x10), unit.bench.now);
    assert_eq!((unit.bench.all(0x18), unit.bench.all(0x20), unit.bench.all(0x28)), (0, 11, 3));
    for (offset, bytes) in [(0, 4), (0x38, 8), (0x1000, 8), (0x1030, 8), (0x1018, 4), (0x3000, 8)] {
        assert!(unit.bench.access(offset, bytes, Kind::Read).is_err(), "{offset:#x}");
    }
    for offset in [0x1018, 0x1020, 0x1028, 0x20] {
        assert!(unit.bench.access(offset, 8, Kind::Write(0)).is_err(), "{offset:#x}");
    }
    unit.begin(&[1]);
    unit.bench.control(2);
    assert_eq!((unit.bench.all(0x18), unit.bench.all(0x20)), (0, 0));
    assert_eq!(unit.bench.read(0, LOOK), 0);
    assert_eq!(unit.call(0, 0, START | task(1)), (2, (0, 4)), "nothing is there");
}

/// Pages take turns, from the one behind that was served last; a command waits for all others and for as many wake times.
#[test]
fn pages_take_turns_and_wake_times_come_between() {
    let clock = 1;
    let mut bench = Bench::new(&figures(clock), 3, CLOCK);
    let submit = |bench: &mut Bench, page, word, argument| {
        bench.write(page, ARGUMENT, argument);
        bench.write(page, COMMAND, word);
        bench.advance(bench.now + 50);
        bench.read(page, ANSWER);
    };
    for id in 1..=6 {
        submit(&mut bench, 0, 1 | task(id), (id % 3) | 9 << 8);
        submit(&mut bench, 0, START | task(id), 0);
    }
    bench.control(1);
    // 1, 2, 3 delay themselves on harts 1, 2, 0, all until the same time.
    let begin = bench.now + 300;
    for page in [0, 1, 2] {
        let caller = next(bench.read(page, ANSWER));
        bench.write(page, UNTIL, begin);
        submit(&mut bench, page, DELAY | caller << 24, 0);
    }
    bench.advance(begin - 1);
    let nop = |bench: &Bench, page: usize| (next(bench.clone().read(page, LOOK))) << 24;
    for page in 0..3 {
        let word = nop(&bench, page);
        bench.write(page, COMMAND, word);
    }
    // A wake time, page 0, a wake time, page 1, a wake time, page 2.
    let mut ends = [0; 3];
    for now in begin..begin + 100 {
        bench.advance(now);
        for (page, end) in ends.iter_mut().enumerate() {
            if *end == 0 && bench.read(page, LOOK) & 1 == 0 {
                *end = now - begin;
            }
        }
    }
    let both = 3 + S + 2;
    assert_eq!(ends, [both, 2 * both, 3 * both]);
}
