// SPDX-License-Identifier: Apache-2.0
//! A board: the machine that a system runs on.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bytes, Homing, Locking, Nanos, OwnTask, Placement, Timing, word::words};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Board {
    pub name: String,
    /// The path of the board's file; empty for a board that was read from text alone.
    pub file: PathBuf,
    /// The number of the machine's cores, 1 to 128.
    pub cores: u32,
    /// The value of `mhartid` on each core; there are as many as cores, and no two are equal.
    pub hart_ids: Vec<u64>,
    /// What of RISC-V the image may use.
    pub cpu: Cpu,
    /// A string that the device tree's root must have in `compatible`.
    pub compatible: String,
    /// The regions of RAM, which do not overlap.
    pub memory: Vec<Memory>,
    /// Physical address at which the image is loaded, 4 KiB aligned, inside `memory`.
    pub load: u64,
    /// The scratchpads: memory of single cores that no cache keeps.
    pub scratchpads: Vec<Scratchpad>,
    /// Words that all harts access in the way of device registers.
    pub registers: Vec<Register>,
    /// The cores without a kernel and the subnets between scratchpads; most boards have none.
    pub subnets: Subnets,
    /// The unit that has a kernel's tables in hardware; most boards have none.
    pub rtu: Option<Rtu>,
    /// The overheads of a system with all cores; in the board of a system, those for the system's
    /// number of cores.
    pub overheads: Overheads,
    /// The overheads that were measured with fewer cores, each with its conditions.
    pub fewer_cores: Vec<Overheads>,
    /// The overheads on a core whose second-level cache keeps all that the core touches, and of which nobody asks anything.
    /// None: nobody has measured them.
    pub resident: Option<Overheads>,
    /// The same where the core's own tasks and handlers ask something of each other. None: as `resident`.
    pub resident_requests: Option<Overheads>,
    /// The same where other cores activate its tasks. None: nobody has measured them.
    pub resident_between: Option<Overheads>,
    /// The overheads of the kernel's other placements, as far as they were measured.
    pub placed: Vec<PlacedOverheads>,
    /// The times of the steps of a dataflow graph's directors; None if they are not known: then no graph has a bound.
    pub dataflow_overheads: Option<DataflowOverheads>,
    /// The timing by which the modelled machine runs; None for a board that is only a chip or QEMU.
    pub timing: Option<Timing>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    pub name: String,
    pub base: u64,
    pub size: Bytes,
    /// Whether caches keep the region's lines. If not, no part of an image is loaded there and no
    /// page table lies there.
    pub cached: bool,
    /// The cores that can access the region, besides devices. None: all.
    pub cores: Option<Vec<u32>>,
}

/// What a board without shared memory has for its cores: who runs no kernel, and the subnets by
/// which cores reach each other. All ways are in cycles, at least 1, and each way is as long as the
/// way back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subnets {
    pub workers: Option<Workers>,
    pub scoreboard: Option<Scoreboard>,
    pub word_registers: Option<WordRegisters>,
    pub block_dma: Option<BlockDma>,
}

/// The longest that a director of the library `dataflow` takes for each of its steps. `docs/design/dataflow.md`,
/// section 4, says what each is for.
#[derive(Clone, Debug, PartialEq)]
pub struct DataflowOverheads {
    pub source: OverheadSource,
    /// The steps of the control core, whose code is behind caches.
    pub control: DirectorSteps,
    pub worker: DirectorSteps,
}

/// Steps of a director, in cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct DirectorSteps {
    /// From the command to go to the first object's activation.
    pub begin: u64,
    /// From an object's activation to its gathers or its execution, if all messages have come.
    pub activation: u64,
    /// From a message that the object waits for to its gathers or its execution.
    pub message: u64,
    /// Beside each transfer's own cycles: the engine's registers, and the poll that sees its end.
    pub transfer: u64,
    /// From the end of the execution to the answers.
    pub answer: u64,
    /// From the answers, or the end of the execution, to the transfers or the messages, if there is room.
    pub room: u64,
    /// From an answer that the object waits for to the transfers or the messages.
    pub answered: u64,
    /// From the end of the transfers to the messages.
    pub send: u64,
    /// From the last of these to the next object's activation.
    pub end: u64,
    /// From the last of these of the core that decides whether an iteration follows to the next object's activation
    /// on a core that waits for the decision.
    pub decision: u64,
}

