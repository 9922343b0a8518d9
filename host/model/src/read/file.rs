// SPDX-License-Identifier: Apache-2.0
//! The files as they are written: all keys of a description, with unchecked values.
//!
//! The JSON schema is generated from these types, and the reader checks the form of a file by that
//! schema.

use std::{borrow::Cow, ops::Range};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use super::timing_file::{
    CacheTable, ClusterTable, CoherenceTable, CoreTable, DevicesTable, DramTable,
    InterconnectTable, KindTable, TlbTable,
};

/// The version of the format that this Polytakt reads.
pub const FORMAT: i64 = 1;

/// A value with its place in the file.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub struct Spanned<T>(toml::Spanned<T>);

impl<T> Spanned<T> {
    pub fn span(&self) -> Range<usize> {
        self.0.span()
    }

    pub fn get(&self) -> &T {
        self.0.get_ref()
    }
}

impl<T: JsonSchema> JsonSchema for Spanned<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// A duration: a number and ns, us, ms or s.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Duration(#[schemars(regex(pattern = r"^[0-9]+(\.[0-9]+)?(ns|us|ms|s)$"))] pub String);

/// A size: a whole number and B, KiB, MiB or GiB.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Size(#[schemars(regex(pattern = "^[0-9]+(B|KiB|MiB|GiB)$"))] pub String);

/// A rate: a number and Hz, kHz, MHz or GHz.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Rate(#[schemars(regex(pattern = r"^[0-9]+(\.[0-9]+)?(Hz|kHz|MHz|GHz)$"))] pub String);

/// A physical address, or a mask of its bits, in hexadecimal.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Address(#[schemars(regex(pattern = "^0x[0-9a-fA-F]+$"))] pub String);

/// A C identifier of at most 31 characters.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Name(
    #[schemars(regex(pattern = "^[A-Za-z_][A-Za-z0-9_]*$"), length(max = 31))] pub String,
);

/// A system that Polytakt analyses, builds and runs.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Polytakt system")]
pub struct SystemFile {
    /// Version of the format: 1.
    #[schemars(range(min = 1, max = 1))]
    #[allow(dead_code, reason = "checked before all else, in form.rs")]
    pub format: i64,
    pub system: SystemTable,
    #[serde(default)]
    pub run: RunTable,
    #[serde(default)]
    pub kernel: KernelTable,
    pub posix: Option<PosixTable>,
    pub openmp: Option<Spanned<OpenmpTable>>,
    pub dataflow: Option<Spanned<DataflowTable>>,
    pub regulation: Option<RegulationTable>,
    #[serde(default)]
    pub partition: Vec<PartitionTable>,
    #[serde(default)]
    pub frame: Vec<FrameTable>,
    #[serde(default)]
    pub transaction: Vec<TransactionTable>,
    #[serde(default)]
    pub task: Vec<TaskTable>,
    #[serde(default)]
    pub team: Vec<TeamTable>,
    #[serde(default)]
    pub object: Vec<ObjectTable>,
    #[serde(default)]
    pub edge: Vec<EdgeTable>,
    #[serde(default)]
    pub semaphore: Vec<SemaphoreTable>,
    #[serde(default)]
    pub mutex: Vec<MutexTable>,
    #[serde(default)]
    pub flag: Vec<FlagTable>,
    #[serde(default)]
    pub data_queue: Vec<DataQueueTable>,
    #[serde(default)]
    pub priority_data_queue: Vec<PriorityDataQueueTable>,
    #[serde(default)]
    pub barrier: Vec<BarrierTable>,
    #[serde(default)]
    pub reader_writer_lock: Vec<ReaderWriterLockTable>,
    #[serde(default)]
    pub spin_lock: Vec<SpinLockTable>,
    #[serde(default)]
    pub message_buffer: Vec<MessageBufferTable>,
    #[serde(default)]
    pub memory_pool: Vec<MemoryPoolTable>,
    #[serde(default)]
    pub channel: Vec<ChannelTable>,
    #[serde(default)]
    pub buffer: Vec<BufferTable>,
    #[serde(default)]
    pub sampling_port: Vec<SamplingPortTable>,
    #[serde(default)]
    pub queuing_port: Vec<QueuingPortTable>,
    #[serde(default)]
    pub cyclic: Vec<CyclicTable>,
    #[serde(default)]
    pub alarm: Vec<AlarmTable>,
    #[serde(default)]
    pub interrupt: Vec<InterruptTable>,
    #[serde(default)]
    pub device_region: Vec<DeviceRegionTable>,
}

/// What the system is made of.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SystemTable {
    pub name: Spanned<Name>,
    /// A board's name, or a path ending in .toml relative to this file.
    pub board: Spanned<String>,
    /// Cores that the system uses; by default the board's.
    #[schemars(range(min = 1, max = 128))]
    pub cores: Option<Spanned<i64>>,
    /// C files, relative to this file. It may be left out where every task belongs to a partition.
    #[schemars(length(min = 1))]
    pub sources: Option<Spanned<Vec<Spanned<String>>>>,
    /// Include directories, relative to this file.
    #[serde(default)]
    pub include: Vec<Spanned<String>>,
    /// Macros with which all sources are compiled: "NAME", which is 1, or "NAME=value".
    #[serde(default)]
    pub defines: Vec<Spanned<String>>,
    /// Libraries of Polytakt that the application uses: "dataflow", "itron", "messaging",
    /// "openmp", "posix".
    #[serde(default)]
    pub libraries: Vec<Spanned<String>>,
}

/// How the system is run.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunTable {
    /// Machine time after which a run ends.
    #[serde(rename = "for")]
    pub run_for: Option<Spanned<Duration>>,
}

/// Sizes of the kernel's own parts.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KernelTable {
    /// Where the kernel keeps tasks, queues and time: "distributed" (the default), with their
    /// cores; "central", with core 0, which serves the others; "semi", with both; "rtu", in a
    /// device of the board.
    #[schemars(regex(pattern = "^(distributed|central|semi|rtu)$"))]
    pub placement: Option<Spanned<String>>,
    /// Events in each core's ring: 0 or a power of two; by default 256, or 0 under another
    /// placement than "distributed".
    #[schemars(range(min = 0, max = 65536))]
    pub events: Option<Spanned<i64>>,
    /// Each core's trap stack, 4KiB to 64KiB; by default 4KiB, and 2KiB for each priority of interrupts.
    pub trap_stack: Option<Spanned<Size>>,
    /// Each core's idle stack, 4KiB (the default) to 64KiB.
    pub idle_stack: Option<Spanned<Size>>,
    /// Each core's console ring: a power of two, 256B to 1MiB; by default 4KiB.
    pub console: Option<Spanned<Size>>,
    /// The core whose idle loop sends the console; by default 0.
    #[schemars(range(min = 0, max = 127))]
    pub console_core: Option<Spanned<i64>>,
    /// A function that is called on each core, with the core's number, before time 0: void
    /// start_hook(intptr_t core).
    #[schemars(regex(pattern = "^[A-Za-z_][A-Za-z0-9_]*$"), length(max = 63))]
    pub start_hook: Option<Spanned<String>>,
    /// A function that is called with the exit code on the core that ends the run, when the other
    /// cores have stopped: void shutdown_hook(intptr_t code).
    #[schemars(regex(pattern = "^[A-Za-z_][A-Za-z0-9_]*$"), length(max = 63))]
    pub shutdown_hook: Option<Spanned<String>>,
    /// What shares a lock of the kernel: "giant" (everything shares one), "core" (the tasks and
    /// objects of a core share one) or, by default, "object" (each has its own).
    #[schemars(regex(pattern = "^(giant|core|object)$"))]
    pub granularity: Option<Spanned<String>>,
    /// The algorithm of the kernel's spin locks: "tas", "ttas", "mcs", "k42", "relay" or, by
    /// default, "ticket".
    #[schemars(regex(pattern = "^(tas|ttas|ticket|mcs|k42|relay)$"))]
    pub spinlock: Option<Spanned<String>>,
    /// The backoff of a waiting core: "none" (the default), "exponential" (for tas, ttas and
    /// ticket) or "proportional" (for ticket).
    #[schemars(regex(pattern = "^(none|proportional|exponential)$"))]
    pub backoff: Option<Spanned<String>>,
    /// How `takt_task_self` finds the running task: by a search for the core's number ("generic"),
    /// from the core's block ("fast") or, by default, from a register ("register").
    #[schemars(regex(pattern = "^(generic|fast|register)$"))]
    pub own_task: Option<Spanned<String>>,
    /// The shortest time between two requests of an idle core to its neighbours for a task that may
    /// migrate (`cores`); by default idle cores do not ask.
    pub idle_pull: Option<Spanned<Duration>>,
    /// Where a core's own memory lies: "none" (the default), or "page": in pages whose home is at
    /// the core, on boards where pages have homes.
    #[schemars(regex(pattern = "^(none|page)$"))]
    pub homing: Option<Spanned<String>>,
}

