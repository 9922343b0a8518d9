// SPDX-License-Identifier: Apache-2.0
//! One core as the analysis sees it: its supply, its tasks, and the kernel's work on it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use takt_model::{Activation, Assignment, Nanos, System, Task};

use crate::busy_window::{BusyWindow, IterationBudget, Length, NO_LIMIT};
use crate::commands::Commands;
use crate::core_task::CoreTask;
use crate::costs::KernelCosts;
use crate::demand::Demand;
use crate::memory::{Memory, Throttling};
use crate::mutexes::{HoldTime, Mutexes};
use crate::offsets::Offsets;
use crate::quantity::{Time, Work};
use crate::remote::RemoteActivations;
use crate::request::{Counted, Interrupts, Jobs, RequestBound, Window};
use crate::semaphores::{SemaphoreUsers, can_block};
use crate::stages::Part;
use crate::supply::{SupplyBound, WholeCore, Windows};
use crate::term::Term;
use crate::transfers::{Residency, Transfers};
use crate::verdict::NoBound;
use crate::{commands, controls, handlers, interrupts, nonpreemptive, reach, sections};

/// Terms that are computed for the response to interrupts alone.
const TERMS_OF_INTERRUPTS: u64 = 1_000_000;

pub struct Core {
    pub number: u32,
    /// The tasks by priority, the highest first, then by index.
    pub tasks: Vec<CoreTask>,
    /// The supply of each partition's tasks, if the core is divided into windows.
    windows: BTreeMap<usize, Windows>,
    /// What memory traffic adds, if the core has a budget of it.
    memory: Option<Memory>,
    pub interrupts: Interrupts,
    /// For each team with threads here, the interrupts without those by which its own parts begin.
    interrupts_of_others: BTreeMap<usize, Interrupts>,
    pub offsets: Offsets,
    costs: KernelCosts,
    /// Activations that are accepted in a window but released before or after it: their interrupts.
    queued_activations: Work,
    transfers: Transfers,
    /// The wait for lines that tasks of other cores have touched before a window, by activations.
    moved_lines: Work,
    /// For each partition and each priority, the interrupts and releases that its tasks below it cause while they do not run.
    lower_tasks: BTreeMap<Option<usize>, Vec<Work>>,
    /// The longest section of a task with interrupts disabled.
    masked: Work,
    /// The longest time from a release to its place in the ready queue.
    release_delay: Time,
    /// Why no task of the core has a bound.
    pub unbounded: Option<NoBound>,
    /// True if a thread of a task that forks is here, and nothing bounds how late it begins. Then nothing bounds the core's
    /// interrupts either.
    pub is_forked_late: bool,
}

impl Core {
    pub fn new(
        system: &System,
        assignments: &[Assignment],
        users: &SemaphoreUsers,
        residency: Option<&Residency>,
        parts: &[Option<Part>],
        core: u32,
        commands: &Commands,
    ) -> Self {
        // A task that may migrate to the core counts as one of its tasks; it is aperiodic.
        let is_here = |index: &usize| reach::may_run(system, assignments, *index, core);
        let here = || (0..system.tasks.len()).filter(is_here);
        let mut costs = KernelCosts::new(system, assignments, core, commands);
        let remote =
            residency.map(|residency| RemoteActivations { system, assignments, residency });
        let remote_section = remote.as_ref().map(|it| it.section(core));
        costs.section += remote_section.unwrap_or(Work::ZERO);
        let task = |index| CoreTask::new(system, assignments, &costs, index, users, parts[index]);
        let mut tasks: Vec<_> = here().map(task).collect();
        tasks.sort_by_key(|task| (task.priority, task.index));
        let offsets = Offsets::new(system, &mut tasks);
        let memory = Memory::new(system, assignments, core, &CoreTask::jobs_of_tasks(&tasks));
        let (memory, unregulated) = match memory {
            Ok(memory) => (memory, None),
            Err(why) => (None, Some(why)),
        };
        let unbounded = unregulated
            .or_else(|| interrupts::unbounded(system, &costs, core))
            .or_else(|| handlers::unbounded(system, core))
            .or_else(|| sections::unbounded(system, assignments))
            .or_else(|| controls::unbounded(system, assignments, core))
            .or_else(|| commands::unbounded(system, assignments, core));
        let interrupts = |but_of_team| {
            let tasks = &tasks[..];
            interrupts::interrupts(
                system,
                assignments,
                &costs,
                residency,
                tasks,
                &offsets,
                but_of_team,
            )
        };
        let teams: BTreeSet<_> = tasks.iter().filter_map(CoreTask::team).collect();
        let teams = teams.into_iter();
        let mut core = Core {
            number: core,
            windows: windows(system, &costs, core, &tasks),
            memory,
            interrupts: interrupts(None),
            interrupts_of_others: teams.map(|team| (team, interrupts(Some(team)))).collect(),
            offsets,
            costs,
            transfers: residency
                .map_or(Transfers::default(), |it| Transfers::new(system, it, core)),
            moved_lines: remote.map_or(Work::ZERO, |it| it.once(core)),
            queued_activations: here().map(|index| queued(&system.tasks[index], &costs)).sum(),
            lower_tasks: (tasks.iter().map(|task| task.partition).collect::<BTreeSet<_>>())
                .into_iter()
                .map(|partition| (partition, lower_tasks(&tasks, partition)))
                .collect(),
            masked: nonpreemptive::longest_masked(system, assignments, core),
            release_delay: Time::ZERO,
            unbounded,
            is_forked_late: false,
            tasks,
        };
        let is_delayed = core.masked + core.once_at_interrupt_level() > Work::ZERO;
        if is_delayed || !core.interrupts.is_empty() {
            core.release_delay = core.interrupt_response(core.masked);
        }
        core
    }

