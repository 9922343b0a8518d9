// SPDX-License-Identifier: Apache-2.0
//! Reads a file as text that can be parsed and shown: bounded in size, in UTF-8, with readable
//! lines.

use std::{fs::File, io::Read, path::Path, sync::Arc};

use crate::{Code, Problem, Problems};

/// The greatest length of a file in bytes, enough for some 10,000 tasks. The parser takes up to 1
/// GB for the worst file of this length.
pub const MAX_FILE: u64 = 2 << 20;
/// The greatest length of a line in bytes, because a diagnostic shows the whole line.
pub const MAX_LINE: usize = 4096;

/// Reads the bytes of a file, if there are not too many.
pub fn load(path: &Path) -> Result<Vec<u8>, Problems> {
    let unreadable = |error: std::io::Error| {
        let message = format!("cannot read {}: {}", path.display(), reason(&error));
        refuse(path, Code::Unreadable, message, "check the path and the file's permissions")
    };
    // The kind of file is checked before it is opened, because opening a pipe would wait for its
    // other end.
    let meta = std::fs::metadata(path).map_err(unreadable)?;
    if !meta.is_file() {
        let message = format!("{} is not a file", path.display());
        return Err(refuse(path, Code::NotAFile, message, "name a .toml file"));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

/// Checks the bytes and converts them to text.
pub fn text(path: &Path, bytes: Vec<u8>) -> Result<Arc<str>, Problems> {
    let name = path.display();
    if bytes.len() as u64 > MAX_FILE {
        let message = format!("{name} is longer than {} MiB", MAX_FILE >> 20);
        return Err(refuse(path, Code::TooLarge, message, "is it a description at all?"));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let (line, column) = position(error.as_bytes(), error.utf8_error().valid_up_to());
        let message = format!("{name}, line {line}, byte {column}: not UTF-8");
        refuse(path, Code::NotUtf8, message, "save the file in the encoding UTF-8")
    })?;
    check_characters(path, &text)?;
    check_lines(path, &text)?;
    Ok(text.into())
}

/// The mistake of a file that cannot be shown.
fn refuse(path: &Path, code: Code, message: String, help: &str) -> Problems {
    Problems::new(path.display().to_string(), vec![Problem::new(code, message, help)], 0)
}

/// Checks that the text has no control characters, which TOML does not allow and which must not
/// reach the terminal.
fn check_characters(path: &Path, text: &str) -> Result<(), Problems> {
    let ends_line = |at: usize| text.as_bytes().get(at + 1) == Some(&b'\n');
    let bad = |&(at, c): &(usize, char)| match c {
        '\t' | '\n' => false,
        '\r' => !ends_line(at),
        _ => c.is_control(),
    };
    let Some((at, found)) = text.char_indices().find(bad) else { return Ok(()) };
    let (line, column) = position(text.as_bytes(), at);
    let code = found as u32;
    let message =
        format!("{}, line {line}, byte {column}: control character U+{code:04X}", path.display());
    Err(refuse(path, Code::ControlCharacter, message, "remove the character"))
}

fn check_lines(path: &Path, text: &str) -> Result<(), Problems> {
    match text.lines().position(|line| line.len() > MAX_LINE) {
        None => Ok(()),
        Some(index) => {
            let message =
                format!("{}, line {} is longer than {MAX_LINE} bytes", path.display(), index + 1);
            Err(refuse(path, Code::LineTooLong, message, "break the line: lists may span lines"))
        }
    }
}

/// The line, and the byte in the line, both counted from 1.
fn position(bytes: &[u8], at: usize) -> (usize, usize) {
    let before = &bytes[..at];
    let line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |newline| newline + 1);
    (before.iter().filter(|b| **b == b'\n').count() + 1, at - line_start + 1)
}

/// The operating system's description of an error, without the number.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}
