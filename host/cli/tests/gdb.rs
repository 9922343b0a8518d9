// SPDX-License-Identifier: Apache-2.0
//! Tests `takt run --gdb` and `takt board boot --gdb` with the real gdb.

mod common;

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use common::assembly::program;
use common::takt::{Ended, ended, takt};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const RUN: [&str; 7] =
    ["run", "examples/rosace/system.toml", "--board", "tile72", "--for", "60ms", "--harts"];

/// A takt process that waits at its start, and the gdb command that attaches to it.
struct Debugged {
    takt: Child,
    stderr: BufReader<std::process::ChildStderr>,
    image: PathBuf,
    target: String,
}

impl Debugged {
    fn start(arguments: &[&str]) -> Debugged {
        Debugged::start_in(arguments, Path::new(ROOT))
    }

    fn start_in(arguments: &[&str], folder: &Path) -> Debugged {
        let mut command = takt(arguments, folder);
        command.args(["--gdb", "0"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut takt = command.spawn().expect("takt runs");
        let mut stderr = BufReader::new(takt.stderr.take().expect("a pipe"));
        let mut line = String::new();
        while !line.contains("gdb-multiarch ") {
            line.clear();
            assert!(stderr.read_line(&mut line).expect("a line") > 0, "takt waits for gdb");
        }
        let mut words = line.split('\'');
        let image = words.next().and_then(|text| text.split_whitespace().nth(1)).expect("image");
        let target = words.next().expect("target").to_string();
        Debugged { takt, stderr, image: folder.join(image), target }
    }

    /// Returns what gdb prints for these commands, including its errors.
    fn gdb(&self, commands: &[&str]) -> String {
        let mut gdb = Command::new("timeout");
        gdb.args(["60", "gdb-multiarch", "-nx", "-batch"]).arg(&self.image);
        gdb.args(["-ex", "set confirm off", "-ex", &self.target]);
        gdb.args(commands.iter().flat_map(|command| ["-ex", command]));
        let output = gdb.stdin(Stdio::null()).output().expect("gdb-multiarch is installed");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text + &String::from_utf8_lossy(&output.stderr)
    }

    fn ended(mut self) -> Ended {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.takt.stdout.take().expect("a pipe").read_to_string(&mut stdout).expect("text");
        self.stderr.read_to_string(&mut stderr).expect("text");
        let code = self.takt.wait().expect("takt ends").code().expect("by itself");
        Ended { code, stdout, stderr }
    }
}

#[track_caller]
fn shows(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let at = rest.find(part);
        rest = &rest[at.unwrap_or_else(|| panic!("{part:?} does not follow in\n{text}"))..];
    }
}

fn run() -> Vec<&'static str> {
    [&RUN[..], &["5", "--format", "json"]].concat()
}

#[test]
fn a_run_that_was_looked_at_is_the_run_that_it_is() {
    let plain = ended(takt(&run(), Path::new(ROOT)));
    assert_eq!(plain.code, 0, "{}", plain.stderr);

    let debugged = Debugged::start(&run());
    let text = debugged.gdb(&[
        "break altitude_hold_step",
        "continue",
        "info threads",
        "backtrace",
        "print $mhartid",
        "print $priv",
        "print (long)$sstatus != 0",
        "stepi",
        "next",
        "delete",
        "watch state.h",
        "continue",
        "print state.h < 10000 && state.h > 9999",
        "backtrace",
        "delete",
        "rwatch state.h",
        "continue",
        "delete",
        "continue",
    ]);
    shows(
        &text,
        &[
            "Thread 3 hit Breakpoint 1, altitude_hold_step",
            "hart 0, S-mode, sleeps in WFI",
            "* 3 ",
            "hart 2, S-mode, runs",
            "hart 3, S-mode, sleeps in WFI",
            "hart 4, ",
            "#0  altitude_hold_step",
            "job_main",
            "$1 = 2",
            "$2 = 1",
            "$3 = 1",
            "Thread 1 hit Hardware watchpoint 2: state.h",
            "Old value = 10000",
            "New value = 9999.9",
            "$4 = 1",
            "#0  ",
            "aircraft_step",
            "hit Hardware read watchpoint 3: state.h",
            "exited normally",
        ],
    );
    let looked_at = debugged.ended();
    assert_eq!(looked_at.code, 0, "{}", looked_at.stderr);
    assert_eq!(looked_at.stdout, plain.stdout, "the same figures to the last cycle");
}

