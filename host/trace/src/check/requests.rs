// SPDX-License-Identifier: Apache-2.0
//! The requests of one core to another, and queued activations: each must be answered.

use takt_model::{Placement, System, Task};
use takt_record::Request;

use super::{EventOrigin, Findings, PATIENCE};

#[derive(Debug, Default)]
struct Outstanding {
    /// The times of the unanswered requests to start and to wake the task, by [`index_of`], the
    /// oldest first.
    open: [Vec<u64>; 2],
    /// The number of queued activations: those that were queued, less those that were taken or
    /// cancelled.
    queued: i64,
    /// The time of the latest change of `queued`, in ticks.
    queued_at: u64,
    /// Whether the task may migrate. If its next job is to begin on another core, no event tells
    /// that before the task departs. Under `rtu` none tells it before the job runs.
    migrates: bool,
}

/// The index of a kind of request in `open`.
fn index_of(request: Request) -> usize {
    match request {
        Request::Start => 0,
        Request::Wake => 1,
    }
}

#[derive(Debug)]
pub struct Requests {
    tasks: Vec<Outstanding>,
    lost: bool,
}

impl Requests {
    pub fn new(system: &System) -> Requests {
        let asked = |task: &Task| Outstanding {
            migrates: !task.cores.is_empty() || system.kernel.placement == Placement::Rtu,
            ..Outstanding::default()
        };
        Requests { tasks: system.tasks.iter().map(asked).collect(), lost: false }
    }

    pub fn lose(&mut self) {
        self.lost = true;
    }

    fn of(&mut self, task: u16) -> Option<&mut Outstanding> {
        let index = usize::from(task).checked_sub(1).filter(|_| !self.lost)?;
        self.tasks.get_mut(index)
    }

    pub fn post(&mut self, at: EventOrigin, request: Request) {
        if let Some(asked) = self.of(at.task) {
            asked.open[index_of(request)].push(at.ticks);
        }
    }

    /// A job has begun or is held back, which answers a request to start the task, if there is one.
    pub fn started(&mut self, task: u16) {
        self.answer(task, Request::Start);
    }

    /// A wait has ended successfully, which answers a request to wake the task, if there is one.
    pub fn woken(&mut self, task: u16) {
        self.answer(task, Request::Wake);
    }

    fn answer(&mut self, task: u16, request: Request) {
        let Some(asked) = self.of(task) else { return };
        let which = index_of(request);
        if !asked.open[which].is_empty() {
            asked.open[which].remove(0);
        }
    }

    /// Checks a wait that has ended for another reason: no request to wake the task may have been
    /// made before.
    pub fn withdrawn(&mut self, at: EventOrigin, findings: &mut Findings) {
        let Some(asked) = self.of(at.task) else { return };
        if asked.open[index_of(Request::Wake)].first().is_some_and(|asked| *asked < at.ticks) {
            findings.add(
                at,
                "wake-up",
                "its wait ends with a timeout or release, but its wake-up was on the way",
            );
        }
    }

    pub fn queue(&mut self, at: EventOrigin, change: i64) {
        if let Some(asked) = self.of(at.task) {
            asked.queued += change;
            asked.queued_at = at.ticks;
        }
    }

    /// Checks the requests to a task of a core whose interrupt has ended: old ones must have been
    /// answered.
    pub fn overdue(&mut self, task: u16, at: EventOrigin, findings: &mut Findings) {
        let Some(asked) = self.of(task) else { return };
        for (request, what) in [(Request::Start, "start"), (Request::Wake, "wake-up")] {
            let which = index_of(request);
            let late = |asked: &u64| asked + PATIENCE < at.ticks;
            if asked.open[which].first().is_some_and(late) {
                asked.open[which].remove(0);
                let at = EventOrigin { task, ..at };
                findings.add(at, "request", format!("its {what} was asked for, and is lost"));
            }
        }
    }

    pub fn at_the_end(&mut self, at: EventOrigin, idle: bool, findings: &mut Findings) {
        self.overdue(at.task, at, findings);
        let Some(asked) = self.of(at.task) else { return };
        let open = asked.open.iter().any(|open| !open.is_empty());
        let leaves = asked.migrates && at.ticks <= asked.queued_at + PATIENCE;
        if idle && !open && asked.queued > 0 && !leaves {
            let what = format!("{} activations wait, but it has no job", asked.queued);
            findings.add(at, "activation", what);
        }
    }
}
