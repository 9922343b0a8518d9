// SPDX-License-Identifier: Apache-2.0
//! Applications that exceed a declared limit: more often than a `separation`, longer than a
//! handler's `wcet`, or a count that is never given back.

use fastrand::Rng;

use super::undeclared::{Shared, Stage, stage, stage_with};
use super::{Made, Shape};
use crate::body::Body;
use crate::sketch::{Sketch, Task};
use crate::{Expect, Machine};

pub const OBSERVE: Shape = Shape { name: "observe-often", make: observe };
pub const TERMINATE: Shape = Shape { name: "terminate-often", make: terminate };
pub const MIGRATE: Shape = Shape { name: "migrate-often", make: migrate };
pub const CYCLIC: Shape = Shape { name: "cyclic-often", make: cyclic };
pub const INTERRUPT: Shape = Shape { name: "interrupt-often", make: interrupt };
pub const DEADLINE_HANDLER: Shape = Shape { name: "deadline-handler", make: deadline_handler };
pub const OVERRUN_HANDLER: Shape = Shape { name: "overrun-handler", make: overrun_handler };
pub const STOPPED_HOLDER: Shape = Shape { name: "stopped-holder", make: stopped_holder };

/// The culprit on the last core makes a call in a loop, but declares a long separation.
fn often(stage: Stage, target: &str, call: &str) -> Made {
    let rounds = 40;
    let body = Body::new()
        .text(format!("for (int i = 0; i < {rounds}; i++) {{ MAY({call}); }}"))
        .executes(rounds * 12_000);
    let lines = format!("controls = [{{ {target}, separation = \"{}ns\" }}]", stage.long);
    stage.far_culprit_with(body, &lines)
}

fn observe(random: &mut Rng, machine: &Machine) -> Made {
    let stage = stage_with(random, machine, 2, Body::new().work(200_000));
    let call = "takt_task_state(1, &(struct takt_task_state){0})";
    often(stage, "task = \"victim\", action = \"observe\"", call)
}

/// A task on core 0 below the victim, which others end or move.
fn with_helper(random: &mut Rng, machine: &Machine, lines: &str) -> (Stage, u32) {
    let mut stage = stage_with(random, machine, 2, Body::new().work(200_000));
    let helper = Task::new("helper", 0, 60, Body::new().work(1_000).for_ever()).with(lines);
    let id = stage.sketch.task(helper);
    (stage, id)
}

fn terminate(random: &mut Rng, machine: &Machine) -> Made {
    let (stage, id) = with_helper(random, machine, "");
    let call = format!("(takt_task_terminate({id}), takt_task_activate({id}))");
    often(stage, "task = \"helper\", action = \"terminate\"", &call)
}

fn migrate(random: &mut Rng, machine: &Machine) -> Made {
    let last = machine.cores(2) - 1;
    let (stage, id) = with_helper(random, machine, &format!("cores = [0, {last}]"));
    let call = format!("takt_task_migrate({id}, i & {last})");
    often(stage, "task = \"helper\", action = \"migrate\"", &call)
}

fn cyclic(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = stage_with(random, machine, 2, Body::new().work(200_000));
    let lines = format!("period = \"{}ns\"\n", stage.period);
    let id = stage.sketch.handler("cyclic", "beat", 0, &lines, Body::new().work(500));
    if stage.sketch.cores < 2 {
        return observe(random, machine);
    }
    often(stage, "cyclic = \"beat\"", &format!("takt_cyclic_start({id})"))
}

/// An interrupt source that no device drives.
fn with_line(random: &mut Rng, machine: &Machine, cores: u32) -> Stage {
    let mut stage = stage_with(random, machine, cores, Body::new().work(200_000));
    let lines = format!("source = 90\npriority = 3\nseparation = \"{}ns\"\n", stage.period);
    stage.sketch.interrupt("line", 0, &lines, Body::new().work(500));
    stage
}

fn interrupt(random: &mut Rng, machine: &Machine) -> Made {
    let last = machine.cores(2) - 1;
    let stage = with_line(random, machine, 2);
    let call = format!("takt_interrupt_set_core(1, i & {last})");
    often(stage, "interrupt = \"line\"", &call)
}

/// The deadline handler of the culprit, which always misses, executes longer than its `wcet`.
fn deadline_handler(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = stage(random, machine, 1);
    let body = Body::new().text(format!("work({});", machine.rounds(stage.long / 2)));
    stage.sketch.function("on_late", body);
    let lines =
        "deadline = \"20us\"\ndeadline_handler = { function = \"on_late\", wcet = \"2us\" }";
    stage.culprit_with(Body::new().work(100_000), lines)
}

/// The overrun handler of the culprit, which exceeds its budget, executes longer than its `wcet`.
fn overrun_handler(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = stage(random, machine, 1);
    let body = Body::new().text(format!("work({});", machine.rounds(stage.long / 2)));
    stage.sketch.function("on_overrun", body);
    let lines = "budget = \"20us\"\noverrun = \"report\"\n\
                 overrun_handler = { function = \"on_overrun\", wcet = \"2us\" }";
    stage.culprit_with(Body::new().work(100_000), lines)
}

/// The culprit's budget stops it while it holds a count, for which the victim then waits for ever.
fn stopped_holder(random: &mut Rng, machine: &Machine) -> Made {
    let mut sketch = Sketch::new(machine, 1);
    let count = Shared::new(&mut sketch, "semaphore", "");
    let long = random.u64(200_000..400_000) + 4 * machine.job_overhead();
    let period = 12 * long;
    sketch.run_for = 12 * period;
    let body = count.give(count.take(count.used(Body::new(), 15_000)).work(1_000));
    sketch.task(Task::new("victim", 0, 5, body).every(period, 3 * long));
    let body = count.give(count.take(count.used(Body::new(), long + 15_000)).work(long));
    let lines = format!("budget = \"{}ns\"\noverrun = \"stop\"", long / 2);
    sketch.task(Task::new("culprit", 0, 20, body).every(period, 0).with(lines));
    Made::new(sketch, Expect::Reported)
}
