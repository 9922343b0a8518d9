// SPDX-License-Identifier: Apache-2.0
//! Writes the part of `system.c` with the objects that tasks share: for each class, in the order of
//! the IDs, the constants and the variables.

use takt_model::{
    Assignment, Buffer, Class, Held, Order, Origin, Protocol, System,
    system::{LOWEST_INTERRUPT, LOWEST_PRIORITY},
};

use crate::c_text::{c_integer, section};
use crate::locking::lock_of;
use crate::{entry_symbol, owners, rights};

const ALIGNED: &str = "__attribute__((aligned(64)))";

/// What writes the tables of a class.
type Tables = fn(&System, &[Assignment]) -> String;

/// The kernel's header of a class's type, and what writes its tables here. None: the tables are
/// written elsewhere.
fn tables(class: Class) -> Option<(&'static str, Tables)> {
    Some(match class {
        Class::Task | Class::Cyclic | Class::Alarm => return None, // tables.rs, time_events.rs
        Class::Semaphore => ("object/semaphore.h", semaphores),
        Class::Mutex => ("object/mutex.h", mutexes),
        Class::Flag => ("object/flag.h", flags),
        Class::DataQueue => ("object/data_queue.h", data_queues),
        Class::PriorityDataQueue => ("object/priority_data_queue.h", priority_data_queues),
        Class::Barrier => ("object/barrier.h", |system, _| barriers(system)),
        Class::ReaderWriterLock => {
            ("object/reader_writer_lock.h", |system, _| reader_writer_locks(system))
        }
        Class::SpinLock => ("object/user_spinlock.h", |system, _| spin_locks(system)),
        Class::MessageBuffer => ("object/message_buffer.h", |system, _| message_buffers(system)),
        Class::MemoryPool => ("object/memory_pool.h", memory_pools),
        Class::Buffer => ("object/buffer.h", |system, _| buffers(system)),
        Class::SamplingPort => ("object/sampling_port.h", |system, _| sampling_ports(system)),
        Class::QueuingPort => ("object/queuing_port.h", |system, _| queuing_ports(system)),
        Class::Interrupt => ("interrupt/interrupt.h", |system, _| interrupts(system)),
    })
}

pub fn headers() -> impl Iterator<Item = &'static str> {
    Class::ALL.iter().filter_map(|class| tables(*class)).map(|(header, _)| header)
}

pub fn source(system: &System, assignments: &[Assignment]) -> String {
    let classes = Class::ALL.iter().filter_map(|class| tables(*class));
    classes.map(|(_, tables)| tables(system, assignments)).collect()
}

/// The mutexes, with the highest priority of their users as the ceiling.
fn mutexes(system: &System, assignments: &[Assignment]) -> String {
    let places = Places::new(system, assignments, Class::Mutex);
    let text = places.levels(system.mutexes.iter().map(|it| (&it.name, it.order)));
    let mut objects = Vec::new();
    for (index, it) in system.mutexes.iter().enumerate() {
        let users = owners::users(system, Held::Mutex(index));
        let highest = users.iter().map(|task| assignments[*task].priority).min();
        let (name, order) = (&it.name, it.order == Order::Priority);
        let protocol = match it.protocol {
            Protocol::Ceiling => "TAKT_CEILING",
            Protocol::Inherit => "TAKT_INHERIT",
            Protocol::Msrp => "TAKT_MSRP",
            Protocol::Plain => "TAKT_PLAIN",
        };
        let constant = format!(
            "\"{name}\", .protocol = {protocol}, .ceiling = {ceiling}, .by_priority = {order},\n     \
             {users}",
            ceiling = it.ceiling.or(highest).unwrap_or(LOWEST_PRIORITY),
            users = rights::users_of(system, Held::Mutex(index)),
        );
        let lock = lock_of(system, index, users.first().map(|task| assignments[*task].core));
        let levels = levels_of("mutex", name, it.order);
        objects.push((constant, format!(".holder = 0{lock}{levels}")));
    }
    text + &places.objects(objects.into_iter())
}

/// The constants and the variables of a class; each object contributes one line to both. `place`: the attribute of the
/// variables.
fn class(class: Class, place: &str, objects: impl Iterator<Item = (String, String)>) -> String {
    let (name, names) = (class.word(), class.plural());
    let (mut constants, mut variables) = (String::new(), String::new());
    for (constant, variable) in objects {
        constants += &format!("    {{{constant}}},\n");
        variables += &format!("    {{{variable}}},\n");
    }
    // C has no arrays without elements.
    let empty = if variables.is_empty() { "    {.waiters = {.first = 0}},\n" } else { "" };
    format!(
        "/* {names}, by ID. */\nconst struct takt_{name}_config takt_{name}_configs[] = {{\n\
         {constants}}};\nstruct {name} takt_{names}[]{place} = {{\n{variables}{empty}}};\n\n"
    )
}

