// SPDX-License-Identifier: Apache-2.0
//! Checks the events of a run against the specification of the kernel: docs/design/checker.md.

mod core;
mod migration;
mod mutex;
mod object;
mod placement;
mod reader_writer;
mod requests;
mod rules;
mod task;

use std::collections::VecDeque;
use std::rc::Rc;

use schemars::JsonSchema;
use serde::Serialize;
use takt_model::{Placement, System};
use takt_record::{Entry, Event, Head, Record, Taken};

use crate::report::Expected;
use crate::table::duration;
use core::Core;
use migration::Migrations;
use mutex::Mutexes;
use object::Objects;
use placement::UnitSemaphores;
use requests::Requests;
use task::Task;

/// The number of violations that are kept, because one bug breaks a rule again and again.
const KEPT: usize = 20;

/// The ticks (a millisecond) after which a core must have answered a request or released a lock.
/// This is far more than the bounds of these operations, which the checker does not know.
const PATIENCE: u64 = 10_000;

/// A rule of the kernel that the record's events break.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Violation {
    /// When, from the epoch.
    #[serde(rename = "time_ns")]
    pub time: u64,
    /// The number of the core on which it was seen, from 0.
    pub core: usize,
    /// The task; null: the core, or a handler there.
    pub task: Option<String>,
    /// A word for the rule.
    pub rule: &'static str,
    /// What happened, as a sentence.
    pub what: String,
}

/// What a check of the kernel's events found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Checked {
    /// Events that were read.
    pub events: u64,
    /// Events that were overwritten before they could be read: nothing after them was checked on their cores.
    pub lost: u64,
    /// How many violations there were; `violations` has the first ones.
    pub violation_count: u64,
    /// The first violations.
    pub violations: Vec<Violation>,
}

/// The core, the time and the task of an event.
#[derive(Clone, Copy, Debug)]
struct EventOrigin {
    core: usize,
    ticks: u64,
    /// The time in nanoseconds since the epoch.
    time: u64,
    task: u16,
}

/// The violations found so far, and the names of the tasks that they mention.
struct Findings {
    names: Vec<String>,
    checked: Checked,
}

/// Checks events as they come; its memory does not grow with the run.
pub struct Checker {
    cores: Vec<Core>,
    tasks: Vec<Task>,
    objects: Objects,
    mutexes: Mutexes,
    requests: Requests,
    migrations: Migrations,
    placement: Placement,
    /// Under `central`: events of the system core that wait for those of the other cores within the
    /// same tick.
    held_of_server: VecDeque<(EventOrigin, Event)>,
    unit_semaphores: UnitSemaphores,
    findings: Findings,
}

impl Checker {
    /// A checker at the start of a run. `expected` has an entry for each task of the system, in
    /// their order.
    pub fn new(system: &System, expected: &[Expected]) -> Checker {
        Checker {
            cores: cores(system),
            tasks: tasks(system, expected),
            objects: Objects::new(system),
            mutexes: Mutexes::new(system, expected),
            requests: Requests::new(system),
            migrations: Migrations::new(system.cores as usize),
            placement: system.kernel.placement,
            held_of_server: VecDeque::new(),
            unit_semaphores: UnitSemaphores::new(system),
            findings: Findings {
                names: system.tasks.iter().map(|task| task.name.clone()).collect(),
                checked: Checked::default(),
            },
        }
    }

    /// Adds events that follow all events added before.
    pub fn add(&mut self, head: &Head, taken: &Taken) {
        for &(core, lost) in &taken.lost {
            self.findings.checked.lost += lost;
            self.lose(core);
        }
        let mut events = taken.events.clone();
        if self.placement == Placement::Rtu {
            // Within a tick each `give` comes before each `take`.
            let is_give = |event| matches!(event, Event::Give { .. });
            events.sort_by_key(|(_, entry)| (entry.time, !is_give(entry.event)));
        }
        for (core, entry) in &events {
            if *core < self.cores.len() {
                let time = head.since_epoch(entry.time);
                let at = EventOrigin { core: *core, ticks: entry.time, time, task: entry.task };
                self.findings.checked.events += 1;
                match self.placement {
                    Placement::Central => self.next_of_server(at, entry.event),
                    _ => self.next(at, entry.event),
                }
            }
        }
    }

    /// Adds the last events, and checks that nothing is outstanding at the end of the run.
    pub fn finish(mut self, record: &Record) -> Checked {
        let taken = &record.events;
        self.add(&record.head, taken);
        let latest = taken.events.iter().map(|(_, entry)| entry.time).max();
        let ticks = latest.unwrap_or(record.head.end);
        let time = record.head.since_epoch(ticks);
        while !self.held_of_server.is_empty() {
            self.release_held();
        }
        self.finish_migrations(ticks);
        for core in 0..self.cores.len() {
            let at = EventOrigin { core, ticks, time, task: 0 };
            self.at_the_end(at);
        }
        self.mutexes.at_the_end(&mut self.findings);
        self.objects.at_the_end(EventOrigin { core: 0, ticks, time, task: 0 }, &mut self.findings);
        self.check_lock_waits(record);
        self.findings.checked
    }

