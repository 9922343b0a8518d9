// SPDX-License-Identifier: Apache-2.0
//! Tests the report of jobs that are not finished at the end of a run: where each is, what it waits
//! for, and which task holds that object.

mod common;

use common::document::document;
use common::takt::{ended, takt};
use serde_json::{Value, json};

const HEAD: &str = r#"format = 1
[system]
name = "sample"
board = "virt"
cores = 2
sources = ["main.c"]
[run]
for = "20ms"
"#;

fn task(name: &str, core: u32, priority: u32, more: &str) -> String {
    format!(
        "[[task]]\nname = \"{name}\"\nentry = \"{name}_job\"\ncore = {core}\npriority = {priority}\n{more}\n"
    )
}

/// Runs a system; returns the report as JSON and as text.
fn run(description: &[String], source: &str) -> (Value, String) {
    let directory = tempfile::tempdir().unwrap();
    let description = HEAD.to_string() + &description.concat();
    std::fs::write(directory.path().join("system.toml"), description).unwrap();
    let source = format!("#include <takt/takt.h>\nstatic volatile int done;\n{source}");
    std::fs::write(directory.path().join("main.c"), source).unwrap();
    let text = ended(takt(&["run", "system.toml"], directory.path()));
    let json = ended(takt(&["run", "system.toml", "--format", "json"], directory.path()));
    assert_eq!(text.code, json.code);
    (document(&json), text.stdout + &text.stderr)
}

fn of<'a>(report: &'a Value, task: &str) -> &'a Value {
    let all = report["unfinished"].as_array().unwrap();
    all.iter().find(|it| it["task"] == task).unwrap_or_else(|| panic!("{task}: {report:#}"))
}

fn verdict<'a>(report: &'a Value, task: &str) -> &'a Value {
    let rows = report["tasks"].as_array().unwrap();
    &rows.iter().find(|row| row["task"] == task).unwrap()["verdict"]
}

#[track_caller]
fn says(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.contains(line), "{line}\nis not in\n{text}");
    }
}

/// Two tasks that take two objects in opposite orders. `take` is the call, with `%` for the
/// object's ID.
fn opposite(take: &str) -> String {
    let take = |object: &str| take.replace('%', object);
    let job = |name: &str, first: &str, second: &str| {
        format!(
            "void {name}_job(intptr_t argument) {{\n    takt_assert({} == TAKT_OK);\n    takt_task_delay(TAKT_MILLISECOND);\n    \
             takt_assert({} == TAKT_OK);\n    done++;\n}}\n",
            take(first),
            take(second)
        )
    };
    job("one", "red", "blue") + &job("two", "blue", "red")
}

#[test]
fn a_deadlock_of_two_mutexes_is_reported_as_its_cycle() {
    let mutex = |name: &str| format!("[[mutex]]\nname = \"{name}\"\nprotocol = \"inherit\"\n");
    let uses = "start = true\nuses = [{ mutex = \"red\" }, { mutex = \"blue\" }]";
    let system = [mutex("red"), mutex("blue"), task("one", 0, 2, uses), task("two", 0, 3, uses)];
    let (report, text) = run(&system, &opposite("takt_mutex_lock(TAKT_MUTEX_%)"));
    let one = of(&report, "one");
    assert_eq!(one["state"], "waiting");
    assert_eq!(one["waits_for"], json!({ "class": "mutex", "name": "blue" }));
    assert_eq!((&one["held_by"], &one["deadlock"]), (&json!("two"), &json!(["one", "two"])));
    assert_eq!(of(&report, "two")["deadlock"], json!(["two", "one"]));
    assert_eq!(one["place"], json!({ "function": "one_job", "file": "main.c", "line": 6 }));
    let since = one["since_ns"].as_u64().unwrap();
    assert!((1_000_000..3_000_000).contains(&since), "{since}");
    assert_eq!(verdict(&report, "one"), "deadlock");
    assert_eq!((&report["holds"], &report["exit_status"]), (&json!(false), &json!(1)));
    let cycle =
        "- deadlock: one waits for mutex blue, held by two; two waits for mutex red, held by one\n";
    let one = "- at the end: task one waits for mutex blue since 1.";
    says(&text, &[cycle, one, "in one_job (main.c:6)", "sample: no: a deadlock of one, two\n"]);
    assert!(!text.contains("run longer"), "{text}");
    assert_eq!(text.matches("- deadlock").count(), 1, "{text}");
}