/// How many lines of memory cores may move in each period. A core that has used up its budget idles
/// until the next period.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegulationTable {
    /// The period at whose begin all budgets are replenished: 10us to 10ms, and shorter than the
    /// periods of the tasks of regulated cores.
    pub period: Spanned<Duration>,
    /// The budgets; a core that is not named is not regulated.
    #[schemars(length(min = 1))]
    pub budgets: Spanned<Vec<BudgetTable>>,
    /// The most lines that interrupts and the kernel of one core move in a period: switches, releases, handlers, service
    /// routines. Tasks of regulated cores need it for a bound.
    pub kernel: Option<LinesTable>,
}

/// Lines of 64 bytes that move between a core's own caches and what lies behind them.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinesTable {
    /// Lines that none of the core's own caches has (misses of the L2), wherever they come from.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub reads: Spanned<i64>,
    /// Changed lines that leave the core's own caches.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub writes: Spanned<i64>,
}

/// The budget of each of some cores.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BudgetTable {
    #[schemars(length(min = 1))]
    pub cores: Spanned<Vec<Spanned<i64>>>,
    /// Lines of 64 bytes that the core may read from memory in a period. A store to a line that no
    /// cache has reads it.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub reads: Spanned<i64>,
    /// Changed lines that the core's own caches may write back in a period.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub writes: Spanned<i64>,
}

/// How a core divides its time between partitions: a frame that is repeated for ever, in which each
/// window belongs to one partition. A core with a frame runs the tasks of a partition in its windows
/// only.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FrameTable {
    pub core: Spanned<i64>,
    /// After this time the windows begin anew; the first frame begins at time 0. 100us to 10s.
    pub length: Spanned<Duration>,
    /// The windows in the order of time, at most 256. No partition runs between them. If a window has no `offset`, or a `period`,
    /// the order does not matter.
    #[schemars(length(min = 1, max = 256))]
    pub windows: Spanned<Vec<WindowTable>>,
}

/// A part of a frame, in which the tasks of one partition run.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindowTable {
    pub partition: Spanned<Name>,
    /// When the window opens, from the frame's begin; by default Polytakt chooses, with the I/O schedule.
    pub offset: Option<Spanned<Duration>>,
    /// At least 20us; the window closes within the frame, and before the next one opens.
    pub duration: Spanned<Duration>,
    /// The time after which the window opens again, of which the frame's length is a multiple; by default the frame's length.
    pub period: Option<Spanned<Duration>>,
}

/// A transaction: what an application takes from a device and gives to one, again and again, and how long that may take. The I/O
/// schedule gives each of its parts a window that is open once in a period.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransactionTable {
    pub name: Spanned<Name>,
    /// Where the data comes from.
    pub input: Option<PhysicalTable>,
    /// The periodic task of the application. Its window is one of its partition, where its core has a frame, and else begins with its
    /// release and ends with its deadline.
    pub task: Spanned<Name>,
    /// Where the result goes.
    pub output: Option<PhysicalTable>,
    /// The longest time from the begin of the first part to the end of the last.
    pub limit: Spanned<Duration>,
}

/// The input or output of a transaction: what the device does by itself, and the task on the I/O core that moves the data.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PhysicalTable {
    /// The device, by a name of your choice; it does one thing at a time.
    pub device: Spanned<Name>,
    /// How long the device takes.
    pub duration: Spanned<Duration>,
    /// When the device begins in each period, if that is given; by default Polytakt chooses.
    pub offset: Option<Spanned<Duration>>,
    /// The periodic task that moves the data from the device's buffer into memory, or from there. Its window begins with its release
    /// and ends with its deadline.
    pub task: Spanned<Name>,
}

/// A program with POSIX threads, for the library "posix". Its `main` is called when the system
/// starts.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PosixTable {
    /// The greatest number of threads at a time, including the one that runs `main`. Threads 0, 1,
    /// 2 and so on run on cores 0, 1, 2 and so on, in turn.
    #[schemars(range(min = 1, max = 4096))]
    pub threads: Spanned<i64>,
    /// The size of each thread's stack, a multiple of 16 bytes, 4KiB to 16MiB; by default 64KiB.
    pub stack: Option<Spanned<Size>>,
    /// Memory for malloc and for files, a multiple of 4KiB, 64KiB to 512MiB; by default 16MiB.
    pub heap: Option<Spanned<Size>>,
    /// `tlsf`: one allocator for all cores, guarded by one lock; `scalable`: one for each core. By
    /// default `tlsf`.
    #[schemars(regex(pattern = "^(tlsf|scalable)$"))]
    pub allocator: Option<Spanned<String>>,
    /// A folder, relative to this file, whose contents the program finds at the root of its file
    /// system.
    pub files: Option<Spanned<String>>,
    /// The arguments of `main` that follow the program's name, which is the system's name.
    #[serde(default)]
    pub arguments: Vec<Spanned<String>>,
    /// The priority of all threads, 1 (highest) to 64; by default 32.
    #[schemars(range(min = 1, max = 64))]
    pub priority: Option<Spanned<i64>>,
}

/// A partition: an application whose tasks run in user mode, in memory of its own.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartitionTable {
    pub name: Spanned<Name>,
    /// C files, relative to this file.
    #[schemars(length(min = 1))]
    pub sources: Spanned<Vec<Spanned<String>>>,
    #[serde(default)]
    pub health: HealthTable,
    /// The most restarts in a run; the next one stops the partition. By default 3 if an error restarts it, else none.
    #[schemars(range(min = 1, max = 65535))]
    pub restarts: Option<Spanned<i64>>,
}

