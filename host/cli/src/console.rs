// SPDX-License-Identifier: Apache-2.0
//! A machine's console: passed on line by line without the firmware's banner, its end kept for
//! error messages.

use std::collections::VecDeque;

/// Lines that an error message shows.
const TAIL: usize = 20;
/// A line that does not end is passed on in pieces of this size.
const LONGEST_LINE: usize = 4096;

/// Takes each line, with its end.
pub type Sink = Box<dyn FnMut(&[u8]) + Send>;

/// From bytes to lines.
#[derive(Clone)]
pub struct Lines {
    banner: Banner,
    begun: Vec<u8>,
    tail: VecDeque<Vec<u8>>,
}

impl Lines {
    /// Without OpenSBI's banner, if one comes first.
    pub fn without_banner() -> Lines {
        Lines { banner: Banner::Awaited, begun: Vec::new(), tail: VecDeque::new() }
    }

    /// Takes more of the console; lines that are whole go to `pass`.
    pub fn take(&mut self, bytes: &[u8], mut pass: impl FnMut(&[u8])) {
        for &byte in bytes {
            self.begun.push(byte);
            if byte == b'\n' || self.begun.len() == LONGEST_LINE {
                self.pass_on(&mut pass);
            }
        }
    }

    /// Nothing more comes: what was begun is a line.
    pub fn finish(&mut self, mut pass: impl FnMut(&[u8])) {
        if !self.begun.is_empty() {
            self.pass_on(&mut pass);
        }
    }

    /// The last lines, indented; the firmware's are among them when nothing followed.
    pub fn tail(&self) -> String {
        if self.tail.is_empty() {
            return "The console stayed empty.\n".to_string();
        }
        let line = |line: &Vec<u8>| format!("  | {}\n", String::from_utf8_lossy(line).trim_end());
        format!("The console's last lines:\n{}", self.tail.iter().map(line).collect::<String>())
    }

    fn pass_on(&mut self, pass: &mut impl FnMut(&[u8])) {
        let line = std::mem::take(&mut self.begun);
        if !self.banner.swallows(&line) {
            pass(&line);
        }
        self.tail.push_back(line);
        if self.tail.len() > TAIL {
            self.tail.pop_front();
        }
    }
}

/// OpenSBI tells about the machine before it starts the kernel: from its name to the line of
/// MEDELEG, of which every version says the same.
#[derive(Clone)]
enum Banner {
    Awaited,
    Inside,
    Over,
}

impl Banner {
    fn swallows(&mut self, line: &[u8]) -> bool {
        match self {
            Banner::Awaited if line.trim_ascii().is_empty() => true,
            Banner::Awaited if line.starts_with(b"OpenSBI v") => {
                *self = Banner::Inside;
                true
            }
            Banner::Inside => {
                if line.starts_with(b"Boot HART MEDELEG") {
                    *self = Banner::Over;
                }
                true
            }
            _ => {
                *self = Banner::Over;
                false
            }
        }
    }
}
