// SPDX-License-Identifier: Apache-2.0
//! The system that a calibration runs: bench/calibrate on each core of the board.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use takt_model::timing::{Cache, Dram, Homes};
use takt_model::{Board, Measured, MemoryLoad, Timing};

/// Nanoseconds: of the periodic tasks; until when the caches are taken away; of the whole run.
pub const PERIOD: u64 = 2_100_000;
pub const COLD: u64 = 8 * PERIOD;
pub const RUN: u64 = 9 * PERIOD;

/// Timers that run on each core from the begin to the end and expire behind it.
const PARKED: u32 = 9;
/// Timers of the tasks: the releases of the periodic ones, a wait with a limit, a delay.
const TIMERS: u32 = 6;

/// Tasks of each core: name, priority, what else stands in the description.
const TASKS: [(&str, &str, u32, &str); 10] = [
    ("first", "first_step", 1, PERIODIC),
    ("second", "second_step", 2, PERIODIC),
    ("third", "third_step", 3, PERIODIC),
    ("asker", "asker_step", 3, PERIODIC),
    ("sleeper", "sleeper_job", 4, WAITS),
    ("near", "near_job", 5, WAITS),
    ("far", "far_job", 6, WAITS),
    ("activated", "activated_job", 7, ""),
    ("napper", "napper_job", 8, WAITS),
    ("churn", "churn_job", 60, WAITS),
];
const PERIODIC: &str = "period = \"2100us\"\nwcet = \"1ms\"\n";
const WAITS: &str = "start = true\nsuspends = \"1s\"\n";

/// What the figures hold for: this system's kernel has the default options.
pub fn conditions(cores: u32) -> Measured {
    use MemoryLoad::{Alone, Mix, OneBank, Readers, Writers};
    Measured {
        locking: Default::default(),
        own_task: Default::default(),
        homing: Default::default(),
        cores,
        // The one that asks and the one that owns.
        cores_per_lock: cores.min(2),
        timers_per_core: TIMERS + PARKED,
        interrupt_sources: 1,
        load: if cores == 1 { vec![Alone] } else { vec![Writers, OneBank, Readers, Mix] },
    }
}

/// Writes the system into a folder; returns its description.
pub fn write(
    folder: &Path,
    home: &Path,
    board: &Board,
    cores: u32,
    timing: &Timing,
) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let ground = ground(board, cores, timing);
    std::fs::write(folder.join("calibrate.h"), header(board, cores, ground, timing))?;
    let path = folder.join("system.toml");
    let source = home.join("bench/calibrate/main.c");
    std::fs::write(&path, description(&source, &board.name, cores, ground))?;
    Ok(path)
}

fn header(board: &Board, cores: u32, ground: u64, timing: &Timing) -> String {
    let churn = churn(cores, timing);
    let own = timing.kinds.iter().map(|kind| kind.l1i.size);
    let code = 2 * own.fold(timing.l1i.size, u64::max);
    let dram = &timing.dram;
    let masks: String = dram.banks.iter().map(|mask| format!("{mask:#x}ul, ")).collect();
    format!(
        "/* SPDX-License-Identifier: Apache-2.0 */\n#define CORES {cores}\n#define CHURN {churn}\n\
         #define GROUND {ground}\n#define CODE {code}\n#define PERIOD {PERIOD}\n#define COLD {COLD}\n\
         #define LOAD {:#x}ul\n#define LINK_BASE {:#x}ul\n#define BANK_MASKS {masks}\n\
         #define INTERLEAVE {}ul\n#define CONTROLLERS {}\n#define GRAIN {}ul\n",
        board.load,
        takt_configure::LINK_BASE,
        dram.interleave,
        dram.nodes.len(),
        grain(dram),
    )
}

/// Bytes from a multiple of them on that are in one row of one bank of one controller, and in one page.
fn grain(dram: &Dram) -> u64 {
    let masks = dram.banks.iter().map(|mask| 1 << mask.trailing_zeros());
    masks.fold(dram.interleave.min(dram.row).min(4096), u64::min)
}

/// Bytes of each core's ground: its lines in one bank are more than the caches keep of that bank, as far as
/// half of the memory is enough for this. It is a stack, which the core clears when it boots.
fn ground(board: &Board, cores: u32, timing: &Timing) -> u64 {
    let churn = churn(cores, timing);
    let banks = 1u64 << timing.dram.banks.len();
    let inside = |base: u64, size: u64| board.load >= base && board.load - base < size;
    let memory = board.memory.iter().find(|memory| inside(memory.base, memory.size.0));
    let half = memory.map_or(0, |memory| memory.size.0 / 2 / u64::from(cores));
    (banks * churn).min(half).max(churn) / 4096 * 4096
}

/// Bytes that fill any core's caches and its part of the homes' twice.
fn churn(cores: u32, timing: &Timing) -> u64 {
    let size = |cache: &Option<Cache>| cache.as_ref().map_or(0, |cache| cache.size);
    let cluster = timing.cluster.as_ref().map_or(0, |cluster| cluster.cache.size);
    let kinds = timing.kinds.iter().map(|kind| kind.l1d.size.max(size(&kind.l2)));
    let own = kinds.fold(timing.l1d.size.max(size(&timing.l2)).max(cluster), u64::max);
    let home = size(&timing.coherence.cache);
    2 * (own + (home * homes(timing) / u64::from(cores)).max(home))
}

fn homes(timing: &Timing) -> u64 {
    match &timing.coherence.homes {
        Homes::Nodes { nodes, .. } => nodes.len() as u64,
        _ => timing.interconnect.shape.nodes().into(),
    }
}

fn description(source: &Path, board: &str, cores: u32, ground: u64) -> String {
    let last = cores - 1;
    let raiser = (last + cores / 2) % cores;
    let mut text = format!(
        "format = 1\n[system]\nname = \"calibrate\"\nboard = \"{board}\"\ncores = {cores}\n\
         sources = [{source:?}]\ninclude = [\".\"]\n[kernel]\nevents = 64\nconsole = \"512B\"\n\
         [[interrupt]]\nname = \"device\"\ndevice = \"/soc/serial@10000000\"\nentry = \"on_device\"\n\
         core = {last}\nargument = {last}\npriority = 1\n\
         [[task]]\nname = \"raiser\"\nentry = \"raiser_job\"\ncore = {raiser}\npriority = 9\n{WAITS}"
    );
    for what in ["near", "far"] {
        for core in 0..cores {
            let _ = write!(text, "[[semaphore]]\nname = \"{what}_{core}\"\n");
        }
    }
    for (core, index) in (0..cores).flat_map(|core| (0..PARKED).map(move |index| (core, index))) {
        let _ = write!(
            text,
            "[[cyclic]]\nname = \"parked_{core}_{index}\"\nfunction = \"parked\"\ncore = {core}\n\
             period = \"2s\"\noffset = \"{}ms\"\nwcet = \"1us\"\nstart = true\n",
            1000 + index
        );
    }
    for (name, entry, priority, more) in TASKS {
        for core in 0..cores {
            // Each asks at a moment of its own, when the one that it asks has been left alone for long.
            let more_of_it = match name {
                "churn" => format!("stack = \"{}KiB\"\n", ground / 1024 + 16),
                "asker" => format!("offset = \"{}ns\"\n", PERIOD / 2 + u64::from(core) * 7_000),
                _ => String::new(),
            };
            let _ = write!(
                text,
                "[[task]]\nname = \"{name}_{core}\"\nentry = \"{entry}\"\nargument = {core}\n\
                 core = {core}\npriority = {priority}\n{more}{more_of_it}"
            );
        }
    }
    text
}
