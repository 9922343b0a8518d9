// SPDX-License-Identifier: Apache-2.0
//! A board, and the list of boards, as JSON documents.

use schemars::JsonSchema;
use serde::Serialize;
use takt_model::latency::Load;
use takt_model::timing::{Cache, Kind};
use takt_model::{
    Board, FORMAT, Measured, OverheadSource, Overheads, Register, Scratchpad, Timing, Word,
};

use super::show::{self, Shown};

/// What `takt board list` prints: Polytakt's boards.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BoardList {
    /// The version of this format.
    format: u32,
    /// "boards".
    #[schemars(extend("const" = "boards"))]
    document: &'static str,
    /// The exit status of the command.
    exit_status: u8,
    /// In order of their names.
    boards: Vec<BoardLine>,
}

/// What a list says of a board.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BoardLine {
    /// The board's name.
    name: String,
    /// The first line of the comment that its file begins with.
    comment: String,
    /// The absolute path of its file.
    file: String,
    /// The number of its cores.
    cores: u32,
    /// The cores' clock; null: the board has no timing.
    frequency_hz: Option<u64>,
    /// How the nodes are joined, for people; null: the board has no timing.
    shape: Option<String>,
}

/// What `takt board show` prints: the parts and the timing of a board. Addresses are numbers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BoardDocument {
    /// The version of this format.
    format: u32,
    /// "board".
    #[schemars(extend("const" = "board"))]
    document: &'static str,
    /// The exit status of the command.
    exit_status: u8,
    #[serde(flatten)]
    line: BoardLine,
    /// The hart of each core.
    hart_ids: Vec<u64>,
    /// Its regions of RAM.
    memory: Vec<BoardMemory>,
    /// Its scratchpads.
    scratchpads: Vec<BoardScratchpad>,
    /// Its words beside memory.
    registers: Vec<BoardRegister>,
    /// The address at which an image is loaded.
    load: u64,
    /// The costs of the kernel.
    overheads: BoardOverheads,
    /// The timing of the modelled machine; null: only QEMU can run this board.
    timing: Option<BoardTiming>,
}

/// A region of RAM.
#[derive(Debug, Serialize, JsonSchema)]
struct BoardMemory {
    /// Its name.
    name: String,
    /// Its first address.
    base: u64,
    /// Its size.
    bytes: u64,
    /// Whether caches keep its lines.
    cached: bool,
}

/// A scratchpad that cores have for themselves.
#[derive(Debug, Serialize, JsonSchema)]
struct BoardScratchpad {
    /// Its name.
    name: String,
    /// The address at which each core reaches its own.
    base: u64,
    /// Its size.
    bytes: u64,
    /// Cycles of an access.
    latency_cycles: u64,
    /// The cores that have one.
    cores: Vec<u32>,
    /// Where others reach it; null: nowhere.
    window: Option<ScratchpadWindow>,
}

/// Where all cores reach the scratchpads: that of a core at `base` and so many strides.
#[derive(Debug, Serialize, JsonSchema)]
struct ScratchpadWindow {
    /// The address of core 0's.
    base: u64,
    /// From one core's to the next one's.
    stride_bytes: u64,
}

/// Words beside memory.
#[derive(Debug, Serialize, JsonSchema)]
struct BoardRegister {
    /// Their name.
    name: String,
    /// The first one's address.
    base: u64,
    /// Whether a core goes on when its store was sent.
    posted: bool,
    /// Their number.
    words: u32,
    /// "word" or "test_and_set".
    kind: &'static str,
}

/// The costs of the kernel, and those measured with fewer cores.
#[derive(Debug, Serialize, JsonSchema)]
struct BoardOverheads {
    #[serde(flatten)]
    figures: OverheadFigures,
    /// The same, measured with fewer cores.
    fewer: Vec<OverheadFigures>,
}

/// The costs of the kernel.
#[derive(Debug, Serialize, JsonSchema)]
struct OverheadFigures {
    /// Where the figures come from.
    source: OverheadSource,
    /// Taking one timer interrupt and returning from it, without the releases.
    timer_interrupt_ns: u64,
    /// Taking one interrupt of another core and returning from it, without what it asks for.
    ipi_ns: u64,
    /// Making one task ready: a release, an activation, a wake-up.
    release_ns: u64,
    /// Starting a job: choosing the task and switching to it.
    dispatch_ns: u64,
    /// Saving a preempted task and resuming it later.
    preemption_ns: u64,
    /// The kernel's longest section with interrupts disabled.
    kernel_section_ns: u64,
    /// Taking one interrupt of a device and returning from it, without its service routine; null: unknown.
    device_interrupt_ns: Option<u64>,
    /// The conditions of the measurement; null: the file does not say.
    measured: Option<MeasuredWith>,
}

