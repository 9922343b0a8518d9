// SPDX-License-Identifier: Apache-2.0
//! A described system: what runs, when, and what it shares.

use std::path::PathBuf;

use crate::{Board, Bytes, Nanos};

/// Priorities are 1 (highest) to this.
pub const LOWEST_PRIORITY: u8 = 64;

/// A whole system, checked: names are unique, references resolve, ranges hold.
#[derive(Clone, Debug, PartialEq)]
pub struct System {
    /// A C identifier; names the image and the build directory.
    pub name: String,
    pub board: Board,
    /// Cores that the system uses, at most the board's. Core numbers are 0 to `cores - 1`.
    pub cores: u32,
    /// C files of the application, absolute.
    pub sources: Vec<PathBuf>,
    /// Include directories of the application, absolute.
    pub include: Vec<PathBuf>,
    /// Libraries of Polytakt that the application uses.
    pub libraries: Vec<Library>,
    /// Of a system with the library [`Library::Posix`].
    pub posix: Option<Posix>,
    /// Machine time after which a run ends, unless the command line says otherwise.
    pub run_for: Option<Nanos>,
    pub kernel: Kernel,
    /// In the order of the file; a task's ID is its index + 1. So for every class.
    pub tasks: Vec<Task>,
    pub semaphores: Vec<Semaphore>,
    pub mutexes: Vec<Mutex>,
    pub flags: Vec<Flag>,
    pub data_queues: Vec<DataQueue>,
    pub priority_data_queues: Vec<PriorityDataQueue>,
    pub barriers: Vec<Barrier>,
    pub reader_writer_locks: Vec<ReaderWriterLock>,
    /// The names of the application's own.
    pub spin_locks: Vec<String>,
    pub message_buffers: Vec<MessageBuffer>,
    pub memory_pools: Vec<MemoryPool>,
    pub buffers: Vec<Buffer>,
    pub cyclics: Vec<Cyclic>,
    pub alarms: Vec<Alarm>,
    pub interrupts: Vec<Interrupt>,
}

impl System {
    /// Whether bounds are claimed of any task: then tasks have no other rights than the described.
    pub fn has_deadlines(&self) -> bool {
        self.tasks.iter().any(|task| task.deadline.is_some())
    }

    /// Whether tasks hold counts of the semaphore for mutual exclusion.
    pub fn excludes(&self, semaphore: usize) -> bool {
        let mut uses = self.tasks.iter().flat_map(|task| &task.uses);
        uses.any(|one| one.semaphore == semaphore && one.hold.is_some())
    }

    /// The core where an object is at home, whose lock guards it under [`Granularity::Core`]: the
    /// one that it names, else the objects of a class go round the cores.
    pub fn home(&self, index: usize, core: Option<u32>) -> u32 {
        core.unwrap_or((index % self.cores.max(1) as usize) as u32)
    }
}

/// A library of Polytakt: a folder of `libraries/` that stands on the public API alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// The names of uITRON 4.0 with FMP's extensions.
    Itron,
    /// POSIX threads, with a heap and files in memory.
    Posix,
}

impl Library {
    /// The folders of `libraries/` that it consists of: its own, and those that it stands on.
    pub fn folders(self) -> &'static [&'static str] {
        match self {
            Library::Itron => &["itron"],
            Library::Posix => &["posix", "ramfs", "heap"],
        }
    }
}

/// A program with POSIX threads: what its tasks and spin locks, which are among the system's, have in
/// common, and what else the libraries need to know.
#[derive(Clone, Debug, PartialEq)]
pub struct Posix {
    /// Tasks of the pool; thread `i` is the task `first_task + i`.
    pub threads: u32,
    /// Index of the first thread's task.
    pub first_task: usize,
    /// Index of the first of [`Posix::LOCKS`] spin locks that guard queues; the heap's is behind them.
    pub first_lock: usize,
    pub stack: Bytes,
    pub heap: Bytes,
    /// A folder whose files are in the file system at the start, absolute.
    pub files: Option<PathBuf>,
    /// Of `main`, behind the program's name.
    pub arguments: Vec<String>,
}

