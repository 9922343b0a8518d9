// SPDX-License-Identifier: Apache-2.0
//! Runs commands with bad programs, boards and options: each ends with a message that says where
//! the mistake is and what to do, with the exit status that the book names, and without losing a
//! file.

mod common;

use std::path::{Path, PathBuf};

use common::assembly::{BARE, bare, boot_with, program};
use common::takt::{ended, takt};
use tempfile::TempDir;

const MODES: [&[&str]; 2] = [&[], &["--functional"]];
const LOOP: &str = "main:\n    j main\n";

/// The board virt with one core, like virt1, in one file.
fn virt1() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../boards/virt.toml");
    let mut board = std::fs::read_to_string(file).unwrap();
    for (old, new) in [
        ("\"virt\"", "\"virt1\""),
        ("cores      = 4", "cores      = 1"),
        ("columns        = 2", "columns        = 1"),
        ("rows           = 2", "rows           = 1"),
    ] {
        assert!(board.contains(old), "{old} is in the board's file");
        board = board.replacen(old, new, 1);
    }
    board
}

/// Creates a folder with this program and with the board virt1 as mine.toml, in which the changes
/// are made.
fn folder(text: &str, changes: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    program(folder.path(), 0x8000_0000, text);
    let mut board = virt1();
    for (old, new) in changes {
        assert!(board.contains(old), "{old} is in the board's file");
        board = board.replacen(old, new, 1);
    }
    std::fs::write(folder.path().join("mine.toml"), board).unwrap();
    folder
}

#[test]
fn a_trap_without_a_handler_is_told_with_hart_place_and_address() {
    let rom = "main:\n    li t0, 0x1000\n    sw t0, (t0)\n";
    let nowhere = "    call main\nmain:\n    li t0, 0x4000\n    jr t0\n";
    let device = "main:\n    li t0, 0x10000000\n    lh t1, 1(t0)\n";
    let high = "main:\n    li t0, 0x1234567812345678\n    ld t1, (t0)\n";
    let illegal = "main:\n    unimp\n";
    // In each program the second instruction lies two or four bytes behind the first.
    for (text, cause, place, tval) in [
        (rom, "store refused (cause 0x7)", "main+0x2;", "tval 0x1000;"),
        (nowhere, "fetch where no code is (cause 0x1)", "0x4000, no function", "tval 0x4000;"),
        (nowhere, "fetch where no code is", "no function", "ra 0x80000004, main+0x0"),
        (device, "load refused (cause 0x5)", "main+0x4;", "tval 0x10000001;"),
        (high, "load refused (cause 0x5)", "main+0x", "tval 0x1234567812345678;"),
        (illegal, "illegal instruction (cause 0x2)", "at 0x80000000, main+0x0;", "tval 0x0;"),
    ] {
        for mode in MODES {
            let end = bare(text, mode);
            end.fails_with(3, "hart 0 traps for ever");
            end.fails_with(3, &format!("it began with: {cause}"));
            end.fails_with(3, place);
            end.fails_with(3, tval);
        }
    }
}

#[test]
fn a_transfer_out_of_range_ends_with_an_error_and_changes_nothing() {
    // A DMA transfer from `source` to `target`; afterwards a0 holds the engine's status and a1 the
    // first byte of `target`.
    let transfer = |source: &str, target: &str, length: u64| {
        format!(
            "    li t0, 0x10200000\n    li t1, {source}\n    sd t1, 0(t0)\n    li t1, {target}\n    \
             sd t1, 8(t0)\n    li t1, {length}\n    sd t1, 16(t0)\n    li t1, 1\n    sd t1, 24(t0)\n\
             1:  ld a0, 32(t0)\n    andi t2, a0, 1\n    bnez t2, 1b\n    slli a0, a0, 16\n    \
             li t1, 0x3333\n    or t1, t1, a0\n    j finish\n"
        )
    };
    for mode in MODES {
        for (source, target, length) in [
            ("0x4000", "0x80100000", 64),
            ("0x80000000", "0x1000", 64),
            ("0x80000000", "0x10000000", 1),
            ("0x80000000", "0x87fffff0", 64),
            ("0xfffffffffffffff0", "0x80100000", 64),
        ] {
            bare(&transfer(source, target, length), mode).fails_with(1, "failed with code 4");
        }
        bare(&transfer("0x80000000", "0x80100000", 64), mode).fails_with(1, "failed with code 2");
    }
}

