// SPDX-License-Identifier: Apache-2.0
//! Tests libraries as devices: the example in C runs on the machine, and a library that is no
//! device is refused.

use std::{
    path::{Path, PathBuf},
    process::Command,
};
use takt_board::{
    Setup, StartError, Started,
    boot::Firmware,
    devices::{Clock, Extra, Finish, WireEnd, map::AddressRange},
    engine::{BadSnapshot, End, Machine, Mode, Order},
    start,
};
use takt_device::{Library, LibraryError, Surroundings};
use takt_model::Board;

const ALARM: u64 = 0x5000_0000;

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn open(library: &Path) -> Result<Library, LibraryError> {
    let rates = Clock { frequency: 1_000_000_000, timebase: 10_000_000 };
    Library::open(library, Surroundings { rates, clock: 1, harts: 1 })
}

/// Compiles a library from C for this host.
fn compiled(folder: &Path, source: &Path) -> PathBuf {
    compiled_with(folder, source, &["-Wall", "-Wextra", "-Werror"])
}

fn compiled_with(folder: &Path, source: &Path, options: &[&str]) -> PathBuf {
    let library = folder.join("device.so");
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-std=c11"])
        .args(options)
        .arg("-I")
        .arg(here("include"))
        .arg(source)
        .arg("-o")
        .arg(&library)
        .status();
    assert!(status.expect("cc runs").success(), "the library compiles");
    library
}

/// The example with a change in its source.
fn changed(folder: &Path, from: &str, to: &str) -> PathBuf {
    let text = std::fs::read_to_string(here("examples/alarm.c")).unwrap();
    assert!(text.contains(from), "{from}");
    let source = folder.join("changed.c");
    std::fs::write(&source, text.replacen(from, to, 1)).unwrap();
    compiled_with(folder, &source, &["-w"])
}

fn program(folder: &Path, slack: u64) -> PathBuf {
    let programs = here("../board/tests/programs");
    let elf = folder.join("program.elf");
    let status = Command::new("riscv64-unknown-elf-gcc")
        .args(["-march=rv64gc", "-mabi=lp64d", "-mcmodel=medany", "-O2", "-std=gnu17", "-Wall"])
        .args(["-ffreestanding", "-nostdlib", "-static", "-Wl,--build-id=none"])
        .arg(format!("-DSLACK={slack}"))
        .arg("-I")
        .arg(&programs)
        .arg(format!("-Wl,-T,{}", programs.join("link.ld").display()))
        .arg(programs.join("start.S"))
        .arg(here("tests/alarm.target.c"))
        .arg("-o")
        .arg(&elf)
        .status();
    assert!(status.expect("the cross compiler is installed").success());
    elf
}

fn extra(library: &Library, base: u64, sources: Vec<u32>) -> Extra {
    let range = AddressRange { base, size: library.size() };
    Extra {
        range,
        node: 0,
        wires: sources.into_iter().map(WireEnd::Source).collect(),
        device: library.device(),
    }
}

fn machine_with(program: &Path, devices: Vec<Extra>) -> Result<Started, StartError> {
    let board = Board::read(&here("../../boards/tile72.toml"));
    start(Setup {
        board: &board.unwrap_or_else(|_| panic!("the board is readable")),
        harts: 1,
        program,
        firmware: Firmware::None,
        initrd: None,
        arguments: "",
        input: vec![],
        devices,
    })
}

fn functional(program: &Path, library: &Library) -> Machine {
    machine_with(program, vec![extra(library, ALARM, vec![20])]).expect("it starts").machine
}

fn timed(program: &Path, library: &Library) -> Machine {
    let mut machine = functional(program, library);
    machine.begin_timing(|_| 0);
    machine
}

/// The cycle in which the program ended successfully.
fn finish(machine: &mut Machine) -> u64 {
    assert_eq!(machine.run(machine.now + 10_000_000), End::Finished(Finish::Pass));
    machine.now
}

#[test]
fn the_example_runs_with_time_and_without() {
    let folder = tempfile::tempdir().unwrap();
    let library = compiled(folder.path(), &here("examples/alarm.c"));
    let library = open(&library).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((library.size(), library.wires()), (0x1000, 1));
    // The interrupt comes on time: the wake-up and the counter add less than this.
    let start = timed(&program(folder.path(), 300), &library);
    let ends = [Order::Ahead, Order::Strict].map(|order| {
        let mut machine = start.clone();
        machine.order = order;
        finish(&mut machine)
    });
    assert_eq!(ends[0], ends[1]);
    // Without time the harts' turns are longer.
    finish(&mut functional(&program(folder.path(), 100_000), &library));
    let mut warming = functional(&program(folder.path(), 100_000), &library);
    warming.mode = Mode::Warming;
    finish(&mut warming);
}

/// The refused transfer is answered: the program ends with the code for it.
#[test]
fn a_transfer_over_a_line_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let program = program(folder.path(), 300);
    for (from, to) in [
        ("transfer->bytes = 8;", "transfer->bytes = 72;"),
        ("transfer->bytes = 8;", "transfer->bytes = 0;"),
        ("transfer->bytes = 8;", "transfer->bytes = device->step == WANTS_WRITE ? 72 : 8;"),
        ("transfer->address = device->address;", "transfer->address = device->address + 60;"),
    ] {
        let library = changed(folder.path(), from, to);
        let mut machine = timed(&program, &open(&library).unwrap());
        let end = machine.run(machine.now + 10_000_000);
        assert_eq!(end, End::Finished(Finish::Fail(4)), "{to}");
    }
}