impl DirectorSteps {
    /// The names and the figures, in the order of an object's steps.
    pub fn named(&self) -> [(&'static str, u64); 10] {
        [
            ("begin", self.begin),
            ("activation", self.activation),
            ("message", self.message),
            ("transfer", self.transfer),
            ("answer", self.answer),
            ("room", self.room),
            ("answered", self.answered),
            ("send", self.send),
            ("end", self.end),
            ("decision", self.decision),
        ]
    }
}

/// Cores that run no kernel. They are in no device tree, access only their scratchpad and the
/// subnets, and are held in reset until a store to their control register.
#[derive(Clone, Debug, PartialEq)]
pub struct Workers {
    /// The first worker; all cores from it on are workers.
    pub first: u32,
    /// The address of core 0's [`WORKER_CONTROL_BYTES`].
    pub control: u64,
    pub way: u64,
}

/// The object scoreboard of the control subnet.
#[derive(Clone, Debug, PartialEq)]
pub struct Scoreboard {
    pub base: u64,
    pub way: u64,
}

/// The words of the word subnet: word r of core c is at `base` + 8 `count` c + 8 r.
#[derive(Clone, Debug, PartialEq)]
pub struct WordRegisters {
    pub base: u64,
    pub count: u32,
    pub way: u64,
}

/// The engines of the data subnet.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockDma {
    pub base: u64,
    pub way: u64,
    /// From a command to its first packet, in cycles.
    pub setup: u64,
    /// The data of a packet.
    pub packet: Bytes,
}

/// The most cores that the scoreboard's entries have fields for.
pub const SCOREBOARD_CORES: u32 = 9;
/// The sizes in bytes of the scoreboard, of a block DMA engine, and of one worker's control.
pub const SCOREBOARD_BYTES: u64 = 0x50;
pub const BLOCK_DMA_BYTES: u64 = 0x30;
pub const WORKER_CONTROL_BYTES: u64 = 16;

/// A kernel's tables in hardware: tasks, semaphores, priority data queues and time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rtu {
    /// The address of the page for all, which the page of each hart follows.
    pub base: u64,
    /// The node of the interconnect that the unit is at.
    pub node: u32,
    /// The cycles of the cores' clock in one of the unit's.
    pub clock: u64,
    /// The entries of each table.
    pub tasks: u32,
    pub semaphores: u32,
    pub queues: u32,
    /// The places of each queue.
    pub messages: u32,
}

/// The size in bytes of each of the RTU's pages.
pub const RTU_PAGE: u64 = 0x1000;
/// The most harts that one RTU serves.
pub const RTU_HARTS: u32 = 16;

impl Rtu {
    /// The size of all pages of a machine with this many harts.
    pub fn size(harts: u32) -> u64 {
        RTU_PAGE * (1 + u64::from(harts))
    }
}

/// A scratchpad at one address, which each of some cores has for itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Scratchpad {
    pub name: String,
    pub base: u64,
    /// The size of each, a multiple of 4 KiB.
    pub size: Bytes,
    /// The total number of cycles of a load, at least 1.
    pub latency: u64,
    /// The cores that have such a scratchpad.
    pub cores: Vec<u32>,
    /// The window in which all cores reach these scratchpads through the interconnect.
    pub window: Option<ScratchpadWindow>,
}

/// A window of scratchpads: that of core c lies at `base` + c times `stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScratchpadWindow {
    pub base: u64,
    /// The distance of two scratchpads, at least their size.
    pub stride: Bytes,
}

/// An array of 8-byte words, which are 0 at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Register {
    pub name: String,
    /// The address of the first word, a multiple of 8.
    pub base: u64,
    pub count: u32,
    pub kind: RegisterKind,
    /// Whether a core goes on as soon as its store has been sent. Otherwise it waits until the word
    /// has been written.
    pub posted: bool,
}

/// The devices that every modelled machine has besides the board's memory: name, base and size of
/// each. A test of the modelled platform compares this list with the map of its devices.
pub const DEVICES: &[(&str, u64, u64)] = &[
    ("boot ROM", 0x1000, 0xf000),
    ("test finisher", 0x10_0000, 0x1000),
    ("MSWI", 0x200_0000, 0x4000),
    ("MTIMER", 0x200_4000, 0xc000),
    ("SSWI", 0x2f0_0000, 0x4000),
    ("PLIC", 0xc00_0000, 0x60_0000),
    ("UART", 0x1000_0000, 0x100),
    ("virtio devices", 0x1000_1000, 0x8000),
    ("DMA engine", 0x1020_0000, 0x1000),
];

/// The size of a [`Register`]'s word in bytes.
pub const REGISTER_BYTES: u64 = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterKind {
    /// A read returns what was written.
    Word,
    /// A read returns the value and sets the word to 1.
    TestAndSet,
}

