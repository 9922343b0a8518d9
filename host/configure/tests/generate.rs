// SPDX-License-Identifier: Apache-2.0
//! Compares the configurator's output with snapshots that people have read, and checks that it is
//! the same every time.

use std::path::{Path, PathBuf};

use takt_configure::{File, generate};
use takt_model::{Assignment, Board, Bytes, Channel, DeviceRegion, Homing, Memory, System};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn first() -> (System, [Assignment; 3]) {
    let path = root().join("host/configure/tests/first/system.toml");
    let system = System::read(&path, &[root().join("boards")]).expect("a good description");
    let place = |core, priority| Assignment { core, priority };
    (system, [place(0, 2), place(1, 1), place(1, 64)])
}

fn file<'a>(files: &'a [File], path: &str) -> &'a str {
    &files.iter().find(|file| file.path == path).expect("generated").contents
}

#[test]
fn the_files_read_well() {
    let (system, assignments) = first();
    let files = generate(&system, &assignments);
    insta::assert_snapshot!("ids", file(&files, "takt/system_ids.h"));
    insta::assert_snapshot!("tables", file(&files, "system.c"));
    insta::assert_snapshot!("layout", file(&files, "image.ld"));
}

#[test]
fn the_same_model_gives_the_same_bytes() {
    let (system, assignments) = first();
    assert_eq!(generate(&system, &assignments), generate(&first().0, &assignments));
}

#[test]
fn sources_reach_cmake_whole() {
    let (mut system, assignments) = first();
    system.sources = vec!["/a b/\"c\"/$x.c".into()];
    let files = generate(&system, &assignments);
    assert!(file(&files, "application.cmake").contains("[==[/a b/\"c\"/$x.c]==]"));
}

