// SPDX-License-Identifier: Apache-2.0
//! Tests the file that Perfetto opens.

mod common;

use common::system::{system, task};
use common::*;
use takt_model::{Bytes, Frame, Nanos, Partition, System};
use takt_record::event::KINDS;
use takt_record::{Entry, Head, Taken};
use takt_trace::{Expected, Summary, Trace};

/// An event on a core, at this many microseconds after the epoch of `common::record`.
fn event(core: usize, time: u64, kind: &str, task: u16, value: u32) -> (usize, Entry) {
    let event = common::event(kind, value).unwrap();
    (core, Entry { time: 5_000 + time * 10, task, event })
}

fn trace(steps: &[Taken]) -> (String, Summary) {
    let mut system = system(vec![task("giver"), task("taker")]);
    system.cores = 2;
    let semaphore = |name: &str| takt_model::Semaphore {
        partition: None,
        name: name.to_string(),
        initial: 0,
        maximum: 1,
        order: takt_model::Order::Fifo,
        core: None,
    };
    let interrupt = |name: &str| takt_model::Interrupt {
        name: name.to_string(),
        origin: takt_model::Origin::Source(1),
        entry: name.to_string(),
        argument: 0,
        core: 0,
        priority: 1,
        enabled: true,
        separation: None,
        wcet: None,
    };
    system.interrupts = vec![interrupt("outer"), interrupt("inner")];
    system.semaphores = vec![semaphore("given")];
    system.cyclics = vec![takt_model::Cyclic {
        name: "sampler".to_string(),
        function: "sample".to_string(),
        argument: 0,
        core: 0,
        period: takt_model::Nanos(1_000_000),
        offset: takt_model::Nanos(0),
        wcet: takt_model::Nanos(1_000),
        start: true,
    }];
    trace_of(&system, steps)
}

/// The trace of a system with a task on each of two cores.
fn trace_of(system: &System, steps: &[Taken]) -> (String, Summary) {
    let on = |core| Expected { core, priority: 1, bound: None };
    let mut out = Vec::new();
    let mut trace = Trace::new(&mut out, system, &[on(0), on(1)]).unwrap();
    let head = Head::decode(&record(2, 2)).unwrap();
    for step in steps {
        trace.add(&head, step).unwrap();
    }
    let summary = trace.finish(None).unwrap();
    let text = String::from_utf8(out).unwrap();
    let _: serde_json::Value = serde_json::from_str(&text).unwrap();
    (text, summary)
}

#[test]
fn a_tiny_trace() {
    let events = vec![
        event(0, 1, "timer", 0, 0),
        event(0, 2, "release", 1, 0),
        event(0, 3, "dispatch", 1, 0),
        event(1, 2, "release", 2, 0),
        event(1, 3, "dispatch", 2, 0),
        event(1, 4, "wait", 2, 1),
        event(1, 4, "dispatch", 0, 0),
        event(0, 10, "lock_wait", 1, 20),
        event(0, 13, "post", 2, 2),
        event(1, 14, "ipi", 0, 0),
        event(1, 15, "wake", 2, 0),
        event(1, 16, "dispatch", 2, 0),
        event(0, 20, "timer", 0, 0),
        event(0, 21, "resume", 1, 0),
        event(0, 30, "complete", 1, 29_000),
        event(0, 31, "dispatch", 0, 0),
        event(1, 40, "complete", 2, 21_000_000),
        event(1, 41, "miss", 2, 0),
    ];
    let (text, summary) = trace(&[Taken { events, lost: vec![] }]);
    assert_eq!(summary, Summary { events: 18, lost: 0 });
    insta::assert_snapshot!(text);
}

/// Handlers are slices inside interrupts; after a handler has ended the running job, the core
/// idles.
#[test]
fn handlers_overruns_and_ended_jobs_are_shown() {
    let events = vec![
        event(0, 3, "dispatch", 1, 0),
        event(0, 4, "timer", 0, 0),
        event(0, 5, "handler", 0, 1),
        event(0, 6, "handler_end", 0, 1),
        event(0, 7, "handler", 0, 1 << 24 | 9),
        event(0, 8, "handler_end", 0, 1 << 24 | 9),
        event(0, 9, "resume", 1, 0),
        event(0, 20, "timer", 0, 0),
        event(0, 21, "overrun", 1, 1),
        event(0, 22, "handler", 0, 2 << 24 | 1),
        event(0, 23, "handler_end", 0, 2 << 24 | 1),
        event(0, 24, "terminate", 1, 0),
        event(0, 25, "resume", 0, 0),
        event(0, 26, "timer", 0, 0),
        event(0, 27, "deadline", 2, 0),
        event(0, 28, "handler", 0, 3 << 24 | 2),
        event(0, 29, "handler_end", 0, 3 << 24 | 2),
        event(0, 30, "resume", 0, 0),
    ];
    let (text, _) = trace(&[Taken { events, lost: vec![] }]);
    insta::assert_snapshot!(text);
}

