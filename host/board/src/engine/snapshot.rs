// SPDX-License-Identifier: Apache-2.0
//! A machine as bytes: it goes on from them as if it had not stopped, to the last cycle.
//!
//! ```text
//!     magic        8 bytes  "TAKTSNAP"
//!     version      4        little-endian, as all that follows
//!     machine      8        hash of timing, memory and harts
//!     length       8        of the body
//!     checksum     8        of the body
//!     body                  the machine, its pages of RAM, its directory, its events; by postcard
//! ```
//!
//! What follows from the rest is not in it: a board's figures and maps are those of the machine that
//! restores, the order of harts that of their clocks. All else is believed: the checksum tells damage, and nobody has a reason to
//! forge a state.
//!
//! What only makes the host faster is left out: the decoded instructions and the tables of translated
//! pages and lines. Their like is found again at no modelled time. What a debugger watches is left out too.

use super::{machine::Machine, queue, restoring, world::World};
use crate::memory::directory;
use serde::Serialize;

const MAGIC: &[u8; 8] = b"TAKTSNAP";
/// Raised whenever what is saved changes.
const VERSION: u32 = 15;
const HEADER: usize = 36;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSnapshot {
    #[error("it is no snapshot of a machine")]
    Foreign,
    #[error("it is of version {0}, and this takt reads version {VERSION} only")]
    Version(u32),
    #[error("it is of another machine: timing, memory, devices or harts differ")]
    OtherMachine,
    #[error("it is not whole: {there} bytes are there of {wanted}")]
    Cut { there: u64, wanted: u64 },
    #[error("a device of this machine does not take the state that was saved")]
    Device,
    #[error("it is damaged: what stands in it is not what was written")]
    Damaged,
}

/// The body as it is read: the pages of RAM by their offsets.
type Body<'a> = (Machine, Vec<(u64, &'a [u8])>, directory::Saved, queue::Saved);

impl Machine {
    /// All of the machine, events and messages under way included. Devices beside the platform's own
    /// (`Platform::add`) are saved by their state: the machine that restores has the same.
    pub fn save(&self) -> Vec<u8> {
        let pages: Vec<_> =
            self.world.fabric.ram.pages().map(|(at, page)| (at, Bytes(page))).collect();
        let events = queue::Saved::of(&self.world.fabric.schedule.queue);
        let body = (self, pages, &self.world.coherence.homes.directory, events);
        let body = postcard::to_stdvec(&body).expect("a machine is plain data");
        let mut file = Vec::with_capacity(HEADER + body.len());
        file.extend(MAGIC);
        file.extend(VERSION.to_le_bytes());
        file.extend(self.kind().to_le_bytes());
        file.extend((body.len() as u64).to_le_bytes());
        file.extend(checksum(&body).to_le_bytes());
        file.extend(body);
        file
    }

    /// The machine that was saved. This one is of the same board, harts and memory; it is not changed.
    pub fn restore(&self, file: &[u8]) -> Result<Machine, BadSnapshot> {
        let body = self.checked_body(file)?;
        let read: Result<(Body, &[u8]), _> = postcard::take_from_bytes(body);
        let Ok(((machine, pages, directory, events), [])) = read else {
            return Err(BadSnapshot::Damaged);
        };
        let mut ram = self.world.fabric.ram.blank();
        for (offset, page) in pages {
            if !ram.set_page(offset, page) {
                return Err(BadSnapshot::Damaged);
            }
        }
        let parts = restoring::Parts { machine, ram, directory, events };
        let mut machine = parts.join(self);
        let devices = machine.world.io.platform.add_again(&self.world.io.platform);
        devices.map_err(|_| BadSnapshot::Device)?;
        Ok(machine)
    }

    fn checked_body<'a>(&self, file: &'a [u8]) -> Result<&'a [u8], BadSnapshot> {
        let rest = file.strip_prefix(MAGIC).ok_or(BadSnapshot::Foreign)?;
        let cut = |wanted| BadSnapshot::Cut { there: file.len() as u64, wanted };
        let (version, rest) = rest.split_first_chunk().ok_or(cut(HEADER as u64))?;
        let version = u32::from_le_bytes(*version);
        if version != VERSION {
            return Err(BadSnapshot::Version(version));
        }
        let mut fields = rest;
        let mut field = || {
            let (field, rest) = fields.split_first_chunk().ok_or(cut(HEADER as u64))?;
            fields = rest;
            Ok(u64::from_le_bytes(*field))
        };
        let (kind, length, sum) = (field()?, field()?, field()?);
        if kind != self.kind() {
            return Err(BadSnapshot::OtherMachine);
        }
        match fields.len() as u64 {
            there if there < length => Err(cut(length.saturating_add(HEADER as u64))),
            there if there > length || checksum(fields) != sum => Err(BadSnapshot::Damaged),
            _ => Ok(fields),
        }
    }

    /// Machines of equal kind can take each other's snapshots.
    fn kind(&self) -> u64 {
        let World { timing, map, fabric, io, .. } = &self.world;
        let harts: Vec<u64> = self.units.iter().map(|unit| unit.hart.id).collect();
        let kind = postcard::to_stdvec(&(
            timing,
            fabric.ram.regions(),
            fabric.ram.size(),
            map.pads(),
            io.platform.ranges(),
            io.platform.subnets().iter().map(|subnet| subnet.way).collect::<Vec<_>>(),
            harts,
        ));
        checksum(&kind.expect("a machine's kind is plain data"))
    }
}

/// Bytes that serde is to take as a whole.
struct Bytes<'a>(&'a [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

/// After FNV-1a, by words. Against damage, not against malice.
fn checksum(bytes: &[u8]) -> u64 {
    let words = bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x100_0000_01b3).rotate_left(29);
    words.fold(0xcbf2_9ce4_8422_2325, mix)
}
