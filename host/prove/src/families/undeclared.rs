// SPDX-License-Identifier: Apache-2.0
//! Applications that do something they do not declare: the task `culprit` breaks an assumption, and
//! the task `victim` of the same core suffers from it.

use fastrand::Rng;

use super::{Made, Shape, limits};
use crate::body::Body;
use crate::sketch::{Sketch, Task};
use crate::{Expect, Machine};

pub const SHAPES: &[Shape] = &[
    Shape { name: "cpu-lock", make: cpu_lock },
    Shape { name: "spin-lock", make: spin_lock },
    Shape { name: "dispatch-disabled", make: dispatch_disabled },
    Shape { name: "priority", make: priority },
    Shape { name: "suspend", make: suspend },
    Shape { name: "remote-alarms", make: remote_alarms },
    Shape { name: "remote-calls", make: remote_calls },
    Shape { name: "migration", make: migration },
    Shape { name: "try-and-keep", make: try_and_keep },
    Shape { name: "mutex-hold", make: mutex_hold },
    Shape { name: "semaphore-hold", make: semaphore_hold },
    Shape { name: "suspension", make: suspension },
    Shape { name: "handler", make: handler },
    Shape { name: "wait", make: wait },
    Shape { name: "wcet", make: wcet },
    Shape { name: "naps", make: naps },
    Shape {
        name: "nested-mutexes",
        make: |random, machine| nested(random, machine, "mutex", "mutex"),
    },
    Shape {
        name: "mutex-in-count",
        make: |random, machine| nested(random, machine, "semaphore", "mutex"),
    },
    Shape {
        name: "count-in-mutex",
        make: |random, machine| nested(random, machine, "mutex", "semaphore"),
    },
    Shape {
        name: "nested-counts",
        make: |random, machine| nested(random, machine, "semaphore", "semaphore"),
    },
    Shape { name: "spin-in-mutex", make: spin_in_mutex },
    limits::OBSERVE,
    limits::TERMINATE,
    limits::MIGRATE,
    limits::CYCLIC,
    limits::INTERRUPT,
    limits::DEADLINE_HANDLER,
    limits::OVERRUN_HANDLER,
    limits::STOPPED_HOLDER,
    Shape {
        name: "interrupted-hold",
        make: |random, machine| interrupted(random, machine, "hold"),
    },
    Shape {
        name: "interrupted-section",
        make: |random, machine| interrupted(random, machine, "section"),
    },
    Shape {
        name: "interrupted-wcet",
        make: |random, machine| interrupted(random, machine, "wcet"),
    },
    Shape { name: "requests-that-fail", make: requests_that_fail },
    Shape { name: "interrupt-disabled", make: interrupt_disabled },
];

/// The system, with the periods of victim and culprit; the culprit's offence takes `long`
/// nanoseconds.
pub struct Stage {
    pub sketch: Sketch,
    pub period: u64,
    pub long: u64,
}

/// A system with the task `victim` on core 0, ID 1, priority 5.
pub fn stage(random: &mut Rng, machine: &Machine, cores: u32) -> Stage {
    stage_with(random, machine, cores, Body::new().work(5_000))
}

pub fn stage_with(random: &mut Rng, machine: &Machine, cores: u32, body: Body) -> Stage {
    let mut sketch = Sketch::new(machine, machine.cores(cores));
    let long = random.u64(600_000..900_000) + 4 * machine.job_overhead();
    let period = 4 * long + random.u64(0..100_000);
    sketch.run_for = 12 * period;
    // The victim is released while a culprit of its core commits its offence.
    sketch.task(Task::new("victim", 0, 5, body).every(period, random.u64(50_000..long / 2)));
    Stage { sketch, period, long }
}

impl Stage {
    pub fn culprit(self, body: Body) -> Made {
        self.culprit_with(body, "")
    }

