// SPDX-License-Identifier: Apache-2.0
//! Writes each kind of event to the file.

use std::io::{self, Write};

use takt_record::{Class, Entry, Event, Head, Request};

use super::row::{Line, row_of};
use super::{Task, Trace, micros, of, quoted};
use crate::placed::core_of;

impl<W: Write> Trace<W> {
    /// Writes an event. An event that neither begins nor ends a slice, and has no line of its own,
    /// becomes a mark.
    pub(super) fn entry(
        &mut self,
        core: usize,
        now: u64,
        head: &Head,
        entry: &Entry,
    ) -> io::Result<()> {
        let owner = usize::from(entry.task).checked_sub(1).and_then(|it| self.tasks.get(it));
        let core = core_of(self.placement, core, entry.event, owner.map(|task| task.core));
        let Some(row) = self.rows.get_mut(core) else { return Ok(()) };
        let latest = row.begin(&mut self.out, now)?;
        let before = self.out.bytes;
        self.write(core, now, latest, head, entry)?;
        if self.out.bytes == before {
            let task = usize::from(entry.task).checked_sub(1).and_then(|it| self.tasks.get(it));
            let kind = entry.event.name();
            let name = task.map_or(quoted(kind), |task| of(kind, &task.name));
            self.rows[core].instant(&mut self.out, now, &name, "t", "")?;
        }
        self.events += 1;
        Ok(())
    }

