// SPDX-License-Identifier: Apache-2.0
//! Tests the file of `takt run --trace` for a run on the board.

mod common;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use common::document::document;
use common::takt::{ended, takt};
use serde_json::Value;

const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/trace");
/// The machine's clock counts at 10 MHz.
const TICK: u64 = 100;

/// A run of tests/trace, with its trace and its result.
struct Run {
    trace: Value,
    result: Value,
}

fn run(system: &Path, more: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.json");
    let mut command = takt(&["run", "--format", "json", "--trace"], folder.path());
    command.arg(&file).arg(system).args(more);
    let result = document(&ended(command));
    Run { trace: serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap(), result }
}

/// One complete run, which all tests share.
fn whole() -> &'static Run {
    static RUN: OnceLock<Run> = OnceLock::new();
    RUN.get_or_init(|| run(&Path::new(TESTS).join("system.toml"), &[]))
}

fn events(run: &Run) -> impl Iterator<Item = &Value> {
    run.trace["traceEvents"].as_array().unwrap().iter().filter(|event| event["ph"] != "M")
}

/// A member in microseconds with three decimals, as nanoseconds.
fn nanos(event: &Value, member: &str) -> u64 {
    (event[member].as_f64().unwrap() * 1000.0).round() as u64
}

/// A slice of a core's row, with the arguments of its begin and its end.
#[derive(Debug)]
struct Slice {
    core: u64,
    name: String,
    begin: u64,
    end: u64,
    /// The time that slices inside this one took.
    inner: u64,
    depth: usize,
    about: BTreeMap<String, Value>,
}

/// All slices. Fails if a slice is not closed or closed twice, or if time goes backwards in a row.
fn slices(run: &Run) -> Vec<Slice> {
    let (mut open, mut done) = (HashMap::<u64, Vec<Slice>>::new(), Vec::new());
    let mut last = HashMap::<u64, u64>::new();
    for event in events(run) {
        let core = event["tid"].as_u64().unwrap() - 1;
        let now = nanos(event, "ts");
        let before = last.insert(core, now).unwrap_or_default();
        assert!(before <= now, "time goes back: {event}");
        let stack = open.entry(core).or_default();
        let about = event["args"].as_object().cloned().unwrap_or_default().into_iter();
        match event["ph"].as_str().unwrap() {
            "B" => {
                let name = event["name"].as_str().unwrap().to_string();
                let (depth, about) = (stack.len(), about.collect());
                stack.push(Slice { core, name, begin: now, end: 0, inner: 0, depth, about });
            }
            "E" => {
                let mut slice = stack.pop().unwrap_or_else(|| panic!("nothing is open: {event}"));
                slice.end = now;
                slice.about.extend(about);
                if let Some(outer) = stack.last_mut() {
                    outer.inner += slice.end - slice.begin;
                }
                done.push(slice);
            }
            "X" | "i" | "s" | "f" => {}
            other => panic!("phase {other}"),
        }
    }
    assert!(open.values().all(Vec::is_empty), "{open:?}");
    done
}

#[test]
fn a_run_on_the_board_is_traced_whole_though_its_rings_are_small() {
    let run = whole();
    let dropped = |core: &Value| core["events_dropped"].as_u64().unwrap();
    let dropped: u64 = run.result["cores"].as_array().unwrap().iter().map(dropped).sum();
    assert!(dropped > 1000, "the rings were large enough for the run: {dropped}");
    let note = run.trace["otherData"]["note"].as_str().unwrap();
    assert!(note.starts_with("all ") && note.ends_with(" events"), "{note}");
    let notes: Vec<_> = run.result["notes"].as_array().unwrap().iter().collect();
    assert!(notes.iter().any(|it| it.as_str().unwrap().ends_with(note)), "{notes:?}");
}

#[test]
fn each_core_has_a_row_and_each_row_is_one_thing_after_another() {
    let run = whole();
    let all = run.trace["traceEvents"].as_array().unwrap();
    let named = |kind: &str| -> Vec<&str> {
        let found = all.iter().filter(|event| event["ph"] == "M" && event["name"] == kind);
        found.map(|event| event["args"]["name"].as_str().unwrap()).collect()
    };
    assert_eq!(named("process_name"), ["trace_test on tile72"]);
    assert_eq!(named("thread_name"), ["core 0", "core 1", "core 2", "core 3"]);
    for slice in slices(run) {
        let is_interrupt = slice.name.ends_with(" interrupt");
        assert_eq!(slice.depth, usize::from(is_interrupt), "{slice:?}");
    }
}

