// SPDX-License-Identifier: Apache-2.0
//! What other cores' use of the memory adds on a core with a budget of memory traffic, and what the core loses when its own budget
//! is used up. `docs/design/partitions.md`, "WCET(m)", has the argument for each term.

use takt_model::timing::{Atomics, Homes, Shape};
use takt_model::{Activation, Assignment, Protocol, System, Task, Timing};

use crate::arrival::Periodic;
use crate::costs::KernelCosts;
use crate::lines::Lines;
use crate::quantity::{Time, Work};
use crate::reach;
use crate::transfers::work;
use crate::verdict::NoBound;

const NANOS: u128 = 1_000_000_000;

/// The figures from which the stalls of one regulated core follow. Times are cycles, and periods those of the regulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stalls {
    pub period: u64,
    /// The core's budget, of which none is 0.
    pub budget: Lines,
    /// The most lines above its budget that the core leaves to the next period.
    pub overdraft: Lines,
    /// The most lines of interrupts and the kernel of the core in a period.
    pub kernel: Lines,
    /// Whether all that the core does in any interval of a period's length is below its budget.
    pub suffices: bool,
    /// The transfers of all other cores in a period.
    pub of_others: u64,
    /// The transfers of all other cores that come once a window beside those: overdrafts, and what is under way when it begins.
    pub of_others_once: u64,
    /// The transfers that all other cores can have under way at once.
    pub before_one: u64,
    /// The transfers that the core itself can have under way when a window begins.
    pub under_way: u64,
    /// The longest service of a transfer.
    pub transfer: u64,
    /// The longest wait of a read at its home, for the service of others' requests.
    pub home: u64,
    /// All transfers wait for `refresh_time` in each interval of this length; 0: never.
    pub refresh: u64,
    pub refresh_time: u64,
}

impl Stalls {
    /// How many periods a window of this length has a part of, at most.
    fn periods(&self, length: u64) -> u64 {
        length.div_ceil(self.period.max(1)).saturating_add(1)
    }

    /// The lines of a window with these lines of jobs.
    fn all(&self, jobs: Lines, length: u64) -> Lines {
        jobs + self.kernel * self.periods(length)
    }

    /// The wait for other cores at the memory and on the way there, in a window of this length with these lines of jobs.
    pub fn wait(&self, jobs: Lines, length: u64) -> u64 {
        let all = self.all(jobs, length);
        let own = all.transfers().saturating_add(self.under_way);
        let of_others = self.of_others.saturating_mul(self.periods(length));
        let of_others = of_others.saturating_add(self.of_others_once);
        // Each transfer of another core delays the core once, and each own one waits for those before it.
        let others = of_others.min(own.saturating_mul(self.before_one));
        // What an own line took alone is not known: the shared cache may have had it.
        let transfers = own.saturating_add(others).saturating_mul(self.transfer);
        let homes = all.reads.saturating_mul(self.home);
        let refreshes = length.checked_div(self.refresh).map_or(0, |whole| whole + 2);
        let refreshes = refreshes.saturating_mul(self.refresh_time);
        transfers.saturating_add(homes).saturating_add(refreshes)
    }

    /// The most periods of the window in which the core idles, as one of its budgets is used up.
    pub fn exhausted_periods(&self, jobs: Lines, length: u64) -> u64 {
        if self.suffices {
            return 0;
        }
        let all = self.all(jobs, length) + self.overdraft;
        // The first one may be used up by what the core did before the window.
        1 + all.reads / self.budget.reads.max(1) + all.writes / self.budget.writes.max(1)
    }
}

/// What the jobs of a task of the core may move.
pub struct JobsOfTask {
    /// None: the task is aperiodic.
    pub releases: Option<Periodic>,
    pub deadline: Time,
    /// The lines of one job. None: nothing limits them.
    pub lines: Option<Lines>,
}

/// The stalls of a core, in the units of the analysis.
pub struct Memory {
    stalls: Stalls,
    timing: Timing,
    period: Time,
    /// The number of cores that are regulated or run a kernel: all of the system.
    pub cores: u32,
}

/// Which budgets a window of the core depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Throttling {
    /// Tasks wait for the next period when a budget is used up.
    Tasks,
    /// Interrupts do not.
    Not,
}

