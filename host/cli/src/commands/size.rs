// SPDX-License-Identifier: Apache-2.0
//! Implements `takt size`: shows how large a system's image is, and what each core and each task
//! contributes.
//! It also shows whether what a core may touch fits its second-level cache.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use takt_model::{System, Task};
use takt_record::schema::{CORE, EVENT, TASK};

use crate::analysed_system::AnalysedSystem;
use crate::build::{self, Compiler};
use crate::failure::Failure;
use crate::image::{Image, Section};
use crate::output;
use crate::residency::footprint;

/// Print the image's size by section, the bytes that each core and each task takes, and whether a core's cache holds it all
#[derive(Debug, Args)]
pub struct Arguments {
    /// The description, a TOML file; its image is built first
    system: PathBuf,
}

pub fn execute(arguments: Arguments) -> Result<u8, Failure> {
    let analysed = AnalysedSystem::read(&arguments.system)?;
    let image = Image::read(&build::image(&analysed, Compiler::Gcc)?)?;
    let mut text = sections(&image.sections);
    text += &cores(&analysed.system, &image);
    text += &tasks(&analysed.system, &image);
    text += &residency(&analysed, &image);
    output::print(&text);
    Ok(0)
}

fn sections(sections: &[Section]) -> String {
    let row = |name: &str, size: u64| vec![name.to_string(), size.to_string(), String::new()];
    let mut rows: Vec<_> = sections.iter().map(|it| row(&it.name, it.size)).collect();
    rows.push(row("together", sections.iter().map(|it| it.size).sum()));
    takt_trace::table(&["section", "bytes", ""], rows.into_iter()) + "\n\n"
}

/// The table of the kernel's storage for each core.
fn cores(system: &System, image: &Image) -> String {
    const COLUMNS: [&str; 8] =
        ["core", "block", "contexts", "timers", "console", "record", "together", "stacks"];
    let rows = (0..system.cores).map(|core| core_cells(core, system, image));
    let mut text = takt_trace::table(&COLUMNS, rows);
    let _ = writeln!(
        text,
        "\nbytes of each core; contexts: storage of the trap and idle contexts; the record with its \
         ring of events; stacks of traps and idling\n"
    );
    text
}

fn core_cells(core: u32, system: &System, image: &Image) -> Vec<String> {
    let size = |name: &str| size(image, &format!("core{core}{name}"));
    let stack = |context: &str| stack_size(image, &format!("core{core}_{context}"));
    let contexts = size("_trap") + size("_idle") + 2 * thread_local_size(image);
    let record = CORE.size() as u64 + u64::from(system.kernel.events) * EVENT.size() as u64;
    let parts = [size(""), contexts, size("_timers"), size("_console"), record];
    let figures = parts.into_iter().chain([parts.iter().sum(), stack("trap") + stack("idle")]);
    [core.to_string()].into_iter().chain(figures.map(|it| it.to_string())).collect()
}

/// The table of the storage for each task: control block and thread-local storage, queue of
/// activations, figures in the record, stack.
fn tasks(system: &System, image: &Image) -> String {
    const COLUMNS: [&str; 8] =
        ["task", "control", "local", "queue", "record", "together", "stack", ""];
    let mut text = takt_trace::table(&COLUMNS, system.tasks.iter().map(|task| cells(task, image)));
    let _ = writeln!(text, "\nbytes of each task; the stack is whole pages\n");
    text
}

fn cells(task: &Task, image: &Image) -> Vec<String> {
    let name = &task.name;
    let control = size(image, &format!("task_{name}"));
    let local = thread_local_size(image);
    let queue = size(image, &format!("queue_{name}"));
    let record = TASK.size() as u64;
    let stack = stack_size(image, &format!("task_{name}"));
    let figures = [control, local, queue, record, control + local + queue + record, stack];
    let figures = figures.iter().map(u64::to_string);
    [name.clone()].into_iter().chain(figures).chain([String::new()]).collect()
}

/// The table of what each core may touch after time 0, held against its second-level cache.
fn residency(analysed: &AnalysedSystem, image: &Image) -> String {
    const COLUMNS: [&str; 5] = ["cache", "pages", "of", "fullest", ""];
    let (system, assignments) = (&analysed.system, &analysed.assignments[..]);
    let row = |core: u32| {
        let mut row = vec![core.to_string()];
        match footprint(system, assignments, image, core) {
            Ok(found) => {
                let word = if found.is_resident() { "resident" } else { "too large" };
                let fullest = format!("{}/{}", found.fullest, found.ways);
                row.extend([found.pages.to_string(), found.capacity.to_string(), fullest]);
                row.push(word.into());
            }
            Err(why) => {
                row.extend(["-", "-", "-"].map(String::from));
                row.push(format!("not known: {why}"));
            }
        }
        row
    };
    let mut text = takt_trace::table(&COLUMNS, (0..system.cores).map(row));
    let _ = writeln!(
        text,
        "\nof each core, the pages of 4 KiB that it may touch after time 0: text, constants, data, its own storage and what all \
         share, stacks, page tables; the pages that its second-level cache holds; the lines of its fullest set, and its ways. \
         Resident: each line has its place, so none leaves the cache but when another core writes it"
    );
    text
}

/// The size of an object of the image in bytes; 0 if the image has no object of that name.
fn size(image: &Image, name: &str) -> u64 {
    image.objects.get(name).map_or(0, |object| object.size)
}

/// The value of a symbol that the linker script defines.
fn address(image: &Image, name: &str) -> u64 {
    image.objects.get(name).map_or(0, |object| object.address)
}

/// The number of bytes of thread-local storage in each context.
fn thread_local_size(image: &Image) -> u64 {
    address(image, "takt_tls_extent")
}

fn stack_size(image: &Image, name: &str) -> u64 {
    address(image, &format!("takt_stack_{name}_top"))
        - address(image, &format!("takt_stack_{name}_limit"))
}