#[test]
fn a_board_that_is_no_machine_is_refused_with_its_line() {
    for (old, new, message) in [
        ("cores      = 1", "cores      = 0", "choose a value from 1 to 128"),
        (
            "[l2]                            # assumed\nsize = \"256KiB\"",
            "[l2]\nsize = \"8KiB\"",
            "[l2] is smaller than [l1d]",
        ),
        ("frequency  = \"1GHz\"", "frequency  = \"0Hz\"", "`frequency` is"),
        ("128MiB", "67108864GiB", "has 67108864GiB of memory, more than this host can give"),
        ("128MiB", "64KiB", "the image would be loaded outside of the memory"),
    ] {
        let folder = folder(LOOP, &[(old, new)]);
        let boot = ["--board", "mine.toml", "--bios", "none", "--until", "1us"];
        boot_with(&folder, &boot).fails_with(2, message);
        // A board that is only too large for this host can still be shown.
        if !message.contains("host") {
            let show = |word| ended(takt(&["board", word, "mine.toml"], folder.path()));
            show("show").fails_with(2, message);
            ended(takt(&["calibrate", "mine.toml"], folder.path())).fails_with(2, message);
        }
    }
}

#[test]
fn what_has_no_room_is_said_with_its_place() {
    let folder = folder(LOOP, &[]);
    let disk = std::fs::File::create(folder.path().join("disk")).unwrap();
    disk.set_len(100 << 20).unwrap();
    let boot = |more: &[&str]| boot_with(&folder, &[&BARE[..], &["--until", "1us"], more].concat());
    let message = "no room for disk: its 104857600 bytes would begin at 0x84000000, and RAM is \
                   0x80000000 to 0x88000000; give the board more memory";
    boot(&["--initrd", "disk"]).fails_with(2, message);
    // This RAM disk fits into half of the RAM, but not together with the device tree.
    disk.set_len((64 << 20) - 4096).unwrap();
    boot(&["--initrd", "disk"])
        .fails_with(2, "disk (0x84000000 to 0x87fff000) runs into the device tree");
    program(folder.path(), 0x87e0_0000, LOOP);
    boot(&[]).fails_with(2, "runs into the device tree");
    // Very long boot arguments need much room, and get it.
    let long = "x".repeat(100_000);
    assert_eq!(bare("    li t1, 0x5555\n    j finish\n", &["--append", &long]).code, 0);
}

#[test]
fn options_out_of_range_are_refused() {
    let folder = folder(LOOP, &[]);
    for (more, message) in [
        (&["--harts", "0"][..], "0 is not in 1..=512"),
        (&["--harts", "513"], "513 is not in 1..=512"),
        (&["--harts", "2"], "the board `virt1` has 1 harts, not 2"),
        (&["--seed", "1..3"], "invalid value '1..3'"),
        (&["--seed", "-1"], "unexpected argument '-1'"),
        (&["--seed", "18446744073709551616"], "number too large"),
        (&["--jitter", "10001"], "10001 is not in"),
        (&["--until", "main"], "is not a number and a unit"),
        (&["--until", "5"], "has no unit"),
        (&["--gdb", "65536"], "65536 is not in 0..=65535"),
        (&["--save", "state"], "add --save-at PLACE, or --until TIME"),
        (&["--save-at", "main"], "--save <FILE>"),
        (&["--save", "state", "--save-at", "nowhere"], "the program has no symbol `nowhere`"),
        (&["--input", "nowhere"], "cannot read nowhere"),
        (&["--signature", "file"], "the program has no signature in RAM"),
    ] {
        boot_with(&folder, &[&BARE, more].concat()).fails_with(2, message);
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let end = boot_with(&folder, &[&BARE[..], &["--gdb", &port]].concat());
    end.fails_with(3, &format!("cannot wait for gdb at port {port}"));
}

/// An image that the command line names is input, like a description.
#[test]
fn an_image_that_is_none_is_refused() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (image, message) in [
        ("nowhere.elf", "cannot read nowhere.elf"),
        ("/dev/null", "/dev/null is a device"),
        ("README.md", "README.md is no image of Polytakt"),
        ("/bin/sh", "/bin/sh is no image of Polytakt: it is for"),
    ] {
        let run = ["run", "examples/rosace/system.toml", "--image", image];
        ended(takt(&run, &root)).fails_with(2, message);
    }
}

const ENDS_BADLY: &str = "    .globl begin_signature, end_signature
    unimp
begin_signature: .word 1
end_signature:
";