/// The conditions under which overheads were measured, in the words of the description.
#[derive(Debug, Serialize, JsonSchema)]
struct MeasuredWith {
    /// The spin lock of the kernel.
    spinlock: &'static str,
    /// The backoff of a core that waits for a lock.
    backoff: &'static str,
    /// What shares a lock.
    granularity: &'static str,
    /// How a task finds its own control block.
    own_task: &'static str,
    /// In which pages a core's own memory lay.
    homing: &'static str,
    /// Cores of the system that was measured.
    cores: u32,
    /// Cores that used one lock of the kernel.
    cores_per_lock: u32,
    /// Timers that ran on each core at the same time.
    timers_per_core: u32,
    /// Interrupts of devices that one core served.
    interrupt_sources: u32,
    /// The loads of the memory during the measurement.
    load: Vec<&'static str>,
    /// The paths of the kernel that were run, beside those that each measurement has; null: the file does not say.
    paths: Option<Vec<&'static str>>,
}

/// The parts and the timing of the modelled machine.
#[derive(Debug, Serialize, JsonSchema)]
struct BoardTiming {
    /// The cores' clock.
    frequency_hz: u64,
    /// The clock of `time`.
    timebase_hz: u64,
    /// Nodes of the interconnect.
    nodes: u32,
    /// Cores at a node.
    cores_per_node: u32,
    /// A core's cache of instructions.
    l1i: CacheSize,
    /// A core's cache of data.
    l1d: CacheSize,
    /// A core's second cache; null: it has none.
    l2: Option<CacheSize>,
    /// The cache that some cores share; null: there is none.
    cluster: Option<ClusterCache>,
    /// The nodes at which lines are at home.
    homes: Vec<u32>,
    /// The cache at each home; null: there is none.
    shared_cache: Option<CacheSize>,
    /// The nodes of the memory controllers.
    controllers: Vec<u32>,
    /// The latencies of loads on an otherwise idle machine.
    loads: Vec<LoadTime>,
    /// Cores of other kinds.
    kinds: Vec<KindOfCore>,
    /// At most what a miss takes, with one active core and with all.
    worst: Vec<WorstMiss>,
}

/// The size of a cache.
#[derive(Debug, Serialize, JsonSchema)]
struct CacheSize {
    /// In all.
    bytes: u64,
    /// Ways of a set.
    ways: u32,
}

/// A cache that cores share.
#[derive(Debug, Serialize, JsonSchema)]
struct ClusterCache {
    /// The number of cores that share it.
    cores: u32,
    /// Its size.
    bytes: u64,
    /// Ways of a set.
    ways: u32,
}

/// The latency of a load that finds its line at this place.
#[derive(Debug, Serialize, JsonSchema)]
struct LoadTime {
    /// The place, for people.
    place: String,
    /// Cycles of the cores' clock.
    cycles: u64,
    /// Links that its messages cross, all together.
    links: u32,
}

/// Cores that differ from the others.
#[derive(Debug, Serialize, JsonSchema)]
struct KindOfCore {
    /// The kind's name.
    name: String,
    /// Its cores.
    cores: Vec<u32>,
    /// A core's cache of instructions.
    l1i: CacheSize,
    /// A core's cache of data.
    l1d: CacheSize,
    /// A core's second cache; null: it has none.
    l2: Option<CacheSize>,
    /// The latencies of loads on an otherwise idle machine.
    loads: Vec<LoadTime>,
}

/// Bounds on the time of one miss, in cycles of the cores' clock.
#[derive(Debug, Serialize, JsonSchema)]
struct WorstMiss {
    /// Cores that run.
    active_cores: u32,
    /// A message across the interconnect.
    message_cycles: u64,
    /// A line from or to a memory controller.
    controller_cycles: u64,
    /// For a line that no other core asks for.
    own_line_cycles: u64,
    /// For a line that all cores ask for.
    shared_line_cycles: u64,
    /// With the wait for the core's write-backs before.
    any_cycles: u64,
}

impl BoardList {
    pub fn new(boards: &[Shown]) -> BoardList {
        let boards = boards.iter().map(BoardLine::new).collect();
        BoardList { format: FORMAT, document: "boards", exit_status: 0, boards }
    }
}

impl BoardLine {
    fn new(shown: &Shown) -> BoardLine {
        let timing = shown.board.timing.as_ref();
        BoardLine {
            name: shown.board.name.clone(),
            comment: shown.comment.clone(),
            file: shown.file.to_string_lossy().into_owned(),
            cores: shown.board.cores,
            frequency_hz: timing.map(|timing| timing.frequency),
            shape: timing.map(|timing| show::shape(&timing.interconnect.shape)),
        }
    }
}

