// SPDX-License-Identifier: Apache-2.0
//! A trace that opens in Perfetto (ui.perfetto.dev) and chrome://tracing: the Chrome trace event
//! format, JSON. Written as the events come: memory does not grow with the run.

mod row;

use std::io::{self, Write};

use takt_model::System;
use takt_record::schema::{HANDLERS, OBJECTS};

use crate::report::Expected;
use row::{Line, Row};
use takt_record::Taken;
use takt_record::{Event, Head, Record};

/// The class of mutexes among [`OBJECTS`].
const MUTEX: usize = 6;

/// A trace on its way to a file.
pub struct Trace<W> {
    out: Counted<W>,
    rows: Vec<Row>,
    tasks: Vec<Task>,
    /// Names by class, as [`takt_record::schema::OBJECTS`] counts them, and ID.
    objects: [Vec<String>; OBJECTS.len()],
    /// Of handlers, by kind and ID.
    handlers: [Vec<String>; HANDLERS.len()],
    /// Names of interrupts, by ID.
    interrupts: Vec<String>,
    /// Arrows that were begun.
    arrows: u64,
    /// Events that were written, each at least as a mark, and those that are missing.
    events: u64,
    lost: u64,
}

/// What the events so far say of a task.
struct Task {
    /// As JSON, in quotes.
    name: String,
    core: usize,
    deadline: Option<u64>,
    job: Job,
    /// The arrow that a start or a wake-up from another core began; then, that its dispatch ends.
    posted: [Option<u64>; 2],
    arrow: Option<u64>,
}

/// The job that is under way, or was the last. None where its events are lost.
#[derive(Clone, Copy, Default)]
struct Job {
    number: Option<u64>,
    /// Nominal, in nanoseconds since the epoch.
    release: Option<u64>,
}

