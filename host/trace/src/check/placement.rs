// SPDX-License-Identifier: Apache-2.0
//! What the rules are where another than the task's core decides: docs/design/placements.md, "Events".

use takt_model::{Placement, System};
use takt_record::{Class, Event};

use super::core::{Chooses, Core};
use super::task::State;
use crate::placed::{SYSTEM_CORE, core_of};

use super::{Checker, EventOrigin, Findings, PATIENCE};

/// Returns what chooses the running task of each core.
pub fn chooses(system: &System) -> Chooses {
    match system.kernel.placement {
        Placement::Distributed | Placement::Semi => Chooses::Core,
        Placement::Central => Chooses::Server,
        Placement::Rtu => Chooses::Unit,
    }
}

impl Checker {
    /// The event with the core that it is about, if the server has recorded it for another core.
    pub(super) fn placed(&self, at: EventOrigin, event: Event) -> EventOrigin {
        let task = usize::from(at.task).checked_sub(1).and_then(|index| self.tasks.get(index));
        let core = core_of(self.placement, at.core, event, task.map(|task| task.core));
        EventOrigin { core, ..at }
    }

    /// Checks an event of a system with a server that decides, or holds it back. Within a tick the
    /// record may tell what the server did before that to which it answered.
    pub(super) fn next_of_server(&mut self, at: EventOrigin, event: Event) {
        while self.held_of_server.front().is_some_and(|(held, _)| held.ticks < at.ticks) {
            self.release_held();
        }
        if at.core == SYSTEM_CORE
            && (!self.held_of_server.is_empty() || self.is_too_early(at, event))
        {
            self.held_of_server.push_back((at, event));
            return;
        }
        self.event(at, event);
        while self.held_of_server.front().is_some_and(|(at, event)| !self.is_too_early(*at, *event))
        {
            self.release_held();
        }
    }

    pub(super) fn release_held(&mut self) {
        if let Some((at, event)) = self.held_of_server.pop_front() {
            self.event(at, event);
        }
    }

    /// Whether the record has not shown yet what the caller of the server did before.
    fn is_too_early(&self, at: EventOrigin, event: Event) -> bool {
        let task = usize::from(at.task).checked_sub(1).and_then(|index| self.tasks.get(index));
        let Some(task) = task else { return false };
        match event {
            Event::Wait { .. } => self.cores[task.core].running != Some(at.task),
            Event::Release { .. } => task.state != State::Dormant,
            _ => false,
        }
    }

    /// Notes the decision after an event, and which decisions the core cannot read any more.
    pub(super) fn note_decision(&mut self, at: EventOrigin, event: Event) {
        let core = &mut self.cores[at.core];
        match event {
            Event::Dispatch | Event::Resume { .. } => core.forget_decisions_before(at.task),
            // The answer to this call is the next that the core reads.
            Event::Wait { .. } | Event::Complete { .. } => {
                core.note_decision(at.ticks);
                core.decided.past.clear();
            }
            _ => {}
        }
        core.note_decision(at.ticks);
    }

    /// Checks that a core whose tasks the unit chooses runs a task although it knows of no better
    /// one.
    pub(super) fn check_choice_of_unit(&mut self, at: EventOrigin) {
        let highest = match self.tasks.get(usize::from(at.task).wrapping_sub(1)) {
            Some(task) => task.priorities.0,
            None => u8::MAX,
        };
        let known = (1_u16..).zip(&self.tasks);
        let better = known
            .filter(|(_, other)| other.core == at.core && other.is_queued())
            .find(|(_, other)| other.priorities.1 < highest);
        if let Some((id, other)) = better {
            let (better, priority) = (self.findings.name(id), other.priorities.1);
            let what = match at.task {
                0 => format!("it idles, but {better} is ready"),
                _ => format!("it runs, but {better} is ready with priority {priority}"),
            };
            self.findings.add(at, "priority", what);
        }
    }

    /// Notes a priority that a task has from now on, or, unless `sure`, may have.
    pub(super) fn priority_of_unit(&mut self, at: EventOrigin, priority: u8, sure: bool) {
        if let Some(task) = self.tasks.get_mut(usize::from(at.task).wrapping_sub(1)) {
            task.may_have_priority(priority, sure);
        }
    }
}

/// The semaphores of the unit: no more is taken than was given.
#[derive(Debug)]
pub struct UnitSemaphores {
    /// The names and counts by ID - 1.
    counts: Vec<(String, i64)>,
    lost: bool,
}

impl UnitSemaphores {
    pub fn new(system: &System) -> UnitSemaphores {
        let unit = system.kernel.placement == Placement::Rtu;
        let semaphores = system.semaphores.iter().filter(|_| unit);
        let counts = semaphores.map(|it| (it.name.clone(), i64::from(it.initial))).collect();
        UnitSemaphores { counts, lost: false }
    }

    pub fn lose(&mut self) {
        self.lost = true;
    }

    /// Adds to the count of an object, if that is a semaphore.
    pub fn change(
        &mut self,
        (class, id): (Class, u16),
        by: i64,
        at: EventOrigin,
        findings: &mut Findings,
    ) {
        let index = usize::from(id).wrapping_sub(1);
        let Some((name, count)) = self.counts.get_mut(index) else { return };
        if class != Class::Semaphore || self.lost {
            return;
        }
        *count += by;
        if *count < 0 {
            *count = 0;
            findings.add(
                at,
                "exclusion",
                format!("it takes semaphore {name}, which nobody has given"),
            );
        }
    }
}

impl Core {
    /// Checks that the core has not missed the latest decision. The caller is sure that the core is
    /// in no call, since a call of low priority may wait for long, and reads the decision then.
    pub fn check_not_missed(&self, at: EventOrigin, findings: &mut Findings) {
        let since = self.decided.since.max(self.latest);
        let Some(running) = self.running.filter(|running| *running != self.decided.first) else {
            return;
        };
        if since + PATIENCE < at.ticks {
            let (runs, first) = (findings.name(running), findings.name(self.decided.first));
            let what = format!("{runs} runs, a millisecond after {first} was to run");
            findings.add(EventOrigin { task: running, ..at }, "decision", what);
        }
    }

    fn note_decision(&mut self, ticks: u64) {
        let first = self.first();
        if first != self.decided.first {
            self.decided.past.push(self.decided.first);
            (self.decided.first, self.decided.since) = (first, ticks);
        }
    }

    /// Forgets the decisions before the one for this task, which the core has read: it reads them
    /// in their order.
    fn forget_decisions_before(&mut self, task: u16) {
        let past = &mut self.decided.past;
        let read = past.iter().position(|first| *first == task).unwrap_or(past.len());
        past.drain(..read);
    }
}
