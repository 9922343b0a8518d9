// SPDX-License-Identifier: Apache-2.0
//! Tests what a task may do without a declaration: each action that the analysis must know is
//! refused if it is not declared, and measured if it is.

mod common;

use common::takt::{Ended, ended, takt};

/// Runs a system on the board `virt`; the description is a common head followed by `tasks`.
fn run(tasks: &str, source: &str) -> Ended {
    let directory = tempfile::tempdir().unwrap();
    let head = "format = 1\n[system]\nname = \"sample\"\nboard = \"virt\"\ncores = 2\n\
                sources = [\"main.c\"]\n[run]\nfor = \"40ms\"\n";
    std::fs::write(directory.path().join("system.toml"), format!("{head}{tasks}")).unwrap();
    std::fs::write(directory.path().join("main.c"), format!("{HEAD}{source}")).unwrap();
    ended(takt(&["run", "system.toml"], directory.path()))
}

const HEAD: &str = "
#include <takt/takt.h>
static inline void work(takt_time duration) {
    takt_time end = takt_time_now() + duration;
    while (takt_time_now() < end) {
    }
}
";

#[track_caller]
fn shows(end: &Ended, texts: &[&str]) {
    for text in texts {
        let all = format!("stdout:\n{}\nstderr:\n{}", end.stdout, end.stderr);
        assert!(end.stdout.contains(text), "{text:?} is not in\n{all}");
    }
}

/// The objects, and what each task declares.
const LIMITED: &str = r#"
[[mutex]]
name = "lender"
protocol = "inherit"
[[mutex]]
name = "spinner"
protocol = "msrp"
[[semaphore]]
name = "gate"
initial = 1
[[spin_lock]]
name = "fence"
[[cyclic]]
name = "tick"
function = "tick_call"
start = true
core = 1
period = "5ms"
wcet = "20us"
[[alarm]]
name = "bell"
function = "bell_call"
core = 1
separation = "5ms"
wcet = "20us"
[[task]]
name = "victim"
entry = "victim_job"
core = 0
priority = 1
period = "10ms"
wcet = "20us"
uses = [{ mutex = "lender", hold = "5us" }, { semaphore = "gate", hold = "5us" }]
[[task]]
name = "holder"
entry = "holder_job"
core = 0
priority = 10
period = "10ms"
wcet = "1ms"
uses = [{ mutex = "lender", hold = "20us", times = 2 }]
[[task]]
name = "spins"
entry = "spins_job"
core = 0
priority = 11
period = "10ms"
wcet = "1ms"
uses = [{ mutex = "spinner", hold = "20us" }]
[[task]]
name = "keeper"
entry = "keeper_job"
core = 0
priority = 12
period = "10ms"
wcet = "1ms"
uses = [{ semaphore = "gate", hold = "20us" }]
[[task]]
name = "locker"
entry = "locker_job"
core = 0
priority = 13
period = "10ms"
wcet = "1ms"
cpu_lock = "20us"
[[task]]
name = "stays"
entry = "stays_job"
core = 0
priority = 14
period = "10ms"
wcet = "1ms"
dispatch_disable = "20us"
[[task]]
name = "fences"
entry = "fences_job"
core = 0
priority = 15
period = "10ms"
wcet = "1ms"
uses = [{ spin_lock = "fence", hold = "20us" }]
[[task]]
name = "sleeps"
entry = "sleeps_job"
core = 1
priority = 10
period = "10ms"
wcet = "1ms"
suspends = "500us"
suspensions = 2
[[task]]
name = "rings"
entry = "rings_job"
core = 0
priority = 16
period = "10ms"
wcet = "1ms"
controls = [{ alarm = "bell", separation = "100us" }]
"#;