impl Posix {
    pub const LOCKS: u32 = 64;
    /// The entry of each thread's task, which the library defines.
    pub const ENTRY: &str = "takt_posix_thread";
}

/// Sizes of the kernel's own parts, and how it locks.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Events that each core's ring keeps: 0 or a power of two.
    pub events: u32,
    /// Each core's trap stack.
    pub trap_stack: Bytes,
    /// Each core's idle stack.
    pub idle_stack: Bytes,
    /// Each core's console ring: a power of two.
    pub console: Bytes,
    /// The core whose idle loop sends the console's rings to the UART.
    pub console_core: u32,
    /// Functions that are called on each core before time 0, and on the last one at the end.
    pub start_hook: Option<String>,
    pub shutdown_hook: Option<String>,
    pub locking: Locking,
    pub own_task: OwnTask,
    /// A core that idles asks its neighbours for a ready task, no more often than this. None: never.
    pub idle_pull: Option<Nanos>,
    pub homing: Homing,
}

/// How a task learns its own ID: the ways of `kernel/sched/own_task.h`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OwnTask {
    /// Its core is searched by its number, and says who runs.
    Generic,
    /// A register of the core says which it is, and that says who runs.
    Fast,
    /// A register says which task it is.
    #[default]
    Register,
}

/// In which physical pages a core's own memory lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Homing {
    /// Behind the image, one after the other.
    #[default]
    None,
    /// In pages whose home is the core's node, by [`Board::page_homes`].
    Page,
}

/// How the kernel guards what several cores write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Locking {
    pub granularity: Granularity,
    pub spinlock: Spinlock,
    /// Only what [`Spinlock::backoffs`] has.
    pub backoff: Backoff,
}

/// What shares a lock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Granularity {
    /// Everything.
    Giant,
    /// The tasks and objects of a core.
    Core,
    /// Nothing: each task and object has its own.
    #[default]
    Object,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    pub name: String,
    /// The C function of one job: `void entry(intptr_t argument)`.
    pub entry: String,
    pub argument: i64,
    pub activation: Activation,
    /// At most the period or separation, and by default equal to it.
    /// None for an aperiodic task without one.
    pub deadline: Option<Nanos>,
    /// Longest execution of one job, alone on its core. None: unknown, so nothing is proved of
    /// this task nor of those that it can delay.
    pub wcet: Option<Nanos>,
    /// Longest time from the nominal release until the job is ready.
    pub jitter: Nanos,
    /// None: the analysis chooses.
    pub core: Option<u32>,
    /// All cores that it may run on, `core` among them, ascending. Empty: it stays where it is.
    pub cores: Vec<u32>,
    /// 1 (highest) to 64. None: the analysis chooses.
    pub priority: Option<u8>,
    pub stack: Bytes,
    /// Activations that may wait while a job runs, 1 to 255.
    pub queue: u32,
    /// Activated once when the system starts (aperiodic tasks; uITRON TA_ACT).
    pub start: bool,
    pub uses: Vec<Use>,
    /// The mutexes that it locks. The kernel refuses all others.
    pub mutexes: Vec<MutexUse>,
    /// Longest time that one job sleeps, delays, or waits for a signal, in all.
    /// None: it does none of this.
    pub suspends: Option<Nanos>,
    /// What a job may execute before the kernel acts. None: the kernel does not look.
    pub budget: Option<Budget>,
    /// Called with the task's ID when its deadline has passed and its job has not ended.
    pub deadline_handler: Option<Handler>,
    pub rights: Rights,
}

