// SPDX-License-Identifier: Apache-2.0
//! Turns a system's file into a [`System`].

use std::{
    collections::HashMap,
    ops::Range,
    path::{Path, PathBuf},
};

use super::{
    board::MAX_CORES,
    channel, dataflow, device_region,
    file::{KernelTable, Size, Spanned, SystemFile},
    frame, interrupt, mutex, nested, partition, placement, port, posix, regulation,
    report::Report,
    shared, task, team, time_event, transaction, values, words,
};
use crate::{
    Backoff, Board, Bytes, Class, Code, Granularity, Homing, Io, Kernel, Library, Locking, Nanos,
    OwnTask, Placement, Problem, Spinlock, System, Word, system::is_cxx,
};

/// The source of a system's board.
pub enum Boards<'a> {
    /// The board that the file names; a name without a path is looked up in these directories.
    Named(&'a [PathBuf]),
    /// This board, whatever the file names.
    Given(&'a Board),
}

/// Reads a system. A value with a mistake is reported and replaced by an arbitrary one.
pub fn read(report: &mut Report, file: &SystemFile, path: &Path, boards: Boards) -> System {
    let folder = path.parent().unwrap_or(Path::new(""));
    words::check_name(report, "system", &file.system.name);
    let board = match boards {
        Boards::Named(dirs) => read_board(report, &file.system.board, folder, dirs),
        Boards::Given(board) => Some(board.clone()),
    };
    let cores = cores(report, file, board.as_ref());
    let board =
        board.map(|board| Board { overheads: board.overheads_with(cores).clone(), ..board });
    let names = task::ClassNames::read(report, file);
    let (frames, windows) = frame::read_all(report, file, &names, cores);
    let mut system = System {
        name: file.system.name.get().0.clone(),
        cores,
        sources: partition::application_sources(report, file, folder),
        include: includes(report, &file.system.include, folder),
        defines: defines(report, &file.system.defines),
        libraries: libraries(report, &file.system.libraries),
        posix: None,
        openmp: None,
        dataflow: None,
        channels: Vec::new(),
        run_for: file.run.run_for.as_ref().and_then(|t| values::positive(report, "for", t)),
        kernel: kernel(report, file, cores, board.as_ref()),
        partitions: partition::read_all(report, file, folder),
        regulation: regulation::read(report, file, cores, board.as_ref()),
        frames,
        io: Io { windows, ..Io::default() },
        tasks: task::read_all(report, file, &names, cores),
        semaphores: shared::semaphores(report, file, &names.partitions, cores),
        mutexes: mutex::read_all(report, file),
        flags: shared::flags(report, &file.flag, cores),
        data_queues: shared::data_queues(report, &file.data_queue, cores),
        priority_data_queues: shared::priority_data_queues(
            report,
            &file.priority_data_queue,
            cores,
        ),
        barriers: shared::barriers(report, file, cores),
        reader_writer_locks: shared::reader_writer_locks(report, &file.reader_writer_lock, cores),
        spin_locks: file.spin_lock.iter().map(|table| table.name.get().0.clone()).collect(),
        message_buffers: shared::message_buffers(report, &file.message_buffer, cores),
        memory_pools: shared::memory_pools(report, &file.memory_pool, cores),
        buffers: shared::buffers(report, &file.buffer, &names[Class::Task]),
        sampling_ports: port::sampling(report, &file.sampling_port, &names[Class::Task]),
        queuing_ports: Vec::new(),
        cyclics: time_event::cyclics(report, &file.cyclic, cores),
        alarms: time_event::alarms(report, &file.alarm, cores),
        interrupts: interrupt::interrupts(report, &file.interrupt, cores),
        device_regions: Vec::new(),
        board: board.unwrap_or_default(), // without a board the system is refused
    };
    placement::check(report, file, system.kernel.placement, &system.board);
    if let Some(placed) = system.board.placed(system.kernel.placement) {
        system.board.overheads = placed.overheads.clone();
    }
    partition::check(report, file, &names, &system);
    transaction::read_all(report, file, &names, &mut system);
    nested::read_all(report, file, &names, &mut system);
    posix::read(report, file, folder, &mut system);
    team::read_all(report, file, &mut system);
    device_region::read_all(report, file, &mut system);
    channel::read_all(report, file, &names, &mut system);
    port::queuing(report, file, &names[Class::Task], &mut system);
    dataflow::read(report, file, &mut system);
    frame::check_libraries(report, file, &system);
    system
}

fn read_board(
    report: &mut Report,
    value: &Spanned<String>,
    folder: &Path,
    board_dirs: &[PathBuf],
) -> Option<Board> {
    let Some(path) = board_file(value.get(), folder, board_dirs) else {
        report.add(unknown_board(value.get(), value.span(), board_dirs));
        return None;
    };
    Board::read_with(&path, board_dirs).map_err(|problems| report.add_all(problems)).ok()
}

/// The file of a board: a name that ends in .toml is a path relative to `folder`, any other is a
/// board's name.
pub fn board_file(name: &str, folder: &Path, board_dirs: &[PathBuf]) -> Option<PathBuf> {
    match name.ends_with(".toml") {
        true => Some(folder.join(name)).filter(|path| path.exists()),
        false => named_board(name, board_dirs),
    }
}

/// Looks up a board's name, which must not be a path: it could lead out of the directories.
fn named_board(name: &str, board_dirs: &[PathBuf]) -> Option<PathBuf> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let candidates = board_dirs.iter().map(|dir| dir.join(format!("{name}.toml")));
    candidates.filter(|_| name.chars().all(is_name)).find(|path| path.exists())
}

