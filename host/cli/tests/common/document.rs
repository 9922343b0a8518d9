// SPDX-License-Identifier: Apache-2.0
//! Reads JSON documents and checks each against the schema that takt prints.

use std::sync::OnceLock;

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::{Value, json};

use super::takt::Ended;

/// The document that a command printed. It must match its schema, and must have no key that the
/// schema does not name.
#[track_caller]
pub fn document(end: &Ended) -> Value {
    let document: Value = serde_json::from_str(&end.stdout)
        .unwrap_or_else(|error| panic!("{error}\n{}{}", end.stdout, end.stderr));
    let (schemas, indexes) = schemas();
    let name = match document["document"].as_str() {
        Some("seeds") => Some("run"),
        Some("boards") => Some("board-list"),
        Some("board") => Some("board-show"),
        Some("failure") => None, // every command can print a failure
        other => Some(other.expect("a word")),
    };
    let of: Vec<_> = indexes.iter().filter(|it| name.is_none_or(|name| name == it.0)).collect();
    assert!(!of.is_empty(), "{name:?}");
    for (_, index) in of {
        if let Err(error) = schemas.validate(&document, *index) {
            panic!("{error:#}\n{document:#}");
        }
    }
    assert_eq!(document["exit_status"], end.code, "{document:#}");
    document
}

/// The schemas, each with the name of its command.
type Compiled = (Schemas, Vec<(&'static str, SchemaIndex)>);

/// The compiled schemas of all commands that print JSON.
fn schemas() -> &'static Compiled {
    static SCHEMAS: OnceLock<Compiled> = OnceLock::new();
    SCHEMAS.get_or_init(|| {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        let compiled = takt_cli::document::SCHEMAS.map(|(name, schema)| {
            let (mut schema, place) = (schema(), format!("file:///{name}.json"));
            close(&mut schema);
            compiler.add_resource(&place, schema).expect("a name of its own");
            (name, compiler.compile(&place, &mut schemas).expect("a schema"))
        });
        (schemas, compiled.to_vec())
    })
}

/// Forbids keys that the schema does not name. The published schema allows them for later versions.
fn close(schema: &mut Value) {
    match schema {
        // The object has several alternatives, each with keys of its own beside the common ones.
        Value::Object(object) if object.contains_key("oneOf") => {}
        Value::Object(object) => {
            object.values_mut().for_each(close);
            let keys = object.get("properties").is_some_and(|keys| keys.get("type").is_none());
            if keys && object.get("type") == Some(&json!("object")) {
                object.insert("additionalProperties".into(), json!(false));
            }
        }
        Value::Array(list) => list.iter_mut().for_each(close),
        _ => {}
    }
}