/// What the kernel does about errors of a partition: "restart_task" ends the job, "stop_task" also
/// refuses the task all later jobs, "stop_partition" does so to all tasks of the partition,
/// "restart_warm" lets them begin anew with the partition's variables as they are, "restart_cold"
/// with the initial values, and "shutdown" ends the run.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HealthTable {
    /// An access to memory that the partition does not have; by default "stop_partition".
    #[schemars(regex(
        pattern = "^(restart_task|stop_task|restart_warm|restart_cold|stop_partition|shutdown)$"
    ))]
    pub memory_violation: Option<Spanned<String>>,
    /// An access to the guard page below the task's stack; by default "stop_partition".
    #[schemars(regex(
        pattern = "^(restart_task|stop_task|restart_warm|restart_cold|stop_partition|shutdown)$"
    ))]
    pub stack_overflow: Option<Spanned<String>>,
    /// An illegal instruction, a breakpoint, a misaligned access; by default "stop_partition".
    #[schemars(regex(
        pattern = "^(restart_task|stop_task|restart_warm|restart_cold|stop_partition|shutdown)$"
    ))]
    pub illegal_request: Option<Spanned<String>>,
    /// A call of `takt_panic`, or an assertion that fails; by default "stop_task".
    #[schemars(regex(
        pattern = "^(restart_task|stop_task|restart_warm|restart_cold|stop_partition|shutdown)$"
    ))]
    pub application_error: Option<Spanned<String>>,
}

/// A task. With `period` it is periodic, with `separation` sporadic, with neither aperiodic.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskTable {
    pub name: Spanned<Name>,
    /// The partition to which the task belongs; by default the task runs in supervisor mode, as the kernel does.
    pub partition: Option<Spanned<Name>>,
    /// The C function of one job: void entry(intptr_t argument).
    #[schemars(regex(pattern = "^[A-Za-z_][A-Za-z0-9_]*$"), length(max = 63))]
    pub entry: Spanned<String>,
    /// The argument of the entry; by default 0.
    pub argument: Option<Spanned<i64>>,
    /// The time from one release to the next, of a periodic task.
    pub period: Option<Spanned<Duration>>,
    /// The shortest time from one activation to the next, of a sporadic task.
    pub separation: Option<Spanned<Duration>>,
    /// The time of the first release, less than the period, of a periodic task; by default 0ms.
    pub offset: Option<Spanned<Duration>>,
    /// Longest time from the nominal release until the job is ready; by default 0us.
    pub jitter: Option<Spanned<Duration>>,
    /// The deadline relative to the release, at most the period or separation, and by default equal
    /// to it.
    pub deadline: Option<Spanned<Duration>>,
    /// Longest execution of one job, alone on its core; a periodic or sporadic task needs it, or a budget that stops it.
    pub wcet: Option<Spanned<Duration>>,
    /// The most lines that one job moves, alone on its core; a task of a core with a budget of memory traffic needs it for a
    /// bound.
    pub memory: Option<LinesTable>,
    /// The core on which the task runs; by default Polytakt chooses.
    #[schemars(range(min = 0, max = 127))]
    pub core: Option<Spanned<i64>>,
    /// The cores to which calls may move the task, including `core` (by default the first of the
    /// list). Only for an aperiodic task without a deadline; by default a task stays on its core.
    #[schemars(length(min = 1))]
    pub cores: Option<Spanned<Vec<Spanned<i64>>>>,
    /// The priority, 1 (highest) to 64; by default Polytakt chooses.
    #[schemars(range(min = 1, max = 64))]
    pub priority: Option<Spanned<i64>>,
    /// The size of the stack, a multiple of 16 bytes, 1KiB to 512MiB; by default 8KiB.
    pub stack: Option<Spanned<Size>>,
    /// Activations that may wait while a job runs; by default 1.
    #[schemars(range(min = 1, max = 255))]
    pub queue: Option<Spanned<i64>>,
    /// Whether the task is activated when the system starts; only for an aperiodic task; by default
    /// false.
    pub start: Option<Spanned<bool>>,
    /// The longest time for which a job sleeps, delays or waits for signals, in all.
    pub suspends: Option<Spanned<Duration>>,
    /// Longest execution that the kernel grants a job.
    pub budget: Option<Spanned<Duration>>,
    /// What happens to a job that executes longer than its budget: "stop" ends the job; "report",
    /// the default, only records it.
    #[schemars(regex(pattern = "^(report|stop)$"))]
    pub overrun: Option<Spanned<String>>,
    /// A handler that is called when a job has executed longer than its budget, before the job is
    /// stopped.
    pub overrun_handler: Option<Spanned<HandlerTable>>,
    /// A handler that is called when the deadline has passed and the job has not ended.
    pub deadline_handler: Option<Spanned<HandlerTable>>,
    /// Semaphores that the task shares or waits for, mutexes that it locks, and spin locks.
    #[serde(default)]
    pub uses: Vec<Spanned<UseTable>>,
    /// The greatest number of times that a job sleeps, delays or waits for a signal; by default
    /// once for each signal that it uses, and once more.
    #[schemars(range(min = 1, max = 65535))]
    pub suspensions: Option<Spanned<i64>>,
    /// The greatest number of commands that a job gives to core 0 or to the RTU, where the kernel's placement is another than
    /// "distributed": its calls, under "semi" those that concern other cores, objects or time.
    #[schemars(range(min = 0, max = 65535))]
    pub calls: Option<Spanned<i64>>,
    /// The longest time for which the task locks the CPU; by default it must not.
    pub cpu_lock: Option<Spanned<Duration>>,
    /// The longest execution for which the task disables dispatch; by default it must not.
    pub dispatch_disable: Option<Spanned<Duration>>,
    /// The other tasks, handlers and interrupts that the task changes while it runs.
    #[serde(default)]
    pub controls: Vec<Spanned<ControlTable>>,
    /// Whether the kernel refuses the task nothing and measures nothing of it, so that no task has
    /// a bound; by default false.
    pub unrestricted: Option<Spanned<bool>>,
}

/// What a program with the library "openmp" starts with; on other systems it is said by variables
/// of the environment, `OMP_...`.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenmpTable {
    /// The schedule of loops with `schedule(runtime)`: static, dynamic, guided or auto, and after a
    /// comma the size of a chunk; by default static.
    #[schemars(regex(pattern = "^(static|dynamic|guided|auto)(,[1-9][0-9]{0,8})?$"))]
    pub schedule: Option<Spanned<String>>,
    /// The number of threads of regions that ask for none; by default the team's.
    #[schemars(range(min = 1, max = 65535))]
    pub num_threads: Option<Spanned<i64>>,
    /// What omp_get_dynamic returns; by default false. No region has fewer threads because of it.
    pub dynamic: Option<Spanned<bool>>,
    /// How many regions with several threads may be inside each other; by default, and at most, as
    /// many as the teams allow.
    #[schemars(range(min = 0, max = 255))]
    pub max_active_levels: Option<Spanned<i64>>,
}

