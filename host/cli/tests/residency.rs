// SPDX-License-Identifier: Apache-2.0
//! Tests that a core reaches no memory outside of the pages that are counted for its second-level cache.

mod common;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use common::takt::{ended, takt};
use takt_board::engine::observe::{Access, Location};
use takt_board::engine::{Machine, Order};
use takt_board::memory::tags::State;
use takt_cli::board::Variation;
use takt_cli::board::image_run::{self, RunOptions};
use takt_cli::calibrate;
use takt_cli::image::Image;
use takt_cli::progress::Progress;
use takt_configure::residency::{self, Piece, Writer};
use takt_model::{Assignment, Board, KernelPath, Nanos, Overheads, System};
use takt_record::Head;

const PAGE: u64 = 4096;
const LINE: u64 = 64;

/// The number of accesses by core, page and millisecond.
type Accesses = HashMap<(u32, u64, u64), u64>;

/// A system and its image.
struct Built {
    system: System,
    assignments: Vec<Assignment>,
    image: Image,
}

/// Polytakt's tree.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

impl Built {
    /// The flight controller.
    fn rosace() -> Built {
        Built::of(&root().join("examples/rosace/system.toml"))
    }

    fn of(file: &Path) -> Built {
        let root = root();
        let system = System::read(file, &[root.join("boards")]).unwrap();
        let assignments = takt_analysis::assign(&system).unwrap();
        let built = ended(takt(&["build", file.to_str().unwrap()], &root));
        assert_eq!(built.code, 0, "{}", built.stderr);
        let image = Image::read(Path::new(built.stdout.trim())).unwrap();
        Built { system, assignments, image }
    }

    fn options(&self) -> RunOptions<'_> {
        RunOptions {
            board: &self.system.board,
            harts: self.system.cores,
            image: &self.image,
            events: 0,
            run_for: Some(Nanos(30_000_000)),
            budget: Some(Nanos(1_000_000_000)),
            order: Order::Ahead,
            gdb: None,
            rtu: None,
            output: None,
            unwritten: Default::default(),
        }
    }

    /// The physical lines of a piece of the footprint that is no stack.
    fn lines(&self, piece: &Piece) -> Range<u64> {
        let line = |(name, offset): &(String, u64)| {
            let linked = self.image.address_of(name).unwrap() + offset;
            self.image.physical(linked).unwrap() / LINE
        };
        line(&piece.start)..line(&piece.end)
    }

    /// The lines that no other core writes, by core, and whether the core itself does: text and constants, and its own part.
    fn kept(&self) -> Vec<HashMap<u64, bool>> {
        let of_core = |core| {
            let pieces = residency::pieces(&self.system, &self.assignments, core);
            let kept = pieces.into_iter().filter(|it| it.stack.is_none());
            let kept = kept.map(|it| (self.lines(&it), it.writer == Writer::Own, it.start.0));
            let kept = kept.filter(|(_, own, start)| *own || start == "takt_text_start");
            let kept = kept.flat_map(|(lines, own, _)| lines.map(move |line| (line, own)));
            // The end of its block is the memo's transfers: the inbox, which a home's atomic takes away, and the console's indices.
            let block = self.image.objects[&format!("core{core}")];
            let end = self.image.physical(block.address + block.size).unwrap() / LINE;
            kept.filter(|(line, _)| !(end - 4..end).contains(line)).collect()
        };
        (0..self.system.cores).map(of_core).collect()
    }
}

/// The tick of time 0, once the kernel has set it.
fn epoch(machine: &Machine, image: &Image) -> Option<u64> {
    let size = takt_record::schema::HEADER.size() as u64;
    let at = machine.world.fabric.ram.offset(image.record, size)?;
    let head = Head::decode(machine.world.fabric.ram.slice(at, size)).ok()?;
    (head.epoch != 0).then(|| machine.world.tick_of(head.epoch))
}

/// At time 0 each core's second-level cache has all lines of text and constants, and owns what the core alone writes. In the
/// two periods that follow no core asks for such a line: none comes from beyond that cache.
#[test]
fn the_boot_loads_the_footprint() {
    loads_its_footprint(&Built::rosace());
}

