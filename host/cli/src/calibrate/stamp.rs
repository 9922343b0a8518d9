// SPDX-License-Identifier: Apache-2.0
//! The stamp of measured overheads: the timing and the kernel that they were measured with.

use std::io;
use std::path::{Path, PathBuf};

use takt_model::{Board, Placement, Stamp, hash};

use crate::failure::Failure;
use crate::home;

/// The files and folders whose contents make up the kernel.
pub const KERNEL: [&str; 6] =
    ["kernel", "arch/riscv64", "drivers", "include/takt", "libraries/libc", "CMakeLists.txt"];

/// Folders whose files a measured kernel never contains: that of the sanitizer, and those of other
/// placements than "distributed".
const OTHERS: [&str; 6] = [
    "kernel/sanitize",
    "kernel/node",
    "kernel/service",
    "kernel/central",
    "kernel/semi",
    "kernel/rtu",
];

/// The stamp of the board and the kernel as they are now; None for a board without timing.
pub fn now(board: &Board) -> Result<Option<Stamp>, Failure> {
    of(board, Placement::Distributed)
}

/// The same for a placement: of another one than "distributed" it contains the folders of all of them.
pub fn of(board: &Board, placement: Placement) -> Result<Option<Stamp>, Failure> {
    let Some(timing) = board.timing_hash() else { return Ok(None) };
    let home = home::find()?;
    let others = if placement == Placement::Distributed { &OTHERS[..] } else { &OTHERS[..1] };
    let kernel =
        kernel(&home, others).map_err(|error| Failure::io("read the kernel's sources", error))?;
    Ok(Some(Stamp { timing, kernel }))
}

fn kernel(home: &Path, others: &[&str]) -> io::Result<String> {
    let mut all = Vec::new();
    for part in KERNEL {
        let path = home.join(part);
        let mut files = if path.is_dir() { sources(&path, others)? } else { vec![path] };
        files.sort();
        for file in files {
            all.extend(file.file_name().unwrap_or_default().as_encoded_bytes());
            all.push(0);
            all.extend(without_comments(&std::fs::read(file)?));
        }
    }
    Ok(hash(&all))
}

/// The part of a source that the compiler sees: without comments, each run of blanks as one blank or
/// one end of a line. A corrected comment leaves the measured figures as they are.
fn without_comments(source: &[u8]) -> Vec<u8> {
    let mut code = Vec::with_capacity(source.len());
    let (mut rest, mut blank) = (source, None);
    while let Some(&first) = rest.first() {
        let (length, is_blank) = match first {
            b'/' if rest.starts_with(b"/*") => (end_of(&rest[2..], b"*/") + 2, true),
            b'/' if rest.starts_with(b"//") => (end_of(rest, b"\n"), true),
            b'"' | b'\'' => (literal(rest), false),
            _ => (1, first.is_ascii_whitespace()),
        };
        if is_blank {
            let ends_line = first == b'\n' || rest.starts_with(b"//") || blank == Some(b'\n');
            blank = Some(if ends_line { b'\n' } else { b' ' });
        } else {
            code.extend(blank.take().filter(|_| !code.is_empty()));
            code.extend(&rest[..length]);
        }
        rest = &rest[length..];
    }
    code
}

/// The length of `text` up to and including `end`; the whole length if `end` does not occur.
fn end_of(text: &[u8], end: &[u8]) -> usize {
    let found = text.windows(end.len()).position(|it| it == end);
    found.map_or(text.len(), |at| at + end.len())
}

/// The length of the quoted text or character at the start of `text`. In assembler, and in the
/// comments of CMake, a quotation mark may stand alone; then it counts as one character.
fn literal(text: &[u8]) -> usize {
    let line = &text[..end_of(text, b"\n")];
    let mut escaped = false;
    let end = line.iter().skip(1).position(|&byte| {
        let ends = byte == text[0] && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(1, |at| at + 2)
}

/// All C and assembler files below a folder, except those in the others.
fn sources(folder: &Path, others: &[&str]) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in folder.read_dir()? {
        let path = entry?.path();
        if path.is_dir() && !others.iter().any(|other| path.ends_with(other)) {
            files.extend(sources(&path, others)?);
        } else if path
            .extension()
            .is_some_and(|it| ["c", "h", "S"].iter().any(|known| it == *known))
        {
            files.push(path);
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &str, other: &str) -> bool {
        without_comments(one.as_bytes()) == without_comments(other.as_bytes())
    }

    #[test]
    fn comments_and_blanks_are_no_code() {
        assert!(same("int a; /* one */\n", "/* two\n * lines */\n\n\tint  a; // three"));
        assert!(same("#define A 1 /* why */\nint b;", "#define  A 1\n\n  int b;\n"));
    }

    #[test]
    fn what_the_compiler_sees_is_code() {
        assert!(!same("int a;", "int b;"));
        assert!(!same("#define A\nint b;", "#define A int b;"));
        assert!(!same("return 1;", "return1;"));
        assert!(!same(r#"x = "/* a */";"#, r#"x = "/* b */";"#));
        assert!(!same(r#"x = "\"//"; y();"#, r#"x = "\"//"; z();"#));
        assert!(!same("x = '\"'; /* \" */ y();", "x = '\"'; /* \" */ z();"));
    }

    #[test]
    fn what_does_not_end_is_no_panic() {
        for text in ["/*", "//", "\"", "'", "/", "\"\\", ""] {
            without_comments(text.as_bytes());
        }
    }
}
