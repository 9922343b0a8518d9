// SPDX-License-Identifier: Apache-2.0
//! What the application does at interrupt level: cyclic handlers and alarms, and the handlers of overruns and deadlines.

use takt_model::{Nanos, System, Task};

use crate::arrival::Periodic;
use crate::costs::KernelCosts;
use crate::quantity::{Time, Work};
use crate::request::InterruptLoad;
use crate::term::Term;
use crate::verdict::{Named, NoBound};

/// The calls of cyclic handlers and alarms of a core.
pub fn interrupts(system: &System, costs: &KernelCosts, core: u32) -> Vec<(Term, InterruptLoad)> {
    let load = |name: &String, separation: Nanos, work| {
        let arrivals = Periodic::apart(separation, Time::ZERO);
        (Term::Handler { name: name.clone() }, InterruptLoad { arrivals, work })
    };
    let call = |wcet| costs.timer_interrupt + costs.handler(wcet);
    let cyclics = system.cyclics.iter().filter(|it| it.core == core);
    let cyclics = cyclics.map(|it| load(&it.name, it.period, call(it.wcet)));
    let alarms = system.alarms.iter().filter(|it| it.core == core);
    // Another core may start an alarm: its request is a part of an interrupt.
    let alarms = alarms.filter_map(|it| {
        Some(load(&it.name, it.separation?, call(it.wcet?) + costs.remote_release()))
    });
    cyclics.chain(alarms).collect()
}

/// The first alarm of a core that nothing limits.
pub fn unbounded(system: &System, core: u32) -> Option<NoBound> {
    let mut alarms = system.alarms.iter().enumerate().filter(|(_, it)| it.core == core);
    let (index, alarm) = alarms.find(|(_, it)| it.separation.is_none() || it.wcet.is_none())?;
    Some(NoBound::UnlimitedHandler { alarm: Named { index, name: alarm.name.clone() } })
}

/// What the kernel may do for a job of the task at interrupt level, once each: an overrun, its
/// handler and the job's end, and the handler of a deadline that has passed.
pub fn of_job(task: &Task, costs: &KernelCosts) -> Work {
    let may_overrun = |budget: Nanos| task.wcet.is_none_or(|wcet| wcet > budget);
    let budget = task.budget.as_ref().filter(|budget| may_overrun(budget.time));
    let overrun = budget.map_or(Work::ZERO, |budget| {
        let handler = budget.handler.as_ref().map_or(Work::ZERO, |it| costs.handler(it.wcet));
        let end = costs.dispatch + costs.continuation;
        costs.timed_release() + handler + if budget.stops { end } else { Work::ZERO }
    });
    let deadline = task.deadline_handler.as_ref();
    let deadline =
        deadline.map_or(Work::ZERO, |handler| costs.timer_interrupt + costs.handler(handler.wcet));
    overrun + deadline
}
