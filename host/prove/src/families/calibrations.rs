// SPDX-License-Identifier: Apache-2.0
//! Overheads that do not fit the system: they are of another machine, of another kernel, of no
//! measurement, or measured under less load than the system causes. Such a system must never be
//! `proved`.

use fastrand::Rng;

use super::{Made, Shape};
use crate::body::Body;
use crate::sketch::{Sketch, Task};
use crate::{Expect, Machine};

pub const SHAPES: &[Shape] = &[
    Shape { name: "slower-cache", make: slower_cache },
    Shape { name: "zeros", make: zeros },
    Shape { name: "no-stamp", make: no_stamp },
    Shape { name: "foreign-kernel", make: foreign_kernel },
    Shape { name: "locks", make: locks },
    Shape { name: "timers", make: timers },
];

/// A system that meets its deadlines easily on one core.
fn easy(random: &mut Rng, machine: &Machine) -> Sketch {
    let mut sketch = Sketch::new(machine, 1);
    for place in 0..random.u64(1..4) {
        let body = Body::new().work(random.u64(10_000..100_000));
        let period = (50 + 10 * place) * machine.job_overhead().max(20_000);
        sketch.task(Task::new(format!("t{place}"), 0, 2 + place as u32, body).every(period, 0));
    }
    sketch
}

/// The system on a board with this text, which has the board's own name.
fn changed(mut sketch: Sketch, text: String) -> Made {
    sketch.board = "board.toml".into();
    Made { sketch, board: Some(text), expect: Expect::NotProved }
}

/// Changes the lines of a board's file one by one; `change` gets the table, the key and the line.
fn lines(text: &str, change: impl Fn(&str, &str, &str) -> String) -> String {
    let mut table = "";
    let mut changed = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix('[') {
            table = name.split(']').next().unwrap_or_default();
        }
        let key = line.split('=').next().unwrap_or_default().trim();
        changed += &change(table, key, line);
        changed.push('\n');
    }
    changed
}

/// A copy of the board whose L2 (or L1, if there is no L2) is ten times slower.
fn slower_cache(random: &mut Rng, machine: &Machine) -> Made {
    let text = lines(&machine.text, |table, key, line| match (table, key) {
        ("l2" | "coherence.cache", "hit") => format!("hit = {}", 80 + line.len() % 3),
        _ => line.to_string(),
    });
    changed(easy(random, machine), text)
}

fn zeros(random: &mut Rng, machine: &Machine) -> Made {
    let text = lines(&machine.text, |table, key, line| match (table, key) {
        ("overheads", "source") => "source = \"measured\"".into(),
        ("overheads", "stamp") => String::new(),
        ("overheads", _) if line.contains("ns\"") || line.contains("us\"") => {
            format!("{key} = \"0ns\"")
        }
        _ => line.to_string(),
    });
    changed(easy(random, machine), text)
}

fn no_stamp(random: &mut Rng, machine: &Machine) -> Made {
    let text = lines(&machine.text, |table, key, line| match (table, key) {
        ("overheads", "source") => "source = \"measured\"".into(),
        ("overheads", "stamp") => String::new(),
        _ => line.to_string(),
    });
    changed(easy(random, machine), text)
}

fn foreign_kernel(random: &mut Rng, machine: &Machine) -> Made {
    let text = lines(&machine.text, |table, key, line| match (table, key) {
        ("overheads", "stamp") => {
            let timing = machine.board.timing_hash().unwrap_or_default();
            format!("stamp = \"{timing}-0123456789abcdef\"")
        }
        _ => line.to_string(),
    });
    changed(easy(random, machine), text)
}

/// Locks of another kind than the measured ones, or shared by more cores.
fn locks(random: &mut Rng, machine: &Machine) -> Made {
    let mut sketch = easy(random, machine);
    let kind = ["tas", "ttas"][random.usize(0..2)];
    sketch.kernel += &format!("spinlock = \"{kind}\"\ngranularity = \"giant\"\n");
    sketch.cores = machine.cores(4);
    for core in 1..sketch.cores {
        let body = Body::new().work(10_000);
        let period = 60 * machine.job_overhead().max(20_000);
        sketch.task(Task::new(format!("other_{core}"), core, 5, body).every(period, 0));
    }
    Made::new(sketch, Expect::NotProved)
}

/// Hundreds of timers on a core, where the calibration had ten.
fn timers(random: &mut Rng, machine: &Machine) -> Made {
    let mut sketch = Sketch::new(machine, 1);
    let tasks = random.u64(100..300);
    let period = tasks * 8 * machine.job_overhead();
    for task in 0..tasks {
        let body = Body::new().work(1_000);
        let task = Task::new(format!("t{task}"), 0, 2 + task as u32 % 60, body);
        sketch.task(task.every(period, random.u64(0..period)).with("stack = \"2KiB\""));
    }
    Made::new(sketch, Expect::NotProved)
}
