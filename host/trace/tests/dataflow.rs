// SPDX-License-Identifier: Apache-2.0
//! The critical path of small graphs whose cycles are chosen by hand.

use takt_model::{Bytes, Dataflow, Nanos, Object, Transfer};
use takt_trace::dataflow::{
    DataflowRow, NoFigures, Seen, State,
    Step::{self, Answers, Go, Messages, Status},
    slices,
};

fn object(name: &str, core: u32, receives: &[(u32, u32)], sends: &[(u32, u32)]) -> Object {
    let kind = name.trim_end_matches(char::is_numeric);
    Object {
        receives: receives.to_vec(),
        sends: sends.to_vec(),
        room: sends.iter().map(|&(core, count)| (core, 3 - count)).collect(),
        ..Object::new(name.into(), kind, core, Nanos(1000))
    }
}

fn graph(objects: Vec<Object>) -> Dataflow {
    Dataflow {
        task: 0,
        control: 0,
        workers: vec![1],
        shares_memory: false,
        sequential: None,
        check: None,
        stack: Bytes(0),
        watch: Nanos(0),
        objects,
        edges: Vec::new(),
        runtime: Default::default(),
        messages: [0; 2],
        iterations: 1,
        until: None,
        lowest_buffer: Vec::new(),
        word_cycles: 0,
    }
}

/// Core 0 sends to core 1, which works and has its part fetched.
fn there_and_back() -> (Dataflow, Vec<Seen>) {
    let objects = vec![
        object("load", 0, &[], &[(1, 1)]),
        object("collect", 0, &[(1, 1)], &[]),
        object("work", 1, &[(0, 1)], &[(0, 1)]),
    ];
    let seen = [
        (100, 0, Go),
        (110, 0, Status(State::Activation, 0)),
        (115, 0, Status(State::Execution, 0)),
        (215, 0, Status(State::Synchronisation, 0)),
        (230, 0, Status(State::Transfer, 0)),
        (330, 0, Status(State::Synchronisation, 0)),
        (335, 0, Messages),
        (340, 0, Status(State::Activation, 1)),
        (120, 1, Status(State::Activation, 2)),
        (350, 1, Status(State::Execution, 2)),
        (1150, 1, Status(State::Synchronisation, 2)),
        (1155, 1, Answers),
        (1160, 1, Messages),
        (1165, 1, Status(State::Ended, 0)),
        (1170, 0, Status(State::Gather, 1)),
        (1270, 0, Status(State::Execution, 1)),
        (1290, 0, Status(State::Synchronisation, 1)),
        (1295, 0, Answers),
        (1300, 0, Status(State::Ended, 0)),
        (1310, 0, Status(State::Sequential, 0)),
        (2310, 0, Status(State::Check, 0)),
    ];
    (graph(objects), seen.map(|(time, core, step)| Seen { time, core, step }).to_vec())
}

const GHZ: u64 = 1_000_000_000;
/// Transfers of these graphs take their time in what was seen alone.
const ALONE: &dyn Fn(u32, &Transfer, bool) -> u64 = &|_, _, _| 0;

#[test]
fn all_cycles_are_on_the_path_once() {
    let (graph, seen) = there_and_back();
    let row = DataflowRow::new(&graph, &seen, GHZ, ALONE).unwrap();
    assert_eq!(row.path, ["load", "work", "collect"]);
    assert_eq!(row.computing_cycles, 100 + 800 + 20);
    // The transfer and the gather.
    assert_eq!(row.communication_cycles, 100 + 100);
    // To the first execution, around the transfer, to the worker, behind it, to the gather, at the end.
    assert_eq!(row.invoking_cycles, 15 + 15 + 5 + 15 + 10 + 10 + 10);
    assert_eq!(row.total_cycles, 1200);
    // 1,000 cycles on one core against 1,200 on one worker.
    assert_eq!((row.sequential_cycles, row.efficiency), (Some(1000), Some(8333)));
    // This is, of load, 5 + 15 + 10, of collect 10 from the message to the gather and 10 behind its execution.
    assert_eq!(row.control_cycles_per_object, (5 + 15 + 10 + 10 + 10) / 3);
    let longest: Vec<_> =
        row.executions.iter().map(|it| (it.entry.as_str(), it.longest_cycles)).collect();
    assert_eq!(longest, [("load", 100), ("collect", 20), ("work", 800)]);
    assert!(!row.breaks());
    let lines = row.lines();
    assert!(lines.contains("83.33%") && lines.contains("load, work, collect"), "{lines}");
}