/// A cyclic handler on both cores; a task on core 1 lets a device interrupt it: its engine copies no bytes.
const HANDLERS: &str = r#"
format = 1
[system]
name = "handlers"
board = "tile72"
cores = 2
sources = ["main.c"]
[run]
for = "30ms"
[[cyclic]]
name = "far"
function = "on_cyclic"
core = 1
period = "1ms"
start = true
wcet = "10us"
[[cyclic]]
name = "near"
function = "on_cyclic"
core = 0
period = "2ms"
start = true
wcet = "10us"
[[interrupt]]
name = "device"
device = "/soc/dma@10200000"
entry = "on_device"
priority = 1
core = 1
separation = "1ms"
wcet = "10us"
[[task]]
name = "raiser"
entry = "raiser_step"
core = 1
priority = 1
period = "2ms"
wcet = "20us"
[[task]]
name = "other"
entry = "other_step"
core = 0
priority = 1
period = "3ms"
wcet = "20us"
"#;

const HANDLERS_SOURCE: &str = r#"
#include <takt/takt.h>
enum { LENGTH = 2, CONTROL = 3, STATUS = 4 };
static volatile uint64_t *registers;
volatile uint64_t device_calls;
void on_cyclic(intptr_t argument) { (void)argument; }
void on_device(intptr_t argument) {
    (void)argument;
    registers[STATUS] = 2;
    device_calls++;
}
void raiser_step(intptr_t argument) {
    (void)argument;
    volatile void *found = 0;
    if (takt_interrupt_registers(TAKT_INTERRUPT_device, &found) == TAKT_OK) {
        registers = found;
        registers[LENGTH] = 0;
        registers[CONTROL] = 3;
    }
}
void other_step(intptr_t argument) { (void)argument; }
"#;

/// The same for handlers and interrupts of devices, and such a system is proved: the blocks of these are their core's own.
#[test]
fn handlers_and_interrupts_have_their_blocks_before_time_0() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("system.toml", HANDLERS);
    write("main.c", HANDLERS_SOURCE);
    let built = Built::of(&folder.path().join("system.toml"));
    let (machine, beyond) = loads_its_footprint(&built);
    let calls = built.image.physical(built.image.address_of("device_calls").unwrap()).unwrap();
    assert!(
        beyond.iter().all(|(_, line)| *line == calls / LINE),
        "the application's line alone: {beyond:x?}"
    );
    let calls = machine.world.fabric.ram.offset(calls, 8).unwrap();
    let calls = machine.world.fabric.ram.read::<8>(calls);
    assert!((4..7).contains(&calls), "{calls} interrupts");
    write("mine.toml", &stamped(&root()));
    write("system.toml", &HANDLERS.replace("\"tile72\"", "\"mine.toml\""));
    let said = |command: &str| ended(takt(&[command, "system.toml"], folder.path()));
    assert_eq!(said("build").code, 0);
    let proved = said("check").stdout;
    assert!(proved.contains("handlers: proved: every deadline is met"), "{proved}");
}

/// Two cores whose tasks ask others of their core: a mutex, a count, a signal with a timeout, a data queue, an activation by a
/// handler.
const LOCAL: &str = r#"
format = 1
[system]
name = "local"
board = "tile72"
cores = 2
sources = ["main.c"]
[run]
for = "30ms"
[[semaphore]]
name = "count"
initial = 1
maximum = 1
[[semaphore]]
name = "signal"
core = 1
[[mutex]]
name = "mutex"
protocol = "inherit"
[[data_queue]]
name = "queue"
capacity = 2
core = 1
[[task]]
name = "high"
entry = "high_step"
core = 0
priority = 1
period = "1ms"
wcet = "50us"
uses = [{ mutex = "mutex", hold = "10us" }, { semaphore = "count", hold = "10us" }]
[[task]]
name = "low"
entry = "low_step"
core = 0
priority = 2
period = "3ms"
wcet = "50us"
uses = [{ mutex = "mutex", hold = "10us" }, { semaphore = "count", hold = "10us" }]
[[task]]
name = "waiter"
entry = "waiter_step"
argument = 2
core = 1
priority = 1
period = "2ms"
wcet = "50us"
suspends = "300us"
[[task]]
name = "called"
entry = "called_step"
core = 1
priority = 2
separation = "1ms"
wcet = "50us"
[[cyclic]]
name = "caller"
function = "on_caller"
core = 1
period = "1ms"
offset = "100us"
start = true
wcet = "10us"
"#;

