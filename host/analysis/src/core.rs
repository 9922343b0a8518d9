// SPDX-License-Identifier: Apache-2.0
//! One core as the analysis sees it: its tasks, highest first, and the kernel's work on it.

use std::rc::Rc;

use takt_model::{Activation, Interrupt, Nanos, Overheads, Protocol, System, Task};

use crate::breakdown::Term;
use crate::mutexes::{Mutexes, Sections, Stretch};
use crate::waits::{Request, Users, can_block, sleeps};
use crate::window::{Counting, Effort, Length, Source, Stream, Window};
use crate::{Named, Placement, Why, handlers, proof, rights, sections};

/// How often the idle loop of the console core lets a timer wake it.
pub const CONSOLE_PERIOD: Nanos = Nanos(10_000_000);

pub struct Core {
    number: u32,
    /// By priority, then by index.
    pub members: Vec<Member>,
    /// Periodic interrupts, at the highest priority whatever runs.
    pub interrupts: Vec<Stream>,
    /// The same, each with its name, for explanations.
    pub named: Vec<(Term, Stream)>,
    /// Interrupts of activations that are accepted in a window but released before or after it.
    burst: u64,
    /// Interrupts of lower tasks, by the priority that they are below.
    disturbances: Vec<u64>,
    /// How much later than it came a release may stand in the ready queue.
    lag: u64,
    /// The longest section of a task of the core with interrupts disabled.
    masked: u64,
    overheads: Overheads,
    /// Why no task of the core has a bound.
    pub unlimited: Option<Why>,
}

/// A task on its core.
pub struct Member {
    /// Index of the task.
    pub index: usize,
    pub priority: u8,
    /// Period or separation. None: aperiodic.
    pub period: Option<u64>,
    /// At most the period.
    pub deadline: u64,
    /// So long after its release every job is taken to be done; begins short and is raised.
    pub response: u64,
    pub jitter: u64,
    pub wcet: Option<u64>,
    /// Execution of a job, and what the kernel does for that job but for its release.
    pub cost: u64,
    /// Zero if it never sleeps.
    pub suspends: u64,
    pub sleeps: bool,
    /// What it may wait for; why there is no limit to that.
    pub requests: Result<Vec<Request>, Why>,
    /// How often a job may stop to wait.
    pub stops: u64,
    /// Whether it may have to wait for a mutex; that lets no lower task run but the holder.
    pub locks: bool,
    /// How long a job spins for mutexes; part of the cost.
    pub spin: Result<u64, Why>,
    /// How long lower tasks that hold mutexes delay it, each time that it begins or goes on.
    pub blocked: Result<Rc<Sections>, Why>,
    /// How long a lower task keeps it from running with interrupts or dispatch disabled, likewise; which.
    pub kept_waiting: Option<(usize, u64)>,
    /// Interrupts and releases that it may cause in a window in which it does not run.
    pub disturbance: u64,
}

impl Core {
    pub fn new(system: &System, placements: &[Placement], users: &Users, core: u32) -> Self {
        // A task that may come counts as if it were here; it is aperiodic.
        let is_here = |index: &usize| rights::may_run(system, placements, *index, core);
        let own = || (0..system.tasks.len()).filter(is_here);
        let section = sections::longest(system, placements, core);
        let here = own().map(|index| &system.tasks[index]);
        let wait = sections::wait(system, placements);
        let overheads = waiting(handlers::overheads(system, here, section), wait);
        let alarm = wake_up(system, placements, &overheads);
        let mut members: Vec<_> = own()
            .map(|index| {
                member(system, &overheads, alarm, index, placements[index].priority, users)
            })
            .collect();
        members.sort_by_key(|member| (member.priority, member.index));
        let tasks = || members.iter().map(|member| &system.tasks[member.index]);
        let releases = |task: &Task| Some((Term::Releases, releases(system, task, &overheads)?));
        let mut named: Vec<_> = tasks().filter_map(releases).collect();
        named.extend(handlers::streams(system, &overheads, core));
        let controls = rights::streams(system, placements, &overheads, core);
        named.extend(controls.into_iter().map(|stream| (Term::Controls, stream)));
        if core == system.kernel.console_core {
            let cost = overheads.timer_interrupt.0;
            let stream = Stream { period: CONSOLE_PERIOD.0, jitter: 0, cost };
            named.push((Term::Console, stream));
        }
        if let Some(period) = system.kernel.idle_pull {
            let stream = Stream { period: period.0, jitter: 0, cost: pulls(&overheads) };
            named.push((Term::IdlePull, stream));
        }
        let mut unlimited = None;
        let delivered =
            |(index, it): &(usize, &Interrupt)| rights::delivers(system, *index, it, core);
        for (index, it) in system.interrupts.iter().enumerate().filter(delivered) {
            match device(&overheads, index, it) {
                // A request that waited while the interrupt was disabled, or moved, comes close before the next one.
                Ok(mut stream) => {
                    let waits = rights::wandering(system).any(|other| other == index);
                    stream.jitter = if waits { stream.period } else { 0 };
                    named.push((Term::Interrupt { name: it.name.clone() }, stream));
                }
                Err(why) => drop(unlimited.get_or_insert(why)),
            }
        }
        let burst = tasks().map(|task| burst(task, &overheads)).fold(0, u64::saturating_add);
        let disturbances = disturbances(&members);
        let interrupts = merge(named.iter().map(|(_, stream)| *stream).collect());
        let unlimited = unlimited.or_else(|| handlers::unlimited(system, core));
        let unlimited = unlimited.or_else(|| sections::unlimited(system, placements));
        let unlimited = unlimited.or_else(|| rights::unlimited(system, placements, core));
        for member in &mut members {
            let spins = rights::spins(system, placements, member.index);
            member.cost = member.cost.saturating_add(spins);
        }
        let masked = rights::longest_masked(system, placements, core);
        let mut core = Core {
            number: core,
            members,
            interrupts,
            named,
            burst,
            disturbances,
            lag: 0,
            masked,
            overheads,
            unlimited,
        };
        core.lag = core.find_lag();
        core
    }

