// SPDX-License-Identifier: Apache-2.0
//! Tests `takt board boot` with programs of a few instructions, and how each ends.

mod common;

use common::assembly::{BARE, bare, boot_with, program};
use common::takt::{ended, takt};
use std::{path::Path, process::Command};

const SAY_HELLO: &str = "
    li   t0, 0x10000000
    la   t2, text
1:  lbu  t3, (t2)
    beqz t3, 2f
    sb   t3, (t0)
    addi t2, t2, 1
    j    1b
2:
";
const TEXT: &str = "    .data\ntext: .asciz \"hello\\n\"\n    .text\n";

#[test]
fn what_the_program_says_is_takts_output_and_status() {
    let pass = bare(&format!("{SAY_HELLO}    li t1, 0x5555\n    j finish\n{TEXT}"), &[]);
    assert_eq!((pass.code, pass.stdout.as_str()), (0, "hello\n"), "{}", pass.stderr);
    let fail = bare(&format!("{SAY_HELLO}    li t1, 0x2a3333\n    j finish\n{TEXT}"), &[]);
    fail.fails_with(1, "the program failed with code 42");
    assert_eq!(fail.stdout, "hello\n");
    let reset = bare("    li t1, 0x7777\n    j finish\n", &[]);
    assert_eq!(reset.code, 0);
    assert!(reset.stderr.contains("asked for a reset"), "{}", reset.stderr);
}

#[test]
fn tohost_ends_a_run_too() {
    let tohost = |value: u64| {
        format!(
            "    la t0, tohost\n    li t1, {value}\n    sd t1, (t0)\n1:  j 1b\n    .data\n    \
             .balign 8\n    .globl tohost\ntohost: .dword 0\n    .text\n"
        )
    };
    assert_eq!(bare(&tohost(1), &[]).code, 0);
    assert_eq!(bare(&tohost(1), &["--functional"]).code, 0);
    bare(&tohost(2 * 7 + 1), &[]).fails_with(1, "the program failed with code 7");
}

/// Requests at `tohost` with the protocol of Spike's console and system calls; `ask` returns the
/// answer in a0.
const HTIF: &str = "
    .option norelax             # gp is not set
    j    start
ask:
    la   t0, tohost
    la   t1, fromhost
    fence
    sd   a0, (t0)
1:  ld   a0, (t1)
    beqz a0, 1b
    sd   zero, (t1)
    fence
    ret
print:
    la   t0, tohost
    li   t1, 0x0101000000000000
    or   a0, a0, t1
    sd   a0, (t0)
1:  ld   t1, (t0)
    bnez t1, 1b
    ret
start:
";
const HTIF_DATA: &str = "
    .data
    .balign 64
    .globl tohost, fromhost
tohost: .dword 0
    .balign 64
fromhost: .dword 0
    .balign 64
block: .space 64
text: .ascii \"spike\\n\"
    .text
";

#[test]
fn tohost_prints_reads_and_calls() {
    // Prints each letter that it reads, shifted by one; then prints a text by a system call, whose
    // result becomes the exit code.
    let echo = format!(
        "{HTIF}
    li   s0, 3
2:  li   a0, 0x0100000000000000
    call ask
    li   t0, 0x0100000000000100
    sub  a0, a0, t0
    addi a0, a0, 1
    call print
    addi s0, s0, -1
    bnez s0, 2b
    la   s1, block
    li   t0, 64
    sd   t0, 0(s1)
    li   t0, 1
    sd   t0, 8(s1)
    la   t0, text
    sd   t0, 16(s1)
    li   t0, 6
    sd   t0, 24(s1)
    mv   a0, s1
    call ask
    ld   s2, 0(s1)
    li   t0, 1234
    sd   t0, 0(s1)
    mv   a0, s1
    call ask
    ld   t0, 0(s1)
    add  s2, s2, t0             # 6 - 38
    neg  s2, s2
    li   t0, 93
    sd   t0, 0(s1)
    sd   s2, 8(s1)
    mv   a0, s1
    call ask
3:  j    3b
{HTIF_DATA}"
    );
    let directory = tempfile::tempdir().unwrap();
    program(directory.path(), 0x8000_0000, &echo);
    std::fs::write(directory.path().join("typed"), "HAL and more").unwrap();
    for mode in [&[][..], &["--functional"]] {
        let options = [&BARE[..], &["--input", "typed"], mode].concat();
        let end = boot_with(&directory, &options);
        end.fails_with(1, "the program failed with code 32");
        assert_eq!(end.stdout, "IBMspike\n");
    }
}

