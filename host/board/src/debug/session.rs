// SPDX-License-Identifier: Apache-2.0
//! gdb's protocol, in its own thread, until gdb goes or the machine ends.

use super::target::{Harts, MachineEnded};
use crate::{
    engine::{End, watch::Hit},
    isa::Access,
};
use gdbstub::{
    common::{Signal, Tid},
    conn::ConnectionExt,
    stub::{
        DisconnectReason, GdbStub, MultiThreadStopReason,
        run_blocking::{BlockingEventLoop, Event, WaitForStopReasonError},
    },
    target::ext::breakpoints::WatchKind,
};
use std::{
    net::TcpStream,
    sync::mpsc::{Receiver, RecvTimeoutError},
    time::Duration,
};

/// Why the machine stands.
#[derive(Clone, Copy, Debug)]
pub enum Reason {
    Stop {
        hart: u32,
    },
    Step {
        hart: u32,
    },
    Watch {
        hart: u32,
        hit: Hit,
    },
    /// A signal that no hart in particular has caused.
    Signal(Signal),
    /// It does not go on, with this exit status.
    Exited(u8),
}

/// How an end of the machine's run that gdb asked for is told.
pub fn stop_reason(end: End) -> Reason {
    match end {
        End::Stop { hart } => Reason::Stop { hart },
        End::Step { hart } => Reason::Step { hart },
        End::Watch { hart, hit } => Reason::Watch { hart, hit },
        End::Until | End::Dead | End::Spinning | End::Finished(_) => {
            Reason::Signal(Signal::SIGTRAP)
        }
    }
}

/// Speaks with gdb until it goes or the machine ends.
pub fn serve(connection: TcpStream, mut harts: Harts, reasons: Receiver<Reason>) {
    harts.reasons = Some(reasons);
    let ended = GdbStub::new(connection).run_blocking::<Loop>(&mut harts);
    harts.gone(matches!(ended, Ok(DisconnectReason::Kill)));
}

/// How often a look for gdb's Ctrl-C is taken while the machine runs.
const LOOK: Duration = Duration::from_millis(10);

enum Loop {}

impl BlockingEventLoop for Loop {
    type Target = Harts;
    type Connection = TcpStream;
    type StopReason = MultiThreadStopReason<u64>;

    fn wait_for_stop_reason(
        harts: &mut Harts,
        connection: &mut TcpStream,
    ) -> Result<Event<Self::StopReason>, WaitForStopReasonError<MachineEnded, std::io::Error>> {
        let failed = WaitForStopReasonError::Connection;
        loop {
            let reasons =
                harts.reasons.as_ref().ok_or(WaitForStopReasonError::Target(MachineEnded))?;
            match reasons.recv_timeout(LOOK) {
                Ok(reason) => return Ok(Event::TargetStopped(told(reason))),
                Err(RecvTimeoutError::Disconnected) => {
                    let reason = MultiThreadStopReason::Terminated(Signal::SIGKILL);
                    return Ok(Event::TargetStopped(reason));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if connection.peek().map_err(failed)?.is_some() {
                let byte = ConnectionExt::read(connection).map_err(failed)?;
                return Ok(Event::IncomingData(byte));
            }
        }
    }

    fn on_interrupt(harts: &mut Harts) -> Result<Option<Self::StopReason>, MachineEnded> {
        harts.interrupt()?;
        Ok(None)
    }
}

fn told(reason: Reason) -> MultiThreadStopReason<u64> {
    match reason {
        Reason::Stop { hart } => MultiThreadStopReason::SwBreak(thread(hart)),
        Reason::Step { hart } => {
            MultiThreadStopReason::SignalWithThread { tid: thread(hart), signal: Signal::SIGTRAP }
        }
        Reason::Watch { hart, hit } => {
            let kind = match (hit.watch.reads, hit.watch.writes) {
                (true, true) => WatchKind::ReadWrite,
                _ if hit.access == Access::Load => WatchKind::Read,
                _ => WatchKind::Write,
            };
            MultiThreadStopReason::Watch { tid: thread(hart), kind, addr: hit.address }
        }
        Reason::Signal(signal) => MultiThreadStopReason::Signal(signal),
        Reason::Exited(code) => MultiThreadStopReason::Exited(code),
    }
}

/// gdb's threads begin with 1.
pub fn thread(hart: u32) -> Tid {
    Tid::new(hart as usize + 1).expect("more than 0")
}