impl<W: Write> Trace<W> {
    /// `expected` in the order of the system's tasks.
    pub fn new(out: W, system: &System, expected: &[Expected]) -> io::Result<Self> {
        let mut out = Counted { inner: out, bytes: 0 };
        let title = quoted(&format!("{} on {}", system.name, system.board.name));
        write!(out, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
        let name = "\"ph\":\"M\",\"pid\":1,\"ts\":0";
        write!(out, "\n{{\"name\":\"process_name\",{name},\"args\":{{\"name\":{title}}}}}")?;
        for core in 0..system.cores {
            let row = format!("{name},\"tid\":{}", core + 1);
            let label = format!("\"args\":{{\"name\":\"core {core}\"}}");
            write!(out, ",\n{{\"name\":\"thread_name\",{row},{label}}}")?;
            let place = format!("\"args\":{{\"sort_index\":{core}}}");
            write!(out, ",\n{{\"name\":\"thread_sort_index\",{row},{place}}}")?;
        }
        let task = |(task, expected): (&takt_model::Task, &Expected)| Task {
            name: quoted(&task.name),
            core: expected.core as usize,
            deadline: task.deadline.map(|nanos| nanos.0),
            job: Job { number: Some(0), release: None },
            posted: [None; 2],
            arrow: None,
        };
        Ok(Trace {
            out,
            rows: (0..system.cores).map(Row::new).collect(),
            tasks: system.tasks.iter().zip(expected).map(task).collect(),
            objects: [
                Vec::new(),
                system.semaphores.iter().map(|it| quoted(&it.name)).collect(),
                system.flags.iter().map(|it| quoted(&it.name)).collect(),
                system.data_queues.iter().map(|it| quoted(&it.name)).collect(),
                system.message_buffers.iter().map(|it| quoted(&it.name)).collect(),
                system.memory_pools.iter().map(|it| quoted(&it.name)).collect(),
                system.mutexes.iter().map(|it| quoted(&it.name)).collect(),
                system.priority_data_queues.iter().map(|it| quoted(&it.name)).collect(),
                system.barriers.iter().map(|it| quoted(&it.name)).collect(),
                system.reader_writer_locks.iter().map(|it| quoted(&it.name)).collect(),
                system.reader_writer_locks.iter().map(|it| quoted(&it.name)).collect(),
                system.spin_locks.iter().map(|name| quoted(name)).collect(),
            ],
            handlers: [
                system.cyclics.iter().map(|it| of("cyclic handler", &quoted(&it.name))).collect(),
                system.alarms.iter().map(|it| of("alarm", &quoted(&it.name))).collect(),
                system.tasks.iter().map(|it| of("overrun of", &quoted(&it.name))).collect(),
                system.tasks.iter().map(|it| of("deadline of", &quoted(&it.name))).collect(),
            ],
            interrupts: system.interrupts.iter().map(|it| quoted(&it.name)).collect(),
            arrows: 0,
            events: 0,
            lost: 0,
        })
    }

    /// Adds events that came after all that were added before.
    pub fn add(&mut self, head: &Head, taken: &Taken) -> io::Result<()> {
        self.gaps(taken)?;
        self.events(head, taken)
    }

    fn events(&mut self, head: &Head, taken: &Taken) -> io::Result<()> {
        for (core, event) in &taken.events {
            self.event(*core, head.since_epoch(event.time), head, event)?;
        }
        Ok(())
    }

    /// The last events, the end of what is open, and what the reader must know. Without a record
    /// the run failed, and the trace ends where it was read last.
    pub fn finish(mut self, last: Option<(&Record, &Taken)>) -> io::Result<Summary> {
        let mut end = 0;
        if let Some((record, taken)) = last {
            self.gaps(taken)?;
            self.number(record, taken);
            self.events(&record.head, taken)?;
            end = record.head.since_epoch(record.head.end);
        }
        for row in &mut self.rows {
            row.finish(&mut self.out, end)?;
        }
        let summary = Summary { events: self.events, lost: self.lost };
        let failed = if last.is_none() { "the run failed; before: " } else { "" };
        let about = quoted(&format!("{failed}{summary}"));
        write!(
            self.out,
            "\n],\"otherData\":{{\"note\":{about},\"clock\":\"nanoseconds from the epoch, as microseconds\"}}}}\n"
        )?;
        self.out.flush()?;
        Ok(summary)
    }

    /// Numbers of jobs whose predecessors' events are lost, counted from the end.
    fn number(&mut self, record: &Record, taken: &Taken) {
        for ((task, figures), id) in self.tasks.iter_mut().zip(&record.tasks).zip(1_u16..) {
            let own = || taken.events.iter().filter(|(_, event)| event.task == id);
            if task.job.number.is_some() {
                continue;
            }
            let of_job = |kind: &str| matches!(kind, "release" | "dispatch" | "complete" | "wait");
            let completed = own().filter(|(_, event)| event.kind == "complete").count() as u64;
            let before = figures.jobs.saturating_sub(completed);
            let first = own().map(|(_, event)| event.kind).find(|kind| of_job(kind));
            task.job.number = Some(before + u64::from(first != Some("release")));
        }
    }

    /// Events are missing here.
    fn gaps(&mut self, taken: &Taken) -> io::Result<()> {
        for &(core, lost) in &taken.lost {
            self.lost += lost;
            for task in self.tasks.iter_mut().filter(|task| task.core == core) {
                (task.job, task.posted, task.arrow) = (Job::default(), [None; 2], None);
            }
            if let Some(row) = self.rows.get_mut(core) {
                row.lose(&mut self.out, lost)?;
            }
        }
        Ok(())
    }

    /// Writes an event. One that neither begins nor ends a slice and has no line of its own is a mark.
    fn event(&mut self, core: usize, now: u64, head: &Head, event: &Event) -> io::Result<()> {
        let Some(row) = self.rows.get_mut(core) else { return Ok(()) };
        let latest = row.begin(&mut self.out, now)?;
        let before = self.out.bytes;
        self.write_event(core, now, latest, head, event)?;
        if self.out.bytes == before {
            let task = usize::from(event.task).checked_sub(1).and_then(|it| self.tasks.get(it));
            let name = task.map_or(quoted(event.kind), |task| of(event.kind, &task.name));
            self.rows[core].instant(&mut self.out, now, &name, "t", "")?;
        }
        self.events += 1;
        Ok(())
    }

    fn write_event(
        &mut self,
        core: usize,
        now: u64,
        latest: u64,
        head: &Head,
        event: &Event,
    ) -> io::Result<()> {
        let row = &mut self.rows[core];
        let out = &mut self.out;
        let task = usize::from(event.task).checked_sub(1).and_then(|it| self.tasks.get_mut(it));
        match (event.kind, task) {
            ("timer", _) => row.kernel(out, now, "\"timer interrupt\""),
            ("ipi", _) => row.kernel(out, now, "\"inter-processor interrupt\""),
            ("handler", _) => {
                let (kind, id) = (event.value as usize >> 24, event.value as usize & 0xff_ffff);
                let names = self.handlers.get(kind);
                let name = names.and_then(|names| names.get(id.checked_sub(1)?));
                row.handler(out, now, name.map_or("\"handler\"", String::as_str))
            }
            ("handler_end", _) => row.end_handler(out, now),
            ("interrupt", _) => {
                let name = self.interrupts.get((event.value as usize).wrapping_sub(1));
                row.interrupt(out, now, name.map_or("\"interrupt\"", String::as_str))
            }
            ("interrupt_end", _) => row.end_interrupt(out, now),
            ("resume", task) => {
                // The ends of service routines have been told.
                row.end_kernel(out, now)?;
                // Whoever ran was ended in the interrupt.
                if task.is_none() && event.value == 0 && !row.runs() {
                    return row.run(out, now, 0, "\"idle\"", "");
                }
                Ok(())
            }
            ("dispatch", None) => row.run(out, now, 0, "\"idle\"", ""),
            ("lock_wait", _) => {
                let wait = head.nanos(event.value.into());
                let line = Line { phase: "X", core, now, name: "\"waits for a lock\"" };
                line.write(out, &format!(",\"dur\":{}", micros(wait)), "")
            }
            ("take" | "give", task) => {
                let who = task.map_or("\"handler\"", |task| task.name.as_str());
                let about = object(&self.objects, event.value).unwrap_or_default();
                row.instant(out, now, &of(event.kind, who), "t", &about)
            }
            (_, None) => Ok(()),
            ("post", Some(task)) => {
                self.arrows += 1;
                task.posted[usize::from(event.value == 2)] = Some(self.arrows);
                let line = Line { phase: "s", core, now, name: "\"wake-up\"" };
                line.write(out, &format!(",\"cat\":\"wake-up\",\"id\":{}", self.arrows), "")
            }
            ("release", Some(task)) => {
                task.job.number = task.job.number.map(|number| number + 1);
                task.job.release = Some(nominal(now, event.value));
                task.arrow = task.posted[0].take();
                row.instant(out, now, &of("release", &task.name), "t", &task.about())
            }
            ("wake", Some(task)) => {
                task.arrow = task.posted[1].take();
                row.instant(out, now, &of("wake", &task.name), "t", &task.about())
            }
            ("dispatch", Some(task)) => {
                row.run(out, now, event.task, &task.name, &task.about())?;
                let Some(arrow) = task.arrow.take() else { return Ok(()) };
                let line = Line { phase: "f", core, now, name: "\"wake-up\"" };
                line.write(out, &format!(",\"cat\":\"wake-up\",\"bp\":\"e\",\"id\":{arrow}"), "")
            }
            ("preempt", Some(_)) => row.close(out, now, "\"end\":\"preempted\""),
            ("wait", Some(_)) => {
                let end = match object(&self.objects, event.value) {
                    Some(about) => format!("\"end\":\"waits\",{about}"),
                    None => "\"end\":\"sleeps\"".to_string(),
                };
                row.close(out, now, &end)
            }
            ("complete", Some(task)) => {
                let end = task.end(event.value).unwrap_or(now).clamp(latest, now);
                row.close(out, end, &task.completed(event.value))
            }
            ("miss", Some(task)) => {
                row.instant(out, now, &of("deadline miss", &task.name), "p", &task.about())
            }
            ("overrun", Some(task)) => {
                row.instant(out, now, &of("overrun", &task.name), "p", &task.about())
            }
            ("deadline", Some(task)) => {
                row.instant(out, now, &of("deadline passed", &task.name), "p", &task.about())
            }
            ("loss", Some(task)) => row.instant(out, now, &of("lost release", &task.name), "p", ""),
            ("hold_back", Some(task)) => {
                row.instant(out, now, &of("held back", &task.name), "t", "")
            }
            ("suspend", Some(task)) => row.instant(out, now, &of("suspend", &task.name), "t", ""),
            ("unsuspend", Some(task)) => row.instant(out, now, &of("resume", &task.name), "t", ""),
            ("priority", Some(task)) => {
                let about = format!("\"priority\":{}", event.value & 0xff);
                row.instant(out, now, &of("priority", &task.name), "t", &about)
            }
            ("mutex_lock" | "mutex_unlock", Some(task)) => {
                let name = (event.value as usize).checked_sub(1);
                let name = name.and_then(|index| self.objects[MUTEX].get(index));
                let about = name.map(|name| format!("\"mutex\":{name}")).unwrap_or_default();
                let what = if event.kind == "mutex_lock" { "lock" } else { "unlock" };
                row.instant(out, now, &of(what, &task.name), "t", &about)
            }
            ("dispatch_disable", Some(task)) => {
                row.instant(out, now, &of("dispatch disabled by", &task.name), "t", "")
            }
            ("dispatch_enable", Some(task)) => {
                row.instant(out, now, &of("dispatch enabled by", &task.name), "t", "")
            }
            ("queue", Some(task)) => {
                row.instant(out, now, &of("queued activation of", &task.name), "t", "")
            }
            ("unqueue", Some(task)) => {
                let about = format!("\"activations\":{}", event.value);
                row.instant(out, now, &of("unqueued activations of", &task.name), "t", &about)
            }
            ("migrate", Some(task)) => {
                let about = format!("\"to\":{}", event.value);
                row.instant(out, now, &of("migrate", &task.name), "t", &about)?;
                if row.runs_task(event.task) {
                    row.close(out, now, "\"end\":\"migrates\"")?;
                }
                Ok(())
            }
            ("arrive", Some(task)) => {
                task.core = core;
                row.instant(out, now, &of("arrive", &task.name), "t", &task.about())
            }
            ("terminate", Some(task)) => {
                task.posted[1] = None;
                row.instant(out, now, &of("terminate", &task.name), "t", &task.about())?;
                if row.runs_task(event.task) {
                    row.close(out, now, "\"end\":\"terminated\"")?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl Task {
    /// The job, as members of a JSON object.
    fn about(&self) -> String {
        let job = self.job.number.map(|number| format!("\"job\":{number}"));
        let release = self.job.release.map(|nanos| format!("\"release_ns\":{nanos}"));
        [job, release].into_iter().flatten().collect::<Vec<_>>().join(",")
    }

    /// The moment that the response was taken for; the event comes a little later.
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

/// What a trace has, and has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    pub events: u64,
    pub lost: u64,
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Summary { events, lost: 0 } => write!(f, "all {events} events"),
            Summary { events, lost } => write!(
                f,
                "{events} events; {lost} were overwritten before they could be read \
                 (kernel.events in the description)"
            ),
        }
    }
}

/// The object of an event's value, as a member of a JSON object; None: a sleep, or no object of the system.
fn object(objects: &[Vec<String>], value: u32) -> Option<String> {
    let (class, id) = (value as usize >> 24, value as usize & 0xffff);
    let name = objects.get(class)?.get(id.checked_sub(1)?)?;
    Some(format!("\"{}\":{name}", OBJECTS[class].0))
}

/// A writer that counts its bytes.
struct Counted<W> {
    inner: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// The nominal release, of which the event has the low half: the latest such time until now.
fn nominal(now: u64, low: u32) -> u64 {
    now.saturating_sub(u64::from((now as u32).wrapping_sub(low)))
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A name with what happens in front of it.
fn of(what: &str, name: &str) -> String {
    format!("\"{what} {}", &name[1..])
}

/// Nanoseconds as microseconds, without losing one.
fn micros(nanos: u64) -> String {
    format!("{}.{:03}", nanos / 1000, nanos % 1000)
}
