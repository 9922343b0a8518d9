// SPDX-License-Identifier: Apache-2.0
//! Writes the system that a calibration runs: bench/calibrate on each core of the board.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use takt_model::timing::{Cache, Dram, Homes};
use takt_model::{Board, KernelPath, Measured, MemoryLoad, Placement, Timing, Word};

/// Times in nanoseconds: the period of the periodic tasks, the time until which the caches are
/// displaced, and the length of the run.
pub const PERIOD: u64 = 2_100_000;
pub const COLD: u64 = 8 * PERIOD;
pub const RUN: u64 = 9 * PERIOD;

/// Timers of each core that run at the same time, in both programs.
pub(super) const TIMERS: u32 = 15;

/// A program of the calibration. The tasks of `Paths` keep lines of the kernel in the caches, so
/// `Common` shows the longer times of the paths that every system takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// The source bench/calibrate/main.c alone.
    Common,
    /// The sources main.c and paths.c.
    Paths,
    /// The source main.c without what `distributed` alone has, for another placement.
    Placed(Placement),
}

impl Program {
    pub const ALL: [Program; 2] = [Program::Common, Program::Paths];

    pub fn name(self) -> &'static str {
        match self {
            Program::Common => "common",
            Program::Paths => "paths",
            Program::Placed(placement) => placement.word(),
        }
    }

    /// Timers that run on each core for the whole run and would expire after it. The others of
    /// `TIMERS` belong to the tasks: the releases of the periodic ones, a wait with a limit, a
    /// delay; and in `Paths` one release, two delays and a cyclic handler's timer more.
    fn parked(self) -> u32 {
        match self {
            Program::Common => TIMERS - 6,
            Program::Paths => TIMERS - 10,
            Program::Placed(_) => 0,
        }
    }

    fn sources(self, home: &Path) -> Vec<PathBuf> {
        let files: &[&str] = match self {
            Program::Common | Program::Placed(_) => &["main.c"],
            Program::Paths => &["main.c", "paths.c"],
        };
        files.iter().map(|file| home.join("bench/calibrate").join(file)).collect()
    }

    fn tasks(self) -> impl Iterator<Item = (&'static str, &'static str, u32, &'static str)> {
        let more = if self == Program::Paths { &TASKS_OF_PATHS[..] } else { &[] };
        // A unit has places for eight tasks of each of eight cores.
        let is_placed = matches!(self, Program::Placed(_));
        let left_out = move |name: &str| is_placed && ["second", "napper"].contains(&name);
        TASKS.iter().chain(more).copied().filter(move |(name, ..)| !left_out(name))
    }

    fn has_device(self) -> bool {
        !matches!(self, Program::Placed(_))
    }

    /// The entries of the tasks. At the first instruction of an entry the start of the job has
    /// ended.
    pub fn entries(self) -> Vec<&'static str> {
        self.tasks()
            .map(|(_, entry, ..)| entry)
            .chain(self.has_device().then_some("raiser_job"))
            .collect()
    }
}

/// The paths of the kernel that paths.c runs.
pub const EXERCISED: [KernelPath; 20] = [
    KernelPath::Mutex,
    KernelPath::NestedMutex,
    KernelPath::MsrpMutex,
    KernelPath::Budget,
    KernelPath::DeadlineHandler,
    KernelPath::Cyclic,
    KernelPath::Alarm,
    KernelPath::FloatingPoint,
    KernelPath::Terminate,
    KernelPath::CpuLock,
    KernelPath::DispatchDisable,
    KernelPath::SpinLock,
    KernelPath::Barrier,
    KernelPath::Flag,
    KernelPath::DataQueue,
    KernelPath::PriorityDataQueue,
    KernelPath::MessageBuffer,
    KernelPath::MemoryPool,
    KernelPath::ReaderWriterLock,
    KernelPath::Buffer,
];

/// The number by which the program names a path.
pub fn number(path: KernelPath) -> usize {
    KernelPath::WORDS.iter().position(|(_, one)| *one == path).unwrap_or_default()
}

