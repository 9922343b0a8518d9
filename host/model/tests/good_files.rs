// SPDX-License-Identifier: Apache-2.0
//! Tests that valid descriptions are read with the written values and the defaults.

use std::path::{Path, PathBuf};

use takt_model::{
    Activation, Alarm, Backoff, BlockDma, Board, Budget, Buffer, Bytes, Cyclic, Granularity,
    Handler, Health, Homing, Kernel, KernelPath, Locking, Measured, Memory, MemoryBudget,
    MemoryLoad, Mutex, MutexUse, Nanos, OmpSchedule, Order, OverheadSource, OwnTask, Partition,
    PeriodicWindow, PhysicalIo, Placement, Protocol, Reaction, Register, RegisterKind, Regulation,
    Scoreboard, Scratchpad, ScratchpadWindow, Semaphore, Spinlock, Stage, Subnets, System, Task,
    TransactionTask, Use, WordRegisters, Workers,
    timing::{
        Atomics, Cache, Coherence, Core, Drain, Dram, Homes, Interconnect, Shape, Timing, Tlb,
    },
};

fn boards() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../boards")
}

/// Reads a system in a folder that also contains a source file `a.c`.
fn read(text: &str) -> System {
    let mut system = read_only(text);
    let [source] = &system.sources[..] else { panic!("{:?}", system.sources) };
    assert!(source.is_absolute() && source.ends_with("a.c"));
    system.sources.clear();
    system
}

/// Does as `read`, for a system whose sources are not `a.c`.
fn read_only(text: &str) -> System {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("system.toml");
    std::fs::write(folder.path().join("a.c"), "").unwrap();
    std::fs::write(&path, text).unwrap();
    System::read(&path, &[boards()]).unwrap_or_else(|e| panic!("{:?}", miette::Report::new(e)))
}

const SHORTEST: &str = "
format = 1
[system]
name = 'small'
board = 'virt'
sources = ['a.c']
[[task]]
name = 'a'
entry = 'a_step'
";

#[test]
fn what_is_left_out_has_defaults() {
    let system = read(SHORTEST);
    assert_eq!((system.name.as_str(), system.cores, system.run_for), ("small", 4, None));
    assert_eq!(
        system.kernel,
        Kernel {
            events: 256,
            trap_stack: Bytes(4096),
            idle_stack: Bytes(4096),
            console: Bytes(4096),
            console_core: 0,
            start_hook: None,
            shutdown_hook: None,
            placement: Placement::Distributed,
            locking: Default::default(),
            own_task: OwnTask::Register,
            idle_pull: None,
            everything: false,
            homing: Default::default(),
        }
    );
    assert_eq!(
        system.tasks,
        [Task {
            name: "a".into(),
            partition: None,
            entry: "a_step".into(),
            argument: 0,
            activation: Activation::Aperiodic,
            deadline: None,
            wcet: None,
            jitter: Nanos(0),
            core: None,
            cores: vec![],
            priority: None,
            stack: Bytes(8192),
            queue: 1,
            start: false,
            uses: vec![],
            mutexes: vec![],
            suspends: None,
            budget: None,
            memory: None,
            deadline_handler: None,
            rights: Default::default(),
        }]
    );
    assert!(system.semaphores.is_empty() && system.buffers.is_empty());
}

#[test]
fn partitions_alone_need_no_other_sources() {
    let system = read_only(
        "format = 1\n[system]\nname = 'small'\nboard = 'virt'\n[[partition]]\nname = 'p'\n\
         sources = ['a.c']\n[[task]]\nname = 'a'\npartition = 'p'\nentry = 'a_step'\n",
    );
    assert!(system.sources.is_empty());
    assert_eq!(system.partitions[0].health, Health::default());
    assert_eq!(system.partitions[0].restarts, 0);
    assert_eq!(system.tasks[0].partition, Some(0));
}

#[test]
fn partitions_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/diagnostics/good");
    let system = System::read(&folder.join("partition.toml"), &[boards()]).unwrap();
    let health = Health {
        memory_violation: Reaction::RestartTask,
        stack_overflow: Reaction::StopTask,
        illegal_request: Reaction::Shutdown,
        application_error: Reaction::StopPartition,
    };
    let [partition, sound] = &system.partitions[..] else { panic!("{:?}", system.partitions) };
    assert_eq!((partition.name.as_str(), partition.health), ("display", health));
    let health = Health {
        memory_violation: Reaction::RestartCold,
        stack_overflow: Reaction::RestartWarm,
        ..Health::default()
    };
    assert_eq!((sound.name.as_str(), sound.health), ("sound", health));
    assert_eq!((partition.restarts, sound.restarts), (10, Partition::RESTARTS));
    assert!(partition.sources[0].ends_with("application.c") && partition.sources[0].is_absolute());
    assert_eq!(system.tasks.iter().filter(|task| task.partition == Some(0)).count(), 1);
    assert_eq!(system.semaphores.last().unwrap().partition, Some(0));
}