/// The macros LONG, TWICE and so on choose an action; each job performs it once.
const DOES: &str = "
void tick_call(intptr_t argument) { work(HANDLER); }
void bell_call(intptr_t argument) { work(HANDLER); }
void victim_job(intptr_t argument) { }
void holder_job(intptr_t argument) {
    for (int i = 0; i < TIMES; i++) {
        takt_assert(takt_mutex_lock(TAKT_MUTEX_lender) == TAKT_OK);
        work(LONG);
        takt_mutex_unlock(TAKT_MUTEX_lender);
    }
}
void spins_job(intptr_t argument) {
    takt_assert(takt_mutex_lock(TAKT_MUTEX_spinner) == TAKT_OK);
    work(LONG);
    takt_mutex_unlock(TAKT_MUTEX_spinner);
}
void keeper_job(intptr_t argument) {
    takt_error taken = takt_semaphore_try(TAKT_SEMAPHORE_gate);
    if (!KEEPS) {
        takt_assert(taken == TAKT_OK);
        work(LONG);
        takt_semaphore_signal(TAKT_SEMAPHORE_gate);
    }
}
void locker_job(intptr_t argument) {
    takt_assert(takt_cpu_lock() == TAKT_OK);
    work(LONG);
    takt_assert(takt_cpu_unlock() == TAKT_OK);
}
void stays_job(intptr_t argument) {
    takt_assert(takt_dispatch_disable() == TAKT_OK);
    work(LONG);
    takt_assert(takt_dispatch_enable() == TAKT_OK);
}
void fences_job(intptr_t argument) {
    takt_assert(takt_spin_lock_acquire(TAKT_SPIN_LOCK_fence) == TAKT_OK);
    work(LONG);
    takt_assert(takt_spin_lock_release(TAKT_SPIN_LOCK_fence) == TAKT_OK);
}
void sleeps_job(intptr_t argument) {
    for (int i = 0; i < TIMES; i++) {
        takt_task_delay(NAP);
    }
}
void rings_job(intptr_t argument) {
    for (int i = 0; i < TIMES; i++) {
        takt_assert(takt_alarm_start(TAKT_ALARM_bell, 0) == TAKT_OK);
        work(PAUSE);
    }
}
";

#[test]
fn who_does_what_is_declared_breaks_nothing() {
    let does = "enum { LONG = 5000, TIMES = 2, KEEPS = 0, NAP = 250000, PAUSE = 120000,\n\
                HANDLER = 5000 };\n";
    let end = run(LIMITED, &format!("{does}{DOES}"));
    assert_eq!(end.code, 0, "{}{}", end.stdout, end.stderr);
    shows(&end, &["every response is within its bound"]);
    assert!(!end.stdout.contains("assumption broken"), "{}", end.stdout);
}

#[test]
fn who_does_more_is_named() {
    let does = "enum { LONG = 200000, TIMES = 3, KEEPS = 1, NAP = 250000, PAUSE = 10000,\n\
                HANDLER = 100000 };\n";
    let end = run(LIMITED, &format!("{does}{DOES}"));
    assert_eq!(end.code, 1, "{}{}", end.stdout, end.stderr);
    let broken = [
        "task holder held mutex lender for 2",
        "a job of task holder asked for mutex lender 3 times, declared 2",
        "task spins held mutex spinner for 2",
        "task keeper held semaphore gate when its job ended, declared 20us",
        "task locker locked the CPU for ",
        "task stays disabled dispatch for ",
        "task fences held spin lock fence for 2",
        "a job of task sleeps was suspended for 7",
        "a job of task sleeps suspended itself 3 times, declared 2",
        "task rings acted on alarm bell 1",
        "cyclic handler tick ran for ",
        "alarm bell ran for ",
        "sample: no: an assumption was broken by alarm bell, cyclic handler tick, task fences \
         and 7 others",
    ];
    shows(&end, &broken);
    assert!(!end.stdout.contains("broken by task victim"), "{}", end.stdout);
}

/// Two tasks without declarations, on two cores.
const UNDECLARED: &str = r#"
[[flag]]
name = "bits"
[[data_queue]]
name = "words"
capacity = 1
[[priority_data_queue]]
name = "sorted"
capacity = 1
priorities = 1
[[message_buffer]]
name = "box"
message = "8B"
size = "16B"
[[memory_pool]]
name = "pool"
blocks = 1
size = "8B"
[[semaphore]]
name = "gate"
initial = 1
[[mutex]]
name = "nobodys"
protocol = "inherit"
[[spin_lock]]
name = "fence"
[[cyclic]]
name = "tick"
function = "tick_call"
start = true
core = 1
period = "5ms"
wcet = "20us"
[[alarm]]
name = "bell"
function = "bell_call"
core = 1
separation = "5ms"
wcet = "20us"
[[task]]
name = "first"
entry = "first_job"
core = 0
period = "10ms"
wcet = "1ms"
[[task]]
name = "second"
entry = "second_job"
core = 1
period = "10ms"
wcet = "1ms"
uses = [{ semaphore = "gate", hold = "5us" }]
[[task]]
name = "idle"
entry = "second_job"
core = 0
cores = [0, 1]
"#;