/// The costs of the kernel on this board, each the longest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overheads {
    pub source: OverheadSource,
    /// For measured figures, the timing and the kernel that they were measured with.
    pub stamp: Option<Stamp>,
    /// The conditions under which the figures were measured. None: the file does not say.
    pub measured: Option<Measured>,
    /// Taking one timer interrupt and returning from it, without the releases.
    pub timer_interrupt: Nanos,
    /// Taking one inter-processor interrupt and returning from it, without what it asks for.
    pub ipi: Nanos,
    /// Making one task ready: a release, an activation, a wake-up.
    pub release: Nanos,
    /// Starting a job: choosing the task and switching to it.
    pub dispatch: Nanos,
    /// Saving a preempted task and resuming it later.
    pub preemption: Nanos,
    /// The kernel's longest section with interrupts disabled.
    pub kernel_section: Nanos,
    /// Taking one interrupt of a device and returning from it, without its service routine. None:
    /// unknown, so nothing is proved for a core that has such interrupts.
    pub device_interrupt: Option<Nanos>,
}

/// The costs of a kernel of another placement than "distributed". The figures of `overheads` contain no wait for the server or
/// the unit, but for the way of a read to the unit.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedOverheads {
    pub placement: Placement,
    pub overheads: Overheads,
    /// The longest service of one command by the server; zero where a unit serves.
    pub command: Nanos,
    /// The longest way of a command to the server or unit, and of the answer back.
    pub trip: Nanos,
}

impl Overheads {
    /// The longest part of a job's measured execution that an interrupt may have caused: from the
    /// job to the kernel's reading of the clock, and from the next reading back to the job.
    pub fn interruption_margin(&self) -> Nanos {
        let device = self.device_interrupt.unwrap_or(Nanos(0));
        self.timer_interrupt.max(self.ipi).max(device)
    }

    /// The longest such part if the job gets the core from another task: from the kernel's reading
    /// of the clock to the job, and the interrupt that ends the job's execution.
    pub fn dispatch_margin(&self) -> Nanos {
        let switch = self.dispatch.max(self.preemption);
        Nanos(switch.0.saturating_add(self.interruption_margin().0))
    }
}

/// The conditions under which overheads were measured. The figures say nothing about a system that
/// differs in a condition or exceeds a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    pub locking: Locking,
    pub own_task: OwnTask,
    pub homing: Homing,
    /// The number of cores of the measured system; all of them loaded the memory.
    pub cores: u32,
    /// The number of cores that used one lock of the kernel.
    pub cores_per_lock: u32,
    /// The least number of timers that ran on each core at the same time.
    pub timers_per_core: u32,
    /// The number of device interrupts that one core served.
    pub interrupt_sources: u32,
    /// The loads of the memory during the measurement: at least one, none twice.
    pub load: Vec<MemoryLoad>,
    /// The paths of the kernel that were run besides those of tasks, semaphores and interrupts;
    /// none twice. None: the file does not say.
    pub paths: Option<Vec<KernelPath>>,
}

words! {
    /// A path of the kernel that a system takes only if it uses a certain service.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum KernelPath {
        /// A mutex of one core is locked, waited for and handed over, and priorities are inherited.
        Mutex "mutex",
        /// A mutex is locked by the holder of another one.
        NestedMutex "nested_mutex",
        /// A mutex of several cores is used.
        MsrpMutex "msrp_mutex",
        /// A job overruns its budget: the handler is called, and the job is ended.
        Budget "budget",
        /// A job misses its deadline, and the handler is called.
        DeadlineHandler "deadline_handler",
        /// A cyclic handler is called.
        Cyclic "cyclic",
        /// An alarm is started, and its handler called.
        Alarm "alarm",
        /// One task that uses floating point follows another.
        FloatingPoint "floating_point",
        /// A task ends the job of another.
        Terminate "terminate",
        CpuLock "cpu_lock",
        DispatchDisable "dispatch_disable",
        SpinLock "spin_lock",
        Barrier "barrier",
        Flag "flag",
        DataQueue "data_queue",
        PriorityDataQueue "priority_data_queue",
        MessageBuffer "message_buffer",
        MemoryPool "memory_pool",
        ReaderWriterLock "reader_writer_lock",
        Buffer "buffer",
        /// On a resident core tasks and handlers activate, wake and signal tasks of this core, which wait with and without a
        /// timeout.
        LocalRequests "local_requests",
        /// On a resident core tasks activate tasks of other cores.
        RemoteActivations "remote_activations",
        /// A task looks at another one's state.
        Observe "observe",
        Suspend "suspend",
        SetPriority "set_priority",
        /// A task moves to another core.
        Migration "migration",
        /// An idle core asks a neighbour for a task.
        IdlePull "idle_pull",
        /// An interrupt of a device is delivered to another core.
        InterruptMigration "interrupt_migration",
        /// Tasks run in user mode and call the kernel from there.
        Partition "partition",
        /// Cores have budgets of memory traffic.
        Regulation "regulation",
    }
}

