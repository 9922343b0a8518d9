// SPDX-License-Identifier: Apache-2.0
//! Reads a dataflow graph: `[dataflow]`, `[[object]]` and `[[edge]]`. The control core's part of the
//! library is a task and a cyclic handler, which the description could have said itself; everything
//! else is derived here and handed on as constants.

use std::ops::Range;

use super::{
    edges,
    file::{DataflowTable, ObjectTable, Spanned, SystemFile},
    play,
    report::Report,
    values,
    words::{self, Names},
};
use crate::{
    Activation, Board, Bytes, Code, Cyclic, Dataflow, DeviceRegion, Library, Nanos, Object, Phase,
    Problem, Rights, Runtime, System, Task, Word,
    board::{BLOCK_DMA_BYTES, REGISTER_BYTES, SCOREBOARD_BYTES, WORKER_CONTROL_BYTES},
    dataflow::MESSAGES_BYTES,
    dataflow::SHARED_SPACE,
    system::LOWEST_PRIORITY,
};

/// The name and the entry of the control core's task, and those of the cyclic handler that looks
/// for cores that hang.
const TASK: (&str, &str) = ("dataflow", "takt_dataflow_scheduler");
const WATCH: (&str, &str) = ("dataflow_watch", "takt_dataflow_watch");
/// An object has a number of 16 bits; the reader adds one for each object at most, and two for each core.
const MAX_OBJECTS: usize = 32_000;
const MAX_ITERATIONS: u32 = 1_000_000;
const WATCH_WCET: Nanos = Nanos(10_000);
const DEFAULT_STACK: Bytes = Bytes(8 << 10);
const DEFAULT_WATCH: Nanos = Nanos(1_000_000);

/// The entry of the task of core N's director, where all cores have a kernel.
const WORKER: &str = "takt_dataflow_worker_";
/// The cores of a graph in shared memory: an entry of 16 bits has two for each other core, as on a mesh.
const MAX_GRAPH_CORES: u32 = 9;

/// The core whose kernel runs the graph's scheduler.
const CONTROL: u32 = 0;

/// The word registers of a core: the library's own are the last ones.
const WORDS: u32 = 32;

/// What the library needs of a board.
pub struct Mesh {
    pub workers: Vec<u32>,
    /// Whether it is no mesh, but memory that all cores share.
    shares_memory: bool,
    /// The size of each core's scratchpad, or of what takes its place; 0: it has none.
    pub scratchpads: Vec<u64>,
    /// The end of the buffers in each core's scratchpad.
    pub ends: Vec<u64>,
    /// The cycles of a load from a word register.
    word_cycles: u64,
    /// The regions that the control core reaches.
    regions: Vec<DeviceRegion>,
}

impl Mesh {
    /// Takes room for messages behind all buffers, at one offset on all workers, as one transfer goes to several.
    fn reserve_messages(&mut self) {
        let workers = self.workers.iter().map(|core| self.scratchpads[*core as usize]);
        let end = workers.min().unwrap_or_default();
        for core in [CONTROL].iter().chain(&self.workers) {
            let at = &mut self.ends[*core as usize];
            *at = if *core == CONTROL { *at } else { end }.saturating_sub(MESSAGES_BYTES);
        }
    }
}

/// Objects of one table, each on a core of its own.
#[derive(Clone)]
pub struct Family<'f> {
    pub table: &'f ObjectTable,
    /// Indices in [`Dataflow::objects`].
    pub members: Range<usize>,
    /// Whether the table has `cores`, so that an edge can tell its members apart.
    pub is_family: bool,
    /// Whether no core of the table was refused.
    pub is_whole: bool,
}

