// SPDX-License-Identifier: Apache-2.0
//! `takt/system_ids.h`: an enum of IDs a class, and the entries' declarations.

use std::collections::BTreeSet;

use takt_model::System;

use crate::banner;

pub fn header(system: &System) -> String {
    let tasks: Vec<_> = system.tasks.iter().map(|task| task.name.as_str()).collect();
    let semaphores: Vec<_> = system.semaphores.iter().map(|it| it.name.as_str()).collect();
    let mutexes: Vec<_> = system.mutexes.iter().map(|it| it.name.as_str()).collect();
    let flags: Vec<_> = system.flags.iter().map(|it| it.name.as_str()).collect();
    let data_queues: Vec<_> = system.data_queues.iter().map(|it| it.name.as_str()).collect();
    let priority_data_queues: Vec<_> =
        system.priority_data_queues.iter().map(|it| it.name.as_str()).collect();
    let barriers: Vec<_> = system.barriers.iter().map(|it| it.name.as_str()).collect();
    let reader_writer_locks: Vec<_> =
        system.reader_writer_locks.iter().map(|it| it.name.as_str()).collect();
    let spin_locks: Vec<_> = system.spin_locks.iter().map(String::as_str).collect();
    let message_buffers: Vec<_> =
        system.message_buffers.iter().map(|it| it.name.as_str()).collect();
    let memory_pools: Vec<_> = system.memory_pools.iter().map(|it| it.name.as_str()).collect();
    let buffers: Vec<_> = system.buffers.iter().map(|it| it.name.as_str()).collect();
    let cyclics: Vec<_> = system.cyclics.iter().map(|it| it.name.as_str()).collect();
    let alarms: Vec<_> = system.alarms.iter().map(|it| it.name.as_str()).collect();
    let interrupts: Vec<_> = system.interrupts.iter().map(|it| it.name.as_str()).collect();

    let mut text = banner(system, "The IDs");
    text += "#ifndef INCLUDE_TAKT_SYSTEM_IDS_H\n#define INCLUDE_TAKT_SYSTEM_IDS_H\n\n#include <stdint.h>\n\n";
    text += &enumeration("TASK", &tasks);
    text += &enumeration("SEMAPHORE", &semaphores);
    text += &plural("MUTEX", "MUTEXES", &mutexes);
    text += &enumeration("FLAG", &flags);
    text += &enumeration("DATA_QUEUE", &data_queues);
    text += &enumeration("PRIORITY_DATA_QUEUE", &priority_data_queues);
    text += &enumeration("BARRIER", &barriers);
    text += &enumeration("READER_WRITER_LOCK", &reader_writer_locks);
    text += &enumeration("SPIN_LOCK", &spin_locks);
    text += &enumeration("MESSAGE_BUFFER", &message_buffers);
    text += &enumeration("MEMORY_POOL", &memory_pools);
    text += &enumeration("BUFFER", &buffers);
    text += &enumeration("CYCLIC", &cyclics);
    text += &enumeration("ALARM", &alarms);
    text += &enumeration("INTERRUPT", &interrupts);
    // The kernel may have functions of these names; its tables name the application's otherwise.
    text += "#ifndef KERNEL_CONFIG_H\n";
    for function in functions(system) {
        text += &format!("void {function}(intptr_t argument);\n");
    }
    text + "#endif\n\n#endif\n"
}

/// All that the kernel calls of the application.
pub fn functions(system: &System) -> BTreeSet<&str> {
    let entries = system.tasks.iter().map(|task| task.entry.as_str());
    let cyclics = system.cyclics.iter().map(|it| it.function.as_str());
    let alarms = system.alarms.iter().map(|it| it.function.as_str());
    let handlers = system.tasks.iter().flat_map(|task| {
        let overrun = task.budget.as_ref().and_then(|budget| budget.handler.as_ref());
        overrun.into_iter().chain(&task.deadline_handler)
    });
    let handlers = handlers.map(|handler| handler.function.as_str());
    let hooks = system.kernel.start_hook.iter().chain(&system.kernel.shutdown_hook);
    let hooks = hooks.map(String::as_str);
    let routines = system.interrupts.iter().map(|it| it.entry.as_str());
    entries.chain(routines).chain(cyclics).chain(alarms).chain(handlers).chain(hooks).collect()
}

fn enumeration(class: &str, names: &[&str]) -> String {
    plural(class, &format!("{class}S"), names)
}

fn plural(class: &str, classes: &str, names: &[&str]) -> String {
    let mut text = String::from("enum {\n");
    for (index, name) in names.iter().enumerate() {
        text += &format!("    TAKT_{class}_{name} = {},\n", index + 1);
    }
    text + &format!("    TAKT_{classes} = {},\n}};\n\n", names.len())
}
