// SPDX-License-Identifier: Apache-2.0
//! Cores that ask nothing of others and keep all that they touch in their own caches, where the board has figures of such cores:
//! so their bounds hold whatever the others ask of the memory.

use fastrand::Rng;

use super::{Made, Shape, chance, spread};
use crate::Machine;
use crate::body::Body;
use crate::sketch::{Sketch, Task};

pub const SHAPES: &[Shape] = &[
    // The last core streams through its memory.
    Shape { name: "streams", make: |random, machine| system(random, machine, true, "") },
    // Below the tasks of each core another one changes lines that all cores change.
    Shape { name: "contended", make: |random, machine| system(random, machine, false, CHANGE) },
    Shape { name: "both", make: |random, machine| system(random, machine, true, CHANGE) },
];

/// Twice the second-level caches of the modelled boards.
const GROUND: u64 = 1 << 19;
/// The bytes that all cores change.
const SHARED: u64 = 2048;
const CHANGE: &str = "stream(shared, SHARED_LINES);";

fn system(random: &mut Rng, machine: &Machine, streams: bool, below: &str) -> Made {
    let cores = machine.cores(random.u32(2..5));
    let mut sketch = Sketch::new(machine, cores);
    sketch.run_for = 20_000_000; // no longer, as cores that stream take the host's time
    sketch.globals = format!(
        "enum {{ SHARED_LINES = {} }};\n\
         static volatile unsigned long shared[{}] __attribute__((aligned(4096), unused));\n",
        SHARED / 64,
        SHARED / 8
    );
    if streams {
        sketch.globals += "#pragma GCC diagnostic ignored \"-Wframe-larger-than=\"\n";
    }
    for core in 0..cores {
        if streams && core + 1 == cores {
            // What is on its stack, no other core touches.
            let ground = format!("volatile unsigned long ground[{}];", GROUND / 8);
            let body = Body::new().text(ground).text(format!("stream(ground, {});", GROUND / 64));
            let task = Task::new("streams", core, 60, body.for_ever());
            sketch.task(task.with(format!("stack = \"{}KiB\"", GROUND / 1024 + 16)));
            continue;
        }
        core_of(random, machine, &mut sketch, core);
        if !below.is_empty() {
            let body = Body::new().text(below).for_ever();
            sketch.task(Task::new(format!("below_{core}"), core, 60, body));
        }
    }
    Made::honest(sketch)
}

/// Up to four periodic tasks, and perhaps a cyclic handler.
fn core_of(random: &mut Rng, machine: &Machine, sketch: &mut Sketch, core: u32) {
    let shortest = (20 * machine.job_overhead()).max(1_000_000);
    let tasks = random.u64(1..5);
    let load = random.u64(20..70); // percent of the core
    let synchronous = random.bool();
    let mut periods: Vec<u64> =
        (0..tasks).map(|_| spread(random, shortest, 20 * shortest)).collect();
    periods.sort();
    for (place, period) in periods.into_iter().enumerate() {
        let execution = (period * load / 100 / tasks).clamp(20_000, 3_000_000);
        let offset = if synchronous { 0 } else { random.u64(0..period) };
        let mut body = Body::new().work(execution / 2);
        let mut lines = String::new();
        if chance(random, 30) {
            let time = random.u64(1_000..8_000);
            body = body.must("takt_cpu_lock()").work(time).must("takt_cpu_unlock()");
            lines = format!("cpu_lock = \"{}ns\"", time + 6_000);
        }
        let priority = if chance(random, 20) { 2 } else { 2 + 2 * place as u32 };
        let task = Task::new(format!("t{core}_{place}"), core, priority, body.work(execution / 2));
        sketch.task(task.every(period, offset).with(lines));
    }
    if chance(random, 40) {
        let period = spread(random, shortest, 8 * shortest);
        let lines = format!("period = \"{period}ns\"\noffset = \"0ns\"\nstart = true\n");
        let body = Body::new().work(random.u64(1_000..15_000));
        sketch.handler("cyclic", &format!("cyclic_{core}"), core, &lines, body);
    }
}