/// Reads the file that has every key.
fn read_full() -> System {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/diagnostics/good");
    System::read(&folder.join("every_key.toml"), &[boards()]).unwrap()
}

#[test]
fn every_key_is_read() {
    let system = read_full();
    assert_eq!((system.cores, system.run_for), (2, Some(Nanos(120_000_000_000))));
    assert_eq!(system.include.len(), 1);
    assert_eq!(
        system.kernel,
        Kernel {
            events: 0,
            trap_stack: Bytes(8192),
            idle_stack: Bytes(5120),
            console: Bytes(256),
            console_core: 1,
            start_hook: Some("begin".into()),
            shutdown_hook: Some("end".into()),
            placement: Placement::Distributed,
            locking: Locking {
                granularity: Granularity::Core,
                spinlock: Spinlock::Ttas,
                backoff: Backoff::Exponential,
            },
            own_task: OwnTask::Fast,
            idle_pull: Some(Nanos(250_000)),
            everything: false,
            homing: Homing::Page,
        }
    );
    let budget = MemoryBudget { reads: 1, writes: 1_000_000 };
    let regulation =
        Regulation { period: Nanos(150_000), budgets: vec![None, Some(budget)], kernel: None };
    assert_eq!(system.regulation, Some(regulation));
    assert_eq!(
        system.tasks[0],
        Task {
            name: "hold".into(),
            partition: None,
            entry: "step".into(),
            argument: -5,
            activation: Activation::Periodic {
                period: Nanos(20_000_000),
                offset: Nanos(19_999_999)
            },
            deadline: Some(Nanos(10_000_000)),
            wcet: Some(Nanos(100_000)),
            jitter: Nanos(1000),
            core: Some(1),
            cores: vec![],
            priority: Some(64),
            stack: Bytes(1040),
            queue: 255,
            start: false,
            uses: vec![
                Use { semaphore: 0, hold: Some(Nanos(100_000)), times: 1 },
                Use { semaphore: 1, hold: None, times: 1 },
            ],
            mutexes: vec![
                MutexUse { mutex: 0, hold: Some(Nanos(1000)), times: 1, inside: vec![] },
                MutexUse { mutex: 1, hold: None, times: 1, inside: vec![] },
            ],
            suspends: Some(Nanos(2_000_000)),
            budget: Some(Budget {
                time: Nanos(120_000),
                stops: true,
                handler: Some(Handler { function: "too_long".into(), wcet: Nanos(2_000) }),
            }),
            memory: None,
            deadline_handler: Some(Handler { function: "too_late".into(), wcet: Nanos(3_000) }),
            rights: Default::default(),
        }
    );
    assert_eq!(
        system.semaphores,
        [
            Semaphore {
                partition: None,
                name: "sensors".into(),
                initial: 1,
                maximum: 1,
                order: Order::Priority,
                core: Some(1)
            },
            Semaphore {
                partition: None,
                name: "go".into(),
                initial: 0,
                maximum: 255,
                order: Order::Fifo,
                core: None
            },
        ]
    );
    assert_eq!(
        system.mutexes,
        [
            Mutex {
                name: "state".into(),
                protocol: Protocol::Inherit,
                order: Order::Fifo,
                ceiling: None
            },
            Mutex {
                name: "bus".into(),
                protocol: Protocol::Msrp,
                order: Order::Fifo,
                ceiling: None
            },
            Mutex {
                name: "log".into(),
                protocol: Protocol::Ceiling,
                order: Order::Priority,
                ceiling: None
            },
        ]
    );
    let buffer = Buffer { name: "airspeed".into(), size: Bytes(8), writer: 1, readers: vec![2, 0] };
    assert_eq!(system.buffers, [buffer]);
    let cyclic = Cyclic {
        name: "sampler".into(),
        function: "sample".into(),
        argument: -1,
        core: 1,
        period: Nanos(1_000_000),
        offset: Nanos(500_000),
        wcet: Nanos(10_000),
        start: true,
    };
    assert_eq!(system.cyclics, [cyclic]);
    let alarm = Alarm {
        name: "give_up".into(),
        function: "sample".into(),
        argument: 7,
        core: 1,
        separation: Some(Nanos(1_000_000)),
        wcet: Some(Nanos(5_000)),
    };
    assert_eq!(system.alarms, [alarm]);
}

#[test]
fn a_deadline_is_by_default_the_period_or_separation() {
    let system = read_full();
    let sporadic = &system.tasks[1];
    assert_eq!(sporadic.activation, Activation::Sporadic { separation: Nanos(5_000_000) });
    assert_eq!(sporadic.deadline, Some(Nanos(5_000_000)));
    assert!(system.tasks[2].start);
}

