// SPDX-License-Identifier: Apache-2.0
//! The JSON schemas of the description's files, generated for editors from the types that read the
//! files.

use schemars::{Schema, generate::SchemaSettings, transform};
use serde_json::Value;

use crate::read::file::{BoardFile, SystemFile};

/// The schema of a system's file.
pub fn system() -> Value {
    of::<SystemFile>()
}

/// The schema of a board's file.
pub fn board() -> Value {
    of::<BoardFile>()
}

fn of<T: schemars::JsonSchema>() -> Value {
    let settings = SchemaSettings::draft07().with_transform(transform::RecursiveTransform(no_null));
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// Removes null from the schema: TOML has no null, so an optional key may be left out but cannot be
/// null.
fn no_null(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [kind] = &types[..] {
            let kind = kind.clone();
            object.insert("type".into(), kind);
        }
    }
    let Some(Value::Array(mut choices)) = object.remove("anyOf") else { return };
    choices.retain(|choice| choice["type"] != "null");
    object.insert("allOf".into(), Value::Array(choices));
}