/// The threads that a task forks into, for the library "openmp". Each thread but the first is a
/// task of its own, on a core of its own.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TeamTable {
    /// The task that forks; it is thread 0, and needs a core and a priority. With the library
    /// "posix", `main` runs in the task "thread_0". A worker of a team above forks into its own
    /// team inside that team's regions; so does a task with its second team.
    pub task: Spanned<Name>,
    /// The number of threads, the task included. Thread i runs on the i-th core after the task's,
    /// in turn; there are at most as many threads as cores.
    #[schemars(range(min = 1, max = 128))]
    pub threads: Option<Spanned<i64>>,
    /// The cores of the threads from 1 on, instead of `threads`.
    pub cores: Option<Spanned<Vec<Spanned<i64>>>>,
    /// How the threads wait: "spin", where no other task can run on their cores, or "block" (the
    /// default).
    #[schemars(regex(pattern = "^(spin|block)$"))]
    pub wait: Option<Spanned<String>>,
    /// The cores of a spinning team whose threads block.
    #[serde(default)]
    pub block: Vec<Spanned<i64>>,
    /// The size of each worker's stack, a multiple of 16 bytes, 4KiB to 16MiB; by default 16KiB.
    pub stack: Option<Spanned<Size>>,
    /// What a job of the task executes, stage by stage; without it no task of the system has a
    /// bound.
    pub stages: Option<Spanned<Vec<Spanned<StageTable>>>>,
}

/// One stage of a task that forks.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StageTable {
    /// The longest execution of the task alone, until it forks; it may be zero. Without it the
    /// stage begins at a barrier, in the region of the stage before.
    pub serial: Option<Spanned<Duration>>,
    /// The longest execution of one thread in the parallel region, until it joins or comes to a
    /// barrier; only the last stage may be without one.
    pub strand: Option<Spanned<Duration>>,
    /// The critical sections of each thread in the region, within the time of `strand`.
    #[serde(default)]
    pub critical: Vec<Spanned<CriticalTable>>,
}

/// A critical section of a stage.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CriticalTable {
    /// The name in `#pragma omp critical (name)`, of at most 22 characters; without it that of all
    /// sections without a name.
    pub name: Option<Spanned<Name>>,
    /// Longest execution within the section.
    pub hold: Spanned<Duration>,
    /// The greatest number of times that one thread enters the section in the stage; by default 1.
    #[schemars(range(min = 1, max = 65535))]
    pub times: Option<Spanned<i64>>,
}

/// A graph of objects and edges, for the library "dataflow".
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataflowTable {
    /// A function that does the same work on the control core alone, after the graph:
    /// void sequential(void).
    #[schemars(regex(pattern = "^[A-Za-z_][A-Za-z0-9_]*$"), length(max = 63))]
    pub sequential: Option<Spanned<String>>,
    /// A function that is called last and returns how many results are wrong:
    /// uint32_t check(void). The run fails if there are any.
    #[schemars(regex(pattern = "^[A-Za-z_][A-Za-z0-9_]*$"), length(max = 63))]
    pub check: Option<Spanned<String>>,
    /// The priority of the control core's task, 1 (highest) to 64 (the default).
    #[schemars(range(min = 1, max = 64))]
    pub priority: Option<Spanned<i64>>,
    /// The stack of the control core's task and of each worker, a multiple of 4KiB, 4KiB to 64KiB;
    /// by default 8KiB.
    pub stack: Option<Spanned<Size>>,
    /// The time between two looks at the states of all cores, 10us to 1s; by default 1ms.
    pub watch: Option<Spanned<Duration>>,
    /// How often the objects of phase "body" are executed, at most, 2 to 1000000; by default once.
    #[schemars(range(min = 2, max = 1000000))]
    pub iterations: Option<Spanned<i64>>,
    /// The object of phase "body" that may end the iterations: it calls dataflow_end().
    pub until: Option<Spanned<Name>>,
    /// "iota" (the default): a flow for each type of object, messages by the scoreboard. "rtos1": one
    /// flow for all objects, messages and words as blocks; to compare with.
    #[schemars(regex(pattern = "^(iota|rtos1)$"))]
    pub runtime: Option<Spanned<String>>,
}

/// An object of a dataflow graph, or a family of objects, one on each of some cores. It is executed
/// when all its inputs are there, once or once in each iteration.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObjectTable {
    pub name: Spanned<Name>,
    /// The C function: void entry(const struct dataflow_ENTRY *).
    #[schemars(regex(pattern = "^[A-Za-z_][A-Za-z0-9_]*$"), length(max = 63))]
    pub entry: Spanned<String>,
    /// The core of an object.
    #[schemars(range(min = 0, max = 127))]
    pub core: Option<Spanned<i64>>,
    /// The cores of a family, ascending; member i is on the i-th of them.
    #[schemars(length(min = 2))]
    pub cores: Option<Spanned<Vec<Spanned<i64>>>>,
    /// Longest execution.
    pub wcet: Spanned<Duration>,
    /// A number for the entry, 0 to 4294967295; by default 0.
    #[schemars(range(min = 0, max = 4294967295u64))]
    pub argument: Option<Spanned<i64>>,
    /// "before": once, before the iterations; "body" (the default): in each iteration; "after": once,
    /// after them.
    #[schemars(regex(pattern = "^(before|body|after)$"))]
    pub phase: Option<Spanned<String>>,
    /// The order among the objects of its core and phase, 1 (first) to 64 (the default); those of
    /// equal priority have the order of the file.
    #[schemars(range(min = 1, max = 64))]
    pub priority: Option<Spanned<i64>>,
}

/// An edge of a dataflow graph: data that one object produces for another.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EdgeTable {
    /// The producer and its output: "OBJECT.PORT", or "OBJECT[2].PORT" of one member of a family.
    pub from: Spanned<String>,
    /// The consumer and its input: "OBJECT.PORT", or "OBJECT[2].PORT" of one member of a family.
    pub to: Spanned<String>,
    /// "block" (the default): from one object to one, from each member of a family to the same
    /// member of another, or another block from one object to each member. "broadcast": the same
    /// data to each member. "gather": the data of all members to one object, in the members' order.
    /// "word": 4 or 8 bytes through a register, from one object to one or to each member, from each
    /// member to the same one of another family, or from all members to one object.
    #[schemars(regex(pattern = "^(block|broadcast|gather|word)$"))]
    pub kind: Option<Spanned<String>>,
    /// The data from one producer to one consumer, a multiple of 4B, at most 16MiB.
    pub size: Spanned<Size>,
    /// 1: the consumer reads in an iteration what the producer has written in the one before, and in
    /// the first one what an object of phase "before" has written, if its edge leads to this input too;
    /// by default 0: in the same iteration.
    #[schemars(range(min = 0, max = 1))]
    pub tokens: Option<Spanned<i64>>,
}

/// Registers or memory of a device, which the application reaches by the symbol takt_device_NAME.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeviceRegionTable {
    pub name: Spanned<Name>,
    /// The first physical address, a multiple of 4KiB.
    pub base: Spanned<Address>,
    /// The size, a multiple of 4KiB, 4KiB to 64MiB.
    pub size: Spanned<Size>,
}

/// What a task changes: another task, a cyclic handler, an alarm or an interrupt. Exactly one of
/// the four is named.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ControlTable {
    pub task: Option<Spanned<Name>>,
    /// A cyclic handler of another core, which the task starts or stops.
    pub cyclic: Option<Spanned<Name>>,
    /// An alarm of another core, which the task starts or stops.
    pub alarm: Option<Spanned<Name>>,
    /// An interrupt, which the task has delivered to another core.
    pub interrupt: Option<Spanned<Name>>,
    /// What is done to the task: "observe", "terminate" (also its wait), "suspend" (and resume), "set_priority" or "migrate".
    #[schemars(regex(pattern = "^(observe|terminate|suspend|set_priority|migrate)$"))]
    pub action: Option<Spanned<String>>,
    /// Shortest time from one call to the next; by default unknown, and then the tasks of the
    /// target's core have no bound.
    pub separation: Option<Spanned<Duration>>,
}