pub fn unknown_board(name: &str, span: Range<usize>, board_dirs: &[PathBuf]) -> Problem {
    let (message, help) = if name.ends_with(".toml") {
        let help = "the path is relative to this file; without .toml it would be a board's name";
        (format!("there is no file {name}"), help.to_string())
    } else {
        let entries = board_dirs.iter().filter_map(|dir| dir.read_dir().ok()).flatten().flatten();
        let files = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let names: Vec<String> =
            files.filter_map(|file| Some(file.strip_suffix(".toml")?.to_string())).collect();
        let known = names.iter().map(String::as_str);
        (format!("there is no board `{name}`"), words::suggest(name, known, "the boards are"))
    };
    Problem::new(Code::UnknownBoard, message, help).at(span, "unknown board")
}

/// The number of cores that the system names, or else those that its graph needs, or all of the board.
fn cores(report: &mut Report, file: &SystemFile, board: Option<&Board>) -> u32 {
    let table = &file.system;
    // Without a board any number of cores may be right.
    let available = board.map_or(MAX_CORES, Board::kernel_cores);
    let Some(value) = &table.cores else {
        return board.and_then(|board| dataflow::cores_needed(file, board)).unwrap_or(available);
    };
    let Some(cores) = values::number(report, "cores", value, 1..=MAX_CORES) else {
        return available;
    };
    if let Some(board) = board.filter(|board| cores > board.kernel_cores()) {
        let kind = if board.subnets.workers.is_some() { " that run a kernel" } else { "" };
        let (name, there) = (&board.name, board.kernel_cores());
        let message = format!("the board `{name}` has {there} cores{kind}");
        let problem = Problem::new(Code::MissingCore, message, "use fewer, or another board");
        report.add(problem.at(value.span(), "more than that").at(table.board.span(), "the board"));
    }
    cores
}

/// The endings of the source files that the build compiles, besides those of C++.
const SOURCES: [&str; 3] = [".c", ".S", ".s"];

/// The mistake of a source whose file the build would ignore.
fn source_kind(source: &Spanned<String>, cxx: bool) -> Problem {
    let name = source.get();
    let ending = Path::new(name).extension().map(|it| it.to_string_lossy().to_lowercase());
    let (label, help) = match ending.as_deref() {
        Some("cpp" | "cc" | "cxx") if !cxx => {
            ("C++", "write it in C: sources of partitions and dataflow graphs are not C++")
        }
        Some("h" | "hpp") => ("a header", "leave it out: the sources that include it are enough"),
        Some("o" | "a") => ("an object file", "name its sources"),
        _ => (
            "not one of these",
            "name C files (.c), C++ files (.cpp, .cc, .cxx) and assembler files (.S, .s) only",
        ),
    };
    let message = match cxx {
        true => format!("the source `{name}` is neither C, C++ nor assembler"),
        false => format!("the source `{name}` is neither C nor assembler"),
    };
    Problem::new(Code::SourceKind, message, help).at(source.span(), label)
}

