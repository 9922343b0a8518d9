// SPDX-License-Identifier: Apache-2.0
//! Writes `system.c`: the constant tables, and the storage of each core.

use std::collections::BTreeSet;

use takt_model::{Activation, Assignment, Assumption, Class, Handler, System};

use crate::c_text::{c_integer, c_text, section};
use crate::{
    CONTEXTS, banner, entry_symbol, ids, locking, objects, partitions, placement, regions,
    residency, rights, stacks, task_symbol, tasks_of, teams, time_events,
};

pub fn source(system: &System, assignments: &[Assignment]) -> String {
    let parts = [
        banner(system, "The tables"),
        includes(system),
        entries(system),
        constants(system),
        cores(system, assignments),
        rights::source(system, assignments),
        partitions::entries(system),
        tasks(system, assignments),
        locking::locks(system),
        objects::source(system, assignments),
        time_events::source(system),
        teams::source(system),
        placement::source(system),
        record(system),
        regulation(system),
        frames(system),
        residency::source(system, assignments),
        regions::source(system, assignments),
        partitions::source(system, assignments),
    ];
    parts.concat()
}

/// What declares the types of the tables.
fn includes(system: &System) -> String {
    let headers =
        ["config.h", "core.h", "partition/partition.h", "task/rights.h", "time/time_event.h"];
    let headers = headers.into_iter().chain(objects::headers());
    let headers = headers.chain(teams::used(system).then_some("team/team.h"));
    let headers: String = headers.map(|header| format!("#include \"{header}\"\n")).collect();
    headers + "#include <takt/system_ids.h>\n\n"
}

/// Declares the application's functions that the tables name.
fn entries(system: &System) -> String {
    let declare = |it| format!("void {}(intptr_t argument);\n", entry_symbol(it));
    ids::functions(system).into_iter().map(declare).collect::<String>() + "\n"
}

fn constants(system: &System) -> String {
    let kernel = &system.kernel;
    let numbers = [
        ("takt_core_count", u64::from(system.cores)),
        ("takt_limit_count", system.limits().len() as u64),
        ("takt_event_capacity", u64::from(kernel.events)),
        ("takt_console_size", kernel.console.0),
        ("takt_console_core", u64::from(kernel.console_core)),
    ];
    let mut text =
        format!("const char takt_board_compatible[] = \"{}\";\n", c_text(&system.board.compatible));
    for (name, value) in numbers {
        text += &format!("const uint32_t {name} = {value};\n");
    }
    for class in Class::ALL {
        let count = class.names(system).len();
        text += &format!("const uint32_t takt_{}_count = {count};\n", class.word());
    }
    let pull = kernel.idle_pull.map_or(0, |time| time.0);
    let times = [
        ("takt_idle_pull", pull),
        ("takt_interruption_margin", system.board.overheads.interruption_margin().0),
        ("takt_dispatch_margin", system.board.overheads.dispatch_margin().0),
    ];
    for (name, value) in times {
        text += &format!("const takt_time {name} = {value};\n");
    }
    let hook = |hook: &Option<String>| hook.as_deref().map_or("0".to_string(), entry_symbol);
    text += &format!(
        "void (*const takt_start_hook)(intptr_t core) = {};\n\
         void (*const takt_shutdown_hook)(intptr_t code) = {};\n\n",
        hook(&kernel.start_hook),
        hook(&kernel.shutdown_hook)
    );
    text
}

/// The budgets of memory traffic; empty where the description has none.
fn regulation(system: &System) -> String {
    let Some(regulation) = &system.regulation else { return String::new() };
    let budgets = regulation.budgets.iter().map(|budget| {
        let (reads, writes) = budget.map_or((0, 0), |budget| (budget.reads, budget.writes));
        format!("    {{{{{reads}, {writes}}}}},\n")
    });
    let budgets: String = budgets.collect();
    let (period, cores) = (regulation.period.0, system.cores);
    let released = vec!["1"; cores as usize].join(", ");
    format!(
        "/* Budgets of memory traffic, by core: lines read and written in a period; 0: not regulated. */\n\
         const takt_time takt_regulation_period = {period};\n\
         const struct takt_budget_config takt_budget_configs[] = {{\n{budgets}}};\n\
         const volatile uint32_t takt_regulation_holds = 1;\n\
         const volatile uint32_t takt_core_released[] = {{{released}}};\n\
         struct takt_record_regulation takt_record_regulation[{cores}] __attribute__((aligned(64)));\n\n"
    )
}

