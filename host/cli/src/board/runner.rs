// SPDX-License-Identifier: Apache-2.0
//! Runs a machine, either directly or under the control of gdb.

use std::path::Path;

use takt_board::debug::{Debugger, Killed};
use takt_board::devices::Tick;
use takt_board::engine::{End, Machine};

use crate::failure::Failure;

pub struct Runner(Option<Debugger>);

impl Runner {
    /// Opens the port for gdb, if there is one; `say` gets the command that attaches gdb. With a
    /// port the machine stands still until gdb continues it.
    pub fn new(port: Option<u16>, program: &Path, say: impl Fn(&str)) -> Result<Runner, Failure> {
        let Some(port) = port else { return Ok(Runner(None)) };
        let listening = Debugger::listen(port).and_then(|it| Ok((it.port()?, it)));
        let (port, debugger) = listening.map_err(|error| {
            let help = "name another with --gdb PORT; --gdb 0 takes one that is free";
            Failure::tool(format!("cannot wait for gdb at port {port}: {error}"), help)
        })?;
        say(&format!(
            "takt: the machine waits for gdb:\n  gdb-multiarch {} -ex 'target remote :{port}'\n",
            program.display()
        ));
        Ok(Runner(Some(debugger)))
    }

    /// Runs the machine like [`Machine::run`]; with gdb it may return before `until`.
    pub fn run(&mut self, machine: &mut Machine, until: Tick) -> Result<End, Failure> {
        match &mut self.0 {
            None => Ok(machine.run(until)),
            Some(debugger) => debugger.run(machine, until).map_err(|Killed| Failure::killed()),
        }
    }

    /// Ends the session with gdb; the program's exit status is `code`.
    pub fn finish(self, code: u32) {
        if let Some(debugger) = self.0 {
            debugger.finish(code as u8);
        }
    }
}
