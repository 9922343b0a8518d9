// SPDX-License-Identifier: Apache-2.0
//! A described system: its tasks and handlers, their times, and the objects that they share.

use std::path::{Path, PathBuf};

use crate::word::words;
use crate::{Board, Bytes, Dataflow, Nanos, Placement};

/// The lowest priority; 1 is the highest.
pub const LOWEST_PRIORITY: u8 = 64;

/// A whole system, checked: names are unique, references resolve, ranges hold. The default is a system without tasks, cores and
/// board, from which tests make theirs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct System {
    /// The name, a C identifier. It also names the image and the build directory.
    pub name: String,
    pub board: Board,
    /// The number of cores that the system uses, at most the board's. Their numbers are 0 to `cores
    /// - 1`.
    pub cores: u32,
    /// The application's C files, as absolute paths.
    pub sources: Vec<PathBuf>,
    /// The application's include directories, as absolute paths.
    pub include: Vec<PathBuf>,
    /// Macros with which all sources are compiled: a name, or a name and its value behind `=`.
    pub defines: Vec<String>,
    /// Libraries of Polytakt that the application uses.
    pub libraries: Vec<Library>,
    /// The table `[posix]`, for a system with the library [`Library::Posix`].
    pub posix: Option<Posix>,
    /// The tables `[[team]]`, for a system with the library [`Library::Openmp`].
    pub openmp: Option<Openmp>,
    /// The graph, for a system with the library [`Library::Dataflow`].
    pub dataflow: Option<Dataflow>,
    /// The tables `[[channel]]`, for a system with the library [`Library::Messaging`].
    pub channels: Vec<Channel>,
    /// Machine time after which a run ends, unless the command line says otherwise.
    pub run_for: Option<Nanos>,
    pub kernel: Kernel,
    pub partitions: Vec<Partition>,
    /// The table `[regulation]`.
    pub regulation: Option<Regulation>,
    /// The tables `[[frame]]`, in the order of their cores, at most one for each.
    pub frames: Vec<Frame>,
    /// What the I/O schedule has to place.
    pub io: Io,
    /// The tasks in the order of the file. The ID of a task is its index + 1; the same holds for
    /// every class of objects.
    pub tasks: Vec<Task>,
    pub semaphores: Vec<Semaphore>,
    pub mutexes: Vec<Mutex>,
    pub flags: Vec<Flag>,
    pub data_queues: Vec<DataQueue>,
    pub priority_data_queues: Vec<PriorityDataQueue>,
    pub barriers: Vec<Barrier>,
    pub reader_writer_locks: Vec<ReaderWriterLock>,
    /// The names of the application's own spin locks.
    pub spin_locks: Vec<String>,
    pub message_buffers: Vec<MessageBuffer>,
    pub memory_pools: Vec<MemoryPool>,
    pub buffers: Vec<Buffer>,
    pub sampling_ports: Vec<SamplingPort>,
    pub queuing_ports: Vec<QueuingPort>,
    pub cyclics: Vec<Cyclic>,
    pub alarms: Vec<Alarm>,
    pub interrupts: Vec<Interrupt>,
    /// Pieces of the address space that the kernel maps for the application, and for libraries.
    pub device_regions: Vec<DeviceRegion>,
}

/// Whether the file is a source in C++.
pub fn is_cxx(source: &Path) -> bool {
    source.extension().is_some_and(|ending| ["cpp", "cc", "cxx"].iter().any(|it| ending == *it))
}

impl System {
    /// Whether a source of the application is in C++.
    pub fn has_cxx(&self) -> bool {
        self.sources.iter().any(|it| is_cxx(it))
    }

    /// The channel whose messages raise the task.
    pub fn raised_by(&self, task: usize) -> Option<&Channel> {
        self.channels.iter().find(|it| it.raises && it.receiver == task)
    }

    /// The index of the task that the words of a priority data queue raise.
    pub fn raised_task(&self, queue: usize) -> Option<usize> {
        let channel = self.channels.iter().find(|it| it.raises && it.first_queue == queue);
        channel.map(|it| it.receiver)
    }

    /// Whether tasks send each other messages through ports.
    pub fn has_ports(&self) -> bool {
        !(self.sampling_ports.is_empty() && self.queuing_ports.is_empty())
    }

    /// Whether any partition can be restarted.
    pub fn has_restarts(&self) -> bool {
        self.partitions.iter().any(|partition| partition.restarts > 0)
    }

