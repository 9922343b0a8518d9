// SPDX-License-Identifier: Apache-2.0
//! Compares the table of system calls with the prototypes of the public headers.

use std::path::Path;

/// A service of a header: its result and its arguments, as they are declared.
fn prototype(name: &str) -> Option<(String, Vec<String>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../include/takt");
    for file in folder.read_dir().unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        for (at, _) in text.match_indices(&format!(" {name}(")) {
            let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
            let (result, rest) = (&text[line..at], &text[at + name.len() + 2..]);
            if result.starts_with(' ') || result.contains('*') {
                continue; // a comment
            }
            let arguments = rest.split(')').next().unwrap().split(',').map(str::trim);
            let arguments = arguments.filter(|it| *it != "void").map(str::to_string).collect();
            return Some((result.to_string(), arguments));
        }
    }
    None
}

/// Which kinds of the table a declared argument of a service may have.
fn kinds(service: &str, argument: &str) -> &'static [&'static str] {
    match argument {
        "takt_id task" => &["TASK"],
        "takt_id semaphore" => &["SEMAPHORE"],
        "takt_id buffer" => &["BUFFER"],
        "takt_id port" if service.starts_with("takt_sampling") => &["SAMPLING_PORT"],
        "takt_id port" => &["QUEUING_PORT"],
        "const void *message" | "void *message" | "size_t *size" => &["USER"],
        "struct takt_sample *sample" | "struct takt_queuing_port_state *state" => &["USER"],
        "const void *value" => &["READS"],
        "void *value" => &["WRITES"],
        "const char *text" => &["TEXT"],
        "const char *message" | "struct takt_partition_state *state" => &["ADDRESS"],
        "enum takt_partition_mode mode" => &["VALUE"],
        "takt_time timeout" | "takt_time duration" | "size_t size" => &["VALUE"],
        _ => &[],
    }
}

#[test]
fn each_call_is_a_service_with_these_arguments() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../include/takt/calls.h");
    let text = std::fs::read_to_string(path).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("TAKT_CALL(")?.strip_suffix(')'));
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split(", ").collect()).collect();
    assert!(rows.len() > 10);
    for (number, row) in rows.iter().enumerate() {
        let [at, name, result, arguments @ ..] = &row[..] else { panic!("{row:?}") };
        assert_eq!(at.parse(), Ok(number), "{row:?}: numbers follow one another");
        let Some((type_of, declared)) = prototype(name) else { panic!("{name}: no header has it") };
        let has_result = !type_of.contains("void");
        assert_eq!(*result == "VALUE", has_result, "{name}: {type_of}");
        assert_eq!(arguments.len(), declared.len(), "{name}: {declared:?}");
        for (kind, argument) in arguments.iter().zip(&declared) {
            assert!(kinds(name, argument).contains(kind), "{name}: {argument} is no {kind}");
        }
        let passed_on = |kind: &&str| ["USER", "VALUE"].contains(kind);
        assert!(arguments.iter().skip(2).all(passed_on), "{name}: the gate checks two arguments");
        let text = arguments.iter().position(|kind| *kind == "TEXT");
        assert!(text.is_none_or(|at| declared[at + 1] == "size_t size"), "{name}");
        let value = arguments.iter().position(|kind| ["READS", "WRITES"].contains(kind));
        assert!(value.is_none_or(|at| arguments[at - 1] == "BUFFER"), "{name}");
    }
}
