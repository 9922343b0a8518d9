// SPDX-License-Identifier: Apache-2.0
//! A small system for records of the tests.

use takt_model::*;

/// A task with a period of 20 ms and a WCET of 100 us.
pub fn task(name: &str) -> Task {
    Task {
        name: name.to_string(),
        partition: None,
        entry: format!("{name}_step"),
        argument: 0,
        activation: Activation::Periodic { period: Nanos(20_000_000), offset: Nanos(0) },
        deadline: Some(Nanos(20_000_000)),
        wcet: Some(Nanos(100_000)),
        jitter: Nanos(0),
        core: Some(0),
        cores: vec![],
        priority: Some(3),
        stack: Bytes(4096),
        queue: 1,
        start: false,
        uses: vec![],
        mutexes: vec![],
        suspends: None,
        budget: None,
        deadline_handler: None,
        rights: Default::default(),
    }
}

pub fn system(tasks: Vec<Task>) -> System {
    let overheads = Overheads {
        source: OverheadSource::Assumed,
        stamp: None,
        measured: None,
        timer_interrupt: Nanos(0),
        ipi: Nanos(0),
        release: Nanos(0),
        dispatch: Nanos(0),
        preemption: Nanos(0),
        kernel_section: Nanos(0),
        device_interrupt: None,
    };
    let board = Board {
        name: "virt".to_string(),
        file: Default::default(),
        cores: 4,
        hart_ids: vec![0, 1, 2, 3],
        compatible: "riscv-virtio".to_string(),
        memory: vec![],
        load: 0x8040_0000,
        scratchpads: Vec::new(),
        registers: Vec::new(),
        subnets: Default::default(),
        rtu: None,
        overheads,
        fewer_cores: Vec::new(),
        timing: None,
    };
    let kernel = Kernel {
        events: 2,
        trap_stack: Bytes(4096),
        idle_stack: Bytes(4096),
        console: Bytes(4096),
        console_core: 0,
        start_hook: None,
        shutdown_hook: None,
        placement: Default::default(),
        locking: Default::default(),
        own_task: Default::default(),
        idle_pull: None,
        homing: Default::default(),
    };
    System {
        name: "pair".to_string(),
        board,
        cores: 1,
        sources: vec![],
        include: vec![],
        libraries: vec![],
        posix: None,
        openmp: None,
        dataflow: None,
        run_for: None,
        kernel,
        partitions: vec![],
        tasks,
        semaphores: vec![],
        mutexes: vec![],
        flags: vec![],
        data_queues: vec![],
        priority_data_queues: vec![],
        barriers: vec![],
        reader_writer_locks: vec![],
        spin_locks: vec![],
        message_buffers: vec![],
        memory_pools: vec![],
        buffers: vec![],
        cyclics: vec![],
        alarms: vec![],
        interrupts: Vec::new(),
        device_regions: Vec::new(),
        regulation: None,
    }
}