    /// Adds the culprit, with further lines of its table.
    pub fn culprit_with(mut self, body: Body, lines: &str) -> Made {
        let task = Task::new("culprit", 0, 20, body).every(self.period, 0).with(lines);
        self.sketch.task(task);
        Made::new(self.sketch, Expect::Reported)
    }

    /// Adds the culprit on core 1, or on core 0 if there is only one core; its jobs begin while the
    /// victim's run.
    fn far_culprit(self, body: Body) -> Made {
        self.far_culprit_with(body, "")
    }

    /// Adds such a culprit with further lines of its table.
    pub fn far_culprit_with(mut self, body: Body, lines: &str) -> Made {
        let core = self.sketch.cores - 1;
        let task = Task::new("culprit", core, 20, body).every(self.period, self.long / 2 + 60_000);
        self.sketch.task(task.with(lines));
        Made::new(self.sketch, Expect::Reported)
    }
}

fn cpu_lock(random: &mut Rng, machine: &Machine) -> Made {
    let stage = stage(random, machine, 1);
    let body = Body::new().may("offend(takt_cpu_lock())").work(stage.long).may("takt_cpu_unlock()");
    stage.culprit(body)
}

fn spin_lock(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = stage(random, machine, 1);
    let (id, _) = stage.sketch.object("spin_lock", "");
    let body = Body::new()
        .may(format!("offend(takt_spin_lock_acquire({id}))"))
        .work(stage.long)
        .may(format!("takt_spin_lock_release({id})"));
    stage.culprit(body)
}

fn dispatch_disabled(random: &mut Rng, machine: &Machine) -> Made {
    let stage = stage(random, machine, 1);
    let body = Body::new()
        .may("offend(takt_dispatch_disable())")
        .work(stage.long)
        .may("takt_dispatch_enable()");
    stage.culprit(body)
}

fn priority(random: &mut Rng, machine: &Machine) -> Made {
    let stage = stage(random, machine, 1);
    let body = Body::new()
        .may("offend(takt_task_set_priority(takt_task_self(), 1))")
        .work(stage.long)
        .may("takt_task_set_priority(takt_task_self(), TAKT_PRIORITY_INITIAL)");
    stage.culprit(body)
}

/// The culprit suspends the victim while the victim is ready, and resumes it.
fn suspend(random: &mut Rng, machine: &Machine) -> Made {
    let stage = stage_with(random, machine, 2, Body::new().work(400_000));
    let body =
        Body::new().may("offend(takt_task_suspend(1))").work(stage.long).may("takt_task_resume(1)");
    stage.far_culprit(body)
}

/// Core 1 starts alarms of core 0 in a loop; each start interrupts core 0.
fn remote_alarms(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = stage_with(random, machine, 2, Body::new().work(200_000));
    let lines = format!("separation = \"{}ns\"\n", stage.long);
    let id = stage.sketch.handler("alarm", "alarm", 0, &lines, Body::new().work(500));
    let rounds = 400;
    let body = Body::new()
        .text(format!(
            "for (int i = 0; i < {rounds}; i++) {{ MAY(offend(takt_alarm_start({id}, 1))); }}"
        ))
        .executes(rounds * 6_000);
    stage.far_culprit(body)
}

/// Remote calls to a task of core 0 in a loop; each one is executed in an interrupt of core 0.
fn remote_calls(random: &mut Rng, machine: &Machine) -> Made {
    let stage = stage_with(random, machine, 2, Body::new().work(200_000));
    let rounds = 200;
    let body = Body::new()
        .text("struct takt_task_state state;")
        .text(format!(
            "for (int i = 0; i < {rounds}; i++) {{ MAY(offend(takt_task_state(1, &state))); }}"
        ))
        .executes(rounds * 12_000);
    stage.far_culprit(body)
}