/// A function that the kernel calls in interrupt context for a task.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HandlerTable {
    /// The C function, handed the task's ID: void function(intptr_t task).
    #[schemars(regex(pattern = "^[A-Za-z_][A-Za-z0-9_]*$"), length(max = 63))]
    pub function: Spanned<String>,
    /// Longest execution of one call.
    pub wcet: Spanned<Duration>,
}

/// A semaphore that a task shares or waits for, a mutex that it locks, or a spin lock. Exactly one
/// of the three is named.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UseTable {
    pub semaphore: Option<Spanned<Name>>,
    pub mutex: Option<Spanned<Name>>,
    pub spin_lock: Option<Spanned<Name>>,
    /// Longest execution between wait and signal, or lock and unlock. A spin lock needs it. Without
    /// it, a task waits for signals of a semaphore, and the tasks that a mutex delays have no
    /// bound.
    pub hold: Option<Spanned<Duration>>,
    /// The greatest number of requests of a job for the object; by default 1.
    #[schemars(range(min = 1, max = 65535))]
    pub times: Option<Spanned<i64>>,
    /// For a mutex: the mutexes among this task's `uses` that a job may hold when it locks this
    /// one; by default none.
    pub inside: Option<Spanned<Vec<Spanned<Name>>>>,
}

/// A counting semaphore.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SemaphoreTable {
    pub name: Spanned<Name>,
    /// The partition whose tasks may use the semaphore; by default the tasks without a partition.
    pub partition: Option<Spanned<Name>>,
    /// Count at the start; by default 0.
    #[schemars(range(min = 0, max = 4_294_967_295_i64))]
    pub initial: Option<Spanned<i64>>,
    /// Highest count, at least 1; by default 255.
    #[schemars(range(min = 1, max = 4_294_967_295_i64))]
    pub maximum: Option<Spanned<i64>>,
    /// In which order waiting tasks are served: "priority" or, by default, "fifo".
    #[schemars(regex(pattern = "^(fifo|priority)$"))]
    pub order: Option<Spanned<String>>,
    /// The core at which the object is at home; with granularity = "core" that core's lock guards
    /// it. By default the objects of a class are distributed over the cores in turn.
    #[schemars(range(min = 0, max = 127))]
    pub core: Option<Spanned<i64>>,
}

/// A mutex: one task at a time holds it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MutexTable {
    pub name: Spanned<Name>,
    /// The holder's priority. "ceiling": the highest priority of the users; "inherit": the highest
    /// priority of the waiting tasks; "none": its own, so no wait has a bound. All three are for
    /// tasks of one core. "msrp": the holder is not preempted, and tasks of other cores spin.
    #[schemars(regex(pattern = "^(ceiling|inherit|msrp|none)$"))]
    pub protocol: Spanned<String>,
    /// With "ceiling": the holder's priority; no user may have a higher one. By default the highest of the users.
    #[schemars(range(min = 1, max = 64))]
    pub ceiling: Option<Spanned<i64>>,
    /// In which order waiting tasks are served: "fifo" or, by default, "priority". Not with "msrp", which is FIFO.
    #[schemars(regex(pattern = "^(fifo|priority)$"))]
    pub order: Option<Spanned<String>>,
}

/// An event flag: 32 bits that tasks set and wait for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlagTable {
    pub name: Spanned<Name>,
    /// The bits at the start; by default 0.
    #[schemars(range(min = 0, max = 4_294_967_295_i64))]
    pub initial: Option<Spanned<i64>>,
    /// Whether each task that is woken clears all bits; by default false.
    pub clear: Option<Spanned<bool>>,
    /// Whether several tasks may wait; by default false.
    pub shared: Option<Spanned<bool>>,
    /// In which order waiting tasks are examined: "priority" or, by default, "fifo".
    #[schemars(regex(pattern = "^(fifo|priority)$"))]
    pub order: Option<Spanned<String>>,
    /// The core at which the object is at home; with granularity = "core" that core's lock guards
    /// it. By default the objects of a class are distributed over the cores in turn.
    #[schemars(range(min = 0, max = 127))]
    pub core: Option<Spanned<i64>>,
}

/// A data queue: words from task to task.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataQueueTable {
    pub name: Spanned<Name>,
    /// The number of words that can wait for a receiver; 0: a sender waits for a receiver.
    #[schemars(range(min = 0, max = 65536))]
    pub capacity: Spanned<i64>,
    /// In which order waiting senders are served: "priority" or, by default, "fifo".
    #[schemars(regex(pattern = "^(fifo|priority)$"))]
    pub order: Option<Spanned<String>>,
    /// The core at which the object is at home; with granularity = "core" that core's lock guards
    /// it. By default the objects of a class are distributed over the cores in turn.
    #[schemars(range(min = 0, max = 127))]
    pub core: Option<Spanned<i64>>,
}

/// A priority data queue: words from task to task, those of higher priority first.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PriorityDataQueueTable {
    pub name: Spanned<Name>,
    /// The number of words that can wait for a receiver.
    #[schemars(range(min = 1, max = 65536))]
    pub capacity: Spanned<i64>,
    /// The lowest priority of a word; 1 is the highest.
    #[schemars(range(min = 1, max = 64))]
    pub priorities: Spanned<i64>,
    /// In which order waiting senders are served: "priority" or, by default, "fifo".
    #[schemars(regex(pattern = "^(fifo|priority)$"))]
    pub order: Option<Spanned<String>>,
    /// The core at which the object is at home; with granularity = "core" that core's lock guards
    /// it. By default the objects of a class are distributed over the cores in turn.
    #[schemars(range(min = 0, max = 127))]
    pub core: Option<Spanned<i64>>,
}

/// A barrier: tasks wait until all participants have arrived.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BarrierTable {
    pub name: Spanned<Name>,
    /// The number of participants, 1 to the number of tasks.
    #[schemars(range(min = 1, max = 65535))]
    pub participants: Spanned<i64>,
    /// The core at which the object is at home; with granularity = "core" that core's lock guards
    /// it. By default the objects of a class are distributed over the cores in turn.
    #[schemars(range(min = 0, max = 127))]
    pub core: Option<Spanned<i64>>,
}

/// A lock of any number of tasks that read, or of one that writes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReaderWriterLockTable {
    pub name: Spanned<Name>,
    /// In which order waiting tasks are served: "priority" or, by default, "fifo".
    #[schemars(regex(pattern = "^(fifo|priority)$"))]
    pub order: Option<Spanned<String>>,
    /// The core at which the object is at home; with granularity = "core" that core's lock guards
    /// it. By default the objects of a class are distributed over the cores in turn.
    #[schemars(range(min = 0, max = 127))]
    pub core: Option<Spanned<i64>>,
}

/// A spin lock of the application. It has the algorithm of the kernel's spin locks, and its holder
/// locks the CPU.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpinLockTable {
    pub name: Spanned<Name>,
}

/// A message buffer: messages of any length from task to task.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageBufferTable {
    pub name: Spanned<Name>,
    /// The size of the longest message, 1B to 4KiB.
    pub message: Spanned<Size>,
    /// Memory for waiting messages, a multiple of 8 bytes up to 1MiB. Each message takes its size,
    /// rounded up to 8 bytes, and 8 bytes more; 0B: a sender waits for a receiver.
    pub size: Spanned<Size>,
    /// In which order waiting senders are served: "priority" or, by default, "fifo".
    #[schemars(regex(pattern = "^(fifo|priority)$"))]
    pub order: Option<Spanned<String>>,
    /// The core at which the object is at home; with granularity = "core" that core's lock guards
    /// it. By default the objects of a class are distributed over the cores in turn.
    #[schemars(range(min = 0, max = 127))]
    pub core: Option<Spanned<i64>>,
}

