// SPDX-License-Identifier: Apache-2.0
//! Tests the JSON documents of the commands: their contents if there is no good result, and that
//! the schemas and the book's page match the types.

mod common;

use std::path::Path;

use common::document::document;
use common::takt::{Ended, ended, takt};
use serde_json::Value;

#[path = "../examples/json-page/page.rs"]
mod page;

const SYSTEM: &str = r#"format = 1
[system]
name = "sample"
board = "virt"
cores = 1
sources = ["main.c"]
[run]
for = "20ms"
[[task]]
name = "only"
entry = "only_step"
core = 0
period = "1ms"
wcet = "50us"
"#;
const EMPTY: &str = "#include <takt/takt.h>\nvoid only_step(intptr_t argument) { }";

/// Runs a command with JSON output on this system.
fn json(command: &str, system: &str, source: &str, more: &[&str]) -> (Ended, Value) {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("main.c"), source).unwrap();
    std::fs::write(directory.path().join("system.toml"), system).unwrap();
    let arguments = [&[command, "system.toml", "--format", "json"], more].concat();
    let end = ended(takt(&arguments, directory.path()));
    let document = document(&end);
    (end, document)
}

#[test]
fn a_panic_does_not_hold_and_has_no_code() {
    let source = EMPTY.replace("{ }", "{ takt_panic(\"on purpose\"); }");
    for machine in [&[][..], &["--qemu"]] {
        let (_, report) = json("run", SYSTEM, &source, machine);
        assert_eq!(report["document"], "run");
        assert_eq!((&report["holds"], &report["code"]), (&false.into(), &Value::Null));
        assert_eq!((&report["outcome"], &report["exit_status"]), (&"panic".into(), &1.into()));
        assert_eq!(report["message"], "on purpose");
    }
    let (_, sweep) = json("run", SYSTEM, &source, &["--seed", "3..4"]);
    assert_eq!((&sweep["holds"], &sweep["failed"][1]["code"]), (&false.into(), &Value::Null));
    assert_eq!((&sweep["first_seed"], &sweep["last_seed"]), (&3.into(), &4.into()));
}

#[test]
fn nothing_holds_where_nothing_was_judged() {
    let aperiodic = SYSTEM.replace("period = \"1ms\"", "start = true");
    let aperiodic = aperiodic.replace("wcet = \"50us\"\n", "");
    // A system with nothing to judge is good; a system with a deadline is not good if no response
    // was judged.
    for (system, more, code) in [(&aperiodic[..], &[][..], 0), (SYSTEM, &["--for", "1us"], 1)] {
        let (end, report) = json("run", system, EMPTY, more);
        assert_eq!((end.code, &report["holds"]), (code, &Value::Null));
        let (end, sweep) = json("run", system, EMPTY, &[more, &["--seed", "1..2"]].concat());
        assert_eq!(sweep["document"], "seeds");
        assert_eq!((end.code, &sweep["holds"]), (code, &Value::Null));
        // QEMU models no time, so nothing has to be judged there.
        let (end, report) = json("run", system, EMPTY, &[more, &["--qemu"]].concat());
        assert_eq!((end.code, &report["holds"]), (0, &Value::Null));
    }
    assert_eq!(json("run", SYSTEM, EMPTY, &[]).1["holds"], true);
    // A deadline is judged even if no bound is known.
    let heavy = SYSTEM.replace("wcet = \"50us\"", "wcet = \"999us\"");
    let (end, report) = json("run", &heavy, EMPTY, &[]);
    assert_eq!((&report["tasks"][0]["bound_ns"], &report["holds"]), (&Value::Null, &true.into()));
    assert_eq!(end.code, 0);
}

#[test]
fn a_result_says_of_what_it_is() {
    let (_, report) = json("run", SYSTEM, EMPTY, &["--seed", "7", "--jitter", "9"]);
    let variation = &report["variation"];
    assert_eq!((&variation["seed"], &variation["jitter_cycles"]), (&7.into(), &9.into()));
    assert_eq!(report["build_id"].as_str().map(str::len), Some(40));
    assert_eq!(report["board"]["name"], "virt");
    assert_eq!(report["board"]["timing_hash"].as_str().map(str::len), Some(16));
    let (_, check) = json("check", SYSTEM, EMPTY, &[]);
    assert_eq!(check["board"], report["board"]);
    assert_eq!((&check["document"], &check["system"]), (&"check".into(), &"sample".into()));
}

