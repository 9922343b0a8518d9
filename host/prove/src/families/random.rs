// SPDX-License-Identifier: Apache-2.0
//! Random systems that do what they declare: tasks of all kinds on some cores, objects that they
//! share, and handlers above them.

use fastrand::Rng;

use super::{Made, Shape, chance, spread};
use crate::Machine;
use crate::body::Body;
use crate::sketch::{Sketch, Task};

pub const SHAPES: &[Shape] = &[
    Shape { name: "one-core", make: |random, machine| system(random, machine, 1) },
    Shape { name: "two-cores", make: |random, machine| system(random, machine, 2) },
    Shape { name: "four-cores", make: |random, machine| system(random, machine, 4) },
];

/// An object's ID and name.
type Object = (u32, String);

/// The objects that the tasks of one core may share.
struct Shared {
    /// Semaphores for mutual exclusion, as far as tasks may still use them.
    semaphores: Vec<Object>,
    mutexes: Vec<Object>,
    /// A mutex of all cores.
    global: Option<Object>,
    flag: Object,
    queue: Object,
    messages: Object,
}

fn system(random: &mut Rng, machine: &Machine, cores: u32) -> Made {
    let cores = machine.cores(cores);
    let mut sketch = Sketch::new(machine, cores);
    sketch.run_for = 120_000_000;
    sketch.globals = "static unsigned char message[4][64] __attribute__((unused));\n".into();
    let global =
        (cores > 1 && chance(random, 60)).then(|| sketch.object("mutex", "protocol = \"msrp\"\n"));
    for core in 0..cores {
        let shared = shared(random, &mut sketch, core, &global);
        core_of(random, machine, &mut sketch, core, &shared);
    }
    Made::honest(sketch)
}

fn shared(random: &mut Rng, sketch: &mut Sketch, core: u32, global: &Option<Object>) -> Shared {
    let order = |random: &mut Rng| match random.bool() {
        true => "order = \"priority\"\n",
        false => "order = \"fifo\"\n",
    };
    let home = format!("core = {core}\n");
    let semaphores = (0..random.u32(0..2)).map(|_| {
        let counts = random.u32(1..3);
        let lines = format!("initial = {counts}\nmaximum = {counts}\n{home}{}", order(random));
        sketch.object("semaphore", &lines)
    });
    let semaphores = semaphores.collect();
    let mutexes = (0..random.u32(0..3)).map(|_| {
        let protocol = ["ceiling", "inherit"][random.usize(0..2)];
        sketch.object("mutex", &format!("protocol = \"{protocol}\"\n{}", order(random)))
    });
    Shared {
        semaphores,
        mutexes: mutexes.collect(),
        global: global.clone(),
        flag: sketch.object("flag", &home),
        queue: sketch.object("data_queue", &format!("capacity = 4\n{home}")),
        messages: sketch
            .object("message_buffer", &format!("message = \"64B\"\nsize = \"256B\"\n{home}")),
    }
}

fn core_of(random: &mut Rng, machine: &Machine, sketch: &mut Sketch, core: u32, shared: &Shared) {
    let shortest = (20 * machine.job_overhead()).max(500_000);
    let tasks = random.u64(2..7);
    let load = random.u64(30..80); // percent of the core
    let synchronous = random.bool();
    // In half of the systems the releases of a core form a pattern that repeats soon, on which bounds by offsets rest.
    let unit = shortest.next_multiple_of(4_000);
    let repeats = chance(random, 50);
    let mut periods: Vec<u64> = (0..tasks)
        .map(|_| match repeats {
            true => unit * [1, 2, 3, 4, 6, 8, 12, 16][random.usize(0..8)],
            false => spread(random, shortest, 20 * shortest),
        })
        .collect();
    periods.sort();
    for (place, &period) in periods.iter().enumerate() {
        let execution = (period * load / 100 / tasks).clamp(20_000, 3_000_000);
        let execution = execution * random.u64(50..150) / 100;
        let priority = match chance(random, 20) {
            true => random.u32(2..20),
            false => 2 + 2 * place as u32,
        };
        let name = format!("t{core}_{place}");
        let body = body(random, machine, sketch, shared, core, execution);
        let mut task = Task::new(name, core, priority, body);
        let offset = match (synchronous, repeats) {
            (true, _) => 0,
            (false, true) => unit / 4 * random.u64(0..4 * (period / unit)),
            (false, false) => random.u64(0..period),
        };
        task = match random.u32(0..100) {
            0..75 => task.every(period, offset),
            _ => sporadic(random, sketch, core, period, task),
        };
        if chance(random, 15) {
            task = task.with(format!("jitter = \"{}ns\"", random.u64(0..period / 10)));
        }
        task = governed(random, sketch, core, place, task);
        sketch.task(task);
    }
    if chance(random, 50) {
        let period = spread(random, shortest / 2, 8 * shortest);
        let body = Body::new().work(random.u64(1_000..15_000));
        let body = match random.bool() {
            true => body.may(format!("takt_flag_set({}, 5)", shared.flag.0)),
            false => body.may(format!("takt_data_queue_try_send({}, 1)", shared.queue.0)),
        };
        let offset = random.u64(0..period);
        let lines = format!("period = \"{period}ns\"\noffset = \"{offset}ns\"\nstart = true\n");
        sketch.handler("cyclic", &format!("cyclic_{core}"), core, &lines, body);
    }
    if chance(random, 40) {
        background(random, sketch, core, shared);
    }
}