/// Where the variables of a class stand, and what belongs to one of its objects.
struct Places {
    class: Class,
    array: String,
    owners: Option<Vec<u32>>,
}

impl Places {
    fn new(system: &System, assignments: &[Assignment], class: Class) -> Places {
        let array = owners::array(system, assignments, class);
        Places { class, array, owners: owners::owners(system, assignments, class) }
    }

    /// The attribute of what an object needs beside its block.
    fn beside(&self, index: usize, name: &str) -> String {
        let owner = self.owners.as_ref().map(|cores| cores[index]);
        owners::beside(owner, self.class.word(), name)
    }

    /// The queues that objects in priority order need besides their block; empty for a FIFO order.
    fn levels<'a>(&self, objects: impl Iterator<Item = (&'a String, Order)>) -> String {
        let class = self.class.word();
        let ordered = objects.enumerate().filter(|(_, (_, order))| *order == Order::Priority);
        let one = |(index, (name, _)): (usize, (&String, Order))| {
            let place = self.beside(index, name);
            format!("static struct waiters_levels {class}_levels_{name}{place};\n")
        };
        ordered.map(one).collect()
    }

    fn objects(&self, objects: impl Iterator<Item = (String, String)>) -> String {
        class(self.class, &self.array, objects)
    }
}

/// The queues that objects in priority order need besides their block; empty for a FIFO order.
fn levels<'a>(class: &str, objects: impl Iterator<Item = (&'a String, Order)>) -> String {
    let ordered = objects.filter(|(_, order)| *order == Order::Priority);
    ordered
        .map(|(name, _)| format!("static struct waiters_levels {class}_levels_{name};\n"))
        .collect()
}

/// The initialiser that refers to such a queue, with a comma before it.
fn levels_of(class: &str, name: &str, order: Order) -> String {
    match order {
        Order::Priority => format!(", .waiters.levels = &{class}_levels_{name}"),
        Order::Fifo => String::new(),
    }
}

fn semaphores(system: &System, assignments: &[Assignment]) -> String {
    let places = Places::new(system, assignments, Class::Semaphore);
    let levels = places.levels(system.semaphores.iter().map(|it| (&it.name, it.order)));
    let objects = system.semaphores.iter().enumerate().map(|(index, it)| {
        let lock = lock_of(system, index, it.core);
        let order = it.order == Order::Priority;
        let constant = format!(
            "\"{}\", .maximum = {}, .initial = {}, .by_priority = {order},\n     {}",
            it.name,
            it.maximum,
            it.initial,
            rights::users_of(system, Held::Semaphore(index))
        );
        let levels = levels_of("semaphore", &it.name, it.order);
        (constant, format!(".count = {}{lock}{levels}", it.initial))
    });
    levels + &places.objects(objects)
}

fn flags(system: &System, assignments: &[Assignment]) -> String {
    let places = Places::new(system, assignments, Class::Flag);
    let levels = places.levels(system.flags.iter().map(|it| (&it.name, it.order)));
    let objects = system.flags.iter().enumerate().map(|(index, it)| {
        let lock = lock_of(system, index, it.core);
        let (clears, shared, order) = (it.clear, it.shared, it.order == Order::Priority);
        let constant = format!(
            "\"{}\", .initial = {:#x}, .clears = {clears}, .shared = {shared}, .by_priority = {order}",
            it.name, it.initial
        );
        let levels = levels_of("flag", &it.name, it.order);
        (constant, format!(".bits = {:#x}, .waiters.next = flag_next{lock}{levels}", it.initial))
    });
    levels + &places.objects(objects)
}

fn data_queues(system: &System, assignments: &[Assignment]) -> String {
    let places = Places::new(system, assignments, Class::DataQueue);
    let levels = places.levels(system.data_queues.iter().map(|it| (&it.name, it.order)));
    let words = system.data_queues.iter().enumerate().map(|(index, it)| {
        let place = places.beside(index, &it.name);
        format!("static intptr_t words_{}[{}]{place};\n", it.name, it.capacity.max(1))
    });
    let objects = system.data_queues.iter().enumerate().map(|(index, it)| {
        let lock = lock_of(system, index, it.core);
        let (name, capacity, order) = (&it.name, it.capacity, it.order == Order::Priority);
        let constant = format!(
            "\"{name}\", .capacity = {capacity}, .words = words_{name}, .by_priority = {order}"
        );
        let levels = levels_of("data_queue", name, it.order);
        (constant, format!(".count = 0{lock}{levels}"))
    });
    words.collect::<String>() + &levels + &places.objects(objects)
}