#[test]
fn a_board_can_be_a_path() {
    let path = boards().join("virt1.toml").canonicalize().unwrap();
    let system = read(&SHORTEST.replace("virt", path.to_str().unwrap()));
    assert_eq!((system.cores, system.board.name.as_str()), (1, "virt1"));
}

#[test]
fn a_board_is_read() {
    let board = Board::read(&boards().join("virt.toml")).unwrap();
    assert_eq!((board.name.as_str(), board.cores, board.load), ("virt", 4, 0x8040_0000));
    assert_eq!(board.compatible, "riscv-virtio");
    let (name, base, size) = ("ram".into(), 0x8000_0000, Bytes(128 << 20));
    let ram = Memory { name, base, size, cached: true, cores: None };
    assert_eq!(board.memory, [ram]);
    assert_eq!(board.overheads.source, OverheadSource::Assumed);
    assert_eq!(board.overheads.dispatch, Nanos(1000));
}

#[test]
fn the_conditions_of_measured_overheads_are_read() {
    let text = std::fs::read_to_string(boards().join("virt.toml")).unwrap();
    let read = |keys: &str| {
        let (begin, end) = text.split_once("[overheads]\nsource          = \"assumed\"").unwrap();
        let (table, end) = end.split_once("\n[core]").unwrap();
        let text = format!(
            "{begin}[overheads]\nsource = \"measured\"{table}\n[overheads.measured]\n{keys}[core]{end}"
        );
        let board = Board::from_bytes(Path::new("a/mine.toml"), text.into_bytes()).unwrap();
        assert_eq!(board.file, Path::new("a/mine.toml"));
        board.overheads.measured.unwrap()
    };
    let least = "spinlock = \"mcs\"\ngranularity = \"core\"\ncores_per_lock = 3\n\
                 timers_per_core = 0\ninterrupt_sources = 2\nload = [\"alone\"]\n";
    let locking =
        Locking { granularity: Granularity::Core, spinlock: Spinlock::Mcs, backoff: Backoff::None };
    let expected = Measured {
        locking,
        own_task: OwnTask::Register,
        homing: Homing::None,
        cores: 4,
        cores_per_lock: 3,
        timers_per_core: 0,
        interrupt_sources: 2,
        load: vec![MemoryLoad::Alone],
        paths: None,
    };
    assert_eq!(read(least), expected);
    let more = least.replace("\"alone\"", "\"mix\", \"one_bank\", \"readers\", \"writers\"")
        + "backoff = \"exponential\"\nown_task = \"fast\"\nhoming = \"page\"\n\
           paths = [\"budget\", \"mutex\"]\n";
    let expected = Measured {
        locking: Locking { backoff: Backoff::Exponential, ..locking },
        own_task: OwnTask::Fast,
        homing: Homing::Page,
        load: vec![MemoryLoad::Mix, MemoryLoad::OneBank, MemoryLoad::Readers, MemoryLoad::Writers],
        paths: Some(vec![KernelPath::Budget, KernelPath::Mutex]),
        ..expected
    };
    assert_eq!(read(&more), expected);
}

/// The board `virt` with overheads measured with 4 cores, with 1 and with 2, which the release
/// times distinguish.
fn measured_with_fewer() -> String {
    let text = std::fs::read_to_string(boards().join("virt.toml")).unwrap();
    let (begin, end) = text.split_once("[overheads]").unwrap();
    let (_, end) = end.split_once("\n[core]").unwrap();
    let table = |header: &str, release: u32, conditions: &str, cores: &str| {
        format!(
            "[{header}]\ntimer_interrupt = '1us'\nipi = '1us'\nrelease = '{release}us'\ndispatch = '1us'\n\
             preemption = '1us'\nkernel_section = '1us'\n{conditions}\nspinlock = 'ticket'\n\
             granularity = 'object'\n{cores}cores_per_lock = 1\ntimers_per_core = 0\n\
             interrupt_sources = 0\nload = ['alone']\n"
        )
    };
    let source = "source = 'measured'\n[overheads.measured]";
    let fewer =
        |release, cores| table("[overheads.fewer]", release, "[overheads.fewer.measured]", cores);
    let all =
        table("overheads", 40, source, "") + &fewer(10, "cores = 1\n") + &fewer(20, "cores = 2\n");
    format!("{begin}{all}[core]{end}")
}