/// The frames of the cores; empty where the description has none.
fn frames(system: &System) -> String {
    if system.frames.is_empty() {
        return String::new();
    }
    let (mut text, mut configs) = ("/* Frames, by core. */\n".to_string(), String::new());
    for core in 0..system.cores {
        let Some(frame) = system.frame(core) else {
            configs += "    {0},\n";
            continue;
        };
        let changes = frame.changes();
        text += &format!("static const struct takt_window_change core{core}_changes[] = {{\n");
        for (offset, partition) in &changes {
            text += &match partition {
                None => format!("    {{{}, 0, 0}},\n", offset.0),
                Some(it) => format!("    {{{}, {}, &{}}},\n", offset.0, it + 1, ready(core, *it)),
            };
        }
        text += "};\n";
        configs += &format!("    {{{}, core{core}_changes, {}}},\n", frame.length.0, changes.len());
    }
    format!(
        "{text}const struct takt_frame_config takt_frame_configs[] = {{\n{configs}}};\n\
         struct takt_record_frame takt_record_frames[{}] __attribute__((aligned(64)));\n\n",
        system.cores
    )
}

/// The name of the queue of a partition's ready tasks of a core.
fn ready(core: u32, partition: usize) -> String {
    format!("core{core}_ready_{partition}")
}

/// The queues of a core with a frame.
fn ready_queues(system: &System, core: u32) -> String {
    let windows = system.frame(core).into_iter().flat_map(|frame| &frame.windows);
    let partitions: BTreeSet<_> = windows.map(|window| window.partition).collect();
    let queue =
        |it| format!("static struct ready {} {};\n", ready(core, it), section(core, "timers"));
    partitions.into_iter().map(queue).collect()
}

fn stack_symbols(stack: &str) -> String {
    format!("takt_stack_{stack}_limit, takt_stack_{stack}_top")
}

fn cores(system: &System, assignments: &[Assignment]) -> String {
    let mut text = String::from("/* Stacks, from the linker script. */\n");
    for stack in stacks(system, assignments) {
        let symbols = stack_symbols(&stack.name).replace(',', "[],");
        text += &format!("extern uint8_t {symbols}[];\n");
    }
    for core in 0..system.cores {
        text += &core_storage(system, assignments, core);
    }
    let each = |item: &dyn Fn(u32) -> String| -> String { (0..system.cores).map(item).collect() };
    text += "\nconst struct takt_core_config takt_core_configs[] = {\n";
    text += &each(&|core| {
        format!(
            "    {{core{core}_tasks, core{core}_timers, core{core}_console,\n     {}, {},\n     \
             &core{core}_trap, &core{core}_idle}},\n",
            stack_symbols(&format!("core{core}_trap")),
            stack_symbols(&format!("core{core}_idle")),
        )
    });
    text += "};\n\nstruct core *const takt_cores[] = {\n";
    text += &each(&|core| format!("    &core{core},\n"));
    text += "};\n\nconst uintptr_t takt_idle_tops[] = {\n";
    text += &each(&|core| format!("    (uintptr_t)takt_stack_core{core}_idle_top,\n"));
    text + "};\n\n"
}

/// The variables in a core's own section: its block, its tasks' control blocks, its rings.
fn core_storage(system: &System, assignments: &[Assignment], core: u32) -> String {
    let names: Vec<_> = tasks_of(system, assignments, core)
        .map(|(index, _)| system.tasks[index].name.as_str())
        .collect();
    let mut text = format!(
        "\n/* Core {core}. */\nstatic struct core core{core} {};\n",
        section(core, "block")
    );
    for context in CONTEXTS {
        text += &format!(
            "static struct task core{core}_{context} {};\n",
            section(core, &format!("control.{context}"))
        );
    }
    for name in &names {
        text += &format!(
            "static struct task task_{name} {};\n",
            section(core, &format!("control.task_{name}"))
        );
    }
    // A core's timers: for each task that it has or may get, a release timer, a wait timer, and one
    // for a watched deadline; one for each time event; and those of the console and of the end of
    // the run, that of the regulation's periods, and that of the frame.
    let watched = tasks_of(system, assignments, core)
        .filter(|(index, _)| system.tasks[*index].deadline_handler.is_some());
    let guests = system.tasks.iter().zip(assignments);
    let guests = guests.filter(|(task, place)| place.core != core && task.cores.contains(&core));
    let pull = usize::from(system.kernel.idle_pull.is_some());
    let timers = pull
        + 2 * (names.len() + guests.count())
        + watched.count()
        + time_events::of_core(system, core).count()
        + usize::from(system.memory_budget(core).is_some())
        + usize::from(system.frame(core).is_some())
        + placement::timers(system, core)
        + 2;
    text += &ready_queues(system, core);
    text +=
        &format!("static struct timer *core{core}_timers[{timers}] {};\n", section(core, "timers"));
    text += &format!(
        "static uint8_t core{core}_console[{}] {};\n",
        system.kernel.console.0,
        section(core, "console")
    );
    let ids: String = names.iter().map(|name| format!("TAKT_TASK_{name}, ")).collect();
    text + &format!("static const uint16_t core{core}_tasks[] = {{{ids}0}};\n")
}

