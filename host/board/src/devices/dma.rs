// SPDX-License-Identifier: Apache-2.0
//! A simple DMA engine, "polytakt,dma-1": copies a range of memory, a line at most at a time.
//!
//! Registers, 64 bits each, to be accessed whole or as two words:
//!
//! | offset | name        | |
//! |--------|-------------|-|
//! | 0x00   | source      | address of the first byte to copy |
//! | 0x08   | destination | where it goes |
//! | 0x10   | length      | bytes; counts down to what is left |
//! | 0x18   | control     | bit 0: start (reads as 0); bit 1: interrupt enable |
//! | 0x20   | status      | bit 0: busy; bit 1: done; bit 2: error; writing 1 clears done and error |
//!
//! Source and destination count up with each piece, so that after an error they name it: the read
//! or write of this piece was refused, or the ranges run past the end of the address space. A piece
//! ends where source or destination reach a line's end. Pieces are read and written one after the
//! other, upwards. The interrupt is high while it is enabled and done or error is set. While busy,
//! source, destination and length ignore writes, as does start.

use serde::{Deserialize, Serialize};

use super::wires::Wires;
use super::{Device, Edge, Kind, Refused, Request, Tick, Transfer};

const LINE: u64 = 64;
const CONTROL_START: u64 = 1;
const CONTROL_INTERRUPT: u64 = 2;
const STATUS_BUSY: u64 = 1;
const STATUS_DONE: u64 = 2;
const STATUS_ERROR: u64 = 4;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dma {
    source: u64,
    destination: u64,
    length: u64,
    interrupt_enable: bool,
    /// Done and error.
    ended: u64,
    step: Step,
    wires: Wires,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Step {
    Idle,
    /// The machine may ask for the next read.
    Read,
    Reading,
    /// The machine may ask for the write of these bytes.
    Write(Vec<u8>),
    Writing(u64),
}

impl Default for Dma {
    fn default() -> Dma {
        Dma {
            source: 0,
            destination: 0,
            length: 0,
            interrupt_enable: false,
            ended: 0,
            step: Step::Idle,
            wires: Wires::new(1),
        }
    }
}

impl Dma {
    fn busy(&self) -> bool {
        self.step != Step::Idle
    }

    fn piece(&self) -> u64 {
        let to_line_end = |address: u64| LINE - address % LINE;
        self.length.min(to_line_end(self.source)).min(to_line_end(self.destination))
    }

    fn start(&mut self) {
        let fits = |address: u64| address.checked_add(self.length).is_some();
        self.ended = 0;
        if !fits(self.source) || !fits(self.destination) {
            self.end(STATUS_ERROR);
        } else if self.length == 0 {
            self.end(STATUS_DONE);
        } else {
            self.step = Step::Read;
        }
    }

    fn end(&mut self, status: u64) {
        self.step = Step::Idle;
        self.ended = status;
    }

    fn settle(&mut self) {
        self.wires.set(0, self.interrupt_enable && self.ended != 0);
    }

    fn read(&self, register: u64) -> u64 {
        match register {
            0x00 => self.source,
            0x08 => self.destination,
            0x10 => self.length,
            0x18 if self.interrupt_enable => CONTROL_INTERRUPT,
            0x20 => self.ended | if self.busy() { STATUS_BUSY } else { 0 },
            _ => 0,
        }
    }

    fn write(&mut self, register: u64, value: u64) {
        match register {
            0x00 if !self.busy() => self.source = value,
            0x08 if !self.busy() => self.destination = value,
            0x10 if !self.busy() => self.length = value,
            0x18 => {
                self.interrupt_enable = value & CONTROL_INTERRUPT != 0;
                if value & CONTROL_START != 0 && !self.busy() {
                    self.start();
                }
            }
            0x20 => self.ended &= !value,
            _ => {}
        }
        self.settle();
    }
}

impl Device for Dma {
    fn access(&mut self, _now: Tick, request: Request) -> Result<u64, Refused> {
        if !matches!(request.bytes, 4 | 8) {
            return Err(Refused);
        }
        let (register, shift) = (request.offset & !7, 8 * (request.offset & 4));
        let word = if request.bytes == 8 { u64::MAX } else { 0xffff_ffff };
        match request.kind {
            Kind::Read => Ok(self.read(register) >> shift & word),
            Kind::Write(value) => {
                // The other half of an address or length stays; of control and status, whose
                // upper halves are empty, nothing may happen twice.
                let kept =
                    if register <= 0x10 { self.read(register) & !(word << shift) } else { 0 };
                if register <= 0x10 || shift == 0 {
                    self.write(register, kept | value << shift);
                }
                Ok(0)
            }
        }
    }

    fn edges(&mut self, out: &mut Vec<Edge>) {
        self.wires.take(out);
    }

    fn transfer(&mut self) -> Option<Transfer> {
        match std::mem::replace(&mut self.step, Step::Idle) {
            Step::Read => {
                self.step = Step::Reading;
                Some(Transfer::Read { address: self.source, bytes: self.piece() as u32 })
            }
            Step::Write(data) => {
                self.step = Step::Writing(data.len() as u64);
                Some(Transfer::Write { address: self.destination, data })
            }
            step => {
                self.step = step;
                None
            }
        }
    }

    fn transferred(&mut self, _now: Tick, data: Option<&[u8]>) {
        match (&self.step, data) {
            (Step::Reading, Some(data)) if data.len() as u64 == self.piece() => {
                self.step = Step::Write(data.to_vec());
            }
            (&Step::Writing(bytes), Some(_)) => {
                self.source += bytes;
                self.destination += bytes;
                self.length -= bytes;
                self.step = Step::Read;
                if self.length == 0 {
                    self.end(STATUS_DONE);
                }
            }
            (Step::Reading | Step::Writing(_), _) => self.end(STATUS_ERROR),
            (Step::Idle | Step::Read | Step::Write(_), _) => {} // nobody asked
        }
        self.settle();
    }
}
