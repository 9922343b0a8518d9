// SPDX-License-Identifier: Apache-2.0
//! Applications that do the same as those of `undeclared`, but declare it: locked CPUs, spin locks,
//! disabled dispatch, remote calls, several requests and sleeps in a job. The bounds have to
//! include all of it.

use fastrand::Rng;

use super::{Made, Shape, kernel_parts};
use crate::Machine;
use crate::body::Body;
use crate::sketch::{Sketch, Task};

pub const SHAPES: &[Shape] = &[
    Shape { name: "cpu-lock", make: cpu_lock },
    Shape { name: "dispatch-disabled", make: dispatch_disabled },
    Shape { name: "spin-lock", make: spin_lock },
    Shape { name: "requests", make: requests },
    Shape { name: "naps", make: naps },
    Shape { name: "remote-alarms", make: remote_alarms },
    Shape { name: "remote-states", make: remote_states },
    Shape { name: "suspend", make: suspend },
    Shape { name: "nested", make: nested },
    kernel_parts::HANDLERS,
    kernel_parts::SPINS,
    kernel_parts::GUEST,
    kernel_parts::TIMEOUTS,
    kernel_parts::TERMINATE,
    Shape { name: "interrupted", make: interrupted },
];

/// Nanoseconds added to a declared time for the begin and the end of a service.
pub const MARGIN: u64 = 12_000;

pub struct Stage {
    pub sketch: Sketch,
    /// The period of the acting task. The victims' periods are a little longer, so that their
    /// releases sweep over it.
    pub period: u64,
}

impl Stage {
    /// A system with victims above and below the actors of each core.
    pub fn new(random: &mut Rng, machine: &Machine, cores: u32) -> Stage {
        let mut sketch = Sketch::new(machine, machine.cores(cores));
        let period = 30 * machine.job_overhead() + random.u64(500_000..1_500_000);
        sketch.run_for = 30 * period;
        for core in 0..sketch.cores {
            let high = Body::new().work(2_000);
            let low = Body::new().work(period / 40);
            let sweep = period + random.u64(5_000..25_000);
            let high = Task::new(format!("high_{core}"), core, 2, high);
            sketch.task(high.every(sweep, random.u64(0..period)));
            let low = Task::new(format!("low_{core}"), core, 40, low);
            sketch.task(low.every(sweep, random.u64(0..period)));
        }
        Stage { sketch, period }
    }

    pub fn actor(&mut self, core: u32, body: Body, lines: &str) {
        let task = Task::new(format!("actor_{core}"), core, 20, body).with(lines);
        self.sketch.task(task.every(self.period, 0));
    }

    pub fn made(self) -> Made {
        Made::honest(self.sketch)
    }
}

fn cpu_lock(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = Stage::new(random, machine, 2);
    for core in 0..stage.sketch.cores {
        let time = random.u64(5_000..100_000);
        let mut body = Body::new();
        for _ in 0..3 {
            body = body.must("takt_cpu_lock()").work(time).must("takt_cpu_unlock()").work(5_000);
        }
        stage.actor(core, body, &format!("cpu_lock = \"{}ns\"", time + MARGIN));
    }
    stage.made()
}

fn dispatch_disabled(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = Stage::new(random, machine, 1);
    let time = random.u64(5_000..200_000);
    let mut body = Body::new();
    for _ in 0..3 {
        body = body.must("takt_dispatch_disable()").work(time);
        body = body.must("takt_dispatch_enable()").work(5_000);
    }
    stage.actor(0, body, &format!("dispatch_disable = \"{}ns\"", time + MARGIN));
    stage.made()
}

