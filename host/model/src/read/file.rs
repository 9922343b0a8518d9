// SPDX-License-Identifier: Apache-2.0
//! The files as they are written: every key that a description has, none checked yet.
//!
//! The JSON schema comes from these types too, and the reader checks the form of a file by it.

use std::{borrow::Cow, ops::Range};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use super::timing_file::{
    CacheTable, ClusterTable, CoherenceTable, CoreTable, DevicesTable, DramTable,
    InterconnectTable, KindTable, TlbTable,
};

/// The version of the format that this Polytakt reads.
pub const FORMAT: i64 = 1;

/// A value and where it stands in the file.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub struct At<T>(toml::Spanned<T>);

impl<T> At<T> {
    pub fn span(&self) -> Range<usize> {
        self.0.span()
    }

    pub fn get(&self) -> &T {
        self.0.get_ref()
    }
}

impl<T: JsonSchema> JsonSchema for At<T> {
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
    #[serde(default)]
    pub task: Vec<TaskTable>,
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
    pub buffer: Vec<BufferTable>,
    #[serde(default)]
    pub cyclic: Vec<CyclicTable>,
    #[serde(default)]
    pub alarm: Vec<AlarmTable>,
    #[serde(default)]
    pub interrupt: Vec<InterruptTable>,
}

/// What the system is made of.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SystemTable {
    pub name: At<Name>,
    /// A board's name, or a path ending in .toml relative to this file.
    pub board: At<String>,
    /// Cores that the system uses; by default the board's.
    #[schemars(range(min = 1, max = 128))]
    pub cores: Option<At<i64>>,
    /// C files, relative to this file.
    #[schemars(length(min = 1))]
    pub sources: At<Vec<At<String>>>,
    /// Include directories, relative to this file.
    #[serde(default)]
    pub include: Vec<At<String>>,
    /// Libraries of Polytakt that the application uses: "itron", "posix".
    #[serde(default)]
    pub libraries: Vec<At<String>>,
}

/// How the system is run.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunTable {
    /// Machine time after which a run ends.
    #[serde(rename = "for")]
    pub run_for: Option<At<Duration>>,
}

/// Sizes of the kernel's own parts.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KernelTable {
    /// Events in each core's ring: 0 or a power of two; by default 256.
    #[schemars(range(min = 0, max = 65536))]
    pub events: Option<At<i64>>,
    /// Each core's trap stack, 4KiB to 64KiB; by default 4KiB, and 2KiB for each priority of interrupts.
    pub trap_stack: Option<At<Size>>,
    /// Each core's idle stack, 4KiB (the default) to 64KiB.
    pub idle_stack: Option<At<Size>>,
    /// Each core's console ring: a power of two, 256B to 1MiB; by default 4KiB.
    pub console: Option<At<Size>>,
    /// The core whose idle loop sends the console; by default 0.
    #[schemars(range(min = 0, max = 127))]
    pub console_core: Option<At<i64>>,
    /// Called on each core, with its number, before time 0: void start_hook(intptr_t core).
    #[schemars(regex(pattern = "^[A-Za-z_][A-Za-z0-9_]*$"), length(max = 63))]
    pub start_hook: Option<At<String>>,
    /// Called on the core that ends the run, with the code, when the others have stopped: void shutdown_hook(intptr_t code).
    #[schemars(regex(pattern = "^[A-Za-z_][A-Za-z0-9_]*$"), length(max = 63))]
    pub shutdown_hook: Option<At<String>>,
    /// What shares a lock: "giant" (everything), "core" (the tasks and objects of a core) or, by
    /// default, "object" (nothing).
    #[schemars(regex(pattern = "^(giant|core|object)$"))]
    pub granularity: Option<At<String>>,
    /// How a core waits for a lock: "tas", "ttas", "mcs", "k42", "relay" or, by default, "ticket".
    #[schemars(regex(pattern = "^(tas|ttas|ticket|mcs|k42|relay)$"))]
    pub spinlock: Option<At<String>>,
    /// For how long it looks away meanwhile: "none" (the default), "exponential" (of tas, ttas and
    /// ticket) or "proportional" (of ticket).
    #[schemars(regex(pattern = "^(none|proportional|exponential)$"))]
    pub backoff: Option<At<String>>,
    /// How `takt_task_self` finds the running task: by its core's number, searched ("generic"), its core's block ("fast")
    /// or, by default, a register of its own ("register").
    #[schemars(regex(pattern = "^(generic|fast|register)$"))]
    pub own_task: Option<At<String>>,
    /// A core that idles asks its neighbours, no more often than this, for a task that may migrate (`cores`); by default
    /// none does.
    pub idle_pull: Option<At<Duration>>,
    /// Where a core's own memory lies: "none" (the default), or "page", in pages at home at the core;
    /// on boards where pages have homes.
    #[schemars(regex(pattern = "^(none|page)$"))]
    pub homing: Option<At<String>>,
}

