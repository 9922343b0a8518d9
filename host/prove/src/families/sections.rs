// SPDX-License-Identifier: Apache-2.0
//! Sections of the kernel whose length grows with the application: a high task, the victim, is
//! released again and again while a lower task is in such a section.

use fastrand::Rng;

use super::{Made, Shape, spread};
use crate::body::Body;
use crate::sketch::{Sketch, Task};
use crate::{Expect, Machine};

pub const SHAPES: &[Shape] = &[
    Shape { name: "message", make: |random, machine| message(random, machine, 1) },
    Shape { name: "message-cores", make: |random, machine| message(random, machine, 8) },
    Shape { name: "barrier", make: barrier },
    Shape { name: "barrier-own", make: barrier_own },
    Shape { name: "flag", make: flag },
    Shape { name: "flag-cores", make: flag_cores },
    Shape { name: "priority-queue", make: priority_queue },
    Shape { name: "inherit-chain", make: inherit_chain },
    Shape { name: "reader-writer", make: reader_writer },
    Shape { name: "inbox", make: inbox },
    Shape { name: "late-cyclics", make: late_cyclics },
    Shape { name: "locks", make: locks },
    Shape { name: "giant-tas", make: giant_tas },
];

/// How much later, relative to the attack, the victim is released each time, in shapes with one
/// attack in eight of the victim's periods. So its release sweeps over the section.
const SWEEP: u64 = 700;

/// Adds the victim of a core.
fn victim(sketch: &mut Sketch, core: u32, period: u64, at: u64) {
    let name = if core == 0 { "victim".into() } else { format!("victim_{core}") };
    let body = Body::new().work(2_000);
    sketch.task(Task::new(name, core, 1, body).every(period, at % period));
}

/// Two tasks of each core exchange messages of up to 4 KiB.
fn message(random: &mut Rng, machine: &Machine, cores: u32) -> Made {
    let cores = machine.cores(cores);
    let mut sketch = Sketch::new(machine, cores);
    let size = [512_u64, 1024, 2048, 4096][random.usize(0..4)];
    sketch.globals = format!("static unsigned char message[{cores}][2][{size}];\n");
    let shared = random.bool();
    let mut buffer = None;
    let round = (10 * machine.job_overhead()).max(1_000_000);
    for core in 0..cores {
        if buffer.is_none() || !shared {
            let lines = format!("message = \"{size}B\"\nsize = \"{}B\"\n", 4 * (size + 8));
            buffer = Some(sketch.object("message_buffer", &lines).0);
        }
        let id = buffer.expect("there is one");
        victim(&mut sketch, core, round + 7_000 * u64::from(core + 1), random.u64(0..round));
        // The copy meets cold lines on both sides, and other cores that request the same lock.
        let copies = size * 20 + 10_000;
        let send = Body::new()
            .may(format!("takt_message_buffer_try_send({id}, message[{core}][0], {size})"))
            .executes(copies)
            .work(3_000);
        let receive = Body::new()
            .may(format!(
                "takt_message_buffer_try_receive({id}, message[{core}][1], &(size_t){{0}})"
            ))
            .executes(copies);
        sketch.task(Task::new(format!("sender_{core}"), core, 20, send).every(3 * round, 0));
        sketch.task(Task::new(format!("receiver_{core}"), core, 60, receive.for_ever()));
    }
    Made::honest(sketch)
}

/// The times of the shapes in which one call on core 0 wakes many tasks.
struct Wake {
    tasks: u32,
    period: u64,
    /// The time of the call.
    at: u64,
    /// The time from the release of the calling task to that of the victim.
    lead: u64,
}

impl Wake {
    fn new(random: &mut Rng, machine: &Machine) -> Wake {
        let tasks = [24, 120, 320, 700][random.usize(0..4)];
        // The period has room for the wake-ups of all tasks on one core.
        let period = (u64::from(tasks) * 4 * machine.job_overhead()).max(8_000_000);
        Wake { tasks, period, at: period / 2, lead: random.u64(3_000..12_000) }
    }

