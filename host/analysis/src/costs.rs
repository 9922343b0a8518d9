// SPDX-License-Identifier: Apache-2.0
//! The costs of the kernel's operations on one core, each at the longest.

use takt_model::{Assignment, Nanos, Placement, System};

use crate::budgets::Margins;
use crate::commands::{self, Commands};
use crate::quantity::Work;
use crate::{reach, sections};

/// The board's overheads, with what this core adds to them: the growth of sections, the wait for locks of the kernel, and the
/// margins of measured budgets. What depends on the place of a task or core is added here.
#[derive(Clone, Copy, Debug)]
pub struct KernelCosts {
    pub core: u32,
    /// An interrupt of the timer, without what it does for tasks.
    pub timer_interrupt: Work,
    /// An interrupt of another core, without what that asks for.
    pub ipi: Work,
    /// Making a task ready. Each part of an interrupt takes no longer.
    pub release: Work,
    /// Starting a job.
    pub dispatch: Work,
    /// Saving a preempted task, and resuming it.
    pub preemption: Work,
    /// The longest section with interrupts disabled.
    pub section: Work,
    /// An interrupt of a device, without its service routine. None: the board does not say.
    pub device_interrupt: Option<Work>,
    /// The interrupt that follows each wait, and the end of a job, where one call may end many waits: it wakes the next task.
    pub continuation: Work,
    /// How long the core waits for the answer to a command, where another decides.
    pub command_wait: Work,
    /// The core whose commands do not count, as it waits for the answer to one.
    pub but_commands_of: Option<u32>,
    /// The interrupts that end a wait for a signal, and make the task ready but for one release.
    pub wake_up: Work,
}

impl KernelCosts {
    pub fn new(
        system: &System,
        assignments: &[Assignment],
        core: u32,
        commands: &Commands,
    ) -> Self {
        let command_wait = commands.wait(core);
        let of_release = if commands::releases_are(system) { command_wait } else { Work::ZERO };
        // A section contains one command; under "semi" one more, of a priority that has changed.
        let in_section = if system.kernel.placement == Placement::Semi { 2 } else { 1 };
        let section = sections::longest(system, assignments, core) + command_wait * in_section;
        let here = |index: &usize| reach::may_run(system, assignments, *index, core);
        let tasks = (0..system.tasks.len()).filter(here).map(|index| &system.tasks[index]);
        let margins = Margins::new(system, tasks, section);
        let lock_wait = sections::lock_wait(system, assignments);
        let cost = |measured: Nanos, margin| Work::from(measured) + margin + lock_wait;
        let overheads = &system.board.overheads;
        let mut costs = KernelCosts {
            core,
            timer_interrupt: cost(overheads.timer_interrupt, margins.interruption),
            ipi: cost(overheads.ipi, margins.interruption),
            release: cost(overheads.release, of_release),
            dispatch: cost(overheads.dispatch, margins.dispatch),
            preemption: cost(overheads.preemption, margins.preemption),
            section,
            device_interrupt: overheads.device_interrupt.map(|it| cost(it, margins.interruption)),
            continuation: Work::ZERO,
            command_wait,
            but_commands_of: commands.but(),
            wake_up: Work::ZERO,
        };
        if sections::serves_many(system) {
            costs.continuation = costs.remote_release() + sections::copy(system);
        }
        costs.wake_up = costs.wake_up_on(system, assignments);
        costs
    }

    /// An interrupt of the timer that makes a task ready, or calls a handler of no execution.
    pub fn timed_release(&self) -> Work {
        self.timer_interrupt + self.release
    }

    /// An interrupt of another core that makes a task ready, or answers a request.
    pub fn remote_release(&self) -> Work {
        self.ipi + self.release
    }

    /// A job starts once and preempts at most one other.
    pub fn switch(&self) -> Work {
        self.dispatch + self.preemption
    }

    /// A task that waited is made ready and goes on.
    pub fn resume(&self) -> Work {
        self.switch() + self.release
    }

    /// A task goes on after a wait that may have a timeout.
    pub fn timed_resume(&self) -> Work {
        self.resume() + self.timer_interrupt
    }

    /// A handler of the application, and the part of the interrupt that calls it: as long as one that releases a job.
    pub fn handler(&self, wcet: Nanos) -> Work {
        Work::from(wcet) + self.release
    }

    /// Where other cores run anything, the timeout may come while a wake-up is on its way. Where one call may end many waits
    /// an interrupt may come for a task in vain, which another call or its timeout has woken by then, and one follows the
    /// wake-up to wake the task behind it. docs/design/sections.md, "One wake-up in each section".
    fn wake_up_on(&self, system: &System, assignments: &[Assignment]) -> Work {
        let is_alone = reach::active_cores(system, assignments).len() == 1;
        if is_alone && !sections::serves_many(system) {
            return self.timer_interrupt.max(self.ipi);
        }
        let in_vain = if is_alone { Work::ZERO } else { self.remote_release() };
        self.timer_interrupt + in_vain + self.continuation
    }
}
