// SPDX-License-Identifier: Apache-2.0
//! Of `system.c`: the objects that tasks share, each class by ID: constants, and what changes.

use takt_model::{
    Order, Origin, Placement, Protocol, System,
    system::{LOWEST_INTERRUPT, LOWEST_PRIORITY},
};

use crate::entry_symbol;
use crate::locking::lock_of;
use crate::tables::c_integer;

const ALIGNED: &str = "__attribute__((aligned(64)))";

pub fn source(system: &System, placements: &[Placement]) -> String {
    let classes = [
        semaphores,
        flags,
        data_queues,
        priority_data_queues,
        barriers,
        reader_writer_locks,
        spin_locks,
        message_buffers,
        memory_pools,
        buffers,
        interrupts,
    ];
    mutexes(system, placements) + &classes.iter().map(|class| class(system)).collect::<String>()
}

/// With the users, ascending, and the highest of their priorities.
fn mutexes(system: &System, placements: &[Placement]) -> String {
    let mut text = String::new();
    let mut objects = Vec::new();
    for (index, it) in system.mutexes.iter().enumerate() {
        let uses = |task: &takt_model::Task| task.mutexes.iter().any(|one| one.mutex == index);
        let users = || (0..).zip(&system.tasks).filter(|(_, task)| uses(task)).map(|(id, _)| id);
        let highest = users().map(|task: usize| placements[task].priority).min();
        let ids: String = users().map(|task| format!("{}, ", task + 1)).collect();
        let (name, order) = (&it.name, it.order == Order::Priority);
        let protocol = match it.protocol {
            Protocol::Ceiling => "TAKT_CEILING",
            Protocol::Inherit => "TAKT_INHERIT",
            Protocol::Msrp => "TAKT_MSRP",
        };
        text += &format!("static const uint16_t users_{name}[] = {{{ids}0}};\n");
        let constant = format!(
            "\"{name}\", .protocol = {protocol}, .ceiling = {ceiling}, .by_priority = {order},\n     \
             .user_count = {count}, .users = users_{name}",
            ceiling = highest.unwrap_or(LOWEST_PRIORITY),
            count = users().count(),
        );
        let lock = lock_of(system, index, users().map(|task| placements[task].core).next());
        objects.push((constant, format!(".holder = 0{lock}")));
    }
    text + &class_of("mutex", "mutexes", objects.into_iter())
}

/// A class's constants and variables: each object gives a line of both.
fn class(name: &str, objects: impl Iterator<Item = (String, String)>) -> String {
    class_of(name, &format!("{name}s"), objects)
}

fn class_of(name: &str, names: &str, objects: impl Iterator<Item = (String, String)>) -> String {
    let (mut constants, mut variables) = (String::new(), String::new());
    for (constant, variable) in objects {
        constants += &format!("    {{{constant}}},\n");
        variables += &format!("    {{{variable}}},\n");
    }
    // C knows no array of nothing.
    let empty = if variables.is_empty() { "    {.waiters = {.first = 0}},\n" } else { "" };
    format!(
        "/* {names}, by ID. */\nconst struct takt_{name}_config takt_{name}_configs[] = {{\n\
         {constants}}};\nstruct {name} takt_{names}[] = {{\n{variables}{empty}}};\n\n"
    )
}

fn semaphores(system: &System) -> String {
    let objects = system.semaphores.iter().enumerate().map(|(index, it)| {
        let lock = lock_of(system, index, it.core);
        let order = it.order == Order::Priority;
        let constant =
            format!("\"{}\", .maximum = {}, .by_priority = {order}", it.name, it.maximum);
        (constant, format!(".count = {}{lock}", it.initial))
    });
    class("semaphore", objects)
}

fn flags(system: &System) -> String {
    let objects = system.flags.iter().enumerate().map(|(index, it)| {
        let lock = lock_of(system, index, it.core);
        let (clears, shared, order) = (it.clear, it.shared, it.order == Order::Priority);
        let constant = format!(
            "\"{}\", .clears = {clears}, .shared = {shared}, .by_priority = {order}",
            it.name
        );
        (constant, format!(".bits = {:#x}{lock}", it.initial))
    });
    class("flag", objects)
}

fn data_queues(system: &System) -> String {
    let words = system
        .data_queues
        .iter()
        .map(|it| format!("static intptr_t words_{}[{}];\n", it.name, it.capacity.max(1)));
    let objects = system.data_queues.iter().enumerate().map(|(index, it)| {
        let lock = lock_of(system, index, it.core);
        let (name, capacity, order) = (&it.name, it.capacity, it.order == Order::Priority);
        let constant = format!(
            "\"{name}\", .capacity = {capacity}, .words = words_{name}, .by_priority = {order}"
        );
        (constant, format!(".count = 0{lock}"))
    });
    words.collect::<String>() + &class("data_queue", objects)
}

fn priority_data_queues(system: &System) -> String {
    let memory = system.priority_data_queues.iter().map(|it| {
        let (name, capacity, priorities) = (&it.name, it.capacity, it.priorities);
        format!(
            "static struct priority_place places_{name}[{capacity}];\n\
             static struct priority_line lines_{name}[{priorities}];\n"
        )
    });
    let objects = system.priority_data_queues.iter().enumerate().map(|(index, it)| {
        let lock = lock_of(system, index, it.core);
        let name = &it.name;
        let constant = format!(
            "\"{name}\", .capacity = {}, .priorities = {}, .places = places_{name},\n     \
             .lines = lines_{name}, .by_priority = {}",
            it.capacity,
            it.priorities,
            it.order == Order::Priority
        );
        (constant, format!(".count = 0{lock}"))
    });
    memory.collect::<String>() + &class("priority_data_queue", objects)
}