#[test]
fn a_system_has_the_overheads_of_the_fewest_cores_that_are_enough() {
    let board = Board::from_bytes(Path::new("mine.toml"), measured_with_fewer().into()).unwrap();
    let cores = |overheads: &takt_model::Overheads| overheads.measured.as_ref().unwrap().cores;
    assert_eq!(cores(&board.overheads), 4);
    assert_eq!(board.fewer_cores.iter().map(cores).collect::<Vec<_>>(), [1, 2]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("system.toml");
    std::fs::write(folder.path().join("a.c"), "").unwrap();
    for (with, release) in [(1, 10), (2, 20), (3, 40), (4, 40)] {
        let text = SHORTEST.replace("name = 'small'", &format!("name = 'small'\ncores = {with}"));
        std::fs::write(&path, text).unwrap();
        let system = System::read_on(&path, &board).unwrap();
        assert_eq!(system.board.overheads.release, Nanos(release * 1000), "{with} cores");
        assert_eq!(system.board.overheads.source, OverheadSource::Measured);
    }
}

#[test]
fn an_unknown_or_repeated_path_of_the_kernel_is_refused_at_its_word() {
    let refused = |paths: &str| {
        let conditions = format!("load = ['alone']\npaths = {paths}\n");
        let text = measured_with_fewer().replacen("load = ['alone']\n", &conditions, 1);
        assert!(text.contains(paths), "{text}");
        let problems = Board::from_bytes(Path::new("mine.toml"), text.into()).unwrap_err();
        format!("{:?}", miette::Report::new(problems))
    };
    let shown = refused("[\"mutx\"]");
    assert!(shown.contains("`paths` has no such value") && shown.contains("mutex"), "{shown}");
    let shown = refused("[\"mutex\", \"flag\", \"mutex\"]");
    assert!(shown.contains("`paths` has \"mutex\" twice"), "{shown}");
}

#[test]
fn two_tables_of_overheads_for_as_many_cores_are_refused() {
    let text = measured_with_fewer().replace("cores = 2\n", "cores = 1\n");
    let problems = Board::from_bytes(Path::new("mine.toml"), text.into()).unwrap_err();
    let shown = format!("{:?}", miette::Report::new(problems));
    assert!(shown.contains("two tables `[[overheads.fewer]]` have cores = 1"), "{shown}");
}

#[test]
fn every_board_of_the_repository_is_good_and_called_like_its_file() {
    let files: Vec<_> = boards().read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 8);
    for path in files {
        let board = Board::read(&path).unwrap();
        assert!(board.timing.is_some(), "{} has no timing", board.name);
        assert_eq!(Some(board.name.as_str()), path.file_stem().unwrap().to_str());
    }
}

#[test]
fn a_board_that_extends_another_says_the_difference_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("slow.toml");
    let text = "format = 1\nextends = \"tile72\"\n[board]\nname = \"slow\"\n[l2]\nhit = 90\n\
                [[memory]]\nname = \"more\"\nbase = \"0x100000000\"\nsize = \"1GiB\"\n";
    std::fs::write(&path, text).unwrap();
    let slow = Board::read_with(&path, &[boards()]).unwrap();
    let mut tile72 = Board::read(&boards().join("tile72.toml")).unwrap();
    tile72.timing.as_mut().unwrap().l2.as_mut().unwrap().hit = 90;
    assert_eq!(slow.timing, tile72.timing);
    assert_eq!((slow.name.as_str(), slow.cores), ("slow", 72));
    let names: Vec<_> = slow.memory.iter().map(|memory| memory.name.as_str()).collect();
    assert_eq!(names, ["more", "ram"]);
    assert_eq!(slow.overheads, tile72.overheads);
}

#[test]
fn a_board_without_shared_memory_has_workers_and_subnets() {
    let board = Board::read(&boards().join("iota9.toml")).unwrap();
    let subnets = Subnets {
        workers: Some(Workers { first: 1, control: 0x6000_3000, way: 2 }),
        scoreboard: Some(Scoreboard { base: 0x6000_0000, way: 2 }),
        word_registers: Some(WordRegisters { base: 0x6000_1000, count: 32, way: 2 }),
        block_dma: Some(BlockDma { base: 0x6000_2000, way: 1, setup: 16, packet: Bytes(128) }),
    };
    assert_eq!((board.cores, board.kernel_cores(), &board.subnets), (9, 1, &subnets));
    assert_eq!(board.memory[0].cores.as_deref(), Some(&[0][..]));
    assert_eq!(Board::read(&boards().join("virt.toml")).unwrap().kernel_cores(), 4);
    // Whatever the subnets take is in the hash.
    let mut slower = board.clone();
    slower.subnets.scoreboard.as_mut().unwrap().way = 3;
    assert_ne!(slower.timing_hash(), board.timing_hash());
}

#[test]
fn a_system_has_the_cores_that_run_a_kernel() {
    assert_eq!(read(&SHORTEST.replace("virt", "iota9")).cores, 1);
}

