// SPDX-License-Identifier: Apache-2.0
//! A running QEMU process, which is ended when this value is dropped.

use std::io::Read;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::console::Console;
use crate::console::Sink;

const POLL: Duration = Duration::from_millis(5);

pub struct Process {
    child: Child,
    pub console: Console,
    complaints: Receiver<String>,
}

impl Process {
    pub fn start(mut command: Command, sink: Sink) -> std::io::Result<Process> {
        let mut child = command.spawn()?;
        let stdout = child.stdout.take().expect("the command pipes its output");
        let mut stderr = child.stderr.take().expect("the command pipes its errors");
        let (sender, complaints) = channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = stderr.read_to_end(&mut bytes); // what was read before the error is still reported
            let _ = sender.send(String::from_utf8_lossy(&bytes).trim().to_string());
        });
        Ok(Process { child, console: Console::follow(stdout, sink), complaints })
    }

    /// The exit status of the process, if it has ended or ends within `wait`.
    pub fn ended(&mut self, wait: Duration) -> Option<ExitStatus> {
        let start = Instant::now();
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if start.elapsed() >= wait {
                return None;
            }
            std::thread::sleep(POLL);
        }
    }

    /// Ends the process, and waits until all its output has been passed on.
    pub fn end(&mut self) {
        let _ = self.child.kill(); // fails only if the process has ended already
        let _ = self.child.wait();
        self.console.finish();
    }

    /// What the process wrote to stderr; complete only after it has ended.
    pub fn complaints(&self) -> String {
        self.complaints.recv_timeout(Duration::from_secs(2)).unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}
