// SPDX-License-Identifier: Apache-2.0
//! Writes `takt/posix_system.h`: what the libraries `posix`, `ramfs` and `heap` know about the
//! description.

use takt_model::{Allocator, Posix, System};

use crate::banner;
use crate::c_text::c_text;

pub fn header(system: &System, posix: &Posix) -> String {
    let arguments = [&system.name].into_iter().chain(&posix.arguments);
    let texts: Vec<_> = arguments.clone().map(|it| format!("\"{}\"", c_text(it))).collect();
    let longest = arguments.map(String::len).max().unwrap_or(0);
    let numbers = [
        ("THREADS", u64::from(posix.threads)),
        ("CORES", u64::from(system.cores)),
        ("FIRST_TASK", posix.first_task as u64 + 1),
        ("PRIORITY", u64::from(system.tasks[posix.first_task].priority.unwrap_or_default())),
        ("LOCKS", u64::from(Posix::LOCKS)),
        ("FIRST_LOCK", posix.first_lock as u64 + 1),
        ("HEAP_LOCK", posix.first_lock as u64 + u64::from(Posix::LOCKS) + 1),
        ("HEAP_SCALABLE", u64::from(posix.allocator == Allocator::Scalable)),
        ("ARENA_LOCK", posix.first_lock as u64 + u64::from(Posix::LOCKS) + 2),
        ("HEAP_SIZE", posix.heap.0),
        ("STACK_SIZE", posix.stack.0),
        ("ARGUMENT_SIZE", longest as u64 + 1),
    ];
    let mut text = banner(system, "Threads, heap and arguments");
    text += "#ifndef INCLUDE_TAKT_POSIX_SYSTEM_H\n#define INCLUDE_TAKT_POSIX_SYSTEM_H\n\n";
    for (name, number) in numbers {
        text += &format!("#define TAKT_POSIX_{name} {number}u\n");
    }
    text += "\n/* Each with room for the longest. */\n";
    text + &format!("#define TAKT_POSIX_ARGUMENTS {}\n\n#endif\n", texts.join(", "))
}