/// A task migrates between two cores in a loop.
fn migration(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = stage_with(random, machine, 2, Body::new().work(200_000));
    if stage.sketch.cores < 2 {
        return cpu_lock(random, machine);
    }
    let body = Body::new().text(
        "for (uint32_t to = 0;; to ^= 1) { MAY(offend(takt_task_migrate(takt_task_self(), to))); }",
    );
    let task = Task::new("culprit", 1, 60, body).with("cores = [0, 1]");
    stage.sketch.task(task);
    Made::new(stage.sketch, Expect::Reported)
}

/// A system whose victim holds a semaphore or mutex for a moment.
fn stage_with_shared(
    random: &mut Rng,
    machine: &Machine,
    class: &'static str,
    lines: &str,
) -> Stage {
    let shared = (1, format!("{class}_1"));
    let body = Body::new().work(2_000);
    let body = match class {
        "mutex" => body.holds_mutex(&shared, 3_000),
        _ => body.holds_semaphore(&shared, 3_000),
    };
    let mut stage = stage_with(random, machine, 1, body);
    stage.sketch.object(class, lines);
    stage
}

const ONE_COUNT: &str = "initial = 1\nmaximum = 1\n";

/// The culprit takes the semaphore without waiting, and keeps it.
fn try_and_keep(random: &mut Rng, machine: &Machine) -> Made {
    let stage = stage_with_shared(random, machine, "semaphore", ONE_COUNT);
    let body = Body::new()
        .text("if (offend(takt_semaphore_try(1)) == TAKT_OK) {")
        .work(stage.long)
        .must("takt_semaphore_signal(1)")
        .text("}");
    stage.culprit(body)
}

fn mutex_hold(random: &mut Rng, machine: &Machine) -> Made {
    let protocol = ["inherit", "ceiling"][random.usize(0..2)];
    let lines = format!("protocol = \"{protocol}\"\n");
    let stage = stage_with_shared(random, machine, "mutex", &lines);
    let body = Body::new()
        .uses("mutex", "mutex_1", Some(5_000))
        .must("takt_mutex_lock(1)")
        .work(stage.long)
        .must("takt_mutex_unlock(1)");
    stage.culprit(body)
}

fn semaphore_hold(random: &mut Rng, machine: &Machine) -> Made {
    let stage = stage_with_shared(random, machine, "semaphore", ONE_COUNT);
    let body = Body::new()
        .uses("semaphore", "semaphore_1", Some(5_000))
        .must("takt_semaphore_wait(1)")
        .work(stage.long)
        .must("takt_semaphore_signal(1)");
    stage.culprit(body)
}

/// The culprit sleeps longer than it declares, so its own response is too long.
fn suspension(random: &mut Rng, machine: &Machine) -> Made {
    let stage = stage(random, machine, 1);
    let mut body = Body::new().must(format!("takt_task_delay({})", stage.long));
    body.suspends = 20_000;
    stage.culprit(body)
}

/// A cyclic handler executes longer than its `wcet`; the handler is the culprit.
fn handler(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = stage(random, machine, 1);
    let rounds = machine.rounds(stage.long);
    let body = Body::new().text(format!("work({rounds});"));
    let lines = format!("period = \"{}ns\"\nstart = true\n", stage.period);
    stage.sketch.handler("cyclic", "culprit", 0, &lines, body);
    Made::new(stage.sketch, Expect::Reported)
}

/// The culprit waits for a flag and declares no wait.
fn wait(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = stage(random, machine, 1);
    let (id, _) = stage.sketch.object("flag", "clear = true\n");
    let body = Body::new().may(format!(
        "takt_flag_wait_for({id}, 1, TAKT_FLAG_ANY, &(uint32_t){{0}}, {})",
        stage.long
    ));
    stage.culprit(body)
}

/// The culprit, above the victim, executes longer than its `wcet`.
fn wcet(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = stage(random, machine, 1);
    let rounds = machine.rounds(stage.long);
    let body = Body::new().work(1_000).text(format!("work({rounds});"));
    stage.sketch.task(Task::new("culprit", 0, 2, body).every(stage.period, 0));
    Made::new(stage.sketch, Expect::Reported)
}

