// SPDX-License-Identifier: Apache-2.0
//! The configurator: it turns a model into the C tables of one kernel, and a linker script.
//!
//! Its output is meant to be read: every object stands under its name. The same model always gives
//! the same bytes. `kernel/config.h` defines what the kernel expects.

mod c_text;
mod caches;
mod dataflow;
mod ids;
mod linker;
mod locking;
mod messaging;
mod objects;
mod openmp;
pub mod owners;
mod partitions;
mod placement;
mod posix;
mod regions;
pub mod residency;
mod rights;
mod tables;
mod teams;
mod time_events;

use std::collections::BTreeSet;

pub use dataflow::WORKER_TOO_LARGE;
pub use ids::functions;
pub use messaging::uses_exchange;
pub use partitions::functions as partition_functions;
pub use placement::exchange;
use takt_model::{Assignment, System, Task, Word};

/// A file to be written below the build's `generated` directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The path of the file, relative to `generated`, with `/`.
    pub path: &'static str,
    pub contents: String,
}

/// Generates all files of a system. `assignments` has one entry for each task, in the tasks' order.
///
/// # Panics
///
/// Panics if the number of `assignments` is not the number of tasks.
pub fn generate(system: &System, assignments: &[Assignment]) -> Vec<File> {
    assert_eq!(system.tasks.len(), assignments.len(), "an assignment for each task");
    let mut files = vec![
        File { path: "takt/system_ids.h", contents: ids::header(system) },
        File { path: "kernel_choice.h", contents: locking::choice(system) },
        File { path: "system.c", contents: tables::source(system, assignments) },
        File { path: "image.ld", contents: linker::script(system, assignments) },
        File { path: "application.cmake", contents: application(system) },
    ];
    if let Some(posix) = &system.posix {
        files.push(File { path: "takt/posix_system.h", contents: posix::header(system, posix) });
    }
    if let Some(openmp) = &system.openmp {
        files.push(File { path: "takt/openmp_system.h", contents: openmp::header(system, openmp) });
    }
    if !system.channels.is_empty() {
        let (header, source) = (messaging::header(system), messaging::source(system, assignments));
        files.push(File { path: "takt/messaging_system.h", contents: header });
        files.push(File { path: "messaging.c", contents: source });
    }
    if let Some(graph) = &system.dataflow {
        let header = dataflow::header(system, graph);
        files.push(File { path: "takt/dataflow_system.h", contents: header });
        files.push(File { path: "dataflow.c", contents: dataflow::source(system, graph) });
        if !graph.shares_memory {
            let script = dataflow::worker_script(system, graph);
            files.push(File { path: "worker.ld", contents: script });
        }
    }
    files
}

/// The names of all functions that the description names: those that the kernel calls, and those
/// that a library calls.
pub fn all_functions(system: &System) -> BTreeSet<&str> {
    let graph = system.dataflow.iter().flat_map(dataflow::functions);
    functions(system).into_iter().chain(graph).collect()
}

/// What CMake needs to know about the application.
fn application(system: &System) -> String {
    let list = |paths: &[std::path::PathBuf]| {
        paths.iter().map(|path| format!("    [==[{}]==]\n", path.display())).collect::<String>()
    };
    let functions = ids::functions(system).into_iter();
    let entries: String =
        functions.map(|it| format!("    [==[{} {it}]==]\n", entry_symbol(it))).collect();
    let mut folders: Vec<&str> = Vec::new();
    for folder in system.libraries.iter().flat_map(|it| it.folders()) {
        if !folders.contains(folder) {
            folders.push(folder); // two libraries may need it
        }
    }
    let libraries: String = folders.iter().map(|it| format!("    {it}\n")).collect();
    let graph = system.dataflow.as_ref().map(dataflow::cmake).unwrap_or_default();
    let variants = locking::variants(system).join(" ");
    format!(
        "# Made from the description of {}; changes are lost.\nset(TAKT_SOURCES\n{})\nset(TAKT_INCLUDE\n{})\n\
         set(TAKT_LIBRARIES\n{libraries})\nset(TAKT_VARIANTS {variants})\n\
         set(TAKT_PLACEMENT {})\nset(TAKT_CPU {})\nset(TAKT_CXX {})\nset(TAKT_FRAME {})\n\
         # Symbols of the tables, and the application's functions for which they stand.\n\
         set(TAKT_ENTRIES\n{entries})\n{graph}",
        system.name,
        list(&system.sources),
        list(&system.include),
        system.kernel.placement.word(),
        system.board.cpu.word(),
        if system.has_cxx() { "ON" } else { "OFF" },
        task_guard(system) / 2,
    ) + &partitions::cmake(system)
        + &teams::cmake(system)
        + &defines(system)
}

