// SPDX-License-Identifier: Apache-2.0
//! Writes what a system with partitions has beside others: their tables, their part of the linker
//! script, and what CMake needs to link each by itself. `docs/design/partitions.md` has the layout.

use std::collections::BTreeSet;

use takt_model::{Assignment, Buffer, Partition, Reaction, System};

use crate::{PAGE, pages};

/// The addresses of the first partition, and how many each has.
const BASE: u64 = 0xffff_ffff_0000_0000;
const SPAN: u64 = 32 << 20;
/// The page tables of a partition: the root, one for its GiB, and one for each 2 MiB.
const TABLES: u64 = 2 + SPAN / (2 << 20);
/// The size of the stack on which a task's calls run.
pub const KERNEL_STACK: u64 = 4096;

/// The function that a partition's entries return to.
const EXIT: &str = "takt_task_exit";

/// The number of page tables that the partitions need.
pub fn tables(system: &System) -> u64 {
    TABLES * system.partitions.len() as u64
}

/// The symbol of a function of a partition: the build prefixes all of them. By the partition's index,
/// so that no two names of a partition and of a function make the same symbol.
pub fn symbol(partition: usize, function: &str) -> String {
    format!("takt_partition{partition}_{function}")
}

/// The functions of a partition that the kernel calls.
pub fn functions(system: &System, partition: usize) -> BTreeSet<&str> {
    let own = system.tasks.iter().filter(|task| task.partition == Some(partition));
    own.map(|task| task.entry.as_str()).collect()
}

/// The lines of `application.cmake`.
pub fn cmake(system: &System) -> String {
    if system.partitions.is_empty() {
        return String::new();
    }
    let names: Vec<_> = system.partitions.iter().map(|it| it.name.as_str()).collect();
    let mut text = format!("set(TAKT_PARTITIONS {})\n", names.join(" "));
    for (index, partition) in system.partitions.iter().enumerate() {
        let sources = partition.sources.iter();
        let sources: String = sources.map(|it| format!("    [==[{}]==]\n", it.display())).collect();
        let entries: Vec<_> = functions(system, index).into_iter().chain([EXIT]).collect();
        text += &format!(
            "set(TAKT_PARTITION_{name}_SOURCES\n{sources})\n\
             set(TAKT_PARTITION_{name}_ENTRIES {entries})\n",
            name = partition.name,
            entries = entries.join(" ")
        );
    }
    text
}

// --- The linker script --------------------------------------------------------------------------

/// The program headers.
pub fn headers(system: &System) -> String {
    let header = |index: usize| {
        format!(
            "    partition{index}_text PT_LOAD FLAGS(5);\n    \
             partition{index}_rodata PT_LOAD FLAGS(4);\n    \
             partition{index}_data PT_LOAD FLAGS(6);\n"
        )
    };
    (0..system.partitions.len()).map(header).collect()
}

/// The sections and stacks of the partitions. Physically they follow one another from
/// `takt_linear` on, and end at `takt_physical_end`.
pub fn script(system: &System) -> String {
    let mut text = String::new();
    for (index, partition) in system.partitions.iter().enumerate() {
        text += &place(system, index, partition);
    }
    text + "\n    takt_physical_end = takt_linear;\n"
}

fn place(system: &System, index: usize, partition: &Partition) -> String {
    let name = &partition.name;
    let base = BASE + index as u64 * SPAN;
    // None is empty: the segment of an empty section would lie at address 0.
    let part = |part: &str, address: &str, contents: &str| {
        let linear = format!("takt_linear_{part}_{name}");
        format!(
            "    .partition.{name}.{part} {address}: AT(takt_load + ({linear} - takt_link_base)) {{\n        \
             takt_place_{part}_{name} = .;\n        QUAD(0)\n{contents}        . = ALIGN({PAGE});\n    }} :partition{index}_{part}\n"
        )
    };
    // Behind the part before.
    let linear = |part: &str, before: &str| {
        format!(
            "    takt_linear_{part}_{name} = takt_linear_{before}_{name} + SIZEOF(.partition.{name}.{before});\n"
        )
    };
    let all = |sections: &[&str]| {
        let one = |it: &&str| format!("*(.partition.{name}.{it} .partition.{name}.{it}.*)");
        format!("        {}\n", sections.iter().map(one).collect::<Vec<_>>().join(" "))
    };
    let data = format!(
        "{}        . = ALIGN(8);\n        takt_place_bss_{name} = .;\n{}",
        all(&["data", "sdata"]),
        all(&["sbss", "bss"])
    );
    let mut text = format!("\n    takt_linear_text_{name} = takt_linear;\n");
    text += &part("text", &format!("{base:#x} "), &all(&["text"]));
    text += &linear("rodata", "text");
    text += &part("rodata", "", &all(&["rodata", "srodata"]));
    text += &linear("data", "rodata");
    text += &part("data", "", &data);
    text += &format!("    takt_place_end_{name} = .;\n");
    text += &linear("stacks", "data");
    if partition.restarts > 0 {
        text += &format!(
            "    takt_initial_{name} = .;\n    . = . + ALIGN(takt_place_bss_{name} - takt_place_data_{name}, {PAGE});\n    \
             takt_initial_end_{name} = .;\n    takt_initial_linear_{name} = takt_linear_stacks_{name};\n    \
             takt_linear_stacks_{name} = takt_linear_stacks_{name} + (takt_initial_end_{name} - takt_initial_{name});\n"
        );
    }
    text += &format!("    takt_linear = takt_linear_stacks_{name};\n");
    for task in system.tasks.iter().filter(|task| task.partition == Some(index)) {
        let (task, size) = (&task.name, pages(task.stack.0));
        // A page that is not mapped, the stack, and a page with the thread-local storage.
        text += &format!(
            "    takt_user_limit_{task} = . + {PAGE};\n    . = takt_user_limit_{task} + {size};\n    \
             takt_user_top_{task} = .;\n    . = . + {PAGE};\n    takt_user_end_{task} = .;\n    \
             takt_user_linear_{task} = takt_linear;\n    takt_linear = takt_linear + {};\n",
            size + PAGE
        );
    }
    text + &format!(
        "    ASSERT(. - {base:#x} <= {SPAN:#x}, \"the partition {name} is larger than 32 MiB\")\n    \
         ASSERT(takt_tls_extent <= {PAGE}, \"thread-local storage is larger than {PAGE} bytes\")\n"
    )
}