/// The load of the memory while the kernel is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryLoad {
    /// One core runs, and the others sleep.
    Alone,
    /// All cores store in streams, without waiting for the lines.
    Writers,
    /// All cores store into one bank of the memory, each into rows of its own.
    OneBank,
    /// All cores load in streams.
    Readers,
    /// Each core does one of these.
    Mix,
}

/// Hashes of a board's timing and of a kernel, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Stamp {
    /// The hash of the board's timing.
    pub timing: String,
    /// The hash of the kernel.
    pub kernel: String,
}

impl Board {
    /// The overheads for a system with this number of cores: those measured with the fewest cores
    /// that are not fewer than these.
    pub fn overheads_with(&self, cores: u32) -> &Overheads {
        let of = |overheads: &Overheads| overheads.measured.as_ref().map_or(0, |it| it.cores);
        let enough = self.fewer_cores.iter().filter(|overheads| of(overheads) >= cores);
        enough.min_by_key(|overheads| of(overheads)).unwrap_or(&self.overheads)
    }

    /// The overheads of a placement of the kernel, if they were measured.
    pub fn placed(&self, placement: Placement) -> Option<&PlacedOverheads> {
        self.placed.iter().find(|it| it.placement == placement)
    }

    /// The overheads on resident cores. `requests`: tasks or handlers ask something of others of their core. `between`: tasks
    /// activate those of other cores.
    pub fn resident_with(&self, requests: bool, between: bool) -> Option<&Overheads> {
        if between {
            return self.resident_between.as_ref();
        }
        let with_requests = self.resident_requests.as_ref().filter(|_| requests);
        with_requests.or(self.resident.as_ref())
    }

    /// The memory of each core that others reach through a bridge: the scratchpads `exchange`, which
    /// all cores have, and their window.
    pub fn exchange(&self) -> Option<(&Scratchpad, ScratchpadWindow)> {
        let mut pads = self.scratchpads.iter().filter(|pad| pad.name == "exchange");
        let pad = pads.find(|pad| pad.cores.len() == self.cores as usize)?;
        Some((pad, pad.window?))
    }

    /// The number of cores that can run the kernel, which are the first ones.
    pub fn kernel_cores(&self) -> u32 {
        self.subnets.workers.as_ref().map_or(self.cores, |workers| workers.first)
    }

    /// The hash of everything that determines a time; None without a timing.
    pub fn timing_hash(&self) -> Option<String> {
        let timing = self.timing.as_ref()?;
        // A part that boards could not have when their stamps were made must not change the hash of
        // a board without it.
        let timing = format!("{timing:?}").replacen(", cluster: None", "", 1);
        let timing = timing.replacen(", kinds: []", "", 1).replace(", overflow_skid: 1000", "");
        let timing = timing.replacen(", posts: 1 }", " }", 1).replacen(", beat: 1 }", " }", 1);
        let timing = timing.replacen(", device_links: false", "", 1);
        let mut text = format!("{} {:?} {timing}", self.cores, self.hart_ids);
        if !self.scratchpads.is_empty() || !self.registers.is_empty() {
            text += &format!(" {:?} {:?}", self.scratchpads, self.registers);
        }
        for memory in self.memory.iter().filter(|memory| !memory.cached) {
            text += &format!(" uncached {:#x} {:?}", memory.base, memory.size);
        }
        if self.subnets != Subnets::default() {
            text += &format!(" {:?}", self.subnets);
        }
        if let Some(rtu) = &self.rtu {
            text += &format!(" {rtu:?}");
        }
        Some(hash(text.as_bytes()))
    }
}

/// The 64-bit FNV-1a hash in hexadecimal, which is the same on every host.
pub fn hash(bytes: &[u8]) -> String {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

/// The instructions that an image is compiled for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cpu {
    /// RV64GC.
    #[default]
    Rv64gc,
    /// RV64GC with the extensions for addresses and bits.
    Rv64gcZbaZbb,
    /// The same with the extension for single bits.
    Rv64gcZbaZbbZbs,
}

/// Where the figures of the kernel's overheads come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OverheadSource {
    /// The figures are assumptions.
    #[default]
    Assumed,
    /// The figures were measured, on the modelled board or on the chip.
    Measured,
    /// The figures come from a document about the kernel or the chip.
    Published,
}