const LOCAL_SOURCE: &str = r#"
#include <takt/takt.h>
static void lock(void) {
    takt_assert(takt_mutex_lock(TAKT_MUTEX_mutex) == TAKT_OK);
    takt_mutex_unlock(TAKT_MUTEX_mutex);
    takt_assert(takt_semaphore_wait(TAKT_SEMAPHORE_count) == TAKT_OK);
    takt_semaphore_signal(TAKT_SEMAPHORE_count);
}
void high_step(intptr_t argument) { (void)argument; lock(); }
void low_step(intptr_t argument) { (void)argument; lock(); }
void waiter_step(intptr_t signal) {
    intptr_t word = 0;
    (void)!takt_semaphore_wait_for((takt_id)signal, 200000);
    (void)!takt_data_queue_try_receive(TAKT_DATA_QUEUE_queue, &word);
}
void called_step(intptr_t argument) {
    (void)argument;
    (void)!takt_data_queue_try_send(TAKT_DATA_QUEUE_queue, 1);
    takt_semaphore_signal(TAKT_SEMAPHORE_signal);
}
void on_caller(intptr_t argument) {
    (void)argument;
    takt_task_activate(TAKT_TASK_called);
}
"#;

/// A system in a folder of its own, on a board with resident overheads.
struct Described {
    folder: tempfile::TempDir,
}

