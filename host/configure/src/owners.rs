// SPDX-License-Identifier: Apache-2.0
//! Which core an object belongs to: it lies in memory that this core alone writes, and the boot loads it into that core's cache.
//! `docs/design/residency.md`, "Objects of one core".

use std::collections::BTreeSet;

use takt_model::{Assignment, Class, Held, Semaphore, System, Task};

use crate::c_text::section;
use crate::caches::chosen_for;

/// The classes whose objects may belong to a core, in the order of their arrays in memory.
pub(crate) const CLASSES: [Class; 6] = [
    Class::Semaphore,
    Class::Mutex,
    Class::Flag,
    Class::DataQueue,
    Class::PriorityDataQueue,
    Class::MemoryPool,
];

/// Where there are several cores, the core of each object of a class: the one that it names, or that of all tasks that declare to hold it. None unless all
/// objects of the class have one, as the kernel keeps a class in one array.
pub fn owners(system: &System, assignments: &[Assignment], class: Class) -> Option<Vec<u32>> {
    if system.cores < 2 || !chosen_for(system) {
        return None;
    }
    let of_users = |object| {
        let users = users(system, object);
        let cores: BTreeSet<_> = users.iter().map(|task| assignments[*task].core).collect();
        cores.first().copied().filter(|_| cores.len() == 1)
    };
    let semaphore =
        |(index, it): (usize, &Semaphore)| it.core.or_else(|| of_users(Held::Semaphore(index)));
    let named: Vec<Option<u32>> = match class {
        Class::Semaphore => system.semaphores.iter().enumerate().map(semaphore).collect(),
        Class::Flag => system.flags.iter().map(|it| it.core).collect(),
        Class::DataQueue => system.data_queues.iter().map(|it| it.core).collect(),
        Class::PriorityDataQueue => system.priority_data_queues.iter().map(|it| it.core).collect(),
        Class::MemoryPool => system.memory_pools.iter().map(|it| it.core).collect(),
        Class::Mutex => (0..system.mutexes.len()).map(|it| of_users(Held::Mutex(it))).collect(),
        _ => return None,
    };
    let all: Option<Vec<u32>> = named.into_iter().collect();
    all.filter(|cores| !cores.is_empty())
}

/// The tasks that hold an object, in ascending order; for a semaphore, those that use it for mutual
/// exclusion.
pub(crate) fn users(system: &System, object: Held) -> Vec<usize> {
    let uses = |task: &Task| match object {
        Held::Mutex(mutex) => task.mutexes.iter().any(|one| one.mutex == mutex),
        Held::Semaphore(semaphore) => {
            task.uses.iter().any(|one| one.semaphore == semaphore && one.hold.is_some())
        }
        Held::SpinLock(lock) => task.rights.spin_locks.iter().any(|one| one.spin_lock == lock),
    };
    (0..system.tasks.len()).filter(|task| uses(&system.tasks[*task])).collect()
}

/// The core of one object.
pub(crate) fn owner(
    system: &System,
    assignments: &[Assignment],
    class: Class,
    index: usize,
) -> Option<u32> {
    owners(system, assignments, class).map(|cores| cores[index])
}

/// The attribute of the array of a class, with a blank before it; empty where the objects have no cores.
pub(crate) fn array(system: &System, assignments: &[Assignment], class: Class) -> String {
    match owners(system, assignments, class) {
        Some(_) => format!(" __attribute__((section(\".data.takt_objects.{}\")))", class.word()),
        None => String::new(),
    }
}

/// The attribute of zeroed memory that an object needs beside its block, with a blank before it.
pub(crate) fn beside(core: Option<u32>, class: &str, name: &str) -> String {
    core.map_or(String::new(), |core| {
        format!(" {}", section(core, &format!("control.{class}.{name}")))
    })
}

/// The attribute of what the kernel keeps of an object's users, with a blank before it.
pub(crate) fn holds(core: Option<u32>, class: &str, name: &str) -> String {
    core.map_or(String::new(), |_| {
        format!(" __attribute__((aligned(64), section(\".data.takt_holds.{class}_{name}\")))")
    })
}

/// Whether the kernel keeps who uses an object of the class.
fn has_users(class: Class) -> bool {
    matches!(class, Class::Semaphore | Class::Mutex)
}

/// The statements of the linker script that keep the arrays before all other data: whoever misses lines of these has none of
/// the arrays' lines prefetched, which lie below. Empty where no object has a core.
pub(crate) fn statements(system: &System, assignments: &[Assignment]) -> String {
    let mut text = String::new();
    for class in CLASSES {
        if owners(system, assignments, class).is_none() {
            continue;
        }
        let word = class.word();
        text += &format!("        *kernel.o(.data.takt_objects.{word})\n");
        for name in class.names(system).into_iter().filter(|_| has_users(class)) {
            text += &format!("        *kernel.o(.data.takt_holds.{word}_{name})\n");
        }
    }
    text
}

/// What a core has of the arrays, as begins and ends in C, the highest address first: so that no two loads are a stream, which
/// would have another core's lines prefetched.
pub(crate) fn pieces(
    system: &System,
    assignments: &[Assignment],
    core: u32,
) -> Vec<(String, String)> {
    let mut pieces = Vec::new();
    for class in CLASSES.into_iter().rev() {
        let Some(owners) = owners(system, assignments, class) else { continue };
        let own = || (0..owners.len()).rev().filter(|index| owners[*index] == core);
        let names = class.names(system);
        if has_users(class) {
            let holds = own().map(|index| format!("holds_{}_{}", class.word(), names[index]));
            pieces.extend(holds.map(|it| {
                // Each array begins a line, and ends within its last one.
                let end = format!("{it} + (sizeof {it} + 63) / 64 * 64");
                (format!("(uint8_t *){it}"), format!("(uint8_t *){end}"))
            }));
        }
        let array = format!("takt_{}", class.plural());
        pieces.extend(own().map(|index| {
            (format!("(uint8_t *)&{array}[{index}]"), format!("(uint8_t *)&{array}[{}]", index + 1))
        }));
    }
    pieces
}
