// SPDX-License-Identifier: Apache-2.0
//! Resident cores whose tasks ask others of their own core: they lock, wait, signal, send, activate and sleep, beside any
//! neighbours.

use fastrand::Rng;

use super::{Made, Shape, chance, spread};
use crate::Machine;
use crate::body::Body;
use crate::sketch::{Sketch, Task};

pub const SHAPES: &[Shape] = &[
    // Holds of mutexes and semaphores.
    Shape { name: "holds", make: |random, machine| system(random, machine, holds) },
    // Tasks that wait for words, bits and signals of others, and for time.
    Shape { name: "waits", make: |random, machine| system(random, machine, waits) },
    // Tasks that handlers activate, and alarms.
    Shape { name: "activations", make: |random, machine| system(random, machine, activations) },
    Shape { name: "all", make: |random, machine| system(random, machine, all) },
];

/// Twice the second-level caches of the modelled boards.
const GROUND: u64 = 1 << 19;
/// The lines that all cores change.
const SHARED_LINES: u64 = 32;

/// What the tasks of a core have beside their execution.
struct Plan {
    core: u32,
    /// The bodies of the periodic tasks, by decreasing priority.
    bodies: Vec<Body>,
    /// How often a job of the first task stops.
    stops: u32,
    /// The shortest period.
    shortest: u64,
}

type Parts = fn(&mut Rng, &mut Sketch, &mut Plan);

fn system(random: &mut Rng, machine: &Machine, parts: Parts) -> Made {
    let cores = machine.cores(random.u32(2..5));
    let mut sketch = Sketch::new(machine, cores);
    sketch.run_for = 20_000_000; // no longer, as cores that stream take the host's time
    sketch.globals = format!(
        "static volatile unsigned long shared[{}] __attribute__((aligned(4096), unused));\n\
         #pragma GCC diagnostic ignored \"-Wframe-larger-than=\"\n",
        SHARED_LINES * 8
    );
    let streams = random.bool();
    for core in 0..cores {
        if streams && core + 1 == cores {
            let ground = format!("volatile unsigned long ground[{}];", GROUND / 8);
            let body = Body::new().text(ground).text(format!("stream(ground, {});", GROUND / 64));
            let task = Task::new("streams", core, 60, body.for_ever());
            sketch.task(task.with(format!("stack = \"{}KiB\"", GROUND / 1024 + 16)));
            continue;
        }
        core_of(random, machine, &mut sketch, core, parts);
        if chance(random, 60) {
            let body = Body::new().text(format!("stream(shared, {SHARED_LINES});")).for_ever();
            sketch.task(Task::new(format!("below_{core}"), core, 60, body));
        }
    }
    Made::honest(sketch)
}

/// Two to four periodic tasks, with the parts of the shape between two pieces of their execution.
fn core_of(random: &mut Rng, machine: &Machine, sketch: &mut Sketch, core: u32, parts: Parts) {
    let shortest = (40 * machine.job_overhead()).max(3_000_000);
    let tasks = random.usize(2..5);
    let load = random.u64(10..40); // percent of the core
    let mut periods: Vec<u64> =
        (0..tasks).map(|_| spread(random, shortest, 8 * shortest)).collect();
    periods.sort();
    let execution = |period: &u64| (period * load / 100 / tasks as u64).clamp(20_000, 2_000_000);
    let bodies = periods.iter().map(|period| Body::new().work(execution(period) / 2)).collect();
    let mut plan = Plan { core, bodies, stops: 0, shortest };
    parts(random, sketch, &mut plan);
    let synchronous = random.bool();
    for (place, (period, body)) in periods.iter().zip(plan.bodies).enumerate() {
        let offset = if synchronous { 0 } else { random.u64(0..*period) };
        let priority = 3 + 2 * place as u32;
        let task =
            Task::new(format!("t{core}_{place}"), core, priority, body.work(execution(period) / 2));
        let stops = if place == 0 && plan.stops > 1 {
            format!("suspensions = {}", plan.stops)
        } else {
            String::new()
        };
        sketch.task(task.every(*period, offset).with(stops));
    }
}

fn all(random: &mut Rng, sketch: &mut Sketch, plan: &mut Plan) {
    holds(random, sketch, plan);
    waits(random, sketch, plan);
    activations(random, sketch, plan);
}

impl Plan {
    /// Adds to the body of a task.
    fn add(&mut self, task: usize, more: impl FnOnce(Body) -> Body) {
        self.bodies[task] = more(std::mem::take(&mut self.bodies[task]));
    }
}

