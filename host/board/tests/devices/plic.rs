// SPDX-License-Identifier: Apache-2.0
//! The interrupt controller, driven by its own wires.

use takt_board::devices::{Device, Edge, Kind, Plic, Refused, Request};

fn access(plic: &mut Plic, offset: u64, bytes: u8, kind: Kind) -> Result<u64, Refused> {
    plic.access(0, Request { initiator: 0, offset, bytes, kind })
}

fn read(plic: &mut Plic, offset: u64) -> u64 {
    access(plic, offset, 4, Kind::Read).unwrap()
}

fn write(plic: &mut Plic, offset: u64, value: u64) {
    access(plic, offset, 4, Kind::Write(value)).unwrap();
}

fn edges(plic: &mut Plic) -> Vec<(u32, bool)> {
    let mut out = Vec::new();
    plic.edges(&mut out);
    out.into_iter().map(|Edge { wire, level }| (wire, level)).collect()
}

fn enable(context: u64, word: u64) -> u64 {
    0x2000 + 0x80 * context + 4 * word
}

fn threshold(context: u64) -> u64 {
    0x20_0000 + 0x1000 * context
}

fn claim(context: u64) -> u64 {
    threshold(context) + 4
}

/// Sources 1 to 96 of priority 1, enabled for context 1 (S-mode of hart 0).
fn ready() -> Plic {
    let mut plic = Plic::new(2);
    for source in 1..=96 {
        write(&mut plic, 4 * source, 1);
    }
    for word in 0..4 {
        write(&mut plic, enable(1, word), 0xffff_ffff);
    }
    plic
}

#[test]
fn claims_come_by_priority_then_by_number() {
    let mut plic = ready();
    write(&mut plic, 4 * 70, 7);
    write(&mut plic, 4 * 40, 3);
    write(&mut plic, 4 * 33, 3);
    for source in [96, 5, 40, 70, 33, 1] {
        plic.set_source(source, true);
    }
    assert_eq!(edges(&mut plic), [(1, true)]);
    let claims: Vec<u64> = (0..7).map(|_| read(&mut plic, claim(1))).collect();
    assert_eq!(claims, [70, 33, 40, 1, 5, 96, 0]);
    assert_eq!(edges(&mut plic), [(1, false)]);
}

#[test]
fn a_source_interrupts_again_when_it_is_complete_and_still_high() {
    let mut plic = ready();
    plic.set_source(10, true);
    assert_eq!(read(&mut plic, 0x1000), 1 << 10);
    assert_eq!(read(&mut plic, claim(1)), 10);
    assert_eq!(read(&mut plic, 0x1000), 0);
    plic.set_source(10, false);
    plic.set_source(10, true);
    assert_eq!(read(&mut plic, claim(1)), 0, "the gateway is closed");
    assert_eq!(edges(&mut plic), [(1, true), (1, false)]);
    write(&mut plic, claim(1), 10);
    assert_eq!(edges(&mut plic), [(1, true)]);
    assert_eq!(read(&mut plic, claim(1)), 10);
    plic.set_source(10, false);
    write(&mut plic, claim(1), 10);
    assert_eq!(edges(&mut plic), [(1, false)]);
}

#[test]
fn a_request_stays_when_its_source_falls() {
    let mut plic = ready();
    plic.set_source(3, true);
    plic.set_source(3, false);
    assert_eq!(read(&mut plic, claim(1)), 3);
    write(&mut plic, claim(1), 3);
    assert_eq!(read(&mut plic, claim(1)), 0);
}

#[test]
fn the_threshold_masks_the_wire_and_not_the_claim() {
    let mut plic = ready();
    write(&mut plic, 4 * 2, 4);
    plic.set_source(2, true);
    assert_eq!(edges(&mut plic), [(1, true)]);
    write(&mut plic, threshold(1), 4);
    assert_eq!(edges(&mut plic), [(1, false)]);
    write(&mut plic, threshold(1), 3);
    assert_eq!(edges(&mut plic), [(1, true)]);
    write(&mut plic, threshold(1), 7);
    assert_eq!(read(&mut plic, claim(1)), 2);
}

#[test]
fn priority_zero_never_interrupts() {
    let mut plic = ready();
    write(&mut plic, 4 * 2, 0);
    plic.set_source(2, true);
    assert_eq!((edges(&mut plic), read(&mut plic, claim(1))), (vec![], 0));
}

#[test]
fn contexts_are_m_and_s_of_each_hart_and_share_a_source() {
    let mut plic = ready();
    write(&mut plic, enable(2, 0), 1 << 9);
    plic.set_source(9, true);
    assert_eq!(edges(&mut plic), [(1, true), (2, true)]);
    assert_eq!(read(&mut plic, claim(2)), 9);
    assert_eq!(edges(&mut plic), [(1, false), (2, false)]);
    assert_eq!(read(&mut plic, claim(1)), 0);
    write(&mut plic, claim(0), 9); // not enabled there: no completion
    assert_eq!(edges(&mut plic), []);
    write(&mut plic, claim(1), 9); // enabled there: complete, as the specification has it
    assert_eq!(edges(&mut plic), [(1, true), (2, true)]);
}

#[test]
fn registers_keep_only_what_exists() {
    let mut plic = ready();
    write(&mut plic, 4 * 96, 0xffff_ffff);
    assert_eq!(read(&mut plic, 4 * 96), 7);
    write(&mut plic, threshold(3), 0xff);
    assert_eq!(read(&mut plic, threshold(3)), 7);
    assert_eq!(read(&mut plic, enable(1, 0)), 0xffff_fffe, "source 0 is none");
    assert_eq!(read(&mut plic, enable(1, 3)), 1, "96 is the last");
    for outside in [0, 4 * 97, 0xffc, 0x1010, enable(1, 4), enable(4, 0), threshold(4), claim(4)] {
        write(&mut plic, outside, 1);
        assert_eq!(read(&mut plic, outside), 0, "{outside:#x}");
    }
    write(&mut plic, claim(1), 0xffff_ffff);
    plic.set_source(0, true);
    plic.set_source(97, true);
    plic.set_source(u32::MAX, true);
    assert_eq!(edges(&mut plic), []);
    assert_eq!(access(&mut plic, 4, 8, Kind::Read), Err(Refused));
    assert_eq!(access(&mut plic, 4, 1, Kind::Read), Err(Refused));
}