#[test]
fn what_is_not_declared_is_refused() {
    let end = run(
        UNDECLARED,
        "
static takt_error in_handler;
void tick_call(intptr_t argument) {
    in_handler = takt_spin_lock_try(TAKT_SPIN_LOCK_fence);
}
void bell_call(intptr_t argument) { }
void second_job(intptr_t argument) { }
#define REFUSED(call) takt_assert((call) == TAKT_E_ILUSE)
void first_job(intptr_t argument) {
    struct takt_task_state state;
    unsigned count;
    REFUSED(takt_task_ready_count(0, 1, &count));
    REFUSED(takt_cpu_lock());
    REFUSED(takt_dispatch_disable());
    REFUSED(takt_mutex_lock(TAKT_MUTEX_nobodys));
    REFUSED(takt_mutex_try(TAKT_MUTEX_nobodys));
    REFUSED(takt_spin_lock_acquire(TAKT_SPIN_LOCK_fence));
    REFUSED(takt_spin_lock_try(TAKT_SPIN_LOCK_fence));
    REFUSED(takt_semaphore_try(TAKT_SEMAPHORE_gate));
    REFUSED(takt_semaphore_wait(TAKT_SEMAPHORE_gate));
    REFUSED(takt_task_terminate(TAKT_TASK_second));
    REFUSED(takt_task_request_termination(TAKT_TASK_second));
    REFUSED(takt_task_rotate(3));
    REFUSED(takt_task_rotate_on(1, 3));
    REFUSED(takt_task_suspend(TAKT_TASK_second));
    REFUSED(takt_task_resume(TAKT_TASK_second));
    REFUSED(takt_task_release_wait(TAKT_TASK_second));
    REFUSED(takt_task_set_priority(TAKT_TASK_second, 3));
    REFUSED(takt_task_set_priority(TAKT_TASK_first, 3));
    REFUSED(takt_task_state(TAKT_TASK_second, &state));
    REFUSED(takt_task_migrate(TAKT_TASK_idle, 1));
    REFUSED(takt_task_activate_on(TAKT_TASK_idle, 1));
    REFUSED(takt_alarm_start(TAKT_ALARM_bell, 0));
    REFUSED(takt_alarm_stop(TAKT_ALARM_bell));
    REFUSED(takt_cyclic_start(TAKT_CYCLIC_tick));
    REFUSED(takt_cyclic_stop(TAKT_CYCLIC_tick));
    REFUSED(takt_semaphore_reset(TAKT_SEMAPHORE_gate));
    REFUSED(takt_flag_reset(TAKT_FLAG_bits));
    REFUSED(takt_data_queue_reset(TAKT_DATA_QUEUE_words));
    REFUSED(takt_priority_data_queue_reset(TAKT_PRIORITY_DATA_QUEUE_sorted));
    REFUSED(takt_message_buffer_reset(TAKT_MESSAGE_BUFFER_box));
    REFUSED(takt_memory_pool_reset(TAKT_MEMORY_POOL_pool));
    takt_assert(takt_task_state(TAKT_TASK_idle, &state) == TAKT_OK);
    if (takt_time_now() > 25 * TAKT_MILLISECOND) {
        takt_system_shutdown(in_handler == TAKT_E_ILUSE ? 7 : 8);
    }
}
",
    );
    assert_eq!(end.code, 7, "{}{}", end.stdout, end.stderr);
    // Handlers may lock the CPU, so that service is not reported. The reported services are those
    // that nobody may call.
    let told = [
        ("takt_mutex_lock, takt_mutex_try", "uses = [{ mutex = ... }]"),
        ("takt_spin_lock_acquire, takt_spin_lock_try", "uses = [{ spin_lock = ... }]"),
        ("takt_dispatch_disable", "dispatch_disable"),
        (
            "takt_task_terminate, takt_task_request_termination, takt_task_release_wait",
            "controls, action = \"terminate\"",
        ),
        ("takt_task_suspend, takt_task_resume", "controls, action = \"suspend\""),
        ("takt_task_set_priority", "controls, action = \"set_priority\""),
        ("takt_task_migrate, takt_task_activate_on", "controls, action = \"migrate\""),
        (
            "takt_semaphore_reset, takt_flag_reset, takt_data_queue_reset, takt_priority_data_queue_reset, \
             takt_message_buffer_reset, takt_memory_pool_reset, takt_task_rotate, takt_task_rotate_on",
            "unrestricted = true",
        ),
    ];
    let lines: Vec<_> = end.stderr.lines().collect();
    assert_eq!(lines.len(), told.len(), "{}", end.stderr);
    for (line, (services, declared)) in lines.iter().zip(told) {
        let note = format!(
            "takt: the image links {services} (called in main.c), and no task declares {declared}:"
        );
        assert!(line.starts_with(&note), "{note}\n{line}");
    }
}

