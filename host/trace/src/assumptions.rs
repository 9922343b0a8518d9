// SPDX-License-Identifier: Apache-2.0
//! Finds the assumptions of the description that a run broke. The bounds do not hold for such a
//! run, and the party that broke the assumption is to blame, not the task that was late because of
//! it.

use std::fmt;

use serde::Serialize;
use takt_model::{Assumption, Held, Limit, System, Target, Unit};
use takt_record::Record;

use crate::report::TaskRow;
use crate::table::duration;

/// One broken assumption, as the record's worst value of it shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct BrokenAssumption {
    /// The kind of the assumption.
    pub kind: Kind,
    /// The task, handler or interrupt that runs too long or too often.
    pub by: Party,
    /// The object that it holds, or on which it acts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<Party>,
    /// The object that it held already when it acquired `object`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<Party>,
    /// Nanoseconds or a count, as the kind says; null: without an end.
    pub measured: Option<u64>,
    /// What the description declares, in the same unit.
    pub declared: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
/// What an assumption limits.
pub enum Kind {
    /// A job, or a call of a handler or service routine, executed longer than its `wcet`. In ns, as all times.
    Execution,
    /// The object was held longer than its `hold`.
    Hold,
    /// One job requested the object more often than its `times`, whether it got it or not. A count.
    Requests,
    /// A job acquired the object while it held another, without a declared `inside`. The value numbers the two objects.
    Nesting,
    /// The task locked the CPU longer than its `cpu_lock`.
    CpuLock,
    /// The task executed with dispatch disabled longer than its `dispatch_disable`.
    DispatchDisable,
    /// One job suspended itself longer than its `suspends`.
    Suspends,
    /// One job suspended itself more often than declared. A count.
    Suspensions,
    /// A job gave more commands than declared.
    Calls,
    /// The task suspended itself although it does not declare that. A count.
    UndeclaredSuspensions,
    /// Two calls came sooner after each other than the control's `separation`.
    Separation,
    /// An interrupt came more often in the whole run than its `separation` allows. A count.
    Rate,
}

impl BrokenAssumption {
    /// Takes over what another run has measured of the same assumption if that is worse.
    pub fn worsen(&mut self, other: &BrokenAssumption) {
        self.measured = match (self.measured, other.measured) {
            (Some(one), Some(other)) if self.kind == Kind::Separation => Some(one.min(other)),
            (Some(one), Some(other)) => Some(one.max(other)),
            _ => None,
        };
    }
}

/// A task, a handler, an interrupt or an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Party {
    /// The class in the description's words, such as `task` or `mutex`.
    pub class: &'static str,
    /// The name in the description.
    pub name: String,
}

impl Party {
    fn new(class: &'static str, name: &str) -> Party {
        Party { class, name: name.to_string() }
    }
}

impl fmt::Display for Party {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "{} {}", self.class, self.name)
    }
}

impl fmt::Display for BrokenAssumption {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let (by, declared) = (&self.by, self.declared);
        let object = self.object.as_ref().map_or(String::new(), Party::to_string);
        let measured = self.measured.map_or("ever".to_string(), duration);
        let (time, number) = (duration(declared), self.measured.unwrap_or(u64::MAX));
        match self.kind {
            Kind::Execution => write!(out, "{by} ran for {measured}, declared {time}"),
            Kind::Hold if self.measured.is_none() => {
                write!(out, "{by} held {object} when its job ended, declared {time}")
            }
            Kind::Hold => write!(out, "{by} held {object} for {measured}, declared {time}"),
            Kind::Requests => {
                write!(
                    out,
                    "a job of {by} asked for {object} {}, declared {declared}",
                    times(number)
                )
            }
            Kind::Nesting => {
                let held = self.held.as_ref().map_or("another".to_string(), Party::to_string);
                write!(out, "{by} acquired {object} while it held {held}, not declared (inside)")
            }
            Kind::CpuLock => write!(out, "{by} locked the CPU for {measured}, declared {time}"),
            Kind::DispatchDisable => {
                write!(out, "{by} disabled dispatch for {measured}, declared {time}")
            }
            Kind::Suspends => {
                write!(out, "a job of {by} was suspended for {measured}, declared {time}")
            }
            Kind::Suspensions => {
                write!(out, "a job of {by} suspended itself {}, declared {declared}", times(number))
            }
            Kind::Calls => {
                write!(out, "a job of {by} gave {number} commands, declared {declared} (calls)")
            }
            Kind::UndeclaredSuspensions => write!(
                out,
                "{by} suspended itself {}, which the description does not declare (suspends, uses)",
                times(number)
            ),
            Kind::Separation => {
                write!(
                    out,
                    "{by} acted on {object} {measured} after the last time, declared {time}"
                )
            }
            Kind::Rate => {
                write!(out, "{by} came {}, its separation allows {declared}", times(number))
            }
        }
    }
}

fn times(number: u64) -> String {
    if number == 1 { "once".to_string() } else { format!("{number} times") }
}

/// All assumptions that the record shows to be broken. `rows` are the report's rows of the tasks.
pub fn broken(system: &System, record: &Record, rows: &[TaskRow]) -> Vec<BrokenAssumption> {
    if !system.has_deadlines() {
        return Vec::new(); // no bound is claimed, so none rests on an assumption
    }
    let limits = system.limits();
    let mut all = of_tasks(rows);
    let measured = limits.iter().zip(&record.limits);
    all.extend(measured.filter_map(|(limit, worst)| of_limit(system, record, limit, *worst)));
    all.extend(of_interrupts(system, record));
    all
}