/// Blocks of memory of one size.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryPoolTable {
    pub name: Spanned<Name>,
    /// The number of blocks, 1 to 65536.
    #[schemars(range(min = 1, max = 65536))]
    pub blocks: Spanned<i64>,
    /// The size of a block, 1B to 1MiB; each begins at a multiple of 64 bytes.
    pub size: Spanned<Size>,
    /// In which order waiting tasks are served: "priority" or, by default, "fifo".
    #[schemars(regex(pattern = "^(fifo|priority)$"))]
    pub order: Option<Spanned<String>>,
    /// The core at which the object is at home; with granularity = "core" that core's lock guards
    /// it. By default the objects of a class are distributed over the cores in turn.
    #[schemars(range(min = 0, max = 127))]
    pub core: Option<Spanned<i64>>,
}

/// A channel of the library "messaging": messages from any tasks to one, which reads them in place.
/// Its queues are the priority data queues NAME_full and NAME_free, after those of the description.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelTable {
    pub name: Spanned<Name>,
    /// The only task that receives.
    pub receiver: Spanned<Name>,
    /// The number of messages that can wait, beside the one that is read.
    #[schemars(range(min = 1, max = 1023))]
    pub messages: Spanned<i64>,
    /// The size of the longest message, 1B to 1MiB.
    pub size: Spanned<Size>,
    /// The lowest priority of a message; 1 is the highest.
    #[schemars(range(min = 1, max = 64))]
    pub priorities: Spanned<i64>,
    /// On a board whose nodes have memory of their own, the node where messages lie: "receiver", by
    /// default, or "system", that of core 0.
    #[schemars(regex(pattern = "^(receiver|system)$"))]
    pub place: Option<Spanned<String>>,
    /// Whether a message raises its receiver to its own priority until it has been read; by default
    /// false. Of a receiver at most one channel does, and no task has a deadline.
    pub raises: Option<Spanned<bool>>,
}

/// State that one task publishes and others read.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BufferTable {
    pub name: Spanned<Name>,
    /// The size of the state, 1B to 1MiB.
    pub size: Spanned<Size>,
    /// The task that writes.
    pub writer: Spanned<Name>,
    /// The tasks that read.
    #[schemars(length(min = 1))]
    pub readers: Spanned<Vec<Spanned<Name>>>,
}

/// The latest message of a task for tasks of other partitions, with its age.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SamplingPortTable {
    pub name: Spanned<Name>,
    /// The size of a message, 1B to 1MiB.
    pub message: Spanned<Size>,
    /// The age up to which a message is valid.
    pub refresh: Spanned<Duration>,
    /// The task that writes.
    pub source: Spanned<Name>,
    /// The tasks that read.
    #[schemars(length(min = 1))]
    pub destinations: Spanned<Vec<Spanned<Name>>>,
}

/// Messages from a task to a task of another partition, first in, first out. It becomes the message
/// buffer NAME_messages.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QueuingPortTable {
    pub name: Spanned<Name>,
    /// The size of the longest message, 1B to 4KiB.
    pub message: Spanned<Size>,
    /// The number of messages of the longest size that can wait, 1 to 1024; of shorter ones there is
    /// room for more.
    #[schemars(range(min = 1, max = 1024))]
    pub messages: Spanned<i64>,
    /// The task that sends.
    pub source: Spanned<Name>,
    /// The task that receives.
    pub destination: Spanned<Name>,
}

/// A cyclic handler: it is called once in each period, before every task of its core.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CyclicTable {
    pub name: Spanned<Name>,
    /// The C function of one call, in interrupt context: void function(intptr_t argument).
    #[schemars(regex(pattern = "^[A-Za-z_][A-Za-z0-9_]*$"), length(max = 63))]
    pub function: Spanned<String>,
    /// The argument of the function; by default 0.
    pub argument: Option<Spanned<i64>>,
    /// The core in whose timer interrupt the handler is called.
    #[schemars(range(min = 0, max = 127))]
    pub core: Spanned<i64>,
    /// The time from one call to the next.
    pub period: Spanned<Duration>,
    /// The time from the start to the first call, less than the period; by default 0ms.
    pub offset: Option<Spanned<Duration>>,
    /// Longest execution of one call, less than the period.
    pub wcet: Spanned<Duration>,
    /// Whether the handler is started when the system starts; by default false.
    pub start: Option<Spanned<bool>>,
}

/// An alarm handler: it is called once, after the time with which it was started.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AlarmTable {
    pub name: Spanned<Name>,
    /// The C function of one call, in interrupt context: void function(intptr_t argument).
    #[schemars(regex(pattern = "^[A-Za-z_][A-Za-z0-9_]*$"), length(max = 63))]
    pub function: Spanned<String>,
    /// The argument of the function; by default 0.
    pub argument: Option<Spanned<i64>>,
    /// The core in whose timer interrupt the handler is called.
    #[schemars(range(min = 0, max = 127))]
    pub core: Spanned<i64>,
    /// The shortest time from one call to the next, which the kernel enforces. Without it the
    /// number of calls is not limited, and nothing is proved for the core's tasks.
    pub separation: Option<Spanned<Duration>>,
    /// Longest execution of one call, less than the separation.
    pub wcet: Option<Spanned<Duration>>,
}

/// An interrupt of a device and its service routine.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InterruptTable {
    pub name: Spanned<Name>,
    /// The path of the device in the device tree; its first interrupt is meant.
    pub device: Option<Spanned<String>>,
    /// The number of the interrupt controller's source, 1 to 1023, instead of `device`.
    #[schemars(range(min = 1, max = 1023))]
    pub source: Option<Spanned<i64>>,
    /// The C function of the service routine: void entry(intptr_t argument).
    #[schemars(regex(pattern = "^[A-Za-z_][A-Za-z0-9_]*$"), length(max = 63))]
    pub entry: Spanned<String>,
    /// The argument of the entry; by default 0.
    pub argument: Option<Spanned<i64>>,
    /// The core to which the interrupt is delivered; by default 0.
    #[schemars(range(min = 0, max = 127))]
    pub core: Option<Spanned<i64>>,
    /// The priority of the interrupt, 1 (highest) to 7, above all tasks.
    #[schemars(range(min = 1, max = 7))]
    pub priority: Spanned<i64>,
    /// Whether the interrupt is enabled when the system starts; by default true.
    pub enabled: Option<Spanned<bool>>,
    /// Shortest time from one interrupt to the next.
    pub separation: Option<Spanned<Duration>>,
    /// Longest execution of the routine, alone on its core.
    pub wcet: Option<Spanned<Duration>>,
}

