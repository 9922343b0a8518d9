// SPDX-License-Identifier: Apache-2.0
//! How long a job executes at most, by its `wcet` or by a budget that stops it, and what it costs that the kernel measures
//! execution. The argument stands in docs/design/analysis.md, "Handlers and budgets".

use takt_model::{Nanos, Protocol, System, Task};

use crate::quantity::Work;

/// A tick of the clock where the board has no timing.
const TICK: Nanos = Nanos(100);

/// The longest execution of a job on a core with this longest section: what is declared, or what the kernel enforces if that is
/// less. None: nothing limits it.
pub fn longest_execution(system: &System, task: &Task, section: Work) -> Option<Work> {
    let declared = task.wcet.map(Work::from);
    let enforced = task.budget.as_ref().filter(|budget| budget.stops).map(|budget| {
        // The clock interrupts two ticks late, and then waits for the section of the kernel that the job is in.
        let late = Work::from(tick(system)) * 2 + section;
        Work::from(budget.time) + late + uninterruptible(system, task)
    });
    [declared, enforced].into_iter().flatten().min()
}

/// Returns by how much a job may exceed a budget that stops it, as its interrupts or dispatch are disabled.
fn uninterruptible(system: &System, task: &Task) -> Work {
    let rights = &task.rights;
    let lock = rights.spin_locks.iter().map(|one| one.hold).max();
    let own = [lock, rights.cpu_lock, rights.dispatch_disable];
    let own: Work = own.into_iter().flatten().map(Work::from).sum();
    let is_msrp = |mutex: usize| system.mutexes[mutex].protocol == Protocol::Msrp;
    if task.mutexes.iter().any(|one| is_msrp(one.mutex)) {
        own + task.mutexes.iter().filter_map(|one| one.hold).map(Work::from).sum()
    } else {
        own
    }
}

/// The margins hold how long interruptions and dispatches may let a job execute beyond its budget, on one core.
#[derive(Clone, Copy, Debug, Default)]
pub struct Margins {
    /// With each interrupt.
    pub interruption: Work,
    /// With each dispatch.
    pub dispatch: Work,
    /// With each preemption.
    pub preemption: Work,
}

impl Margins {
    /// The margins on a core with these tasks and this longest section. Where a bound rests on measured execution, each
    /// interruption and each dispatch adds its margin to what a job may execute before its budget stops it; and it may hide a
    /// tick of what the job has executed.
    pub fn new<'a>(system: &System, tasks: impl Iterator<Item = &'a Task>, section: Work) -> Self {
        let is_measured =
            |task: &&Task| longest_execution(system, task, section) != task.wcet.map(Work::from);
        let measured = tasks.filter(is_measured).count();
        let tick = tick(system);
        let in_ticks = |margin: Nanos| Work::from(tick) * margin.0.div_ceil(tick.0);
        let with_readings = |margin| in_ticks(margin) + Work::from(tick) * 2;
        let overheads = &system.board.overheads;
        let dispatch = with_readings(overheads.dispatch_margin());
        let of = |is_charged: bool, margin| if is_charged { margin } else { Work::ZERO };
        Margins {
            interruption: of(measured > 0, with_readings(overheads.interruption_margin())),
            dispatch: of(measured > 0, dispatch),
            // A job that begins and later lets the one before go on is two dispatches. If only one task is measured, one
            // of the two dispatches is of another task.
            preemption: of(measured > 1, dispatch),
        }
    }
}

pub fn tick(system: &System) -> Nanos {
    let timing = system.board.timing.as_ref();
    timing.map_or(TICK, |timing| Nanos(1_000_000_000_u64.div_ceil(timing.timebase.max(1))))
}
