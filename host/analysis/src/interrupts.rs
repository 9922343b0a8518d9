// SPDX-License-Identifier: Apache-2.0
//! The interrupts of a core, which run before all tasks: each kind of them with what the kernel does for it.

use takt_model::{Activation, Assignment, Interrupt, Nanos, System};

use crate::arrival::Periodic;
use crate::core_task::CoreTask;
use crate::costs::KernelCosts;
use crate::memory::Memory;
use crate::offsets::Offsets;
use crate::quantity::{Time, Work};
use crate::remote::RemoteActivations;
use crate::request::{InterruptLoad, Interrupts, TimedReleases};
use crate::term::Term;
use crate::transfers::Residency;
use crate::verdict::{Named, NoBound};
use crate::{controls, handlers, reach, served};

/// How often the idle loop of the console core lets a timer wake it.
pub const CONSOLE_PERIOD: Nanos = Nanos(10_000_000);

/// All interrupts of a core with these tasks, but for those by which the parts of a team begin.
pub fn interrupts(
    system: &System,
    assignments: &[Assignment],
    costs: &KernelCosts,
    residency: Option<&Residency>,
    tasks: &[CoreTask],
    offsets: &Offsets,
    but_of_team: Option<usize>,
) -> Interrupts {
    let core = costs.core;
    let (timed, others): (Vec<_>, Vec<_>) = tasks.iter().partition(|task| is_timed(task));
    let timed_releases = TimedReleases::new(
        timed.iter().filter_map(|task| task.releases).collect(),
        offsets.hyperperiod(),
        costs.release,
        costs.timer_interrupt,
    );
    let of_job = |task: &CoreTask| handlers::of_job(&system.tasks[task.index], costs);
    // The calls that a job may need come at any time after its release.
    let calls = timed.into_iter().filter_map(|task| {
        Some(InterruptLoad { arrivals: task.releases?.at_any_time(), work: of_job(task) })
    });
    let counts = |task: &&CoreTask| but_of_team.is_none() || task.team() != but_of_team;
    let counts = |task: &&CoreTask| counts(task) || task.is_released();
    let others = others.into_iter().filter(counts);
    let others = others.filter_map(|task| releases(system, task, costs));
    let mut loads: Vec<_> = calls.chain(others).map(|load| (Term::Releases, load)).collect();
    loads.extend(handlers::interrupts(system, costs, core));
    let controls = controls::interrupts(system, assignments, costs, core);
    loads.extend(controls.into_iter().map(|load| (Term::Controls, load)));
    let commands = served::interrupts(system, assignments, costs);
    loads.extend(commands.into_iter().map(|load| (Term::Commands, load)));
    if let Some(residency) = residency {
        let remote = RemoteActivations { system, assignments, residency };
        loads.extend(remote.interrupts(core).map(|load| (Term::RemoteActivations, load)));
    }
    let timer =
        |period, work| InterruptLoad { arrivals: Periodic::apart(period, Time::ZERO), work };
    if core == system.kernel.console_core {
        loads.push((Term::Console, timer(CONSOLE_PERIOD, costs.timer_interrupt)));
    }
    let jobs = CoreTask::jobs_of_tasks(tasks);
    if let Ok(Some(memory)) = Memory::new(system, assignments, core, &jobs) {
        loads.extend(memory.interrupts(costs).map(|(period, jitter, work)| {
            let arrivals = Periodic::apart(period.nanos(), jitter);
            (Term::Regulator, InterruptLoad { arrivals, work })
        }));
    }
    if let Some(frame) = system.frame(core) {
        let changes = costs.timed_release() * frame.changes().len() as u64;
        loads.push((Term::WindowChanges, timer(frame.length, changes)));
    }
    if let Some(period) = system.kernel.idle_pull {
        loads.push((Term::IdlePull, timer(period, pull(costs))));
    }
    let devices = devices(system, core);
    let devices = devices.filter_map(|(index, it)| device(system, costs, index, it).ok());
    loads.extend(devices);
    Interrupts::new(timed_releases, loads)
}

/// Why nothing bounds the time that the core takes from its tasks: nothing limits an interrupt of a device, or the
/// board does not say what that costs.
pub fn unbounded(system: &System, costs: &KernelCosts, core: u32) -> Option<NoBound> {
    devices(system, core).find_map(|(index, it)| device(system, costs, index, it).err())
}

fn devices(system: &System, core: u32) -> impl Iterator<Item = (usize, &Interrupt)> {
    let all = system.interrupts.iter().enumerate();
    all.filter(move |(index, it)| reach::may_interrupt(system, *index, it, core))
}

/// The releases of a task. A sporadic task may need two interrupts a job, each with a part of its own: one that asks for the
/// job, and the timer if the job has to be held back. None: nothing limits the releases.
fn releases(system: &System, task: &CoreTask, costs: &KernelCosts) -> Option<InterruptLoad> {
    let arrivals = task.releases?.at_any_time();
    if let Some(part) = task.part.filter(|_| !task.is_released()) {
        return Some(InterruptLoad { arrivals, work: part.interrupt(costs) });
    }
    let task = &system.tasks[task.index];
    let requested = match task.activation {
        Activation::Periodic { .. } => Work::ZERO,
        _ => costs.remote_release(),
    };
    let work = costs.timed_release() + requested + handlers::of_job(task, costs);
    Some(InterruptLoad { arrivals, work })
}

/// Returns whether the releases of a task come exactly at known times.
fn is_timed(task: &CoreTask) -> bool {
    task.releases.is_some_and(|it| it.latest.is_some() && it.jitter == Time::ZERO)
}

/// The service routine of a device's interrupt, and the kernel around it.
fn device(
    system: &System,
    costs: &KernelCosts,
    index: usize,
    it: &Interrupt,
) -> Result<(Term, InterruptLoad), NoBound> {
    let interrupt = || Named { index, name: it.name.clone() };
    let limits = it.separation.zip(it.wcet);
    let (separation, wcet) =
        limits.ok_or_else(|| NoBound::UnlimitedInterrupt { interrupt: interrupt() })?;
    let kernel = costs.device_interrupt;
    let kernel = kernel.ok_or_else(|| NoBound::NoInterruptOverhead { interrupt: interrupt() })?;
    let mut arrivals = Periodic::apart(separation, Time::ZERO);
    // A request that waited while the interrupt was disabled, or moved, comes close before the next one.
    if reach::movable_interrupts(system).any(|other| other == index) {
        arrivals.jitter = arrivals.period;
    }
    let work = Work::from(wcet).max(Work::new(1)) + kernel;
    Ok((Term::Interrupt { name: it.name.clone() }, InterruptLoad { arrivals, work }))
}

/// The timer of an idle core may expire when the core is not idle any more, and so may the task come that
/// the core has asked for; each of two neighbours may ask it for one.
fn pull(costs: &KernelCosts) -> Work {
    costs.remote_release() * 3 + costs.timer_interrupt
}
