// SPDX-License-Identifier: Apache-2.0
//! Applications for which the kernel works at interrupt level or with dispatch disabled, as they
//! declare.

use fastrand::Rng;

use super::declared::{MARGIN, Stage};
use super::{Made, Shape};
use crate::Machine;
use crate::body::Body;
use crate::sketch::Task;

pub const HANDLERS: Shape = Shape { name: "handlers", make: handlers };
pub const SPINS: Shape = Shape { name: "spins-dispatch-disabled", make: spins };
pub const GUEST: Shape = Shape { name: "guest", make: guest };
pub const TIMEOUTS: Shape = Shape { name: "timeouts", make: timeouts };
pub const TERMINATE: Shape = Shape { name: "terminate", make: terminate };

/// Handlers with negligible execution: cyclic ones that are due at the same time, and deadline
/// handlers of tasks that always miss.
fn handlers(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = Stage::new(random, machine, 1);
    let period = 20 * machine.job_overhead() + 100_000;
    for name in ["beat_a", "beat_b", "beat_c"] {
        let lines = format!("period = \"{period}ns\"\nstart = true\n");
        stage.sketch.handler("cyclic", name, 0, &lines, Body::new().work(100));
    }
    stage.sketch.function("on_late", Body::new().work(100));
    for index in 0..random.u32(2..6) {
        let lines = "deadline = \"1us\"\n\
                     deadline_handler = { function = \"on_late\", wcet = \"6us\" }";
        let body = Body::new().work(20_000);
        let task = Task::new(format!("late_{index}"), 0, 50, body).with(lines);
        stage.sketch.task(task.every(2 * stage.period, 0));
    }
    stage.made()
}

/// A job locks mutexes of two cores again and again in one section with disabled dispatch, for
/// which it declares only its own execution.
fn spins(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = Stage::new(random, machine, 4);
    let times = random.u64(3..6);
    let hold = random.u64(100_000..200_000);
    stage.period *= 10;
    stage.sketch.run_for *= 4;
    let (id, name) = stage.sketch.object("mutex", "protocol = \"msrp\"\n");
    for core in 0..stage.sketch.cores {
        let mut body = Body::new();
        if core == 0 {
            body = body.must("takt_dispatch_disable()");
        }
        for _ in 0..times {
            body = body.must(format!("takt_mutex_lock({id})")).work(hold);
            body = body.must(format!("takt_mutex_unlock({id})"));
        }
        let mut lines = format!(
            "uses = [{{ mutex = \"{name}\", hold = \"{}ns\", times = {times} }}]\n",
            hold + MARGIN
        );
        if core == 0 {
            body = body.must("takt_dispatch_enable()");
            lines += &format!("dispatch_disable = \"{}ns\"", times * (hold + 2 * MARGIN) + MARGIN);
        }
        stage.actor(core, body, &lines);
    }
    stage.made()
}

/// A migrating task has long sections on each of its cores.
fn guest(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = Stage::new(random, machine, 2);
    let last = stage.sketch.cores - 1;
    let time = random.u64(300_000..600_000);
    let separation = 2 * time;
    let body = Body::new()
        .text("for (uint32_t to = 0;; to ^= 1) {")
        .must("takt_dispatch_disable()")
        .work(time)
        .must("takt_dispatch_enable()")
        .must("takt_cpu_lock()")
        .work(time)
        .must("takt_cpu_unlock()")
        .may(format!("takt_task_migrate(takt_task_self(), to & {last})"))
        .text("}");
    let lines = format!(
        "cores = [0, {last}]\ndispatch_disable = \"{0}ns\"\ncpu_lock = \"{0}ns\"\n\
         controls = [{{ task = \"guest\", action = \"migrate\", separation = \"{separation}ns\" }}]",
        time + MARGIN
    );
    stage.sketch.task(Task::new("guest", 0, 60, body).with(lines));
    stage.made()
}

/// A job waits for a mutex with a timeout that expires while a lower task holds the mutex.
fn timeouts(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = Stage::new(random, machine, 1);
    let (id, name) = stage.sketch.object("mutex", "protocol = \"inherit\"\n");
    let hold = random.u64(200_000..500_000);
    let body = Body::new()
        .uses("mutex", &name, Some(MARGIN))
        .text(format!("if (takt_mutex_lock_for({id}, {}) == TAKT_OK) {{", hold / 4))
        .must(format!("takt_mutex_unlock({id})"))
        .text("}")
        .executes(MARGIN);
    stage.period *= 2;
    let offset = 2 * machine.job_overhead() + 40_000;
    let waiter = Task::new("waiter", 0, 20, body).every(stage.period, offset);
    stage.sketch.task(waiter);
    let body = Body::new().holds_mutex(&(id, name), hold);
    stage.sketch.task(Task::new("holder", 0, 30, body).every(stage.period, 0));
    stage.made()
}

/// An actor on another core ends a task's job and activates the task again, at the declared
/// separation.
fn terminate(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = Stage::new(random, machine, 2);
    let endless = Body::new().work(1_000).for_ever();
    let id = stage.sketch.task(Task::new("endless", 0, 60, endless));
    let apart = random.u64(20_000..80_000);
    let mut body = Body::new();
    for _ in 0..4 {
        body = body.may(format!("takt_task_terminate({id})"));
        body = body.may(format!("takt_task_activate({id})")).work(apart);
    }
    // The answer comes only after the core has ended the job, which takes the core longer.
    let body = body.executes(4 * MARGIN);
    let target = "task = \"endless\", action = \"terminate\"";
    let lines = format!("controls = [{{ {target}, separation = \"{}ns\" }}]", apart * 9 / 10);
    stage.actor(stage.sketch.cores - 1, body, &lines);
    stage.made()
}
