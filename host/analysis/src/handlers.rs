// SPDX-License-Identifier: Apache-2.0
//! What the application does at interrupt level: handlers that are called at times, and what the
//! kernel does for budgets and deadlines.

use takt_model::{Nanos, Overheads, System, Task};

use crate::breakdown::Term;
use crate::window::Stream;
use crate::{Named, Why, rights, sections};

/// A tick of the clock where the board does not tell.
const TICK: u64 = 100;

/// The longest execution of a job on a core with this longest section: what is declared, or what the kernel enforces if that is
/// less. None: nothing limits it.
pub fn execution(system: &System, task: &Task, section: Nanos) -> Option<u64> {
    let declared = task.wcet.map(|wcet| wcet.0);
    let enforced = task.budget.as_ref().filter(|budget| budget.stops);
    let enforced = enforced.map(|budget| {
        // Two ticks, and a section of the kernel that the job is in when the clock interrupts.
        let late = tick(system).saturating_mul(2).saturating_add(section.0);
        let late = late.saturating_add(rights::beyond_budget(system, task));
        budget.time.0.saturating_add(late)
    });
    [declared, enforced].into_iter().flatten().min()
}

fn tick(system: &System) -> u64 {
    let timing = system.board.timing.as_ref();
    timing.map_or(TICK, |timing| 1_000_000_000_u64.div_ceil(timing.timebase.max(1)))
}

/// The overheads of a core with these tasks and this longest section. Where a bound rests on measured execution, each
/// interruption and each dispatch adds its margin to what a job may execute before its budget stops it; and it may hide a
/// tick of what the job has executed.
pub fn overheads<'a>(
    system: &System,
    tasks: impl Iterator<Item = &'a Task>,
    section: u64,
) -> Overheads {
    let mut overheads = system.board.overheads.clone();
    overheads.kernel_section = Nanos(section);
    let is_measured =
        |task: &&Task| execution(system, task, Nanos(section)) != task.wcet.map(|wcet| wcet.0);
    let measured = tasks.filter(is_measured).count();
    let tick = tick(system);
    let in_ticks = |margin: Nanos| margin.0.div_ceil(tick).saturating_mul(tick);
    let add = |cost: &mut Nanos, margin: Nanos| {
        let more = in_ticks(margin).saturating_add(tick.saturating_mul(2));
        *cost = Nanos(cost.0.saturating_add(more));
    };
    let interruption = system.board.overheads.interruption_margin();
    let dispatch = system.board.overheads.dispatch_margin();
    if measured > 0 {
        add(&mut overheads.dispatch, dispatch);
        add(&mut overheads.timer_interrupt, interruption);
        add(&mut overheads.ipi, interruption);
        if let Some(device) = &mut overheads.device_interrupt {
            add(device, interruption);
        }
    }
    // A job that begins and later lets the one before go on is two dispatches. If only one task is measured, one of the two
    // is of another task.
    if measured > 1 {
        add(&mut overheads.preemption, dispatch);
    }
    overheads
}

/// Cyclic handlers and alarms of a core.
pub fn streams(system: &System, overheads: &Overheads, core: u32) -> Vec<(Term, Stream)> {
    let timer = overheads.timer_interrupt.0;
    // Another core may start it: its request is a part of an interrupt.
    let start = overheads.ipi.0.saturating_add(overheads.release.0);
    let term = |name: &String| Term::Handler { name: name.clone() };
    let cyclics = system.cyclics.iter().filter(|it| it.core == core);
    let cyclics = cyclics.map(|it| {
        let cost = timer.saturating_add(call(overheads, it.wcet));
        (term(&it.name), Stream { period: it.period.0.max(1), jitter: 0, cost })
    });
    let alarms = system.alarms.iter().filter(|it| it.core == core);
    let alarms = alarms.filter_map(|it| {
        let cost = timer.saturating_add(call(overheads, it.wcet?)).saturating_add(start);
        let stream = Stream { period: it.separation?.0.max(1), jitter: 0, cost };
        Some((term(&it.name), stream))
    });
    cyclics.chain(alarms).collect()
}

/// The first alarm of a core that nothing limits.
pub fn unlimited(system: &System, core: u32) -> Option<Why> {
    let mut alarms = system.alarms.iter().enumerate().filter(|(_, it)| it.core == core);
    let (index, alarm) = alarms.find(|(_, it)| it.separation.is_none() || it.wcet.is_none())?;
    Some(Why::UnlimitedHandler { alarm: Named { index, name: alarm.name.clone() } })
}

/// What the kernel may do for a job of the task at interrupt level, once each: an overrun, its
/// handler and the job's end, and the handler of a deadline that has passed.
pub fn of_job(system: &System, task: &Task, overheads: &Overheads) -> u64 {
    let timer = overheads.timer_interrupt.0;
    let overruns = task.budget.as_ref().filter(|it| task.wcet.is_none_or(|wcet| wcet > it.time));
    let overrun = overruns.map_or(0, |budget| {
        let handler = budget.handler.as_ref().map_or(0, |handler| call(overheads, handler.wcet));
        let end = overheads.dispatch.0.saturating_add(sections::carry_on(system, overheads));
        let end = if budget.stops { end } else { 0 };
        let parts = [overheads.release.0, handler, end];
        parts.iter().fold(timer, |sum, one| sum.saturating_add(*one))
    });
    let deadline = task.deadline_handler.as_ref();
    let deadline =
        deadline.map_or(0, |handler| timer.saturating_add(call(overheads, handler.wcet)));
    overrun.saturating_add(deadline)
}

/// A handler, and the part of the interrupt that calls it: as long as one that releases a job.
fn call(overheads: &Overheads, wcet: Nanos) -> u64 {
    wcet.0.saturating_add(overheads.release.0)
}