/// What a task may do to others than itself while it runs. In a system with deadlines the kernel
/// refuses what is not here, and measures what is: [`System::limits`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rights {
    /// The kernel refuses the task nothing and measures nothing of it, so no task of the system
    /// has a bound.
    pub unrestricted: bool,
    /// Longest time from `takt_cpu_lock` to `takt_cpu_unlock`. None: it may not.
    pub cpu_lock: Option<Nanos>,
    /// Longest execution from `takt_dispatch_disable` to `takt_dispatch_enable`. None: it may not.
    pub dispatch_disable: Option<Nanos>,
    /// How often a job suspends itself at most. None: once for each signal that it uses, and once
    /// more.
    pub suspensions: Option<u32>,
    pub spin_locks: Vec<SpinLockUse>,
    pub controls: Vec<Control>,
}

/// A spin lock that a task acquires.
#[derive(Clone, Debug, PartialEq)]
pub struct SpinLockUse {
    /// Index into [`System::spin_locks`].
    pub spin_lock: usize,
    /// Longest time from its acquisition to its release.
    pub hold: Nanos,
    /// Acquisitions of one job, at most.
    pub times: u32,
}

/// What a task changes of others at run time.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    pub target: Target,
    /// Shortest time from one call to the next. None: unknown, so no task of the target's cores
    /// has a bound.
    pub separation: Option<Nanos>,
}

/// What is changed. Tasks, cyclic handlers, alarms and interrupts by their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Task(usize, Action),
    /// Started and stopped by a task of another core.
    Cyclic(usize),
    /// The same.
    Alarm(usize),
    /// Delivered to another core.
    Interrupt(usize),
}

/// What is done to a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Its state is read: `takt_task_state`.
    Observe,
    /// Its job or its wait is ended: `takt_task_terminate`, `takt_task_release_wait`.
    Terminate,
    /// It is suspended and resumed.
    Suspend,
    /// It gets another priority.
    SetPriority,
    /// It moves to another core.
    Migrate,
}

/// How long a job may execute, and what happens to one that executes longer.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    pub time: Nanos,
    /// The job is ended; else it goes on, and the overrun is recorded only.
    pub stops: bool,
    /// Called with the task's ID, before the job is ended.
    pub handler: Option<Handler>,
}

/// A function that the kernel calls in interrupt context.
#[derive(Clone, Debug, PartialEq)]
pub struct Handler {
    pub function: String,
    /// Longest execution of one call.
    pub wcet: Nanos,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// Released by the kernel at epoch + offset + k period.
    Periodic { period: Nanos, offset: Nanos },
    /// Activated by a call, at least `separation` apart: the kernel holds back what comes earlier.
    Sporadic { separation: Nanos },
    /// Activated by a call, at any time.
    Aperiodic,
}

/// How a core waits for a lock: the algorithms of `kernel/spinlock_*.h`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spinlock {
    Tas,
    Ttas,
    #[default]
    Ticket,
    Mcs,
    K42,
    Relay,
}

impl Spinlock {
    /// The ways to wait that the algorithm has.
    pub fn backoffs(self) -> &'static [Backoff] {
        match self {
            Self::Tas | Self::Ttas => &[Backoff::None, Backoff::Exponential],
            Self::Ticket => &[Backoff::None, Backoff::Proportional, Backoff::Exponential],
            Self::Mcs | Self::K42 | Self::Relay => &[Backoff::None],
        }
    }
}

/// For how long a core that waits looks away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backoff {
    #[default]
    None,
    /// In proportion to the cores before it.
    Proportional,
    /// Twice as long each time, up to a limit.
    Exponential,
}

impl Task {
    /// Whether a job may suspend itself: sleep, or wait for what nobody holds.
    pub fn may_suspend(&self) -> bool {
        self.suspends.is_some() || self.uses.iter().any(|one| one.hold.is_none())
    }

    /// How often a job suspends itself at most.
    pub fn suspensions(&self) -> u32 {
        let signals = self.uses.iter().filter(|one| one.hold.is_none());
        let assumed = signals.fold(1, |sum: u32, one| sum.saturating_add(one.times));
        self.rights.suspensions.unwrap_or(assumed)
    }
}

