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
        memory: None,
        deadline_handler: None,
        rights: Default::default(),
    }
}

pub fn system(tasks: Vec<Task>) -> System {
    let board = Board {
        name: "virt".to_string(),
        cores: 4,
        hart_ids: vec![0, 1, 2, 3],
        compatible: "riscv-virtio".to_string(),
        load: 0x8040_0000,
        ..Default::default()
    };
    let kernel = Kernel {
        events: 2,
        trap_stack: Bytes(4096),
        idle_stack: Bytes(4096),
        console: Bytes(4096),
        ..Default::default()
    };
    System { name: "pair".to_string(), board, cores: 1, kernel, tasks, ..Default::default() }
}