#[test]
fn a_trace_has_what_each_director_did() {
    let (graph, seen) = there_and_back();
    let slices = slices(&graph, &seen);
    let of = |core| {
        let own = slices.iter().filter(move |it| it.core == core);
        own.map(|it| (it.name.as_str(), it.begin, it.end)).collect::<Vec<_>>()
    };
    let worker = [("activation", 120, 350), ("work", 350, 1150), ("synchronisation", 1150, 1165)];
    assert_eq!(of(1), worker);
    assert_eq!(of(0)[..2], [("activation", 110, 115), ("load", 115, 215)]);
    assert_eq!(of(0).last(), Some(&("sequential", 1310, 2310)));
    assert!(slices.iter().all(|it| it.object.is_empty() == (it.name == "sequential")));
}

#[test]
fn an_object_that_executes_for_too_long_is_named() {
    let (graph, seen) = there_and_back();
    // Twice as slow a clock: 800 cycles are 1600 ns.
    let row = DataflowRow::new(&graph, &seen, GHZ / 2, ALONE).unwrap();
    assert_eq!(row.late, ["work"]);
    assert!(row.breaks());
    assert!(row.lines().contains("work executed for longer than their wcet"));
}

#[test]
fn a_graph_that_did_not_end_has_no_figures() {
    let (graph, mut seen) = there_and_back();
    seen.retain(|it| it.time < 1300);
    let error = DataflowRow::new(&graph, &seen, GHZ, ALONE).unwrap_err();
    assert_eq!(error, NoFigures::NotExecuted("collect".into()));
    assert_eq!(DataflowRow::new(&graph, &seen[1..], GHZ, ALONE).unwrap_err(), NoFigures::NoGo);
}

/// Three messages may be unanswered: the fourth waits for the answer to the first.
#[test]
fn a_path_leads_through_the_answer_that_gave_room() {
    let send = |name| object(name, 0, &[], &[(1, 1)]);
    let take = |name| object(name, 1, &[(0, 1)], &[]);
    let graph = graph(vec![
        send("load0"),
        send("load1"),
        send("load2"),
        send("load3"),
        take("work0"),
        take("work1"),
        take("work2"),
        take("work3"),
    ]);
    let mut seen = vec![Seen { time: 0, core: 0, step: Go }];
    let mut fire = |core, object, times: [u64; 3], step: Step, at| {
        let states = [State::Activation, State::Execution, State::Synchronisation];
        for (time, state) in times.into_iter().zip(states) {
            seen.push(Seen { time, core, step: Status(state, object) });
        }
        seen.push(Seen { time: at, core, step });
    };
    fire(0, 0, [10, 20, 30], Messages, 40);
    fire(0, 1, [50, 60, 70], Messages, 80);
    fire(0, 2, [90, 100, 110], Messages, 120);
    // Waits until work0 has answered.
    fire(0, 3, [130, 140, 150], Messages, 600);
    fire(1, 4, [10, 50, 550], Answers, 560);
    fire(1, 5, [570, 580, 590], Answers, 600);
    fire(1, 6, [610, 620, 630], Answers, 640);
    fire(1, 7, [650, 660, 670], Answers, 680);
    seen.push(Seen { time: 610, core: 0, step: Status(State::Ended, 0) });
    seen.push(Seen { time: 690, core: 1, step: Status(State::Ended, 0) });
    let row = DataflowRow::new(&graph, &seen, GHZ, ALONE).unwrap();
    assert_eq!(row.path, ["load0", "work0", "work1", "work2", "work3"]);
    assert_eq!((row.total_cycles, row.computing_cycles), (690, 10 + 500 + 10 + 10 + 10));
    // The same with the last message so late that it decides: from it back to the answer, and through work0.
    for it in seen
        .iter_mut()
        .filter(|it| it.core == 1 && it.time >= 650 || it.time == 600 && it.core == 0)
    {
        it.time += 1000;
    }
    for it in seen.iter_mut().filter(|it| it.step == Status(State::Activation, 7)) {
        it.time = 650;
    }
    for it in seen.iter_mut().filter(|it| it.core == 0 && it.time == 610) {
        it.time = 1610;
    }
    let row = DataflowRow::new(&graph, &seen, GHZ, ALONE).unwrap();
    assert_eq!(row.path, ["load0", "work0", "load3", "work3"]);
    assert_eq!(row.computing_cycles, 10 + 500 + 10);
}
