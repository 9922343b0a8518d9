// SPDX-License-Identifier: Apache-2.0
//! Finds services that the application calls and that the kernel refuses to every possible caller,
//! because the description declares nothing for them. `kernel/task/rights.h` has the rules. A
//! service that only some callers are refused, such as reading another core's task, is not reported
//! here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use object::{Object as _, ObjectSymbol};
use takt_model::{Action, System, Target, Task};

use crate::entries;
use crate::image;

/// Services that need the same declaration.
struct Rule {
    services: &'static [&'static str],
    /// The key with which a task declares its use of the services, as in the description.
    declared: &'static str,
    /// Whether the description permits the services to at least one caller.
    given: fn(&System) -> bool,
}

const RULES: [Rule; 10] = [
    Rule {
        // These services need a declaration in every system, because a mutex knows its users, also
        // for its ceiling.
        services: &["takt_mutex_lock", "takt_mutex_try", "takt_mutex_lock_for"],
        declared: "uses = [{ mutex = ... }]",
        given: |system| any(system, |task| !task.mutexes.is_empty()),
    },
    Rule {
        services: &["takt_spin_lock_acquire", "takt_spin_lock_try"],
        declared: "uses = [{ spin_lock = ... }]",
        given: |system| {
            let declared = any(system, |task| !task.rights.spin_locks.is_empty());
            declared || starts_with_hook(system) || is_unrestricted(system)
        },
    },
    Rule {
        services: &["takt_cpu_lock"],
        declared: "cpu_lock",
        given: |system| {
            let declared = any(system, |task| task.rights.cpu_lock.is_some());
            declared || has_handlers(system) || is_unrestricted(system)
        },
    },
    Rule {
        services: &["takt_dispatch_disable"],
        declared: "dispatch_disable",
        given: |system| {
            let declared = any(system, |task| task.rights.dispatch_disable.is_some());
            declared || is_unrestricted(system)
        },
    },
    Rule {
        services: &[
            "takt_task_terminate",
            "takt_task_request_termination",
            "takt_task_release_wait",
        ],
        declared: "controls, action = \"terminate\"",
        given: |system| controls(system, |it| matches!(it, Target::Task(_, Action::Terminate))),
    },
    Rule {
        services: &["takt_task_suspend", "takt_task_resume"],
        declared: "controls, action = \"suspend\"",
        given: |system| controls(system, |it| matches!(it, Target::Task(_, Action::Suspend))),
    },
    Rule {
        services: &["takt_task_set_priority"],
        declared: "controls, action = \"set_priority\"",
        given: |system| controls(system, |it| matches!(it, Target::Task(_, Action::SetPriority))),
    },
    Rule {
        services: &["takt_task_migrate", "takt_task_activate_on"],
        declared: "controls, action = \"migrate\"",
        given: |system| controls(system, |it| matches!(it, Target::Task(_, Action::Migrate))),
    },
    Rule {
        services: &["takt_interrupt_set_core"],
        declared: "controls = [{ interrupt = ... }]",
        given: |system| controls(system, |it| matches!(it, Target::Interrupt(_))),
    },
    Rule {
        services: &[
            "takt_semaphore_reset",
            "takt_flag_reset",
            "takt_data_queue_reset",
            "takt_priority_data_queue_reset",
            "takt_message_buffer_reset",
            "takt_memory_pool_reset",
            "takt_task_rotate",
            "takt_task_rotate_on",
        ],
        declared: "unrestricted = true",
        given: is_unrestricted,
    },
];

fn any(system: &System, declares: impl Fn(&Task) -> bool) -> bool {
    system.tasks.iter().any(declares)
}

/// Whether the kernel refuses nothing at all, or nothing to at least one task.
fn is_unrestricted(system: &System) -> bool {
    !system.has_deadlines() || any(system, |task| task.rights.unrestricted)
}

/// Whether the system has a start hook, which may control tasks and use objects freely because time
/// has not begun.
fn starts_with_hook(system: &System) -> bool {
    system.kernel.start_hook.is_some()
}

fn controls(system: &System, is_it: fn(Target) -> bool) -> bool {
    let declares = |task: &Task| task.rights.controls.iter().any(|one| is_it(one.target));
    any(system, declares) || starts_with_hook(system) || is_unrestricted(system)
}

/// Whether code of the application runs outside of tasks, in handlers or service routines.
fn has_handlers(system: &System) -> bool {
    let of_task = |task: &Task| {
        let overrun = task.budget.as_ref().is_some_and(|budget| budget.handler.is_some());
        overrun || task.deadline_handler.is_some()
    };
    let hooks = [&system.kernel.start_hook, &system.kernel.shutdown_hook];
    hooks.iter().any(|hook| hook.is_some())
        || !(system.cyclics.is_empty() && system.alarms.is_empty() && system.interrupts.is_empty())
        || any(system, of_task)
}

/// One sentence for each group of services that this image links and that every caller will be
/// refused.
pub fn refused(system: &System, image: &Path) -> Vec<String> {
    let called = called(system, image).unwrap_or_default();
    let note = |rule: &Rule| {
        if (rule.given)(system) {
            return None;
        }
        let found = rule.services.iter().filter_map(|name| called.get_key_value(*name));
        let (names, sources): (Vec<_>, Vec<_>) = found.unzip();
        let sources: BTreeSet<_> = sources.into_iter().flatten().map(String::as_str).collect();
        (!names.is_empty()).then(|| text(&names, sources, rule.declared))
    };
    RULES.iter().filter_map(note).collect()
}

fn text(names: &[&String], sources: BTreeSet<&str>, declared: &str) -> String {
    let names = names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
    let sources = sources.into_iter().collect::<Vec<_>>().join(", ");
    format!(
        "the image links {names} (called in {sources}), and no task declares {declared}: the kernel will refuse each \
         call; declare it where it is called, or take the call out"
    )
}

/// The services that are linked because a source calls them, each with the names of the calling
/// sources. None if an object or the image cannot be read.
fn called(system: &System, image: &Path) -> Option<BTreeMap<String, BTreeSet<String>>> {
    let bytes = std::fs::read(image).ok()?;
    let elf = image::parse_elf(&bytes).ok()?;
    let linked: BTreeSet<_> = elf.symbols().filter_map(|symbol| symbol.name().ok()).collect();
    let mut called = BTreeMap::<_, BTreeSet<_>>::new();
    for (source, bytes) in entries::objects(system, image.parent()?)? {
        let elf = image::parse_elf(&bytes).ok()?;
        let names = elf.symbols().filter(|symbol| symbol.is_undefined());
        for name in names.filter_map(|symbol| symbol.name().ok()) {
            if linked.contains(name) {
                called.entry(name.to_string()).or_default().insert(source.clone());
            }
        }
    }
    Some(called)
}