#[test]
fn a_board_cannot_leave_its_string() {
    let (mut system, assignments) = first();
    system.board.compatible = "a\"b\\c\n\u{e9}".into();
    let text = generate(&system, &assignments);
    assert!(file(&text, "system.c").contains(r#"= "a\"b\\c\012\303\251";"#));
}

/// Each core's pages are counted at its home, on a board with a home for each core and on one with
/// a home for both.
#[test]
fn homed_memory_reads_well() {
    for board in ["tile72_page", "xeon40"] {
        let (mut system, assignments) = first();
        system.board = Board::read(&root().join(format!("boards/{board}.toml"))).expect("a board");
        system.kernel.homing = Homing::Page;
        let files = generate(&system, &assignments);
        let (_, regions) = file(&files, "system.c").split_once("/* The address space").unwrap();
        let (_, pages) = file(&files, "image.ld").split_once("/* Pages at home").unwrap();
        insta::assert_snapshot!(format!("homed_{board}"), format!("{regions}\n---\n{pages}"));
    }
}

/// Page homing keeps the kernel's pages in cached memory: if the homes' pages begin in other
/// memory, there is no homing.
#[test]
fn no_page_is_homed_in_uncached_memory() {
    let (mut system, assignments) = first();
    system.board = Board::read(&root().join("boards/tile72_page.toml")).expect("a board");
    system.kernel.homing = Homing::Page;
    let from = system.board.page_homes(2).expect("it has homes").from;
    let whole = system.board.memory.pop().expect("memory");
    let end = whole.base + whole.size.0;
    for cached in [true, false] {
        let below = Memory { size: Bytes(from - whole.base), ..whole.clone() };
        let above = Memory { base: from, size: Bytes(end - from), cached, ..whole.clone() };
        system.board.memory = vec![below, above];
        let files = generate(&system, &assignments);
        let (_, pages) = file(&files, "image.ld").split_once("/* Pages at home").unwrap();
        let last = if cached { end } else { 0 };
        assert!(pages.contains(&format!(" <= {last:#x}, ")), "{pages}");
    }
}

#[test]
fn homing_changes_no_address() {
    let (mut system, assignments) = first();
    let sections = |system: &System| {
        let files = generate(system, &assignments);
        file(&files, "image.ld").split_once("takt_physical_end").expect("the end").0.to_string()
    };
    assert!(!sections(&system).contains("takt_core0_end"));
    system.board = Board::read(&root().join("boards/xeon40.toml")).expect("a board");
    let linear = sections(&system);
    system.kernel.homing = Homing::Page;
    assert_eq!(sections(&system), linear);
    assert!(linear.contains(". = ALIGN(4096);\n        takt_core1_end = .;"));
}

/// The entries' structures, the pools with their masks and transfers, and the worker's layout.
#[test]
fn a_graph_reads_well() {
    let path = root().join("tests/dataflow/types.toml");
    let system = System::read(&path, &[root().join("boards")]).expect("a good description");
    let files = generate(&system, &[Assignment { core: 0, priority: 64 }]);
    insta::assert_snapshot!("graph_entries", file(&files, "takt/dataflow_system.h"));
    insta::assert_snapshot!("graph", file(&files, "dataflow.c"));
    insta::assert_snapshot!("graph_worker", file(&files, "worker.ld"));
    let layout = file(&files, "image.ld");
    assert!(layout.contains("takt_device_dataflow_words = takt_region_dataflow_words + 0x0;"));
    assert!(layout.contains(".dataflow_local takt_device_dataflow_scratchpad (NOLOAD)"));
    assert!(file(&files, "application.cmake").contains("set(TAKT_DATAFLOW_IMAGES 2)\n"));
}

/// The same graph where all cores share their memory: a task for each worker, its buffers, its own pool.
#[test]
fn a_graph_in_shared_memory_reads_well() {
    let path = root().join("tests/dataflow/types.toml");
    let board = Board::read(&root().join("boards/virt.toml")).expect("a board");
    let system = System::read_on(&path, &board).expect("a good description");
    let assignments = [0, 1, 2].map(|core| Assignment { core, priority: 64 });
    let names: Vec<_> = system.tasks.iter().map(|task| &*task.name).collect();
    assert_eq!((names, system.cores), (vec!["dataflow", "dataflow_1", "dataflow_2"], 3));
    let files = generate(&system, &assignments);
    insta::assert_snapshot!("graph_shared", file(&files, "dataflow.c"));
    assert!(file(&files, "takt/dataflow_system.h").contains("#define DATAFLOW_SHARED 1"));
    assert!(!files.iter().any(|it| it.path == "worker.ld"));
    assert!(!file(&files, "image.ld").contains("dataflow_local"));
    let build = file(&files, "application.cmake");
    assert!(build.contains("set(TAKT_DATAFLOW_SHARED 1)\nset(TAKT_DATAFLOW_WORKERS 1 2)\n"));
}

/// A region that begins within a page has its symbol there, and whole pages are mapped, at a
/// distance from the image that gives their physical address.
#[test]
fn a_device_region_is_whole_pages() {
    let (mut system, assignments) = first();
    let (name, base, size) = ("mailbox".to_string(), 0x1000_0ff8, Bytes(16));
    system.device_regions.push(DeviceRegion { name, base, size });
    let files = generate(&system, &assignments);
    let layout = file(&files, "image.ld");
    assert!(layout.contains("takt_device_mailbox = takt_region_mailbox + 0xff8;"), "{layout}");
    assert!(layout.contains(". = takt_region_mailbox + 0x2000;"));
    let linear =
        takt_configure::LINK_BASE.wrapping_add(0x1000_0000).wrapping_sub(system.board.load);
    let row = format!("(uintptr_t)takt_region_mailbox + 0x2000, {linear:#x},");
    assert!(file(&files, "system.c").contains(&row), "{row}");
    assert!(file(&files, "takt/system_ids.h").contains("extern uint8_t takt_device_mailbox[]"));
}

/// Channels: their IDs, and their table with places in the exchanges of a board, or in shared memory.
#[test]
fn channels_read_well() {
    let places = [("shared", None), ("exchange", Some(0x14000))];
    for (name, offset) in places {
        let (mut system, assignments) = first();
        let channel = |name: &str, first_queue| Channel {
            name: name.into(),
            receiver: 1,
            messages: 3,
            size: Bytes(100),
            priorities: 2,
            raises: name == "orders",
            first_queue,
            offset,
        };
        system.channels = vec![channel("reports", 0), channel("orders", 2)];
        system.tasks[1].cores = vec![0, 1];
        let one = generate(&system, &assignments);
        system.tasks[1].cores.clear();
        let files = generate(&system, &assignments);
        assert!(!file(&one, "messaging.c").contains("section"), "the receiver migrates");
        let [ids, table] = ["takt/messaging_system.h", "messaging.c"].map(|it| file(&files, it));
        insta::assert_snapshot!(format!("channels_{name}"), format!("{ids}\n---\n{table}"));
    }
}
