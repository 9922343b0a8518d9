// SPDX-License-Identifier: Apache-2.0
//! `takt size`: how large the kernel is, its image, and what a task costs.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use takt_model::record::TASK;
use takt_model::{System, Task};

use crate::build::{self, Compiler};
use crate::failure::Failure;
use crate::image::{Image, Section};
use crate::output;
use crate::plan::Plan;

/// Print the kernel's lines, the image's size by section, and the bytes that each task takes
#[derive(Debug, Args)]
pub struct Arguments {
    /// The description, a TOML file; its image is built first
    system: PathBuf,
}

pub fn execute(arguments: Arguments) -> Result<u8, Failure> {
    let plan = Plan::read(&arguments.system)?;
    let image = Image::read(&build::image(&plan, Compiler::Gcc)?)?;
    let mut text = lines(&plan.home)?;
    text += &sections(&image.sections);
    text += &tasks(&plan.system, &image);
    output::print(&text);
    Ok(0)
}

/// Lines of the kernel's sources, by folder.
fn lines(home: &Path) -> Result<String, Failure> {
    let mut rows = Vec::new();
    let mut sum = Count::default();
    for folder in ["kernel", "arch"] {
        let count = count(&home.join(folder))
            .map_err(|error| Failure::io(format!("count the lines of {folder}/"), error))?;
        rows.push(count.row(&format!("{folder}/")));
        sum = Count { total: sum.total + count.total, filled: sum.filled + count.filled };
    }
    rows.push(sum.row("together"));
    Ok(takt_trace::table(&["sources", "lines", "not blank", ""], rows.into_iter()) + "\n\n")
}

#[derive(Clone, Copy, Default)]
struct Count {
    total: usize,
    filled: usize,
}

impl Count {
    fn row(self, name: &str) -> Vec<String> {
        vec![name.to_string(), self.total.to_string(), self.filled.to_string(), String::new()]
    }
}

/// C and assembler of a folder and those below it.
fn count(folder: &Path) -> std::io::Result<Count> {
    let mut sum = Count::default();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let source = path.extension().is_some_and(|kind| kind == "c" || kind == "h" || kind == "S");
        let found = if path.is_dir() {
            count(&path)?
        } else if source {
            let text = std::fs::read_to_string(&path)?;
            let filled = text.lines().filter(|line| !line.trim().is_empty()).count();
            Count { total: text.lines().count(), filled }
        } else {
            continue;
        };
        sum = Count { total: sum.total + found.total, filled: sum.filled + found.filled };
    }
    Ok(sum)
}

fn sections(sections: &[Section]) -> String {
    let row = |name: &str, size: u64| vec![name.to_string(), size.to_string(), String::new()];
    let mut rows: Vec<_> = sections.iter().map(|it| row(&it.name, it.size)).collect();
    rows.push(row("together", sections.iter().map(|it| it.size).sum()));
    takt_trace::table(&["section", "bytes", ""], rows.into_iter()) + "\n\n"
}

/// What each task takes: its control block and thread-local storage, its queue of activations,
/// its figures in the record, its stack.
fn tasks(system: &System, image: &Image) -> String {
    const COLUMNS: [&str; 8] =
        ["task", "control", "local", "queue", "record", "together", "stack", ""];
    let mut text = takt_trace::table(&COLUMNS, system.tasks.iter().map(|task| cells(task, image)));
    let _ = writeln!(text, "\nbytes of each task; the stack is whole pages");
    text
}

fn cells(task: &Task, image: &Image) -> Vec<String> {
    let size = |name: String| image.objects.get(&name).map_or(0, |object| object.size);
    let address = |name: String| image.objects.get(&name).map_or(0, |object| object.address);
    let name = &task.name;
    let control = size(format!("task_{name}"));
    let local = address("takt_tls_extent".to_string());
    let queue = size(format!("queue_{name}"));
    let record = TASK.size() as u64;
    let stack = address(format!("takt_stack_task_{name}_top"))
        - address(format!("takt_stack_task_{name}_limit"));
    let figures = [control, local, queue, record, control + local + queue + record, stack];
    let figures = figures.iter().map(u64::to_string);
    [name.clone()].into_iter().chain(figures).chain([String::new()]).collect()
}
