// SPDX-License-Identifier: Apache-2.0
//! A virtio-mmio window without a device: its magic and version, and 0 everywhere else. A device ID
//! of 0 tells a driver that nobody is here. (Virtio 1.2, 4.2.2.)

use serde::{Deserialize, Serialize};

use super::{Device, Kind, Refused, Request, Tick};

const MAGIC: u64 = u32::from_le_bytes(*b"virt") as u64;
const VERSION: u64 = 2;

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct EmptySlot;

impl Device for EmptySlot {
    fn access(&mut self, _now: Tick, request: Request) -> Result<u64, Refused> {
        match (request.kind, request.offset, request.bytes) {
            (Kind::Read, 0, 4) => Ok(MAGIC),
            (Kind::Read, 4, 4) => Ok(VERSION),
            _ => Ok(0),
        }
    }
}
