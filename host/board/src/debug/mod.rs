// SPDX-License-Identifier: Apache-2.0
//! gdb at the machine: its threads are the harts, and machine time stands while it looks.
//!
//! gdb's protocol is spoken in a thread of its own ([`session`]). It never touches the machine: what it
//! wants to know or do ([`target`]) is a question to the thread that runs the machine, and is answered
//! between two instructions ([`Debugger::run`]).

mod description;
mod examine;
mod session;
mod target;

use crate::{
    devices::Tick,
    engine::{End, Machine},
};
use gdbstub::common::Signal;
use session::{Reason, stop_reason};
use std::{
    io,
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel},
    thread::JoinHandle,
    time::{Duration, Instant},
};

/// What gdb's thread asks of the machine's.
enum DebugRequest {
    Do(Box<dyn FnOnce(&mut Machine) + Send>),
    /// All harts go on; one perhaps for an instruction only.
    Resume {
        step: Option<u32>,
    },
    Interrupt,
    Detached,
    Killed,
}

/// gdb has ended the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("gdb ended the machine")]
pub struct Killed;

/// Waits for gdb at a port of this host, and runs the machine as it says.
pub struct Debugger {
    listener: TcpListener,
    session: Option<Session>,
    state: State,
    /// All harts sleep for ever, and gdb knows.
    dead: Option<End>,
    /// Where the machine was to get to when gdb's stop came: without time, turns depend on it.
    until: Option<Tick>,
}

struct Session {
    asks: Receiver<DebugRequest>,
    reasons: Sender<Reason>,
    connection: TcpStream,
    thread: JoinHandle<()>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// For gdb to attach.
    Awaiting,
    Stopped,
    Running,
    /// gdb has gone and let the machine run.
    Alone,
}

/// How long a call of [`Debugger::run`] waits for gdb, so that its caller can look at other things.
const PATIENCE: Duration = Duration::from_millis(50);

impl Debugger {
    /// Port 0: one that is free.
    pub fn listen(port: u16) -> io::Result<Debugger> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        Ok(Debugger { listener, session: None, state: State::Awaiting, dead: None, until: None })
    }

    pub fn port(&self) -> io::Result<u16> {
        self.listener.local_addr().map(|address| address.port())
    }

    /// Runs as [`Machine::run`] does, and also returns with [`End::Until`] where the machine stands for gdb. A call
    /// should be for a short time, since gdb's interrupt is looked for between two calls.
    pub fn run(&mut self, machine: &mut Machine, until: Tick) -> Result<End, Killed> {
        match self.state {
            State::Awaiting => self.await_gdb(machine),
            State::Stopped => self.obey(machine),
            State::Running => match self.dead {
                Some(end) => Ok(end),
                None => self.go_on(machine, until),
            },
            State::Alone => Ok(machine.run(until)),
        }
    }

    /// The run is at its end, with this exit status.
    pub fn finish(mut self, code: u8) {
        let Some(session) = self.session.take() else { return };
        if self.state == State::Running && session.reasons.send(Reason::Exited(code)).is_ok() {
            let _ = session.thread.join();
        }
    }

    fn await_gdb(&mut self, machine: &Machine) -> Result<End, Killed> {
        let Ok((connection, _)) = self.listener.accept() else {
            std::thread::sleep(PATIENCE);
            return Ok(End::Until);
        };
        let (ask, asks) = channel();
        let (reasons, told) = channel();
        let prepared = connection.set_nonblocking(false).and_then(|()| connection.try_clone());
        if let Ok(ours) = prepared {
            let target = target::Harts::new(ask, machine.units.len());
            let thread = std::thread::spawn(move || session::serve(connection, target, told));
            self.session = Some(Session { asks, reasons, connection: ours, thread });
            self.state = State::Stopped;
        }
        Ok(End::Until)
    }

    /// Answers gdb until it lets the harts go on, or for a while: it may ask for all of the memory.
    fn obey(&mut self, machine: &mut Machine) -> Result<End, Killed> {
        let begun = Instant::now();
        while self.state == State::Stopped && begun.elapsed() < PATIENCE {
            let Some(session) = &self.session else { break };
            match session.asks.recv_timeout(PATIENCE) {
                Ok(ask) => self.answer(ask, machine)?,
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => {
                    self.answer(DebugRequest::Detached, machine)?
                }
            }
        }
        Ok(End::Until)
    }

    fn answer(&mut self, ask: DebugRequest, machine: &mut Machine) -> Result<(), Killed> {
        match ask {
            DebugRequest::Do(work) => work(machine),
            DebugRequest::Resume { step } => {
                machine.set_step(step);
                self.state = State::Running;
            }
            DebugRequest::Interrupt if self.state == State::Running => {
                self.stop(machine, Reason::Signal(Signal::SIGINT));
            }
            DebugRequest::Interrupt => {}
            DebugRequest::Detached => {
                machine.set_stops(Vec::new());
                machine.set_watches(Vec::new());
                machine.set_step(None);
                self.state = State::Alone;
            }
            DebugRequest::Killed => return Err(Killed),
        }
        Ok(())
    }

    fn go_on(&mut self, machine: &mut Machine, until: Tick) -> Result<End, Killed> {
        while let Some(ask) = self.asked() {
            self.answer(ask, machine)?;
            if self.state != State::Running {
                return Ok(End::Until);
            }
        }
        let until = *self.until.get_or_insert(until);
        match machine.run(until) {
            End::Until => self.until = None,
            end @ End::Finished(_) => return Ok(end),
            end @ (End::Dead | End::Spinning) => {
                self.stop(machine, Reason::Signal(Signal::SIGABRT));
                self.dead = Some(end);
            }
            end => self.stop(machine, stop_reason(end)),
        }
        Ok(End::Until)
    }

    /// What gdb asks for while the machine runs.
    fn asked(&self) -> Option<DebugRequest> {
        match self.session.as_ref()?.asks.try_recv() {
            Ok(ask) => Some(ask),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(DebugRequest::Detached),
        }
    }

    fn stop(&mut self, machine: &mut Machine, reason: Reason) {
        machine.set_step(None);
        self.state = State::Stopped;
        if let Some(session) = &self.session {
            // A session that has gone is noticed at its end of the other channel.
            let _ = session.reasons.send(reason);
        }
    }
}

/// Nobody answers any more: gdb is told so, wherever its thread waits.
impl Drop for Debugger {
    fn drop(&mut self) {
        let Some(Session { asks, reasons, connection, thread }) = self.session.take() else {
            return;
        };
        let running = self.state == State::Running;
        drop((asks, reasons));
        if !running {
            let _ = connection.shutdown(Shutdown::Both);
        }
        let _ = thread.join();
    }
}