/// A program with POSIX threads, for the library "posix": its `main` is called when the system starts.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PosixTable {
    /// Threads that there can be at a time, with the one that runs `main`; thread i runs on core i, and so on in turn.
    #[schemars(range(min = 1, max = 4096))]
    pub threads: At<i64>,
    /// Each thread's stack, a multiple of 16 bytes, 4KiB to 16MiB; by default 64KiB.
    pub stack: Option<At<Size>>,
    /// Memory for malloc and for files, a multiple of 4KiB, 64KiB to 512MiB; by default 16MiB.
    pub heap: Option<At<Size>>,
    /// A folder, relative to this file: what is in it the program finds at the root of its file system.
    pub files: Option<At<String>>,
    /// The arguments of `main` behind the program's name, which is the system's.
    #[serde(default)]
    pub arguments: Vec<At<String>>,
    /// Of all threads, 1 (highest) to 64; by default 32.
    #[schemars(range(min = 1, max = 64))]
    pub priority: Option<At<i64>>,
}

/// A task: periodic, sporadic, or with neither `period` nor `separation` aperiodic.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskTable {
    pub name: At<Name>,
    /// The C function of one job: void entry(intptr_t argument).
    #[schemars(regex(pattern = "^[A-Za-z_][A-Za-z0-9_]*$"), length(max = 63))]
    pub entry: At<String>,
    /// Handed to the entry; by default 0.
    pub argument: Option<At<i64>>,
    /// Periodic: the time from one release to the next.
    pub period: Option<At<Duration>>,
    /// Sporadic: the shortest time from one activation to the next.
    pub separation: Option<At<Duration>>,
    /// Periodic only: the first release, less than the period; by default 0ms.
    pub offset: Option<At<Duration>>,
    /// Longest time from the nominal release until the job is ready; by default 0us.
    pub jitter: Option<At<Duration>>,
    /// At most the period or separation, and by default equal to it.
    pub deadline: Option<At<Duration>>,
    /// Longest execution of one job, alone on its core; a periodic or sporadic task needs it, or a budget that stops it.
    pub wcet: Option<At<Duration>>,
    /// By default Polytakt chooses.
    #[schemars(range(min = 0, max = 127))]
    pub core: Option<At<i64>>,
    /// Aperiodic only, without a deadline: the cores that calls may move the task to, `core` (by default the first) among
    /// them; by default it stays where it is.
    #[schemars(length(min = 1))]
    pub cores: Option<At<Vec<At<i64>>>>,
    /// 1 (highest) to 64; by default Polytakt chooses.
    #[schemars(range(min = 1, max = 64))]
    pub priority: Option<At<i64>>,
    /// A multiple of 16 bytes, 1KiB to 512MiB; by default 8KiB.
    pub stack: Option<At<Size>>,
    /// Activations that may wait while a job runs; by default 1.
    #[schemars(range(min = 1, max = 255))]
    pub queue: Option<At<i64>>,
    /// Aperiodic only: activated when the system starts; by default false.
    pub start: Option<At<bool>>,
    /// Longest time that a job sleeps, delays or waits for signals, in all.
    pub suspends: Option<At<Duration>>,
    /// Longest execution that the kernel grants a job.
    pub budget: Option<At<Duration>>,
    /// What becomes of a job that executes longer than its budget: "stop" ends it; by default it is recorded: "report".
    #[schemars(regex(pattern = "^(report|stop)$"))]
    pub overrun: Option<At<String>>,
    /// Called when a job has executed longer than its budget, before it is stopped.
    pub overrun_handler: Option<At<HandlerTable>>,
    /// Called when the deadline has passed and the job has not ended.
    pub deadline_handler: Option<At<HandlerTable>>,
    /// Semaphores that the task shares or waits for, mutexes that it locks, and spin locks.
    #[serde(default)]
    pub uses: Vec<At<UseTable>>,
    /// How often a job sleeps, delays or waits for a signal at most; by default once for each signal that it uses, and once
    /// more.
    #[schemars(range(min = 1, max = 65535))]
    pub suspensions: Option<At<i64>>,
    /// Longest time for which the task locks the CPU; by default it may not.
    pub cpu_lock: Option<At<Duration>>,
    /// Longest execution for which the task disables dispatch; by default it may not.
    pub dispatch_disable: Option<At<Duration>>,
    /// What the task changes of others while it runs.
    #[serde(default)]
    pub controls: Vec<At<ControlTable>>,
    /// The kernel refuses the task nothing and measures nothing of it, so no task has a bound; by default false.
    pub unrestricted: Option<At<bool>>,
}