impl Memory {
    /// What memory traffic adds on the core; None if the core has no budget.
    pub fn new(
        system: &System,
        assignments: &[Assignment],
        core: u32,
        jobs: &[JobsOfTask],
    ) -> Result<Option<Memory>, NoBound> {
        let Some((regulation, budget)) = system.regulation.as_ref().zip(system.memory_budget(core))
        else {
            return Ok(None);
        };
        let regulated = |why: String| NoBound::Regulated { why };
        let Some(timing) = &system.board.timing else {
            return Err(regulated("the board has no timing".into()));
        };
        if let Some(why) = unfit_board(timing) {
            return Err(regulated(why.into()));
        }
        if let Some(why) = unfit_system(system, assignments, core) {
            return Err(regulated(why));
        }
        let Some(kernel) = regulation.kernel else {
            let why = "nothing says how many lines interrupts and the kernel move: give [regulation] `kernel`";
            return Err(regulated(why.into()));
        };
        let kernel = Lines::from(kernel);
        let in_cycles = u128::from(regulation.period.0) * u128::from(timing.frequency) / NANOS;
        let others = || (0..system.cores).filter(|other| *other != core);
        let sum = |of: &dyn Fn(u32) -> u64| others().map(of).fold(0, u64::saturating_add);
        let budget_of = |other: u32| {
            let budget = system.memory_budget(other);
            budget.map_or(Lines::default(), |it| Lines {
                reads: it.reads.into(),
                writes: it.writes.into(),
            })
        };
        let overdraft = |other: u32| overdraft(timing, other, kernel);
        let mut memory = Memory {
            stalls: Stalls {
                period: u64::try_from(in_cycles).unwrap_or(u64::MAX),
                budget: Lines { reads: budget.reads.into(), writes: budget.writes.into() },
                overdraft: overdraft(core),
                kernel,
                suffices: false,
                // A core without a budget runs nothing: its kernel sleeps but for its timer.
                of_others: sum(&|other| match system.memory_budget(other) {
                    Some(_) => budget_of(other).transfers(),
                    None => kernel.transfers(),
                }),
                of_others_once: sum(&|other| {
                    overdraft(other).transfers().saturating_add(under_way(timing, other))
                }),
                before_one: sum(&|other| under_way(timing, other)),
                under_way: under_way(timing, core),
                transfer: timing.dram.longest_transfer(),
                home: sum(&|other| {
                    u64::from(timing.of_core(other).core.mshrs) * timing.coherence.service
                }),
                refresh: timing.dram.refresh,
                refresh_time: timing.dram.refresh_time,
            },
            timing: timing.clone(),
            period: regulation.period.into(),
            cores: system.cores,
        };
        memory.stalls.suffices = memory.suffices(jobs);
        Ok(Some(memory))
    }

    /// Whether the budget is surely not used up in any period, as long as each job of the core ends by its deadline.
    fn suffices(&self, jobs: &[JobsOfTask]) -> bool {
        let of_task = |task: &JobsOfTask| {
            let (releases, lines) = task.releases.zip(task.lines)?;
            let jobs = (self.period + task.deadline).whole_periods(releases.period);
            (task.deadline < Time::UNBOUNDED).then(|| lines * (jobs + 1))
        };
        let lines: Option<Vec<_>> = jobs.iter().map(of_task).collect();
        let Stalls { budget, kernel, .. } = self.stalls;
        lines.is_some_and(|lines| {
            let all = lines.into_iter().fold(kernel, |sum, lines| sum + lines);
            all.reads < budget.reads && all.writes < budget.writes
        })
    }

    /// Whether bounds rest on the deadlines of all tasks of the core.
    pub fn rests_on_deadlines(&self) -> bool {
        self.stalls.suffices
    }

    /// The wait for memory and for the next period, of a window of this length with these lines of jobs.
    pub fn stall(&self, jobs: Lines, length: Time, throttling: Throttling) -> (Work, Work) {
        let frequency = u128::from(self.timing.frequency);
        let cycles = (u128::from(length.nanos().0) * frequency).div_ceil(NANOS);
        let cycles = u64::try_from(cycles).unwrap_or(u64::MAX);
        let periods = match throttling {
            Throttling::Tasks => self.stalls.exhausted_periods(jobs, cycles),
            Throttling::Not => 0,
        };
        let wait = work(&self.timing, self.stalls.wait(jobs, cycles));
        (wait, (self.period * periods).as_work())
    }

    /// What the regulator's interrupts take in a period, by the latest time after the period's begin at which they come: that of
    /// the timer, and those of counters. To arm the counters takes no longer than an interrupt of the timer.
    pub fn interrupts(&self, costs: &KernelCosts) -> [(Time, Time, Work); 2] {
        let arm = costs.timer_interrupt;
        // A counter that is armed for an earlier point interrupts once in vain; then each of the two may be used up.
        let (begin, overflows) = match self.stalls.suffices {
            true => (Work::ZERO, 1),
            false => (arm, 3),
        };
        [
            (self.period, Time::ZERO, costs.timed_release() + begin),
            (self.period, self.period, (costs.timer_interrupt + arm) * overflows),
        ]
    }
}