fn barriers(system: &System) -> String {
    let objects = system.barriers.iter().enumerate().map(|(index, it)| {
        let lock = lock_of(system, index, it.core);
        let constant = format!("\"{}\", .participants = {}", it.name, it.participants);
        (constant, format!(".waiters.shrunk = barrier_shrunk{lock}"))
    });
    class("barrier", objects)
}

fn reader_writer_locks(system: &System) -> String {
    let words = system.tasks.len().div_ceil(32).max(1);
    let holders = system
        .reader_writer_locks
        .iter()
        .map(|it| format!("static uint32_t holders_{}[{words}];\n", it.name));
    let objects = system.reader_writer_locks.iter().enumerate().map(|(index, it)| {
        let lock = lock_of(system, index, it.core);
        let (name, order) = (&it.name, it.order == Order::Priority);
        let constant = format!("\"{name}\", .holders = holders_{name}, .by_priority = {order}");
        (constant, format!(".waiters.shrunk = reader_writer_lock_shrunk{lock}"))
    });
    holders.collect::<String>() + &class("reader_writer_lock", objects)
}

fn spin_locks(system: &System) -> String {
    let count = system.spin_locks.len().max(1);
    format!("/* Spin locks, by ID. */\nstruct spin_lock takt_spin_locks[{count}];\n\n")
}

fn message_buffers(system: &System) -> String {
    let rings = system
        .message_buffers
        .iter()
        .map(|it| format!("static uint8_t ring_{}[{}] {ALIGNED};\n", it.name, it.size.0.max(8)));
    let objects = system.message_buffers.iter().enumerate().map(|(index, it)| {
        let lock = lock_of(system, index, it.core);
        let (name, size, limit) = (&it.name, it.size.0, it.message.0);
        let constant = format!(
            "\"{name}\", .size = {size}, .limit = {limit}, .ring = ring_{name}, .by_priority = {}",
            it.order == Order::Priority
        );
        (constant, format!(".waiters.shrunk = message_buffer_shrunk{lock}"))
    });
    rings.collect::<String>() + &class("message_buffer", objects)
}

fn memory_pools(system: &System) -> String {
    let stride = |size: u64| size.div_ceil(64) * 64;
    let blocks = system.memory_pools.iter().map(|it| {
        let (name, count, stride) = (&it.name, it.blocks, stride(it.size.0));
        format!(
            "static uint8_t blocks_{name}[{count}][{stride}] {ALIGNED};\n\
             static uint32_t next_{name}[{count}];\n"
        )
    });
    let objects = system.memory_pools.iter().enumerate().map(|(index, it)| {
        let lock = lock_of(system, index, it.core);
        let (name, count, stride) = (&it.name, it.blocks, stride(it.size.0));
        let constant = format!(
            "\"{name}\", .count = {count}, .stride = {stride}, .blocks = blocks_{name}[0],\n     \
             .next = next_{name}, .by_priority = {}",
            it.order == Order::Priority
        );
        (constant, format!(".free = 0{lock}"))
    });
    blocks.collect::<String>() + &class("memory_pool", objects)
}

fn buffers(system: &System) -> String {
    let mut text = String::from("/* Buffers, by ID. */\n");
    for it in &system.buffers {
        let readers: Vec<_> = it.readers.iter().map(|task| (task + 1).to_string()).collect();
        text += &format!(
            "static const uint16_t readers_{name}[] = {{{readers}}};\n\
             static uint8_t slots_{name}[{slots}][{stride}] __attribute__((aligned(64)));\n\
             static uint32_t claims_{name}[{count}];\n",
            name = it.name,
            readers = readers.join(", "),
            slots = readers.len() + 2,
            stride = it.size.0.div_ceil(64) * 64,
            count = readers.len(),
        );
    }
    text += "const struct takt_buffer_config takt_buffer_configs[] = {\n";
    for it in &system.buffers {
        text += &format!(
            "    {{\"{name}\", .size = {size}, .stride = {stride}, .reader_count = {count}, \
             .writer = {writer}, .readers = readers_{name},\n     .slots = slots_{name}[0], \
             .claims = claims_{name}}},\n",
            name = it.name,
            size = it.size.0,
            stride = it.size.0.div_ceil(64) * 64,
            count = it.readers.len(),
            writer = it.writer + 1,
        );
    }
    let count = system.buffers.len().max(1);
    text + &format!("}};\nstruct buffer takt_buffers[{count}];\n\n")
}

fn interrupts(system: &System) -> String {
    let mut text = String::from(
        "/* Interrupts, by ID. */\nconst struct takt_interrupt_config takt_interrupt_configs[] = {\n",
    );
    for it in &system.interrupts {
        let origin = match &it.origin {
            Origin::Device(path) => format!(".device = \"{path}\""),
            Origin::Source(source) => format!(".source = {source}"),
        };
        text += &format!(
            "    {{\"{}\", {origin}, .entry = {}, .argument = (intptr_t){}, .core = {}, .level = {},\n     \
             .enabled = {}}},\n",
            it.name,
            entry_symbol(&it.entry),
            c_integer(it.argument),
            it.core,
            LOWEST_INTERRUPT + 1 - it.priority,
            it.enabled,
        );
    }
    text + &format!(
        "}};\nstruct interrupt takt_interrupts[{}];\n\n",
        system.interrupts.len().max(1)
    )
}