/// What a task changes of another, or of a cyclic handler, alarm or interrupt: one of the four.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ControlTable {
    pub task: Option<At<Name>>,
    /// Started or stopped from another core than its own.
    pub cyclic: Option<At<Name>>,
    /// The same.
    pub alarm: Option<At<Name>>,
    /// Delivered to another core.
    pub interrupt: Option<At<Name>>,
    /// What is done to the task: "observe", "terminate" (also its wait), "suspend" (and resume), "set_priority" or "migrate".
    #[schemars(regex(pattern = "^(observe|terminate|suspend|set_priority|migrate)$"))]
    pub action: Option<At<String>>,
    /// Shortest time from one call to the next; by default unknown, and tasks of the target's core have no bound.
    pub separation: Option<At<Duration>>,
}

/// A function that the kernel calls in interrupt context for a task.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HandlerTable {
    /// The C function, handed the task's ID: void function(intptr_t task).
    #[schemars(regex(pattern = "^[A-Za-z_][A-Za-z0-9_]*$"), length(max = 63))]
    pub function: At<String>,
    /// Longest execution of one call.
    pub wcet: At<Duration>,
}

/// A semaphore that a task shares or waits for, a mutex that it locks, or a spin lock: one of the three.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UseTable {
    pub semaphore: Option<At<Name>>,
    pub mutex: Option<At<Name>>,
    pub spin_lock: Option<At<Name>>,
    /// Longest execution between wait and signal, or lock and unlock; a spin lock needs it. Left out of a semaphore: the
    /// task waits for a signal; of a mutex: whom it delays has no bound.
    pub hold: Option<At<Duration>>,
    /// How often a job asks for it at most; by default once.
    #[schemars(range(min = 1, max = 65535))]
    pub times: Option<At<i64>>,
    /// Of a mutex: the mutexes, of `uses` of this task, that a job may hold when it locks this one. By default none.
    pub inside: Option<At<Vec<At<Name>>>>,
}

/// A counting semaphore.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SemaphoreTable {
    pub name: At<Name>,
    /// Count at the start; by default 0.
    #[schemars(range(min = 0, max = 4_294_967_295_i64))]
    pub initial: Option<At<i64>>,
    /// Highest count, at least 1; by default 255.
    #[schemars(range(min = 1, max = 4_294_967_295_i64))]
    pub maximum: Option<At<i64>>,
    /// In which order waiting tasks are served: "priority" or, by default, "fifo".
    #[schemars(regex(pattern = "^(fifo|priority)$"))]
    pub order: Option<At<String>>,
    /// Where it is at home, and with granularity = "core" whose lock guards it; by default a class's
    /// objects go round the cores.
    #[schemars(range(min = 0, max = 127))]
    pub core: Option<At<i64>>,
}