#[test]
fn the_slices_of_a_task_are_its_measured_execution() {
    let run = whole();
    let slices = slices(run);
    let mut compared = 0;
    for task in run.result["tasks"].as_array().unwrap() {
        let mut jobs = BTreeMap::<u64, (u64, u64)>::new();
        for slice in slices.iter().filter(|it| it.name == task["task"].as_str().unwrap()) {
            let job = jobs.entry(slice.about["job"].as_u64().unwrap()).or_default();
            job.0 += slice.end - slice.begin - slice.inner;
            job.1 += 1;
        }
        // A job that was not completed counts in no figure.
        let completed = task["jobs"].as_u64().unwrap();
        let longest = jobs.range(..=completed).map(|(_, job)| *job).max();
        let Some((time, parts)) = longest.filter(|_| completed > 0) else { continue };
        let ran = task["execution_max_ns"].as_u64().unwrap();
        // The kernel reads the clock separately for the figures and for the event.
        assert!(time.abs_diff(ran) <= (2 * parts + 2) * TICK, "{task}: {time} {ran} in {parts}");
        compared += 1;
    }
    assert!(compared >= 6, "{compared}");
}

#[test]
fn each_job_says_when_it_was_released_and_what_came_of_it() {
    let run = whole();
    let slices = slices(run);
    let of = |name: &str| slices.iter().filter(|it| it.name == name).collect::<Vec<_>>();
    let last: Vec<_> =
        of("source").into_iter().filter(|it| it.about["end"] == "complete").collect();
    assert_eq!(last.len(), 20);
    for (slice, number) in last.iter().zip(0..) {
        assert_eq!(slice.about["job"], number + 1);
        assert_eq!(slice.about["release_ns"], number * 1_000_000);
        assert_eq!(slice.about["verdict"], "met");
        let response = slice.about["response_ns"].as_u64().unwrap();
        assert!((number * 1_000_000 + response).abs_diff(slice.end) <= TICK, "{slice:?}");
    }
    assert!(of("source").iter().any(|it| it.about["end"] == "preempted"));
    assert!(of("sink").iter().any(|it| it.about.get("semaphore") == Some(&"ready".into())));
    let misses = events(run).filter(|it| it["name"] == "deadline miss late").count();
    let missed = |it: &&&Slice| it.about.get("verdict") == Some(&"missed".into());
    assert_eq!(misses, of("late").iter().filter(missed).count());
}

#[test]
fn arrows_lead_from_who_wakes_to_who_wakes_up() {
    let run = whole();
    let slices = slices(run);
    let runs = |event: &Value| {
        let (core, now) = (event["tid"].as_u64().unwrap() - 1, nanos(event, "ts"));
        let inside = |it: &&Slice| it.core == core && it.begin <= now && now <= it.end;
        let found = slices.iter().filter(inside).filter(|it| it.depth == 0);
        found.map(|it| it.name.as_str()).collect::<Vec<_>>()
    };
    let (mut begun, mut ended) = (HashMap::new(), 0);
    for event in events(run) {
        let id = || event["id"].as_u64().unwrap();
        match event["ph"].as_str().unwrap() {
            "s" => assert!(begun.insert(id(), event).is_none(), "{event}"),
            "f" => {
                let from = begun.remove(&id()).unwrap_or_else(|| panic!("from nowhere: {event}"));
                assert!(nanos(from, "ts") <= nanos(event, "ts") && from["tid"] != event["tid"]);
                assert!(runs(from).contains(&"source"), "{from} {:?}", runs(from));
                let to = runs(event);
                assert!(to.contains(&"sink") || to.contains(&"worker"), "{event} {to:?}");
                ended += 1;
            }
            _ => {}
        }
    }
    // There are 20 starts and 20 signals; the first signal comes before `sink` waits.
    assert_eq!((ended, begun.len()), (39, 0));
}