/// Nothing is typed, so the read is never answered, as on Spike.
#[test]
fn who_waits_for_a_byte_that_nobody_types_is_told() {
    let text = format!("{HTIF}    li a0, 0x0100000000000000\n    call ask\n{HTIF_DATA}");
    for mode in [&[][..], &["--functional"]] {
        let end = bare(&text, mode);
        end.fails_with(3, "every hart spins or sleeps, and nothing is to come");
        end.fails_with(3, ", ask+0x");
    }
}

#[test]
fn behind_the_firmware_a_program_shuts_down_by_sbi() {
    let directory = tempfile::tempdir().unwrap();
    let text = "    li a7, 0x53525354\n    li a6, 0\n    li a0, 0\n    li a1, 0\n    ecall\n";
    program(directory.path(), 0x8020_0000, text);
    let end = boot_with(&directory, &["--board", "virt"]);
    assert_eq!(end.code, 0, "{}", end.stderr);
    assert!(end.stdout.contains("OpenSBI v"), "{}", end.stdout);
}

/// Debian's build of U-Boot for QEMU's machine boots on the board.
#[test]
fn u_boot_finds_a_machine_that_it_knows() {
    let program = "/usr/lib/u-boot/qemu-riscv64_smode/u-boot.bin";
    let arguments =
        ["board", "boot", program, "--board", "virt", "--harts", "4", "--until", "100ms"];
    let end = ended(takt(&arguments, Path::new(".")));
    for line in ["U-Boot 20", "Model: polytakt,virt\n", "DRAM:  128 MiB\n", "stop autoboot:  2"] {
        assert!(end.stdout.replace('\r', "").contains(line), "{line}: {}", end.stdout);
    }
    end.fails_with(3, "no end after 100ms of machine time");
}

#[test]
fn a_hart_that_traps_for_ever_is_named() {
    for mode in [&[][..], &["--functional"]] {
        let end = bare("    li t0, 0x4000\n    jr t0\n", mode);
        end.fails_with(3, "hart 0 traps for ever");
        end.fails_with(3, "mcause 0x1, mepc 0x0");
    }
}

#[test]
fn a_dead_machine_and_one_without_end_say_where_the_harts_are() {
    for mode in [&[][..], &["--functional"]] {
        let dead = bare("main:\n    wfi\n    j main\n", mode);
        dead.fails_with(3, "every hart waits, and nothing is to come");
        dead.fails_with(3, "main+0x");
        // This loop counts, so it does not repeat the same state for ever.
        let counts = "main:\n    addi t0, t0, 1\n    j main\n";
        let counts = bare(counts, &[mode, &["--until", "2ms"]].concat());
        counts.fails_with(3, "no end after 2");
        counts.fails_with(3, "hart 0 is at 0x8000000");
    }
}

#[test]
fn harts_that_spin_for_ever_are_named() {
    // Harts 0 to 9 wait for a lock that hart 0 has taken and keeps; all others sleep.
    let text = "
    csrr t0, mhartid
    li   t1, 10
    bltu t0, t1, lock
sleep:
    wfi
    j    sleep
lock:
    la   t0, word
    li   t1, 1
1:  ld   t2, (t0)
    bnez t2, 1b
    amoswap.d t2, t1, (t0)
    bnez t2, 1b
    j    lock
    .data
    .balign 64
word: .dword 0
    .text
";
    for mode in [&[][..], &["--functional"]] {
        let alone = bare("main:\n    j main\n", mode);
        alone.fails_with(3, "every hart spins or sleeps, and nothing is to come");
        alone.fails_with(3, "hart 0 is at 0x80000000, main+0x0, spins");
        let directory = tempfile::tempdir().unwrap();
        program(directory.path(), 0x8000_0000, text);
        let options = ["--board", "tile72", "--harts", "12", "--bios", "none"];
        let many = boot_with(&directory, &[&options[..], mode].concat());
        many.fails_with(3, "every hart spins or sleeps, and nothing is to come");
        many.fails_with(3, ", lock+0x");
        many.fails_with(3, "  and 2 more that spin\n  2 that sleep\n");
    }
}

/// Writes the cycles and the retired instructions of a loop over 64 lines as its signature.
const MEASURE: &str = "
    csrr s0, mcycle
    csrr s1, minstret