    fn write(
        &mut self,
        core: usize,
        now: u64,
        latest: u64,
        head: &Head,
        entry: &Entry,
    ) -> io::Result<()> {
        let row = &mut self.rows[core];
        let out = &mut self.out;
        let task = usize::from(entry.task).checked_sub(1).and_then(|it| self.tasks.get_mut(it));
        match (entry.event, task) {
            (Event::Unwritten, _) => Ok(()),
            (Event::Timer, _) => row.kernel(out, now, "\"timer interrupt\""),
            (Event::Ipi, _) => row.kernel(out, now, "\"inter-processor interrupt\""),
            (Event::Handler { kind, id }, _) => {
                let name = named(&self.handlers[kind as usize], id);
                row.handler(out, now, name.unwrap_or("\"handler\""))
            }
            (Event::HandlerEnd { .. }, _) => row.end_handler(out, now),
            (Event::Interrupt { id }, _) => {
                row.interrupt(out, now, named(&self.interrupts, id).unwrap_or("\"interrupt\""))
            }
            (Event::InterruptEnd { .. }, _) => row.end_interrupt(out, now),
            (Event::Resume { routine }, task) => {
                // The ends of the service routines have been written before.
                row.end_kernel(out, now)?;
                // The job that was running was ended during the interrupt.
                if task.is_none() && routine == 0 && !row.runs() {
                    return row.run(out, now, 0, "\"idle\"", "");
                }
                Ok(())
            }
            (Event::Dispatch, None) => row.run(out, now, 0, "\"idle\"", ""),
            (Event::Throttle { .. }, _) => row.instant(out, now, "\"throttled\"", "t", ""),
            (Event::Replenish, _) => row.instant(out, now, "\"replenished\"", "t", ""),
            (Event::Window { partition }, _) => {
                self.windows.change(out, core, now, (partition as usize).checked_sub(1))
            }
            (Event::LockWait { ticks }, _) => {
                let wait = head.nanos(ticks.into());
                let line =
                    Line { phase: "X", row: row_of(core), now, name: "\"waits for a lock\"" };
                line.write(out, &format!(",\"dur\":{}", micros(wait)), "")
            }
            (event @ (Event::Take { class, id, .. } | Event::Give { class, id, .. }), task) => {
                let who = task.map_or("\"handler\"", |task| task.name.as_str());
                let about = object(&self.objects, class, id.into()).unwrap_or_default();
                row.instant(out, now, &of(event.name(), who), "t", &about)
            }
            (Event::Post { request }, Some(task)) => {
                self.arrows += 1;
                match request {
                    Request::Start => task.start = Some(self.arrows),
                    Request::Wake => task.wake = Some(self.arrows),
                }
                let line = Line { phase: "s", row: row_of(core), now, name: "\"wake-up\"" };
                line.write(out, &format!(",\"cat\":\"wake-up\",\"id\":{}", self.arrows), "")
            }
            (Event::Release { nominal }, Some(task)) => {
                task.job.number = task.job.number.map(|number| number + 1);
                task.job.release = Some(release(now, nominal));
                task.arrow = task.start.take();
                row.instant(out, now, &of("release", &task.name), "t", &task.about())
            }
            (Event::Wake { .. }, Some(task)) => {
                task.arrow = task.wake.take();
                row.instant(out, now, &of("wake", &task.name), "t", &task.about())
            }
            (Event::Dispatch, Some(task)) => {
                row.run(out, now, entry.task, &task.name, &task.about())?;
                let Some(arrow) = task.arrow.take() else { return Ok(()) };
                let line = Line { phase: "f", row: row_of(core), now, name: "\"wake-up\"" };
                line.write(out, &format!(",\"cat\":\"wake-up\",\"bp\":\"e\",\"id\":{arrow}"), "")
            }
            (Event::Preempt, Some(_)) => row.close(out, now, "\"end\":\"preempted\""),
            (Event::Wait { .. }, Some(_)) if !row.runs_task(entry.task) => Ok(()),
            (Event::Wait { class, id, .. }, Some(_)) => {
                let end = match object(&self.objects, class, id.into()) {
                    Some(about) => format!("\"end\":\"waits\",{about}"),
                    None => "\"end\":\"sleeps\"".to_string(),
                };
                row.close(out, now, &end)
            }
            (Event::Complete { response }, Some(task)) => {
                let end = task.end(response).unwrap_or(now).clamp(latest, now);
                row.close(out, end, &task.completed(response))
            }
            (Event::Miss, Some(task)) => {
                row.instant(out, now, &of("deadline miss", &task.name), "p", &task.about())
            }
            (Event::Health { error, action }, Some(task)) => {
                let about = format!("\"action\":\"{}\"", action.name());
                row.instant(out, now, &of(error.name(), &task.name), "p", &about)
            }
            (Event::Restart { cold }, Some(task)) => {
                let how = if cold { "cold restart" } else { "warm restart" };
                row.instant(out, now, &of(how, &task.name), "p", "")
            }
            (Event::Overrun { .. }, Some(task)) => {
                row.instant(out, now, &of("overrun", &task.name), "p", &task.about())
            }
            (Event::Deadline, Some(task)) => {
                row.instant(out, now, &of("deadline passed", &task.name), "p", &task.about())
            }
            (Event::Loss, Some(task)) => {
                row.instant(out, now, &of("lost release", &task.name), "p", "")
            }
            (Event::HoldBack { .. }, Some(task)) => {
                row.instant(out, now, &of("held back", &task.name), "t", "")
            }
            (Event::Suspend, Some(task)) => {
                row.instant(out, now, &of("suspend", &task.name), "t", "")
            }
            (Event::Unsuspend, Some(task)) => {
                row.instant(out, now, &of("resume", &task.name), "t", "")
            }
            (Event::Priority { priority, .. }, Some(task)) => {
                let about = format!("\"priority\":{priority}");
                row.instant(out, now, &of("priority", &task.name), "t", &about)
            }
            (Event::MutexLock { id }, Some(task)) => {
                let about = object(&self.objects, Class::Mutex, id).unwrap_or_default();
                row.instant(out, now, &of("lock", &task.name), "t", &about)
            }
            (Event::MutexUnlock { id }, Some(task)) => {
                let about = object(&self.objects, Class::Mutex, id).unwrap_or_default();
                row.instant(out, now, &of("unlock", &task.name), "t", &about)
            }
            (Event::DispatchDisable, Some(task)) => {
                row.instant(out, now, &of("dispatch disabled by", &task.name), "t", "")
            }
            (Event::DispatchEnable, Some(task)) => {
                row.instant(out, now, &of("dispatch enabled by", &task.name), "t", "")
            }
            (Event::Queue, Some(task)) => {
                row.instant(out, now, &of("queued activation of", &task.name), "t", "")
            }
            (Event::Unqueue { count }, Some(task)) => {
                let about = format!("\"activations\":{count}");
                row.instant(out, now, &of("unqueued activations of", &task.name), "t", &about)
            }
            (Event::Migrate { to }, Some(task)) => {
                let about = format!("\"to\":{to}");
                row.instant(out, now, &of("migrate", &task.name), "t", &about)?;
                if row.runs_task(entry.task) {
                    row.close(out, now, "\"end\":\"migrates\"")?;
                }
                Ok(())
            }
            (Event::Arrive, Some(task)) => {
                task.core = core;
                row.instant(out, now, &of("arrive", &task.name), "t", &task.about())
            }
            (Event::Terminate { .. }, Some(task)) => {
                task.wake = None;
                row.instant(out, now, &of("terminate", &task.name), "t", &task.about())?;
                if row.runs_task(entry.task) {
                    row.close(out, now, "\"end\":\"terminated\"")?;
                }
                Ok(())
            }
            // The event names no task of the system, so it becomes a mark.
            (
                Event::Post { .. }
                | Event::Release { .. }
                | Event::Wake { .. }
                | Event::Preempt
                | Event::Wait { .. }
                | Event::Complete { .. }
                | Event::Miss
                | Event::Health { .. }
                | Event::Restart { .. }
                | Event::Overrun { .. }
                | Event::Deadline
                | Event::Loss
                | Event::HoldBack { .. }
                | Event::Suspend
                | Event::Unsuspend
                | Event::Priority { .. }
                | Event::MutexLock { .. }
                | Event::MutexUnlock { .. }
                | Event::DispatchDisable
                | Event::DispatchEnable
                | Event::Queue
                | Event::Unqueue { .. }
                | Event::Migrate { .. }
                | Event::Arrive
                | Event::Terminate { .. },
                None,
            ) => Ok(()),
        }
    }
}

