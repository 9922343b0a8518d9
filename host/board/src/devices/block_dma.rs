// SPDX-License-Identifier: Apache-2.0
//! A core's engine of the data subnet: copies blocks between scratchpads, which it names by offsets.
//!
//! Registers, 64 bits each, accessed whole:
//!
//! | offset | name        | |
//! |--------|-------------|-|
//! | 0x00   | source      | offset in the scratchpad that is read |
//! | 0x08   | destination | offset in the scratchpad that is written |
//! | 0x10   | length      | bytes from one core to one core |
//! | 0x18   | cores       | bit c: core c |
//! | 0x20   | command     | 1 send: from the own scratchpad to each of the cores; 2 gather: from each of them, ascending, to the own one, part behind part |
//! | 0x28   | status      | bit 0: busy; bit 1: done; bit 2: error; 15..8: the core that it failed at; writing 1 clears done and error |
//!
//! Source, destination and length are multiples of 4. What a command names wrongly is an error at once, and nothing
//! moves. While busy, everything ignores writes. The machine makes the transfer, and says when it is done.

use serde::{Deserialize, Serialize};

use super::{Device, Kind, Refused, Request, Tick};

const STATUS_BUSY: u64 = 1;
const STATUS_DONE: u64 = 2;
const STATUS_ERROR: u64 = 4;
const WORD: u64 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Direction {
    /// From the own scratchpad to all cores of the transfer.
    Send,
    /// From each core of the transfer to the own scratchpad.
    Gather,
}

/// What an engine was commanded, and can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The core whose engine it is.
    pub core: u32,
    pub direction: Direction,
    pub source: u64,
    pub destination: u64,
    pub length: u64,
    /// Bit c: core c.
    pub cores: u64,
    /// Cycles until the first packet leaves.
    pub setup: Tick,
    /// The data of a packet.
    pub packet: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BlockDma {
    core: u32,
    /// By core: the bytes of its scratchpad, 0 where there is none.
    scratchpads: Vec<u64>,
    setup: Tick,
    packet: u64,
    /// Source, destination, length, cores, command.
    registers: [u64; 5],
    busy: bool,
    /// Done, error and the core that it failed at.
    ended: u64,
    /// A command for the machine to carry out.
    commanded: Option<Block>,
}

impl BlockDma {
    /// `setup` and `packet`: cycles until the first packet leaves, and the data of each.
    pub fn new(core: u32, scratchpads: Vec<u64>, setup: Tick, packet: u64) -> BlockDma {
        let (registers, busy, ended, commanded) = ([0; 5], false, 0, None);
        BlockDma { core, scratchpads, setup, packet, registers, busy, ended, commanded }
    }

    pub(crate) fn setup(&self) -> Tick {
        self.setup
    }

    pub(super) fn permits(&self, request: &Request) -> bool {
        request.bytes == 8 && request.offset % 8 == 0 && request.offset <= 0x28
    }

    pub(super) fn take_command(&mut self) -> Option<Block> {
        self.commanded.take()
    }

    pub(super) fn done(&mut self) {
        (self.busy, self.ended) = (false, STATUS_DONE);
    }

    fn command(&mut self) {
        let [source, destination, length, cores, command] = self.registers;
        let direction = match command {
            1 => Ok(Direction::Send),
            2 => Ok(Direction::Gather),
            _ => Err(self.core),
        };
        let (core, setup, packet) = (self.core, self.setup, self.packet);
        let block = |direction| Block {
            core,
            direction,
            source,
            destination,
            length,
            cores,
            setup,
            packet,
        };
        match direction.map(block).and_then(|block| self.checked(block)) {
            Ok(block) => {
                (self.busy, self.ended, self.commanded) = (true, 0, Some(block));
            }
            Err(core) => self.ended = STATUS_ERROR | u64::from(core & 0xff) << 8,
        }
    }

    /// The block if it can be copied, or else the core that it fails at. The length is bounded by each range.
    fn checked(&self, block: Block) -> Result<Block, u32> {
        let Block { core, direction, source, destination, length, cores, .. } = block;
        let words = [source, destination, length].iter().all(|value| value % WORD == 0);
        let count = u64::from(cores.count_ones());
        if !words || length == 0 || count == 0 || cores >> core & 1 != 0 {
            return Err(core);
        }
        let (own, other, parts) = match direction {
            Direction::Send => (source, destination, 1),
            Direction::Gather => (destination, source, count),
        };
        let fits = |core: u32, offset: u64, parts: u64| {
            let size = self.scratchpads.get(core as usize).copied().unwrap_or_default();
            offset <= size && length <= (size - offset) / parts
        };
        if !fits(core, own, parts) {
            return Err(core);
        }
        let mut others = (0..64).filter(|core| cores >> core & 1 != 0);
        others.find(|core| !fits(*core, other, 1)).map_or(Ok(block), Err)
    }
}

impl Device for BlockDma {
    fn access(&mut self, _now: Tick, request: Request) -> Result<u64, Refused> {
        if !self.permits(&request) {
            return Err(Refused);
        }
        let register = (request.offset / 8) as usize;
        match request.kind {
            Kind::Read if register < 5 => return Ok(self.registers[register]),
            Kind::Read => return Ok(self.ended | if self.busy { STATUS_BUSY } else { 0 }),
            Kind::Write(_) if self.busy => {}
            Kind::Write(value) if register < 4 => self.registers[register] = value,
            Kind::Write(value) if register == 4 => {
                self.registers[4] = value;
                self.command();
            }
            Kind::Write(value) => {
                self.ended &= !value;
                if self.ended & STATUS_ERROR == 0 {
                    self.ended &= STATUS_DONE;
                }
            }
        }
        Ok(0)
    }
}