main:
    la   t0, lines
    li   t2, 64
1:  ld   t3, (t0)
    addi t0, t0, 64
    addi t2, t2, -1
    bnez t2, 1b
    csrr s2, mcycle
    csrr s3, minstret
    sub  s2, s2, s0
    sub  s3, s3, s1
    la   t0, begin_signature
    sw   s2, 0(t0)
    sw   s3, 4(t0)
    li   t1, 0x5555
    j    finish
    .data
    .balign 64
    .globl begin_signature, end_signature
begin_signature: .word 0, 0, 0xdeadbeef
end_signature:
    .bss
    .balign 64
lines: .space 4096
    .text
";

/// Touches the 64 lines before the measured loop.
const TOUCH: &str = "
    la   t0, lines
    li   t2, 64
1:  ld   t3, (t0)
    addi t0, t0, 64
    addi t2, t2, -1
    bnez t2, 1b
";

/// Returns the measured cycles and instructions.
fn measured(options: &[&str]) -> (u32, u32) {
    measured_of(MEASURE, options)
}

fn measured_of(text: &str, options: &[&str]) -> (u32, u32) {
    let directory = tempfile::tempdir().unwrap();
    program(directory.path(), 0x8000_0000, text);
    let options = [&BARE, &["--signature", "signature.txt"][..], options].concat();
    let end = boot_with(&directory, &options);
    assert_eq!(end.code, 0, "{}", end.stderr);
    let text = std::fs::read_to_string(directory.path().join("signature.txt")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[2]), (3, "deadbeef"), "{text}");
    assert!(lines.iter().all(|line| line.len() == 8), "{text}");
    let word = |line: &str| u32::from_str_radix(line, 16).unwrap();
    (word(lines[0]), word(lines[1]))
}

#[test]
fn time_begins_where_it_is_asked_to() {
    let (untimed, instructions) = measured(&["--functional"]);
    assert_eq!(untimed, instructions);
    let (entry, same) = measured(&[]);
    assert_eq!(same, instructions);
    // Each of the 64 lines is a miss of dozens of cycles.
    assert!(entry > instructions + 64 * 20, "{entry}");
    let (symbol, _) = measured(&["--timed-from", "main"]);
    assert!(symbol > instructions + 64 * 20 && symbol != entry, "{symbol} {entry}");
    let (address, _) = measured(&["--timed-from", "0x80000000"]);
    assert_eq!(address, entry);
    let (none, _) = measured(&["--timed-from", "100000"]);
    assert_eq!(none, instructions, "the program has ended before");
    let told = bare(MEASURE, &["--timed-from", "100000"]).stderr;
    assert!(told.contains("where time begins (--timed-from): none of it was timed"), "{told}");
    let (from_reset, _) = measured(&["--timed-from", "0"]);
    assert!(from_reset > instructions + 64 * 20, "{from_reset}");
}

#[test]
fn caches_are_warm_from_where_it_is_asked_to() {
    let text = format!("{TOUCH}{MEASURE}");
    let timed = ["--timed-from", "main"];
    let (cold, instructions) = measured_of(&text, &timed);
    assert!(cold > instructions + 64 * 20, "{cold}");
    // By symbol, by address and by count, warming begins before the lines are touched.
    for place in ["_start", "0x80000000", "0"] {
        let (warm, same) = measured_of(&text, &[&timed[..], &["--warm-from", place]].concat());
        assert_eq!(same, instructions);
        assert!(warm < instructions + 64 * 20, "from {place}: {warm}, cold {cold}");
    }
    // If warming begins where time begins, nothing is warmed.
    let (never, _) = measured_of(&text, &[&timed[..], &["--warm-from", "main"]].concat());
    assert_eq!(never, cold);
    let told = bare(MEASURE, &["--timed-from", "main", "--warm-from", "100000"]).stderr;
    assert!(told.contains("where warming begins (--warm-from): none of it was timed"), "{told}");
    let late = bare(MEASURE, &["--timed-from", "main", "--warm-from", "nowhere"]);
    late.fails_with(2, "the program has no symbol `nowhere`");
    assert_eq!(bare(MEASURE, &["--warm-from", "main"]).code, 2, "it needs --timed-from");
}