/// The same holds for a machine that was saved while a transfer was under way.
#[test]
fn nobody_is_asked_for_a_second_transfer_before_the_first_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let from = "if (device->step != WANTS_READ";
    let strict = "if (device->step == READING || device->step == WRITING) device->step = REFUSED;";
    let library = changed(folder.path(), from, &format!("{strict} {from}"));
    let start = timed(&program(folder.path(), 300), &open(&library).unwrap());
    let end = finish(&mut start.clone());
    for at in (0..end - start.now).step_by(53) {
        let mut saved = start.clone();
        saved.run(start.now + at);
        assert_eq!(finish(&mut start.restore(&saved.save()).unwrap()), end, "saved after {at}");
    }
}

#[test]
fn a_snapshot_keeps_the_device() {
    let folder = tempfile::tempdir().unwrap();
    let library = open(&compiled(folder.path(), &here("examples/alarm.c"))).unwrap();
    let program = program(folder.path(), 300);
    let start = timed(&program, &library);
    let end = finish(&mut start.clone());
    for at in (0..end - start.now).step_by(487) {
        let mut saved = start.clone();
        saved.run(start.now + at);
        let mut read = start.restore(&saved.save()).expect("the snapshot is good");
        assert_eq!(finish(&mut read), end, "saved after {at}");
        assert_eq!(finish(&mut saved), end, "went on after {at}");
    }
    // The machine has no such device, has it at another address, or has another device there.
    let file = start.save();
    let without = machine_with(&program, vec![]).unwrap().machine;
    assert_eq!(without.restore(&file).err(), Some(BadSnapshot::OtherMachine));
    let elsewhere = vec![extra(&library, ALARM + 0x1000, vec![20])];
    let elsewhere = machine_with(&program, elsewhere).unwrap().machine;
    assert_eq!(elsewhere.restore(&file).err(), Some(BadSnapshot::OtherMachine));
    let other = tempfile::tempdir().unwrap();
    let other = changed(other.path(), "uint64_t step;", "uint64_t step, more;");
    let other = functional(&program, &open(&other).unwrap());
    assert_eq!(other.restore(&file).err(), Some(BadSnapshot::Device));
}

#[track_caller]
fn refused(library: &Path, text: &str) -> LibraryError {
    let error = open(library).err().expect("it is refused");
    assert!(error.to_string().contains(text), "{text:?} is not in: {error}");
    assert!(error.to_string().contains(&library.display().to_string()), "{error}");
    error
}

#[test]
fn what_is_no_device_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let missing = refused(&folder.join("nothing.so"), "there is no library");
    assert!(matches!(missing, LibraryError::Missing { .. }));
    let text = folder.join("text.so");
    std::fs::write(&text, "no library").unwrap();
    assert!(matches!(refused(&text, "cannot load"), LibraryError::Load { .. }));
    refused(folder, "it is no file");
    for (from, to, wanted) in [
        ("takt_board_device(void)", "another(void)", "has no function `takt_board_device`"),
        ("TAKT_BOARD_DEVICE_ABI,", "7,", "was made for version 7 of takt/board_device.h"),
        (".save = save,", ".save = 0,", "it has no function `save`"),
        (".wires = 1", ".wires = 33", "33 wires are more than 32"),
        (".size = 0x1000", ".size = 12", "its window of 12 bytes is no multiple of 8"),
        ("return &functions", "return NULL", "answers nothing"),
        ("return device;", "return NULL;", "`create` makes none"),
        ("bytes != sizeof", "bytes == sizeof", "`restore` does not take what `save` gives"),
        ("return sizeof *device;", "return sizeof *device + (room != 0);", "`save` does not say"),
    ] {
        refused(&changed(folder, from, to), wanted);
    }
}

#[test]
fn places_and_sources_are_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let library = open(&compiled(folder.path(), &here("examples/alarm.c"))).unwrap();
    let program = program(folder.path(), 300);
    let told = |devices: &[(u64, u32)]| {
        let devices = devices.iter().map(|(base, source)| extra(&library, *base, vec![*source]));
        machine_with(&program, devices.collect()).err().expect("it is refused").to_string()
    };
    let overlap = |text: &str, base| {
        let said = told(&[(base, 20)]);
        assert!(said.contains("runs into") && said.contains(text), "{said}");
    };
    overlap("0x10000000", 0x1000_0000 - 8);
    overlap("0x80000000", 0x8000_0000 - 8);
    overlap("0x80000000", 0x8000_1000);
    assert!(told(&[(ALARM, 20), (ALARM + 8, 21)]).contains("0x50000008"));
    assert!(told(&[(u64::MAX - 7, 20)]).contains("past the last address"));
    assert!(told(&[(ALARM, 20), (ALARM + 0x1000, 20)]).contains("interrupt source 20"));
    assert!(told(&[(ALARM, 10)]).contains("two devices would have the interrupt source 10"));
    assert!(told(&[(ALARM, 97)]).contains("no interrupt source 97"));
    assert!(told(&[(ALARM, 0)]).contains("no interrupt source 0"));
}