/// The tasks of each core: name, entry, priority, and further keys of the description.
const TASKS: [(&str, &str, u32, &str); 10] = [
    ("first", "first_step", 1, PERIODIC),
    ("second", "second_step", 2, PERIODIC),
    ("third", "third_step", 3, PERIODIC),
    ("asker", "asker_step", 3, PERIODIC),
    ("sleeper", "sleeper_job", 4, WAITS),
    ("near", "near_job", 5, WAITS),
    ("far", "far_job", 6, WAITS),
    ("activated", "activated_job", 7, ""),
    ("napper", "napper_job", 8, WAITS),
    ("churn", "churn_job", 60, WAITS),
];
const TASKS_OF_PATHS: [(&str, &str, u32, &str); 6] = [
    ("rival", "rival_job", 8, WAITS),
    ("taker", "taker_job", 10, WAITS),
    ("giver", "giver_job", 11, WAITS),
    ("holder", "holder_job", 12, WAITS),
    ("victim", "victim_job", 13, "suspends = \"1s\"\n"),
    ("stopped", "stopped_step", 59, STOPPED),
];
pub(super) const PERIODIC: &str = "period = \"2100us\"\nwcet = \"1ms\"\n";
/// The keys of a task whose every job misses its deadline and is stopped by its budget.
pub(super) const STOPPED: &str = "period = \"2100us\"\ndeadline = \"5us\"\nbudget = \"20us\"\noverrun = \"stop\"\n\
                       overrun_handler = { function = \"on_overrun\", wcet = \"1us\" }\n\
                       deadline_handler = { function = \"on_deadline\", wcet = \"1us\" }\n";
const WAITS: &str = "start = true\nsuspends = \"1s\"\n";

/// The conditions of the measurement, under which the figures hold: the kernel of this system has
/// the default options.
pub fn conditions(cores: u32) -> Measured {
    use MemoryLoad::{Alone, Mix, OneBank, Readers, Writers};
    Measured {
        locking: Default::default(),
        own_task: Default::default(),
        homing: Default::default(),
        cores,
        // The cores that use one lock are the one that requests and the owner of the task.
        cores_per_lock: cores.min(2),
        timers_per_core: TIMERS,
        interrupt_sources: 1,
        load: if cores == 1 { vec![Alone] } else { vec![Writers, OneBank, Readers, Mix] },
        paths: Some(EXERCISED.to_vec()),
    }
}

/// Writes the system into a folder; returns its description.
pub fn write(
    folder: &Path,
    home: &Path,
    board: &Board,
    cores: u32,
    timing: &Timing,
    program: Program,
) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let ground = ground(board, cores, timing);
    let mut text = header(board, cores, ground, timing);
    if !program.has_device() {
        text += "#define PLACED\n";
    }
    std::fs::write(folder.join("calibrate.h"), text)?;
    let path = folder.join("system.toml");
    std::fs::write(
        &path,
        description(&program.sources(home), &board.name, cores, ground, program),
    )?;
    Ok(path)
}

fn header(board: &Board, cores: u32, ground: u64, timing: &Timing) -> String {
    let churn = churn(cores, timing);
    let own = timing.kinds.iter().map(|kind| kind.l1i.size);
    let code = 2 * own.fold(timing.l1i.size, u64::max);
    let dram = &timing.dram;
    let masks: String = dram.banks.iter().map(|mask| format!("{mask:#x}ul, ")).collect();
    format!(
        "/* SPDX-License-Identifier: Apache-2.0 */\n#pragma once\n#define CORES {cores}\n#define CHURN {churn}\n\
         #define GROUND {ground}\n#define CODE {code}\n#define PERIOD {PERIOD}\n#define COLD {COLD}\n\
         #define LOAD {:#x}ul\n#define LINK_BASE {:#x}ul\n#define BANK_MASKS {masks}\n\
         #define INTERLEAVE {}ul\n#define CONTROLLERS {}\n#define GRAIN {}ul\n{}",
        board.load,
        takt_configure::LINK_BASE,
        dram.interleave,
        dram.nodes.len(),
        grain(dram),
        paths(),
    )
}

/// The numbers by which the programs name the kernel's paths.
pub(super) fn paths() -> String {
    let path = |(word, path): &(&str, KernelPath)| format!("PATH_{word} = {}, ", number(*path));
    let paths: String = KernelPath::WORDS.iter().map(path).collect();
    format!("enum path {{ {paths}}};\n")
}

