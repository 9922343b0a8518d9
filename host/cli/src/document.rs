// SPDX-License-Identifier: Apache-2.0
//! The JSON documents of takt. Those of results come from their crates; that of a failure is
//! defined here.

use miette::{Diagnostic, LabeledSpan, SourceCode};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, generate::SchemaGenerator};
use serde::Serialize;
use serde_json::Value;
use takt_analysis::CheckDocument;
use takt_model::FORMAT;
use takt_trace::{Report, Sweep};

use crate::commands::board::json::{BoardDocument, BoardList};
use crate::failure::Failure;
use crate::interference::Interference;
use crate::prove::Summary;

/// The document that `takt run --format json` prints.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is there for its schema")]
enum RunOutput {
    Run(Box<Report>),
    Seeds(Box<Sweep>),
    Failure(FailureDocument),
}

/// The document that `takt check --format json` prints.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is there for its schema")]
enum CheckOutput {
    Check(Box<CheckDocument>),
    Failure(FailureDocument),
}

/// The document that `takt prove --format json` prints.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is there for its schema")]
enum ProveOutput {
    Prove(Box<Summary>),
    Failure(FailureDocument),
}

/// The document that `takt interference --format json` prints.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is there for its schema")]
enum InterferenceOutput {
    Interference(Box<Interference>),
    Failure(FailureDocument),
}

/// The document that `takt board list --format json` prints.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is there for its schema")]
enum BoardListOutput {
    List(BoardList),
    Failure(FailureDocument),
}

/// The document that `takt board show --format json` prints.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is there for its schema")]
enum BoardShowOutput {
    Board(Box<BoardDocument>),
    Failure(FailureDocument),
}

/// A command that ended without a result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FailureDocument {
    /// The version of this format.
    pub format: u32,
    /// "failure".
    #[schemars(extend("const" = "failure"))]
    pub document: &'static str,
    /// The exit status of the command: 1, the application does not compile or the kernel panicked; 2, the input
    /// is wrong; 3, a tool is missing or failed; 130, interrupted.
    pub exit_status: u8,
    /// What is wrong, in the order of the file.
    pub diagnostics: Vec<Mistake>,
    /// The output of a tool, such as the compiler, or where the harts were; left out if there is
    /// none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub details: String,
}

/// A mistake in the input, or another reason of the failure.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Mistake {
    /// The stable code of a mistake in a description; null for other failures.
    pub code: Option<String>,
    /// What is wrong, as a sentence.
    pub message: String,
    /// What to do; null: there is no help.
    pub help: Option<String>,
    /// The places in the file, the mistake itself first.
    pub places: Vec<PlaceInFile>,
}

/// A range of characters in a file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlaceInFile {
    /// The file's name.
    pub file: Option<String>,
    /// The word's line, from 1.
    pub line: usize,
    /// The word's first column, from 1.
    pub column: usize,
    /// The offset of the word in the file, in bytes.
    pub offset: usize,
    /// The length of the word, in bytes.
    pub length: usize,
    /// What is to be said about this range; null: nothing more.
    pub label: Option<String>,
}

impl FailureDocument {
    pub fn new(failure: &Failure) -> Self {
        let whole: &dyn Diagnostic = failure.report.as_ref();
        let single: Vec<_> = whole.related().into_iter().flatten().map(mistake).collect();
        FailureDocument {
            format: FORMAT,
            document: "failure",
            exit_status: failure.exit as u8,
            diagnostics: if single.is_empty() { vec![mistake(whole)] } else { single },
            details: failure.details.clone(),
        }
    }
}

fn mistake(diagnostic: &dyn Diagnostic) -> Mistake {
    let source = diagnostic.source_code();
    let labels = diagnostic.labels().into_iter().flatten();
    Mistake {
        code: diagnostic.code().map(|code| code.to_string()),
        message: diagnostic.to_string(),
        help: diagnostic.help().map(|help| help.to_string()),
        places: labels.filter_map(|label| place(&label, source?)).collect(),
    }
}

fn place(label: &LabeledSpan, source: &dyn SourceCode) -> Option<PlaceInFile> {
    let contents = source.read_span(label.inner(), 0, 0).ok()?;
    Some(PlaceInFile {
        file: contents.name().map(str::to_string),
        line: contents.line() + 1,
        column: contents.column() + 1,
        offset: label.offset(),
        length: label.len(),
        label: label.label().map(str::to_string),
    })
}

/// A function that returns the JSON schema of what a command prints with `--format json`.
pub type Schema = fn() -> Value;

/// The schemas by the names that `takt schema` has for them.
pub const SCHEMAS: [(&str, Schema); 6] = [
    ("run", schema::<RunOutput>),
    ("check", schema::<CheckOutput>),
    ("prove", schema::<ProveOutput>),
    ("interference", schema::<InterferenceOutput>),
    ("board-list", schema::<BoardListOutput>),
    ("board-show", schema::<BoardShowOutput>),
];

fn schema<T: JsonSchema>() -> Value {
    generator().into_root_schema_for::<T>().to_value()
}

/// A generator of schemas for documents as they are written: a key that is always written is
/// required.
fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12().for_serialize().into_generator()
}
