// SPDX-License-Identifier: Apache-2.0
//! A machine's console: passes it on line by line without the firmware's banner, and keeps its end
//! for error messages.

use std::collections::VecDeque;

/// The number of lines that an error message shows.
const TAIL: usize = 20;
/// A line without end is passed on in pieces of this many bytes.
const LONGEST_LINE: usize = 4096;

/// A function that gets each line, including its line end.
pub type Sink = Box<dyn FnMut(&[u8]) + Send>;

/// Assembles lines from the console's bytes.
#[derive(Clone)]
pub struct Lines {
    banner: Banner,
    begun: Vec<u8>,
    tail: VecDeque<Vec<u8>>,
}

impl Lines {
    /// A console that drops OpenSBI's banner, if the output begins with it.
    pub fn without_banner() -> Lines {
        Lines { banner: Banner::Awaited, begun: Vec::new(), tail: VecDeque::new() }
    }

    /// Adds bytes of the console; passes complete lines to `pass`.
    pub fn take(&mut self, bytes: &[u8], mut pass: impl FnMut(&[u8])) {
        for &byte in bytes {
            self.begun.push(byte);
            if byte == b'\n' || self.begun.len() == LONGEST_LINE {
                self.pass_on(&mut pass);
            }
        }
    }

    /// Ends the console: passes an incomplete last line to `pass`.
    pub fn finish(&mut self, mut pass: impl FnMut(&[u8])) {
        if !self.begun.is_empty() {
            self.pass_on(&mut pass);
        }
    }

    /// The last lines, indented. The firmware's lines are among them if nothing followed.
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

/// The state of the filter for OpenSBI's banner. OpenSBI describes the machine before it starts the
/// kernel, from its name to the line of MEDELEG, which every version prints alike.
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
