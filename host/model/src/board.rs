// SPDX-License-Identifier: Apache-2.0
//! A board: the machine that a system runs on.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Bytes, Homing, Locking, Nanos, OwnTask, Timing};

#[derive(Clone, Debug, PartialEq)]
pub struct Board {
    pub name: String,
    /// The file that it was read from; empty for a board that was read from text alone.
    pub file: PathBuf,
    /// Cores that the machine has, 1 to 128.
    pub cores: u32,
    /// What `mhartid` says on each core; as many as cores, none twice.
    pub hart_ids: Vec<u64>,
    /// What the device tree's root must say in `compatible`.
    pub compatible: String,
    /// RAM; regions do not overlap.
    pub memory: Vec<Memory>,
    /// Physical address at which the image is loaded, 4 KiB aligned, inside `memory`.
    pub load: u64,
    /// Memory of cores' own that no cache keeps.
    pub scratchpads: Vec<Scratchpad>,
    /// Words that all harts reach as they reach devices.
    pub registers: Vec<Register>,
    /// Those of a system with all cores; in a system's board, of one with its number of cores.
    pub overheads: Overheads,
    /// Those that were measured with fewer cores; each has its conditions.
    pub fewer_cores: Vec<Overheads>,
    /// What the modelled machine runs by; a board without it is a chip or QEMU only.
    pub timing: Option<Timing>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    pub name: String,
    pub base: u64,
    pub size: Bytes,
    /// Caches keep its lines. Where they do not, nothing is loaded or executed, and no page table lies.
    pub cached: bool,
}

/// A scratchpad in each of some cores, at one address; each core reaches its own there.
#[derive(Clone, Debug, PartialEq)]
pub struct Scratchpad {
    pub name: String,
    pub base: u64,
    /// Whole pages of 4 KiB.
    pub size: Bytes,
    /// Cycles of a load in all, at least 1.
    pub latency: u64,
    /// Those that have one.
    pub cores: Vec<u32>,
    /// Where everybody reaches them, through the interconnect.
    pub window: Option<ScratchpadWindow>,
}

/// Core c's scratchpad is at `base` + c times `stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScratchpadWindow {
    pub base: u64,
    /// At least the size.
    pub stride: Bytes,
}

/// Words of 8 bytes, one behind the other, 0 at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Register {
    pub name: String,
    /// A multiple of 8.
    pub base: u64,
    pub count: u32,
    pub kind: RegisterKind,
    /// A core goes on when its store was sent; else it waits until the word has it.
    pub posted: bool,
}

/// What every modelled machine has beside the board's memory: name, base and size of each. The same as the map of
/// the modelled platform's devices, which a test there compares.
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

/// Of a [`Register`]'s words.
pub const REGISTER_BYTES: u64 = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterKind {
    /// Reads as it was written.
    Word,
    /// A read takes it: answers what it was, and leaves 1.
    TestAndSet,
}

/// What the kernel itself costs on this board, each at the longest.
#[derive(Clone, Debug, PartialEq)]
pub struct Overheads {
    pub source: OverheadSource,
    /// Of measured ones: what they were measured with.
    pub stamp: Option<Stamp>,
    /// The conditions under which measured ones were measured. None: the file does not say.
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
    /// unknown, so nothing is proved of a core that has any.
    pub device_interrupt: Option<Nanos>,
}

impl Overheads {
    /// How much of the execution that the kernel measures of a job may be an interrupt's, at most: the
    /// way from the job to the kernel's reading of the clock, and from the next reading back.
    pub fn interruption_margin(&self) -> Nanos {
        let device = self.device_interrupt.unwrap_or(Nanos(0));
        self.timer_interrupt.max(self.ipi).max(device)
    }

    /// The same where the job gets the core from another task: the way from the kernel's reading of
    /// the clock to the job, and the interrupt that ends what it executes then.
    pub fn dispatch_margin(&self) -> Nanos {
        let switch = self.dispatch.max(self.preemption);
        Nanos(switch.0.saturating_add(self.interruption_margin().0))
    }
}

