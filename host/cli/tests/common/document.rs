// SPDX-License-Identifier: Apache-2.0
//! JSON documents, each held against the schema that takt prints.

use std::sync::OnceLock;

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::{Value, json};

use super::takt::Ended;

/// The document that a command printed, which must be as its schema says, with no key that the schema does
/// not have.
#[track_caller]
pub fn document(end: &Ended) -> Value {
    let document: Value = serde_json::from_str(&end.stdout)
        .unwrap_or_else(|error| panic!("{error}\n{}{}", end.stdout, end.stderr));
    let (schemas, indexes) = schemas();
    let of = match document["document"].as_str() {
        Some("check") => &indexes[1..],
        Some("run" | "seeds") => &indexes[..1],
        _ => indexes,
    };
    for index in of {
        if let Err(error) = schemas.validate(&document, *index) {
            panic!("{error:#}\n{document:#}");
        }
    }
    assert_eq!(document["exit_status"], end.code, "{document:#}");
    document
}

/// Of `takt run` and of `takt check`.
fn schemas() -> &'static (Schemas, [SchemaIndex; 2]) {
    static SCHEMAS: OnceLock<(Schemas, [SchemaIndex; 2])> = OnceLock::new();
    SCHEMAS.get_or_init(|| {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        let both = [
            ("file:///run.json", takt_cli::document::run_schema()),
            ("file:///check.json", takt_cli::document::check_schema()),
        ];
        let indexes = both.map(|(name, mut schema)| {
            close(&mut schema);
            compiler.add_resource(name, schema).expect("a name of its own");
            compiler.compile(name, &mut schemas).expect("a schema")
        });
        (schemas, indexes)
    })
}

/// Forbids keys that the schema does not name. The published schema allows them, for later versions.
fn close(schema: &mut Value) {
    match schema {
        // One of several objects, each with keys of its own beside common ones.
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