impl Described {
    fn new(system: &str, source: &str) -> Described {
        let described = Described { folder: tempfile::tempdir().unwrap() };
        described.write("mine.toml", &stamped(&root()));
        described.write("system.toml", &system.replace("\"tile72\"", "\"mine.toml\""));
        described.write("main.c", source);
        described
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    /// The last line of the check, of the image that is built before.
    fn verdict(&self) -> String {
        let said = |command: &str| ended(takt(&[command, "system.toml"], self.folder.path()));
        let built = said("build");
        assert_eq!(built.code, 0, "{}", built.stderr);
        let checked = said("check").stdout;
        checked.trim().lines().last().unwrap().to_string()
    }
}

/// Each object is in its core's cache at time 0, and no other's, and no core asks for a line afterwards. Such a system is proved.
#[test]
fn objects_of_a_core_are_in_its_cache() {
    let described = Described::new(LOCAL, LOCAL_SOURCE);
    let proved = described.verdict();
    assert!(proved.contains("local: proved: every deadline is met"), "{proved}");
    assert!(proved.contains("each `wcet` and `hold` has to hold"), "{proved}");
    let built = Built::of(&described.folder.path().join("system.toml"));
    let owners = [
        ("takt_semaphores", 0, 0),
        ("takt_semaphores", 1, 1),
        ("takt_mutexes", 0, 0),
        ("takt_data_queues", 0, 1),
    ];
    let lines: Vec<_> = owners
        .map(|(array, index, owner)| {
            let address = built.image.address_of(array).unwrap() + index * LINE;
            (built.image.physical(address).unwrap() / LINE, owner)
        })
        .into();
    let (machine, beyond) = loads_its_footprint_with(&built, &lines);
    assert!(beyond.is_empty(), "{beyond:x?}");
    let jobs = machine.units.iter().map(|unit| unit.hart.instret).min().unwrap();
    assert!(jobs > 10_000, "{jobs} instructions");
}

/// What the image does not tell, or tells of another core, leaves the system computed, and the line says so.
#[test]
fn requests_to_other_cores_are_found_in_the_image() {
    let cases = [
        // The object is another core's.
        (
            "takt_task_activate(TAKT_TASK_called);",
            "takt_semaphore_signal(TAKT_SEMAPHORE_count);",
            "on_caller on core 1 calls takt_semaphore_signal for semaphore count, which belongs to core 0",
        ),
        (
            "takt_task_activate(TAKT_TASK_called);",
            "takt_task_wakeup(TAKT_TASK_low);",
            "on_caller on core 1 calls takt_task_wakeup for task low, which belongs to core 0",
        ),
        // The ID comes from memory.
        (
            "takt_task_activate(TAKT_TASK_called);",
            "static volatile takt_id id = TAKT_TASK_called; takt_task_activate(id);",
            "on_caller calls takt_task_activate, and the image does not tell for which task",
        ),
        // The function comes from memory.
        (
            "takt_task_activate(TAKT_TASK_called);",
            "static takt_error (*volatile call)(takt_id) = takt_task_activate; call(TAKT_TASK_called);",
            "on_caller calls or jumps through a pointer",
        ),
    ];
    for (from, to, why) in cases {
        let changed = LOCAL_SOURCE.replace(from, to);
        assert_ne!(changed, LOCAL_SOURCE);
        let verdict = Described::new(LOCAL, &changed).verdict();
        assert!(verdict.starts_with("local: computed: ") && verdict.contains(why), "{verdict}");
    }
    let homeless =
        Described::new(&LOCAL.replace("capacity = 2\ncore = 1", "capacity = 2"), LOCAL_SOURCE);
    let verdict = homeless.verdict();
    assert!(verdict.contains("a data queue names no core (`core = 1`)"), "{verdict}");
}

/// Two cores that activate a task of each other.
const BETWEEN: &str = r#"
format = 1
[system]
name = "between"
board = "tile72"
cores = 2
sources = ["main.c"]
[run]
for = "30ms"
[[task]]
name = "there"
entry = "called_step"
core = 1
priority = 1
separation = "1ms"
wcet = "20us"
queue = 2
[[task]]
name = "here"
entry = "called_step"
core = 0
priority = 1
separation = "1ms"
wcet = "20us"
[[task]]
name = "one"
entry = "one_step"
core = 0
priority = 2
period = "1ms"
wcet = "100us"
[[task]]
name = "other"
entry = "other_step"
core = 1
priority = 2
period = "1ms"
wcet = "100us"
"#;

const BETWEEN_SOURCE: &str = r#"
#include <takt/takt.h>
volatile uint64_t calls[8] __attribute__((aligned(64)));
void called_step(intptr_t argument) { (void)argument; }
void one_step(intptr_t argument) {
    (void)argument;
    takt_task_activate(TAKT_TASK_there);
    takt_task_activate(TAKT_TASK_there);
    calls[0]++;
}
void other_step(intptr_t argument) {
    (void)argument;
    takt_task_activate(TAKT_TASK_here);
}
"#;

/// A system whose cores activate tasks of each other is proved. No miss takes longer than the bound of a line that goes from cache to
/// cache, and the memory serves nothing but the lines on which an operation is made at their home, each once.
#[test]
fn activations_of_other_cores_tasks_have_bounds() {
    let described = Described::new(BETWEEN, BETWEEN_SOURCE);
    let proved = described.verdict();
    assert!(proved.contains("between: proved: every deadline is met"), "{proved}");
    assert!(proved.contains("a caller's `wcet` has to hold the call"), "{proved}");
    let explained =
        ended(takt(&["check", "system.toml", "--explain", "there"], described.folder.path()));
    assert!(
        explained.stdout.contains("other cores activate tasks of this one"),
        "{}",
        explained.stdout
    );
    let built = Built::of(&described.folder.path().join("system.toml"));
    let found = takt_cli::residency::of_system(&built.system, &built.assignments, &built.image);
    let calls: Vec<_> = found.unwrap().activations;
    let calls: Vec<_> = calls.iter().map(|it| (it.caller, it.task, it.times)).collect();
    assert_eq!(calls, [(2, 0, 2), (3, 1, 1)]);

    let options = built.options();
    let mut machine = image_run::boot(&options).unwrap().machine();
    Variation::PLAIN.begin(&mut machine);
    let epoch = loop {
        machine.run(machine.now + 100_000);
        if let Some(epoch) = epoch(&machine, &built.image) {
            break epoch;
        }
    };
    machine.run(epoch);
    machine.units.iter_mut().for_each(|unit| unit.core.longest_miss = 0);
    let served = |machine: &Machine| {
        let of_core = |core| machine.memory_lines(core);
        let all = (0..2).map(of_core);
        all.fold((0, 0), |sum, it| (sum.0 + it.reads, sum.1 + it.writes))
    };
    let before = served(&machine);
    machine.run(epoch + 20_000_000);
    let longest = machine.units.iter().map(|unit| unit.core.longest_miss).max().unwrap();
    let bound = built.system.board.worst_within_caches(2, true).unwrap().any;
    println!("longest {longest} of {bound}");
    assert!((1..=bound).contains(&longest), "{longest} of {bound}");
    let after = served(&machine);
    let (reads, writes) = (after.0 - before.0, after.1 - before.1);
    println!("{reads} reads, {writes} writes");
    // Two inboxes and two locks.
    assert!(reads <= 4 && writes == 0, "{reads} reads, {writes} writes");
    let calls = built.image.physical(built.image.address_of("calls").unwrap()).unwrap();
    let calls = machine.world.fabric.ram.offset(calls, 8).unwrap();
    let calls = u64::from_le_bytes(machine.world.fabric.ram.slice(calls, 8).try_into().unwrap());
    assert!(calls <= 20, "{calls}");
}

/// What has no known rate, or is not counted, leaves the system computed, and the line says so.
#[test]
fn activations_without_a_bound_are_found() {
    let call = "takt_task_activate(TAKT_TASK_here);";
    let looped = format!("for (intptr_t turn = 0; turn < argument; turn++) {{ {call} }}");
    let in_loop = BETWEEN_SOURCE.replace(call, &looped);
    let said = Described::new(BETWEEN, &in_loop).verdict();
    let why = "other_step calls takt_task_activate for task here of another core in a loop";
    assert!(said.starts_with("between: computed: ") && said.contains(why), "{said}");
    let descriptions = [
        (
            "name = \"other\"\nentry = \"other_step\"\ncore = 1\npriority = 2\nperiod = \"1ms\"\n",
            "name = \"other\"\nentry = \"other_step\"\ncore = 1\npriority = 2\n",
            "nothing limits how often task other runs",
        ),
        (
            "name = \"here\"\n",
            "name = \"here\"\nsuspends = \"10us\"\n",
            "which may wait in the middle of a job",
        ),
        (
            "[[task]]\nname = \"other\"\nentry = \"other_step\"\ncore = 1\npriority = 2\n",
            "[[cyclic]]\nname = \"other\"\nfunction = \"other_step\"\ncore = 1\nstart = true\n",
            "of another core, and is a handler",
        ),
    ];
    for (from, to, why) in descriptions {
        let changed = BETWEEN.replace(from, to);
        assert_ne!(changed, BETWEEN);
        let said = Described::new(&changed, BETWEEN_SOURCE).verdict();
        assert!(said.starts_with("between: computed: ") && said.contains(why), "{said}");
    }
}

/// Answers the machine some periods later, and the lines that came from beyond, by core.
fn loads_its_footprint(built: &Built) -> (Machine, HashSet<(usize, u64)>) {
    loads_its_footprint_with(built, &[])
}

/// The same, of a system with lines that each belong to the core of this number.
fn loads_its_footprint_with(
    built: &Built,
    objects: &[(u64, usize)],
) -> (Machine, HashSet<(usize, u64)>) {
    let mut kept = built.kept();
    objects.iter().for_each(|(line, owner)| {
        kept[*owner].insert(*line, true);
    });
    let options = built.options();
    let mut machine = image_run::boot(&options).unwrap().machine();
    Variation::PLAIN.begin(&mut machine);
    let epoch = loop {
        machine.run(machine.now + 100_000);
        if let Some(epoch) = epoch(&machine, &built.image) {
            break epoch;
        }
    };
    assert!(machine.now < epoch, "time 0 is to come");
    machine.run(epoch);
    let (mut away, mut not_owned) = (Vec::new(), Vec::new());
    for (core, lines) in kept.iter().enumerate() {
        for (line, own) in lines {
            match machine.units[core].core.state(*line) {
                State::Invalid => away.push((core, *line)),
                State::Shared if *own => not_owned.push((core, *line)),
                _ => {}
            }
        }
    }
    for (line, owner) in objects {
        let states: Vec<_> = machine.units.iter().map(|unit| unit.core.state(*line)).collect();
        let others = states.iter().enumerate().filter(|(core, _)| core != owner);
        assert!(others.clone().all(|(_, state)| *state == State::Invalid), "{line:x}: {states:?}");
    }
    println!("{} lines, not owned: {not_owned:x?}", kept.iter().map(HashMap::len).sum::<usize>());
    assert!(away.is_empty(), "{away:x?}");
    // A core's constants, which others read.
    assert!(not_owned.len() <= kept.len(), "{not_owned:x?}");
    let mut asked: HashSet<(usize, u64)> = HashSet::new();
    let served = |machine: &Machine| -> Vec<(u64, u64)> {
        let of_core = |core| machine.memory_lines(core);
        (0..built.system.cores).map(of_core).map(|served| (served.reads, served.writes)).collect()
    };
    let before = served(&machine);
    while machine.now < epoch + 10_000_000 {
        machine.run(machine.now + 40); // a request takes longer
        for (core, unit) in machine.units.iter().enumerate() {
            asked.extend(unit.core.misses.iter().map(|miss| (core, miss.line)));
        }
    }
    println!("{} lines came from beyond: {asked:x?}", asked.len());
    // Where all caches keep all, nothing goes to memory after time 0.
    let residency = takt_cli::residency::of_system(&built.system, &built.assignments, &built.image);
    if residency.is_ok_and(|it| it.within_caches) {
        assert_eq!(before, served(&machine), "reads and writes of memory by core");
    }
    let all = asked.clone();
    asked.retain(|(core, line)| kept[*core].contains_key(line));
    assert!(asked.is_empty(), "{asked:x?}");
    (machine, all)
}

/// Runs the flight controller and looks at all that its cores reach in the 20 ms after time 0: no page is outside of
/// the footprint, so the firmware is not entered either.
#[test]
fn cores_touch_their_footprint_alone() {
    let rosace = Built::rosace();
    let Built { system, assignments, image } = &rosace;
    let options = rosace.options();
    let mut booted = image_run::boot(&options).unwrap();
    let seen: Arc<Mutex<Accesses>> = Arc::default();
    let collected = seen.clone();
    let timing = system.board.timing.as_ref().unwrap();
    let millisecond = timing.frequency / 1000;
    booted.machine_mut().observe(Some(Box::new(move |access: &Access| {
        if let Location::Memory(at) = access.location {
            let key = (access.initiator, at / PAGE, access.time / millisecond);
            *collected.lock().unwrap().entry(key).or_default() += 1;
        }
    })));
    let record = booted.run(Variation::PLAIN, Box::new(|_| {}), &Progress::hidden()).unwrap();
    let epoch = record.head.epoch * 1000 / timing.timebase + 1;
    let mut accesses = 0;
    let mut touched: HashMap<u32, HashSet<u64>> = HashMap::new();
    for (&(core, page, time), count) in seen.lock().unwrap().iter() {
        if (epoch..epoch + 20).contains(&time) {
            let pages = takt_cli::residency::pages(system, assignments, image, core);
            let is_known = pages.iter().any(|range| range.contains(&page));
            assert!(is_known, "core {core} reaches page {page:#x} at {time} ms, of {pages:x?}");
            accesses += count;
            touched.entry(core).or_default().insert(page);
        }
    }
    let counts: Vec<_> = touched.values().map(HashSet::len).collect();
    println!("{accesses} accesses to {counts:?} pages");
    assert!(accesses > 10_000 && counts.len() == 4 && counts.iter().all(|count| *count > 10));
}

/// The board `tile72` with overheads as if measured with the kernel as it is, of resident cores, too.
fn stamped(root: &Path) -> String {
    let file = root.join("boards/tile72.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let mut board = Board::read(&file).unwrap();
    let four = board.overheads_with(4).clone();
    board.overheads = four;
    let mut resident = board.overheads.clone();
    let measured = resident.measured.as_mut().unwrap();
    (measured.cores, measured.cores_per_lock) = (4, 1);
    measured.paths.as_mut().unwrap().push(KernelPath::LocalRequests);
    let time = Nanos(4_000);
    resident = Overheads { timer_interrupt: time, release: time, dispatch: time, ..resident };
    resident = Overheads { preemption: time, kernel_section: time, ..resident };
    let stamp = calibrate::stamp::now(&board).unwrap().unwrap();
    let mut between = resident.clone();
    between.measured.as_mut().unwrap().paths.as_mut().unwrap().push(KernelPath::RemoteActivations);
    let resident = [resident.clone(), resident, between];
    let table = calibrate::table::text(&board.overheads, &[], &resident, &stamp, &(1..=1));
    calibrate::table::replaced(&text, &table).unwrap()
}

/// Before it is built, the flight controller is computed; afterwards it is proved, until the image is not that of the
/// description any more. A core that does not fit its cache, or a call by which it asks another, leaves it computed.
#[test]
fn what_stays_in_its_caches_is_proved() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let rosace = folder.path().join("rosace");
    let copied =
        Command::new("cp").arg("-r").args([&root.join("examples/rosace"), &rosace]).status();
    assert!(copied.unwrap().success());
    std::fs::write(rosace.join("mine.toml"), stamped(&root)).unwrap();
    let file = rosace.join("system.toml");
    let described = std::fs::read_to_string(&file).unwrap();
    let described = described.replace("board   = \"tile72\"", "board   = \"mine.toml\"");
    let check = |text: &str, more: &[&str]| {
        std::fs::write(&file, text).unwrap();
        let checked = ended(takt(&[&["check", "system.toml"], more].concat(), &rosace));
        assert_eq!(checked.code, 0, "{}", checked.stderr);
        checked.stdout.trim().lines().last().unwrap().to_string()
    };
    let build = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let built = ended(takt(&["build", "system.toml"], &rosace));
        assert_eq!(built.code, 0, "{}", built.stderr);
    };
    let unknown = check(&described, &[]);
    assert!(unknown.starts_with("rosace: computed: "), "{unknown}");
    assert!(unknown.contains("(takt build system.toml, then check again)"), "{unknown}");
    build(&described);
    let proved = check(&described, &[]);
    assert!(proved.contains("so that nothing goes to memory"), "{proved}");
    assert!(proved.starts_with("rosace: proved: every deadline is met (13 tasks), "), "{proved}");
    assert!(proved.contains("each `wcet` has to hold the task's own accesses"), "{proved}");
    let clang = check(&described, &["--clang"]);
    assert!(clang.starts_with("rosace: computed: ") && clang.contains("takt build"), "{clang}");
    let parts = ended(takt(&["check", "system.toml", "--explain", "commands"], &rosace)).stdout;
    assert!(parts.contains("what runs below has accesses under way"), "{parts}");
    let parts = ended(takt(&["check", "system.toml", "--explain", "h_filter"], &rosace)).stdout;
    assert!(!parts.contains("what runs below has accesses under way"), "{parts}");
    // Another description has no image yet.
    let changed = described.replace("wcet     = \"200us\"", "wcet     = \"190us\"");
    assert!(check(&changed, &[]).starts_with("rosace: proved: "), "the image is the same");
    let changed = described.replace("priority = 4", "priority = 3");
    assert!(check(&changed, &[]).contains("then check again"));
    assert!(check(&described, &[]).starts_with("rosace: proved: "));
    // A changed source.
    let source = rosace.join("commands.c");
    let text = std::fs::read_to_string(&source).unwrap();
    let entry = text.find("void commands_step").unwrap();
    let calls = text[..entry].to_string() + &calls_in(&text[entry..]);
    std::fs::write(&source, calls).unwrap();
    assert!(check(&described, &[]).contains("then check again"));
    build(&described);
    let asks = check(&described, &[]);
    assert!(asks.contains("the application calls takt_task_rotate"), "{asks}");
    std::fs::write(&source, text).unwrap();
    let entry = "entry    = \"engine_step\"";
    let large = described.replace(entry, &format!("{entry}\nstack    = \"520KiB\""));
    build(&large);
    let large = check(&large, &[]);
    assert!(
        large.contains("the cache of core 0 does not hold all that the core touches"),
        "{large}"
    );
}