/// A mutex: one task at a time holds it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MutexTable {
    pub name: At<Name>,
    /// "ceiling": the holder has the highest priority of the users; "inherit": of those that wait; "none": its own, and no
    /// wait has a bound; all three for tasks of one core. "msrp": the holder keeps its core, and tasks of other cores spin.
    #[schemars(regex(pattern = "^(ceiling|inherit|msrp|none)$"))]
    pub protocol: At<String>,
    /// With "ceiling": the holder's priority; no user may have a higher one. By default the highest of the users.
    #[schemars(range(min = 1, max = 64))]
    pub ceiling: Option<At<i64>>,
    /// In which order waiting tasks are served: "fifo" or, by default, "priority". Not with "msrp", which is FIFO.
    #[schemars(regex(pattern = "^(fifo|priority)$"))]
    pub order: Option<At<String>>,
}

/// An event flag: 32 bits that tasks set and wait for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlagTable {
    pub name: At<Name>,
    /// The bits at the start; by default 0.
    #[schemars(range(min = 0, max = 4_294_967_295_i64))]
    pub initial: Option<At<i64>>,
    /// Whether each task that is woken clears all bits; by default false.
    pub clear: Option<At<bool>>,
    /// Whether several tasks may wait; by default false.
    pub shared: Option<At<bool>>,
    /// In which order waiting tasks are looked at: "priority" or, by default, "fifo".
    #[schemars(regex(pattern = "^(fifo|priority)$"))]
    pub order: Option<At<String>>,
    /// Where it is at home, and with granularity = "core" whose lock guards it; by default a class's
    /// objects go round the cores.
    #[schemars(range(min = 0, max = 127))]
    pub core: Option<At<i64>>,
}

/// A data queue: words from task to task.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataQueueTable {
    pub name: At<Name>,
    /// Words that wait for a receiver; 0: a sender waits for a receiver.
    #[schemars(range(min = 0, max = 65536))]
    pub capacity: At<i64>,
    /// In which order waiting senders are served: "priority" or, by default, "fifo".
    #[schemars(regex(pattern = "^(fifo|priority)$"))]
    pub order: Option<At<String>>,
    /// Where it is at home, and with granularity = "core" whose lock guards it; by default a class's
    /// objects go round the cores.
    #[schemars(range(min = 0, max = 127))]
    pub core: Option<At<i64>>,
}

/// A priority data queue: words from task to task, those of higher priority first.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PriorityDataQueueTable {
    pub name: At<Name>,
    /// Words that wait for a receiver.
    #[schemars(range(min = 1, max = 65536))]
    pub capacity: At<i64>,
    /// Words have a priority from 1, the highest, to this.
    #[schemars(range(min = 1, max = 64))]
    pub priorities: At<i64>,
    /// In which order waiting senders are served: "priority" or, by default, "fifo".
    #[schemars(regex(pattern = "^(fifo|priority)$"))]
    pub order: Option<At<String>>,
    /// Where it is at home, and with granularity = "core" whose lock guards it; by default a class's
    /// objects go round the cores.
    #[schemars(range(min = 0, max = 127))]
    pub core: Option<At<i64>>,
}

/// A barrier: tasks wait until all have come.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BarrierTable {
    pub name: At<Name>,
    /// How many have to come: 1 to the number of tasks.
    #[schemars(range(min = 1, max = 65535))]
    pub participants: At<i64>,
    /// Where it is at home, and with granularity = "core" whose lock guards it; by default a class's
    /// objects go round the cores.
    #[schemars(range(min = 0, max = 127))]
    pub core: Option<At<i64>>,
}