/// A board that systems run on.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Polytakt board")]
pub struct BoardFile {
    /// Version of the format: 1.
    #[schemars(range(min = 1, max = 1))]
    #[allow(dead_code, reason = "checked before all else, in form.rs")]
    pub format: i64,
    /// A board whose file gives the values that this file leaves out: its name, or the path of its
    /// file.
    #[allow(dead_code, reason = "followed before all else, in extends.rs")]
    pub extends: Option<Spanned<String>>,
    pub board: BoardTable,
    #[schemars(length(min = 1))]
    pub memory: Vec<MemoryTable>,
    #[serde(default)]
    pub scratchpad: Vec<ScratchpadTable>,
    #[serde(default)]
    pub register: Vec<RegisterTable>,
    pub workers: Option<WorkersTable>,
    pub scoreboard: Option<ScoreboardTable>,
    pub word_registers: Option<WordRegistersTable>,
    pub block_dma: Option<BlockDmaTable>,
    pub dataflow_overheads: Option<DataflowOverheadsTable>,
    pub rtu: Option<RtuTable>,
    pub overheads: OverheadsTable,
    // The timing by which the modelled machine runs. Either all tables of the timing are given or
    // none; only [l2], [cluster] and [[kind]] may be left out.
    pub core: Option<CoreTable>,
    /// Each core's instruction cache.
    pub l1i: Option<CacheTable>,
    /// Each core's data cache.
    pub l1d: Option<CacheTable>,
    /// Each core's own cache behind both; inclusive of [l1d].
    pub l2: Option<CacheTable>,
    pub cluster: Option<ClusterTable>,
    pub tlb: Option<TlbTable>,
    pub coherence: Option<CoherenceTable>,
    pub interconnect: Option<InterconnectTable>,
    pub dram: Option<DramTable>,
    pub devices: Option<DevicesTable>,
    #[serde(default)]
    pub kind: Vec<KindTable>,
}

/// The machine's cores, clock and load address.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoardTable {
    pub name: Spanned<Name>,
    #[schemars(range(min = 1, max = 128))]
    pub cores: Spanned<i64>,
    /// A string that the root of the device tree has in `compatible`.
    #[schemars(regex(pattern = "^[A-Za-z0-9,._+-]+$"), length(max = 63))]
    pub compatible: Spanned<String>,
    /// The instructions that images are compiled for: "rv64gc_zba_zbb", "rv64gc_zba_zbb_zbs" or, by
    /// default, "rv64gc".
    #[schemars(regex(pattern = "^rv64gc(_zba_zbb(_zbs)?)?$"))]
    pub cpu: Option<Spanned<String>>,
    /// Physical address of the image, a multiple of 4 KiB.
    pub load: Spanned<Address>,
    /// The cores' clock.
    pub frequency: Option<Spanned<Rate>>,
    /// The rate at which `time` counts, at most the clock's.
    pub timebase: Option<Spanned<Rate>>,
    /// Each core's `mhartid`; by default 0, 1, 2 and so on.
    pub hart_ids: Option<Spanned<Vec<Spanned<i64>>>>,
}

/// A region of RAM.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryTable {
    pub name: Spanned<Name>,
    pub base: Spanned<Address>,
    pub size: Spanned<Size>,
    /// Whether caches keep the region's lines; by default they do.
    pub cached: Option<Spanned<bool>>,
    /// The cores that can access the region, besides devices; by default all. All cores that run the
    /// kernel are among them, and no worker is.
    pub cores: Option<Spanned<Vec<Spanned<i64>>>>,
}

/// Memory of single cores that no cache keeps: each of the cores has one at the same address.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScratchpadTable {
    pub name: Spanned<Name>,
    /// The address at which a core reaches its own, a multiple of 4 KiB.
    pub base: Spanned<Address>,
    /// The size of each, a multiple of 4 KiB.
    pub size: Spanned<Size>,
    /// The total number of cycles of a load by its own core; at least 1.
    pub latency: Spanned<i64>,
    /// The cores that have one; by default all.
    pub cores: Option<Spanned<Vec<Spanned<i64>>>>,
    /// The address at which all cores reach that of core 0, through the interconnect; by default no
    /// core reaches another core's.
    pub window: Option<Spanned<Address>>,
    /// The distance from one core's window to that of the next; by default the size.
    pub stride: Option<Spanned<Size>>,
}

/// Words of 8 bytes that all cores access in the way of device registers.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterTable {
    pub name: Spanned<Name>,
    /// The address of the first word, a multiple of 8.
    pub base: Spanned<Address>,
    /// The number of words, which follow each other; by default 1.
    #[schemars(range(min = 1, max = 4096))]
    pub count: Option<Spanned<i64>>,
    /// "word": a read returns what was written; "test_and_set": a read returns the value and sets
    /// it to 1.
    #[schemars(regex(pattern = "^(word|test_and_set)$"))]
    pub kind: Spanned<String>,
    /// Whether a core goes on as soon as its store has been sent, instead of waiting for the
    /// answer; by default it does.
    pub posted: Option<Spanned<bool>>,
}

/// Cores that run no kernel: they access their scratchpad and the subnets only, and a kernel's core
/// starts them.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkersTable {
    /// The board's last cores, in ascending order, without core 0.
    pub cores: Spanned<Vec<Spanned<i64>>>,
    /// The address of the registers that start and stop workers, a multiple of 4 KiB.
    pub control: Spanned<Address>,
    /// The number of cycles from a core to these registers, from them to a worker, and back.
    pub way: Spanned<i64>,
}

/// The control subnet's object scoreboard: an entry of 32 bits for each of at most 9 cores.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScoreboardTable {
    /// The address of the first entry, a multiple of 4 KiB.
    pub base: Spanned<Address>,
    /// The number of cycles from a core to the scoreboard, and back.
    pub way: Spanned<i64>,
}

/// The word subnet: words of 8 bytes that one core writes and all cores read.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WordRegistersTable {
    /// The address of core 0's first word, a multiple of 4 KiB.
    pub base: Spanned<Address>,
    /// The number of words of each core.
    #[schemars(range(min = 1, max = 4096))]
    pub count: Spanned<i64>,
    /// The number of cycles from a core to the words, and back.
    pub way: Spanned<i64>,
}

/// The data subnet's engines, one for each core: they copy blocks from scratchpad to scratchpad.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockDmaTable {
    /// The address at which each core reaches its own engine, a multiple of 4 KiB.
    pub base: Spanned<Address>,
    /// The number of cycles from a core to its engine, and back.
    pub way: Spanned<i64>,
    /// The number of cycles from a command to the departure of its first packet.
    pub setup: Spanned<i64>,
    /// The data of a packet, a multiple of 4 bytes up to 240; a packet has 8 bytes more.
    pub packet: Spanned<Size>,
}

/// The longest that a director of the library `dataflow` takes for each of its steps, in cycles.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataflowOverheadsTable {
    /// Where the figures come from: "assumed", "measured" or "published".
    #[schemars(regex(pattern = "^(assumed|measured|published)$"))]
    pub source: Spanned<String>,
    /// The control core's steps.
    pub control: DirectorStepsTable,
    /// The steps of each worker.
    pub worker: DirectorStepsTable,
}

/// The steps of a director, each the longest, in cycles.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DirectorStepsTable {
    /// From the command to go to the first object's activation.
    pub begin: Spanned<i64>,
    /// From an object's activation to its gathers or its execution, if all messages have come.
    pub activation: Spanned<i64>,
    /// From a message that the object waits for to its gathers or its execution.
    pub message: Spanned<i64>,
    /// Beside each transfer's own cycles: the engine's registers, and the poll that sees its end.
    pub transfer: Spanned<i64>,
    /// From the end of the execution to the answers.
    pub answer: Spanned<i64>,
    /// From the answers, or the end of the execution, to the transfers or the messages, if there
    /// is room.
    pub room: Spanned<i64>,
    /// From an answer that the object waits for to the transfers or the messages.
    pub answered: Spanned<i64>,
    /// From the end of the transfers to the messages.
    pub send: Spanned<i64>,
    /// From the last of these to the next object's activation.
    pub end: Spanned<i64>,
    /// From the last of these of the core that decides whether an iteration follows to the next
    /// object's activation on a core that waits for the decision.
    pub decision: Spanned<i64>,
}