/// A semaphore that a task shares or waits for.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// Index into [`System::semaphores`].
    pub semaphore: usize,
    /// Execution time between wait and signal, at the longest, when the task uses the semaphore
    /// for mutual exclusion; no other hold begins meanwhile. None: the task waits for a signal, for a time
    /// that only [`Task::suspends`] can bound.
    pub hold: Option<Nanos>,
    /// Requests of one job, at most.
    pub times: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Semaphore {
    pub name: String,
    pub initial: u32,
    pub maximum: u32,
    pub order: Order,
    /// Where it is at home: see [`System::home`].
    pub core: Option<u32>,
}

/// A mutex that a task locks.
#[derive(Clone, Debug, PartialEq)]
pub struct MutexUse {
    /// Index into [`System::mutexes`].
    pub mutex: usize,
    /// Execution time between lock and unlock, at the longest. None: unknown, so nobody whom it can
    /// delay has a bound.
    pub hold: Option<Nanos>,
    /// The mutexes that the task may hold when it locks this one, ascending.
    pub inside: Vec<usize>,
    /// Requests of one job, at most.
    pub times: u32,
}

/// What one task holds at a time, and no other: a job that ends gives it back.
#[derive(Clone, Debug, PartialEq)]
pub struct Mutex {
    pub name: String,
    pub protocol: Protocol,
    /// Of waiting tasks. [`Protocol::Msrp`]: FIFO.
    pub order: Order,
    /// Of [`Protocol::Ceiling`]: no user's priority is above it. None: the highest of theirs.
    pub ceiling: Option<u8>,
}

/// What a mutex does about its holder's priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// The holder has the ceiling's priority, the highest of the users or above; all are of one core.
    Ceiling,
    /// The holder has the highest priority of those that wait, all of one core.
    Inherit,
    /// The holder keeps its core; those of other cores spin for it.
    Msrp,
    /// The holder keeps its own priority, and nothing bounds a wait; all users are of one core.
    Plain,
}

/// Bits that tasks set and wait for.
#[derive(Clone, Debug, PartialEq)]
pub struct Flag {
    pub name: String,
    pub initial: u32,
    /// A wake-up clears all bits (uITRON TA_CLR).
    pub clear: bool,
    /// Several tasks may wait (TA_WMUL).
    pub shared: bool,
    pub order: Order,
    /// Where it is at home: see [`System::home`].
    pub core: Option<u32>,
}

/// Words from task to task, first in, first out.
#[derive(Clone, Debug, PartialEq)]
pub struct DataQueue {
    pub name: String,
    /// 0: a sender waits for a receiver.
    pub capacity: u32,
    /// Of waiting senders; receivers wait in FIFO order.
    pub order: Order,
    /// Where it is at home: see [`System::home`].
    pub core: Option<u32>,
}

/// Words from task to task, by the priority that each is sent with, first in, first out among equals.
#[derive(Clone, Debug, PartialEq)]
pub struct PriorityDataQueue {
    pub name: String,
    /// At least 1.
    pub capacity: u32,
    /// Words have 1, the highest, to this; at most [`LOWEST_PRIORITY`].
    pub priorities: u32,
    /// Of waiting senders; receivers wait in FIFO order.
    pub order: Order,
    /// Where it is at home: see [`System::home`].
    pub core: Option<u32>,
}

/// Tasks wait until all have come.
#[derive(Clone, Debug, PartialEq)]
pub struct Barrier {
    pub name: String,
    /// At least 1, at most the system's tasks.
    pub participants: u32,
    /// Where it is at home: see [`System::home`].
    pub core: Option<u32>,
}

/// Held by tasks that read, or by one that writes.
#[derive(Clone, Debug, PartialEq)]
pub struct ReaderWriterLock {
    pub name: String,
    pub order: Order,
    /// Where it is at home: see [`System::home`].
    pub core: Option<u32>,
}