/// A lock of any number of tasks that read, or of one that writes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReaderWriterLockTable {
    pub name: At<Name>,
    /// In which order waiting tasks are served: "priority" or, by default, "fifo".
    #[schemars(regex(pattern = "^(fifo|priority)$"))]
    pub order: Option<At<String>>,
    /// Where it is at home, and with granularity = "core" whose lock guards it; by default a class's
    /// objects go round the cores.
    #[schemars(range(min = 0, max = 127))]
    pub core: Option<At<i64>>,
}

/// A spin lock of the application: of the kernel's kind, held with the CPU locked.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpinLockTable {
    pub name: At<Name>,
}

/// A message buffer: messages of any length from task to task.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageBufferTable {
    pub name: At<Name>,
    /// Longest message, 1B to 4KiB.
    pub message: At<Size>,
    /// Memory for messages that wait, a multiple of 8 bytes up to 1MiB: each takes its size, rounded up to 8 bytes, and 8
    /// bytes; 0B: a sender waits for a receiver.
    pub size: At<Size>,
    /// In which order waiting senders are served: "priority" or, by default, "fifo".
    #[schemars(regex(pattern = "^(fifo|priority)$"))]
    pub order: Option<At<String>>,
    /// Where it is at home, and with granularity = "core" whose lock guards it; by default a class's
    /// objects go round the cores.
    #[schemars(range(min = 0, max = 127))]
    pub core: Option<At<i64>>,
}

/// Blocks of memory of one size.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryPoolTable {
    pub name: At<Name>,
    /// How many: 1 to 65536.
    #[schemars(range(min = 1, max = 65536))]
    pub blocks: At<i64>,
    /// Of a block, 1B to 1MiB; each begins at a multiple of 64 bytes.
    pub size: At<Size>,
    /// In which order waiting tasks are served: "priority" or, by default, "fifo".
    #[schemars(regex(pattern = "^(fifo|priority)$"))]
    pub order: Option<At<String>>,
    /// Where it is at home, and with granularity = "core" whose lock guards it; by default a class's
    /// objects go round the cores.
    #[schemars(range(min = 0, max = 127))]
    pub core: Option<At<i64>>,
}

/// State that one task publishes and others read.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BufferTable {
    pub name: At<Name>,
    /// 1B to 1MiB.
    pub size: At<Size>,
    /// The task that writes.
    pub writer: At<Name>,
    /// The tasks that read.
    #[schemars(length(min = 1))]
    pub readers: At<Vec<At<Name>>>,
}

/// A handler that is called once a period, before every task of its core.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CyclicTable {
    pub name: At<Name>,
    /// The C function of one call, in interrupt context: void function(intptr_t argument).
    #[schemars(regex(pattern = "^[A-Za-z_][A-Za-z0-9_]*$"), length(max = 63))]
    pub function: At<String>,
    /// Handed to the function; by default 0.
    pub argument: Option<At<i64>>,
    /// Whose interrupt calls it.
    #[schemars(range(min = 0, max = 127))]
    pub core: At<i64>,
    /// The time from one call to the next.
    pub period: At<Duration>,
    /// From the start to the first call, less than the period; by default 0ms.
    pub offset: Option<At<Duration>>,
    /// Longest execution of one call, less than the period.
    pub wcet: At<Duration>,
    /// Started when the system starts; by default false.
    pub start: Option<At<bool>>,
}

/// A handler that is called once, when somebody has said.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AlarmTable {
    pub name: At<Name>,
    /// The C function of one call, in interrupt context: void function(intptr_t argument).
    #[schemars(regex(pattern = "^[A-Za-z_][A-Za-z0-9_]*$"), length(max = 63))]
    pub function: At<String>,
    /// Handed to the function; by default 0.
    pub argument: Option<At<i64>>,
    /// Whose interrupt calls it.
    #[schemars(range(min = 0, max = 127))]
    pub core: At<i64>,
    /// The kernel makes no call earlier than this after the last one. Left out: nothing limits how often, and nothing is
    /// proved of the core's tasks.
    pub separation: Option<At<Duration>>,
    /// Longest execution of one call, less than the separation.
    pub wcet: Option<At<Duration>>,
}