    /// Returns the blocking of a job of `task`: a kernel section, critical sections of lower tasks, and their interrupts, at its beginning
    /// and wherever it lets lower tasks run.
    pub fn blocking(&self, task: &CoreTask) -> Demand {
        let mut once = Demand::default().with(Term::KernelSection, self.costs.section);
        task.blocking.iter().for_each(|sections| once.extend(sections));
        if let Some((lower, work)) = task.nonpreemptive {
            once.add(Term::NonPreemptive { task: lower }, work);
        }
        let is_lowest = self.tasks.last().is_none_or(|it| it.priority <= task.priority);
        let Transfers { of_idle_loop, of_lower_tasks } = self.transfers;
        let lower = &self.lower_tasks[&task.partition];
        once.add(Term::LowerTasks, lower[usize::from(task.priority)]);
        // The tasks that run while the job waits for a semaphore count with `wcet` or `hold`, which contain their accesses.
        let transfers = if is_lowest { of_idle_loop } else { of_lower_tasks };
        let all = once.times(task.self_suspensions + 1);
        let all = all.with(Term::Transfers, transfers * (task.sleeps_and_signals + 1));
        let all = all.with(Term::RemoteActivations, self.moved_lines);
        all.with(Term::QueuedActivations, self.queued_activations)
    }

