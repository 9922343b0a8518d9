// SPDX-License-Identifier: Apache-2.0
//! The machine's console: passed on line by line without the firmware's banner, its end kept
//! for error messages.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{JoinHandle, spawn};

/// Lines that an error message shows.
const TAIL: usize = 20;
/// A line that does not end is passed on in pieces of this size.
const LONGEST_LINE: u64 = 4096;

/// Takes each line, with its end.
pub type Sink = Box<dyn FnMut(&[u8]) + Send>;

pub struct Console {
    tail: Arc<Mutex<VecDeque<Vec<u8>>>>,
    threads: Vec<JoinHandle<()>>,
}

impl Console {
    /// Reads `source` to its end. One thread reads and another passes on, with a queue between
    /// them that has no end, so that the machine never waits for a reader of takt's output.
    pub fn follow(source: impl Read + Send + 'static, mut sink: Sink) -> Console {
        let tail = Arc::new(Mutex::new(VecDeque::new()));
        let kept = Arc::clone(&tail);
        let (sender, lines) = channel::<Vec<u8>>();
        let reader = spawn(move || pump(BufReader::new(source), &sender, &kept));
        let writer = spawn(move || lines.iter().for_each(|line| sink(&line)));
        Console { tail, threads: vec![reader, writer] }
    }

    /// Waits until all that the machine said has been passed on; the machine must have ended.
    pub fn finish(&mut self) {
        for thread in self.threads.drain(..) {
            let _ = thread.join(); // a panic of the sink has been printed; the tail is still good
        }
    }

    /// The last lines, indented; the firmware's are among them when nothing followed.
    pub fn tail(&self) -> String {
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        if tail.is_empty() {
            return "The console stayed empty.".to_string();
        }
        let line = |line: &Vec<u8>| format!("  | {}\n", String::from_utf8_lossy(line).trim_end());
        format!("The console's last lines:\n{}", tail.iter().map(line).collect::<String>())
    }
}

fn pump(mut source: impl BufRead, lines: &Sender<Vec<u8>>, tail: &Mutex<VecDeque<Vec<u8>>>) {
    let mut banner = Banner::Awaited;
    loop {
        let mut line = Vec::new();
        let read = source.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        if line.is_empty() || read.is_err() {
            return;
        }
        if !banner.swallows(&line) {
            let _ = lines.send(line.clone()); // fails only where the sink has panicked
        }
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.push_back(line);
        if tail.len() > TAIL {
            tail.pop_front();
        }
    }
}

/// OpenSBI tells about the machine before it starts the kernel: from its name to the line of
/// MEDELEG, of which every version says the same.
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