pub fn read(report: &mut Report, file: &SystemFile, system: &mut System) {
    let word = Library::Dataflow.word();
    let Some(library) = file.system.libraries.iter().find(|it| it.get() == word) else {
        return check_none(report, file);
    };
    let Some(mut mesh) = shared_memory(system).or_else(|| mesh(&system.board)) else {
        if system.board.cores > 0 {
            let message = format!("the board `{}` is no mesh with workers", system.board.name);
            let help = "take a board with [workers], [scoreboard], [word_registers] and [block_dma], such as iota9, \
                        or with none of them, whose cores share their memory";
            let problem = Problem::new(Code::MismatchedKey, message, help);
            let board = file.system.board.span();
            report.add(problem.at(library.span(), "needs one").at(board, "the board"));
        }
        return;
    };
    if file.object.is_empty() {
        let help = "add objects, and edges between them: object = [{ name = \"a\", ... }]";
        let message = "a dataflow graph without objects";
        let problem = Problem::new(Code::EmptyList, message, help);
        return report.add(problem.at(library.span(), "needs objects"));
    }
    check_names(report, file);
    let (mut objects, families) = objects(report, file, &mesh);
    let names = file.object.iter().map(|it| &it.name);
    let names = Names::read(report, "object", Code::UnknownObject, names);
    let table = file.dataflow.as_ref().map(Spanned::get);
    let (iterations, until) = iterations(report, table, &names, &families, &objects);
    let runtime = table.and_then(|it| it.runtime.as_ref());
    let runtime = runtime.and_then(|word| {
        let runtime = values::word(report, "runtime", word, Runtime::WORDS)?;
        if runtime == Runtime::Rtos1 && mesh.shares_memory {
            let message = "the runtime \"rtos1\" sends its messages by the engines of a mesh";
            let help = "take a board such as iota9, or leave `runtime` out";
            let problem = Problem::new(Code::MismatchedKey, message, help);
            let board = file.system.board.span();
            report.add(
                problem.at(word.span(), "needs a mesh").at(board, "the board has shared memory"),
            );
        }
        Some(runtime)
    });
    let runtime = runtime.unwrap_or_default();
    if runtime == Runtime::Rtos1 {
        mesh.reserve_messages();
    }
    let edges = edges::read_all(report, file, &names, &families, &objects, runtime);
    let control_task = system.tasks.len();
    let Some((stack, watch)) = add_tasks(report, file, system) else { return };
    if mesh.shares_memory {
        add_directors(system, &objects);
    }
    if !report.is_clean() {
        return; // what is derived from a wrong graph would be wrong
    }
    let lowest_buffer =
        edges::derive(report, file, &edges, &families, &mut objects, &mesh, iterations);
    if let Some(lowest_buffer) = lowest_buffer {
        if !mesh.shares_memory {
            check_stacks(report, file, &mesh, &lowest_buffer, stack);
        }
        let function = |value: Option<&Spanned<String>>| value.map(|it| it.get().clone());
        system.device_regions.extend(mesh.regions);
        let worker = mesh.workers.first().map_or(0, |core| mesh.ends[*core as usize]);
        let messages = [mesh.ends[CONTROL as usize], worker];
        let dataflow = Dataflow {
            task: control_task,
            control: CONTROL,
            workers: mesh.workers,
            shares_memory: mesh.shares_memory,
            sequential: function(table.and_then(|it| it.sequential.as_ref())),
            check: function(table.and_then(|it| it.check.as_ref())),
            stack,
            watch,
            objects,
            edges,
            runtime,
            messages,
            iterations,
            until,
            lowest_buffer,
            word_cycles: mesh.word_cycles,
        };
        play::check(report, &families, &dataflow);
        system.dataflow = Some(dataflow);
    }
}

/// The cores of a system whose board has no part of a mesh: all of them have a kernel, and share their memory.
fn shared_memory(system: &System) -> Option<Mesh> {
    let Board { subnets, cores, .. } = &system.board;
    let has_mesh = subnets.workers.is_some()
        || subnets.scoreboard.is_some()
        || subnets.word_registers.is_some()
        || subnets.block_dma.is_some();
    (!has_mesh && *cores > 0).then(|| Mesh {
        workers: (CONTROL + 1..system.cores.min(MAX_GRAPH_CORES)).collect(),
        shares_memory: true,
        word_cycles: 0,
        ends: vec![SHARED_SPACE; system.cores as usize],
        scratchpads: vec![SHARED_SPACE; system.cores as usize],
        regions: Vec::new(),
    })
}

/// The cores that a graph needs on a board whose cores share their memory, if the description does not say how many:
/// those up to the last one that has an object. None: it has no graph.
pub fn cores_needed(file: &SystemFile, board: &Board) -> Option<u32> {
    let word = Library::Dataflow.word();
    let has_graph = file.system.libraries.iter().any(|it| it.get() == word);
    let one = file.object.iter().filter_map(|it| it.core.as_ref());
    let many = file.object.iter().filter_map(|it| it.cores.as_ref()).flat_map(|it| it.get());
    let last = one.chain(many).filter_map(|it| u32::try_from(*it.get()).ok()).max()?;
    (has_graph && board.subnets.workers.is_none())
        .then_some(last.saturating_add(1).min(board.kernel_cores()))
}

