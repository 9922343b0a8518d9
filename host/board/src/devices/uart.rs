// SPDX-License-Identifier: Apache-2.0
//! A 16550 UART at byte registers. Registers, FIFO and modem lines are vm-superio's; the interrupt
//! line and IIR are derived here, as its `Trigger` tells when the line rises but not when it falls,
//! and a PLIC's source is a level.
//!
//! A byte is sent the moment it is written, so a program never waits for the line. Input comes from
//! a script with the ticks at which bytes arrive; those that find the FIFO full wait for a place.

use std::collections::VecDeque;
use std::convert::Infallible;

use serde::{Deserialize, Serialize};
use vm_superio::Trigger;
use vm_superio::serial::{NoEvents, Serial, SerialState};

use super::wires::Wires;
use super::{Device, Edge, Kind, Refused, Request, Tick};

const INTERRUPT_IDENTIFICATION: u64 = 2;
const REGISTERS: u64 = 8;
/// Bits of IER; vm-superio keeps the transmitter's pending interrupt as `IIR_TRANSMIT`.
const IER_RECEIVED: u8 = 1;
const IER_TRANSMIT: u8 = 2;
const IIR_NONE: u8 = 1;
const IIR_TRANSMIT: u8 = 2;
const IIR_RECEIVED: u8 = 4;
const IIR_FIFO: u8 = 0xc0;
const LSR_DATA_READY: u8 = 1;

/// Bytes that arrive at a tick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    pub at: Tick,
    pub bytes: Vec<u8>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Uart {
    #[serde(with = "State")]
    state: SerialState,
    /// Sent and not yet taken by the console.
    output: Vec<u8>,
    /// By tick.
    script: VecDeque<Input>,
    /// Arrived, but the FIFO is full.
    waiting: VecDeque<u8>,
    wires: Wires,
}

/// vm-superio's state, for serde.
#[derive(Serialize, Deserialize)]
#[serde(remote = "SerialState")]
struct State {
    baud_divisor_low: u8,
    baud_divisor_high: u8,
    interrupt_enable: u8,
    interrupt_identification: u8,
    line_control: u8,
    line_status: u8,
    modem_control: u8,
    modem_status: u8,
    scratch: u8,
    in_buffer: Vec<u8>,
}

struct NoTrigger;

impl Trigger for NoTrigger {
    type E = Infallible;

    fn trigger(&self) -> Result<(), Infallible> {
        Ok(())
    }
}

impl Uart {
    /// Inputs of equal ticks arrive in the order given.
    pub fn new(mut script: Vec<Input>) -> Uart {
        script.sort_by_key(|input| input.at);
        Uart {
            state: SerialState::default(),
            output: Vec::new(),
            script: script.into(),
            waiting: VecDeque::new(),
            wires: Wires::new(1),
        }
    }

    /// Adds bytes that arrive at the tick, after all that the script still has.
    pub fn add_input(&mut self, input: Input) {
        self.script.push_back(input);
    }

    pub fn output(&mut self) -> &mut Vec<u8> {
        &mut self.output
    }

    /// Lets vm-superio work on the state. Its only errors are a full FIFO, which then took
    /// nothing, and those of a writer or trigger, which ours have not.
    fn with_serial<T>(
        &mut self,
        work: impl FnOnce(&mut Serial<NoTrigger, NoEvents, &mut Vec<u8>>) -> T,
    ) -> Option<T> {
        let output = &mut self.output;
        let mut serial = Serial::from_state(&self.state, NoTrigger, NoEvents, output).ok()?;
        let result = work(&mut serial);
        self.state = serial.state();
        Some(result)
    }

    fn data_ready(&self) -> bool {
        self.state.interrupt_enable & IER_RECEIVED != 0
            && self.state.line_status & LSR_DATA_READY != 0
    }

    fn transmitter_empty(&self) -> bool {
        self.state.interrupt_enable & IER_TRANSMIT != 0
            && self.state.interrupt_identification & IIR_TRANSMIT != 0
    }

    /// Received data goes first; reading the register acknowledges the transmitter only when that
    /// is what it names.
    fn identify(&mut self) -> u8 {
        if self.data_ready() {
            return IIR_FIFO | IIR_RECEIVED;
        }
        if self.transmitter_empty() {
            self.state.interrupt_identification = IIR_NONE;
            return IIR_FIFO | IIR_TRANSMIT;
        }
        IIR_FIFO | IIR_NONE
    }

    /// Moves what has arrived into the FIFO, and sets the interrupt's wire.
    fn settle(&mut self) {
        if !self.waiting.is_empty() {
            let arrived = self.waiting.make_contiguous().to_vec();
            let taken = self.with_serial(|serial| serial.enqueue_raw_bytes(&arrived).unwrap_or(0));
            self.waiting.drain(..taken.unwrap_or(0));
        }
        self.wires.set(0, self.data_ready() || self.transmitter_empty());
    }
}

impl Device for Uart {
    fn access(&mut self, _now: Tick, request: Request) -> Result<u64, Refused> {
        if request.bytes != 1 {
            return Err(Refused);
        }
        let register = request.offset as u8;
        let value = match request.kind {
            _ if request.offset >= REGISTERS => 0,
            Kind::Read if request.offset == INTERRUPT_IDENTIFICATION => self.identify(),
            Kind::Read => self.with_serial(|serial| serial.read(register)).unwrap_or(0),
            Kind::Write(value) => {
                self.with_serial(|serial| serial.write(register, value as u8).is_ok());
                0
            }
        };
        self.settle();
        Ok(value.into())
    }

    fn advance(&mut self, now: Tick) {
        while self.script.front().is_some_and(|input| input.at <= now) {
            let input = self.script.pop_front();
            self.waiting.extend(input.into_iter().flat_map(|input| input.bytes));
        }
        self.settle();
    }

    fn next_event(&self) -> Option<Tick> {
        self.script.front().map(|input| input.at)
    }

    fn edges(&mut self, out: &mut Vec<Edge>) {
        self.wires.take(out);
    }
}