    /// What delays a job of `task` beside other tasks, interrupts that come in a stream, and its
    /// own sleep: a kernel section and the interrupts of lower tasks, at its beginning and
    /// wherever it lets lower tasks run.
    pub fn constant(&self, task: &Member) -> u64 {
        let mut sum = 0_u64;
        self.constant_parts(task, &mut |_, time| sum = sum.saturating_add(time));
        sum
    }

    /// The parts of that, by name.
    pub fn constant_parts(&self, task: &Member, add: &mut dyn FnMut(Term, u64)) {
        let times = |time: u64| time.saturating_mul(task.stops + 1);
        add(Term::KernelSection, times(self.overheads.kernel_section.0));
        for section in task.blocked.iter().flat_map(|sections| sections.iter()) {
            let term = Term::MutexHeld { mutex: section.mutex, task: section.task };
            add(term, times(section.time));
        }
        if let Some((lower, time)) = task.kept_waiting {
            add(Term::KeptWaiting { task: lower }, times(time));
        }
        add(Term::LowerTasks, times(self.disturbances[usize::from(task.priority)]));
        add(Term::QueuedActivations, self.burst);
    }

    /// Adds what mutexes cost, once all cores are known.
    pub fn charge(&mut self, mutexes: &Mutexes, stretch: Stretch) {
        let timed_wait = self.resume().saturating_add(self.overheads.timer_interrupt.0);
        let resume = self.resume();
        for member in &mut self.members {
            let requests = member.requests.as_deref().unwrap_or(&[]);
            let lowest = can_block(requests, member.priority).map(|request| request.lowest).max();
            let level = lowest.unwrap_or(member.priority);
            let waits = mutexes.waits(member.index);
            member.locks = waits > 0;
            member.spin = mutexes.spin(member.index, stretch);
            member.blocked = mutexes.blocking(member.index, level, resume, stretch);
            let spin = *member.spin.as_ref().unwrap_or(&0);
            let more = timed_wait.saturating_mul(waits).saturating_add(spin);
            member.cost = member.cost.saturating_add(more);
            member.kept_waiting = mutexes.kept_waiting(self.number, member.priority, stretch);
        }
    }

    /// How long a hold with dispatch disabled takes here, from the moment that the mutex is handed
    /// over: with the interrupts under way at that moment, and those that come.
    pub fn stretch(&self, hold: u64) -> u64 {
        let section = self.overheads.kernel_section.0;
        let kernel = [self.lag, section, self.burst, self.disturbances[0]];
        let constant = kernel.iter().fold(hold, |sum, one| sum.saturating_add(*one));
        let window = Window { constant, sources: Vec::new(), interrupts: &self.interrupts };
        match window.length(0, 0, u64::MAX - 1, &mut Effort(1_000_000)) {
            Length::Found(length) => length,
            _ => u64::MAX,
        }
    }

    /// What the kernel does to let a task go on that waited.
    pub fn resume(&self) -> u64 {
        resume(&self.overheads)
    }