    /// Whether bounds are claimed for any task. If so, a task has no other rights than those
    /// described.
    pub fn has_deadlines(&self) -> bool {
        self.tasks.iter().any(|task| task.deadline.is_some())
    }

    /// The core's budget of memory traffic, if it has one.
    pub fn memory_budget(&self, core: u32) -> Option<MemoryBudget> {
        self.regulation.as_ref()?.budgets[core as usize]
    }

    /// The core's frame, if its time is divided into windows.
    pub fn frame(&self, core: u32) -> Option<&Frame> {
        self.frames.iter().find(|frame| frame.core == core)
    }

    /// Whether tasks use the semaphore for mutual exclusion.
    pub fn excludes(&self, semaphore: usize) -> bool {
        let mut uses = self.tasks.iter().flat_map(|task| &task.uses);
        uses.any(|one| one.semaphore == semaphore && one.hold.is_some())
    }

    /// The core at which an object is at home, whose lock guards the object under
    /// [`Granularity::Core`]: the one that it names, or else the objects of a class are distributed
    /// over the cores in turn.
    pub fn home(&self, index: usize, core: Option<u32>) -> u32 {
        core.unwrap_or((index % self.cores.max(1) as usize) as u32)
    }
}

/// How many lines of memory cores may move in a period.
#[derive(Clone, Debug, PartialEq)]
pub struct Regulation {
    pub period: Nanos,
    /// By core; None: it is not regulated.
    pub budgets: Vec<Option<MemoryBudget>>,
    /// The most lines that interrupts and the kernel of one regulated core move in a period. None: unknown, so no task of a
    /// regulated core has a bound.
    pub kernel: Option<MemoryLines>,
}

/// Lines of 64 bytes that move between a core's own caches and what lies behind them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryLines {
    /// Lines that none of the core's own caches has, wherever they come from.
    pub reads: u32,
    /// Changed lines that leave the core's own caches.
    pub writes: u32,
}

/// The lines of 64 bytes that one core may move in a regulation period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryBudget {
    /// Lines that it reads from memory.
    pub reads: u32,
    /// Changed lines that leave its caches.
    pub writes: u32,
}

/// What a core does again and again: its windows, in which the tasks of one partition run.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    pub core: u32,
    /// The time after which the windows begin anew. The first frame begins at time 0.
    pub length: Nanos,
    /// In the order of time; none overlaps another or leaves the frame.
    pub windows: Vec<TimeWindow>,
}

impl Frame {
    /// The most windows of a frame.
    pub const MOST_WINDOWS: usize = 256;

    /// The times, from the frame's begin, at which a window opens, and those at which one closes and none opens; each with the
    /// partition whose window is open from then on. In the order of time.
    pub fn changes(&self) -> Vec<(Nanos, Option<usize>)> {
        let mut changes = Vec::new();
        let next = self.windows.iter().cycle().skip(1);
        for (window, next) in self.windows.iter().zip(next) {
            changes.push((window.offset, Some(window.partition)));
            let end = Nanos(window.end().0 % self.length.0);
            if end != next.offset {
                changes.push((end, None));
            }
        }
        changes.sort();
        changes
    }
}

/// A part of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeWindow {
    /// The index of the partition whose tasks run.
    pub partition: usize,
    /// When it opens, from the frame's begin.
    pub offset: Nanos,
    pub duration: Nanos,
}

impl TimeWindow {
    /// When it closes, from the frame's begin.
    pub fn end(&self) -> Nanos {
        Nanos(self.offset.0 + self.duration.0)
    }
}

/// What an I/O schedule gives offsets: transactions, and windows of frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Io {
    /// The devices of transactions, in the order in which they are first named.
    pub devices: Vec<String>,
    pub transactions: Vec<Transaction>,
    /// The windows of frames of which one has no offset or a period. These frames have no windows of their own until the schedule is there.
    pub windows: Vec<PeriodicWindow>,
}

/// The tables `[[transaction]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Transaction {
    pub name: String,
    pub input: Option<PhysicalIo>,
    /// The application's task.
    pub task: TransactionTask,
    pub output: Option<PhysicalIo>,
    /// The longest time from the begin of the first part to the end of the last.
    pub limit: Nanos,
}

