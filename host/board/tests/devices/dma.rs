// SPDX-License-Identifier: Apache-2.0
//! The DMA engine against a memory of bytes.

use takt_board::devices::{Kind, Platform, Transfer};

use crate::common::{platform, read, refused, wires, write};

const DMA: u64 = 0x1020_0000;
const SOURCE: u64 = DMA;
const DESTINATION: u64 = DMA + 8;
const LENGTH: u64 = DMA + 0x10;
const CONTROL: u64 = DMA + 0x18;
const STATUS: u64 = DMA + 0x20;
const MEMORY: usize = 4096;

/// Does what the engine does for a device: returns the pieces' sizes.
fn run(p: &mut Platform, memory: &mut [u8]) -> Vec<usize> {
    let mut pieces = Vec::new();
    while let Some((device, transfer)) = p.next_transfer() {
        assert!(p.next_transfer().is_none(), "one at a time");
        let answer = match &transfer {
            Transfer::Read { address, bytes } => {
                let start = *address as usize;
                assert_eq!(start / 64, (start + *bytes as usize - 1) / 64, "within a line");
                pieces.push(*bytes as usize);
                memory.get(start..start + *bytes as usize).map(<[u8]>::to_vec)
            }
            Transfer::Write { address, data } => {
                let start = *address as usize;
                assert_eq!(start / 64, (start + data.len() - 1) / 64, "within a line");
                memory.get_mut(start..start + data.len()).map(|place| {
                    place.copy_from_slice(data);
                    Vec::new()
                })
            }
        };
        p.transferred(0, device, answer.as_deref());
    }
    pieces
}

fn start(p: &mut Platform, source: u64, destination: u64, length: u64) {
    write(p, 0, SOURCE, 8, source);
    write(p, 0, DESTINATION, 8, destination);
    write(p, 0, LENGTH, 8, length);
    write(p, 0, CONTROL, 4, 3);
}

fn memory() -> Vec<u8> {
    (0..MEMORY).map(|at| (at * 7 + at / 256) as u8).collect()
}

#[test]
fn moves_every_alignment_and_length() {
    for source in [0, 1, 63, 64, 100] {
        for destination in [2048, 2049, 2111] {
            for length in [0, 1, 63, 64, 65, 500] {
                let (mut p, mut moved) = (platform(1), memory());
                start(&mut p, source as u64, destination as u64, length as u64);
                let pieces = run(&mut p, &mut moved);
                assert_eq!(pieces.iter().sum::<usize>(), length);
                let mut expected = memory();
                expected.copy_within(source..source + length, destination);
                assert!(moved == expected, "{source} to {destination}, {length} bytes");
                assert_eq!(read(&mut p, 0, STATUS, 8), 2);
                assert_eq!(read(&mut p, 0, LENGTH, 8), 0);
            }
        }
    }
}

#[test]
fn aligned_moves_go_in_whole_lines() {
    let mut p = platform(1);
    start(&mut p, 0, 1024, 256);
    assert_eq!(run(&mut p, &mut memory()), [64; 4]);
}

#[test]
fn a_refused_piece_ends_the_move_and_is_named() {
    let (mut p, mut moved) = (platform(1), memory());
    start(&mut p, 0, MEMORY as u64 - 128, 500);
    run(&mut p, &mut moved);
    assert_eq!(read(&mut p, 0, STATUS, 4), 4);
    assert_eq!(read(&mut p, 0, DESTINATION, 8), MEMORY as u64);
    assert_eq!(read(&mut p, 0, LENGTH, 8), 500 - 128);
    start(&mut p, MEMORY as u64, 0, 64); // a source that is not there
    assert!(run(&mut p, &mut moved) == [64] && read(&mut p, 0, STATUS, 4) == 4);
    for (source, destination) in [(u64::MAX - 10, 0), (0, u64::MAX - 10)] {
        start(&mut p, source, destination, 64);
        assert!(p.next_transfer().is_none(), "past the address space's end");
        assert_eq!(read(&mut p, 0, STATUS, 4), 4);
    }
}

#[test]
fn the_interrupt_is_high_while_ended_and_enabled() {
    const PLIC: u64 = 0xc00_0000;
    let (mut p, mut moved) = (platform(1), memory());
    write(&mut p, 0, PLIC + 4 * 16, 4, 1);
    write(&mut p, 0, PLIC + 0x2000, 4, 1 << 16);
    start(&mut p, 0, 64, 64);
    assert_eq!(read(&mut p, 0, STATUS, 4), 1);
    assert_eq!(wires(&mut p), []);
    run(&mut p, &mut moved);
    assert_eq!(wires(&mut p), [(0, 11, true)]);
    assert_eq!(read(&mut p, 0, PLIC + 0x20_0004, 4), 16);
    write(&mut p, 0, STATUS, 4, 2);
    write(&mut p, 0, PLIC + 0x20_0004, 4, 16);
    assert_eq!(wires(&mut p), [(0, 11, false)]);
    assert_eq!(read(&mut p, 0, STATUS, 4), 0);
    write(&mut p, 0, CONTROL, 4, 1); // not enabled
    run(&mut p, &mut moved);
    assert_eq!(wires(&mut p), []);
}

#[test]
fn a_busy_engine_keeps_its_registers() {
    let mut p = platform(1);
    start(&mut p, 0, 1024, 128);
    start(&mut p, 5, 6, 7);
    let registers = [SOURCE, DESTINATION, LENGTH].map(|at| read(&mut p, 0, at, 8));
    assert_eq!(registers, [0, 1024, 128]);
    assert_eq!(run(&mut p, &mut memory()), [64, 64]);
}

#[test]
fn registers_can_be_reached_by_halves() {
    let mut p = platform(1);
    write(&mut p, 0, SOURCE, 4, 0x5555_6666);
    write(&mut p, 0, SOURCE + 4, 4, 0x1111_2222);
    assert_eq!(read(&mut p, 0, SOURCE, 8), 0x1111_2222_5555_6666);
    assert_eq!(read(&mut p, 0, SOURCE + 4, 4), 0x1111_2222);
    write(&mut p, 0, CONTROL + 4, 4, 1); // the empty half starts nothing
    assert_eq!(read(&mut p, 0, STATUS, 4), 0);
    assert!(refused(&mut p, SOURCE, 2, Kind::Write(0)));
}

#[test]
fn a_platform_in_the_middle_of_a_move_goes_on_from_its_snapshot() {
    let (mut p, mut moved) = (platform(1), memory());
    start(&mut p, 0, 1024, 200);
    let (device, transfer) = p.next_transfer().unwrap();
    assert_eq!(transfer, Transfer::Read { address: 0, bytes: 64 });
    p.transferred(0, device, Some(&memory()[..64]));
    let saved = serde_json::to_string(&p).unwrap();
    let mut restored: Platform = serde_json::from_str(&saved).unwrap();
    run(&mut restored, &mut moved);
    let mut expected = memory();
    expected.copy_within(0..200, 1024);
    assert!(moved == expected);
}