/// An interrupt of a device and its service routine.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InterruptTable {
    pub name: At<Name>,
    /// Path of the device in the device tree: its first interrupt.
    pub device: Option<At<String>>,
    /// Instead: the number of the interrupt controller's source, 1 to 1023.
    #[schemars(range(min = 1, max = 1023))]
    pub source: Option<At<i64>>,
    /// The C function of the service routine: void entry(intptr_t argument).
    #[schemars(regex(pattern = "^[A-Za-z_][A-Za-z0-9_]*$"), length(max = 63))]
    pub entry: At<String>,
    /// Handed to the entry; by default 0.
    pub argument: Option<At<i64>>,
    /// The core that it interrupts; by default 0.
    #[schemars(range(min = 0, max = 127))]
    pub core: Option<At<i64>>,
    /// 1 (highest) to 7, above all tasks.
    #[schemars(range(min = 1, max = 7))]
    pub priority: At<i64>,
    /// Whether it is enabled when the system starts; by default true.
    pub enabled: Option<At<bool>>,
    /// Shortest time from one interrupt to the next.
    pub separation: Option<At<Duration>>,
    /// Longest execution of the routine, alone on its core.
    pub wcet: Option<At<Duration>>,
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
    /// A board whose file says all that this one leaves out: its name, or the path of its file.
    #[allow(dead_code, reason = "followed before all else, in extends.rs")]
    pub extends: Option<At<String>>,
    pub board: BoardTable,
    #[schemars(length(min = 1))]
    pub memory: Vec<MemoryTable>,
    #[serde(default)]
    pub scratchpad: Vec<ScratchpadTable>,
    #[serde(default)]
    pub register: Vec<RegisterTable>,
    pub overheads: OverheadsTable,
    // What the modelled machine runs by: all of it, or none. Only [l2], [cluster] and [[kind]] may be left out.
    pub core: Option<CoreTable>,
    /// Each core's instruction cache.
    pub l1i: Option<CacheTable>,
    /// Each core's data cache.
    pub l1d: Option<CacheTable>,
    /// A cache of each core's own behind both; inclusive of [l1d].
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

/// What the machine is.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoardTable {
    pub name: At<Name>,
    #[schemars(range(min = 1, max = 128))]
    pub cores: At<i64>,
    /// What the root of the device tree says in `compatible`.
    #[schemars(regex(pattern = "^[A-Za-z0-9,._+-]+$"), length(max = 63))]
    pub compatible: At<String>,
    /// Physical address of the image, a multiple of 4 KiB.
    pub load: At<Address>,
    /// The cores' clock.
    pub frequency: Option<At<Rate>>,
    /// The rate at which `time` counts, at most the clock's.
    pub timebase: Option<At<Rate>>,
    /// Each core's `mhartid`; by default 0, 1, 2 and so on.
    pub hart_ids: Option<At<Vec<At<i64>>>>,
}

/// A region of RAM.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryTable {
    pub name: At<Name>,
    pub base: At<Address>,
    pub size: At<Size>,
    /// Whether caches keep it; by default they do.
    pub cached: Option<At<bool>>,
}

/// Memory of a core's own that no cache keeps: each of the cores has one at the same address.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScratchpadTable {
    pub name: At<Name>,
    /// Where a core reaches its own, a multiple of 4 KiB.
    pub base: At<Address>,
    /// Of each, a multiple of 4 KiB.
    pub size: At<Size>,
    /// Cycles in all of a load by its own core; at least 1.
    pub latency: At<i64>,
    /// Those that have one; by default all.
    pub cores: Option<At<Vec<At<i64>>>>,
    /// Where all reach core 0's, through the interconnect; by default nobody reaches another's.
    pub window: Option<At<Address>>,
    /// From one core's window to that of the next; by default the size.
    pub stride: Option<At<Size>>,
}

