// SPDX-License-Identifier: Apache-2.0
//! How fast the board is on this host, in one process: `make bench-board` writes bench/results/board.json.
//!
//! Every figure is a median of three runs in time of the host's processor, so that a busy host
//! disturbs little. Figures of several workloads are given each, and their minimum.
#[path = "../tests/common/program.rs"]
#[allow(dead_code)]
mod program;

use program::{board, compile, functional, timed};
use std::{collections::BTreeMap, path::Path, process::Command, time::Duration};
use takt_board::{
    Setup, boot,
    engine::{End, Machine},
    start,
};

const HARTS: u32 = 72;
/// With the rounds that each of 72 harts does: seconds of the host's time.
const WORKS: [(&str, u32, u32); 4] =
    [("alu", 0, 240), ("matrix", 1, 120), ("list", 2, 8000), ("crc", 3, 120)];
const STREAM: u32 = 4;
/// How many harts, and a board that has them.
const NUMBERS: [(u32, &str); 5] =
    [(1, "tile72"), (8, "tile72"), (32, "tile72"), (72, "tile72"), (128, "virt128")];
const OPENSBI: &str = boot::firmware::OPENSBI;
const ROSACE: &str = "examples/rosace/system.toml";
/// ROSACE on a machine whose every hart the kernel starts: OpenSBI lets harts that nobody starts spin.
const ROSACE_ON_ALL: &str = "examples/rosace/.all-cores.toml";

fn main() {
    let mut results = BTreeMap::new();
    let board = board("tile72");
    let mut speeds: [Vec<(String, f64)>; 4] = Default::default();
    for (name, work, rounds) in WORKS {
        let program = program_of(work, rounds);
        let single = program_of(work, rounds * 5);
        let measures: [&dyn Fn() -> f64; 4] = [
            &|| instructions(&mut functional(&board, HARTS, &program).0),
            &|| instructions(&mut timed(&board, HARTS, &program)),
            &|| instructions(&mut timed(&board, 1, &single)),
            &|| qemu(&single, instructions_of(&single)),
        ];
        for (list, measure) in speeds.iter_mut().zip(measures) {
            list.push((name.to_string(), median(measure)));
            let (name, speed) = &list[list.len() - 1];
            eprintln!("{name}: {speed:.1} MIPS");
        }
    }
    let image = rosace_image();
    let (booted, boot_speed) = rosace_booted(&board, &image);
    speeds[0].push(("rosace".to_string(), boot_speed));
    speeds[1].push((
        "rosace".to_string(),
        median(&|| {
            let mut machine = booted.clone();
            machine.begin_timing(|_| 0);
            let until = machine.now + 500_000_000;
            mips(&mut machine, |machine| assert_eq!(machine.run(until), End::Until))
        }),
    ));
    let keys = ["functional_mips", "timed_private_mips", "timed_single_mips", "qemu_icount_mips"];
    for (key, list) in keys.into_iter().zip(&speeds) {
        let least = list.iter().map(|(_, speed)| *speed).fold(f64::INFINITY, f64::min);
        results.insert(key.to_string(), format!("{least:.1}"));
        let each: Vec<String> =
            list.iter().map(|(name, speed)| format!("\"{name}\": {speed:.1}")).collect();
        results.insert(format!("{key}_each"), format!("{{ {} }}", each.join(", ")));
    }

    for (key, list) in keys.into_iter().zip(&speeds[..3]) {
        let key = key.replace("_mips", "_to_qemu");
        let ratios = to_qemu(list, &speeds[3]);
        let least = ratios.iter().map(|(_, ratio)| *ratio).fold(f64::INFINITY, f64::min);
        let each: Vec<String> =
            ratios.iter().map(|(name, ratio)| format!("\"{name}\": {ratio:.2}")).collect();
        eprintln!("{key}: {}", each.join(", "));
        results.insert(key.clone(), format!("{least:.2}"));
        results.insert(format!("{key}_each"), format!("{{ {} }}", each.join(", ")));
    }

    let (mips, transactions) = misses(&board, HARTS);
    results.insert("timed_miss_mips".to_string(), format!("{mips:.2}"));
    results.insert("timed_miss_mtransactions".to_string(), format!("{transactions:.3}"));
    for (harts, name) in NUMBERS {
        let row = by_number(harts, &program::board(name));
        eprintln!("{harts} harts: {row}");
        results.insert(format!("timed_{harts:03}_harts"), row);
    }

    let locks = compile("locks.c", &["-DROUNDS=5"]);
    let cycles = median(&|| {
        let mut machine = timed(&board, HARTS, &locks);
        let (begin, before) = (machine.now, cpu());
        let end = program::finish(&mut machine, u64::MAX / 2);
        (end - begin) as f64 / (cpu() - before).as_secs_f64()
    });
    results.insert("lock_cycles_per_second".to_string(), format!("{cycles:.0}"));
    results.insert("rss_mib".to_string(), format!("{:.0}", peak_of_rosace()));
    results.insert("host".to_string(), format!("\"{}\"", host()));

    let lines: Vec<String> =
        results.iter().map(|(key, value)| format!("  \"{key}\": {value}")).collect();
    let text = format!("{{\n{}\n}}\n", lines.join(",\n"));
    std::fs::create_dir_all("bench/results").expect("a folder for the results");
    std::fs::write("bench/results/board.json", &text).expect("the results are written");
    print!("{text}");
}

