// SPDX-License-Identifier: Apache-2.0
//! Writes a trace that opens in Perfetto (ui.perfetto.dev) and chrome://tracing, in the Chrome
//! trace event format (JSON). It is written as the events come, so memory does not grow with the
//! run.

mod entry;
mod row;
mod windows;

use std::collections::BTreeSet;
use std::io::{self, Write};

use takt_model::{Placement, System};
use takt_record::{Class, Event, Handler, Head, Record, Taken};

use crate::dataflow::Slice;
use crate::names;
use crate::report::Expected;
use row::{Row, name_row, row_of};
use windows::Windows;

/// The number of the row of core 0's objects; those of tasks have a number from 1 on.
const GRAPH_ROWS: u32 = 1000;

/// A trace that is being written.
pub struct Trace<W> {
    out: Counted<W>,
    rows: Vec<Row>,
    tasks: Vec<Task>,
    /// The names of objects by [`Class`] and ID.
    objects: Vec<Vec<String>>,
    /// The names of handlers by kind and ID.
    handlers: Vec<Vec<String>>,
    /// The names of interrupts by ID.
    interrupts: Vec<String>,
    windows: Windows,
    placement: Placement,
    /// The number of arrows that have been begun.
    arrows: u64,
    /// The number of events written, each at least as a mark, and the number of lost events.
    events: u64,
    lost: u64,
}

/// The state of a task according to the events so far.
struct Task {
    /// The name in quotation marks, as JSON.
    name: String,
    core: usize,
    deadline: Option<u64>,
    job: Job,
    /// The number of the arrow that ends at the next begin of a job or at the next wake-up, and of
    /// the one that ends at the task's next dispatch.
    start: Option<u64>,
    wake: Option<u64>,
    arrow: Option<u64>,
}

/// The current job, or else the last one; None if its events are lost.
#[derive(Clone, Copy, Default)]
struct Job {
    number: Option<u64>,
    /// The nominal release in nanoseconds since the epoch.
    release: Option<u64>,
}