/// The RTU: a kernel's tables in hardware, with a page of registers for each hart.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RtuTable {
    /// The address of the page for all, a multiple of 4 KiB; the pages of the harts follow it.
    pub base: Spanned<Address>,
    /// The node of the interconnect that the unit is at; by default 0.
    #[schemars(range(min = 0, max = 255))]
    pub node: Option<Spanned<i64>>,
    /// The cycles of the cores' clock in one of the unit's; by default 1.
    #[schemars(range(min = 1, max = 1000))]
    pub clock: Option<Spanned<i64>>,
    /// The number of tasks, a multiple of 8.
    #[schemars(range(min = 8, max = 248))]
    pub tasks: Spanned<i64>,
    #[schemars(range(min = 1, max = 1023))]
    pub semaphores: Spanned<i64>,
    #[schemars(range(min = 1, max = 1023))]
    pub queues: Spanned<i64>,
    /// The places of each queue, a multiple of 8.
    #[schemars(range(min = 8, max = 1024))]
    pub messages: Spanned<i64>,
}

/// The costs of the kernel on this board, each the longest.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OverheadsTable {
    /// Where the figures come from: "assumed", "measured" or "published".
    #[schemars(regex(pattern = "^(assumed|measured|published)$"))]
    pub source: Spanned<String>,
    /// For measured figures, the timing and the kernel that they belong to. takt calibrate writes
    /// it.
    #[schemars(regex(pattern = "^[0-9a-f]{16}-[0-9a-f]{16}$"))]
    pub stamp: Option<Spanned<String>>,
    pub timer_interrupt: Spanned<Duration>,
    pub ipi: Spanned<Duration>,
    pub release: Spanned<Duration>,
    pub dispatch: Spanned<Duration>,
    pub preemption: Spanned<Duration>,
    pub kernel_section: Spanned<Duration>,
    /// Taking one interrupt of a device and returning from it; needed by systems with interrupts of
    /// devices.
    pub device_interrupt: Option<Spanned<Duration>>,
    pub measured: Option<Spanned<MeasuredTable>>,
    #[serde(default)]
    pub fewer: Vec<FewerTable>,
    pub resident: Option<ResidentTable>,
    /// The same where tasks and handlers of such a core ask something of each other. Without it `resident` is for these, too.
    pub resident_requests: Option<ResidentTable>,
    /// The same where other cores activate tasks of such a core, too.
    pub resident_between: Option<ResidentTable>,
    #[serde(default)]
    pub placement: Vec<PlacedTable>,
}

/// The same figures of a kernel with another placement than "distributed". takt calibrate --placement writes them.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlacedTable {
    /// "semi", "central" or "rtu".
    #[schemars(regex(pattern = "^(semi|central|rtu)$"))]
    pub name: Spanned<String>,
    /// The timing and the kernel that the figures belong to.
    #[schemars(regex(pattern = "^[0-9a-f]{16}-[0-9a-f]{16}$"))]
    pub stamp: Option<Spanned<String>>,
    pub timer_interrupt: Spanned<Duration>,
    pub ipi: Spanned<Duration>,
    pub release: Spanned<Duration>,
    pub dispatch: Spanned<Duration>,
    pub preemption: Spanned<Duration>,
    pub kernel_section: Spanned<Duration>,
    /// The longest service of one command by core 0; not of "rtu".
    pub command: Option<Spanned<Duration>>,
    /// The longest way of a command to core 0 or the unit, and of its answer back.
    pub trip: Spanned<Duration>,
}

/// The same figures on a core whose second-level cache keeps all that the core touches. takt calibrate writes them.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResidentTable {
    pub timer_interrupt: Spanned<Duration>,
    /// Only where other cores interrupt such a core; by default as long as an interrupt of the timer.
    pub ipi: Option<Spanned<Duration>>,
    pub release: Spanned<Duration>,
    pub dispatch: Spanned<Duration>,
    pub preemption: Spanned<Duration>,
    pub kernel_section: Spanned<Duration>,
    pub device_interrupt: Spanned<Duration>,
    pub measured: Spanned<MeasuredTable>,
}

/// The same figures, measured with fewer cores, for systems that have no more cores than these.
/// takt calibrate --cores writes them.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FewerTable {
    pub timer_interrupt: Spanned<Duration>,
    pub ipi: Spanned<Duration>,
    pub release: Spanned<Duration>,
    pub dispatch: Spanned<Duration>,
    pub preemption: Spanned<Duration>,
    pub kernel_section: Spanned<Duration>,
    /// Taking one interrupt of a device and returning from it; needed by systems with interrupts of
    /// devices.
    pub device_interrupt: Option<Spanned<Duration>>,
    pub measured: Spanned<MeasuredTable>,
}

/// The conditions under which the overheads were measured. takt calibrate writes them; a check compares a system with them.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeasuredTable {
    /// The algorithm of the kernel's spin locks, as in a system's [kernel]: "tas", "ttas",
    /// "ticket", "mcs", "k42" or "relay".
    #[schemars(regex(pattern = "^(tas|ttas|ticket|mcs|k42|relay)$"))]
    pub spinlock: Spanned<String>,
    /// The backoff of waiting cores; by default "none".
    #[schemars(regex(pattern = "^(none|proportional|exponential)$"))]
    pub backoff: Option<Spanned<String>>,
    #[schemars(regex(pattern = "^(giant|core|object)$"))]
    pub granularity: Spanned<String>,
    /// How `takt_task_self` finds the running task; by default "register".
    #[schemars(regex(pattern = "^(generic|fast|register)$"))]
    pub own_task: Option<Spanned<String>>,
    /// Where a core's own memory lies; by default "none".
    #[schemars(regex(pattern = "^(none|page)$"))]
    pub homing: Option<Spanned<String>>,
    /// The number of cores of the measured system; by default the board's.
    #[schemars(range(min = 1, max = 128))]
    pub cores: Option<Spanned<i64>>,
    /// The number of cores that used one lock of the kernel.
    #[schemars(range(min = 1, max = 128))]
    pub cores_per_lock: Spanned<i64>,
    /// The number of timers that ran on each core at the same time.
    #[schemars(range(min = 0, max = 65535))]
    pub timers_per_core: Spanned<i64>,
    /// The number of device interrupts that one core served.
    #[schemars(range(min = 0, max = 1023))]
    pub interrupt_sources: Spanned<i64>,
    /// The loads of the memory during the measurement: "alone", "writers", "one_bank", "readers",
    /// "mix".
    #[schemars(length(min = 1))]
    pub load: Spanned<Vec<Spanned<String>>>,
    /// The paths of the kernel that were run during the measurement, besides those of tasks,
    /// semaphores and interrupts: "mutex", "budget" and so on, as docs/src/description.md lists
    /// them. Without the list nothing is proved.
    pub paths: Option<Spanned<Vec<Spanned<String>>>>,
}