/// The culprit, above the victim, sleeps many times for short times: each sleep costs the kernel
/// more than is charged.
fn naps(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = stage_with(random, machine, 1, Body::new().work(200_000));
    let naps = 60;
    let mut body = Body::new()
        .text(format!("for (int i = 0; i < {naps}; i++) {{ MUST(takt_task_delay(1000)); }}"))
        .executes(naps * 2_000);
    body.suspends = naps * 40_000;
    let period = 4 * body.suspends;
    stage.sketch.task(Task::new("culprit", 0, 2, body).every(period, 0));
    Made::new(stage.sketch, Expect::Reported)
}

/// An object, with the calls that take it and give it back.
pub struct Shared {
    class: &'static str,
    object: (u32, String),
}

impl Shared {
    pub fn new(sketch: &mut Sketch, class: &'static str, protocol: &str) -> Shared {
        let lines = if class == "mutex" {
            format!("protocol = \"{protocol}\"\n")
        } else {
            ONE_COUNT.into()
        };
        Shared { class, object: sketch.object(class, &lines) }
    }

    pub fn used(&self, body: Body, hold: u64) -> Body {
        body.uses(self.class, &self.object.1, Some(hold))
    }

    pub fn take(&self, body: Body) -> Body {
        let service = if self.class == "mutex" { "mutex_lock" } else { "semaphore_wait" };
        body.must(format!("takt_{service}({})", self.object.0))
    }

    pub fn give(&self, body: Body) -> Body {
        let service = if self.class == "mutex" { "mutex_unlock" } else { "semaphore_signal" };
        body.must(format!("takt_{service}({})", self.object.0))
    }
}

/// The victim needs the outer object. The culprit holds it and waits for the inner one, which a
/// lower task holds.
fn nested(random: &mut Rng, machine: &Machine, outer: &'static str, inner: &'static str) -> Made {
    let protocol = ["inherit", "ceiling"][random.usize(0..2)];
    let mut sketch = Sketch::new(machine, 1);
    let outer = Shared::new(&mut sketch, outer, protocol);
    let inner = Shared::new(&mut sketch, inner, protocol);
    let long = random.u64(200_000..400_000) + 4 * machine.job_overhead();
    let begin = 4 * machine.job_overhead();
    let period = 12 * long;
    sketch.run_for = 12 * period;
    let body = outer.give(outer.take(outer.used(Body::new(), 15_000)).work(1_000));
    sketch.task(Task::new("victim", 0, 5, body).every(period, 2 * begin));
    let body = inner.used(outer.used(Body::new(), 30_000), 15_000);
    let body = inner.take(outer.take(body).work(2_000));
    let body = outer.give(inner.give(body.work(1_000)));
    sketch.task(Task::new("culprit", 0, 20, body).every(period, begin));
    let body = inner.give(inner.take(inner.used(Body::new(), long + 15_000)).work(long));
    sketch.task(Task::new("lower", 0, 40, body).every(period, 0));
    Made::new(sketch, Expect::Reported)
}

/// The culprit spins for a mutex of another core while it holds one that the victim needs.
fn spin_in_mutex(random: &mut Rng, machine: &Machine) -> Made {
    let mut sketch = Sketch::new(machine, machine.cores(2));
    let outer = Shared::new(&mut sketch, "mutex", "inherit");
    let inner = Shared::new(&mut sketch, "mutex", "msrp");
    let long = random.u64(200_000..400_000) + 4 * machine.job_overhead();
    let begin = 4 * machine.job_overhead();
    let period = 12 * long;
    sketch.run_for = 12 * period;
    let body = outer.give(outer.take(outer.used(Body::new(), 15_000)).work(1_000));
    sketch.task(Task::new("victim", 0, 5, body).every(period, 2 * begin));
    let body = inner.used(outer.used(Body::new(), 30_000), 15_000);
    let body = inner.take(outer.take(body).work(2_000));
    let body = outer.give(inner.give(body.work(1_000)));
    sketch.task(Task::new("culprit", 0, 20, body).every(period, begin));
    let body = inner.give(inner.take(inner.used(Body::new(), long + 15_000)).work(long));
    let core = sketch.cores - 1;
    sketch.task(Task::new("far", core, 40, body).every(period, 0));
    Made::new(sketch, Expect::Reported)
}

