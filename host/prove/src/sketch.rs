// SPDX-License-Identifier: Apache-2.0
//! A system under construction, from which the description and its source are made.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::Machine;
use crate::body::Body;

#[derive(Clone, Debug)]
pub struct Sketch {
    pub board: String,
    pub cores: u32,
    pub run_for: u64,
    /// The lines of the table `[kernel]`.
    pub kernel: String,
    tasks: Vec<Task>,
    /// The tables of objects and handlers.
    tables: String,
    /// The number of objects of each class so far.
    counts: BTreeMap<&'static str, u32>,
    handlers: Vec<(String, Body)>,
    /// The declarations before the functions.
    pub globals: String,
}

#[derive(Clone, Debug)]
pub struct Task {
    pub name: String,
    pub release: Release,
    pub core: u32,
    pub priority: u32,
    pub body: Body,
    /// The declared execution, if it differs from the body's.
    pub wcet: Option<u64>,
    /// Further lines of the task's table.
    pub more: String,
}

#[derive(Clone, Copy, Debug)]
pub enum Release {
    Periodic {
        period: u64,
        offset: u64,
    },
    Sporadic {
        separation: u64,
    },
    /// The task is activated when the system starts; it has neither a deadline nor a bound.
    Started,
}

impl Sketch {
    pub fn new(machine: &Machine, cores: u32) -> Sketch {
        Sketch {
            board: machine.reference.clone(),
            cores,
            run_for: 100_000_000,
            kernel: "events = 0\n".into(),
            tasks: Vec::new(),
            tables: String::new(),
            counts: BTreeMap::new(),
            handlers: Vec::new(),
            globals: String::new(),
        }
    }

    /// Adds a task; returns its ID.
    pub fn task(&mut self, task: Task) -> u32 {
        self.tasks.push(task);
        self.tasks.len() as u32
    }

    /// The ID that the next task will have.
    pub fn next_task(&self) -> u32 {
        self.tasks.len() as u32 + 1
    }

    /// Adds an object; returns its ID and name.
    pub fn object(&mut self, class: &'static str, lines: &str) -> (u32, String) {
        let id = self.count(class);
        let name = format!("{class}_{id}");
        let _ = write!(self.tables, "\n[[{class}]]\nname = \"{name}\"\n{lines}");
        (id, name)
    }

    /// Adds a cyclic handler, an alarm or a service routine; `lines` may leave out name, function, core and wcet.
    pub fn handler(
        &mut self,
        class: &'static str,
        name: &str,
        core: u32,
        lines: &str,
        body: Body,
    ) -> u32 {
        let id = self.count(class);
        let wcet = body.wcet();
        let function = if class == "interrupt" { "entry" } else { "function" };
        let _ = write!(
            self.tables,
            "\n[[{class}]]\nname = \"{name}\"\n{function} = \"on_{name}\"\ncore = {core}\n\
             wcet = \"{wcet}ns\"\n{lines}"
        );
        self.handlers.push((format!("on_{name}"), body));
        id
    }

    /// Adds an interrupt of a device; `lines` may leave out name, entry, core and wcet.
    pub fn interrupt(&mut self, name: &str, core: u32, lines: &str, body: Body) {
        let wcet = body.wcet();
        let _ = write!(
            self.tables,
            "\n[[interrupt]]\nname = \"{name}\"\nentry = \"on_{name}\"\ncore = {core}\n\
             wcet = \"{wcet}ns\"\n{lines}"
        );
        self.handlers.push((format!("on_{name}"), body));
    }

    /// Adds a function that a task's table names as a handler.
    pub fn function(&mut self, name: &str, body: Body) {
        self.handlers.push((name.to_string(), body));
    }

    fn count(&mut self, class: &'static str) -> u32 {
        let count = self.counts.entry(class).or_default();
        *count += 1;
        *count
    }

    pub fn description(&self) -> String {
        let mut text = format!(
            "# SPDX-License-Identifier: Apache-2.0\nformat = 1\n\n[system]\nname = \"prove\"\n\
             board = \"{}\"\ncores = {}\nsources = [\"main.c\"]\ninclude = [\".\"]\n\n[run]\n\
             for = \"{}ns\"\n\n[kernel]\n{}",
            self.board, self.cores, self.run_for, self.kernel
        );
        self.tasks.iter().for_each(|task| text += &task.table());
        text + &self.tables
    }

    pub fn source(&self, machine: &Machine) -> String {
        let head = "/* SPDX-License-Identifier: Apache-2.0 */\n#include \"work.h\"\n";
        let mut text = head.to_string() + &self.globals;
        let tasks = self.tasks.iter().map(|task| (task.entry(), &task.body));
        let handlers = self.handlers.iter().map(|(name, body)| (name.clone(), body));
        for (name, body) in handlers.chain(tasks) {
            text += &body.function(&name, |nanos| machine.rounds(nanos));
        }
        text
    }
}

impl Task {
    pub fn new(name: impl Into<String>, core: u32, priority: u32, body: Body) -> Task {
        let (name, release, more) = (name.into(), Release::Started, String::new());
        Task { name, release, core, priority, body, wcet: None, more }
    }

    pub fn every(mut self, period: u64, offset: u64) -> Task {
        self.release = Release::Periodic { period, offset };
        self
    }

    pub fn apart(mut self, separation: u64) -> Task {
        self.release = Release::Sporadic { separation };
        self
    }

    pub fn with(mut self, lines: impl AsRef<str>) -> Task {
        self.more += lines.as_ref();
        self.more += "\n";
        self
    }

    fn entry(&self) -> String {
        format!("{}_job", self.name)
    }

    fn table(&self) -> String {
        let Task { name, core, priority, body, more, .. } = self;
        let wcet = format!("wcet = \"{}ns\"\n", self.wcet.unwrap_or(body.wcet()));
        let release = match self.release {
            Release::Periodic { period, offset } => {
                format!("period = \"{period}ns\"\noffset = \"{offset}ns\"\n{wcet}")
            }
            Release::Sporadic { separation } => format!("separation = \"{separation}ns\"\n{wcet}"),
            Release::Started => "start = true\n".into(),
        };
        let stack = if more.contains("stack =") { "" } else { "stack = \"4KiB\"\n" };
        format!(
            "\n[[task]]\nname = \"{name}\"\nentry = \"{}\"\n{release}core = {core}\n\
             priority = {priority}\n{stack}{}{more}",
            self.entry(),
            body.declared()
        )
    }
}
