// SPDX-License-Identifier: Apache-2.0
//! Activations at exactly their separation, and runs that end while an activation is queued:
//! neither is a miss.

use fastrand::Rng;

use super::{Made, Shape, spread};
use crate::Machine;
use crate::body::Body;
use crate::sketch::{Sketch, Task};

pub const SHAPES: &[Shape] = &[
    Shape { name: "at-separation", make: |random, machine| activated(random, machine, 100) },
    Shape { name: "too-early", make: |random, machine| activated(random, machine, 60) },
    Shape { name: "queued", make: queued },
];

/// A cyclic handler activates sporadic tasks at intervals of `percent` of their separation.
fn activated(random: &mut Rng, machine: &Machine, percent: u64) -> Made {
    let mut sketch = Sketch::new(machine, machine.cores(2));
    let shortest = (20 * machine.job_overhead()).max(1_000_000);
    for place in 0..3 {
        let core = place % sketch.cores;
        let separation = spread(random, shortest, 5 * shortest);
        let id = sketch.next_task();
        let body = Body::new().work(random.u64(1_000..separation / 10));
        let name = format!("t{place}");
        sketch.task(Task::new(&name, core, 3 + place, body).apart(separation));
        let period = separation * percent / 100;
        let lines = format!("period = \"{period}ns\"\nstart = true\n");
        let body = Body::new().may(format!("takt_task_activate({id})"));
        let asker = random.u32(0..sketch.cores);
        sketch.handler("cyclic", &format!("starts_{place}"), asker, &lines, body);
    }
    sketch.run_for = 10 * shortest + random.u64(0..5 * shortest);
    Made::honest(sketch)
}

/// Bursts of activations that are still queued when the run ends.
fn queued(random: &mut Rng, machine: &Machine) -> Made {
    let mut sketch = Sketch::new(machine, 1);
    let separation = (20 * machine.job_overhead()).max(1_000_000);
    let body = Body::new().work(separation / 10);
    let id = sketch.task(Task::new("burst", 0, 3, body).apart(separation).with("queue = 5"));
    let mut body = Body::new();
    for _ in 0..4 {
        body = body.may(format!("takt_task_activate({id})"));
    }
    let period = 3 * separation;
    sketch.task(Task::new("asker", 0, 9, body).every(period, random.u64(0..period)));
    sketch.run_for = 4 * period + random.u64(0..period);
    Made::honest(sketch)
}