impl Task {
    /// The job as members of a JSON object.
    fn about(&self) -> String {
        let job = self.job.number.map(|number| format!("\"job\":{number}"));
        let release = self.job.release.map(|nanos| format!("\"release_ns\":{nanos}"));
        [job, release].into_iter().flatten().collect::<Vec<_>>().join(",")
    }

    /// The time at which the response was measured; the event is recorded a little later.
    fn end(&self, response: u32) -> Option<u64> {
        let exact = response < u32::MAX;
        self.job.release.filter(|_| exact).map(|release| release + u64::from(response))
    }

    fn completed(&self, response: u32) -> String {
        let mut text = format!("\"end\":\"complete\",\"response_ns\":{response}");
        if let Some(deadline) = self.deadline {
            let verdict = if u64::from(response) > deadline { "missed" } else { "met" };
            text += &format!(",\"deadline_ns\":{deadline},\"verdict\":\"{verdict}\"");
        }
        text
    }
}

/// The name of an object by its ID, from 1.
fn named(names: &[String], id: u32) -> Option<&str> {
    names.get((id as usize).checked_sub(1)?).map(String::as_str)
}

/// An object as a member of a JSON object; None for a sleep, or if the system has no such object.
fn object(objects: &[Vec<String>], class: Class, id: u32) -> Option<String> {
    Some(format!("\"{}\":{}", class.name(), named(&objects[class as usize], id)?))
}

/// The nominal release, of which the event holds the low half: the latest such time that is not
/// after now.
fn release(now: u64, low: u32) -> u64 {
    now.saturating_sub(u64::from((now as u32).wrapping_sub(low)))
}