/// The hints that `takt build` prints for a system of one task.
fn built(task: &str, more: &str, source: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let system = format!(
        "format = 1\n[system]\nname = \"sample\"\nboard = \"virt\"\ncores = 1\nsources = [\"main.c\"]\n\
         [[task]]\nname = \"only\"\nentry = \"job\"\nwcet = \"1ms\"\n{task}\n{more}\n"
    );
    std::fs::write(directory.path().join("system.toml"), system).unwrap();
    std::fs::write(directory.path().join("main.c"), format!("{HEAD}{source}")).unwrap();
    let end = ended(takt(&["build", "system.toml"], directory.path()));
    assert_eq!(end.code, 0, "{}", end.stderr);
    end.stderr
}

#[test]
fn a_build_tells_of_services_that_nobody_may_call() {
    let locks = "void job(intptr_t argument) { takt_assert(takt_cpu_lock() == TAKT_OK); takt_cpu_unlock(); }\n";
    let timed = "period = \"10ms\"";
    let told = built(timed, "", locks);
    assert_eq!(
        told,
        "takt: the image links takt_cpu_lock (called in main.c), and no task declares cpu_lock: the kernel will refuse \
         each call; declare it where it is called, or take the call out\n"
    );
    // Nothing is refused, for four reasons: the use is declared, everything is allowed, nothing has
    // a deadline, or a handler may call the service.
    assert_eq!(built("period = \"10ms\"\ncpu_lock = \"3us\"", "", locks), "");
    assert_eq!(built("period = \"10ms\"\nunrestricted = true", "", locks), "");
    assert_eq!(built("", "", locks), "");
    let alarm = "[[alarm]]\nname = \"bell\"\nfunction = \"ring\"\ncore = 0\n";
    assert_eq!(built(timed, alarm, &format!("{locks}void ring(intptr_t argument) {{}}")), "");
    // A function that is never called is not linked.
    let unused = "void unused(void) { takt_assert(takt_cpu_lock() == TAKT_OK); }\nvoid job(intptr_t argument) { }\n";
    assert_eq!(built(timed, "", unused), "");
}

#[test]
fn an_undeclared_wait_breaks_an_assumption() {
    let tasks = "[[task]]\nname = \"sleepy\"\nentry = \"job\"\ncore = 0\nperiod = \"1ms\"\nwcet = \"50us\"\n";
    let end = run(tasks, "void job(intptr_t argument) { takt_task_delay(100000); }");
    assert_eq!(end.code, 1, "{}{}", end.stdout, end.stderr);
    shows(&end, &["assumption broken: task sleepy suspended itself", "does not declare"]);
}

#[test]
fn a_count_that_is_handed_to_a_job_which_is_ended_is_named() {
    let tasks = "[[semaphore]]\nname = \"gate\"\ninitial = 1\n\
        [[task]]\nname = \"ender\"\nentry = \"ender_job\"\ncore = 0\npriority = 1\nperiod = \"10ms\"\nwcet = \"100us\"\n\
        suspends = \"2ms\"\nuses = [{ semaphore = \"gate\", hold = \"50us\" }]\n\
        controls = [{ task = \"keeper\", action = \"terminate\", separation = \"1ms\" }]\n\
        [[task]]\nname = \"keeper\"\nentry = \"keeper_job\"\ncore = 0\npriority = 2\nperiod = \"10ms\"\nwcet = \"100us\"\n\
        uses = [{ semaphore = \"gate\", hold = \"50us\" }]\n";
    let source = "
void ender_job(intptr_t argument) {
    takt_assert(takt_semaphore_wait(TAKT_SEMAPHORE_gate) == TAKT_OK);
    takt_task_delay(TAKT_MILLISECOND);
    takt_assert(takt_semaphore_signal(TAKT_SEMAPHORE_gate) == TAKT_OK); /* keeper's now */
    takt_assert(takt_task_terminate(TAKT_TASK_keeper) == TAKT_OK);
}
void keeper_job(intptr_t argument) {
    takt_assert(takt_semaphore_wait(TAKT_SEMAPHORE_gate) == TAKT_OK);
    takt_semaphore_signal(TAKT_SEMAPHORE_gate);
}
";
    let end = run(tasks, source);
    shows(&end, &["task keeper held semaphore gate when its job ended, declared 50us"]);
}