    /// Adds a task on core 0 that makes the call once in each period, and victims on cores 0 and 1.
    fn caller(&self, sketch: &mut Sketch, call: &str, cost: u64) {
        sketch.run_for = 9 * self.period;
        // The victim is released several times in each period, once at the call.
        let short = self.period / 8 + SWEEP;
        victim(sketch, 0, short, self.at + self.lead - 4 * SWEEP);
        let body = Body::new().must(call).executes(cost);
        sketch.task(Task::new("caller", 0, 40, body).every(self.period, self.at));
    }

    /// Adds a task that waits once in each period until the caller calls.
    fn waiter(&self, sketch: &mut Sketch, core: u32, name: String, call: &str) {
        let longest = self.at + self.period / 4;
        let body = Body::new().waits(call, longest);
        let task = Task::new(name, core, 30, body).every(self.period, 0);
        sketch.task(task.with("stack = \"2KiB\""));
    }
}

fn barrier(random: &mut Rng, machine: &Machine) -> Made {
    let wake = Wake::new(random, machine);
    let mut sketch = Sketch::new(machine, machine.cores(2));
    let (id, _) = sketch.object("barrier", &format!("participants = {}\n", wake.tasks + 1));
    let call = format!("takt_barrier_wait({id})");
    wake.caller(&mut sketch, &call, u64::from(wake.tasks) * 3_000);
    let core = sketch.cores - 1;
    for task in 0..wake.tasks {
        wake.waiter(&mut sketch, core, format!("waiter_{task}"), &call);
    }
    Made::honest(sketch)
}

/// One call wakes tasks of its own core, one of them above the victim.
fn barrier_own(random: &mut Rng, machine: &Machine) -> Made {
    let tasks = [4_u32, 12, 24][random.usize(0..3)];
    let period = (u64::from(tasks) * 8 * machine.job_overhead()).max(8_000_000);
    let mut sketch = Sketch::new(machine, 1);
    sketch.run_for = 20 * period;
    let (id, _) = sketch.object("barrier", &format!("participants = {}\n", tasks + 1));
    let call = format!("takt_barrier_wait({id})");
    let at = period / 2;
    // The victim's release sweeps over the call, by 700 ns in each period of the caller.
    let first = at + random.u64(1_000..4_000);
    let victim = Task::new("victim", 0, 10, Body::new().work(2_000));
    sketch.task(victim.every(period / 8 + SWEEP / 8, first % (period / 8)));
    for task in 0..tasks {
        let priority = if task == 0 { 5 } else { 30 };
        let body = Body::new().waits(&call, at + period / 4);
        let waiter = Task::new(format!("waiter_{task}"), 0, priority, body).every(period, 0);
        sketch.task(waiter.with("stack = \"2KiB\""));
    }
    let body = Body::new().must(&call).executes(u64::from(tasks) * 3_000);
    let mut caller = Task::new("caller", 0, 40, body).every(period, at);
    caller.more = format!("suspends = \"{}ns\"\n", 20_000);
    sketch.task(caller);
    Made::honest(sketch)
}

fn flag(random: &mut Rng, machine: &Machine) -> Made {
    let wake = Wake::new(random, machine);
    let mut sketch = Sketch::new(machine, machine.cores(2));
    let core = sketch.cores - 1;
    flag_with(&mut sketch, &wake, |_| core);
    Made::honest(sketch)
}

/// The waiting tasks are on all cores of the board.
fn flag_cores(random: &mut Rng, machine: &Machine) -> Made {
    let cores = machine.cores(72);
    let mut wake = Wake::new(random, machine);
    wake.tasks = cores - 1;
    let mut sketch = Sketch::new(machine, cores);
    flag_with(&mut sketch, &wake, |task| task % (cores - 1) + 1);
    Made::honest(sketch)
}

fn flag_with(sketch: &mut Sketch, wake: &Wake, core: impl Fn(u32) -> u32) {
    let (id, _) = sketch.object("flag", "shared = true\n");
    wake.caller(sketch, &format!("takt_flag_set({id}, 1)"), u64::from(wake.tasks) * 3_000);
    for task in 0..wake.tasks {
        // The first task that wakes up clears the flag for the next period.
        let wait = format!("takt_flag_wait({id}, 1, TAKT_FLAG_ANY, &(uint32_t){{0}})");
        wake.waiter(sketch, core(task), format!("waiter_{task}"), &wait);
    }
    let body = Body::new().must(format!("takt_flag_clear({id}, 0)"));
    sketch.task(Task::new("clearer", 0, 39, body).every(wake.period, 0));
}

