// SPDX-License-Identifier: Apache-2.0
//! Turns the table `[posix]` into tasks and spin locks. The library needs nothing that the
//! description could not say itself, so no other part of takt knows about threads.

use std::path::Path;

use super::{
    file::{Name, PosixTable, Spanned, SystemFile},
    report::Report,
    system, task, values,
};
use crate::{
    Activation, Allocator, Bytes, Code, Library, Posix, Problem, Rights, System, Task, Word,
    system::LOWEST_PRIORITY,
};

const DEFAULT_STACK: Bytes = Bytes(64 << 10);
const DEFAULT_HEAP: Bytes = Bytes(16 << 20);
const DEFAULT_PRIORITY: u8 = 32;
/// The greatest number of objects of a class, because IDs have 16 bits.
const MAX_OBJECTS: usize = 65535;

/// Adds the threads' tasks and the library's spin locks after the system's own.
pub fn read(report: &mut Report, file: &SystemFile, folder: &Path, system: &mut System) {
    let word = Library::Posix.word();
    let library = file.system.libraries.iter().find(|it| it.get() == word);
    let table = match (&file.posix, library) {
        (None, None) => return,
        (Some(table), Some(_)) => table,
        (Some(table), None) => {
            let message = "the description has a table [posix] and not the library";
            let help = "add \"posix\" to the libraries: libraries = [\"posix\"]";
            let problem = Problem::new(Code::MismatchedKey, message, help);
            return report.add(problem.at(table.threads.span(), "of the library `posix`"));
        }
        (None, Some(library)) => {
            let message = "the library `posix` needs the table [posix]";
            let help = "add one that says at least how many threads there are: threads = 4";
            let problem = Problem::new(Code::MismatchedKey, message, help);
            return report.add(problem.at(library.span(), "without its table"));
        }
    };
    let threads = values::number(report, "threads", &table.threads, 1..=4096).unwrap_or(1);
    let (stack, heap) = sizes(report, table);
    let priority = task::optional(&table.priority, |value| {
        values::number(report, "priority", value, 1..=LOWEST_PRIORITY.into())
    });
    let priority = priority.and_then(|it| u8::try_from(it).ok()).unwrap_or(DEFAULT_PRIORITY);
    if system.tasks.len() + threads as usize > MAX_OBJECTS {
        let problem = Problem::new(Code::TooMany, "too many tasks", "a system has IDs of 16 bits");
        report.add(problem.at(table.threads.span(), "too many with those of the description"));
    }
    let (first_task, first_lock) = (system.tasks.len(), system.spin_locks.len());
    let cores = system.cores.max(1);
    system.tasks.extend((0..threads).map(|index| thread(index, cores, priority, stack)));
    system.spin_locks.extend((0..Posix::LOCKS).map(|index| format!("posix_{index}")));
    system.spin_locks.push("posix_heap".into());
    let allocator = task::optional(&table.allocator, |value| {
        values::word(report, "allocator", value, Allocator::WORDS)
    });
    let allocator = allocator.unwrap_or_default();
    let scalable = allocator == Allocator::Scalable;
    check_names(report, file, threads, if scalable { cores } else { 0 });
    if scalable {
        system.spin_locks.extend((0..cores).map(|core| format!("posix_heap_{core}")));
    }
    system.posix = Some(Posix {
        threads,
        first_task,
        first_lock,
        stack,
        heap,
        allocator,
        files: table.files.as_ref().map(|files| folder_of(report, files, folder)),
        arguments: arguments(report, &table.arguments),
    });
}

/// The task of a thread. It is unrestricted, because its bounds would need a declaration of each
/// lock: see docs/design/threads.md.
fn thread(index: u32, cores: u32, priority: u8, stack: Bytes) -> Task {
    Task {
        name: format!("thread_{index}"),
        partition: None,
        entry: Posix::ENTRY.into(),
        argument: index.into(),
        activation: Activation::Aperiodic,
        deadline: None,
        wcet: None,
        jitter: Default::default(),
        core: Some(index % cores),
        cores: Vec::new(),
        priority: Some(priority),
        stack,
        queue: 1,
        start: index == 0,
        uses: Vec::new(),
        mutexes: Vec::new(),
        suspends: None,
        budget: None,
        memory: None,
        deadline_handler: None,
        rights: Rights { unrestricted: true, ..Rights::default() },
    }
}

fn sizes(report: &mut Report, table: &PosixTable) -> (Bytes, Bytes) {
    let stack = task::optional(&table.stack, |value| {
        task::stack(report, "stack", value, Bytes(4 << 10)..=Bytes(16 << 20))
    });
    let heap = task::optional(&table.heap, |value| {
        let range = Bytes(64 << 10)..=Bytes(512 << 20);
        values::aligned_size(report, "heap", value, range, Bytes(4096))
    });
    (stack.unwrap_or(DEFAULT_STACK), heap.unwrap_or(DEFAULT_HEAP))
}

fn folder_of(report: &mut Report, files: &Spanned<String>, folder: &Path) -> std::path::PathBuf {
    if !folder.join(files.get()).is_dir() {
        report.add(system::missing_file("directory", files));
    }
    system::absolute(folder, files.get())
}

fn arguments(report: &mut Report, list: &[Spanned<String>]) -> Vec<String> {
    const LONGEST: usize = 255;
    for value in list {
        let text = value.get();
        if text.contains('\0') || text.len() > LONGEST {
            let message = "an argument of main is too long, or has a zero in it";
            let help = format!("write at most {LONGEST} bytes, none of them zero");
            report.add(Problem::new(Code::BadText, message, help).at(value.span(), "this one"));
        }
    }
    list.iter().map(|value| value.get().clone()).collect()
}

/// Checks that the description's own tasks and spin locks have other names than the library's.
fn check_names(report: &mut Report, file: &SystemFile, threads: u32, arenas: u32) {
    let numbered = |name: &str, stem: &str, count: u32| {
        let number = name.strip_prefix(stem).and_then(|rest| rest.parse::<u32>().ok());
        number.is_some_and(|number| number < count && name == format!("{stem}{number}"))
    };
    let mut refuse = |name: &Spanned<Name>| {
        let message = format!("`{}` is a name of the library `posix`", name.get().0);
        let problem = Problem::new(Code::ReservedName, message, "choose another name");
        report.add(problem.at(name.span(), "belongs to the threads"));
    };
    let tasks = file.task.iter().map(|it| &it.name);
    tasks.filter(|it| numbered(&it.get().0, "thread_", threads)).for_each(&mut refuse);
    let locks = file.spin_lock.iter().map(|it| &it.name);
    let is_own = |it: &&Spanned<Name>| {
        numbered(&it.get().0, "posix_", Posix::LOCKS)
            || it.get().0 == "posix_heap"
            || numbered(&it.get().0, "posix_heap_", arenas)
    };
    locks.filter(is_own).for_each(&mut refuse);
}