/// What the library needs of the board. None: the board lacks a part of it.
fn mesh(board: &Board) -> Option<Mesh> {
    let subnets = &board.subnets;
    let first = subnets.workers.as_ref()?.first;
    let scoreboard = subnets.scoreboard.as_ref()?.base;
    let words = subnets.word_registers.as_ref()?;
    let engine = subnets.block_dma.as_ref()?.base;
    let pad = |core: u32| board.scratchpads.iter().find(|pad| pad.cores.contains(&core));
    let own = pad(CONTROL)?;
    let is_alike = |core| pad(core).is_some_and(|pad| pad.base == own.base);
    if words.count != WORDS || !(first..board.cores).all(is_alike) {
        return None;
    }
    let words_size = u64::from(words.count) * REGISTER_BYTES * u64::from(board.cores);
    let control_size = WORKER_CONTROL_BYTES * u64::from(board.cores);
    let regions = [
        ("scratchpad", own.base, own.size.0),
        ("scoreboard", scoreboard, SCOREBOARD_BYTES),
        ("words", words.base, words_size),
        ("engine", engine, BLOCK_DMA_BYTES),
        ("workers", subnets.workers.as_ref()?.control, control_size),
    ];
    let region = |(name, base, size)| DeviceRegion {
        name: format!("dataflow_{name}"),
        base,
        size: Bytes(size),
    };
    let scratchpads: Vec<u64> =
        (0..board.cores).map(|core| pad(core).map_or(0, |pad| pad.size.0)).collect();
    Some(Mesh {
        workers: (first..board.cores).collect(),
        shares_memory: false,
        word_cycles: 1 + 2 * words.way,
        ends: scratchpads.clone(),
        scratchpads,
        regions: regions.map(region).into(),
    })
}

fn check_none(report: &mut Report, file: &SystemFile) {
    let table = file.dataflow.as_ref().map(|it| ("table [dataflow]", it.span()));
    let object = file.object.first().map(|it| ("graph's object", it.name.span()));
    let edge = file.edge.first().map(|it| ("graph's edge", it.from.span()));
    let Some((what, span)) = table.or(object).or(edge) else { return };
    let word = Library::Dataflow.word();
    let message = format!("the description has a {what} and not the library `{word}`");
    let help = format!("add \"{word}\" to the libraries: libraries = [\"{word}\"]");
    let problem = Problem::new(Code::MismatchedKey, message, help);
    report.add(problem.at(span, format!("of the library `{word}`")));
}

/// Refuses names of the description that the library's own task and handler have.
fn check_names(report: &mut Report, file: &SystemFile) {
    let is_own = |name: &str| {
        let rest = name.strip_prefix(TASK.0);
        rest.is_some_and(|it| {
            it.is_empty() || it.strip_prefix('_').is_some_and(|it| it.parse::<u32>().is_ok())
        })
    };
    let tasks = file.task.iter().map(|it| &it.name).filter(|it| is_own(&it.get().0));
    let cyclics = file.cyclic.iter().map(|it| &it.name).filter(|it| it.get().0 == WATCH.0);
    for name in tasks.chain(cyclics) {
        let message = format!("`{}` is a name of the library `dataflow`", name.get().0);
        let problem = Problem::new(Code::ReservedName, message, "choose another name");
        report.add(problem.at(name.span(), "belongs to the graph"));
    }
}

/// Adds the control core's task and the handler; returns the size of the stacks and the
/// handler's period. None: refused.
fn add_tasks(
    report: &mut Report,
    file: &SystemFile,
    system: &mut System,
) -> Option<(Bytes, Nanos)> {
    let table = file.dataflow.as_ref().map(Spanned::get);
    let stack = table.and_then(|it| it.stack.as_ref()).map_or(Some(DEFAULT_STACK), |value| {
        let range = Bytes(4 << 10)..=Bytes(64 << 10);
        values::aligned_size(report, "stack", value, range, Bytes(4 << 10))
    })?;
    let lowest = LOWEST_PRIORITY.into();
    let priority = table
        .and_then(|it| it.priority.as_ref())
        .map_or(Some(lowest), |value| values::number(report, "priority", value, 1..=lowest))?;
    let period = watch(report, table)?;
    for value in table.into_iter().flat_map(|it| it.sequential.iter().chain(&it.check)) {
        words::check_entry(report, "function", value);
    }
    let priority = u8::try_from(priority).ok();
    system.tasks.push(task(TASK.0.into(), TASK.1.into(), CONTROL, priority, stack));
    system.cyclics.push(Cyclic {
        name: WATCH.0.into(),
        function: WATCH.1.into(),
        argument: 0,
        core: CONTROL,
        period,
        offset: Nanos(0),
        wcet: WATCH_WCET,
        start: true,
    });
    Some((stack, period))
}