fn of_tasks(rows: &[TaskRow]) -> Vec<BrokenAssumption> {
    let mut all = Vec::new();
    for row in rows {
        let mut add = |kind, measured, declared| {
            let by = Party::new("task", &row.name);
            let measured = Some(measured);
            all.push(BrokenAssumption { kind, by, object: None, held: None, measured, declared });
        };
        if let Some(wcet) = row.wcet.filter(|_| row.executed_too_long()) {
            add(Kind::Execution, row.execution_surely, wcet);
        }
        if row.undeclared_waits > 0 {
            add(Kind::UndeclaredSuspensions, row.undeclared_waits, 0);
        }
    }
    all
}

fn of_limit(
    system: &System,
    record: &Record,
    limit: &Limit,
    worst: u64,
) -> Option<BrokenAssumption> {
    let measured = match (limit.what.unit(), worst) {
        (_, u64::MAX) => None,
        (Unit::Ticks, ticks) => Some(record.head.nanos(ticks)),
        (Unit::Count, value) => Some(value),
    };
    let broken = match limit.what.is_least() {
        true => worst > 0 && measured? < limit.declared,
        false => measured.is_none_or(|value| value > limit.declared),
    };
    let (kind, by, mut object) = parties(system, limit.what);
    let mut held = None;
    if let Assumption::Nesting { task } = limit.what {
        let nested = system.nested(task, worst);
        object = nested.map(|(acquired, _)| held_object(system, acquired));
        held = nested.map(|(_, held)| held_object(system, held));
    }
    let declared = limit.declared;
    broken.then_some(BrokenAssumption { kind, by, object, held, measured, declared })
}

fn parties(system: &System, what: Assumption) -> (Kind, Party, Option<Party>) {
    let task = |task: usize| Party::new("task", &system.tasks[task].name);
    match what {
        Assumption::Hold { task: by, object } => {
            (Kind::Hold, task(by), Some(held_object(system, object)))
        }
        Assumption::Requests { task: by, object } => {
            (Kind::Requests, task(by), Some(held_object(system, object)))
        }
        Assumption::Nesting { task: by } => (Kind::Nesting, task(by), None),
        Assumption::CpuLock { task: by } => (Kind::CpuLock, task(by), None),
        Assumption::DispatchDisable { task: by } => (Kind::DispatchDisable, task(by), None),
        Assumption::Suspends { task: by } => (Kind::Suspends, task(by), None),
        Assumption::Suspensions { task: by } => (Kind::Suspensions, task(by), None),
        Assumption::Calls { task: by } => (Kind::Calls, task(by), None),
        Assumption::Cyclic(index) => {
            (Kind::Execution, Party::new("cyclic handler", &system.cyclics[index].name), None)
        }
        Assumption::Alarm(index) => {
            (Kind::Execution, Party::new("alarm", &system.alarms[index].name), None)
        }
        Assumption::OverrunHandler { task: of } => {
            (Kind::Execution, Party::new("the overrun handler of task", &task(of).name), None)
        }
        Assumption::DeadlineHandler { task: of } => {
            (Kind::Execution, Party::new("the deadline handler of task", &task(of).name), None)
        }
        Assumption::Separation { task: by, control } => {
            let target = match system.tasks[by].rights.controls[control].target {
                Target::Task(other, _) => task(other),
                Target::Cyclic(it) => Party::new("cyclic handler", &system.cyclics[it].name),
                Target::Alarm(it) => Party::new("alarm", &system.alarms[it].name),
                Target::Interrupt(it) => Party::new("interrupt", &system.interrupts[it].name),
            };
            (Kind::Separation, task(by), Some(target))
        }
    }
}

fn held_object(system: &System, object: Held) -> Party {
    match object {
        Held::Mutex(index) => Party::new("mutex", &system.mutexes[index].name),
        Held::Semaphore(index) => Party::new("semaphore", &system.semaphores[index].name),
        Held::SpinLock(index) => Party::new("spin lock", &system.spin_locks[index]),
    }
}

/// Two service routines may begin closer together than their interrupts came, because the first one
/// may have been delayed. But over the whole run there cannot be more calls than the separation
/// allows.
fn of_interrupts(system: &System, record: &Record) -> Vec<BrokenAssumption> {
    let end = record.head.since_epoch(record.head.end);
    let mut all = Vec::new();
    for (interrupt, figures) in system.interrupts.iter().zip(&record.interrupts) {
        let mut add = |kind, measured, declared| {
            let by = Party::new("interrupt", &interrupt.name);
            all.push(BrokenAssumption {
                kind,
                by,
                object: None,
                held: None,
                measured: Some(measured),
                declared,
            });
        };
        if let Some(wcet) = interrupt.wcet.filter(|wcet| figures.execution_surely > wcet.0) {
            add(Kind::Execution, figures.execution_surely, wcet.0);
        }
        let allowed = interrupt.separation.map(|time| end.div_ceil(time.0.max(1)) + 1);
        if let Some(allowed) = allowed.filter(|allowed| figures.count > *allowed) {
            add(Kind::Rate, figures.count, allowed);
        }
    }
    all
}
