// SPDX-License-Identifier: Apache-2.0
//! The system that a calibration runs: bench/calibrate on each core of the board.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use takt_model::{Board, Timing, timing::Cache};

/// Nanoseconds: of the periodic tasks; until when the caches are taken away; of the whole run.
pub const PERIOD: u64 = 2_100_000;
pub const COLD: u64 = 5 * PERIOD;
pub const RUN: u64 = 6 * PERIOD;

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

/// Writes the system into a folder; returns its description.
pub fn write(
    folder: &Path,
    home: &Path,
    board: &Board,
    timing: &Timing,
) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("calibrate.h"), header(board.cores, timing))?;
    let path = folder.join("system.toml");
    std::fs::write(&path, description(&home.join("bench/calibrate/main.c"), board, churn(timing)))?;
    Ok(path)
}

fn header(cores: u32, timing: &Timing) -> String {
    let churn = churn(timing);
    let own = timing.kinds.iter().map(|kind| kind.l1i.size);
    let code = 2 * own.fold(timing.l1i.size, u64::max);
    format!(
        "/* SPDX-License-Identifier: Apache-2.0 */\n#define CORES {cores}\n#define CHURN {churn}\n\
         #define CODE {code}\n#define PERIOD {PERIOD}\n#define COLD {COLD}\n"
    )
}

/// Bytes that fill any core's caches and its part of the shared one twice.
fn churn(timing: &Timing) -> u64 {
    let size = |cache: &Option<Cache>| cache.as_ref().map_or(0, |cache| cache.size);
    let cluster = timing.cluster.as_ref().map_or(0, |cluster| cluster.cache.size);
    let kinds = timing.kinds.iter().map(|kind| kind.l1d.size.max(size(&kind.l2)));
    let own = kinds.fold(timing.l1d.size.max(size(&timing.l2)).max(cluster), u64::max);
    2 * (own + size(&timing.coherence.cache))
}

fn description(source: &Path, board: &Board, churn: u64) -> String {
    let Board { name, cores, .. } = board;
    let last = cores - 1;
    let raiser = (last + cores / 2) % cores;
    let mut text = format!(
        "format = 1\n[system]\nname = \"calibrate\"\nboard = \"{name}\"\ncores = {cores}\n\
         sources = [{source:?}]\ninclude = [\".\"]\n[kernel]\nevents = 64\nconsole = \"512B\"\n\
         [[interrupt]]\nname = \"device\"\ndevice = \"/soc/serial@10000000\"\nentry = \"on_device\"\n\
         core = {last}\nargument = {last}\npriority = 1\n\
         [[task]]\nname = \"raiser\"\nentry = \"raiser_job\"\ncore = {raiser}\npriority = 9\n{WAITS}"
    );
    for what in ["near", "far"] {
        for core in 0..*cores {
            let _ = write!(text, "[[semaphore]]\nname = \"{what}_{core}\"\n");
        }
    }
    for (name, entry, priority, more) in TASKS {
        for core in 0..*cores {
            // Each asks at a moment of its own, when the one that it asks has been left alone for long.
            let more_of_it = match name {
                "churn" => format!("stack = \"{}KiB\"\n", churn / 1024 + 16),
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