#[test]
fn mistakes_are_told_with_their_places() {
    let two = SYSTEM.replace("period = \"1ms\"", "period = 1\nperoid = \"1ms\"");
    for command in ["check", "run"] {
        let (_, failure) = json(command, &two, EMPTY, &[]);
        assert_eq!((&failure["document"], &failure["exit_status"]), (&"failure".into(), &2.into()));
        let all = failure["diagnostics"].as_array().unwrap();
        assert_eq!(all.len(), 2, "{failure:#}");
        let places: Vec<_> = all.iter().map(|it| &it["places"][0]).collect();
        let at = |place: &Value| (place["line"].as_u64(), place["column"].as_u64());
        assert!(places.iter().any(|it| at(it) == (Some(13), Some(10))), "{failure:#}");
        assert!(places.iter().any(|it| at(it) == (Some(14), Some(1))), "{failure:#}");
        assert!(places.iter().all(|it| it["file"].as_str().unwrap().ends_with("system.toml")));
        assert!(all.iter().all(|it| it["code"].is_string() && it["help"].is_string()));
    }
    let (_, failure) = json("run", SYSTEM, "int", &[]);
    assert_eq!(failure["diagnostics"][0]["message"], "sample does not compile");
    assert!(failure["details"].as_str().unwrap().contains("main.c:1"), "{failure:#}");
}

/// Runs a command that needs no system.
fn plain(arguments: &[&str]) -> (Ended, Value) {
    let directory = tempfile::tempdir().unwrap();
    let end = ended(takt(&[arguments, &["--format", "json"]].concat(), directory.path()));
    let document = document(&end);
    (end, document)
}

#[test]
fn boards_are_documents() {
    let (_, list) = plain(&["board", "list"]);
    assert_eq!((&list["document"], &list["format"]), (&"boards".into(), &1.into()));
    let boards = list["boards"].as_array().unwrap();
    assert!(boards.len() > 4);
    for board in boards {
        let (_, shown) = plain(&["board", "show", board["name"].as_str().unwrap()]);
        assert_eq!(shown["document"], "board");
        for key in ["name", "comment", "file", "cores", "frequency_hz", "shape"] {
            assert_eq!(shown[key], board[key], "{key}");
        }
    }
    let (end, failure) = plain(&["board", "show", "moon"]);
    assert_eq!((end.code, &failure["document"]), (2, &"failure".into()));
}

#[test]
fn what_prove_found_is_a_document() {
    // The generated systems of this family are checked and not run.
    let (end, found) = plain(&["prove", "--family", "calibrations", "--systems", "2"]);
    assert_eq!((end.code, &found["document"]), (0, &"prove".into()));
    assert_eq!((&found["good"], &found["last_seed"]), (&true.into(), &2.into()));
    let (end, failure) = plain(&["prove", "--family", "none"]);
    assert_eq!((end.code, &failure["document"]), (2, &"failure".into()));
}

#[test]
fn a_command_line_that_is_not_understood_is_a_document() {
    let message = |arguments: &[&str]| {
        let (end, failure) = plain(arguments);
        assert_eq!((end.code, &failure["document"]), (2, &"failure".into()));
        assert!(!end.stderr.is_empty());
        failure["diagnostics"][0]["message"].as_str().unwrap().to_string()
    };
    assert_eq!(message(&["run", "x.toml", "--sede", "3"]), "unexpected argument '--sede' found");
    assert_eq!(message(&["check"]), "the following required arguments were not provided: <SYSTEM>");
    assert_eq!(message(&["fly"]), "unrecognized subcommand 'fly'");
    // Without the option, or behind `--`, the failure is not printed as JSON.
    for arguments in [&["run", "--sede"][..], &["check", "--", "--format", "json"]] {
        let end = ended(takt(arguments, Path::new("/")));
        assert_eq!((end.code, end.stdout.as_str()), (2, ""));
    }
}

#[test]
fn schemas_and_page_are_those_of_the_types() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (path, text) in page::files() {
        let committed = std::fs::read_to_string(root.join(&path)).unwrap();
        assert!(committed == text, "run `cargo run -p takt-cli --example json-page`: {path}");
    }
}

#[test]
fn every_key_says_what_it_is() {
    let mut keys = 0;
    for (_, schema) in takt_cli::document::SCHEMAS {
        described("", &schema(), &mut keys);
    }
    assert!(keys > 100, "{keys}");
}

/// Fails if a key of an object has no description. Alternatives of a choice need none: their names
/// describe them.
fn described(at: &str, schema: &Value, keys: &mut usize) {
    let Value::Object(object) = schema else { return };
    let properties = object.get("properties").and_then(Value::as_object);
    for (key, value) in properties.into_iter().flatten() {
        let clear = value["description"].is_string() || object.contains_key("description");
        assert!(clear, "{at}: {key} has no description");
        *keys += 1;
    }
    for (name, definition) in object.get("$defs").and_then(Value::as_object).into_iter().flatten() {
        let own = definition["properties"].as_object();
        for (key, value) in own.into_iter().flatten() {
            assert!(value["description"].is_string(), "{name}: {key} has no description");
            *keys += 1;
        }
        assert!(definition["description"].is_string(), "{name} has no description");
    }
}