/// A task joins a queue in priority order behind all others.
fn priority_queue(random: &mut Rng, machine: &Machine) -> Made {
    let wake = Wake::new(random, machine);
    let mut sketch = Sketch::new(machine, machine.cores(2));
    let lines = "initial = 0\nmaximum = 1000\norder = \"priority\"\n";
    let (id, name) = sketch.object("semaphore", lines);
    let core = sketch.cores - 1;
    sketch.run_for = 9 * wake.period;
    victim(&mut sketch, 0, wake.period / 8 + SWEEP, wake.at + wake.lead - 4 * SWEEP);
    for task in 0..wake.tasks {
        let wait = format!("takt_semaphore_wait({id})");
        let body = Body::new().uses("semaphore", &name, None).waits(wait, wake.period * 7 / 8);
        let task = Task::new(format!("waiter_{task}"), core, 30, body).every(wake.period, 0);
        sketch.task(task.with("stack = \"2KiB\""));
    }
    let body = Body::new()
        .uses("semaphore", &name, None)
        .waits(format!("takt_semaphore_wait({id})"), wake.period * 3 / 8)
        .executes(u64::from(wake.tasks) * 1_000);
    sketch.task(Task::new("last", 0, 40, body).every(wake.period, wake.at));
    let all = format!(
        "for (int i = 0; i <= {}; i++) {{ MUST(takt_semaphore_signal({id})); }}",
        wake.tasks
    );
    let body = Body::new().text(all).executes(u64::from(wake.tasks + 1) * 5_000);
    sketch.task(Task::new("giver", 0, 50, body).every(wake.period, wake.period * 3 / 4));
    Made::honest(sketch)
}

/// Each task holds a mutex and waits for that of the next task: the holds are nested, and
/// priorities are inherited along the chain.
fn inherit_chain(random: &mut Rng, machine: &Machine) -> Made {
    let mut sketch = Sketch::new(machine, 1);
    let links = [8, 20, 50][random.usize(0..3)];
    let period = u64::from(links) * 30 * machine.job_overhead() + 8_000_000;
    sketch.run_for = 6 * period;
    victim(&mut sketch, 0, period / 8 + SWEEP, period / 2);
    let mutexes: Vec<_> =
        (0..=links).map(|_| sketch.object("mutex", "protocol = \"inherit\"\n")).collect();
    let last = machine.job_overhead() * 4 * u64::from(links);
    for link in 0..links {
        // The lowest task takes the last mutex first and keeps it; the others follow in ascending
        // order of priority.
        let (own, next) = (&mutexes[link as usize], &mutexes[link as usize + 1]);
        // The execution between lock and unlock: that of the services, and for the last task its
        // work.
        let hold = if link == links - 1 { last + last / 100 + 24_000 } else { 24_000 };
        let mut body = Body::new()
            .uses("mutex", &own.1, Some(hold))
            .uses_inside(&next.1, hold, &[&own.1])
            .must(format!("takt_mutex_lock({})", own.0))
            .must(format!("takt_mutex_lock({})", next.0));
        if link == links - 1 {
            body = body.work(last);
        }
        let body = body
            .must(format!("takt_mutex_unlock({})", next.0))
            .must(format!("takt_mutex_unlock({})", own.0));
        let name = format!("link_{link}");
        let offset = u64::from(links - link) * 3 * machine.job_overhead();
        let task = Task::new(name, 0, 3 + link.min(57), body).every(period, offset);
        sketch.task(task.with("stack = \"2KiB\""));
    }
    Made::honest(sketch)
}