fn priority_data_queues(system: &System, assignments: &[Assignment]) -> String {
    let class_name = Class::PriorityDataQueue.word();
    let places = Places::new(system, assignments, Class::PriorityDataQueue);
    let all = system.priority_data_queues.iter();
    let levels = places.levels(all.map(|it| (&it.name, it.order)));
    let memory = system.priority_data_queues.iter().enumerate().map(|(index, it)| {
        let (name, capacity, priorities) = (&it.name, it.capacity, it.priorities);
        let place = places.beside(index, name);
        format!(
            "static struct priority_place places_{name}[{capacity}]{place};\n\
             static struct priority_line lines_{name}[{priorities}]{place};\n"
        )
    });
    let objects = system.priority_data_queues.iter().enumerate().map(|(index, it)| {
        let lock = lock_of(system, index, it.core);
        let name = &it.name;
        let constant = format!(
            "\"{name}\", .capacity = {}, .priorities = {}, .places = places_{name},\n     \
             .lines = lines_{name}, .by_priority = {}{}",
            it.capacity,
            it.priorities,
            it.order == Order::Priority,
            system.raised_task(index).map_or(String::new(), |it| format!(", .raises = {}", it + 1))
        );
        let levels = levels_of(class_name, name, it.order);
        (constant, format!(".count = 0{lock}{levels}"))
    });
    memory.collect::<String>() + &levels + &places.objects(objects)
}

fn barriers(system: &System) -> String {
    let objects = system.barriers.iter().enumerate().map(|(index, it)| {
        let lock = lock_of(system, index, it.core);
        let constant = format!("\"{}\", .participants = {}", it.name, it.participants);
        (constant, format!(".waiters.next = barrier_next{lock}"))
    });
    class(Class::Barrier, "", objects)
}

fn reader_writer_locks(system: &System) -> String {
    let class_name = "reader_writer_lock";
    let all = system.reader_writer_locks.iter();
    let levels = levels(class_name, all.map(|it| (&it.name, it.order)));
    let words = system.tasks.len().div_ceil(32).max(1);
    let holders = system
        .reader_writer_locks
        .iter()
        .map(|it| format!("static uint32_t holders_{}[{words}];\n", it.name));
    let objects = system.reader_writer_locks.iter().enumerate().map(|(index, it)| {
        let lock = lock_of(system, index, it.core);
        let (name, order) = (&it.name, it.order == Order::Priority);
        let constant = format!("\"{name}\", .holders = holders_{name}, .by_priority = {order}");
        let levels = levels_of(class_name, name, it.order);
        (constant, format!(".waiters.next = reader_writer_lock_next{lock}{levels}"))
    });
    holders.collect::<String>() + &levels + &class(Class::ReaderWriterLock, "", objects)
}

fn spin_locks(system: &System) -> String {
    let count = system.spin_locks.len().max(1);
    let config = |(index, name)| {
        format!("    {{\"{name}\", {}}},\n", rights::users_of(system, Held::SpinLock(index)))
    };
    let configs: String = system.spin_locks.iter().enumerate().map(config).collect();
    format!(
        "/* Spin locks, by ID. */\nstruct user_spinlock takt_spin_locks[{count}];\n\
         const struct takt_spin_lock_config takt_spin_lock_configs[] = {{\n{configs}}};\n\n"
    )
}

fn message_buffers(system: &System) -> String {
    let all = system.message_buffers.iter();
    let levels = levels("message_buffer", all.map(|it| (&it.name, it.order)));
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
        let levels = levels_of("message_buffer", name, it.order);
        (constant, format!(".waiters.next = message_buffer_next{lock}{levels}"))
    });
    rings.collect::<String>() + &levels + &class(Class::MessageBuffer, "", objects)
}

