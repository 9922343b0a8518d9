// SPDX-License-Identifier: Apache-2.0
//! Graphs by chance on the board: none takes longer than predicted, and no step of a director longer than the board's file
//! says. About 20 seconds.

mod common;

use std::path::Path;
use std::process::Command;

use common::document::document;
use common::takt::{Ended, ended, takt};
use serde_json::Value;
use takt_model::{Board, DirectorSteps};

/// Graphs by which the board's figures were not measured; the last two have iterations, which an object may end.
const SEEDS: [u32; 5] = [14, 22, 26, 42, 48];

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Runs the graph of a seed. None: the reader refuses it, because its messages would cross.
fn run(seed: u32, board: &Path) -> Option<Ended> {
    let folder = tempfile::tempdir().unwrap();
    let mut generate = Command::new(root().join("tests/dataflow/chance.py"));
    let generated = ended({
        generate.arg(seed.to_string()).arg(folder.path());
        generate
    });
    assert_eq!(generated.code, 0, "{}", generated.stderr);
    let system = folder.path().join("system.toml");
    let system = system.to_str().unwrap();
    let board = board.to_str().unwrap();
    let run = ended(takt(&["run", system, "--board", board, "--format", "json"], &root()));
    if run.stdout.contains("crossed_messages") {
        return None;
    }
    Some(run)
}

fn number(row: &Value, key: &str) -> u64 {
    row[key].as_u64().unwrap_or_else(|| panic!("{key} in {row}"))
}

/// The predicted cycles without what the control core does beside, which is nothing in so short a run.
fn path(row: &Value) -> u64 {
    let predicted = &row["predicted"];
    number(predicted, "total_cycles") - number(predicted, "interference_cycles")
}

fn within(steps: &DirectorSteps, row: &Value, what: &str) {
    for (name, most) in steps.named() {
        let measured = number(row, name);
        assert!(
            measured <= most,
            "{what}: {name} took {measured} cycles, and the board's file says {most}"
        );
    }
}

#[test]
fn no_graph_takes_longer_than_predicted() {
    let file = root().join("boards/iota9.toml");
    let steps = Board::read(&file).unwrap().dataflow_overheads.unwrap();
    let (mut iterated, mut ran) = (0, 0);
    for seed in SEEDS {
        let Some(run) = run(seed, &file) else { continue };
        assert_eq!(run.code, 0, "graph {seed}: {}", run.stdout);
        let report = document(&run);
        let row = &report["dataflow"];
        assert!(number(row, "total_cycles") <= path(row), "graph {seed}: {row}");
        within(&steps.control, &row["control_steps"], &format!("graph {seed}, control core"));
        within(&steps.worker, &row["worker_steps"], &format!("graph {seed}, worker"));
        iterated += u32::from(number(row, "iterations") > 1);
        ran += 1;
    }
    assert!(ran == 5 && iterated == 2, "{ran} graphs, {iterated} with iterations");
}

/// Words of the word subnet, which no graph by chance has; and the trace, a row for each core's objects.
#[test]
fn no_step_with_words_takes_longer_than_the_boards_file_says() {
    let steps = Board::read(&root().join("boards/iota9.toml")).unwrap().dataflow_overheads.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.json");
    let trace = file.to_str().unwrap();
    let arguments = ["run", "tests/dataflow/words.toml", "--format", "json", "--trace", trace];
    let run = ended(takt(&arguments, &root()));
    assert_eq!(run.code, 0, "{}", run.stdout);
    let trace: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let graph = |event: &&Value| event["tid"].as_u64() == Some(1005) && event["ph"] == "X";
    let executed = events.iter().filter(graph).filter(|event| event["name"] == "pass[1]");
    assert_eq!(executed.count(), 5);
    // The control core's objects are executed while its task runs.
    let at = |event: &Value| event["ts"].as_f64().unwrap();
    let sum = events.iter().find(|event| event["tid"] == 1000 && event["name"] == "sum").unwrap();
    let task =
        events.iter().find(|event| event["tid"] == 1 && event["name"] == "dataflow").unwrap();
    let end = events.iter().filter(|event| event["tid"] == 1).map(at).fold(0.0, f64::max);
    assert!(at(task) < at(sum) && at(sum) < end, "{task} {sum} {end}");
    let report = document(&run);
    let row = &report["dataflow"];
    assert!(number(row, "total_cycles") <= path(row), "{row}");
    within(&steps.control, &row["control_steps"], "words, control core");
    within(&steps.worker, &row["worker_steps"], "words, worker");
}

/// Steps that take no time make the prediction too small, and the run says so.
#[test]
fn a_prediction_that_is_too_small_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(root().join("boards/iota9.toml")).unwrap();
    let planted = text.lines().map(|line| {
        match line.starts_with("control = {") || line.starts_with("worker  = {") {
            true => {
                let words = line.split(' ').map(|word| {
                    let digits = word.trim_end_matches(',');
                    match digits.parse::<u64>() {
                        Ok(_) => word.replace(digits, "0"),
                        Err(_) => word.to_string(),
                    }
                });
                words.collect::<Vec<_>>().join(" ")
            }
            false => line.to_string(),
        }
    });
    let planted = planted
        .collect::<Vec<_>>()
        .join("\n")
        .replace("\"virt\"", &format!("{:?}", root().join("boards/virt.toml")));
    let file = folder.path().join("hasty.toml");
    std::fs::write(&file, planted.replace("name      = \"iota9\"", "name      = \"hasty\""))
        .unwrap();
    let run = run(6, &file).unwrap();
    let report = document(&run);
    let row = &report["dataflow"];
    assert!(number(row, "total_cycles") > path(row), "{row}");
}
