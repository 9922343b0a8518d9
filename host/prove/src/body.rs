// SPDX-License-Identifier: Apache-2.0
//! The body of a job or a handler: statements of C, and the declared execution.

use std::fmt::Write;

/// The longest execution of one call of a service in nanoseconds: its instructions, with cold
/// caches.
const SERVICE: u64 = 6_000;
/// The longest execution of a job besides its statements in nanoseconds: entry and return, with
/// cold caches.
const ENTRY: u64 = 6_000;

#[derive(Clone, Debug, Default)]
pub struct Body {
    /// The statements; `{N}` stands for the work of N nanoseconds.
    statements: Vec<Statement>,
    /// The entries of `uses` in the description.
    uses: Vec<String>,
    /// The longest time for which a job sleeps or waits for signals, in all.
    pub suspends: u64,
    work: u64,
    services: u64,
}

#[derive(Clone, Debug)]
enum Statement {
    Text(String),
    Work(u64),
}

impl Body {
    pub fn new() -> Body {
        Body::default()
    }

    /// Adds an execution of this time.
    pub fn work(mut self, nanos: u64) -> Body {
        self.work += nanos;
        self.statements.push(Statement::Work(nanos));
        self
    }

    /// Adds a statement that is no service and takes a negligible time.
    pub fn text(mut self, text: impl Into<String>) -> Body {
        self.statements.push(Statement::Text(text.into()));
        self
    }

    /// Adds the call of a service that has to succeed.
    pub fn must(mut self, call: impl AsRef<str>) -> Body {
        self.services += 1;
        self.text(format!("MUST({});", call.as_ref()))
    }

    /// Adds the call of a service that may return an error.
    pub fn may(mut self, call: impl AsRef<str>) -> Body {
        self.services += 1;
        self.text(format!("MAY({});", call.as_ref()))
    }

    /// Declares further execution, for statements that were added as text.
    pub fn executes(mut self, nanos: u64) -> Body {
        self.work += nanos;
        self
    }

    /// Declares a mutex or semaphore that other statements use.
    pub fn uses(mut self, class: &str, name: &str, hold: Option<u64>) -> Body {
        let hold = hold.map_or_else(String::new, |hold| format!(", hold = \"{hold}ns\""));
        self.uses.push(format!("{{ {class} = \"{name}\"{hold} }}"));
        self
    }

    /// Declares a mutex that other statements lock while they may hold the mutexes of these names.
    pub fn uses_inside(mut self, name: &str, hold: u64, inside: &[&str]) -> Body {
        let inside: Vec<_> = inside.iter().map(|name| format!("\"{name}\"")).collect();
        self.uses.push(format!(
            "{{ mutex = \"{name}\", hold = \"{hold}ns\", inside = [{}] }}",
            inside.join(", ")
        ));
        self
    }

    /// Adds the declared use of a mutex: lock it, execute for this time, unlock it.
    pub fn holds_mutex(self, (id, name): &(u32, String), nanos: u64) -> Body {
        self.uses("mutex", name, Some(nanos + 2 * SERVICE))
            .must(format!("takt_mutex_lock({id})"))
            .work(nanos)
            .must(format!("takt_mutex_unlock({id})"))
    }

    /// Adds the declared use of a semaphore: take a count, execute for this time, give it back.
    pub fn holds_semaphore(self, (id, name): &(u32, String), nanos: u64) -> Body {
        self.uses("semaphore", name, Some(nanos + 2 * SERVICE))
            .must(format!("takt_semaphore_wait({id})"))
            .work(nanos)
            .must(format!("takt_semaphore_signal({id})"))
    }

    /// Adds a sleep of this time. The clock's tick and the kernel's own time make it a little
    /// longer.
    pub fn delays(mut self, nanos: u64) -> Body {
        self.suspends += nanos + 10_000;
        self.must(format!("takt_task_delay({nanos})"))
    }

    /// Adds the call of a service that waits for at most this time.
    pub fn waits(mut self, call: impl AsRef<str>, longest: u64) -> Body {
        self.suspends += longest;
        self.must(call)
    }

    /// Repeats everything added so far without end.
    pub fn for_ever(mut self) -> Body {
        self.statements.insert(0, Statement::Text("for (;;) {".into()));
        self.text("}")
    }

    /// The longest execution of a job, as declared.
    pub fn wcet(&self) -> u64 {
        self.work + self.work / 100 + self.services * SERVICE + ENTRY
    }

    /// The lines of the task's table in the description.
    pub fn declared(&self) -> String {
        let mut text = String::new();
        if self.suspends > 0 {
            let _ = writeln!(text, "suspends = \"{}ns\"", self.suspends);
        }
        if !self.uses.is_empty() {
            let _ = writeln!(text, "uses = [{}]", self.uses.join(", "));
        }
        text
    }

    /// The C function; `rounds` converts nanoseconds to rounds of the work loop.
    pub fn function(&self, name: &str, rounds: impl Fn(u64) -> u64) -> String {
        let mut text = format!("\nvoid {name}(intptr_t argument)\n{{\n    (void)argument;\n");
        for statement in &self.statements {
            let _ = match statement {
                Statement::Text(line) => writeln!(text, "    {line}"),
                Statement::Work(nanos) => writeln!(text, "    work({});", rounds(*nanos)),
            };
        }
        text + "}\n"
    }
}