/// The transfers that a core can have under way at the controllers: those of `Timing::worst` (docs/design/board.md, "Back-pressure").
fn under_way(timing: &Timing, core: u32) -> u64 {
    let requests = u64::from(timing.of_core(core).core.mshrs);
    u64::from(timing.coherence.write_backs) + 2 * requests
}

/// What a core moves after the line that uses up its budget: what it has under way, what it requests until it sees the overflow,
/// and what its interrupts move.
fn overdraft(timing: &Timing, core: u32, kernel: Lines) -> Lines {
    let figures = timing.of_core(core).core;
    let controllers = timing.dram.nodes.len() as u64;
    let in_skid = (figures.overflow_skid / timing.dram.burst.max(1) + 1) * controllers;
    let lines = u64::from(figures.mshrs) + in_skid;
    kernel + Lines { reads: lines, writes: lines }
}

/// Why the lines of other cores are not bounded by their budgets on this board.
fn unfit_board(timing: &Timing) -> Option<&'static str> {
    let own_links = matches!(timing.interconnect.shape, Shape::Full { .. })
        && timing.interconnect.cores_per_node == 1;
    let at_homes = matches!(&timing.coherence.homes, Homes::Nodes { interleave, nodes }
        if *nodes == timing.dram.nodes && *interleave == timing.dram.interleave);
    let kinds = timing.kinds.iter().map(|kind| &kind.core).chain([&timing.core]);
    let any = |is: &dyn Fn(&takt_model::timing::Core) -> bool| kinds.clone().any(is);
    let obstacles = [
        (!own_links, "cores of the board share links of the interconnect"),
        (!at_homes, "the memory's controllers are not at the homes of their lines"),
        (timing.cluster.is_some(), "cores of the board share the cache of a cluster"),
        (timing.l2.is_none(), "the board's cores have no L2 of their own"),
        (any(&|core| core.prefetch > 0), "the board's cores request lines ahead"),
        (any(&|core| core.atomics == Atomics::Home), "atomic operations are made at the homes"),
    ];
    obstacles.into_iter().find(|(is_there, _)| *is_there).map(|(_, why)| why)
}

/// Why nothing bounds the traffic of the system, or what it does to the core.
fn unfit_system(system: &System, assignments: &[Assignment], core: u32) -> Option<String> {
    let mut active = reach::active_cores(system, assignments);
    active.insert(system.kernel.console_core);
    if let Some(other) = active.into_iter().find(|it| system.memory_budget(*it).is_none()) {
        return Some(format!("core {other} runs something and has no budget"));
    }
    if !system.interrupts.is_empty() || !system.device_regions.is_empty() {
        return Some("devices may transfer to memory, which no budget limits".into());
    }
    if system.frame(core).is_some() {
        return Some("its windows share the budget".into());
    }
    let keeps_core = |task: &Task| {
        let across = |mutex: usize| system.mutexes[mutex].protocol == Protocol::Msrp;
        let rights = &task.rights;
        rights.cpu_lock.is_some()
            || rights.dispatch_disable.is_some()
            || !rights.spin_locks.is_empty()
            || task.mutexes.iter().any(|it| across(it.mutex))
    };
    if let Some(task) = system.tasks.iter().find(|task| keeps_core(task)) {
        return Some(format!("task {} can keep a core whose budget is used up", task.name));
    }
    let here = |index: &usize| reach::may_run(system, assignments, *index, core);
    let here = (0..system.tasks.len()).filter(here).map(|index| &system.tasks[index]);
    here.into_iter().find_map(unfit_task)
}

fn unfit_task(task: &Task) -> Option<String> {
    let name = &task.name;
    let timed = task.activation != Activation::Aperiodic;
    let waits = task.suspends.is_some() || !task.uses.is_empty() || !task.mutexes.is_empty();
    let ends = task.budget.is_some() || task.deadline_handler.is_some();
    if timed && task.memory.is_none() {
        return Some(format!(
            "nothing says how many lines a job of {name} moves: give it `memory`"
        ));
    }
    let not_yet = waits || !task.rights.controls.is_empty() || ends;
    not_yet.then(|| {
        format!(
            "task {name} waits, shares, changes others or has a handler, which is not counted yet"
        )
    })
}