/// What a device does by itself, and the task that moves its data.
#[derive(Clone, Debug, PartialEq)]
pub struct PhysicalIo {
    /// The index in [`Io::devices`].
    pub device: usize,
    pub duration: Nanos,
    /// When it begins in each period, if that is given.
    pub offset: Option<Nanos>,
    pub task: TransactionTask,
}

/// A task of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransactionTask {
    /// The index in [`System::tasks`].
    pub task: usize,
    /// Its offset, if that is given.
    pub offset: Option<Nanos>,
}

/// A window that opens again and again in the frame of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeriodicWindow {
    pub core: u32,
    /// The index of the partition whose tasks run.
    pub partition: usize,
    /// A divisor of the frame's length.
    pub period: Nanos,
    pub duration: Nanos,
    /// When it opens first, if that is given.
    pub offset: Option<Nanos>,
}

/// A library of Polytakt: a folder of `libraries/` that uses only the public API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// Objects and edges on a mesh of cores without shared memory.
    Dataflow,
    /// The names of uITRON 4.0 with the extensions of FMP.
    Itron,
    /// Channels, which carry messages to one task each.
    Messaging,
    /// OpenMP with teams of tasks.
    Openmp,
    /// POSIX threads, with a heap and files in memory.
    Posix,
}

impl Library {
    /// The folders of `libraries/` that the library consists of: its own, and those that it needs.
    pub fn folders(self) -> &'static [&'static str] {
        match self {
            Library::Dataflow => &["dataflow"],
            Library::Itron => &["itron"],
            Library::Messaging => &["messaging"],
            Library::Openmp => &["openmp", "atomic"],
            Library::Posix => &["posix", "ramfs", "heap", "atomic"],
        }
    }
}

/// A channel: messages from any tasks to one. Its queues are among those of the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    pub name: String,
    /// The index in [`System::tasks`] of the only task that receives.
    pub receiver: usize,
    /// The number of messages that can wait for the receiver, beside the one that it reads.
    pub messages: u32,
    /// The longest message.
    pub size: Bytes,
    /// The lowest priority of a message; 1 is the highest.
    pub priorities: u32,
    /// Whether a message raises the receiver to its own priority until it has been read. Of a receiver
    /// at most one channel does.
    pub raises: bool,
    /// The index in [`System::priority_data_queues`] of the queue of messages; that of free places
    /// follows it.
    pub first_queue: usize,
    /// The offset of the places in the window of the board's exchanges. None: the board has no
    /// exchange, and they lie in memory that all cores share.
    pub offset: Option<u64>,
}

impl Channel {
    /// The name of the device region in which the library finds the window of the exchanges.
    pub const REGION: &str = "takt_exchange";

    /// The number of places for messages: those that wait, and the one that is read.
    pub fn places(&self) -> u32 {
        self.messages + 1
    }

    /// The distance of two places: whole lines of 64 bytes.
    pub fn stride(&self) -> u64 {
        self.size.0.next_multiple_of(64)
    }
}

/// A program with POSIX threads. Its tasks and spin locks are among those of the system; here is
/// what they have in common, and what else the libraries need to know.
#[derive(Clone, Debug, PartialEq)]
pub struct Posix {
    /// The number of threads of the pool; thread `i` is the task `first_task + i`.
    pub threads: u32,
    /// The index of the first thread's task.
    pub first_task: usize,
    /// The index of the first of [`Posix::LOCKS`] spin locks that guard queues; the heap's lock
    /// follows them, and with [`Allocator::Scalable`] one for each core.
    pub first_lock: usize,
    pub stack: Bytes,
    pub heap: Bytes,
    pub allocator: Allocator,
    /// The absolute path of a folder whose files are in the file system at the start.
    pub files: Option<PathBuf>,
    /// The arguments of `main` that follow the program's name.
    pub arguments: Vec<String>,
}

impl Posix {
    pub const LOCKS: u32 = 64;
    /// The entry of each thread's task, which the library defines.
    pub const ENTRY: &str = "takt_posix_thread";
}

words! {
    /// How the heap divides its memory.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub enum Allocator {
        /// One two-level segregated fit, guarded by one lock.
        #[default]
        Tlsf "tlsf",
        /// One for each core.
        Scalable "scalable",
    }
}