/// Million instructions and transactions a second where everything misses.
fn misses(board: &takt_model::Board, harts: u32) -> (f64, f64) {
    let stream = program_of(STREAM, (HARTS / harts).max(1));
    let run = || {
        let mut machine = timed(board, harts, &stream);
        let (instructions, before) = (machine.instructions(), cpu());
        program::finish(&mut machine, u64::MAX / 2);
        let seconds = (cpu() - before).as_secs_f64();
        let executed = (machine.instructions() - instructions) as f64;
        (
            executed / seconds / 1e6,
            machine.world.coherence.transactions_done() as f64 / seconds / 1e6,
        )
    };
    let mut runs = [run(), run(), run()];
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    runs[1]
}

/// The timed speeds of one number of harts, which do as much together as 72 do.
fn by_number(harts: u32, board: &takt_model::Board) -> String {
    let speed = |(name, work, rounds): (&str, u32, u32)| {
        let program = program_of(work, (rounds * HARTS / harts).max(1));
        let speed = median(&|| instructions(&mut timed(board, harts, &program)));
        format!("\"{name}\": {speed:.1}")
    };
    let speeds = WORKS.map(speed).join(", ");
    format!("{{ {speeds}, \"miss_mtransactions\": {:.3} }}", misses(board, harts).1)
}

/// The speed of each workload that QEMU ran too, as a part of QEMU's.
fn to_qemu(speeds: &[(String, f64)], qemu: &[(String, f64)]) -> Vec<(String, f64)> {
    let ratio = |(name, theirs): &(String, f64)| {
        let ours = speeds.iter().find(|(same, _)| same == name)?.1;
        Some((name.clone(), ours / theirs))
    };
    qemu.iter().filter_map(ratio).collect()
}

fn program_of(work: u32, rounds: u32) -> std::path::PathBuf {
    compile("work.c", &[&format!("-DWORK={work}"), &format!("-DROUNDS={rounds}")])
}

fn median(measure: &dyn Fn() -> f64) -> f64 {
    let mut runs = [measure(), measure(), measure()];
    runs.sort_by(f64::total_cmp);
    runs[1]
}

/// Million instructions a second of what `run` does.
fn mips(machine: &mut Machine, run: impl FnOnce(&mut Machine)) -> f64 {
    let (instructions, before) = (machine.instructions(), cpu());
    run(machine);
    let seconds = (cpu() - before).as_secs_f64();
    (machine.instructions() - instructions) as f64 / seconds / 1e6
}

