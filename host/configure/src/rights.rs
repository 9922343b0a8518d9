// SPDX-License-Identifier: Apache-2.0
//! Writes the part of `system.c` that says who uses and controls what, and which of that is
//! measured.

use takt_model::{Action, Assignment, Assumption, Class, Held, Limit, System, Target, Task};

use crate::owners::{self, users};

/// The users of each object with their holds, followed by the lists of each task.
pub fn source(system: &System, assignments: &[Assignment]) -> String {
    let limits = system.limits();
    let mut text = String::from("/* Who uses what. */\n");
    let objects = objects(system);
    for (class, name, object) in &objects {
        let users = users(system, *object);
        let ids: String = users.iter().map(|task| format!("{}, ", task + 1)).collect();
        let holds: String =
            users.iter().map(|task| hold(system, &limits, *task, *object)).collect();
        let place = owners::holds(core_of(system, assignments, *object), class, name);
        text += &format!(
            "static const uint16_t users_{class}_{name}[] = {{{ids}0}};\n\
             static struct hold holds_{class}_{name}[]{place} = {{{holds}{{.limit = 0}}}};\n"
        );
    }
    for (index, task) in system.tasks.iter().enumerate() {
        if !holds(system, index) {
            text += &controls(system, &limits, index, task);
            continue;
        }
        let held = objects.iter().filter_map(|(class, name, object)| {
            let place = users(system, *object).iter().position(|user| *user == index)?;
            Some(format!("&holds_{class}_{name}[{place}], "))
        });
        text += &format!(
            "static struct hold *const holds_{}[] = {{{}0}};\n",
            task.name,
            held.collect::<String>()
        );
        text += &controls(system, &limits, index, task);
    }
    text + "\n"
}

/// Whether the task holds objects of the description, so that it has a list of them.
fn holds(system: &System, task: usize) -> bool {
    let it = &system.tasks[task];
    let semaphores = it.uses.iter().any(|one| one.hold.is_some());
    semaphores || !it.mutexes.is_empty() || !it.rights.spin_locks.is_empty()
}

/// The initialisers of a task's lists in its configuration.
pub fn lists_of(system: &System, task: usize) -> String {
    let it = &system.tasks[task];
    let list = |there: bool, class: &str| match there {
        true => format!("{class}_{}", it.name),
        false => "0".to_string(),
    };
    format!(
        ".controls = {}, .holds = {}",
        list(!it.rights.controls.is_empty(), "controls"),
        list(holds(system, task), "holds")
    )
}

/// The initialiser of an object's `users`.
pub fn users_of(system: &System, object: Held) -> String {
    let (class, name) = named(system, object);
    let count = users(system, object).len();
    format!(
        ".users = {{.count = {count}, .ids = users_{class}_{name}, .holds = holds_{class}_{name}}}"
    )
}

/// The core that the object belongs to.
fn core_of(system: &System, assignments: &[Assignment], object: Held) -> Option<u32> {
    match object {
        Held::Mutex(index) => owners::owner(system, assignments, Class::Mutex, index),
        Held::Semaphore(index) => owners::owner(system, assignments, Class::Semaphore, index),
        Held::SpinLock(_) => None,
    }
}

fn objects(system: &System) -> Vec<(&'static str, &str, Held)> {
    let mutexes = (0..system.mutexes.len()).map(Held::Mutex);
    let semaphores = (0..system.semaphores.len()).map(Held::Semaphore);
    let locks = (0..system.spin_locks.len()).map(Held::SpinLock);
    let all = mutexes.chain(semaphores).chain(locks);
    all.map(|object| {
        let (class, name) = named(system, object);
        (class, name, object)
    })
    .collect()
}

fn named(system: &System, object: Held) -> (&'static str, &str) {
    match object {
        Held::Mutex(index) => ("mutex", &system.mutexes[index].name),
        Held::Semaphore(index) => ("semaphore", &system.semaphores[index].name),
        Held::SpinLock(index) => ("spin_lock", &system.spin_locks[index]),
    }
}

fn hold(system: &System, limits: &[Limit], task: usize, object: Held) -> String {
    let limit = system.limit(limits, Assumption::Hold { task, object });
    let nesting = system.limit(limits, Assumption::Nesting { task });
    if nesting == 0 {
        return format!("{{.limit = {limit}}}, ");
    }
    let (bit, inside) = bits(system, task, object);
    format!("{{.limit = {limit}, .nesting = {nesting}, .bit = {bit:#x}, .inside = {inside:#x}}}, ")
}

/// The object's bit among those that the task holds, and the bits of the objects that the task may
/// hold when it acquires this one. The reader of the description refuses more objects than there
/// are bits.
fn bits(system: &System, task: usize, object: Held) -> (u64, u64) {
    let held = system.held_by(task);
    let bit = |object: Held| {
        let place = held.iter().position(|one| *one == object);
        place.map_or(0, |place| 1_u64 << place)
    };
    let mut mutexes = system.tasks[task].mutexes.iter();
    let own = mutexes.find(|one| object == Held::Mutex(one.mutex));
    let inside = own.iter().flat_map(|one| &one.inside);
    (bit(object), inside.fold(0, |sum, outer| sum | bit(Held::Mutex(*outer))))
}

fn controls(system: &System, limits: &[Limit], index: usize, task: &Task) -> String {
    let (name, count) = (&task.name, task.rights.controls.len());
    if count == 0 {
        return String::new();
    }
    let mut text = format!(
        "static uint64_t control_times_{name}[{count}];\n\
         static const struct takt_control_config controls_{name}[{count}] = {{\n"
    );
    for (control, one) in task.rights.controls.iter().enumerate() {
        let (word, id) = match one.target {
            Target::Task(task, action) => (action_word(action), task + 1),
            Target::Cyclic(cyclic) => ("CYCLIC", cyclic + 1),
            Target::Alarm(alarm) => ("ALARM", alarm + 1),
            Target::Interrupt(interrupt) => ("INTERRUPT", interrupt + 1),
        };
        let limit = system.limit(limits, Assumption::Separation { task: index, control });
        text += &format!(
            "    {{TAKT_CONTROL_{word}, .id = {id}, .limit = {limit}, .latest = &control_times_{name}[{control}]}},\n"
        );
    }
    text + "};\n"
}

fn action_word(action: Action) -> &'static str {
    match action {
        Action::Observe => "OBSERVE",
        Action::Terminate => "TERMINATE",
        Action::Suspend => "SUSPEND",
        Action::SetPriority => "PRIORITY",
        Action::Migrate => "MIGRATE",
    }
}