#[test]
fn a_seed_is_a_run() {
    let plain = measured(&[]);
    assert_eq!(plain, measured(&["--seed", "0"]));
    let one = measured(&["--seed", "1"]);
    assert_eq!(one, measured(&["--seed", "1"]));
    assert_ne!(one, plain);
    assert_ne!(one, measured(&["--seed", "1", "--jitter", "30"]));
}

#[test]
fn what_cannot_be_run_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let elf = program(directory.path(), 0x8000_0000, "    li t1, 0x5555\n    j finish\n");
    let bytes = std::fs::read(&elf).unwrap();
    std::fs::write(directory.path().join("cut.elf"), &bytes[..bytes.len() / 2]).unwrap();
    std::fs::write(directory.path().join("empty"), "").unwrap();
    let try_with = |program: &str, options: &[&str], message: &str| {
        let arguments = [&["board", "boot", program], options].concat();
        ended(takt(&arguments, directory.path())).fails_with(2, message);
    };
    for (program, message) in [
        ("cut.elf", "cut.elf is damaged or cut short"),
        ("empty", "empty is empty"),
        ("nowhere.elf", "cannot read nowhere.elf"),
        (".", "cannot read ."),
        ("/bin/sh", "is for another machine"),
    ] {
        try_with(program, &BARE, message);
    }
    for (options, message) in [
        (&["--board", "nope"][..], "there is no board `nope`"),
        (&[], "--board"),
        (&["--board", "virt1", "--harts", "2"], "the board `virt1` has 1 harts, not 2"),
        (&["--board", "virt1", "--bios", "nowhere.bin"], "cannot read nowhere.bin"),
        (&["--board", "virt1", "--timed-from", "0xzz"], "`0xzz` is no address"),
        (&["--board", "virt1", "--timed-from", "1k"], "`1k` is no number of instructions"),
        (&["--board", "virt1", "--functional", "--timed-from", "1"], "cannot be used with"),
        (&["--board", "virt1", "--until", "0s"], "must be greater than 0"),
        // The firmware and the program overlap.
        (&["--board", "virt1"], "runs into"),
    ] {
        try_with("program.elf", options, message);
    }
    let bare = |more: &[&str], message| try_with("program.elf", &[&BARE, more].concat(), message);
    bare(&["--timed-from", "nothing"], "the program has no symbol `nothing`");
    bare(&["--initrd", "nowhere.gz"], "cannot read nowhere.gz");
    bare(&["--signature", "file"], "the program has no signature in RAM");
}

/// The program loops for more than two microseconds.
#[test]
fn until_is_a_moment_and_no_later_one() {
    let text =
        "    li t2, 1000\n1:  addi t2, t2, -1\n    bnez t2, 1b\n    li t1, 0x5555\n    j finish\n";
    for mode in [&[][..], &["--functional"]] {
        let given_up = bare(text, &[mode, &["--until", "500ns"]].concat());
        given_up.fails_with(3, "no end after 500ns of machine time");
        assert_eq!(bare(text, &[mode, &["--until", "50us"]].concat()).code, 0);
    }
}

/// A device file may have no end, and a firmware is not placed in memory as a program is.
#[test]
fn what_is_no_file_to_read_is_said_so() {
    let directory = tempfile::tempdir().unwrap();
    program(directory.path(), 0x8020_0000, "main:\n    j main\n");
    let boot = |program: &str, options: &[&str]| {
        let arguments = [&["board", "boot", program, "--board", "virt1"], options].concat();
        ended(takt(&arguments, directory.path()))
    };
    let device = "/dev/null is a device";
    boot("/dev/null", &[]).fails_with(2, device);
    for option in ["--bios", "--initrd", "--load"] {
        boot("program.elf", &[option, "/dev/null"]).fails_with(2, device);
    }
    let firmware = boot("program.elf", &["--bios", "program.elf"]);
    firmware.fails_with(2, "program.elf is an ELF file; a firmware is a raw binary");
}