fn tasks(system: &System, assignments: &[Assignment]) -> String {
    let mut text = String::from("/* Tasks, by ID. */\n");
    for (task, place) in system.tasks.iter().zip(assignments) {
        text += &format!(
            "static takt_time queue_{}[{}] {};\n",
            task.name,
            task.queue,
            section(place.core, "queues")
        );
        if !system.reader_writer_locks.is_empty() {
            text += &format!(
                "static uint64_t locks_{}[{}] {};\n",
                task.name,
                system.reader_writer_locks.len().div_ceil(64),
                section(place.core, "queues")
            );
        }
    }
    text += "\nconst struct takt_task_config takt_task_configs[] = {\n";
    let limits = system.limits();
    for (index, place) in assignments.iter().enumerate() {
        let limit = |what| system.limit(&limits, what);
        text += &task_config(system, index, *place, &limit);
    }
    text += "};\n\nstruct task *const takt_tasks[] = {\n";
    for task in &system.tasks {
        text += &format!("    &task_{},\n", task.name);
    }
    text + "};\n\n"
}

fn task_config(
    system: &System,
    index: usize,
    place: Assignment,
    limit: &dyn Fn(Assumption) -> usize,
) -> String {
    let task = &system.tasks[index];
    let lists = rights::lists_of(system, index);
    let (activation, period, offset) = match task.activation {
        Activation::Periodic { period, offset } => ("TAKT_PERIODIC", period.0, offset.0),
        Activation::Sporadic { separation } => ("TAKT_SPORADIC", separation.0, 0),
        Activation::Aperiodic => ("TAKT_APERIODIC", 0, 0),
    };
    let name = &task.name;
    let has_locks = !system.reader_writer_locks.is_empty();
    let locks = if has_locks { format!("locks_{name}") } else { "0".to_owned() };
    format!(
        "    {{.name = \"{name}\", .entry = {entry}, .argument = (intptr_t){argument},\n     \
         .activation = {activation}, .period = {period}, .offset = {offset}, .deadline = {deadline},\n     \
         .locks = {locks}, .queue = queue_{name}, .queue_limit = {queue}, .core = {core}, .cores = {{{cores}}}, .priority = {priority},\n     \
         .start = {start}, .may_suspend = {may_suspend}, .unrestricted = {unrestricted},\n     \
         .budget = {budget}, .overrun_stops = {stops},\n     \
         .overrun_handler = {overrun_handler}, .deadline_handler = {deadline_handler},\n     \
         .suspends = {suspends}, .cpu_lock = {cpu_lock}, .dispatch_disable = {dispatch_disable},\n     \
         .overrun_limit = {overrun_limit}, .deadline_limit = {deadline_limit}, .control_count = {control_count},\n     \
         {lists},{raised_by}\n     \
         .stack_limit = takt_stack_task_{name}_limit, .stack_top = takt_stack_task_{name}_top{ready}}},\n",
        entry = task_symbol(task),
        raised_by = system
            .raised_by(index)
            .map_or(String::new(), |it| format!("\n     .raised_by = {},", it.first_queue + 1)),
        argument = c_integer(task.argument),
        deadline = task.deadline.map_or(0, |deadline| deadline.0),
        queue = task.queue,
        core = place.core,
        cores = mask(task, place),
        priority = place.priority,
        start = task.start,
        budget = task.budget.as_ref().map_or(0, |budget| budget.time.0),
        stops = task.budget.as_ref().is_some_and(|budget| budget.stops),
        overrun_handler = function(task.budget.as_ref().and_then(|budget| budget.handler.as_ref())),
        deadline_handler = function(task.deadline_handler.as_ref()),
        may_suspend = task.may_suspend(),
        unrestricted = task.rights.unrestricted,
        suspends = limit(Assumption::Suspends { task: index }),
        cpu_lock = limit(Assumption::CpuLock { task: index }),
        dispatch_disable = limit(Assumption::DispatchDisable { task: index }),
        overrun_limit = limit(Assumption::OverrunHandler { task: index }),
        deadline_limit = limit(Assumption::DeadlineHandler { task: index }),
        control_count = task.rights.controls.len(),
        ready = match (system.frame(place.core), task.partition) {
            (Some(_), Some(it)) => format!(",\n     .ready = &{}", ready(place.core, it)),
            _ => String::new(),
        },
    )
}

/// The bits of the cores on which a task may run, in words of 64 bits.
fn mask(task: &takt_model::Task, place: Assignment) -> String {
    let mut words = [0_u64; 2];
    for core in task.cores.iter().chain([&place.core]) {
        words[*core as usize / 64] |= 1 << (core % 64);
    }
    let [low, high] = words;
    if high == 0 { format!("{low:#x}") } else { format!("{low:#x}, {high:#x}") }
}

fn function(handler: Option<&Handler>) -> String {
    handler.map_or("0".to_string(), |handler| entry_symbol(&handler.function))
}

/// The record's size according to the schema; the kernel lays the record out in the same way
/// (`record_init`).
fn record(system: &System) -> String {
    let size = residency::RecordLayout::new(system).size;
    format!(
        "uint8_t takt_record[{size}] __attribute__((aligned(4096)));\n\
         const uint64_t takt_record_size = {size};\n\n"
    )
}
