// SPDX-License-Identifier: Apache-2.0
//! The page of diagnostic codes: each code with its meaning, and with a full message from the
//! snapshots of `tests/diagnostics`.

use std::io;
use std::path::{Path, PathBuf};

use takt_model::{CODES, Code};

const HEAD: &str = "\
# Diagnostic codes

A mistake in a description is told with a code, the place, and what to do; `takt` then exits with
status 2. Codes are stable: a program may rely on them. At most 20 mistakes are shown at a time.

Each example below is a file of `tests/diagnostics`, in the words that a test holds. The page is made
from the codes by `cargo run -p takt-model --example diagnostics-page`.
";

pub fn page(root: &Path) -> io::Result<String> {
    let mut text = HEAD.to_string();
    for code in CODES {
        let example = example(root, *code)?;
        text += &format!("\n## {}\n\n{}\n\n```text\n{example}\n```\n", code.name(), code.about());
    }
    Ok(text)
}

/// The first message with this code in the first snapshot that has one.
fn example(root: &Path, code: Code) -> io::Result<String> {
    let text = std::fs::read_to_string(snapshot(root, code.name())?)?;
    let code = code.to_string();
    let lines = text.lines().skip_while(|line| !line.ends_with(&code)).skip(1);
    let first: Vec<_> = lines.take_while(|line| !line.starts_with("Error: ")).collect();
    Ok(first.join("\n").replace("tests/diagnostics/", "").trim_matches('\n').to_string())
}

/// The snapshot of a name: systems come before boards, `code.snap` before `code-variant.snap`.
fn snapshot(root: &Path, name: &str) -> io::Result<PathBuf> {
    let folder = root.join("tests/diagnostics/expected");
    let mut found = Vec::new();
    for entry in folder.read_dir()? {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let board = stem.starts_with("board-");
        let plain = stem.strip_prefix("board-").unwrap_or(&stem);
        if plain.split('-').next() == Some(name) {
            found.push((board, plain.len(), path));
        }
    }
    found.sort();
    let first = found.into_iter().next();
    first.map(|(_, _, path)| path).ok_or_else(|| io::Error::other(format!("no example of {name}")))
}
