// SPDX-License-Identifier: Apache-2.0
//! What it costs cores whose caches keep all that they touch when tasks of one activate tasks of another: lines move from cache
//! to cache, and cores wait for a task's lock. `docs/design/residency.md`, "Requests between cores", derives the numbers.

use std::collections::BTreeSet;

use takt_model::{Assignment, Nanos, System};

use crate::arrival::Periodic;
use crate::quantity::{Time, Work};
use crate::request::InterruptLoad;
use crate::sections;
use crate::transfers::{Residency, work};

/// The lines of a task's core that may be with others when a window begins: four of the task, and the inbox; beside these the
/// lines that are prefetched behind the task's, and those of its queue.
const LINES: u64 = 5;
/// The misses by which one call delays the core of the activated task, beside prefetched lines and those misses that the caller has
/// while it holds the lock.
const OF_CORE: u64 = 25;
/// The misses of a call in its own section, beside those for which it waits.
const OF_CALL: u64 = 20;
/// The misses of a core while it holds the lock of a task, beside two for each of the others that try to take it.
const OF_HOLD: u64 = 13;
/// The releases that a line of a task's queue has places for.
const RELEASES: u64 = 8;

/// The activations of other cores' tasks in a system.
pub struct RemoteActivations<'a> {
    pub system: &'a System,
    pub assignments: &'a [Assignment],
    pub residency: &'a Residency,
}

impl RemoteActivations<'_> {
    /// What each activation that another core calls costs this one: it may come at any time until the caller's deadline.
    pub fn interrupts(&self, core: u32) -> impl Iterator<Item = InterruptLoad> {
        let to_core = self.residency.activations.iter();
        let to_core = to_core.filter(move |it| self.core_of(it.task) == core);
        let others = self.callers(core).len() as u64;
        let misses = OF_CORE + self.prefetched() + hold(others);
        let transfer = self.transfer(core) * misses;
        to_core.filter_map(move |it| {
            let caller = &self.system.tasks[it.caller];
            let releases = Periodic::releases(caller)?.at_any_time();
            let deadline = caller.deadline.map_or(releases.period, Time::from);
            let call = transfer + self.section_of(self.core_of(it.caller));
            Some(InterruptLoad {
                arrivals: Periodic { jitter: deadline.min(releases.period), ..releases },
                work: call * it.times,
            })
        })
    }

    /// What the lines cost once in a window that others had touched before it.
    pub fn once(&self, core: u32) -> Work {
        let tasks: BTreeSet<_> = self.residency.activations.iter().map(|it| it.task).collect();
        let here = tasks.into_iter().filter(|task| self.core_of(*task) == core);
        let lines = here.map(|task| LINES + self.prefetched() + self.queue_lines(task));
        self.transfer(core) * lines.sum::<u64>()
    }

    /// By how much a section of the kernel is longer on a core whose tasks activate those of another.
    pub fn section(&self, core: u32) -> Work {
        let from_core = self.residency.activations.iter();
        let from_core = from_core.filter(|it| self.core_of(it.caller) == core);
        from_core.map(|it| self.call(core, self.core_of(it.task))).max().unwrap_or(Work::ZERO)
    }

    /// How much later than without transfers an activation by another core arrives at the task.
    pub fn delay(&self, task: usize) -> Nanos {
        let calls = self.residency.activations.iter().filter(|it| it.task == task);
        let delays = calls.map(|it| self.call(self.core_of(it.caller), self.core_of(task)));
        delays.max().unwrap_or(Work::ZERO).nanos()
    }

    /// How much longer a call from one core to another takes than without others: its misses, and a hold of each other core.
    fn call(&self, from: u32, to: u32) -> Work {
        let transfer = self.transfer(to);
        let callers = self.callers(to);
        let others = callers.len() as u64;
        let before = callers.iter().copied().filter(|core| *core != from).chain([to]);
        let holds = before.map(|core| self.section_of(core) + transfer * hold(others));
        transfer * (OF_CALL + 2 * others) + holds.sum::<Work>()
    }

    /// The longest section of the kernel on a core, without transfers.
    fn section_of(&self, core: u32) -> Work {
        sections::longest(self.system, self.assignments, core)
    }

    /// The longest time until a line comes that belongs to this core: those that call here ask for it, the core itself, and the
    /// console's core, which reads the counts of the ring.
    fn transfer(&self, core: u32) -> Work {
        let Some(worst) = self.residency.worst(self.system) else { return Work::ZERO };
        let mut all = self.callers(core);
        all.extend([core, self.system.kernel.console_core]);
        let others = all.len() as u64 - 1;
        let cycles = worst.own_line.saturating_add(worst.requester.saturating_mul(others));
        self.system.board.timing.as_ref().map_or(Work::ZERO, |timing| work(timing, cycles))
    }

    /// The lines that the prefetcher of a calling core takes at a time.
    fn prefetched(&self) -> u64 {
        let timing = self.system.board.timing.as_ref();
        let prefetch = |core| timing.map_or(0, |it| it.of_core(core).core.prefetch);
        (0..self.system.cores).map(prefetch).max().unwrap_or(0).into()
    }

    /// The lines in which a task's queue lies, which begins at any release's place in a line.
    fn queue_lines(&self, task: usize) -> u64 {
        let places = u64::from(self.system.tasks[task].queue);
        places.saturating_sub(1).div_ceil(RELEASES) + 1
    }

    /// The cores whose tasks activate tasks of this one.
    fn callers(&self, core: u32) -> BTreeSet<u32> {
        let here = self.residency.activations.iter().filter(|it| self.core_of(it.task) == core);
        here.map(|it| self.core_of(it.caller)).collect()
    }

    fn core_of(&self, task: usize) -> u32 {
        self.assignments[task].core
    }
}

/// The misses of a core while it holds the lock of a task for which so many others may ask.
fn hold(others: u64) -> u64 {
    OF_HOLD + 2 * others
}
