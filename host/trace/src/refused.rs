// SPDX-License-Identifier: Apache-2.0
//! The calls that the kernel refused: at these calls the application did not do what it was written
//! to do.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use takt_model::System;
use takt_record::Record;

/// Calls of one service that were refused to one task, or to the handlers of one core, with one error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RefusedCall {
    /// The task that called; null: a handler, a service routine or a hook.
    pub task: Option<String>,
    /// The number of the core that ran the caller.
    pub core: u32,
    /// The service's C function. One with a timeout also stands for those without: `takt_mutex_lock_for` for
    /// `takt_mutex_lock` and `takt_mutex_try`.
    pub service: String,
    /// The error that the calls were answered with, such as "TAKT_E_ILUSE".
    pub error: String,
    /// The number of calls.
    pub count: u64,
}

impl RefusedCall {
    /// Whether the description does not allow the call.
    pub fn is_undeclared(&self) -> bool {
        self.error == "TAKT_E_ILUSE"
    }

    /// The caller in words.
    pub fn caller(&self) -> String {
        match &self.task {
            Some(task) => format!("task {task}"),
            None => format!("a handler or hook of core {}", self.core),
        }
    }

    fn is_of_kind(&self, other: &RefusedCall) -> bool {
        let kind = |it: &RefusedCall| (it.core, it.task.clone(), it.service.clone());
        self.error == other.error && kind(self) == kind(other)
    }

    /// A sentence that says what was wrong, and what to declare.
    fn hint(&self) -> &'static str {
        match self.error.as_str() {
            "TAKT_E_PAR" => "a parameter is out of its range, or a pointer is null",
            "TAKT_E_ID" => "no object has this ID",
            "TAKT_E_CTX" => {
                "not allowed there: in a handler, with the CPU locked or with dispatch disabled"
            }
            "TAKT_E_OBJ" => "not for this object, as the description says",
            "TAKT_E_MACV" => "the pointer leads to memory that the partition does not have",
            "TAKT_E_OACV" => "the object belongs to another partition, or to none",
            "TAKT_E_ILUSE" => undeclared(&self.service),
            _ => "see the service",
        }
    }
}

/// The declaration that a service which answered TAKT_E_ILUSE asks for, or else the mistake.
fn undeclared(service: &str) -> &'static str {
    match service.strip_prefix("takt_").unwrap_or(service) {
        "mutex_lock_for" => {
            "declare it in `uses`; or the task holds it already, or is above its ceiling"
        }
        "semaphore_wait_for" | "spin_lock_acquire" | "spin_lock_try" => {
            "declare it in `uses`; handlers may not acquire it"
        }
        "cpu_lock" => "declare `cpu_lock`",
        "dispatch_disable" => "declare `dispatch_disable`",
        "dispatch_enable" => "the task holds a mutex of several cores",
        "task_terminate" | "task_request_termination" | "task_release_wait" => {
            "declare it in `controls`, action `terminate`; not of the caller itself"
        }
        "task_suspend" | "task_resume" => "declare it in `controls`, action `suspend`",
        "task_set_priority" => {
            "declare it in `controls`, action `set_priority`; not above a mutex's ceiling"
        }
        "task_migrate" | "task_activate_on" => "declare it in `controls`, action `migrate`",
        "task_state" => "declare it in `controls`, action `observe`",
        "buffer_write" => "the description names another task as the buffer's writer",
        "buffer_read" => "the description does not name the task as a reader of the buffer",
        "mutex_unlock" | "reader_writer_lock_unlock" | "spin_lock_release" => {
            "the caller does not hold it"
        }
        "flag_wait_for" => "another task waits for the flag, which is not `shared`",
        it if it.starts_with("reader_writer_lock_") => "the task holds the lock already",
        it if ["cyclic_", "alarm_", "interrupt_"].iter().any(|class| it.starts_with(class)) => {
            "declare it in `controls`"
        }
        it if it.ends_with("_reset") || it.starts_with("task_r") => {
            "only tasks that are `unrestricted` may do this"
        }
        _ => "the description does not say so",
    }
}

impl fmt::Display for RefusedCall {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let times = match self.count {
            1 => "once".to_string(),
            count => format!("{count} times"),
        };
        let (caller, service, error) = (self.caller(), &self.service, &self.error);
        write!(out, "{caller}: {service} refused {times}: {error} ({})", self.hint())
    }
}

fn name_of(error: u32) -> String {
    match error {
        17 => "TAKT_E_PAR".to_string(),
        18 => "TAKT_E_ID".to_string(),
        25 => "TAKT_E_CTX".to_string(),
        26 => "TAKT_E_MACV".to_string(),
        27 => "TAKT_E_OACV".to_string(),
        28 => "TAKT_E_ILUSE".to_string(),
        41 => "TAKT_E_OBJ".to_string(),
        other => format!("-{other}"),
    }
}

/// All refused calls that the record has, by core and task.
pub fn refused_calls(system: &System, record: &Record) -> Vec<RefusedCall> {
    let task = |id: u32| system.tasks.get((id as usize).checked_sub(1)?).map(|it| it.name.clone());
    let mut all = Vec::new();
    for (core, figures) in (0..).zip(&record.cores) {
        add(
            &mut all,
            figures.refusals.iter().map(|it| RefusedCall {
                task: task(it.task),
                core,
                service: it.service.clone(),
                error: name_of(it.error),
                count: it.count,
            }),
        );
    }
    all
}

/// Adds calls to the entries of the same kind.
pub fn add(all: &mut Vec<RefusedCall>, more: impl IntoIterator<Item = RefusedCall>) {
    for it in more {
        match all.iter_mut().find(|other| other.is_of_kind(&it)) {
            Some(other) => other.count += it.count,
            None => all.push(it),
        }
    }
}

/// The callers, each once, in the order of their first calls.
pub fn callers<'a>(calls: impl Iterator<Item = &'a RefusedCall>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in calls.map(RefusedCall::caller) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