    /// Equals are served in the order in which the kernel handles their releases. That of two
    /// may differ from the order in which they came by what can be before a release.
    pub fn lag(&self) -> u64 {
        self.lag
    }

    fn find_lag(&self) -> u64 {
        let section = self.overheads.kernel_section.0;
        let constant = [section, self.masked, self.burst, self.disturbances[0]];
        let constant = constant.iter().fold(0, |sum: u64, one| sum.saturating_add(*one));
        if constant == 0 && self.interrupts.is_empty() {
            return 0;
        }
        let window = Window { constant, sources: Vec::new(), interrupts: &self.interrupts };
        match window.length(0, 0, u64::MAX - 1, &mut Effort(1_000_000)) {
            Length::Found(length) => length,
            _ => u64::MAX,
        }
    }
}

impl Member {
    /// This task as one that takes time from others.
    pub fn source(&self, counting: Counting, jitter: u64) -> Source {
        let period = self.period.unwrap_or(u64::MAX);
        let execution = self.wcet.unwrap_or(0);
        let spin = *self.spin.as_ref().unwrap_or(&0);
        let (task, cost) = (self.index, self.cost);
        Source { task, period, jitter, execution, spin, cost, semaphore: None, counting }
    }

    /// Whether lower tasks may run before a job of this one is done.
    pub fn waits(&self) -> bool {
        self.stops > 0
    }
}

/// Sums of what the tasks below each priority cause.
fn disturbances(members: &[Member]) -> Vec<u64> {
    let mut sums = vec![0_u64; 257];
    for priority in (0..=255_u8).rev() {
        let below = usize::from(priority) + 1;
        let these = members.iter().filter(|member| usize::from(member.priority) == below);
        let these = these.fold(0, |sum, member| member.disturbance.saturating_add(sum));
        sums[usize::from(priority)] = sums[below].saturating_add(these);
    }
    sums
}

fn member(
    system: &System,
    overheads: &Overheads,
    alarm: u64,
    index: usize,
    priority: u8,
    users: &Users,
) -> Member {
    let task = &system.tasks[index];
    let requests = users.requests(index);
    let waits = requests.as_ref().map_or(0, |all| can_block(all, priority).count() as u64);
    let sleeps = sleeps(task);
    let naps = if sleeps { u64::from(task.suspensions()) } else { 0 };
    let switch = overheads.dispatch.0.saturating_add(overheads.preemption.0);
    let resume = resume(overheads);
    let timed_wait = resume.saturating_add(overheads.timer_interrupt.0);
    let nap = resume.saturating_add(alarm);
    let kernel = [switch, timed_wait.saturating_mul(waits), nap.saturating_mul(naps)];
    let period = period(task);
    let wcet = handlers::execution(system, task, overheads.kernel_section);
    let deadline = task.deadline.map_or(u64::MAX, |time| time.0).min(period.unwrap_or(u64::MAX));
    Member {
        index,
        priority,
        period,
        deadline,
        response: wcet.unwrap_or(0),
        jitter: task.jitter.0,
        wcet,
        cost: kernel.iter().fold(wcet.unwrap_or(0).max(1), |sum, one| sum.saturating_add(*one)),
        suspends: task.suspends.map_or(0, |time| time.0),
        sleeps,
        requests,
        stops: waits + naps,
        locks: false,
        spin: Ok(0),
        blocked: Ok(Rc::default()),
        kept_waiting: None,
        disturbance: disturbance(system, task, sleeps, alarm, overheads),
    }
}

/// The overheads where each interrupt, release and switch waits so much longer for a lock.
fn waiting(mut overheads: Overheads, wait: u64) -> Overheads {
    let Overheads { timer_interrupt, ipi, release, dispatch, preemption, device_interrupt, .. } =
        &mut overheads;
    let all = [timer_interrupt, ipi, release, dispatch, preemption];
    for cost in all.into_iter().chain(device_interrupt) {
        *cost = Nanos(cost.0.saturating_add(wait));
    }
    overheads
}

fn resume(overheads: &Overheads) -> u64 {
    let switch = overheads.dispatch.0.saturating_add(overheads.preemption.0);
    switch.saturating_add(overheads.release.0)
}