/// Words of 8 bytes that all cores reach as they reach devices.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterTable {
    pub name: At<Name>,
    /// A multiple of 8.
    pub base: At<Address>,
    /// Words, one behind the other; by default 1.
    #[schemars(range(min = 1, max = 4096))]
    pub count: Option<At<i64>>,
    /// "word": reads as written; "test_and_set": a read answers what it was and leaves 1.
    #[schemars(regex(pattern = "^(word|test_and_set)$"))]
    pub kind: At<String>,
    /// Whether a core goes on when its store was sent, rather than when it was answered; by default it does.
    pub posted: Option<At<bool>>,
}

/// What the kernel itself costs on this board, each at the longest.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OverheadsTable {
    /// Where the figures come from: "assumed", "measured" or "published".
    #[schemars(regex(pattern = "^(assumed|measured|published)$"))]
    pub source: At<String>,
    /// Of measured ones: for which timing and which kernel. takt calibrate writes it.
    #[schemars(regex(pattern = "^[0-9a-f]{16}-[0-9a-f]{16}$"))]
    pub stamp: Option<At<String>>,
    pub timer_interrupt: At<Duration>,
    pub ipi: At<Duration>,
    pub release: At<Duration>,
    pub dispatch: At<Duration>,
    pub preemption: At<Duration>,
    pub kernel_section: At<Duration>,
    /// Needed by systems with interrupts of devices.
    pub device_interrupt: Option<At<Duration>>,
    pub measured: Option<At<MeasuredTable>>,
    #[serde(default)]
    pub fewer: Vec<FewerTable>,
}

/// The same figures, measured with fewer cores: for systems that have no more than those. takt calibrate --cores writes them.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FewerTable {
    pub timer_interrupt: At<Duration>,
    pub ipi: At<Duration>,
    pub release: At<Duration>,
    pub dispatch: At<Duration>,
    pub preemption: At<Duration>,
    pub kernel_section: At<Duration>,
    /// Needed by systems with interrupts of devices.
    pub device_interrupt: Option<At<Duration>>,
    pub measured: At<MeasuredTable>,
}

/// The conditions under which the overheads were measured. takt calibrate writes them; a check compares a system with them.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeasuredTable {
    /// As a system's [kernel] has it: "tas", "ttas", "ticket", "mcs", "k42" or "relay".
    #[schemars(regex(pattern = "^(tas|ttas|ticket|mcs|k42|relay)$"))]
    pub spinlock: At<String>,
    /// By default "none".
    #[schemars(regex(pattern = "^(none|proportional|exponential)$"))]
    pub backoff: Option<At<String>>,
    #[schemars(regex(pattern = "^(giant|core|object)$"))]
    pub granularity: At<String>,
    /// By default "register".
    #[schemars(regex(pattern = "^(generic|fast|register)$"))]
    pub own_task: Option<At<String>>,
    /// By default "none".
    #[schemars(regex(pattern = "^(none|page)$"))]
    pub homing: Option<At<String>>,
    /// Cores of the system that was measured; by default the board's.
    #[schemars(range(min = 1, max = 128))]
    pub cores: Option<At<i64>>,
    /// Cores that used one lock of the kernel.
    #[schemars(range(min = 1, max = 128))]
    pub cores_per_lock: At<i64>,
    /// Timers that ran on each core at the same time.
    #[schemars(range(min = 0, max = 65535))]
    pub timers_per_core: At<i64>,
    /// Interrupts of devices that one core served.
    #[schemars(range(min = 0, max = 1023))]
    pub interrupt_sources: At<i64>,
    /// What the cores did to the memory meanwhile: "alone", "writers", "one_bank", "readers", "mix".
    #[schemars(length(min = 1))]
    pub load: At<Vec<At<String>>>,
    /// Paths of the kernel that were run meanwhile, beside those of tasks, semaphores and interrupts: "mutex", "budget" and so
    /// on, as docs/src/description.md lists them. Without the list nothing is proved.
    pub paths: Option<At<Vec<At<String>>>>,
}