/// A writer that waits for several readers waits for each of them.
#[test]
fn a_deadlock_of_readers_and_writers_across_cores_is_reported() {
    let lock = |name: &str| format!("[[reader_writer_lock]]\nname = \"{name}\"\n");
    let system = [
        lock("red"),
        lock("blue"),
        task("one", 0, 2, "start = true"),
        task("two", 1, 3, "start = true"),
    ];
    let source = opposite("takt_reader_writer_lock_write(TAKT_READER_WRITER_LOCK_%)");
    let source = source.replacen("lock_write", "lock_read", 1);
    let (report, text) = run(&system, &source);
    assert_eq!(of(&report, "two")["waits_for"], json!({ "class": "write", "name": "red" }));
    assert_eq!(of(&report, "two")["held_by"], "one");
    let cycle = "one waits for reader-writer lock blue, to write, held by two; two waits for \
                 reader-writer lock red, to write, held by one\n";
    says(&text, &[cycle]);
}

/// The holder of a semaphore is known if the description declares a hold, because then holds are
/// measured.
#[test]
fn the_holder_of_a_semaphore_is_named() {
    let semaphore =
        |name: &str| format!("[[semaphore]]\nname = \"{name}\"\ninitial = 1\nmaximum = 1\n");
    let held = "uses = [{ semaphore = \"red\", hold = \"5us\" }, { semaphore = \"blue\", hold = \"5us\" }]";
    let timed = "wcet = \"1ms\"\nperiod = \"100ms\"\ndeadline = \"50ms\"\nsuspends = \"1ms\"";
    let more = format!("{timed}\n{held}");
    let system =
        [semaphore("red"), semaphore("blue"), task("one", 0, 2, &more), task("two", 0, 3, &more)];
    let source = opposite("takt_semaphore_wait(TAKT_SEMAPHORE_%)");
    let (report, text) = run(&system, &source);
    assert_eq!(of(&report, "one")["held_by"], "two", "{report:#}");
    says(
        &text,
        &["deadlock: one waits for semaphore blue, held by two; two waits for semaphore red"],
    );
}

#[test]
fn a_loop_a_sleep_a_signal_and_a_task_without_activation_are_told_apart() {
    let start = "start = true";
    let system = [
        "[[semaphore]]\nname = \"signal\"\ninitial = 0\nmaximum = 1\n".to_string(),
        task("sleeper", 0, 2, start),
        task("waits", 0, 3, start),
        task("nobody", 0, 4, ""),
        task("looper", 0, 5, start),
        task("kept", 0, 6, start),
    ];
    let source = "
void sleeper_job(intptr_t argument) {
    takt_task_sleep();
    done++;
}
void waits_job(intptr_t argument) {
    takt_assert(takt_semaphore_wait(TAKT_SEMAPHORE_signal) == TAKT_OK);
    done++;
}
void nobody_job(intptr_t argument) { }
void looper_job(intptr_t argument) {
    for (;;) {
        done++;
    }
}
void kept_job(intptr_t argument) { }";
    let (report, text) = run(&system, source);
    let state = |task| of(&report, task)["state"].clone();
    assert_eq!(state("sleeper"), "waiting");
    assert_eq!(state("nobody"), "never_activated");
    assert_eq!(state("looper"), "running");
    assert_eq!(state("kept"), "ready");
    assert_eq!(
        of(&report, "waits")["waits_for"],
        json!({ "class": "semaphore", "name": "signal" })
    );
    assert_eq!(of(&report, "looper")["place"]["function"], "looper_job");
    assert_eq!(
        (verdict(&report, "looper"), verdict(&report, "nobody")),
        (&json!("not finished"), &json!("never activated"))
    );
    let lines = [
        "- at the end: task sleeper sleeps until a task wakes it since ",
        ", in sleeper_job (main.c:5); its job was released at 0ns",
        "- at the end: task waits waits for semaphore signal since ",
        ", in waits_job (main.c:9); its job",
        "- at the end: task nobody was never activated\n",
        "- at the end: task looper is running since 0ns, in looper_job (main.c:1",
        "its job was released at 0ns and has executed for 19.9",
        "- at the end: task kept is ready but does not run since 0ns; its job was released at 0ns and has not begun\n",
    ];
    says(&text, &lines);
    assert!(!text.contains("run longer"), "{text}");
}

