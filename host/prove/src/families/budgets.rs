// SPDX-License-Identifier: Apache-2.0
//! Honest jobs whose budget is hardly more than their execution, below frequent interrupts, and
//! while they spin for mutexes. No such job may be stopped.

use fastrand::Rng;

use super::{Made, Shape, chance};
use crate::Machine;
use crate::body::Body;
use crate::sketch::{Sketch, Task};

pub const SHAPES: &[Shape] = &[
    Shape { name: "cyclics", make: cyclics },
    Shape { name: "spins", make: spins },
    Shape { name: "preempted", make: preempted },
];

/// The longest execution of a job besides its work: entry and return, with cold caches.
const ENTRY: u64 = 5_000;

/// A task whose budget is its `wcet`, which is hardly more than its execution if it does nothing
/// but `work`.
fn near(random: &mut Rng, name: &str, priority: u32, work: u64, body: Body) -> Task {
    let wcet = if work > 0 { work + ENTRY } else { body.wcet() };
    let overrun = if chance(random, 80) { "stop" } else { "report" };
    let mut task = Task::new(name, 0, priority, body);
    task.wcet = Some(wcet);
    task.with(format!("budget = \"{wcet}ns\"\noverrun = \"{overrun}\""))
}

fn cyclics(random: &mut Rng, machine: &Machine) -> Made {
    let mut sketch = Sketch::new(machine, 1);
    let frequent = (2 * machine.job_overhead()).max(25_000);
    let lines = format!("period = \"{frequent}ns\"\nstart = true\n");
    let body = Body::new().work(random.u64(100..800));
    let load = body.wcet();
    sketch.handler("cyclic", "frequent", 0, &lines, body);
    // The part of the core that the interrupts leave can be small.
    let work = random.u64(600_000..2_000_000);
    let body = Body::new().work(work);
    let period = 12 * work + 200 * load;
    let task = near(random, "near", 10, work, body).every(period, random.u64(0..period));
    sketch.task(task);
    Made::honest(sketch)
}

/// Time spent spinning for a mutex of another core is not the job's own execution.
fn spins(random: &mut Rng, machine: &Machine) -> Made {
    let cores = machine.cores(4);
    let mut sketch = Sketch::new(machine, cores);
    let mutex = sketch.object("mutex", "protocol = \"msrp\"\n");
    let period = (20 * machine.job_overhead()).max(1_000_000);
    for core in 0..cores {
        let body = Body::new().work(1_000).holds_mutex(&mutex, 40_000).work(1_000);
        let period = period + u64::from(core) * 3_000;
        let mut task = match core {
            0 => near(random, "near", 10, 0, body),
            _ => Task::new(format!("holder_{core}"), core, 10, body),
        };
        task = task.every(period, random.u64(0..period));
        sketch.task(task);
    }
    Made::honest(sketch)
}

/// Jobs with a tight budget that others preempt many times.
fn preempted(random: &mut Rng, machine: &Machine) -> Made {
    let mut sketch = Sketch::new(machine, 1);
    let short = (4 * machine.job_overhead()).max(100_000);
    for (place, factor) in [(1, 10), (2, 13)] {
        let body = Body::new().work(short / 20);
        let task = near(random, &format!("short_{place}"), place, short / 20, body);
        sketch.task(task.every(short * factor / 4, 0));
    }
    let work = 6 * short;
    let task = near(random, "near", 10, work, Body::new().work(work));
    sketch.task(task.every(120 * short, random.u64(0..short)));
    sketch.run_for = 600 * short;
    Made::honest(sketch)
}