/// Adds a task for the director of each other core that has objects, with what the control core's has.
fn add_directors(system: &mut System, objects: &[Object]) {
    let Some(control) = system.tasks.last() else { return };
    let (priority, stack) = (control.priority, control.stack);
    let mut cores: Vec<u32> =
        objects.iter().map(|it| it.core).filter(|it| *it != CONTROL).collect();
    cores.sort_unstable();
    cores.dedup();
    system.tasks.extend(cores.into_iter().map(|core| {
        task(format!("{}_{core}", TASK.0), format!("{WORKER}{core}"), core, priority, stack)
    }));
}

/// A task of the library, which is ready from the start.
fn task(name: String, entry: String, core: u32, priority: Option<u8>, stack: Bytes) -> Task {
    Task {
        name,
        entry,
        argument: 0,
        partition: None,
        activation: Activation::Aperiodic,
        deadline: None,
        wcet: None,
        jitter: Default::default(),
        core: Some(core),
        cores: Vec::new(),
        priority,
        stack,
        queue: 1,
        start: true,
        uses: Vec::new(),
        mutexes: Vec::new(),
        suspends: None,
        budget: None,
        memory: None,
        deadline_handler: None,
        rights: Rights::default(),
    }
}

fn watch(report: &mut Report, table: Option<&DataflowTable>) -> Option<Nanos> {
    let Some(value) = table.and_then(|it| it.watch.as_ref()) else { return Some(DEFAULT_WATCH) };
    let period = values::duration(report, "watch", value)?;
    if !(Nanos(100_000)..=Nanos(1_000_000_000)).contains(&period) {
        let message = "`watch` is out of range";
        let problem = Problem::new(Code::OutOfRange, message, "choose a time from 100us to 1s");
        report.add(problem.at(value.span(), format!("this is {period}")));
        return None;
    }
    Some(period)
}

/// The objects of all tables, in the order of the file. What is derived is still empty.
fn objects<'f>(
    report: &mut Report,
    file: &'f SystemFile,
    mesh: &Mesh,
) -> (Vec<Object>, Vec<Family<'f>>) {
    let (mut objects, mut families) = (Vec::new(), Vec::new());
    for table in &file.object {
        words::check_entry(report, "entry", &table.entry);
        let wcet = values::positive(report, "wcet", &table.wcet).unwrap_or_default();
        let argument = table
            .argument
            .as_ref()
            .and_then(|value| values::number(report, "argument", value, 0..=u32::MAX));
        let phase = phase(report, file, table);
        let lowest = u32::from(LOWEST_PRIORITY);
        let priority = table.priority.as_ref();
        let priority = priority.and_then(|it| values::number(report, "priority", it, 1..=lowest));
        let (first, name) = (objects.len(), &table.name.get().0);
        let cores = cores(report, table, mesh);
        for (index, &core) in cores.iter().enumerate() {
            let name = match &table.cores {
                Some(_) => format!("{name}[{index}]"),
                None => name.clone(),
            };
            objects.push(Object {
                argument: argument.unwrap_or_default(),
                index: index as u32,
                phase,
                place: (priority.unwrap_or(lowest), objects.len(), true),
                ..Object::new(name, table.entry.get(), core, wcet)
            });
        }
        if objects.len() > MAX_OBJECTS && first <= MAX_OBJECTS {
            let message = format!("more than {MAX_OBJECTS} objects");
            let problem = Problem::new(Code::TooMany, message, "an object has a number of 16 bits");
            report.add(problem.at(table.name.span(), "the first one too many"));
        }
        let is_family = table.cores.is_some();
        let listed = table.cores.as_ref().map_or(1, |it| it.get().len());
        let is_whole = listed == cores.len();
        families.push(Family { table, members: first..objects.len(), is_family, is_whole });
    }
    (objects, families)
}

