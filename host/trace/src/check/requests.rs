// SPDX-License-Identifier: Apache-2.0
//! What one core asks of another for a task, and activations that wait: each has its answer.

use takt_model::{System, Task};
use takt_record::Request;

use super::{At, Found, PATIENCE};

#[derive(Debug, Default)]
struct Asked {
    /// When it was asked to start and to wake ([`place`]), the oldest first.
    open: [Vec<u64>; 2],
    /// Activations that wait: those that were queued, less those that were taken or cancelled.
    queued: i64,
    /// Ticks of the latest change of `queued`.
    queued_at: u64,
    /// Whether the task may change cores. No event says that a job is to begin on another core
    /// before the task leaves for it.
    migrates: bool,
}

/// In [`Asked::open`].
fn place(request: Request) -> usize {
    match request {
        Request::Start => 0,
        Request::Wake => 1,
    }
}

#[derive(Debug)]
pub struct Requests {
    tasks: Vec<Asked>,
    lost: bool,
}

impl Requests {
    pub fn new(system: &System) -> Requests {
        let asked = |task: &Task| Asked { migrates: !task.cores.is_empty(), ..Asked::default() };
        Requests { tasks: system.tasks.iter().map(asked).collect(), lost: false }
    }

    pub fn lose(&mut self) {
        self.lost = true;
    }

    fn of(&mut self, task: u16) -> Option<&mut Asked> {
        let index = usize::from(task).checked_sub(1).filter(|_| !self.lost)?;
        self.tasks.get_mut(index)
    }

    pub fn post(&mut self, at: At, request: Request) {
        if let Some(asked) = self.of(at.task) {
            asked.open[place(request)].push(at.ticks);
        }
    }

    /// A job began, or is held back: the answer to a start, if one was asked for.
    pub fn started(&mut self, task: u16) {
        self.answer(task, Request::Start);
    }

    /// A wait has ended well: the answer to a wake-up, if one was asked for.
    pub fn woken(&mut self, task: u16) {
        self.answer(task, Request::Wake);
    }

    fn answer(&mut self, task: u16, request: Request) {
        let Some(asked) = self.of(task) else { return };
        let which = place(request);
        if !asked.open[which].is_empty() {
            asked.open[which].remove(0);
        }
    }

    /// A wait has ended for another reason. Then nobody may have asked to end it before.
    pub fn given_up(&mut self, at: At, found: &mut Found) {
        let Some(asked) = self.of(at.task) else { return };
        if asked.open[place(Request::Wake)].first().is_some_and(|asked| *asked < at.ticks) {
            found.add(
                at,
                "wake-up",
                "its wait ends with a timeout or release, but its wake-up was on the way",
            );
        }
    }

    pub fn queue(&mut self, at: At, change: i64) {
        if let Some(asked) = self.of(at.task) {
            asked.queued += change;
            asked.queued_at = at.ticks;
        }
    }

    /// The tasks of a core whose interrupt has ended: what was asked long ago must be answered.
    pub fn overdue(&mut self, task: u16, at: At, found: &mut Found) {
        let Some(asked) = self.of(task) else { return };
        for (request, what) in [(Request::Start, "start"), (Request::Wake, "wake-up")] {
            let which = place(request);
            let late = |asked: &u64| asked + PATIENCE < at.ticks;
            if asked.open[which].first().is_some_and(late) {
                asked.open[which].remove(0);
                let at = At { task, ..at };
                found.add(at, "request", format!("its {what} was asked for, and is lost"));
            }
        }
    }

    pub fn at_the_end(&mut self, at: At, idle: bool, found: &mut Found) {
        self.overdue(at.task, at, found);
        let Some(asked) = self.of(at.task) else { return };
        let open = asked.open.iter().any(|open| !open.is_empty());
        let leaves = asked.migrates && at.ticks <= asked.queued_at + PATIENCE;
        if idle && !open && asked.queued > 0 && !leaves {
            let what = format!("{} activations wait, but it has no job", asked.queued);
            found.add(at, "activation", what);
        }
    }
}