/// The size of an aligned block whose bytes lie in one row of one bank of one controller, and in
/// one page.
fn grain(dram: &Dram) -> u64 {
    let masks = dram.banks.iter().map(|mask| 1 << mask.trailing_zeros());
    masks.fold(dram.interleave.min(dram.row).min(4096), u64::min)
}

/// The size of each core's ground, in bytes: with as many lines in one bank as exceed what the
/// caches keep of that bank, unless half of the memory is too small for that. The ground is a
/// stack, which the core clears when it boots.
fn ground(board: &Board, cores: u32, timing: &Timing) -> u64 {
    let churn = churn(cores, timing);
    let banks = 1u64 << timing.dram.banks.len();
    let inside = |base: u64, size: u64| board.load >= base && board.load - base < size;
    let memory = board.memory.iter().find(|memory| inside(memory.base, memory.size.0));
    let half = memory.map_or(0, |memory| memory.size.0 / 2 / u64::from(cores));
    (banks * churn).min(half).max(churn) / 4096 * 4096
}

/// Twice the number of bytes that fill any core's own caches and the core's part of the homes'
/// caches.
fn churn(cores: u32, timing: &Timing) -> u64 {
    let size = |cache: &Option<Cache>| cache.as_ref().map_or(0, |cache| cache.size);
    let cluster = timing.cluster.as_ref().map_or(0, |cluster| cluster.cache.size);
    let kinds = timing.kinds.iter().map(|kind| kind.l1d.size.max(size(&kind.l2)));
    let own = kinds.fold(timing.l1d.size.max(size(&timing.l2)).max(cluster), u64::max);
    let home = size(&timing.coherence.cache);
    2 * (own + (home * homes(timing) / u64::from(cores)).max(home))
}

fn homes(timing: &Timing) -> u64 {
    match &timing.coherence.homes {
        Homes::Nodes { nodes, .. } => nodes.len() as u64,
        _ => timing.interconnect.shape.nodes().into(),
    }
}

/// The core that the tasks of this core exchange requests with; main.c computes the same number.
fn far_from(core: u32, cores: u32) -> u32 {
    (core + cores / 2) % cores
}

/// What the tasks use beside semaphores. The objects of one name have IDs that follow one another by core, as the
/// program counts on. The giver of a core gives to the taker far away.
fn objects(cores: u32) -> String {
    let mut text = String::new();
    for (class, name, keys) in [
        ("mutex", "outer", "protocol = \"inherit\"\n"),
        ("mutex", "inner", "protocol = \"inherit\"\n"),
        ("mutex", "ceiling", "protocol = \"ceiling\"\n"),
        ("mutex", "shared", "protocol = \"msrp\"\n"),
        ("spin_lock", "spin", ""),
        ("memory_pool", "pool", "blocks = 1\nsize = \"64B\"\n"),
        ("data_queue", "queue", "capacity = 1\n"),
        ("priority_data_queue", "sorted", "capacity = 1\npriorities = 1\n"),
        ("flag", "flag", "shared = true\nclear = true\n"),
        ("message_buffer", "messages", "message = \"64B\"\nsize = \"128B\"\n"),
        ("reader_writer_lock", "lock", ""),
        ("barrier", "barrier", "participants = 2\n"),
    ] {
        for core in 0..cores {
            let _ = write!(text, "[[{class}]]\nname = \"{name}_{core}\"\n{keys}");
        }
    }
    for core in 0..cores {
        let giver = (0..cores).find(|giver| far_from(*giver, cores) == core).unwrap_or(core);
        let _ = write!(
            text,
            "[[buffer]]\nname = \"buffer_{core}\"\nsize = \"64B\"\nwriter = \"giver_{giver}\"\n\
             readers = [\"taker_{core}\"]\n\
             [[cyclic]]\nname = \"cyclic_{core}\"\nfunction = \"on_cyclic\"\ncore = {core}\n\
             period = \"{PERIOD}ns\"\nwcet = \"1us\"\nstart = true\n\
             [[alarm]]\nname = \"alarm_{core}\"\nfunction = \"on_alarm\"\ncore = {core}\n\
             separation = \"1ms\"\nwcet = \"1us\"\n"
        );
    }
    text
}

