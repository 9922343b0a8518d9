// SPDX-License-Identifier: Apache-2.0
//! A platform, and short words for its accesses.

use takt_board::devices::{HartWire, Kind, Platform, PlatformSetup, Refused, Tick};

pub const RAM: std::ops::Range<u64> = 0x8000_0000..0x8800_0000;

/// A machine's memory of one range.
pub fn one(range: std::ops::Range<u64>) -> Vec<std::ops::Range<u64>> {
    vec![range]
}

pub fn setup(harts: u64) -> PlatformSetup {
    PlatformSetup {
        hart_ids: (0..harts).collect(),
        frequency: 1_000_000_000,
        timebase: 10_000_000,
        input: Vec::new(),
        words: Vec::new(),
        others: 0,
        subnets: Vec::new(),
    }
}

pub fn platform(harts: u64) -> Platform {
    Platform::new(&setup(harts)).unwrap()
}

pub fn read(platform: &mut Platform, now: Tick, at: u64, bytes: u8) -> u64 {
    platform.access(now, 0, at, bytes, Kind::Read).unwrap()
}

pub fn write(platform: &mut Platform, now: Tick, at: u64, bytes: u8, value: u64) {
    platform.access(now, 0, at, bytes, Kind::Write(value)).unwrap();
}

pub fn refused(platform: &mut Platform, at: u64, bytes: u8, kind: Kind) -> bool {
    platform.access(0, 0, at, bytes, kind) == Err(Refused)
}

pub fn wires(platform: &mut Platform) -> Vec<(u32, u32, bool)> {
    let mut out = Vec::new();
    platform.wires(&mut out);
    out.into_iter().map(|HartWire { hart, bit, level }| (hart, bit, level)).collect()
}