/// The teams of a system with OpenMP. Their workers and the library's spin locks are among the system's.
#[derive(Clone, Debug, PartialEq)]
pub struct Openmp {
    pub teams: Vec<Team>,
    /// For each team, the stages of a job of its master; empty: they are not declared.
    pub stages: Vec<Vec<Stage>>,
    /// The names of the critical sections in all stages, each once; empty: the one without a name.
    pub criticals: Vec<String>,
    /// Index of the mutex of the first of these; the others' follow it.
    pub first_mutex: usize,
    pub settings: OpenmpSettings,
    /// Index of the first of [`Openmp::LOCKS`] spin locks that guard queues.
    pub first_lock: usize,
}

impl Openmp {
    pub const LOCKS: u32 = 16;
    /// The entry of each worker's task, a function of the library.
    pub const ENTRY: &str = "takt_openmp_worker";

    /// Returns whether there are teams and each declares its stages, so that tasks may have bounds.
    pub fn is_staged(&self) -> bool {
        !self.stages.is_empty() && self.stages.iter().all(|stages| !stages.is_empty())
    }

    /// Returns whether a mutex is that of a critical section.
    pub fn is_critical(&self, mutex: usize) -> bool {
        (self.first_mutex..self.first_mutex + self.criticals.len()).contains(&mutex)
    }

    /// Returns whether a task is a thread that blocks. As a worker it has a job for each region.
    pub fn blocks(&self, task: usize) -> bool {
        let mut threads = self.teams.iter().flatten();
        threads.any(|thread| thread.task == task && !thread.spins)
    }

    /// Index of the team into which the master of a team forks inside that team's regions.
    pub fn inner(&self, team: usize) -> Option<usize> {
        let master = self.teams[team][0].task;
        (team + 1..self.teams.len()).find(|&other| self.teams[other][0].task == master)
    }

    /// How many regions with several threads can be inside each other, at least 1.
    pub fn levels(&self) -> u32 {
        let mut levels: Vec<u32> = Vec::new();
        for (index, team) in self.teams.iter().enumerate() {
            // The last one: the task is thread 0 of its own teams after it is a worker of another.
            let is_around =
                |other: &usize| self.teams[*other].iter().any(|thread| thread.task == team[0].task);
            let around = (0..index).rev().find(is_around);
            levels.push(around.map_or(0, |other| levels[other]) + 1);
        }
        levels.into_iter().max().unwrap_or(1)
    }
}

/// What a task with OpenMP starts with.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenmpSettings {
    pub schedule: OmpSchedule,
    /// The size of a chunk; 0: the schedule's default.
    pub chunk: u32,
    /// The number of threads of a region; 0: the team's.
    pub threads: u32,
    pub dynamic: bool,
    /// The most regions with several threads inside each other.
    pub max_levels: u32,
}

/// The schedules of a loop, with the numbers that they have in OpenMP's API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OmpSchedule {
    Static = 1,
    Dynamic = 2,
    Guided = 3,
    Auto = 4,
}

/// The threads that a task forks into. The first is thread 0, the task itself.
pub type Team = Vec<TeamThread>;

/// One thread of a team.
#[derive(Clone, Debug, PartialEq)]
pub struct TeamThread {
    /// Index into [`System::tasks`].
    pub task: usize,
    /// Whether the thread waits by spinning. Then no other task can run on its core.
    pub spins: bool,
    /// The group in which the thread arrives at a join. Thread 0 is in group 0; each other thread
    /// is in the group of the thread before it or in the next group.
    pub group: u32,
}

/// What a job of a task that forks executes between two moments at which its threads meet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// The longest execution of the master alone, until it forks. None: the stage begins at a
    /// barrier, in the region of the stage before.
    pub serial: Option<Nanos>,
    /// The longest execution of one thread in the region. None: the job ends without one.
    pub strand: Option<Nanos>,
    /// The critical sections of each thread in the region, as uses of their mutexes.
    pub criticals: Vec<MutexUse>,
}

/// Registers or memory of a device, mapped where the symbol `takt_device_NAME` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceRegion {
    pub name: String,
    /// The first physical address.
    pub base: u64,
    /// The size; whole pages are mapped.
    pub size: Bytes,
}