fn controls(far: u32) -> String {
    format!(
        "controls = [{{ task = \"victim_{far}\", action = \"terminate\", separation = \"1ms\" }}, \
         {{ alarm = \"alarm_{far}\", separation = \"1ms\" }}]\n"
    )
}

/// The objects that a core's holder locks: those of its own core, and those shared with the far
/// core.
fn held(core: u32, far: u32) -> String {
    let shared: String = [core, far][..if core == far { 1 } else { 2 }]
        .iter()
        .map(|core| {
            format!(
                "{{ mutex = \"shared_{core}\", hold = \"1us\" }}, \
                 {{ spin_lock = \"spin_{core}\", hold = \"1us\" }}, "
            )
        })
        .collect();
    format!(
        "uses = [{{ mutex = \"outer_{core}\", hold = \"1us\" }}, \
         {{ mutex = \"inner_{core}\", hold = \"1us\", inside = [\"outer_{core}\"] }}, \
         {{ mutex = \"ceiling_{core}\", hold = \"1us\" }}, {shared}]\n"
    )
}

fn description(
    sources: &[PathBuf],
    board: &str,
    cores: u32,
    ground: u64,
    program: Program,
) -> String {
    let last = cores - 1;
    let raiser = far_from(last, cores);
    let mut text = format!(
        "format = 1\n[system]\nname = \"calibrate\"\nboard = \"{board}\"\ncores = {cores}\n\
         sources = {sources:?}\ninclude = [\".\"]\n[kernel]\nconsole = \"512B\"\n"
    );
    if let Program::Placed(placement) = program {
        let _ = writeln!(text, "placement = \"{}\"", placement.word());
        for core in 0..cores {
            let _ = write!(
                text,
                "[[priority_data_queue]]\nname = \"queue_{core}\"\ncapacity = 4\npriorities = 2\n"
            );
        }
    } else {
        let _ = write!(
            text,
            "events = 64\n\
         [[interrupt]]\nname = \"device\"\ndevice = \"/soc/serial@10000000\"\nentry = \"on_device\"\n\
         core = {last}\nargument = {last}\npriority = 1\n\
         [[task]]\nname = \"raiser\"\nentry = \"raiser_job\"\ncore = {raiser}\npriority = 9\n{WAITS}"
        );
    }
    for what in ["near", "far"] {
        for core in 0..cores {
            let _ = write!(text, "[[semaphore]]\nname = \"{what}_{core}\"\n");
        }
    }
    if program == Program::Paths {
        text += &objects(cores);
    }
    for (core, index) in
        (0..cores).flat_map(|core| (0..program.parked()).map(move |index| (core, index)))
    {
        let _ = write!(
            text,
            "[[cyclic]]\nname = \"parked_{core}_{index}\"\nfunction = \"parked\"\ncore = {core}\n\
             period = \"2s\"\noffset = \"{}ms\"\nwcet = \"1us\"\nstart = true\n",
            1000 + index
        );
    }
    for (name, entry, priority, more) in program.tasks() {
        for core in 0..cores {
            // Each core's asker requests at its own time, long after the last request to the asked
            // core.
            let more_of_it = match name {
                "churn" => format!("stack = \"{}KiB\"\n", ground / 1024 + 16),
                "asker" => format!("offset = \"{}ns\"\n", PERIOD / 2 + u64::from(core) * 7_000),
                // The kernel counts commands, then.
                "first" if !program.has_device() => {
                    "deadline = \"2100us\"\ncalls = 1000\n".to_string()
                }
                "giver" => controls(far_from(core, cores)),
                "holder" => format!(
                    "cpu_lock = \"1us\"\ndispatch_disable = \"1us\"\n{}",
                    held(core, far_from(core, cores))
                ),
                "rival" => format!(
                    "uses = [{{ mutex = \"outer_{core}\", hold = \"1us\" }}, \
                     {{ mutex = \"ceiling_{core}\", hold = \"1us\" }}]\n"
                ),
                _ => String::new(),
            };
            let _ = write!(
                text,
                "[[task]]\nname = \"{name}_{core}\"\nentry = \"{entry}\"\nargument = {core}\n\
                 core = {core}\npriority = {priority}\n{more}{more_of_it}"
            );
        }
    }
    text
}
