// SPDX-License-Identifier: Apache-2.0
//! Checks the form of a file: it is TOML, and each key is known at its place and has a value of the
//! right kind.
//!
//! serde would stop at the first mistake and describe it in its own words. So the file is first
//! compared with the JSON schema of the types, and serde reads only files that pass.

use std::{ops::Range, sync::LazyLock};

use serde::de::DeserializeOwned;
use serde_json::Value;
use toml::{
    Spanned,
    de::{DeInteger, DeTable, DeValue},
};

use super::{file::FORMAT, nesting, report::Report, values, words};
use crate::{Bytes, Code, Hertz, Nanos, Problem, schema};

pub fn system_schema() -> &'static Value {
    static SCHEMA: LazyLock<Value> = LazyLock::new(schema::system);
    &SCHEMA
}

pub fn board_schema() -> &'static Value {
    static SCHEMA: LazyLock<Value> = LazyLock::new(schema::board);
    &SCHEMA
}

/// The file as a table, if it is TOML in a known version of the format.
pub fn parse<'t>(report: &mut Report, text: &'t str) -> Option<Spanned<DeTable<'t>>> {
    if let Some(span) = nesting::too_deep(text) {
        report.add(too_deep(span));
        return None;
    }
    let table = DeTable::parse(text).map_err(|error| report.add(not_toml(text, &error))).ok()?;
    check_format(report, table.get_ref())?;
    Some(table)
}

/// The file as a table, if it is TOML. Its mistakes are reported when it is read as a description.
pub fn parse_quietly(text: &str) -> Option<Spanned<DeTable<'_>>> {
    nesting::too_deep(text).is_none().then(|| DeTable::parse(text).ok())?
}

/// Converts the table into the types of a file, if it has the form of the schema.
pub fn read<T: DeserializeOwned>(
    report: &mut Report,
    text: &str,
    table: Spanned<DeTable>,
    schema: &'static Value,
) -> Option<T> {
    Form { report, schema }.table(table.span(), table.get_ref(), schema, "the file");
    if !report.is_clean() {
        return None;
    }
    let read = T::deserialize(toml::Deserializer::from(table));
    read.map_err(|error| report.add(not_toml(text, &error))).ok()
}

fn not_toml(text: &str, error: &toml::de::Error) -> Problem {
    let message = error.message();
    let span = error.span().unwrap_or_else(|| many_dots(text));
    if message.contains("recurs") {
        return too_deep(span);
    }
    if message.contains("duplicate key") {
        let help = "keep one of the two; each task has a [[task]] of its own";
        return Problem::new(Code::DuplicateKey, message, help).at(span, "stands here again");
    }
    let help = "see https://toml.io for how TOML is written";
    Problem::new(Code::Syntax, format!("not TOML: {message}"), help).at(span, "here")
}

fn too_deep(span: Range<usize>) -> Problem {
    let help = "close the brackets above; a description needs few levels";
    Problem::new(Code::Syntax, "nested too deeply", help).at(span, "one level too many")
}

/// The line of a key with too many parts. This is the one mistake whose place the parser does not
/// report.
fn many_dots(text: &str) -> Range<usize> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if !line.starts_with('#') && line.matches('.').count() >= 80 {
            return start..start + line.trim_end().len();
        }
        start += line.len();
    }
    0..0
}

/// Checks the version of the format. A file of another version would seem to be full of mistakes,
/// so the version alone is reported.
fn check_format(report: &mut Report, file: &DeTable) -> Option<()> {
    let Some(value) = file.get("format") else { return Some(()) };
    match value.get_ref() {
        DeValue::Integer(number) if integer(number) == Some(FORMAT) => return Some(()),
        DeValue::Integer(_) => {}
        _ => return Some(()),
    }
    let help = format!("write format = {FORMAT}, or use the Polytakt that the file is written for");
    let problem = Problem::new(Code::Format, "unknown format of the description", help);
    report.add(problem.at(value.span(), format!("this Polytakt reads format {FORMAT}")));
    None
}

struct Form<'r> {
    report: &'r mut Report,
    /// The schema of the whole file, which has the definitions.
    schema: &'static Value,
}

impl Form<'_> {
    /// Checks a table. `place` is the table's name for people.
    fn table(&mut self, span: Range<usize>, table: &DeTable, schema: &Value, place: &str) {
        let known = &schema["properties"];
        let mut meant = Vec::new();
        for (key, value) in table {
            let word = key.get_ref().as_ref();
            match known.get(word) {
                Some(schema) => self.value(word, value, schema, &inside(place, word)),
                None if self.report.is_full() => self.unknown_key(key, known, place),
                None => {
                    self.unknown_key(key, known, place);
                    meant.extend(words::nearest(word, keys(known)));
                }
            }
        }
        let required = schema["required"].as_array().into_iter().flatten();
        for key in required.filter_map(Value::as_str) {
            // A misspelt required key is reported only once, as an unknown key.
            if !table.contains_key(key) && !meant.contains(&key) {
                self.missing_key(span.clone(), key, place);
            }
        }
    }

    fn value(&mut self, key: &str, value: &Spanned<DeValue>, schema: &Value, place: &str) {
        let (definition, schema) = self.resolve(schema);
        let kind = schema["type"].as_str().unwrap_or_default();
        match (kind, value.get_ref()) {
            ("object", DeValue::Table(table)) => {
                self.table(value.span(), table, schema, place);
            }
            ("array", DeValue::Array(list)) => {
                let place = format!("[[{key}]]");
                list.iter().for_each(|value| self.value(key, value, &schema["items"], &place));
            }
            ("integer", DeValue::Integer(number)) => self.integer(value.span(), number),
            ("string", DeValue::String(_)) | ("boolean", DeValue::Boolean(_)) => {}
            _ => self.wrong_type(key, value, kind, definition),
        }
    }
}