impl<W: Write> Trace<W> {
    /// Begins a trace. `expected` has an entry for each task of the system, in their order.
    pub fn new(out: W, system: &System, expected: &[Expected]) -> io::Result<Self> {
        let mut out = Counted { inner: out, bytes: 0 };
        let title = quoted(&format!("{} on {}", system.name, system.board.name));
        write!(out, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
        write!(
            out,
            "\n{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"ts\":0,\"args\":{{\"name\":{title}}}}}"
        )?;
        for core in 0..system.cores as usize {
            name_row(&mut out, row_of(core), &format!("core {core}"), place_of(core))?;
        }
        let task = |(task, expected): (&takt_model::Task, &Expected)| Task {
            name: quoted(&task.name),
            core: expected.core as usize,
            deadline: task.deadline.map(|nanos| nanos.0),
            job: Job { number: Some(0), release: None },
            start: None,
            wake: None,
            arrow: None,
        };
        let windows = Windows::new(&mut out, system)?;
        Ok(Trace {
            out,
            rows: (0..system.cores).map(Row::new).collect(),
            tasks: system.tasks.iter().zip(expected).map(task).collect(),
            objects: Class::ALL.iter().map(|class| objects(system, *class)).collect(),
            handlers: Handler::ALL.iter().map(|kind| handlers(system, *kind)).collect(),
            windows,
            placement: system.kernel.placement,
            interrupts: system.interrupts.iter().map(|it| quoted(&it.name)).collect(),
            arrows: 0,
            events: 0,
            lost: 0,
        })
    }

    /// Adds events that follow all events added before.
    pub fn add(&mut self, head: &Head, taken: &Taken) -> io::Result<()> {
        self.gaps(taken)?;
        self.events(head, taken)
    }

    /// Writes a row for each core that executes objects of a dataflow graph, with what its director did. The times of the
    /// slices are nanoseconds since the epoch.
    pub fn graph(&mut self, slices: &[Slice]) -> io::Result<()> {
        let cores: BTreeSet<u32> = slices.iter().map(|slice| slice.core).collect();
        for core in cores {
            let row = (GRAPH_ROWS + core) as usize;
            name_row(&mut self.out, row, &format!("objects of core {core}"), row)?;
        }
        for Slice { core, begin, end, name, object } in slices {
            let (name, object) = (quoted(name), quoted(object));
            write!(
                self.out,
                ",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{},\"dur\":{},\"name\":{name},\"args\":{{\"object\":{object}}}}}",
                GRAPH_ROWS + core,
                micros(*begin),
                micros(end - begin)
            )?;
        }
        Ok(())
    }

    fn events(&mut self, head: &Head, taken: &Taken) -> io::Result<()> {
        for (core, entry) in &taken.events {
            self.entry(*core, head.since_epoch(entry.time), head, entry)?;
        }
        Ok(())
    }

    /// Writes the last events, closes the open slices, and returns what the reader of the trace
    /// must know. Without a record the run has failed, and the trace ends at the last event that
    /// was read.
    pub fn finish(mut self, last: Option<&Record>) -> io::Result<Summary> {
        let mut end = 0;
        if let Some(record) = last {
            self.gaps(&record.events)?;
            self.number(record);
            self.events(&record.head, &record.events)?;
            end = record.head.since_epoch(record.head.end);
        }
        for (core, row) in self.rows.iter_mut().enumerate() {
            let end = row.finish(&mut self.out, end)?;
            self.windows.close(&mut self.out, core, end, "")?;
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

    /// Numbers the jobs of tasks whose earlier events are lost, counted back from the last job.
    fn number(&mut self, record: &Record) {
        for ((task, figures), id) in self.tasks.iter_mut().zip(&record.tasks).zip(1_u16..) {
            let own = || record.events.events.iter().filter(|(_, entry)| entry.task == id);
            if task.job.number.is_some() {
                continue;
            }
            let is_release = |event| matches!(event, Event::Release { .. });
            let is_complete = |event| matches!(event, Event::Complete { .. });
            let is_of_job = |event| {
                let runs = matches!(event, Event::Dispatch | Event::Wait { .. });
                runs || is_release(event) || is_complete(event)
            };
            let completed = own().filter(|(_, entry)| is_complete(entry.event)).count() as u64;
            let before = figures.jobs.saturating_sub(completed);
            let first = own().map(|(_, entry)| entry.event).find(|event| is_of_job(*event));
            task.job.number = Some(before + u64::from(!first.is_some_and(is_release)));
        }
    }

    /// Notes where events are lost.
    fn gaps(&mut self, taken: &Taken) -> io::Result<()> {
        for &(core, lost) in &taken.lost {
            self.lost += lost;
            for task in self.tasks.iter_mut().filter(|task| task.core == core) {
                (task.job, task.start, task.wake, task.arrow) = (Job::default(), None, None, None);
            }
            if let Some(row) = self.rows.get_mut(core) {
                let last = row.lose(&mut self.out, lost)?;
                self.windows.close(&mut self.out, core, last, "\"end\":\"unknown\"")?;
            }
        }
        Ok(())
    }
}

/// The number of events that a trace has, and of those that are lost.
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

/// The names of the objects of a class, as JSON.
fn objects(system: &System, class: Class) -> Vec<String> {
    names::of_objects(system, class).into_iter().map(quoted).collect()
}

/// The names of the handlers of a kind, as JSON.
fn handlers(system: &System, kind: Handler) -> Vec<String> {
    let tasks = |what| system.tasks.iter().map(|it| of(what, &quoted(&it.name))).collect();
    match kind {
        Handler::Cyclic => {
            system.cyclics.iter().map(|it| of("cyclic handler", &quoted(&it.name))).collect()
        }
        Handler::Alarm => system.alarms.iter().map(|it| of("alarm", &quoted(&it.name))).collect(),
        Handler::Overrun => tasks("overrun of"),
        Handler::Deadline => tasks("deadline of"),
    }
}

/// The place of the row of a core's tasks; that of its windows comes next.
fn place_of(core: usize) -> usize {
    2 * core
}

/// A writer that counts the bytes it writes.
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

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A name preceded by a word for what happens to it.
fn of(what: &str, name: &str) -> String {
    format!("\"{what} {}", &name[1..])
}

/// Converts nanoseconds to microseconds with three decimals.
fn micros(nanos: u64) -> String {
    format!("{}.{:03}", nanos / 1000, nanos % 1000)
}