/// The sizes of the kernel's own parts, and its choice of locks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kernel {
    /// The number of events that each core's ring keeps: 0 or a power of two.
    pub events: u32,
    /// The size of each core's trap stack.
    pub trap_stack: Bytes,
    /// The size of each core's idle stack.
    pub idle_stack: Bytes,
    /// The size of each core's console ring, a power of two.
    pub console: Bytes,
    /// The core whose idle loop sends the console's rings to the UART.
    pub console_core: u32,
    /// The function that is called on each core before time 0, and the one that is called on the
    /// last core at the end.
    pub start_hook: Option<String>,
    pub shutdown_hook: Option<String>,
    pub placement: Placement,
    pub locking: Locking,
    pub own_task: OwnTask,
    /// The shortest time between two requests of an idle core to its neighbours for a ready task.
    /// None: idle cores do not ask.
    pub idle_pull: Option<Nanos>,
    pub homing: Homing,
    /// Whether the kernel is compiled with the code of rights, budgets, and migration, though the
    /// description asks for nothing of it: in a calibration, whose figures hold for all systems.
    pub everything: bool,
}

/// How a task finds its own control block: the variants of `kernel/sched/own_task.h`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OwnTask {
    /// By a search for its core's number; the core's block names the running task.
    Generic,
    /// A register points to the core's block, which names the running task.
    Fast,
    /// A register points to the running task.
    #[default]
    Register,
}

/// The physical pages in which a core's own memory lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Homing {
    /// The pages follow the image without gaps.
    #[default]
    None,
    /// In pages whose home is the core's node, by [`Board::page_homes`].
    Page,
}

/// How the kernel guards the data that several cores write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Locking {
    pub granularity: Granularity,
    pub spinlock: Spinlock,
    /// The backoff, one of those that [`Spinlock::backoffs`] lists.
    pub backoff: Backoff,
}

/// What shares a lock of the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Granularity {
    /// Everything shares one lock.
    Giant,
    /// The tasks and objects of a core share one lock.
    Core,
    /// Each task and object has its own lock.
    #[default]
    Object,
}

/// An application whose tasks run in user mode, in memory of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    pub name: String,
    /// The partition's C files, as absolute paths.
    pub sources: Vec<PathBuf>,
    pub health: Health,
    /// The most restarts in a run; 0: the partition cannot be restarted.
    pub restarts: u32,
}

impl Partition {
    /// The greatest number of partitions of a system: each has 32 MiB of addresses of one GiB.
    pub const MOST: usize = 32;
    /// The most restarts of a partition that errors restart, where the description does not say it.
    pub const RESTARTS: u32 = 3;
}

/// What the kernel does about each error of a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Health {
    pub memory_violation: Reaction,
    pub stack_overflow: Reaction,
    pub illegal_request: Reaction,
    pub application_error: Reaction,
}

impl Health {
    /// The reactions, in the order of the kernel's errors.
    pub fn reactions(&self) -> [Reaction; 4] {
        [self.memory_violation, self.stack_overflow, self.illegal_request, self.application_error]
    }
}

impl Default for Health {
    fn default() -> Health {
        Health {
            memory_violation: Reaction::StopPartition,
            stack_overflow: Reaction::StopPartition,
            illegal_request: Reaction::StopPartition,
            application_error: Reaction::StopTask,
        }
    }
}

/// What is done about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// The job is ended.
    RestartTask,
    /// The job is ended, and the task has no further ones.
    StopTask,
    /// The tasks of the partition begin anew, with its variables as they are.
    RestartWarm,
    /// The tasks of the partition begin anew, and its variables have their initial values.
    RestartCold,
    /// All tasks of the partition are stopped.
    StopPartition,
    /// The run ends.
    Shutdown,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    pub name: String,
    /// The index in [`System::partitions`]; None: the task runs in supervisor mode.
    pub partition: Option<usize>,
    /// The C function of one job: `void entry(intptr_t argument)`.
    pub entry: String,
    pub argument: i64,
    pub activation: Activation,
    /// The deadline relative to the release, at most the period or separation. None: an aperiodic
    /// task without a deadline.
    pub deadline: Option<Nanos>,
    /// Longest execution of one job, alone on its core. None: unknown, so nothing is proved for
    /// this task and for those that it can delay.
    pub wcet: Option<Nanos>,
    /// The most lines that one job moves, alone on its core. None: unknown, so nothing is known of this task, and of those
    /// that it can delay, on a core with a budget of memory traffic.
    pub memory: Option<MemoryLines>,
    /// Longest time from the nominal release until the job is ready.
    pub jitter: Nanos,
    /// The described core; None: the analysis chooses.
    pub core: Option<u32>,
    /// All cores on which the task may run, including `core`, in ascending order. Empty: it stays
    /// on its core.
    pub cores: Vec<u32>,
    /// The described priority, 1 (highest) to 64. None: the analysis chooses.
    pub priority: Option<u8>,
    pub stack: Bytes,
    /// The number of activations that may wait while a job runs, 1 to 255.
    pub queue: u32,
    /// Whether the task is activated once when the system starts (aperiodic tasks; uITRON TA_ACT).
    pub start: bool,
    pub uses: Vec<Use>,
    /// The mutexes that the task locks. The kernel refuses it all others.
    pub mutexes: Vec<MutexUse>,
    /// The longest time for which one job sleeps, delays, or waits for a signal, in all. None: it
    /// does none of this.
    pub suspends: Option<Nanos>,
    /// The execution after which the kernel acts. None: the kernel does not limit the job.
    pub budget: Option<Budget>,
    /// A handler that is called with the task's ID when the deadline has passed and the job has not
    /// ended.
    pub deadline_handler: Option<Handler>,
    pub rights: Rights,
}