fn phase(report: &mut Report, file: &SystemFile, table: &ObjectTable) -> Phase {
    let Some(value) = &table.phase else { return Phase::Body };
    if file.dataflow.as_ref().is_none_or(|it| it.get().iterations.is_none()) {
        let message = "an object with a phase in a graph without iterations";
        let help = "say how many there are at most: iterations = 100 in [dataflow]";
        let problem = Problem::new(Code::MismatchedKey, message, help);
        report.add(problem.at(value.span(), "needs iterations"));
    }
    values::word(report, "phase", value, Phase::WORDS).unwrap_or_default()
}

/// Reads how many iterations there are at most, and the object that may end them.
fn iterations(
    report: &mut Report,
    table: Option<&DataflowTable>,
    names: &Names,
    families: &[Family],
    objects: &[Object],
) -> (u32, Option<usize>) {
    let count = table
        .and_then(|it| it.iterations.as_ref())
        .map_or(Some(1), |value| values::number(report, "iterations", value, 2..=MAX_ITERATIONS));
    let count = count.unwrap_or(2);
    let Some(value) = table.and_then(|it| it.until.as_ref()) else { return (count, None) };
    let name = &value.get().0;
    let mut refuse = |code, message: &str, help: String, label| {
        report.add(Problem::new(code, message, help).at(value.span(), label));
        (count, None)
    };
    let Some(family) = names.index_of(name).map(|it| &families[it]) else {
        let help = words::suggest(name, names.words(), "the objects are");
        let message = format!("there is no object `{name}`");
        return refuse(Code::UnknownObject, &message, help, "no object has this name");
    };
    if count == 1 {
        let help = "say how many there are at most: iterations = 100".to_string();
        return refuse(Code::MismatchedKey, "`until` without iterations", help, "ends nothing");
    }
    if family.is_family || objects[family.members.start].phase != Phase::Body {
        let message = format!("the object `{name}` cannot end the iterations");
        let help = "name one object of phase \"body\", no family".to_string();
        return refuse(Code::MismatchedKey, &message, help, "not in each iteration, or not one");
    }
    (count, Some(family.members.start))
}

/// The cores of a table's objects. A core that is refused is left out.
fn cores(report: &mut Report, table: &ObjectTable, mesh: &Mesh) -> Vec<u32> {
    let list: Vec<&Spanned<i64>> = match (&table.core, &table.cores) {
        (Some(core), None) => vec![core],
        (None, Some(cores)) => cores.get().iter().collect(),
        (core, _) => {
            let (code, word) = match core {
                Some(_) => (Code::MismatchedKey, "both"),
                None => (Code::MissingKey, "neither"),
            };
            let message = format!("an object has `core` or `cores`, and this one {word}");
            let help = "write core = 1, or cores = [1, 2] for a family with a member on each";
            let span = core.as_ref().map_or(table.name.span(), Spanned::span);
            report.add(Problem::new(code, message, help).at(span, format!("{word} of the two")));
            return Vec::new();
        }
    };
    let mut found: Vec<u32> = Vec::new();
    for value in list {
        let core = u32::try_from(*value.get()).ok();
        let core = core.filter(|it| *it == CONTROL || mesh.workers.contains(it));
        let Some(core) = core else {
            let message = match mesh.shares_memory {
                true => "an object is on a core that the graph cannot have",
                false => "an object is on a core that the board does not have",
            };
            let last = mesh.workers.last().copied().unwrap_or_default();
            let help = format!("the control core is {}, the last worker {last}", CONTROL);
            let problem = Problem::new(Code::MissingCore, message, help);
            report.add(problem.at(value.span(), "no such core"));
            continue;
        };
        if found.last().is_some_and(|last| *last >= core) {
            let message = "a family's cores are not in ascending order";
            let help = "a gather lays the members' parts in the order of their cores: sort them";
            let problem = Problem::new(Code::Repeated, message, help);
            report.add(problem.at(value.span(), "not above the one before"));
            continue;
        }
        found.push(core);
    }
    found
}

/// Refuses a core whose stack, image and buffers cannot fit its scratchpad. How large the image is
/// the linker finds out.
fn check_stacks(
    report: &mut Report,
    file: &SystemFile,
    mesh: &Mesh,
    lowest_buffer: &[u64],
    stack: Bytes,
) {
    for &core in &mesh.workers {
        if lowest_buffer[core as usize] < stack.0 {
            let span = file.system.board.span();
            let size = mesh.scratchpads[core as usize];
            report.add(edges::full(core, size, span, "they take the place of the stack"));
        }
    }
}