/// A nonsensical board with every key, and with each word that the boards of the repository do not
/// use.
const BUS: &str = "
format = 1
devices = { register = 30, interrupt = 31 }
l1i = { size = '128B', ways = 2, hit = 0 }
l1d = { size = '512B', ways = 2, hit = 1, index = ['0x1040', '0x80'] }
tlb = { entries = 4, level = 2 }
[board]
name = 'bus'
cores = 3
compatible = 'riscv-virtio'
load = '0x80000000'
frequency = '1.5GHz'
timebase = '32.768kHz'
hart_ids = [0, 4094, 7]
[[memory]]
name = 'ram'
base = '0x80000000'
size = '4KiB'
[overheads]
source = 'measured'
timer_interrupt = '1ns'
ipi = '1ns'
release = '1ns'
dispatch = '1ns'
preemption = '1ns'
kernel_section = '1ns'
[core]
multiply = 1
divide = 2
float_add = 3
float_multiply = 4
float_fused = 5
float_divide = 6
float_root = 7
float_move = 8
system = 9
load_use = 10
taken_branch = 11
trap = 12
wake = 13
overflow_skid = 0
store_buffer = 0
drain = 'fifo'
reservation = 16
prefetch = 8
mshrs = 34
atomics = 'home'
[coherence]
homes = 'nodes'
interleave = '1GiB'
nodes = [2, 0]
directory = 1
service = 3
atomic = 5
snoop = 0
write_backs = 7
[interconnect]
shape = 'bus'
nodes = 3
cores_per_node = 2
hop = 1
local = 4
width = 7
[dram]
nodes = [1]
interleave = '64B'
banks = []
row = '2KiB'
row_hit = 20
row_closed = 20
row_conflict = 20
burst = 1
refresh = 0
refresh_time = 0
queue = 9
";

#[test]
fn every_key_of_a_timing_is_read() {
    let board = Board::from_bytes(Path::new("bus.toml"), BUS.into()).unwrap_or_else(|problems| {
        panic!("{:?}", miette::Report::new(problems));
    });
    assert_eq!(board.hart_ids, [0, 4094, 7]);
    let core = Core {
        multiply: 1,
        divide: 2,
        float_add: 3,
        float_multiply: 4,
        float_fused: 5,
        float_divide: 6,
        float_root: 7,
        float_move: 8,
        system: 9,
        load_use: 10,
        taken_branch: 11,
        trap: 12,
        wake: 13,
        overflow_skid: 0,
        store_buffer: 0,
        drain: Drain::Fifo,
        reservation: 16,
        prefetch: 8,
        mshrs: 34,
        atomics: Atomics::Home,
    };
    let timing = Timing {
        frequency: 1_500_000_000,
        timebase: 32_768,
        core,
        l1i: Cache { size: 128, ways: 2, hit: 0, index: vec![] },
        l1d: Cache { size: 512, ways: 2, hit: 1, index: vec![0x1040, 0x80] },
        l2: None,
        cluster: None,
        kinds: vec![],
        tlb: Tlb { entries: 4, level: 2 },
        coherence: Coherence {
            homes: Homes::Nodes { interleave: 1 << 30, nodes: vec![2, 0] },
            directory: 1,
            service: 3,
            atomic: 5,
            snoop: 0,
            write_backs: 7,
            cache: None,
        },
        interconnect: Interconnect {
            shape: Shape::Bus { nodes: 3 },
            cores_per_node: 2,
            hop: 1,
            local: 4,
            width: 7,
            beat: 1,
            posts: 1,
        },
        dram: Dram {
            nodes: vec![1],
            interleave: 64,
            banks: vec![],
            row: 2048,
            row_hit: 20,
            row_closed: 20,
            row_conflict: 20,
            burst: 1,
            refresh: 0,
            refresh_time: 0,
            queue: 9,
        },
        device: 30,
        interrupt: 31,
        device_links: false,
    };
    assert_eq!(board.timing, Some(timing));
}

/// The default is 33: one for loads, fetches and stores, and four times `prefetch`.
#[test]
fn queues_have_lengths_by_default() {
    let text =
        BUS.replace("mshrs = 34", "").replace("write_backs = 7", "").replace("queue = 9", "");
    let board = Board::from_bytes(Path::new("bus.toml"), text.into()).unwrap_or_else(|problems| {
        panic!("{:?}", miette::Report::new(problems));
    });
    let Timing { core, coherence, dram, .. } = board.timing.expect("a timing");
    assert_eq!((core.mshrs, coherence.write_backs, dram.queue), (33, 32, 64));
}