#[test]
fn waits_for_a_lock_are_seen_where_cores_compete() {
    let waits: Vec<_> = events(whole()).filter(|it| it["name"] == "waits for a lock").collect();
    // The exact number is always 15, because the run is deterministic; shorter sections of the
    // kernel would mean fewer.
    assert!(waits.len() >= 10, "{}", waits.len());
    // The length of a wait that the end of the run cuts off is unknown.
    let (cut, waits): (Vec<_>, Vec<_>) = waits.into_iter().partition(|it| nanos(it, "dur") == 0);
    let last = |core: &Value| waits.iter().rfind(|it| it["tid"] == *core);
    assert!(
        cut.iter().all(|it| last(&it["tid"]).is_some_and(|it2| nanos(it2, "ts") < nanos(it, "ts")))
    );
    for wait in waits {
        assert!([2, 4].contains(&wait["tid"].as_u64().unwrap()), "{wait}");
        assert!((TICK..20 * TICK).contains(&nanos(wait, "dur")), "{wait}");
    }
}

#[test]
fn what_the_rings_have_lost_is_said_and_jobs_are_still_numbered() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(Path::new(TESTS).join("system.toml")).unwrap();
    let system: PathBuf = folder.path().join("system.toml");
    fs::write(&system, text.replace("events       = 128", "events       = 8")).unwrap();
    fs::copy(Path::new(TESTS).join("main.c"), folder.path().join("main.c")).unwrap();
    let run = run(&system, &[]);
    let note = run.trace["otherData"]["note"].as_str().unwrap();
    assert!(note.starts_with("32 events; ") && note.contains("overwritten"), "{note}");
    assert!(events(&run).any(|it| it["name"].as_str().unwrap_or("").ends_with("are missing")));
    let slices = slices(&run);
    let last = slices.iter().rfind(|it| it.name == "urgent").unwrap();
    assert_eq!(last.about["job"], 40);
}

#[test]
fn a_trace_is_of_one_run() {
    let system = Path::new(TESTS).join("system.toml");
    let mut command = takt(&["run", "--seed", "1..3", "--trace", "x.json"], Path::new("/"));
    command.arg(&system);
    ended(command).fails_with(2, "a trace is of one run, not of many seeds");
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let system = Path::new(TESTS).join("system.toml");
    // A missing directory is wrong input, found before the run; a full file system is found by
    // writing.
    for (file, status, words) in [
        ("no/such/place.json", 2, "cannot write no/such/place.json: No such file"),
        ("/dev/full", 3, "cannot write the trace /dev/full: No space left"),
    ] {
        let mut command = takt(&["run", "--trace", file], folder.path());
        command.arg(&system);
        ended(command).fails_with(status, words);
    }
}

#[test]
fn windows_are_a_row_of_their_own_and_bound_what_runs() {
    let system = Path::new(TESTS).join("../../examples/ima/windows.toml");
    let run = run(&system, &["--for", "10ms"]);
    let all = run.trace["traceEvents"].as_array().unwrap();
    let label = |event: &&Value| event["args"]["name"] == "windows of core 1";
    let row = all.iter().find(label).unwrap()["tid"].as_u64().unwrap();
    let bound = run.result["frames"][0]["bound_ns"].as_u64().unwrap();
    let slices = slices(&run);
    let of = |core| slices.iter().filter(move |slice| slice.core == core);
    let plan =
        [("control", 0, 700_000), ("display", 700_000, 600_000), ("hog", 1_300_000, 500_000)];
    let planned = (0..5_u64).flat_map(|frame| plan.map(|it| (it, frame * 2_000_000)));
    let mut seen = 0;
    for (slice, ((partition, offset, duration), frame)) in of(row - 1).zip(planned) {
        let (from, until) = (frame + offset, frame + offset + duration);
        assert_eq!(slice.name, partition, "{slice:?}");
        assert!((from..=from + bound).contains(&slice.begin), "{slice:?} {from}");
        assert!((until..=until + bound).contains(&slice.end), "{slice:?} {until}");
        seen += 1;
    }
    assert_eq!(seen, 15);
    // The switch to the hog and that away from it come behind the events that open and close its window.
    let windows = of(row - 1).filter(|slice| slice.name == "hog");
    let hog: Vec<_> = of(1).filter(|slice| slice.name == "stream_0").collect();
    assert_eq!(hog.len(), 5, "{hog:?}");
    for (window, hog) in windows.zip(hog) {
        assert!((window.begin..window.end).contains(&hog.begin), "{hog:?} {window:?}");
        assert!(hog.end <= window.end + bound, "{hog:?} {window:?}");
    }
}