/// The paths of sources, of which some may be C++ if `cxx`.
pub fn sources(
    report: &mut Report,
    list: &Spanned<Vec<Spanned<String>>>,
    folder: &Path,
    cxx: bool,
) -> Vec<PathBuf> {
    if list.get().is_empty() {
        let message = "`sources` is empty";
        let problem = Problem::new(Code::EmptyList, message, "name the C files of the application");
        report.add(problem.at(list.span(), "no file"));
    }
    let mut first: HashMap<&str, &Spanned<String>> = HashMap::new();
    for source in list.get() {
        if let Some(earlier) = first.insert(source.get(), source) {
            report.add(shared::repeated("source", source.span(), earlier.span()));
        } else if !folder.join(source.get()).is_file() {
            report.add(missing_file("file", source));
        } else if !(SOURCES.iter().any(|ending| source.get().ends_with(ending))
            || cxx && is_cxx(Path::new(source.get())))
        {
            report.add(source_kind(source, cxx));
        }
    }
    list.get().iter().map(|source| absolute(folder, source.get())).collect()
}

fn includes(report: &mut Report, list: &[Spanned<String>], folder: &Path) -> Vec<PathBuf> {
    for include in list.iter().filter(|include| !folder.join(include.get()).is_dir()) {
        report.add(missing_file("directory", include));
    }
    list.iter().map(|include| absolute(folder, include.get())).collect()
}

fn defines(report: &mut Report, list: &[Spanned<String>]) -> Vec<String> {
    let mut first: HashMap<&str, &Spanned<String>> = HashMap::new();
    for define in list {
        let (name, value) = define.get().split_once('=').unwrap_or((define.get(), ""));
        if !words::is_identifier(name) {
            let message = format!("`{name}` is no name of a macro");
            let help = "write \"NAME\", or \"NAME=value\", with a C identifier as the name";
            let problem = Problem::new(Code::NotIdentifier, message, help);
            report.add(problem.at(define.span(), "no C identifier"));
        } else if let Some(character) = value.chars().find(|it| !is_in_values(*it)) {
            let message = format!("a macro's value cannot hold {character:?}");
            let help = "write it as #define into a header, and name its folder in `include`";
            let problem = Problem::new(Code::BadCharacter, message, help);
            report.add(problem.at(define.span(), "this value"));
        } else if let Some(earlier) = first.insert(name, define) {
            report.add(shared::repeated("macro", define.span(), earlier.span()));
        }
    }
    list.iter().map(|define| define.get().clone()).collect()
}

/// Whether the character means itself on all ways to the compiler.
fn is_in_values(character: char) -> bool {
    (' '..='~').contains(&character) && !";\\$#%`".contains(character)
}

fn libraries(report: &mut Report, list: &[Spanned<String>]) -> Vec<Library> {
    let mut first: HashMap<&str, &Spanned<String>> = HashMap::new();
    for library in list {
        if let Some(earlier) = first.insert(library.get(), library) {
            report.add(shared::repeated("library", library.span(), earlier.span()));
        }
    }
    let words = list.iter();
    words.filter_map(|it| values::word(report, "libraries", it, Library::WORDS)).collect()
}

pub fn absolute(folder: &Path, path: &str) -> PathBuf {
    let joined = folder.join(path);
    std::path::absolute(&joined).unwrap_or(joined)
}

pub fn missing_file(kind: &str, value: &Spanned<String>) -> Problem {
    let message = format!("there is no {kind} `{}`", value.get());
    let help = "the path is relative to the system's file";
    Problem::new(Code::MissingFile, message, help).at(value.span(), format!("no such {kind}"))
}

fn kernel(report: &mut Report, file: &SystemFile, cores: u32, board: Option<&Board>) -> Kernel {
    let table = &file.kernel;
    let mut stack = |key: &str, value: &Option<Spanned<Size>>| {
        let value = value.as_ref()?;
        task::stack(report, key, value, Bytes(4 << 10)..=Bytes(64 << 10))
    };
    let trap_stack = stack("trap_stack", &table.trap_stack)
        .unwrap_or_else(|| interrupt::trap_stack(&file.interrupt));
    let idle_stack = stack("idle_stack", &table.idle_stack).unwrap_or(Bytes(4096));
    let core = table.console_core.as_ref();
    let mut hook = |value: &Option<Spanned<String>>| {
        value.as_ref().map(|value| time_event::function(report, value))
    };
    let (start_hook, shutdown_hook) = (hook(&table.start_hook), hook(&table.shutdown_hook));
    let placement = (table.placement.as_ref())
        .and_then(|value| values::word(report, "placement", value, Placement::WORDS))
        .unwrap_or_default();
    // The other placements record events only where the description asks for them.
    let default_events = if placement == Placement::Distributed { 256 } else { 0 };
    Kernel {
        start_hook,
        shutdown_hook,
        events: events(report, table).unwrap_or(default_events),
        trap_stack,
        idle_stack,
        console: console(report, table).unwrap_or(Bytes(4096)),
        console_core: core
            .and_then(|core| task::core(report, "console_core", core, cores))
            .unwrap_or_default(),
        placement,
        locking: locking(report, table),
        own_task: (table.own_task.as_ref())
            .and_then(|value| values::word(report, "own_task", value, OwnTask::WORDS))
            .unwrap_or_default(),
        idle_pull: idle_pull(report, table),
        everything: false,
        homing: homing(report, file, cores, board).unwrap_or_default(),
    }
}