/// Each table of a kind replaces the board's own; other values of a kind are the board's.
#[test]
fn kinds_of_cores_are_read() {
    let text = format!(
        "{BUS}
[[kind]]
name = 'large'
cores = [2]
[kind.l1i]
size = '1KiB'
ways = 4
hit = 2
[kind.l2]
size = '4KiB'
ways = 8
hit = 3
[[kind]]
name = 'like_all'
cores = [1]
[kind.tlb]
entries = 9
level = 8
"
    );
    let plain = Board::from_bytes(Path::new("bus.toml"), BUS.into()).unwrap();
    let board = Board::from_bytes(Path::new("bus.toml"), text.into()).unwrap_or_else(|problems| {
        panic!("{:?}", miette::Report::new(problems));
    });
    assert_ne!(board.timing_hash(), plain.timing_hash());
    let (plain, timing) = (plain.timing.unwrap(), board.timing.unwrap());
    let names: Vec<_> = timing.kinds.iter().map(|kind| (kind.name.as_str(), &kind.cores)).collect();
    assert_eq!(names, [("large", &vec![2]), ("like_all", &vec![1])]);
    assert_eq!((timing.of_core(0), timing.kind_of(0)), (plain.clone(), None));
    let large = Timing {
        l1i: Cache { size: 1024, ways: 4, hit: 2, index: vec![] },
        l2: Some(Cache { size: 4096, ways: 8, hit: 3, index: vec![] }),
        ..plain.clone()
    };
    assert_eq!(timing.of_core(2), large);
    assert_eq!(timing.of_core(1), Timing { tlb: Tlb { entries: 9, level: 8 }, ..plain });
}

#[test]
fn scratchpads_and_registers_are_read() {
    let text = format!(
        "{BUS}
[[scratchpad]]
name = 'own'
base = '0x10000'
size = '8KiB'
latency = 1
[[scratchpad]]
name = 'seen'
base = '0x20000'
size = '4KiB'
latency = 5
cores = [2, 0]
window = '0x30000'
stride = '1MiB'
[[register]]
name = 'flag'
base = '0x40000'
kind = 'word'
[[register]]
name = 'locks'
base = '0x40008'
count = 3
kind = 'test_and_set'
"
    );
    let board = Board::from_bytes(Path::new("bus.toml"), text.into_bytes()).unwrap_or_else(|it| {
        panic!("{:?}", miette::Report::new(it));
    });
    let window = ScratchpadWindow { base: 0x3_0000, stride: Bytes(1 << 20) };
    let scratchpad = |name: &str, base, size, latency, cores, window| Scratchpad {
        name: name.to_string(),
        base,
        size: Bytes(size),
        latency,
        cores,
        window,
    };
    assert_eq!(
        board.scratchpads,
        [
            scratchpad("own", 0x1_0000, 8192, 1, vec![0, 1, 2], None),
            scratchpad("seen", 0x2_0000, 4096, 5, vec![2, 0], Some(window)),
        ]
    );
    let register = |name: &str, base, count, kind| Register {
        name: name.to_string(),
        base,
        count,
        kind,
        posted: true,
    };
    assert_eq!(
        board.registers,
        [
            register("flag", 0x4_0000, 1, RegisterKind::Word),
            register("locks", 0x4_0008, 3, RegisterKind::TestAndSet),
        ]
    );
    // The kinds are part of the stamp; the stamp of a board without kinds did not change when kinds
    // were introduced.
    let small = Board::read(&boards().join("../tests/calibrate/small.toml")).unwrap();
    assert_eq!(small.timing_hash(), small.overheads.stamp.map(|stamp| stamp.timing));
    let mut other = board.clone();
    other.scratchpads[0].latency = 2;
    assert_ne!(board.timing_hash(), other.timing_hash());
}

#[test]
fn a_board_without_timing_has_hart_ids_still() {
    let text = BUS.split("[core]").next().unwrap();
    let kept = |line: &&str| {
        !["devices", "l1", "tlb", "frequency", "timebase", "hart_ids"]
            .iter()
            .any(|key| line.starts_with(key))
    };
    let text: Vec<_> = text.lines().filter(kept).collect();
    let board = Board::from_bytes(Path::new("bus.toml"), text.join("\n").into_bytes()).unwrap();
    assert_eq!((board.hart_ids, board.timing), (vec![0, 1, 2], None));
}

#[test]
fn the_other_words_are_read() {
    for (from, to, shape) in [
        ("'bus'\nnodes = 3", "'ring'\nnodes = 3", Shape::Ring { nodes: 3 }),
        ("'bus'\nnodes = 3", "'full'\nnodes = 256", Shape::Full { nodes: 256 }),
        ("'bus'\nnodes = 3", "'mesh'\ncolumns = 1\nrows = 3", Shape::Mesh { columns: 1, rows: 3 }),
    ] {
        let text = BUS.replace(&format!("shape = {from}"), &format!("shape = {to}"));
        let board = Board::from_bytes(Path::new("bus.toml"), text.into_bytes()).unwrap();
        assert_eq!(board.timing.unwrap().interconnect.shape, shape);
    }
}

#[test]
fn interrupts_are_read() {
    use takt_model::{Interrupt, Origin};
    let expected = [
        Interrupt {
            name: "received".into(),
            origin: Origin::Device("/soc/serial@10000000".into()),
            entry: "on_received".into(),
            argument: -3,
            core: 1,
            priority: 2,
            enabled: false,
            separation: Some(Nanos(100_000)),
            wcet: Some(Nanos(5_000)),
        },
        Interrupt {
            name: "sent".into(),
            origin: Origin::Source(16),
            entry: "on_sent".into(),
            argument: 0,
            core: 0,
            priority: 7,
            enabled: true,
            separation: None,
            wcet: None,
        },
    ];
    assert_eq!(read_full().interrupts, expected);
}