/// The interrupts that end a wait. Where other cores run anything, the timeout may come while a wake-up is on its way. Where one
/// call may end many waits an interrupt may come for a task in vain, which another call or its timeout has woken by then, and
/// one follows the wake-up to wake the task behind it. docs/design/sections.md, "One wake-up in each section".
fn wake_up(system: &System, placements: &[Placement], overheads: &Overheads) -> u64 {
    let (timer, ipi) = (overheads.timer_interrupt.0, overheads.ipi.0);
    let is_alone = proof::active_cores(system, placements).len() == 1;
    if is_alone && !sections::serves_many(system) {
        return timer.max(ipi);
    }
    let own = if is_alone { 0 } else { ipi.saturating_add(overheads.release.0) };
    timer.saturating_add(own).saturating_add(sections::carry_on(system, overheads))
}

fn period(task: &Task) -> Option<u64> {
    match task.activation {
        Activation::Periodic { period, .. } => Some(period.0.max(1)),
        Activation::Sporadic { separation } => Some(separation.0.max(1)),
        Activation::Aperiodic => None,
    }
}

/// A sporadic task may cost two interrupts a job, each with a part of its own: one that asks for it, and the timer if it
/// has to be held back.
fn releases(system: &System, task: &Task, overheads: &Overheads) -> Option<Stream> {
    let asked = match task.activation {
        Activation::Periodic { .. } => 0,
        _ => overheads.ipi.0.saturating_add(overheads.release.0),
    };
    let timer = overheads.timer_interrupt.0.saturating_add(overheads.release.0);
    let cost = timer.saturating_add(asked);
    let cost = cost.saturating_add(handlers::of_job(system, task, overheads));
    Some(Stream { period: period(task)?, jitter: task.jitter.0, cost })
}

fn burst(task: &Task, overheads: &Overheads) -> u64 {
    match task.activation {
        Activation::Sporadic { .. } => overheads.ipi.0.saturating_mul(u64::from(task.queue)),
        _ => 0,
    }
}

/// A lower task that is kept from running completes no job, so an aperiodic one accepts no more
/// activations than its queue and its dormant state have places; it can wake up only once, also by the timeout of a wait
/// for a semaphore or mutex, and only one job can pass its deadline, or be found over its budget when the window begins.
fn disturbance(
    system: &System,
    task: &Task,
    sleeps: bool,
    alarm: u64,
    overheads: &Overheads,
) -> u64 {
    let spins = |mutex: usize| system.mutexes[mutex].protocol == Protocol::Msrp;
    let waits = !task.uses.is_empty() || task.mutexes.iter().any(|one| !spins(one.mutex));
    let wake = match (sleeps, waits) {
        (true, _) => alarm.saturating_add(overheads.release.0),
        (false, true) => overheads.timer_interrupt.0.saturating_add(overheads.release.0),
        _ => 0,
    };
    // The timer activates it at the start.
    let asked = overheads.ipi.0.max(if task.start { overheads.timer_interrupt.0 } else { 0 });
    let activations = match task.activation {
        Activation::Aperiodic => (asked.saturating_add(overheads.release.0))
            .saturating_mul(u64::from(task.queue) + 1)
            .saturating_add(handlers::of_job(system, task, overheads)),
        _ => 0,
    };
    wake.saturating_add(activations)
}

/// The service routine of a device's interrupt, and the kernel around it.
fn device(overheads: &Overheads, index: usize, it: &Interrupt) -> Result<Stream, Why> {
    let interrupt = || Named { index, name: it.name.clone() };
    let limits = it.separation.zip(it.wcet);
    let (separation, wcet) =
        limits.ok_or_else(|| Why::UnlimitedInterrupt { interrupt: interrupt() })?;
    let kernel = overheads.device_interrupt;
    let kernel = kernel.ok_or_else(|| Why::NoInterruptOverhead { interrupt: interrupt() })?;
    let cost = wcet.0.max(1).saturating_add(kernel.0);
    Ok(Stream { period: separation.0.max(1), jitter: 0, cost })
}

/// The timer of an idle core may expire when it is not idle any more, and so may the task come that
/// it has asked for; each of two neighbours may ask it for one.
fn pulls(overheads: &Overheads) -> u64 {
    let asked = overheads.ipi.0.saturating_add(overheads.release.0);
    asked.saturating_mul(3).saturating_add(overheads.timer_interrupt.0)
}

/// One stream for all of the same period and jitter; none that costs nothing.
fn merge(mut streams: Vec<Stream>) -> Vec<Stream> {
    streams.retain(|stream| stream.cost > 0);
    streams.sort_by_key(|stream| (stream.period, stream.jitter));
    streams.dedup_by(|next, kept| {
        let same = (next.period, next.jitter) == (kept.period, kept.jitter);
        if same {
            kept.cost = kept.cost.saturating_add(next.cost);
        }
        same
    });
    streams
}