/// A body in which a job uses each shared object once, in random order.
fn body(
    random: &mut Rng,
    machine: &Machine,
    sketch: &mut Sketch,
    shared: &Shared,
    core: u32,
    execution: u64,
) -> Body {
    let piece = execution / 4;
    let mut body = Body::new().work(piece);
    let suspends = chance(random, 20);
    // A task that sleeps shares nothing, because it might sleep while it holds an object.
    if suspends {
        body = body.delays(spread(random, 20_000, 1_000_000)).work(piece);
    } else {
        for it in &shared.semaphores {
            if chance(random, 35) {
                body = body.holds_semaphore(it, random.u64(5_000..60_000).min(piece));
            }
        }
        for it in &shared.mutexes {
            if chance(random, 45) {
                body = body.holds_mutex(it, random.u64(5_000..60_000).min(piece));
            }
        }
        if let Some(it) = shared.global.iter().find(|_| chance(random, 40)) {
            body = body.holds_mutex(it, random.u64(2_000..25_000).min(piece));
        }
    }
    if chance(random, 15) {
        let separation = 40 * machine.job_overhead();
        let handler = Body::new().work(random.u64(1_000..10_000));
        let name = format!("alarm_{core}_{}", sketch.next_task());
        let lines = format!("separation = \"{separation}ns\"\n");
        let id = sketch.handler("alarm", &name, core, &lines, handler);
        body = body.must(format!("takt_alarm_start({id}, {})", random.u64(0..200_000)));
    }
    for _ in 0..random.u32(0..3) {
        body = body.may(call(random, shared, core)).work(piece / 4);
    }
    body.work(piece)
}

/// The call of a service that does not wait.
fn call(random: &mut Rng, shared: &Shared, core: u32) -> String {
    let (flag, queue, messages) = (shared.flag.0, shared.queue.0, shared.messages.0);
    match random.u32(0..6) {
        0 => format!("takt_flag_set({flag}, 3)"),
        1 => format!("takt_flag_clear({flag}, 0)"),
        2 => format!("takt_data_queue_try_send({queue}, 7)"),
        3 => format!("takt_data_queue_try_receive({queue}, &(intptr_t){{0}})"),
        4 => format!("takt_message_buffer_try_send({messages}, message[{core}], 48)"),
        _ => {
            format!("takt_message_buffer_try_receive({messages}, message[{core}], &(size_t){{0}})")
        }
    }
}

/// Lets a cyclic handler of this core, or of the core before, activate the task.
fn sporadic(random: &mut Rng, sketch: &mut Sketch, core: u32, separation: u64, task: Task) -> Task {
    let id = sketch.next_task();
    let asker = if chance(random, 30) { (core + sketch.cores - 1) % sketch.cores } else { core };
    let period = separation + spread(random, 1_000, separation);
    let offset = random.u64(0..separation);
    let lines = format!("period = \"{period}ns\"\noffset = \"{offset}ns\"\nstart = true\n");
    let body = Body::new().may(format!("takt_task_activate({id})"));
    sketch.handler("cyclic", &format!("starts_{id}"), asker, &lines, body);
    task.apart(separation)
}

/// Adds budgets that an honest job keeps, and deadline handlers of tasks that always meet their
/// deadline.
fn governed(
    random: &mut Rng,
    sketch: &mut Sketch,
    core: u32,
    place: usize,
    mut task: Task,
) -> Task {
    if chance(random, 20) {
        let budget = task.body.wcet() + random.u64(0..20_000);
        let overrun = if random.bool() { "stop" } else { "report" };
        task = task.with(format!("budget = \"{budget}ns\"\noverrun = \"{overrun}\""));
    }
    if chance(random, 15) {
        let name = format!("late_{core}_{place}");
        let body = Body::new().work(1_000);
        let wcet = body.wcet();
        sketch.function(&name, body);
        task = task
            .with(format!("deadline_handler = {{ function = \"{name}\", wcet = \"{wcet}ns\" }}"));
    }
    task
}

/// A task below all others that never waits and calls the kernel all the time.
fn background(random: &mut Rng, sketch: &mut Sketch, core: u32, shared: &Shared) {
    let mut body = Body::new().work(random.u64(100..5_000));
    for _ in 0..random.u32(0..3) {
        body = body.may(call(random, shared, core));
    }
    sketch.task(Task::new(format!("background_{core}"), core, 60, body.for_ever()));
}