/// What a task may do to others while it runs. In a system with deadlines the kernel refuses
/// everything else, and measures what is declared here: [`System::limits`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rights {
    /// Whether the kernel refuses the task nothing and measures nothing of it, so that no task of
    /// the system has a bound.
    pub unrestricted: bool,
    /// Longest time from `takt_cpu_lock` to `takt_cpu_unlock`. None: the task must not lock the
    /// CPU.
    pub cpu_lock: Option<Nanos>,
    /// Longest execution from `takt_dispatch_disable` to `takt_dispatch_enable`. None: the task
    /// must not disable dispatch.
    pub dispatch_disable: Option<Nanos>,
    /// The greatest number of times that a job suspends itself. None: once for each signal that it
    /// uses, and once more.
    pub suspensions: Option<u32>,
    /// The greatest number of commands that a job gives under another placement than "distributed". None: nothing limits it.
    pub calls: Option<u32>,
    pub spin_locks: Vec<SpinLockUse>,
    pub controls: Vec<Control>,
}

/// A spin lock that a task acquires.
#[derive(Clone, Debug, PartialEq)]
pub struct SpinLockUse {
    /// The index in [`System::spin_locks`].
    pub spin_lock: usize,
    /// The longest time from the acquisition to the release.
    pub hold: Nanos,
    /// The greatest number of acquisitions of one job.
    pub times: u32,
}

/// An action of a task on another object at run time.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    pub target: Target,
    /// Shortest time from one call to the next. None: unknown, so no task of the target's cores has
    /// a bound.
    pub separation: Option<Nanos>,
}

/// The target of a control. Tasks, cyclic handlers, alarms and interrupts are given by their
/// indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Task(usize, Action),
    /// A cyclic handler that a task of another core starts and stops.
    Cyclic(usize),
    /// An alarm that a task of another core starts and stops.
    Alarm(usize),
    /// An interrupt that is delivered to another core.
    Interrupt(usize),
}

/// What is done to a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Its state is read: `takt_task_state`.
    Observe,
    /// Its job or its wait is ended: `takt_task_terminate`, `takt_task_release_wait`.
    Terminate,
    /// The task is suspended and resumed.
    Suspend,
    /// Its priority is changed.
    SetPriority,
    /// The task moves to another core.
    Migrate,
}

/// The execution limit of a job, and what happens to a job that exceeds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    pub time: Nanos,
    /// Whether the job is ended. If not, it goes on, and the overrun is only recorded.
    pub stops: bool,
    /// A handler that is called with the task's ID, before the job is ended.
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
    /// The kernel releases jobs at epoch + offset + k period.
    Periodic { period: Nanos, offset: Nanos },
    /// A call activates the task; the kernel holds back activations that come earlier than
    /// `separation` after the last one.
    Sporadic { separation: Nanos },
    /// A call activates the task at any time.
    Aperiodic,
}

/// The algorithm of the kernel's spin locks: `kernel/lock` has the ticket lock,
/// `bench/kernel/variants` the others.
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
    /// The backoffs that the algorithm supports.
    pub fn backoffs(self) -> &'static [Backoff] {
        match self {
            Self::Tas | Self::Ttas => &[Backoff::None, Backoff::Exponential],
            Self::Ticket => &[Backoff::None, Backoff::Proportional, Backoff::Exponential],
            Self::Mcs | Self::K42 | Self::Relay => &[Backoff::None],
        }
    }
}

/// How long a waiting core pauses between two looks at the lock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backoff {
    #[default]
    None,
    /// In proportion to the number of cores before it.
    Proportional,
    /// Twice as long each time, up to a limit.
    Exponential,
}

