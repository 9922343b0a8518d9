// SPDX-License-Identifier: Apache-2.0
//! Resident cores whose tasks activate tasks of other cores.

use fastrand::Rng;

use super::{Made, Shape, chance, spread};
use crate::Machine;
use crate::body::Body;
use crate::sketch::{Sketch, Task};

pub const SHAPES: &[Shape] = &[
    // Each core activates a task of the next one.
    Shape { name: "ring", make: |random, machine| system(random, machine, ring) },
    // All cores activate tasks of the first one, at the same times.
    Shape { name: "crowd", make: |random, machine| system(random, machine, crowd) },
    // Any task activates any tasks of other cores.
    Shape { name: "any", make: |random, machine| system(random, machine, any) },
];

/// The lines that all cores change.
const SHARED_LINES: u64 = 32;
/// What a call may take beside others, in nanoseconds: its declared time.
const CALL: u64 = 60_000;

/// The activated tasks: ID, core, and separation.
type Called = [(u32, u32, u64)];
/// The IDs that a task of this core activates.
type Choice = fn(&mut Rng, u32, u32, &Called) -> Vec<u32>;

fn ring(_: &mut Rng, core: u32, cores: u32, called: &Called) -> Vec<u32> {
    let next = called.iter().filter(|it| it.1 == (core + 1) % cores);
    next.map(|it| it.0).take(1).collect()
}

fn crowd(_: &mut Rng, core: u32, _: u32, called: &Called) -> Vec<u32> {
    called.iter().filter(|it| it.1 == 0 && core != 0).map(|it| it.0).collect()
}

fn any(random: &mut Rng, core: u32, _: u32, called: &Called) -> Vec<u32> {
    let others: Vec<_> = called.iter().filter(|it| it.1 != core).map(|it| it.0).collect();
    (0..random.u32(0..4)).filter_map(|_| random.choice(&others).copied()).collect()
}

fn system(random: &mut Rng, machine: &Machine, choice: Choice) -> Made {
    let cores = machine.cores(random.u32(2..5));
    let mut sketch = Sketch::new(machine, cores);
    sketch.run_for = 20_000_000;
    sketch.globals = format!(
        "static volatile unsigned long shared[{}] __attribute__((aligned(4096), unused));\n",
        SHARED_LINES * 8
    );
    let shortest = (20 * machine.job_overhead()).max(2_000_000);
    let mut called = Vec::new();
    for core in 0..cores {
        for number in 0..random.u32(1..3) {
            let separation = spread(random, shortest, 4 * shortest);
            let body = Body::new().work(random.u64(5_000..80_000));
            let name = format!("called{core}_{number}");
            let task = Task::new(name, core, random.u32(1..12), body).apart(separation);
            let id = sketch.task(task.with(format!("queue = {}", random.u32(1..4))));
            called.push((id, core, separation));
        }
    }
    let synchronous = random.bool();
    for core in 0..cores {
        let tasks = random.u64(1..4);
        let load = random.u64(10..40); // percent of the core
        for place in 0..tasks {
            let period = match random.bool() {
                // The period is a separation, so that each call is accepted, or just refused.
                true => random.choice(&called).map_or(shortest, |it| it.2),
                false => spread(random, shortest, 8 * shortest),
            };
            let execution = (period * load / 100 / tasks).clamp(20_000, 1_000_000);
            let mut body = Body::new().work(execution / 2);
            for id in choice(random, core, cores, &called) {
                body = body.may(format!("takt_task_activate({id})")).executes(CALL);
            }
            let offset = if synchronous { 0 } else { random.u64(0..period) };
            let body = body.work(execution / 2);
            let task = Task::new(format!("t{core}_{place}"), core, 2 + 3 * place as u32, body);
            sketch.task(task.every(period, offset));
        }
        if chance(random, 60) {
            let body = Body::new().text(format!("stream(shared, {SHARED_LINES});")).for_ever();
            sketch.task(Task::new(format!("below_{core}"), core, 60, body));
        }
    }
    Made::honest(sketch)
}