/// The function with a call that may ask something of another core.
fn calls_in(function: &str) -> String {
    function.replacen('{', "{\n    (void)takt_task_rotate(1);", 1)
}

/// The cores of the flight controller are resident. With a stack of 512 KiB more one of them is not, and the others still are.
#[test]
fn a_large_stack_does_not_fit_the_cache() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let rosace = folder.path().join("rosace");
    let copied =
        Command::new("cp").arg("-r").args([&root.join("examples/rosace"), &rosace]).status();
    assert!(copied.unwrap().success());
    let file = rosace.join("system.toml");
    let described = std::fs::read_to_string(&file).unwrap();
    let words = |stack: &str| -> Vec<String> {
        let entry = "entry    = \"engine_step\"";
        assert!(described.contains(entry));
        std::fs::write(&file, described.replace(entry, &format!("{entry}\n{stack}"))).unwrap();
        let size = ended(takt(&["size", file.to_str().unwrap()], &root));
        assert_eq!(size.code, 0, "{}", size.stderr);
        let rows = size.stdout.lines().skip_while(|line| !line.starts_with("cache")).skip(2);
        let words = rows.map_while(|row| row.split("/8").nth(1));
        words.map(|word| word.trim().to_string()).collect()
    };
    assert_eq!(words(""), ["resident"; 4]);
    let large = words("stack    = \"520KiB\"");
    assert_eq!(large, ["too large", "resident", "resident", "resident"]);
}
