// SPDX-License-Identifier: Apache-2.0
//! The book's page of JSON documents, made from their schemas: each object with its keys.

use serde_json::{Map, Value};
use takt_cli::document::{SCHEMAS, Schema};

const HEAD: &str = "\
# JSON documents

`takt run`, `takt check`, `takt prove`, `takt interference`, `takt board list` and `takt board show` print with `--format json` exactly one document on
stdout, whatever happens: the result, or why there is none, be it a command line that takt does not understand. The console
and all messages for people go to stderr.

`format` is the version of what this page describes. It is raised when a key changes its meaning or goes; new keys may
come without, so a program should ignore keys that it does not know. Keys that end in `_ns` are durations in nanoseconds;
tasks, objects, handlers and interrupts are given by their names, cores by their numbers.

`takt schema` prints the JSON schemas (draft 2020-12) of `run`, `check`, `prove`, `interference`, `board-list` and `board-show`. This page is made from the same types, by
`cargo run -p takt-cli --example json-page`.

| command | document | |
|---|---|---|
| `takt run` | `run` | [Report](#report) |
| `takt run --seed A..B` | `seeds` | [Sweep](#sweep) |
| `takt check` | `check` | [CheckDocument](#checkdocument) |
| `takt prove` | `prove` | [ProveDocument](#provedocument) |
| `takt interference` | `interference` | [InterferenceDocument](#interferencedocument) |
| `takt board list` | `boards` | [BoardList](#boardlist) |
| `takt board show` | `board` | [BoardDocument](#boarddocument) |
| all of them | `failure` | [FailureDocument](#failuredocument) |
";

/// The generated files: each path, relative to the root of the tree, with the file's text.
pub fn files() -> Vec<(String, String)> {
    let schema = |(name, schema): &(&str, Schema)| {
        (format!("docs/schema/{name}.schema.json"), format!("{:#}\n", schema()))
    };
    let page = [("docs/src/json.md".to_string(), page())];
    SCHEMAS.iter().map(schema).chain(page).collect()
}

fn page() -> String {
    let definitions = |schema: Value| schema["$defs"].as_object().cloned().unwrap_or_default();
    let mut all: Map<String, Value> = Map::new();
    for (name, definition) in SCHEMAS.iter().flat_map(|(_, schema)| definitions(schema())) {
        let other = all.insert(name.clone(), definition.clone());
        assert!(other.is_none_or(|it| it == definition), "{name} are two types");
    }
    let mut text = HEAD.to_string();
    for (name, schema) in &all {
        text += &format!("\n## {name}\n\n{}\n\n", line(schema));
        text += &body(schema);
    }
    text
}

/// The keys of an object, or the values of a choice.
fn body(schema: &Value) -> String {
    if let Some(choices) = schema["oneOf"].as_array() {
        return choices.iter().map(choice).collect();
    }
    let Some(keys) = schema["properties"].as_object() else { return String::new() };
    let required = |key: &String| {
        schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == key.as_str()))
    };
    let row = |(key, value): (&String, &Value)| {
        let optional = if required(key) { "" } else { ", may be left out" };
        format!("| `{key}` | {}{optional} | {} |\n", kind(value), line(value))
    };
    "| key | type | |\n|---|---|---|\n".to_string() + &keys.iter().map(row).collect::<String>()
}

/// Describes a value, or an object that one key tells from the other alternatives.
fn choice(schema: &Value) -> String {
    let about = line(schema);
    let Some(keys) = schema["properties"].as_object() else {
        return format!("- `{}`: {about}\n", plain(&schema["const"]));
    };
    let key = |(key, value): (&String, &Value)| match &value["const"] {
        Value::Null => format!("`{key}`"),
        word => format!("`{key}` is `{}`", plain(word)),
    };
    let (fixed, names): (Vec<_>, Vec<_>) =
        keys.iter().partition(|(_, value)| !value["const"].is_null());
    let all: Vec<_> = fixed.into_iter().chain(names).map(key).collect();
    format!("- {}: {about}\n", all.join(", "))
}

fn kind(schema: &Value) -> String {
    if let Some(path) = schema["$ref"].as_str() {
        let name = path.rsplit('/').next().unwrap_or(path);
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if !schema["const"].is_null() {
        return format!("`{}`", plain(&schema["const"]));
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        return choices.iter().map(kind).collect::<Vec<_>>().join(" or ");
    }
    match &schema["type"] {
        Value::String(one) if one == "array" => format!("list of {}", kind(&schema["items"])),
        Value::String(one) => one.clone(),
        Value::Array(some) => {
            let word = |one: &Value| match one.as_str() {
                Some("array") => format!("list of {}", kind(&schema["items"])),
                _ => plain(one),
            };
            some.iter().map(word).collect::<Vec<_>>().join(" or ")
        }
        _ => "anything".to_string(),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

fn line(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace('\n', " ")
}
