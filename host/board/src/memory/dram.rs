// SPDX-License-Identifier: Apache-2.0
//! Memory controllers with banks and rows. They serve in the order of arrival, and have a queue: what finds it full
//! waits before it.

use super::address::{controller, place};
use crate::devices::Tick;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use takt_model::timing;

#[derive(Clone, Serialize, Deserialize)]
pub struct Dram {
    timing: timing::Dram,
    controllers: Vec<Controller>,
    /// By initiator, as far as there were any.
    served: Vec<Served>,
}

/// Lines that the controllers have moved for an initiator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Served {
    pub reads: u64,
    /// Writes of changed lines, whoever changed them: the initiator needed their place, or the line.
    pub writes: u64,
}

/// A line on its way from or to memory.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// A hart's index, or a device's number beyond the harts.
    pub initiator: u32,
    pub address: u64,
    pub write: bool,
}

#[derive(Clone, Serialize, Deserialize)]
struct Controller {
    /// The data wires are free from here on.
    wires: Tick,
    banks: Vec<Bank>,
    /// When the latest accesses leave the controller's queue, in that order; as many as there are places in it.
    leave: VecDeque<Tick>,
}

impl Controller {
    /// When an access that arrives `at` has a place in the queue: all but so many as there are places less one
    /// have left it.
    fn admits(&self, at: Tick, places: usize) -> Tick {
        if self.leave.len() < places {
            at
        } else {
            self.leave.front().map_or(at, |first| at.max(*first))
        }
    }

    /// An access that leaves the queue at the tick has taken its place.
    fn admit(&mut self, leaves: Tick, places: usize) {
        if self.leave.len() == places {
            self.leave.pop_front();
        }
        if self.leave.back().is_none_or(|last| *last <= leaves) {
            return self.leave.push_back(leaves);
        }
        let behind = self.leave.iter().rposition(|other| *other <= leaves).map_or(0, |at| at + 1);
        self.leave.insert(behind, leaves);
    }
}

#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Bank {
    free: Tick,
    row: Option<u64>,
    /// Refreshes up to the row's opening.
    refreshes: u64,
}

impl Dram {
    pub fn new(timing: &timing::Dram) -> Dram {
        let banks = vec![Bank::default(); 1 << timing.banks.len()];
        let controller = Controller { wires: 0, banks, leave: VecDeque::new() };
        Dram {
            timing: timing.clone(),
            controllers: vec![controller; timing.nodes.len()],
            served: Vec::new(),
        }
    }

    pub fn node(&self, address: u64) -> u32 {
        self.timing.nodes[controller(&self.timing, address)]
    }

    /// The bank's row is open after an access that takes no time.
    pub fn open(&mut self, address: u64) {
        let place = place(&self.timing, address);
        self.controllers[place.controller].banks[place.bank].row = Some(place.row);
    }

    pub fn served(&self, initiator: u32) -> Served {
        self.served.get(initiator as usize).copied().unwrap_or_default()
    }

    fn count(&mut self, Move { initiator, write, .. }: Move) {
        let index = initiator as usize;
        if self.served.len() <= index {
            self.served.resize(index + 1, Served::default());
        }
        let served = &mut self.served[index];
        *(if write { &mut served.writes } else { &mut served.reads }) += 1;
    }

    /// A line's transfer that arrives at its controller; answers when its data are all there.
    pub fn access(&mut self, line: Move, at: Tick) -> Tick {
        self.count(line);
        let place = place(&self.timing, line.address);
        let timing = &self.timing;
        let controller = &mut self.controllers[place.controller];
        let places = timing.queue as usize;
        let at = controller.admits(at, places);
        let bank = &mut controller.banks[place.bank];
        let start = after_refresh(timing, at.max(bank.free));
        let refreshes = start.checked_div(timing.refresh).unwrap_or(0);
        if refreshes != bank.refreshes {
            bank.row = None;
        }
        let first = match bank.row {
            Some(row) if row == place.row => timing.row_hit,
            Some(_) => timing.row_conflict,
            None => timing.row_closed,
        };
        let data = (start + first).max(controller.wires);
        controller.wires = data + timing.burst;
        // The next command to the row may overlap with this one's data.
        *bank = Bank {
            free: data + timing.burst - timing.row_hit.min(first),
            row: Some(place.row),
            refreshes,
        };
        bank.free = bank.free.max(start + 1);
        controller.admit(data + timing.burst, places);
        data + timing.burst
    }
}

fn after_refresh(timing: &timing::Dram, at: Tick) -> Tick {
    match at.checked_rem(timing.refresh) {
        Some(since) if since < timing.refresh_time => at - since + timing.refresh_time,
        _ => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dram() -> Dram {
        Dram::new(&timing::Dram {
            nodes: vec![0],
            interleave: 4096,
            banks: vec![0x1000],
            row: 8192,
            row_hit: 20,
            row_closed: 35,
            row_conflict: 50,
            burst: 4,
            refresh: 1000,
            refresh_time: 100,
            queue: 4,
        })
    }

    fn read(address: u64) -> Move {
        Move { initiator: 0, address, write: false }
    }

    #[test]
    fn rows_cost_what_their_state_says() {
        let mut dram = dram();
        assert_eq!(dram.access(read(0), 200), 239);
        assert_eq!(dram.access(read(64), 300), 324);
        assert_eq!(dram.access(read(8192), 400), 454);
    }

    #[test]
    fn banks_overlap_and_share_the_wires() {
        let mut dram = dram();
        assert_eq!(dram.access(read(0), 200), 239);
        assert_eq!(dram.access(read(4096), 200), 243);
        // A hit follows at the wires' rate.
        assert_eq!(dram.access(read(64), 200), 247);
    }

    /// Each access begins when the one before it is done, and is in another row of its bank, as of a pointer that is followed.
    #[test]
    fn a_chase_through_rows_takes_the_longest_transfer_each() {
        let mut dram = dram();
        let longest = dram.timing.longest_transfer();
        dram.open(8192);
        for (row, at) in (0..10).zip((200..).step_by(longest as usize)) {
            assert_eq!(dram.access(read(row % 2 * 8192), at), at + longest);
        }
    }

    /// Whatever rows and banks are asked for, and in whatever bursts, an access is done the longest transfer after its arrival, or
    /// after what came before it; and a refresh later, if there was one.
    #[test]
    fn no_transfer_takes_longer() {
        let mut dram = dram();
        let timing = dram.timing.clone();
        let (longest, mut at, mut done, mut random) = (timing.longest_transfer(), 0, 0, 1u64);
        let mut worst = 0;
        for _ in 0..100_000 {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            at += [0, 0, 1, 40, 150][(random >> 33) as usize % 5];
            let begins = done.max(at);
            let address = (random >> 40) % 16 * 4096;
            done = dram.access(read(address), at);
            let refreshed = (done / timing.refresh
                - begins.saturating_sub(timing.refresh_time) / timing.refresh)
                * timing.refresh_time;
            assert!(done <= begins + longest + refreshed, "at {at}: {begins} to {done}");
            worst = worst.max(if refreshed == 0 { done - begins } else { 0 });
        }
        assert_eq!(worst, longest);
    }

    #[test]
    fn a_refresh_delays_and_closes() {
        let mut dram = dram();
        dram.access(read(0), 200);
        assert_eq!(dram.access(read(64), 1010), 1100 + 35 + 4);
    }
}
