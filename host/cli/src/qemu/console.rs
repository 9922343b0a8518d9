// SPDX-License-Identifier: Apache-2.0
//! Reads QEMU's console from a pipe.

use std::io::Read;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{JoinHandle, spawn};

use crate::console::{Lines, Sink};

pub struct Console {
    lines: Arc<Mutex<Lines>>,
    threads: Vec<JoinHandle<()>>,
}

impl Console {
    /// Reads `source` to its end. One thread reads and another one passes lines on; the queue
    /// between them is unbounded, so the machine never waits for a reader of takt's output.
    pub fn follow(source: impl Read + Send + 'static, mut sink: Sink) -> Console {
        let lines = Arc::new(Mutex::new(Lines::without_banner()));
        let kept = Arc::clone(&lines);
        let (sender, queue) = channel::<Vec<u8>>();
        let reader = spawn(move || pump(source, &sender, &kept));
        let writer = spawn(move || queue.iter().for_each(|line| sink(&line)));
        Console { lines, threads: vec![reader, writer] }
    }

    /// Waits until all output of the machine has been passed on; the machine must have ended.
    pub fn finish(&mut self) {
        for thread in self.threads.drain(..) {
            let _ = thread.join(); // a panic of the sink has been printed already; the tail is still valid
        }
    }

    /// The last lines.
    pub fn tail(&self) -> String {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).tail()
    }
}

fn pump(mut source: impl Read, queue: &Sender<Vec<u8>>, lines: &Mutex<Lines>) {
    // Sending fails only after the sink has panicked.
    let pass = |line: &[u8]| drop(queue.send(line.to_vec()));
    let mut bytes = [0; 4096];
    loop {
        let count = source.read(&mut bytes).unwrap_or(0);
        let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.take(&bytes[..count], pass);
        if count == 0 {
            return lines.finish(pass);
        }
    }
}
