// SPDX-License-Identifier: Apache-2.0
//! Systems made by hand.

use takt_analysis::{Analysis, analyse, assign};
use takt_model::*;

/// A system without overheads whose console is on core 3.
pub fn system(tasks: Vec<Task>) -> System {
    let board = Board {
        name: "bench".into(),
        cores: 4,
        hart_ids: vec![0, 1, 2, 3],
        compatible: "test".into(),
        load: 0,
        overheads: no_overheads(),
        ..Default::default()
    };
    let kernel = Kernel {
        events: 0,
        trap_stack: Bytes(4096),
        idle_stack: Bytes(4096),
        console: Bytes(4096),
        console_core: 3,
        ..Default::default()
    };
    System { name: "bench".into(), board, cores: 4, kernel, tasks, ..Default::default() }
}

pub fn no_overheads() -> Overheads {
    Overheads {
        source: OverheadSource::Measured,
        stamp: Some(stamp()),
        measured: Some(measured()),
        timer_interrupt: Nanos(0),
        ipi: Nanos(0),
        release: Nanos(0),
        dispatch: Nanos(0),
        preemption: Nanos(0),
        kernel_section: Nanos(0),
        device_interrupt: None,
    }
}

/// The stamp of the boards in these tests.
pub fn stamp() -> Stamp {
    Stamp { timing: "board".into(), kernel: "kernel".into() }
}

/// Conditions that systems with the default kernel and one busy core do not exceed.
pub fn measured() -> Measured {
    Measured {
        locking: Default::default(),
        own_task: Default::default(),
        homing: Default::default(),
        cores: 4,
        cores_per_lock: 2,
        timers_per_core: 10,
        interrupt_sources: 1,
        load: vec![MemoryLoad::Writers],
        paths: Some(KernelPath::WORDS.iter().map(|(_, path)| *path).collect()),
    }
}

/// The analysis of a system on the board and with the kernel for which the overheads were measured.
pub fn proof_of(system: &System) -> Analysis {
    let mut analysis = analyse(system, &assign(system).unwrap());
    analysis.compare_stamp(&system.board.overheads, Some(&stamp()));
    analysis
}

/// A periodic task on core 0.
pub fn task(name: &str, priority: u8, wcet: u64, period: u64) -> Task {
    Task {
        name: name.into(),
        partition: None,
        entry: name.into(),
        argument: 0,
        activation: Activation::Periodic { period: Nanos(period), offset: Nanos(0) },
        deadline: Some(Nanos(period)),
        wcet: Some(Nanos(wcet)),
        jitter: Nanos(0),
        core: Some(0),
        cores: Vec::new(),
        priority: Some(priority),
        stack: Bytes(1024),
        queue: 1,
        start: false,
        uses: Vec::new(),
        mutexes: Vec::new(),
        suspends: None,
        budget: None,
        memory: None,
        deadline_handler: None,
        rights: Default::default(),
    }
}

pub fn semaphore(name: &str, order: Order) -> Semaphore {
    Semaphore { partition: None, name: name.into(), initial: 1, maximum: 1, order, core: None }
}

pub fn holds(semaphore: usize, hold: u64) -> Use {
    Use { semaphore, hold: Some(Nanos(hold)), times: 1 }
}

/// An interrupt of a device on core 0.
pub fn interrupt(name: &str, separation: Option<u64>, wcet: Option<u64>) -> Interrupt {
    Interrupt {
        name: name.into(),
        origin: Origin::Source(1),
        entry: name.into(),
        argument: 0,
        core: 0,
        priority: 1,
        enabled: true,
        separation: separation.map(Nanos),
        wcet: wcet.map(Nanos),
    }
}

/// Makes a task of the system fork into workers on these cores, by stages of (serial, strand).
pub fn fork(
    system: &mut System,
    master: usize,
    cores: &[u32],
    stages: &[(Option<u64>, Option<u64>)],
) {
    let first = system.tasks.len();
    let thread = |task| TeamThread { task, spins: false, group: 0 };
    for (number, core) in cores.iter().enumerate() {
        let mut worker = system.tasks[master].clone();
        worker.name = format!("{}_{}", worker.name, number + 1);
        (worker.core, worker.activation) = (Some(*core), Activation::Aperiodic);
        (worker.deadline, worker.wcet) = (None, None);
        worker.rights.unrestricted = true;
        system.tasks.push(worker);
    }
    system.tasks[master].rights.unrestricted = true;
    let openmp = system.openmp.get_or_insert_with(|| Openmp {
        teams: Vec::new(),
        stages: Vec::new(),
        criticals: Vec::new(),
        first_mutex: 0,
        first_lock: 0,
        settings: OpenmpSettings {
            schedule: OmpSchedule::Static,
            chunk: 0,
            threads: 0,
            dynamic: false,
            max_levels: 1,
        },
    });
    let workers = (first..first + cores.len()).map(thread);
    openmp.teams.push([thread(master)].into_iter().chain(workers).collect());
    let stage = |(serial, strand): &(Option<u64>, Option<u64>)| Stage {
        serial: serial.map(Nanos),
        strand: strand.map(Nanos),
        criticals: Vec::new(),
    };
    openmp.stages.push(stages.iter().map(stage).collect());
}

/// Gives the strands of a stage critical sections without a name.
pub fn critical(system: &mut System, team: usize, stage: usize, hold: u64, times: u32) {
    let openmp = system.openmp.as_mut().unwrap();
    if openmp.criticals.is_empty() {
        openmp.criticals.push(String::new());
        openmp.first_mutex = system.mutexes.len();
        let (protocol, order) = (Protocol::Msrp, Order::Fifo);
        system.mutexes.push(Mutex { name: "critical".into(), protocol, order, ceiling: None });
    }
    let (mutex, hold) = (openmp.first_mutex, Some(Nanos(hold)));
    let one = MutexUse { mutex, hold, times, inside: vec![] };
    openmp.stages[team][stage].criticals.push(one.clone());
    for thread in &openmp.teams[team] {
        system.tasks[thread.task].mutexes.push(one.clone());
    }
}

pub fn on_core(core: u32, task: Task) -> Task {
    Task { core: Some(core), ..task }
}