impl Task {
    /// Whether a job may suspend itself: sleep, or wait for something that no task holds.
    pub fn may_suspend(&self) -> bool {
        self.suspends.is_some() || self.uses.iter().any(|one| one.hold.is_none())
    }

    /// The greatest number of times that a job suspends itself.
    pub fn suspensions(&self) -> u32 {
        let signals = self.uses.iter().filter(|one| one.hold.is_none());
        let assumed = signals.fold(1, |sum: u32, one| sum.saturating_add(one.times));
        self.rights.suspensions.unwrap_or(assumed)
    }
}

/// A semaphore that a task shares or waits for.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// The index in [`System::semaphores`].
    pub semaphore: usize,
    /// The longest execution between wait and signal, if the task uses the semaphore for mutual
    /// exclusion. No other hold begins in between. None: the task waits for a signal, for a time
    /// that only [`Task::suspends`] can bound.
    pub hold: Option<Nanos>,
    /// The greatest number of requests of one job.
    pub times: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Semaphore {
    pub name: String,
    /// The index in [`System::partitions`] of the partition whose tasks may use the semaphore.
    pub partition: Option<usize>,
    pub initial: u32,
    pub maximum: u32,
    pub order: Order,
    /// The core at which the object is at home: see [`System::home`].
    pub core: Option<u32>,
}

/// A mutex that a task locks.
#[derive(Clone, Debug, PartialEq)]
pub struct MutexUse {
    /// The index in [`System::mutexes`].
    pub mutex: usize,
    /// The longest execution between lock and unlock. None: unknown, so the tasks that it can delay
    /// have no bound.
    pub hold: Option<Nanos>,
    /// The mutexes that the task may hold when it locks this one, ascending.
    pub inside: Vec<usize>,
    /// The greatest number of requests of one job.
    pub times: u32,
}

/// A mutex: one task at a time holds it, and a job that ends releases it.
#[derive(Clone, Debug, PartialEq)]
pub struct Mutex {
    pub name: String,
    pub protocol: Protocol,
    /// The order of waiting tasks; with [`Protocol::Msrp`] it is FIFO.
    pub order: Order,
    /// The priority of the holder with [`Protocol::Ceiling`]; no user has a higher one. None: the
    /// highest priority of the users.
    pub ceiling: Option<u8>,
}

/// How a mutex determines its holder's priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// The holder has the priority of the ceiling, which is at least the highest of the users. All
    /// users are on one core.
    Ceiling,
    /// The holder has the highest priority of the waiting tasks. All users are on one core.
    Inherit,
    /// The holder is not preempted; tasks of other cores spin.
    Msrp,
    /// The holder keeps its own priority, so nothing bounds a wait. All users are on one core.
    Plain,
}

/// An event flag: bits that tasks set and wait for.
#[derive(Clone, Debug, PartialEq)]
pub struct Flag {
    pub name: String,
    pub initial: u32,
    /// Whether a wake-up clears all bits (uITRON TA_CLR).
    pub clear: bool,
    /// Whether several tasks may wait (uITRON TA_WMUL).
    pub shared: bool,
    pub order: Order,
    /// The core at which the object is at home: see [`System::home`].
    pub core: Option<u32>,
}

/// A data queue: words from task to task, first in, first out.
#[derive(Clone, Debug, PartialEq)]
pub struct DataQueue {
    pub name: String,
    /// The number of words that can wait for a receiver; 0: a sender waits for a receiver.
    pub capacity: u32,
    /// The order of waiting senders; receivers wait in FIFO order.
    pub order: Order,
    /// The core at which the object is at home: see [`System::home`].
    pub core: Option<u32>,
}

/// A priority data queue: words from task to task, in the order of the priorities with which they
/// are sent, first in, first out among equal ones.
#[derive(Clone, Debug, PartialEq)]
pub struct PriorityDataQueue {
    pub name: String,
    /// The number of words that can wait for a receiver, at least 1.
    pub capacity: u32,
    /// The lowest priority of a word, at most [`LOWEST_PRIORITY`]; 1 is the highest.
    pub priorities: u32,
    /// The order of waiting senders; receivers wait in FIFO order.
    pub order: Order,
    /// The core at which the object is at home: see [`System::home`].
    pub core: Option<u32>,
}