// --- The tables ---------------------------------------------------------------------------------

/// Declares the functions that the tables of tasks name.
pub fn entries(system: &System) -> String {
    let own = (0..system.partitions.len())
        .flat_map(|index| functions(system, index).into_iter().map(move |it| (index, it)));
    let declare = |(index, it)| format!("void {}(intptr_t argument);\n", symbol(index, it));
    own.map(declare).collect()
}

/// The highest priority of a partition's tasks of a core.
fn ceiling(system: &System, assignments: &[Assignment], partition: usize, core: u32) -> u8 {
    let tasks = system.tasks.iter().zip(assignments);
    let here = tasks.filter(|(task, it)| task.partition == Some(partition) && it.core == core);
    here.map(|(_, it)| it.priority).min().expect("a task asks")
}

pub fn source(system: &System, assignments: &[Assignment]) -> String {
    if system.partitions.is_empty() {
        return String::new();
    }
    let mut text = String::from("/* Partitions. */\n");
    for (index, partition) in system.partitions.iter().enumerate() {
        text += &declarations(system, index, partition);
    }
    text += "\nconst struct takt_partition_config takt_partition_configs[] = {\n";
    let partitions = system.partitions.iter().enumerate();
    text += &partitions.map(|(index, it)| config(system, index, it)).collect::<String>();
    text += &format!(
        "}};\nconst uint32_t takt_partition_count = {count};\n\
         uint64_t takt_partition_tables[{count}];\nuint8_t takt_partition_states[{tasks}];\n\
         struct partition_restart takt_partition_restarts[{count}];\n\
         struct takt_record_health takt_record_health[{tasks}];\n\
         struct takt_record_partition takt_record_partitions[{count}];\n\n",
        count = system.partitions.len(),
        tasks = system.tasks.len()
    );
    text += "/* By task ID. */\nconst struct takt_partition_task takt_partition_tasks[] = {\n";
    for (task, place) in system.tasks.iter().zip(assignments) {
        text += &match task.partition {
            None => "    {0},\n".to_string(),
            Some(index) => format!(
                "    {{{}, {ceiling}, takt_user_limit_{name}, takt_user_top_{name}, takt_user_end_{name}}},\n",
                index + 1,
                ceiling = ceiling(system, assignments, index, place.core),
                name = task.name
            ),
        };
    }
    text += "};\n\nconst struct takt_partition_region takt_partition_regions[] = {\n";
    for (index, partition) in system.partitions.iter().enumerate() {
        text += &regions(system, index, partition);
    }
    text + "};\nconst uint32_t takt_partition_region_count =\n    \
            sizeof takt_partition_regions / sizeof *takt_partition_regions;\n\n"
}

fn declarations(system: &System, index: usize, partition: &Partition) -> String {
    let name = &partition.name;
    let place = |part: &str| format!("takt_place_{part}_{name}[]");
    let linear = |part: &str| format!("takt_linear_{part}_{name}[]");
    let places = ["text", "rodata", "data", "bss", "end"].map(place);
    let places = places.into_iter().chain(["text", "rodata", "data"].map(linear));
    let places = places.collect::<Vec<_>>().join(", ");
    let mut text = format!("extern uint8_t {places};\nvoid {}(void);\n", symbol(index, EXIT));
    if partition.restarts > 0 {
        text += &format!(
            "extern uint8_t takt_initial_{name}[], takt_initial_end_{name}[], takt_initial_linear_{name}[];\n"
        );
    }
    for task in system.tasks.iter().filter(|task| task.partition == Some(index)) {
        let task = &task.name;
        text += &format!(
            "extern uint8_t takt_user_limit_{task}[], takt_user_top_{task}[], takt_user_end_{task}[], takt_user_linear_{task}[];\n"
        );
    }
    let own = |task: usize| system.tasks[task].partition == Some(index);
    let tasks = (0..system.tasks.len()).map(own);
    let semaphores = system.semaphores.iter().map(|it| it.partition == Some(index));
    let uses = |it: &Buffer| own(it.writer) || it.readers.iter().any(|&task| own(task));
    let buffers = system.buffers.iter().map(uses);
    let sampling_ports = system.sampling_ports.iter().map(|it| uses(&it.buffer));
    let queuing_ports = system.queuing_ports.iter();
    let queuing_ports = queuing_ports.map(|it| own(it.source) || own(it.destination));
    text += &bits(name, "tasks", tasks.collect());
    text += &bits(name, "semaphores", semaphores.collect());
    text += &bits(name, "buffers", buffers.collect());
    if system.has_ports() {
        text += &bits(name, "sampling_ports", sampling_ports.collect());
        text += &bits(name, "queuing_ports", queuing_ports.collect());
    }
    text
}