fn memory_pools(system: &System, assignments: &[Assignment]) -> String {
    let places = Places::new(system, assignments, Class::MemoryPool);
    let levels = places.levels(system.memory_pools.iter().map(|it| (&it.name, it.order)));
    let stride = |size: u64| size.div_ceil(64) * 64;
    let blocks = system.memory_pools.iter().enumerate().map(|(index, it)| {
        let (name, count, stride) = (&it.name, it.blocks, stride(it.size.0));
        let place = places.beside(index, name);
        format!(
            "static uint8_t blocks_{name}[{count}][{stride}] {ALIGNED}{place};\n\
             static uint32_t next_{name}[{count}]{place};\n"
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
        let levels = levels_of("memory_pool", name, it.order);
        (constant, format!(".free = 0{lock}{levels}"))
    });
    blocks.collect::<String>() + &levels + &places.objects(objects)
}

fn buffers(system: &System) -> String {
    let mut text = String::from("/* Buffers, by ID. */\n");
    text += &system.buffers.iter().map(|it| slots("", it)).collect::<String>();
    text += "const struct takt_buffer_config takt_buffer_configs[] = {\n";
    for it in &system.buffers {
        text += &format!("    {{{}}},\n", buffer_config("", it));
    }
    let count = system.buffers.len().max(1);
    text + &format!("}};\nstruct buffer takt_buffers[{count}];\n\n")
}

/// The variables of what has slots. `port`: what their names have in front.
fn slots(port: &str, it: &Buffer) -> String {
    let readers: Vec<_> = it.readers.iter().map(|task| (task + 1).to_string()).collect();
    format!(
        "static const uint16_t {port}readers_{name}[] = {{{readers}}};\n\
         static uint8_t {port}slots_{name}[{slots}][{stride}] __attribute__((aligned(64)));\n\
         static uint32_t {port}claims_{name}[{count}];\n",
        name = it.name,
        readers = readers.join(", "),
        slots = readers.len() + 2,
        stride = it.size.0.div_ceil(64) * 64,
        count = readers.len(),
    )
}

fn buffer_config(port: &str, it: &Buffer) -> String {
    format!(
        "\"{name}\", .size = {size}, .stride = {stride}, .reader_count = {count}, \
         .writer = {writer}, .readers = {port}readers_{name},\n     .slots = {port}slots_{name}[0], \
         .claims = {port}claims_{name}",
        name = it.name,
        size = it.size.0,
        stride = it.size.0.div_ceil(64) * 64,
        count = it.readers.len(),
        writer = it.writer + 1,
    )
}

fn sampling_ports(system: &System) -> String {
    let port = "port_";
    let mut text = String::from("/* Sampling ports, by ID. */\n");
    for it in &system.sampling_ports {
        let (name, count) = (&it.buffer.name, it.buffer.readers.len() + 2);
        text += &slots(port, &it.buffer);
        text += &format!("static takt_time {port}written_{name}[{count}];\n");
    }
    text += "const struct takt_sampling_port_config takt_sampling_port_configs[] = {\n";
    for it in &system.sampling_ports {
        text += &format!(
            "    {{{{{buffer}}},\n     .refresh = {refresh}, .written = {port}written_{name}}},\n",
            buffer = buffer_config(port, &it.buffer),
            refresh = it.refresh.0,
            name = it.buffer.name,
        );
    }
    let count = system.sampling_ports.len().max(1);
    text + &format!("}};\nstruct buffer takt_sampling_ports[{count}];\n\n")
}

fn queuing_ports(system: &System) -> String {
    let (mut text, mut configs) = (String::from("/* Queuing ports, by ID. */\n"), String::new());
    for it in &system.queuing_ports {
        let (name, message) = (&it.name, system.message_buffers[it.message_buffer].message.0);
        let in_partition = system.tasks[it.destination].partition.is_some();
        if in_partition {
            text += &format!("static uint8_t received_{name}[{message}] {ALIGNED};\n");
        }
        configs += &format!(
            "    {{\"{name}\", .message_buffer = {}, .source = {}, .destination = {}, .received = {}}},\n",
            it.message_buffer + 1,
            it.source + 1,
            it.destination + 1,
            if in_partition { format!("received_{name}") } else { "0".to_string() },
        );
    }
    let count = system.queuing_ports.len().max(1);
    text + &format!(
        "const struct takt_queuing_port_config takt_queuing_port_configs[] = {{\n{configs}}};\n\
         struct queuing_port takt_queuing_ports[{count}];\n\n"
    )
}

fn interrupts(system: &System) -> String {
    let mut text = String::from("/* Interrupts, by ID. */\n");
    for it in &system.interrupts {
        let section = section(it.core, &format!("control.interrupt_{}", it.name));
        text += &format!("static struct interrupt interrupt_{} {section};\n", it.name);
    }
    text += "const struct takt_interrupt_config takt_interrupt_configs[] = {\n";
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
    text += "};\nstruct interrupt *const takt_interrupts[] = {\n";
    for it in &system.interrupts {
        text += &format!("    &interrupt_{},\n", it.name);
    }
    text += "};\n";
    text + &format!(
        "struct interrupt_source takt_interrupt_sources[{}];\n\n",
        system.interrupts.len().max(1)
    )
}