/// The macros of all sources that the description names.
fn defines(system: &System) -> String {
    let sources = system.sources.iter().chain(system.partitions.iter().flat_map(|it| &it.sources));
    let sources: String = sources.map(|it| format!("    [==[{}]==]\n", it.display())).collect();
    let macros: String = system.defines.iter().map(|it| format!(" [==[{it}]==]")).collect();
    if macros.is_empty() || sources.is_empty() {
        return String::new();
    }
    format!("set_property(SOURCE\n{sources}    APPEND PROPERTY COMPILE_DEFINITIONS{macros})\n")
}

/// The symbol by which the kernel's tables refer to a function of the application. The kernel is
/// compiled as a whole, so in it the function's own name could mean a function of the kernel. The
/// build renames the symbol after the kernel's own names have become private.
fn entry_symbol(function: &str) -> String {
    format!("takt_application_{function}")
}

/// The symbol of the function of a task's jobs.
fn task_symbol(task: &Task) -> String {
    match task.partition {
        Some(partition) => partitions::symbol(partition, &task.entry),
        None => entry_symbol(&task.entry),
    }
}

/// The comment that begins each generated C file.
fn banner(system: &System, about: &str) -> String {
    format!("/* {about} of {}, made from its description; changes are lost. */\n", system.name)
}

/// The contexts of a core besides its tasks.
const CONTEXTS: [&str; 2] = ["trap", "idle"];

/// The link address; equals `TAKT_LINK_BASE` of `kernel/config.h`.
pub const LINK_BASE: u64 = 0xffff_ffff_8000_0000;

const PAGE: u64 = 4096;

fn pages(bytes: u64) -> u64 {
    bytes.div_ceil(PAGE) * PAGE
}

/// A stack: the stem of its symbol, its owner, and its size, which is a whole number of pages.
struct Stack<'a> {
    name: String,
    core: u32,
    /// The task whose stack it is; None: one of the core's other contexts.
    task: Option<&'a Task>,
    size: u64,
}

/// The addresses without memory below a task's stack. A function whose frame is smaller cannot step over them; programs for Linux
/// have large frames, up to the size of a thread's stack, and the compiler limits them to half of this.
fn task_guard(system: &System) -> u64 {
    let Some(posix) = &system.posix else { return PAGE };
    let tasks = u64::try_from(system.tasks.len()).expect("a number of tasks");
    let wanted = 2 * pages(posix.stack.0);
    if wanted * tasks <= MOST_GUARDS { wanted.max(LEAST_LARGE_GUARD) } else { LEAST_LARGE_GUARD }
}

/// The guard of a program for Linux with small stacks.
const LEAST_LARGE_GUARD: u64 = 16 * PAGE;
/// Guards take addresses, of which image and stacks have 1 GiB, and a page of tables for each 2 MiB.
const MOST_GUARDS: u64 = 256 << 20;

/// The addresses without memory below a stack.
fn guard(system: &System, stack: &Stack) -> u64 {
    if stack.task.is_some() { task_guard(system) } else { PAGE }
}

/// The size of a task's stack beside the kernel's: that of its calls, if it belongs to a partition.
fn stack_size(task: &Task) -> u64 {
    if task.partition.is_some() { partitions::KERNEL_STACK } else { pages(task.stack.0) }
}

/// Every stack of a system, core by core: trap, idle, then the tasks in the order of their IDs.
fn stacks<'a>(system: &'a System, assignments: &[Assignment]) -> Vec<Stack<'a>> {
    let mut stacks = Vec::new();
    for core in 0..system.cores {
        let sizes = [system.kernel.trap_stack.0, system.kernel.idle_stack.0];
        for (context, size) in CONTEXTS.iter().zip(sizes) {
            let name = format!("core{core}_{context}");
            stacks.push(Stack { name, core, task: None, size: pages(size) });
        }
        for (task, _) in tasks_of(system, assignments, core) {
            let task = &system.tasks[task];
            let (name, size) = (format!("task_{}", task.name), stack_size(task));
            stacks.push(Stack { name, core, task: Some(task), size });
        }
    }
    stacks
}

/// The tasks of a core, by index, with their assignment.
fn tasks_of<'a>(
    system: &System,
    assignments: &'a [Assignment],
    core: u32,
) -> impl Iterator<Item = (usize, &'a Assignment)> {
    let count = system.tasks.len();
    assignments.iter().enumerate().take(count).filter(move |(_, place)| place.core == core)
}