/// The shortest interval of idle pulling; with a shorter one idle cores would only send requests.
const SHORTEST_PULL: Nanos = Nanos(10_000);

fn idle_pull(report: &mut Report, table: &KernelTable) -> Option<Nanos> {
    let value = table.idle_pull.as_ref()?;
    let time = values::positive(report, "idle_pull", value)?;
    if time < SHORTEST_PULL {
        let message = "an idle core would ask its neighbours too often";
        let help = format!("choose at least {SHORTEST_PULL}");
        report.add(Problem::new(Code::OutOfRange, message, help).at(value.span(), "too short"));
        return None;
    }
    Some(time)
}

/// Reads `homing`; `"page"` is accepted only for a board whose pages have homes.
fn homing(
    report: &mut Report,
    file: &SystemFile,
    cores: u32,
    board: Option<&Board>,
) -> Option<Homing> {
    let value = file.kernel.homing.as_ref()?;
    let homing = values::word(report, "homing", value, Homing::WORDS)?;
    if let (Homing::Page, Some(board)) = (homing, board) {
        if board.page_homes(cores).is_none() {
            let message = format!("on the board `{}` no page is at home at a core", board.name);
            let help = "leave `homing` out, or take a board whose [coherence] has homes = \"page\" or \"split\", \
                        or \"nodes\" with all cores' nodes and an interleave of 4KiB or more";
            let problem = Problem::new(Code::MismatchedKey, message, help);
            let board = file.system.board.span();
            report.add(problem.at(value.span(), "not on this board").at(board, "the board"));
        }
    }
    Some(homing)
}

fn locking(report: &mut Report, table: &KernelTable) -> Locking {
    let granularity = (table.granularity.as_ref())
        .and_then(|value| values::word(report, "granularity", value, Granularity::WORDS));
    let spinlock = (table.spinlock.as_ref())
        .and_then(|value| values::word(report, "spinlock", value, Spinlock::WORDS));
    Locking {
        granularity: granularity.unwrap_or_default(),
        spinlock: spinlock.unwrap_or_default(),
        backoff: backoff(report, table, spinlock.unwrap_or_default()).unwrap_or_default(),
    }
}

/// Reads the backoff, which must be one that the lock supports.
fn backoff(report: &mut Report, table: &KernelTable, spinlock: Spinlock) -> Option<Backoff> {
    let value = table.backoff.as_ref()?;
    let backoff = values::word(report, "backoff", value, Backoff::WORDS)?;
    if spinlock.backoffs().contains(&backoff) {
        return Some(backoff);
    }
    let name = spinlock.word();
    let has = spinlock.backoffs().iter();
    let known: Vec<_> = has.map(|backoff| format!("\"{}\"", backoff.word())).collect();
    let message = format!("the lock \"{name}\" has no such backoff");
    let help = format!("with it `backoff` can be {}", known.join(" or "));
    let mut problem =
        Problem::new(Code::MismatchedKey, message, help).at(value.span(), "not of this lock");
    if let Some(lock) = &table.spinlock {
        problem = problem.at(lock.span(), "the lock");
    }
    report.add(problem);
    None
}

fn events(report: &mut Report, table: &KernelTable) -> Option<u32> {
    let value = table.events.as_ref()?;
    let events = values::number(report, "events", value, 0..=65536)?;
    values::power_of_two(report, "events", events.into(), value.span())?;
    Some(events)
}

fn console(report: &mut Report, table: &KernelTable) -> Option<Bytes> {
    let value = table.console.as_ref()?;
    let size = values::size(report, "console", value, Bytes(256)..=Bytes(1 << 20))?;
    values::power_of_two(report, "console", size.0, value.span()).map(Bytes)
}