/// Tasks of all cores compete for one spin lock.
fn spin_lock(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = Stage::new(random, machine, 4);
    let (id, name) = stage.sketch.object("spin_lock", "");
    let times: Vec<u64> = (0..stage.sketch.cores).map(|_| random.u64(2_000..30_000)).collect();
    for (core, time) in (0..stage.sketch.cores).zip(times.iter().copied()) {
        // A spinning job executes for as long as one hold of each other core.
        let spin = times.iter().map(|hold| hold + MARGIN).sum::<u64>() - time - MARGIN;
        let body = Body::new()
            .executes(spin)
            .uses("spin_lock", &name, Some(time + MARGIN))
            .must(format!("takt_spin_lock_acquire({id})"))
            .work(time)
            .must(format!("takt_spin_lock_release({id})"));
        stage.actor(core, body, "");
    }
    stage.made()
}

/// A job requests the same mutex or semaphore several times.
fn requests(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = Stage::new(random, machine, 1);
    let (class, lines, take, give) = match random.u32(0..3) {
        0 => ("mutex", "protocol = \"inherit\"\n", "mutex_lock", "mutex_unlock"),
        1 => ("mutex", "protocol = \"ceiling\"\n", "mutex_lock", "mutex_unlock"),
        _ => ("semaphore", "initial = 1\nmaximum = 1\n", "semaphore_wait", "semaphore_signal"),
    };
    let (id, name) = stage.sketch.object(class, lines);
    let time = random.u64(5_000..40_000);
    let times = random.u64(2..6);
    let hold = time + MARGIN;
    for (task, priority) in [("upper", 10), ("actor", 20), ("lower", 30)] {
        let mut body = Body::new();
        for _ in 0..times {
            body = body
                .must(format!("takt_{take}({id})"))
                .work(time)
                .must(format!("takt_{give}({id})"))
                .work(3_000);
        }
        let uses =
            format!("uses = [{{ {class} = \"{name}\", hold = \"{hold}ns\", times = {times} }}]");
        let task = Task::new(task, 0, priority, body).with(uses);
        let period = 3 * stage.period + random.u64(0..20_000);
        stage.sketch.task(task.every(period, random.u64(0..period)));
    }
    stage.made()
}

/// A job sleeps many times for short times.
fn naps(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = Stage::new(random, machine, 1);
    let naps = random.u64(2..12);
    let mut body = Body::new();
    for _ in 0..naps {
        body = body.work(2_000).delays(random.u64(1_000..50_000));
    }
    let longest = body.suspends;
    let task = Task::new("actor_0", 0, 20, body).with(format!("suspensions = {naps}"));
    let period = 3 * (stage.period + longest + naps * machine.job_overhead());
    stage.sketch.task(task.every(period, 0));
    stage.made()
}

/// Another core starts alarms of core 0.
fn remote_alarms(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = Stage::new(random, machine, 2);
    let lines = format!("separation = \"{}ns\"\n", stage.period / 4);
    let body = Body::new().work(1_000);
    stage.sketch.handler("alarm", "alarm", 0, &lines, body);
    let call = format!("takt_alarm_start(1, {})", random.u64(0..100_000));
    repeated(random, &mut stage, &call, "alarm = \"alarm\"");
    stage.made()
}

/// Another core reads the state of a task of core 0.
fn remote_states(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = Stage::new(random, machine, 2);
    let call = "takt_task_state(1, &(struct takt_task_state){0})";
    repeated(random, &mut stage, call, "task = \"high_0\", action = \"observe\"");
    stage.made()
}

/// Adds an actor on the last core that makes a call a few times in a job, at the declared
/// separation.
fn repeated(random: &mut Rng, stage: &mut Stage, call: &str, target: &str) {
    let apart = random.u64(20_000..80_000);
    let mut body = Body::new();
    for _ in 0..4 {
        body = body.may(call).work(apart);
    }
    let lines = format!("controls = [{{ {target}, separation = \"{}ns\" }}]", apart * 9 / 10);
    stage.actor(stage.sketch.cores - 1, body, &lines);
}