/// A timer interrupt comes in a service routine that has interrupted another one; then all of them
/// end and the task goes on.
#[test]
fn routines_are_slices_inside_each_other() {
    let events = vec![
        event(0, 2, "release", 1, 0),
        event(0, 3, "dispatch", 1, 0),
        event(0, 4, "interrupt", 0, 1),
        event(0, 5, "interrupt", 0, 2),
        event(0, 6, "timer", 0, 0),
        event(0, 7, "resume", 0, 2),
        event(0, 8, "interrupt_end", 0, 2),
        event(0, 9, "resume", 0, 1),
        event(0, 10, "interrupt_end", 0, 1),
        event(0, 11, "resume", 1, 0),
        event(0, 12, "complete", 1, 10_000),
    ];
    let (text, _) = trace(&[Taken { events, lost: vec![] }]);
    let slices = |line: &&str| line.contains(r#""ph":"B""#) || line.contains(r#""ph":"E""#);
    let short = |line: &str| {
        let name = line.split(r#""name":""#).nth(1).map_or("end", |rest| &rest[..4]);
        let time = line.split(r#""ts":"#).nth(1).unwrap().split(['.', ',']).next().unwrap();
        format!("{time} {name}")
    };
    let found: Vec<String> = text.lines().filter(slices).map(short).collect();
    let expected = [
        "0 idle", "3 end", "3 give", "4 oute", "5 inne", "6 time", "7 end", "8 end", "10 end",
        "11 end",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_gap_ends_what_was_open_and_forgets_the_jobs() {
    let before = vec![event(0, 2, "release", 1, 0), event(0, 3, "dispatch", 1, 0)];
    let after = vec![event(0, 50, "complete", 1, 9), event(0, 60, "release", 1, 0)];
    let lost = vec![(0, 7)];
    let steps = [Taken { events: before, lost: vec![] }, Taken { events: after, lost }];
    let (text, summary) = trace(&steps);
    assert_eq!(summary, Summary { events: 4, lost: 7 });
    assert!(text.contains(r#""ts":3.000,"args":{"end":"unknown"}"#), "{text}");
    assert!(text.contains(r#""ts":50.000,"s":"t","name":"7 events are missing""#), "{text}");
    assert!(text.contains(r#""name":"release giver","args":{"release_ns":0}"#), "{text}");
}

/// An error that the health monitor saw is a line over all rows, with what it did.
#[test]
fn an_error_of_a_partition_is_a_line() {
    let system = system(vec![task("giver"), task("taker")]);
    let errors = [event(0, 5, "health", 2, 1 << 8 | 4), event(0, 9, "health", 1, 3 << 8)];
    let (text, _) = trace_of(&system, &[Taken { events: errors.to_vec(), lost: vec![] }]);
    let seen = r#""s":"p","name":"stack_overflow taker","args":{"action":"stop_partition"}"#;
    assert!(text.contains(seen), "{text}");
    let seen = r#""s":"p","name":"application_error giver","args":{"action":"restart_task"}"#;
    assert!(text.contains(seen), "{text}");
}

/// A restart of a partition is a line, too.
#[test]
fn a_restart_of_a_partition_is_a_line() {
    let system = system(vec![task("giver"), task("taker")]);
    let restarts = [event(0, 5, "restart", 2, 1), event(0, 9, "restart", 1, 0)];
    let (text, _) = trace_of(&system, &[Taken { events: restarts.to_vec(), lost: vec![] }]);
    assert!(text.contains(r#""s":"p","name":"cold restart taker""#), "{text}");
    assert!(text.contains(r#""s":"p","name":"warm restart giver""#), "{text}");
}

/// A window is closed by the next change, where events are lost, and by the run's end. Where nothing opens or closes, the
/// event is a mark.
#[test]
fn windows_are_slices_of_a_row_behind_their_core() {
    let mut system = system(vec![task("giver"), task("taker")]);
    system.cores = 2;
    let partition = |name: &str| Partition {
        restarts: 0,
        name: name.to_string(),
        sources: vec![],
        health: Default::default(),
    };
    system.partitions = vec![partition("front"), partition("back")];
    system.frames = vec![Frame { core: 1, length: Nanos(100_000), windows: vec![] }];
    let before = [(0, 0), (10, 1), (20, 2), (30, 0), (40, 1)];
    let after = [(70, 2), (80, 1)];
    let changes = |all: &[(u64, u32)]| -> Vec<_> {
        all.iter().map(|(time, partition)| event(1, *time, "window", 0, *partition)).collect()
    };
    let steps = [
        Taken { events: changes(&before), lost: vec![] },
        Taken { events: changes(&after), lost: vec![(1, 7)] },
    ];
    let (text, summary) = trace_of(&system, &steps);
    assert_eq!(summary, Summary { events: 7, lost: 7 });
    let of_windows = text.lines().filter(|line| line.contains(r#""tid":2001"#));
    let of_windows = of_windows.map(|line| line.trim_end_matches(',').to_string());
    assert_eq!(
        of_windows.collect::<Vec<_>>(),
        [
            r#"{"name":"thread_name","ph":"M","pid":1,"ts":0,"tid":2001,"args":{"name":"windows of core 1"}}"#,
            r#"{"name":"thread_sort_index","ph":"M","pid":1,"ts":0,"tid":2001,"args":{"sort_index":3}}"#,
            r#"{"ph":"B","pid":1,"tid":2001,"ts":10.000,"name":"front"}"#,
            r#"{"ph":"E","pid":1,"tid":2001,"ts":20.000}"#,
            r#"{"ph":"B","pid":1,"tid":2001,"ts":20.000,"name":"back"}"#,
            r#"{"ph":"E","pid":1,"tid":2001,"ts":30.000}"#,
            r#"{"ph":"B","pid":1,"tid":2001,"ts":40.000,"name":"front"}"#,
            r#"{"ph":"E","pid":1,"tid":2001,"ts":40.000,"args":{"end":"unknown"}}"#,
            r#"{"ph":"B","pid":1,"tid":2001,"ts":70.000,"name":"back"}"#,
            r#"{"ph":"E","pid":1,"tid":2001,"ts":80.000}"#,
            r#"{"ph":"B","pid":1,"tid":2001,"ts":80.000,"name":"front"}"#,
            r#"{"ph":"E","pid":1,"tid":2001,"ts":80.000}"#,
        ]
    );
    assert!(text.contains(r#""tid":2,"ts":0.000,"s":"t","name":"window""#), "{text}");
}

/// The file shows every event that it counts: each kind, whether the trace knows it or not, in each
/// state of its row.
#[test]
fn every_event_that_is_counted_is_written() {
    let before = [event(0, 2, "release", 1, 0), event(0, 3, "dispatch", 1, 0)];
    let lines = |events: &[(usize, Entry)]| {
        let (text, summary) = trace(&[Taken { events: events.to_vec(), lost: vec![] }]);
        assert_eq!(summary, Summary { events: events.len() as u64, lost: 0 });
        // Open slices are closed at the end of the file. An event that closes a slice adds text,
        // but no line.
        text.len()
    };
    for kind in KINDS.iter().map(|kind| kind.name) {
        for task in 0..=2 {
            let values = [0, 1, 1 << 24 | 1, 9 << 24 | 7];
            for value in values.into_iter().filter(|value| common::event(kind, *value).is_some()) {
                for before in [&before[..], &[]] {
                    let all = [before, &[event(0, 9, kind, task, value)]].concat();
                    let idle = [before, &[event(0, 9, "none", 0, 0)]].concat();
                    let (text, _) = trace(&[Taken { events: all.clone(), lost: vec![] }]);
                    let shown = text.contains("\"ts\":9.000") || kind == "complete";
                    assert!(shown, "{kind} of {task}, {value:#x}: {text}");
                    assert!(lines(&all) > lines(before) && lines(&idle) > lines(before), "{kind}");
                }
            }
        }
    }
}

/// Changes of counts, queues and dispatch are marks with the names of their objects.
#[test]
fn counts_queues_and_dispatch_are_marks() {
    let events = vec![
        event(0, 3, "dispatch", 1, 0),
        event(0, 4, "take", 1, 1 << 24 | 1),
        event(0, 5, "give", 0, 1 << 24 | 1),
        event(0, 6, "queue", 2, 0),
        event(0, 7, "unqueue", 2, 3),
        event(0, 8, "dispatch_disable", 1, 0),
        event(0, 9, "dispatch_enable", 1, 0),
    ];
    let (text, summary) = trace(&[Taken { events, lost: vec![] }]);
    assert_eq!(summary.events, 7);
    for mark in [
        r#""name":"take giver","args":{"semaphore":"given"}"#,
        r#""name":"give handler","args":{"semaphore":"given"}"#,
        r#""name":"queued activation of taker""#,
        r#""name":"unqueued activations of taker","args":{"activations":3}"#,
        r#""name":"dispatch disabled by giver""#,
        r#""name":"dispatch enabled by giver""#,
    ] {
        assert!(text.contains(mark), "{mark}: {text}");
    }
}

#[test]
fn a_name_is_written_as_json_has_it() {
    let mut system = system(vec![]);
    system.board.name = "a\"b".to_string();
    system.kernel.trap_stack = Bytes(4096);
    let mut out = Vec::new();
    Trace::new(&mut out, &system, &[]).unwrap().finish(None).unwrap();
    let value: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(value["traceEvents"][0]["args"]["name"], "pair on a\"b");
}