    /// Reports the waits for a lock of the kernel that began long before the end and are not over.
    fn check_lock_waits(&mut self, record: &Record) {
        let still_waits = |(_, it): &&(usize, Entry)| it.event == Event::LockWait { ticks: 0 };
        let waits = record.events.events.iter().filter(still_waits);
        for (core, entry) in waits.filter(|(_, it)| it.time + PATIENCE < record.head.end) {
            let time = record.head.since_epoch(entry.time);
            let at = EventOrigin { core: *core, ticks: entry.time, time, task: entry.task };
            self.findings.add(at, "lock", "it waits for a lock of the kernel, and never gets it");
        }
    }

    /// Notes that events of a core are lost: from here on its ready tasks, and the state of every
    /// object, are unknown.
    fn lose(&mut self, core: usize) {
        // Under `central` the ring of core 0 has the decisions for all cores.
        let all = self.placement == Placement::Central && core == 0;
        for (_, core) in
            self.cores.iter_mut().enumerate().filter(|(index, _)| all || *index == core)
        {
            core.lost = true;
        }
        self.unit_semaphores.lose();
        self.objects.lose();
        self.mutexes.lose();
        self.requests.lose();
        self.migrations.lost = true;
    }

    /// The result for a run that did not reach its end.
    pub fn so_far(self) -> Checked {
        self.findings.checked
    }

    fn at_the_end(&mut self, at: EventOrigin) {
        let core = &self.cores[at.core];
        if core.lost {
            return;
        }
        // A core of `semi` may have been stopped within a section, while it waited for an answer.
        let in_section = self.placement == Placement::Semi && at.ticks < core.latest + PATIENCE;
        if self.placement == Placement::Central {
            if core.running == Some(0) {
                core.check_not_missed(at, &mut self.findings);
            }
        } else if !core.interrupted && !in_section {
            core.compare(at, "at the end", &mut self.findings);
            self.mutexes.compare(at, &self.tasks, &mut self.findings);
        }
        // What the unit does not say: the job may wait for one that runs.
        let may_wait = self.placement == Placement::Rtu && core.running != Some(0);
        for (id, task) in (1_u16..).zip(&self.tasks) {
            if task.core == at.core {
                let at = EventOrigin { task: id, ..at };
                let is_idle = task.is_idle() && !may_wait;
                self.requests.at_the_end(at, is_idle, &mut self.findings);
            }
        }
    }
}

/// The cores of a system at its start.
fn cores(system: &System) -> Vec<Core> {
    let partition = |task: &takt_model::Task| task.partition.map_or(0, |index| index as u32 + 1);
    let partitions: Rc<[u32]> = system.tasks.iter().map(partition).collect();
    let core = |number| {
        let mut core = match system.frame(number) {
            Some(_) => Core::with_windows(partitions.clone()),
            None => Core::default(),
        };
        core.chooses = placement::chooses(system);
        core
    };
    (0..system.cores).map(core).collect()
}

/// The tasks of a system at its start.
fn tasks(system: &System, expected: &[Expected]) -> Vec<Task> {
    let is_raised = |index| system.raised_by(index).is_some();
    let task = |(index, expected)| Task::new(expected, is_raised(index));
    expected.iter().enumerate().map(task).collect()
}

impl Findings {
    fn add(&mut self, at: EventOrigin, rule: &'static str, what: impl Into<String>) {
        self.checked.violation_count += 1;
        if self.checked.violations.len() < KEPT {
            let task = (at.task != 0).then(|| self.name(at.task));
            let (time, core, what) = (at.time, at.core, what.into());
            self.checked.violations.push(Violation { time, core, task, rule, what });
        }
    }

    fn name(&self, task: u16) -> String {
        let name = usize::from(task).checked_sub(1).and_then(|index| self.names.get(index));
        match (task, name) {
            (0, _) => "idle".to_string(),
            (_, Some(name)) => name.clone(),
            (_, None) => format!("task {task}"),
        }
    }
}

impl Checked {
    /// The result as text, one line for each violation.
    pub fn lines(&self) -> String {
        let Checked { events, lost, violation_count, .. } = self;
        let mut text = match (violation_count, lost) {
            (0, 0) => format!("check: all {events} events are as the kernel's rules allow\n"),
            (0, _) => format!("check: {events} events are as the kernel's rules allow\n"),
            _ => format!("check: {violation_count} violations of the kernel's rules\n"),
        };
        for it in &self.violations {
            let (time, task) = (duration(it.time), it.task.as_deref().unwrap_or("-"));
            text +=
                &format!("- {time}, core {}, task {task}: {} ({})\n", it.core, it.what, it.rule);
        }
        if *lost > 0 {
            text += &format!(
                "- {lost} events were overwritten before they could be read, and nothing after them \
                 was checked (kernel.events in the description)\n"
            );
        }
        text
    }
}