impl BoardDocument {
    pub fn new(shown: &Shown) -> BoardDocument {
        let board = &shown.board;
        let memory = board.memory.iter().map(|it| BoardMemory {
            name: it.name.clone(),
            base: it.base,
            bytes: it.size.0,
            cached: it.cached,
        });
        BoardDocument {
            format: FORMAT,
            document: "board",
            exit_status: 0,
            line: BoardLine::new(shown),
            hart_ids: board.hart_ids.clone(),
            memory: memory.collect(),
            scratchpads: board.scratchpads.iter().map(scratchpad).collect(),
            registers: board.registers.iter().map(register).collect(),
            load: board.load,
            overheads: BoardOverheads {
                figures: figures(&board.overheads),
                fewer: board.fewer_cores.iter().map(figures).collect(),
            },
            timing: board.timing.as_ref().map(|it| timing(board, it)),
        }
    }
}

fn scratchpad(pad: &Scratchpad) -> BoardScratchpad {
    let window = pad.window.as_ref();
    BoardScratchpad {
        name: pad.name.clone(),
        base: pad.base,
        bytes: pad.size.0,
        latency_cycles: pad.latency,
        cores: pad.cores.clone(),
        window: window.map(|it| ScratchpadWindow { base: it.base, stride_bytes: it.stride.0 }),
    }
}

fn register(register: &Register) -> BoardRegister {
    let Register { name, base, count, kind, posted } = register;
    let kind = show::register_kind(*kind);
    BoardRegister { name: name.clone(), base: *base, posted: *posted, words: *count, kind }
}

fn figures(overheads: &Overheads) -> OverheadFigures {
    OverheadFigures {
        source: overheads.source,
        timer_interrupt_ns: overheads.timer_interrupt.0,
        ipi_ns: overheads.ipi.0,
        release_ns: overheads.release.0,
        dispatch_ns: overheads.dispatch.0,
        preemption_ns: overheads.preemption.0,
        kernel_section_ns: overheads.kernel_section.0,
        device_interrupt_ns: overheads.device_interrupt.map(|time| time.0),
        measured: overheads.measured.as_ref().map(measured),
    }
}

fn measured(measured: &Measured) -> MeasuredWith {
    MeasuredWith {
        spinlock: measured.locking.spinlock.word(),
        backoff: measured.locking.backoff.word(),
        granularity: measured.locking.granularity.word(),
        own_task: measured.own_task.word(),
        homing: measured.homing.word(),
        cores: measured.cores,
        cores_per_lock: measured.cores_per_lock,
        timers_per_core: measured.timers_per_core,
        interrupt_sources: measured.interrupt_sources,
        load: measured.load.iter().map(|load| load.word()).collect(),
        paths: measured.paths.as_ref().map(|paths| paths.iter().map(|path| path.word()).collect()),
    }
}

fn timing(board: &Board, timing: &Timing) -> BoardTiming {
    let cluster = timing.cluster.as_ref().map(|cluster| {
        let CacheSize { bytes, ways } = cache(&cluster.cache);
        ClusterCache { cores: cluster.cores, bytes, ways }
    });
    BoardTiming {
        frequency_hz: timing.frequency,
        timebase_hz: timing.timebase,
        nodes: timing.interconnect.shape.nodes(),
        cores_per_node: timing.interconnect.cores_per_node,
        l1i: cache(&timing.l1i),
        l1d: cache(&timing.l1d),
        l2: timing.l2.as_ref().map(cache),
        cluster,
        homes: timing.homes(),
        shared_cache: timing.coherence.cache.as_ref().map(cache),
        controllers: timing.dram.nodes.clone(),
        loads: loads(timing, board.cores),
        kinds: timing.kinds.iter().map(|it| kind(timing, it, board.cores)).collect(),
        worst: show::worst(board).into_iter().map(worst).collect(),
    }
}

fn kind(timing: &Timing, kind: &Kind, cores: u32) -> KindOfCore {
    KindOfCore {
        name: kind.name.clone(),
        cores: kind.cores.clone(),
        l1i: cache(&kind.l1i),
        l1d: cache(&kind.l1d),
        l2: kind.l2.as_ref().map(cache),
        loads: loads(&timing.of_kind(Some(kind)), cores),
    }
}

fn cache(cache: &Cache) -> CacheSize {
    CacheSize { bytes: cache.size, ways: cache.ways }
}

fn loads(timing: &Timing, cores: u32) -> Vec<LoadTime> {
    let loads = show::loads(&timing.latencies(cores)).into_iter();
    loads.map(|(place, Load { cycles, links })| LoadTime { place, cycles, links }).collect()
}

fn worst((active_cores, worst): (u32, takt_model::worst::Worst)) -> WorstMiss {
    WorstMiss {
        active_cores,
        message_cycles: worst.message,
        controller_cycles: worst.controller,
        own_line_cycles: worst.own_line,
        shared_line_cycles: worst.shared_line,
        any_cycles: worst.any,
    }
}