/// A job that sleeps for a limited time will go on, and so will one within its wcet: nothing is
/// wrong, and no note blames such a job.
#[test]
fn a_job_that_will_go_on_is_listed_without_a_note() {
    let system = [
        task("naps", 0, 2, "start = true"),
        task("ticker", 0, 3, "period = \"1ms\"\nwcet = \"10us\""),
        task("rare", 0, 4, "period = \"1s\"\nwcet = \"10us\""),
    ];
    let source = "
void naps_job(intptr_t argument) {
    takt_task_delay(TAKT_SECOND);
    done++;
}
void ticker_job(intptr_t argument) { }
void rare_job(intptr_t argument) { }";
    let (report, text) = run(&system, source);
    assert_eq!(of(&report, "naps")["state"], "waiting");
    assert!(of(&report, "naps")["until_ns"].as_u64() > Some(900_000_000));
    assert!(!text.contains("at the end:"), "{text}");
    says(&text, &["it needs 2 of a task: rare (1 job); run longer"]);
}

/// Hundreds of names would hide the important ones.
#[test]
fn long_lists_are_shortened() {
    let crowd: Vec<_> = (0..30).map(|it| format!("crowd_{it}")).collect();
    let rare = "period = \"1s\"\nwcet = \"1us\"";
    let late: Vec<_> = (0..20).map(|it| format!("late_{it}")).collect();
    let rows = crowd.iter().map(|name| task(name, 1, 9, rare));
    let system: Vec<_> =
        rows.chain(late.iter().map(|name| task(name, 0, 9, "start = true"))).collect();
    let job = |name: &String| format!("void {name}_job(intptr_t argument) {{ }}\n");
    let wait =
        |name: &String| format!("void {name}_job(intptr_t argument) {{ takt_task_sleep(); }}\n");
    let source: String = crowd.iter().map(job).chain(late.iter().map(wait)).collect();
    let (report, text) = run(&system, &source);
    let few = "it needs 2 of a task: crowd_0 (1 job), crowd_1 (1 job), crowd_2 (1 job) and 27 others; run longer\n";
    says(&text, &[few, "- at the end: 10 other tasks are not finished (--format json)\n"]);
    assert_eq!(report["unfinished"].as_array().unwrap().len(), 20);
}

#[test]
fn a_task_that_has_given_up_a_mutex_of_several_cores_does_not_spin_for_it() {
    let mutex = "[[mutex]]\nname = \"red\"\nprotocol = \"msrp\"\n".to_string();
    let uses = "start = true\nuses = [{ mutex = \"red\" }]";
    let system = [mutex, task("holder", 1, 2, uses), task("loser", 0, 2, uses)];
    let source = "
void holder_job(intptr_t argument) {
    takt_assert(takt_mutex_lock(TAKT_MUTEX_red) == TAKT_OK);
    while (takt_time_now() < 5 * TAKT_MILLISECOND) {
    }
    takt_mutex_unlock(TAKT_MUTEX_red);
}
void loser_job(intptr_t argument) {
    takt_task_delay(TAKT_MILLISECOND);
    takt_assert(takt_mutex_lock_for(TAKT_MUTEX_red, 100000) == TAKT_E_TMOUT);
    while (!done) {
    }
}
";
    let (report, _) = run(&system, source);
    let loser = of(&report, "loser");
    assert_eq!((&loser["state"], &loser["waits_for"]), (&json!("running"), &Value::Null));
}

/// A task that has let another of its priority run stands in the caller of the service, which has no frame.
#[test]
fn the_place_of_a_task_that_rotates_is_where_it_called() {
    let last =
        "[[task]]\nname = \"last\"\nentry = \"last_job\"\ncore = 0\npriority = 1\nstart = true\n";
    let start = "start = true";
    let system = [task("one", 0, 3, start), task("two", 0, 3, start), last.to_string()];
    let source = "
static void turn(void) {
    takt_task_rotate(TAKT_PRIORITY_SELF);
    done++;
}
void one_job(intptr_t argument) { for (;;) { turn(); } }
void two_job(intptr_t argument) { for (;;) { turn(); } }
void last_job(intptr_t argument) {
    takt_task_delay(TAKT_MILLISECOND);
    takt_system_shutdown(0);
}
";
    let (_, text) = run(&system, source);
    let place = "is ready but does not run, in turn (main.c:";
    says(&text, &[place]); // of the one that does not run; the other may have been interrupted anywhere
}