#[test]
fn a_result_that_cannot_be_written_is_said_before_the_run() {
    // Without the refusal the run would end with another message.
    let folder = folder(ENDS_BADLY, &[]);
    for place in ["nowhere/file", "."] {
        for option in ["--save", "--signature"] {
            let options = [option, place, "--until", "1s"];
            let end = boot_with(&folder, &[&BARE, &options[..]].concat());
            end.fails_with(2, &format!("cannot write {place}"));
        }
        let calibrate = ["calibrate", "virt1", "--output", place];
        ended(takt(&calibrate, folder.path())).fails_with(2, &format!("cannot write {place}"));
    }
    std::os::unix::fs::symlink("itself", folder.path().join("itself")).unwrap();
    assert_eq!(ended(takt(&["new", "first"], folder.path())).code, 0);
    let first = folder.path().join("first");
    let traces = [
        ("nowhere/file", "cannot write nowhere/file"),
        (".", "cannot write ."),
        ("../itself", "cannot write ../itself"),
        ("system.toml", "the trace would replace system.toml of the system"),
        ("./main.c", "the trace would replace ./main.c of the system"),
    ];
    for (place, message) in traces {
        ended(takt(&["run", "system.toml", "--trace", place], &first)).fails_with(2, message);
    }
    assert!(!first.join("build").exists(), "it was built before");
    // A new application cannot be created at such a path either.
    for place in ["itself", &"a".repeat(300)] {
        ended(takt(&["new", place], folder.path())).fails_with(2, "cannot use ");
    }
}

#[test]
fn a_run_without_a_result_leaves_the_files_as_they_were() {
    let folder = folder(ENDS_BADLY, &[]);
    let files = || {
        let names = folder.path().read_dir().unwrap().map(|entry| entry.unwrap().path());
        let mut names: Vec<PathBuf> = names.collect();
        names.sort();
        names
    };
    let before = files();
    let boot = |more: &[&str]| boot_with(&folder, &[&BARE, more].concat());
    boot(&["--signature", "new"]).fails_with(3, "traps for ever");
    boot(&["--save", "new", "--until", "1s"]).fails_with(3, "traps for ever");
    assert_eq!(files(), before);
    std::fs::write(folder.path().join("old"), "precious").unwrap();
    boot(&["--signature", "old"]).fails_with(3, "traps for ever");
    boot(&["--save", "old", "--until", "1s"]).fails_with(3, "traps for ever");
    assert_eq!(std::fs::read_to_string(folder.path().join("old")).unwrap(), "precious");
}

/// A graph's workers have no kernel, and no other machine has their mesh.
#[test]
fn a_graph_is_for_its_board_and_for_gcc() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let cannon = "examples/dataflow/cannon/system.toml";
    for (option, message) in [
        ("--qemu", "QEMU has no mesh as the board `iota9`"),
        ("--clang", "is built by GCC alone"),
        ("--sanitize", "is built by GCC alone"),
    ] {
        let run = ended(takt(&["run", cannon, option], &root));
        assert_eq!(run.code, 2, "{option}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{option}: {}", run.stderr);
    }
}

/// Messages that lie in an exchange need a machine that has one.
#[test]
fn channels_of_an_exchange_are_for_its_board() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let run = ended(takt(&["run", "examples/channels/system.toml", "--qemu"], &root));
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("QEMU has no exchange as the board `sara`"), "{}", run.stderr);
}

/// An object whose variables no scratchpad has room for: the linker finds it, and takt names its entry.
#[test]
fn an_object_that_fits_no_scratchpad_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let code = "#include <takt/dataflow_system.h>\nstatic volatile uint8_t table[2 << 20];\n\
                void load(const struct dataflow_load *ports) {}\n\
                void work(const struct dataflow_work *ports) { table[sizeof table - 1] = 1; }\n\
                void keep(const struct dataflow_keep *ports) {}\n";
    std::fs::write(folder.path().join("large.c"), code).unwrap();
    let system = "format = 1\nobject = [\n\
                  { name = \"load\", entry = \"load\", core = 0, wcet = \"1us\" },\n\
                  { name = \"work\", entry = \"work\", core = 1, wcet = \"1us\" },\n\
                  { name = \"keep\", entry = \"keep\", core = 2, wcet = \"1us\" },\n]\n\
                  edge = [\n{ from = \"load.out\", to = \"work.in\", size = \"64B\" },\n\
                  { from = \"load.out\", to = \"keep.in\", size = \"64B\" },\n]\n\
                  [system]\nname = \"large\"\nboard = \"iota9\"\nsources = [\"large.c\"]\n\
                  libraries = [\"dataflow\"]\n";
    std::fs::write(folder.path().join("system.toml"), system).unwrap();
    let built = ended(takt(&["build", "system.toml"], folder.path()));
    assert_eq!(built.code, 2, "{}", built.stderr);
    for part in ["scratchpad_full", "workers that execute `work`", "leave 1040320B for code"] {
        assert!(built.stderr.contains(part), "{part}: {}", built.stderr);
    }
    assert!(!built.stderr.contains("`keep`"), "{}", built.stderr);
}