/// The board's file has a scratchpad for each core and a lock; a second file has a scratchpad that
/// overlaps a device.
#[test]
fn a_program_reaches_what_its_board_adds() {
    let directory = tempfile::tempdir().unwrap();
    let text = "
    li   t0, 0x70000000
    li   t2, 42
    sd   t2, (t0)
    li   t3, 0x71000000
    ld   t3, (t3)
    li   t4, 0x60000000
    ld   t5, (t4)
    ld   t6, (t4)
    bne  t2, t3, 2f
    bnez t5, 2f
    li   t5, 1
    bne  t5, t6, 2f
    li   t1, 0x5555
    j    finish
2:  li   t1, 0x33333
    j    finish
";
    program(directory.path(), 0x8000_0000, text);
    let boards = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../boards");
    let virt = std::fs::read_to_string(boards.join("virt1.toml")).unwrap();
    let own = |at: &str| {
        format!(
            "{virt}\n[[scratchpad]]\nname = 'own'\nbase = '0x70000000'\nsize = '4KiB'\nlatency = 1\n\
             window = '0x71000000'\n[[register]]\nname = 'lock'\nkind = 'test_and_set'\nbase = '{at}'\n"
        )
    };
    let boot = |at| {
        std::fs::write(directory.path().join("mine.toml"), own(at)).unwrap();
        boot_with(&directory, &["--board", "mine.toml", "--bios", "none"])
    };
    let ended = boot("0x60000000");
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    boot("0x10000008").fails_with(2, "`lock` and the UART of the modelled machine overlap");
}

/// Compiles the example device in C for this host.
fn alarm(directory: &Path) {
    let device = Path::new(env!("CARGO_MANIFEST_DIR")).join("../device");
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-I"])
        .arg(device.join("include"))
        .arg(device.join("examples/alarm.c"))
        .arg("-o")
        .arg(directory.join("alarm.so"))
        .status();
    assert!(status.expect("cc runs").success(), "the device compiles");
}

/// Sets the alarm to 20,000 cycles and waits for it; then prints and ends.
const ALARM: &str = "
    li   s0, 0x50000000
    li   t0, 20000
    sd   t0, (s0)
1:  ld   t1, 8(s0)
    beqz t1, 1b
    li   t0, 0x10000000
    li   t1, 'r'
    sb   t1, (t0)
    li   t1, 0x5555
    j    finish
";

#[test]
fn a_library_is_a_device() {
    let directory = tempfile::tempdir().unwrap();
    program(directory.path(), 0x8000_0000, ALARM);
    alarm(directory.path());
    let boot = |options: &[&str]| boot_with(&directory, &[&BARE, options].concat());
    for more in [&["--functional"][..], &[]] {
        let ended = boot(&[&["--device", "alarm.so@0x50000000,20"], more].concat());
        assert_eq!((ended.code, ended.stdout.as_str(), ended.stderr.as_str()), (0, "r", ""));
    }
    let device = ["--device", "alarm.so@0x50000000"];
    let saved = boot(&[&device[..], &["--until", "10us", "--save", "state"]].concat());
    assert_eq!((saved.code, saved.stdout.as_str()), (0, ""), "{}", saved.stderr);
    let ended = boot(&[&device[..], &["--load", "state"]].concat());
    assert_eq!((ended.code, ended.stdout.as_str(), ended.stderr.as_str()), (0, "r", ""));
    boot(&["--load", "state"]).fails_with(2, "it is of another machine");
    // Without the device the load is an access fault, again and again.
    boot(&[]).fails_with(3, "traps for ever");
}

#[test]
fn what_is_no_device_is_said_so() {
    let directory = tempfile::tempdir().unwrap();
    program(directory.path(), 0x8000_0000, ALARM);
    alarm(directory.path());
    std::fs::write(directory.path().join("text.so"), "no library").unwrap();
    let fails = |device: &str, text| {
        boot_with(&directory, &[&BARE, &["--device", device][..]].concat()).fails_with(2, text);
    };
    fails("nothing.so@0x50000000", "there is no library nothing.so");
    let pipe = std::process::Command::new("mkfifo").arg(directory.path().join("pipe.so")).status();
    assert!(pipe.unwrap().success());
    fails("pipe.so@0x50000000", "there is no library pipe.so: it is no file");
    fails("text.so@0x50000000", "cannot load text.so");
    fails("alarm.so@0x10000000", "runs into the one at 0x10000000");
    fails("alarm.so@0x50000000,10", "two devices would have the interrupt source 10");
    fails("alarm.so@0x50000000,97", "no interrupt source 97");
    fails("alarm.so@0x50000000,4294967295", "no interrupt source 4294967295");
    fails("alarm.so@0x50000004", "is no multiple of 8");
    fails("alarm.so@5000", "`5000` is no address");
    fails("alarm.so@0x50000000,x", "`x` is no number");
    fails("alarm.so", "write a library and its address");
    fails("@0x50000000", "write a library and its address");
}