/// Jobs end while they hold some of many reader-writer locks.
fn reader_writer(random: &mut Rng, machine: &Machine) -> Made {
    let mut sketch = Sketch::new(machine, 1);
    let locks = [10, 100, 400][random.usize(0..3)];
    for _ in 0..locks {
        sketch.object("reader_writer_lock", "");
    }
    let round = (12 * machine.job_overhead()).max(1_000_000);
    victim(&mut sketch, 0, round, random.u64(0..round));
    let held = random.u64(0..8.min(locks));
    let mut body = Body::new().work(1_000);
    for lock in 1..=held {
        body = body.must(format!("takt_reader_writer_lock_read({lock})"));
    }
    let body = body.executes(locks * 300);
    sketch.task(Task::new("ender", 0, 20, body).every(round + 3_000, random.u64(0..round)));
    Made::honest(sketch)
}

/// Tasks of all cores send a request to core 0 at the same time.
fn inbox(random: &mut Rng, machine: &Machine) -> Made {
    let cores = machine.cores(24);
    let mut sketch = Sketch::new(machine, cores);
    let period = u64::from(cores) * 6 * machine.job_overhead() + 4_000_000;
    sketch.run_for = 9 * period;
    let at = period / 2;
    victim(&mut sketch, 0, period / 8 + SWEEP, at + random.u64(0..12_000) - 4 * SWEEP);
    for core in 1..cores {
        let id = sketch.next_task();
        let body = Body::new().work(1_000);
        sketch.task(Task::new(format!("asked_{core}"), 0, 20, body).apart(period * 9 / 10));
        let ask = Body::new().may(format!("takt_task_activate({id})")).executes(20_000);
        sketch.task(Task::new(format!("asker_{core}"), core, 10, ask).every(period, at));
    }
    Made::honest(sketch)
}

/// A long handler delays the calls of a frequent one, so that they come all at once.
fn late_cyclics(random: &mut Rng, machine: &Machine) -> Made {
    let mut sketch = Sketch::new(machine, 1);
    let short = (3 * machine.job_overhead()).max(100_000);
    let long = short * random.u64(3..10);
    let lines = format!("period = \"{}ns\"\nstart = true\n", 12 * long);
    sketch.handler("cyclic", "slow", 0, &lines, Body::new().work(long));
    for name in ["frequent_a", "frequent_b"] {
        let lines = format!("period = \"{short}ns\"\nstart = true\n");
        sketch.handler("cyclic", name, 0, &lines, Body::new().work(1_000));
    }
    victim(&mut sketch, 0, 12 * long, spread(random, 1_000, long));
    let body = Body::new().work(long);
    sketch.task(Task::new("lower", 0, 20, body).every(24 * long, 0));
    Made::honest(sketch)
}

/// Low tasks of some cores call services of shared objects all the time, with any kind of lock and
/// any granularity.
fn locks(random: &mut Rng, machine: &Machine) -> Made {
    let kind = ["ticket", "mcs", "k42", "relay"][random.usize(0..4)];
    let granularity = ["giant", "core", "object"][random.usize(0..3)];
    Made::honest(hammered(random, machine, kind, granularity))
}

/// These locks are not granted in order, so nothing bounds a wait.
fn giant_tas(random: &mut Rng, machine: &Machine) -> Made {
    let kind = ["tas", "ttas"][random.usize(0..2)];
    Made::new(hammered(random, machine, kind, "giant"), Expect::HonestIfProved)
}

fn hammered(random: &mut Rng, machine: &Machine, kind: &str, granularity: &str) -> Sketch {
    let cores = machine.cores([2, 4, 8, 16][random.usize(0..4)]);
    let mut sketch = Sketch::new(machine, cores);
    sketch.kernel += &format!("spinlock = \"{kind}\"\ngranularity = \"{granularity}\"\n");
    let one = random.bool();
    let mut semaphore = None;
    for core in 0..cores {
        let period = (12 * machine.job_overhead()).max(1_000_000) + u64::from(core) * 11_000;
        victim(&mut sketch, core, period, random.u64(0..period));
        if semaphore.is_none() || !one {
            semaphore = Some(sketch.object("semaphore", "initial = 0\n").0);
        }
        let id = semaphore.expect("there is one");
        let body = Body::new()
            .may(format!("takt_semaphore_signal({id})"))
            .may(format!("takt_semaphore_try({id})"));
        sketch.task(Task::new(format!("hammer_{core}"), core, 60, body.for_ever()));
    }
    sketch.run_for = 40_000_000;
    sketch
}
