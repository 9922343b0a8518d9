// SPDX-License-Identifier: Apache-2.0
//! Writes `takt/system_ids.h`: an enum of IDs for each class of objects, and the declarations of
//! the entries.

use std::collections::BTreeSet;

use takt_model::{Class, System};

use crate::{banner, partitions};

pub fn header(system: &System) -> String {
    let mut text = banner(system, "The IDs");
    text += "#ifndef INCLUDE_TAKT_SYSTEM_IDS_H\n#define INCLUDE_TAKT_SYSTEM_IDS_H\n\n#include <stdint.h>\n\n";
    for class in Class::ALL {
        text += &enumeration(*class, &class.names(system));
    }
    // In C++, too, these are the names that the kernel's tables refer to.
    text += "#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
    // The kernel may have functions of these names, so its tables use other names for the
    // application's.
    text += "#ifndef KERNEL_CONFIG_H\n";
    let partitions = (0..system.partitions.len()).flat_map(|it| partitions::functions(system, it));
    for function in functions(system).into_iter().chain(partitions).collect::<BTreeSet<_>>() {
        text += &format!("void {function}(intptr_t argument);\n");
    }
    text += "#endif\n";
    for region in &system.device_regions {
        text +=
            &format!("extern uint8_t takt_device_{}[] __attribute__((aligned(8)));\n", region.name);
    }
    text + "#ifdef __cplusplus\n}\n#endif\n\n#endif\n"
}

/// The names of all functions of the application, without its partitions, that the kernel calls.
pub fn functions(system: &System) -> BTreeSet<&str> {
    let application = system.tasks.iter().filter(|task| task.partition.is_none());
    let entries = application.map(|task| task.entry.as_str());
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

fn enumeration(class: Class, names: &[&str]) -> String {
    let (one, all) = (class.word().to_uppercase(), class.plural().to_uppercase());
    let mut text = String::from("enum {\n");
    for (index, name) in names.iter().enumerate() {
        text += &format!("    TAKT_{one}_{name} = {},\n", index + 1);
    }
    text + &format!("    TAKT_{all} = {},\n}};\n\n", names.len())
}
