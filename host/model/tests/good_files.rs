// SPDX-License-Identifier: Apache-2.0
//! Good descriptions are read as they are written, with their defaults.

use std::path::{Path, PathBuf};

use takt_model::{
    Activation, Board, Buffer, Bytes, Kernel, Memory, Nanos, Order, OverheadSource, Semaphore,
    System, Task, Use,
};

fn boards() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../boards")
}

/// Reads a system that stands beside a source file `a.c`.
fn read(text: &str) -> System {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("system.toml");
    std::fs::write(folder.path().join("a.c"), "").unwrap();
    std::fs::write(&path, text).unwrap();
    let mut system = System::read(&path, &[boards()]).unwrap_or_else(|e| {
        panic!("{:?}", miette::Report::new(e));
    });
    assert_eq!(system.sources, [folder.path().join("a.c")]);
    assert!(system.sources[0].is_absolute());
    system.sources.clear();
    system
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
        }
    );
    assert_eq!(
        system.tasks,
        [Task {
            name: "a".into(),
            entry: "a_step".into(),
            argument: 0,
            activation: Activation::Aperiodic,
            deadline: None,
            wcet: None,
            jitter: Nanos(0),
            core: None,
            priority: None,
            stack: Bytes(8192),
            queue: 1,
            start: false,
            uses: vec![],
            suspends: None,
        }]
    );
    assert!(system.semaphores.is_empty() && system.buffers.is_empty());
}

/// The file with every key.
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
        }
    );
    assert_eq!(
        system.tasks[0],
        Task {
            name: "hold".into(),
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
            priority: Some(64),
            stack: Bytes(1040),
            queue: 255,
            start: false,
            uses: vec![
                Use { semaphore: 0, hold: Some(Nanos(100_000)) },
                Use { semaphore: 1, hold: None },
            ],
            suspends: Some(Nanos(2_000_000)),
        }
    );
    assert_eq!(
        system.semaphores,
        [
            Semaphore { name: "sensors".into(), initial: 1, maximum: 1, order: Order::Priority },
            Semaphore { name: "go".into(), initial: 0, maximum: 255, order: Order::Fifo },
        ]
    );
    let buffer = Buffer { name: "airspeed".into(), size: Bytes(8), writer: 1, readers: vec![2, 0] };
    assert_eq!(system.buffers, [buffer]);
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
    let ram = Memory { name: "ram".into(), base: 0x8000_0000, size: Bytes(128 << 20) };
    assert_eq!(board.memory, [ram]);
    assert_eq!(board.overheads.source, OverheadSource::Assumed);
    assert_eq!(board.overheads.dispatch, Nanos(1000));
}

#[test]
fn every_board_of_the_repository_is_good_and_called_like_its_file() {
    let files: Vec<_> = boards().read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 4);
    for path in files {
        let board = Board::read(&path).unwrap();
        assert_eq!(Some(board.name.as_str()), path.file_stem().unwrap().to_str());
    }
}
