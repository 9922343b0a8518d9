// SPDX-License-Identifier: Apache-2.0
//! The part of QEMU's machine protocol (QMP) that takt needs: one JSON object in each line.
//!
//! The crate qapi implements the whole protocol, but panics if QEMU dies during the greeting.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

pub struct Qmp {
    lines: BufReader<UnixStream>,
}

impl Qmp {
    /// Connects and negotiates the capabilities. An answer that takes longer than `timeout` is an
    /// error.
    pub fn connect(socket: &Path, timeout: Duration) -> io::Result<Qmp> {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(timeout))?;
        stream.set_write_timeout(Some(timeout))?;
        let mut qmp = Qmp { lines: BufReader::new(stream) };
        qmp.read()?; // the greeting
        qmp.execute("qmp_capabilities", json!({}))?;
        Ok(qmp)
    }

    fn execute(&mut self, command: &str, arguments: Value) -> io::Result<Value> {
        let line = json!({ "execute": command, "arguments": arguments });
        self.lines.get_mut().write_all(format!("{line}\n").as_bytes())?;
        loop {
            let mut answer = self.read()?;
            if let Some(error) = answer.get("error") {
                return Err(io::Error::other(format!("{command}: {error}")));
            }
            // Anything that is neither an answer nor an error is an event, which is ignored.
            if let Some(value) = answer.get_mut("return") {
                return Ok(value.take());
            }
        }
    }

    /// Runs a command of QEMU's human monitor and returns what it prints.
    pub fn monitor(&mut self, command: &str) -> io::Result<String> {
        let answer = self.execute("human-monitor-command", json!({ "command-line": command }))?;
        Ok(answer.as_str().unwrap_or_default().to_string())
    }

    fn read(&mut self) -> io::Result<Value> {
        let mut line = String::new();
        if self.lines.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        serde_json::from_str(&line).map_err(io::Error::from)
    }
}