/// The default is 4 KiB, and 2 KiB for each priority.
#[test]
fn trap_stacks_grow_with_the_priorities_of_interrupts() {
    let interrupt = |name: &str, source: u32, priority: u8| {
        format!(
            "[[interrupt]]\nname = '{name}'\nsource = {source}\nentry = 'f'\npriority = {priority}\n"
        )
    };
    let text = |list: &[String]| SHORTEST.to_string() + &list.concat();
    let two = [interrupt("a", 1, 3), interrupt("b", 2, 3), interrupt("c", 3, 5)];
    assert_eq!(read(&text(&two)).kernel.trap_stack, Bytes(8 << 10));
}

/// A worker, and a task with a second team, fork inside the regions of a team.
#[test]
fn teams_are_inside_each_other() {
    let text = r#"
        format = 1
        [system]
        name = "nested"
        board = "xeon40"
        sources = ["a.c"]
        libraries = ["openmp"]
        [openmp]
        schedule = "guided,7"
        num_threads = 5
        dynamic = true
        max_active_levels = 2
        [[task]]
        name = "outer"
        entry = "outer"
        core = 0
        priority = 9
        [[team]]
        task = "outer"
        threads = 3
        [[team]]
        task = "outer_2"
        cores = [10, 11]
        [[team]]
        task = "outer"
        cores = [20]
        [[team]]
        task = "outer_2_1"
        cores = [12]
    "#;
    let system = read(text);
    let openmp = system.openmp.as_ref().unwrap();
    let names: Vec<_> = system.tasks.iter().map(|it| it.name.as_str()).collect();
    let all = ["outer", "outer_1", "outer_2", "outer_2_1", "outer_2_2", "outer_3", "outer_2_1_1"];
    assert_eq!(names, all);
    assert_eq!([0, 1, 2, 3].map(|team| openmp.inner(team)), [Some(2), None, None, None]);
    assert_eq!(openmp.levels(), 3);
    let it = &openmp.settings;
    assert_eq!((it.schedule, it.chunk, it.threads), (OmpSchedule::Guided, 7, 5));
    assert_eq!((it.dynamic, it.max_levels), (true, 2));
}

/// The threads of a team are the task and new ones behind it; they join by the node of their cores.
#[test]
fn a_team_becomes_tasks() {
    let text = r#"
        format = 1
        [system]
        name = "teams"
        board = "xeon40"
        sources = ["a.c"]
        libraries = ["openmp"]
        [[task]]
        name = "other"
        entry = "other"
        core = 3
        priority = 9
        [[task]]
        name = "wide"
        entry = "wide"
        core = 18
        priority = 4
        [[team]]
        task = "wide"
        threads = 13
        wait = "spin"
        block = [30]
        [[team]]
        task = "other"
        cores = [12, 11]
    "#;
    let system = read(text);
    let openmp = system.openmp.as_ref().unwrap();
    let wide = &openmp.teams[0];
    let task = |number: usize| &system.tasks[wide[number].task];
    assert_eq!((wide.len(), wide[0].task, wide[1].task), (13, 1, 2));
    assert_eq!((task(2).name.as_str(), task(2).core, task(2).argument), ("wide_2", Some(20), 2));
    assert!(wide.iter().all(|it| it.spins == (system.tasks[it.task].core != Some(30))));
    assert!((1..13).all(|number| task(number).start == wide[number].spins));
    let groups: Vec<_> = wide.iter().map(|it| it.group).collect();
    assert_eq!(groups, [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2]);
    let last = &system.tasks[openmp.teams[1][2].task];
    assert_eq!((last.name.as_str(), last.core, last.argument), ("other_2", Some(11), 15));
    assert_eq!((last.priority, last.start, openmp.teams[1][2].spins), (Some(9), false, false));
    assert!(system.tasks.iter().all(|it| it.rights.unrestricted));
    assert_eq!(system.spin_locks[openmp.first_lock], "openmp_0");
}

const CHANNELS: &str = r#"
    format = 1
    [system]
    name = "channels"
    board = "BOARD"
    sources = ["a.c"]
    libraries = ["messaging"]
    [[task]]
    name = "collector"
    entry = "collector"
    core = 3
    [[priority_data_queue]]
    name = "own"
    capacity = 2
    priorities = 2
    [[channel]]
    name = "reports"
    receiver = "collector"
    messages = 7
    size = "65B"
    priorities = 5
    [[channel]]
    name = "orders"
    receiver = "collector"
    messages = 1
    size = "1B"
    priorities = 64
    place = "system"
    [[channel]]
    name = "alarms"
    receiver = "collector"
    messages = 1
    size = "64B"
    priorities = 1