    /// The window in which the core does this work for the task, with its interrupts, beside other requests.
    pub fn window<'a>(
        &'a self,
        task: &CoreTask,
        fixed: Demand,
        requests: Vec<&'a dyn RequestBound>,
    ) -> BusyWindow<'a> {
        let windows = task.partition.and_then(|partition| self.windows.get(&partition));
        let supply = windows.map_or(&WholeCore as &dyn SupplyBound, |windows| windows);
        let Some(part) = &task.part else {
            let (interrupts, memory) = (&self.interrupts, self.memory_of(Throttling::Tasks));
            return BusyWindow { fixed, requests, interrupts, supply, memory };
        };
        // Between the beginnings of two parts on a core the first one is executed, so no window has both.
        let fixed = fixed.with(Term::Releases, part.interrupts_of_window(&self.costs));
        let interrupts = &self.interrupts_of_others[&part.team];
        BusyWindow { fixed, requests, interrupts, supply, memory: None }
    }

    fn memory_of(&self, throttling: Throttling) -> Option<(&Memory, Throttling)> {
        self.memory.as_ref().map(|memory| (memory, throttling))
    }

    /// Whether the bounds of the core rest on the deadlines of all its tasks.
    pub fn rests_on_deadlines(&self) -> bool {
        self.memory.as_ref().is_some_and(Memory::rests_on_deadlines)
    }

    /// The WCET of one job of the task beside all other cores, and their number with its own. None: the core has no budget.
    pub fn wcet_beside(&self, task: &CoreTask) -> Option<(u32, Nanos)> {
        let memory = self.memory.as_ref()?;
        let one = Jobs { counted: Counted::UntilArrival, ..task.jobs()?.with_jitter(Time::ZERO) };
        let execution = Demand::default().with(Term::Execution, task.wcet?);
        let one = Jobs { job: Rc::new(execution), ..one.at_any_time() };
        let window = BusyWindow {
            fixed: Demand::default(),
            requests: vec![&one],
            interrupts: &Interrupts::default(),
            supply: &WholeCore,
            memory: self.memory_of(Throttling::Tasks),
        };
        let mut budget = IterationBudget(TERMS_OF_INTERRUPTS);
        match window.length(Window::default(), NO_LIMIT, &mut budget) {
            Length::Found(length) => Some((memory.cores, length.nanos())),
            _ => None,
        }
    }

    /// Adds what mutexes cost, once all cores are known.
    pub fn charge(&mut self, mutexes: &Mutexes, hold_time: HoldTime) {
        let costs = self.costs;
        for task in &mut self.tasks {
            let requests = task.requests.as_deref().unwrap_or(&[]);
            let lowest = can_block(requests, task.priority).map(|request| request.lowest).max();
            let level = lowest.unwrap_or(task.priority);
            let waits = mutexes.waits(task.index);
            task.waits_for_mutexes = waits > 0;
            task.spin = mutexes.job_spin(task.index, hold_time);
            task.blocking = mutexes.blocking(task.index, level, costs.resume(), hold_time);
            task.nonpreemptive = mutexes.nonpreemptive(self.number, task.priority, hold_time);
            task.charge(Term::Switches, costs.timed_resume() * waits);
            if let Ok(spin) = task.spin {
                task.charge(Term::Spin { task: task.described() }, spin);
            }
        }
    }

    /// How long a hold with dispatch disabled takes here, from the moment that the mutex is handed
    /// over: with the interrupts under way at that moment, and those that come.
    pub fn hold_time(&self, hold: Work) -> Time {
        self.interrupt_response(hold + self.release_delay.as_work())
    }

    /// What the kernel does to let a task go on that waited.
    pub fn resume(&self) -> Work {
        self.costs.resume()
    }

    /// What a command costs this core, as it serves others, beside the service: its interrupt.
    pub fn command(&self) -> Work {
        self.costs.ipi
    }

    /// Equals are served in the order in which the kernel handles their releases. That of two
    /// may differ from the order in which they came by this time.
    pub fn release_delay(&self) -> Time {
        self.release_delay
    }

    /// How late a window of the core opens or closes at most: the kernel does so in an interrupt of the timer. None: nothing
    /// bounds it.
    pub fn late_windows(&self) -> Option<Time> {
        let late = self.interrupt_response(self.costs.timed_release());
        (self.unbounded.is_none() && late != Time::UNBOUNDED).then_some(late)
    }

    /// For each team with threads here, how long the core needs to pass a fork on. Of the team's own interrupts it has only those
    /// of one part at a time, as in [`Core::window`].
    pub fn passing(&self) -> impl Iterator<Item = (usize, Time)> {
        self.interrupts_of_others.iter().map(|(team, others)| {
            let parts = self.tasks.iter().filter_map(|task| task.part);
            let own = parts.filter(|part| part.team == *team);
            let own = own.map(|part| part.interrupts_of_window(&self.costs)).max();
            let work = self.masked + own.unwrap_or(Work::ZERO);
            (*team, self.response_beside(work, others))
        })
    }

    /// How long the core needs for this work at the level of interrupts, with those that come in the meantime.
    pub fn interrupt_response(&self, work: Work) -> Time {
        self.response_beside(work, &self.interrupts)
    }

    fn response_beside(&self, work: Work, interrupts: &Interrupts) -> Time {
        let fixed = (work + self.once_at_interrupt_level()).into();
        let memory = self.memory_of(Throttling::Not);
        let requests = Vec::new();
        let window = BusyWindow { fixed, requests, interrupts, supply: &WholeCore, memory };
        let mut budget = IterationBudget(TERMS_OF_INTERRUPTS);
        match window.length(Window::default(), NO_LIMIT, &mut budget) {
            Length::Found(length) => length,
            _ => Time::UNBOUNDED,
        }
    }

    /// Returns what delays work at the level of interrupts once: a section of the kernel, accesses under way, and interrupts that
    /// do not recur.
    fn once_at_interrupt_level(&self) -> Work {
        let lower: Work = self.lower_tasks.values().map(|lower| lower[0]).sum();
        let under_way = self.transfers.of_lower_tasks + self.moved_lines;
        self.costs.section + self.queued_activations + lower + under_way
    }
}

/// Computes the supply of each partition on a core with a frame. The opening of a window takes from it: a section of the kernel that
/// delays the interrupt; the switch to its first task; and what the tasks of other partitions cause meanwhile, none of
/// which runs in it.
fn windows(
    system: &System,
    costs: &KernelCosts,
    core: u32,
    tasks: &[CoreTask],
) -> BTreeMap<usize, Windows> {
    let Some(frame) = system.frame(core) else { return BTreeMap::new() };
    let opening = |partition| {
        let others = tasks.iter().filter(|task| task.partition != Some(partition));
        let others: Work = others.map(|task| task.interrupts_unscheduled).sum();
        costs.section + costs.switch() + others
    };
    let partitions = frame.windows.iter().map(|window| window.partition);
    partitions.map(|it| (it, Windows::new(frame, it, opening(it).as_time()))).collect()
}

/// For each priority, and one past the lowest, the sum of what the tasks of a partition below it cause.
fn lower_tasks(tasks: &[CoreTask], partition: Option<usize>) -> Vec<Work> {
    let mut sums = vec![Work::ZERO; 257];
    for task in tasks.iter().filter(|task| task.priority > 0 && task.partition == partition) {
        sums[usize::from(task.priority) - 1] += task.interrupts_unscheduled;
    }
    for priority in (0..256).rev() {
        sums[priority] = sums[priority] + sums[priority + 1];
    }
    sums
}

/// The interrupts of activations that are queued when a window begins, and are taken in it.
fn queued(task: &Task, costs: &KernelCosts) -> Work {
    match task.activation {
        Activation::Sporadic { .. } => costs.ipi * u64::from(task.queue),
        _ => Work::ZERO,
    }
}