fn instructions(machine: &mut Machine) -> f64 {
    mips(machine, |machine| {
        program::finish(machine, u64::MAX / 2);
    })
}

/// How many instructions a program takes on one hart.
fn instructions_of(program: &Path) -> u64 {
    let mut machine = functional(&board("tile72"), 1, program).0;
    program::finish(&mut machine, u64::MAX / 2);
    machine.instructions()
}

/// QEMU with -icount and one hart, the program's start included.
fn qemu(program: &Path, instructions: u64) -> f64 {
    let before = children();
    let status = Command::new("qemu-system-riscv64")
        .args(["-M", "virt", "-m", "1G", "-bios", "none", "-icount", "shift=0", "-nographic"])
        .args(["-serial", "null", "-monitor", "none", "-kernel"])
        .arg(program)
        .stdin(std::process::Stdio::null())
        .status()
        .expect("QEMU is installed");
    assert!(status.success(), "QEMU ran {}", program.display());
    instructions as f64 / (children() - before).as_secs_f64() / 1e6
}

fn rosace_image() -> std::path::PathBuf {
    let text = std::fs::read_to_string(ROSACE).expect("the flight controller's description");
    let line = text.lines().find(|line| line.starts_with("cores")).expect("its cores");
    let all = text.replace(line, &format!("cores = {HARTS}"));
    std::fs::write(ROSACE_ON_ALL, all).expect("a description beside it");
    let output =
        Command::new("./takt").args(["build", ROSACE_ON_ALL]).output().expect("takt builds");
    let text = String::from_utf8_lossy(&output.stdout);
    let image = text.split_whitespace().find(|word| word.ends_with("image.elf"));
    image.unwrap_or_else(|| panic!("takt build {ROSACE_ON_ALL} names the image: {text}")).into()
}

/// A machine before the first instruction of the image, and the speed of the firmware's boot.
fn rosace_booted(board: &takt_model::Board, image: &Path) -> (Machine, f64) {
    let mut started = start(Setup {
        board,
        harts: HARTS,
        program: image,
        firmware: boot::Firmware::Dynamic(Path::new(OPENSBI)),
        initrd: None,
        arguments: "",
        input: vec![],
        devices: vec![],
    })
    .expect("the machine starts");
    started.machine.set_stops(vec![started.entry]);
    let speed = mips(&mut started.machine, |machine| {
        assert!(matches!(machine.run(u64::MAX / 2), End::Stop { .. }));
    });
    started.machine.set_stops(Vec::new());
    (started.machine, speed)
}

/// MiB that a run of ROSACE on 72 harts takes at its peak.
fn peak_of_rosace() -> f64 {
    let mut child = Command::new("target/release/takt")
        .args(["run", ROSACE_ON_ALL, "--for", "1s"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("takt runs");
    let mut peak = 0.0f64;
    let path = format!("/proc/{}/status", child.id());
    while child.try_wait().expect("takt is a child").is_none() {
        let status = std::fs::read_to_string(&path).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
        peak = peak.max(kib.unwrap_or(0.0) / 1024.0);
        std::thread::sleep(Duration::from_millis(20));
    }
    let _ = std::fs::remove_file(ROSACE_ON_ALL);
    peak
}

/// Time on the processor of this process, which has one thread.
fn cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/self/schedstat").expect("Linux tells");
    let nanos = text.split_whitespace().next().and_then(|word| word.parse().ok());
    Duration::from_nanos(nanos.expect("nanoseconds"))
}

/// That of the processes that have ended: fields 16 and 17 of stat, in ticks of 10 ms.
fn children() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").expect("Linux tells");
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace().skip(13).take(2);
    Duration::from_millis(10 * fields.filter_map(|field| field.parse::<u64>().ok()).sum::<u64>())
}

fn host() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name"));
    model.unwrap_or("unknown").trim_start_matches([' ', '\t', ':']).to_string()
}