/// A task suspends another one of its core for a moment, and resumes it.
fn suspend(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = Stage::new(random, machine, 1);
    let body = Body::new()
        .may("takt_task_suspend(2)")
        .work(random.u64(5_000..50_000))
        .may("takt_task_resume(2)");
    let lines = "controls = [{ task = \"low_0\", action = \"suspend\", separation = \"1us\" }]";
    stage.actor(0, body, lines);
    stage.made()
}

/// Tasks of two cores lock up to three mutexes of their core, nested in one order, and inside these
/// a mutex of all cores. The lower a task is, the sooner it begins, so that chains form.
fn nested(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = Stage::new(random, machine, 2);
    stage.period *= 3;
    stage.sketch.run_for = 20 * stage.period;
    let (spun, spun_name) = stage.sketch.object("mutex", "protocol = \"msrp\"\n");
    for core in 0..stage.sketch.cores {
        let protocol = ["inherit", "inherit", "ceiling"][random.usize(0..3)];
        let lines = format!("protocol = \"{protocol}\"\n");
        let mutexes: Vec<_> = (0..3).map(|_| stage.sketch.object("mutex", &lines)).collect();
        let tasks = random.u64(3..6);
        for task in 0..tasks {
            let first = random.usize(0..2);
            let last = random.usize(first + 1..3);
            let spins = random.bool();
            let work = random.u64(5_000..stage.period / 80);
            let chain = &mutexes[first..=last];
            let names: Vec<&str> = chain.iter().map(|one| one.1.as_str()).collect();
            let mut body = Body::new();
            for (id, _) in chain {
                body = body.must(format!("takt_mutex_lock({id})")).work(work);
            }
            if spins {
                body = body.uses_inside(&spun_name, 5_000 + MARGIN, &names);
                body = body.must(format!("takt_mutex_lock({spun})")).work(5_000);
                body = body.must(format!("takt_mutex_unlock({spun})"));
            }
            // Unlocking the last one first is nested; unlocking the first one first makes the holds
            // overlap.
            let unlocks: Vec<_> = match random.bool() {
                true => chain.iter().rev().collect(),
                false => chain.iter().collect(),
            };
            for (id, _) in unlocks {
                body = body.must(format!("takt_mutex_unlock({id})"));
            }
            let hold = body.wcet();
            for (place, name) in names.iter().enumerate() {
                body = body.uses_inside(name, hold, &names[..place]);
            }
            let offset = (tasks - task) * random.u64(1..3) * machine.job_overhead();
            let priority = 5 + 6 * task as u32;
            let task = Task::new(format!("nested_{core}_{task}"), core, priority, body);
            stage.sketch.task(task.every(stage.period, offset));
        }
    }
    stage.made()
}

/// Interrupts come all the time while tasks execute, hold objects and disable dispatch for as long
/// as they declare. The time of entering and leaving the interrupts must not be blamed on a task.
fn interrupted(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = Stage::new(random, machine, 1);
    stage.period *= 4;
    let period = machine.job_overhead() + random.u64(15_000..25_000);
    let lines = format!("period = \"{period}ns\"\nstart = true\n");
    stage.sketch.handler("cyclic", "tick", 0, &lines, Body::new().work(500));
    let (id, name) = stage.sketch.object("mutex", "protocol = \"inherit\"\n");
    let time = random.u64(300_000..500_000);
    let holds = Body::new()
        .uses("mutex", &name, Some(time + 5_000))
        .must(format!("takt_mutex_lock({id})"))
        .work(time)
        .must(format!("takt_mutex_unlock({id})"));
    stage.actor(0, holds, "");
    let sections =
        Body::new().must("takt_dispatch_disable()").work(time).must("takt_dispatch_enable()");
    let lines = format!("dispatch_disable = \"{}ns\"", time + 5_000);
    let mut task = Task::new("sections", 0, 21, sections).with(lines);
    task.wcet = Some(time + 12_000);
    stage.sketch.task(task.every(stage.period, 0));
    stage.made()
}