impl Form<'_> {
    /// The schema that a schema refers to, with the name of its definition.
    fn resolve<'s>(&self, schema: &'s Value) -> (&'static str, &'s Value)
    where
        Self: 's,
    {
        let reference = schema["$ref"].as_str().or(schema["allOf"][0]["$ref"].as_str());
        let name = reference.and_then(|path| path.strip_prefix("#/definitions/"));
        let definitions: &'static Value = &self.schema["definitions"];
        let found = name.and_then(|name| definitions.as_object()?.get_key_value(name));
        found.map_or(("", schema), |(name, schema)| (name.as_str(), schema))
    }

    fn unknown_key(&mut self, key: &Spanned<impl AsRef<str>>, known: &Value, place: &str) {
        let word = key.get_ref().as_ref();
        self.report.add_costly(|| {
            let help = words::suggest(word, keys(known), &format!("{place} can have"));
            Problem::new(Code::UnknownKey, format!("unknown key `{word}`"), help)
                .at(key.span(), format!("{place} has no such key"))
        });
    }

    fn missing_key(&mut self, span: Range<usize>, key: &str, place: &str) {
        let (_, schema) = self.resolve(&self.schema["properties"][key]);
        let message = format!("`{key}` is missing");
        let help = match schema["type"].as_str() {
            _ if key == "format" => format!("begin the file with format = {FORMAT}"),
            Some("object") => format!("add a table [{key}]"),
            Some("array") if place == "the file" => format!("add a [[{key}]] for each"),
            _ => format!("add {key} = ... to {place}"),
        };
        let problem = Problem::new(Code::MissingKey, message, help);
        self.report.add(problem.at(span, format!("{place} must have `{key}`")));
    }

    fn integer(&mut self, span: Range<usize>, number: &DeInteger) {
        if integer(number).is_none() {
            let help = "the largest number is 9223372036854775807";
            let problem = Problem::new(Code::OutOfRange, "the number is too large", help);
            self.report.add(problem.at(span, "does not fit 64 bits"));
        }
    }

    fn wrong_type(&mut self, key: &str, value: &Spanned<DeValue>, kind: &str, definition: &str) {
        let is_number = matches!(value.get_ref(), DeValue::Integer(_) | DeValue::Float(_));
        let problem = match definition {
            "Duration" if is_number => values::missing_unit(key, Nanos::UNITS, "20ms"),
            "Size" if is_number => values::missing_unit(key, Bytes::UNITS, "8KiB"),
            "Rate" if is_number => values::missing_unit(key, Hertz::UNITS, "1GHz"),
            _ => {
                let (wanted, example) = describe(kind, definition);
                let message = format!("`{key}` must be {wanted}");
                Problem::new(Code::WrongType, message, format!("write it like {example}"))
            }
        };
        self.report.add(problem.at(value.span(), format!("this is {}", kind_of(value.get_ref()))));
    }
}

/// The name for people of a table inside another one.
fn inside(place: &str, word: &str) -> String {
    match place.strip_suffix(']') {
        Some(outer) if !outer.ends_with(']') => format!("{outer}.{word}]"),
        _ => format!("[{word}]"),
    }
}

fn keys(properties: &Value) -> impl Iterator<Item = &str> + Clone {
    let keys = properties.as_object().map(|keys| keys.keys());
    keys.into_iter().flatten().map(String::as_str)
}

fn integer(number: &DeInteger) -> Option<i64> {
    i64::from_str_radix(number.as_str(), number.radix()).ok()
}

/// The kind of value that a key takes, and an example of it.
fn describe(kind: &str, definition: &str) -> (&'static str, &'static str) {
    match (kind, definition) {
        ("string", "Address") => ("an address in quotes", "\"0x80000000\""),
        ("string", "Duration") => ("a duration in quotes", "\"20ms\""),
        ("string", "Rate") => ("a rate in quotes", "\"1GHz\""),
        ("string", "Size") => ("a size in quotes", "\"8KiB\""),
        ("string", _) => ("text in quotes", "\"name\""),
        ("integer", _) => ("a whole number", "4, without quotes"),
        ("boolean", _) => ("true or false", "true, without quotes"),
        ("array", "") => ("a list", "[\"a\", \"b\"], or [[task]] for a list of tables"),
        _ => ("a table", "[system], or { key = \"value\" }"),
    }
}

fn kind_of(value: &DeValue) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a decimal number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