/// A barrier: tasks wait until all participants have arrived.
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
    /// The size of the ring, a multiple of 8. 0: a sender waits for a receiver.
    pub size: Bytes,
    /// Longest message.
    pub message: Bytes,
    /// The order of waiting senders; receivers wait in FIFO order.
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
    /// The index of the writer in [`System::tasks`].
    pub writer: usize,
    /// The indices of the readers in [`System::tasks`]; each reader has a slot of its own.
    pub readers: Vec<usize>,
}

/// The latest message of a task, with its age: a single-writer buffer that notes when it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplingPort {
    /// The writer is the source, the readers are the destinations.
    pub buffer: Buffer,
    /// The age up to which a message is valid.
    pub refresh: Nanos,
}

/// Messages from a task to a task: a message buffer with one sender, which never waits, and one
/// receiver.
#[derive(Clone, Debug, PartialEq)]
pub struct QueuingPort {
    pub name: String,
    /// The index of the port's message buffer in [`System::message_buffers`].
    pub message_buffer: usize,
    /// The indices in [`System::tasks`].
    pub source: usize,
    pub destination: usize,
}

impl QueuingPort {
    /// What follows a port's name in that of its message buffer.
    pub const SUFFIX: &str = "_messages";
}

/// A cyclic handler: a function that the kernel calls once in each period, before every task of its
/// core.
#[derive(Clone, Debug, PartialEq)]
pub struct Cyclic {
    pub name: String,
    /// The C function of one call: `void function(intptr_t argument)`.
    pub function: String,
    pub argument: i64,
    pub core: u32,
    pub period: Nanos,
    /// The time from the start to the first call, less than the period.
    pub offset: Nanos,
    /// Longest execution of one call, less than the period.
    pub wcet: Nanos,
    /// Whether the handler is started with the system, at time 0.
    pub start: bool,
}

/// An alarm handler: a function that the kernel calls at the time with which a service starts it.
#[derive(Clone, Debug, PartialEq)]
pub struct Alarm {
    pub name: String,
    pub function: String,
    pub argument: i64,
    pub core: u32,
    /// The shortest time from one call to the next, which the kernel enforces. None: the number of
    /// calls is not limited, so nothing is proved for the core's tasks.
    pub separation: Option<Nanos>,
    /// Longest execution of one call, less than the separation. None: unknown, with the same
    /// consequence as a missing separation.
    pub wcet: Option<Nanos>,
}

/// The lowest priority of an interrupt; 1 is the highest.
pub const LOWEST_INTERRUPT: u8 = 7;

/// An interrupt of a device, and the service routine that answers it.
#[derive(Clone, Debug, PartialEq)]
pub struct Interrupt {
    pub name: String,
    pub origin: Origin,
    /// The C function: `void entry(intptr_t argument)`.
    pub entry: String,
    pub argument: i64,
    /// The core to which the interrupt is delivered when the system starts.
    pub core: u32,
    /// The priority, 1 (highest) to 7, above all tasks.
    pub priority: u8,
    /// Whether it is enabled when the system starts.
    pub enabled: bool,
    /// Shortest time from one interrupt to the next. None: unknown, so nothing is proved for its
    /// core.
    pub separation: Option<Nanos>,
    /// Longest execution of the service routine, alone on its core. None: unknown, so nothing is
    /// proved for its core.
    pub wcet: Option<Nanos>,
}

/// How the description identifies the interrupt.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The first interrupt of the device with this path in the device tree.
    Device(String),
    /// A source of the interrupt controller, 1 to 1023.
    Source(u32),
}

/// A task's core and priority, which the file or the analysis has chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assignment {
    pub core: u32,
    /// The priority, 1 (highest) to 64.
    pub priority: u8,
}

/// A fault that the build has found in a function of the application: the function's name, and the
/// sources that it concerns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryFault {
    /// No source defines it.
    Undefined(String),
    /// A source defines it as a static function.
    Static(String, String),
    /// The name is that of a variable.
    Data(String, String),
    /// Two sources define it.
    Twice(String, String, String),
    /// Its worker's image has no room in the scratchpad, of which so many bytes are left for it.
    TooLarge(String, u64),
}

impl EntryFault {
    pub fn entry(&self) -> &str {
        match self {
            EntryFault::Undefined(entry)
            | EntryFault::Static(entry, _)
            | EntryFault::Data(entry, _)
            | EntryFault::TooLarge(entry, _)
            | EntryFault::Twice(entry, ..) => entry,
        }
    }
}