/// Mutexes of both protocols, one in another, and counts for mutual exclusion.
fn holds(random: &mut Rng, sketch: &mut Sketch, plan: &mut Plan) {
    let Plan { core, .. } = *plan;
    for _ in 0..random.u32(1..4) {
        let protocol = if random.bool() { "inherit" } else { "ceiling" };
        let order = if random.bool() { "order = \"priority\"\n" } else { "" };
        let object = match random.u32(0..3) {
            0 => sketch
                .object("semaphore", &format!("initial = 1\nmaximum = 1\ncore = {core}\n{order}")),
            _ => sketch.object("mutex", &format!("protocol = \"{protocol}\"\n{order}")),
        };
        let is_semaphore = object.1.starts_with("semaphore");
        for task in 0..plan.bodies.len() {
            if task < 2 || chance(random, 50) {
                let time = random.u64(2_000..40_000);
                plan.add(task, |body| match is_semaphore {
                    true => body.holds_semaphore(&object, time),
                    false => body.holds_mutex(&object, time),
                });
            }
        }
    }
    if chance(random, 30) {
        let outer = sketch.object("mutex", "protocol = \"inherit\"\n");
        let inner = sketch.object("mutex", "protocol = \"inherit\"\n");
        for task in 0..plan.bodies.len() {
            let time = random.u64(2_000..15_000);
            plan.add(task, |body| {
                body.uses("mutex", &outer.1, Some(2 * time + 40_000))
                    .uses_inside(&inner.1, time + 12_000, &[&outer.1])
                    .must(format!("takt_mutex_lock({})", outer.0))
                    .work(time)
                    .must(format!("takt_mutex_lock({})", inner.0))
                    .work(time)
                    .must(format!("takt_mutex_unlock({})", inner.0))
                    .must(format!("takt_mutex_unlock({})", outer.0))
            });
        }
    }
}

/// The task of the highest priority waits for another one, at most so long; or for time.
fn waits(random: &mut Rng, sketch: &mut Sketch, plan: &mut Plan) {
    let Plan { core, shortest, .. } = *plan;
    let longest = random.u64(shortest / 50..shortest / 10) / 1_000 * 1_000;
    plan.stops += 1;
    let home = format!("core = {core}\n");
    let (wait, give) = match random.u32(0..5) {
        0 => {
            let (id, _) =
                sketch.object("data_queue", &format!("capacity = {}\n{home}", random.u32(0..3)));
            (
                format!("takt_data_queue_receive_for({id}, &(intptr_t){{0}}, {longest})"),
                format!("takt_data_queue_try_send({id}, 1)"),
            )
        }
        1 => {
            let (id, _) = sketch.object("flag", &format!("clear = true\n{home}"));
            (
                format!("takt_flag_wait_for({id}, 3, TAKT_FLAG_ANY, &(uint32_t){{0}}, {longest})"),
                format!("takt_flag_set({id}, 2)"),
            )
        }
        2 => {
            let (id, _) = sketch.object("semaphore", &home);
            (
                format!("takt_semaphore_wait_for({id}, {longest})"),
                format!("takt_semaphore_signal({id})"),
            )
        }
        3 => {
            let (id, _) = sketch
                .object("priority_data_queue", &format!("capacity = 2\npriorities = 2\n{home}"));
            (
                format!(
                    "takt_priority_data_queue_receive_for({id}, &(intptr_t){{0}}, &(unsigned){{0}}, {longest})"
                ),
                format!("takt_priority_data_queue_try_send({id}, 1, 2)"),
            )
        }
        _ => {
            plan.add(0, |body| body.delays(longest));
            return;
        }
    };
    plan.add(0, |mut body| {
        body.suspends += longest + 10_000;
        body.may(wait)
    });
    let last = plan.bodies.len() - 1;
    plan.add(last, |body| body.may(give));
}

/// A task that a cyclic handler activates, another that a periodic one does, and an alarm.
fn activations(random: &mut Rng, sketch: &mut Sketch, plan: &mut Plan) {
    let Plan { core, shortest, .. } = *plan;
    let period = spread(random, shortest, 4 * shortest);
    let body = Body::new().work(random.u64(5_000..50_000));
    let queue = random.u32(1..4);
    let task = Task::new(format!("called_{core}"), core, random.u32(1..12), body).apart(period);
    let id = sketch.task(task.with(format!("queue = {queue}")));
    let lines = format!("period = \"{period}ns\"\noffset = \"0ns\"\nstart = true\n");
    let call = format!("takt_task_activate({id})");
    let body = Body::new().work(random.u64(1_000..8_000)).may(&call);
    sketch.handler("cyclic", &format!("cyclic_{core}"), core, &lines, body);
    if random.bool() {
        plan.add(0, |body| body.may(call));
    }
    if random.bool() {
        let lines = format!("separation = \"{}ns\"\n", shortest / 2);
        let body = Body::new().work(random.u64(1_000..8_000));
        let alarm = sketch.handler("alarm", &format!("alarm_{core}"), core, &lines, body);
        let delay = random.u64(10_000..shortest / 4);
        plan.add(0, |body| body.must(format!("takt_alarm_start({alarm}, {delay})")));
    }
    if random.bool() {
        let wakes = random.u64(shortest / 50..shortest / 10);
        plan.stops += 1;
        plan.add(0, |mut body| {
            body.suspends += wakes + 10_000;
            body.may(format!("takt_task_sleep_for({wakes})"))
        });
    }
}