"#;

/// A channel has two queues behind the system's own, and places behind the kernel's part of an exchange, or of no exchange.
#[test]
fn channels_become_queues_and_places() {
    let system = read(&CHANNELS.replace("BOARD", "sara"));
    let queues = system.priority_data_queues.iter();
    let queues: Vec<_> =
        queues.map(|it| (it.name.as_str(), it.capacity, it.priorities, it.core)).collect();
    let [own, full, free, ..] = queues[..] else { panic!("{queues:?}") };
    assert_eq!(own, ("own", 2, 2, None));
    assert_eq!((full, free), (("reports_full", 8, 5, Some(3)), ("reports_free", 8, 1, Some(3))));
    let first: Vec<_> = system.channels.iter().map(|it| it.first_queue).collect();
    assert_eq!((first, queues.len()), (vec![1, 3, 5], 7));
    let offsets: Vec<_> = system.channels.iter().map(|it| it.offset.unwrap()).collect();
    assert_eq!(offsets, [0x34000, 0x4000, 0x34000 + 8 * 128]);
    let region = &system.device_regions[0];
    assert_eq!((region.base, region.size), (0x7100_0000, Bytes(8 * 0x10000)));

    let system = read(&CHANNELS.replace("BOARD", "virt"));
    assert!(system.device_regions.is_empty());
    assert!(system.channels.iter().all(|it| it.offset.is_none()));
}

/// A job of a worker that blocks is what it executes in one region: up to a barrier, and behind it.
#[test]
fn stages_bound_the_workers_jobs() {
    let text = r#"
        format = 1
        [system]
        name = "stages"
        board = "virt"
        sources = ["a.c"]
        libraries = ["openmp"]
        [[task]]
        name = "one"
        entry = "one"
        core = 0
        priority = 9
        period = "10ms"
        wcet = "4ms"
        [[team]]
        task = "one"
        threads = 2
        stages = [
            { serial = "1ms", strand = "600us" },
            { strand = "300us" },
            { serial = "0us", strand = "700us" },
            { serial = "1ms" },
        ]
    "#;
    let system = read(text);
    let stages = &system.openmp.as_ref().unwrap().stages[0];
    assert_eq!(stages[1], Stage { strand: Some(Nanos(300_000)), ..Stage::default() });
    assert_eq!(stages[3], Stage { serial: Some(Nanos(1_000_000)), ..Stage::default() });
    assert_eq!(system.tasks[1].wcet, Some(Nanos(900_000)));
}

#[test]
fn transactions_and_windows_without_offsets_are_read() {
    let system = read_only(
        "
format = 1
[system]
name = 'small'
board = 'p4080'
cores = 2
sources = ['a.c']
[[partition]]
name = 'one'
sources = ['a.c']
[[frame]]
core = 1
length = '20ms'
windows = [{ partition = 'one', duration = '3ms', period = '10ms' },
           { partition = 'one', duration = '2ms', offset = '4ms' }]
[[transaction]]
name = 'picture'
input = { device = 'camera', duration = '2ms', offset = '1ms', task = 'taken' }
task = 'see'
output = { device = 'camera', duration = '1ms', task = 'shown' }
limit = '30ms'
[[task]]
name = 'see'
partition = 'one'
entry = 'see_job'
core = 1
period = '10ms'
wcet = '1ms'
[[task]]
name = 'taken'
entry = 'taken_job'
core = 0
period = '10ms'
offset = '0ms'
deadline = '1ms'
wcet = '1us'
[[task]]
name = 'shown'
entry = 'shown_job'
core = 0
period = '10ms'
deadline = '1ms'
wcet = '1us'
",
    );
    assert!(system.frames[0].windows.is_empty(), "the I/O schedule makes them");
    let window = |period, duration, offset| PeriodicWindow {
        core: 1,
        partition: 0,
        period: Nanos(period),
        duration: Nanos(duration),
        offset,
    };
    let windows = [
        window(10_000_000, 3_000_000, None),
        window(20_000_000, 2_000_000, Some(Nanos(4_000_000))),
    ];
    assert_eq!(system.io.windows, windows);
    assert_eq!(system.io.devices, ["camera"]);
    let [transaction] = &system.io.transactions[..] else { panic!("{:?}", system.io) };
    assert_eq!((transaction.name.as_str(), transaction.limit), ("picture", Nanos(30_000_000)));
    assert_eq!(transaction.task, TransactionTask { task: 0, offset: None });
    let input = PhysicalIo {
        device: 0,
        duration: Nanos(2_000_000),
        offset: Some(Nanos(1_000_000)),
        task: TransactionTask { task: 1, offset: Some(Nanos(0)) },
    };
    assert_eq!(transaction.input, Some(input));
    let output = transaction.output.as_ref().unwrap();
    assert_eq!((output.device, output.offset, output.task.offset), (0, None, None));
}