#[test]
fn gdb_can_interrupt_detach_and_kill() {
    let debugged = Debugged::start(&["run", "examples/rosace/system.toml", "--for", "300s"]);
    let interrupt = "import os, signal, threading; \
        threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()";
    let text = debugged.gdb(&[&format!("python {interrupt}"), "continue", "info threads", "kill"]);
    shows(&text, &["received signal SIGINT", "hart 3, "]);
    debugged.ended().fails_with(130, "gdb ended the machine");

    let detached = Debugged::start(&run());
    shows(&detached.gdb(&["break aircraft_step", "continue", "detach"]), &["hit", "detached"]);
    assert_eq!(detached.ended().code, 0);

    let gone = Debugged::start(&run());
    gone.gdb(&["python import os; os._exit(0)"]);
    assert_eq!(gone.ended().code, 0, "a connection that breaks is as a detach");
}

#[test]
fn memory_and_registers_can_be_changed() {
    let debugged = Debugged::start(&run());
    let text = debugged.gdb(&[
        "break aircraft_step",
        "continue",
        "set var state.h = 8000",
        "print state.h",
        "set $a3 = 0x1234",
        "print $a3",
        "set $ft3 = 2.5",
        "print $ft3.double",
        "print *(int *)0",
        "print *(int *)0x10000000",
        "print /x *(unsigned *)$pc != 0",
        "kill",
    ]);
    shows(
        &text,
        &[
            "$1 = 8000",
            "$2 = 4660",
            "$3 = 2.5",
            "$4 = 0x1",
            "Cannot access memory",
            "Cannot access",
        ],
    );
    debugged.ended().fails_with(130, "gdb ended the machine");
}

/// Behind the last address there is no memory; the address does not wrap around to the first.
#[test]
fn the_last_addresses_can_be_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    program(folder.path(), 0x8000_0000, "main:\n    j main\n");
    let boot = ["board", "boot", "program.elf", "--board", "virt1", "--bios", "none"];
    let debugged = Debugged::start_in(&boot, folder.path());
    let text = debugged.gdb(&["x/gx 0xfffffffffffffff8", "x/gx 0xfffffffffffffffc", "kill"]);
    shows(&text, &["access memory at address 0xfffffffffffffff8", "at address 0xfffffffffffffffc"]);
    debugged.ended().fails_with(130, "gdb ended the machine");
}

#[test]
fn what_does_not_go_with_gdb_is_said() {
    let run = |more: &[&str]| ended(takt(&[&run()[..], more].concat(), Path::new(ROOT)));
    run(&["--gdb", "--qemu"]).fails_with(2, "cannot be used with");
    run(&["--gdb", "--seed", "1..3"]).fails_with(2, "gdb looks at one run");
    run(&["--gdb", "port"]).fails_with(2, "invalid value 'port'");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("its number").port().to_string();
    run(&["--gdb", &port]).fails_with(3, "cannot wait for gdb at port");
}

/// Two harts count to 3; the exit code is the sum.
const COUNTS: &str = "
    csrr s0, mhartid
    la   s1, count
    li   s2, 3
main:
    li   t0, 1
    amoadd.w zero, t0, (s1)
    addi s2, s2, -1
    bnez s2, main
    bnez s0, asleep
1:  lw   t1, (s1)
    li   t2, 6
    bne  t1, t2, 1b
    slli t1, t1, 16
    li   t0, 0x3333
    or   t1, t1, t0
    j    finish
asleep:
    wfi
    j    asleep
    .data
    .globl asleep, count
count: .word 0
    .text
";

#[test]
fn any_program_can_be_debugged_from_where_its_time_begins() {
    let folder = tempfile::tempdir().expect("a folder");
    program(folder.path(), 0x8000_0000, COUNTS);
    let boot =
        ["board", "boot", "program.elf", "--board", "virt", "--harts", "2", "--bios", "none"];
    let plain = ended(takt(&boot, folder.path()));
    plain.fails_with(1, "the program failed with code 6");
    for (more, first) in [
        (&[][..], "$1 = 0x80000000"),
        (&["--timed-from", "main"], "$1 = 0x8000000"),
        (&["--functional"], "$1 = 0x1000"),
    ] {
        let debugged = Debugged::start_in(&[&boot[..], more].concat(), folder.path());
        let text = debugged.gdb(&[
            "print /x (long)$pc",
            "break main",
            "continue",
            "info threads",
            "print $s2",
            "delete",
            "watch *(int *)&count if *(int *)&count == 6",
            "continue",
            "print *(int *)&count",
            "delete",
            "break finish",
            "continue",
            "print $mhartid",
            "continue",
        ]);
        let parts = [first, "hit Breakpoint 1", "main ()", "hart 1, M-mode", "$2 = ", "= 6", "= 6"];
        shows(
            &text,
            &[&parts[..], &["hit Breakpoint 3", "finish ()", "= 0", "exited with code"]].concat(),
        );
        let end = debugged.ended();
        assert_eq!((end.code, &end.stdout), (1, &plain.stdout), "{}", end.stderr);
    }
}