/// The conditions under which overheads were measured. They say nothing of a system in which one of these
/// is another, or exceeds the figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    pub locking: Locking,
    pub own_task: OwnTask,
    pub homing: Homing,
    /// Cores of the system that was measured: all of them loaded the memory.
    pub cores: u32,
    /// Cores that used one lock of the kernel.
    pub cores_per_lock: u32,
    /// Timers that ran on a core at the same time, on each core at least.
    pub timers_per_core: u32,
    /// Interrupts of devices that one core served.
    pub interrupt_sources: u32,
    /// What the cores did to the memory during the measurement: at least one, none twice.
    pub load: Vec<MemoryLoad>,
    /// Paths of the kernel that were run beside those of tasks, semaphores and interrupts, none twice. None: the file
    /// does not say.
    pub paths: Option<Vec<KernelPath>>,
}

/// A path of the kernel that a system takes only if it uses something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KernelPath {
    /// A mutex of one core: it is locked, waited for and handed over, priorities are lent.
    Mutex,
    /// A mutex is locked by the holder of another one.
    NestedMutex,
    /// A mutex of several cores.
    MsrpMutex,
    /// A job overruns: the handler is called, and the job ended.
    Budget,
    /// A job is late, and the handler is called.
    DeadlineHandler,
    /// A cyclic handler is called.
    Cyclic,
    /// An alarm is started, and its handler called.
    Alarm,
    /// One task that uses floating point follows another.
    FloatingPoint,
    /// A task ends the job of another.
    Terminate,
    CpuLock,
    DispatchDisable,
    SpinLock,
    Barrier,
    Flag,
    DataQueue,
    PriorityDataQueue,
    MessageBuffer,
    MemoryPool,
    ReaderWriterLock,
    Buffer,
    /// A task looks at another one's state.
    Observe,
    Suspend,
    SetPriority,
    /// A task moves to another core.
    Migration,
    /// A core that idles asks a neighbour for a task.
    IdlePull,
    /// An interrupt of a device is delivered to another core.
    InterruptMigration,
}

/// What the cores do to the memory while the kernel is measured.
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
    /// Some do the one, some the other.
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
    /// The overheads of a system with so many cores: those measured with the fewest cores that are enough.
    pub fn overheads_with(&self, cores: u32) -> &Overheads {
        let of = |overheads: &Overheads| overheads.measured.as_ref().map_or(0, |it| it.cores);
        let enough = self.fewer_cores.iter().filter(|overheads| of(overheads) >= cores);
        enough.min_by_key(|overheads| of(overheads)).unwrap_or(&self.overheads)
    }

    /// Changes with all that decides a time; None without a timing.
    pub fn timing_hash(&self) -> Option<String> {
        let timing = self.timing.as_ref()?;
        // What a board does not have must not change the hash that it had before boards could have it.
        let timing = format!("{timing:?}").replacen(", cluster: None", "", 1);
        let timing = timing.replacen(", kinds: []", "", 1);
        let mut text = format!("{} {:?} {timing}", self.cores, self.hart_ids);
        if !self.scratchpads.is_empty() || !self.registers.is_empty() {
            text += &format!(" {:?} {:?}", self.scratchpads, self.registers);
        }
        for memory in self.memory.iter().filter(|memory| !memory.cached) {
            text += &format!(" uncached {:#x} {:?}", memory.base, memory.size);
        }
        Some(hash(text.as_bytes()))
    }
}

/// FNV-1a, 64 bits, in hexadecimal: the same on every host.
pub fn hash(bytes: &[u8]) -> String {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

/// Where the figures of the kernel's overheads come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OverheadSource {
    /// Somebody chose them.
    Assumed,
    /// They were measured, on the modelled board or on the chip.
    Measured,
    /// A document of the kernel or the chip has them.
    Published,
}