/// The culprit, whose bound includes many interrupts, exceeds a declared time of 10 us by 40 us, or
/// executes four times as long as its `wcet` and 300 us more.
fn interrupted(random: &mut Rng, machine: &Machine, what: &str) -> Made {
    let mut stage = stage(random, machine, 1);
    stage.period *= 4;
    stage.sketch.run_for = 6 * stage.period;
    let lines = format!("period = \"{}ns\"\nstart = true\n", machine.job_overhead() + 20_000);
    stage.sketch.handler("cyclic", "tick", 0, &lines, Body::new().work(500));
    let body = Body::new().work(stage.long);
    let mut task = Task::new("culprit", 0, 20, Body::new());
    task.body = match what {
        "hold" => {
            let (id, name) = stage.sketch.object("mutex", "protocol = \"inherit\"\n");
            body.uses("mutex", &name, Some(10_000))
                .must(format!("takt_mutex_lock({id})"))
                .work(50_000)
                .must(format!("takt_mutex_unlock({id})"))
        }
        "section" => {
            task = task.with("dispatch_disable = \"10us\"");
            body.must("takt_dispatch_disable()").work(50_000).must("takt_dispatch_enable()")
        }
        // The time is longer than what the kernel may need for all these interrupts, so the job
        // surely executed too long.
        _ => body.text(format!("work({});", machine.rounds(3 * stage.long + 300_000))),
    };
    stage.sketch.task(task.every(stage.period, 0));
    Made::new(stage.sketch, Expect::Reported)
}

/// The culprit requests a mutex that a lower task holds again and again, each time with a timeout
/// that expires.
fn requests_that_fail(random: &mut Rng, machine: &Machine) -> Made {
    let mut sketch = Sketch::new(machine, 1);
    let shared = Shared::new(&mut sketch, "mutex", "inherit");
    let long = 20 * machine.job_overhead() + random.u64(200_000..300_000);
    let period = 12 * long;
    sketch.run_for = 12 * period;
    let body = Body::new().work(5_000);
    sketch.task(Task::new("victim", 0, 30, body).every(period, long));
    let id = shared.object.0;
    let body = shared
        .used(Body::new(), 15_000)
        .text("for (int i = 0; i < 5; i++) {")
        .text(format!("if (takt_mutex_lock_for({id}, 1000) == TAKT_OK) {{"))
        .must(format!("takt_mutex_unlock({id})"))
        .text("} }")
        .executes(60_000);
    sketch.task(Task::new("culprit", 0, 20, body).every(period, 4 * machine.job_overhead()));
    let body = shared.give(shared.take(shared.used(Body::new(), long + 15_000)).work(long));
    sketch.task(Task::new("lower", 0, 40, body).every(period, 0));
    Made::new(sketch, Expect::Reported)
}

/// The culprit disables an interrupt for a while.
fn interrupt_disabled(random: &mut Rng, machine: &Machine) -> Made {
    let mut stage = stage(random, machine, 1);
    let lines = "source = 3\npriority = 1\nseparation = \"1ms\"\n";
    let id = stage.sketch.handler("interrupt", "device", 0, lines, Body::new().work(500));
    let body = Body::new()
        .may(format!("offend(takt_interrupt_disable({id}))"))
        .work(stage.long)
        .may(format!("takt_interrupt_enable({id})"));
    stage.culprit(body)
}