/// Messages from task to task, copied.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageBuffer {
    pub name: String,
    /// Of the ring, a multiple of 8. 0: a sender waits for a receiver.
    pub size: Bytes,
    /// Longest message.
    pub message: Bytes,
    /// Of waiting senders; receivers wait in FIFO order.
    pub order: Order,
    /// Where it is at home: see [`System::home`].
    pub core: Option<u32>,
}

/// Blocks of memory of one size.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryPool {
    pub name: String,
    pub blocks: u32,
    pub size: Bytes,
    pub order: Order,
    /// Where it is at home: see [`System::home`].
    pub core: Option<u32>,
}

/// In which order waiting tasks are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Fifo,
    Priority,
}

/// A single-writer buffer: readers get the latest whole value, nobody ever waits.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    pub name: String,
    pub size: Bytes,
    /// Index into [`System::tasks`].
    pub writer: usize,
    /// Indices into [`System::tasks`]; each reader owns a slot.
    pub readers: Vec<usize>,
}

/// A function that the kernel calls once a period, before every task of its core.
#[derive(Clone, Debug, PartialEq)]
pub struct Cyclic {
    pub name: String,
    /// The C function of one call: `void function(intptr_t argument)`.
    pub function: String,
    pub argument: i64,
    pub core: u32,
    pub period: Nanos,
    /// From the start to the first call, less than the period.
    pub offset: Nanos,
    /// Longest execution of one call, less than the period.
    pub wcet: Nanos,
    /// Started with the system, at time 0.
    pub start: bool,
}

/// A function that the kernel calls when a call of a service says.
#[derive(Clone, Debug, PartialEq)]
pub struct Alarm {
    pub name: String,
    pub function: String,
    pub argument: i64,
    pub core: u32,
    /// The kernel calls it no earlier than this after the last call. None: nothing limits how
    /// often, so nothing is proved of the core's tasks.
    pub separation: Option<Nanos>,
    /// Less than the separation. None: unknown, as without a separation.
    pub wcet: Option<Nanos>,
}

/// Priorities of interrupts are 1 (highest) to this.
pub const LOWEST_INTERRUPT: u8 = 7;

/// An interrupt of a device, and the service routine that answers it.
#[derive(Clone, Debug, PartialEq)]
pub struct Interrupt {
    pub name: String,
    pub origin: Origin,
    /// The C function: `void entry(intptr_t argument)`.
    pub entry: String,
    pub argument: i64,
    /// Where it is delivered when the system starts.
    pub core: u32,
    /// 1 (highest) to 7, above all tasks.
    pub priority: u8,
    /// Whether it is enabled when the system starts.
    pub enabled: bool,
    /// Shortest time from one to the next. None: unknown, so nothing is proved of its core.
    pub separation: Option<Nanos>,
    /// Longest execution of the routine, alone on its core. None: as above.
    pub wcet: Option<Nanos>,
}

/// Which interrupt it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The first interrupt of the device with this path in the device tree.
    Device(String),
    /// A source of the interrupt controller, 1 to 1023.
    Source(u32),
}

/// Where a task runs and at which priority: what the analysis chose, or the file said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    pub core: u32,
    /// 1 (highest) to 64.
    pub priority: u8,
}

/// What the build may find out about a function of the application that the description names: its name, and the
/// sources that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryFault {
    /// No source defines it.
    Undefined(String),
    /// A source defines it for itself only.
    Static(String, String),
    /// It is a variable.
    Data(String, String),
    /// Two sources define it.
    Twice(String, String, String),
}

impl EntryFault {
    pub fn entry(&self) -> &str {
        match self {
            EntryFault::Undefined(entry)
            | EntryFault::Static(entry, _)
            | EntryFault::Data(entry, _)
            | EntryFault::Twice(entry, ..) => entry,
        }
    }
}
