// SPDX-License-Identifier: Apache-2.0
//! The engines of the data subnet refuse what they cannot copy, and say at which core.

use takt_board::devices::{
    Block, BlockDma, Direction, Kind, Platform, PlatformSetup, Refused,
    map::AddressRange,
    subnet::{Part, Subnet},
};

use crate::common::{read, refused, setup, write};

const BASE: u64 = 0x6000_2000;
const DONE: u64 = 2;
const ERROR: u64 = 4;

/// The engine of core 0, whose scratchpad has 4 KiB as that of core 1; core 2 has 1 KiB, core 3 none.
fn platform() -> Platform {
    let engine = BlockDma::new(0, vec![4096, 4096, 1024, 0], 16, 128);
    let range = AddressRange { base: BASE, size: 0x30 };
    let subnet = Subnet { range, cores: 0..1, way: 1, part: Part::Engine(engine) };
    Platform::new(&PlatformSetup { others: 3, subnets: vec![subnet], ..setup(1) }).unwrap()
}

fn command(platform: &mut Platform, registers: [u64; 5]) -> u64 {
    for (at, value) in (0..).zip(registers) {
        write(platform, 0, BASE + 8 * at, 8, value);
    }
    read(platform, 0, BASE + 0x28, 8)
}

#[test]
fn what_cannot_be_copied_is_an_error_at_a_core() {
    let mut p = platform();
    for (registers, core) in [
        ([0, 0, 64, 0b10, 3], 0), // no such command
        ([0, 0, 64, 0b10, 0], 0), // neither
        ([0, 0, 64, 0, 1], 0),    // no core
        ([0, 0, 64, 0b11, 1], 0), // the own one
        ([0, 0, 0, 0b10, 1], 0),  // nothing
        ([2, 0, 64, 0b10, 1], 0), // no word
        ([0, 2, 64, 0b10, 1], 0),
        ([0, 0, 66, 0b10, 1], 0),
        ([4096, 0, 4, 0b10, 1], 0), // behind the own scratchpad
        ([u64::MAX - 3, 0, 4, 0b10, 1], 0),
        ([0, 0, 4100, 0b10, 1], 0),
        ([0, 4000, 100, 0b10, 1], 1), // behind another's
        ([0, 1000, 64, 0b110, 1], 2),
        ([0, 0, 64, 0b1010, 1], 3),     // none
        ([0, 0, 64, 1 << 40, 1], 40),   // no core
        ([0, 0, 2000, 0b110, 2], 2),    // behind the other's
        ([0, 1000, 1600, 0b110, 2], 0), // two parts behind the own one
    ] {
        assert_eq!(command(&mut p, registers), ERROR | core << 8, "{registers:?}");
        assert_eq!(p.next_block(), None);
        write(&mut p, 0, BASE + 0x28, 8, ERROR);
        assert_eq!(read(&mut p, 0, BASE + 0x28, 8), 0);
    }
}

#[test]
fn a_busy_engine_ignores_writes_until_it_is_done() {
    let mut p = platform();
    assert_eq!(command(&mut p, [0, 1000, 24, 0b110, 1]), 1);
    let block = Block {
        core: 0,
        direction: Direction::Send,
        source: 0,
        destination: 1000,
        length: 24,
        cores: 0b110,
        setup: 16,
        packet: 128,
    };
    assert_eq!((p.next_block(), p.next_block()), (Some(block), None));
    assert_eq!(command(&mut p, [4, 4, 4, 0b10, 2]), 1);
    assert_eq!((read(&mut p, 0, BASE, 8), p.next_block()), (0, None));
    p.block_done(0);
    assert_eq!(read(&mut p, 0, BASE + 0x28, 8), DONE);
    // A gather whose parts end where the scratchpads do.
    assert_eq!(command(&mut p, [0, 2048, 1024, 0b110, 2]), 1);
}

#[test]
fn an_engine_has_registers_of_eight_bytes() {
    let mut p = platform();
    assert!(refused(&mut p, BASE, 4, Kind::Read));
    assert!(refused(&mut p, BASE + 0x28, 4, Kind::Write(0)));
    // Other cores have no window to the devices of the kernel's cores, and none to this engine.
    for window in p.windows() {
        assert!(!window.initiators.contains(&1), "{window:?}");
    }
    assert_eq!(p.access(0, 0, BASE + 0x30, 8, Kind::Read), Err(Refused));
}
