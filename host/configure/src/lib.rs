// SPDX-License-Identifier: Apache-2.0
//! The configurator: a model becomes the C tables of one kernel, and its linker script.
//!
//! What it writes is meant to be read: every object stands under its name. The same model gives
//! the same bytes. `kernel/config.h` says what the kernel expects.

mod ids;
mod linker;
mod locking;
mod objects;
mod posix;
mod regions;
mod rights;
mod tables;
mod time_events;

pub use ids::functions;
pub use linker::LINK_BASE;
use takt_model::{Placement, System};

/// A file to be written below the build's `generated` directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Relative, with `/`.
    pub path: &'static str,
    pub contents: String,
}

/// All files of a system. `placements` has one entry a task, in the tasks' order.
///
/// # Panics
/// When `placements` does not fit the tasks.
pub fn generate(system: &System, placements: &[Placement]) -> Vec<File> {
    assert_eq!(system.tasks.len(), placements.len(), "a placement for each task");
    let mut files = vec![
        File { path: "takt/system_ids.h", contents: ids::header(system) },
        File { path: "kernel_choice.h", contents: locking::choice(system) },
        File { path: "system.c", contents: tables::source(system, placements) },
        File { path: "image.ld", contents: linker::script(system, placements) },
        File { path: "application.cmake", contents: application(system) },
    ];
    if let Some(posix) = &system.posix {
        files.push(File { path: "takt/posix_system.h", contents: posix::header(system, posix) });
    }
    files
}

/// What CMake needs to know of the application.
fn application(system: &System) -> String {
    let list = |paths: &[std::path::PathBuf]| {
        paths.iter().map(|path| format!("    [==[{}]==]\n", path.display())).collect::<String>()
    };
    let functions = ids::functions(system).into_iter();
    let entries: String =
        functions.map(|it| format!("    [==[{} {it}]==]\n", entry_symbol(it))).collect();
    let libraries = system.libraries.iter().flat_map(|it| it.folders());
    let libraries: String = libraries.map(|it| format!("    {it}\n")).collect();
    format!(
        "# Made from the description of {}; changes are lost.\nset(TAKT_SOURCES\n{})\nset(TAKT_INCLUDE\n{})\n\
         set(TAKT_LIBRARIES\n{libraries})\n\
         # Symbols of the tables, and the application's functions for which they stand.\n\
         set(TAKT_ENTRIES\n{entries})\n",
        system.name,
        list(&system.sources),
        list(&system.include)
    )
}

/// The symbol by which the kernel's tables refer to a function of the application. The kernel is
/// compiled as a whole, so the function's own name could mean a function of the kernel there; the
/// build renames the symbol when the kernel's own names are private already.
fn entry_symbol(function: &str) -> String {
    format!("takt_application_{function}")
}

/// The comment that begins each generated C file.
fn banner(system: &System, about: &str) -> String {
    format!("/* {about} of {}, made from its description; changes are lost. */\n", system.name)
}

/// Storage that a core has beside its tasks' own.
const CONTEXTS: [&str; 2] = ["trap", "idle"];

const PAGE: u64 = 4096;

fn pages(bytes: u64) -> u64 {
    bytes.div_ceil(PAGE) * PAGE
}

/// A stack: its symbol's stem, whose it is, and its size, whole pages.
struct Stack {
    name: String,
    core: u32,
    size: u64,
}

/// Every stack of a system, core by core: trap, idle, then the tasks in the order of their IDs.
fn stacks(system: &System, placements: &[Placement]) -> Vec<Stack> {
    let mut stacks = Vec::new();
    for core in 0..system.cores {
        let sizes = [system.kernel.trap_stack.0, system.kernel.idle_stack.0];
        for (context, size) in CONTEXTS.iter().zip(sizes) {
            stacks.push(Stack { name: format!("core{core}_{context}"), core, size: pages(size) });
        }
        for (task, _) in tasks_of(system, placements, core) {
            let task = &system.tasks[task];
            let (name, size) = (format!("task_{}", task.name), pages(task.stack.0));
            stacks.push(Stack { name, core, size });
        }
    }
    stacks
}

/// The tasks of a core, by index, with their placement.
fn tasks_of<'a>(
    system: &System,
    placements: &'a [Placement],
    core: u32,
) -> impl Iterator<Item = (usize, &'a Placement)> {
    let count = system.tasks.len();
    placements.iter().enumerate().take(count).filter(move |(_, place)| place.core == core)
}