/// The bits of the objects of a class that the partition's tasks may name, by ID - 1.
fn bits(name: &str, class: &str, own: Vec<bool>) -> String {
    let word = |chunk: &[bool]| {
        let bits = chunk.iter().enumerate().filter(|(_, own)| **own);
        format!("{:#x}, ", bits.fold(0_u64, |word, (bit, _)| word | 1 << bit))
    };
    let words: String = own.chunks(64).map(word).collect();
    format!("static const uint64_t {class}_of_{name}[] = {{{words}0}};\n")
}

fn config(system: &System, index: usize, partition: &Partition) -> String {
    let name = &partition.name;
    let restarts = match (system.has_restarts(), partition.restarts) {
        (false, _) => String::new(),
        (true, 0) => "\n     .restarts = 0, .initial = 0,".to_string(),
        (true, most) => format!("\n     .restarts = {most}, .initial = takt_initial_{name},"),
    };
    let ports = if system.has_ports() {
        format!(
            ".sampling_ports = sampling_ports_of_{name}, .queuing_ports = queuing_ports_of_{name},\n     "
        )
    } else {
        String::new()
    };
    let word = |reaction| match reaction {
        Reaction::RestartTask => "TAKT_RESTART_TASK",
        Reaction::StopTask => "TAKT_STOP_TASK",
        Reaction::RestartWarm => "TAKT_RESTART_WARM",
        Reaction::RestartCold => "TAKT_RESTART_COLD",
        Reaction::StopPartition => "TAKT_STOP_PARTITION",
        Reaction::Shutdown => "TAKT_SHUTDOWN",
    };
    let health = &partition.health;
    format!(
        "    {{.name = \"{name}\", .constants = takt_place_rodata_{name}, .constants_end = takt_place_data_{name},\n     \
         .data = takt_place_data_{name}, .data_end = takt_place_end_{name}, .bss = takt_place_bss_{name},\n     \
         .exit = {exit},{restarts}\n     \
         .tasks = tasks_of_{name}, .semaphores = semaphores_of_{name}, .buffers = buffers_of_{name},\n     {ports}\
         .reactions = {{[TAKT_MEMORY_VIOLATION] = {memory}, [TAKT_STACK_OVERFLOW] = {stack},\n     \
         [TAKT_ILLEGAL_REQUEST] = {request}, [TAKT_APPLICATION_ERROR] = {application}}}}},\n",
        exit = symbol(index, EXIT),
        memory = word(health.memory_violation),
        stack = word(health.stack_overflow),
        request = word(health.illegal_request),
        application = word(health.application_error)
    )
}

fn regions(system: &System, index: usize, partition: &Partition) -> String {
    let name = &partition.name;
    let region_for = |start: &str, end: &str, linear: &str, permissions: &str, closed: bool| {
        format!(
            "    {{{{(uintptr_t){start}, (uintptr_t){end}, (uintptr_t){linear},\n      {permissions}, 0}}, {index}, {closed}}},\n"
        )
    };
    let region = |start: &str, end: &str, linear: &str, permissions: &str| {
        region_for(start, end, linear, permissions, false)
    };
    let part = |part: &str, next: &str, permissions: &str| {
        let (start, end) =
            (format!("takt_place_{part}_{name}"), format!("takt_place_{next}_{name}"));
        region(&start, &end, &format!("takt_linear_{part}_{name}"), permissions)
    };
    let mut text = part("text", "rodata", "TAKT_READ | TAKT_EXECUTE");
    text += &part("rodata", "data", "TAKT_READ");
    text += &part("data", "end", "TAKT_READ | TAKT_WRITE");
    for task in system.tasks.iter().filter(|task| task.partition == Some(index)) {
        let user = |part: &str| format!("takt_user_{part}_{}", task.name);
        text += &region(&user("limit"), &user("end"), &user("linear"), "TAKT_READ | TAKT_WRITE");
    }
    if partition.restarts > 0 {
        let initial = |part: &str| format!("takt_initial{part}_{name}");
        let writes = "TAKT_READ | TAKT_WRITE";
        text += &region_for(&initial(""), &initial("_end"), &initial("_linear"), writes, true);
    }
    text
}
